/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What finds slices shares among itself. */

#ifndef DCFG_LIB_SLICE_H
#define DCFG_LIB_SLICE_H

#include "lib/dcfg_slice.h"
#include "lib/wet/wet_ahead.h"

#include <string.h>

/* What is known of superblocks before any record: they are passed over unless
   they may define something that is wanted. */
typedef
   struct {
      uint64_t defs[2];         // a bit for each granule, by number; those of
                                // x87 all together: G_X87 and G_STACK
      uint32_t first;           // place
      uint32_t stores;          // the first in .stores
      uint16_t n_stores;
      bool     branches;        // has any that others may depend on
      bool     x87;             // moves the top of the stack
      bool     criterion;       // has an instruction of it
      bool     odd_stores;      // some that are not slots of their own
   }
   SbInfo;

/* Likewise of an instruction, which is passed over then. */
typedef
   struct {
      uint64_t defs[2];
      bool     stores, branch;
      bool     more;            // it is a criterion, or a system call
   }
   InstrInfo;

/* A slot where a superblock writes to memory. */
typedef
   struct {
      uint16_t slot, size;
   }
   StoreSlot;

/*------------------------------------------------------------*/
/*--- Activations                                          ---*/
/*------------------------------------------------------------*/

/* One, in a tree: chunks share those that outlive them. */
typedef
   struct {
      uint64_t place;           // of the return address; UINT64_MAX: none
      uint32_t up;              // who called it, or a free one's next
      uint32_t refs;
      uint32_t last;            // its last instruction so far, or DCFG_NONE
      uint32_t call;            // the instruction that made it, or DCFG_NONE
      uint32_t pending;         // control that is asked for: Request, and 1
      bool     handler;         // what a signal began
   }
   Act;

/* A handler that may return: the top of x87's stack then, and which one it
   is, of all. */
typedef
   struct {
      uint32_t number;
      uint8_t  top;
   }
   Interrupted;

/* Where a thread is. */
typedef
   struct {
      uint32_t act;             // or DCFG_NONE: it has not begun
      uint32_t top;             // of x87's stack
      bool     entering;        // a handler: its frame is being written
      Array    interrupted;     // Interrupted
   }
   Position;

/* Where all are, at the begin of a chunk. */
typedef
   struct {
      Position* threads;
      uint32_t  n_handlers;     // so far
   }
   Snapshot;

/* What a record was in: its last instruction may have ended activations before
   it ran, and it may have made one, or, of a mark, be number BODY of the
   handlers. */
typedef
   struct {
      uint32_t step;
      uint32_t body, last, made;
      uint32_t act, top;        // of the thread, before it
   }
   StepPlace;

typedef
   struct {
      uint32_t post;            // in the tree of post-dominators
      uint32_t pre;
      uint32_t first, n;        // successors, in .successors
   }
   GraphNode;

/*------------------------------------------------------------*/
/*--- What is wanted                                       ---*/
/*------------------------------------------------------------*/

/* Bytes of a granule that a node used. */
typedef
   struct {
      uint32_t node;            // of sums its distance, or who: see
                                // slice_is_weak()
      uint32_t next;            // and 1
      uint32_t at;              // of the port's bytes: for their order; of
                                // sums how many want control
      uint8_t  mask;
      uint8_t  port, reg;
      bool     weak : 1;        // see slice_back.c
      bool     limited : 1;     // the node is
   }
   Want;

typedef
   struct {
      uint32_t node, writer;
      uint32_t at;
      uint8_t  port, reg;
      bool     weak;
   }
   Edge;

typedef
   struct Live {
      struct Live* outer;       // of what was interrupted
      uint64_t     granules[2]; // which have wants
      uint32_t     heads[N_GRANULES];   // Want, and 1
   }
   Live;

/* Of sums, an instance that a weak one may lead to a result of the program
   over; or several that want the same. */
typedef
   struct {
      uint32_t instr;           // DCFG_NONE: several
      uint32_t users;           // WeakUser, and 1
      uint32_t refs;            // wants and users that name it
      uint32_t distance;
      uint64_t n_asked;         // instances that asked for its control
      uint8_t  hops;            // from a branch, at least
      uint8_t  to_go;           // to a result, as far as is known
      bool     counted;         // it is part of the slice
   }
   WeakNode;

typedef
   struct {
      uint32_t node;            // WeakNode, and 1
      uint32_t next;            // and 1
   }
   WeakUser;

typedef
   struct {
      Array    nodes;           // WeakNode
      Array    users;           // WeakUser
      uint32_t free_node, free_user;
   }
   WeakNodes;

/* Who wanted weakly what the instance in work wrote, or its control. */
typedef
   struct {
      uint32_t first;           // WeakUser, and 1
      uint64_t n_asked;
      bool     any;
   }
   WeakUsers;

/* Instances of the same class, whose control is the same, as in INSTR. */
typedef
   struct {
      uint64_t group;
      uint32_t instr;
      uint32_t wants;           // Want, and 1
      uint32_t next;            // and 1
      bool     weak;
   }
   Request;

typedef
   struct {
      Live*    live;
      uint32_t written;         // Want: of what the kernel wrote
      Array    reads;           // DcfgSliceReading
   }
   LiveThread;

/*------------------------------------------------------------*/
/*--- A slicer                                             ---*/
/*------------------------------------------------------------*/

enum { STATE_LOOKING, STATE_RUNNING, STATE_FOUND };

/* How far a branch may be from the result of a call-back: see slice_back.c. */
#define MAX_HOPS 4

/* Of a node. */
typedef
   struct {
      bool    real;             // else it has to lead to the program
      bool    weak;             // it is, and was not real before
      bool    limited;          // a criterion of which a part is asked
      bool    cut;              // nothing is followed from it
      bool    near;             // only criteria have used it
      uint8_t hops;             // of one that is not real
   }
   NodeState;

typedef
   struct {
      Job*       job;           // not the trace's: that is the reader's
      DcfgWet*   w;
      WetAhead*  ahead;         // who reads its tape, so that nothing is left
                                // of it here but its tables
      const DcfgSliceQuery* q;
      DcfgSlice* result;
      bool       sums;          // no nodes but criteria: see slice_sums.c
      SbInfo*    sbs;
      StoreSlot* stores;
      uint8_t*   kinds;         // by place: of the instruction
      InstrInfo* infos;         // by instruction
      uint64_t*  runs;          // by place: how often that was the last one
                                // of a record, so far
      uint32_t*  occurs;        // by instruction: the first of those of it,
                                // and behind the last one that of all
      uint32_t*  occurrences;   // a place
      uint32_t*  sb_of;         // of which superblock
      Array      index;         // WetChunkInfo
      WetSteps   steps;         // of the part in work
      /* slice_acts.c */
      Array      acts;          // Act; 0 is none
      uint32_t   free_act;
      Array      made;          // uint32_t: in this chunk, when it is read
      bool       again;         // for the second time
      Array      snapshots;     // Snapshot: by chunk, and of the end
      bool       plain;         // none of this is needed: no control, no
                                // handlers, and the top of x87's stack is 0
      bool       moved;         // it is not; see slice_open.c
      Position*  now;           // by thread
      uint32_t   n_handlers;
      Array      returned;      // bool: by handler
      Array      places;        // StepPlace: of those behind which a thread
                                // may be elsewhere than before
      WetGraph   graph;
      /* slice_callbacks.c */
      bool*      calls_back;    // by instruction; NULL: it is not asked for
      /* slice_graph.c */
      GraphNode* nodes;
      uint32_t*  successors;
      uint64_t*  groups;
      /* slice_live.c */
      Array      wants;         // Want
      uint32_t   free_want;
      uint32_t   n_wanted;
      NumberMap  memory;        // by address / 8, and 1: Want, and 1
      LiveThread* threads;
      Array      requests;      // Request
      uint32_t   free_request;
      /* slice_weak.c */
      WeakNodes  weak;
      /* slice_back.c */
      Array      found;         // DcfgSliceNode
      Array      states;        // NodeState
      Array      edges;         // Edge
      Array      values;        // uint8_t
      Array      readings;      // DcfgSliceReading
      Array      criteria;      // uint32_t
      uint64_t   n_met;         // of these, with those that are not kept
      Array      inputs;        // DcfgSliceInput
      Array      deferred;      // Want: see take_written()
      uint32_t   reading;       // thread, for which marks of what the kernel
                                // read come right before, or DCFG_NONE
      int        state;
      uint32_t   run_act;
      /* The instance in work: */
      const WetStep*   step;
      const StepPlace* where;
      uint32_t   place;         // in the superblock
      uint32_t   instr;
      uint32_t   act;
      uint32_t   thread;
      uint32_t   top;
      uint64_t   order;
      uint32_t   me;            // its node, or DCFG_NONE; of sums 0
      uint32_t   distance;      // if that is not none, and
      uint32_t   weak_distance; // over those that want it weakly, and
      NodeState  my;
      WeakUsers  my_users;      // of sums, and
      uint32_t   my_weak;       // WeakNode, and 1
   }
   Slicer;

/* Code that called others' call-backs: to be asked for, when an activation
   begins with FIRST, and at the end of the first pass. */
void slice_note_callback(Slicer* z, uint32_t act, uint32_t first);
void slice_spread_callbacks(Slicer* z);

static inline bool slice_calls_back(const Slicer* z, uint32_t i)
{
   return z->calls_back != NULL && z->calls_back[i];
}

static inline bool slice_follows_control(const Slicer* z, uint32_t i)
{
   return !z->q->no_control
          && (z->q->no_control_of == NULL || !z->q->no_control_of[i]
              || slice_calls_back(z, i));
}

/* Activations: all chunks, forward, with snapshots and the graph; and a chunk
   again, which stays in .steps and .places.  Behind it, what belongs to
   chunks before. */
bool slice_scan(Slicer* z);
bool slice_place_chunk(Slicer* z, uint32_t chunk);
void slice_leave_chunk(Slicer* z);
void slice_free_acts(Slicer* z);

/* The accesses of the instruction at AT, in step R: their addresses. */
static inline const uint64_t* slice_slots(const Slicer* z, const WetStep* r,
                                          const Place* at, uint32_t* n)
{
   uint32_t made = r->n_slots;

   *n = made >= (uint32_t)at->slot + at->n_slots ? at->n_slots
        : made > at->slot ? made - at->slot : 0;
   return z->steps.addrs + r->first + at->slot;
}

/* Does I depend on branch B? */
bool slice_graph_index(Slicer* z);
bool slice_depends(const Slicer* z, uint32_t i, uint32_t b);
void slice_free_graph(Slicer* z);

/* Wants. */
bool slice_start_live(Slicer* z);
void slice_free_live(Slicer* z);
Live* slice_registers(Slicer* z, uint32_t thread);
bool slice_want_memory(Slicer* z, uint64_t addr, uint64_t size, Want want);

/* Of sums: is all that B is for said by A, too? */
static inline bool slice_covers(const Want* a, const Want* b)
{
   return (b->mask & ~a->mask) == 0 && a->node <= b->node && !a->limited;
}

/* WANT comes to the list at HEAD. */
bool slice_put_want(Slicer* z, uint32_t* head, Want want);

/* The same, at once where it is the only one, or of sums said already. */
static inline bool slice_add_want(Slicer* z, uint32_t* head, Want want)
{
   uint32_t id = *head != 0 ? *head : z->free_want;
   Want*    first;

   if (id == 0 || want.weak)
      return slice_put_want(z, head, want);
   first = &ELEM(z->wants, Want, id - 1);
   if (*head != 0)
      return (z->sums && !first->weak && slice_covers(first, &want))
             || slice_put_want(z, head, want);
   z->free_want = first->next;
   *first       = want;
   first->next  = 0;
   *head        = id;
   z->n_wanted++;
   return true;
}

static inline bool slice_want_register(Slicer* z, Live* l, unsigned g,
                                       Want want)
{
   l->granules[g / 64] |= UINT64_C(1) << g % 64;
   return slice_add_want(z, &l->heads[g], want);
}

/* Is any of these bytes' granules wanted? */
static inline bool slice_has_memory(const Slicer* z, uint64_t addr,
                                    uint64_t size)
{
   const NumberMap* m = &z->memory;

   if (m->n == 0 || size == 0)
      return false;
   for (uint64_t g = addr / 8; g <= (addr + size - 1) / 8; g++)
      if (m->keys[map_find(m, g + 1)] != 0)
         return true;
   return false;
}

/* Who wanted these bytes has them from TO, which are TAKE's; or nobody. */
typedef bool (*TakeWant)(Slicer* z, const Want* want, uint8_t mask);
bool slice_take_wanted(Slicer* z, Live* l, unsigned g, uint8_t mask,
                       TakeWant take);

static inline bool slice_take_register(Slicer* z, Live* l, unsigned g,
                                       uint8_t mask, TakeWant take)
{
   return l->heads[g] == 0 || slice_take_wanted(z, l, g, mask, take);
}

bool slice_take_memory(Slicer* z, uint64_t addr, uint64_t size,
                       TakeWant take);
bool slice_take_all(Slicer* z, uint32_t* head, TakeWant take);
bool slice_move_memory(Slicer* z, uint64_t to, uint64_t from, uint64_t size);

/* CREATED, HANDLER and RETURN marks, from behind. */
bool slice_before_thread(Slicer* z, uint32_t thread, uint32_t made,
                         uint64_t stack);
bool slice_before_return(Slicer* z, uint32_t thread);
bool slice_before_handler(Slicer* z, uint32_t thread, bool returned);

/* The instance in work: its place; a granule, which may be counted from the top
   of x87's stack; how many instances the instruction had before; where an
   access was made, or 0. */
static inline const Place* slice_place(const Slicer* z)
{
   return &z->w->places[z->sbs[z->step->sb].first + z->place];
}

static inline unsigned slice_granule(const Slicer* z, unsigned g)
{
   return g < G_STACK ? g : G_X87 + ((g - G_STACK + z->top) & 7);
}

uint64_t slice_instance(const Slicer* z, uint32_t i);
uint64_t slice_address(const Slicer* z, const Place* at, uint32_t access);

/* It is a node, which is kept; all is known of it; an edge of what WANT is of; it
   wrote MASK of those bytes. */
bool slice_need_node(Slicer* z);
bool slice_add_node(Slicer* z);
bool slice_close_node(Slicer* z);
bool slice_add_edge(Slicer* z, const Want* want, uint32_t writer, uint32_t at);
bool slice_take(Slicer* z, const Want* want, uint8_t mask);

/* What its node wants: to be filled in. */
static inline Want slice_want(const Slicer* z)
{
   return (Want){ .node = z->sums ? z->distance : z->me,
                  .limited = z->my.limited };
}

/* Sums: nothing has been found; an instance counts; may WANT be left out of the
   list at HEAD, of which one may have taken its place? */
void slice_forget_sums(Slicer* z);
void slice_count(Slicer* z, uint32_t instr, uint32_t distance);
bool slice_is_needless(Slicer* z, uint32_t head, const Want* want);

/* Of sums, does WANT name a WeakNode? */
static inline bool slice_is_weak(const Want* want)
{
   return want->weak && want->port != DCFG_WET_CONTROL;
}

/* Of who wants weakly: the distance, and how far what meets it is from a
   branch. */
uint32_t slice_weak_distance(const Slicer* z, const Want* want);
uint8_t slice_weak_hops(const Slicer* z, const Want* want);

/* The node in work meets WANT, a weak one; all is known of it; as a result of
   the program it meets WANT. */
bool slice_take_weak(Slicer* z, const Want* want);
bool slice_close_weak(Slicer* z);
void slice_reach_weak(Slicer* z, const Want* want);

/* WANT comes to the list at HEAD, if it has not been joined to one there; it is
   there no more. */
bool slice_add_weak(Slicer* z, uint32_t head, const Want* want, bool* joined);
void slice_release_weak(Slicer* z, uint32_t node);

/* There is no want any more. */
void slice_forget_weak(Slicer* z);
void slice_free_weak(Slicer* z);

/* Its node wants what it used.  Requests of ACT that wait for branch BRANCH, or
   all if that is none, are BY's. */
bool slice_want_uses(Slicer* z);
bool slice_answer(Slicer* z, uint32_t act, uint32_t branch, TakeWant by);

/* Backward; the nodes from the last to the first. */
bool slice_backward(Slicer* z);

/* W is FIRST once more: how many instances there were before its begin. */
static inline bool slice_same_trace(Job* job, DcfgWet* w,
                                    const DcfgWet* first)
{
   if (w->instrs.n != first->instrs.n)
      return job_fail(job, DCFG_ERROR_FILE, NULL,
                      "it has changed while it was read");
   memcpy(w->instances, first->instances,
          w->instrs.n * sizeof(*w->instances));
   return true;
}

/* W once more, at its begin, and a job for what is to be done with it; NULL with
   *ERR set if that cannot be. */
DcfgWet* slice_reopen(DcfgWet* w, Job* job, DcfgError* err);

/* Make what was found the result, in place of what that was.  False if there is
   no memory. */
bool slice_hand_over(Slicer* z);

/* Nodes and edges to the result. */
bool slice_assemble(Slicer* z);

/* Forward from what is in the result, criteria only. */
bool slice_forward(Slicer* z);

#endif /* DCFG_LIB_SLICE_H */
