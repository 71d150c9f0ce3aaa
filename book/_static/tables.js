/* Every table on a page can be linked to and downloaded; one of more than twelve rows can be sorted and filtered.
   The tables are plain HTML (compendium/tables.py) and can be read without this script. */
"use strict";
(() => {
  const LONG = 12;

  const element = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const value = (cell) => cell.dataset.value ?? cell.textContent.trim();
  const number = (text) => Number(text.replace(/[\s\u202f±]/g, "").replace("−", "-").replace(/[^\d.eE+-].*$/, "") || NaN);

  /* The header of each column: the last cell of the head that covers it. */
  function headers(table) {
    const covered = [];
    const columns = [];
    for (const [depth, row] of [...table.tHead.rows].entries()) {
      let place = 0;
      for (const cell of row.cells) {
        while (covered[place] > depth) place++;
        for (let i = 0; i < cell.colSpan; i++, place++) {
          const group = columns[place]?.group ?? [];
          columns[place] = { cell, group: [...group, cell.textContent.trim()] };
          covered[place] = depth + cell.rowSpan;
        }
      }
    }
    return columns.map(({ cell, group }) => ({ cell, name: group.join(", ") }));
  }

  function csv(table) {
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const names = headers(table).map(({ name }) => name);
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(value));
    return [names, ...rows].map((row) => row.map(quote).join(",")).join("\r\n") + "\r\n";
  }

  function download(table, name) {
    const address = URL.createObjectURL(new Blob(["\ufeff", csv(table)], { type: "text/csv" }));
    element("a", { href: address, download: `${name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  function sortBy(table, place, header) {
    const descending = header.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, text: value(row.cells[place]) }));
    const filled = rows.filter(({ text }) => text !== "–");
    const numeric = filled.every(({ text }) => !Number.isNaN(number(text)));
    filled.sort((a, b) => (numeric ? number(a.text) - number(b.text) : a.text.localeCompare(b.text, "en", { numeric: true })));
    if (descending) filled.reverse();
    table.tBodies[0].append(...[...filled, ...rows.filter(({ text }) => text === "–")].map(({ row }) => row));
  }

  function makeSortable(table) {
    headers(table).forEach(({ cell }, place) => {
      const button = element("button", { type: "button", className: "sort" });
      button.append(...cell.childNodes);
      button.addEventListener("click", () => sortBy(table, place, cell));
      cell.append(button);
    });
  }

  function filterOf(table, caption) {
    const input = element("input", { type: "search", placeholder: "filter rows" });
    input.setAttribute("aria-label", `filter rows: ${caption}`);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of table.tBodies[0].rows) {
        row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      }
    });
    return input;
  }

  function enhance(region) {
    const table = region.querySelector("table");
    if (!table?.tHead || !table.tBodies.length) return;
    const caption = region.getAttribute("aria-label") || "table";
    const tools = element("div", { className: "table-tools" });
    if (table.tBodies[0].rows.length > LONG) {
      region.classList.add("long");
      makeSortable(table);
      if (!("filtered" in region.dataset)) tools.append(filterOf(table, caption));
    }
    const save = element("button", { type: "button", textContent: "CSV" });
    save.setAttribute("aria-label", `CSV of: ${caption}`);
    save.addEventListener("click", () => download(table, region.id || "table"));
    tools.append(save);
    if (region.id) {
      const link = element("a", { href: `#${region.id}`, textContent: "#" });
      link.setAttribute("aria-label", `# link to: ${caption}`);
      tools.append(link);
    }
    region.before(tools);
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".table-scroll").forEach(enhance);
  });
})();
