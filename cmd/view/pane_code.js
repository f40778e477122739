/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with a routine's code beside its source: what is pointed at in one is marked in the other. */
"use strict";
function paneCode(v, go) {
   const { make, count } = kit,
      { data } = v;
   const MOST = 1000; // instructions, or lines, at first

   const key = (file, line) => file + ":" + line;
   const ways = {
      RETURN: "returns to",
      FALL_THROUGH: "falls through to",
      REP: "repeats",
      EXIT: "ends",
      CONTEXT_CHANGE: "signal:",
      CONTEXT_CHANGE_RETURN: "back from a signal to"
   };

   function wayElement(b, e) {
      const where = e.to < 0 ? "" : v.isLocal(e) ? "block " + data.bId[e.to] : v.name(v.rowOf[e.to]);
      const what = ways[e.type] || (v.isCall(e) ? "calls" : /BYPASS$/.test(e.type) ? "goes on at" : "jumps to");
      const href = e.to < 0 ? null : go.link({ pane: "code", fn: data.rNode[v.rowOf[e.to]], block: data.bId[e.to] });
      return make(
         "div",
         { class: "way" },
         make("span", { class: "n" }, v.count(e.count)),
         make("span", { class: "n" }, v.share(e.count, data.bRuns[b])),
         make("span", { class: "soft" }, " " + what + " "),
         href ? make("a", { href: href }, where) : make("span", {}, where)
      );
   }

   /* Return the text of the change from OLD to NOW, in the colour of an increase or a decrease. */
   function deltaElement(now, old, before, after = "") {
      if (!v.hasOld) return "";
      const d = v.delta(now, old);
      return make(
         "span",
         { class: d > 0 ? "plus" : d < 0 ? "minus" : "soft" },
         before + (Number(old) < 0 ? "new" : v.signed(d) + after)
      );
   }

   function blockElement(b, row) {
      const out = make("section", { class: "blockcode", id: "b" + data.bId[b], "aria-label": "block " + data.bId[b] });
      let at = v.address(b),
         never = "",
         chain = 0;
      out.append(
         make(
            "div",
            { class: "blockhead" },
            make("span", { class: "n" }, v.count(data.bRuns[b])),
            make("span", { class: "n" }, v.share(v.instrsOf(b), data.rSelf[row])),
            " block " + data.bId[b] + ", " + v.blockPlace(b),
            deltaElement(v.instrsOf(b), v.hasOld && data.bOldInstrs[b], "  B \u2212 A ", " instructions")
         )
      );
      for (let i = v.codeFrom[b]; i < v.codeFrom[b + 1]; i++) {
         if (v.hasInlined && data.iChain[i] !== chain) {
            chain = data.iChain[i];
            out.append(make("div", { class: "chain" }, chain > 0 ? "inlined: " + v.text(chain) : "not inlined"));
         }
         out.append(
            make(
               "div",
               { class: "instr", "data-line": data.iLine[i] > 0 ? key(data.iFile[i], data.iLine[i]) : "" },
               make("span", { class: "n" }, v.count(data.bRuns[b])),
               make("span", { class: "address" }, at.toString(16)),
               make("span", {}, v.text(data.iText[i]))
            )
         );
         at += BigInt(data.iSize[i]);
      }
      if (v.codeFrom[b] === v.codeFrom[b + 1])
         out.append(
            make("div", { class: "instr soft" }, count(data.bInstrs[b]) + " instructions, whose code is not here")
         );
      const edges = v.edgesOf(b),
         branch = v.codeFrom[b + 1] > v.codeFrom[b] && data.iBranch[v.codeFrom[b + 1] - 1] === 1;
      const taken = edges.some(e => /CONDITIONAL_BRANCH$/.test(e.type) && !/UNCONDITIONAL/.test(e.type)),
         falls = edges.some(e => e.type === "FALL_THROUGH");
      if (branch && taken !== falls) never = taken ? "never fell through" : "was never taken";
      edges.forEach(e => out.append(wayElement(b, e)));
      if (never)
         out.append(
            make(
               "div",
               { class: "way never" },
               make("span", { class: "n" }, "0"),
               make("span", { class: "n" }, "0.0%"),
               make("span", {}, " the branch " + never)
            )
         );
      return out;
   }

   /* Return by line, "file:line", the instructions executed there, and how often its most frequent block ran. */
   function lineCounts(row) {
      const lines = new Map();
      for (let b = data.rFirst[row]; b < data.rFirst[row + 1] && b + 1 < v.codeFrom.length; b++)
         for (let i = v.codeFrom[b]; i < v.codeFrom[b + 1]; i++) {
            if (data.iLine[i] === 0) continue;
            const k = key(data.iFile[i], data.iLine[i]),
               l = lines.get(k) || { file: data.iFile[i], line: data.iLine[i], instrs: 0, runs: 0, old: 0, chain: 0 };
            l.instrs += Number(data.bRuns[b]);
            l.runs = Math.max(l.runs, Number(data.bRuns[b]));
            if (v.hasOld) l.old = Math.max(l.old, Number(data.bOld[b]));
            if (v.hasInlined && data.iChain[i] > 0) l.chain = data.iChain[i];
            lines.set(k, l);
         }
      return lines;
   }

   function lineElement(f, line, words, counts) {
      const l = counts.get(key(f, line));
      return make(
         "div",
         { class: l ? "line ran" : "line", "data-line": key(f, line) },
         make("span", { class: "n" }, l ? count(l.runs) : ""),
         make("span", { class: "n" }, l ? count(l.instrs) : ""),
         ...(v.hasOld ? [make("span", { class: "n" }, l ? deltaElement(l.runs, l.old, "") : "")] : []),
         make("span", { class: "n lineno" }, String(line)),
         make("span", { class: "words" }, words),
         ...(l && l.chain > 0 ? [make("span", { class: "chain" }, v.text(l.chain))] : [])
      );
   }

   function sourceElement(row) {
      const counts = lineCounts(row),
         files = new Map(),
         out = make("div", { class: "sourcecode" });
      counts.forEach(l => files.set(l.file, Math.min(files.get(l.file) ?? Infinity, l.line)));
      const weight = f =>
         Array.from(counts.values())
            .filter(l => l.file === f)
            .reduce((s, l) => s + l.instrs, 0);
      const own = data.iFile[v.codeFrom[data.rFirst[row]]];
      Array.from(files.keys())
         .sort((a, b) => (b === own) - (a === own) || weight(b) - weight(a))
         .forEach(f => {
            const s = data.sources[f - 1],
               lines = Array.from(counts.values())
                  .filter(l => l.file === f)
                  .map(l => l.line)
                  .sort((a, b) => a - b);
            const from = lines[0] - 4,
               to = lines[lines.length - 1] + 2;
            out.append(
               make("div", { class: "filename" }, s.name + (s.text.length === 0 ? " (its text is not here)" : ""))
            );
            let shown = 0,
               last = -1;
            for (const [first, texts] of s.text)
               texts.forEach((t, k) => {
                  const line = first + k;
                  if (line < from || line > to || shown > MOST || !lines.some(x => Math.abs(x - line) <= 4)) return;
                  if (last >= 0 && line > last + 1) out.append(make("div", { class: "soft gap" }, "\u22ef"));
                  last = line;
                  shown++;
                  out.append(lineElement(f, line, t, counts));
               });
            if (s.text.length === 0) lines.slice(0, MOST).forEach(line => out.append(lineElement(f, line, "", counts)));
         });
      if (files.size === 0) out.append(make("p", { class: "soft" }, "No source lines are known for this code."));
      return out;
   }

   function link(box) {
      const mark = (name, line, scroll, from) => {
         box.querySelectorAll("." + name).forEach(e => e.classList.remove(name));
         if (!line) return;
         const found = Array.from(box.querySelectorAll("[data-line]")).filter(e => e.dataset.line === line);
         found.forEach(e => e.classList.add(name));
         const other = scroll && found.find(e => e.closest(".half") !== from);
         if (other) other.scrollIntoView({ block: "center" });
      };
      box.addEventListener("mouseover", e => {
         const at = e.target.closest("[data-line]");
         mark("pointed", at && at.dataset.line);
      });
      /* An arrow key goes to the next line, or instruction, with a counterpart, and marks both. */
      box.addEventListener("keydown", e => {
         const by = { ArrowDown: 1, ArrowUp: -1 }[e.key],
            half = e.target.closest(".half");
         if (!by || e.target !== half) return;
         const all = Array.from(half.querySelectorAll(".line.ran, .instr[data-line]")).filter(x => x.dataset.line),
            here = all.findIndex(x => x.classList.contains("linked"));
         let k = here < 0 ? 0 : here + by;
         while (all[k] && here >= 0 && all[k].dataset.line === all[here].dataset.line) k += by;
         if (!all[k]) return;
         e.preventDefault();
         mark("linked", all[k].dataset.line, true, half);
         all[k].scrollIntoView({ block: "nearest" });
         kit.say(all[k].textContent);
      });
      box.addEventListener("click", e => {
         const at = e.target.closest("[data-line]");
         if (at && !e.target.closest("a")) mark("linked", at.dataset.line, true, at.closest(".half"));
      });
   }

   return {
      id: "code",
      name: "Code",
      ofFunction: true,
      show(row, state) {
         const blocks = Array.from({ length: data.rFirst[row + 1] - data.rFirst[row] }, (x, k) => data.rFirst[row] + k);
         blocks.sort((a, b) => data.bOffset[a] - data.bOffset[b]);
         const code = make("div", { class: "assembly" }),
            box = make("div", { class: "two" });
         const chosen = blocks.findIndex(b => String(data.bId[b]) === state.block);
         let next = 0;
         const more = make("button", {}, "more blocks");
         const fill = upTo => {
            for (let n = 0; next < blocks.length && (n < MOST || next <= upTo); next++) {
               n += Math.max(1, data.bInstrs[blocks[next]]);
               code.append(blockElement(blocks[next], row));
            }
            code.append(more);
            more.hidden = next >= blocks.length;
         };
         more.addEventListener("click", () => fill(-1));
         fill(chosen);
         if (row >= data.hot)
            code.prepend(
               make(
                  "p",
                  { class: "soft" },
                  "Not among the hottest functions, whose code is in the page (--graphs=N has more)."
               )
            );
         box.append(
            make(
               "div",
               { class: "half", tabindex: 0, role: "group", "aria-label": "Source" },
               make(
                  "div",
                  {
                     class: "columns",
                     title: "how often the line's most frequent block ran; instructions executed for the line"
                  },
                  make("span", { class: "n" }, "executions"),
                  make("span", { class: "n" }, "instructions"),
                  ...(v.hasOld ? [make("span", { class: "n", title: "executions of the line's most frequent block, more than in the older run or less" }, "B \u2212 A")] : []),
                  make("span", { class: "n lineno" }, "line")
               ),
               row < data.hot ? sourceElement(row) : ""
            ),
            make(
               "div",
               { class: "half", tabindex: 0, role: "group", "aria-label": "Code" },
               make(
                  "div",
                  { class: "columns" },
                  make("span", { class: "n" }, "executions"),
                  make("span", { class: "address" }, "address")
               ),
               code
            )
         );
         link(box);
         if (chosen >= 0)
            requestAnimationFrame(() => {
               const e = kit.byId("b" + state.block);
               e.scrollIntoView({ block: "center" });
               e.classList.add("linked");
            });
         return box;
      }
   };
}
