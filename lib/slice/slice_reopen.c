/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The same trace once more. */

/* Owns: opening a trace again, for another pass.  Handed: a trace. */

#include "lib/slice/slice_reopen.h"

#include <string.h>

/* Limit of memory, in bytes, for a slice of a large file without an option:
   about 20 million instances, if they are kept. */
#define MEMORY_AT_MOST (4ULL << 30)

bool slice_same_trace(Job* job, DcfgWet* w, const DcfgWet* first)
{
   if (w->instrs.n != first->instrs.n)
      return job_fail(job, DCFG_ERROR_FILE, NULL,
                      "it has changed while it was read");
   memcpy(w->instances, first->instances,
          w->instrs.n * sizeof(*w->instances));
   return true;
}

DcfgWet* slice_reopen(DcfgWet* w, Job* job, DcfgError* err)
{
   DcfgWet* again;

   if (!wet_can_reread(w)) {
      set_error(err, DCFG_ERROR_FILE, w->path, NULL, 0,
                "a slice needs a file that can be read twice, not a pipe: "
                "write the trace to a file first");
      return NULL;
   }
   again = wet_unpack(w) ? wet_open_again(w, err) : NULL;
   if (again == NULL && w->job.err.status != DCFG_OK)
      job_tell(&w->job, err);
   if (again == NULL)
      return NULL;
   job_start(job, w->path, &w->options);
   job->most = MEMORY_AT_MOST;
   job_read(job, again->job.n_file, again->job.n_text);
   if (slice_same_trace(job, again, w))
      return again;
   job_tell(job, err);
   dcfg_wet_close(again);
   return NULL;
}
