/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Wants: bytes whose writers a backward slice looks for. */

/* Owns: bytes of registers and memory whose writers are wanted, and by whom.
   Handed: uses by slice_uses.c and definitions by slice_back.c, from the last
   to the first.  Taken by: the same, slice_branch_joins.c, slice_sums.c.

   They are kept by granules of 8 bytes, each with a list of who wants some of
   its bytes. */

#include "lib/slice/slice_live.h"
#include "lib/base/sort.h"

#include <stdlib.h>

/*--- Lists                                                ---*/

bool live_put(Live* l, uint32_t* head, Want want)
{
   uint32_t id = l->free_want;
   bool     joined = false;

   if (l->rule != NULL && !l->rule->add(l->arg, l, *head, &want, &joined))
      return false;
   if (joined)
      return true;
   if (id != 0) {
      l->free_want = live_want(l, id)->next;
   } else {
      if (array_add(l->job, &l->wants, sizeof(Want)) == NULL)
         return false;
      id = (uint32_t)l->wants.n;
   }
   *live_want(l, id)      = want;
   live_want(l, id)->next = *head;
   *head                  = id;
   l->n_wanted++;
   return true;
}

static void remove_want(Live* l, uint32_t* at)
{
   uint32_t id = *at;

   if (l->rule != NULL)
      l->rule->remove(l->arg, live_want(l, id));
   *at = live_want(l, id)->next;
   live_want(l, id)->next = l->free_want;
   l->free_want = id;
   l->n_wanted--;
}

bool live_take_list(Live* l, uint32_t* head, uint8_t mask, const Taker* to)
{
   for (uint32_t* at = head; *at != 0; ) {
      Want*   want = live_want(l, *at);
      uint8_t hit = want->mask & mask;
      if (hit != 0 && to != NULL && !to->take(to->arg, want, hit))
         return false;
      want->mask &= (uint8_t)~mask;
      if (want->mask == 0)
         remove_want(l, at);
      else
         at = &want->next;
   }
   return true;
}

/* Defer WANT, for memory that a system call wrote.  The system call comes later
   in the walk back, and then gets it. */
static bool defer(void* arg, const Want* want, uint8_t mask)
{
   Live* l = arg;
   Want* to = array_add(l->job, &l->deferred, sizeof(*to));

   if (to == NULL)
      return false;
   *to      = *want;
   to->mask = l->rule != NULL ? 0xFF : mask;
   return true;
}

static bool defer_to(Live* l, uint32_t thread)
{
   for (size_t i = 0; i < l->deferred.n; i++)
      if (!live_add(l, &l->threads[thread].written,
                    ELEM(l->deferred, Want, i)))
         return false;
   array_cut(&l->deferred, 0);
   return true;
}

/*--- Registers                                            ---*/

LiveRegisters* live_registers(Live* l, uint32_t thread)
{
   LiveThread* t = &l->threads[thread];

   if (t->now == NULL)
      t->now = job_calloc(l->job, 1, sizeof(*t->now));
   return t->now;
}

bool live_take_granule(Live* l, LiveRegisters* r, unsigned g, uint8_t mask,
                       const Taker* to)
{
   if (!live_take_list(l, &r->heads[g], mask, to))
      return false;
   if (r->heads[g] == 0)
      r->granules[g / 64] &= ~(UINT64_C(1) << g % 64);
   return true;
}

/* Hand the wants for FROM's granule G to TO's granule H. */
static void hand_granule(Live* l, LiveRegisters* from, unsigned g,
                         LiveRegisters* to, unsigned h)
{
   uint32_t* end = &to->heads[h];

   if (from->heads[g] == 0)
      return;
   while (*end != 0)
      end = &live_want(l, *end)->next;
   *end = from->heads[g];
   from->heads[g] = 0;
   from->granules[g / 64] &= ~(UINT64_C(1) << g % 64);
   to->granules[h / 64]   |= UINT64_C(1) << h % 64;
}

/* The last system call may have made the new thread's stack pointer. */
bool live_before_thread(Live* l, uint32_t thread, const uint64_t* words)
{
   const WetMachine* m = l->w->machine;
   LiveRegisters* from = words[0] < l->w->threads.n ? l->threads[words[0]].now
                                                    : NULL;
   LiveRegisters* to = live_registers(l, thread);

   if (words[1] == StackFromCall && from != NULL
       && (!live_take_register(l, from, m->stack, 0xFF, &(Taker){ defer, l })
           || !defer_to(l, thread)))
      return false;
   if (to == NULL || from == NULL || from == to)
      return to != NULL;
   if (words[1] == StackFromArgument)
      hand_granule(l, from, m->stack, to, m->stack_argument);
   for (unsigned g = 0; g < N_GRANULES; g++)
      hand_granule(l, from, g, to, g);
   return true;
}

bool live_before_return(Live* l, uint32_t thread)
{
   LiveRegisters* r = job_calloc(l->job, 1, sizeof(*r));

   if (r == NULL || live_registers(l, thread) == NULL)
      return false;
   r->outer = l->threads[thread].now;
   l->threads[thread].now = r;
   return true;
}

/* Hand the wants of a handler to the registers of the interrupted code.  The
   handler found these registers unchanged, but for those that it was given.  If
   it RETURNED, they were unchanged afterwards, too. */
bool live_before_handler(Live* l, uint32_t thread, bool returned)
{
   const WetMachine* m = l->w->machine;
   LiveRegisters* r = live_registers(l, thread);
   LiveRegisters* outer = r == NULL ? NULL : r->outer;

   if (r == NULL)
      return false;
   for (unsigned i = 0; i < m->n_given; i++)
      if (!live_take_register(l, r, m->given[i], 0xFF, NULL))
         return false;
   if (!returned || outer == NULL)
      return true;
   for (unsigned g = 0; g < N_GRANULES; g++)
      hand_granule(l, r, g, outer, g);
   l->threads[thread].now = outer;
   job_free(l->job, r, sizeof(*r));
   return true;
}

/*--- Memory                                               ---*/

static bool want_granule(Live* l, uint64_t granule, Want want)
{
   uint32_t* head = map_add(l->job, &l->memory, granule + 1);

   return head != NULL && live_add(l, head, want);
}

/* Return a mask of the bytes in ADDR's granule, of the SIZE bytes at ADDR. */
static inline uint8_t mask_of(uint64_t addr, uint64_t size, unsigned* n)
{
   *n = 8 - addr % 8 < size ? 8 - addr % 8 : (unsigned)size;
   return (uint8_t)(((1u << *n) - 1) << addr % 8);
}

bool live_want_memory(Live* l, uint64_t addr, uint64_t size, Want want)
{
   unsigned n;

   for (want.at = 0; size > 0; addr += n, size -= n, want.at += 8) {
      want.mask = mask_of(addr, size, &n);
      if (!want_granule(l, addr / 8, want))
         return false;
   }
   return true;
}

static bool take_at(Live* l, size_t h, uint8_t mask, const Taker* to)
{
   if (!live_take_list(l, &l->memory.values[h], mask, to))
      return false;
   if (l->memory.values[h] == 0)
      map_remove(&l->memory, h);
   return true;
}

COMPARE(compare_keys, uint64_t, ORDER(*x, *y))

/* Many more granules than are wanted: these are looked at instead, in the
   order of their addresses. */
static bool take_range(Live* l, uint64_t addr, uint64_t size, const Taker* to)
{
   NumberMap* m = &l->memory;
   Array       keys = { 0 };
   bool        ok = true;

   for (size_t h = 0; ok && h < m->room; h++)
      if (m->keys[h] != 0 && m->keys[h] - 1 >= addr / 8
          && m->keys[h] - 1 <= (addr + size - 1) / 8) {
         uint64_t* key = array_add(l->job, &keys, sizeof(*key));
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
      ok = take_at(l, map_find(m, g + 1),
                        mask_of(low, high - low + 1, &n), to);
   }
   array_free(l->job, &keys, sizeof(uint64_t));
   return ok;
}

bool live_take_memory(Live* l, uint64_t addr, uint64_t size, const Taker* to)
{
   NumberMap* m = &l->memory;
   unsigned    n;

   if (size > UINT64_MAX - addr)
      size = UINT64_MAX - addr;
   if (size / 8 > m->room)
      return m->n == 0 || take_range(l, addr, size, to);
   for (; size > 0 && m->n > 0; addr += n, size -= n) {
      uint8_t mask = mask_of(addr, size, &n);
      size_t  h = map_find(m, addr / 8 + 1);
      if (m->keys[h] != 0 && !take_at(l, h, mask, to))
         return false;
   }
   return true;
}

/* Move the wants for memory at TO to FROM, page by page.  Nobody wrote the
   memory at FROM for which there were wants before. */
bool live_move_memory(Live* l, uint64_t to, uint64_t from, uint64_t size)
{
   NumberMap* m = &l->memory;

   if (to % 8 != 0 || from % 8 != 0 || to == from)
      return true;
   for (uint64_t page = (size + 4095) / 4096; page-- > 0; ) {
      uint64_t a = to + 4096 * page, b = from + 4096 * page;
      if (m->n == 0)
         return true;
      if (!live_take_memory(l, b, 4096, NULL))
         return false;
      for (uint64_t i = 0; i < 4096; i += 8) {
         size_t    h = map_find(m, (a + i) / 8 + 1);
         uint32_t  head = m->values[h];
         uint32_t* there;
         if (m->keys[h] == 0)
            continue;
         map_remove(m, h);
         there = map_add(l->job, m, (b + i) / 8 + 1);
         if (there == NULL)
            return false;
         *there = head;
      }
   }
   return true;
}

bool live_take_written(Live* l, uint32_t thread, uint64_t addr, uint64_t size)
{
   return live_take_memory(l, addr, size, &(Taker){ defer, l })
          && defer_to(l, thread);
}

bool live_note_read(Live* l, uint32_t thread, const uint64_t* words)
{
   DcfgSliceReading* r = array_add(l->job, &l->threads[thread].reads,
                                   sizeof(*r));

   if (r == NULL)
      return false;
   l->reading = thread;
   *r = (DcfgSliceReading){ words[0], words[1] };
   return true;
}

/*--- Begin and end                                        ---*/

bool live_start(Live* l, Job* job, const DcfgWet* w)
{
   *l = (Live){ .job = job, .w = w, .reading = DCFG_NONE };
   l->threads = job_calloc(job, w->threads.n + 1, sizeof(LiveThread));
   return l->threads != NULL;
}

bool live_forget(Live* l)
{
   for (uint32_t t = 0; t < l->w->threads.n; t++)
      for (LiveRegisters* r = l->threads[t].now; r != NULL; r = r->outer)
         for (unsigned g = 0; g < N_GRANULES; g++)
            if (!live_take_register(l, r, g, 0xFF, NULL))
               return false;
   return live_take_memory(l, 0, UINT64_MAX, NULL);
}

void live_free(Live* l)
{
   for (uint32_t i = 0; l->threads != NULL && i < l->w->threads.n; i++) {
      LiveThread* t = &l->threads[i];
      while (t->now != NULL) {
         LiveRegisters* r = t->now;
         t->now = r->outer;
         free(r);
      }
      array_free(l->job, &t->reads, sizeof(DcfgSliceReading));
   }
   free(l->threads);
   map_free(l->job, &l->memory);
   array_free(l->job, &l->wants, sizeof(Want));
   array_free(l->job, &l->deferred, sizeof(Want));
}
