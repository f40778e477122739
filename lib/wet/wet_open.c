/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Whole execution traces, from begin to end. */

/* Owns: opening and closing a whole execution trace.  Handed: a path, or
   bytes. */

#include "lib/base/input.h"
#include "lib/wet/wet_writers.h"
#include "lib/wet/wet_effects.h"
#include "lib/wet/wet.h"
#include "lib/wet/wet_control.h"
#include "lib/wet/wet_chunks.h"
#include "lib/wet/wet_tables.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Find the numbers of the first instances in a file that has only the last part
   of the run: all instances of the run, less those in the file, which OTHER
   counts. */
static bool find_first_instances(DcfgWet* w, DcfgWet* other)
{
   Array     index = { 0 };
   uint64_t* there;
   bool      ok;

   if (other->instrs.n != w->instrs.n)
      return job_fail(&w->job, DCFG_ERROR_FILE, NULL,
                      "it has changed while it was read");
   there = job_calloc(&w->job, w->instrs.n + 1, sizeof(*there));
   ok    = there != NULL && wet_index_chunks(other, &index, there);
   if (!ok)
      job_adopt(&w->job, &other->job.err);
   for (uint32_t i = 0; ok && i < w->instrs.n; i++) {
      uint64_t ran = ELEM(w->ran, uint64_t, i);
      if (ran < there[i])
         ok = job_fail(&w->job, DCFG_ERROR_FORMAT, "what was before",
                       "it is less than what there is");
      w->instances[i] = ran - there[i];
      w->before       = add_capped(w->before, w->instances[i]);
      if (w->instances[i] > w->most_before)
         w->most_before = w->instances[i];
   }
   array_free(&other->job, &index, sizeof(WetChunkInfo));
   job_free(&w->job, there, (w->instrs.n + 1) * sizeof(*there));
   return ok;
}

static Input* open_input(DcfgWet* w, int unpacked)
{
   return unpacked >= 0 ? input_open_file(&w->job, unpacked)
          : w->memory != NULL ? input_open_memory(&w->job, w->memory,
                                                  w->memory_size)
          : input_open(&w->job, w->path);
}

/* Open the trace at PATH, or in the SIZE bytes at DATA.  UNPACKED: descriptor
   of the uncompressed file, or -1.  FROM: an open reader of the same trace that
   lends its tables, or NULL. */
static DcfgWet* open_trace(const char* path, const void* data, size_t size,
                           int unpacked, DcfgWet* from,
                           const DcfgOptions* options, DcfgError* err)
{
   DcfgWet* w = job_object(sizeof(*w), offsetof(DcfgWet, job), path, options,
                           err);
   bool     ok;

   if (w == NULL)
      return NULL;
   w->path        = job_realloc(&w->job, NULL, 0, strlen(path) + 1);
   w->memory      = data;
   w->memory_size = size;
   w->unpacked    = -1;
   w->options     = w->job.options;
   w->told_thread = DCFG_NONE;
   w->told_to     = UINT64_MAX;
   ok = w->path != NULL;
   if (ok) {
      strcpy(w->path, path);
      w->in = open_input(w, unpacked);
   }
   ok = ok && w->in != NULL
        && (from != NULL ? wet_borrow_tables(w, from) : wet_load(w))
        && wet_start_reader(w) && wet_start_writers(w) && wet_start_effects(w);
   job_tell(&w->job, err);
   if (ok && from == NULL)
      wet_trim_tables(w);
   if (ok)
      return w;
   dcfg_wet_close(w);
   return NULL;
}

/* Open the trace, and find the numbers of its first instances. */
static DcfgWet* open_counted(const char* path, const void* data, size_t size,
                             const DcfgOptions* options, DcfgError* err)
{
   DcfgWet* w = open_trace(path, data, size, -1, NULL, options, err);
   DcfgWet* other;
   bool     ok;

   if (w == NULL || w->ran.n == 0)
      return w;
   other = open_trace(path, data, size, -1, NULL, options, err);
   ok    = other != NULL && find_first_instances(w, other);
   if (other != NULL)
      job_tell(&w->job, err);
   dcfg_wet_close(other);
   if (ok)
      return w;
   dcfg_wet_close(w);
   return NULL;
}

DcfgWet* dcfg_wet_open(const char* path, const DcfgOptions* options,
                       DcfgError* err)
{
   return open_counted(path, NULL, 0, options, err);
}

DcfgWet* dcfg_wet_open_memory(const void* data, size_t size,
                              const char* name, const DcfgOptions* options,
                              DcfgError* err)
{
   return open_counted(name, data, size, options, err);
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

bool dcfg_wet_has_values(const DcfgWet* w)
{
   for (size_t k = 0; k < w->sb_instrs.n; k++)
      if (w->places[k].n_values > 0)
         return true;
   return false;
}

bool wet_can_reread(const DcfgWet* w)
{
   struct stat st;

   return w->memory != NULL
          || (strcmp(w->path, "-") != 0 && stat(w->path, &st) == 0
              && S_ISREG(st.st_mode));
}

bool wet_unpack(DcfgWet* w)
{
   Input* in;

   if (w->unpacked >= 0 || !input_is_compressed(w->in))
      return true;
   in = open_input(w, -1);
   if (in == NULL)
      return false;
   w->unpacked = input_unpack(&w->job, in, w->file_size);
   input_close(in);
   return w->unpacked >= 0;
}

DcfgWet* wet_open_again(DcfgWet* w, DcfgError* err)
{
   /* A compressed file is read from its begin, with its tables. */
   bool     lends = w->unpacked >= 0 || !input_is_compressed(w->in);
   DcfgWet* other = open_trace(w->path, w->memory, w->memory_size, w->unpacked,
                               lends ? w : NULL, &w->options, err);

   if (other != NULL)
      other->loads = w->loads;
   if (other != NULL && w->unpacked >= 0)
      other->unpacked = fcntl(w->unpacked, F_DUPFD_CLOEXEC, 0);
   return other;
}

void wet_set_index(DcfgWet* w, struct WetIndex* ix,
                   void (*close_index)(struct WetIndex* ix))
{
   if (w->index != NULL)
      w->close_index(w->index);
   w->index       = ix;
   w->close_index = close_index;
}

bool dcfg_wet_tell_loads(DcfgWet* w, const bool* loads)
{
   size_t n = w->instrs.n;
   bool*  own;

   if (w->own_loads != NULL && memcmp(w->own_loads, loads, n) == 0)
      return true;
   own = malloc(n + 1);
   if (own == NULL)
      return false;
   memcpy(own, loads, n);
   free(w->own_loads);
   w->loads = w->own_loads = own;
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
   wet_set_index(w, NULL, NULL);
   if (w->in != NULL)
      input_close(w->in);
   if (w->unpacked >= 0)
      close(w->unpacked);
   wet_free_control(w);
   wet_free_writers(w);
   wet_free_effects(w);
   wet_free_reader(w);
   wet_free_tables(w);
   free(w->own_loads);
   free(w->path);
   free(w);
}

bool dcfg_wet_select(DcfgWet* w, const DcfgWetFilter* f, DcfgError* err)
{
   size_t n  = w->instrs.n;
   bool   ok = !w->begun && w->told_instrs == NULL;

   if (!ok)
      job_fail(&w->job, DCFG_ERROR_ARGUMENT, NULL,
               "it was not said at the begin what is wanted");
   if (ok && f->instrs != NULL) {
      w->told_instrs = job_calloc(&w->job, n + 1, sizeof(bool));
      ok = w->told_instrs != NULL;
      if (ok && n > 0)
         memcpy(w->told_instrs, f->instrs, n * sizeof(bool));
   }
   w->told_thread = f->thread;
   w->told_from   = f->from;
   w->told_to     = f->to;
   if (ok && f->instrs != NULL) {
      w->way_skipped = job_calloc(&w->job, w->n_ways + 1, sizeof(bool));
      ok = w->way_skipped != NULL;
   }
   for (uint32_t i = 0; ok && w->way_skipped != NULL && i < w->n_ways; i++) {
      const WetWay*    way = &w->ways[i];
      const WetSb*     sb = &ELEM(w->sbs, WetSb, way->sb);
      const InstrPlan* at = &w->places[sb->instrs.first];
      w->way_skipped[i] = true;
      for (uint32_t k = 0; k < way->n_instrs; k++)
         w->way_skipped[i] &= !w->told_instrs[at[k].instr];
   }
   job_tell(&w->job, err);
   return ok;
}

bool dcfg_wet_find_control(DcfgWet* w, DcfgError* err)
{
   DcfgWet* other = NULL;
   bool     ok = false;

   if (w->begun || w->control != NULL)
      job_fail(&w->job, DCFG_ERROR_ARGUMENT, NULL,
               "control was not asked for at the begin");
   else if (!wet_can_reread(w))
      job_fail(&w->job, DCFG_ERROR_FILE, NULL,
               "control dependences need a file that can be read twice, not "
               "a pipe: write the trace to a file first");
   else
      other = wet_open_again(w, &w->job.err);
   if (other != NULL)
      ok = wet_make_graph(w, other);
   dcfg_wet_close(other);
   job_tell(&w->job, err);
   return ok;
}
