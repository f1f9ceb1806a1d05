"""The widget of napari: Plugins > Remove noise."""

import threading
from typing import Any, Callable, Dict, Tuple

import numpy as np
from magicgui.widgets import CheckBox, ComboBox, Container, FloatSlider, FloatSpinBox, Label, ProgressBar, PushButton, SpinBox
from superqt.utils import create_worker, ensure_main_thread

from . import _layers

THIS, ALL, SOME = "the one shown", "all", "from ... to ..."


class _Stopped(Exception):
    """The user has stopped the work."""


class DenoiseWidget(Container):  # type: ignore[misc]
    """Denoises the active image layer into a new layer, which can be removed again. The layer itself stays as it is."""

    def __init__(self, napari_viewer: Any) -> None:
        self._viewer = napari_viewer
        self._stop = threading.Event()
        self._worker: Any = None
        self.slices = ComboBox(label="Slices", choices=[THIS, ALL, SOME], value=THIS)
        self.first = SpinBox(label="From", max=1_000_000, visible=False)
        self.last = SpinBox(label="To", max=1_000_000, visible=False)
        self.once = CheckBox(text="Measure the noise once, in a slice that shows much", value=True)
        self.together = CheckBox(text="Use neighbouring slices")
        self.noise = ComboBox(label="Noise", choices=list(_layers.NOISES))
        self.sigma = FloatSpinBox(label="Sigma, 0: find it", max=1e9, step=0.001, visible=False)
        self.quality = ComboBox(label="Quality", choices=["fast", "balanced", "best"], value="balanced")
        self.strength = FloatSlider(label="Strength", max=1, value=1)
        self.preview = PushButton(text="Preview what is visible")
        self.start = PushButton(text="Remove noise")
        self.stop = PushButton(text="Stop", enabled=False)
        self.bar = ProgressBar(max=1000, value=0, visible=False)
        self.told = Label(value="")
        choices = [self.slices, self.first, self.last, self.once, self.together, self.noise, self.sigma, self.quality, self.strength]
        super().__init__(widgets=[*choices, self.preview, self.start, self.stop, self.bar, self.told])
        self.slices.changed.connect(self._show_fields)
        self.noise.changed.connect(self._show_fields)
        self.preview.changed.connect(self._preview)
        self.start.changed.connect(self._start)
        self.stop.changed.connect(self._stop.set)
        self._show_fields()

    def _show_fields(self, *_: Any) -> None:
        for field in (self.first, self.last):
            field.visible = self.slices.value == SOME
        for box in (self.once, self.together):
            box.visible = self.slices.value != THIS
        self.sigma.visible = self.noise.value in ("white", "camera")

    def _options(self) -> Dict[str, Any]:
        options = {"noise": _layers.NOISES[self.noise.value], "quality": self.quality.value, "strength": self.strength.value}
        if self.noise.value in ("white", "camera") and self.sigma.value > 0:
            options["sigma"] = self.sigma.value
        return options

    def _layer(self) -> Any:
        layer = self._viewer.layers.selection.active
        if layer is None or layer.as_layer_data_tuple()[2] != "image":
            raise ValueError("select an image layer")
        return layer

    def _preview(self, *_: Any) -> None:
        """Denoises the part of the shown slice that is on the screen, at the quality that is fast."""

        def prepare() -> Tuple[Any, ...]:
            layer = self._layer()
            view = _layers.shown(layer, self._viewer.dims)
            crop = _layers.visible(layer, view)
            options = {**self._options(), "quality": "fast", "crop": crop}
            part = _layers.page(view)
            offset = [s.start or 0 for s in part[: layer.ndim]]
            offset[view.axes.index("X")], offset[view.axes.index("Y")] = crop[:2]
            return layer, "preview", view, part, offset, False, options

        self._run(prepare)

    def _start(self, *_: Any) -> None:
        def prepare() -> Tuple[Any, ...]:
            layer = self._layer()
            view = _layers.shown(layer, self._viewer.dims)
            options = self._options()
            if self.slices.value == THIS:
                part = _layers.page(view)
            elif self.slices.value == ALL:
                part = (slice(None),) * len(view.axes)
            else:
                part = _layers.some(view, _layers.full(layer).shape, self.first.value, self.last.value)
            several = self.slices.value != THIS
            options["together"] = several and self.together.value
            offset = [s.start or 0 for s in part[: layer.ndim]]
            return layer, "denoised", view, part, offset, several and self.once.value and "sigma" not in options, options

        self._run(prepare)

    def _run(self, prepare: Callable[[], Tuple[Any, ...]]) -> None:
        """Works in a thread of its own, so that the window stays alive."""
        try:
            layer, word, view, part, offset, once, options = prepare()
        except ValueError as e:
            self.told.value = str(e)
            return
        self._stop.clear()
        self._busy(True)
        tell = ensure_main_thread(self._show_share)

        def progress(share: float) -> None:
            if self._stop.is_set():
                raise _Stopped()
            tell(share)

        def work() -> Any:
            result = _layers.denoise_part(layer, view, part, once, progress, **options)
            measured_here = part == _layers.page(view)
            return result, ", hardly any light in this slice" * (measured_here and _layers.is_dark(layer, view))

        def finished(made: Any) -> None:
            result, remark = made
            self._busy(False)
            self._put(layer, "%s %s" % (layer.name, word), result, offset)
            self.told.value = _layers.describe(result.noise) + remark

        self._worker = create_worker(work, _start_thread=True, _connect={"returned": finished, "errored": self._failed})

    def _put(self, layer: Any, name: str, result: Any, offset: Any) -> None:
        for old in [o for o in self._viewer.layers if o.name == name and name.endswith(" preview")]:
            self._viewer.layers.remove(old)
        made = _layers.result_of(layer, name, result, offset)
        self._viewer.add_image(np.asarray(result), **made)
        self._viewer.layers.selection.active = layer  # the next try is of the same layer

    def _failed(self, error: BaseException) -> None:
        self._busy(False)
        self.told.value = "stopped" if isinstance(error, _Stopped) else str(error)

    def _busy(self, busy: bool) -> None:
        self.preview.enabled = self.start.enabled = not busy
        self.stop.enabled = self.bar.visible = busy
        self.bar.value = 0

    def _show_share(self, share: float) -> None:
        self.bar.value = round(1000 * share)
