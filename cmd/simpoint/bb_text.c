/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes PinPlay's .bb files. */

/* Owns: the lines of PinPlay's .bb format.  Handed: slices.

   A slice has two lines.  The marker (S: or M:) says where the slice begins: at
   which execution of the instruction at an address.  The vector (T:) has the
   instructions that the slice executed in each block. */

#include "cmd/simpoint/bb_text.h"

#include <inttypes.h>
#include <string.h>

void bb_put_header(FILE* out, const Program* g, uint32_t thread)
{
   fputs("I: 0\n", out);
   if (thread != DCFG_ALL_THREADS)
      fprintf(out, "P: %" PRIu32 "\n", thread);
   fprintf(out, "C: sum:dummy Command: %s\n", program_name(g));
}

void bb_put_since(FILE* out, const Program* g, uint32_t node)
{
   fprintf(out, "# Counts since 0x%" PRIx64 "\n", g->p->nodes[node].addr);
}

/* Write an S: line.  If the image's path has blanks or characters that must be
   replaced, no reader could find the file by it: write an M: line, without the
   image. */
void bb_put_marker(FILE* out, const Program* g, uint32_t node, uint64_t count)
{
   const DcfgNode* n = &g->p->nodes[node];
   const char*     path = image_path(g, n->image);
   const char*     source = node_source(g, node);
   uint64_t        low = n->image < g->p->n_images
                         ? g->p->images[n->image].load_addr : 0;

   if (path[0] != '/' || strchr(path, ' ') != NULL
       || strcmp(path, image_file(g, n->image)) != 0) {
      fprintf(out, "M: 0x%" PRIx64 " %" PRIu64 " no_image 0\n", n->addr, count);
      return;
   }
   fprintf(out, "S: 0x%" PRIx64 " %" PRIu64 " %s 0x%" PRIx64 " + 0x%" PRIx64
           " # %s\n", n->addr, count, path, low, n->addr - low,
           source[0] != 0 ? source : "Unknown:0");
}

void need_one_field(const char* path)
{
   if (path[strcspn(path, " ,\t\"|")] != 0)
      die("%s: fields of these files end at blanks and commas, so a path must "
          "not have one: record a copy of the program elsewhere", path);
}

void bb_put_share(FILE* out, uint64_t id, uint64_t instrs)
{
   fprintf(out, ":%" PRIu64 ":%" PRIu64 " ", id, instrs);
}

void bb_put_table(FILE* out, const Program* g, uint64_t instrs, uint64_t size,
                  const uint64_t* executions)
{
   fprintf(out, "Dynamic instruction count %" PRIu64 "\nSliceSize: %" PRIu64
           "\n", instrs, size);
   for (uint32_t i = 0; i < g->p->n_blocks; i++) {
      const DcfgNode* b = &g->p->nodes[i];
      if (executions[i] > 0)
         fprintf(out, "Block id: %" PRIu32 " 0x%" PRIx64 ":0x%" PRIx64
                 " static instructions: %" PRIu32 " block count: %" PRIu64
                 " block size: %" PRIu32 "\n", b->id, b->addr,
                 b->addr + b->last_offset, b->n_instrs, executions[i],
                 b->size);
   }
}

bool bb_repeats(const DcfgProcess* p, uint32_t node)
{
   uint32_t edge = dcfg_edge_between(p, node, node);

   return edge != DCFG_NONE && p->edges[edge].type == DCFG_EDGE_REP;
}
