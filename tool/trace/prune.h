/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pruning: phrases that are not worth a row are given up. */

/* Private to trace/. */

#ifndef __DCFG_PRUNE_H
#define __DCFG_PRUNE_H

#include "tool/trace/phrase.h"

/* Split: two phrases that replace a third one. */
typedef
   struct {
      UInt first, second;   // 0: not split
   }
   Split;

/* Decide which phrases to split.  The phrases' counts are those of the whole
   trace, and their code is made for these counts.  Return, for each phrase, its
   split; the two parts may be split as well.  Counts become those of the
   remaining phrases. */
Split* DCFG_(prune)(Phrases* ps);

#endif /* __DCFG_PRUNE_H */
