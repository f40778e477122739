/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with stacks of calls, as a flame graph: a box is as wide as the instructions that were executed in it and above it. */
"use strict";
function paneFlame(v, go) {
   const { make, count } = kit,
      { data } = v;
   const HEIGHT = 19,
      LEAST = 0.8; // pixels: of a box; the width of the narrowest
   let words = "";

   /* Children of each stack, the widest first; and where each begins, in instructions from its root's left. */
   const n = data.sName.length,
      children = Array.from({ length: n }, () => []),
      from = new Float64Array(n),
      total = Float64Array.from(data.sTotal, Number);
   for (let i = 1; i < n; i++) children[data.sParent[i]].push(i);
   for (let i = 0; i < n; i++) {
      let at = from[i];
      children[i].sort((a, b) => total[b] - total[a]);
      for (const c of children[i]) {
         from[c] = at;
         at += total[c];
      }
   }
   const name = i => v.text(data.sName[i]);
   const byName = new Map();
   for (let r = v.rows; r-- > 0;) byName.set(v.name(r), r);
   const image = new Map();
   data.fName.forEach((t, f) => image.has(t) || image.set(t, data.fImage[f]));
   const hue = i => (image.has(data.sName[i]) ? image.get(data.sName[i]) % 6 : 6);

   function found(test) {
      const hit = new Uint8Array(n);
      let sum = 0,
         boxes = 0;
      const walk = (i, inside) => {
         const is = i > 0 && test(name(i));
         hit[i] = is ? 1 : 0;
         boxes += is;
         if (is && !inside) sum += total[i];
         for (const c of children[i]) todo.push([c, inside || is]);
      };
      const todo = [[0, false]];
      while (todo.length > 0) walk(...todo.pop());
      return { hit, sum, boxes };
   }

   function show(state) {
      const stage = make("div", { class: "flame", role: "tree", "aria-label": "Stacks of calls" }),
         told = make("span", { class: "soft", id: "told" });
      const back = make("button", { title: "all stacks (0)" }, "all"),
         about = make("p", { class: "about soft" }, "\u00a0");
      let root = 0,
         hits = null;

      function boxElement(i, depth, width) {
         const left = ((from[i] - from[root]) / total[root]) * width,
            w = (total[i] / total[root]) * width;
         const label =
            name(i) +
            ": " +
            v.count(data.sTotal[i]) +
            " instructions, " +
            v.share(data.sTotal[i], data.sTotal[0]) +
            "; itself " +
            v.count(data.sSelf[i]);
         const e = make(
            "button",
            {
               class: "box hue" + hue(i),
               role: "treeitem",
               "aria-level": depth + 1,
               "data-s": i,
               title: label,
               "aria-label": label
            },
            w > 30 ? name(i) : ""
         );
         e.style.left = Math.max(0, left) + "px";
         e.style.width = Math.max(LEAST, Math.min(width, w) - 1) + "px";
         e.style.top = depth * HEIGHT + "px";
         e.tabIndex = i === root ? 0 : -1;
         if (hits) e.classList.add(hits.hit[i] ? "hit" : "miss");
         return e;
      }

      function draw() {
         const width = stage.clientWidth || 1000,
            above = [],
            boxes = document.createDocumentFragment();
         for (let i = root; i > 0; i = data.sParent[i]) above.unshift(data.sParent[i]);
         above.forEach((i, depth) => {
            const e = boxElement(i, depth, width);
            e.style.left = "0px";
            e.style.width = width - 1 + "px";
            e.classList.add("above");
            e.textContent = name(i);
            boxes.append(e);
         });
         let deepest = above.length,
            narrow = 0;
         for (const todo = [[root, above.length]]; todo.length > 0;) {
            const [i, depth] = todo.pop();
            if ((total[i] / total[root]) * width < LEAST) {
               narrow++;
               continue;
            }
            deepest = Math.max(deepest, depth);
            boxes.append(boxElement(i, depth, width));
            children[i].forEach(c => todo.push([c, depth + 1]));
         }
         stage.replaceChildren(boxes);
         stage.style.height = (deepest + 1) * HEIGHT + "px";
         back.disabled = root === 0;
         told.textContent =
            (hits
               ? count(hits.boxes) +
                 " stacks match, with " +
                 v.share(hits.sum, data.sTotal[0]) +
                 " of all instructions. "
               : "") +
            (narrow + data.stacksLeft > 0 ? count(narrow + data.stacksLeft) + " too narrow to be drawn." : "");
      }

      function zoom(i) {
         root = i;
         draw();
         const e = stage.querySelector("[data-s='" + i + "']");
         if (e) e.focus({ preventScroll: true });
      }

      function apply() {
         const test = v.matcher(words);
         hits = words === "" ? null : found(test);
         draw();
      }

      stage.addEventListener("click", e => {
         const at = e.target.closest("[data-s]");
         if (at) zoom(+at.dataset.s);
      });
      stage.addEventListener("mouseover", e => {
         about.textContent = e.target.title || "\u00a0";
      });
      stage.addEventListener("focusin", e => {
         about.textContent = e.target.title || "\u00a0";
      });
      stage.addEventListener("keydown", e => {
         const at = +e.target.dataset.s,
            same = at > 0 ? children[data.sParent[at]] : [at];
         const to = {
            ArrowUp: at > 0 ? data.sParent[at] : undefined,
            ArrowDown: children[at][0],
            ArrowLeft: same[same.indexOf(at) - 1],
            ArrowRight: same[same.indexOf(at) + 1]
         }[e.key];
         const row = byName.get(name(at));
         if (e.key === "o" && row !== undefined) go.to({ pane: "graph", fn: data.rNode[row] });
         if (to === undefined) return;
         e.preventDefault();
         const there = stage.querySelector("[data-s='" + to + "']");
         if (there) there.focus();
         else zoom(to);
      });
      back.addEventListener("click", () => zoom(0));
      paneFlame.search = w => {
         words = w;
         apply();
      };
      paneFlame.fit = () => zoom(0);
      new ResizeObserver(draw).observe(stage);
      apply();
      return make(
         "div",
         { class: "full" },
         make(
            "p",
            { class: "bar-line" },
            back,
            " ",
            told,
            make("span", { class: "soft" }, " A click, or Enter, shows a box in full width; o opens its function.")
         ),
         about,
         make("div", { class: "scroll" }, stage)
      );
   }

   return { id: "flame", name: "Flame", show };
}
