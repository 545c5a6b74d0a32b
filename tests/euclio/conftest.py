"""Settings of the tests of `euclio`."""

# These take the list of solvers by name when they are imported. Verbs are imported when they are asked for, so a test
# that puts fake solvers into the registry could be the first to ask, and leave its fakes to the tests after it.
