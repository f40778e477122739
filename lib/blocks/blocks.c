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
   Tally          statics, dynamics;
   uint64_t       instrs;       // set when it is finished
};

DcfgBlocks* dcfg_blocks_new(const char* name, const DcfgOptions* options,
                            DcfgError* err)
{
   DcfgBlocks* b = job_object(sizeof(*b), offsetof(DcfgBlocks, job), name,
                              options, err);

   if (b == NULL)
      return NULL;
   stream_start(&b->stream, &b->job);
   b->has_dynamics = true;
   return b;
}

void dcfg_blocks_free(DcfgBlocks* b)
{
   if (b == NULL)
      return;
   stream_end(&b->stream);
   if (b->from_graph)
      edges_end(&b->edges);
   tally_free(&b->job, &b->statics);
   tally_free(&b->job, &b->dynamics);
   free(b);
}

/* Copy the error to the caller's if not OK.  Return OK. */
static bool told(DcfgBlocks* b, bool ok, DcfgError* err)
{
   if (!ok)
      job_tell(&b->job, err);
   return ok;
}

static bool argument(DcfgBlocks* b, const char* what)
{
   return job_fail(&b->job, DCFG_ERROR_ARGUMENT, NULL, "%s", what);
}

/* Return whether more may be added: before finishing, or in the second pass. */
static bool is_open(DcfgBlocks* b)
{
   if (b->job.err.status != DCFG_OK)
      return false;
   if (b->finished && b->stream.dynamics == NULL
       && b->edges.dynamics == NULL)
      return argument(b, "the blocks are finished");
   return true;
}

static bool takes_instrs(DcfgBlocks* b)
{
   return is_open(b) && (!b->from_graph
                         || argument(b, "instructions after a DCFG"));
}

static bool takes_graph(DcfgBlocks* b, const DcfgProcess* p)
{
   if (!is_open(b))
      return false;
   if (b->from_graph)
      return b->edges.p == p || argument(b, "a second DCFG");
   if (stream_executed(&b->stream) > 0)
      return argument(b, "a DCFG after instructions");
   b->from_graph = true;
   return edges_start(&b->edges, &b->job, p);
}

bool dcfg_blocks_add(DcfgBlocks* b, uint64_t addr, uint32_t size,
                     DcfgError* err)
{
   return told(b, takes_instrs(b) && stream_add(&b->stream, addr, size),
               err);
}

bool dcfg_blocks_sequence(DcfgBlocks* b, uint32_t number, DcfgError* err)
{
   return told(b, takes_instrs(b)
                  && (!b->finished
                      || argument(b, "the blocks are finished"))
                  && stream_switch(&b->stream, number), err);
}

bool dcfg_blocks_stop(DcfgBlocks* b, DcfgError* err)
{
   return told(b, takes_instrs(b) && stream_stop(&b->stream), err);
}

bool dcfg_blocks_lackey(DcfgBlocks* b, const char* path, DcfgError* err)
{
   Input* in = NULL;
   bool   ok = takes_instrs(b)
               && (in = input_open(&b->job, path)) != NULL
               && lackey_read(&b->job, in, &b->stream)
               && stream_stop(&b->stream);

   input_close(in);
   return told(b, ok, err);
}

bool dcfg_blocks_trace(DcfgBlocks* b, const DcfgProcess* p, DcfgTrace* t,
                       DcfgError* err)
{
   return told(b, takes_graph(b, p) && edges_follow(&b->edges, t), err);
}

bool dcfg_blocks_graph(DcfgBlocks* b, const DcfgProcess* p, uint32_t thread,
                       uint64_t* unknown, DcfgError* err)
{
   uint64_t not_wanted;

   b->has_dynamics = false;
   return told(b, takes_graph(b, p)
                  && edges_sum(&b->edges, thread,
                               unknown != NULL ? unknown : &not_wanted),
               err);
}

bool dcfg_blocks_finish(DcfgBlocks* b, DcfgError* err)
{
   Tally* dynamics = b->has_dynamics ? &b->dynamics : NULL;
   bool   ok = b->job.err.status == DCFG_OK;

   if (ok && !b->finished) {
      ok = b->from_graph ? edges_tally(&b->edges, &b->statics, dynamics)
                         : stream_tally(&b->stream, &b->statics, dynamics);
      b->finished = ok;
      b->instrs = b->from_graph ? b->statics.instrs
                                : stream_executed(&b->stream);
   }
   return told(b, ok, err);
}

const DcfgBlockTable* dcfg_blocks_static(const DcfgBlocks* b)
{
   return b->finished ? &b->statics.shown : NULL;
}

const DcfgBlockTable* dcfg_blocks_dynamic(const DcfgBlocks* b)
{
   return b->finished && b->has_dynamics ? &b->dynamics.shown : NULL;
}

uint64_t dcfg_blocks_instrs(const DcfgBlocks* b)
{
   return b->instrs;
}

void dcfg_blocks_visit(DcfgBlocks* b,
                       void (*visit)(void* arg, uint32_t block), void* arg)
{
   if (!b->finished || !b->has_dynamics)
      return;
   if (b->from_graph)
      edges_visit(&b->edges, visit, arg, &b->dynamics);
   else
      stream_visit(&b->stream, visit, arg, &b->dynamics);
}
