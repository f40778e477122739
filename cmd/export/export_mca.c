/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Loops for llvm-mca. */

/* Owns: the choice of loops, the path through each, and llvm-mca's input.
   Handed: images whose files are what was executed.

   llvm-mca simulates a straight sequence of instructions, repeated.  The
   sequence of a loop follows the most frequent edge from block to block,
   beginning at the head.  It ends before the head or another block that it
   already has. */

#include "cmd/base/result.h"
#include "cmd/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

/* The number of loops that are exported if the user names none: the hottest. */
#define MAX_LOOPS 10

typedef
   struct {
      uint32_t loop;
      uint64_t instrs;
   }
   Hot;

COMPARE(by_instrs, Hot, DOWN(instrs) ?: UP(loop))

/* Return how often control continued along this edge.  Past a call: as often as
   the call was made. */
static uint64_t traversals(const Export* x, uint32_t edge)
{
   const DcfgEdge* e = &x->p->edges[edge];

   if (e->type == DCFG_EDGE_CALL_BYPASS)
      return dcfg_node_executions(x->p, e->source, x->thread);
   if (dcfg_is_local(e->type) && e->type != DCFG_EDGE_REP)
      return dcfg_edge_count(x->p, edge, x->thread);
   return 0;
}

/* Return the block of LOOP that most often follows NODE, and how often in
   *COUNT; DCFG_NONE if none does. */
static uint32_t next_block(const Export* x, uint32_t loop, uint32_t node,
                           uint64_t* count)
{
   uint32_t        n, best = DCFG_NONE;
   const uint32_t* out = dcfg_out_edges(x->p, node, &n);

   *count = 0;
   for (uint32_t i = 0; i < n; i++) {
      uint32_t to = x->p->edges[out[i]].target;
      if (dcfg_loop_contains(x->p, loop, to) && traversals(x, out[i]) > *count) {
         *count = traversals(x, out[i]);
         best = to;
      }
   }
   return best;
}

static void put_instr(void* arg, const Instr* i)
{
   fprintf(arg, "        %s\n", i->text);
}

/* Write the loop.  WAY gets the blocks of its path.  SEEN, by node, is all
   false before and after. */
static void put_loop(const Export* x, uint32_t loop, bool* seen,
                     uint32_t* way)
{
   const DcfgProcess* p = x->p;
   uint32_t           head = p->loops[loop].head, node = head, n = 0;
   uint64_t           iterations = dcfg_loop_iterations(p, loop, x->thread);
   uint64_t           least = iterations, count;
   const char*        source = node_source(&x->g, head);

   fprintf(x->out, "# loop at 0x%" PRIx64 " in %s%s%s: %s iterations, %s "
           "instructions, %s of the process\n",
           p->nodes[head].addr, node_name(&x->g, head),
           source[0] != 0 ? ", " : "", source,
           text_count(iterations),
           text_count(dcfg_loop_instrs(p, loop, x->thread)),
           text_share(dcfg_loop_instrs(p, loop, x->thread),
                      dcfg_process_instrs(p, x->thread)));
   fprintf(x->out, "# LLVM-MCA-BEGIN %" PRIx64 "\n", p->nodes[head].addr);
   do {
      seen[node] = true;
      way[n++] = node;
      if (!code_block(x->code, node, put_instr, x->out))
         fputs("        nop\n", x->out);
      node = next_block(x, loop, node, &count);
      least = count < least ? count : least;
   } while (node != DCFG_NONE && !seen[node]);
   for (uint32_t i = 0; i < n; i++)
      seen[way[i]] = false;
   fprintf(x->out, "# LLVM-MCA-END\n# taken by at most %s iterations%s\n\n",
           text_count(least),
           node == head ? "" : "; it does not come back to the head");
   text_forget();
}

/* Return whether WHAT names the loop: by one of its N ROUTINES, or by the
   head's address. */
static bool is_meant(const Export* x, uint32_t loop, const char* what,
                     const uint32_t* routines, uint32_t n)
{
   uint32_t head = x->p->loops[loop].head;
   char*    end;
   uint64_t number = strtoull(what + (what[0] == '#'), &end, 0);

   if (what[0] == 0)
      return true;
   if (*end == 0 && head != DCFG_NONE
       && dcfg_loop_by_head(x->p, what[0] == '#'
                            ? dcfg_node_by_id(x->p, (uint32_t)number)
                            : dcfg_node_at(x->p, number)) != DCFG_NONE)
      return what[0] == '#' ? x->p->nodes[head].id == number
             : x->p->nodes[head].addr == number;
   for (uint32_t i = 0; i < n; i++)
      if (x->p->loops[loop].routine == routines[i])
         return true;
   return false;
}

static void write_mca(const Export* x)
{
   const DcfgProcess* p = x->p;
   Hot*               hot = zalloc(p->n_loops, sizeof(*hot));
   bool*              seen = zalloc(p->n_nodes, sizeof(*seen));
   uint32_t*          way = zalloc(p->n_nodes, sizeof(*way));
   uint32_t           routines[64], n_routines = 0, n = 0;

   if (x->what[0] != 0)
      n_routines = find_routines(&x->g, x->what, routines, 64);
   n_routines = n_routines > 64 ? 64 : n_routines;
   for (uint32_t i = 0; i < p->n_loops; i++) {
      uint32_t head = p->loops[i].head;
      if (head == DCFG_NONE || p->nodes[head].image >= p->n_images
          || !x->chosen[p->nodes[head].image]
          || !is_selected(x->selected, head)
          || dcfg_loop_iterations(p, i, x->thread) == 0
          || !is_meant(x, i, x->what, routines, n_routines))
         continue;
      hot[n++] = (Hot){ i, dcfg_loop_instrs(p, i, x->thread) };
   }
   if (n == 0)
      die("there is no such loop; dcfg report --loops --top=0 lists all");
   qsort(hot, n, sizeof(*hot), by_instrs);
   for (uint32_t i = 0; i < n && (x->what[0] != 0 || i < MAX_LOOPS); i++)
      put_loop(x, hot[i].loop, seen, way);
   free(hot);
   free(seen);
   free(way);
   say_next("next:\n  %s %s\n", llvm_program("llvm-mca"),
            shell_word(x->out_name, ""));
}

const ExportForm export_form_mca = {
   .choice = { "mca",
               "loops as assembly for llvm-mca, each on the path that was "
               "taken most: the hottest loops, those of a routine, or the one "
               "whose head has this address or #NODE_ID", "WHAT" },
   .code = true, .parts = true, .text = true,
   .write = write_mca
};
