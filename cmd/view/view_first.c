/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes where two runs part to a page. */

/* Owns: the data of the pane First.  Handed: the whole execution traces of
   both runs; partings by cmd/parting/. */

#include "cmd/view/view.h"

#include "cmd/parting/parting.h"

/* The most partings of a thread that a page has. */
#define VIEW_PARTINGS 5

void view_first(FILE* out, const char* old, const char* wet, const char* root)
{
   const char* files[2] = { old, wet };
   Runs*       r = runs_new(files, 2, root);
   Causes*     c = causes_new(r, root);
   uint32_t    n[2] = { r->side[0].n_threads, r->side[1].n_threads };
   uint64_t    after = runs_after(r, NULL);

   fputs(",\"first\":[", out);
   for (uint32_t i = 0; i < n[0] || i < n[1]; i++) {
      PartThread* t = part_thread(r, i, i == 0 ? after : 0, VIEW_PARTINGS);
      page_between(out, i == 0);
      parting_put_json(out, r, c, "main", t);
      part_thread_free(t);
   }
   putc(']', out);
   causes_free(c);
   runs_free(r);
}
