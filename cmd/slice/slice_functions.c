/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of a trace that slices treat in their own way. */

/* Owns: which functions are allocators, by their names, and which have a
   frame pointer, by their code.  Handed: a trace. */

#include "cmd/slice/slice_functions.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"

#include <stdlib.h>
#include <string.h>

bool is_allocator(const char* function)
{
   static const char* const names[] = {
      "malloc", "free", "calloc", "realloc", "reallocarray", "memalign",
      "aligned_alloc", "posix_memalign", "mmap", "mmap64", "sbrk", "brk"
   };

   while (function != NULL
          && (*function == '_' || strncmp(function, "GI_", 3) == 0
              || strncmp(function, "libc_", 5) == 0))
      function += *function == '_' ? 1 : strcspn(function, "_");
   for (size_t i = 0; function != NULL && i < sizeof(names) / sizeof(names[0]);
        i++)
      if (strcmp(function, names[i]) == 0)
         return true;
   return false;
}

bool* find_frames(DcfgWet* w)
{
   uint32_t n = dcfg_wet_instrs(w);
   bool*    frames = zalloc(n + (size_t)1, sizeof(*frames));

   for (uint32_t i = 0, k; i < n; i = k) {
      const char* function = dcfg_wet_instr(w, i)->function;
      bool        frame = false;
      for (k = i; k < n; k++) {
         const DcfgWetInstr* in = dcfg_wet_instr(w, k);
         if (k > i && (function == NULL || in->function == NULL
                       || strcmp(in->function, function) != 0))
            break;
         frame |= function != NULL && makes_frame(in);
      }
      memset(frames + i, frame, k - i);
   }
   return frames;
}
