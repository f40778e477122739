/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane on what changed from run A, the older one, to run B: functions and loops. */
"use strict";
function paneDiff(v, go) {
   const { make, count, many } = kit,
      { data } = v;

   /* Return all pairs of the kind of LETTER, the largest change first. */
   function pairs(letter) {
      const column = name => data[letter + name];
      return column("Name")
         .map((name, k) => ({
            name: v.text(name),
            source: v.text(column("Source")[k]),
            image: v.text(column("Image")[k]),
            a: column("A")[k],
            b: column("B")[k],
            row: column("Row")[k],
            guess: column("Guess")[k] === 1,
            by: v.delta(column("B")[k], column("A")[k])
         }))
         .sort((x, y) => Math.abs(Number(y.by)) - Math.abs(Number(x.by)));
   }
   const functions = pairs("d"),
      loops = pairs("x");
   const none = x => Number(x) < 0;

   /* Return the change of pair P in the words of dcfg diff: "new", "gone" or "+6.6%". */
   function change(p) {
      if (none(p.a)) return "new";
      if (none(p.b)) return "gone";
      return Number(p.by) === 0 ? "the same" : v.percent(p.b, p.a);
   }

   function table(rows, what, unit) {
      const most = Math.max(1, ...rows.slice(0, 1).map(p => Math.abs(Number(p.by)))),
         shown = x => (none(x) ? "" : v.count(x));
      return viewTable(
         [
            {
               name: "B \u2212 A",
               title: unit + " that B has more or less than A",
               number: true,
               value: p => Math.abs(Number(p.by)),
               text: p => v.signed(p.by),
               share: p => Math.abs(Number(p.by)) / most,
               tone: p => Math.sign(Number(p.by))
            },
            { name: "change", number: true, value: p => (none(p.a) ? Infinity : Number(p.b) / Number(p.a)), text: change },
            { name: "A", title: unit, number: true, value: p => p.a, text: p => shown(p.a) },
            { name: "B", title: unit, number: true, value: p => p.b, text: p => shown(p.b) },
            {
               name: what,
               main: true,
               value: p => p.name,
               link: p => (p.row >= 0 ? go.link({ pane: "graph", fn: data.rNode[p.row] }) : null)
            },
            { name: "source", value: p => p.source },
            { name: "image", value: p => p.image },
            ...(changed(rows).some(p => p.guess)
               ? [
                    {
                       name: "match",
                       title: "functions without names are matched by their shape",
                       value: p => (p.guess ? "guess" : "")
                    }
                 ]
               : [])
         ],
         rows,
         {
            label: what === "function" ? "Changes of functions" : "Changes of loops",
            open: p => p.row >= 0 && go.to({ pane: "graph", fn: data.rNode[p.row] })
         }
      );
   }

   const changed = rows => rows.filter(p => Number(p.by) !== 0);

   /* Return a sentence on ROWS: "4 of 241 functions changed, 1 is new", or "no function changed". */
   function told(rows, what) {
      const news = rows.filter(p => none(p.a)).length,
         gone = rows.filter(p => none(p.b)).length,
         rest = changed(rows).length - news - gone;
      const is = (k, words) => (k > 0 ? [count(k) + (k === 1 ? " is " : " are ") + words] : []);
      const parts = [
         ...(rest > 0 ? [count(rest) + " of " + many(rows.length, what) + " changed"] : []),
         ...is(news, "new"),
         ...is(gone, "gone")
      ];
      if (parts.length === 0) return "no " + what + " changed";
      return (rest > 0 ? "" : "of " + many(rows.length, what) + " ") + parts.join(", ");
   }

   /* Return a summary of all changes, in a few sentences. */
   function story() {
      const by = v.delta(data.instrs, data.old.instrs),
         n = Number(by),
         list = make("div", { class: "story" });
      const run = (letter, o, instrs) =>
         make(
            "p",
            { title: o.program },
            make("b", {}, letter),
            " " + kit.base(o.program) + ", " + o.file + ": " + v.count(instrs) + " instructions"
         );
      list.append(
         run("A", data.old, data.old.instrs),
         run("B", data, data.instrs),
         make(
            "p",
            { class: "verdict" },
            n === 0
               ? "Both executed as many instructions. "
               : "B executed " +
                    v.count(by < 0 ? -by : by) +
                    (n > 0 ? " more" : " fewer") +
                    " (" +
                    v.percent(data.instrs, data.old.instrs) +
                    "). ",
            told(functions, "function") + "; " + told(loops, "loop") + ".",
            data.old.rebuilt ? " They are two builds: functions are matched by name, blocks by source line." : ""
         )
      );
      const first = changed(functions).slice(0, 3);
      if (first.length > 0) {
         const p = make("p", {}, "Largest: ");
         first.forEach((x, k) => {
            const words = x.name + " " + v.signed(x.by) + " (" + change(x) + ")";
            p.append(
               k > 0 ? ", " : "",
               x.row >= 0 ? make("a", { href: go.link({ pane: "graph", fn: data.rNode[x.row] }) }, words) : words
            );
         });
         list.append(p);
      }
      return list;
   }

   function show(state) {
      const box = make("input", { type: "checkbox", id: "unchanged" });
      const f = table(functions, "function", "instructions"),
         l = table(loops, "loop of", "iterations");
      const parts = [f, l].map((t, k) =>
         make(
            "section",
            { class: "part" },
            make("h2", { class: "bar-line" }, k === 0 ? "Functions, in instructions" : "Loops, in iterations"),
            t.element
         )
      );
      const apply = words => {
         const test = v.matcher(words);
         [f, l].forEach((t, k) => {
            const n = t.filter(p => (box.checked || Number(p.by) !== 0) && (words === "" || test(p.name)));
            parts[k].hidden = n === 0;
         });
      };
      box.checked = state.unchanged === "1";
      box.addEventListener("change", () => {
         go.keep({ unchanged: box.checked ? 1 : undefined });
         apply(kit.byId("words").value);
      });
      paneDiff.search = apply;
      apply(state.q || "");
      return make(
         "div",
         { class: "full" },
         story(),
         make("p", { class: "bar-line" }, make("label", {}, box, " what did not change, too")),
         ...parts
      );
   }

   return { id: "diff", name: "Difference", show };
}
