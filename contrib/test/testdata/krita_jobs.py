"""Runs the plug-in in Krita on the jobs of a JSON file, and writes the pixel data of layers before and after."""

import json
import traceback

from krita import Krita, Selection


def job(app, module, j):
    document = app.openDocument(j["in"])
    document.setBatchmode(True)
    if j.get("depth"):
        document.setColorSpace("RGBA", j["depth"], document.colorProfile())
        document.waitForDone()
    if j.get("select"):
        s = Selection()
        s.select(*j["select"], 255)
        document.setSelection(s)
    node = document.topLevelNodes()[0]
    area = (0, 0, document.width(), document.height())
    with open(j["out"] + ".before", "wb") as f:
        f.write(bytes(node.pixelData(*area)))
    try:
        result = module.denoise(document, node, {**module.DEFAULTS, "quality": "fast", **j["settings"]})
    except module.Failed as e:
        return {"failed": str(e)}
    with open(j["out"] + ".after", "wb") as f:
        f.write(bytes(result.pixelData(*area)))
    return {"depth": node.colorDepth(), "model": node.colorModel(), "layers": [n.name() for n in document.topLevelNodes()]}


def __main__(args):
    from blorc_denoise import blorc_denoise as module

    app = Krita.instance()
    app.setBatchmode(True)
    answers = []
    try:
        with open(args[0]) as f:
            for j in json.load(f):
                answers.append(job(app, module, j))
    except Exception:
        answers.append({"failed": traceback.format_exc()})
    with open(args[0] + ".answers", "w") as f:
        json.dump(answers, f)
