/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory in pages of its own. */

#ifndef DCFG_LIB_BASE_PAGES_H
#define DCFG_LIB_BASE_PAGES_H

#include "lib/base/job.h"

/* Change the size of P, which is NULL or from here, from OLD to SIZE bytes, not
   0, within the job's limit.  The first KEPT bytes stay; the others have any
   value.  Return NULL if that fails; then P is unchanged.

   The kernel gives large pages if it can: so this is for memory of which most
   will be written. */
void* pages_change(Job* job, void* p, size_t old, size_t size, size_t kept);

/* Free P, which has SIZE bytes, unless it is NULL. */
void pages_free(Job* job, void* p, size_t size);

#endif /* DCFG_LIB_BASE_PAGES_H */
