/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice in tables: who uses whom, lines, cards.  The head of slice_html.c describes the data. */
"use strict";
function sliceTables(data) {
   const n = data.instr.length,
      instrs = data.addr.length;
   const VALUE = 0,
      ADDRESS = 1,
      BRANCH = 2,
      FRAME = 4;
   const isCall = i => (data.role[data.instr[i]] & 1) !== 0;
   const isLibrary = i => (data.role[data.instr[i]] & 2) !== 0;
   const stores = i => (data.role[data.instr[i]] & 4) !== 0;
   const isControl = k => data.ports[data.port[k]] === "control";
   const functionOf = i => data.functions[data.function[data.instr[i]]];
   const imageOf = i => data.images[data.image[data.instr[i]]];

   /* Code of an image without source stands as lines of text, too. */
   data.files.forEach((f, k) => {
      f.ran = new Set(f.executed);
      if (f.source) return;
      const code = [];
      for (let x = 0; x < instrs; x++) if (data.file[x] === k) code.push(x);
      f.labels = code.map(x => "0x" + data.addr[x]);
      f.text = [
         [
            0,
            code.map(
               x => data.code[x] + (data.functions[data.function[x]] ? "  ; " + data.functions[data.function[x]] : "")
            )
         ]
      ];
   });

   /* Inputs of instance i: input[first[i]] up to input[first[i + 1]]; -1: nothing executed, -2: not followed. */
   const first = new Int32Array(n + 1);
   for (let i = 0; i < n; i++) first[i + 1] = first[i] + data.count[i];
   const input = new Int32Array(first[n]);
   for (let i = 0; i < n; i++)
      for (let k = first[i]; k < first[i + 1]; k++) input[k] = data.back[k] > 0 ? i - data.back[k] : data.back[k] - 1;

   /* Who an input belongs to. */
   function owner(k) {
      let low = 0,
         high = n;
      while (low + 1 < high) {
         const middle = (low + high) >> 1;
         if (first[middle] <= k) low = middle;
         else high = middle;
      }
      return low;
   }

   /* Those who are in keys(k), in order: who[from[r]] up to who[from[r + 1]]. */
   function sorted(keys, groups, number) {
      const from = new Int32Array(groups + 1),
         who = new Int32Array(number),
         at = new Int32Array(groups);
      for (let k = 0; k < number; k++) if (keys(k) >= 0) from[keys(k) + 1]++;
      for (let r = 0; r < groups; r++) from[r + 1] += from[r];
      for (let k = 0; k < number; k++) {
         const r = keys(k);
         if (r >= 0) who[from[r] + at[r]++] = k;
      }
      return { from: from, who: who };
   }

   /* ---- Lines ------------------------------------------------------------- */

   function textOf(file, line) {
      for (const [from, lines] of data.files[file].text)
         if (line >= from && line < from + lines.length) return lines[line - from];
      return null;
   }

   /* Rows: places that are shown, numbered over all files.  A brace alone says nothing. */
   const BRACE = /^[\s{}();]*$/;
   const rowOf = new Int32Array(instrs),
      rows = [];
   (function () {
      const known = new Map();
      for (let x = 0; x < instrs; x++) {
         const file = data.file[x],
            line = data.line[x],
            key = file + ":" + line;
         if (!known.has(key)) {
            const text = data.files[file].source ? textOf(file, line) : null;
            known.set(key, rows.length);
            rows.push({
               file: file,
               line: line,
               distance: Infinity,
               n: 0,
               function: data.functions[data.function[x]],
               text: text === null ? "" : text.trim().slice(0, 160),
               brace: text !== null && BRACE.test(text)
            });
         }
         rowOf[x] = known.get(key);
      }
   })();
   const row = i => rowOf[data.instr[i]];
   let farthest = 0;
   for (let i = 0; i < n; i++) {
      const r = rows[row(i)];
      r.n++;
      r.distance = Math.min(r.distance, data.distance[i]);
      farthest = Math.max(farthest, data.distance[i]);
   }
   const linesOf = data.files.map(() => new Map());
   rows.forEach((r, k) => linesOf[r.file].set(r.line, k));
   const sliceLines = linesOf.map(m =>
      Array.from(m.keys())
         .filter(x => rows[m.get(x)].n > 0)
         .sort((a, b) => a - b)
   );

   /* ---- Activations and cards ---------------------------------------------- */

   /* The call that began the activation of instance i; -1: it is not known. */
   const caller = i => (data.caller[i] > 0 ? i - data.caller[i] : -1);

   /* The calls that were active, the innermost first. */
   function stackOf(i) {
      const calls = [];
      for (let c = caller(i); c >= 0; c = caller(c)) calls.push(c);
      return calls;
   }

   /* Cards: a line that was executed once.  An instance belongs to the card that its activation began last, if that is of the same
   line, and has not had this instruction yet; a repeated instruction is one. */
   const cardOf = new Int32Array(n),
      cards = [];
   (function () {
      const ids = new Map(),
         newest = new Map();
      const id = data.functions.map(f => ids.get(f) ?? (ids.set(f, ids.size), ids.size - 1));
      for (let i = 0; i < n; i++) {
         const x = data.instr[i],
            key = caller(i) >= 0 ? caller(i) : -1 - data.thread[i] * ids.size - id[data.function[x]];
         const card = newest.get(key);
         if (card && card.row === rowOf[x] && (!card.had.has(x) || (card.x === x && data.code[x].startsWith("rep")))) {
            card.had.add(x);
            card.x = x;
            cardOf[i] = card.number;
         } else {
            cardOf[i] = cards.length;
            newest.set(key, { row: rowOf[x], number: cards.length, had: new Set([x]), x: x });
            cards.push(rowOf[x]);
         }
      }
   })();
   const byRow = sorted(row, rows.length, n),
      byInput = sorted(k => input[k], n, first[n]);
   const byCard = sorted(i => cardOf[i], cards.length, n),
      cardsOf = sorted(c => cards[c], rows.length, cards.length);
   const members = c => byCard.who.subarray(byCard.from[c], byCard.from[c + 1]);

   /* Does instance i only keep the stack? */
   function keepsStack(i) {
      for (let k = first[i]; k < first[i + 1]; k++)
         if (data.use[k] === FRAME) return !stores(i) || input[k] < 0 || first[i + 1] - first[i] === 1;
      return false;
   }

   /* The instance that says what card c made: the last that stored, else the nearest to the criterion that computed a value. */
   function resultOf(c) {
      const own = members(c).filter(i => data.result[i] > 0 && !isCall(i) && !keepsStack(i));
      let best = -1;
      for (const i of own) if (stores(i)) best = i;
      for (const i of own) if (best < 0 || (!stores(best) && data.distance[i] <= data.distance[best])) best = i;
      return best;
   }

   /* ---- Where a card's inputs came from: as dcfg why has them -------------------- */

   const MOST_PASSED = 20000; // instances of libraries behind one input

   const isPassed = i => isLibrary(i) || rows[row(i)].brace;

   /* Behind copies: what input k of a card c brings, [instance, or -1, -2], and who handed it on is added to PASSED. */
   function behindCopies(c, k, passed) {
      let from = input[k];
      while (from >= 0 && !isLibrary(from) && cardOf[from] !== c && data.on[k] > 0) {
         const next = first[from] + data.on[k] - 1,
            to = input[next];
         if (to === -1 || (to >= 0 && isLibrary(to))) break;
         passed.push(from);
         k = next;
         from = to;
      }
      return from;
   }

   /* What each member of a card is there for, if other members use it. */
   function usesWithin(c) {
      const own = members(c),
         uses = new Map();
      for (let m = own.length - 1; m >= 0; m--) {
         const use = uses.get(own[m]) ?? VALUE;
         uses.set(own[m], use);
         for (let k = first[own[m]]; k < first[own[m] + 1]; k++)
            if (input[k] >= 0 && cardOf[input[k]] === c) {
               const inner = Math.max(use, data.use[k]);
               uses.set(input[k], Math.min(inner, uses.get(input[k]) ?? inner));
            }
      }
      return uses;
   }

   /* The members of card c: HEAD and what that uses in the card, as values before all else; then likewise those that no other member uses,
   the last first. */
   function fromHead(c, head, uses) {
      const own = Array.from(members(c)).reverse(),
         used = new Set(),
         seen = new Set(),
         order = [];
      for (const i of own) for (let k = first[i]; k < first[i + 1]; k++) used.add(input[k]);
      for (const i of [head, ...own.filter(i => !used.has(i)), ...own]) {
         const todo = [[], [], [], [], []];
         const put = j => seen.has(j) || (seen.add(j), todo[uses.get(j)].push(j));
         put(i);
         for (const level of todo)
            for (let m = 0; m < level.length; m++)
               for (let k = first[level[m]]; k < first[level[m] + 1]; k++)
                  if (input[k] >= 0 && cardOf[input[k]] === c) put(input[k]);
         order.push(...todo.flat());
      }
      return order;
   }

   /* { inputs: [{ from, use, name, type, value, through }], frame: how many more are frame pointers and the like, not: how many are
   not followed }.  An input's .from is -1 if nothing that was executed wrote it.  What HEAD used comes first. */
   function origins(c, head) {
      const found = new Map(),
         uses = usesWithin(c),
         seen = new Set();
      const out = { inputs: [], frame: 0, not: 0 };

      function add(from, use, k, through) {
         const name = isControl(k) ? "" : data.texts[data.name[k]] || data.ports[data.port[k]];
         const key = (from < 0 ? "end" : isControl(k) ? "because " + cardOf[from] : cardOf[from]) + ":" + name;
         const old = found.get(key);
         if (old && (old.use < use || (old.use === use && old.from >= from))) return;
         found.set(key, {
            from: from,
            use: use,
            name: name,
            named: data.name[k] > 0,
            type: data.texts[data.type[k]],
            value: data.texts[data.shown[k]],
            through: through,
            port: data.ports[data.port[k]]
         });
      }

      /* What a library, or a line that is but a brace, had of others. */
      function pass(start, use, k) {
         const todo = [[start, use]],
            through = new Set(),
            before = found.size;
         for (let t = 0; t < todo.length && t < MOST_PASSED; t++) {
            const [i, outer] = todo[t];
            if (isLibrary(i)) through.add(data.function[data.instr[i]]);
            for (let j = first[i]; j < first[i + 1]; j++) {
               const inner = Math.max(outer, data.use[j]);
               if (inner === FRAME || (isControl(j) && !isLibrary(i))) continue;
               const from = isControl(j) ? input[j] : behindCopies(c, j, []);
               if (from < 0 || cardOf[from] === c || seen.has(from)) continue;
               if (isPassed(from)) {
                  seen.add(from);
                  todo.push([from, inner]);
               } else if (isControl(j) || !isCall(from)) {
                  add(from, inner, k, through);
               }
            }
         }
         if (found.size === before) add(start, use, k, through);
      }

      function meet(i, k) {
         const use = Math.max(data.use[k], uses.get(i)),
            control = isControl(k);
         const from = use === FRAME || control ? input[k] : behindCopies(c, k, []);
         if (use === FRAME || (!control && from >= 0 && cardOf[from] !== c && isCall(from))) {
            out.frame++;
         } else if (from === -2) {
            out.not++;
         } else if (from === -1) {
            control || add(from, use, k, null);
         } else if (cardOf[from] !== c && (control || !isPassed(from))) {
            add(from, use, k, null);
         } else if (cardOf[from] !== c && !seen.has(from)) {
            seen.add(from);
            pass(from, use, k);
         }
      }

      for (const i of fromHead(c, head, uses)) for (let k = first[i]; k < first[i + 1]; k++) meet(i, k);
      out.inputs = Array.from(found.values());
      out.inputs.sort((a, b) => a.use - b.use || (a.from < 0) - (b.from < 0));
      return out;
   }

   return {
      data,
      n,
      VALUE,
      ADDRESS,
      BRANCH,
      FRAME,
      isCall,
      isLibrary,
      isControl,
      functionOf,
      imageOf,
      first,
      input,
      owner,
      textOf,
      rowOf,
      rows,
      row,
      farthest,
      linesOf,
      sliceLines,
      caller,
      stackOf,
      cardOf,
      cards,
      byRow,
      byInput,
      cardsOf,
      members,
      resultOf,
      origins
   };
}
