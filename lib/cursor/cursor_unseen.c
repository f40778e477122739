/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes that the trace does not have, in memory at any time. */

/* Owns: which bytes are unknown because somebody else wrote them about then.
   Handed: unseen writes by the index. */

#include "lib/cursor/cursor_chunks.h"
#include "lib/base/sort.h"

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

   if (!r->ix->any_unseen || r->of->loads == NULL)
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

   if (!r->ix->any_unseen || r->of->loads == NULL)
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
