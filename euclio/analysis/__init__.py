"""Results as figures and tables: functions of the results frame (`euclio.results.load`)."""
