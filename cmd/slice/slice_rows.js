/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   All executions of a line, as dcfg why --table has them, and a filter as its --where.  CARD(i) is the number of instance i's card. */
"use strict";
function sliceRows(data, card) {
   const { make, count, many, base } = kit;
   const ROWS = 100; // at first, and more by each click
   const tables = new Map(data.tables.map(x => [x.file + ":" + x.line, x])),
      asked = new Map(); // conditions by line
   const OPERATORS = {
      "<": x => x < 0,
      "<=": x => x <= 0,
      ">": x => x > 0,
      ">=": x => x >= 0,
      "==": x => x === 0,
      "!=": x => x !== 0
   };

   /* ---- Values and conditions ------------------------------------------------ */

   const textOf = v => (Array.isArray(v) ? v[0] : v);

   /* The number that TEXT is: whole ones exactly; null if it is none. */
   function numberOf(text) {
      if (/^[-+]?\d+$/.test(text)) return BigInt(text);
      return text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);
   }

   /* Where the operator of TEXT is, and the operator; that of l->price is none. */
   function operatorIn(text) {
      for (let i = 0; i < text.length; i++) {
         if (text.startsWith("->", i)) i++;
         else if ("<>=!".includes(text[i])) return [i, text[i + 1] === "=" ? text.slice(i, i + 2) : text[i]];
      }
      return [-1, ""];
   }

   /* What TEXT asks of table X: { columns, holds, text, number }.  It throws a sentence if TEXT is no condition. */
   function readCondition(x, text) {
      const [at, operator] = operatorIn(text);
      if (at < 0 || !OPERATORS[operator]) throw "\u201c" + text.trim() + "\u201d is no condition: name < number, with < <= > >= == !=";
      const name = text.slice(0, at).trim(),
         value = text.slice(at + operator.length).trim();
      const columns = [name + " =", name].map(c => x.columns.indexOf(c)).filter(c => c >= 0),
         number = numberOf(value);
      if (columns.length === 0)
         throw "no value \u201c" + name + "\u201d; the line has " + Array.from(new Set(x.columns.map(c => c.replace(/ =$/, "")))).join(", ");
      if (number === null && "<>".includes(operator[0])) throw "\u201c" + value + "\u201d is no number";
      return { columns, holds: OPERATORS[operator], text: value, number };
   }

   /* Does condition C hold for execution I?  A name means what the line wrote, or else what it read. */
   function holds(x, c, i) {
      const v = c.columns.map(k => x.values[k][i]).find(v => v !== null);
      if (v === undefined) return false;
      if (c.number === null) return c.holds(textOf(v) === c.text ? 0 : 1);
      const n = Array.isArray(v) ? v[1] : numberOf(v);
      return n !== null && c.holds(n < c.number ? -1 : n > c.number ? 1 : 0);
   }

   function chosen(x, where) {
      const all = where.split("&&").filter(c => c.trim() !== "").map(c => readCondition(x, c));
      return Array.from(x.thread.keys()).filter(i => all.every(c => holds(x, c, i)));
   }

   /* ---- Elements ----------------------------------------------------------- */

   /* The columns of table X, first what the line wrote. */
   const columnsOf = x => [true, false].flatMap(w => x.columns.map((c, k) => (/ =$/.test(c) === w ? k : -1)).filter(k => k >= 0));

   const isNumber = text => numberOf(text) !== null;

   function rowElement(x, i, here) {
      const at = x.shown[i],
         e = make("tr", at >= 0 && card(at) === here ? { class: "chosen" } : {});
      e.append(make("td", { class: "n" }, at < 0 ? count(i) : make("a", { href: "#i" + at }, count(i))));
      if (data.threads > 1) e.append(make("td", { class: "n" }, data.threadNames[x.thread[i]] || String(x.thread[i])));
      columnsOf(x).forEach(k => {
         const v = x.values[k][i],
            text = v === null ? "" : textOf(v);
         e.append(make("td", { class: isNumber(text) ? "n code" : "code" }, text));
      });
      return e;
   }

   /* Put the rows of LIST from FROM on into BODY, at least to that of card HERE. */
   function addRows(body, x, list, from, here) {
      const to = Math.max(from + ROWS, list.findIndex(i => x.shown[i] >= 0 && card(x.shown[i]) === here) + 1);
      list.slice(from, to).forEach(i => body.append(rowElement(x, i, here)));
      if (list.length <= to) return;
      const more = make("button", {}, many(list.length - to, "more execution")),
         e = make("tr", {}, make("td", { colspan: 2 + x.columns.length }, more));
      more.addEventListener("click", () => {
         e.remove();
         addRows(body, x, list, to, here);
      });
      body.append(e);
   }

   /* The card of a line, of which card HERE is chosen; "" if it has no table. */
   function element(file, line, here) {
      const key = file + ":" + line,
         x = tables.get(key);
      if (!x || x.thread.length < 2) return "";
      const where = make("input", {
         type: "search",
         placeholder: "where: " + (x.columns[columnsOf(x)[0]] || "name").replace(/ =$/, "") + " < 0",
         "aria-label": "Only executions with such values",
         autocomplete: "off"
      });
      const said = make("span", { class: "soft", role: "status" }),
         body = make("tbody", {}),
         names = ["execution", ...(data.threads > 1 ? ["thread"] : []), ...columnsOf(x).map(k => x.columns[k])];
      const head = make("tr", {}, ...names.map(c => make("th", { scope: "col" }, c)));
      const fill = () => {
         asked.set(key, where.value);
         body.replaceChildren();
         try {
            const list = chosen(x, where.value);
            said.textContent = where.value.trim() === "" ? "" : count(list.length) + " of " + count(x.thread.length);
            where.removeAttribute("aria-invalid");
            addRows(body, x, list, 0, here);
         } catch (e) {
            if (typeof e !== "string") throw e;
            said.textContent = e;
            where.setAttribute("aria-invalid", "true");
         }
      };
      where.value = asked.get(key) || "";
      where.addEventListener("input", fill);
      fill();
      return make(
         "div",
         { class: "rows" },
         make("h2", {}, "All " + many(x.thread.length, "execution")),
         make("p", { class: "where" }, where, " ", said),
         make("div", { class: "frame", tabindex: 0 }, make("table", {}, make("thead", {}, head), body)),
         make(
            "p",
            { class: "soft" },
            "A name with = is what the line wrote, without it what it read. Linked executions are in the slice; " +
               base(data.files[file].name) + ":" + line + "#N names any."
         )
      );
   }

   /* Show the chosen row of the card E, which is in the document. */
   function showChosen(e) {
      const row = e.querySelector("tr.chosen"),
         frame = e.querySelector(".frame");
      if (row) frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
   }

   return { element, showChosen };
}
