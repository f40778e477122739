/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Changes of the address space. */

/* Owns: the search for marks of mappings.  Handed: chunks by
   cursor_chunks.c.

   The index says which chunks write to a word of memory.  New and removed
   mappings count as writes: a mark that says so stands beside each MarkMapped,
   perhaps at the end of the chunk before. */

#include "lib/cursor/cursor_chunks.h"
#include "lib/wet/wet_state.h"

/* MappingSearch: the search, with the user's function. */
typedef
   struct {
      DcfgCursor*     r;
      const uint64_t* addrs;
      uint32_t        n;
      uint64_t        from, to;
      DcfgCursorTellMapping tell;
      void*           arg;
      Array           name;     // char: the file of a mapping
   }
   MappingSearch;

/* Return whether chunk NUMBER, or the one before, may map memory anew. */
static bool may_map(const MappingSearch* f, uint32_t number)
{
   for (uint32_t i = 0; i < f->n; i++)
      if (cursor_wrote(f->r, number, f->addrs[i], 1)
          || (number > 0 && cursor_wrote(f->r, number - 1, f->addrs[i], 1)))
         return true;
   return false;
}

/* Tell of mark S of chunk C, at time T, if it is a mapping of one of the
   addresses.  Return false after an error. */
static bool take_mark(MappingSearch* f, const KeptChunk* c, const WetStep* s,
                      uint64_t t)
{
   const uint64_t* words = c->steps.addrs + s->first;
   DcfgWetMapping  m = { .addr = words[0], .size = words[1] };
   Bytes           b = cursor_bytes(c, s);
   uint32_t        i = 0;

   while (i < f->n && f->addrs[i] - m.addr >= m.size)
      i++;
   if (i == f->n)
      return true;
   array_cut(&f->name, 0);
   if (!wet_get_mapping(&f->r->job, &b, &m, &f->name))
      return false;
   if (!b.failed)
      f->tell(f->arg, t, &m);
   return true;
}

static bool take_chunk(MappingSearch* f, uint32_t number)
{
   const KeptChunk* c = cursor_chunk(f->r, number);
   uint64_t         before = f->r->ix->chunks[number].before;

   if (c == NULL)
      return false;
   for (size_t i = 0; i < c->steps.n_steps; i++) {
      const WetStep* s = &c->steps.steps[i];
      uint64_t       t = before + c->times[i];
      if (i % FILTER_STEPS == 0 && !c->filters[i / FILTER_STEPS].any)
         i += FILTER_STEPS - 1;
      else if (s->sb == 0 && s->mark == MarkMapped && t >= f->from && t < f->to
               && !take_mark(f, c, s, t))
         return false;
   }
   return true;
}

bool dcfg_cursor_mappings(DcfgCursor* r, const uint64_t* addrs, uint32_t n,
                          uint64_t from, uint64_t to,
                          DcfgCursorTellMapping tell, void* arg)
{
   MappingSearch f = { r, addrs, n, from, to, tell, arg, { 0 } };
   bool          ok = true;

   for (uint32_t i = cursor_chunk_of(r, from); ok && i < r->ix->n_chunks
                         && r->ix->chunks[i].before <= to; i++)
      if (may_map(&f, i))
         ok = take_chunk(&f, i);
   array_free(&r->job, &f.name, 1);
   return ok;
}
