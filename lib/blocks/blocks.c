/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks of an address stream: what users call. */

/* Owns: the kinds of input, and the order of calls.  Handed: instructions,
   Lackey's text, a DCFG and its trace. */

#include "lib/blocks/streams.h"

#include <stdlib.h>

struct DcfgBlocks {
   Job            job;
   bool           from_graph;
   bool           finished;
   bool           has_dynamics; // not for a graph alone
   AddressStream  stream;
   EdgeStream     edges;
};

DcfgBlocks* dcfg_blocks_new(const char* name, const DcfgOptions* options,
                            DcfgError* err)
{
   DcfgBlocks* b = job_object(sizeof(*b), offsetof(DcfgBlocks, job), name,
                              options, err);

   if (b == NULL)
      return NULL;
   b->stream.s.job  = b->edges.s.job  = &b->job;
   b->stream.s.here = b->edges.s.here = NOWHERE;
   b->has_dynamics = true;
   return b;
}

void dcfg_blocks_free(DcfgBlocks* blocks)
{
   if (blocks == NULL)
      return;
   address_free(&blocks->stream);
   edges_free(&blocks->edges);
   free(blocks);
}

/* Return the stream that has the tables. */
static Stream* stream_of(const DcfgBlocks* blocks)
{
   return (Stream*)(blocks->from_graph ? &blocks->edges.s : &blocks->stream.s);
}

/* Copy the error to the caller's if not OK.  Return OK. */
static bool told(DcfgBlocks* blocks, bool ok, DcfgError* err)
{
   if (!ok)
      job_tell(&blocks->job, err);
   return ok;
}

static bool argument(DcfgBlocks* blocks, const char* what)
{
   return job_fail(&blocks->job, DCFG_ERROR_ARGUMENT, NULL, "%s", what);
}

/* Return whether more may be added: before finishing, or in the second pass. */
static bool is_open(DcfgBlocks* blocks)
{
   if (blocks->job.err.status != DCFG_OK)
      return false;
   if (blocks->finished && stream_of(blocks)->visit == NULL)
      return argument(blocks, "the blocks are finished");
   return true;
}

static bool takes_instrs(DcfgBlocks* blocks)
{
   return is_open(blocks) && (!blocks->from_graph
                              || argument(blocks, "instructions after a DCFG"));
}

static bool takes_graph(DcfgBlocks* blocks, const DcfgProcess* p)
{
   if (!is_open(blocks))
      return false;
   if (blocks->from_graph)
      return blocks->edges.p == p || argument(blocks, "a second DCFG");
   if (blocks->stream.executed > 0)
      return argument(blocks, "a DCFG after instructions");
   blocks->from_graph = true;
   return edges_start(&blocks->edges, p);
}

bool dcfg_blocks_add(DcfgBlocks* blocks, uint64_t addr, uint32_t size,
                     DcfgError* err)
{
   return told(blocks,
               takes_instrs(blocks) && address_add(&blocks->stream, addr, size),
               err);
}

bool dcfg_blocks_sequence(DcfgBlocks* blocks, uint32_t number, DcfgError* err)
{
   return told(blocks, takes_instrs(blocks)
                       && (!blocks->finished
                           || argument(blocks, "the blocks are finished"))
                       && address_switch(&blocks->stream, number), err);
}

bool dcfg_blocks_stop(DcfgBlocks* blocks, DcfgError* err)
{
   return told(blocks, takes_instrs(blocks) && address_stop(&blocks->stream),
               err);
}

bool dcfg_blocks_lackey(DcfgBlocks* blocks, const char* path, DcfgError* err)
{
   Input* in = NULL;
   bool   ok = takes_instrs(blocks)
               && (in = input_open(&blocks->job, path)) != NULL
               && lackey_read(&blocks->stream, in)
               && address_stop(&blocks->stream);

   input_close(in);
   return told(blocks, ok, err);
}

bool dcfg_blocks_trace(DcfgBlocks* blocks, const DcfgProcess* p,
                       DcfgTrace* trace, DcfgError* err)
{
   return told(blocks,
               takes_graph(blocks, p) && edges_follow(&blocks->edges, trace),
               err);
}

bool dcfg_blocks_graph(DcfgBlocks* blocks, const DcfgProcess* p,
                       uint32_t thread, uint64_t* unknown, DcfgError* err)
{
   uint64_t not_wanted;

   blocks->has_dynamics = false;
   return told(blocks, takes_graph(blocks, p)
                       && edges_sum(&blocks->edges, thread,
                                    unknown != NULL ? unknown : &not_wanted),
               err);
}

bool dcfg_blocks_finish(DcfgBlocks* blocks, DcfgError* err)
{
   bool ok = blocks->job.err.status == DCFG_OK;

   if (ok && !blocks->finished) {
      ok = (blocks->from_graph || address_stop_all(&blocks->stream))
           && stream_tally(stream_of(blocks), blocks->has_dynamics);
      if (ok && !blocks->from_graph)
         blocks->stream.s.instrs = blocks->stream.executed;
      blocks->finished = ok;
   }
   return told(blocks, ok, err);
}

const DcfgBlockTable* dcfg_blocks_static(const DcfgBlocks* blocks)
{
   return blocks->finished ? &stream_of(blocks)->statics : NULL;
}

const DcfgBlockTable* dcfg_blocks_dynamic(const DcfgBlocks* blocks)
{
   return blocks->finished && blocks->has_dynamics
          ? &stream_of(blocks)->dynamics : NULL;
}

uint64_t dcfg_blocks_instrs(const DcfgBlocks* blocks)
{
   return stream_of(blocks)->instrs;
}

void dcfg_blocks_visit(DcfgBlocks* blocks,
                       void (*visit)(void* arg, uint32_t block), void* arg)
{
   Stream* s = stream_of(blocks);

   if (!blocks->finished || !blocks->has_dynamics)
      return;
   s->visit     = visit;
   s->visit_arg = arg;
   s->here      = NOWHERE;
   if (blocks->from_graph)
      edges_again(&blocks->edges);
}
