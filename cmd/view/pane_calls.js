/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with who called a function, and whom it called. */
"use strict";
function paneCalls(v, go) {
   const { make, many } = kit,
      { data } = v;
   /* Return by function of KEYS the indices of its calls. */
   const group = keys => {
      const found = new Map();
      keys.forEach((f, k) => (found.has(f) ? found.get(f).push(k) : found.set(f, [k])));
      return found;
   };
   let byCaller = null,
      byCallee = null;

   /* Return the calls that function F makes, or those of F: [{ of, other, calls, cost }]. */
   const rowsOf = (others, found, f) =>
      (found.get(f) || []).map(k => ({ of: f, other: others[k], calls: data.cCount[k], cost: v.hasCosts ? data.cCost[k] : 0 }));
   const callees = f => rowsOf(data.cTo, (byCaller = byCaller || group(data.cFrom)), f),
      callers = f => rowsOf(data.cFrom, (byCallee = byCallee || group(data.cTo)), f);
   /* What a pair weighs: the instructions of its calls, or if they are not known, the calls. */
   const weight = r => Number(v.hasCosts ? r.cost : r.calls);

   const old = new Map();
   if (v.hasOld) data.oFrom.forEach((f, k) => old.set(f + "," + data.oTo[k], v.hasCosts ? data.oCost[k] : data.oCount[k]));
   const name = f => v.text(v.called.name[f]),
      short = f => v.short(v.called.name[f]);
   const link = f => (v.called.row[f] >= 0 ? go.link({ pane: "calls", fn: data.rNode[v.called.row[f]] }) : null);
   const source = f => (v.called.row[f] >= 0 ? v.text(data.rSource[v.called.row[f]]) : "");
   const image = f => (v.called.image[f] >= 0 ? data.images[v.called.image[f]].name : "");

   /* Return what the older run has for the pair of R; -1: nothing.  A part of a function has no counterpart. */
   function before(which, r) {
      const ends = [r.other, r.of].map(f => (v.hasCosts ? data.kFunction[f] : f));
      if (ends.some(f => f < 0)) return null;
      return old.get((which === callers ? ends : ends.reverse()).join(",")) ?? -1;
   }

   const number = (name, of, title) => ({ name, title: title || "", number: true, value: of, text: r => v.count(of(r)) });
   const part = (name, of, all, title) => ({
      name,
      title,
      number: true,
      value: of,
      text: r => v.share(of(r), all),
      share: r => (Number(all) > 0 ? Number(of(r)) / Number(all) : 0)
   });

   /* The columns of costs, or without them, of calls. */
   function columns(f, rows, which) {
      const me = which === callers ? "callee" : "caller";
      if (!v.hasCosts) {
         const all = rows.reduce((s, r) => s + Number(r.calls), 0);
         return [part("share", r => r.calls, all, "of calls"), number("calls", r => r.calls)];
      }
      return [
         part("share", r => r.cost, data.instrs, "of the process's instructions"),
         part("of " + me, r => r.cost, v.called.inclusive[f], "share of what the " + me + " cost with all that it called"),
         number("calls", r => r.calls),
         number("instructions", r => r.cost, "executed during these calls, each once")
      ];
   }

   function table(f, which) {
      const rows = which(f).sort((a, b) => weight(b) - weight(a) || Number(b.calls) - Number(a.calls)),
         label = which === callers ? "Callers" : "Callees";
      return make(
         "section",
         { class: "half" },
         make("h2", {}, label + ": " + many(rows.length, "function")),
         viewTable(
            [
               ...columns(f, rows, which),
               ...v
                  .deltaColumn(
                     r => (v.hasCosts ? r.cost : r.calls),
                     r => before(which, r) ?? -1
                  )
                  .map(c =>
                     Object.assign({}, c, {
                        title: (v.hasCosts ? "instructions" : "calls") + " more than in the older run, or less",
                        text: r => (before(which, r) === null ? "" : c.text(r))
                     })
                  ),
               { name: which === callers ? "caller" : "callee", main: true, value: r => name(r.other), text: r => short(r.other), link: r => link(r.other) },
               { name: "source", value: r => source(r.other) },
               { name: "image", value: r => image(r.other) }
            ],
            rows,
            { label, sort: v.hasCosts ? "instructions" : "calls", open: r => link(r.other) && (location.hash = link(r.other)) }
         ).element
      );
   }

   /* The picture has two levels of callers and two of callees in columns: of each level, the MOST functions with the most
      expensive calls. */
   const MOST = 6,
      WIDTH = 190,
      HEIGHT = v.hasCosts ? 36 : 24,
      STEP = HEIGHT + 6,
      ACROSS = 250;

   /* Return the next level behind LEVEL: its functions, and the calls between both, [function of LEVEL, other, pair]. */
   function nextLevel(level, which, seen) {
      const sums = new Map(),
         edges = [];
      for (const f of level)
         for (const r of which(f)) {
            edges.push([f, r.other, r]);
            if (!seen.has(r.other)) sums.set(r.other, (sums.get(r.other) || 0) + weight(r));
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
            next.edges.forEach(([g, h, r]) =>
               edges.set(step < 0 ? h + "," + g : g + "," + h, step < 0 ? [h, g, r] : [g, h, r])
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
      const most = Math.max(1, ...Array.from(edges.values(), e => weight(e[2])));
      edges.forEach(([g, h, r]) => {
         if (!at.has(g) || !at.has(h) || at.get(g)[0] + 1 !== at.get(h)[0]) return;
         const [x, y] = place(g),
            [x2, y2] = place(h),
            middle = (x + WIDTH + x2) / 2;
         root.append(
            svg(
               "g",
               { class: "edge jump" },
               svg(
                  "title",
                  {},
                  name(g) + " calls " + name(h) + ": " + v.count(r.calls) + (v.hasCosts ? ", " + v.count(r.cost) + " instructions" : "")
               ),
               svg("path", {
                  d: "M" + [x + WIDTH, y + HEIGHT / 2] + "C" + [middle, y + HEIGHT / 2, middle, y2 + HEIGHT / 2, x2, y2 + HEIGHT / 2],
                  "stroke-width": (1 + (3 * weight(r)) / most).toFixed(2)
               })
            )
         );
      });
      at.forEach((where, g) => {
         const [x, y] = place(g),
            words = short(g).length > 27 ? short(g).slice(0, 26) + "\u2026" : short(g);
         const inside = svg(
            "g",
            { class: g === f ? "block this" : "block" },
            svg(
               "title",
               {},
               name(g) +
                  ": " +
                  v.count(v.called.self[g]) +
                  " instructions" +
                  (v.hasCosts ? "; " + v.count(v.called.inclusive[g]) + " with what it called" : "")
            ),
            svg("rect", { x: x, y: y, width: WIDTH, height: HEIGHT, rx: 3, class: "under" }),
            svg("rect", { x: x, y: y, width: WIDTH, height: HEIGHT, rx: 3, "fill-opacity": g === f ? 0.5 : 0.08 }),
            svg("text", { x: x + 6, y: y + 15 }, words),
            ...(v.hasCosts
               ? [
                    svg(
                       "text",
                       { x: x + 6, y: y + 29, class: "soft" },
                       v.share(v.called.inclusive[g], data.instrs) + ", itself " + v.share(v.called.self[g], data.instrs)
                    )
                 ]
               : [])
         );
         const href = g === f ? null : link(g);
         root.append(href ? svg("a", { href: href }, inside) : inside);
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
      const window = make("div", { class: "neighbours graph-look", tabindex: 0, role: "group", "aria-label": "Picture" }, root),
         [middle, top] = place(f);
      requestAnimationFrame(() => window.scrollTo(middle + WIDTH / 2 - window.clientWidth / 2, top + HEIGHT / 2 - window.clientHeight / 2));
      return window;
   }

   return {
      id: "calls",
      name: "Callers, callees",
      ofFunction: true,
      show(row) {
         const f = v.calledOf(row);
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
            ...(v.hasCosts
               ? []
               : [make("p", { class: "bar-line soft" }, "Nothing here tells what calls cost: valgrind --tool=dcfg --calls=yes records it.")]),
            make("div", { class: "two" }, table(f, callers), table(f, callees))
         );
      }
   };
}
