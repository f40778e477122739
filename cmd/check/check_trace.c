/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Rules of traces. */

/* Owns: rules of a DCFG-trace, alone and together with its DCFG.  Handed:
   chunks. */

#include "cmd/base/operands.h"
#include "cmd/check/check.h"

#define N_EDGES 65536

/* The number of wrong edges at which counting stops. */
#define MAX_WRONG 2000000

typedef
   struct {
      Check              c;             // for the chunk's process
      uint64_t           process_id;
      uint32_t           process;       // its index in the trace
      uint32_t           thread;
      bool               open;          // is there a present thread?
      bool               whole;         // is nothing missing so far?
      bool               sound;         // could everything be decoded?
      uint32_t           at;            // the thread's present node
      uint64_t           next;          // number of the next chunk's first
                                        // instruction
      uint64_t           n_edges;       // the thread's decoded edges
      uint64_t           all_edges;     // the thread's edges in the DCFG
      bool               over;          // are there more edges, or too many
                                        // wrong ones?
      uint64_t           n_wrong;       // wrong edges of all threads
      uint64_t*          counts;        // for each edge
      uint8_t*           seen;          // for each thread of the process
      uint32_t           ids[N_EDGES];
   }
   Look;

static const char* where(const DcfgChunkInfo* info)
{
   return text_format("process %" PRIu64 ", thread %" PRIu32 ", chunk %"
                      PRIu64, info->process_id, info->thread, info->number);
}

/*--- A thread                                             ---*/

/* Compare a thread that was traced from START to END: everything must be
   there. */
static void compare_counts(Look* look)
{
   const DcfgProcess* p = look->c.p;

   if (p->thread_instrs != NULL && p->thread_instrs[look->thread] != look->next)
      broken(look->c.rules, "trace-thread-instrs", "thread %" PRIu32
             ": %s instructions in its chunks, the DCFG has %s", look->thread,
             text_count(look->next),
             text_count(p->thread_instrs[look->thread]));
   for (uint32_t i = 0; i < p->n_edges; i++) {
      uint64_t n = dcfg_edge_count(p, i, look->thread);
      if (look->counts[i] != n)
         broken(look->c.rules, "trace-edge-count", "thread %" PRIu32
                ", %s: %s times in the trace, %s in the DCFG", look->thread,
                edge_label(&look->c, i), text_count(look->counts[i]),
                text_count(n));
   }
}

static void end_thread(Look* look)
{
   const DcfgProcess* p = look->c.p;
   bool               at_end;

   if (!look->open)
      return;
   look->open = false;
   at_end = look->at < p->n_nodes && p->nodes[look->at].kind == DCFG_NODE_END;
   if (look->whole && look->sound && !at_end && look->c.ours)
      broken(look->c.rules, "trace-exit",
             "thread %" PRIu32 " ends at %s, not at "
             "END", look->thread, node_label(&look->c, look->at));
   if (look->whole && look->sound && at_end)
      compare_counts(look);
}

/* At a process's end: this tool traces a program as a whole. */
static void end_process(Look* look)
{
   const DcfgProcess* p = look->c.p;

   if (p == NULL || look->seen == NULL || !look->c.ours
       || p->thread_instrs == NULL)
      return;
   for (uint32_t i = 0; i < p->n_threads; i++)
      if (!look->seen[i] && p->thread_instrs[i] > 0)
         broken(look->c.rules, "trace-thread", "thread %" PRIu32 " is missing: "
                "the DCFG has %s instructions of it", i,
                text_count(p->thread_instrs[i]));
}

static void begin_process(Look* look, const DcfgChunkInfo* info)
{
   look->process_id = info->process_id;
   look->process = info->process;
   look->c.p = look->c.g.p = dcfg_process_by_id(look->c.g.d, info->process_id);
   FREE_ALL(look->counts, look->seen);
   look->counts = NULL;
   look->seen = NULL;
   if (look->c.p == NULL) {
      broken(look->c.rules, "trace-process", "PROCESSES[%" PRIu32 "]: the DCFG "
             "has no process %" PRIu64, info->process, info->process_id);
      return;
   }
   look->counts = zalloc(look->c.p->n_edges, sizeof(uint64_t));
   look->seen = zalloc(look->c.p->n_threads, 1);
}

/* Begin a thread, if the DCFG has it. */
static void begin_thread(Look* look, const DcfgChunkInfo* info)
{
   look->thread = info->thread;
   if (look->c.p == NULL)
      return;
   if (info->thread >= look->c.p->n_threads) {
      broken(look->c.rules, "trace-thread", "%s: the DCFG has %" PRIu32
             " threads", where(info), look->c.p->n_threads);
      return;
   }
   if (look->seen[info->thread])
      broken(look->c.rules, "trace-thread", "thread %" PRIu32 " stands there "
             "twice", info->thread);
   look->seen[info->thread] = 1;
   look->open = true;
   look->whole = info->preceding_instrs == 0;
   look->sound = true;
   look->at = DCFG_NONE;
   look->next = info->preceding_instrs;
   memset(look->counts, 0, look->c.p->n_edges * sizeof(uint64_t));
   look->n_edges = look->all_edges = 0;
   look->over = false;
   for (uint32_t i = 0; i < look->c.p->n_edges; i++)
      look->all_edges = capped_sum(look->all_edges,
                                   dcfg_edge_count(look->c.p, i, look->thread));
   if (!look->whole && look->c.ours)
      broken(look->c.rules, "trace-preceding", "%s: PRECEDING_INSTR_COUNT is %"
             PRIu64 " at the beginning", where(info), info->preceding_instrs);
}

/*--- A chunk                                              ---*/

/* Follow decoded edges.  Return their instructions. */
static uint64_t follow_edges(Look* look, const DcfgChunkInfo* info, size_t n,
                             uint64_t before)
{
   const DcfgProcess* p = look->c.p;
   uint64_t           instrs = 0;

   for (size_t i = 0; i < n; i++) {
      uint32_t        edge = dcfg_edge_by_id(p, look->ids[i]);
      const DcfgEdge* e;
      if (edge == DCFG_NONE) {
         look->n_wrong++;
         broken(look->c.rules, "trace-edge",
                "%s: the DCFG has no edge %" PRIu32, where(info), look->ids[i]);
         look->sound = false;
         look->at = DCFG_NONE;
         continue;
      }
      e = &p->edges[edge];
      look->counts[edge]++;
      if (look->at != DCFG_NONE && e->source != look->at) {
         look->n_wrong++;
         broken(look->c.rules, "trace-path", "%s, edge %" PRIu64 " of it: %s "
                "cannot come after block %s", where(info), before + i,
                edge_label(&look->c, edge), node_label(&look->c, look->at));
      }
      look->at = e->target;
      if (e->source < p->n_nodes)
         instrs += p->nodes[e->source].n_instrs;
   }
   return instrs;
}

/* Count N decoded edges of a chunk.  A few characters may stand for more edges
   than anybody can wait for: if there are more than the DCFG has, the rest of
   the thread is not decoded. */
static void count_edges(Look* look, const DcfgChunkInfo* info, size_t n,
                        uint64_t n_wrong)
{
   look->n_edges = capped_sum(look->n_edges, n);
   if (n_wrong > 0 && look->n_wrong > MAX_WRONG && !look->over) {
      look->over = true;
      broken(look->c.rules, "trace-path", "%s: the rest of the thread is not "
             "read, after %d edges that cannot be there", where(info),
             MAX_WRONG);
   }
   if (look->over || look->n_edges <= look->all_edges)
      return;
   look->over = true;
   broken(look->c.rules, "trace-edge-count",
          "%s: the thread has more edges than "
          "the %s that the DCFG has of it", where(info),
          text_count(look->all_edges));
}

static void check_begin(Look* look, const DcfgChunkInfo* info)
{
   const DcfgProcess* p = look->c.p;
   uint32_t           first = dcfg_edge_by_id(p, info->first_edge);

   if (info->preceding_instrs < look->next) {
      broken(look->c.rules, "trace-preceding", "%s: PRECEDING_INSTR_COUNT is %"
             PRIu64 ", %" PRIu64 " were executed before", where(info),
             info->preceding_instrs, look->next);
   } else if (info->preceding_instrs > look->next) {
      if (look->c.ours)
         broken(look->c.rules, "trace-preceding",
                "%s: PRECEDING_INSTR_COUNT is "
                "%" PRIu64 ", %" PRIu64 " were traced before", where(info),
                info->preceding_instrs, look->next);
      look->whole = false;
      look->at = DCFG_NONE;
   }
   if (info->number == 0 && info->preceding_instrs == 0 && first != DCFG_NONE
       && (p->edges[first].source >= p->n_nodes
           || p->nodes[p->edges[first].source].kind != DCFG_NODE_START))
      broken(look->c.rules, "trace-entry", "%s: its first edge, %s, does not "
             "leave START", where(info), edge_label(&look->c, first));
}

static void check_chunk(Look* look, const DcfgChunk* chunk)
{
   const DcfgChunkInfo* info = dcfg_chunk_info(chunk);
   DcfgDecoder*         x;
   DcfgError            err;
   uint64_t             n_edges = 0, instrs = 0;
   size_t               n;

   if (info->n_edges == 0) {
      if (look->c.ours)
         broken(look->c.rules, "trace-chunk-empty", "%s", where(info));
      return;
   }
   if (look->over) {                    // already reported
      look->sound = false;
      return;
   }
   check_begin(look, info);
   x = dcfg_decoder_new(chunk, &err);
   if (x == NULL) {
      broken(look->c.rules, "trace-sequence", "%s: %s", where(info),
             err.reason);
      look->sound = false;
      look->at = DCFG_NONE;
      look->next = info->preceding_instrs + info->instrs;
      return;
   }
   do {
      uint64_t n_wrong = look->n_wrong;
      n = dcfg_decoder_next(x, look->ids, N_EDGES, &err);
      instrs += follow_edges(look, info, n, n_edges);
      n_edges += n;
      count_edges(look, info, n, look->n_wrong - n_wrong);
   } while (n == N_EDGES && !look->over);
   look->next = info->preceding_instrs + info->instrs;
   if (n == N_EDGES && look->over) {
      look->sound = false;
   } else if (err.status != DCFG_OK) {
      broken(look->c.rules, "trace-sequence", "%s, after %" PRIu64 " edges: %s",
             where(info), n_edges, err.reason);
      look->sound = false;
      look->at = DCFG_NONE;
   } else {
      if (instrs != info->instrs)
         broken(look->c.rules, "trace-instrs", "%s: INSTR_COUNT is %" PRIu64
                ", its edges have %" PRIu64, where(info), info->instrs,
                instrs);
      if (!dcfg_decoder_used_all(x))
         broken(look->c.rules, "trace-sequence",
                "%s: characters are left after "
                "its last edge", where(info));
   }
   dcfg_decoder_free(x);
}

/* --- The whole trace                                      --- */

/* Return whether nothing was executed, so that there is nothing to trace. */
static bool is_empty(const Dcfg* d)
{
   const DcfgProcess* p;

   for (uint32_t i = 0; (p = dcfg_process(d, i)) != NULL; i++)
      if (p->instr_count > 0)
         return false;
   return true;
}

bool check_trace(Check* check, const char* path)
{
   DcfgOptions options = read_options(broken_in_file, check->rules);
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open(path, &options, &err);
   Look*       l = zalloc(1, sizeof(*l));
   bool        any = false;

   l->c = *check;
   while (t != NULL) {
      DcfgChunk*           chunk = dcfg_trace_next_chunk(t, &err);
      const DcfgChunkInfo* info;
      if (chunk == NULL)
         break;
      info = dcfg_chunk_info(chunk);
      if (!any || info->process != l->process) {
         end_thread(l);
         end_process(l);
         begin_process(l, info);
      }
      if (!any || info->number == 0 || info->thread != l->thread) {
         end_thread(l);
         begin_thread(l, info);
      }
      any = true;
      if (l->open)
         check_chunk(l, chunk);
      dcfg_chunk_free(chunk);
   }
   if (err.status == DCFG_OK) {
      end_thread(l);
      end_process(l);
   } else {
      complain("%s", unreadable(&err, KIND_TRACE));
   }
   if (!any && err.status == DCFG_OK && !is_empty(check->g.d))
      broken(check->rules, "trace-thread", "no thread has a chunk");
   dcfg_trace_close(t);
   FREE_ALL(l->counts, l->seen, l);
   return err.status == DCFG_OK;
}
