/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The data of a run's page, with what follows from it.  The head of cmd_view.c describes it. */
"use strict";
function viewData(data) {
   const rows = data.rName.length,
      blocks = data.bId.length;

   /* Return the running sums of COUNTS: where the edges, or the instructions, of each of N blocks begin. */
   function sums(counts, n) {
      const from = new Int32Array(n + 1);
      for (let i = 0; i < n; i++) from[i + 1] = from[i] + (counts[i] || 0);
      return from;
   }
   const edgeFrom = sums(data.bOut, blocks),
      codeFrom = sums(data.bCode, data.bCode.length);

   /* The row of each block. */
   const rowOf = new Int32Array(blocks);
   for (let r = 0; r < rows; r++) rowOf.fill(r, data.rFirst[r], data.rFirst[r + 1]);

   const text = i => data.texts[i];
   const name = r => text(data.rName[r]);
   const shorts = new Map();
   for (let k = 0; k < data.shorts.length; k += 2) shorts.set(data.shorts[k], data.shorts[k + 1]);

   /* Return text I, a name, in short. */
   const short = i => text(shorts.get(i) ?? i);
   const total = Number(data.instrs);

   /* Format a count, which is a text if it is too large for a number. */
   const count = x => (typeof x === "string" ? BigInt(x).toLocaleString("en-US") : kit.count(x));
   const share = (part, whole) => (whole > 0 ? ((100 * Number(part)) / Number(whole)).toFixed(1) + "%" : "");
   /* delta() returns NOW minus OLD, exactly.  A count below 0 means that the run does not have the thing: it counts as 0. */
   const there = x => (typeof x === "string" || x >= 0 ? x : 0);
   function delta(now, old) {
      const [a, b] = [there(now), there(old)];
      return typeof a === "number" && typeof b === "number" ? a - b : BigInt(a) - BigInt(b);
   }
   const signed = d => (d > 0 ? "+" + d.toLocaleString("en-US") : d < 0 ? "\u2212" + (-d).toLocaleString("en-US") : "0");

   /* Return the growth from OLD to NOW in the form of dcfg diff: "+6.6%". */
   function percent(now, old) {
      const p = (100 * Number(delta(now, old))) / Number(old);
      if (!(Number(old) > 0)) return "grown";
      if (Math.abs(p) >= 1000) return "\u00d7" + (Number(now) / Number(old)).toFixed(0);
      return (p < 0 ? "\u2212" : "+") + Math.abs(p).toFixed(Math.abs(p) < 9.95 ? 1 : 0) + "%";
   }

   /* Return a table's column of NOW(row) minus OLD(row), in an array that is empty without an older run. */
   const hasOld = data.old !== undefined;
   const deltaColumn = (now, old) =>
      hasOld
         ? [
              {
                 name: "B \u2212 A",
                 title: "more than in the older run, or less",
                 number: true,
                 value: r => delta(now(r), old(r)),
                 text: r => (Number(old(r)) < 0 ? "new" : signed(delta(now(r), old(r)))),
                 tone: r => Math.sign(Number(delta(now(r), old(r))))
              }
           ]
         : [];
   const instrsOf = b => Number(data.bRuns[b]) * data.bInstrs[b];
   /* The change of a block's instructions since the older run; negative if it has fewer. */
   const changeOf = b => delta(instrsOf(b), data.bOldInstrs[b]);
   const toneOf = b => (!hasOld || Number(changeOf(b)) === 0 ? "" : changeOf(b) > 0 ? " plus" : " minus");
   const address = b => BigInt("0x" + data.images[data.rImage[rowOf[b]]].load) + BigInt(data.bOffset[b]);
   const isOwn = r => data.images[data.rImage[r]].own;
   /* Whether the program itself executed less than a hundredth of all instructions, so that libraries are shown, too. */
   const isFew = data.rSelf.reduce((sum, n, r) => sum + (isOwn(r) ? Number(n) : 0), 0) < total / 100;
   const rowByNode = new Map(data.rNode.map((id, r) => [id, r]));
   const loopRow = l => data.lRow[l];

   /* Return the edges of block B, [{ to, type, count }], the most frequent first.  With ALL, edges past a call, which have
      no count, are there, too. */
   function edgesOf(b, all) {
      const out = [];
      for (let e = edgeFrom[b]; e < edgeFrom[b + 1]; e++)
         if (all || Number(data.eCount[e]) > 0)
            out.push({ edge: e, to: data.eTo[e], type: data.types[data.eType[e]], count: data.eCount[e], old: hasOld ? data.eOld[e] : -1 });
      return out.sort((x, y) => Number(y.count) - Number(x.count));
   }
   const LOCAL = /BRANCH$|^REP$|^FALL_THROUGH$|_BYPASS$/;
   const isLocal = e => LOCAL.test(e.type) && e.to >= 0;
   const isCall = e => /CALL$/.test(e.type) && e.type !== "SYSTEM_CALL";

   /* Return the names of the functions that block B calls. */
   const calledBy = b =>
      edgesOf(b)
         .filter(e => isCall(e) && e.to >= 0)
         .map(e => ({ row: rowOf[e.to], count: e.count }));

   /* Return the place of block B: "price.c:12", or "price.c:12-15" if it has several lines; without lines, the offset in
      the routine. */
   function blockPlace(b) {
      const source = text(data.bSource[b]),
         line = Number(source.slice(source.lastIndexOf(":") + 1));
      if (source !== "") return data.bLast[b] > line ? source + "-" + data.bLast[b] : source;
      const off = data.bOffset[b] - data.bOffset[data.rFirst[rowOf[b]]];
      return name(rowOf[b]) === ""
         ? "0x" + address(b).toString(16)
         : (off < 0 ? "-0x" : "+0x") + Math.abs(off).toString(16);
   }

   /* The functions between which calls are known: those of recorded calls, else those of the source. */
   const hasCosts = data.cCost !== undefined;
   const called = hasCosts
      ? { name: data.kName, image: data.kImage, self: data.kSelf, inclusive: data.kInclusive, row: data.kRow }
      : { name: data.fName, image: data.fImage, self: data.fSelf, inclusive: data.fInclusive, row: data.fRow };
   const calledByRow = new Map(called.row.map((r, k) => [r, k]));

   /* Return the function of these that ROW begins or, else, is a part of; -1: none. */
   function calledOf(row) {
      const f = data.rFunction[row];
      if (!hasCosts || calledByRow.has(row)) return hasCosts ? calledByRow.get(row) : f;
      return f >= 0 ? (calledByRow.get(data.fRow[f]) ?? -1) : -1;
   }

   /* Return where the code of line LINE of file FILE, a path, is hottest: { row, key }, for the pane of code; or null. */
   const places = new Map();
   function placeOf(file, line) {
      if (places.size === 0) findPlaces();
      return places.get(file + ":" + line) || null;
   }
   function findPlaces() {
      const wanted = new Set(data.hLine),
         sums = new Map();
      places.set("", null);
      for (let b = 0; b + 1 < codeFrom.length && wanted.size > 0; b++)
         for (let i = codeFrom[b]; i < codeFrom[b + 1]; i++) {
            if (!wanted.has(data.iLine[i])) continue;
            const file = data.iFile[i],
               k = rowOf[b] + "," + file + ":" + data.iLine[i],
               found = sums.get(k) || { row: rowOf[b], key: file + ":" + data.iLine[i], at: data.sources[file - 1].name + ":" + data.iLine[i], n: 0 };
            found.n += Number(data.bRuns[b]);
            sums.set(k, found);
         }
      for (const x of sums.values()) if (!places.get(x.at) || places.get(x.at).n < x.n) places.set(x.at, x);
   }

   const lowered = new Map();

   /* Return the function that tests whether a text matches the WORDS of a search. */
   function matcher(words) {
      const w = words.trim();
      try {
         const m = /^\/(.+)\/$/.exec(w);
         if (m)
            return (
               r => x =>
                  r.test(x)
            )(new RegExp(m[1], "i"));
      } catch {
         return () => false;
      }
      if (/[*?]/.test(w)) {
         const r = new RegExp(
            "^" +
               w
                  .replace(/[.+^${}()|[\]\\]/g, "\\$&")
                  .replace(/\*/g, ".*")
                  .replace(/\?/g, ".") +
               "$",
            "i"
         );
         return x => r.test(x);
      }
      const low = w.toLowerCase();
      return x => {
         let there = lowered.get(x);
         if (there === undefined) lowered.set(x, (there = x.toLowerCase()));
         return there.includes(low);
      };
   }

   return {
      data,
      rows,
      blocks,
      edgeFrom,
      codeFrom,
      rowOf,
      text,
      short,
      name,
      total,
      count,
      share,
      delta,
      signed,
      percent,
      deltaColumn,
      hasOld,
      instrsOf,
      changeOf,
      toneOf,
      address,
      isOwn,
      isFew,
      rowByNode,
      loopRow,
      edgesOf,
      isLocal,
      isCall,
      calledBy,
      blockPlace,
      matcher,
      called,
      calledOf,
      placeOf,
      hasCosts,
      hasTrips: data.trips !== undefined,
      hasInclusive: data.fInclusive !== undefined,
      hasStacks: data.sName !== undefined,
      hasSlice: data.slice !== undefined,
      hasInlined: data.nName !== undefined
   };
}
