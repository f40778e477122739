/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The coder of the tape. */

/* Private to wet/. */

#ifndef __DCFG_SQUEEZE_H
#define __DCFG_SQUEEZE_H

#include "pub_tool_basics.h"
#include "delivery/stream.h"
#include "wet/packed.h"

typedef struct _Coder Coder;

Coder* DCFG_(new_coder)(void);

/* Code the words up to END, which are the whole tape, and all rows, which are
   removed.  EXTRA has the bytes of marks, in the order of the marks.  STACK is
   the tape's .stack behind them.  Return how many words the rows had. */
ULong DCFG_(squeeze_words)(Coder* c, const ULong* words, const ULong* end,
                           const Bytes* extra, Addr stack);

/* Keep only the last chunks, with SIZE bytes together, from now on.  Return
   where the first kept chunk begins. */
void  DCFG_(keep_chunks)(Coder* c, ULong size);
ULong DCFG_(first_chunk)(const Coder* c);

/* End the present chunk.  Return all chunks so far. */
Stream* DCFG_(end_chunk)(Coder* c);

/* Return where the next chunk will begin, when one has ended. */
ULong DCFG_(next_chunk)(const Coder* c);

/* Return the length of the whole chunks from FROM on that have at most N
   bytes. */
ULong DCFG_(whole_chunks)(const Coder* c, ULong from, ULong n);

/* Drop the first chunks, until at most N bytes, or one chunk, are left. */
void DCFG_(drop_chunks)(Coder* c, ULong n);

/* Return whether the next word begins a chunk. */
Bool DCFG_(begins_chunk)(const Coder* c);

/* Return the number of records so far. */
ULong DCFG_(n_coded_records)(const Coder* c);

/* Forget all chunks.  STACK is the tape's .stack. */
void DCFG_(restart_coder)(Coder* c, Addr stack);

#endif /* __DCFG_SQUEEZE_H */
