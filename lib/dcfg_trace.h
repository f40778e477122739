/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   libdcfg: reader of DCFG-traces. */

/* A DCFG-trace has, for each process, a table that tells how bits become edges,
   and for each thread a sequence of chunks.  It is read in one pass.  Memory
   has the table and a few chunks at a time, however long the file is.  Chunks
   come in the file's order: all of a thread in order of execution, then those
   of the next thread.

   A sequence is text of 64 characters, each for six bits, first bit first:
   'A'-'Z' are 0-25, 'a'-'z' 26-51, '0'-'9' 52-61, '+' is 62, and '-' is 63.
   The specification's tables have '-', but a sentence in its 3.7.1.1 has '.':
   both are read as 63.

   dcfg.h includes this file, and it cannot be included without it. */

#ifndef DCFG_TRACE_H
#define DCFG_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DcfgTrace   DcfgTrace;
typedef struct DcfgChunk   DcfgChunk;
typedef struct DcfgDecoder DcfgDecoder;

/* DcfgChunkInfo: a row of TRACE_DATA without the sequence, and its place. */
typedef
   struct {
      uint64_t process_id;
      uint32_t process;         // its index in PROCESSES of the trace
      uint32_t thread;          // THREAD_ID, from 0
      uint64_t number;          // its number in its thread, from 0
      uint64_t preceding_instrs;
      uint64_t instrs;
      uint64_t n_edges;
      uint32_t first_edge;      // an edge id
      uint64_t size;            // length of the sequence's text
      uint64_t offset;          // near its end in the uncompressed text
   }
   DcfgChunkInfo;

/* Open a trace.  Return NULL with *ERR set if that fails.  The contents are
   read only when the first chunk is asked for. */
DCFG_API DcfgTrace* dcfg_trace_open(const char* path,
                                    const DcfgOptions* options,
                                    DcfgError* err);

/* Open a trace in memory, which the caller keeps until it is closed. */
DCFG_API DcfgTrace* dcfg_trace_open_memory(const void* data, size_t size,
                                           const char* name,
                                           const DcfgOptions* options,
                                           DcfgError* err);

/* Close T, which may be NULL. */
DCFG_API void dcfg_trace_close(DcfgTrace* t);

/* Return how many bytes of uncompressed text have been read, to show
   progress. */
DCFG_API uint64_t dcfg_trace_offset(const DcfgTrace* t);

/* --- Edge after edge --- */

/* Restrict reading to the chunks of this THREAD, or of all for
   DCFG_ALL_THREADS, in the process with this id, or in all for UINT64_MAX.
   Other chunks are skipped without decoding. */
DCFG_API void dcfg_trace_select(DcfgTrace* t, uint64_t process_id,
                                uint32_t thread);

/* Get the ids of the next edges, at most MAX and at least one, all of one
   chunk: dcfg_trace_chunk_info() describes it.  Return how many: 0 at the end
   of the trace, with err->status DCFG_OK, or after an error.  After an error in
   a chunk, the next call continues with the next chunk; after any other, there
   is nothing more. */
DCFG_API size_t dcfg_trace_next(DcfgTrace* t, uint32_t* edge_ids, size_t max,
                                DcfgError* err);

/* Return the chunk of the last edges; NULL before the first. */
DCFG_API const DcfgChunkInfo* dcfg_trace_chunk_info(const DcfgTrace* t);

/* Go forward to the first chunk of the selected threads that does not end
   before the thread's instruction number INSTR, counted from 0.  Chunks before
   it are not decoded, and cannot be read any more.

   Return True if that instruction is in the chunk.  Otherwise the trace lacks
   it, or it was read already, or *ERR is set.  With P, the process of the
   trace, also go forward in the chunk: the next edge is the one whose source
   block has the instruction. */
DCFG_API bool dcfg_trace_skip(DcfgTrace* t, uint64_t instr,
                              const DcfgProcess* p, DcfgError* err);

/* Return how many instructions the thread of the last edges had executed before
   the source block of the next edge.  This needs the process of the trace,
   given to dcfg_trace_count_with() or dcfg_trace_skip().  Without it, or before
   the next chunk after that, return UINT64_MAX.  With it, more edges than the
   process has counted are an error: a short trace may claim any number of
   edges. */
DCFG_API uint64_t dcfg_trace_position(const DcfgTrace* t);
DCFG_API void     dcfg_trace_count_with(DcfgTrace* t, const DcfgProcess* p);

/* --- Chunk by chunk, for instance to decode several in parallel --- */

/* Return the next chunk of the selected threads, which the caller owns.  NULL
   at the end, with err->status DCFG_OK, or after an error. */
DCFG_API DcfgChunk* dcfg_trace_next_chunk(DcfgTrace* t, DcfgError* err);

/* Free C, which may be NULL; describe it. */
DCFG_API void dcfg_chunk_free(DcfgChunk* c);

DCFG_API const DcfgChunkInfo* dcfg_chunk_info(const DcfgChunk* c);

/* Return the sequence's text, info->size bytes. */
DCFG_API const char* dcfg_chunk_text(const DcfgChunk* c);

/* Make a decoder for C, which must live longer.  Return NULL with *ERR set if
   the sequence is not well-formed.  The decoder's memory does not depend on the
   number of edges. */
DCFG_API DcfgDecoder* dcfg_decoder_new(const DcfgChunk* c, DcfgError* err);

/* Free X, which may be NULL. */
DCFG_API void dcfg_decoder_free(DcfgDecoder* x);

/* Get the next edge ids of the chunk, at most MAX.  Return how many: fewer than
   MAX only at the end of the chunk, with err->status DCFG_OK, or before an
   error.  The error is in *ERR then, and again in further calls. */
DCFG_API size_t dcfg_decoder_next(DcfgDecoder* x, uint32_t* edge_ids,
                                  size_t max, DcfgError* err);

/* Return, when all edges are decoded, whether they needed the last character of
   the sequence, as a good writer's do. */
DCFG_API bool dcfg_decoder_used_all(const DcfgDecoder* x);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_TRACE_H */
