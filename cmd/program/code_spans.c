/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Parts of a file with code. */

/* Owns: lists of spans of code.  Handed: spans, and ELF files. */

#include "cmd/program/code_spans.h"

#include "cmd/base/cmd.h"

#include <gelf.h>
#include <stdlib.h>

COMPARE(by_low, CodeSpan, UP(low) ?: UP(high))

size_t join_spans(CodeSpan* spans, size_t n)
{
   size_t k = 0;

   if (n > 0)
      qsort(spans, n, sizeof(*spans), by_low);
   for (size_t i = 0; i < n; i++)
      if (k > 0 && spans[i].low <= spans[k - 1].high) {
         if (spans[i].high > spans[k - 1].high)
            spans[k - 1].high = spans[i].high;
      } else {
         spans[k++] = spans[i];
      }
   return k;
}

CodeSpan* code_segments(Elf* elf, size_t* n)
{
   size_t    all;
   CodeSpan* segments;

   *n = 0;
   if (elf_getphdrnum(elf, &all) != 0)
      all = 0;
   segments = zalloc(all + 1, sizeof(*segments));
   for (size_t i = 0; i < all; i++) {
      GElf_Phdr h;
      if (gelf_getphdr(elf, (int)i, &h) != NULL && h.p_type == PT_LOAD
          && (h.p_flags & PF_X) && h.p_vaddr <= UINT64_MAX - h.p_memsz)
         segments[(*n)++] = (CodeSpan){ h.p_vaddr, h.p_vaddr + h.p_memsz };
   }
   *n = join_spans(segments, *n);
   return segments;
}
