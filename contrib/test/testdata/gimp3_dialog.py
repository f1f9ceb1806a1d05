"""Presses the keys of a user in the window of GIMP 3. GIMP runs it with exec; the tool xdotool presses the keys."""

import os
import subprocess
import time
import threading

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gegl", "0.4")
from gi.repository import Gdk, Gegl, Gimp, Gio

Gegl.init(None)


def xdotool(*words):
    return subprocess.run(["xdotool", *words], capture_output=True, text=True, timeout=60).stdout.split()


def wait_for(true, what):
    for _ in range(600):
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
    """Runs the filter while the user does something. Returns its status and message."""
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


def on_screen(row):
    """Tells whether the upper left part of the screen, where the preview is, has these pixels side by side."""
    return row in bytes(Gdk.pixbuf_get_from_window(Gdk.get_default_root_window(), 0, 0, 300, 300).get_pixels())


def line(layer_pixels):
    """Returns a part of a line in the middle of the layer."""
    start = 3 * (layer.get_height() // 2 * layer.get_width() + 10)
    return layer_pixels[start : start + 3 * 60]


def choose_white():
    focus("^Blorc Denoise")
    press("alt+n", "Down", "alt+i", "ctrl+a", "2", "0", "Tab", "alt+o")


def look_at_preview():
    """Turns the preview off and on. The settings are those of choose_white, which the dialog remembers."""
    try:
        focus("^Blorc Denoise")
        wait_for(lambda: on_screen(line(denoised)), "the preview")
        press("alt+p")
        wait_for(lambda: on_screen(line(noisy)) and not on_screen(line(denoised)), "the noise without the preview")
        press("alt+p")
        wait_for(lambda: on_screen(line(denoised)), "the preview again")
        press("alt+t", "ctrl+a", "0", "Tab")
        wait_for(lambda: on_screen(line(noisy)) and not on_screen(line(denoised)), "the preview of other settings")
        seen.append("preview")
    finally:
        press("Escape")


def choose_program(path):
    focus("^Blorc Denoise")
    press("alt+m", "ctrl+a")
    xdotool("type", path)
    press("alt+o")


def stop():
    """Clicks on the button at the right end of the status bar while the program works."""
    choose_program(os.path.abspath("slow"))
    wait_for(lambda: os.path.exists("slow-started"), "the slow program")
    time.sleep(1)
    window = focus("Untitled")
    shape = dict(line.split("=") for line in xdotool("getwindowgeometry", "--shell", window))
    xdotool("mousemove", "--window", window, str(int(shape["WIDTH"]) - 50), str(int(shape["HEIGHT"]) - 17), "click", "1")


INTERACTIVE, LAST, STATUS = Gimp.RunMode.INTERACTIVE, Gimp.RunMode.WITH_LAST_VALS, Gimp.PDBStatusType
image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(os.path.abspath("rgb8.png")))
layer = image.get_layers()[0]
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
assert seen, "the preview is not as it should be"
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

focus("Untitled")
press("Tab")  # hides the docks, so that the status bar is as wide as the window
assert denoise(INTERACTIVE, stop)[0] != STATUS.SUCCESS
wait_for(lambda: os.path.exists("slow-ended"), "the end of the program")
assert pixels() == noisy
left = [name for _, _, names in os.walk(Gimp.temp_directory()) for name in names]
assert not left, left

status, message = denoise(INTERACTIVE, lambda: choose_program("/nowhere/blorc"))
assert status == STATUS.EXECUTION_ERROR and "/nowhere/blorc: No such file" in message, message
focus("^GIMP Message$")  # GIMP shows it

with open("dialog-done", "w"):
    pass
