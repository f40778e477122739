/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program of a whole execution trace. */

/* Owns: the file that is the program, files of the distribution, and images
   with lines.  Handed: a whole execution trace. */

#include "cmd/program/wet_program.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

const char* wet_program(DcfgWet* w)
{
   uint64_t    lowest = UINT64_MAX;
   const char* found = NULL;

   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image_name == NULL)
         continue;
      if (in->function != NULL && strcmp(in->function, "main") == 0)
         return in->image_name;
      if (in->image_load < lowest) {
         lowest = in->image_load;
         found = in->image_name;
      }
   }
   return found;
}

bool is_of_system(const char* path)
{
   /* Rust's own builds name its library /rustc/HASH/library, Debian's
      /usr/src/rustc-1.63.0/library. */
   static const char* const folders[] = { "/usr/include", "/usr/lib", "/lib",
                                          "/rustc", "/usr/src/rustc-",
                                          "/usr/local/go" };
   char plain[PATH_MAX];

   /* clang names /usr/bin/../lib/gcc/... and the like. */
   if (path != NULL && !text_is_plain_path(path)
       && strlen(path) < sizeof(plain)) {
      text_make_plain_path(plain, path);
      path = plain;
   }
   for (size_t i = 0; path != NULL && i < sizeof(folders) / sizeof(folders[0]);
        i++) {
      size_t k = strlen(folders[i]);
      if (strncmp(path, folders[i], k) == 0
          && path[k + strspn(path + k, "x.0123456789")] == '/')
         return true;
   }
   return false;
}

static bool image_has_lines(DcfgWet* w, uint32_t image)
{
   uint32_t n = dcfg_wet_instrs(w);

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image == image && in->line != 0)
         return true;
   }
   return false;
}

/* The program's image, or the first one. */
static uint32_t main_image(DcfgWet* w)
{
   const char* program = wet_program(w);
   uint32_t    n = dcfg_wet_instrs(w);

   for (uint32_t i = 0; i < n && program != NULL; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image_name != NULL && strcmp(in->image_name, program) == 0)
         return in->image;
   }
   return 0;
}

void mark_foreign(DcfgWet* w, const bool* instrs, bool* foreign)
{
   uint32_t n = dcfg_wet_instrs(w), image = UINT32_MAX;
   bool     lines = false;

   if (instrs == NULL) {
      image = main_image(w);
      lines = image_has_lines(w, image);
   }
   for (uint32_t i = 0; i < n && instrs != NULL; i++)
      if (instrs[i]) {
         image  = dcfg_wet_instr(w, i)->image;
         lines |= dcfg_wet_instr(w, i)->line != 0;
      }
   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      foreign[i] = !((in->image == image
                      || (instrs == NULL && lines
                          && !is_of_system(in->image_name)))
                     && (in->line != 0 || !lines));
   }
}

bool* images_with_lines(DcfgWet* w)
{
   uint32_t all = dcfg_wet_instrs(w), n = 0;
   bool*    lines;

   for (uint32_t i = 0; i < all; i++)
      if (dcfg_wet_instr(w, i)->image >= n)
         n = dcfg_wet_instr(w, i)->image + 1;
   lines = zalloc(n + (size_t)1, sizeof(*lines));
   for (uint32_t i = 0; i < all; i++)
      if (dcfg_wet_instr(w, i)->line != 0)
         lines[dcfg_wet_instr(w, i)->image] = true;
   return lines;
}
