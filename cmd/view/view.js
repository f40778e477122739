/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A run's page: panes, the address that says what is shown, keys. */
"use strict";
kit.data().then(data => {
   const { make, byId, key } = kit;
   const v = viewData(data);

   let last = {}; // the state in the last address that was one of this page's

   /* Return the state in the address, #pane=code&fn=12&block=30 and more.  Functions and blocks have their node ids. */
   function read() {
      if (v.hasSlice && /^#[il]\d/.test(location.hash)) return { pane: "slice", fn: last.fn };
      const state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      last = state;
      return Object.assign(state, { pane: state.pane || panes[0].id });
   }

   const link = to =>
      "#" + new URLSearchParams(Object.entries(to).filter(x => x[1] !== undefined && x[1] !== null)).toString();
   const go = {
      link,
      to: to => {
         location.hash = link(to);
      },
      /* Put PART of the state into the address, without a new entry in the browser's history. */
      keep: part => {
         history.replaceState(null, "", link(Object.assign(read(), part)));
         document.documentElement.dataset.at = location.hash;
      }
   };

   const panes = [
      ...(v.hasOld ? [paneDiff(v, go)] : []),
      ...(data.first ? [paneFirst(v)] : []),
      paneRun(v, go),
      paneFunctions(v, go),
      paneGraph(v, go),
      paneCode(v, go),
      paneCalls(v, go),
      paneLoops(v, go),
      ...(v.hasStacks ? [paneFlame(v, go)] : []),
      ...(v.hasSlice ? [paneSlice(v, go)] : [])
   ];
   /* The panes that have a search of their own. */
   const searches = { diff: paneDiff, functions: paneFunctions, loops: paneLoops, flame: paneFlame };

   /* Return the row that panes of one function show: that of the address, else the hottest, of the program unless that executed little. */
   function rowOf(state) {
      const row = v.rowByNode.get(Number(state.fn));
      if (row !== undefined) return row;
      for (let r = 0; r < v.rows && !v.isFew; r++) if (v.isOwn(r)) return r;
      return v.rows > 0 ? 0 : -1;
   }

   /* Return the change of ROW as text: "; B − A +12 instructions, with what it called +20". */
   function changeOf(row) {
      const f = data.rFunction[row],
         now = Number(data.rOld[row]) < 0 ? "new" : v.signed(v.delta(data.rSelf[row], data.rOld[row])) + " instructions";
      return (
         "; B \u2212 A " +
         now +
         (f >= 0 && data.fOldInclusive
            ? ", with what it called " + v.signed(v.delta(data.fInclusive[f], data.fOldInclusive[f]))
            : "")
      );
   }

   function titleOf(row) {
      const f = data.rFunction[row],
         self = f >= 0 && data.fRow[f] === row ? data.fSelf[f] : data.rSelf[row],
         change = v.hasOld ? changeOf(row) : "",
         inclusive = v.hasInclusive && f >= 0 && Number(data.fInclusive[f]) > 0 ? "; with what it called " + v.share(data.fInclusive[f], data.instrs) : "";
      return make(
         "div",
         { class: "subject" },
         make("h2", {}, v.name(row) || "?"),
         make(
            "p",
            { class: "soft" },
            [v.text(data.rSource[row]), data.images[data.rImage[row]].name].filter(x => x).join(", ") +
               ": " +
               v.count(self) +
               " instructions, " +
               v.share(self, data.instrs) +
               inclusive +
               change +
               "; " +
               v.count(data.rCalls[row]) +
               (data.rCalls[row] === 1 ? " call; " : " calls; ") +
               kit.many(data.rFirst[row + 1] - data.rFirst[row], "block") +
               ", " +
               kit.many(data.rLoops[row], "loop")
         )
      );
   }

   function tabElement(p, state, row) {
      const fn = p.ofFunction && row >= 0 ? data.rNode[row] : state.fn;
      const a = make(
         "a",
         { href: link({ pane: p.id, fn: fn, q: state.q }), role: "tab", "aria-selected": String(p.id === state.pane) },
         p.name
      );
      return a;
   }

   function show() {
      const state = read(),
         row = rowOf(state),
         pane = panes.find(p => p.id === state.pane) || panes[0];
      document.documentElement.dataset.at = location.hash;
      state.pane = pane.id;
      if (byId("words").value !== (state.q || "")) byId("words").value = state.q || "";
      byId("tabs").replaceChildren(...panes.map(p => tabElement(p, state, row)));
      byId("tabs").querySelector("[aria-selected=true]").scrollIntoView({ block: "nearest", inline: "nearest" });
      byId("pane").className = "pane-" + pane.id;
      byId("pane").replaceChildren();
      if (row < 0 && pane.ofFunction) byId("pane").append(make("p", { class: "soft" }, "No function was executed."));
      else if (pane.ofFunction) byId("pane").append(titleOf(row), pane.show(row, state));
      else byId("pane").append(pane.show(state));
      if (pane.shown) pane.shown();
      document.title =
         (pane.ofFunction && row >= 0 ? v.name(row) + ", " : "") +
         pane.name.toLowerCase() +
         ": " +
         kit.base(data.program) +
         (data.old ? " against " + kit.base(data.old.program) : "");
      kit.say(document.title);
   }

   /* Search for the words: in the present pane if that has a search, else in the table of functions. */
   function search() {
      const q = byId("words").value,
         state = read();
      if (v.rows === 0 || state.pane === "slice") return;
      if (!searches[state.pane]) {
         go.to({ pane: "functions", fn: state.fn, q: q });
         return;
      }
      go.keep({ q: q || undefined });
      searches[state.pane].search(q);
   }

   function listen() {
      byId("words").addEventListener("input", search);
      byId("words").addEventListener("keydown", e => {
         if (e.key === "Enter" && read().pane === "functions" && paneFunctions.first() !== undefined) {
            go.to({ pane: "code", fn: data.rNode[paneFunctions.first()] });
            byId("words").blur();
         }
         if (e.key === "ArrowDown" && read().pane === "functions") {
            e.preventDefault();
            paneFunctions.focus();
         }
         if (e.key === "Escape") {
            byId("words").value = "";
            search();
            byId("words").blur();
         }
      });
      byId("keys").addEventListener("click", kit.showKeys);
      window.addEventListener("hashchange", show);
      PHONE.addEventListener("change", show);
      panes.forEach((p, k) => key([String(k + 1)], p.name.toLowerCase(), () => go.to({ pane: p.id, fn: read().fn })));
      key(["/"], "search functions; in the flame graph, mark them; Escape ends it", () => byId("words").focus());
      key(["t"], "to the table or picture, where arrows move and Enter opens", () => {
         const e = byId("pane").querySelector(
            ".scroll [tabindex='0'], .scroll[tabindex='0'], g.block, .half[tabindex='0']"
         );
         if (e) e.focus();
      });
      key(["+"], "larger graph", () => read().pane === "graph" && paneGraph.zoom(1.25));
      key(["-"], "smaller graph", () => read().pane === "graph" && paneGraph.zoom(0.8));
      key(["0"], "all of the graph, or of the stacks", () =>
         read().pane === "graph" ? paneGraph.fit() : read().pane === "flame" && paneFlame.fit()
      );
   }

   byId("title").textContent = kit.base(data.program);
   byId("title").title = data.program;
   listen();
   show();
});
