/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which phrases are not worth a row. */

/* Private to encode/. */

#ifndef __DCFG_PRUNE_H
#define __DCFG_PRUNE_H

#include "encode/phrase.h"

/* Two phrases that say the same as a third. */
typedef
   struct {
      UInt first, second;   // or 0
   }
   Split;

/* The phrases' counts are those of the whole trace, and their code that of
   these counts.  Returns by phrase what is to be written in its place,
   which may be split in its turn; counts become those of what remains. */
Split* DCFG_(prune)(Phrases* ps);

#endif /* __DCFG_PRUNE_H */
