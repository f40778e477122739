/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Walks, written and decoded again. */

#ifndef __UNIT_TRACE_H
#define __UNIT_TRACE_H

#include "unit_json.h"
#include "dcfg_trace_enc.h"

#define MAX_THREADS 4

/* Places of a walk at which a sample can begin. */
#define N_PLACES 5

/* Walk: the edges of a thread, and the state of reading them. */
typedef
   struct Walk {
      UInt* edges;         // source and target, until ids are known
      UInt  n, room;
      UInt* decisions;
      UInt  n_decisions, at;
      UInt  ahead;         // a decision that was read too early, or 0
      UInt  (*read)(struct Walk* w, UInt* ids, UInt room);
   }
   Walk;

/* The graph of the walks. */
extern Graph* graph;

/* Make a graph of so many blocks, and no walk. */
void  new_graph(UInt n_blocks);
/* Begin another thread's walk; add a step to it, between nodes. */
Walk* new_walk(void);
void  step(Walk* w, UInt source, UInt target);
/* Make the graph's edges of the complete walks, with some more that nobody
   took, and turn steps into ids. */
void  finish_walks(void);
/* Free the graph and the walks. */
void  delete_walks(void);

/* The walk as the encoder's TraceThread: its functions. */
void  start_walk(void* arg);
void  stop_walk(void* arg);
UInt  read_on(void* arg, UInt* ids, UInt room);
UInt  parse_walk(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                 UInt room, ULong limit);

/* Streams: the encoder's temporary storage. */
typedef
   struct {
      FILE* file;
      Bool  is_read;
      ULong size;
   }
   Stream;

extern Stream streams[N_TRACE_STREAMS];

void  append_stream(void* arg, UInt stream, const void* bytes, UInt n);
UInt  read_stream(void* arg, UInt stream, void* bytes, UInt room);
void  clear_streams(void);

/* Write the walks' trace to .text; thread T has the id 3 T. */
void  encode(ULong chunk, const TraceEffort* effort);

/* Fail unless .text is right, and decodes to the walks. */
void  judge(ULong chunk);

/* Edges in the longest row of the table that judge() read. */
extern UInt longest_row;

#endif /* __UNIT_TRACE_H */
