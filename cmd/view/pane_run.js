/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane on the run: what it is, where its time goes, threads, images. */
"use strict";
function paneRun(v, go) {
   const { make, count, many } = kit,
      { data } = v;
   const MOST = 15; // rows of the hottest functions, and lines

   const facts = rows =>
      make(
         "dl",
         { class: "facts" },
         ...rows.flatMap(([what, is]) => (is ? [make("dt", {}, what), make("dd", {}, is)] : []))
      );

   const run = () =>
      facts([
         data.command ? ["command", data.command] : ["program", data.program],
         ["recorded", data.surroundings],
         ["instructions", v.count(data.instrs) + " in " + many(data.threads.length, "thread")]
      ]);

   function missing() {
      const out = [
         ...(v.hasInclusive && v.hasCosts ? [] : [["what calls cost", "valgrind --tool=dcfg --calls=yes records it"]]),
         ...(v.hasStacks && v.hasTrips ? [] : [["stacks of calls, and iterations of each entry to a loop", "--trace=yes records them"]]),
         ...(data.command ? [] : [["arguments", "a newer valgrind-dcfg records them; a profile has them (--callgrind=yes)"]])
      ];
      return out.map(([what, how]) => what + ": " + how).join("; ");
   }

   function more() {
      const left = data.nodes - v.blocks;
      return facts([
         ["program", data.command && data.program],
         [
            "process",
            String(data.process) +
               (data.part > 0 ? ", part " + data.part + " of its run" : "") +
               (data.processes > 1 ? ", that with most instructions of " + data.processes + " in the file" : "")
         ],
         [
            "executed",
            [
               many(data.nodes, "block"),
               many(data.edges, "edge"),
               many(data.routines, "routine"),
               many(data.lHead.length, "loop"),
               many(data.images.length, "image")
            ].join(", ")
         ],
         ["files", [data.file, data.trace, data.log, data.profile].filter(x => x).join(", ")],
         [
            "compared with",
            v.hasOld &&
               (data.old.command || data.old.program) +
                  ", " +
                  data.old.file +
                  (data.old.trace ? ", " + data.old.trace : "") +
                  ": " +
                  v.count(data.old.instrs) +
                  " instructions; this run has " +
                  v.signed(v.delta(data.instrs, data.old.instrs))
         ],
         ["not here", missing()],
         ["left out", left > 0 && many(left, "block") + " that are in no routine that was executed"],
         ["code", data.hot < v.rows && "of the hottest " + many(data.hot, "routine") + "; dcfg view --graphs=N has more"]
      ]);
   }

   const shareOf = of => ({
      name: "share",
      title: "of the process's instructions",
      number: true,
      value: of,
      text: x => v.share(of(x), data.instrs),
      share: x => Number(of(x)) / v.total
   });
   const number = (name, of, title) => ({
      name,
      title: title || "",
      number: true,
      value: of,
      text: x => (Number(of(x)) >= 0 ? v.count(of(x)) : "")
   });

   function section(title, rest, table) {
      return make("section", { class: "top" }, make("h2", {}, title), table, ...(rest ? [rest] : []));
   }

   /* The hottest functions: those of the program; if it executed less than a hundredth of all instructions, all. */
   function functions() {
      const all = data.fSelf.map((x, f) => f).filter(f => Number(data.fSelf[f]) > 0),
         own = all.filter(f => data.images[data.fImage[f]].own),
         rest = own.reduce((s, f) => s - Number(data.fSelf[f]), v.total),
         few = v.isFew;
      const shown = few ? all : own,
         to = f => (data.fRow[f] >= 0 ? go.link({ pane: "code", fn: data.rNode[data.fRow[f]] }) : null);
      shown.sort((a, b) => Number(data.fSelf[b]) - Number(data.fSelf[a]));
      const table = viewTable(
         [
            shareOf(f => data.fSelf[f]),
            number("self", f => data.fSelf[f], "instructions of the function itself"),
            ...(v.hasInclusive ? [number("inclusive", f => data.fInclusive[f], "instructions with what it called")] : []),
            number("calls", f => data.fCalls[f]),
            { name: "function", main: true, fill: true, value: f => v.text(data.fName[f]), text: f => v.short(data.fName[f]), link: to },
            { name: few ? "image" : "source", value: f => (few ? data.images[data.fImage[f]].name : data.fRow[f] >= 0 ? v.text(data.rSource[data.fRow[f]]) : "") }
         ],
         shown.slice(0, MOST),
         { label: "Hottest functions", sort: "self", open: f => to(f) && (location.hash = to(f)) }
      ).element;
      const links = make("p", { class: "soft" }, make("a", { href: go.link({ pane: "functions" }) }, "All " + many(shown.length, "function")));
      if (!few && all.length > own.length)
         links.append(
            "; ",
            make("a", { href: go.link({ pane: "functions", libs: 1 }) }, "+ " + many(all.length - own.length, "function") + " of libraries"),
            ": " + v.share(rest, data.instrs) + " of instructions"
         );
      return section("Hottest functions", links, table);
   }

   /* The place of hot line K in short, with all of its number. */
   function place(k) {
      const file = kit.base(v.text(data.hFile[k]));
      return (file.length > 20 ? file.slice(0, 11) + "\u2026" + file.slice(-8) : file) + ":" + data.hLine[k];
   }

   /* The hottest lines. */
   function lines() {
      const to = k => {
         const at = v.placeOf(v.text(data.hFile[k]), data.hLine[k]);
         return at && go.link({ pane: "code", fn: data.rNode[at.row], line: at.key });
      };
      if (data.hLine.length === 0)
         return section(
            "Hottest lines",
            null,
            make("p", { class: "soft" }, "No lines: the program has no debug information (compile it with -g). Functions lead to their code.")
         );
      const table = viewTable(
         [
            shareOf(k => data.hInstrs[k]),
            number("instructions", k => data.hInstrs[k]),
            number("times", k => data.hTimes[k], "how often control reached the line"),
            { name: "line", main: true, value: k => v.text(data.hFile[k]) + ":" + data.hLine[k], text: place, link: to },
            { name: "text", code: true, fill: true, value: k => v.text(data.hText[k]) }
         ],
         data.hLine.map((x, k) => k).slice(0, MOST),
         { label: "Hottest lines", sort: "instructions", open: k => to(k) && (location.hash = to(k)) }
      ).element;
      return section("Hottest lines", null, table);
   }

   function threads() {
      const of = i => data.threads[i];
      return viewTable(
         [
            { name: "thread", main: true, number: true, value: i => i, text: i => String(i) },
            shareOf(of),
            number("instructions", of)
         ],
         data.threads.map((x, i) => i),
         { label: "Threads", sort: "instructions" }
      ).element;
   }

   function images() {
      return viewTable(
         [
            shareOf(m => m.instrs),
            number("instructions", m => m.instrs),
            { name: "routines", number: true, value: m => m.routines, text: m => count(m.routines) },
            { name: "blocks", number: true, value: m => m.blocks, text: m => count(m.blocks) },
            { name: "image", main: true, value: m => m.path },
            { name: "loaded at", value: m => "0x" + m.load },
            { name: "build", value: m => m.build }
         ],
         data.images,
         { label: "Images", sort: "instructions" }
      ).element;
   }

   return {
      id: "run",
      name: "Run",
      show: () =>
         make(
            "div",
            { class: "page" },
            run(),
            make("div", { class: "tops" }, functions(), lines()),
            ...(data.threads.length > 1 ? [make("h2", {}, "Threads"), threads()] : []),
            make("h2", {}, "Images"),
            images(),
            make("h2", { class: "later" }, "This page"),
            more()
         )
   };
}
