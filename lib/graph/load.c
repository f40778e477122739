/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Loading a DCFG. */

/* Owns: loading a DCFG, from opening its file to freeing it.  Handed: a path or
   bytes in memory.  Taken by: users.

   Loading has two halves.  While text is read, the functions in shapes.c fill
   arrays.  Then resolve.c and index.c connect them. */

#include "lib/json/json_events.h"
#include "lib/graph/merged_shape.h"
#include "lib/graph/shapes.h"

#include <stdlib.h>

/* Read all text of IN, and close IN. */
static bool read_model(Model* m, Input* in)
{
   Load   l = { .m = m, .job = &m->job };
   Parse* parse = parse_start(&m->job, in, &dcfg_shape, &l);
   bool   ok = parse != NULL;

   if (ok)
      l.walk = parse_walk(parse);
   while (ok && !parse_finished(parse))
      ok = parse_some(parse);
   parse_end(parse);
   return ok;
}

/* Load a DCFG.  IN and M's job are freed or become part of the result. */
static Dcfg* load(Model* m, Input* in, DcfgError* err)
{
   bool ok = in != NULL && read_model(m, in);

   m->shown.json_size = m->job.offset;
   job_at(&m->job, 0);
   ok = ok && resolve_ids(m);
   job_tell(&m->job, err);
   if (ok)
      return &m->shown;
   dcfg_free(&m->shown);
   return NULL;
}

Dcfg* dcfg_load(const char* path, const DcfgOptions* options, DcfgError* err)
{
   Model* m = job_object(sizeof(*m), offsetof(Model, job), path, options,
                         err);

   return m == NULL ? NULL : load(m, input_open(&m->job, path), err);
}

Dcfg* dcfg_load_memory(const void* data, size_t size, const char* name,
                       const DcfgOptions* options, DcfgError* err)
{
   Model* m = job_object(sizeof(*m), offsetof(Model, job), name, options,
                         err);

   return m == NULL ? NULL
          : load(m, input_open_memory(&m->job, data, size), err);
}

static void free_process(Job* job, Process* p)
{
   id_free(job, &p->node_ids);
   id_free(job, &p->edge_ids);
   free(p->first_out);
   free(p->out);
   free(p->first_in);
   free(p->in);
   free(p->loop_of_head);
   free(p->by_addr);
   free(p->symbol_ends);
   free(p->source_ends);
   free(p->block_ends);
   array_free(job, &p->images, sizeof(DcfgImage));
   array_free(job, &p->symbols, sizeof(DcfgSymbol));
   array_free(job, &p->sources, sizeof(DcfgSource));
   array_free(job, &p->nodes, sizeof(DcfgNode));
   array_free(job, &p->edges, sizeof(DcfgEdge));
   array_free(job, &p->counts, sizeof(uint64_t));
   array_free(job, &p->threads, sizeof(uint64_t));
   array_free(job, &p->routines, sizeof(DcfgRoutine));
   array_free(job, &p->loops, sizeof(DcfgLoop));
   array_free(job, &p->routine_nodes, sizeof(uint32_t));
   array_free(job, &p->idoms, sizeof(uint32_t));
   array_free(job, &p->exits, sizeof(uint32_t));
   array_free(job, &p->loop_nodes, sizeof(uint32_t));
   array_free(job, &p->backs, sizeof(uint32_t));
   array_free(job, &p->preceding, sizeof(uint64_t));
   array_free(job, &p->image_numbers, sizeof(uint32_t));
   array_free(job, &p->continued, sizeof(DcfgContinued));
   array_free(job, &p->bypasses, sizeof(DcfgLateBypass));
   merged_free(job, &p->merged);
}

void dcfg_free(Dcfg* d)
{
   Model* m = (Model*)d;

   if (m == NULL)
      return;
   for (size_t i = 0; i < m->processes.n; i++)
      free_process(&m->job, &ELEM(m->processes, Process, i));
   array_free(&m->job, &m->processes, sizeof(Process));
   array_free(&m->job, &m->files, sizeof(DcfgFileName));
   array_free(&m->job, &m->edge_types, sizeof(DcfgEdgeTypeName));
   array_free(&m->job, &m->special_nodes, sizeof(DcfgSpecialNode));
   arena_free(&m->job, &m->strings);
   free(m);
}
