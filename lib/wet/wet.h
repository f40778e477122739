/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The declarations that the readers of a whole execution trace share. */

#ifndef DCFG_LIB_WET_H
#define DCFG_LIB_WET_H

#include "lib/base/input.h"
#include "lib/base/job.h"
#include "lib/base/hash.h"
#include "lib/wet/wet_machine.h"
#include "lib/wet/wet_steps.h"
#include "lib/wet/wet_told.h"
#include "format/wet_code.h"
#include "format/wet_history.h"
#include "format/wet_records.h"

/* docs/dev/wet-file.md describes the file. */

/*--- Tables                                               ---*/

/* Span: elements of an array: the first one's index, and their number. */
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
      uint16_t place;           // index of the instruction in the superblock
      uint16_t size;
      uint16_t same;
      uint8_t  what;
      uint16_t from;            // for a slot without terms: see SlotRule
      uint64_t addr;            // constant address, or distance
   }
   WetAccess;

typedef
   struct {
      uint64_t addr;
      uint32_t image;
      uint32_t code;            // index in .code
      uint8_t  len;
      uint8_t  kind;
      uint8_t  flags;
   }
   WetInstr;

typedef
   struct {
      uint16_t place;           // index of the instruction that may leave
      uint16_t n_slots, n_segments, n_terms, n_tells;
   }
   WetExit;

/* WetSegment: the words between two exits of a superblock, and the rows of them
   in the present block of the tape. */
typedef
   struct {
      uint32_t word;            // the first one's number in the superblock
      uint32_t n_words;
      uint32_t columns;         // the first one's index in .columns
      uint32_t chunk;           // the chunk that the columns' values are from
      uint32_t n_rows;
      uint32_t at;              // next row, in the words of the block
   }
   WetSegment;

/* Column: the last value of a word, and the most frequent step. */
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
      Span     terms, tells;    // in .terms and .tells: see wet_terms.h
      uint32_t rules;           // first rule of its slots, in .rules
      uint32_t ways;            // first of its ways, in .ways: exits, then the
                                // end
      uint32_t n_words;         // words of a row
      Span     segments;        // in .segments
      bool     tops;            // a slot is a top of x87's stack
      bool     moves_top;       // an instruction may move that top
   }
   WetSb;

/* WetWay: how a superblock was left: by an exit, or at its end. */
typedef
   struct {
      uint32_t sb;
      uint32_t segments;        // the first one's index in .segments
      uint32_t rules;           // the first one's index in .rules
      uint32_t last;            // last instruction that ran
      uint32_t place;           // index of that one in .sb_instrs
      uint16_t n_instrs;
      uint16_t n_slots;         // slots that a record of this way has
      uint8_t  n_segments;
      uint8_t  kind;            // the last instruction's
      bool     stack;           // a slot is based on RSP
      bool     tops;            // and a slot of the superblock is a top
      bool     computes;        // a record has slots or terms
      bool     easy;            // no activation begins or ends, and x87's stack
                                // does not move
   }
   WetWay;

/* Stop: how far a superblock ran that was left between exits. */
typedef
   struct {
      uint32_t sb;
      uint32_t n_instrs;        // completed instructions
      uint32_t n_slots, n_segments;
      uint32_t n_words;         // words behind its full segments
   }
   Stop;

/* Bits: the rest of a part of a chunk, read bit by bit. */
typedef
   struct {
      Bytes    bytes;
      unsigned bit;
   }
   Bits;

/* The most records and words, together, that a block has. */
#define MAX_BLOCK WET_BLOCK_WORDS

/* The most accesses that a record has. */
#define MAX_ACCESSES 4096

/* WetWanted: which records a reader gets, and with which slots.

   SLOTS_OF_NONE: no records.  The reader only counts what ran.

   SLOTS_OF_TRANSFERS: records that may begin or end activations, with slots,
   and some easy ones.  An easy record is left out if the one before it in the
   block came the same way as when this way was told last.  A step without
   instructions stands for the last one left out. */
typedef
   enum { SLOTS_OF_NONE, SLOTS_OF_TRANSFERS, SLOTS_OF_ALL }
   WetWanted;

/* Numbers in Block.ways for a mark and for a superblock left between exits.
   Their data is in .extra. */
#define NO_WAY_MARK DCFG_NONE
#define NO_WAY_STOP (DCFG_NONE - 1)

/* Block: the present block of the tape. */
typedef
   struct {
      uint32_t ways[MAX_BLOCK];
      uint64_t extra[MAX_BLOCK];      // numbers of marks and stops
      uint64_t words[1 + MAX_BLOCK];  // rows of segments, from 1 on
      uint32_t segments[MAX_BLOCK];   // segments with rows, in .segments
      uint64_t steps[2][MAX_BLOCK];   // steps of two columns
      uint32_t met[MAX_BLOCK];        // ways not counted yet
      uint32_t n_ways, n_extra, n_words, n_segments, n_met;
      uint32_t n_slots;               // slots of all its records
      size_t   n_bytes;               // bytes of all its marks
      uint32_t at;                    // next element of .extra
   }
   Block;

/* Chunk: the present chunk, and its parts. */
typedef
   struct {
      uint8_t* data;
      size_t   size, room;
      uint32_t number;          // from 1
      uint32_t n_records;       // records still to be read
      uint64_t n_instrs;        // instructions so far
      bool     whole;           // its steps are kept together
      Bytes    control, numbers;
      Bits     bits;
      WetWanted wanted;
      uint32_t thread;
      uint32_t last_thread;     // the greatest number of a thread so far
      uint32_t history;
      uint64_t next[N_HISTORIES];   // by history: the way predicted first, + 1,
                                    // or 0; in the high half its hash
      uint64_t other[N_HISTORIES];  // the way predicted second
      uint64_t stack;           // last address based on RSP
      uint64_t slots[2 + MAX_ACCESSES];   // slots of one record, from -2 on
      uint64_t words[1 + MAX_ACCESSES];   // words of several segments
      uint64_t computed[1 + WET_REGISTERS + MAX_ACCESSES];   // see wet_terms.h
      Block    block;
   }
   Chunk;

/*--- Plans                                                ---*/

/* Granules: 8 bytes of registers each; each flag has one.  Numbers from G_STACK
   on mean the x87 granules from G_X87 on, counted from the top of the stack. */
enum {
   G_FLAGS     = 32,
   G_VECTOR    = 36,
   G_X87       = 100,
   G_STACK     = 108,
   N_GRANULES  = 108
};

/* Use: bytes of a granule that an instruction reads.  NEW: a port begins
   here. */
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

/* Plan: data of an instruction that each instance needs, in one line of the
   cache. */
typedef
   struct {
      uint64_t addr;
      uint32_t image;
      uint32_t uses, defs;      // the first one's index in .uses and .defs
      uint32_t accesses;        // the first one's index in .accesses
      uint16_t n_uses, n_defs, n_accesses;
      uint16_t n_ports;         // with the port of control
      uint32_t n_deps;          // at most
      uint8_t  kind;
      uint8_t  top;             // change of the top of x87's stack
      bool     top_zero;        // the top becomes 0 instead
      bool     goes_back;       // a jump to where setjmp() was called
      bool     moves_top;       // the top moves, as above or as the tape says
   }
   Plan;

/* InstrPlan: a place of an instruction in a superblock. */
typedef
   struct {
      uint32_t instr;
      uint16_t slot, n_slots;   // its accesses on the tape
      uint16_t n_values;        // slots of its value
      uint16_t nth;             // earlier places of the instruction there
      bool     plain;           // slots are the accesses, one to one
      bool     top;             // a slot behind them is x87's top
      bool     stack;           // the last slot is the stack pointer
   }
   InstrPlan;

/* Point: an instruction of a superblock where control dependence may change. */
typedef
   struct {
      uint32_t instr;
      uint32_t ipdom;           // a branch's post-dominator, or DCFG_NONE
      uint16_t place, nth;
      uint8_t  kind;
   }
   Point;

/* Return whether the kind of instruction may begin or end activations. */
static inline bool is_transfer(uint8_t kind)
{
   return kind >= InsnIndirectJump && kind <= InsnReturn;
}

/* Return whether the tape has a word for access A of a superblock. */
static inline bool wet_is_word(const WetAccess* a)
{
   return a->from <= WhereStack;
}

/* Make the plan P of IN from its USES and DEFS, arrays of LocRange. */
bool wet_make_plan(DcfgWet* w, const WetInstr* in, const Array* uses,
                   const Array* defs, Span accesses, Plan* p);

/* Make the places of all superblocks, and their ways. */
bool wet_make_places(DcfgWet* w);

/* Return whether SLOT may be access A of its instruction.  For an access that
   is made on a condition, VEX may know the condition in a superblock: then the
   slot is unconditional, or absent. */
static inline bool is_slot_of(const WetAccess* slot, const WetAccess* a)
{
   return slot->size == a->size
          && ((slot->what ^ a->what) & ~(unsigned)AccessGuarded) == 0;
}

/* Return whether access J, of those from FIRST on, is a new operand.  A second
   read of the same address is the same operand. */
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
typedef struct WetState WetState;
typedef struct WetMark WetMark;

struct DcfgWet {
   Job         job;
   struct DcfgWet* lender;      // trace whose tables W uses, or NULL
   Input*      in;
   char*       path;            // to read it again; NULL: it is in memory
   const void* memory;
   size_t      memory_size;
   int         unpacked;        // descriptor of the unpacked file, or -1
   DcfgOptions options;
   uint32_t    version;
   WetState*   state;           // NULL: of version 3
   WetImages*  images;
   Array       instrs;          // WetInstr
   Array       sbs;             // WetSb, from id 1 on
   Array       code;            // uint8_t
   Array       accesses;        // WetAccess
   Array       rules;           // SlotRule
   Array       terms, tells, sets, way_terms;       // see wet_terms.h
   Array       sb_instrs;       // uint32_t
   Array       exits;           // WetExit
   Array       segments;        // WetSegment
   Column*     columns;
   uint32_t    n_columns;
   Array       threads;         // uint64_t
   Array       ran;             // uint64_t, by instruction: executions, if only
                                // the last of the tape was kept
   Array       unexecuted;      // WetInstr, without flags
   Array       uses;            // Use
   Array       defs;            // Def
   Array       points;          // Point
   Span*       points_of;       // by superblock: in .points
   bool*       is_point;        // by index in .sb_instrs
   WetWay*     ways;            // by WetSb.ways and the exit's number
   size_t      n_ways;
   uint32_t*   way_counts;      // by way: records in the present block
   uint32_t*   way_before;      // by way, for SLOTS_OF_TRANSFERS: the easy way
                                // before it when it was told last, and 1
   bool*       way_skipped;     // by way: tell nothing of it; or NULL
   uint8_t*    way_taken;       // by way: see wet_taken.c
   uint64_t*   runs;            // by index in .sb_instrs: times that a record
                                // ended there; or NULL
   WetSteps    left_steps;      // the steps of the chunk at .left_offset,
   uint64_t    left_offset;     // or 0: see wet_leave_chunk()
   const WetMachine* machine;
   Plan*       plans;           // by instruction
   uint64_t*   instances;       // by instruction: so far
   bool        ended_early;     // the recorder lost the end
   uint64_t    most_before;     // the most instances before the first record
   uint64_t    before;          // and of all instructions together
   InstrPlan*      places;          // by index in .sb_instrs
   uint64_t    offset;          // bytes of the file read so far
   uint64_t    tape;            // offset of the tape
   uint64_t    tape_left;       // bytes
   uint64_t    file_size;       // bytes, uncompressed
   bool        end_found;       // the sections behind the tape were read
   uint8_t*    value;           // room for one instance's value
   Chunk*      chunk;
   WetWriters* writers;
   WetEffects* effects;
   bool*       told_instrs;     // by instruction: tell of it; NULL: of all
   uint32_t    told_thread;     // DCFG_NONE: tell of any thread
   uint64_t    told_from, told_to;      // times to tell of
   uint64_t    time;            // instructions executed so far
   WetControl* control;         // or NULL
   const struct WetNamer* namer;        // or NULL: see wet_names.h
   WetSteps    steps;           // present steps
   size_t      next_step;
   WetStep     record;          // the present one
   uint32_t    place;           // index of its next instruction
   const uint64_t* addrs;       // its slots
   uint64_t*   kept;            // a system call's addresses: see wet_events.c
   bool        begun;
   bool        held, ended;     // .record was read ahead; the tape has ended
   Array       reads;           // Reading: of the last system call
   uint32_t    n_told;          // readings that were told
   WetTold     told;            // told by dcfg_wet_instr()
   uint32_t    near_symbol, near_line;  // the last ones of an image that were
                                        // asked for
   WetMark*    mark;            // the last mark that was told
   bool*       own_loads;       // see dcfg_wet_tell_loads(); or NULL
   const bool* loads;           // they, of this trace or of its first reader
   unsigned    n_loads;         // how often they were told anew
   struct WetIndex* index;      // or NULL: see lib/index/wet_index.h
   void (*close_index)(struct WetIndex* ix);    // closes it
};

/* Return whether the instance is an iteration that a count of 0 prevented: it
   made no access and defines nothing. */
static inline bool wet_is_no_iteration(const Plan* p, uint32_t n_made)
{
   return p->kind == InsnRep && n_made == 0;
}

/* Return whether the file is there and can be read more than once. */
bool wet_can_reread(const DcfgWet* w);

/* Make the file readable in any order; unpack it if it is compressed. */
bool wet_unpack(DcfgWet* w);

/* Set W's index to IX, in place of an earlier one; CLOSE closes it.  IX may be
   NULL. */
void wet_set_index(DcfgWet* w, struct WetIndex* ix,
                   void (*close_index)(struct WetIndex* ix));

/* Open the same trace again, at its begin. */
DcfgWet* wet_open_again(DcfgWet* w, DcfgError* err);

/* Read the tables, up to the tape, and make the plans. */
bool wet_load(DcfgWet* w);

/* Read N bytes of the file; an error if there are fewer. */
bool wet_read(DcfgWet* w, void* to, size_t n);

/* Make the ways of all superblocks; read a block's control, for wet_tape.c;
   find how far superblock SB got if N instructions of it were completed. */
bool wet_make_ways(DcfgWet* w);
bool wet_read_control(DcfgWet* w);
Stop wet_find_stop(const DcfgWet* w, uint32_t sb, uint32_t n);

/* Go to the next chunk: false at the end, and on errors.  Read the chunk's next
   block, behind what TO has; there is one while .n_records is not 0.  All
   blocks of a chunk are read with SLOTS_OF_NONE, or all with SLOTS_OF_ALL. */
bool wet_next_chunk(DcfgWet* w);
bool wet_read_block(DcfgWet* w, WetWanted wanted, WetSteps* to);

/* Read the next block that is not empty, in place of what TO has. */
bool wet_next_block(DcfgWet* w, WetWanted wanted, WetSteps* to);

/* The most instructions that a superblock has. */
#define MAX_SB_INSTRS 1024

/* Read N rows of segment S from the chunk's parts, to TO. */
void wet_read_columns(DcfgWet* w, const WetSegment* s, uint64_t* to,
                      uint32_t n);

/* Fill in E from the present record, a mark. */
static inline void wet_take_mark(const DcfgWet* w, DcfgWetEvent* e)
{
   e->kind   = (DcfgWetKind)w->record.mark;
   e->thread = w->record.thread;
   e->addr   = w->addrs[0];
   e->size   = w->addrs[1];
   e->from   = w->addrs[2];
}

/* Give E the accesses that the instruction at AT made in this record. */
static inline void wet_find_accesses(const DcfgWet* w, const InstrPlan* at,
                                     DcfgWetEvent* e)
{
   uint32_t n = w->record.n_slots;

   e->accesses   = w->addrs + at->slot;
   e->n_accesses = n >= (uint32_t)at->slot + at->n_slots ? at->n_slots
                   : n > at->slot ? n - at->slot : 0;
}

/* Give E the value that the instruction computed. */
void wet_find_value(DcfgWet* w, const InstrPlan* at, DcfgWetEvent* e);

/* Return the first slot of the value. */
static inline uint32_t wet_value_slot(const InstrPlan* at)
{
   return (uint32_t)at->slot + at->n_slots + at->top;
}

static inline uint64_t wet_stack_pointer(const DcfgWet* w, const InstrPlan* at)
{
   uint32_t slot = wet_value_slot(at) + at->n_values;

   return at->stack && slot < w->record.n_slots ? w->addrs[slot] : 0;
}

/* Return the top of x87's stack behind the instruction at AT, if it is TOP
   before.  SLOTS: the slots of the record. */
static inline uint32_t wet_move_top(uint32_t top, const Plan* p,
                                    const InstrPlan* at, uint32_t n_slots,
                                    const uint64_t* slots)
{
   uint32_t slot = (uint32_t)at->slot + at->n_slots;

   if (at->top && slot < n_slots)
      return slots[slot] & 7;
   return p->top_zero ? 0 : (top + p->top) & 7;
}

/*--- Data                                                 ---*/

/* Writer: an instance: its instruction's number, + 1, above its own number.  0:
   nothing in the trace. */
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

/* Give E its ports and dependences.  CONTROL let it run, or 0.  From now on E
   is the writer of what it defines. */
bool wet_find_writers(DcfgWet* w, const InstrPlan* at, Writer control,
                      DcfgWetEvent* e);

/* The kernel read SIZE bytes at ADDR for E, the last system call: add who wrote
   them to E's last port. */
bool wet_add_read(DcfgWet* w, uint64_t addr, uint64_t size, DcfgWetEvent* e);

/* Note what E changes, an event that is no instruction. */
bool wet_note_mark(DcfgWet* w, const DcfgWetEvent* e);

/* Note the change of x87's top that the present record, MarkTop, says. */
bool wet_note_top(DcfgWet* w);

#endif /* DCFG_LIB_WET_H */
