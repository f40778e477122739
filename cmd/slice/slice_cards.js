/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Cards: what a line made when it was executed, and of what. */
"use strict";
function sliceCards(t, isChosen, toTable) {
   const { make, byId, count, many, base, brief } = kit;
   const { data, first, input } = t;
   const INPUTS = 16; // of a card that are shown
   const USERS = 20,
      STACK = 12,
      INSTANCES = 1000;
   const several = data.threads > 1 && data.threadNames.length > 0;

   const nameOf = i => "0x" + data.addr[data.instr[i]] + "#" + data.instance[i];
   const anchor = (i, ...inside) => make("a", { href: "#i" + i }, ...inside);
   const threadOf = i => "thread " + (data.threadNames[data.thread[i]] || data.thread[i]);

   /* "price.c:20", or the function and library of what has no lines of the program. */
   const isLines = i => !t.isLibrary(i) && data.files[t.rows[t.row(i)].file].source;
   function place(i) {
      const r = t.rows[t.row(i)],
         f = data.files[r.file],
         where = t.functionOf(i);
      if (!isLines(i))
         return (where ? brief(where) : "0x" + data.addr[data.instr[i]]) + " (" + base(t.imageOf(i).name) + ")";
      return base(f.name) + ":" + r.line;
   }
   const inFunction = i => (t.functionOf(i) && isLines(i) ? " in " + brief(t.functionOf(i)) : "");
   const lineText = i => (t.isLibrary(i) ? "" : t.rows[t.row(i)].text);

   /* A value as the processor has it: as a number, if it is one of at most 8 bytes, and in hexadecimal. */
   function machineValue(i) {
      const hex = data.value[i] || "";
      if (hex === "" || hex.length > 16) return hex && "0x" + hex;
      const whole = BigInt("0x" + hex);
      return whole < 10n ? String(whole) : whole < 1000000n ? whole + " (0x" + hex + ")" : "0x" + hex;
   }

   /* "price = 52" and the type. */
   function valueElement(name, value, type, named) {
      const e = make("code", {}, name);
      if (value) e.append(name ? " = " : "= ", make("b", {}, value));
      const out = make("span", {}, e);
      if (type && named) out.append(" ", make("span", { class: "type" }, type));
      return out;
   }

   /* ---- Inputs of a card --------------------------------------------------- */

   function fromElement(i) {
      const e = make(
         "div",
         { class: "from" },
         "\u2190 ",
         anchor(i, place(i)),
         make("span", { class: "soft" }, inFunction(i))
      );
      if (lineText(i)) e.append(make("code", {}, "  " + lineText(i)));
      return e;
   }

   function throughText(through, from) {
      const names = Array.from(through).map(x => brief(data.functions[x] || "?", 40));
      return (
         (from < 0 ? "" : "through ") +
         names.slice(0, 4).join(", ") +
         (names.length > 4 ? " and " + (names.length - 4) + " more" : "")
      );
   }

   function originElement(c, o) {
      const e = make("li", {}),
         reader = t.members(c)[0];
      if (o.port !== "control") {
         e.append(valueElement(o.name, o.value, o.type, o.named));
         if (o.use === t.ADDRESS) e.append(make("span", { class: "soft" }, " \u00b7 selects the place"));
         if (o.use === t.BRANCH) e.append(make("span", { class: "soft" }, " \u00b7 decides what runs"));
      }
      if (o.from < 0) {
         e.append(
            make(
               "div",
               { class: "from soft" },
               data.window
                  ? "written before the window that was kept, or by nobody"
                  : "nothing that was executed wrote it: initial data"
            )
         );
         return e;
      }
      e.append(fromElement(o.from));
      if (data.thread[o.from] !== data.thread[reader]) {
         e.classList.add("crossing");
         e.append(make("div", { class: "from" }, "written by " + threadOf(o.from) + ", read by " + threadOf(reader)));
      }
      if (o.through && o.through.size > 0 && !t.isLibrary(o.from))
         e.append(make("div", { class: "from soft" }, throughText(o.through, o.from)));
      return e;
   }

   function group(out, title, list, c) {
      if (list.length === 0) return;
      const ul = make("ul", { class: "inputs" });
      list.slice(0, INPUTS).forEach(o => ul.append(originElement(c, o)));
      if (list.length > INPUTS) {
         const more = make("button", {}, many(list.length - INPUTS, "more input")),
            li = make("li", {}, more);
         more.addEventListener("click", () => li.replaceWith(...list.slice(INPUTS).map(o => originElement(c, o))));
         ul.append(li);
      }
      out.append(make("h3", {}, title), ul);
   }

   function madeElements(c, made) {
      const out = document.createDocumentFragment();
      group(
         out,
         "made of",
         made.inputs.filter(o => o.port !== "control"),
         c
      );
      group(
         out,
         "ran because of",
         made.inputs.filter(o => o.port === "control" && !t.isCall(o.from)),
         c
      );
      if (made.inputs.length === 0 && !data.forward) out.append(make("h3", {}, "made of nothing that was executed"));
      const passed = [];
      if (made.frame > 0)
         passed.push(
            "left out: " +
               many(made.frame, "input") +
               " that only keep the stack: frame pointers, saved registers and the like"
         );
      if (made.not > 0) passed.push(many(made.not, "input") + " not followed");
      if (passed.length > 0) out.append(make("p", { class: "stack soft" }, passed.join("; ")));
      return out;
   }

   /* Other cards that used card c, each by its first instance that did; what stands between is passed as for inputs. */
   function usersOf(c) {
      const seen = new Set(),
         users = new Map(),
         todo = Array.from(t.members(c));
      for (let x = 0; x < todo.length && x < 5000 && users.size <= USERS; x++)
         for (let k = t.byInput.from[todo[x]]; k < t.byInput.from[todo[x] + 1]; k++) {
            const j = t.byInput.who[k],
               u = t.owner(j),
               card = t.cardOf[u];
            if (card === c || seen.has(u) || data.use[j] === t.FRAME || (t.isControl(j) && t.isCall(todo[x]))) continue;
            seen.add(u);
            if ((t.isLibrary(u) || t.rows[t.row(u)].brace) && !t.isControl(j)) todo.push(u);
            else if (!users.has(card)) users.set(card, u);
         }
      return Array.from(users.values());
   }

   function usersElements(c) {
      const users = usersOf(c),
         ul = make("ul", { class: "users" });
      if (users.length === 0) return [];
      users
         .slice(0, USERS)
         .forEach(u =>
            ul.append(
               make(
                  "li",
                  {},
                  "\u2192 ",
                  anchor(u, place(u)),
                  make("span", { class: "soft" }, inFunction(u)),
                  make("code", {}, "  " + lineText(u))
               )
            )
         );
      if (users.length > USERS) ul.append(make("li", { class: "soft" }, "and more"));
      return [make("h3", {}, "used by"), ul];
   }

   function stackElement(i) {
      const calls = t.stackOf(i),
         e = make("p", { class: "stack" }, make("span", { class: "soft" }, "call stack: "));
      e.append(brief(t.functionOf(i) || "?"));
      calls
         .slice(0, STACK)
         .forEach(c =>
            e.append(
               make("span", { class: "soft" }, " \u2190 "),
               isLines(c) ? brief(t.functionOf(c) || "?") + " " : "",
               anchor(c, place(c))
            )
         );
      if (calls.length > STACK)
         e.append(make("span", { class: "soft" }, " \u2190 " + (calls.length - STACK) + " more"));
      return calls.length > 0 ? e : "";
   }

   /* ---- The way back: always the first input -------------------------------------- */

   const WAY = 12; // steps

   function wayElements(c, made) {
      const list = make("ol", { class: "way" }),
         seen = new Set([c]);
      for (
         let at = made.inputs[0];
         at && at.from >= 0 && at.port !== "control" && list.children.length < WAY;
         at = t.origins(t.cardOf[at.from], at.from).inputs[0]
      ) {
         const card = t.cardOf[at.from];
         if (seen.has(card) || t.isLibrary(at.from)) break;
         seen.add(card);
         const result = t.resultOf(card),
            li = make("li", {}, anchor(at.from, place(at.from)));
         if (result >= 0)
            li.append(" ", valueElement(data.texts[data.wrote[result]], data.texts[data.result[result]], "", false));
         li.append(make("code", { class: "soft" }, "  " + lineText(at.from)));
         list.append(li);
      }
      return list.children.length > 1 ? [make("h3", {}, "the way back, by the first input each time"), list] : [];
   }

   /* ---- Instructions ------------------------------------------------------- */

   function inputElement(i, k) {
      const what = data.texts[data.name[k]] || data.ports[data.port[k]];
      const e = make("li", {}, make("span", { class: "soft" }, what + " \u2190 "));
      if (input[k] >= 0) {
         e.append(anchor(input[k], make("code", {}, nameOf(input[k])), " \u00b7 " + place(input[k])));
         if (machineValue(input[k])) e.append(make("span", { class: "soft code" }, " = " + machineValue(input[k])));
      } else {
         e.append(
            make(
               "span",
               { class: "soft" },
               input[k] !== -1
                  ? "not followed"
                  : data.window
                    ? "before the window, or nothing"
                    : "nothing that was executed"
            )
         );
      }
      return e;
   }

   function instanceElement(i) {
      const e = make("li", { id: "e" + i, tabindex: -1, "aria-label": "Instance " + nameOf(i) });
      e.append(anchor(i, make("code", {}, make("b", {}, nameOf(i)))));
      if (machineValue(i)) e.append(make("code", {}, " = " + machineValue(i)));
      e.append(make("span", { class: "soft" }, " \u00b7 distance " + count(data.distance[i])));
      if (data.code[data.instr[i]]) e.append(make("br", {}), make("code", {}, data.code[data.instr[i]]));
      const inputs = make("ul", {});
      for (let k = first[i]; k < first[i + 1]; k++) inputs.append(inputElement(i, k));
      if (first[i] === first[i + 1]) inputs.append(make("li", { class: "soft" }, "nothing that was executed"));
      e.append(inputs);
      if (isChosen(i)) e.classList.add("chosen-instance");
      return e;
   }

   function codeElement(own) {
      const list = make("ol", {}),
         code = make("details", {}, make("summary", {}, many(own.length, "instruction")), list);
      const fill = () => {
         if (code.open && !list.firstChild)
            Array.from(own)
               .slice(0, INSTANCES)
               .forEach(i => list.append(instanceElement(i)));
      };
      code.open = byId("code").checked;
      fill();
      code.addEventListener("toggle", fill);
      return code;
   }

   /* ---- A card -------------------------------------------------------------- */

   const criterionCards = new Set(data.criterion.map(i => t.cardOf[i]));

   /* Card c, which is execution NUMBER of OF that the slice has of its line. */
   function cardElement(c, number, of) {
      const own = t.members(c),
         last = own[own.length - 1],
         chosen = own.some(isChosen),
         made = t.resultOf(c);
      const e = make("li", { id: "c" + c, tabindex: -1, "aria-label": "Execution of " + place(last) });
      const near = own.reduce((d, i) => Math.min(d, data.distance[i]), Infinity);
      const head = make("div", { class: "head" }, anchor(last, make("b", {}, place(last))));
      if (criterionCards.has(c)) head.append(make("span", { class: "badge" }, "\u2605 criterion"));
      if (of > 1) head.append(make("span", { class: "soft" }, "execution " + count(number) + " of " + count(of)));
      head.append(toTable());
      if (several) head.append(make("span", { class: "badge" }, threadOf(last)));
      head.append(
         make(
            "span",
            { class: "soft far", title: "steps from the criterion, from a value to what it was made of" },
            "distance " + count(near)
         )
      );
      e.append(head);
      if (lineText(last)) e.append(make("code", { class: "statement" }, lineText(last)));
      if (made >= 0 && !t.isLibrary(made)) {
         const name = data.texts[data.wrote[made]];
         e.append(
            make(
               "p",
               { class: "made" },
               valueElement(name, data.texts[data.result[made]], data.texts[data.wroteType[made]], true)
            )
         );
      }
      const inputs = t.origins(c, made >= 0 ? made : last);
      e.append(madeElements(c, inputs));
      if (chosen) {
         e.classList.add("chosen");
         e.setAttribute("aria-current", "true");
         e.append(...usersElements(c), ...(data.forward ? [] : wayElements(c, inputs)));
      }
      e.append(stackElement(last), codeElement(own));
      return e;
   }

   return { nameOf, anchor, place, inFunction, lineText, machineValue, cardElement };
}
