/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   From a record to phrases. */

/* Private to trace/. */

#ifndef __DCFG_PARSE_H
#define __DCFG_PARSE_H

#include "encode/phrase.h"
#include "trace/replay.h"

typedef struct _Parser Parser;

/* For walks with W.  PS's trees may get longer ones, but only by parse()
   and extend_phrase() of a context. */
Parser* DCFG_(new_parser)(const Ways* w, Phrases* ps);
void    DCFG_(delete_parser)(Parser* ps);

/* Divide what follows in walk K into phrases, always the longest there
   is.  *PHRASE is the beginning of the first one, from its context on,
   that K has already walked; the beginning of the next one is left there,
   or 0 at the end of the walk.  Writes the phrases to OUT, at most ROOM,
   and stops as well with the phrase that brings the number of edges to
   LIMIT or more.  Returns how many phrases. */
UInt DCFG_(parse)(Parser* pr, Walk* k, UInt* phrase, UInt* out, UInt room,
                  ULong limit);

#endif /* __DCFG_PARSE_H */
