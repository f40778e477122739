/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Finds out whether a recording begins with the program. */

/* Owns: whether counts of executions begin with the process.  Handed: a
   DCFG, and the files of its images.

   A process begins at the entry of its program or, if the program has an
   interpreter, at the interpreter's entry.  The entry is in the ELF file. */

#include "cmd/simpoint/beginning.h"

#include "cmd/machine/code.h"

#include <gelf.h>
#include <inttypes.h>
#include <string.h>

/* Return the block with which the first thread that executed anything began;
   DCFG_NONE: no thread did. */
static uint32_t first_block(const DcfgProcess* p)
{
   for (uint32_t t = 0; t < p->n_threads; t++)
      for (uint32_t i = 0; i < p->n_edges; i++) {
         const DcfgEdge* e = &p->edges[i];
         if (e->type == DCFG_EDGE_ENTRY && dcfg_edge_count(p, i, t) > 0
             && p->nodes[e->target].kind == DCFG_NODE_BLOCK)
            return e->target;
      }
   return DCFG_NONE;
}

/* Return whether block NODE is the entry of its image.  The image's file says
   so; if it cannot be read, the symbol _start does.  Set *KNOWN to false if
   neither tells. */
static bool is_entry(const Program* g, uint32_t node, bool* known)
{
   const DcfgNode* n = &g->p->nodes[node];
   Code*           c = code_quiet(g, NULL);
   struct Elf*     elf = code_elf(c, n->image);
   uint64_t        addr = 0;
   GElf_Ehdr       e;
   bool            there;

   *known = elf != NULL && gelf_getehdr(elf, &e) != NULL
            && code_file_addr(c, n->image, n->addr, &addr);
   there = *known && e.e_entry == addr;
   code_free(c);
   if (!*known && strcmp(node_name(g, node), "_start") == 0)
      there = *known = true;
   return there;
}

/* Return whether the tool left excluded code out of the graph. */
static bool has_gaps(const DcfgProcess* p)
{
   for (uint32_t i = 0; i < p->n_edges; i++)
      if (p->edges[i].type == DCFG_EDGE_EXCLUDED_CODE_BYPASS
          && p->edges[i].count > 0)
         return true;
   return false;
}

bool counts_from_begin(const Program* g)
{
   uint32_t node = first_block(g->p);
   bool     known, there = true;

   if (node == DCFG_NONE)
      return true;
   there = is_entry(g, node, &known);
   if (!known)
      complain("%s cannot be read: whether counts begin with the program is not "
               "known", image_path(g, g->p->nodes[node].image));
   else if (!there)
      complain("the trace does not begin with the program: counts are from there "
               "on, and dcfg regions refuses them");
   else if (has_gaps(g->p))
      complain("code was left out of the trace: counts are right only for code "
               "that was collected all the time");
   text_forget();
   return there || !known;
}
