/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of a whole execution trace, which its readers share. */

/* Owns: the list of tables, freeing and lending them.  Handed: tables by
   wet_load.c and wet_plan.c.

   A trace that is opened again reads the tape once more, but not the tables:
   the first reader lends its own, which do not change once they are made.  All
   that changes while the tape is read, each reader has for itself. */

#include "lib/wet/wet_tables.h"
#include "lib/wet/wet_images.h"
#include "lib/wet/wet_state.h"
#include "lib/wet/wet_terms.h"
#include "format/wet_sections.h"

#include <stdlib.h>
#include <string.h>

/* The arrays that are lent, and the sizes of their elements. */
static const struct {
   size_t at, size;
} lent[] = {
   { offsetof(DcfgWet, instrs), sizeof(WetInstr) },
   { offsetof(DcfgWet, unexecuted), sizeof(WetInstr) },
   { offsetof(DcfgWet, sbs), sizeof(WetSb) },
   { offsetof(DcfgWet, code), 1 },
   { offsetof(DcfgWet, accesses), sizeof(WetAccess) },
   { offsetof(DcfgWet, rules), sizeof(SlotRule) },
   { offsetof(DcfgWet, terms), sizeof(WetTerm) },
   { offsetof(DcfgWet, tells), sizeof(WetSet) },
   { offsetof(DcfgWet, sets), sizeof(WetSet) },
   { offsetof(DcfgWet, way_terms), sizeof(WayTerms) },
   { offsetof(DcfgWet, sb_instrs), sizeof(uint32_t) },
   { offsetof(DcfgWet, exits), sizeof(WetExit) },
   { offsetof(DcfgWet, threads), sizeof(uint64_t) },
   { offsetof(DcfgWet, ran), sizeof(uint64_t) },
   { offsetof(DcfgWet, uses), sizeof(Use) },
   { offsetof(DcfgWet, defs), sizeof(Def) }
};

#define N_LENT (sizeof(lent) / sizeof(lent[0]))

static Array* lent_of(const DcfgWet* w, size_t i)
{
   return (Array*)((uintptr_t)w + lent[i].at);
}

void wet_trim_tables(DcfgWet* w)
{
   for (size_t i = 0; i < N_LENT; i++)
      array_trim(&w->job, lent_of(w, i), lent[i].size);
   array_trim(&w->job, &w->segments, sizeof(WetSegment));
}

void wet_free_tables(DcfgWet* w)
{
   if (w->lender != NULL)
      return;
   wet_free_images(w);
   wet_free_state(w);
   for (size_t i = 0; i < N_LENT; i++)
      array_free(&w->job, lent_of(w, i), lent[i].size);
   free(w->plans);
   free(w->places);
   free(w->ways);
}

/* Check that the file is still FROM's: the head of the tape's section is the
   same. */
static bool is_same(DcfgWet* w, const DcfgWet* from)
{
   uint8_t  head[WET_SECTION_HEAD];
   uint64_t length = from->file_size - from->tape - sizeof(head);

   if (!input_seek(w->in, from->tape - sizeof(head))
       || !wet_read(w, head, sizeof(head)))
      return false;
   w->offset    = w->tape = from->tape;
   w->tape_left = length;
   return (head[0] == SectionTape && get_word(head + 1) == length)
          || job_fail(&w->job, DCFG_ERROR_FILE, NULL,
                      "it has changed while it was read");
}

bool wet_borrow_tables(DcfgWet* w, DcfgWet* from)
{
   WetSegment* s;

   if (!is_same(w, from))
      return false;
   w->lender = from->lender != NULL ? from->lender : from;
   for (size_t i = 0; i < N_LENT; i++)
      *lent_of(w, i) = *lent_of(from, i);
   w->version     = from->version;
   w->state       = from->state;
   w->images      = from->images;
   w->machine     = from->machine;
   w->plans       = from->plans;
   w->places      = from->places;
   w->ways        = from->ways;
   w->n_ways      = from->n_ways;
   w->n_columns   = from->n_columns;
   w->ended_early = from->ended_early;
   w->file_size   = from->file_size;
   /* Account for the tables as if they had been read: the limit of memory
      depends on the bytes read. */
   job_read(&w->job, from->tape - WET_SECTION_HEAD,
            from->tape - WET_SECTION_HEAD);
   if (from->segments.n == 0)
      return true;
   s = array_add_n(&w->job, &w->segments, sizeof(*s), from->segments.n);
   if (s == NULL)
      return false;
   memcpy(s, from->segments.data, from->segments.n * sizeof(*s));
   for (size_t i = 0; i < w->segments.n; i++)
      s[i].chunk = s[i].n_rows = 0;
   return true;
}

/* Return the most accesses of an instruction. */
static uint32_t most_accesses(const DcfgWet* w)
{
   uint32_t most = 0;

   for (size_t i = 0; i < w->instrs.n; i++)
      if (w->plans[i].n_accesses > most)
         most = w->plans[i].n_accesses;
   return most;
}

bool wet_start_reader(DcfgWet* w)
{
   w->chunk      = job_calloc(&w->job, 1, sizeof(Chunk));
   w->kept       = job_calloc(&w->job, MAX_ACCESSES, sizeof(uint64_t));
   w->value      = job_calloc(&w->job, MAX_ACCESSES, sizeof(uint64_t));
   w->instances  = job_calloc(&w->job, w->instrs.n + 1, sizeof(uint64_t));
   w->columns    = job_calloc(&w->job, w->n_columns + (size_t)1,
                              sizeof(Column));
   w->mark       = job_calloc(&w->job, 1, sizeof(WetMark));
   w->way_counts = job_calloc(&w->job, w->n_ways + 1, sizeof(uint32_t));
   w->way_taken  = job_calloc(&w->job, w->n_ways + 1, 1);
   w->told.accesses = job_calloc(&w->job, most_accesses(w) + (size_t)1,
                                 sizeof(DcfgWetAccess));
   return w->chunk != NULL && w->kept != NULL && w->value != NULL
          && w->instances != NULL && w->columns != NULL
          && w->mark != NULL && w->way_counts != NULL && w->way_taken != NULL
          && w->told.accesses != NULL;
}

void wet_free_reader(DcfgWet* w)
{
   if (w->chunk != NULL)
      free(w->chunk->data);
   free(w->chunk);
   wet_free_steps(&w->job, &w->steps);
   job_take(&w->job, 0, wet_size_of_steps(&w->left_steps));
   wet_free_steps(&w->job, &w->left_steps);
   free(w->kept);
   free(w->value);
   free(w->instances);
   free(w->columns);
   free(w->way_counts);
   free(w->way_taken);
   free(w->told.accesses);
   free(w->way_before);
   free(w->way_skipped);
   free(w->told_instrs);
   free(w->points_of);
   free(w->is_point);
   array_free(&w->job, &w->segments, sizeof(WetSegment));
   array_free(&w->job, &w->points, sizeof(Point));
   array_free(&w->job, &w->reads, 2 * sizeof(uint64_t));
   wet_free_mark(w);
}
