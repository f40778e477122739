/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Trees of stacks: those of the page's data, of one thread, without inlined functions, or upside down. */
"use strict";

/* A tree has arrays .name, .parent, .self, .old and, when flameTotals() has been called, .total, .oldTotal and .children; stack 0 is
   the empty one, and each other one stands behind its parent. */
function flameTotals(t) {
   const n = t.name.length;
   t.total = Float64Array.from(t.self);
   t.oldTotal = Float64Array.from(t.old);
   t.children = Array.from({ length: n }, () => []);
   for (let i = n - 1; i > 0; i--) {
      t.total[t.parent[i]] += t.total[i];
      t.oldTotal[t.parent[i]] += t.oldTotal[i];
   }
   for (let i = 1; i < n; i++) t.children[t.parent[i]].push(i);
   return t;
}

/* A tree that grows: child(parent, name) is the stack with NAME on top of PARENT. */
function flameGrowing(root) {
   const t = { name: [root], parent: [0], self: [0], old: [0] },
      known = [new Map()];
   t.child = (parent, name) => {
      let i = known[parent].get(name);
      if (i === undefined) {
         i = t.name.length;
         known[parent].set(name, i);
         known.push(new Map());
         t.name.push(name);
         t.parent.push(parent);
         t.self.push(0);
         t.old.push(0);
      }
      return i;
   };
   return t;
}

/* The stacks of DATA: of thread number THREAD, or of all if that is -1.  Smaller stacks, which are not in the page, are one stack on top
   of each that they stood on. */
function flameBase(data, thread) {
   const smaller = data.texts.indexOf("(smaller stacks)") + 1 || data.texts.push("(smaller stacks)"),
      t = {
         name: data.sName.slice(),
         parent: data.sParent.slice(),
         self: thread < 0 ? data.sSelf.map(Number) : data.sSelf.map(() => 0),
         old: thread < 0 && data.sOldSelf ? data.sOldSelf.map(Number) : data.sSelf.map(() => 0)
      };
   const add = (parent, self, old) => {
      t.name.push(smaller - 1);
      t.parent.push(parent);
      t.self.push(self);
      t.old.push(old);
   };
   if (thread < 0) {
      const left = (totals, self) => {
         const x = totals.map((n, i) => Number(n) - Number(self[i]));
         for (let i = 1; i < x.length; i++) x[data.sParent[i]] -= Number(totals[i]);
         return x;
      };
      const now = left(data.sTotal, data.sSelf),
         old = data.sOldTotal ? left(data.sOldTotal, data.sOldSelf) : [];
      now.forEach((n, i) => (n > 0 || old[i] > 0) && add(i, n, old[i] || 0));
   } else {
      const list = data.sThreads[thread];
      for (let k = 0; k < list.length; k += 2)
         if (list[k] >= 0) t.self[list[k]] += Number(list[k + 1]);
         else add(-1 - list[k], Number(list[k + 1]), 0);
   }
   return t;
}

/* T without the stacks whose names DROP says yes to: they count for those that they are on top of. */
function flameWithout(t, drop) {
   const out = flameGrowing(t.name[0]),
      to = [0];
   for (let i = 0; i < t.name.length; i++) {
      if (i > 0) to[i] = drop(t.name[i]) ? to[t.parent[i]] : out.child(to[t.parent[i]], t.name[i]);
      out.self[to[i]] += t.self[i];
      out.old[to[i]] += t.old[i];
   }
   return out;
}

/* T upside down: below "all" the functions that executed instructions, on top of each its callers. */
function flameReversed(t) {
   const out = flameGrowing(t.name[0]);
   for (let i = 0; i < t.name.length; i++) {
      if (t.self[i] === 0 && t.old[i] === 0) continue;
      let at = 0;
      for (let k = i; k > 0; k = t.parent[k]) at = out.child(at, t.name[k]);
      out.self[at] += t.self[i];
      out.old[at] += t.old[i];
   }
   return out;
}
