/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Changes that no instruction of the trace made. */

/* Owns: which bytes are unknown because somebody else wrote them about a time, and
   what was mapped where.  Handed: unseen writes and mappings by the index. */

#include "lib/cursor/cursor_parts.h"
#include "lib/base/sort.h"
#include "lib/wet/wet_state.h"

/*--- Unseen writes                                        ---*/

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

/*--- Mappings                                             ---*/

static bool add_mapping(DcfgCursor* r, uint64_t t, const DcfgWetMapping* m)
{
   DcfgCursorMapping* to = array_add(&r->job, &r->mappings, sizeof(*to));

   if (to != NULL)
      *to = (DcfgCursorMapping){ t, *m };
   return to != NULL;
}

/* Add the mappings with which the trace begins. */
static bool add_begin(DcfgCursor* r)
{
   const DcfgWetState* state = dcfg_wet_state(r->w);
   bool                ok = true;

   for (uint32_t i = 0; ok && state != NULL && i < state->n_mappings; i++) {
      DcfgWetMapping m = state->mappings[i];
      m.is_new = state->at_start;
      ok       = add_mapping(r, 0, &m);
   }
   return ok;
}

/* Add M, which holds from time T on, with what the bytes at HOW say of it.  NAME is
   memory for its file's name. */
static bool add_told(DcfgCursor* r, uint64_t t, DcfgWetMapping m, ByteReader how,
                     Array* name)
{
   array_cut(name, 0);
   if (!wet_get_mapping(&r->job, &how, &m, name))
      return false;
   if (m.file != NULL)
      m.file = arena_string(&r->job, &r->names, m.file, name->n - 1);
   return how.failed ? job_fail(&r->job, DCFG_ERROR_FORMAT, "index",
                                "a mapping makes no sense")
          : (m.file != NULL || !m.from_file) && add_mapping(r, t, &m);
}

static bool add_renewed(DcfgCursor* r, uint64_t t, const DcfgWetMapping* m)
{
   Renewed* to = array_add(&r->job, &r->renewed, sizeof(*to));

   if (to != NULL)
      *to = (Renewed){ t, m->addr, m->size, r->mappings.n };
   return to != NULL;
}

bool cursor_load_mappings(DcfgCursor* r)
{
   ByteReader b = index_mappings(r->ix);
   Array    name = { 0 };       // char
   uint64_t t = 0;
   bool     ok = add_begin(r);

   while (ok && !b.failed && b.at < b.end) {
      DcfgWetMapping m = { 0 };
      uint64_t       n;
      t     += get_varint(&b);
      m.addr = get_varint(&b);
      m.size = get_varint(&b);
      n      = get_varint(&b);
      b.failed |= n > (uint64_t)(b.end - b.at);
      if (b.failed)
         break;
      ok = n == 0 ? add_renewed(r, t, &m)
           : add_told(r, t, m, (ByteReader){ b.at, b.at + n, false }, &name);
      bytes_skip(&b, n);
   }
   array_free(&r->job, &name, 1);
   return ok && (!b.failed || job_fail(&r->job, DCFG_ERROR_FORMAT, "index",
                                       "its mappings are cut"));
}

const DcfgCursorMapping* dcfg_cursor_mappings(const DcfgCursor* r, size_t* n)
{
   *n = r->mappings.n;
   return r->mappings.data;
}

/* Return whether the byte at ADDR, which has mapping number I at time T, was
   renewed since it was mapped. */
static bool is_renewed(const DcfgCursor* r, uint64_t addr, uint64_t t, size_t i)
{
   for (size_t k = r->renewed.n; k-- > 0; ) {
      const Renewed* x = &ELEM(r->renewed, Renewed, k);
      if (x->after <= i)
         break;
      if (x->time <= t && addr - x->addr < x->size)
         return true;
   }
   return false;
}

const DcfgCursorMapping* dcfg_cursor_mapped(const DcfgCursor* r, uint64_t addr,
                                            uint64_t t, bool* renewed)
{
   for (size_t i = r->mappings.n; i-- > 0; ) {
      const DcfgCursorMapping* x = &ELEM(r->mappings, DcfgCursorMapping, i);
      const DcfgWetMapping*    m = &x->mapping;
      uint64_t                 begin = m->addr - m->room_below;
      if (x->time > t || addr - begin >= m->size + m->room_below)
         continue;
      if (renewed != NULL)
         *renewed = is_renewed(r, addr, t, i);
      return x;
   }
   return NULL;
}
