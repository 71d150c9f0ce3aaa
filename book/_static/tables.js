/* Every table on a page can be linked to and downloaded; one of more than twelve rows can be sorted and filtered. Of a
   long one the first rows are shown, and the others on request (every_page.py).
   A table that is too wide takes the free margin, then smaller letters; then its column groups become rows or, on a
   phone, its rows cards. The tables are plain HTML (compendium/tables.py): without this script only the
   further rows of long ones cannot be read. */
"use strict";
(() => {
  const LONG = 12;
  const phone = matchMedia("(max-width: 600px)"); // a window's innerWidth grows with what overflows it

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
    return columns.map(({ cell, group }) => ({ cell, group, name: group.join(", ") }));
  }

  /* Show the rows that wait in a template. */
  function complete(region, table) {
    const rest = table.tBodies[0].querySelector("template");
    if (!rest) return;
    rest.replaceWith(rest.content);
    region.previousElementSibling?.querySelector("button.all-rows")?.remove();
    dress(region, table);
    delete region.dataset.room;
    fit(region, table);
    fade(region);
  }

  function csv(table) {
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const names = headers(table).map(({ name }) => name);
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(value));
    return [names, ...rows].map((row) => row.map(quote).join(",")).join("\r\n") + "\r\n";
  }

  function download(region, table, name) {
    complete(region, table);
    const address = URL.createObjectURL(new Blob(["\ufeff", csv(table)], { type: "text/csv" }));
    element("a", { href: address, download: `${name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  function sortBy(table, place, header) {
    complete(table.closest(".table-scroll"), table);
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
    if (table.tHead.querySelector("button.sort")) return;
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
      complete(table.closest(".table-scroll"), table);
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of table.tBodies[0].rows) {
        row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      }
    });
    return input;
  }

  /* Groups of columns that have the same parts, such as "rate" and "size", each published and reproduced. */
  function groupsOf(columns) {
    const groups = new Map();
    for (const { group } of columns) {
      if (group.length > 1) groups.set(group[0], [...(groups.get(group[0]) ?? []), group[1]]);
    }
    const parts = [...groups.values()][0];
    return [...groups.values()].every((other) => other.join() === parts.join()) ? [...groups.keys()] : [];
  }

  /* One row for each group of columns instead of one with all of them. */
  function unfold(table) {
    const columns = headers(table);
    const groups = groupsOf(columns);
    if (groups.length < 2) return false;
    const own = [...columns.keys()].filter((place) => columns[place].group.length === 1);
    const of = (name) => [...columns.keys()].filter((place) => columns[place].group.length > 1 && columns[place].group[0] === name);
    const head = element("tr", {});
    const names = [...own.map((place) => columns[place].name), "quantity", ...of(groups[0]).map((place) => columns[place].group[1])];
    head.append(...names.map((name) => element("th", { scope: "col", textContent: name })));
    const waiting = table.tBodies[0].querySelector("template")?.content.children ?? [];
    for (const row of [...table.tBodies[0].rows, ...waiting]) {
      const cells = [...row.cells];
      const unfolded = groups.map((name) => {
        const copy = row.cloneNode();
        const quantity = element("td", { textContent: name });
        copy.append(...own.map((place) => cells[place].cloneNode(true)), quantity, ...of(name).map((place) => cells[place]));
        return copy;
      });
      row.replaceWith(...unfolded);
    }
    table.tHead.replaceChildren(head);
    return true;
  }

  /* Rows as cards: each cell says which column it belongs to; roles say what the layout no longer does. */
  function label(table) {
    const columns = headers(table);
    table.role = "table";
    for (const body of table.tBodies) body.role = "rowgroup";
    for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
      row.role = "row";
      for (const [place, cell] of [...row.cells].entries()) {
        const { group, name } = (cell.colSpan === 1 && columns[place]) || { group: [], name: "" };
        const first = group.length > 1 && columns[place - 1]?.group[0] !== group[0];
        cell.role = cell.tagName === "TH" ? "rowheader" : "cell";
        cell.dataset.label = group.length > 1 && !first ? group[1] : name;
        cell.classList.toggle("first", first);
      }
    }
    const parts = columns.filter(({ group }) => group.length > 1 && group[0] === groupsOf(columns)[0]).length;
    if (parts && parts <= 3) table.style.setProperty("--parts", parts);
  }

  const overflows = (region) => region.scrollWidth > region.clientWidth + 1;

  function fit(region, table) {
    const room = `${region.parentElement.clientWidth} ${phone.matches}`;
    if (!region.clientWidth || region.dataset.room === room) return;
    region.dataset.room = room;
    region.classList.remove("cards", "tight", "breaks");
    if (!overflows(region)) return;
    region.classList.add("full-width");
    if (overflows(region)) region.classList.add("tight");
    if (overflows(region) && !phone.matches && unfold(table)) {
      region.classList.remove("tight");
      dress(region, table);
      if (overflows(region)) region.classList.add("tight");
    }
    if (overflows(region)) region.classList.add("breaks");
    if (overflows(region)) {
      label(table);
      region.classList.add("cards");
    }
    fade(region);
  }

  /* The edge beyond which a table goes on fades. */
  function fade(region) {
    region.classList.toggle("more-below", region.scrollTop + region.clientHeight < region.scrollHeight - 2);
    region.classList.toggle("more-right", region.scrollLeft + region.clientWidth < region.scrollWidth - 2);
  }

  function dress(region, table) {
    const waiting = table.tBodies[0].querySelector("template") !== null;
    if (table.tBodies[0].rows.length > LONG && !waiting) region.classList.add("long");
    if (table.tBodies[0].rows.length > LONG || waiting) makeSortable(table);
  }

  function watch(region) {
    const table = region.querySelector("table");
    if (!table?.tHead || !table.tBodies.length) return;
    new ResizeObserver(() => fit(region, table)).observe(region.parentElement);
    region.addEventListener("scroll", () => fade(region), { passive: true });
    fit(region, table);
    fade(region);
  }

  function enhance(region) {
    const table = region.querySelector("table");
    if (!table?.tHead || !table.tBodies.length) return;
    const caption = region.getAttribute("aria-label") || "table";
    const tools = element("div", { className: "table-tools" });
    dress(region, table);
    const rest = table.tBodies[0].querySelector("template");
    if (rest) {
      const rows = table.tBodies[0].rows.length + rest.content.childElementCount;
      const all = element("button", { type: "button", className: "all-rows", textContent: `all ${rows} rows` });
      all.addEventListener("click", () => complete(region, table));
      tools.append(all);
    }
    const long = rest || table.tBodies[0].rows.length > LONG;
    if (long && !("filtered" in region.dataset)) tools.append(filterOf(table, caption));
    const save = element("button", { type: "button", textContent: "CSV" });
    save.setAttribute("aria-label", `CSV of: ${caption}`);
    save.addEventListener("click", () => download(region, table, region.id || "table"));
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
    addEventListener("beforeprint", () => {
      document.querySelectorAll(".table-scroll table").forEach((table) => complete(table.closest(".table-scroll"), table));
    });
    document.querySelectorAll(".table-scroll, .pst-scrollable-table-container").forEach((region) => {
      if (!region.parentElement.closest(".table-scroll")) watch(region);
    });
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    target?.scrollIntoView({ behavior: "instant" });
    addEventListener("load", () => target?.scrollIntoView({ behavior: "instant" })); // the tables above it have another height by now
  });
})();
