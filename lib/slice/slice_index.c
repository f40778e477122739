/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The index of a trace. */

/* Owns: making an index in one pass, and giving an index to a trace.
   Handed: a trace. */

#include "lib/base/sort.h"
#include "lib/slice/slice_passes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Making: the data of the pass. */
typedef
   struct {
      Job            job;
      DcfgWet*       w;
      WetCursor*     tape;
      DcfgSliceQuery q;
      bool*          none;      // by instruction: false, no instruction is
                                // asked for
      SliceCode      code;
      Callbacks      callbacks;
      ControlGraph   graph;
      Acts           acts;
      IndexMaker     maker;
      Array          chunks;    // WetChunkInfo
   }
   Making;

static bool start(Making* m, int fd, const bool* outside)
{
   m->none = job_calloc(&m->job, m->w->instrs.n + 1, sizeof(bool));
   m->q    = (DcfgSliceQuery){ .instrs = m->none, .no_control_of = outside,
                               .callbacks = outside != NULL };
   return m->none != NULL && slice_code_start(&m->code, &m->job, m->w, &m->q)
          && callbacks_start(&m->callbacks, &m->code)
          && graph_start(&m->graph, &m->job, m->w)
          && acts_start(&m->acts, &m->code, &m->graph.arcs, &m->callbacks,
                        NULL)
          && index_make_start(&m->maker, &m->job, m->w, fd);
}

static bool pass(Making* m)
{
   WetAhead*      ahead;
   const WetPart* part;
   bool           ok = true;

   wet_count_runs(m->tape, m->code.runs);
   ahead = wet_ahead_new(&m->job, m->tape, &m->chunks, SLOTS_OF_ALL);
   while (ok && ahead != NULL && (part = wet_ahead_next(ahead)) != NULL)
      ok = acts_take_part(&m->acts, part) && index_make_part(&m->maker, part);
   wet_ahead_close(ahead);
   wet_count_runs(m->tape, NULL);
   return ok && m->job.err.status == DCFG_OK && acts_end(&m->acts);
}

static bool put_chunks(Making* m)
{
   size_t    n = m->chunks.n;
   uint32_t* handlers = job_calloc(&m->job, n + 1, sizeof(*handlers));
   bool      ok = handlers != NULL;

   for (size_t i = 0; ok && i < n; i++)
      handlers[i] = ELEM(m->acts.snapshots, Snapshot, i).n_handlers;
   ok = ok && index_make_chunks(&m->maker, &m->chunks, handlers);
   job_free(&m->job, handlers, (n + 1) * sizeof(*handlers));
   return ok;
}

COMPARE(by_value, uint64_t, ORDER(*x, *y))

static bool put_arcs(Making* m)
{
   const NumberMap* from = &m->graph.arcs.arcs;
   uint64_t*        arcs = job_calloc(&m->job, from->n + 1, sizeof(*arcs));
   size_t           n = 0;
   bool             ok = arcs != NULL;

   for (size_t i = 0; ok && i < from->room; i++)
      if (from->keys[i] != 0)
         arcs[n++] = from->keys[i];
   if (n > 1)
      qsort(arcs, n, sizeof(*arcs), by_value);
   ok = ok && index_make_section(&m->maker, INDEX_ARCS, arcs,
                                 n * sizeof(*arcs));
   job_free(&m->job, arcs, (from->n + 1) * sizeof(*arcs));
   return ok;
}

/* Put a bit for each instruction; none if IS is NULL. */
static bool put_bits(Making* m, IndexSection section, const bool* is)
{
   size_t   n = m->w->instrs.n, size = (n + 7) / 8;
   uint8_t* bits = job_calloc(&m->job, size + 1, 1);
   bool     ok = bits != NULL;

   for (size_t i = 0; ok && is != NULL && i < n; i++)
      bits[i / 8] |= (uint8_t)(is[i] << i % 8);
   ok = ok && index_make_section(&m->maker, section, bits, size);
   job_free(&m->job, bits, size + 1);
   return ok;
}

static bool write_all(Making* m, const bool* outside)
{
   return put_chunks(m) && states_put(&m->acts, &m->maker)
          && index_make_tables(&m->maker, m->code.runs)
          && index_make_section(&m->maker, INDEX_RETURNED,
                                m->acts.returned.data, m->acts.returned.n)
          && put_arcs(m) && put_bits(m, INDEX_OUTSIDE, outside)
          && put_bits(m, INDEX_CALLBACKS, m->callbacks.calls)
          && index_make_end(&m->maker);
}

bool dcfg_slice_make_index(DcfgWet* w, int fd, const bool* outside,
                           DcfgError* err)
{
   Making m = { .w = w };
   bool   ok;

   if (!index_is_possible(w)) {
      set_error(err, DCFG_ERROR_ARGUMENT, w->path, NULL, 0,
                "an index needs a file that is not compressed");
      return false;
   }
   m.tape = slice_tape(w, &m.job, err);
   if (m.tape == NULL)
      return false;
   ok = start(&m, fd, outside) && pass(&m) && write_all(&m, outside);
   job_tell(&m.job, err);
   if (m.maker.w != NULL)
      index_make_free(&m.maker);
   acts_free(&m.acts);
   graph_free(&m.graph);
   callbacks_free(&m.callbacks);
   slice_code_free(&m.code);
   array_free(&m.tape->job, &m.chunks, sizeof(WetChunkInfo));
   free(m.none);
   wet_cursor_free(m.tape);
   return ok;
}

bool dcfg_slice_use_index(DcfgWet* w, int fd, DcfgError* err)
{
   const char* why;
   WetIndex*   ix;

   wet_set_index(w, NULL, NULL);
   if (!index_is_possible(w)) {
      close(fd);
      set_error(err, DCFG_ERROR_ARGUMENT, w->path, NULL, 0,
                "an index needs a file that is not compressed");
      return false;
   }
   ix = index_open(w, fd, &why);
   if (ix == NULL) {
      set_error(err, DCFG_ERROR_FORMAT, w->path, NULL, 0, "%s", why);
      return false;
   }
   wet_set_index(w, ix, index_close);
   return true;
}
