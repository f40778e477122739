/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a slice still wants. */

/* Owns: bytes of registers and memory whose writers are wanted, and by whom.
   Handed: uses and definitions by slice_back.c, from the last to the first.
   Taken by: the same.

   They are kept by granules of 8 bytes, each with a list of who wants some of
   its bytes. */

#include "lib/slice/slice.h"

#include <stdlib.h>
#include <string.h>

#define WANT(z, i) (&ELEM((z)->wants, Want, (i) - 1))

/*------------------------------------------------------------*/
/*--- Lists                                                ---*/
/*------------------------------------------------------------*/

bool slice_put_want(Slicer* z, uint32_t* head, Want want)
{
   uint32_t id = z->free_want;

   if (z->sums && slice_is_weak(&want)) {
      bool joined;
      if (!slice_add_weak(z, *head, &want, &joined))
         return false;
      if (joined)
         return true;
   } else if (z->sums && slice_is_needless(z, *head, &want)) {
      return true;
   }
   if (id != 0) {
      z->free_want = WANT(z, id)->next;
   } else {
      if (array_add(z->job, &z->wants, sizeof(Want)) == NULL)
         return false;
      id = (uint32_t)z->wants.n;
   }
   *WANT(z, id)      = want;
   WANT(z, id)->next = *head;
   *head             = id;
   z->n_wanted++;
   return true;
}

static void remove_want(Slicer* z, uint32_t* at)
{
   uint32_t id = *at;

   if (z->sums && slice_is_weak(WANT(z, id)))
      slice_release_weak(z, WANT(z, id)->node);
   *at = WANT(z, id)->next;
   WANT(z, id)->next = z->free_want;
   z->free_want = id;
   z->n_wanted--;
}

/* Those of MASK's bytes in the list are TAKE's; NULL: nobody's.  No list grows
   meanwhile. */
static bool take_list(Slicer* z, uint32_t* head, uint8_t mask, TakeWant take)
{
   for (uint32_t* at = head; *at != 0; ) {
      Want*   want = WANT(z, *at);
      uint8_t hit = want->mask & mask;
      if (hit != 0 && take != NULL && !take(z, want, hit))
         return false;
      want->mask &= (uint8_t)~mask;
      if (want->mask == 0)
         remove_want(z, at);
      else
         at = &want->next;
   }
   return true;
}

bool slice_take_all(Slicer* z, uint32_t* head, TakeWant take)
{
   return take_list(z, head, 0xFF, take);
}

/*------------------------------------------------------------*/
/*--- Registers                                            ---*/
/*------------------------------------------------------------*/

Live* slice_registers(Slicer* z, uint32_t thread)
{
   LiveThread* t = &z->threads[thread];

   if (t->live == NULL)
      t->live = job_calloc(z->job, 1, sizeof(Live));
   return t->live;
}

bool slice_take_wanted(Slicer* z, Live* l, unsigned g, uint8_t mask,
                       TakeWant take)
{
   if (!take_list(z, &l->heads[g], mask, take))
      return false;
   if (l->heads[g] == 0)
      l->granules[g / 64] &= ~(UINT64_C(1) << g % 64);
   return true;
}

/* What is wanted of FROM's granule G is wanted of TO's granule H. */
static void hand_granule(Slicer* z, Live* from, unsigned g, Live* to,
                         unsigned h)
{
   uint32_t* end = &to->heads[h];

   if (from->heads[g] == 0)
      return;
   while (*end != 0)
      end = &WANT(z, *end)->next;
   *end = from->heads[g];
   from->heads[g] = 0;
   from->granules[g / 64] &= ~(UINT64_C(1) << g % 64);
   to->granules[h / 64]   |= UINT64_C(1) << h % 64;
}

bool slice_before_thread(Slicer* z, uint32_t thread, uint32_t made,
                         uint64_t stack)
{
   const WetMachine* m = z->w->machine;
   Live* from = made < z->w->threads.n ? z->threads[made].live : NULL;
   Live* to   = slice_registers(z, thread);

   if (to == NULL || from == NULL || from == to)
      return to != NULL;
   if (stack == STACK_FROM_ARGUMENT)
      hand_granule(z, from, m->stack, to, m->stack_argument);
   for (unsigned g = 0; g < N_GRANULES; g++)
      hand_granule(z, from, g, to, g);
   return true;
}

bool slice_before_return(Slicer* z, uint32_t thread)
{
   Live* l = job_calloc(z->job, 1, sizeof(*l));

   if (l == NULL || slice_registers(z, thread) == NULL)
      return false;
   l->outer = z->threads[thread].live;
   z->threads[thread].live = l;
   return true;
}

/* What a handler used of registers it found as they were, but for what it was
   given; if it returned they were so afterwards, too. */
bool slice_before_handler(Slicer* z, uint32_t thread, bool returned)
{
   const WetMachine* m = z->w->machine;
   Live* l = slice_registers(z, thread);
   Live* outer = l == NULL ? NULL : l->outer;

   if (l == NULL)
      return false;
   for (unsigned i = 0; i < m->n_given; i++)
      if (!slice_take_register(z, l, m->given[i], 0xFF, NULL))
         return false;
   if (!returned || outer == NULL)
      return true;
   for (unsigned g = 0; g < N_GRANULES; g++)
      hand_granule(z, l, g, outer, g);
   z->threads[thread].live = outer;
   job_free(z->job, l, sizeof(*l));
   return true;
}

/*------------------------------------------------------------*/
/*--- Memory                                               ---*/
/*------------------------------------------------------------*/

static bool want_granule(Slicer* z, uint64_t granule, Want want)
{
   uint32_t* head = map_add(z->job, &z->memory, granule + 1);

   return head != NULL && slice_add_want(z, head, want);
}

/* Of the SIZE bytes at ADDR those in its granule. */
static inline uint8_t mask_of(uint64_t addr, uint64_t size, unsigned* n)
{
   *n = 8 - addr % 8 < size ? 8 - addr % 8 : (unsigned)size;
   return (uint8_t)(((1u << *n) - 1) << addr % 8);
}

bool slice_want_memory(Slicer* z, uint64_t addr, uint64_t size, Want want)
{
   unsigned n;

   for (want.at = 0; size > 0; addr += n, size -= n, want.at += 8) {
      want.mask = mask_of(addr, size, &n);
      if (!want_granule(z, addr / 8, want))
         return false;
   }
   return true;
}

static bool take_granule(Slicer* z, size_t h, uint8_t mask, TakeWant take)
{
   if (!take_list(z, &z->memory.values[h], mask, take))
      return false;
   if (z->memory.values[h] == 0)
      map_remove(&z->memory, h);
   return true;
}

static int compare_keys(const void* a, const void* b)
{
   const uint64_t* x = a;
   const uint64_t* y = b;

   return *x < *y ? -1 : *x > *y;
}

/* Many more granules than are wanted: these are looked at instead, in the
   order of their addresses. */
static bool take_range(Slicer* z, uint64_t addr, uint64_t size, TakeWant take)
{
   NumberMap* m = &z->memory;
   Array       keys = { 0 };
   bool        ok = true;

   for (size_t h = 0; ok && h < m->room; h++)
      if (m->keys[h] != 0 && m->keys[h] - 1 >= addr / 8
          && m->keys[h] - 1 <= (addr + size - 1) / 8) {
         uint64_t* key = array_add(z->job, &keys, sizeof(*key));
         ok = key != NULL;
         if (ok)
            *key = m->keys[h];
      }
   if (keys.n > 1)
      qsort(keys.data, keys.n, sizeof(uint64_t), compare_keys);
   for (size_t i = 0; ok && i < keys.n; i++) {
      uint64_t g = ELEM(keys, uint64_t, i) - 1;
      uint64_t low = 8 * g < addr ? addr : 8 * g;
      uint64_t high = 8 * g + 7 > addr + size - 1 ? addr + size - 1
                                                  : 8 * g + 7;
      unsigned n;
      ok = take_granule(z, map_find(m, g + 1),
                        mask_of(low, high - low + 1, &n), take);
   }
   array_free(z->job, &keys, sizeof(uint64_t));
   return ok;
}

bool slice_take_memory(Slicer* z, uint64_t addr, uint64_t size, TakeWant take)
{
   NumberMap* m = &z->memory;
   unsigned    n;

   if (size > UINT64_MAX - addr)
      size = UINT64_MAX - addr;
   if (size / 8 > m->room)
      return m->n == 0 || take_range(z, addr, size, take);
   for (; size > 0 && m->n > 0; addr += n, size -= n) {
      uint8_t mask = mask_of(addr, size, &n);
      size_t  h = map_find(m, addr / 8 + 1);
      if (m->keys[h] != 0 && !take_granule(z, h, mask, take))
         return false;
   }
   return true;
}

/* What is wanted of TO stood at FROM, page by page, and what is wanted of
   FROM was written by nobody. */
bool slice_move_memory(Slicer* z, uint64_t to, uint64_t from, uint64_t size)
{
   NumberMap* m = &z->memory;

   if (to % 8 != 0 || from % 8 != 0 || to == from)
      return true;
   for (uint64_t page = (size + 4095) / 4096; page-- > 0; ) {
      uint64_t a = to + 4096 * page, b = from + 4096 * page;
      if (m->n == 0)
         return true;
      if (!slice_take_memory(z, b, 4096, NULL))
         return false;
      for (uint64_t i = 0; i < 4096; i += 8) {
         size_t    h = map_find(m, (a + i) / 8 + 1);
         uint32_t  head = m->values[h];
         uint32_t* there;
         if (m->keys[h] == 0)
            continue;
         map_remove(m, h);
         there = map_add(z->job, m, (b + i) / 8 + 1);
         if (there == NULL)
            return false;
         *there = head;
      }
   }
   return true;
}

/*------------------------------------------------------------*/
/*--- Begin and end                                        ---*/
/*------------------------------------------------------------*/

bool slice_start_live(Slicer* z)
{
   z->threads = job_calloc(z->job, z->w->threads.n + 1, sizeof(LiveThread));
   return z->threads != NULL;
}

void slice_free_live(Slicer* z)
{
   for (uint32_t i = 0; z->threads != NULL && i < z->w->threads.n; i++) {
      LiveThread* t = &z->threads[i];
      while (t->live != NULL) {
         Live* l = t->live;
         t->live = l->outer;
         free(l);
      }
      array_free(z->job, &t->reads, sizeof(DcfgSliceReading));
   }
   free(z->threads);
   map_free(z->job, &z->memory);
   array_free(z->job, &z->wants, sizeof(Want));
   array_free(z->job, &z->requests, sizeof(Request));
   slice_free_weak(z);
}
