/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fuzz target: reading a trace. */

/* The bytes are read as a trace, by chunks and by edges, and with skips.
   libFuzzer calls it, or replay.c. */

#include "dcfg.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static volatile uint64_t answers;

static void on_problem(void* arg, const DcfgProblem* problem)
{
   (void)arg;
   answers += strlen(problem->rule) + strlen(problem->what);
}

/* The most edges to decode of a sequence, which may stand for any number. */
#define MAX_EDGES 20000

/* Decode the chunk in pieces of different sizes.  The edges must be the
   same. */
static void decode(const DcfgChunk* c)
{
   uint32_t     ids[1000];
   uint64_t     sums[2] = { 0, 0 }, done[2] = { 0, 0 };
   const size_t sizes[2] = { 1000, 7 };
   DcfgError    err;

   for (int way = 0; way < 2; way++) {
      DcfgDecoder* x = dcfg_decoder_new(c, &err);
      size_t       n = 1;
      while (x != NULL && n > 0 && done[way] < MAX_EDGES) {
         size_t max = sizes[way];
         if (max > MAX_EDGES - done[way])
            max = MAX_EDGES - done[way];
         n = dcfg_decoder_next(x, ids, max, &err);
         if (n < max && err.status == DCFG_OK
             && done[way] + n != dcfg_chunk_info(c)->n_edges)
            abort();
         for (size_t i = 0; i < n; i++)
            sums[way] = sums[way] * 31 + ids[i];
         done[way] += n;
      }
      if (x != NULL)
         answers += dcfg_decoder_used_all(x);
      dcfg_decoder_free(x);
   }
   if (sums[0] != sums[1] || done[0] != done[1])
      abort();
}

static void read_chunks(const uint8_t* data, size_t size,
                        const DcfgOptions* options)
{
   DcfgError  err;
   DcfgTrace* t = dcfg_trace_open_memory(data, size, "fuzz", options, &err);
   DcfgChunk* c;

   while (t != NULL && (c = dcfg_trace_next_chunk(t, &err)) != NULL) {
      if (strlen(dcfg_chunk_text(c)) > dcfg_chunk_info(c)->size)
         abort();
      decode(c);
      dcfg_chunk_free(c);
   }
   dcfg_trace_close(t);
}

static void read_edges(const uint8_t* data, size_t size)
{
   uint32_t    ids[100];
   DcfgOptions options = { .max_memory = 64 << 20 };
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open_memory(data, size, "fuzz", &options, &err);

   if (t == NULL)
      return;
   for (int i = 0; i < 100; i++) {
      answers += dcfg_trace_next(t, ids, 100, &err);
      answers += dcfg_trace_offset(t);
      if (i == 10)
         answers += dcfg_trace_skip(t, 1000, NULL, &err);
      if (i == 20)
         dcfg_trace_select(t, UINT64_MAX, 1);
      if (dcfg_trace_chunk_info(t) != NULL)
         answers += dcfg_trace_chunk_info(t)->number;
   }
   dcfg_trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
   DcfgOptions options = { .max_memory = 64 << 20 };

   read_chunks(data, size, &options);
   options.problem = on_problem;
   read_chunks(data, size, &options);
   read_edges(data, size);
   return 0;
}
