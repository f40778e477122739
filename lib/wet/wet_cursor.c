/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Readers of the tape, from begin to end. */

/* Owns: making and freeing cursors.  Handed: a trace by wet_open.c. */

#include "lib/wet/wet_cursor.h"
#include "format/wet_sections.h"

#include <stdlib.h>

/* Read up to the tape of a compressed file. */
static bool skip_tables(WetCursor* c)
{
   uint8_t  some[4096];
   uint64_t left = c->w->tape - WET_SECTION_HEAD;

   while (left > 0) {
      size_t n = left < sizeof(some) ? (size_t)left : sizeof(some);
      if (!wet_read(&c->job, c->in, some, n))
         return false;
      left -= n;
   }
   return true;
}

/* Go to the tape.  Check that the file is still the same: so is the head of the
   tape's section. */
static bool find_tape(WetCursor* c)
{
   const DcfgWet* w = c->w;
   uint64_t       before = w->tape - WET_SECTION_HEAD;
   uint8_t        head[WET_SECTION_HEAD];

   if (input_is_compressed(c->in)) {
      if (!skip_tables(c))
         return false;
   } else {
      /* The limit of memory depends on the bytes read: it is as if the tables
         had been read, too. */
      job_read(&c->job, before, before);
      if (!input_seek(c->in, before))
         return false;
   }
   if (!wet_read(&c->job, c->in, head, sizeof(head)))
      return false;
   return (head[0] == SectionTape && get_word(head + 1) == w->tape_size)
          || job_fail(&c->job, DCFG_ERROR_FILE, NULL,
                      "it has changed while it was read");
}

/* Open the input of C, at the tape. */
static bool open_input(WetCursor* c, DcfgWet* w)
{
   if (w->in != NULL) {
      job_read(&c->job, w->job.n_file, w->job.n_text);
      if (!input_hand_over(w->in, &c->job))
         return false;
      c->in = w->in;
      w->in = NULL;
      return true;
   }
   if (!wet_can_reread(w))
      return job_fail(&c->job, DCFG_ERROR_FILE, NULL,
                      "it was read once, and only a file, not a pipe, can be "
                      "read twice: write the trace to a file first");
   c->in = wet_open_input(w, &c->job);
   return c->in != NULL && find_tape(c);
}

/* Make room for all that changes while the tape is read. */
static bool make_room(WetCursor* c)
{
   const DcfgWet* w = c->w;

   c->columns    = job_calloc(&c->job, w->n_columns + (size_t)1,
                              sizeof(Column));
   c->rows       = job_calloc(&c->job, w->segments.n + 1, sizeof(Rows));
   c->way_counts = job_calloc(&c->job, w->n_ways + 1, sizeof(uint32_t));
   if (c->columns == NULL || c->rows == NULL || c->way_counts == NULL)
      return false;
   for (size_t i = 0; i < w->segments.n; i++) {
      const WetSegment* s = &ELEM(w->segments, WetSegment, i);
      c->rows[i] = (Rows){ .n_words = s->n_words, .columns = s->columns };
   }
   return true;
}

/* Count C itself, which is large. */
static bool take_itself(WetCursor* c)
{
   if (!job_may_take(&c->job, 0, sizeof(*c)))
      return false;
   job_take(&c->job, 0, sizeof(*c));
   return true;
}

WetCursor* wet_cursor_new(DcfgWet* w, DcfgError* err)
{
   WetCursor* c = job_object(sizeof(*c), offsetof(WetCursor, job), w->path,
                             &w->options, err);

   if (c == NULL)
      return NULL;
   c->w         = w;
   c->offset    = w->tape;
   c->tape_left = w->tape_size;
   if (take_itself(c) && open_input(c, w) && make_room(c))
      return c;
   job_tell(&c->job, err);
   wet_cursor_free(c);
   return NULL;
}

void wet_cursor_free(WetCursor* c)
{
   if (c == NULL)
      return;
   if (c->in != NULL)
      input_close(c->in);
   free(c->data);
   free(c->columns);
   free(c->rows);
   free(c->way_counts);
   free(c->way_before);
   free(c->way_kept);
   free(c);
}
