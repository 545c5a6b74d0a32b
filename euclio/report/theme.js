// Runs before anything is painted, so that a remembered theme does not flash.
"use strict";
try {
  const theme = localStorage.getItem("euclio-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* a browser that keeps nothing shows the system's theme */ }
