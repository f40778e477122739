/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The ways of a trace's superblocks, for an index. */

/* Owns: which slots of a record have stores, and which registers it may define.
   Handed: a trace.  Taken by: index_make.c. */

#include "lib/index/index_ways.h"

static void add_defs(const DcfgWet* w, uint32_t instr, uint64_t* defs)
{
   const Plan* p = &w->plans[instr];
   const Def*  d = &ELEM(w->defs, Def, p->defs);

   for (uint32_t k = 0; k < p->n_defs; k++) {
      unsigned g = d[k].granule;
      if (g < G_X87)
         defs[g / 64] |= UINT64_C(1) << g % 64;
      else
         defs[G_X87 / 64] |= (uint64_t)0xFF << G_X87 % 64;
   }
}

static bool add_store(IndexWays* x, uint32_t slot, uint32_t size)
{
   IndexStore* s = array_add(x->job, &x->stores, sizeof(*s));

   if (s != NULL)
      *s = (IndexStore){ (uint16_t)slot, (uint16_t)size };
   return s != NULL;
}

/* Add all slots of the instruction at AT as stores: some are, but there are
   fewer slots than accesses. */
static bool add_odd_stores(IndexWays* x, const InstrPlan* at)
{
   const Plan*      p = &x->w->plans[at->instr];
   const WetAccess* a = &ELEM(x->w->accesses, WetAccess, p->accesses);
   uint32_t         most = 0;

   for (uint32_t j = 0; j < p->n_accesses; j++)
      if ((a[j].what & AccessStore) && a[j].size > most)
         most = a[j].size;
   for (uint32_t j = 0; j < at->n_slots && most > 0; j++)
      if (!add_store(x, (uint32_t)at->slot + j, most))
         return false;
   return true;
}

/* Add the stores of N instructions of superblock SB, whose first N_SLOTS slots
   were filled. */
static bool add_stores(IndexWays* x, const WetSb* sb, uint32_t n,
                       uint32_t n_slots, IndexWay* to)
{
   const WetAccess* slots = &ELEM(x->w->accesses, WetAccess, sb->slots.first);

   to->stores = (uint32_t)x->stores.n;
   for (uint32_t i = 0; i < n_slots; i++)
      if (slots[i].what & AccessStore && slots[i].what < AccessStack
          && !add_store(x, i, slots[i].size))
         return false;
   for (uint32_t k = 0; k < n; k++) {
      const InstrPlan* at = &x->w->places[sb->instrs.first + k];
      if (!at->plain && !add_odd_stores(x, at))
         return false;
   }
   to->n_stores = (uint32_t)x->stores.n - to->stores;
   return true;
}

/* Add the instructions that store, of N instructions of superblock SB, whose
   first N_SLOTS slots were filled. */
static bool add_writes(IndexWays* x, const WetSb* sb, uint32_t n,
                       uint32_t n_slots, IndexWay* to)
{
   const WetAccess* slots = &ELEM(x->w->accesses, WetAccess, sb->slots.first);

   to->writes = (uint32_t)x->writes.n;
   for (uint32_t k = 0; k < n && x->values; k++) {
      const InstrPlan* at = &x->w->places[sb->instrs.first + k];
      uint32_t         value = wet_value_slot(at), n_stores = 0, slot = 0;
      IndexWrite*      w;
      for (uint32_t j = at->slot;
           j < (uint32_t)at->slot + at->n_slots && j < n_slots; j++)
         if (slots[j].what & AccessStore) {
            n_stores++;
            slot = j;
         }
      if (n_stores == 0)
         continue;
      w = array_add(x->job, &x->writes, sizeof(*w));
      if (w == NULL)
         return false;
      *w = (IndexWrite){ (uint16_t)k, (uint16_t)slot, (uint16_t)value, 0 };
      if (n_stores == 1 && at->n_values == 1 && value < n_slots
          && slots[slot].size <= 8 && slots[value].size == slots[slot].size
          && !(slots[slot].what & AccessGuarded))
         w->size = slots[slot].size;
   }
   to->n_writes = (uint32_t)x->writes.n - to->writes;
   return true;
}

static bool describe_way(IndexWays* x, const WetSb* sb, uint32_t n,
                         uint32_t n_slots, IndexWay* to)
{
   to->place = sb->instrs.first + n - 1;
   for (uint32_t k = 0; k < n; k++)
      add_defs(x->w, x->w->places[sb->instrs.first + k].instr, to->defs);
   return add_stores(x, sb, n, n_slots, to)
          && add_writes(x, sb, n, n_slots, to);
}

bool ways_start(IndexWays* x, Job* job, const DcfgWet* w)
{
   *x = (IndexWays){ .job = job, .w = w, .values = dcfg_wet_has_values(w) };
   x->ways = job_calloc(x->job, w->n_ways + w->sbs.n, sizeof(IndexWay));
   if (x->ways == NULL)
      return false;
   for (size_t i = 0; i < w->n_ways; i++) {
      const WetSb* sb = &ELEM(w->sbs, WetSb, w->ways[i].sb);
      if (w->ways[i].sb != 0 && w->ways[i].n_instrs > 0
          && !describe_way(x, sb, w->ways[i].n_instrs, w->ways[i].n_slots,
                           &x->ways[i]))
         return false;
   }
   for (size_t id = 1; id < w->sbs.n; id++) {
      const WetSb* sb = &ELEM(w->sbs, WetSb, id);
      if (sb->instrs.n > 0
          && !describe_way(x, sb, sb->instrs.n, sb->slots.n,
                           &x->ways[w->n_ways + id]))
         return false;
   }
   return true;
}

void ways_free(IndexWays* x)
{
   if (x->job == NULL)
      return;
   job_free(x->job, x->ways, (x->w->n_ways + x->w->sbs.n) * sizeof(IndexWay));
   array_free(x->job, &x->stores, sizeof(IndexStore));
   array_free(x->job, &x->writes, sizeof(IndexWrite));
}

bool way_write(const IndexWays* x, const WetStep* r, const uint64_t* addrs,
               MemoryImage* to)
{
   const WetSb*      sb = &ELEM(x->w->sbs, WetSb, r->sb);
   const WetAccess*  accesses = &ELEM(x->w->accesses, WetAccess,
                                      sb->slots.first);
   const IndexWay*   way = way_of(x, r);
   const IndexWrite* w = &ELEM(x->writes, IndexWrite, way->writes);
   MemoryStores      s;
   MemoryStore       m;
   uint8_t           value[MOST_VALUE];

   for (const IndexWrite* end = w + way->n_writes; w < end; w++) {
      const InstrPlan* at;
      bool             known;
      if (w->size != 0 && r->way != DCFG_NONE) {
         if (!image_store(to, addrs[w->slot], w->size,
                          addrs[w->value]))
            return false;
         continue;
      }
      if (w->place >= r->n_instrs)
         break;
      at = &x->w->places[sb->instrs.first + w->place];
      stores_of(accesses, addrs, r->n_slots, at, &s);
      known = value_of(accesses, addrs, r->n_slots, at, value) == s.size;
      for (StoreAt i = { 0, 0 }; next_store(&s, &i, false, &m); )
         if (m.made && !image_write_any(to, m.addr, m.size,
                                        known ? BYTE_KNOWN : BYTE_UNKNOWN,
                                        value + m.begin))
            return false;
   }
   return true;
}
