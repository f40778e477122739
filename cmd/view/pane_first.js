/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane on where run B parts from run A, the older one, and why: dcfg first. */
"use strict";
function paneFirst(v) {
   const { make, many } = kit,
      { data } = v;

   /* Return a place as text: "work (t.c:12)". */
   function place(p) {
      if (!p) return "the end";
      const where = p.source ? kit.base(p.source) + ":" + p.line : p.image + "+" + p.offset;
      return p.function ? p.function + " (" + where + ")" : where;
   }

   const row = (name, ...value) => make("tr", {}, make("th", {}, name), make("td", {}, ...value));

   /* Return the table of parting P. */
   function parting(p) {
      const rows = [
         row("after", v.count(p.after[0]) + " instructions in A, " + v.count(p.after[1]) + " in B"),
         row("branch", place(p.branch) + " ", make("code", {}, p.branch ? p.branch.text || p.branch.code : "")),
         ...(p.called ? [row("called", place(p.called))] : []),
         ...(p.kind === "end"
            ? [row("ends", p.ends)]
            : [row("A goes to", place(p.goes_to[0])), row("B goes to", place(p.goes_to[1]))]),
         ...p.values.map(x => row("value", make("code", {}, x.name), " = " + x.a + " in A, " + x.b + " in B")),
         row("cause", make("b", {}, p.cause || "unknown"), p.detail ? ": " + p.detail : ""),
         ...(p.through.length > 0 ? [row("through", p.through.join(", "))] : [])
      ];
      return make("table", { class: "first" }, make("tbody", {}, ...rows));
   }

   function thread(t) {
      const about = t.only
         ? "only in " + t.only
         : t.same
           ? "the same"
           : many(t.partings.length, "parting") + (t.skipped ? "; differences before " + t.from + " are skipped" : "");
      return make(
         "section",
         {},
         make("h2", {}, "thread " + t.thread),
         make("p", { class: "soft" }, about),
         ...(t.partings || []).map(parting)
      );
   }

   return {
      id: "first",
      name: "First",
      show: () => make("div", {}, ...data.first.map(thread))
   };
}
