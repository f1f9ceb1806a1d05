#!/usr/bin/env python3
"""Makes an update site of Fiji, or adds a version to one: update_site.py IJ_JAR FOLDER

It compiles the plug-in against IJ_JAR with javac, and writes into FOLDER what a web server or a folder (file:///...) has to offer: the
list db.xml.gz, and the plug-in below plugins/ with the time of its version in its name. A plug-in that has not changed is left alone.
"""

import gzip
import hashlib
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PLUGIN = "plugins/Blorc_Denoise.jar"
DESCRIPTION = "Removes noise from images and stacks. It needs the program blorc-denoise."
LINK = "https://github.com/blorc-denoise/blorc-denoise"


def build(ij_jar):
    """Compiles the plug-in. Returns the files of its archive."""
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run(["javac", "--release", "8", "-Xlint:-options", "-cp", ij_jar, "-d", classes, str(HERE / "Blorc_Denoise.java")], check=True)
        files = {path.name: path.read_bytes() for path in Path(classes).glob("*.class")}
    files["plugins.config"] = (HERE / "plugins.config").read_bytes()
    return dict(sorted(files.items()))


def write_archive(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)


def checksum(files):
    """The updater's checksum of an archive is about names and contents, in the order of names."""
    digest = hashlib.sha1()
    for name, data in files.items():
        digest.update(name.encode("ascii"))
        digest.update(data)
    return digest.hexdigest()


def timestamp():
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    return time.strftime("%Y%m%d%H%M%S", time.gmtime(int(seconds) if seconds else None))


def read_list(path):
    """Returns the list of a site, and the plug-in in it."""
    records = ET.Element("pluginRecords")
    if path.exists():
        records = ET.fromstring(gzip.decompress(path.read_bytes()))
    for plugin in records.iter("plugin"):
        if plugin.get("filename") == PLUGIN:
            return records, plugin
    return records, ET.SubElement(records, "plugin", filename=PLUGIN)


def add_version(plugin, when, digest, size):
    """Makes a version the current one. The one before is remembered, so that the updater knows that it may be replaced."""
    old = plugin.find("version")
    if old is not None:
        kept = {"timestamp": old.get("timestamp"), "timestamp-obsolete": when, "checksum": old.get("checksum"), "filename": PLUGIN}
        plugin.remove(old)
        plugin.insert(0, ET.Element("previous-version", kept))
    version = ET.Element("version", checksum=digest, timestamp=when, filesize=str(size))
    for name, text in [("description", DESCRIPTION), ("link", LINK), ("author", "The blorc-denoise authors")]:
        ET.SubElement(version, name).text = text
    plugin.insert(0, version)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ij_jar, site = sys.argv[1], Path(sys.argv[2])
    records, plugin = read_list(site / "db.xml.gz")
    files = build(ij_jar)
    digest, when = checksum(files), timestamp()
    current = plugin.find("version")
    if current is not None and current.get("checksum") == digest:
        print("nothing has changed")
        return
    if current is not None and current.get("timestamp") >= when:
        sys.exit("the version of %s is not older than this one" % current.get("timestamp"))
    archive = site / (PLUGIN + "-" + when)
    archive.parent.mkdir(parents=True, exist_ok=True)
    write_archive(archive, files)
    add_version(plugin, when, digest, archive.stat().st_size)
    text = ET.tostring(records, encoding="UTF-8", xml_declaration=True)
    (site / "db.xml.gz").write_bytes(gzip.compress(text, mtime=0))
    print(archive)


if __name__ == "__main__":
    main()
