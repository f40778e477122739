/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The code of a trace that is sliced. */

#ifndef DCFG_LIB_SLICE_CODE_H
#define DCFG_LIB_SLICE_CODE_H

#include "lib/dcfg_slice.h"
#include "lib/index/wet_index.h"
#include "lib/wet/wet_chunks.h"

/* SbInfo: a superblock, for the question whether the walk must look into it. */
typedef
   struct {
      uint64_t defs[2];         // as in WetSb, like the next three
      uint32_t first;           // index of its first place
      uint32_t stores, n_stores;
      bool     branches;        // has a branch that others may depend on
      bool     x87;             // moves the top of x87's stack
      bool     criterion;       // has an instruction of the criterion
   }
   SbInfo;

/* InstrInfo: an instruction, for the same question. */
typedef
   struct {
      uint64_t defs[2];
      bool     stores, branch;
      bool     criterion, syscall;
   }
   InstrInfo;

/* SliceCode: written by slice_code.c alone. */
typedef
   struct {
      Job*       job;           // the slice's; the trace's is its reader's
      DcfgWet*   w;
      const DcfgSliceQuery* q;
      SbInfo*    sbs;
      InstrInfo* infos;         // by instruction
      uint64_t*  runs;          // by place: records so far that ended there
      uint32_t*  occurs;        // by instruction: its first element of
                                // .occurrences; then the end of all
      uint32_t*  occurrences;   // a place
      uint32_t*  sb_of;         // by place: its superblock
      DcfgSlicePart* parts;     // the query's .parts, by instruction and instance

      /* The walk back counts .runs down.  Where it skips chunks, .runs are found
         anew when they are needed: those of a place are known if .known of it
         is the number of skips so far. */
      WetIndex*  index;
      uint32_t*  known;
      uint32_t   n_skips;
      uint32_t   chunk;         // the chunk behind the last skip
   }
   SliceCode;

/* Spot: an instance, and where it is.  Written by slice_back.c alone. */
typedef
   struct {
      const WetSteps* steps;    // steps of the present part
      const WetStep*  step;
      const InstrPlan*    at;
      const Array*    reads;    // DcfgSliceReading: of the thread's system call
      uint32_t place;           // index in the superblock
      uint32_t instr;
      uint32_t act;
      uint32_t thread;
      uint32_t top;             // top of x87's stack
      uint64_t order;           // order of the record's first instruction
   }
   Spot;

bool slice_code_start(SliceCode* c, Job* job, DcfgWet* w,
                      const DcfgSliceQuery* q);
void slice_code_free(SliceCode* c);

/* Return the first part of the criterion that is INSTANCE of instruction INSTR, or
   one behind it; C->parts + C->q->n_parts if there is none. */
const DcfgSlicePart* slice_code_part(const SliceCode* c, uint32_t instr,
                                     uint64_t instance);

/* Return whether the instance is one of the criterion's parts, if it has parts. */
static inline bool slice_code_is_part(const SliceCode* c, uint32_t instr,
                                      uint64_t instance)
{
   const DcfgSlicePart* p = c->q->n_parts == 0 ? NULL
                            : slice_code_part(c, instr, instance);

   return p == NULL || (p < c->parts + c->q->n_parts && p->instr == instr
                        && p->instance == instance);
}

/* Return the kind of the last instruction of record R. */
static inline uint8_t slice_code_kind(const SliceCode* c, const WetStep* r)
{
   if (r->way != DCFG_NONE)
      return c->w->ways[r->way].kind;
   return c->w->plans[c->w->places[c->sbs[r->sb].first + r->n_instrs - 1].instr]
          .kind;
}

/* Return the distance of a step: 2 where half steps count. */
static inline uint32_t slice_code_step(const SliceCode* c)
{
   return c->q->places != NULL ? 2 : 1;
}

/* Store how often each instruction was executed in TOTALS. */
void slice_code_count(const SliceCode* c, DcfgSliceTotal* totals);

/* Go to the end of the trace, which has IX, and note the branches.  Skip chunks: go
   to the end of CHUNK. */
bool slice_code_at_end(SliceCode* c, WetIndex* ix);
void slice_code_skip(SliceCode* c, uint32_t chunk);

/* Add to COUNTS, by chunk, how often instruction I was executed there. */
void slice_code_chunks(const SliceCode* c, WetIndex* ix, uint32_t i,
                       uint64_t* counts);

/* Find how many records ended at PLACE, up to the chunk behind the last
   skip. */
void slice_code_find_runs(const SliceCode* c, uint32_t place);

static inline uint64_t slice_code_runs(const SliceCode* c, uint32_t place)
{
   if (c->known[place] != c->n_skips)
      slice_code_find_runs(c, place);
   return c->runs[place];
}

/* Take back the count of a record of SB with N instructions. */
static inline void slice_code_unrun(SliceCode* c, const SbInfo* sb, uint32_t n)
{
   slice_code_runs(c, sb->first + n - 1);
   c->runs[sb->first + n - 1]--;
}

/* Return the number of instances of instruction I before SPOT.  Return the
   address of an access at SPOT; 0 if it was not made. */
uint64_t slice_code_instance(const SliceCode* c, const Spot* spot, uint32_t i);
uint64_t slice_code_address(const SliceCode* c, const Spot* spot,
                            uint32_t access);

/* Return the addresses of the accesses that the instruction at AT made in step
   R of S; *N is their number. */
static inline const uint64_t* slots_of(const WetSteps* s, const WetStep* r,
                                       const InstrPlan* at, uint32_t* n)
{
   uint32_t made = r->n_slots;

   *n = made >= (uint32_t)at->slot + at->n_slots ? at->n_slots
        : made > at->slot ? made - at->slot : 0;
   return s->addrs + r->first + at->slot;
}

/* Return the granule that G means; x87's may be counted from the top of the
   stack. */
static inline unsigned spot_granule(const Spot* spot, unsigned g)
{
   return g < G_STACK ? g : G_X87 + ((g - G_STACK + spot->top) & 7);
}

/* Return the plan of an instruction; return its accesses. */
static inline const Plan* plan_of(const SliceCode* c, uint32_t i)
{
   return &c->w->plans[i];
}

static inline const WetAccess* accesses_of(const SliceCode* c, uint32_t i)
{
   return &ELEM(c->w->accesses, WetAccess, c->w->plans[i].accesses);
}

/* Callbacks: written by slice_code.c alone. */
typedef
   struct {
      const DcfgWet*              w;
      const DcfgSliceQuery* q;
      bool*                 calls;      // by instruction; NULL: not needed
   }
   Callbacks;

bool callbacks_start(Callbacks* c, const SliceCode* code);
void callbacks_free(Callbacks* c);

/* Note an activation that begins with instruction FIRST.  CALL made it, or made
   one that is still active.  Return whether CALL's code called back; then ask
   for the caller of that, too. */
bool callbacks_note(Callbacks* c, uint32_t first, uint32_t call);

/* Take the noted instructions from BITS, a bit for each, and mark the whole
   functions that have one. */
void callbacks_take(Callbacks* c, const uint8_t* bits);

static inline bool calls_back(const Callbacks* c, uint32_t i)
{
   return c->calls != NULL && c->calls[i];
}

/* Return whether the slice follows control of instruction I. */
static inline bool follows_control(const Callbacks* c, uint32_t i)
{
   return !c->q->no_control
          && (c->q->no_control_of == NULL || !c->q->no_control_of[i]
              || calls_back(c, i));
}

/* LineState: an activation's present execution of the line, forward. */
typedef
   struct {
      uint32_t last;            // the line's instruction that ran last, + 1; 0:
                                // in no execution
      bool     wanted;          // the query asks for this execution
      uint64_t number;
   }
   LineState;

/* LineBack: the execution through which the walk goes backward. */
typedef
   struct {
      uint32_t next;            // the line's instruction that runs next
      bool     between;         // other lines' ran before that one
   }
   LineBack;

/* Executions: executions of the query's line that have begun so far.
   Written by slice_code.c alone. */
typedef
   struct {
      const SliceCode* code;
      uint64_t n;
      uint64_t end;             // .order of the last instance of the execution
                                // asked for; UINT64_MAX: it has none
      Array    all;             // Executed: if all executions are asked for
      bool*    begins;          // by instruction of the line: it always begins an
                                // execution, or never; or NULL
   }
   Executions;

/* Executed: an instance of the line, and its execution. */
typedef
   struct {
      uint64_t order, number;
   }
   Executed;

void executions_start(Executions* x, const SliceCode* code);
void executions_free(Executions* x);

/* Return whether Q asks which execution an instance belongs to. */
static inline bool executions_asked(const DcfgSliceQuery* q)
{
   return q->run && q->instance != DCFG_SLICE_LAST;
}

/* Return the execution of the instance with ORDER, which is one of the line. */
uint64_t executions_of(const Executions* x, uint64_t order);

/* Return whether control may go elsewhere behind I, and not come back; whether it
   goes back from FROM to TO.  Iterations of an instruction with a repeat prefix
   are one execution of it. */
bool line_leaves(const SliceCode* c, uint32_t i);
bool line_goes_back(const SliceCode* c, uint32_t from, uint32_t to);

/* Forward: note that an activation, in state S, executed instruction I.  Return
   false if memory is exhausted. */
bool executions_note(Executions* x, LineState* s, uint32_t i, uint64_t order);

/* Backward: return whether instruction I, which the activation executed before
   B, was before the execution began.  If not, I belongs to the line or ran
   between its instructions. */
bool executions_began(const SliceCode* code, LineBack* b, uint32_t i);

#endif /* DCFG_LIB_SLICE_CODE_H */
