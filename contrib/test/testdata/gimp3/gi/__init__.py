"""Stands in for PyGObject: enough to run the plug-in for GIMP 3 where there is no GIMP 3."""


def require_version(name, version):
    wanted = {"Gegl": "0.4", "Gimp": "3.0", "GimpUi": "3.0"}
    if wanted[name] != version:
        raise ValueError("%s %s" % (name, version))
