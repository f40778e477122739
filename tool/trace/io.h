/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Input and temporary storage of the encoder. */

#ifndef __DCFG_IO_H
#define __DCFG_IO_H

#include "tool/trace/phrase.h"

/* TraceThread: reads the path of one thread through the graph, as edge ids. The
   path may be empty. */
typedef
   struct {
      UInt  thread;           // THREAD_ID
      ULong n_decisions;      // about as many as .read returns in all
      UInt  n_places;
      void* arg;
      /* Prepare to read from the beginning; end reading. */
      void  (*start)(void* arg);
      void  (*stop)(void* arg);
      /* Move to place I of .n_places, counted from 0.  Places are spread over
         the path, for sampling.  Return False, and stay, if that is not
         possible. */
      Bool  (*skip)(void* arg, UInt i);
      /* Read the next edges, at most ROOM; return their number, 0 at the end.
         The first one is the ENTRY edge.  After it come the decision edges:
         counted edges whose source has several counted out-edges. */
      UInt  (*read)(void* arg, UInt* edge_ids, UInt room);
      /* Read the same edges as phrases, always the longest that fits: at most
         ROOM phrases, and no more once they have LIMIT edges.  *PHRASE is the
         phrase that has been read so far, which begins with its context.  At
         the return it is the beginning of the next phrase, or 0 at the end. */
      UInt  (*parse)(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                     UInt room, ULong limit);
   }
   TraceThread;

/* TraceStore: keeps data until the table is known.  A stream is written from
   beginning to end, and then read once from beginning to end. */
enum { StreamPhrases, StreamChunks, StreamText, StreamDictionary,
       N_TRACE_STREAMS };

typedef
   struct {
      void  (*append)(void* arg, UInt stream, const void* bytes, UInt n);
      /* Return how many bytes were read: ROOM, or fewer at the end. */
      UInt  (*read)(void* arg, UInt stream, void* bytes, UInt room);
      void* arg;
   }
   TraceStore;

#endif /* __DCFG_IO_H */
