/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The libraries that gdb is told of. */

/* Owns: the list of libraries that gdb has, and when it changes.  Handed:
   the libraries of the trace, and the times when they were mapped.

   The list has all libraries of the trace that share their addresses with nothing
   else, at all times.  gdb so finds names in libraries that the program loads
   later.  It has any other library only while that is mapped.  gdb_run.c stops
   where the list changes: a stop reply with "library" makes gdb read the list,
   insert its breakpoints and go on.

   gdb tells libraries apart by their names alone.  If one list lacks a library of
   the other, in both directions, gdb first gets the libraries that both have. */

#include "cmd/gdb/gdb_session.h"

#include <inttypes.h>

/* Return the time since when the libraries are those of time T. */
static uint64_t since(const GdbSession* g, uint64_t t)
{
   return image_times_change(g->s->images.times, t, true);
}

/* Return whether library L is in the list of times A and B. */
static bool has(const GdbSession* g, const GdbLibrary* l, uint64_t a,
                uint64_t b)
{
   ImageTimes* times = g->s->images.times;

   return image_is_mapped(times, l->image, a)
          && image_is_mapped(times, l->image, b);
}

/* Return whether the list of time A has a library that the one of B lacks. */
static bool has_more(const GdbSession* g, uint64_t a, uint64_t b)
{
   for (size_t i = 0; i < g->images.n_libraries; i++)
      if (has(g, &g->images.libraries[i], a, a)
          && !has(g, &g->images.libraries[i], a, b))
         return true;
   return false;
}

/* Make the list that of libraries that are mapped at times A and B.  gdb forgets
   its breakpoints in libraries that go, without a word. */
static void set_list(GdbSession* g, uint64_t a, uint64_t b)
{
   for (size_t i = 0; i < g->images.n_libraries; i++) {
      const GdbLibrary* l = &g->images.libraries[i];
      uint64_t          low, high;
      if (!has(g, l, g->listed[0], g->listed[1]) || has(g, l, a, b))
         continue;
      image_extent(g->s->images.times, l->image, &low, &high);
      points_forget(&g->points, low, high);
   }
   g->listed[0] = a;
   g->listed[1] = b;
}

bool gdb_list_libraries(GdbSession* g, uint64_t t)
{
   uint64_t now = since(g, t);
   uint64_t before = g->listed[0];

   if (g->listed[0] == now && g->listed[1] == now)
      return false;
   if (before == g->listed[1] && has_more(g, before, now)
       && has_more(g, now, before))
      set_list(g, before, now);
   else
      set_list(g, now, now);
   return true;
}

void gdb_put_libraries(const GdbSession* g, GdbText* to)
{
   gdb_put(to, "<library-list-svr4 version=\"1.0\" main-lm=\"0x%" PRIx64
           "\">\n", gdb_module_id(0));
   for (size_t i = 0; i < g->images.n_libraries; i++) {
      const GdbLibrary* l = &g->images.libraries[i];
      if (has(g, l, g->listed[0], g->listed[1]))
         gdb_put_bytes(to, l->row.data, l->row.n);
   }
   gdb_put(to, "</library-list-svr4>\n");
}

uint64_t gdb_libraries_change(const GdbSession* g, bool back)
{
   return image_times_change(g->s->images.times, g->time - back, back);
}
