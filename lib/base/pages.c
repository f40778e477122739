/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory in pages of its own. */

/* Owns: blocks of memory that come from the kernel directly.  Handed: sizes.
   Taken by: readers that decode much at once.

   malloc() leaves such blocks in small pages, each of which costs a fault.  When
   they change their sizes, it leaves holes in memory besides.  */

#define _GNU_SOURCE     // for mremap

#include "lib/base/pages.h"

#include <sys/mman.h>

/* The size of a large page on most hosts.  Another size is only slower. */
#define LARGE_PAGE ((size_t)2 << 20)

/* The smallest block that gets large pages: less may be used in part only. */
#define LARGE_FROM ((size_t)8 << 20)

static size_t rounded(size_t size)
{
   return (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
}

/* Return a new block of SIZE bytes, a multiple of LARGE_PAGE, which begins at
   such a multiple; NULL if memory is exhausted. */
static void* new_block(size_t size)
{
   char*  p = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   size_t before;

   if (p == MAP_FAILED)
      return NULL;
   before = -(uintptr_t)p & (LARGE_PAGE - 1);
   if (before > 0)
      munmap(p, before);
   munmap(p + before + size, LARGE_PAGE - before);
#ifdef MADV_HUGEPAGE
   if (size >= LARGE_FROM)
      madvise(p + before, size, MADV_HUGEPAGE);
#endif
   return p + before;
}

/* Move the KEPT bytes at P, of a block of OLD bytes, to TO, a new block, and
   free the old one.  Return false if that fails. */
static bool move(void* to, void* p, size_t old, size_t kept)
{
   size_t size = rounded(kept);

   if (size > 0
       && mremap(p, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
      return false;
   if (old > size)
      munmap((char*)p + size, old - size);
   return true;
}

void* pages_change(Job* job, void* p, size_t old, size_t size, size_t kept)
{
   size_t before = p == NULL ? 0 : rounded(old), after;
   void*  q;

   if (size > SIZE_MAX - 2 * LARGE_PAGE || !job_may_take(job, old, size))
      return NULL;
   after = rounded(size);
   q     = after == before ? p : new_block(after);
   if (q != NULL && q != p && p != NULL && !move(q, p, before, kept)) {
      munmap(q, after);
      q = NULL;
   }
   if (q == NULL) {
      job_fail(job, DCFG_ERROR_MEMORY, NULL, "out of memory");
      return NULL;
   }
   job_take(job, old, size);
   return q;
}

void pages_free(Job* job, void* p, size_t size)
{
   if (p == NULL)
      return;
   munmap(p, rounded(size));
   job_take(job, size, 0);
}
