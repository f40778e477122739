/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of writers that are not their instances. */

#ifndef DCFG_LIB_WET_NAMES_H
#define DCFG_LIB_WET_NAMES_H

#include "lib/wet/wet_record.h"

/* WetNamer: gives names to instances.  A name takes the place of an instance in
   the dependences of later instances.  Most instances have no name: what they
   wrote depends on nobody. */
typedef
   struct WetNamer {
      /* Return the name of E, whose ports are known, or 0.  Control that E
         decides gets its name by wet_name_control(). */
      Writer (*name)(void* arg, const DcfgWetEvent* e);
      void*    arg;

      /* From time .first to .last, instances in the superblocks SBS, by number,
         may get names even if nothing that they use has one. */
      uint64_t    first, last;
      const bool* sbs;
   }
   WetNamer;

/* Return the name for N, below 2^INSTANCE_BITS.  No instance equals a name. */
static inline Writer wet_name(uint64_t n)
{
   return writer_of(MAX_INSTRS, n);
}

/* Let N give names.  Call it before the first event. */
void wet_use_namer(DcfgWetEvents* v, const WetNamer* n);

/* Give system call E, the last one, its name again: what it read is known
   now. */
void wet_name_syscall(DcfgWetEvents* v, const InstrPlan* at, const DcfgWetEvent* e);

/* Give NAME to E in its role of deciding which instructions run. */
void wet_name_control(DcfgWetEvents* v, const DcfgWetEvent* e, Writer name);

/* Return whether no branch or call that decides in THREAD's activation has a
   name. */
bool wet_control_is_nameless(const DcfgWetEvents* v, uint32_t thread);

/* Return how many activations THREAD had at its last instruction. */
uint32_t wet_control_depth(const DcfgWetEvents* v, uint32_t thread);

#endif /* DCFG_LIB_WET_NAMES_H */
