/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Symbols and source lines of images. */

/* Owns: walks over an object's symbols; looking up symbols and source lines.
   Handed: the core's debug information, and tool/run/image.c's copies of it. Taken
   by: tool/run/image.c and tool/run/exclude.c; tool/output_dcfg.c, tool/output_dcfg.c and
   tool/profile/output_profile.c. */

#include "pub_tool_basics.h"

#include "tool/base/core.h"
#include "format/order.h"
#include "tool/run/symbols.h"

void DCFG_(each_symbol)(const DebugInfo* di,
                        void (*do_it)(void* arg, Addr addr, UInt size,
                                      const HChar* name), void* arg)
{
   DCFG_(read_debug_info)(di);
   for (Int i = 0; i < VG_(DebugInfo_syms_howmany)(di); i++) {
      SymAVMAs      avmas;
      UInt          size;
      const HChar*  name;
      const HChar** others;
      Bool          is_text;
      VG_(DebugInfo_syms_getidx)(di, i, &avmas, &size, &name, &others,
                                 &is_text, NULL, NULL);
      if (!is_text)
         continue;
      do_it(arg, avmas.main, size, name);
      for (; others != NULL && *others != NULL; others++)
         do_it(arg, avmas.main, size, *others);
   }
}

UInt DCFG_(symbol_around)(const ImageInfo* im, Addr a)
{
   UInt lo = 0;

   BISECT(lo, im->n_symbols, mid, im->symbols[mid].addr <= a);
   if (lo == 0 || a - im->symbols[lo - 1].addr >= im->symbols[lo - 1].size)
      return im->n_symbols;
   lo--;
   while (lo > 0 && im->symbols[lo - 1].addr == im->symbols[lo].addr)
      lo--;
   return lo;
}

const ImageLine* DCFG_(line_at)(const ImageInfo* im, Addr a)
{
   UInt lo = 0;

   BISECT(lo, im->n_lines, mid, im->lines[mid].addr < a);
   return lo < im->n_lines && im->lines[lo].addr == a ? &im->lines[lo]
                                                      : NULL;
}
