/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Parsing a record into phrases. */

/* Private to trace/. */

#ifndef __DCFG_PARSE_H
#define __DCFG_PARSE_H

#include "tool/trace/phrase.h"
#include "tool/trace/replay.h"

typedef struct _Parser Parser;

/* Make a parser for walks with W.  Only parse(), and extend_phrase() of a
   context, may add phrases to PS meanwhile. */
Parser* DCFG_(new_parser)(const Ways* w, Phrases* ps);
void    DCFG_(delete_parser)(Parser* ps);

/* Divide the rest of walk K into phrases, always the longest that fits. *PHRASE
   is the begin of the first one, from its context on, that K has already
   walked.  It becomes the begin of the next one, or 0 at the end of the walk.
   Write at most ROOM phrases to OUT.  Also stop after the phrase that brings
   the number of edges to LIMIT or more.  Return the number of phrases. */
UInt DCFG_(parse)(Parser* pr, Walk* k, UInt* phrase, UInt* out, UInt room,
                  ULong limit);

#endif /* __DCFG_PARSE_H */
