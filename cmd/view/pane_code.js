/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with a routine's code beside its source: what is pointed at in one is marked in the other.  The hotter a line
   or a block, the darker.  Without its source, the code has all of the pane. */
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

   /* Shade element E: PART is its share of the hottest one. */
   function shade(e, part) {
      if (part > 0.005) e.style.setProperty("--heat", (0.04 + 0.4 * part).toFixed(3));
      return e;
   }

   function blockElement(b, row, most) {
      const heat = v.instrsOf(b) / most;
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
         const instr = make(
            "div",
            { class: "instr", "data-line": data.iLine[i] > 0 ? key(data.iFile[i], data.iLine[i]) : "" },
            make("span", { class: "n" }, v.count(data.bRuns[b])),
            make("span", { class: "address" }, at.toString(16)),
            make("span", {}, v.text(data.iText[i]))
         );
         out.append(shade(instr, heat));
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

   /* Whether the text of file F is there. */
   const hasText = f => f > 0 && data.sources[f - 1].text.length > 0;

   /* Return the instructions of stubs of linkage tables that block B entered. */
   const stubsOf = b =>
      v.edgesOf(b).reduce((s, e) => s + (e.to >= 0 && data.rFunction[v.rowOf[e.to]] < 0 ? Number(e.count) * data.bInstrs[e.to] : 0), 0);

   /* Return by line, "file:line", the instructions executed there, with the stubs that it called, and how often its most
      frequent block ran; as .hottest the hottest line, of those whose text is there; as .most the most instructions of a line. */
   function lineCounts(row) {
      const lines = new Map(),
         isStub = data.rFunction[row] < 0;
      for (let b = data.rFirst[row]; b < data.rFirst[row + 1] && b + 1 < v.codeFrom.length; b++)
         for (let i = v.codeFrom[b]; i < v.codeFrom[b + 1]; i++) {
            if (data.iLine[i] === 0) continue;
            const k = key(data.iFile[i], data.iLine[i]),
               l = lines.get(k) || { file: data.iFile[i], line: data.iLine[i], instrs: 0, runs: 0, old: 0, chain: 0 };
            l.instrs += Number(data.bRuns[b]) + (i + 1 === v.codeFrom[b + 1] && !isStub ? stubsOf(b) : 0);
            l.runs = Math.max(l.runs, Number(data.bRuns[b]));
            if (v.hasOld) l.old = Math.max(l.old, Number(data.bOld[b]));
            if (v.hasInlined && data.iChain[i] > 0) l.chain = data.iChain[i];
            lines.set(k, l);
         }
      const hottest = Array.from(lines).reduce(
         (a, b) => (hasText(b[1].file) > hasText(a[1].file) || (hasText(b[1].file) === hasText(a[1].file) && b[1].instrs > a[1].instrs) ? b : a),
         ["", { instrs: 0, file: 0 }]
      );
      lines.hottest = hottest[0];
      lines.most = Math.max(1, ...Array.from(lines.values(), l => l.instrs));
      return lines;
   }

   function lineElement(f, line, words, counts) {
      const l = counts.get(key(f, line));
      const out = make(
         "div",
         { class: l ? "line ran" : "line", "data-line": key(f, line) },
         make("span", { class: "n few" }, l ? v.share(l.instrs, data.instrs) : ""),
         make("span", { class: "n" }, l ? count(l.instrs) : ""),
         make("span", { class: "n" }, l ? count(l.runs) : ""),
         ...(v.hasOld ? [make("span", { class: "n" }, l ? deltaElement(l.runs, l.old, "") : "")] : []),
         make("span", { class: "n lineno" }, String(line)),
         make("span", { class: "words" }, words),
         ...(l && l.chain > 0 ? [make("span", { class: "chain" }, v.text(l.chain))] : [])
      );
      return l ? shade(out, l.instrs / counts.most) : out;
   }

   /* Return the text of source lines COUNTS, of ROW. */
   function sourceElement(row, counts) {
      const files = new Map(),
         out = make("div", { class: "sourcecode" });
      counts.forEach(l => files.set(l.file, Math.min(files.get(l.file) ?? Infinity, l.line)));
      const weight = f =>
         Array.from(counts.values())
            .filter(l => l.file === f)
            .reduce((s, l) => s + l.instrs, 0);
      const own = data.iFile[v.codeFrom[data.rFirst[row]]];
      Array.from(files.keys())
         .sort((a, b) => hasText(b) - hasText(a) || (b === own) - (a === own) || weight(b) - weight(a))
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

   /* Return the code of BLOCKS of ROW, up to block UPTO at least; a button adds more.  MOST: instructions of the hottest. */
   function assemblyElement(blocks, row, most, upTo) {
      const code = make("div", { class: "assembly" }),
         more = make("button", {}, "more blocks");
      let next = 0;
      const fill = upTo => {
         for (let n = 0; next < blocks.length && (n < MOST || next <= upTo); next++) {
            n += Math.max(1, data.bInstrs[blocks[next]]);
            code.append(blockElement(blocks[next], row, most));
         }
         code.append(more);
         more.hidden = next >= blocks.length;
      };
      more.addEventListener("click", () => fill(-1));
      fill(upTo);
      return code;
   }

   const head = (words, title, more = "") => make("span", { class: "n" + more, title: title }, words);

   function sourceHalf(row, counts) {
      return make(
         "div",
         { class: "half", tabindex: 0, role: "group", "aria-label": "Source" },
         make(
            "div",
            { class: "columns" },
            head("share", "of the process's instructions", " few"),
            head("instructions", "executed for the line, in this function, with stubs of linkage tables that it calls"),
            head("executions", "how often the line's most frequent block ran"),
            ...(v.hasOld ? [head("B \u2212 A", "executions of the line's most frequent block, more than in the older run or less")] : []),
            head("line", "", " lineno")
         ),
         sourceElement(row, counts)
      );
   }

   function codeHalf(code) {
      return make(
         "div",
         { class: "half", tabindex: 0, role: "group", "aria-label": "Code" },
         make("div", { class: "columns" }, head("executions", ""), make("span", { class: "address" }, "address")),
         code
      );
   }

   /* Return BOX below two buttons: on a narrow screen, one half is shown at a time. */
   function withSides(box) {
      const sides = make("p", { class: "sides" });
      ["Source", "Code"].forEach((name, k) => {
         const b = make("button", { "aria-pressed": String(k === 0) }, name);
         b.addEventListener("click", () => {
            box.classList.toggle("second", k === 1);
            sides.querySelectorAll("button").forEach(x => x.setAttribute("aria-pressed", String(x === b)));
         });
         sides.append(b);
      });
      return make("div", { class: "full" }, sides, box);
   }

   /* Return the index of the hottest of BLOCKS that has code of LINE; else of the hottest one. */
   function withLine(blocks, line) {
      const has = b => {
         for (let i = v.codeFrom[b]; i < v.codeFrom[b + 1]; i++) if (key(data.iFile[i], data.iLine[i]) === line) return true;
         return false;
      };
      const found = blocks.filter(has),
         most = (found.length > 0 ? found : blocks).reduce((a, b) => (v.instrsOf(b) > v.instrsOf(a) ? b : a));
      return blocks.indexOf(most);
   }

   /* Scroll to LINE in the source, and to BLOCK in the code.  If the user CHOSE the block, mark it, and scroll the source to
      its first line; if the address has a line, mark that. */
   function scroll(box, line, block, chose, marked) {
      const e = box.querySelector("#b" + data.bId[block]),
         first = e && e.querySelector("[data-line]:not([data-line=''])"),
         at = line || (first && first.dataset.line),
         source = at && box.querySelector(".line[data-line='" + at + "']");
      if (e) (line && e.querySelector("[data-line='" + line + "']") || e).scrollIntoView({ block: "center" });
      if (source) source.scrollIntoView({ block: "center" });
      if (e && chose) e.classList.add("linked");
      if (marked) box.querySelectorAll("[data-line='" + marked + "']").forEach(x => x.classList.add("linked"));
   }

   return {
      id: "code",
      name: "Code",
      ofFunction: true,
      show(row, state) {
         const blocks = Array.from({ length: data.rFirst[row + 1] - data.rFirst[row] }, (x, k) => data.rFirst[row] + k);
         blocks.sort((a, b) => data.bOffset[a] - data.bOffset[b]);
         const hottest = blocks.reduce((a, b, k) => (v.instrsOf(b) > v.instrsOf(blocks[a]) ? k : a), 0),
            chosen = blocks.findIndex(b => String(data.bId[b]) === state.block),
            counts = row < data.hot ? lineCounts(row) : new Map(),
            files = new Set(Array.from(counts.values(), l => l.file)),
            known = Array.from(files).some(hasText);
         const line = chosen >= 0 ? "" : state.line || (known ? counts.hottest : ""),
            at = chosen >= 0 ? chosen : line ? withLine(blocks, line) : hottest;
         const box = make("div", { class: known ? "two" : "two alone" }),
            code = assemblyElement(blocks, row, Math.max(1, v.instrsOf(blocks[hottest])), at);
         if (row >= data.hot)
            code.prepend(
               make("p", { class: "soft" }, "Not among the hottest functions, whose code is in the page (--graphs=N has more).")
            );
         else if (!known)
            code.prepend(
               make(
                  "p",
                  { class: "soft" },
                  files.size === 0
                     ? "No source lines are known for this code: compile it with -g. This is the code itself."
                     : "The text of " + kit.base(data.sources[Array.from(files)[0] - 1].name) + " was not there when the page was made. This is the code itself."
               )
            );
         if (known) box.append(sourceHalf(row, counts));
         box.append(codeHalf(code));
         link(box);
         requestAnimationFrame(() => scroll(box, line, blocks[at], chosen >= 0, state.line));
         return known ? withSides(box) : box;
      }
   };
}
