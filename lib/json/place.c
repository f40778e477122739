/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Places in a file, as messages name them. */

/* Owns: the form of places in errors and problems.  Handed: a walk.  Taken by:
   walk.c; json_events.c, shapes.c and chunks.c for their own messages. */

#include "lib/json/place.h"

#include <inttypes.h>
#include <stdio.h>

const char* walk_place(const Walk* w, char* place)
{
   size_t n = 0;

   place[0] = 0;
   for (uint32_t i = 0; i < w->n_frames && n < PLACE_SIZE; i++) {
      const Frame* f = &w->frames[i];
      const Field* field = current_field(f);
      if (f->mode == IN_HEADER)
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "[header]");
      else if (f->mode == IN_ROW
               || (f->mode == IN_TABLE && f->n_columns != UINT32_MAX
                   && i + 1 == w->n_frames))
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "[%" PRIu64 "]",
                               f->row);
      if (n < PLACE_SIZE && f->mode != IN_HEADER && field != NULL
          && (!(field->flags & F_SILENT) || i + 1 == w->n_frames))
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "%s%s",
                               n > 0 ? "." : "", field->name);
      if (n < PLACE_SIZE && f->in_list)
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "[%" PRIu64 "]",
                               f->element);
   }
   return place;
}

bool tell_rule(Walk* w, bool fatal, const char* rule, const char* what)
{
   char place[PLACE_SIZE];

   return job_problem(w->job, DCFG_PROBLEM_RULE, fatal, rule,
                      walk_place(w, place), "%s", what);
}

void tell_surface(Walk* w, const char* rule, const char* what,
                  const char* s, size_t len)
{
   char place[PLACE_SIZE];

   if (job_listened(w->job))
      job_problem(w->job, DCFG_PROBLEM_SURFACE, false, rule,
                  walk_place(w, place), "%s%.*s", what,
                  (int)(len < 100 ? len : 100), s);
}

bool tell_type(Walk* w, const char* what)
{
   static const char* const needs[] = {
      "an integer is needed, not ", "an array of integers is needed, not ",
      "a string is needed, not ", "a table is needed, not ",
      "an object is needed, not ", "an object of strings is needed, not "
   };
   Frame*       f = top_frame(w);
   const Field* field = current_field(f);
   ValueKind    kind = field != NULL ? field->kind : V_TABLE;
   char         said[100];

   if (f->mode == IN_HEADER)
      kind = V_STRING;
   else if (f->in_list)
      kind = V_INT;
   else if (f->mode == IN_STRINGS)
      kind = V_STRING;
   snprintf(said, sizeof(said), "%s%s", f->mode == IN_TABLE
            ? "a row is needed, not " : needs[kind], what);
   if (field != NULL)
      f->bad |= 1U << f->field;
   return tell_rule(w, true, "type", said);
}
