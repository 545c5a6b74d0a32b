"""Changes to the text of a JSON file, one place at a time."""

import json


def changed(text, *path_and_value):
    *path, last, value = path_and_value
    data = json.loads(text)
    found = data
    for key in path:
        found = found[key]
    found[last] = value
    return json.dumps(data)


def without(text, *path):
    *path, last = path
    data = json.loads(text)
    found = data
    for key in path:
        found = found[key]
    del found[last]
    return json.dumps(data)
