/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Changes that no instruction of the trace made. */

/* Owns: which bytes are unknown because somebody else wrote them about a time, and
   what was mapped where.  Handed: unseen writes and mappings by the index. */

#include "lib/cursor/cursor_chunks.h"
#include "lib/base/sort.h"
#include "lib/wet/wet_state.h"

/* UnseenRange: asks for unseen writes of the SIZE bytes at ADDR. */
typedef
   struct {
      DcfgCursor* r;
      uint64_t    addr;
      uint64_t    size;
   }
   UnseenRange;

/* Return those of CHUNK that have a word of F, as *N elements; NULL if there are
   none. */
static const UnseenWrite* unseen_in(const UnseenRange* f, uint32_t chunk,
                                    size_t* n)
{
   uint64_t           first = f->addr >> 3, last = (f->addr + f->size - 1) >> 3;
   size_t             all = 0, low = 0, high = 0;
   const UnseenWrite* u = f->size == 0 ? NULL
                          : index_unseen(f->r->ix, chunk, first, last, &all);

   if (u == NULL)
      return NULL;
   BISECT(low, all, middle, u[middle].word < first);
   BISECT(high, all, middle, u[middle].word <= last);
   *n = high > low ? high - low : 0;
   return *n == 0 ? NULL : u + low;
}

/* Change those of BYTES at time T that U tells and that no earlier unseen write
   told, which DONE has. */
static void apply(const UnseenRange* f, const UnseenWrite* u, uint64_t t,
                  DcfgCursorByte* bytes, bool* done)
{
   for (unsigned b = 0; b < 8; b++) {
      uint64_t i = (u->word << 3) + b - f->addr;
      if (!(u->mask >> b & 1) || i >= f->size || u->time < t || done[i])
         continue;
      done[i] = true;
      if (u->since < t)
         bytes[i] = (DcfgCursorByte){ u->since, DCFG_CURSOR_UNSEEN, 0 };
   }
}

void cursor_unseen(DcfgCursor* r, uint64_t t, uint64_t addr, uint32_t size,
                   DcfgCursorByte* bytes)
{
   bool              done[DCFG_CURSOR_MOST] = { false };
   const UnseenRange f = { r, addr, size };

   if (!r->ix->any_unseen || r->w->loads == NULL)
      return;
   for (uint32_t c = cursor_chunk_of(r, t); c < r->ix->n_chunks; c++) {
      size_t             n = 0;
      const UnseenWrite* u = unseen_in(&f, c, &n);
      for (size_t i = 0; i < n; i++)
         apply(&f, &u[i], t, bytes, done);
   }
}

/* Return whether U has one of F's bytes. */
static bool has_byte(const UnseenRange* f, const UnseenWrite* u)
{
   for (unsigned b = 0; b < 8; b++)
      if ((u->mask >> b & 1) && (u->word << 3) + b - f->addr < f->size)
         return true;
   return false;
}

bool cursor_find_unseen(DcfgCursor* r, uint64_t addr, uint64_t size,
                        uint64_t from, bool back, uint64_t* t)
{
   const UnseenRange f = { r, addr, size };
   bool              found = false;
   uint32_t          c = cursor_chunk_of(r, from);

   if (!r->ix->any_unseen || r->w->loads == NULL)
      return false;
   c = c < r->ix->n_chunks ? c : (uint32_t)r->ix->n_chunks - 1;
   for (; !found && c < r->ix->n_chunks; c += back ? UINT32_MAX : 1) {
      size_t             n = 0;
      const UnseenWrite* u = unseen_in(&f, c, &n);
      for (size_t i = 0; i < n; i++)
         if ((back ? u[i].time < from && (!found || u[i].time > *t)
                   : u[i].time >= from && (!found || u[i].time < *t))
             && has_byte(&f, &u[i])) {
            *t    = u[i].time;
            found = true;
         }
   }
   return found;
}

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
