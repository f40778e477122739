/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with stacks of calls, as a flame graph: a box is as wide as the instructions that were executed in it and above it. */
"use strict";
function paneFlame(v, go) {
   const { make, count } = kit,
      { data } = v;
   const HEIGHT = 19,
      LEAST = 0.8, // pixels: of a box; the width of the narrowest
      HUES = 6;

   const byName = new Map();
   for (let r = v.rows; r-- > 0;) byName.set(v.name(r), r);
   const image = new Map();
   data.fName.forEach((t, f) => image.has(t) || image.set(t, data.fImage[f]));
   const isInlined = name => v.text(name).endsWith("_[i]");
   const anyInlined = data.sName.some(isInlined);
   const hasOld = data.sOldTotal !== undefined;
   const threads = data.sThreads.length;

   /* Colours by image: each of the HUES images with most instructions has its own. */
   const hues = new Map(
      data.images
         .map((m, k) => [k, Number(m.instrs)])
         .sort((a, b) => b[1] - a[1])
         .slice(0, HUES)
         .map((x, k) => [x[0], k])
   );

   let made = null;
   /* Return the tree for STATE.  By stack, it has the left side of the box, in instructions from the left of the root. */
   function treeOf(state) {
      const key = [state.thread, state.inlined, state.reversed, state.width].join();
      if (made && made.key === key) return made;
      let t = flameBase(data, state.thread === undefined ? -1 : Math.max(-1, Math.min(threads - 1, +state.thread)));
      if (anyInlined && state.inlined === "0") t = flameWithout(t, isInlined);
      if (state.reversed === "1") t = flameReversed(t);
      flameTotals(t);
      t.key = key;
      t.wide = state.width === "old" ? t.oldTotal : t.total;
      t.from = new Float64Array(t.name.length);
      t.most = 0;
      for (let i = 0; i < t.name.length; i++) {
         let at = t.from[i];
         t.children[i].sort((a, b) => t.wide[b] - t.wide[a]);
         for (const c of t.children[i]) {
            t.from[c] = at;
            at += t.wide[c];
         }
         t.most = Math.max(t.most, Math.abs(t.self[i] - t.old[i]));
      }
      made = t;
      return t;
   }

   /* Return the boxes whose names pass TEST, and the sum of their instructions.  A box on top of another match is not
      counted again. */
   function found(t, test) {
      const hit = new Uint8Array(t.name.length),
         inside = new Uint8Array(t.name.length);
      let sum = 0,
         boxes = 0;
      for (let i = 1; i < t.name.length; i++) {
         hit[i] = test(v.text(t.name[i])) ? 1 : 0;
         boxes += hit[i];
         if (hit[i] && !inside[t.parent[i]]) sum += t.wide[i];
         inside[i] = hit[i] | inside[t.parent[i]];
      }
      return { hit, sum, boxes };
   }

   function show(state) {
      const stage = make("div", { class: "flame", role: "tree", "aria-label": "Stacks of calls" }),
         told = make("span", { class: "soft", id: "told" });
      const back = make("button", { title: "all stacks (0)" }, "all"),
         about = make("p", { class: "about soft" }, "\u00a0");
      const t = treeOf(state),
         byChange = hasOld && state.colour !== "image" && state.thread === undefined;
      let root = t.name[+state.stack] !== undefined && t.wide[+state.stack] > 0 ? +state.stack : 0,
         hits = null;

      function labelOf(i) {
         const now =
            v.text(t.name[i]) +
            ": " +
            v.count(t.total[i]) +
            " instructions, " +
            v.share(t.total[i], t.total[0]) +
            "; itself " +
            v.count(t.self[i]);
         if (!hasOld || state.thread !== undefined) return now;
         return (
            now +
            "; before " +
            v.count(t.oldTotal[i]) +
            ", itself " +
            v.count(t.old[i]) +
            ", " +
            v.signed(v.delta(t.self[i], t.old[i]))
         );
      }

      function colour(e, i) {
         if (byChange) {
            const d = i > 0 ? t.self[i] - t.old[i] : 0,
               strength = t.most > 0 ? Math.sqrt(Math.abs(d) / t.most) : 0;
            e.classList.add(d > 0 ? "plus" : d < 0 ? "minus" : "same");
            e.style.setProperty("--strength", (0.12 + 0.78 * strength).toFixed(3));
         } else {
            let from = i; // an inlined function has the colour of the function around it
            while (from > 0 && isInlined(t.name[from])) from = t.parent[from];
            const m = from > 0 ? image.get(t.name[from]) : -1;
            e.classList.add("hue" + (hues.get(m) ?? HUES));
            if (isInlined(t.name[i])) e.classList.add("inlined");
         }
      }

      function boxElement(i, depth, width) {
         const left = ((t.from[i] - t.from[root]) / t.wide[root]) * width,
            w = (t.wide[i] / t.wide[root]) * width;
         const label = labelOf(i);
         const e = make(
            "button",
            {
               class: "box",
               role: "treeitem",
               "aria-level": depth + 1,
               "data-s": i,
               title: label,
               "aria-label": label
            },
            w > 30 ? v.text(t.name[i]) : ""
         );
         colour(e, i);
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
         for (let i = root; i > 0; i = t.parent[i]) above.unshift(t.parent[i]);
         above.forEach((i, depth) => {
            const e = boxElement(i, depth, width);
            e.style.left = "0px";
            e.style.width = width - 1 + "px";
            e.classList.add("above");
            e.textContent = v.text(t.name[i]);
            boxes.append(e);
         });
         let deepest = above.length,
            narrow = 0;
         for (const todo = [[root, above.length]]; todo.length > 0;) {
            const [i, depth] = todo.pop();
            if ((t.wide[i] / t.wide[root]) * width < LEAST) {
               narrow++;
               continue;
            }
            deepest = Math.max(deepest, depth);
            boxes.append(boxElement(i, depth, width));
            t.children[i].forEach(c => todo.push([c, depth + 1]));
         }
         stage.replaceChildren(boxes);
         stage.style.height = (deepest + 1) * HEIGHT + "px";
         back.disabled = root === 0;
         told.textContent =
            (hits
               ? count(hits.boxes) +
                 " stacks match, with " +
                 v.share(hits.sum, t.wide[0]) +
                 " of all instructions. "
               : "") +
            (narrow + data.stacksLeft > 0 ? count(narrow + data.stacksLeft) + " too narrow to be drawn." : "");
      }

      function zoom(i) {
         root = i;
         go.keep({ stack: i || undefined });
         draw();
         const e = stage.querySelector("[data-s='" + i + "']");
         if (e) e.focus({ preventScroll: true });
      }

      function search(words) {
         hits = words === "" ? null : found(t, v.matcher(words));
         draw();
      }

      function keyed(e) {
         const at = +e.target.dataset.s,
            same = at > 0 ? t.children[t.parent[at]] : [at];
         const to = {
            ArrowUp: at > 0 ? t.parent[at] : undefined,
            ArrowDown: t.children[at][0],
            ArrowLeft: same[same.indexOf(at) - 1],
            ArrowRight: same[same.indexOf(at) + 1]
         }[e.key];
         const row = byName.get(v.text(t.name[at]));
         if (e.key === "o" && row !== undefined) go.to({ pane: "graph", fn: data.rNode[row] });
         if (to === undefined) return;
         e.preventDefault();
         const there = stage.querySelector("[data-s='" + to + "']");
         if (there) there.focus();
         else if (t.wide[to] > 0) zoom(to);
      }

      stage.addEventListener("click", e => {
         const at = e.target.closest("[data-s]");
         if (at) zoom(+at.dataset.s);
      });
      for (const what of ["mouseover", "focusin"])
         stage.addEventListener(what, e => {
            about.textContent = e.target.title || "\u00a0";
         });
      stage.addEventListener("keydown", keyed);
      back.addEventListener("click", () => zoom(0));
      paneFlame.search = search;
      paneFlame.fit = () => zoom(0);
      new ResizeObserver(draw).observe(stage);
      search(state.q || "");
      return make(
         "div",
         { class: "full" },
         make("p", { class: "bar-line" }, back, " ", ...choices(state), told),
         legend(byChange),
         about,
         make("div", { class: "scroll" }, stage)
      );
   }

   /* Return the fields that choose thread, direction and colours.  The address has a part for each. */
   function choices(state) {
      const out = [];
      const choice = (label, name, options) => {
         const field = make(
            "select",
            { "aria-label": label },
            ...options.map(([value, words]) => make("option", { value: value }, words))
         );
         field.value = state[name] ?? options[0][0];
         field.addEventListener("change", () =>
            go.to(
               Object.assign({}, state, {
                  pane: "flame",
                  stack: undefined,
                  [name]: field.value === options[0][0] ? undefined : field.value
               })
            )
         );
         out.push(field, " ");
      };
      if (threads > 0)
         choice("Threads", "thread", [
            ["", "all threads"],
            ...data.threads.map((n, k) => [String(k), "thread " + k + ": " + v.share(n, data.instrs)])
         ]);
      choice("Direction", "reversed", [
         ["", "callers above"],
         ["1", "reversed: callees above"]
      ]);
      if (anyInlined)
         choice("Inlined functions", "inlined", [
            ["", "with inlined functions"],
            ["0", "without inlined functions"]
         ]);
      if (hasOld) {
         choice("Colours", "colour", [
            ["", "colours: difference"],
            ["image", "colours: images"]
         ]);
         choice("Widths", "width", [
            ["", "widths: B"],
            ["old", "widths: A"]
         ]);
      }
      return out;
   }

   function legend(byChange) {
      const p = make("p", { class: "bar-line legend" });
      if (byChange)
         p.append(
            make("i", { class: "swatch plus" }),
            "more than in A ",
            make("i", { class: "swatch minus" }),
            "less, by the instructions of the box itself "
         );
      else
         hues.forEach((hue, m) =>
            p.append(make("i", { class: "swatch hue" + hue }), data.images[m].name + " ")
         );
      p.append(make("span", { class: "hint" }, "A click, or Enter, shows a box in full width; o opens its function."));
      return p;
   }

   return { id: "flame", name: "Flame", show };
}
