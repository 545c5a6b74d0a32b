"""Session files that are wrong in one place each."""

import json

from tiny_sessions import TEXT


def changed(change):
    data = json.loads(TEXT)
    change(data)
    return json.dumps(data)


def set_in(*path_and_value):
    *path, last, value = path_and_value

    def change(data):
        for key in path:
            data = data[key]
        data[last] = value

    return changed(change)


def without(*path):
    *path, last = path

    def change(data):
        for key in path:
            data = data[key]
        del data[last]

    return changed(change)


def renamed(old, new, *path):
    def change(data):
        for key in path:
            data = data[key]
        data[new] = data.pop(old)

    return changed(change)


ROW = ("modules", 0, "profile", 0)


BAD_TEXTS = {
    "unknown field": (set_in("modules", 0, "gpu", 1), "modules[0].gpu", "is an unknown field"),
    "name of an option": (set_in("hardware", 0, "stock", 1), "hardware[0].stock", "did you mean `count`?"),
    "misspelt field": (renamed("edges", "edgs"), "edgs", "did you mean `edges`?"),
    "rate without unit": (
        renamed("rate_rps", "rate", "modules", 1),
        "modules[1].rate",
        "write `rate_rps`, in requests",
    ),
    "failed requests": (
        set_in(*ROW, "failed_requests", 91),
        "modules[0].profile[0].failed_requests",
        "is 91; answers that fail say nothing of a batch: remove the whole row",
    ),
    "no failed requests": (set_in(*ROW, "failed", 0), "modules[0].profile[0].failed", "is an unknown field; remove it"),
    "slo without unit": (renamed("slo_s", "slo"), "slo", "write `slo_s`, in seconds"),
    "slo in milliseconds": (renamed("slo_s", "slo_ms"), "slo_ms", "write `slo_s`, in seconds"),
    "price without unit": (renamed("price_per_h", "price", "hardware", 0), "hardware[0].price", "`price_per_h`"),
    "duration without unit": (renamed("duration_s", "duration", *ROW), "modules[0].profile[0].duration", "seconds"),
    "missing field": (without("slo_s"), "slo_s", "is missing; add it, in seconds"),
    "missing edges": (without("edges"), "edges", "is missing"),
    "missing batch": (without(*ROW, "batch"), "modules[0].profile[0].batch", "is missing"),
    "text for a number": (set_in("slo_s", "1"), "slo_s", "is the text '1'; it must be a number"),
    "true for a number": (set_in("slo_s", True), "slo_s", "is true"),
    "null for a number": (set_in("slo_s", None), "slo_s", "is null"),
    "fraction for a batch": (set_in(*ROW, "batch", 1.5), "modules[0].profile[0].batch", "whole number"),
    "object for a list": (set_in("modules", {}), "modules", "it must be a list"),
    "list for an object": (set_in("modules", 0, []), "modules[0]", "it must be an object"),
    "number for a name": (set_in("modules", 0, "name", 3), "modules[0].name", "it must be a text"),
    "empty name": (set_in("modules", 0, "name", " "), "modules[0].name", "printable"),
    "line break in a name": (set_in("modules", 0, "name", "a\nb"), "modules[0].name", "printable"),
    "edge of three": (set_in("edges", [["a", "b", "c"]]), "edges[0]", "an edge is [from, to]"),
    "edge of one": (set_in("edges", [["detect"]]), "edges[0][1]", "an edge is [from, to]"),
    "NaN": (set_in("slo_s", float("nan")), "slo_s", "is NaN; give a finite"),
    "infinite": (set_in("modules", 0, "rate_rps", float("inf")), "modules[0].rate_rps", "is Infinity"),
    "more than a float holds": (TEXT.replace("1.0,", "1e400,", 1), "slo_s", "ordinary size"),
    "less than a float holds": (TEXT.replace("1.0,", "1e-400,", 1), "slo_s", "ordinary size"),
    "vast exponent": (TEXT.replace("1.0,", "1e999999999,", 1), "slo_s", "ordinary size"),
    "vast whole number": (TEXT.replace("1.0,", "1" * 5000 + ",", 1), "slo_s", "5000 characters"),
    "zero rate": (set_in("modules", 1, "rate_rps", 0), "modules[1].rate_rps", "greater than 0"),
    "negative slo": (set_in("slo_s", -1), "slo_s", "greater than 0"),
    "negative price": (set_in("hardware", 1, "price_per_h", -2), "hardware[1].price_per_h", "at least 0"),
    "zero batch": (set_in(*ROW, "batch", 0), "modules[0].profile[0].batch", "from 1"),
    "zero duration": (set_in(*ROW, "duration_s", 0), "modules[0].profile[0].duration_s", "greater than 0"),
    "empty profile": (set_in("modules", 0, "profile", []), "modules[0].profile", "is empty"),
    "no modules": (set_in("modules", []), "modules", "no modules"),
    "configuration twice": (
        changed(lambda d: d["modules"][0]["profile"].append(d["modules"][0]["profile"][0])),
        "modules[0].profile",
        "two configurations share",
    ),
    "unknown hardware": (set_in(*ROW, "hardware", "T4"), "modules[0].profile[0].hardware", "unknown hardware 'T4'"),
    "duplicate hardware": (set_in("hardware", 1, "name", "V100"), "hardware[1].name", "listed twice"),
    "duplicate module": (set_in("modules", 1, "name", "detect"), "modules[1].name", "listed twice"),
    "duplicate edge": (set_in("edges", [["detect", "classify"]] * 2), "edges[1]", "listed twice"),
    "unknown module": (set_in("edges", [["detect", "track"]]), "edges[0]", "unknown module 'track'"),
    "cycle": (
        set_in("edges", [["detect", "classify"], ["classify", "detect"]]),
        "edges",
        "form a cycle: ",
    ),
    "duplicate key": (TEXT.replace('"slo_s": 1.0', '"slo_s": 1.0, "slo_s": 2'), "slo_s", "written twice"),
    "no schema": (without("schema"), "schema", "is missing"),
    "wrong version": (set_in("schema", "euclio/session/9"), "schema", "this release reads euclio/session/1"),
    "wrong schema": (set_in("schema", "euclio/result/1"), "schema", "a file of schema euclio/session/1"),
    "deep nesting": (TEXT.replace("[[", "[" * 100 + "[[").replace("]]}", "]]" + "]" * 100 + "}"), "edges", "nested"),
    "very deep nesting": ("[" * 200_000, None, "nested"),
    "a list": ("[]", None, "must hold an object"),
    "not JSON": ('{"schema": ', None, "is not JSON at line 1 column 12"),
    "empty file": (" \n", None, "is empty"),
    "binary text": ("\0\1\2", None, "binary"),
}
