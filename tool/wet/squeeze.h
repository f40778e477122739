/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The coder of the tape. */

/* Private to wet/. */

#ifndef __DCFG_SQUEEZE_H
#define __DCFG_SQUEEZE_H

#include "pub_tool_basics.h"
#include "tool/files/stream.h"
#include "tool/wet/tape_chunks.h"
#include "tool/wet/packed.h"

typedef struct _Coder Coder;

/* Return a coder that puts its chunks to CHUNKS. */
Coder* DCFG_(new_coder)(Chunks* chunks);

/* Code as version 6 of the file allows.  Called before anything is coded. */
void DCFG_(shift_numbers)(Coder* c);

/* Code the words up to END, which are the whole tape, and all rows, which are
   removed.  EXTRA has the bytes of marks, in the order of the marks.  STACK is
   the tape's .stack behind them.  Return how many words the rows had. */
ULong DCFG_(squeeze_words)(Coder* c, const ULong* words, const ULong* end,
                           const Bytes* extra, Addr stack);

/* End the present chunk.  Return all chunks so far. */
Stream* DCFG_(end_chunk)(Coder* c);

/* Return whether the next word begins a chunk. */
Bool DCFG_(begins_chunk)(const Coder* c);

/* Return the number of records so far. */
ULong DCFG_(n_coded_records)(const Coder* c);

/* Forget all chunks.  STACK is the tape's .stack. */
void DCFG_(restart_coder)(Coder* c, Addr stack);

#endif /* __DCFG_SQUEEZE_H */
