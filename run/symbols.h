/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What stands at an address of an image. */

#ifndef __DCFG_SYMBOLS_H
#define __DCFG_SYMBOLS_H

#include "pub_tool_debuginfo.h"

#include "graph/image_info.h"

/* Call DO_IT for each name of each symbol of DI's code.  NAME is lent. */
void DCFG_(each_symbol)(const DebugInfo* di,
                        void (*do_it)(void* arg, Addr addr, UInt size,
                                      const HChar* name), void* arg);

/* The first symbol of IM with the same address as the one around A, or
   its number of symbols. */
UInt DCFG_(symbol_around)(const ImageInfo* im, Addr a);

/* The line of the instruction at A; NULL if it is not known. */
const ImageLine* DCFG_(line_at)(const ImageInfo* im, Addr a);

#endif /* __DCFG_SYMBOLS_H */
