/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Symbols and source lines of images. */

#ifndef __DCFG_SYMBOLS_H
#define __DCFG_SYMBOLS_H

#include "pub_tool_debuginfo.h"

#include "tool/graph/graph.h"

/* Call DO_IT for each name of each symbol of DI's code.  NAME is valid during
   the call. */
void DCFG_(each_symbol)(const DebugInfo* di,
                        void (*do_it)(void* arg, Addr addr, UInt size,
                                      const HChar* name), void* arg);

/* Return the index of the first symbol of IM that has the same address as the
   symbol around A; or the number of symbols if there is none. */
UInt DCFG_(symbol_around)(const ImageInfo* im, Addr a);

/* Return the line of the instruction at A, or NULL if it is not known. */
const ImageLine* DCFG_(line_at)(const ImageInfo* im, Addr a);

#endif /* __DCFG_SYMBOLS_H */
