/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Plans: what each instruction uses and defines. */

/* Owns: all that is known of an instruction, of its places in superblocks, and of
   superblocks' ways, before any instance.  Handed: tables by wet_load.c. */

#include "lib/wet/wet_terms.h"

/* Return the granule of location LOC; MASK gets its bytes there. */
static uint8_t granule_of(unsigned loc, uint8_t* mask)
{
   *mask = (uint8_t)(1 << loc % 8);
   if (loc < LocCarry)
      return (uint8_t)(loc / 8);
   if (loc >= LocVector)
      return (uint8_t)(G_VECTOR + (loc - LocVector) / 8);
   *mask = 0xFF;
   return (uint8_t)(G_FLAGS + (loc - LocCarry) % 4);
}

/* Return the kind of port that granule G belongs to; REG gets the register.
   Each granule has a port of its own. */
static DcfgWetPortKind port_of(const DcfgWet* w, uint8_t g, uint8_t* reg)
{
   *reg = 0;
   if (g < G_FLAGS) {
      *reg = g;
      return DCFG_WET_GENERAL;
   }
   if (g < G_FLAGS + LocStatus - LocCarry)
      return DCFG_WET_FLAGS;
   if (g >= G_VECTOR && g < G_X87) {
      *reg = (g - G_VECTOR) / w->machine->vector_size;
      return DCFG_WET_VECTOR;
   }
   return DCFG_WET_X87;
}

static bool add_use(DcfgWet* w, Plan* p, unsigned loc)
{
   uint8_t mask, g = granule_of(loc, &mask), reg;
   DcfgWetPortKind kind = port_of(w, g, &reg);
   Use*    last = p->n_uses == 0 ? NULL
                  : &ELEM(w->uses, Use, w->uses.n - 1);
   Use*    u;

   p->n_deps++;
   if (last != NULL && last->granule == g) {
      last->mask |= mask;
      return true;
   }
   bool begins = last == NULL || last->port != kind || last->reg != reg;
   u = array_add(&w->job, &w->uses, sizeof(*u));
   if (u == NULL)
      return false;
   *u = (Use){ g, mask, (uint8_t)kind, reg, begins };
   p->n_uses++;
   p->n_ports += begins;
   return true;
}

/* Ports are in the order of locations, but x87's status comes behind the vector
   registers. */
static bool add_uses(DcfgWet* w, const Array* uses, Plan* p)
{
   bool status = false;

   for (uint32_t i = 0; i < uses->n; i++) {
      const LocRange r = ELEM(*uses, LocRange, i);
      for (unsigned l = r.first; l < (unsigned)r.first + r.n; l++) {
         status |= l == LocStatus;
         if (l != LocStatus && !add_use(w, p, l))
            return false;
      }
   }
   return !status || add_use(w, p, LocStatus);
}

static bool add_defs(DcfgWet* w, const Array* defs, Plan* p)
{
   for (uint32_t i = 0; i < defs->n; i++) {
      const LocRange r = ELEM(*defs, LocRange, i);
      for (unsigned l = r.first; l < (unsigned)r.first + r.n; l++) {
         uint8_t mask, g = granule_of(l, &mask);
         Def*    d = p->n_defs == 0 ? NULL
                     : &ELEM(w->defs, Def, w->defs.n - 1);
         if (d != NULL && d->granule == g) {
            d->mask |= mask;
            continue;
         }
         d = array_add(&w->job, &w->defs, sizeof(*d));
         if (d == NULL)
            return false;
         *d = (Def){ g, mask };
         p->n_defs++;
      }
   }
   return true;
}

bool wet_make_plan(DcfgWet* w, const WetInstr* in, const Array* uses,
                   const Array* defs, Span accesses, Plan* p)
{
   p->addr       = in->addr;
   p->image      = in->image;
   p->uses       = (uint32_t)w->uses.n;
   p->defs       = (uint32_t)w->defs.n;
   p->accesses   = accesses.first;
   p->n_accesses = (uint16_t)accesses.n;
   p->kind       = in->kind;
   p->top        = in->flags >> 2 & 7;
   p->top_zero   = (in->flags & 2) != 0;
   p->goes_back  = in->kind == InsnIndirectJump
                   && wet_goes_back(w->machine,
                                    &ELEM(w->code, uint8_t, in->code), in->len);
   p->moves_top  = (in->flags & ~1u) != 0;
   p->n_ports    = p->n_deps = 1;
   if (!add_uses(w, uses, p) || !add_defs(w, defs, p))
      return false;
   for (uint32_t j = 0; j < accesses.n; j++) {
      const WetAccess* first = &ELEM(w->accesses, WetAccess,
                                     accesses.first);
      if (is_operand(first, j)) {
         p->n_deps += first[j].size;
         p->n_ports++;
      }
   }
   p->n_ports += in->kind == InsnSyscall;
   return true;
}

/*--- Answers                                              ---*/

_Static_assert((int)DCFG_WET_FALLS == InsnPlain
               && (int)DCFG_WET_BRANCH == InsnCond
               && (int)DCFG_WET_JUMP == InsnJump
               && (int)DCFG_WET_INDIRECT_JUMP == InsnIndirectJump
               && (int)DCFG_WET_CALL == InsnCall
               && (int)DCFG_WET_INDIRECT_CALL == InsnIndirectCall
               && (int)DCFG_WET_RET == InsnReturn
               && (int)DCFG_WET_SYSCALL == InsnSyscall
               && (int)DCFG_WET_REP == InsnRep,
               "dcfg_wet.h has the kinds of the file");

/* Return the bytes MASK of granule G, as DcfgWetRegisterId has them. */
static uint64_t register_bytes(const DcfgWet* w, uint8_t g, uint8_t mask)
{
   if (g < G_FLAGS || g >= G_X87)
      return mask;
   return g < G_VECTOR ? UINT64_C(1) << (g - G_FLAGS)
          : (uint64_t)mask << 8 * ((g - G_VECTOR) % w->machine->vector_size);
}

/* Add the bytes MASK of granule G to its register among the N registers of ALL.
   Return how many there are now. */
static uint32_t add_register(const DcfgWet* w, uint8_t g, uint8_t mask,
                             DcfgWetRegisterId* all, uint32_t n)
{
   uint8_t         reg;
   DcfgWetPortKind kind = port_of(w, g, &reg);
   uint64_t        bytes = register_bytes(w, g, mask);

   for (uint32_t i = n; i-- > 0; )
      if (all[i].kind == kind && all[i].reg == reg) {
         all[i].bytes |= bytes;
         return n;
      }
   if (n < MAX_REGISTERS)
      all[n++] = (DcfgWetRegisterId){ kind, reg, bytes };
   return n;
}

void wet_tell_plan(const DcfgWet* w, uint32_t n, WetTold* to)
{
   DcfgWetInstr*    i = &to->instr;
   const Plan*      p = &w->plans[n];
   const WetAccess* first = &ELEM(w->accesses, WetAccess, p->accesses);

   i->transfer = p->kind <= InsnRep ? (DcfgWetTransfer)p->kind
                                    : DCFG_WET_FALLS;
   for (uint32_t k = 0; k < p->n_accesses; k++) {
      DcfgWetAccess* a = &to->accesses[k];
      a->size    = first[k].size;
      a->reads   = (first[k].what & AccessLoad) != 0;
      a->writes  = (first[k].what & AccessStore) != 0;
      a->perhaps = (first[k].what & AccessGuarded) != 0;
      a->same    = first[k].same;
      i->loads  |= a->reads;
      i->stores |= a->writes;
   }
   for (uint32_t k = 0; k < p->n_uses; k++) {
      const Use* u = &ELEM(w->uses, Use, p->uses + k);
      i->n_uses = add_register(w, u->granule, u->mask, to->uses, i->n_uses);
   }
   for (uint32_t k = 0; k < p->n_defs; k++) {
      const Def* d = &ELEM(w->defs, Def, p->defs + k);
      i->n_defines = add_register(w, d->granule, d->mask, to->defines,
                                  i->n_defines);
   }
   i->n_accesses = p->n_accesses;
   i->accesses   = to->accesses;
   i->uses       = to->uses;
   i->defines    = to->defines;
}

/*--- Places                                               ---*/

/* Sort out the slots of PLACE in SB: accesses, x87's top, values, stack
   pointers.  Find out whether the accesses are exactly the instruction's. */
static void match_slots(const DcfgWet* w, WetSb* sb, InstrPlan* place)
{
   Plan*            p = &w->plans[place->instr];
   const WetAccess* slots = &ELEM(w->accesses, WetAccess,
                                  sb->slots.first + place->slot);

   if (place->n_slots > 1 && !is_transfer(p->kind)
       && slots[place->n_slots - 1].what == AccessStack
       && slots[place->n_slots - 2].what == AccessStack) {
      place->loads_sp = p->loads_sp = sb->loads_sp = true;
      place->n_slots -= 2;
   } else if (place->n_slots > 0
              && slots[place->n_slots - 1].what == AccessStack) {
      place->stack = true;
      place->n_slots--;
   }
   while (place->n_slots > 0
          && slots[place->n_slots - 1].what == AccessValue) {
      place->n_values++;
      place->n_slots--;
   }
   if (place->n_slots > 0
       && slots[place->n_slots - 1].what == AccessTop) {
      place->top = true;
      place->n_slots--;
   }
   place->plain = place->n_slots == p->n_accesses;
   for (uint32_t j = 0; j < p->n_accesses && place->plain; j++) {
      const WetAccess* a = &ELEM(w->accesses, WetAccess, p->accesses + j);
      place->plain = is_slot_of(&slots[j], a);
   }
}

/* Number the places of instructions that a superblock has more than once.
   SEEN, by instruction, is all 0 before and after. */
static void number_places(DcfgWet* w, const WetSb* sb, uint16_t* seen)
{
   InstrPlan* at = &w->places[sb->instrs.first];

   for (uint32_t k = 0; k < sb->instrs.n; k++)
      at[k].nth = seen[at[k].instr]++;
   for (uint32_t k = 0; k < sb->instrs.n; k++)
      seen[at[k].instr] = 0;
}

/*--- What they may write                                  ---*/

void wet_add_defs(const DcfgWet* w, uint32_t i, uint64_t* defs)
{
   const Def* d = &ELEM(w->defs, Def, w->plans[i].defs);

   for (const Def* end = d + w->plans[i].n_defs; d < end; d++)
      if (d->granule < G_X87)
         defs[d->granule / 64] |= UINT64_C(1) << d->granule % 64;
      else
         defs[G_X87 / 64] |= (uint64_t)0xFF << G_X87 % 64;
}

uint8_t wet_defined(const DcfgWet* w, uint32_t i, unsigned granule)
{
   const Def* d = &ELEM(w->defs, Def, w->plans[i].defs);

   for (const Def* end = d + w->plans[i].n_defs; d < end; d++)
      if (d->granule == granule)
         return d->mask;
   return 0;
}

/* Return the size of the greatest store of instruction I. */
static uint16_t greatest_store(const DcfgWet* w, uint32_t i)
{
   const Plan*      p = &w->plans[i];
   const WetAccess* a = &ELEM(w->accesses, WetAccess, p->accesses);
   uint16_t         most = 0;

   for (uint32_t j = 0; j < p->n_accesses; j++)
      if ((a[j].what & AccessStore) && a[j].size > most)
         most = a[j].size;
   return most;
}

/* Find what SB may write.  If an instruction has fewer slots than accesses, any
   of them may have the address of any of its stores. */
static bool find_writes(DcfgWet* w, WetSb* sb)
{
   const WetAccess* slots = &ELEM(w->accesses, WetAccess, sb->slots.first);
   uint32_t         first = (uint32_t)w->stores.n;

   for (uint32_t k = 0; k < sb->instrs.n; k++) {
      const InstrPlan* at = &w->places[sb->instrs.first + k];
      uint16_t         least = at->plain ? 0 : greatest_store(w, at->instr);
      wet_add_defs(w, at->instr, sb->defs);
      for (uint32_t j = at->slot; j < (uint32_t)at->slot + at->n_slots; j++) {
         bool       stores = (slots[j].what & AccessStore)
                             && slots[j].what < AccessStack;
         uint16_t   size = stores && slots[j].size > least ? slots[j].size
                           : least;
         StoreSlot* s = size == 0 ? NULL
                        : array_add(&w->job, &w->stores, sizeof(*s));
         if (size > 0 && s == NULL)
            return false;
         if (s != NULL)
            *s = (StoreSlot){ (uint16_t)j, size };
      }
   }
   sb->stores = (Span){ first, (uint32_t)w->stores.n - first };
   return true;
}

/*--- Ways                                                 ---*/

/* Return whether the superblock may move the top of x87's stack. */
static bool moves_top(const DcfgWet* w, const WetSb* sb)
{
   for (uint32_t k = 0; k < sb->instrs.n; k++)
      if (w->plans[w->places[sb->instrs.first + k].instr].moves_top)
         return true;
   return false;
}

/* Make the ways of all superblocks. */
static bool make_ways(DcfgWet* w)
{
   size_t n = 0;

   for (uint32_t id = 1; id < w->sbs.n; id++) {
      WetSb* sb = &ELEM(w->sbs, WetSb, id);
      sb->ways = (uint32_t)n;
      n += sb->exits.n + 1;
   }
   if (n >= NO_WAY_STOP)
      return job_fail(&w->job, DCFG_ERROR_LIMIT, "superblocks",
                      "there are too many");
   w->n_ways = n;
   w->ways   = job_calloc(&w->job, n + 1, sizeof(WetWay));
   for (uint32_t id = 1; w->ways != NULL && id < w->sbs.n; id++) {
      WetSb*          sb = &ELEM(w->sbs, WetSb, id);
      const uint32_t* instrs = &ELEM(w->sb_instrs, uint32_t,
                                     sb->instrs.first);

      sb->moves_top = moves_top(w, sb);
      for (uint32_t i = 0; sb->instrs.n > 0 && i <= sb->exits.n; i++) {
         const WetExit* x = &ELEM(w->exits, WetExit, sb->exits.first + i);
         bool           end = i == sb->exits.n;
         WetWay*        way = &w->ways[sb->ways + i];
         way->sb         = id;
         way->segments   = sb->segments.first;
         way->n_instrs   = (uint16_t)(end ? sb->instrs.n : x->place + 1u);
         way->n_slots    = (uint16_t)(end ? sb->slots.n : x->n_slots);
         way->n_segments = (uint8_t)(end ? sb->segments.n : x->n_segments);
         way->place      = sb->instrs.first + way->n_instrs - 1u;
         way->last       = instrs[way->n_instrs - 1];
         way->kind       = ELEM(w->instrs, WetInstr, way->last).kind;
         way->computes   = way->n_slots > 0
                           || (end ? sb->terms.n : x->n_terms) > 0;
         way->tops       = sb->tops;
         way->loads_sp   = sb->loads_sp;
         way->easy       = !sb->moves_top && !sb->loads_sp
                           && !is_transfer(way->kind);
      }
   }
   return w->ways != NULL && wet_make_way_terms(w);
}

/*--- All of them                                          ---*/

bool wet_make_places(DcfgWet* w)
{
   size_t    n = w->instrs.n + 1;
   uint16_t* seen;

   w->places = job_calloc(&w->job, w->sb_instrs.n + 1, sizeof(InstrPlan));
   /* Add one element to each array, so that none is empty and a span of none
      has an address. */
   if (w->places == NULL
       || array_add(&w->job, &w->uses, sizeof(Use)) == NULL
       || array_add(&w->job, &w->defs, sizeof(Def)) == NULL
       || array_add(&w->job, &w->stores, sizeof(StoreSlot)) == NULL
       || array_add(&w->job, &w->accesses, sizeof(WetAccess)) == NULL
       || array_add(&w->job, &w->code, 1) == NULL)
      return false;
   seen = job_calloc(&w->job, n, sizeof(*seen));
   if (seen == NULL)
      return false;
   for (uint32_t id = 1; id < w->sbs.n; id++) {
      WetSb*   sb = &ELEM(w->sbs, WetSb, id);
      uint32_t s  = 0;
      for (uint32_t k = 0; k < sb->instrs.n; k++) {
         InstrPlan* place = &w->places[sb->instrs.first + k];
         place->instr = ELEM(w->sb_instrs, uint32_t, sb->instrs.first + k);
         place->slot  = (uint16_t)s;
         while (s < sb->slots.n
                && ELEM(w->accesses, WetAccess, sb->slots.first + s).place
                   == k)
            s++;
         place->n_slots = (uint16_t)(s - place->slot);
         match_slots(w, sb, place);
      }
      number_places(w, sb, seen);
      if (s != sb->slots.n)
         job_fail(&w->job, DCFG_ERROR_FORMAT, "superblocks",
                  "accesses are not in the order of instructions");
      if (s != sb->slots.n || !find_writes(w, sb)) {
         job_free(&w->job, seen, n * sizeof(*seen));
         return false;
      }
   }
   job_free(&w->job, seen, n * sizeof(*seen));
   return make_ways(w);
}

Stop wet_find_stop(const DcfgWet* w, uint32_t id, uint32_t n)
{
   const WetSb*      sb = &ELEM(w->sbs, WetSb, id);
   const WetSegment* s = &ELEM(w->segments, WetSegment, sb->segments.first);
   Stop              stop = { .sb = id, .n_instrs = n };

   wet_terms_before(w, sb, n, &stop.n_slots, &stop.n_words);
   while (stop.n_segments < sb->segments.n
          && s[stop.n_segments].n_words <= stop.n_words)
      stop.n_words -= s[stop.n_segments++].n_words;
   return stop;
}
