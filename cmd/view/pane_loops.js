/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with loops, those inside below the one around them. */
"use strict";
function paneLoops(v, go) {
   const { make, count, many } = kit,
      { data } = v;
   const n = data.lHead.length,
      inner = Array.from({ length: n }, () => []),
      outer = [];
   for (let l = 0; l < n; l++) (data.lParent[l] >= 0 ? inner[data.lParent[l]] : outer).push(l);
   const heavy = (a, b) => Number(data.lInstrs[b]) - Number(data.lInstrs[a]);

   function nested() {
      const out = [],
         todo = outer
            .filter(l => Number(data.lIterations[l]) > 0)
            .sort(heavy)
            .reverse();
      while (todo.length > 0) {
         const l = todo.pop();
         out.push(l);
         todo.push(...inner[l].slice().sort(heavy).reverse());
      }
      return out;
   }

   const mean = l => (Number(data.lEntries[l]) > 0 ? Number(data.lIterations[l]) / Number(data.lEntries[l]) : 0);
   const place = l => (data.lHead[l] >= 0 ? v.blockPlace(data.lHead[l]) : "");
   const owner = l => (v.loopRow(l) >= 0 ? v.name(v.loopRow(l)) : "");

   /* Return how many entries of loop L had so many iterations: [["2-3", 10], ..]. */
   function bins(l) {
      const t = data.trips[l],
         out = [];
      for (let k = 2; k < t.length; k += 2) {
         const low = 2n ** BigInt(t[k]),
            high = 2n * low - 1n;
         out.push([
            low.toLocaleString("en-US") + (high > low ? "-" + high.toLocaleString("en-US") : ""),
            t[k + 1],
            t[k]
         ]);
      }
      return out;
   }
   const histogram = l =>
      bins(l)
         .map(b => b[0] + ": " + v.count(b[1]))
         .join("  ");

   /* Return the same as a picture of columns, from the fewest iterations on. */
   function columnsOf(l) {
      const all = bins(l),
         most = Math.max(1, ...all.map(b => Number(b[1]))),
         picture = make("span", { class: "columns-of", "aria-hidden": "true" });
      for (let k = all.length > 0 ? all[0][2] : 0, at = 0; at < all.length; k++) {
         const bar = make("i", {}),
            n = all[at][2] === k ? Number(all[at++][1]) : 0;
         bar.style.height = (n > 0 ? Math.max(8, (100 * n) / most) : 0).toFixed(0) + "%";
         picture.append(bar);
      }
      return picture;
   }

   function show(state) {
      const trace = v.hasTrips
         ? [
              {
                 name: "least",
                 title: "iterations of one entry",
                 number: true,
                 value: l => data.trips[l][0] ?? 0,
                 text: l => (data.trips[l].length > 0 ? v.count(data.trips[l][0]) : "")
              },
              {
                 name: "most",
                 title: "iterations of one entry",
                 number: true,
                 value: l => data.trips[l][1] ?? 0,
                 text: l => (data.trips[l].length > 0 ? v.count(data.trips[l][1]) : "")
              },
              { name: "iterations: entries", title: "how many entries had so many iterations", value: histogram, picture: columnsOf }
           ]
         : [];
      const all = nested(),
         own = all.filter(l => v.loopRow(l) >= 0 && v.isOwn(v.loopRow(l)));
      const box = make("input", { type: "checkbox" }),
         told = make("span", { class: "soft", id: "told" });
      const table = viewTable(
         [
            {
               name: "share",
               number: true,
               value: l => data.lInstrs[l],
               text: l => v.share(data.lInstrs[l], data.instrs),
               share: l => Number(data.lInstrs[l]) / v.total
            },
            {
               name: "head",
               main: true,
               value: place,
               link: l =>
                  data.lHead[l] >= 0
                     ? go.link({ pane: "code", fn: data.rNode[v.rowOf[data.lHead[l]]], block: data.bId[data.lHead[l]] })
                     : "#"
            },
            { name: "function", value: owner, text: l => (v.loopRow(l) >= 0 ? v.short(data.rName[v.loopRow(l)]) : "") },
            { name: "instructions", number: true, value: l => data.lInstrs[l], text: l => v.count(data.lInstrs[l]) },
            ...v.deltaColumn(
               l => data.lIterations[l],
               l => data.lOldIterations[l]
            ).map(c => Object.assign(c, { title: "iterations more than in the older run, or less" })),
            { name: "entries", number: true, value: l => data.lEntries[l], text: l => v.count(data.lEntries[l]) },
            {
               name: "iterations",
               number: true,
               value: l => data.lIterations[l],
               text: l => v.count(data.lIterations[l])
            },
            {
               name: "mean",
               title: "iterations per entry",
               number: true,
               value: mean,
               text: l => mean(l).toLocaleString("en-US", { maximumFractionDigits: 1 })
            },
            ...trace
         ],
         all,
         {
            label: "Loops",
            indent: l => data.lDepth[l] - 1,
            open: l => data.lHead[l] < 0 || go.to({ pane: "graph", fn: data.rNode[v.rowOf[data.lHead[l]]] })
         }
      );
      const chosen = new Set(own);
      const apply = words => {
         const test = v.matcher(words);
         const shown = table.filter(l =>
            words === "" ? box.checked || chosen.has(l) : test(owner(l)) || test(place(l))
         );
         told.textContent =
            many(shown, "loop") +
            (words !== "" ? " found" : box.checked ? "" : " of the program; + " + count(all.length - own.length) + " of libraries");
      };
      box.checked = state.libs ? state.libs === "1" : own.length === 0 || v.isFew;
      box.addEventListener("change", () => {
         go.keep({ libs: box.checked ? 1 : 0 });
         apply(kit.byId("words").value);
      });
      paneLoops.search = apply;
      apply(state.q || "");
      return make(
         "div",
         { class: "full" },
         make("p", { class: "bar-line" }, make("label", {}, box, " libraries, too "), told),
         table.element
      );
   }

   return { id: "loops", name: "Loops", show };
}
