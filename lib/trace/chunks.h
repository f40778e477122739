/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A chunk of a trace. */

#ifndef DCFG_CHUNKS_H
#define DCFG_CHUNKS_H

#include "lib/base/input.h"
#include "lib/trace/code_table.h"

/* Complete in itself: the table is shared and never changes. */
struct DcfgChunk {
   DcfgChunkInfo     info;
   struct DcfgChunk* next;      // while it waits in the trace's queue
   Table*            table;
   char              text[];    // info.size bytes and a zero
};

/* The chunks of a trace, of all threads. */
typedef struct Chunks Chunks;

Chunks*    chunks_start(Job* job, Input* in);   // takes over IN; may be NULL
void       chunks_end(Chunks* t);

/* The next one, or NULL at the end or an error of the job.  What came before
   an error is handed out first. */
DcfgChunk* chunks_next(Chunks* t);

#endif /* DCFG_CHUNKS_H */
