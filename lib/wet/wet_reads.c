/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What the kernel read for a system call. */

/* Owns: who wrote what a system call reads: it may be much, so that who is
   found is looked up in a table.  Handed: marks by wet_events.c, memory by
   wet_shadow.c.  Taken by: wet_events.c. */

#include "lib/wet/wet_writers.h"

#include <string.h>

static inline size_t hash_of(DcfgWetDep d)
{
   return (size_t)((d.instance * 0x9E3779B97F4A7C15u + d.instr)
                   * UINT64_C(0xD6E8FEB86659FD93) >> 20);
}

static void note_seen(WetWriters* s, uint32_t dep)
{
   size_t h = hash_of(s->deps[dep]) & (s->n_seen - 1);

   while (s->seen[h] != 0)
      h = (h + 1) & (s->n_seen - 1);
   s->seen[h] = dep + 1;
}

/* Room for one more dependence, in .deps and in .seen. */
static bool make_room(DcfgWet* w, const DcfgWetPort* p)
{
   WetWriters* s = w->writers;

   if (s->n_deps == s->max_deps) {
      size_t      more = 2 * s->max_deps;
      DcfgWetDep* deps = job_realloc(&w->job, s->deps,
                                     s->max_deps * sizeof(*deps),
                                     more * sizeof(*deps));
      if (deps == NULL)
         return false;
      s->deps     = deps;
      s->max_deps = more;
   }
   if (2 * (size_t)p->n < s->n_seen)
      return true;
   size_t    more = s->n_seen == 0 ? 256 : 4 * s->n_seen;
   uint32_t* seen = job_calloc(&w->job, more, sizeof(*seen));
   if (seen == NULL)
      return false;
   job_free(&w->job, s->seen, s->n_seen * sizeof(*seen));
   s->seen   = seen;
   s->n_seen = more;
   for (uint32_t k = 0; k < p->n; k++)
      note_seen(s, p->first + k);
   return true;
}

static bool add_once(DcfgWet* w, DcfgWetPort* p, Writer writer)
{
   WetWriters* s = w->writers;
   DcfgWetDep  d = instance_of(writer);

   if (writer == 0)
      return true;
   if (p->n > 0 && s->deps[s->n_deps - 1].instr == d.instr
       && s->deps[s->n_deps - 1].instance == d.instance)
      return true;
   if (!make_room(w, p))
      return false;
   for (size_t h = hash_of(d); ; h++) {
      uint32_t id = s->seen[h & (s->n_seen - 1)];
      if (id == 0)
         break;
      if (s->deps[id - 1].instr == d.instr
          && s->deps[id - 1].instance == d.instance)
         return true;
   }
   s->deps[s->n_deps] = d;
   note_seen(s, s->n_deps++);
   p->n++;
   return true;
}

static bool add_page(DcfgWet* w, DcfgWetPort* p, const Page* page,
                     uint64_t at, uint64_t n)
{
   for (uint64_t i = at; i < at + n; i++) {
      Writer g = page->granules[i / GRANULE];
      if (!add_once(w, p, writer_in(&w->writers->shadow, g, i % GRANULE)))
         return false;
   }
   return true;
}

bool wet_add_read(DcfgWet* w, uint64_t addr, uint64_t size, DcfgWetEvent* e)
{
   WetWriters*  s = w->writers;
   DcfgWetPort* p = &s->ports[s->n_ports];

   /* No kernel reads that much at once. */
   if (size > UINT32_MAX)
      return job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                      "a system call reads too much");
   if (s->n_seen > 65536) {
      job_free(&w->job, s->seen, s->n_seen * sizeof(*s->seen));
      s->seen   = NULL;
      s->n_seen = 0;
   }
   if (s->seen != NULL)
      memset(s->seen, 0, s->n_seen * sizeof(*s->seen));
   for (uint32_t k = 0; s->seen != NULL && k < p->n; k++)
      note_seen(s, p->first + k);
   while (size > 0) {
      uint64_t    here = in_page(addr, size);
      const Page* page = shadow_find(&s->shadow, addr / PAGE);
      if (page != NULL && !add_page(w, p, page, addr % PAGE, here))
         return false;
      addr += here;
      size -= here;
   }
   e->deps = s->deps;
   return true;
}
