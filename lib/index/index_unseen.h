/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/, lib/slice/ and lib/replay/: writes that the trace does
   not have. */

#ifndef DCFG_LIB_INDEX_UNSEEN_H
#define DCFG_LIB_INDEX_UNSEEN_H

#include "lib/base/job.h"

/* UnseenWrite: bytes of a word of memory that somebody else wrote: another
   process, or the kernel where nothing announced it.  The trace told them for
   time .since, and the instruction at .time loads other ones.  So they are
   unknown between these times. */
typedef
   struct {
      uint64_t word;            // address / 8
      uint64_t since, time;
      uint8_t  mask;            // a bit for each byte
      uint8_t  zero[7];
   }
   UnseenWrite;

/* Sort A, of UnseenWrite, by word and time; by time alone. */
void unseen_sort(Array* a);
void unseen_sort_by_time(Array* a);

#endif /* DCFG_LIB_INDEX_UNSEEN_H */
