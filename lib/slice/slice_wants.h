/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Wants: what a backward slice looks for. */

#ifndef DCFG_LIB_SLICE_WANTS_H
#define DCFG_LIB_SLICE_WANTS_H

#include "lib/base/hash.h"
#include "lib/base/job.h"
#include "lib/dcfg_slice.h"
#include "lib/slice/slice_acts.h"
#include "lib/wet/wet.h"

/* Nearest: for each byte of a granule, the least distance of the members
   that want it.  With one thread, and if instances are only counted, a want
   needs nothing else.  Most granules have one distance, or one for each half.
   Only others have a distance for each byte, elsewhere: a slice that wants all
   of a large table goes at random over these. */
typedef
   struct {
      uint32_t of[2];           // by half; if .split, .of[0] is a number in
                                // .bytes of NearestPool, + 1
      uint8_t  mask;            // bytes that are wanted
      bool     split;
   }
   Nearest;

/* NearestBytes: a distance for each byte. */
typedef
   struct {
      uint32_t of[8];
   }
   NearestBytes;

typedef
   struct {
      Job*     job;
      Array    bytes;           // NearestBytes
      uint32_t free_bytes;      // number in .bytes, + 1; .of[0] of it has the
                                // next one
   }
   NearestPool;

static inline NearestBytes* nearest_bytes(const NearestPool* p,
                                          const Nearest* n)
{
   return &ELEM(p->bytes, NearestBytes, n->of[0] - 1);
}

/* Want the bytes MASK of N, of which some are wanted, at DISTANCE, too. */
bool nearest_add(NearestPool* p, Nearest* n, uint8_t mask, uint32_t distance);

/* Take the bytes HIT of N, which is split. */
uint32_t nearest_take_bytes(NearestPool* p, Nearest* n, uint8_t hit);

/* Want the bytes MASK at DISTANCE, too.  Return false if memory is
   exhausted. */
static inline bool nearest_want(NearestPool* p, Nearest* n, uint8_t mask,
                                uint32_t distance)
{
   if (n->mask != 0)
      return nearest_add(p, n, mask, distance);
   n->of[0] = n->of[1] = distance;
   n->mask  = mask;
   return true;
}

/* Return the distance of byte K, which is wanted. */
static inline uint32_t nearest_of(const NearestPool* p, const Nearest* n,
                                  unsigned k)
{
   return n->split ? nearest_bytes(p, n)->of[k] : n->of[k / 4];
}

/* Take the bytes HIT, at least one, all wanted.  Return their least
   distance. */
static inline uint32_t nearest_take(NearestPool* p, Nearest* n, uint8_t hit)
{
   uint32_t least = UINT32_MAX;

   if (n->split)
      return nearest_take_bytes(p, n, hit);
   if (hit & 0x0F)
      least = n->of[0];
   if ((hit & 0xF0) && n->of[1] < least)
      least = n->of[1];
   n->mask &= (uint8_t)~hit;
   return least;
}

#define WANTED_PAGE    4096u    // bytes of a page
#define PAGE_GRANULES  (WANTED_PAGE / 8)
#define BLOCK_GRANULES 16
#define PAGE_BLOCKS    (PAGE_GRANULES / BLOCK_GRANULES)

/* WantedPage: the granules of a page.  Those of a block have their wants
   together; a block without wants has none of the tables. */
typedef
   struct {
      uint64_t wanted[PAGE_GRANULES / 64];      // a bit for each granule
      uint32_t lists[PAGE_BLOCKS];      // index in .lists, + 1; or 0
      uint32_t nearest[PAGE_BLOCKS];    // index in .nearest, + 1; or 0
   }
   WantedPage;

typedef
   struct {
      uint32_t of[BLOCK_GRANULES];      // id of the first Want, + 1
   }
   ListBlock;

typedef
   struct {
      Nearest of[BLOCK_GRANULES];
   }
   NearestBlock;

/* SeenPage: page number .number - 1, as it was looked up last. */
typedef
   struct {
      uint64_t number;
      uint32_t page;            // index in .all, + 1; 0: not wanted
   }
   SeenPage;

#define N_SEEN 4096

/* WantedMemory: written by slice_wants.c alone. */
typedef
   struct {
      Job*      job;
      size_t    n;              // granules that are wanted
      NumberMap pages;          // keys: number + 1; values: index in .all, + 1
      Array     all;            // WantedPage
      Array     lists;          // ListBlock
      Array     nearest;        // NearestBlock

      /* The first free one of each, an index + 1.  Its first index has the
         next one. */
      uint32_t  free_page, free_list, free_nearest;
      SeenPage  seen[N_SEEN];   // by the lowest bits of the number
   }
   WantedMemory;

/* Look up page NUMBER, and note it in .seen. */
uint32_t memory_look_up(WantedMemory* m, uint64_t number);

/* Return page NUMBER; NULL if nothing of it is wanted. */
static inline WantedPage* memory_page(WantedMemory* m, uint64_t number)
{
   const SeenPage* seen = &m->seen[number % N_SEEN];
   uint32_t        id = seen->number == number + 1
                        ? seen->page : memory_look_up(m, number);

   return id == 0 ? NULL : &ELEM(m->all, WantedPage, id - 1);
}

/* Return which granules from FIRST to LAST, which have the same number / 64,
   are wanted: a bit for each, by the number % 64. */
static inline uint64_t memory_wanted(WantedMemory* m, uint64_t first,
                                     uint64_t last)
{
   const WantedPage* p = memory_page(m, first / PAGE_GRANULES);

   return p == NULL ? 0
          : p->wanted[first / 64 % (PAGE_GRANULES / 64)]
            & ~UINT64_C(0) << first % 64 & ~UINT64_C(0) >> (63 - last % 64);
}

/* Return whether any of the SIZE bytes at ADDR may be wanted: its granule
   is. */
static inline bool memory_is_wanted(WantedMemory* m, uint64_t addr,
                                    uint64_t size)
{
   uint64_t last = (addr + size - 1) / 8;

   if (m->n == 0 || size == 0)
      return false;
   for (uint64_t g = addr / 8; g <= last; g = (g / 64 + 1) * 64)
      if (memory_wanted(m, g, last / 64 == g / 64 ? last : g | 63) != 0)
         return true;
   return false;
}

/* Return the list of granule K of P; NULL if it has none. */
static inline uint32_t* memory_list(const WantedMemory* m, const WantedPage* p,
                                    unsigned k)
{
   uint32_t id = p->lists[k / BLOCK_GRANULES];

   return id == 0 ? NULL
          : &ELEM(m->lists, ListBlock, id - 1).of[k % BLOCK_GRANULES];
}

/* Return the nearest wants of granule K of P; NULL if it has none. */
static inline Nearest* memory_nearest(const WantedMemory* m,
                                      const WantedPage* p, unsigned k)
{
   uint32_t id = p->nearest[k / BLOCK_GRANULES];

   return id == 0 ? NULL
          : &ELEM(m->nearest, NearestBlock, id - 1).of[k % BLOCK_GRANULES];
}

/* Make room for the list, or the nearest wants, of granule K of P, which has
   none. */
uint32_t* memory_make_list(WantedMemory* m, WantedPage* p, unsigned k);
Nearest*  memory_make_nearest(WantedMemory* m, WantedPage* p, unsigned k);

/* Return the list, or the nearest wants, of granule K of P, made if there is
   none; NULL if memory is exhausted. */
static inline uint32_t* memory_add_list(WantedMemory* m, WantedPage* p,
                                        unsigned k)
{
   uint32_t* list = memory_list(m, p, k);

   return list != NULL ? list : memory_make_list(m, p, k);
}

static inline Nearest* memory_add_nearest(WantedMemory* m, WantedPage* p,
                                          unsigned k)
{
   Nearest* n = memory_nearest(m, p, k);

   return n != NULL ? n : memory_make_nearest(m, p, k);
}

/* Mark GRANULE as wanted, and return its page; NULL if memory is exhausted. */
WantedPage* memory_add_granule(WantedMemory* m, uint64_t granule);

/* Mark GRANULE, whose wants were taken, as not wanted. */
void memory_remove(WantedMemory* m, uint64_t granule);

/* Store the numbers of all pages from FIRST to LAST, in order, in NUMBERS, of
   uint64_t. */
bool memory_pages(const WantedMemory* m, uint64_t first, uint64_t last,
                  Array* numbers);

/* Store the numbers of all wanted granules, in no order, in NUMBERS, of
   uint64_t.  Return false if memory is exhausted. */
bool memory_granules(const WantedMemory* m, Array* numbers);

void memory_free(WantedMemory* m);

/* Want: bytes of a granule that a member used. */
typedef
   struct {
      uint32_t node;            // the member's name: see Member in slice_found.h
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

/* Live: written by slice_wants.c alone. */
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

/* Want the SIZE bytes at ADDR, of which .at bytes of the port stand before. */
bool live_want_memory(Live* l, uint64_t addr, uint64_t size, Want want);

/* Return which bytes of granule G of R are wanted; which of the SIZE bytes at
   ADDR, at most 64, a bit for each. */
uint8_t  live_register_bytes(const Live* l, const LiveRegisters* r, unsigned g);
uint64_t live_memory_bytes(Live* l, uint64_t addr, unsigned size);

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

/* WantMove: wants for .from become wants for .to.  Each is the number of a general
   register, or the address of a word. */
typedef
   struct {
      uint64_t from, to;
      uint32_t wants;           // ids of Want, as in a list
   }
   WantMove;

/* Move wants of R and of memory, all together. */
bool live_move_wants(Live* l, LiveRegisters* r, WantMove* moves, size_t n);

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

/* Request: instances in one activation that depend on the same branches as
   INSTR. */
typedef
   struct {
      uint64_t group;
      uint32_t instr;
      uint32_t wants;           // id of a Want, + 1
      uint32_t next;            // + 1
      bool     weak;
   }
   Request;

/* BranchJoins: written by slice_wants.c alone. */
typedef
   struct {
      Job*                job;
      const ControlGraph* graph;
      Array               pending;      // uint32_t, by activation: its first
                                        // Request, + 1
      Array               requests;     // Request
      uint32_t            free_request;
   }
   BranchJoins;

bool joins_start(BranchJoins* b, Job* job, const ControlGraph* graph);
void joins_free(BranchJoins* b);

/* Begin a chunk, going backward.  Activations of ACTS are new, or have other
   numbers than in the chunk behind. */
bool joins_begin_chunk(BranchJoins* b, const Acts* acts);

/* Return whether anything waits for a branch of ACT. */
static inline bool joins_pending(const BranchJoins* b, uint32_t act)
{
   return ELEM(b->pending, uint32_t, act) != 0;
}

/* Return the first request in ACT, or the one behind request ID if that is not
   0.  Return 0 if there is none.  *GROUP gets its branches' group, and *INSTR
   an instruction that waits. */
uint32_t joins_next(const BranchJoins* b, uint32_t act, uint32_t id,
                    uint64_t* group, uint32_t* instr);

/* Return true only if a want of NODE and THREAD for the branch that INSTR
   depends on in ACT is superfluous.  Most are. */
static inline bool joins_says(const BranchJoins* b, const Live* l, uint32_t act,
                              uint32_t instr, uint32_t node, uint32_t thread)
{
   uint32_t       id = ELEM(b->pending, uint32_t, act);
   const Request* r = id == 0 ? NULL : &ELEM(b->requests, Request, id - 1);

   return r != NULL && r->group == b->graph->groups[instr] && !r->weak
          && live_says(l, r->wants, node, 0xFF, thread);
}

/* Let WANT, which becomes one of L, wait for the branch that INSTR depends on
   in ACT. */
bool joins_ask(BranchJoins* b, Live* l, uint32_t act, uint32_t instr,
               const Want* want);

/* Give BRANCH to the wants that wait for it in ACT; if it is DCFG_NONE, to
   all that wait there.  TO handles the wants. */
bool joins_answer(BranchJoins* b, Live* l, uint32_t act, uint32_t branch,
                  const Taker* to);

/* Forget all that waits. */
bool joins_forget(BranchJoins* b, Live* l);

/* Bytes that instructions move: see DcfgSliceBytes.  ALL_BYTES: the instance's
   result may be made of all bytes of its operands. */
#define ALL_BYTES UINT64_MAX

/* Return which bytes of the result of the instance at SPOT are wanted. */
uint64_t bytes_wanted(const SliceCode* c, const Spot* spot, Live* l);

/* Return the number of the lowest byte of GRANULE in its register. */
unsigned bytes_before(const SliceCode* c, unsigned granule);

/* Return which bytes of U made the bytes WANTED of the result of instruction I;
   which of the SIZE bytes of an operand in memory. */
uint8_t  bytes_of_use(const SliceCode* c, uint32_t i, uint64_t wanted,
                      const Use* u);
uint64_t bytes_of_memory(const SliceCode* c, uint32_t i, uint64_t wanted,
                         unsigned size);

/* Return whether bytes of the port made the bytes WANTED. */
bool bytes_use_port(const SliceCode* c, uint32_t i, uint64_t wanted,
                    uint8_t port, uint8_t reg);

#endif /* DCFG_LIB_SLICE_WANTS_H */
