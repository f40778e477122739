/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane on the run: what it is, threads, images. */
"use strict";
function paneRun(v) {
   const { make, count, many } = kit,
      { data } = v;

   function facts() {
      const list = make("dl", { class: "facts" });
      const add = (what, ...is) => list.append(make("dt", {}, what), make("dd", {}, ...is));
      add("program", data.program);
      if (data.command) add("command", data.command);
      if (data.surroundings) add("recorded", data.surroundings);
      add(
         "process",
         String(data.process) +
            (data.part > 0 ? ", part " + data.part + " of its run" : "") +
            (data.processes > 1 ? ", that with most instructions of " + data.processes + " in the file" : "")
      );
      add("instructions", v.count(data.instrs) + " in " + many(data.threads.length, "thread"));
      add(
         "executed",
         [
            many(data.nodes, "block"),
            many(data.edges, "edge"),
            many(data.routines, "routine"),
            many(data.lHead.length, "loop"),
            many(data.images.length, "image")
         ].join(", ")
      );
      add("files", [data.file, data.trace, data.log, data.profile].filter(x => x).join(", "));
      if (v.hasOld)
         add(
            "compared with",
            (data.old.command || data.old.program) +
               ", " +
               data.old.file +
               (data.old.trace ? ", " + data.old.trace : "") +
               ": " +
               v.count(data.old.instrs) +
               " instructions; this run has " +
               v.signed(v.delta(data.instrs, data.old.instrs))
         );
      const missing = [
         ...(v.hasStacks ? [] : ["stacks of calls"]),
         ...(v.hasInclusive ? [] : ["costs with what was called"]),
         ...(v.hasTrips ? [] : ["iterations of each entry to a loop"])
      ];
      if (missing.length > 0) add("not here", missing.join(", ") + ": a trace has them (--trace=yes)");
      if (!data.command) add("not recorded", "arguments: a profile has them (--callgrind=yes)");
      const left = data.nodes - v.blocks;
      if (left > 0) add("left out", many(left, "block") + " that are in no routine that was executed");
      if (data.hot < v.rows)
         add("code", "of the hottest " + many(data.hot, "routine") + "; dcfg view --graphs=N has more");
      return list;
   }

   function threads() {
      return viewTable(
         [
            { name: "thread", number: true, value: i => i, text: i => String(i) },
            {
               name: "share",
               number: true,
               value: i => data.threads[i],
               text: i => v.share(data.threads[i], data.instrs),
               share: i => Number(data.threads[i]) / v.total
            },
            { name: "instructions", number: true, value: i => data.threads[i], text: i => v.count(data.threads[i]) }
         ],
         data.threads.map((x, i) => i),
         { label: "Threads", sort: 2 }
      ).element;
   }

   function images() {
      return viewTable(
         [
            {
               name: "share",
               number: true,
               value: m => m.instrs,
               text: m => v.share(m.instrs, data.instrs),
               share: m => Number(m.instrs) / v.total
            },
            { name: "instructions", number: true, value: m => m.instrs, text: m => v.count(m.instrs) },
            { name: "routines", number: true, value: m => m.routines, text: m => count(m.routines) },
            { name: "blocks", number: true, value: m => m.blocks, text: m => count(m.blocks) },
            { name: "image", value: m => m.path },
            { name: "loaded at", value: m => "0x" + m.load },
            { name: "build", value: m => m.build }
         ],
         data.images,
         { label: "Images", sort: 1 }
      ).element;
   }

   return {
      id: "run",
      name: "Run",
      show: () =>
         make(
            "div",
            { class: "page" },
            facts(),
            ...(data.threads.length > 1 ? [make("h2", {}, "Threads"), threads()] : []),
            make("h2", {}, "Images"),
            images()
         )
   };
}
