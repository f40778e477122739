/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The declarations that the readers of a whole execution trace share. */

#ifndef DCFG_LIB_WET_H
#define DCFG_LIB_WET_H

#include "lib/dcfg_wet.h"
#include "lib/base/input.h"
#include "lib/base/job.h"
#include "lib/base/number_map.h"
#include "lib/wet/wet_bytes.h"
#include "lib/wet/wet_machine.h"
#include "format/wet_code.h"
#include "format/wet_history.h"
#include "format/wet_records.h"

/* docs/dev/wet-file.md tells the layout of the file. */

/*--- Tables                                               ---*/

/* Parts of ranges, accesses, places are given by the first one and how many
   there are. */
typedef
   struct {
      uint32_t first, n;
   }
   Span;

typedef
   struct {
      uint16_t first, n;        // locations
   }
   LocRange;

typedef
   struct {
      uint16_t place;           // its number in the superblock
      uint16_t size;
      uint16_t same;
      uint8_t  what;
      uint16_t from;            // FROM_...
      uint64_t addr;            // the constant or distance
   }
   WetAccess;

/* WetAccess.from: how the address of a superblock's access is found.  It is on
   the tape, or there as a distance from the last address made from RSP.  Or it
   is constant, or at a distance from access .from - WhereSlot. */

typedef
   struct {
      uint64_t addr;
      uint32_t image;
      uint32_t code;            // in .code
      uint8_t  len;
      uint8_t  kind;
      uint8_t  flags;
   }
   WetInstr;

typedef
   struct {
      uint16_t place;           // number of the instruction that takes it
      uint16_t n_slots, n_segments;
   }
   WetExit;

/* Words between two exits of a superblock, and their rows of the block in
   work. */
typedef
   struct {
      uint32_t word;            // the first one, from 0
      uint32_t n_words;
      uint32_t columns;         // the first in .columns
      uint32_t chunk;           // to which these belong
      uint32_t n_rows;
      uint32_t at;              // in the block's words: the next row
   }
   WetSegment;

/* Column: a word of a superblock: the last one, and the step that most made. */
typedef
   struct {
      uint64_t last, step;
   }
   Column;

typedef
   struct {
      Span     instrs;          // in .sb_instrs
      Span     exits;           // in .exits
      Span     slots;           // in .accesses
      uint32_t rules;           // the first of theirs in .rules
      uint32_t ways;            // those of its exits, and its end: the first
      uint32_t n_words;         // words on the tape
      Span     segments;        // in .segments
      bool     tops;            // some slot is a top of x87's stack
      bool     moves_top;       // some instruction may move it
   }
   WetSb;

/* WetWay: how a superblock was left, by an exit or at its end. */
typedef
   struct {
      uint32_t sb;
      uint32_t segments;        // the first in .segments
      uint32_t rules;           // in .rules
      uint32_t last;            // instruction
      uint32_t place;           // where that is in .sb_instrs
      uint16_t n_instrs;
      uint16_t n_slots;         // slots that were filled
      uint8_t  n_segments;
      uint8_t  kind;            // kind of the last instruction
      bool     stack;           // some slots were made from RSP
      bool     tops;            // and one of the superblock's is a top
      bool     easy;            // no activation begins or ends, nor is x87's
                                // stack moved
   }
   WetWay;

/* WetWay.kept, if no slots are wanted: a way's records are all left out, all
   kept, or only the last one before a kept record. */
enum { KEPT_NONE, KEPT_LAST, KEPT_ALL };

/* Stop: how far a superblock came that was left within. */
typedef
   struct {
      uint32_t sb;
      uint32_t n_instrs;        // completed instructions
      uint32_t n_slots, n_segments;
      uint32_t n_words;         // behind its segments
   }
   Stop;

/* A record: an execution of a superblock, or a mark. */
typedef
   struct {
      uint32_t sb;              // 0: a mark
      union {
         uint32_t way;          // or DCFG_NONE: it was left within
         uint32_t mark;         // DcfgWetKind; turns of threads are taken
      };
      uint32_t thread;
      uint32_t first;           // in .addrs: its slots, or a mark's words
      uint16_t n_instrs;        // completed instructions
      uint16_t n_slots;         // slots that were filled; for a mark 3
   }
   WetStep;

/* Records, decoded.  All zero: none yet.  Where all slots are wanted .turns are
   those that are not easy, and those behind marks and turns of threads. */
typedef
   struct {
      WetStep*  steps;
      uint32_t* turns;
      size_t    n_steps, max_steps;
      size_t    n_turns, max_turns;
      uint64_t* addrs;
      size_t    n_addrs, max_addrs;
      bool      odd_tops;       // for SLOTS_OF_ALL: some top of x87's stack is
                                // not 0
   }
   WetSteps;

static inline void wet_forget_steps(WetSteps* s)
{
   s->n_steps = s->n_turns = s->n_addrs = 0;
   s->odd_tops = false;
}

/* The next bit of a part. */
typedef
   struct {
      Bytes    bytes;
      unsigned bit;
   }
   Bits;

/* How a slot of a superblock is found: SLOTS[BASE] + WORDS[WORD] + ADDR.  Slot
   -1 is the last address that was made from RSP before it, -2 and word 0 are
   0; what is on the tape are words from 1 on. */
typedef
   struct {
      int16_t  base;
      uint16_t word;
      int16_t  stack;           // the last slot up to here made from RSP, or -1
      uint64_t addr;
   }
   SlotRule;

/* No block has more records or words, together. */
#define MAX_BLOCK WET_BLOCK_WORDS

/* No record has more accesses. */
#define MAX_ACCESSES 4096

/* WetWanted: the records whose slots are wanted.

   SLOTS_OF_NONE: only records of some ways are there.  Records that are no way,
   with which a block ends, are there, too.

   SLOTS_OF_TRANSFERS: the slots of records that may begin or end activations.
   Only some other records are there.  An easy record is left out if it came the
   same way as when it was told last.  Records behind such ones have a step
   before them, without instructions, for the last one left out. */
typedef
   enum { SLOTS_OF_NONE, SLOTS_OF_TRANSFERS, SLOTS_OF_ALL }
   WetWanted;

/* In a block, what is no way: a mark, or a superblock that was left within.
   What they are is in .extra. */
#define NO_WAY_MARK DCFG_NONE
#define NO_WAY_STOP (DCFG_NONE - 1)

/* The block in work. */
typedef
   struct {
      uint32_t ways[MAX_BLOCK];
      uint64_t extra[MAX_BLOCK];      // marks, with their words; what was left
                                      // within a superblock
      uint64_t words[1 + MAX_BLOCK];  // rows of segments, from 1 on
      uint32_t segments[MAX_BLOCK];   // those, in .segments
      uint64_t steps[2][MAX_BLOCK];   // steps of two columns
      uint32_t met[MAX_BLOCK];        // ways that are yet to be counted
      uint32_t n_ways, n_extra, n_words, n_segments, n_met;
      uint32_t n_slots;               // slots of all ways
      uint32_t at;                    // the next one in .extra
   }
   Block;

/* The chunk in work: its parts. */
typedef
   struct {
      uint8_t* data;
      size_t   size, room;
      uint32_t number;          // from 1 up
      uint32_t n_records;       // records still to come
      uint64_t n_instrs;        // so far
      bool     odd_marks;       // likewise: one of a handler, or of x87's top
      Bytes    control, numbers;
      Bits     bits;
      WetWanted wanted;
      uint32_t thread;
      uint32_t last_thread;     // the greatest number of one that ran so far
      uint32_t history;
      uint64_t next[N_HISTORIES];   // by history: what is foretold, a way and 1, or
                                // 0; above that what it adds to the history
      uint64_t other[N_HISTORIES];  // and the other one
      uint64_t stack;           // the last address that was made from RSP
      uint64_t slots[2 + MAX_ACCESSES];   // slots of one record, from -2 on
      uint64_t words[1 + MAX_ACCESSES];   // if they are not in one segment
      Block    block;
   }
   Chunk;

/*--- Plans                                                ---*/

/* They are kept in granules of 8 bytes; flags have one each.  Those from
   G_STACK on are other names of those from G_X87 on. */
enum {
   G_FLAGS     = 32,
   G_VECTOR    = 36,
   G_X87       = 100,
   G_STACK     = 108,
   N_GRANULES  = 108
};

/* Bytes of a granule that are used, of a port that begins here if NEW. */
typedef
   struct {
      uint8_t granule, mask;
      uint8_t port;             // DcfgWetPortKind
      uint8_t reg;
      bool    new;
   }
   Use;

typedef
   struct {
      uint8_t granule, mask;
   }
   Def;

/* Plan: an instruction's data that each instance needs, in a line of the
   cache. */
typedef
   struct {
      uint64_t addr;
      uint32_t image;
      uint32_t uses, defs;      // the first in .uses and .defs
      uint32_t accesses;        // in .accesses
      uint16_t n_uses, n_defs, n_accesses;
      uint16_t n_ports;         // with control
      uint32_t n_deps;          // at most
      uint8_t  kind;
      uint8_t  top;             // added to the top of x87's stack
      bool     top_zero;        // instead: it is set to 0
      bool     goes_back;       // a jump to where setjmp() was called
      bool     moves_top;       // so, or as the tape says
   }
   Plan;

/* An instruction of a superblock. */
typedef
   struct {
      uint32_t instr;
      uint16_t slot, n_slots;   // its accesses on the tape
      uint16_t n_values;        // parts of its value
      uint16_t nth;             // how often it is in the superblock before
      bool     plain;           // they are the instruction's, one by one
      bool     top;             // behind accesses, that of x87's stack
      bool     stack;           // behind all others, the stack pointer
   }
   InstrPlan;

/* Point: an instruction of a superblock at which control dependence may
   change. */
typedef
   struct {
      uint32_t instr;
      uint32_t ipdom;           // post-dominator of a branch, or DCFG_NONE
      uint16_t place, nth;
      uint8_t  kind;
   }
   Point;

/* May it begin or end activations? */
static inline bool is_transfer(uint8_t kind)
{
   return kind >= InsnIndirectJump && kind <= InsnReturn;
}

/* Is A, of a superblock, on the tape? */
static inline bool wet_is_word(const WetAccess* a)
{
   return a->from <= WhereStack;
}

/* P becomes the plan of IN, which uses and defines the bytes of USES and DEFS,
   of LocRange. */
bool wet_make_plan(DcfgWet* w, const WetInstr* in, const Array* uses,
                   const Array* defs, Span accesses, Plan* p);

/* The places of all superblocks, and their ways. */
bool wet_make_places(DcfgWet* w);

/* May SLOT be access A of its instruction?  In a superblock VEX may know the
   condition of one that is perhaps made, and then it is made, or not there. */
static inline bool is_slot_of(const WetAccess* slot, const WetAccess* a)
{
   return slot->size == a->size
          && ((slot->what ^ a->what) & ~(unsigned)AccessGuarded) == 0;
}

/* Is access J of those from FIRST on an operand that is read?  What is read
   again at the same address is the same one. */
static inline bool is_operand(const WetAccess* first, uint32_t j)
{
   return (first[j].what & AccessLoad)
          && !(first[j].same > 0
               && (first[first[j].same - 1].what & AccessLoad));
}

/*--- A trace                                              ---*/

typedef struct WetWriters WetWriters;
typedef struct WetImages WetImages;
typedef struct WetControl WetControl;
typedef struct WetEffects WetEffects;

struct DcfgWet {
   Job         job;
   struct DcfgWet* lender;      // whose tables W reads by; NULL: its own
   Input*      in;
   char*       path;            // to read it again; NULL: memory
   const void* memory;
   size_t      memory_size;
   int         unpacked;        // the file without its compression, or -1
   DcfgOptions options;
   WetImages*  images;
   Array       instrs;          // WetInstr
   Array       sbs;             // WetSb, from id 1 on
   Array       code;            // uint8_t
   Array       accesses;        // WetAccess
   Array       rules;           // SlotRule
   Array       sb_instrs;       // uint32_t
   Array       exits;           // WetExit
   Array       segments;        // WetSegment
   Column*     columns;
   uint32_t    n_columns;
   Array       threads;         // uint64_t
   Array       ran;             // uint64_t, by instruction: executions, if not
                                // all of the tape was kept
   Array       unexecuted;      // WetInstr: without flags
   Array       uses;            // Use
   Array       defs;            // Def
   Array       points;          // Point
   Span*       points_of;       // in .points, by superblock
   bool*       is_point;        // by place, as .sb_instrs
   WetWay*     ways;            // by superblock's .ways and exit
   size_t      n_ways;
   uint32_t*   way_counts;      // by way: records of the block in work
   uint32_t*   way_before;      // by way, where transfers are wanted: the easy
                                // way before it when it was told last, and 1
   uint8_t*    way_kept;        // by way, where no slots are wanted: KEPT_...;
                                // NULL: none is kept
   bool*       way_skipped;     // by way: nothing of it is told; NULL: all is
   uint64_t*   runs;            // by place, as .sb_instrs: how often that was
                                // the last one of a record is added; or NULL
   Array       known_chunks;    // WetChunkInfo: see wet_remember()
   uint64_t*   known_runs;      // or NULL: nothing is known
   const WetMachine* machine;
   Plan*       plans;           // by instruction
   uint64_t*   instances;       // likewise: so far
   bool        ended_early;     // the recorder lost the end
   uint64_t    most_before;     // the most of any before the first record
   InstrPlan*      places;          // as .sb_instrs
   uint64_t    offset;          // bytes of the file that were read
   uint64_t    tape;            // begin of the tape
   uint64_t    tape_left;       // bytes
   uint64_t    file_size;       // bytes, without compression
   bool        end_found;       // the sections behind the tape have been read
   uint8_t*    value;           // memory for one instance's value
   Chunk*      chunk;
   WetWriters* writers;
   WetEffects* effects;
   bool*       told_instrs;     // by instruction; NULL: all are told
   uint32_t    told_thread;     // DCFG_NONE: of any thread
   uint64_t    told_from, told_to;      // at these times
   uint64_t    time;            // instructions that have been executed
   WetControl* control;         // or NULL
   const struct WetNamer* namer;        // or NULL: see wet_names.h
   WetSteps    steps;           // in work
   size_t      next_step;
   WetStep     record;          // the one in work
   uint32_t    place;           // in it: what comes next
   const uint64_t* addrs;       // its slots
   uint64_t*   kept;            // addresses of a system call: see wet_events.c
   bool        begun;
   bool        held, ended;     // .record was read ahead, or there is none
   Array       reads;           // Reading: of the last system call
   uint32_t    n_told;          // those that were told
   DcfgWetInstr told;           // by dcfg_wet_instr()
   struct WetIndex* index;      // or NULL: see lib/index/wet_index.h; and who
   void (*close_index)(struct WetIndex* ix);    // closes it
};

/* An iteration that is none, for the count was 0, and defines nothing: it has
   made no access. */
static inline bool wet_is_no_iteration(const Plan* p, uint32_t n_made)
{
   return p->kind == InsnRep && n_made == 0;
}

/* Is the file there, and not one that can be read only once? */
bool wet_can_reread(const DcfgWet* w);

/* From now on it can be read again in any order, compressed or not. */
bool wet_unpack(DcfgWet* w);

/* Have IX for W's index from now on, in place of one that it had; CLOSE closes
   it.  NULL: W has none. */
void wet_set_index(DcfgWet* w, struct WetIndex* ix,
                   void (*close_index)(struct WetIndex* ix));

/* The same trace at its begin. */
DcfgWet* wet_open_again(DcfgWet* w, DcfgError* err);

/* The tables, up to the tape, and the plans. */
bool wet_load(DcfgWet* w);

/* N more bytes of the file, all of them. */
bool wet_read(DcfgWet* w, void* to, size_t n);

/* How each superblock may be left, from the tables; the next block's control,
   for wet_tape.c; how far superblock SB came of which N instructions were
   completed. */
bool wet_make_ways(DcfgWet* w);
bool wet_read_control(DcfgWet* w);
Stop wet_find_stop(const DcfgWet* w, uint32_t sb, uint32_t n);

/* The next chunk; false at the end, too.  The next block of it, which has
   more while .n_records is not 0, to TO, behind what is there.  In a chunk, of
   no block slots are wanted, or of all. */
bool wet_next_chunk(DcfgWet* w);
bool wet_read_block(DcfgWet* w, WetWanted wanted, WetSteps* to);

/* The next block of any, in place of what was in TO; not empty. */
bool wet_next_block(DcfgWet* w, WetWanted wanted, WetSteps* to);

void wet_free_steps(DcfgWet* w, WetSteps* s);

/* No superblock has more instructions. */
#define MAX_SB_INSTRS 1024

/* Read the next columns of the chunk's parts, to the N rows of segment S, which
   begin at TO. */
void wet_read_columns(DcfgWet* w, const WetSegment* s, uint64_t* to,
                      uint32_t n);

/* E is what the record says, a mark. */
static inline void wet_take_mark(const DcfgWet* w, DcfgWetEvent* e)
{
   e->kind   = (DcfgWetKind)w->record.mark;
   e->thread = w->record.thread;
   e->addr   = w->addrs[0];
   e->size   = w->addrs[1];
   e->from   = w->addrs[2];
}

/* The accesses that the instruction at AT made in this record, to E. */
static inline void wet_find_accesses(const DcfgWet* w, const InstrPlan* at,
                                     DcfgWetEvent* e)
{
   uint32_t n = w->record.n_slots;

   e->accesses   = w->addrs + at->slot;
   e->n_accesses = n >= (uint32_t)at->slot + at->n_slots ? at->n_slots
                   : n > at->slot ? n - at->slot : 0;
}

/* And the value that it computed. */
void wet_find_value(DcfgWet* w, const InstrPlan* at, DcfgWetEvent* e);

/* The first slot of that. */
static inline uint32_t wet_value_slot(const InstrPlan* at)
{
   return (uint32_t)at->slot + at->n_slots + at->top;
}

static inline uint64_t wet_stack_pointer(const DcfgWet* w, const InstrPlan* at)
{
   uint32_t slot = wet_value_slot(at) + at->n_values;

   return at->stack && slot < w->record.n_slots ? w->addrs[slot] : 0;
}

/* Return the top of x87's stack behind the instruction at AT, if it is at TOP
   before.  SLOTS are the slots of the record. */
static inline uint32_t wet_move_top(uint32_t top, const Plan* p,
                                    const InstrPlan* at, uint32_t n_slots,
                                    const uint64_t* slots)
{
   uint32_t slot = (uint32_t)at->slot + at->n_slots;

   if (at->top && slot < n_slots)
      return slots[slot] & 7;
   return p->top_zero ? 0 : (top + p->top) & 7;
}

/*--- Images                                               ---*/

bool wet_get_sources(DcfgWet* w, Bytes* b);
bool wet_get_images(DcfgWet* w, Bytes* b);
void wet_free_images(DcfgWet* w);

/* Return the address where the function begins that has ADDR; UINT64_MAX if it
   is not known. */
uint64_t wet_function_at(const DcfgWet* w, uint32_t image, uint64_t addr);

/*--- Data                                                 ---*/

/* An instance: the instruction's number and one, above the instance's.  0:
   nothing that was executed. */
typedef uint64_t Writer;
#define INSTANCE_BITS 40
#define MAX_INSTRS    ((1u << 23) - 2)

static inline Writer writer_of(uint32_t instr, uint64_t instance)
{
   return (uint64_t)(instr + 1) << INSTANCE_BITS
          | (instance & ((UINT64_C(1) << INSTANCE_BITS) - 1));
}

static inline DcfgWetDep instance_of(Writer writer)
{
   return (DcfgWetDep){ (uint32_t)(writer >> INSTANCE_BITS) - 1,
                        writer & ((UINT64_C(1) << INSTANCE_BITS) - 1) };
}

/* Who wrote what E uses, to E, where CONTROL let it run (0: nobody did); what
   it writes is its own from now on. */
bool wet_find_writers(DcfgWet* w, const InstrPlan* at, Writer control,
                      DcfgWetEvent* e);

/* The kernel read that memory for E, a system call that was made last.  Its
   last port has been begun. */
bool wet_add_read(DcfgWet* w, uint64_t addr, uint64_t size, DcfgWetEvent* e);

/* Note the changes that E makes, an event other than an instruction. */
bool wet_note_mark(DcfgWet* w, const DcfgWetEvent* e);

/* The record is MarkTop. */
bool wet_note_top(DcfgWet* w);

#endif /* DCFG_LIB_WET_H */
