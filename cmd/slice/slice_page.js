/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice: the source, the cards of a line, searching, keys. */
"use strict";

/* Fill the elements of slice_page.html with the slice that DATA has.  The page in which these are, PAGE, has title(text), shown(), which
   says whether they are in the document, and key(keys, text, run).  Return .follow(focus), which shows what the address says. */
function slicePage(data, page) {
   const { make, byId, count, many, base, brief } = kit;
   const CONTEXT = 3; // lines around those of the slice
   const MORE = 400; // that a click on a gap shows
   const MOST_LINES = 5000; // in one table
   const PAGE = 100; // cards in the list
   const FOUND = 60; // of a search
   const OMITTED = 10; // sentences on what did not run
   const CROSSINGS = 2; // values between threads, at first
   const FUNCTIONS = 200; // of a library
   const state = { file: -1, row: -1, chosen: -1, page: 0 };
   const t = sliceTables(data),
      cards = sliceCards(t, i => i === state.chosen, showTable),
      table = sliceRows(data, i => t.cardOf[i]);
   const { rows, linesOf, sliceLines, textOf, cardOf, cardsOf, members, n } = t;

   /* How strongly a line at this distance is shaded. */
   function heat(distance) {
      const most = Math.log2(t.farthest + 2);
      return (0.62 - (0.54 * Math.log2(distance + 1)) / most).toFixed(3);
   }

   /* ---- The source -------------------------------------------------------- */

   function lineElement(file, line) {
      const k = linesOf[file].get(line),
         r = k === undefined || rows[k].n === 0 ? null : rows[k];
      const f = data.files[file],
         text = textOf(file, line),
         shown = r && !r.brace;
      const number = f.source ? String(line) : f.labels[line];
      const e = make("tr", {
         class: shown ? "in code" : f.ran.has(line) ? "ran code" : "out code",
         id: "r" + file + "-" + line
      });
      e.append(
         make("td", { class: "n" }, shown ? make("a", { href: "#l" + file + "-" + line }, number) : number),
         make("td", { class: "n" }, shown ? count(r.distance) : ""),
         make("td", { class: "n" }, shown ? "\u00d7" + count(cardsOf.from[k + 1] - cardsOf.from[k]) : ""),
         make("td", {}, text !== null ? text : r ? make("i", { class: "soft" }, "in " + r.function) : "")
      );
      if (shown) e.style.setProperty("--heat", heat(r.distance));
      if (r && k === state.row) e.classList.add("chosen");
      return e;
   }

   /* Lines that are shown: runs [from, to]. */
   function runsToShow(file) {
      const runs = [],
         f = data.files[file];
      const add = (from, to) => {
         const last = runs[runs.length - 1];
         if (last && from <= last[1] + 2) last[1] = Math.max(last[1], to);
         else runs.push([from, to]);
      };
      if (byId("all").checked || !f.source) f.text.forEach(([from, lines]) => add(from, from + lines.length - 1));
      else
         sliceLines[file].forEach(x =>
            add(Math.max(1, Math.min(x, f.last) - CONTEXT), Math.max(x, Math.min(x + CONTEXT, f.last)))
         );
      return f.last > 0 || !f.source ? runs : sliceLines[file].map(x => [x, x]);
   }

   function gapElement(file, from, to) {
      const button = make("button", {}, "\u2026 " + many(to - from + 1, "line"));
      const e = make("tr", { class: "gap" }, make("td", { colspan: 4 }, button));
      button.disabled = textOf(file, from) === null;
      button.addEventListener("click", () => {
         const end = Math.min(to, from + MORE - 1),
            lines = document.createDocumentFragment();
         for (let x = from; x <= end; x++) lines.append(lineElement(file, x));
         if (end < to) lines.append(gapElement(file, end + 1, to));
         const head = lines.firstChild;
         e.replaceWith(lines);
         head.tabIndex = -1;
         head.focus();
      });
      return e;
   }

   function showFile(file) {
      const f = data.files[file],
         body = make("tbody", {}),
         runs = runsToShow(file);
      let next = f.source ? 1 : 0;
      state.file = file;
      byId("file").value = file;
      for (let [from, to] of runs) {
         if (from > next) body.append(gapElement(file, next, from - 1));
         next = to + 1;
         for (let budget = MOST_LINES; from <= to && budget > 0; budget--) body.append(lineElement(file, from++));
         if (from <= to) body.append(gapElement(file, from, to));
      }
      if (f.source && next <= f.last) body.append(gapElement(file, next, f.last));
      const names = [
         [f.source ? "line" : "address", ""],
         ["distance", "steps from the criterion, from a value to what it was made of"],
         ["times", "executions that are in the slice"],
         [f.name + (f.source && f.last === 0 ? " (cannot be read)" : ""), ""]
      ];
      const head = make(
         "thead",
         {},
         make("tr", {}, ...names.map(([x, title]) => make("th", { scope: "col", title: title }, x)))
      );
      byId("source").replaceChildren(
         make("table", {}, make("caption", { class: "unseen" }, f.name), head, body),
         librariesElement()
      );
      byId("source").scrollTop = 0;
   }

   /* ---- Libraries: a card each ---------------------------------------------- */

   /* By image that is not the program's own code with lines: its functions that are in the slice. */
   const libraries = (function () {
      const found = new Map();
      for (let i = 0; i < n; i++) {
         const x = data.instr[i];
         if (data.files[data.file[x]].own && data.files[data.file[x]].source) continue;
         if (!found.has(data.image[x]))
            found.set(data.image[x], {
               name: data.images[data.image[x]].name,
               n: 0,
               distance: Infinity,
               functions: new Map()
            });
         const m = found.get(data.image[x]),
            name = data.functions[data.function[x]];
         if (!m.functions.has(name)) m.functions.set(name, { name: name, n: 0, distance: Infinity, row: -1 });
         const f = m.functions.get(name);
         for (const y of [m, f]) {
            y.n++;
            if (data.distance[i] < y.distance) {
               y.distance = data.distance[i];
               y.row = t.rowOf[x];
            }
         }
      }
      return Array.from(found.values()).sort((a, b) => a.distance - b.distance);
   })();

   function libraryElement(m) {
      const e = make(
         "details",
         {},
         make(
            "summary",
            {},
            make("b", {}, base(m.name)),
            make(
               "span",
               { class: "soft" },
               " \u00b7 " +
                  many(m.n, "instance") +
                  " in " +
                  many(m.functions.size, "function") +
                  ", nearest at distance " +
                  count(m.distance)
            )
         )
      );
      e.addEventListener("toggle", () => {
         if (e.children.length > 1) return;
         const body = make("tbody", {}),
            all = Array.from(m.functions.values()).sort((a, b) => a.distance - b.distance);
         all.slice(0, FUNCTIONS).forEach(f =>
            body.append(
               make(
                  "tr",
                  {},
                  make(
                     "td",
                     {},
                     make(
                        "a",
                        { href: "#l" + rows[f.row].file + "-" + rows[f.row].line },
                        make("code", {}, f.name || "?")
                     )
                  ),
                  make("td", { class: "n" }, count(f.n)),
                  make("td", { class: "n" }, count(f.distance))
               )
            )
         );
         e.append(
            make("p", { class: "soft code" }, m.name),
            make(
               "table",
               {},
               make(
                  "thead",
                  {},
                  make(
                     "tr",
                     {},
                     make("td", {}, "function"),
                     make("td", { class: "n" }, "instances"),
                     make("td", { class: "n" }, "distance")
                  )
               ),
               body
            )
         );
         if (all.length > FUNCTIONS)
            e.append(make("p", { class: "soft" }, "and " + count(all.length - FUNCTIONS) + " more"));
      });
      return e;
   }

   function librariesElement() {
      if (libraries.length === 0) return "";
      return make(
         "section",
         { id: "libraries", "aria-label": "Libraries" },
         make("h2", {}, "Libraries and code without lines"),
         ...libraries.map(libraryElement)
      );
   }

   /* ---- Choosing ------------------------------------------------------------ */

   /* The element of a line, which may be in a gap. */
   function reveal(file, line) {
      const id = "r" + file + "-" + line;
      if (state.file !== file) showFile(file);
      if (!byId(id)) {
         const after = Array.from(byId("source").querySelectorAll("tr.gap")).find(g => {
            const next = g.nextElementSibling;
            return !next || +next.id.split("-")[1] > line;
         });
         if (after) after.replaceWith(lineElement(file, line));
      }
      return byId(id);
   }

   function choose(row) {
      document.querySelectorAll("#source tr.chosen").forEach(e => e.classList.remove("chosen"));
      state.row = row;
      if (row < 0) return;
      const e = reveal(rows[row].file, rows[row].line);
      if (e) {
         e.classList.add("chosen");
         const box = byId("source").getBoundingClientRect(),
            at = e.getBoundingClientRect();
         if (at.top < box.top + 40 || at.bottom > box.bottom - 20) e.scrollIntoView({ block: "center" });
      }
   }

   function showPager(pages) {
      const pager = byId("pager"),
         back = make("button", { "aria-label": "Previous page" }, "\u25c0");
      const on = make("button", { "aria-label": "Next page" }, "\u25b6");
      const to = make("input", { type: "number", min: 1, max: pages, value: state.page + 1, "aria-label": "Page" });
      const go = p => {
         state.page = p;
         showCards();
         byId("line").focus();
      };
      pager.replaceChildren();
      if (pages < 2) return;
      back.disabled = state.page === 0;
      on.disabled = state.page === pages - 1;
      back.addEventListener("click", () => go(state.page - 1));
      on.addEventListener("click", () => go(state.page + 1));
      to.addEventListener("change", () => go(+to.value - 1));
      pager.append(back, to, " of " + count(pages), on);
   }

   function showCards() {
      const r = rows[state.row],
         from = cardsOf.from[state.row],
         f = data.files[r.file],
         number = cardsOf.from[state.row + 1] - from;
      const pages = Math.ceil(number / PAGE),
         list = byId("list");
      state.page = Math.max(0, Math.min(state.page, pages - 1));
      byId("line").textContent =
         (f.source ? base(f.name) + ":" + r.line : base(f.name)) +
         (r.function ? " in " + brief(r.function) : "") +
         ", " +
         many(number, "execution");
      byId("executions").replaceChildren(table.element(r.file, r.line, state.chosen < 0 ? -1 : cardOf[state.chosen]));
      list.replaceChildren();
      list.start = state.page * PAGE + 1;
      for (let k = state.page * PAGE; k < Math.min(number, (state.page + 1) * PAGE); k++)
         list.append(cards.cardElement(cardsOf.who[from + k], k + 1, number));
      showPager(pages);
      table.showChosen(byId("executions"));
   }

   /* A button of a card that leads to the table of its line. */
   function showTable() {
      if (!byId("executions").firstChild) return "";
      const e = make("button", {}, "table");
      e.addEventListener("click", () => {
         byId("executions").scrollIntoView({ block: "start" });
         byId("executions").querySelector("input").focus({ preventScroll: true });
      });
      return e;
   }

   /* Which of the row's cards is CARD, from 0. */
   function cardNumber(row, card) {
      let low = cardsOf.from[row],
         high = cardsOf.from[row + 1];
      const start = low;
      while (low < high) {
         const middle = (low + high) >> 1;
         if (cardsOf.who[middle] < card) low = middle + 1;
         else high = middle;
      }
      return low - start;
   }

   function goTo(i, focus) {
      const row = t.row(i);
      state.chosen = i;
      state.page = Math.floor(cardNumber(row, cardOf[i]) / PAGE);
      choose(row);
      showCards();
      const card = byId("c" + cardOf[i]),
         e = byId("e" + i) || card;
      card.scrollIntoView({ block: "nearest" });
      e.scrollIntoView({ block: "nearest" });
      if (focus) e.focus({ preventScroll: true });
      kit.say(cards.nameOf(i) + ", " + cards.place(i) + ", distance " + data.distance[i]);
   }

   function goToLine(file, line, focus) {
      const row = linesOf[file] && linesOf[file].get(line);
      if (row === undefined || rows[row].n === 0) return;
      state.chosen = -1;
      state.page = 0;
      choose(row);
      /* A line that was executed once has one card: it is open. */
      if (cardsOf.from[row + 1] - cardsOf.from[row] === 1) {
         const own = members(cardsOf.who[cardsOf.from[row]]);
         state.chosen = own[own.length - 1];
      }
      showCards();
      byId("instances").scrollTop = 0;
      kit.say(byId("line").textContent);
      const link = byId("r" + file + "-" + line) && byId("r" + file + "-" + line).querySelector("a");
      if (focus && link) link.focus({ preventScroll: true });
   }

   const isOwn = r => data.files[r.file].own && data.files[r.file].source && r.n > 0 && !r.brace;
   const isOwnCode = r => data.files[r.file].own && r.n > 0;

   /* The criterion, or what is nearest to it in the program's source, or in its code. */
   function goToStart() {
      if (n === 0) return;
      const start = data.criterion.length > 0 ? data.criterion[data.criterion.length - 1] : 0;
      const nearest = which => rows.filter(which).sort((a, b) => a.distance - b.distance)[0],
         near = nearest(isOwn) || nearest(isOwnCode);
      if (isOwn(rows[t.row(start)]) || !near) goTo(start, false);
      else goToLine(near.file, near.line, false);
   }

   /* The address says what is shown, so going back is the browser's.  The page is told of a new one later, when other events may have
   come before: data-at has the address that was followed. */
   function follow(focus) {
      document.documentElement.dataset.at = location.hash;
      let m = /^#i(\d+)$/.exec(location.hash);
      if (m && +m[1] < n) return goTo(+m[1], focus);
      m = /^#l(\d+)-(\d+)$/.exec(location.hash);
      if (m && +m[1] < data.files.length) return goToLine(+m[1], +m[2], focus);
      return goToStart();
   }

   function catchUp() {
      if (document.documentElement.dataset.at !== location.hash) follow(true);
   }

   function step(by) {
      catchUp();
      const file = state.file,
         here = state.row < 0 ? -1 : rows[state.row].line;
      const lines = sliceLines[file].filter(x => x === here || !rows[linesOf[file].get(x)].brace);
      let k = rows[state.row] && rows[state.row].file === file ? lines.indexOf(here) + by : 0;
      k = Math.max(0, Math.min(lines.length - 1, k));
      if (lines.length > 0) location.hash = "#l" + file + "-" + lines[k];
   }

   function stepInstance(by) {
      catchUp();
      if (state.row < 0) return;
      const each = byId("code").checked,
         all = each ? t.byRow : cardsOf,
         mine = each ? state.chosen : cardOf[state.chosen];
      const from = all.from[state.row],
         to = all.from[state.row + 1];
      let k = from;
      if (state.chosen >= 0) while (k < to && all.who[k] !== mine) k++;
      k = state.chosen >= 0 ? Math.max(from, Math.min(to - 1, k + by)) : from;
      location.hash = "#i" + (each ? all.who[k] : members(all.who[k])[members(all.who[k]).length - 1]);
   }

   /* ---- Searching --------------------------------------------------------- */

   /* Lines of the slice with these words in text, place or function, and executions that wrote this name or value, or both:
   "price = 52".  The program's come first, and of these the nearest. */
   function findAll(words) {
      const found = [],
         [, name, value] = /^(.*?)\s*=\s*(.*)$/.exec(words) || [null, words, words],
         both = /=/.test(words);
      const lower = data.texts.map(x => x.toLowerCase()),
         cardsFound = new Map();
      rows.forEach(r => {
         const f = data.files[r.file];
         const text = f.source
            ? base(f.name) + ":" + r.line + "  " + r.text
            : f.labels[r.line] + "  " + textOf(r.file, r.line);
         if (r.n > 0 && !r.brace && (text.toLowerCase().includes(words) || r.function.toLowerCase().includes(words)))
            found.push({ rank: f.own ? 0 : 2, distance: r.distance, to: "#l" + r.file + "-" + r.line, text: text });
      });
      const isName = lower.map(x => x !== "" && (both ? x === name : x.includes(name))),
         isValue = lower.map(x => x !== "" && x === value);
      for (let i = 0; i < n && cardsFound.size < 10 * FOUND; i++) {
         const named = isName[data.wrote[i]],
            valued = isValue[data.result[i]] || (data.value[i] && "0x" + data.value[i] === value);
         if ((both ? named && valued : named || valued) && !cardsFound.has(cardOf[i])) cardsFound.set(cardOf[i], i);
      }
      cardsFound.forEach(i =>
         found.push({
            rank: t.isLibrary(i) ? 3 : 1,
            distance: data.distance[i],
            to: "#i" + i,
            text:
               cards.place(i) +
               "  " +
               (data.texts[data.wrote[i]] ? data.texts[data.wrote[i]] + " " : "") +
               "= " +
               data.texts[data.result[i]] +
               "  " +
               cards.lineText(i)
         })
      );
      return found.sort((a, b) => a.rank - b.rank || a.distance - b.distance);
   }

   function search() {
      const words = byId("words").value.trim().toLowerCase(),
         list = byId("found");
      list.replaceChildren();
      if (words === "") return;
      const found = findAll(words);
      found.slice(0, FOUND).forEach(x => list.append(make("li", {}, make("a", { href: x.to, class: "code" }, x.text))));
      if (found.length === 0) list.append(make("li", { class: "soft" }, "nothing of the slice"));
      if (found.length > FOUND)
         list.append(make("li", { class: "soft" }, "and " + count(found.length - FOUND) + " more"));
   }

   function endSearch() {
      byId("words").value = "";
      search();
   }

   /* ---- The page ---------------------------------------------------------- */

   function describe() {
      const inSlice = rows.filter(r => r.n > 0 && data.files[r.file].source && data.files[r.file].own).length;
      page.title(data.title, data.asked);
      byId("criterion").append(
         make("span", { class: "soft" }, data.forward ? "What depends on: " : "Where this came from: "),
         make("b", {}, data.asked)
      );
      byId("summary").textContent =
         many(data.instances, "instance") +
         " of " +
         count(data.executed) +
         " that were executed" +
         (data.lines > 0 ? "; " + count(inSlice) + " of " + many(data.lines, "line") + " of the program." : ".") +
         data.notes.map(x => " Not followed: " + x + ".").join("");
      byId("hint").textContent =
         "Each card is one execution of a line: what it made" +
         (data.forward
            ? ", and what used that. Follow a link to see where a value went."
            : ", and of what. Follow a link to the line where a value came from.");
      const crossings = data.crossings.map(x => make("li", {}, x));
      byId("crossings").append(...crossings.slice(0, CROSSINGS));
      if (crossings.length > CROSSINGS) {
         const more = make("button", {}, count(crossings.length - CROSSINGS) + " more");
         more.addEventListener("click", () => more.replaceWith(...crossings.slice(CROSSINGS)));
         byId("crossings").append(more);
      }
      [0, Math.floor(t.farthest / 8), t.farthest]
         .filter((d, k, all) => all.indexOf(d) === k)
         .forEach(d => {
            const box = make("i", {});
            box.style.background = "rgba(var(--near), " + heat(d) + ")";
            byId("legend").append(box, count(d));
         });
      byId("legend").prepend("distance");
   }

   /* A sentence on what did not run, with a link to the instance of the branch if the slice has it. */
   function omittedElement(text) {
      const m = /^(.*\bat )0x([0-9a-f]+)#(\d+)(.*)$/.exec(text);
      for (let i = 0; m && i < n; i++)
         if (data.instance[i] === +m[3] && data.addr[data.instr[i]] === m[2])
            return make("p", {}, m[1], make("a", { href: "#i" + i }, cards.place(i)), m[4]);
      return make("p", {}, text);
   }

   function listOmitted() {
      if (data.omitted.length === 0) return;
      byId("omitted").append(make("h2", {}, "What did not run"), ...data.omitted.slice(0, OMITTED).map(omittedElement));
      if (data.omitted.length > OMITTED)
         byId("omitted").append(make("p", { class: "soft" }, "and " + count(data.omitted.length - OMITTED) + " more"));
   }

   function listFiles() {
      for (const own of [true, false]) {
         const group = make("optgroup", { label: own ? "the program" : "libraries and headers" });
         data.files.forEach((f, k) => {
            if (f.own === own)
               group.append(
                  make(
                     "option",
                     { value: k },
                     base(f.name) + " (" + many(sliceLines[k].length, f.source ? "line" : "instruction") + ")"
                  )
               );
         });
         if (group.firstChild) byId("file").append(group);
      }
   }

   function showAgain() {
      if (state.file >= 0) showFile(state.file);
      choose(state.row >= 0 && rows[state.row].file === state.file ? state.row : -1);
   }

   function listen() {
      byId("file").addEventListener("change", e => {
         state.file = +e.target.value;
         showAgain();
      });
      byId("all").addEventListener("change", showAgain);
      byId("code").addEventListener("change", () => state.row < 0 || showCards());
      byId("words").addEventListener("input", () => page.shown() && search());
      byId("words").addEventListener("keydown", e => {
         if (!page.shown()) return;
         const link = byId("found").querySelector("a");
         if (e.key === "Enter" && link) location.hash = link.getAttribute("href");
         if (e.key === "ArrowDown" && link) {
            e.preventDefault();
            link.focus();
         }
         if (e.key === "Escape" || (e.key === "Enter" && link)) {
            endSearch();
            byId("words").blur();
         }
      });
      byId("found").addEventListener("keydown", e => {
         const links = Array.from(byId("found").querySelectorAll("a")),
            k = links.indexOf(document.activeElement);
         const to = { ArrowDown: links[k + 1], ArrowUp: links[k - 1] || byId("words"), Escape: byId("words") }[e.key];
         if (to) {
            e.preventDefault();
            to.focus();
         }
         if (e.key === "Escape") endSearch();
      });
      byId("found").addEventListener("click", endSearch);
      byId("up").addEventListener("click", () => step(-1));
      byId("down").addEventListener("click", () => step(1));
      byId("source").addEventListener("click", e => {
         const row = e.target.closest("tr.in");
         if (row && !e.target.closest("a") && getSelection().isCollapsed) location.hash = "#l" + row.id.slice(1);
      });
      page.key(["j"], "next line of the slice", () => step(1));
      page.key(["k"], "line before", () => step(-1));
      page.key(["n"], "next execution of the line", () => stepInstance(1));
      page.key(["p"], "execution before", () => stepInstance(-1));
      page.key(["c"], "the criterion", () => {
         if (data.criterion.length > 0) location.hash = "#i" + data.criterion[0];
      });
      page.key(["i"], "show instructions, or hide them", () => byId("code").click());
   }

   describe();
   listFiles();
   listOmitted();
   listen();
   return { follow };
}
