/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Trees of stacks: those of the page's data, of one thread, without inlined functions, or upside down. */
"use strict";

/* Set .total, .oldTotal and .children of tree T.  A tree has arrays by stack: .name, .parent, .self and .old.
   Stack 0 is the empty one; a parent stands before its children. */
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

/* Return an empty tree.  Its child(parent, name) returns the stack with NAME on top of PARENT, a new one if needed. */
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

/* Return the tree of DATA's stacks: of thread number THREAD, or of all threads if that is -1.  One stack stands for all
   smaller ones that are not in the page, on top of the stack that these stood on. */
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

/* Return tree T without the stacks for whose names DROP returns true.  Their instructions count for the stacks below. */
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

/* Return tree T upside down: on top of "all" stand the functions that executed instructions, on top of each its callers. */
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
