/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Wants: bytes whose writers a backward slice looks for. */

#ifndef DCFG_LIB_SLICE_LIVE_H
#define DCFG_LIB_SLICE_LIVE_H

#include "lib/dcfg_slice.h"
#include "lib/slice/slice_memory.h"
#include "lib/wet/wet.h"

/* Want: bytes of a granule that a member used. */
typedef
   struct {
      uint32_t node;            // the member's name: see Member in slice_kind.h
      uint32_t next;            // next in the list, + 1
      uint32_t at;              // order among the port's bytes; of sums: how
                                // many instances want control
      uint8_t  mask;
      uint8_t  port, reg;
      bool     weak : 1;        // see slice_back.c
      bool     limited : 1;     // the member is limited
      uint32_t thread;          // who wants, and of which instruction
      uint32_t instr;
      uint64_t order;
   }
   Want;

/* Taker: gets the wants for bytes whose writer is met.  Wants that are kept as
   distances go to .near, the least of them, unless that is NULL. */
typedef
   struct {
      bool (*take)(void* arg, const Want* want, uint8_t mask);
      void* arg;
      bool (*near)(void* arg, uint32_t distance);
   }
   Taker;

/* LiveRegisters: wants for a thread's registers, or for the code that a handler
   interrupted. */
typedef
   struct LiveRegisters {
      struct LiveRegisters* outer;      // the interrupted code's
      uint64_t granules[2];     // a bit for each that is wanted
      uint32_t heads[N_GRANULES];       // id of the first Want, + 1
      Nearest  nearest[N_GRANULES];
   }
   LiveRegisters;

typedef
   struct {
      LiveRegisters* now;
      uint32_t written;         // Want: for what the kernel wrote
      Array    reads;           // DcfgSliceReading
   }
   LiveThread;

struct WantRule;

/* Live: written by slice_live.c alone. */
typedef
   struct Live {
      Job*           job;
      const DcfgWet* w;
      Array          wants;     // Want
      uint32_t       free_want;
      uint32_t       n_wanted;
      WantedMemory   memory;
      NearestPool    nearest_pool;
      LiveThread*    threads;
      uint32_t       reading;   // thread of the READ marks that come right
                                // before, or DCFG_NONE
      Array          deferred;  // Want: see live_take_written()
      bool           nearest;   // strong wants are kept as least distances
      const struct WantRule* rule;
      void*          arg;       // for the rule
   }
   Live;

/* WantRule: which wants for the same bytes become one.  Without a rule, all
   wants are kept.  With a rule, a want is dropped if the first of the list
   covers it. */
typedef
   struct WantRule {
      /* Decide about WANT, new in the list at HEAD.  Set *JOINED if another
         want takes its place. */
      bool (*add)(void* arg, Live* l, uint32_t head, const Want* want,
                  bool* joined);

      /* Note that WANT has left its list. */
      void (*remove)(void* arg, const Want* want);
   }
   WantRule;

bool live_start(Live* l, Job* job, const DcfgWet* w);
void live_free(Live* l);

static inline Want* live_want(const Live* l, uint32_t id)
{
   return &ELEM(l->wants, Want, id - 1);
}

/* Return whether A makes B superfluous. */
static inline bool want_covers(const Want* a, const Want* b)
{
   return (b->mask & ~a->mask) == 0 && a->node <= b->node && !a->limited
          && a->thread == b->thread;
}

/* Return whether the first want of the list at HEAD makes a want of NODE and
   THREAD for MASK superfluous.  Most are, and need not be made. */
static inline bool live_says(const Live* l, uint32_t head, uint32_t node,
                             uint8_t mask, uint32_t thread)
{
   const Want* first;

   if (head == 0 || l->rule == NULL)
      return false;
   first = live_want(l, head);
   return (mask & ~first->mask) == 0 && first->node <= node && !first->weak
          && !first->limited && first->thread == thread;
}

/* Put WANT into the list at HEAD. */
bool live_put(Live* l, uint32_t* head, Want want);

/* Put WANT into the list at HEAD.  The fast path is an empty list, or a
   superfluous want. */
static inline bool live_add(Live* l, uint32_t* head, Want want)
{
   uint32_t id = *head != 0 ? *head : l->free_want;
   Want*    first;

   if (id == 0 || want.weak)
      return live_put(l, head, want);
   first = live_want(l, id);
   if (*head != 0)
      return (l->rule != NULL && !first->weak && want_covers(first, &want))
             || live_put(l, head, want);
   l->free_want = first->next;
   *first       = want;
   first->next  = 0;
   *head        = id;
   l->n_wanted++;
   return true;
}

/* Return the registers of THREAD, which has none so far; NULL if memory is
   exhausted. */
LiveRegisters* live_make_registers(Live* l, uint32_t thread);

/* Return the registers of THREAD; NULL if memory is exhausted. */
static inline LiveRegisters* live_registers(Live* l, uint32_t thread)
{
   LiveRegisters* r = l->threads[thread].now;

   return r != NULL ? r : live_make_registers(l, thread);
}

/* Want the bytes MASK of N at DISTANCE.  Return false if memory is
   exhausted. */
static inline bool live_want_nearest(Live* l, Nearest* n, uint8_t mask,
                                     uint32_t distance)
{
   l->n_wanted += n->mask == 0;
   return nearest_want(&l->nearest_pool, n, mask, distance);
}

/* Want the bytes MASK of granule G at DISTANCE, where strong wants are kept as
   distances. */
static inline bool live_want_near(Live* l, LiveRegisters* r, unsigned g,
                                  uint8_t mask, uint32_t distance)
{
   r->granules[g / 64] |= UINT64_C(1) << g % 64;
   return live_want_nearest(l, &r->nearest[g], mask, distance);
}

static inline bool live_want_register(Live* l, LiveRegisters* r, unsigned g,
                                      Want want)
{
   if (l->nearest && !want.weak && !want.limited)
      return live_want_near(l, r, g, want.mask, want.node);
   r->granules[g / 64] |= UINT64_C(1) << g % 64;
   return live_add(l, &r->heads[g], want);
}

bool live_want_memory(Live* l, uint64_t addr, uint64_t size, Want want);

/* Give the wants for these bytes to TO, or drop them if TO is NULL.  TO must
   not add wants. */
bool live_take_list(Live* l, uint32_t* head, uint8_t mask, const Taker* to);
bool live_take_granule(Live* l, LiveRegisters* r, unsigned g, uint8_t mask,
                       const Taker* to);

static inline bool live_take_register(Live* l, LiveRegisters* r, unsigned g,
                                      uint8_t mask, const Taker* to)
{
   return !(r->granules[g / 64] >> g % 64 & 1)
          || live_take_granule(l, r, g, mask, to);
}

bool live_take_memory(Live* l, uint64_t addr, uint64_t size, const Taker* to);

/* Want nothing any more. */
bool live_forget(Live* l);

/* Handle marks of THREAD, going backward: its last system call wrote memory;
   memory was moved; it created a thread; a handler returned; a handler
   began. */
bool live_take_written(Live* l, uint32_t thread, uint64_t addr, uint64_t size);
bool live_move_memory(Live* l, uint64_t to, uint64_t from, uint64_t size);
bool live_before_thread(Live* l, uint32_t thread, const uint64_t* words);
bool live_before_return(Live* l, uint32_t thread);
bool live_before_handler(Live* l, uint32_t thread, bool returned);

/* Note memory that the kernel read for a system call.  These marks stand right
   behind the call.  So the memory noted so far is forgotten when another
   thread, or an earlier record, is met. */
bool live_note_read(Live* l, uint32_t thread, const uint64_t* words);

static inline void live_forget_reads(Live* l, uint32_t but)
{
   if (l->reading == DCFG_NONE || l->reading == but)
      return;
   array_cut(&l->threads[l->reading].reads, 0);
   l->reading = DCFG_NONE;
}

#endif /* DCFG_LIB_SLICE_LIVE_H */
