/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's own images, and libraries. */

/* Owns: which images belong to the program, and the line about the others.
   Handed: a process, or an image's path. */

#include "cmd/base/own.h"

#include "cmd/base/format.h"
#include "cmd/base/sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Return whether both paths are in one folder. */
static bool is_beside(const char* path, const char* other)
{
   size_t n = (size_t)(text_base(path) - path);

   return (size_t)(text_base(other) - other) == n
          && strncmp(path, other, n) == 0;
}

bool is_of_program(const char* image, const char* program, const char* own)
{
   return image == NULL || image[0] != '/' || program == NULL
          || is_beside(image, program)
          || (own != NULL && path_fit(image, own, NULL) >= FIT_GLOB);
}

bool is_own_image(const Program* g, uint32_t image)
{
   return is_of_program(image_file(g, image), image_file(g, 0), NULL);
}

const char* rest_text(const Program* g, uint32_t thread)
{
   const DcfgProcess* p = g->p;
   uint64_t           instrs = 0;
   uint32_t           routines = 0, images = 0;
   bool*              seen = zalloc(p->n_images, sizeof(*seen));

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      uint32_t image = p->nodes[i].image;
      uint64_t n = dcfg_node_instrs(p, i, thread);
      if (n == 0 || image >= p->n_images || is_own_image(g, image))
         continue;
      add_count(&instrs, n);
      images += !seen[image];
      seen[image] = true;
   }
   for (uint32_t i = 0; i < p->n_routines; i++) {
      uint32_t entry = p->routines[i].entry;
      uint32_t image = entry < p->n_blocks ? p->nodes[entry].image : p->n_images;
      routines += image < p->n_images && seen[image]
                  && dcfg_routine_instrs(p, i, thread) > 0;
   }
   free(seen);
   if (images == 0)
      return NULL;
   return text_format("+ %s routine%s in %s librar%s: %s of instructions; "
                      "--all", text_count(routines), routines == 1 ? "" : "s",
                      text_count(images), images == 1 ? "y" : "ies",
                      text_share(instrs, dcfg_process_instrs(p, thread)));
}
