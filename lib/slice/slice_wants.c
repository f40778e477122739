/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: bytes of registers and memory whose writers are wanted, which instances
   wait for a branch, and who wants that.  Handed: uses and definitions by
   slice_back.c, from the last to the first.

   Each granule of 8 bytes has a list of wants for some of its bytes, or a
   distance for each byte.  Each store of the trace asks whether its bytes are
   wanted.  So neighbouring granules of memory stand together, a bit says whether
   one is wanted, and a cache finds the pages asked for last without the map.
   Wants may lie all over a large table, in any order: pages and blocks are small,
   so that they stay in the processor's caches.

   An instance depends on the last branch before it, in its activation, that its
   instruction depends on by slice_acts.c.  If there is none, it depends on the
   call that made the activation.  It waits until the walk meets that. */

#include "format/order.h"
#include "lib/slice/slice_wants.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Give each byte of N a distance of its own. */
static bool split(NearestPool* p, Nearest* n)
{
   uint32_t      id = p->free_bytes;
   NearestBytes* b;

   if (id != 0) {
      b = &ELEM(p->bytes, NearestBytes, id - 1);
      p->free_bytes = b->of[0];
   } else {
      b = array_add(p->job, &p->bytes, sizeof(*b));
      if (b == NULL)
         return false;
      id = (uint32_t)p->bytes.n;
   }
   for (unsigned k = 0; k < 8; k++)
      b->of[k] = n->of[k / 4];
   n->of[0] = id;
   n->split = true;
   return true;
}

/* Want the bytes MASK, all of half H, at DISTANCE.  Return false if the half
   would have two distances. */
static bool want_half(Nearest* n, unsigned h, uint8_t mask, uint32_t distance)
{
   uint8_t own = n->mask & (uint8_t)(0x0Fu << 4 * h);

   if (own == 0 || n->of[h] == distance
       || ((own & ~mask) == 0 && distance < n->of[h])) {
      n->of[h] = distance;
      n->mask |= mask;
      return true;
   }
   return (mask & ~own) == 0 && distance > n->of[h];
}

bool nearest_add(NearestPool* p, Nearest* n, uint8_t mask, uint32_t distance)
{
   uint8_t       low = mask & 0x0F, high = mask & 0xF0;
   NearestBytes* b;

   if (!n->split) {
      if ((low == 0 || want_half(n, 0, low, distance))
          && (high == 0 || want_half(n, 1, high, distance)))
         return true;
      if (!split(p, n))
         return false;
   }
   b = nearest_bytes(p, n);
   for (unsigned left = mask; left != 0; left &= left - 1) {
      unsigned k = (unsigned)__builtin_ctz(left);
      if (!(n->mask >> k & 1) || distance < b->of[k])
         b->of[k] = distance;
   }
   n->mask |= mask;
   return true;
}

uint32_t nearest_take_bytes(NearestPool* p, Nearest* n, uint8_t hit)
{
   NearestBytes* b = nearest_bytes(p, n);
   uint32_t      least = UINT32_MAX;

   for (unsigned left = hit; left != 0; left &= left - 1) {
      uint32_t of = b->of[__builtin_ctz(left)];
      least = of < least ? of : least;
   }
   n->mask &= (uint8_t)~hit;
   if (n->mask == 0) {
      b->of[0]      = p->free_bytes;
      p->free_bytes = n->of[0];
      n->split      = false;
   }
   return least;
}

uint32_t memory_look_up(WantedMemory* m, uint64_t number)
{
   SeenPage* seen = &m->seen[number % N_SEEN];
   size_t    at = m->pages.n == 0 ? 0 : map_find(&m->pages, number + 1);

   seen->number = number + 1;
   seen->page   = m->pages.n == 0 || m->pages.keys[at] == 0
                  ? 0 : m->pages.values[at];
   return seen->page;
}

/* Return a new element of SIZE bytes of A: the first free one, or one more.
   Set *ID to its index + 1.  Return NULL if memory is exhausted. */
static void* take_element(WantedMemory* m, Array* a, size_t size,
                          uint32_t* free_id, size_t next_at, uint32_t* id)
{
   uint8_t* e;

   if (*free_id == 0) {
      e   = array_add(m->job, a, size);
      *id = (uint32_t)a->n;
      return e;
   }
   *id = *free_id;
   e   = (uint8_t*)a->data + (*id - 1) * size;
   memcpy(free_id, e + next_at, sizeof(*free_id));
   return memset(e, 0, size);
}

/* Make page NUMBER, which is not there. */
static WantedPage* make_page(WantedMemory* m, uint64_t number)
{
   uint32_t*   id = map_add(m->job, &m->pages, number + 1);
   WantedPage* p = id == NULL ? NULL
                   : take_element(m, &m->all, sizeof(WantedPage),
                                  &m->free_page, offsetof(WantedPage, lists),
                                  id);

   if (p != NULL)
      m->seen[number % N_SEEN] = (SeenPage){ number + 1, *id };
   return p;
}

uint32_t* memory_make_list(WantedMemory* m, WantedPage* p, unsigned k)
{
   ListBlock* b = take_element(m, &m->lists, sizeof(ListBlock), &m->free_list,
                               0, &p->lists[k / BLOCK_GRANULES]);

   return b == NULL ? NULL : &b->of[k % BLOCK_GRANULES];
}

Nearest* memory_make_nearest(WantedMemory* m, WantedPage* p, unsigned k)
{
   NearestBlock* b = take_element(m, &m->nearest, sizeof(NearestBlock),
                                  &m->free_nearest, 0,
                                  &p->nearest[k / BLOCK_GRANULES]);

   return b == NULL ? NULL : &b->of[k % BLOCK_GRANULES];
}

WantedPage* memory_add_granule(WantedMemory* m, uint64_t granule)
{
   WantedPage* p = memory_page(m, granule / PAGE_GRANULES);
   uint64_t    bit = UINT64_C(1) << granule % 64;
   uint64_t*   wanted;

   if (p == NULL)
      p = make_page(m, granule / PAGE_GRANULES);
   if (p == NULL)
      return NULL;
   wanted   = &p->wanted[granule / 64 % (PAGE_GRANULES / 64)];
   m->n    += (*wanted & bit) == 0;
   *wanted |= bit;
   return p;
}

/* Free block I of P: nothing of it is wanted. */
static void free_block(WantedMemory* m, WantedPage* p, unsigned i)
{
   if (p->lists[i] != 0) {
      ELEM(m->lists, ListBlock, p->lists[i] - 1).of[0] = m->free_list;
      m->free_list = p->lists[i];
      p->lists[i]  = 0;
   }
   if (p->nearest[i] != 0) {
      ELEM(m->nearest, NearestBlock, p->nearest[i] - 1).of[0].of[0]
         = m->free_nearest;
      m->free_nearest = p->nearest[i];
      p->nearest[i]   = 0;
   }
}

void memory_remove(WantedMemory* m, uint64_t granule)
{
   uint64_t    number = granule / PAGE_GRANULES;
   WantedPage* p = memory_page(m, number);
   unsigned    k = granule % PAGE_GRANULES;

   p->wanted[k / 64] &= ~(UINT64_C(1) << k % 64);
   m->n--;
   if ((p->wanted[k / 64] >> k % 64 / BLOCK_GRANULES * BLOCK_GRANULES & 0xFFFF)
       != 0)
      return;
   free_block(m, p, k / BLOCK_GRANULES);
   for (unsigned i = 0; i < PAGE_GRANULES / 64; i++)
      if (p->wanted[i] != 0)
         return;
   p->lists[0]  = m->free_page;
   m->free_page = m->seen[number % N_SEEN].page;
   m->seen[number % N_SEEN].page = 0;
   map_remove(&m->pages, map_find(&m->pages, number + 1));
}

COMPARE(compare_numbers, uint64_t, ORDER(*x, *y))

bool memory_pages(const WantedMemory* m, uint64_t first, uint64_t last,
                  Array* numbers)
{
   for (size_t i = 0; i < m->pages.room; i++) {
      uint64_t  number = m->pages.keys[i] - 1;
      uint64_t* to;
      if (m->pages.keys[i] == 0 || number < first || number > last)
         continue;
      to = array_add(m->job, numbers, sizeof(*to));
      if (to == NULL)
         return false;
      *to = number;
   }
   if (numbers->n > 1)
      qsort(numbers->data, numbers->n, sizeof(uint64_t), compare_numbers);
   return true;
}

/* Append the numbers of those granules of page NUMBER that BITS, its word I,
   has to NUMBERS. */
static bool add_granules(const WantedMemory* m, uint64_t number, unsigned i,
                         uint64_t bits, Array* numbers)
{
   for (; bits != 0; bits &= bits - 1) {
      uint64_t* to = array_add(m->job, numbers, sizeof(*to));
      if (to == NULL)
         return false;
      *to = number * PAGE_GRANULES + i * 64 + (uint64_t)__builtin_ctzll(bits);
   }
   return true;
}

bool memory_granules(const WantedMemory* m, Array* numbers)
{
   for (size_t i = 0; i < m->pages.room; i++) {
      const WantedPage* p = m->pages.keys[i] == 0 ? NULL
                            : &ELEM(m->all, WantedPage, m->pages.values[i] - 1);
      for (unsigned k = 0; p != NULL && k < PAGE_GRANULES / 64; k++)
         if (!add_granules(m, m->pages.keys[i] - 1, k, p->wanted[k], numbers))
            return false;
   }
   return true;
}

void memory_free(WantedMemory* m)
{
   map_free(m->job, &m->pages);
   array_free(m->job, &m->all, sizeof(WantedPage));
   array_free(m->job, &m->lists, sizeof(ListBlock));
   array_free(m->job, &m->nearest, sizeof(NearestBlock));
}

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

LiveRegisters* live_make_registers(Live* l, uint32_t thread)
{
   LiveThread* t = &l->threads[thread];

   t->now = job_calloc(l->job, 1, sizeof(*t->now));
   return t->now;
}

/* Take the bytes MASK of N, a granule used as PORT, and give the nearest to
   TO. */
static bool take_nearest(Live* l, Nearest* n, uint8_t mask, uint8_t port,
                         const Taker* to)
{
   uint8_t  hit = n->mask & mask;
   uint32_t distance;

   if (hit == 0)
      return true;
   distance     = nearest_take(&l->nearest_pool, n, hit);
   l->n_wanted -= n->mask == 0;
   if (to == NULL || to->near != NULL)
      return to == NULL || to->near(to->arg, distance);
   return to->take(to->arg, &(Want){ .mask = hit, .port = port,
                                     .node = distance }, hit);
}

bool live_take_granule(Live* l, LiveRegisters* r, unsigned g, uint8_t mask,
                       const Taker* to)
{
   if (!take_nearest(l, &r->nearest[g], mask, DCFG_WET_GENERAL, to)
       || (r->heads[g] != 0 && !live_take_list(l, &r->heads[g], mask, to)))
      return false;
   if (r->heads[g] == 0 && r->nearest[g].mask == 0)
      r->granules[g / 64] &= ~(UINT64_C(1) << g % 64);
   return true;
}

/* Hand the wants of FROM to TO. */
static bool hand_nearest(Live* l, Nearest* from, Nearest* to)
{
   for (unsigned k = 0; k < 8; k++)
      if ((from->mask >> k & 1)
          && !live_want_nearest(l, to, (uint8_t)(1u << k),
                                nearest_of(&l->nearest_pool, from, k)))
         return false;
   return take_nearest(l, from, 0xFF, 0, NULL);
}

/* Hand the wants of FROM's granule G to TO's granule H. */
static bool hand_granule(Live* l, LiveRegisters* from, unsigned g,
                         LiveRegisters* to, unsigned h)
{
   uint32_t* end = &to->heads[h];

   if (!(from->granules[g / 64] >> g % 64 & 1))
      return true;
   if (!hand_nearest(l, &from->nearest[g], &to->nearest[h]))
      return false;
   while (*end != 0)
      end = &live_want(l, *end)->next;
   *end = from->heads[g];
   from->heads[g] = 0;
   from->granules[g / 64] &= ~(UINT64_C(1) << g % 64);
   to->granules[h / 64]   |= UINT64_C(1) << h % 64;
   return true;
}

static bool hand_all(Live* l, LiveRegisters* from, LiveRegisters* to)
{
   for (unsigned g = 0; g < N_GRANULES; g++)
      if (!hand_granule(l, from, g, to, g))
         return false;
   return true;
}

/* Hand the wants of a new thread to its creator.  The stack pointer may be the
   last system call's. */
bool live_before_thread(Live* l, uint32_t thread, const uint64_t* words)
{
   const WetMachine* m = l->w->machine;
   LiveRegisters* from = words[0] < l->w->threads.n ? l->threads[words[0]].now
                                                    : NULL;
   LiveRegisters* to = live_registers(l, thread);

   if (words[1] == StackFromCall && from != NULL
       && (!live_take_register(l, from, m->stack, 0xFF,
                               &(Taker){ .take = defer, .arg = l })
           || !defer_to(l, thread)))
      return false;
   if (to == NULL || from == NULL || from == to)
      return to != NULL;
   if (words[1] == StackFromArgument
       && !hand_granule(l, from, m->stack, to, m->stack_argument))
      return false;
   return hand_all(l, from, to);
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
   if (!hand_all(l, r, outer))
      return false;
   l->threads[thread].now = outer;
   job_free(l->job, r, sizeof(*r));
   return true;
}

/*--- Memory                                               ---*/

static bool want_granule(Live* l, uint64_t granule, Want want)
{
   WantedPage* p = memory_add_granule(&l->memory, granule);
   unsigned    k = granule % PAGE_GRANULES;
   uint32_t*   head;
   Nearest*    n;

   if (p == NULL)
      return false;
   if (l->nearest && !want.weak && !want.limited) {
      n = memory_add_nearest(&l->memory, p, k);
      return n != NULL && live_want_nearest(l, n, want.mask, want.node);
   }
   head = memory_add_list(&l->memory, p, k);
   return head != NULL
          && (live_says(l, *head, want.node, want.mask, want.thread)
              || live_add(l, head, want));
}

/* Return the mask of those of the SIZE bytes at ADDR that are in its granule;
   *N is their number. */
static inline uint8_t mask_of(uint64_t addr, uint64_t size, unsigned* n)
{
   *n = 8 - addr % 8 < size ? 8 - addr % 8 : (unsigned)size;
   return (uint8_t)(((1u << *n) - 1) << addr % 8);
}

bool live_want_memory(Live* l, uint64_t addr, uint64_t size, Want want)
{
   unsigned n;

   for (want.at -= addr % 8; size > 0; addr += n, size -= n, want.at += 8) {
      want.mask = mask_of(addr, size, &n);
      if (!want_granule(l, addr / 8, want))
         return false;
   }
   return true;
}

/* Return the bytes that N and the list at HEAD want. */
static uint8_t wanted_bytes(const Live* l, const Nearest* n, uint32_t head)
{
   uint8_t mask = n == NULL ? 0 : n->mask;

   for (; head != 0 && mask != 0xFF; head = live_want(l, head)->next)
      mask |= live_want(l, head)->mask;
   return mask;
}

uint8_t live_register_bytes(const Live* l, const LiveRegisters* r, unsigned g)
{
   return wanted_bytes(l, &r->nearest[g], r->heads[g]);
}

uint64_t live_memory_bytes(Live* l, uint64_t addr, unsigned size)
{
   uint64_t bytes = 0;
   unsigned n;

   for (unsigned at = 0; at < size; at += n) {
      uint64_t    granule = (addr + at) / 8;
      uint8_t     mask = mask_of(addr + at, size - at, &n);
      unsigned    k = granule % PAGE_GRANULES;
      WantedPage* p = memory_wanted(&l->memory, granule, granule) == 0 ? NULL
                      : memory_page(&l->memory, granule / PAGE_GRANULES);
      uint32_t*   list = p == NULL ? NULL : memory_list(&l->memory, p, k);
      if (p != NULL)
         mask &= wanted_bytes(l, memory_nearest(&l->memory, p, k),
                              list == NULL ? 0 : *list);
      if (p != NULL)
         bytes |= (uint64_t)(mask >> (addr + at) % 8) << at;
   }
   return bytes;
}

/* Give the wants for bytes LOW to HIGH, whose granules have the same number /
   64, to TO. */
static bool take_of_word(Live* l, uint64_t low, uint64_t high, const Taker* to)
{
   uint64_t    first = low / 8;
   uint64_t    bits = memory_wanted(&l->memory, first, high / 8);
   WantedPage* p = bits == 0 ? NULL
                   : memory_page(&l->memory, first / PAGE_GRANULES);

   for (; bits != 0; bits &= bits - 1) {
      uint64_t  g = first / 64 * 64 + (uint64_t)__builtin_ctzll(bits);
      unsigned  k = g % PAGE_GRANULES, size;
      uint64_t  begin = 8 * g < low ? low : 8 * g;
      uint64_t  end = 8 * g + 7 > high ? high : 8 * g + 7;
      uint8_t   mask = mask_of(begin, end - begin + 1, &size);
      Nearest*  n = memory_nearest(&l->memory, p, k);
      uint32_t* list = memory_list(&l->memory, p, k);
      if ((n != NULL && !take_nearest(l, n, mask, DCFG_WET_MEMORY, to))
          || (list != NULL && !live_take_list(l, list, mask, to)))
         return false;
      if ((list == NULL || *list == 0) && (n == NULL || n->mask == 0))
         memory_remove(&l->memory, g);
   }
   return true;
}

/* Give the wants for bytes LOW to HIGH to TO. */
static bool take_bytes(Live* l, uint64_t low, uint64_t high, const Taker* to)
{
   for (uint64_t word = low / 512; word <= high / 512; word++) {
      uint64_t first = word * 512, last = first + 511;
      if (!take_of_word(l, first < low ? low : first,
                        last > high ? high : last, to))
         return false;
   }
   return true;
}

/* The range has more pages than are wanted: go over the wanted ones. */
static bool take_range(Live* l, uint64_t low, uint64_t high, const Taker* to)
{
   Array numbers = { 0 };
   bool  ok = memory_pages(&l->memory, low / WANTED_PAGE, high / WANTED_PAGE,
                           &numbers);

   for (size_t i = 0; ok && i < numbers.n; i++) {
      uint64_t first = ELEM(numbers, uint64_t, i) * WANTED_PAGE;
      uint64_t last = first + (WANTED_PAGE - 1);
      ok = take_bytes(l, first < low ? low : first, last > high ? high : last,
                      to);
   }
   array_free(l->job, &numbers, sizeof(uint64_t));
   return ok;
}

bool live_take_memory(Live* l, uint64_t addr, uint64_t size, const Taker* to)
{
   if (size > UINT64_MAX - addr)
      size = UINT64_MAX - addr;
   if (size == 0 || l->memory.n == 0)
      return true;
   return size / WANTED_PAGE > l->memory.pages.room
          ? take_range(l, addr, addr + size - 1, to)
          : take_bytes(l, addr, addr + size - 1, to);
}

/* Hand all wants of granule FROM to TO, which has none. */
static bool move_granule(Live* l, uint64_t from, uint64_t to)
{
   WantedMemory* m = &l->memory;
   WantedPage*   p = memory_page(m, from / PAGE_GRANULES);
   unsigned      k = from % PAGE_GRANULES;
   Nearest       nearest = { .mask = 0 };
   Nearest*      n;
   uint32_t*     list;
   uint32_t      head;

   if (memory_wanted(m, from, from) == 0)
      return true;
   n    = memory_nearest(m, p, k);
   list = memory_list(m, p, k);
   head = list == NULL ? 0 : *list;
   if (n != NULL) {
      nearest = *n;
      n->mask = 0;
      n->split = false;
   }
   if (list != NULL)
      *list = 0;
   memory_remove(m, from);
   p = memory_add_granule(m, to);
   k = to % PAGE_GRANULES;
   if (p == NULL)
      return false;
   if (head != 0) {
      list = memory_add_list(m, p, k);
      if (list == NULL)
         return false;
      *list = head;
   }
   if (nearest.mask == 0)
      return true;
   n = memory_add_nearest(m, p, k);
   if (n != NULL)
      *n = nearest;
   return n != NULL;
}

/* Handle a move of memory, page by page: hand the wants of TO to FROM.  The
   bytes of FROM that are wanted behind the move have no writer. */
bool live_move_memory(Live* l, uint64_t to, uint64_t from, uint64_t size)
{
   if (to % 8 != 0 || from % 8 != 0 || to == from)
      return true;
   for (uint64_t page = (size + 4095) / 4096; page-- > 0; ) {
      uint64_t a = to + 4096 * page, b = from + 4096 * page;
      if (l->memory.n == 0)
         return true;
      if (!live_take_memory(l, b, 4096, NULL))
         return false;
      for (uint64_t i = 0; i < 4096; i += 8)
         if (!move_granule(l, (a + i) / 8, (b + i) / 8))
            return false;
   }
   return true;
}

/* Return the list of the wants for PLACE, which has none of another kind. */
static uint32_t* list_of_place(Live* l, LiveRegisters* r, uint64_t place)
{
   uint64_t    granule = place / 8;
   WantedPage* p;

   if (place < G_FLAGS) {
      r->granules[0] |= UINT64_C(1) << place;
      return &r->heads[place];
   }
   p = memory_add_granule(&l->memory, granule);
   return p == NULL ? NULL
          : memory_add_list(&l->memory, p, granule % PAGE_GRANULES);
}

bool live_move_wants(Live* l, LiveRegisters* r, WantMove* moves, size_t n)
{
   for (size_t i = 0; i < n; i++) {
      uint32_t* list = list_of_place(l, r, moves[i].from);
      if (list == NULL)
         return false;
      moves[i].wants = *list;
      *list          = 0;
      if (moves[i].from < G_FLAGS)
         r->granules[0] &= ~(UINT64_C(1) << moves[i].from);
      else
         memory_remove(&l->memory, moves[i].from / 8);
   }
   for (size_t i = 0; i < n; i++) {
      uint32_t* end = list_of_place(l, r, moves[i].to);
      if (end == NULL)
         return false;
      while (*end != 0)
         end = &live_want(l, *end)->next;
      *end = moves[i].wants;
   }
   return true;
}

bool live_take_written(Live* l, uint32_t thread, uint64_t addr, uint64_t size)
{
   return live_take_memory(l, addr, size, &(Taker){ .take = defer, .arg = l })
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
   *l = (Live){ .job = job, .w = w, .reading = DCFG_NONE,
                .memory = { .job = job }, .nearest_pool = { .job = job } };
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
   memory_free(&l->memory);
   array_free(l->job, &l->nearest_pool.bytes, sizeof(NearestBytes));
   array_free(l->job, &l->wants, sizeof(Want));
   array_free(l->job, &l->deferred, sizeof(Want));
}

#define REQUEST(b, i) (&ELEM((b)->requests, Request, (i) - 1))
#define PENDING(b, i) (&ELEM((b)->pending, uint32_t, i))

bool joins_start(BranchJoins* b, Job* job, const ControlGraph* graph)
{
   *b = (BranchJoins){ .job = job, .graph = graph };
   return array_add(job, &b->pending, sizeof(uint32_t)) != NULL;
}

void joins_free(BranchJoins* b)
{
   array_free(b->job, &b->pending, sizeof(uint32_t));
   array_free(b->job, &b->requests, sizeof(Request));
}

bool joins_begin_chunk(BranchJoins* b, const Acts* acts)
{
   size_t n = acts->tree.acts.n;
   size_t more = n > b->pending.n ? n - b->pending.n : 0;

   if (more > 0
       && array_add_n(b->job, &b->pending, sizeof(uint32_t), more) == NULL)
      return false;
   for (size_t i = 0; i < acts->tree.made.n; i++)
      *PENDING(b, ELEM(acts->tree.made, uint32_t, i)) = 0;
   for (size_t i = 0; i < acts->renamed.n; i++) {
      const Renamed r = ELEM(acts->renamed, Renamed, i);
      *PENDING(b, r.now)  = *PENDING(b, r.then);
      *PENDING(b, r.then) = 0;
   }
   return true;
}

uint32_t joins_next(const BranchJoins* b, uint32_t act, uint32_t id,
                    uint64_t* group, uint32_t* instr)
{
   id = id == 0 ? *PENDING(b, act) : REQUEST(b, id)->next;
   if (id != 0) {
      *group = REQUEST(b, id)->group;
      *instr = REQUEST(b, id)->instr;
   }
   return id;
}

bool joins_ask(BranchJoins* b, Live* l, uint32_t act, uint32_t instr,
               const Want* want)
{
   uint64_t group = b->graph->groups[instr];
   uint32_t id = *PENDING(b, act);

   while (id != 0 && (REQUEST(b, id)->group != group
                      || REQUEST(b, id)->weak != want->weak))
      id = REQUEST(b, id)->next;
   if (id == 0) {
      id = b->free_request;
      if (id != 0) {
         b->free_request = REQUEST(b, id)->next;
      } else {
         if (array_add(b->job, &b->requests, sizeof(Request)) == NULL)
            return false;
         id = (uint32_t)b->requests.n;
      }
      *REQUEST(b, id)  = (Request){ group, instr, 0, *PENDING(b, act),
                                    want->weak };
      *PENDING(b, act) = id;
   }
   return (!want->weak && live_says(l, REQUEST(b, id)->wants, want->node,
                                    want->mask, want->thread))
          || live_add(l, &REQUEST(b, id)->wants, *want);
}

bool joins_answer(BranchJoins* b, Live* l, uint32_t act, uint32_t branch,
                  const Taker* to)
{
   for (uint32_t* at = PENDING(b, act); *at != 0; ) {
      Request* r = REQUEST(b, *at);
      uint32_t id = *at;
      if (branch != DCFG_NONE && !graph_depends(b->graph, r->instr, branch)) {
         at = &r->next;
         continue;
      }
      /* A weak want ends at a call, which tests nothing. */
      if (!live_take_list(l, &r->wants, 0xFF,
                          r->weak && branch == DCFG_NONE ? NULL : to))
         return false;
      *at     = r->next;
      r->next = b->free_request;
      b->free_request = id;
   }
   return true;
}

bool joins_forget(BranchJoins* b, Live* l)
{
   for (uint32_t a = 1; a < b->pending.n; a++)
      if (!joins_answer(b, l, a, DCFG_NONE, NULL))
         return false;
   return true;
}
