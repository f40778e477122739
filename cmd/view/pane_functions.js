/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with the table of functions: routines of the graph. */
"use strict";
function paneFunctions(v, go) {
   const { make, count, many } = kit,
      { data } = v;
   /* Return the inclusive cost of row R, if it begins a function that was called; else 0. */
   const inclusive = r => (data.fRow[data.rFunction[r]] === r ? data.fInclusive[data.rFunction[r]] : 0);
   const known = (r, words) => (Number(inclusive(r)) > 0 ? words : "");

   function columns() {
      const trace = v.hasInclusive
         ? [
              {
                 name: "inclusive",
                 title: "share with what it called",
                 number: true,
                 value: inclusive,
                 text: r => known(r, v.share(inclusive(r), data.instrs)),
                 share: r => Number(inclusive(r)) / v.total
              },
              {
                 name: "with calls",
                 title: "instructions with what it called",
                 number: true,
                 value: inclusive,
                 text: r => known(r, v.count(inclusive(r)))
              }
           ]
         : [];
      return [
         {
            name: "self",
            title: "share of the process's instructions",
            number: true,
            value: r => data.rSelf[r],
            text: r => v.share(data.rSelf[r], data.instrs),
            share: r => Number(data.rSelf[r]) / v.total
         },
         {
            name: "instructions",
            title: "executed in it; stubs of linkage tables are rows of their own",
            number: true,
            value: r => data.rSelf[r],
            text: r => v.count(data.rSelf[r])
         },
         ...v.deltaColumn(
            r => data.rSelf[r],
            r => data.rOld[r]
         ),
         ...trace,
         { name: "calls", number: true, value: r => data.rCalls[r], text: r => v.count(data.rCalls[r]) },
         {
            name: "loops",
            number: true,
            value: r => data.rLoops[r],
            text: r => (data.rLoops[r] > 0 ? count(data.rLoops[r]) : "")
         },
         { name: "function", main: true, value: r => v.name(r), text: r => v.short(data.rName[r]), link: r => go.link({ pane: "code", fn: data.rNode[r] }) },
         ...(data.rSource.some(x => x > 0) ? [{ name: "source", value: r => v.text(data.rSource[r]) }] : []),
         { name: "image", value: r => data.images[data.rImage[r]].name }
      ];
   }

   /* Return the columns of the table of source functions with their inlined copies, as dcfg report --inline has them. */
   function inlinedColumns() {
      const column = (name, of, title) => ({
         name: name,
         title: title || "",
         number: true,
         value: k => data[of][k],
         text: k => v.count(data[of][k])
      });
      return [
         {
            name: "self",
            title: "share of the process's instructions",
            number: true,
            value: k => data.nInstrs[k],
            text: k => v.share(data.nInstrs[k], data.instrs),
            share: k => Number(data.nInstrs[k]) / v.total
         },
         column("instructions", "nInstrs", "executed in all copies and instances"),
         column("inlined", "nInlined", "of these, in instances"),
         column("calls", "nCalls", "of copies"),
         column("entries", "nEntries", "of instances"),
         column("sites", "nSites", "instances that were executed"),
         {
            name: "function",
            main: true,
            value: k => v.text(data.nName[k]),
            link: k => (data.nRow[k] >= 0 ? go.link({ pane: "code", fn: data.rNode[data.nRow[k]] }) : null)
         },
         { name: "source", value: k => v.text(data.nSource[k]) },
         { name: "image", value: k => v.text(data.nImage[k]) }
      ];
   }

   /* The two tables.  By row, each has the text to search in, whether it is the program's own code, its instructions, and
      its row in the graph. */
   const graphRows = {
      columns,
      all: Array.from({ length: v.rows }, (x, r) => r),
      isOwn: v.isOwn,
      self: r => Number(data.rSelf[r]),
      name: v.name,
      row: r => r
   };
   const ownImages = new Set(data.images.filter(m => m.own).map(m => m.name));
   const sourceRows = {
      columns: inlinedColumns,
      all: v.hasInlined ? data.nName.map((x, k) => k) : [],
      isOwn: k => ownImages.has(v.text(data.nImage[k])),
      self: k => Number(data.nInstrs[k]),
      name: k => v.text(data.nName[k]),
      row: k => data.nRow[k]
   };

   function show(state) {
      const of = state.kind === "source" && v.hasInlined ? sourceRows : graphRows,
         own = of.all.filter(of.isOwn),
         rest = of.all.length - own.length,
         restSelf = of.all.reduce((s, r) => s + (of.isOwn(r) ? 0 : of.self(r)), 0);
      const open = r => of.row(r) >= 0 && go.to({ pane: "code", fn: data.rNode[of.row(r)] });
      const table = viewTable(of.columns(), of.all, { label: "Functions", sort: "instructions", open: open });
      const told = make("span", { class: "soft", id: "told" });
      const box = make("input", { type: "checkbox", id: "everything" });
      const apply = words => {
         const test = v.matcher(words);
         const n = table.filter(r => (box.checked || words !== "" || of.isOwn(r)) && (words === "" || test(of.name(r))));
         told.textContent =
            words !== ""
               ? many(n, "function") + " found"
               : box.checked
                 ? many(n, "function")
                 : many(n, "function") +
                   " of the program; + " +
                   count(rest) +
                   " of libraries: " +
                   v.share(restSelf, data.instrs);
      };
      box.checked = state.libs ? state.libs === "1" : own.length === 0 || v.isFew;
      box.addEventListener("change", () => {
         go.keep({ libs: box.checked ? 1 : 0 });
         apply(kit.byId("words").value);
      });
      apply(state.q || "");
      paneFunctions.search = apply;
      paneFunctions.first = () => {
         const r = table.rows().find(x => of.row(x) >= 0);
         return r === undefined ? undefined : of.row(r);
      };
      paneFunctions.focus = table.focus;
      return make(
         "div",
         { class: "full" },
         make("p", { class: "bar-line" }, kindField(state), make("label", {}, box, " libraries, too "), told),
         table.element
      );
   }

   function kindField(state) {
      if (!v.hasInlined) return "";
      const field = make(
         "select",
         { "aria-label": "Kind of functions" },
         make("option", { value: "" }, "functions of the graph"),
         make("option", { value: "source" }, "of the source, inlined or not")
      );
      field.value = state.kind === "source" ? "source" : "";
      field.addEventListener("change", () =>
         go.to(Object.assign({}, state, { pane: "functions", kind: field.value || undefined }))
      );
      return field;
   }

   return { id: "functions", name: "Functions", show, focus: () => paneFunctions.focus() };
}
