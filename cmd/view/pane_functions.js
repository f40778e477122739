/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with the table of functions: routines of the graph. */
"use strict";
function paneFunctions(v, go) {
   const { make, count, many } = kit,
      { data } = v;
   let everything = false,
      words = "";
   /* Of a routine that begins a function, and was called; else 0. */
   const inclusive = r => (data.fRow[data.rFunction[r]] === r ? data.fInclusive[data.rFunction[r]] : 0);
   const known = (r, words) => (Number(inclusive(r)) > 0 ? words : "");

   function columns() {
      const trace = v.hasTrace
         ? [
              {
                 name: "inclusive",
                 title: "share with what it called",
                 number: true,
                 value: inclusive,
                 text: r => known(r, v.share(inclusive(r), data.instrs)),
                 share: r => Number(inclusive(r)) / v.total
              },
              {
                 name: "with calls",
                 title: "instructions with what it called",
                 number: true,
                 value: inclusive,
                 text: r => known(r, v.count(inclusive(r)))
              }
           ]
         : [];
      return [
         {
            name: "self",
            title: "share of the process's instructions",
            number: true,
            value: r => data.rSelf[r],
            text: r => v.share(data.rSelf[r], data.instrs),
            share: r => Number(data.rSelf[r]) / v.total
         },
         {
            name: "instructions",
            title: "executed in it",
            number: true,
            value: r => data.rSelf[r],
            text: r => v.count(data.rSelf[r])
         },
         ...trace,
         { name: "calls", number: true, value: r => data.rCalls[r], text: r => v.count(data.rCalls[r]) },
         {
            name: "loops",
            number: true,
            value: r => data.rLoops[r],
            text: r => (data.rLoops[r] > 0 ? count(data.rLoops[r]) : "")
         },
         { name: "function", value: r => v.name(r), link: r => go.link({ pane: "graph", fn: data.rNode[r] }) },
         ...(data.rSource.some(x => x > 0) ? [{ name: "source", value: r => v.text(data.rSource[r]) }] : []),
         { name: "image", value: r => data.images[data.rImage[r]].name }
      ];
   }

   const all = Array.from({ length: v.rows }, (x, r) => r),
      own = all.filter(v.isOwn);
   everything = own.length === 0;

   function show() {
      const table = viewTable(columns(), all, {
         label: "Functions",
         sort: 1,
         open: r => go.to({ pane: "graph", fn: data.rNode[r] })
      });
      const told = make("span", { class: "soft", id: "told" });
      const box = make("input", { type: "checkbox", id: "everything" });
      const apply = () => {
         const test = v.matcher(words);
         const n = table.filter(r => (everything || words !== "" || v.isOwn(r)) && (words === "" || test(v.name(r))));
         const rest = all.length - own.length,
            self = all.filter(r => !v.isOwn(r)).reduce((s, r) => s + Number(data.rSelf[r]), 0);
         told.textContent =
            words !== ""
               ? many(n, "function") + " found"
               : everything
                 ? many(n, "function")
                 : many(n, "function") +
                   " of the program; + " +
                   count(rest) +
                   " of libraries: " +
                   v.share(self, data.instrs);
      };
      box.checked = everything;
      box.addEventListener("change", () => {
         everything = box.checked;
         apply();
      });
      apply();
      paneFunctions.search = w => {
         words = w;
         apply();
      };
      paneFunctions.first = () => table.rows()[0];
      paneFunctions.focus = table.focus;
      return make(
         "div",
         { class: "full" },
         make("p", { class: "bar-line" }, make("label", {}, box, " libraries, too "), told),
         table.element
      );
   }

   return { id: "functions", name: "Functions", show, focus: () => paneFunctions.focus() };
}
