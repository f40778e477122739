/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Drawings for Graphviz. */

#ifndef DCFG_CMD_DOT_H
#define DCFG_CMD_DOT_H

#include "cmd/machine/code.h"
#include "cmd/base/select.h"

/* A drawing in the making: the program, the options, where the text goes. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      FILE*              out;
      uint32_t           thread;
      double             min;           // percent; less is left out; of a
                                        // routine, if negative: as it suits
      int                plain;         // how much of the layout is left to
                                        // Graphviz: 1: what is above what;
                                        // 2: loops have no frames, either
      uint64_t           hot;           // blocks around a routine's hottest
                                        // one; 0: not only these
      const Selection*   selected;      // where the hottest one is looked for
      Code*              code;          // NULL: without instructions
      uint64_t           top;           // of a call graph's routines; 0: all
   }
   Drawing;

void draw_routine(Drawing* d, uint32_t routine);
void draw_calls(Drawing* d);

#endif /* DCFG_CMD_DOT_H */
