"use strict";
(() => {
  const text = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const EMPTY = new Set(["", "-", "\u2013", "\u2014", "\u2212"]);

  // A cell as what its column is sorted by; null: nothing to compare, which stands last in either direction.
  function keyOf(cell, numeric) {
    const shown = cell.textContent.trim();
    if (EMPTY.has(shown)) return null;
    if (!numeric) return shown;
    const plain = shown.replace(/\u2212/g, "-").replace(/(\d),(?=\d{3})/g, "$1");
    if (/^[+-]?\u221e/.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
    const number = Number.parseFloat(plain.replace(/^[^\d.+-]+/, ""));
    return Number.isNaN(number) ? null : number;
  }

  function compare(a, b) {
    if (typeof a === "string") return text.compare(a, b);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  // A click sorts upwards, the next one downwards, the third restores the order of the report.
  const AFTER = { none: "ascending", ascending: "descending", descending: "none" };

  function makeSortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    const original = [...body.rows];
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const order = AFTER[head.getAttribute("aria-sort") ?? "none"];
        for (const other of heads) other.removeAttribute("aria-sort");
        if (order === "none") return body.append(...original);
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const numeric = head.classList.contains("number");
        const keyed = original.map((row) => [keyOf(row.cells[column], numeric), row]);
        const full = keyed.filter(([key]) => key !== null).sort(([a], [b]) => sign * compare(a, b));
        const empty = keyed.filter(([key]) => key === null);
        body.append(...full.concat(empty).map(([, row]) => row));
      });
    });
  }

  // Rows that have all words of the box stay.
  function makeFilter(label, table) {
    const box = label.querySelector("input");
    const shown = label.querySelector("output");
    const rows = [...table.tBodies[0].rows].map((row) => [row.textContent.toLowerCase(), row]);
    label.hidden = false;
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/);
      let left = 0;
      for (const [content, row] of rows) {
        row.hidden = !words.every((word) => content.includes(word));
        left += row.hidden ? 0 : 1;
      }
      shown.textContent = left === rows.length ? "" : `${left} of ${rows.length} rows`;
    });
  }

  function makeThemeSwitch(label) {
    const root = document.documentElement;
    const choice = label.querySelector("select");
    choice.value = root.dataset.theme ?? "system";
    label.hidden = false;
    choice.addEventListener("change", () => {
      if (choice.value === "system") delete root.dataset.theme;
      else root.dataset.theme = choice.value;
      try {
        localStorage.setItem("euclio-theme", choice.value);
      } catch { /* the choice then lasts as long as the page */ }
    });
  }

  // A figure or table that is wider than the window can be reached and scrolled by keys, and says so to screen readers.
  function makeReachable(box) {
    const wider = box.scrollWidth > box.clientWidth + 1;
    const given = { tabindex: "0", role: "region", "aria-label": "scrolls sideways" };
    for (const [name, value] of Object.entries(given)) {
      if (wider) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }

  makeThemeSwitch(document.querySelector(".theme"));
  for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);
  for (const label of document.querySelectorAll(".filter")) makeFilter(label, label.parentElement.querySelector("table"));
  const resized = new ResizeObserver((seen) => seen.forEach((one) => makeReachable(one.target)));
  for (const box of document.querySelectorAll(".drawing, .scroll")) resized.observe(box);
})();
