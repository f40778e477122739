/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What the encoder reads and puts away. */

#ifndef __DCFG_IO_H
#define __DCFG_IO_H

#include "encode/phrase.h"

/* The way of one thread through the graph.  Edges are named by id.  A
   thread may have none. */
typedef
   struct {
      UInt  thread;           // THREAD_ID
      ULong n_decisions;      // about how many edges .read gives in all
      UInt  n_places;
      void* arg;
      /* Get ready to read from the beginning; then, be done with it. */
      void  (*start)(void* arg);
      void  (*stop)(void* arg);
      /* On to the I-th, from 0 up, of .n_places, which are spread over the
         way, for a sample.  Returns False, and does nothing, if it
         cannot. */
      Bool  (*skip)(void* arg, UInt i);
      /* The next edges, at most ROOM; 0 after the last one.  First the
         ENTRY edge, then each traversed edge whose source has several
         traversed out-edges. */
      UInt  (*read)(void* arg, UInt* edge_ids, UInt room);
      /* The same as phrases, always the longest there is: at most ROOM,
         and no more once they have LIMIT edges.  *PHRASE is how far the
         first one has been read, from its context on; the same of the next
         one is left there, or 0 at the end. */
      UInt  (*parse)(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                     UInt room, ULong limit);
   }
   TraceThread;

/* What has to be put away until the table is known.  A stream is written
   from its beginning to its end and then read the same way, once. */
enum { StreamPhrases, StreamChunks, StreamText, StreamDictionary,
       N_TRACE_STREAMS };

typedef
   struct {
      void  (*append)(void* arg, UInt stream, const void* bytes, UInt n);
      /* Returns how many: ROOM, but for the end of the stream. */
      UInt  (*read)(void* arg, UInt stream, void* bytes, UInt room);
      void* arg;
   }
   TraceStore;

#endif /* __DCFG_IO_H */
