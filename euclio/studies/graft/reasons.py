"""Why measured figures differ from the published ones, as far as the runs can say."""



def reasons(collected):
    return {}


def readings(collected):
    return {}
