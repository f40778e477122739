/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fuzz target: loading a DCFG. */

/* The bytes are loaded as a DCFG, once strictly and once with problems
   reported.  Then every function is called.  libFuzzer calls it, or
   replay.c. */

#include "dcfg.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static size_t problems;

static void on_problem(void* arg, const DcfgProblem* problem)
{
   (void)arg;
   problems += strlen(problem->rule) + strlen(problem->place)
               + strlen(problem->what);
}

/* Results go here, so that the compiler leaves out no call. */
static volatile uint64_t answers;

static void ask_node(const DcfgProcess* p, uint32_t i)
{
   uint32_t nodes[4], n;

   answers += dcfg_node_by_id(p, p->nodes[i].id);
   answers += dcfg_node_at(p, p->nodes[i].addr);
   answers += dcfg_nodes_at(p, p->nodes[i].addr + 1, nodes, 4);
   answers += dcfg_image_at(p, p->nodes[i].addr);
   answers += dcfg_symbol_at(p, DCFG_NONE, p->nodes[i].addr + 2);
   answers += dcfg_source_at(p, p->nodes[i].image, p->nodes[i].addr);
   answers += dcfg_symbol_of(p, i);
   answers += dcfg_node_executions(p, i, 0);
   answers += dcfg_node_instrs(p, i, DCFG_ALL_THREADS);
   answers += dcfg_loop_by_head(p, i);
   answers += dcfg_routine_by_entry(p, i);
   answers += dcfg_edge_between(p, i, 0);
   if (dcfg_out_edges(p, i, &n) != NULL)
      answers += dcfg_out_edges(p, i, &n)[n - 1];
   if (dcfg_in_edges(p, i, &n) != NULL)
      answers += dcfg_in_edges(p, i, &n)[n - 1];
}

static void ask(const Dcfg* d, const DcfgProcess* p)
{
   uint32_t n;

   for (uint32_t i = 0; i < d->n_files; i++)
      answers += strlen(d->files[i].name);
   for (uint32_t i = 0; i < p->n_symbols; i++)
      answers += strlen(p->symbols[i].name);
   for (uint32_t i = 0; i < p->n_nodes; i++)
      ask_node(p, i);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      answers += dcfg_edge_by_id(p, p->edges[i].id);
      answers += dcfg_edge_count(p, i, 1);
      answers += strlen(dcfg_edge_type_text(p->edges[i].type));
      if (p->edges[i].source != DCFG_NONE)
         answers += p->nodes[p->edges[i].source].id;
      if (p->edges[i].target != DCFG_NONE)
         answers += p->nodes[p->edges[i].target].id;
   }
   for (uint32_t i = 0; i <= p->n_routines; i++) {
      answers += dcfg_routine_instrs(p, i, 0);
      answers += dcfg_routine_calls(p, i, 0);
      answers += dcfg_routine_entries(p, i, DCFG_ALL_THREADS);
      if (dcfg_routine_exits(p, i, &n) != NULL)
         answers += p->nodes[dcfg_routine_exits(p, i, &n)[n - 1]].id;
   }
   for (uint32_t i = 0; i <= p->n_loops; i++) {
      answers += dcfg_loop_instrs(p, i, 0);
      answers += dcfg_loop_iterations(p, i, 0);
      answers += dcfg_loop_entries(p, i, DCFG_ALL_THREADS);
      answers += dcfg_loop_contains(p, i, 0);
      if (dcfg_loop_backs(p, i, &n) != NULL)
         answers += p->nodes[dcfg_loop_backs(p, i, &n)[n - 1]].id;
   }
   for (uint32_t i = 0; p->calls != NULL && i < p->calls->n_functions; i++) {
      answers += dcfg_function_self(p, i, 0);
      answers += dcfg_function_inclusive(p, i, DCFG_ALL_THREADS);
   }
   for (uint32_t i = 0; p->calls != NULL && i < p->calls->n_pairs; i++) {
      const DcfgPair* c = &p->calls->pairs[i];
      answers += dcfg_pair_calls(p, i, 0);
      answers += dcfg_pair_inclusive(p, i, DCFG_ALL_THREADS);
      answers += p->calls->functions[c->caller].addr;
      answers += p->calls->functions[c->callee].addr;
   }
   for (uint32_t i = 0; i < p->n_recorded; i++)
      answers += strlen(p->runs[i].command_line) + p->runs[i].parent;
   for (uint32_t i = 0; p->baseline != NULL && i < p->baseline->n_functions;
        i++) {
      const DcfgBaselineFunction* f = &p->baseline->functions[i];
      answers += strlen(f->name) + strlen(p->baseline->name) + f->self;
      if (f->image != DCFG_NONE)
         answers += p->images[f->image].load_addr;
   }
   if (p->part != NULL && p->part->mark != NULL)
      answers += strlen(p->part->mark);
   answers += dcfg_process_instrs(p, 0);
}

static void load(const uint8_t* data, size_t size, DcfgOptions* options)
{
   DcfgError err;
   char      text[DCFG_ERROR_TEXT_SIZE];
   Dcfg*     d = dcfg_load_memory(data, size, "fuzz", options, &err);

   if (d == NULL) {
      if (err.status == DCFG_OK)
         abort();
      answers += strlen(dcfg_error_text(&err, text));
      return;
   }
   for (uint32_t i = 0; i < d->n_processes; i++)
      ask(d, dcfg_process(d, i));
   dcfg_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
   DcfgOptions options = { .max_memory = 64 << 20 };

   load(data, size, &options);
   options.problem = on_problem;
   load(data, size, &options);
   return 0;
}
