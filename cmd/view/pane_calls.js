/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with who called a function, and whom it called. */
"use strict";
function paneCalls(v, go) {
   const { make, many } = kit,
      { data } = v;
   const group = (keys, others) => {
      const found = new Map();
      keys.forEach((f, k) =>
         found.has(f) ? found.get(f).push([others[k], data.cCount[k]]) : found.set(f, [[others[k], data.cCount[k]]])
      );
      return found;
   };
   const callees = group(data.cFrom, data.cTo),
      callers = group(data.cTo, data.cFrom);
   const name = f => v.text(data.fName[f]);
   const link = f => (data.fRow[f] >= 0 ? go.link({ pane: "calls", fn: data.rNode[data.fRow[f]] }) : "#");

   function table(f, which, label) {
      const rows = (which.get(f) || []).slice(),
         all = rows.reduce((s, r) => s + Number(r[1]), 0);
      const trace = v.hasTrace
         ? [
              {
                 name: "with calls",
                 title: "instructions of the function with what it called, of all its calls",
                 number: true,
                 value: r => data.fInclusive[r[0]],
                 text: r => v.count(data.fInclusive[r[0]])
              }
           ]
         : [];
      return make(
         "section",
         { class: "half" },
         make("h2", {}, label + ": " + many(rows.length, "function")),
         viewTable(
            [
               {
                  name: "share",
                  number: true,
                  value: r => r[1],
                  text: r => v.share(r[1], all),
                  share: r => Number(r[1]) / all
               },
               { name: "calls", number: true, value: r => r[1], text: r => v.count(r[1]) },
               {
                  name: "instructions",
                  title: "executed in the function itself",
                  number: true,
                  value: r => data.fSelf[r[0]],
                  text: r => v.count(data.fSelf[r[0]])
               },
               ...trace,
               { name: "function", value: r => name(r[0]), link: r => link(r[0]) },
               { name: "image", value: r => data.images[data.fImage[r[0]]].name }
            ],
            rows,
            {
               label: label,
               sort: 1,
               open: r => {
                  location.hash = link(r[0]);
               }
            }
         ).element
      );
   }

   return {
      id: "calls",
      name: "Callers, callees",
      ofFunction: true,
      show(row) {
         const f = data.rFunction[row];
         if (f < 0)
            return make("p", { class: "soft" }, "This code belongs to no function: it is a stub of a linkage table.");
         return make("div", { class: "two" }, table(f, callers, "Callers"), table(f, callees, "Callees"));
      }
   };
}
