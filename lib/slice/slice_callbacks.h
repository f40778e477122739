/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code that calls back. */

#ifndef DCFG_LIB_SLICE_CALLBACKS_H
#define DCFG_LIB_SLICE_CALLBACKS_H

#include "lib/slice/slice_code.h"

/* Callbacks: written by slice_callbacks.c alone. */
typedef
   struct {
      const DcfgWet*              w;
      const DcfgSliceQuery* q;
      bool*                 calls;      // by instruction; NULL: not needed
   }
   Callbacks;

bool callbacks_start(Callbacks* c, const SliceCode* code);
void callbacks_free(Callbacks* c);

/* Note an activation that begins with instruction FIRST.  CALL made it, or made
   one that is still active.  Return whether CALL's code called back; then ask
   for the caller of that, too. */
bool callbacks_note(Callbacks* c, uint32_t first, uint32_t call);

/* Take the noted instructions from BITS, a bit for each, and mark the whole
   functions that have one. */
void callbacks_take(Callbacks* c, const uint8_t* bits);

static inline bool calls_back(const Callbacks* c, uint32_t i)
{
   return c->calls != NULL && c->calls[i];
}

/* Return whether the slice follows control of instruction I. */
static inline bool follows_control(const Callbacks* c, uint32_t i)
{
   return !c->q->no_control
          && (c->q->no_control_of == NULL || !c->q->no_control_of[i]
              || calls_back(c, i));
}

#endif /* DCFG_LIB_SLICE_CALLBACKS_H */
