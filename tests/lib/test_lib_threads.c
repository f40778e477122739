/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The promises of dcfg.h about threads. */

/* Under ThreadSanitizer: several threads use one loaded DCFG and one chunk, and
   call every function.  Each of them also has DCFGs and traces of its own.  All
   must get the same answers, without data races. */

#include "trace_model.h"

#include <pthread.h>

#define N_THREADS 4
#define N_ROUNDS  20

typedef
   struct {
      const Dcfg*      graph;           // shared by all
      const DcfgChunk* chunk;           // shared by all
      const char*      trace;
      uint64_t         sum;
   }
   Work;

static void add(uint64_t* sum, uint64_t x)
{
   *sum = *sum * 31 + x;
}

static void add_list(uint64_t* sum, const uint32_t* list, uint32_t n)
{
   for (uint32_t i = 0; i < n; i++)
      add(sum, list[i]);
}

static void ask_node(const DcfgProcess* p, uint32_t i, uint64_t* sum)
{
   uint32_t        nodes[4], n;
   const uint32_t* list;
   uint64_t        addr = p->nodes[i].addr;

   add(sum, dcfg_node_by_id(p, p->nodes[i].id));
   add(sum, dcfg_node_at(p, addr));
   add(sum, dcfg_nodes_at(p, addr + 1, nodes, 4));
   add(sum, dcfg_image_at(p, addr));
   add(sum, dcfg_symbol_at(p, DCFG_NONE, addr + 2));
   add(sum, dcfg_source_at(p, p->nodes[i].image, addr));
   add(sum, dcfg_symbol_of(p, i));
   add(sum, dcfg_edge_between(p, i, 0));
   add(sum, dcfg_loop_by_head(p, i));
   add(sum, dcfg_routine_by_entry(p, i));
   list = dcfg_out_edges(p, i, &n);
   add_list(sum, list, n);
   list = dcfg_in_edges(p, i, &n);
   add_list(sum, list, n);
   for (uint32_t t = 0; t < p->n_threads; t++) {
      add(sum, dcfg_node_executions(p, i, t));
      add(sum, dcfg_node_inflow(p, i, t));
      add(sum, dcfg_node_outflow(p, i, t));
      add(sum, dcfg_node_instrs(p, i, t));
   }
}

static void ask_routine(const DcfgProcess* p, uint32_t i, uint64_t* sum)
{
   uint32_t        n;
   const uint32_t* list = dcfg_routine_nodes(p, i, &n);

   add_list(sum, list, n);
   list = dcfg_routine_exits(p, i, &n);
   add_list(sum, list, n);
   add(sum, dcfg_routine_instrs(p, i, DCFG_ALL_THREADS));
   add(sum, dcfg_routine_calls(p, i, 0));
   add(sum, dcfg_routine_entries(p, i, DCFG_ALL_THREADS));
}

static void ask_loop(const DcfgProcess* p, uint32_t i, uint64_t* sum)
{
   uint32_t        n;
   const uint32_t* list = dcfg_loop_nodes(p, i, &n);

   add_list(sum, list, n);
   list = dcfg_loop_backs(p, i, &n);
   add_list(sum, list, n);
   add(sum, dcfg_loop_contains(p, i, p->loops[i].head));
   add(sum, dcfg_loop_instrs(p, i, DCFG_ALL_THREADS));
   add(sum, dcfg_loop_iterations(p, i, 0));
   add(sum, dcfg_loop_entries(p, i, DCFG_ALL_THREADS));
}

static void ask(const Dcfg* d, uint64_t* sum)
{
   const DcfgProcess* p = dcfg_process(d, 0);

   add(sum, dcfg_process_by_id(d, p->id) == p);
   add(sum, dcfg_process_instrs(p, DCFG_ALL_THREADS));
   for (uint32_t i = 0; i < p->n_nodes; i++)
      ask_node(p, i, sum);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      add(sum, dcfg_edge_by_id(p, p->edges[i].id));
      add(sum, dcfg_edge_count(p, i, 0));
      add(sum, strlen(dcfg_edge_type_text(p->edges[i].type)));
   }
   for (uint32_t i = 0; i < p->n_routines; i++)
      ask_routine(p, i, sum);
   for (uint32_t i = 0; i < p->n_loops; i++)
      ask_loop(p, i, sum);
}

static void decode(const DcfgChunk* c, uint64_t* sum)
{
   uint32_t     some[64];
   size_t       n;
   DcfgDecoder* x = dcfg_decoder_new(c, NULL);

   add(sum, dcfg_chunk_info(c)->n_edges);
   add(sum, strlen(dcfg_chunk_text(c)));
   while ((n = dcfg_decoder_next(x, some, 64, NULL)) > 0)
      add_list(sum, some, (uint32_t)n);
   add(sum, dcfg_decoder_used_all(x));
   dcfg_decoder_free(x);
}

/* Each thread has objects of its own, and a broken file. */
static void own(const char* trace, uint64_t* sum)
{
   uint32_t    some[64];
   DcfgError   err;
   Dcfg*       d = dcfg_load_memory(sample, strlen(sample), "own", NULL,
                                    &err);
   DcfgTrace*  t = dcfg_trace_open_memory(trace, strlen(trace), "own", NULL,
                                          &err);
   DcfgChunk*  c = dcfg_trace_next_chunk(t, &err);

   ask(d, sum);
   dcfg_trace_close(t);
   decode(c, sum);
   dcfg_chunk_free(c);
   t = dcfg_trace_open_memory(trace, strlen(trace), "own", NULL, &err);
   for (size_t n; (n = dcfg_trace_next(t, some, 64, &err)) > 0; )
      add_list(sum, some, (uint32_t)n);
   add(sum, dcfg_trace_offset(t));
   dcfg_trace_close(t);
   dcfg_free(d);
   if (dcfg_load_memory(sample, 100, "own", NULL, &err) == NULL)
      add(sum, (uint64_t)err.status);
}

static void* work(void* arg)
{
   Work* w = arg;

   for (int i = 0; i < N_ROUNDS; i++) {
      ask(w->graph, &w->sum);
      decode(w->chunk, &w->sum);
      own(w->trace, &w->sum);
   }
   return NULL;
}

int main(void)
{
   char*      trace = one_chunk(SPEC_DICTIONARY, BITS, 3001, 1, "(9*<b>)");
   DcfgError  err;
   Dcfg*      d = dcfg_load_memory(sample, strlen(sample), "shared", NULL,
                                   &err);
   DcfgTrace* t = dcfg_trace_open_memory(trace, strlen(trace), "shared", NULL,
                                         &err);
   DcfgChunk* c = dcfg_trace_next_chunk(t, &err);
   pthread_t  threads[N_THREADS];
   Work       works[N_THREADS];
   bool       same = true;

   /* A chunk does not need its trace. */
   dcfg_trace_close(t);
   for (int i = 0; i < N_THREADS; i++) {
      works[i] = (Work){ d, c, trace, 0 };
      pthread_create(&threads[i], NULL, work, &works[i]);
   }
   for (int i = 0; i < N_THREADS; i++) {
      pthread_join(threads[i], NULL);
      same = same && works[i].sum == works[0].sum;
   }
   dcfg_chunk_free(c);
   dcfg_free(d);
   free(trace);
   /* The sanitizer changes the exit status if it has found a race. */
   printf("%sok 1 - %d threads get the same answers\n1..1\n",
          same ? "" : "not ", N_THREADS);
   return same ? 0 : 1;
}
