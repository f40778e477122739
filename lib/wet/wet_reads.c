/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The writers of memory that the kernel read for system calls. */

/* Owns: who wrote the memory that a system call read.  That memory may be
   large, so a table finds writers that were added before.  Handed: marks by
   wet_events.c, memory by wet_shadow.c. */

#include "lib/wet/wet_writers.h"

#include <string.h>

static bool make_room(DcfgWetEvents* v)
{
   WetWriters* s = v->writers;
   size_t      more = 2 * s->max_deps;
   DcfgWetDep* deps;

   if (s->n_deps < s->max_deps)
      return true;
   deps = job_realloc(v->job, s->deps, s->max_deps * sizeof(*deps),
                      more * sizeof(*deps));
   if (deps == NULL)
      return false;
   s->deps     = deps;
   s->max_deps = more;
   return true;
}

static bool add_once(DcfgWetEvents* v, DcfgWetPort* p, Writer writer)
{
   WetWriters* s = v->writers;
   DcfgWetDep  d = instance_of(writer);
   uint32_t*   seen;

   if (writer == 0)
      return true;
   if (p->n > 0 && s->deps[s->n_deps - 1].instr == d.instr
       && s->deps[s->n_deps - 1].instance == d.instance)
      return true;
   seen = map_add(v->job, &s->seen, writer);
   if (seen == NULL || *seen != 0)
      return seen != NULL;
   if (!make_room(v))
      return false;
   *seen = 1;
   s->deps[s->n_deps++] = d;
   p->n++;
   return true;
}

static bool add_page(DcfgWetEvents* v, DcfgWetPort* p, const Page* page,
                     uint64_t at, uint64_t n)
{
   for (uint64_t i = at; i < at + n; i++) {
      Writer g = page->granules[i / GRANULE];
      if (!add_once(v, p, writer_in(&v->writers->shadow, g, i % GRANULE)))
         return false;
   }
   return true;
}

bool wet_add_read(DcfgWetEvents* v, uint64_t addr, uint64_t size, DcfgWetEvent* e)
{
   WetWriters*  s = v->writers;
   DcfgWetPort* p = &s->ports[s->n_ports];

   /* The kernel never reads that much at once. */
   if (size > UINT32_MAX)
      return job_fail(v->job, DCFG_ERROR_FORMAT, "tape",
                      "a system call reads too much");
   if (s->seen.room > 65536)
      map_free(v->job, &s->seen);
   if (s->seen.n > 0)
      memset(s->seen.keys, 0, s->seen.room * sizeof(*s->seen.keys));
   s->seen.n = 0;
   for (uint32_t k = 0; k < p->n; k++) {
      const DcfgWetDep* d = &s->deps[p->first + k];
      uint32_t* seen = map_add(v->job, &s->seen,
                               writer_of(d->instr, d->instance));
      if (seen == NULL)
         return false;
      *seen = 1;
   }
   while (size > 0) {
      uint64_t    here = in_page(addr, size);
      const Page* page = shadow_find(&s->shadow, addr / PAGE);
      if (page != NULL && !add_page(v, p, page, addr % PAGE, here))
         return false;
      addr += here;
      size -= here;
   }
   e->deps = s->deps;
   return true;
}
