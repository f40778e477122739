/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The ways of a trace's superblocks, for an index. */

/* Owns: which slots of a record have stores, and which registers it may
   define.  Handed: a trace. */

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

static bool add_write(IndexWays* x, IndexWrite write)
{
   IndexWrite* w = array_add(x->job, &x->writes, sizeof(*w));

   if (w != NULL)
      *w = write;
   return w != NULL;
}

/* Add the load of instruction K of a superblock, at AT, if its value has the
   bytes.  The record has the first N_SLOTS of SLOTS. */
static bool add_load(IndexWays* x, uint32_t k, const InstrPlan* at,
                     const WetAccess* slots, uint32_t n_slots)
{
   uint32_t   value = wet_value_slot(at), n = 0, slot = 0;
   IndexWrite w = { .place = (uint16_t)k, .value = (uint16_t)value,
                    .load = true };

   if (x->w->loads == NULL || !x->w->loads[at->instr] || at->n_values == 0)
      return true;
   for (uint32_t j = at->slot;
        j < (uint32_t)at->slot + at->n_slots && j < n_slots; j++)
      if (slots[j].what & AccessLoad) {
         slot = j;
         n++;
      }
   if (n == 0)
      return true;
   w.slot = (uint16_t)slot;
   if (n == 1 && value < n_slots && slots[slot].size <= 8
       && slots[slot].size <= slots[value].size
       && !(slots[slot].what & (AccessGuarded | AccessStore)))
      w.size = slots[slot].size;
   return add_write(x, w);
}

/* Add the instructions that store or load, of N instructions of superblock SB,
   whose first N_SLOTS slots were filled. */
static bool add_writes(IndexWays* x, const WetSb* sb, uint32_t n,
                       uint32_t n_slots, IndexWay* to)
{
   const WetAccess* slots = &ELEM(x->w->accesses, WetAccess, sb->slots.first);

   to->writes = (uint32_t)x->writes.n;
   for (uint32_t k = 0; k < n; k++) {
      const InstrPlan* at = &x->w->places[sb->instrs.first + k];
      uint32_t         value = wet_value_slot(at), n_stores = 0, slot = 0;
      IndexWrite       w;
      for (uint32_t j = at->slot;
           j < (uint32_t)at->slot + at->n_slots && j < n_slots; j++)
         if (slots[j].what & AccessStore) {
            n_stores++;
            slot = j;
         }
      if (!add_load(x, k, at, slots, n_slots))
         return false;
      if (n_stores == 0)
         continue;
      w = (IndexWrite){ .place = (uint16_t)k, .slot = (uint16_t)slot,
                        .value = (uint16_t)value };
      if (n_stores == 1 && at->n_values == 1 && value < n_slots
          && slots[slot].size <= 8 && slots[value].size == slots[slot].size
          && !(slots[slot].what & AccessGuarded))
         w.size = slots[slot].size;
      if (!add_write(x, w))
         return false;
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
   *x = (IndexWays){ .job = job, .w = w };
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

/* RecordWrites: a record whose stores and loads go to an image. */
typedef
   struct {
      const DcfgWet*   w;
      const WetStep*   r;
      const WetAccess* accesses;
      const uint64_t*  addrs;
      uint32_t         first;   // the superblock's first place
      uint64_t         time;    // the first instruction's
      MemoryImage*     to;
      LineSet*         news;
   }
   RecordWrites;

static bool put_news(const RecordWrites* z, bool news, uint64_t addr,
                     uint64_t size)
{
   return !news || z->news == NULL || lines_add(z->news, addr, size);
}

/* Note write W, whatever its accesses are. */
static bool write_any(const RecordWrites* z, const IndexWrite* w)
{
   const InstrPlan* at = &z->w->places[z->first + w->place];
   uint8_t          value[MOST_VALUE];
   uint32_t         size = value_of(z->accesses, z->addrs, z->r->n_slots, at,
                                    value);
   MemoryStores     s;
   MemoryStore      m;

   if (w->load) {
      uint32_t j = load_of(z->accesses, z->addrs, z->r->n_slots, at);
      bool     news = false;
      if (j == UINT32_MAX || size == 0)
         return true;
      if (size > z->accesses[j].size)
         size = z->accesses[j].size;
      return image_load_any(z->to, z->addrs[j], size, value,
                            z->time + w->place + 1, &news)
             && put_news(z, news, z->addrs[j], size);
   }
   stores_of(z->accesses, z->addrs, z->r->n_slots, at, &s);
   for (StoreAt i = { 0, 0 }; next_store(&s, &i, false, &m); )
      if (m.made && !image_write_any(z->to, m.addr, m.size,
                                     size == s.size ? BYTE_KNOWN : BYTE_UNKNOWN,
                                     value + m.begin, z->time + w->place + 1))
         return false;
   return true;
}

bool way_write(const IndexWays* x, const WetStep* r, const uint64_t* addrs,
               uint64_t time, MemoryImage* to, LineSet* news)
{
   const WetSb*      sb = &ELEM(x->w->sbs, WetSb, r->sb);
   const IndexWay*   way = way_of(x, r);
   const IndexWrite* w = &ELEM(x->writes, IndexWrite, way->writes);
   RecordWrites      z = { x->w, r, &ELEM(x->w->accesses, WetAccess,
                                          sb->slots.first), addrs,
                           sb->instrs.first, time, to, news };

   for (const IndexWrite* end = w + way->n_writes; w < end; w++) {
      uint64_t at = time + w->place + 1;
      bool     new = false, ok;
      if (w->place >= r->n_instrs)
         break;
      if (w->size == 0 || r->way == DCFG_NONE)
         ok = write_any(&z, w);
      else if (w->load)
         ok = image_load(to, addrs[w->slot], w->size, addrs[w->value], at, &new)
              && put_news(&z, new, addrs[w->slot], w->size);
      else
         ok = image_store(to, addrs[w->slot], w->size, addrs[w->value], at);
      if (!ok)
         return false;
   }
   return true;
}
