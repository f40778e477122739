/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The wants of members of a backward slice. */

/* Owns: which dependences of an instance the slice follows.  Handed: the
   present instance. */

#include "lib/slice/slice_uses.h"
#include "lib/base/sort.h"

/* Using: a member, and where its wants go. */
typedef
   struct {
      Found*                f;
      const Acts*           acts;
      const Spot*           spot;
      const Member*         m;
      Live*                 live;
      BranchJoins*          joins;
      const SliceCode*      code;
      const DcfgSliceQuery* q;
      const Plan*           plan;
      const WetAccess*      accesses;
      uint32_t              instr;
   }
   Using;

/* Return a want of the member, to be filled in. */
static inline Want want_of(const Using* z)
{
   return (Want){ .node = z->m->name, .limited = z->m->limited,
                  .thread = z->spot->thread, .instr = z->instr,
                  .order = z->spot->order + z->spot->place };
}

/* Return whether instruction I takes the memory at ADDR for constant. */
static bool is_constant(const DcfgSliceQuery* q, uint32_t i, uint64_t addr)
{
   uint32_t low = 0;

   BISECT(low, q->n_constants, middle, q->constants[middle].high <= addr);
   return low < q->n_constants && q->constants[low].low <= addr
          && (!q->constants[low].tables
              || (q->lookups != NULL && q->lookups[i]));
}

/* Return whether ADDR is in a format string. */
static bool is_format(const DcfgSliceQuery* q, uint32_t i, uint64_t addr)
{
   uint32_t low = 0;

   (void)i;
   BISECT(low, q->n_formats, middle, q->formats[middle].high <= addr);
   return low < q->n_formats && q->formats[low].low <= addr;
}

/* Return whether the present instance loads from an address that IS_THAT
   accepts. */
static bool loads_from(const Using* z,
                       bool (*is_that)(const DcfgSliceQuery* q, uint32_t i,
                                       uint64_t addr))
{
   const Plan*      plan = z->plan;
   const WetAccess* a = z->accesses;

   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)
          && is_that(z->q, z->instr,
                     slice_code_address(z->code, z->spot, j)))
         return true;
   return false;
}

/* Return whether a result of the program may have come over U.  A branch that
   is not real only follows flags. */
static inline bool may_lead(const Using* z, const Use* u, bool real)
{
   if (z->m->hops + 1 >= MAX_HOPS)
      return u->port == DCFG_WET_GENERAL && u->reg == 0;
   return u->port == DCFG_WET_FLAGS
          || (u->port == DCFG_WET_GENERAL && (real || z->m->hops > 0));
}

/* Return the registers whose values the instance does not follow, a bit for
   each. */
static uint32_t skipped_registers(const Using* z)
{
   bool     real = z->m->real;
   uint32_t skip = z->q->no_address == NULL ? 0 : z->q->no_address[z->instr];

   if (z->m->near && z->q->no_address_near != NULL)
      skip |= z->q->no_address_near[z->instr];
   if (calls_back(z->f->callbacks, z->instr))
      skip = 0;
   if (skip != 0 && real && z->q->n_constants > 0 && loads_from(z, is_constant))
      skip = 0;
   if (real && z->q->n_formats > 0 && loads_from(z, is_format))
      skip |= z->q->no_register_of_formats[z->instr];
   return z->q->no_register == NULL ? skip : skip | z->q->no_register[z->instr];
}

/* Want the registers of a real member of which nothing is weak, as distances,
   but for those of SKIP. */
static bool want_nearest(const Using* z, uint32_t skip)
{
   const Use*     u = &ELEM(z->code->w->uses, Use, z->plan->uses);
   LiveRegisters* l = live_registers(z->live, z->spot->thread);

   for (const Use* end = u + z->plan->n_uses; l != NULL && u < end; u++)
      if (u->port != DCFG_WET_GENERAL || !(skip >> u->reg & 1)) {
         if (!live_want_near(z->live, l, spot_granule(z->spot, u->granule),
                             u->mask, z->m->name))
            return false;
      } else if (u->new && !z->f->kind->cut(z->f, &(Want){ .port = u->port })) {
         return false;
      }
   return l != NULL;
}

static bool want_registers(const Using* z)
{
   const Plan* plan = z->plan;
   const Use*  u = &ELEM(z->code->w->uses, Use, plan->uses);
   LiveRegisters* l = live_registers(z->live, z->spot->thread);
   bool        real = z->m->real, follow = z->m->weakly;
   uint32_t    skip = skipped_registers(z);
   Want        want, weak;

   if (z->live->nearest && real && !follow)
      return want_nearest(z, skip);
   want = want_of(z);
   for (const Use* end = u + plan->n_uses; l != NULL && u < end; u++) {
      unsigned g = spot_granule(z->spot, u->granule);
      want.at   = u->new ? 0 : want.at + 8;
      want.port = u->port;
      want.reg  = u->reg;
      want.mask = u->mask;
      bool address = u->port == DCFG_WET_GENERAL && (skip >> u->reg & 1);
      if (real && address) {
         if (u->new && !z->f->kind->cut(z->f, &want))
            return false;
         continue;
      }
      if (real
          && !live_says(z->live, l->heads[g], want.node, u->mask, want.thread)
          && !live_want_register(z->live, l, g, want))
         return false;
      if (!follow || address || !may_lead(z, u, real))
         continue;
      weak      = want;
      weak.weak = true;
      weak.node = z->m->weak_name;
      if (!live_want_register(z->live, l, g, weak))
         return false;
   }
   return l != NULL;
}

static bool want_operands(const Using* z)
{
   const Plan*      plan = z->plan;
   const WetAccess* a = z->accesses;
   const Array*     reads = z->spot->reads;
   Want             want;

   if (plan->n_accesses == 0 && plan->kind != InsnSyscall)
      return true;
   want      = want_of(z);
   want.port = DCFG_WET_MEMORY;
   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)) {
         uint64_t addr = slice_code_address(z->code, z->spot, j);
         want.reg = (uint8_t)j;
         if (addr != 0 && !live_want_memory(z->live, addr, a[j].size, want))
            return false;
      }
   want.reg = (uint8_t)plan->n_accesses;
   for (size_t i = reads->n; plan->kind == InsnSyscall && i-- > 0; ) {
      DcfgSliceReading r = ELEM(*reads, DcfgSliceReading, i);
      if (!live_want_memory(z->live, r.addr, r.size, want))
         return false;
   }
   return true;
}

static bool want_control(const Using* z)
{
   bool follows = follows_control(z->f->callbacks, z->instr);
   Want want;

   if (follows && joins_says(z->joins, z->live, z->spot->act, z->instr,
                             z->m->name, z->spot->thread))
      return true;
   want      = want_of(z);
   want.port = DCFG_WET_CONTROL;
   want.mask = 0xFF;
   if (!follows) {
      want.weak = z->q->results && !z->q->no_control;
      want.at   = want.weak;
      if (!want.weak)
         return z->f->kind->cut(z->f, &want);
      if (!z->f->kind->cut(z->f, &want))
         return false;
   }
   return joins_ask(z->joins, z->live, z->spot->act, z->instr, &want);
}

/* Want the part of a criterion that is asked for, in place of all that it
   uses. */
static bool want_part(const Using* z)
{
   const DcfgSliceQuery* q = z->q;
   unsigned vector = z->code->w->machine->vector_size;
   LiveRegisters* l = live_registers(z->live, z->spot->thread);
   Want  want = want_of(z);

   want.mask = 0xFF;
   if (l == NULL)
      return false;
   switch (q->of) {
      case DCFG_SLICE_REGISTER:
         want.port = q->place < 32 ? DCFG_WET_GENERAL : DCFG_WET_VECTOR;
         want.reg  = (uint8_t)(q->place % 32);
         if (q->place < 32)
            return live_want_register(z->live, l, (unsigned)q->place, want);
         for (unsigned k = 0; k < vector; k++, want.at += 8)
            if (!live_want_register(z->live, l,
                                    G_VECTOR + want.reg * vector + k, want))
               return false;
         return true;
      case DCFG_SLICE_FLAGS:
         want.port = DCFG_WET_FLAGS;
         for (unsigned k = 0; k < 3; k++, want.at += 8)
            if (!live_want_register(z->live, l, G_FLAGS + k, want))
               return false;
         return true;
      case DCFG_SLICE_X87:
         want.port = DCFG_WET_X87;
         for (unsigned k = G_X87; k < G_STACK; k++, want.at += 8)
            if (!live_want_register(z->live, l, k, want))
               return false;
         return true;
      case DCFG_SLICE_FRAME: {
         uint64_t place = act_of(z->acts, z->spot->act)->is.place;
         z->f->result->frame = place == UINT64_MAX || place == 0 ? 0
                            : place + q->place
                              + (z->code->w->machine->links
                                 ? 0 : z->code->w->machine->address_size);
         want.port = DCFG_WET_MEMORY;
         return z->f->result->frame == 0
                || live_want_memory(z->live, z->f->result->frame, q->size,
                                    want);
      }
      default:
         want.port = DCFG_WET_MEMORY;
         for (uint32_t i = 0; i < q->n_parts; i++) {
            const DcfgSlicePart* p = &q->parts[i];
            if (p->instr == z->instr
                && p->instance == slice_code_instance(z->code, z->spot, p->instr)
                && !live_want_memory(z->live, p->place, p->size, want))
               return false;
         }
         return q->n_parts > 0
                || live_want_memory(z->live, q->place, q->size, want);
   }
}

bool uses_want(Found* f, const Acts* acts, const Spot* spot, const Member* m,
               Live* l, BranchJoins* b)
{
   const Using z = { f, acts, spot, m, l, b, f->code, f->code->q,
                     plan_of(f->code, spot->instr),
                     accesses_of(f->code, spot->instr), spot->instr };

   if (m->real && m->cut) {
      found_end(f, z.plan->n_ports);
      return true;
   }
   if (m->real && !want_control(&z))
      return false;
   if (m->real && m->limited)
      return want_part(&z);
   return want_registers(&z) && (!m->real || want_operands(&z));
}
