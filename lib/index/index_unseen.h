/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/, lib/slice/ and lib/cursor/: writes that the trace does
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

/* Append the code of A, of UnseenWrite, to TO, unless A is empty.  Sort A by word
   and time.  JOB has the memory. */
bool unseen_put(Job* job, Array* a, Array* to);

/* Return the unseen writes of CODE, which has SIZE bytes, as *N elements in that
   order; the caller frees them.  Return NULL if the code is wrong or memory is
   short. */
UnseenWrite* unseen_get(const uint8_t* code, size_t size, size_t* n);

/* Return whether CODE, of SIZE bytes, may have a word from FIRST to LAST. */
bool unseen_may_have(const uint8_t* code, size_t size, uint64_t first,
                     uint64_t last);

/* Sort A, of N elements, by time. */
void unseen_sort_by_time(UnseenWrite* a, size_t n);

#endif /* DCFG_LIB_INDEX_UNSEEN_H */
