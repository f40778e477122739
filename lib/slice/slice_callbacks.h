/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code that calls back. */

#ifndef DCFG_LIB_SLICE_CALLBACKS_H
#define DCFG_LIB_SLICE_CALLBACKS_H

#include "lib/slice/slice_code.h"

/* Callbacks: written by slice_callbacks.c alone. */
typedef
   struct {
      DcfgWet*              w;
      const DcfgSliceQuery* q;
      bool*                 calls;      // by instruction; NULL: not asked for
   }
   Callbacks;

bool callbacks_start(Callbacks* c, const SliceCode* code);
void callbacks_free(Callbacks* c);

/* Instruction FIRST begins an activation, and CALL made it or one that is still
   active: is it code that may call back?  Then it does, and who called that is
   to be asked for. */
bool callbacks_note(Callbacks* c, uint32_t first, uint32_t call);

/* At the end of the first pass. */
void callbacks_spread(Callbacks* c);

static inline bool calls_back(const Callbacks* c, uint32_t i)
{
   return c->calls != NULL && c->calls[i];
}

/* Is control of instruction I followed? */
static inline bool follows_control(const Callbacks* c, uint32_t i)
{
   return !c->q->no_control
          && (c->q->no_control_of == NULL || !c->q->no_control_of[i]
              || calls_back(c, i));
}

#endif /* DCFG_LIB_SLICE_CALLBACKS_H */
