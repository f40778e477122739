/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes that the trace does not have. */

/* Owns: the orders of unseen writes.  Handed: unseen writes by index_image.c.
   Taken by: index_make.c, slice/. */

#include "lib/index/index_unseen.h"
#include "lib/base/sort.h"

#include <stdlib.h>

COMPARE(by_word, UnseenWrite, UP(word) ?: UP(time) ?: UP(mask))
COMPARE(by_time, UnseenWrite, UP(time) ?: UP(word) ?: UP(mask))

void unseen_sort(Array* a)
{
   if (a->n > 1)
      qsort(a->data, a->n, sizeof(UnseenWrite), by_word);
}

void unseen_sort_by_time(Array* a)
{
   if (a->n > 1)
      qsort(a->data, a->n, sizeof(UnseenWrite), by_time);
}
