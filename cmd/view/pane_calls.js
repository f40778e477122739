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
   const old = new Map();
   if (v.hasOld) data.oFrom.forEach((f, k) => old.set(f + "," + data.oTo[k], data.oCount[k]));
   const name = f => v.text(data.fName[f]);
   const link = f => (data.fRow[f] >= 0 ? go.link({ pane: "calls", fn: data.rNode[data.fRow[f]] }) : null);

   function table(f, which, label) {
      const rows = (which.get(f) || []).slice(),
         before = r => old.get(which === callers ? r[0] + "," + f : f + "," + r[0]) ?? -1,
         all = rows.reduce((s, r) => s + Number(r[1]), 0);
      const trace = v.hasInclusive
         ? [
              {
                 name: "with calls",
                 title: "instructions of the function with what it called, of all its calls",
                 number: true,
                 value: r => data.fInclusive[r[0]],
                 text: r => (Number(data.fInclusive[r[0]]) > 0 ? v.count(data.fInclusive[r[0]]) : "")
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
               ...v.deltaColumn(r => r[1], before),
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
               open: r => link(r[0]) && (location.hash = link(r[0]))
            }
         ).element
      );
   }

   /* The picture has two levels of callers and two of callees in columns: of each level, the MOST functions with most calls. */
   const MOST = 6,
      WIDTH = 190,
      HEIGHT = 24,
      STEP = 30,
      ACROSS = 250;

   /* Return the next level behind LEVEL: its functions, and the calls between both, [function of LEVEL, other, calls]. */
   function nextLevel(level, which, seen) {
      const sums = new Map(),
         edges = [];
      for (const f of level)
         for (const [other, n] of which.get(f) || []) {
            edges.push([f, other, n]);
            if (!seen.has(other)) sums.set(other, (sums.get(other) || 0) + Number(n));
         }
      const all = Array.from(sums)
         .sort((a, b) => b[1] - a[1])
         .map(x => x[0]);
      return { shown: all.slice(0, MOST), left: Math.max(0, all.length - MOST), edges };
   }

   function picture(f) {
      const { svg } = kit,
         at = new Map([[f, [2, 0]]]),
         columns = [[], [], [f], [], []],
         left = [0, 0, 0, 0, 0],
         edges = new Map();
      for (const [which, step] of [
         [callers, -1],
         [callees, 1]
      ]) {
         let level = [f];
         for (let depth = 1; depth <= 2; depth++) {
            const next = nextLevel(level, which, at);
            columns[2 + step * depth] = next.shown;
            left[2 + step * depth] = next.left;
            next.shown.forEach((g, k) => at.set(g, [2 + step * depth, k]));
            next.edges.forEach(([g, h, n]) =>
               edges.set(step < 0 ? h + "," + g : g + "," + h, step < 0 ? [h, g, n] : [g, h, n])
            );
            level = next.shown;
         }
      }
      const rows = Math.max(...columns.map(c => c.length)) + (left.some(n => n > 0) ? 1 : 0),
         first = columns.findIndex(c => c.length > 0),
         last = 4 - columns.slice().reverse().findIndex(c => c.length > 0);
      const place = g => {
         const [c, k] = at.get(g);
         return [(c - first) * ACROSS, (rows * STEP - columns[c].length * STEP) / 2 + k * STEP];
      };
      const box = [-4, -4, (last - first) * ACROSS + WIDTH + 8, rows * STEP + 8];
      const root = svg("svg", {
         viewBox: box.join(" "),
         width: box[2],
         height: box[3],
         role: "group",
         "aria-label": "Callers and callees of " + name(f) + ", two levels of each"
      });
      const most = Math.max(1, ...Array.from(edges.values(), e => Number(e[2])));
      edges.forEach(([g, h, n]) => {
         if (!at.has(g) || !at.has(h) || at.get(g)[0] + 1 !== at.get(h)[0]) return;
         const [x, y] = place(g),
            [x2, y2] = place(h),
            middle = (x + WIDTH + x2) / 2;
         root.append(
            svg(
               "g",
               { class: "edge jump" },
               svg("title", {}, name(g) + " calls " + name(h) + ": " + v.count(n)),
               svg("path", {
                  d: "M" + [x + WIDTH, y + HEIGHT / 2] + "C" + [middle, y + HEIGHT / 2, middle, y2 + HEIGHT / 2, x2, y2 + HEIGHT / 2],
                  "stroke-width": (1 + (3 * Number(n)) / most).toFixed(2)
               })
            )
         );
      });
      at.forEach((where, g) => {
         const [x, y] = place(g),
            words = name(g).length > 26 ? name(g).slice(0, 25) + "\u2026" : name(g);
         const inside = svg(
            "g",
            { class: g === f ? "block this" : "block" },
            svg("title", {}, name(g) + ": " + v.count(data.fSelf[g]) + " instructions"),
            svg("rect", { x: x, y: y, width: WIDTH, height: HEIGHT, rx: 3, class: "under" }),
            svg("rect", { x: x, y: y, width: WIDTH, height: HEIGHT, rx: 3, "fill-opacity": g === f ? 0.5 : 0.08 }),
            svg("text", { x: x + 6, y: y + 16 }, words)
         );
         const href = g === f ? null : link(g);
         root.append(href ? svg("a", { href: href, "aria-label": name(g) }, inside) : inside);
      });
      left.forEach((n, c) => {
         if (n > 0)
            root.append(
               svg(
                  "text",
                  { x: (c - first) * ACROSS + 6, y: (rows * STEP + columns[c].length * STEP) / 2 + 12, class: "soft" },
                  "and " + many(n, "other")
               )
            );
      });
      return make("div", { class: "neighbours graph-look", tabindex: 0, role: "group", "aria-label": "Picture" }, root);
   }

   return {
      id: "calls",
      name: "Callers, callees",
      ofFunction: true,
      show(row) {
         const f = data.rFunction[row];
         if (f < 0)
            return make(
               "p",
               { class: "bar-line soft" },
               "This code belongs to no function: it is a stub of a linkage table."
            );
         return make(
            "div",
            { class: "full" },
            picture(f),
            make("div", { class: "two" }, table(f, callers, "Callers"), table(f, callees, "Callees"))
         );
      }
   };
}
