/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A table that is sorted by its heads, of any number of rows: only those that are seen are elements. */
"use strict";
const ROW_HEIGHT = 26,
   PRINTED = 1000, // rows at most, on paper
   PHONE = matchMedia("(max-width: 40em)");

/* Return COLUMNS in the order for a narrow screen: the name, which stays while the others scroll, and then the share. */
function phoneOrder(columns) {
   const name = columns.find(c => c.main),
      share = columns.find(c => c.share);
   return [name, share, ...columns].filter((c, k, all) => c && all.indexOf(c) === k);
}

/* Return a table of ROWS, an array of anything, with COLUMNS: { name, title, number, main, code, fill, value(row),
   text(row), share(row), link(row), tone(row), picture(row) }.  The main column is the one that names the row.  One with
   .code has code; one with .fill is as wide as there is room.  A column with share() has a bar of that length, red if tone() is above 0 and blue if it is below.  picture()
   returns an element before the text.  OPTIONS has .open(row), which Enter and a click call; .label, the table's name;
   .sort, the name of the column to sort by; and .indent(row), the row's depth, for the main column. */
function viewTable(columns, rows, options) {
   const { make } = kit;
   if (PHONE.matches) columns = phoneOrder(columns);
   let sorted = rows.slice(), // all rows
      order = sorted, // those that are shown
      kept = () => true,
      by = columns.findIndex(c => c.name === options.sort),
      down = true,
      chosen = 0,
      first = -1,
      printing = false;
   const body = make("tbody", {}),
      head = make("tr", {}),
      table = make("table", { class: "grid", "aria-label": options.label, "aria-rowcount": rows.length + 1 });
   const box = make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": options.label });

   const kind = c => (c.number ? "n" : "t") + (c.main ? " main" : "") + (c.code ? " mono" : "") + (c.fill ? " fill" : "");

   function cell(c, row) {
      const td = make("td", { class: kind(c) });
      let words = c.text ? c.text(row) : String(c.value(row));
      if (PHONE.matches && c.main && words.length > 22) words = words.slice(0, 8) + "\u2026" + words.slice(-13);
      if (c.share) {
         const bar = make("i", { class: "bar" });
         bar.style.width = Math.max(0, Math.min(100, 100 * c.share(row))).toFixed(1) + "%";
         td.classList.add("share");
         td.append(bar);
      }
      if (c.tone && c.tone(row) !== 0) td.classList.add(c.tone(row) > 0 ? "plus" : "minus");
      if (c.picture) td.append(c.picture(row));
      if (options.indent && c.main)
         td.style.paddingLeft = 8 + 18 * options.indent(row) + "px";
      const href = c.link && c.link(row);
      td.append(href ? make("a", { href: href, tabindex: -1 }, words) : make("span", {}, words));
      if (words.length > 30 || c.main) td.title = c.main ? String(c.value(row)) : words;
      return td;
   }

   function draw() {
      const height = box.clientHeight || 600,
         from = printing ? 0 : Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - 10);
      const to = Math.min(order.length, from + (printing ? PRINTED : Math.ceil(height / ROW_HEIGHT) + 20));
      if (from === first && body.children.length === to - from + 2) return;
      first = from;
      const above = make("tr", { class: "space", "aria-hidden": "true" }),
         below = make("tr", { class: "space", "aria-hidden": "true" });
      above.style.height = from * ROW_HEIGHT + "px";
      below.style.height = (printing ? 0 : (order.length - to) * ROW_HEIGHT) + "px";
      body.replaceChildren(
         above,
         ...order.slice(from, to).map((row, k) => {
            const tr = make(
               "tr",
               { "aria-rowindex": from + k + 2, "data-k": from + k },
               ...columns.map(c => cell(c, row))
            );
            if (from + k === chosen) tr.classList.add("chosen");
            return tr;
         }),
         below
      );
   }

   function redraw() {
      first = -1;
      draw();
   }

   function choose(k) {
      chosen = Math.max(0, Math.min(order.length - 1, k));
      const top = chosen * ROW_HEIGHT,
         height = box.clientHeight - 2 * ROW_HEIGHT;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top > box.scrollTop + height) box.scrollTop = top - height;
      redraw();
      if (order.length > 0)
         kit.say(columns.map(c => (c.text ? c.text(order[chosen]) : c.value(order[chosen]))).join(", "));
   }

   function sort(k) {
      down = by === k ? !down : columns[k].number;
      by = k;
      arrange();
      order = sorted.filter(kept);
      chosen = 0;
      box.scrollTop = 0;
      redraw();
   }

   function arrange() {
      heads.forEach((h, i) => h.setAttribute("aria-sort", i !== by ? "none" : down ? "descending" : "ascending"));
      if (by < 0) return;
      const value = columns[by].value,
         sign = down ? -1 : 1,
         keys = new Map(sorted.map(r => [r, value(r)]));
      sorted.sort((a, b) => {
         const x = keys.get(a),
            y = keys.get(b);
         return sign * (columns[by].number ? Number(x) - Number(y) || 0 : x < y ? -1 : x > y ? 1 : 0);
      });
   }

   const heads = columns.map((c, k) => {
      const button = make("button", { title: c.title || "" }, c.name);
      button.addEventListener("click", () => options.indent || sort(k));
      button.disabled = options.indent !== undefined;
      return make("th", { scope: "col", class: kind(c) }, button);
   });
   head.append(...heads);
   table.append(make("thead", {}, head), body);
   box.append(table);
   box.addEventListener("scroll", draw);
   box.addEventListener("keydown", e => {
      const page = Math.floor(box.clientHeight / ROW_HEIGHT) - 2;
      const to = {
         ArrowDown: chosen + 1,
         ArrowUp: chosen - 1,
         PageDown: chosen + page,
         PageUp: chosen - page,
         Home: 0,
         End: order.length - 1
      }[e.key];
      if (e.target !== box || (to === undefined && e.key !== "Enter")) return;
      e.preventDefault();
      if (to !== undefined) choose(to);
      else if (options.open && order.length > 0) options.open(order[chosen]);
   });
   body.addEventListener("click", e => {
      const tr = e.target.closest("tr[data-k]");
      if (!tr || e.target.closest("a") || !getSelection().isCollapsed) return;
      chosen = +tr.dataset.k;
      redraw();
      if (options.open) options.open(order[chosen]);
   });
   arrange();
   redraw();
   new ResizeObserver(redraw).observe(box);
   window.addEventListener("beforeprint", () => {
      printing = box.isConnected;
      redraw();
   });
   window.addEventListener("afterprint", () => {
      printing = false;
      redraw();
   });

   return {
      element: box,
      focus: () => box.focus(),
      rows: () => order,
      filter(keep) {
         kept = keep;
         order = sorted.filter(keep);
         chosen = 0;
         box.scrollTop = 0;
         table.setAttribute("aria-rowcount", order.length + 1);
         redraw();
         return order.length;
      }
   };
}
