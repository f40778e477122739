/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of writers that are not their instances. */

#ifndef DCFG_LIB_WET_NAMES_H
#define DCFG_LIB_WET_NAMES_H

#include "lib/wet/wet.h"

/* WetNamer: gives what an instance writes a name in place of the instance's
   own.  The dependences of later instances are on these names.  Most instances
   have none: then whoever uses what they wrote depends on nobody. */
typedef
   struct WetNamer {
      /* E's ports are known.  The name, or 0 for none; wet_name_control() has
         been told it where control is found. */
      Writer (*name)(void* arg, const DcfgWetEvent* e);
      void*    arg;

      /* From the first time to the last, instances in these superblocks may
         have names though what they use has none.  SBS is by number. */
      uint64_t    first, last;
      const bool* sbs;
   }
   WetNamer;

/* The name that says N, below 2^INSTANCE_BITS; no instance has it. */
static inline Writer wet_name(uint64_t n)
{
   return writer_of(MAX_INSTRS, n);
}

/* N gives names from now on, before the first event. */
void wet_use_namer(DcfgWet* w, const WetNamer* n);

/* The system call E, which was made last, has its name now that it is known
   what it read. */
void wet_name_syscall(DcfgWet* w, const InstrPlan* at, const DcfgWetEvent* e);

/* E is NAME where it decides which instructions run. */
void wet_name_control(DcfgWet* w, const DcfgWetEvent* e, Writer name);

/* Has no branch or call that still decides in THREAD's activation a name? */
bool wet_control_is_nameless(const DcfgWet* w, uint32_t thread);

/* How many activations THREAD had when its last instruction came. */
uint32_t wet_control_depth(const DcfgWet* w, uint32_t thread);

#endif /* DCFG_LIB_WET_NAMES_H */
