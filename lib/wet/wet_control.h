/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Control dependences. */

#ifndef DCFG_LIB_WET_CONTROL_H
#define DCFG_LIB_WET_CONTROL_H

#include "lib/base/activations.h"
#include "lib/wet/wet_record.h"

/* Find the instance that let E run, the next event of its thread: *CONTROL, or
   0 if there is none.  SP: the stack pointer behind an indirect jump, or 0. */
bool wet_find_control(DcfgWetEvents* v, const DcfgWetEvent* e, uint64_t sp,
                      Writer* control);
bool wet_control_mark(DcfgWetEvents* v, const DcfgWetEvent* e);

/* Return the same for an instruction of THREAD that is no point and does not
   begin a record. */
Writer wet_same_control(const DcfgWetEvents* v, uint32_t thread);

/* Pass all points of the present record at once. */
bool wet_pass_control(DcfgWetEvents* v, const Point* p, uint32_t n_points);

/* Prepare wet_find_control().  C: another cursor at the begin. */
bool wet_make_graph(DcfgWetEvents* v, WetCursor* c);
void wet_free_control(DcfgWetEvents* v);

/* Return the bytes of a return address in memory; 0: it is in a register. */
static inline uint32_t wet_pushed(const DcfgWet* w)
{
   return w->machine->links ? 0 : w->machine->address_size;
}

/* Return the address behind instruction I. */
static inline uint64_t wet_behind(const DcfgWet* w, uint32_t i)
{
   return w->plans[i].addr + ELEM(w->instrs, WetInstr, i).len;
}

/* Return transfer ME of instruction I, which made N accesses, at ADDRS.  SP:
   the stack pointer behind it, or 0. */
static inline Transfer wet_transfer(const DcfgWet* w, uint32_t i,
                                    const uint64_t* addrs, uint32_t n,
                                    uint64_t sp, Writer me)
{
   const Plan*      p = &w->plans[i];
   const WetAccess* a = &ELEM(w->accesses, WetAccess, p->accesses);
   Transfer         x = { p->kind, p->goes_back, sp, sp, i, me };
   uint8_t          what = p->kind == InsnReturn ? AccessLoad : AccessStore;

   if (w->machine->links)
      return x;
   x.place = 0;
   if (p->kind == InsnIndirectJump)
      return x;
   for (uint32_t j = n < p->n_accesses ? n : p->n_accesses; j-- > 0; )
      if (a[j].what & what) {
         x.place = addrs[j];
         break;
      }
   return x;
}

#endif /* DCFG_LIB_WET_CONTROL_H */
