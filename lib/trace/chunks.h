/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Chunks of a trace. */

#ifndef DCFG_CHUNKS_H
#define DCFG_CHUNKS_H

#include "lib/base/input.h"
#include "lib/trace/code_table.h"

/* DcfgChunk: complete by itself; the table is shared and never changes. */
struct DcfgChunk {
   DcfgChunkInfo     info;
   struct DcfgChunk* next;      // in the trace's queue
   Table*            table;
   char              text[];    // info.size bytes and a zero byte
};

/* Chunks: reads the chunks of all threads. */
typedef struct Chunks Chunks;

Chunks*    chunks_start(Job* job, Input* in);   // frees IN, which may be NULL
void       chunks_end(Chunks* t);

/* Return the next chunk, or NULL at the end or after an error of the job.
   Chunks before an error are returned first. */
DcfgChunk* chunks_next(Chunks* t);

#endif /* DCFG_CHUNKS_H */
