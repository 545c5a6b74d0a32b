"""PPipe's own models (appendix A): the printed MILP in PuLP, its CP-SAT twin, and the MILP taken literally."""
