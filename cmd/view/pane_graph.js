/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with a routine's graph, as Graphviz has laid it out, or a list of its blocks.  In the sketch of a graph that is
   too large, a node is a hot block, or a group: a whole loop, or the other blocks of a loop or of the function. */
"use strict";
function paneGraph(v, go) {
   const { make, svg, count, many } = kit,
      { data } = v;
   const FRAME = 9,
      TOP = 13,
      LINE = 14;
   const graphs = new Map(data.graphs.map(g => [g[0], g]));

   const rounded = x => {
      const n = Number(x),
         unit = n >= 1e12 ? [1e12, "T"] : n >= 1e9 ? [1e9, "G"] : n >= 1e6 ? [1e6, "M"] : n >= 1e4 ? [1e3, "k"] : null;
      return unit ? (n / unit[0]).toFixed(1) + unit[1] : n.toLocaleString("en-US", { maximumFractionDigits: 1 });
   };

   /* Return whether the edge from block B to block TO is a back edge: TO is the head of a loop that has B. */
   function isBack(b, to) {
      for (let l = data.bLoop[b]; l >= 0; l = data.lParent[l]) if (data.lHead[l] === to) return true;
      return false;
   }

   /* The weight that shades block B: its instructions, or with an older run, the change of these. */
   const weight = b =>
      v.hasOld ? Math.abs(Number(v.changeOf(b))) : v.instrsOf(b);

   /* Return the nodes of graph G of ROW.  .groups has by leading block a group: { loop, whole, blocks, instrs, change, first,
      hottest }.  .of has by block the node that it is in, a block. */
   function nodesOf(row, g) {
      const groups = new Map(),
         byLoop = new Map(),
         framed = new Set(),
         of = new Map(),
         leaders = g[5] || [];
      for (let k = 0; k < leaders.length; k += 2) {
         groups.set(leaders[k], { loop: leaders[k + 1], blocks: [], instrs: 0, change: 0, hottest: leaders[k] });
         byLoop.set(leaders[k + 1], leaders[k]);
      }
      for (let k = 0; k < g[3].length; k += 5) {
         const b = g[3][k];
         if (groups.has(b)) continue;
         of.set(b, b);
         for (let l = data.bLoop[b]; l >= 0; l = data.lParent[l]) if (data.lRow[l] === row) framed.add(l);
      }
      /* The innermost framed loop around a block, or else the outermost that is a group, has it. */
      for (let b = data.rFirst[row]; b < data.rFirst[row + 1]; b++) {
         if (of.has(b)) continue;
         let found;
         for (let l = data.bLoop[b]; l >= 0; l = data.lParent[l]) {
            if (framed.has(l)) {
               found = found ?? l;
               break;
            }
            if (byLoop.has(l)) found = l;
         }
         const lead = byLoop.get(found ?? -1),
            group = groups.get(lead);
         if (!group) continue;
         of.set(b, lead);
         group.blocks.push(b);
         group.instrs += v.instrsOf(b);
         if (v.hasOld) group.change += Number(v.changeOf(b));
         if (v.instrsOf(b) > v.instrsOf(group.hottest)) group.hottest = b;
      }
      groups.forEach(x => {
         x.whole = x.loop >= 0 && !framed.has(x.loop);
      });
      return { groups, of };
   }

   /* Return the edges of ROW between NODES, lists by "tail,head": { type, count, old, back }.  In a list, edges between groups
      are added up.  An edge past a call has the count of the call. */
   function edgesOf(row, nodes) {
      const found = new Map();
      for (let b = data.rFirst[row]; b < data.rFirst[row + 1]; b++)
         for (const e of v.edgesOf(b, true)) {
            const tail = nodes.of.get(b),
               head = nodes.of.get(e.to);
            if (!v.isLocal(e) || v.rowOf[e.to] !== row || (tail === head && nodes.groups.has(tail))) continue;
            const past = /BYPASS$/.test(e.type) && Number(e.count) === 0,
               key = tail + "," + head,
               list = found.get(key) || [];
            const edge = { type: e.type, count: past ? callsOf(b) : e.count, old: e.old, back: isBack(b, e.to) };
            if (list.length > 0 && nodes.groups.size > 0) add(list[0], edge);
            else list.push(edge);
            found.set(key, list);
         }
      return found;
   }
   const callsOf = b =>
      v
         .edgesOf(b)
         .filter(x => v.isCall(x) || /^(CONTEXT_CHANGE|SYSTEM_CALL)$/.test(x.type))
         .reduce((s, x) => s + Number(x.count), 0);
   function add(sum, e) {
      sum.count = Number(sum.count) + Number(e.count);
      sum.old = Math.max(0, Number(sum.old)) + Math.max(0, Number(e.old));
      sum.back = sum.back && e.back;
      if (sum.type !== e.type) sum.type = "SEVERAL";
   }

   const textOf = (x, y, words, room, more) =>
      svg(
         "text",
         Object.assign({ x: x, y: y }, more),
         words.length > room ? words.slice(0, room - 1) + "\u2026" : words
      );

   function boxElement(b, x, y, w, h, most) {
      const heat = most > 0 ? weight(b) / most : 0,
         room = Math.floor((w - 8) / 6.6),
         lines = [];
      const runs = v.count(data.bRuns[b]),
         left = x - w / 2 + 6,
         calls = v.calledBy(b);
      lines.push(
         v.blockPlace(b),
         runs + " \u00d7 " + data.bInstrs[b] + " \u00b7 " + v.share(v.instrsOf(b), data.rSelf[v.rowOf[b]])
      );
      if (v.hasOld) lines.push("B \u2212 A " + (Number(data.bOld[b]) < 0 ? "new" : v.signed(v.changeOf(b))));
      if (calls.length > 0)
         lines.push("\u2192 " + v.name(calls[0].row) + (calls.length > 1 ? " +" + (calls.length - 1) : ""));
      else if (v.edgesOf(b).some(e => e.type === "RETURN")) lines.push("return");
      const g = svg("g", {
         class: "block" + v.toneOf(b),
         tabindex: 0,
         role: "button",
         "data-b": b
      });
      g.append(
         svg(
            "title",
            {},
            "block " +
               data.bId[b] +
               " at 0x" +
               v.address(b).toString(16) +
               ": " +
               runs +
               " executions, " +
               count(v.instrsOf(b)) +
               " instructions" +
               (v.hasOld
                  ? "; B \u2212 A " +
                    v.signed(v.delta(data.bRuns[b], data.bOld[b])) +
                    " executions, " +
                    v.signed(v.changeOf(b)) +
                    " instructions"
                  : "")
         ),
         svg("rect", {
            x: x - w / 2,
            y: y - h / 2,
            width: w,
            height: h,
            rx: 3,
            "fill-opacity": (0.06 + 0.7 * heat).toFixed(3)
         }),
         ...lines.map((t, k) => textOf(left, y - h / 2 + 14 + k * LINE, t, room, k === 0 ? { class: "first" } : {}))
      );
      return g;
   }

   /* Return the box of group X, led by block B. */
   function groupElement(b, x, at, most, row) {
      const [left, top, w, h] = [at[0] - at[2] / 2, at[1] - at[3] / 2, at[2], at[3]],
         room = Math.floor((w - 8) / 6.6),
         share = v.share(x.instrs, data.rSelf[row]);
      const lines = x.whole
         ? [
              "loop " + (data.lHead[x.loop] >= 0 ? v.blockPlace(data.lHead[x.loop]) : ""),
              rounded(data.lIterations[x.loop]) + " times \u00b7 " + many(x.blocks.length, "block") + " \u00b7 " + share
           ]
         : [many(x.blocks.length, "other block"), share + (v.hasOld ? " \u00b7 B \u2212 A " + v.signed(x.change) : "")];
      const heat = most > 0 ? (v.hasOld ? Math.abs(x.change) : x.instrs) / most : 0;
      return svg(
         "g",
         { class: "block group", tabindex: 0, role: "button", "data-b": b },
         svg(
            "title",
            {},
            (x.whole ? "a loop of " : "") +
               many(x.blocks.length, "block") +
               ": " +
               count(x.instrs) +
               " instructions" +
               (x.whole
                  ? ", with inner loops " +
                    v.count(data.lInstrs[x.loop]) +
                    "; " +
                    v.count(data.lIterations[x.loop]) +
                    " iterations, " +
                    v.count(data.lEntries[x.loop]) +
                    " entries"
                  : "")
         ),
         svg("rect", { x: left, y: top, width: w, height: h, rx: x.whole ? 10 : 3, "fill-opacity": (0.06 + 0.7 * Math.min(1, heat)).toFixed(3) }),
         ...lines.map((t, k) => textOf(left + 6, top + 14 + k * LINE, t, room, k === 0 ? { class: "first" } : {}))
      );
   }

   function frameElements(row, at, loopOf) {
      const deep = new Map(),
         boxes = new Map(),
         out = [];
      at.forEach(([x, y, w, h], b) => {
         for (let l = loopOf(b), d = 0; l >= 0; l = data.lParent[l], d++) {
            const box = boxes.get(l) || [Infinity, Infinity, -Infinity, -Infinity];
            boxes.set(l, [
               Math.min(box[0], x - w / 2),
               Math.min(box[1], y - h / 2),
               Math.max(box[2], x + w / 2),
               Math.max(box[3], y + h / 2)
            ]);
            deep.set(l, Math.max(deep.get(l) || 0, d));
         }
      });
      Array.from(boxes.keys())
         .sort((a, b) => deep.get(b) - deep.get(a))
         .forEach(l => {
            const m = FRAME * (1 + deep.get(l)),
               top = TOP * (1 + deep.get(l)) + 3,
               [x, y, x2, y2] = boxes.get(l),
               entries = Number(data.lEntries[l]);
            out.push(
               svg(
                  "g",
                  { class: "loop" },
                  svg(
                     "title",
                     {},
                     v.count(data.lIterations[l]) +
                        " iterations, " +
                        v.count(data.lEntries[l]) +
                        " entries, " +
                        v.count(data.lInstrs[l]) +
                        " instructions"
                  ),
                  svg("rect", { x: x - m, y: y - top, width: x2 - x + 2 * m, height: y2 - y + top + m, rx: 6 }),
                  svg(
                     "text",
                     { x: x - m + 4, y: y - top + 10 },
                     "loop " +
                        v.share(data.lInstrs[l], data.rSelf[row]) +
                        "  " +
                        (entries > 0 ? rounded(Number(data.lIterations[l]) / entries) + " per entry" : "")
                  )
               )
            );
         });
      return out;
   }

   /* Draw a dashed stub for the way of block B's branch that was never taken. */
   function neverElement(b, x, y, w, h) {
      const edges = v.edgesOf(b),
         end = v.codeFrom[b + 1] - 1;
      const taken = edges.some(e => /CONDITIONAL_BRANCH$/.test(e.type) && !/UNCONDITIONAL/.test(e.type)),
         falls = edges.some(e => e.type === "FALL_THROUGH");
      const branches = taken || (b + 1 < v.codeFrom.length && v.codeFrom[b] <= end && data.iBranch[end] === 1);
      if (!branches || taken === falls) return null;
      return svg(
         "g",
         { class: "never" },
         svg("title", {}, taken ? "control never fell through here" : "the branch was never taken"),
         svg("path", { d: "M" + (x + w / 2 - 14) + "," + (y + h / 2) + "v18" }),
         svg("text", { x: x + w / 2 - 10, y: y + h / 2 + 16 }, "never")
      );
   }

   /* Return edge E, which has the way POINTS, and its label at LX, LY.  RUNS: executions of its tail, if there are other edges
      from there; else 0. */
   function edgeElement(lx, ly, points, most, e, runs) {
      const p = points,
         n = Number(e.count),
         kind = e.back ? "back" : e.type === "FALL_THROUGH" ? "fall" : /BYPASS$/.test(e.type) ? "bypass" : "jump";
      let d = "M" + p[0] + "," + p[1];
      for (let k = 2; k + 5 < p.length; k += 6) d += "C" + p.slice(k, k + 6).join(",");
      const d2 = v.hasOld ? v.delta(e.count, e.old) : 0,
         tone = d2 > 0 ? " plus" : d2 < 0 ? " minus" : "";
      const g = svg("g", { class: "edge " + kind + tone });
      g.append(
         svg(
            "title",
            {},
            (e.type === "SEVERAL" ? "several edges" : e.type.toLowerCase().replace(/_/g, " ")) +
               ": " +
               v.count(e.count) +
               (e.tail === undefined ? "" : ", " + v.share(e.count, data.bRuns[e.tail]) + " of block " + data.bId[e.tail]) +
               (v.hasOld ? "; B \u2212 A " + v.signed(d2) : "")
         ),
         svg("path", {
            d: d,
            "stroke-width": (1 + 2.5 * (most > 0 ? n / most : 0)).toFixed(2),
            "marker-end": "url(#arrow-" + kind + ")"
         })
      );
      if (lx > 0 || ly > 0)
         g.append(
            svg(
               "text",
               { x: lx, y: ly + 4, "text-anchor": "middle" },
               rounded(e.count) + (runs > 0 ? " " + ((100 * n) / runs).toFixed(0) + "%" : "")
            )
         );
      return g;
   }

   function drawing(row, g) {
      const [, width, height, flat, lines] = g,
         at = new Map(),
         kinds = ["back", "fall", "bypass", "jump"];
      for (let k = 0; k < flat.length; k += 5) at.set(flat[k], flat.slice(k + 1, k + 5));
      const nodes = nodesOf(row, g),
         lists = edgesOf(row, nodes),
         ways = new Map(); // by node: its edges that were taken
      let hottest = 0,
         busiest = 0;
      at.forEach((box, b) => {
         if (!nodes.groups.has(b)) hottest = Math.max(hottest, weight(b));
      });
      lists.forEach((list, key) =>
         list.forEach(e => {
            const tail = Number(key.split(",")[0]);
            busiest = Math.max(busiest, Number(e.count));
            if (Number(e.count) > 0) ways.set(tail, (ways.get(tail) || 0) + 1);
            if (!nodes.groups.has(tail)) e.tail = tail;
         })
      );
      /* Return the edge of line K: lines between two nodes take them in turn. */
      const drawn = lines.map(([tail, head]) => {
         const list = lists.get(tail + "," + head) || [];
         return list.length > 1 ? list.shift() : list[0] || { type: "JUMP", count: 0, old: 0, back: false };
      });
      /* Return the block that an arrow key leads to: along the most frequent edge down or up, or to the next block aside. */
      function neighbour(b, key) {
         const aside = { ArrowLeft: -1, ArrowRight: 1 }[key],
            [x, y, , h] = at.get(b);
         if (key === "ArrowDown" || key === "ArrowUp") {
            const down = key === "ArrowDown";
            return lines
               .map((l, k) => [l[down ? 0 : 1], l[down ? 1 : 0], Number(drawn[k].count)])
               .filter(l => l[0] === b && l[1] !== b)
               .sort((p, q) => q[2] - p[2])
               .map(p => p[1])[0];
         }
         if (aside === undefined) return undefined;
         return Array.from(at.keys())
            .filter(o => (at.get(o)[0] - x) * aside > 0 && Math.abs(at.get(o)[1] - y) < h)
            .sort((p, q) => Math.abs(at.get(p)[0] - x) - Math.abs(at.get(q)[0] - x))[0];
      }
      const root = svg("svg", {
         viewBox: [-20, -20, width + 40, height + 40].join(" "),
         role: "group",
         "aria-label": "Graph of " + v.name(row)
      });
      root.append(
         svg(
            "defs",
            {},
            ...kinds.map(k =>
               svg(
                  "marker",
                  {
                     id: "arrow-" + k,
                     viewBox: "0 0 8 8",
                     refX: 0,
                     refY: 4,
                     markerWidth: 10,
                     markerHeight: 8,
                     markerUnits: "userSpaceOnUse",
                     orient: "auto",
                     class: "edge " + k
                  },
                  svg("path", { d: "M0,0L8,4L0,8z", class: "head" })
               )
            )
         )
      );
      const group = b => nodes.groups.get(b);
      root.append(
         ...frameElements(row, at, b => (!group(b) ? data.bLoop[b] : group(b).whole ? data.lParent[group(b).loop] : group(b).loop))
      );
      lines.forEach(([tail, , lx, ly, ...p], k) =>
         root.append(edgeElement(lx, ly, p, busiest, drawn[k], ways.get(tail) > 1 && !group(tail) ? Number(data.bRuns[tail]) : 0))
      );
      at.forEach((box, b) => {
         const never = group(b) ? null : neverElement(b, ...box);
         if (never) root.append(never);
      });
      at.forEach((box, b) => root.append(group(b) ? groupElement(b, group(b), box, hottest, row) : boxElement(b, ...box, hottest)));
      /* Return the block whose code a node opens. */
      const blockOf = b => (group(b) ? group(b).hottest : b);
      return { root, width: width + 40, height: height + 40, at, neighbour, blockOf, left: nodes.groups.size > 0 };
   }

   /* Return the window on drawing D, with zooming, moving and an overview. */
   function viewport(d) {
      const box = make("div", { class: "graph", tabindex: -1 }),
         small = d.root.cloneNode(true),
         frame = svg("rect", { class: "seen" });
      const over = make("div", { class: "overview", "aria-hidden": "true" });
      let scale = 1,
         x = 0,
         y = 0,
         drag = null;
      small.querySelectorAll("[tabindex]").forEach(e => {
         e.removeAttribute("tabindex");
         e.removeAttribute("role");
      });
      small.querySelectorAll("[id]").forEach(e => e.removeAttribute("id"));
      small.querySelectorAll("text, title").forEach(e => e.remove());
      small.append(frame);
      small.setAttribute("width", Math.max(40, Math.min(160, (160 * d.width) / d.height)));
      small.setAttribute("height", Math.min(160, (200 * d.height) / d.width));
      over.append(small);
      const show = () => {
         const w = box.clientWidth / scale,
            h = box.clientHeight / scale;
         d.root.setAttribute("viewBox", [x, y, w, h].join(" "));
         Object.entries({ x: x, y: y, width: w, height: h }).forEach(([k, n]) => frame.setAttribute(k, n));
         over.hidden = w >= d.width && h >= d.height;
      };
      const zoom = (by, cx, cy) => {
         const to = Math.max(0.05, Math.min(4, scale * by));
         x += cx / scale - cx / to;
         y += cy / scale - cy / to;
         scale = to;
         show();
      };
      /* Show all of the drawing.  If READABLE, as at first, keep the text legible and begin at the entry. */
      const fit = readable => {
         const whole = Math.min(1, box.clientWidth / d.width, box.clientHeight / d.height);
         scale = !readable || whole > 0.9 ? whole : Math.max(Math.min(1, box.clientWidth / d.width), 0.65);
         x = -20 - Math.max(0, (box.clientWidth / scale - d.width) / 2);
         y = -20;
         if (d.width > box.clientWidth / scale) x = Array.from(d.at.values())[0][0] - box.clientWidth / scale / 2;
         show();
      };
      box.append(d.root, over);
      box.addEventListener(
         "wheel",
         e => {
            const r = box.getBoundingClientRect();
            e.preventDefault();
            zoom(Math.exp(-e.deltaY / 400), e.clientX - r.left, e.clientY - r.top);
         },
         { passive: false }
      );
      box.addEventListener("pointerdown", e => {
         drag = [e.clientX, e.clientY, x, y];
      });
      window.addEventListener("pointermove", e => {
         if (!drag) return;
         x = drag[2] - (e.clientX - drag[0]) / scale;
         y = drag[3] - (e.clientY - drag[1]) / scale;
         show();
      });
      window.addEventListener("pointerup", () => {
         drag = null;
      });
      box.addEventListener("focusin", e => {
         const at = e.target.dataset && d.at.get(+e.target.dataset.b),
            w = box.clientWidth / scale,
            h = box.clientHeight / scale;
         if (at && (at[0] < x || at[0] > x + w || at[1] < y || at[1] > y + h)) {
            x = at[0] - w / 2;
            y = at[1] - h / 2;
            show();
         }
      });
      box.addEventListener("keydown", e => {
         const from = e.target.dataset && e.target.dataset.b !== undefined ? +e.target.dataset.b : -1,
            to = from >= 0 ? d.neighbour(from, e.key) : undefined;
         if (to !== undefined) {
            e.preventDefault();
            d.root.querySelector("[data-b='" + to + "']").focus();
            return;
         }
         const by = 60 / scale,
            move = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[e.key];
         if (move) {
            e.preventDefault();
            x += move[0];
            y += move[1];
            show();
         }
         if (e.key === "Enter" && e.target.dataset && e.target.dataset.b) open(e.target);
      });
      box.addEventListener("dblclick", e => {
         const g = e.target.closest("g.block");
         if (g) open(g);
      });
      function open(g) {
         const b = d.blockOf(+g.dataset.b);
         go.to({ pane: "code", fn: data.rNode[v.rowOf[b]], block: data.bId[b] });
      }
      paneGraph.zoom = by => zoom(by, box.clientWidth / 2, box.clientHeight / 2);
      paneGraph.fit = () => fit(false);
      new ResizeObserver(() => fit(true)).observe(box);
      return box;
   }

   function listing(row) {
      const all = Array.from({ length: data.rFirst[row + 1] - data.rFirst[row] }, (x, k) => data.rFirst[row] + k);
      return viewTable(
         [
            {
               name: "share",
               number: true,
               value: v.instrsOf,
               text: b => v.share(v.instrsOf(b), data.rSelf[row]),
               share: b => v.instrsOf(b) / Number(data.rSelf[row])
            },
            { name: "executions", number: true, value: b => data.bRuns[b], text: b => v.count(data.bRuns[b]) },
            ...v.deltaColumn(
               b => data.bRuns[b],
               b => data.bOld[b]
            ),
            { name: "instrs", number: true, value: b => data.bInstrs[b] },
            { name: "block", number: true, value: b => data.bId[b] },
            { name: "place", main: true, value: v.blockPlace },
            {
               name: "then",
               value: b =>
                  v
                     .edgesOf(b)
                     .slice(0, 4)
                     .map(
                        e =>
                           (e.to >= 0
                              ? v.isLocal(e)
                                 ? "block " + data.bId[e.to]
                                 : v.name(v.rowOf[e.to])
                              : e.type.toLowerCase()) +
                           " " +
                           v.share(e.count, data.bRuns[b])
                     )
                     .join(", ")
            }
         ],
         all,
         {
            label: "Blocks of " + v.name(row),
            sort: "share",
            open: b => go.to({ pane: "code", fn: data.rNode[row], block: data.bId[b] })
         }
      ).element;
   }

   return {
      id: "graph",
      name: "Graph",
      ofFunction: true,
      show(row) {
         const g = graphs.get(row);
         if (!g)
            return make(
               "div",
               { class: "full" },
               make(
                  "p",
                  { class: "bar-line soft" },
                  row < data.hot
                     ? "Graphviz did not draw it; its blocks, the hottest first:"
                     : "Not among the hottest functions, which are drawn (--graphs=N draws more); its blocks:"
               ),
               listing(row)
            );
         const tools = make("p", { class: "bar-line" });
         for (const [words, title, run] of [
            ["+", "larger (+)", () => paneGraph.zoom(1.25)],
            ["\u2212", "smaller (-)", () => paneGraph.zoom(0.8)],
            ["fit", "all of it (0)", () => paneGraph.fit()]
         ]) {
            const b = make("button", { title: title }, words);
            b.addEventListener("click", run);
            tools.append(b, " ");
         }
         tools.append(
            make(
               "span",
               { class: "legend" },
               make("i", { class: "key jump" }),
               "jump ",
               make("i", { class: "key fall" }),
               "falls through ",
               make("i", { class: "key back" }),
               "back to a loop's head ",
               make("i", { class: "key bypass" }),
               "past a call ",
               make("i", { class: "key never" }),
               "never taken"
            ),
            make("span", { class: "legend" }, v.hasOld ? "red: more instructions than in A; blue, dashed: fewer" : "Enter or a double click on a block shows its code")
         );
         const d = drawing(row, g),
            n = data.rFirst[row + 1] - data.rFirst[row];
         return make(
            "div",
            { class: "full" },
            ...(d.left
               ? [
                    make(
                       "p",
                       { class: "bar-line soft" },
                       "All " + count(n) + " blocks are too many to draw: these are the hottest ones and the loops; a box for other blocks has all of a loop, or of the function."
                    )
                 ]
               : []),
            tools,
            viewport(d)
         );
      }
   };
}
