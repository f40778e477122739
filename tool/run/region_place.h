/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Places: where or when a region begins or ends. */

#ifndef __DCFG_REGION_PLACE_H
#define __DCFG_REGION_PLACE_H

#include "pub_tool_basics.h"

/* Trigger: a place or a number of instructions at which to begin or to end. */
typedef
   struct {
      const HChar* option;    // --start or --stop
      const HChar* text;      // the option's value
      HChar*       name;      // glob of a function, or with .offset of an
                              // image; NULL: an address
      Bool         in_image;
      Bool         by_instrs; // is .wanted a number of instructions?
      Addr         offset;    // in the image, or the address
      ULong        wanted;    // the number of the time that counts, from 1
      ULong        reached;   // times so far
      ULong        total;     // times predicted for the whole run; 0: none
   }
   Trigger;

/* Read TEXT, the value of OPTION; both last as long as the trigger.  An error
   is reported and ends the tool. */
Trigger DCFG_(parse_place)(const HChar* option, const HChar* text);

/* Report that P cannot be used because of WHY, and end the tool. */
void DCFG_(bad_place)(const Trigger* p, const HChar* why);

/* Return whether the instruction at A is the place of P. */
Bool DCFG_(is_at_place)(const Trigger* p, Addr a);

/* Warn if P was not reached, or another number of times than predicted. */
void DCFG_(tell_missed_place)(const Trigger* p);

#endif /* __DCFG_REGION_PLACE_H */
