"""euclio: the optimization research workbench for DNN inference serving."""
