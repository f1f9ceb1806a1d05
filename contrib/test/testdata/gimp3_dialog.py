"""Presses the keys of a user in the window of GIMP 3. GIMP runs it with exec; the tool xdotool presses the keys."""

import os
import subprocess
import time
import threading

import gi

gi.require_version("Gegl", "0.4")
from gi.repository import Gegl, Gimp, Gio

Gegl.init(None)


def xdotool(*words):
    return subprocess.run(["xdotool", *words], capture_output=True, text=True, timeout=60).stdout.split()


def wait_for(true, what):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if true():
            return
        time.sleep(0.1)
    raise Exception("waited in vain for " + what)


def focus(name):
    """Gives the keys to the window with that in its name."""
    xdotool("search", "--sync", "--onlyvisible", "--name", name)
    time.sleep(1)
    window = xdotool("search", "--onlyvisible", "--name", name)[-1]
    xdotool("windowfocus", "--sync", window)
    return window


def press(*keys):
    xdotool("key", "--delay", "100", *keys)


def pixels():
    rect = Gegl.Rectangle.new(0, 0, layer.get_width(), layer.get_height())
    return bytes(layer.get_buffer().get(rect, 1.0, None, Gegl.AbyssPolicy.NONE))


def denoise(mode, user=lambda: None):
    """Runs the filter while the user does something. Returns its status and message.

    The user is a thread. It must not call GIMP, since the main thread waits for an answer of GIMP.
    """
    procedure = Gimp.get_pdb().lookup_procedure("plug-in-blorc-denoise")
    config = procedure.create_config()
    config.set_property("run-mode", mode)
    config.set_property("image", image)
    config.set_core_object_array("drawables", [layer])
    thread = threading.Thread(target=user)
    thread.start()
    status = procedure.run(config).index(0)
    thread.join()
    return status, Gimp.get_pdb().get_last_error()


# A process of its own looks at the screen, since Gdk is for the main thread, which waits for the filter.
LOOK = """
import sys, gi
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk
sys.stdout.buffer.write(Gdk.pixbuf_get_from_window(Gdk.get_default_root_window(), 0, 0, 300, 300).get_pixels())
"""


def on_screen(picture, width=0):
    """Tells whether the upper left part of the screen, where the preview is, has all these pixels. Without a width it is that of the layer."""
    width = width or layer_width
    screen = subprocess.run(["python3", "-c", LOOK], capture_output=True, check=True, timeout=60).stdout
    rows = [picture[i : i + 3 * width] for i in range(0, len(picture), 3 * width)]
    at = screen.find(rows[0])
    while at >= 0:
        if all(screen.startswith(row, at + 900 * i) for i, row in enumerate(rows)):
            return True
        at = screen.find(rows[0], at + 1)
    return False


def enlarged(picture, zoom, left, top):
    """Returns 200 x 200 pixels of the enlarged layer."""
    pixels = [(y // zoom * layer_width + x // zoom) * 3 for y in range(top, top + 200) for x in range(left, left + 200)]
    return b"".join(picture[i : i + 3] for i in pixels)


def choose_white():
    focus("^Blorc Denoise")
    press("alt+n", "Down", "alt+i", "ctrl+a", "2", "0", "Tab", "alt+o")


def look_at_preview():
    """Tries the preview. The settings are those of choose_white, which the dialog remembers."""
    try:
        window = focus("^Blorc Denoise")
        wait_for(lambda: on_screen(denoised), "the preview")
        press("alt+p")
        wait_for(lambda: on_screen(noisy) and not on_screen(denoised), "the noise without the preview")
        press("alt+p")
        wait_for(lambda: on_screen(denoised), "the preview again")
        press("Tab", "Tab", "space")  # on the button that zooms in
        wait_for(lambda: on_screen(enlarged(denoised, 2, 44, 12), 200), "the middle with a zoom")
        press("space")
        xdotool("mousemove", "--window", window, "100", "100", "click", "--delay", "10", "--repeat", "80", "5", "click", "--delay", "10", "--repeat", "80", "7")
        wait_for(lambda: on_screen(enlarged(denoised, 4, 376, 248), 200), "the lower right corner with a zoom")
        press("shift+Tab", "space", "space")
        wait_for(lambda: on_screen(denoised), "the preview without a zoom")
        press("alt+t", "ctrl+a", "0", "Tab")
        wait_for(lambda: on_screen(noisy) and not on_screen(denoised), "the preview of other settings")
        seen.append("preview")
    finally:
        press("Escape")


def look_at_selection():
    """Looks for the preview of a selection of 60 x 50 pixels at 20,30. It shows 2 pixels more on each side, with noise."""
    try:
        focus("^Blorc Denoise")
        rows = []
        for y in range(28, 82):
            before, after = (p[3 * layer_width * y :][: 3 * layer_width] for p in (noisy, denoised))
            inside = after if 30 <= y < 80 else before
            rows.append(before[3 * 18 : 3 * 20] + inside[3 * 20 : 3 * 80] + before[3 * 80 : 3 * 82])
        wait_for(lambda: on_screen(b"".join(rows), 64), "the preview of a selection")
        seen.append("selection")
    finally:
        press("Escape")


def choose_program(path):
    focus("^Blorc Denoise")
    press("alt+m", "ctrl+a")
    xdotool("type", path)


def previews():
    """Returns the process numbers of the slow program in a preview."""
    if not os.path.exists("slow-previews"):
        return []
    with open("slow-previews") as f:
        return [int(line) for line in f.read().splitlines()]


def runs(number):
    try:
        os.kill(number, 0)
        return True
    except ProcessLookupError:
        return False


def change_while_slow():
    """Changes a setting while the preview works on the one before."""
    choose_program(os.path.abspath("slow"))
    wait_for(previews, "the slow program in the preview")
    old = previews()
    press("alt+t")
    xdotool("key", "--delay", "20", *["Down"] * 10)
    wait_for(lambda: len(previews()) > len(old), "the preview of the next settings")
    wait_for(only_last_runs, "the end of the previews before")
    assert len(previews()) < len(old) + 5, "a run for each of many quick changes"


def only_last_runs():
    numbers = previews()
    return [runs(p) for p in numbers] == [False] * (len(numbers) - 1) + [True]


def cancel_while_slow():
    try:
        change_while_slow()
        seen.append("slow")
    finally:
        press("Escape")


def stop():
    """Clicks on the button at the right end of the status bar while the program works."""
    choose_program(os.path.abspath("slow"))
    press("alt+o")
    wait_for(lambda: os.path.exists("slow-started"), "the slow program")
    assert not any(runs(p) for p in previews())
    time.sleep(1)
    window = focus("Untitled")
    shape = dict(line.split("=") for line in xdotool("getwindowgeometry", "--shell", window))
    xdotool("mousemove", "--window", window, str(int(shape["WIDTH"]) - 50), str(int(shape["HEIGHT"]) - 17), "click", "1")
    seen.append("stop")


def choose_missing_program():
    choose_program("/nowhere/blorc")
    time.sleep(2)
    if not xdotool("search", "--onlyvisible", "--name", "^GIMP Message$"):
        seen.append("message in the dialog")
    press("alt+o")


INTERACTIVE, LAST, STATUS = Gimp.RunMode.INTERACTIVE, Gimp.RunMode.WITH_LAST_VALS, Gimp.PDBStatusType
image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(os.path.abspath("rgb8.png")))
layer = image.get_layers()[0]
layer_width = layer.get_width()
Gimp.Display.new(image)
noisy = pixels()
seen = []

assert denoise(INTERACTIVE, choose_white)[0] == STATUS.SUCCESS
denoised = pixels()
assert denoised != noisy
Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, image, Gio.File.new_for_path(os.path.abspath("dialog.png")), None)
focus("Untitled")
press("ctrl+z")
wait_for(lambda: pixels() == noisy, "undo in one step")
assert denoise(INTERACTIVE, look_at_preview)[0] == STATUS.CANCEL
assert "preview" in seen
assert pixels() == noisy
focus("Untitled")
press("ctrl+y")
wait_for(lambda: pixels() == denoised, "redo, which a cancelled dialog leaves")
press("ctrl+z")
wait_for(lambda: pixels() == noisy, "undo")
assert denoise(LAST)[0] == STATUS.SUCCESS
assert pixels() == denoised, "the last settings give something else"
press("ctrl+z")
wait_for(lambda: pixels() == noisy, "undo after the last settings")

image.select_rectangle(Gimp.ChannelOps.REPLACE, 20, 30, 60, 50)
assert denoise(INTERACTIVE, look_at_selection)[0] == STATUS.CANCEL
assert "selection" in seen
Gimp.Selection.none(image)

focus("Untitled")
press("Tab")  # hides the docks, so that the status bar is as wide as the window
assert denoise(INTERACTIVE, cancel_while_slow)[0] == STATUS.CANCEL
assert "slow" in seen and not any(runs(p) for p in previews())
assert denoise(INTERACTIVE, stop)[0] != STATUS.SUCCESS
assert "stop" in seen
wait_for(lambda: os.path.exists("slow-ended"), "the end of the program")
assert pixels() == noisy
left = [name for _, _, names in os.walk(Gimp.temp_directory()) for name in names]
assert not left, left

status, message = denoise(INTERACTIVE, choose_missing_program)
assert "message in the dialog" in seen
assert status == STATUS.EXECUTION_ERROR and "/nowhere/blorc: No such file" in message, message
focus("^GIMP Message$")  # GIMP shows it

with open("dialog-done", "w"):
    pass
