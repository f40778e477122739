/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The code of the tape. */

/* Private to wet/. */

#ifndef __DCFG_SQUEEZE_H
#define __DCFG_SQUEEZE_H

#include "pub_tool_basics.h"
#include "delivery/stream.h"

typedef struct _Coder Coder;

Coder* DCFG_(new_coder)(void);

/* Code the words up to END, all of the tape, and all rows, of which there are
   none then; behind them the tape's .stack is STACK.  Returns how many words
   the rows had. */
ULong DCFG_(squeeze_words)(Coder* c, const ULong* words, const ULong* end,
                           Addr stack);

/* From now on only chunks that have SIZE bytes together are kept: the last
   ones.  Where does the first of them begin? */
void  DCFG_(keep_chunks)(Coder* c, ULong size);
ULong DCFG_(first_chunk)(const Coder* c);

/* No more belongs to this chunk.  Returns all chunks so far. */
Stream* DCFG_(end_chunk)(Coder* c);

/* The length of the chunks from FROM on that are whole, and have at most N
   bytes. */
ULong DCFG_(whole_chunks)(const Coder* c, ULong from, ULong n);

/* Drop the first chunks, so that those that are left have at most N bytes, or
   are one. */
void DCFG_(drop_chunks)(Coder* c, ULong n);

/* Does what comes next begin one? */
Bool DCFG_(begins_chunk)(const Coder* c);

/* Records so far. */
ULong DCFG_(n_coded_records)(const Coder* c);

/* Forget all; the tape's .stack is STACK. */
void DCFG_(restart_coder)(Coder* c, Addr stack);

#endif /* __DCFG_SQUEEZE_H */
