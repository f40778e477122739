/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Whole execution traces, from begin to end. */

/* Owns: opening and closing a whole execution trace.  Handed: a path, or
   bytes. */

#include "lib/wet/wet_chunks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Find the numbers of the first instances in a file that has only the last part
   of the run: all instances of the run, less those THERE, in the file. */
static bool subtract_instances(DcfgWet* w, const uint64_t* there)
{
   for (uint32_t i = 0; i < w->instrs.n; i++) {
      uint64_t ran = ELEM(w->ran, uint64_t, i);
      if (ran < there[i])
         return job_fail(&w->job, DCFG_ERROR_FORMAT, "what was before",
                         "it is less than what there is");
      w->instances[i] = ran - there[i];
      w->before       = add_capped(w->before, w->instances[i]);
      if (w->instances[i] > w->most_before)
         w->most_before = w->instances[i];
   }
   return true;
}

static bool find_first_instances(DcfgWet* w)
{
   size_t     n     = w->instrs.n + 1;
   uint64_t*  there = job_calloc(&w->job, n, sizeof(*there));
   WetCursor* c     = there == NULL ? NULL : wet_cursor_new(w, &w->job.err);
   bool       ok    = c != NULL;

   if (ok && !wet_count_instances(c, there))
      ok = job_adopt(&w->job, &c->job.err);
   ok = ok && subtract_instances(w, there);
   wet_cursor_free(c);
   job_free(&w->job, there, n * sizeof(*there));
   return ok;
}

/* Read the tables of W. */
static bool load(DcfgWet* w, const char* path)
{
   w->path = job_realloc(&w->job, NULL, 0, strlen(path) + 1);
   if (w->path == NULL)
      return false;
   strcpy(w->path, path);
   w->in = wet_open_input(w, &w->job);
   if (w->in == NULL || !wet_load(w))
      return false;
   w->compressed = input_is_compressed(w->in);
   return w->ran.n == 0 || find_first_instances(w);
}

/* Open the trace at PATH, or in the SIZE bytes at DATA. */
static DcfgWet* open_trace(const char* path, const void* data, size_t size,
                           const DcfgOptions* options, DcfgError* err)
{
   DcfgWet* w = job_object(sizeof(*w), offsetof(DcfgWet, job), path, options,
                           err);
   bool     ok;

   if (w == NULL)
      return NULL;
   w->memory      = data;
   w->memory_size = size;
   w->unpacked    = -1;
   w->options     = w->job.options;
   ok = load(w, path);
   job_tell(&w->job, err);
   if (ok)
      return w;
   dcfg_wet_close(w);
   return NULL;
}

DcfgWet* dcfg_wet_open(const char* path, const DcfgOptions* options,
                       DcfgError* err)
{
   return open_trace(path, NULL, 0, options, err);
}

DcfgWet* dcfg_wet_open_memory(const void* data, size_t size,
                              const char* name, const DcfgOptions* options,
                              DcfgError* err)
{
   return open_trace(name, data, size, options, err);
}

bool dcfg_wet_is_window(const DcfgWet* w)
{
   return w->ran.n > 0;
}

uint64_t dcfg_wet_before(const DcfgWet* w)
{
   return w->before;
}

bool dcfg_wet_ends_early(const DcfgWet* w)
{
   return w->ended_early;
}

void wet_close_index(DcfgWet* w)
{
   if (w->index != NULL)
      w->close_index(w->index);
   w->index = NULL;
}

void wet_put_index(DcfgWet* w, struct WetIndex* ix,
                   void (*close_index)(struct WetIndex* ix))
{
   w->index       = ix;
   w->close_index = close_index;
}

bool dcfg_wet_tell_loads(DcfgWet* w, const bool* loads)
{
   size_t n = w->instrs.n;

   if (w->loads != NULL && memcmp(w->loads, loads, n) == 0)
      return true;
   if (w->loads == NULL)
      w->loads = malloc(n + 1);
   if (w->loads == NULL)
      return false;
   memcpy(w->loads, loads, n);
   w->n_loads++;
   return true;
}

uint32_t dcfg_wet_threads(const DcfgWet* w)
{
   return (uint32_t)w->threads.n;
}

uint64_t dcfg_wet_executed(const DcfgWet* w, uint32_t t)
{
   return ELEM(w->threads, uint64_t, t);
}

void dcfg_wet_close(DcfgWet* w)
{
   if (w == NULL)
      return;
   wet_close_index(w);
   if (w->in != NULL)
      input_close(w->in);
   if (w->unpacked >= 0)
      close(w->unpacked);
   job_take(&w->job, 0, wet_size_of_steps(&w->left_steps));
   wet_free_steps(&w->job, &w->left_steps);
   wet_free_tables(w);
   free(w->loads);
   free(w->path);
   free(w);
}
