"""Result files that are wrong in one place each."""


def edit(*path_and_value):
    *path, last, value = path_and_value

    def change(data):
        for key in path:
            data = data[key]
        data[last] = value

    return change


def drop(*path):
    *path, last = path

    def change(data):
        for key in path:
            data = data[key]
        del data[last]

    return change


EXACT_DUMMY = "plan.modules[0].exact_dummy_rps"
ALLOCATION = ("plan", "modules", 0, "allocations", 0)


BAD_RESULTS = {
    "another instance": (edit("instance", "other"), "instance", "give the result of this instance"),
    "a session": (edit("schema", "euclio/session/1"), "schema", "euclio/result/1 is needed"),
    "unknown policy": (edit("options", "policy", "fifo"), "options.policy", "one of tc, tc-shared, rr, machine-rate"),
    "unknown rule": (edit("options", "dummy", "all"), "options.dummy", "one of none, machine, continuous"),
    "unknown option": (edit("options", "polcy", "tc"), "options.polcy", "unknown field"),
    "unknown status": (edit("status", "done"), "status", "one of optimal"),
    "unknown hardware": (edit("options", "hardware", ["T4"]), "options.hardware[0]", "one of V100, P100"),
    "no allocation limit": (edit("options", "max_allocations", 0), "options.max_allocations", "at least 1"),
    "unknown module": (edit("plan", "modules", 0, "name", "track"), "plan.modules[0].name", "not in the instance"),
    "module twice": (edit("plan", "modules", 1, "name", "detect"), "plan.modules[1].name", "listed twice"),
    "module missing": (drop("plan", "modules", 1), "plan.modules", "'classify' is missing"),
    "rate without unit": (edit(*ALLOCATION, "partial", 1), "plan.modules[0].allocations[0].partial", "unknown field"),
    "half a machine": (edit(*ALLOCATION, "machines", 0.5), "plan.modules[0].allocations[0].machines", "whole number"),
    "zero batch": (edit(*ALLOCATION, "batch", 0), "plan.modules[0].allocations[0].batch", "from 1"),
    "missing rate": (drop(*ALLOCATION, "partial_rps"), "plan.modules[0].allocations[0].partial_rps", "is missing"),
    "plan as text": (edit("plan", "none"), "plan", "must be an object"),
    "no fraction": (edit("plan", "modules", 0, "exact_dummy_rps", "0.5"), EXACT_DUMMY, "must be a fraction"),
    "another fraction": (edit("plan", "modules", 0, "exact_dummy_rps", "1/3"), EXACT_DUMMY, "but dummy_rps is 0"),
}
