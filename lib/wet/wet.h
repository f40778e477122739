/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The file of a whole execution trace: its tables, and what records of its tape
   become. */

#ifndef DCFG_LIB_WET_H
#define DCFG_LIB_WET_H

#include "lib/base/input.h"
#include "lib/base/job.h"
#include "lib/base/hash.h"
#include "format/numbers.h"
#include "lib/dcfg_wet.h"
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

/* WetSegment: the words between two exits of a superblock. */
typedef
   struct {
      uint32_t n_words;
      uint32_t columns;         // the number of the first one's column
   }
   WetSegment;

typedef
   struct {
      Span     instrs;          // in .sb_instrs
      Span     exits;           // in .exits
      Span     slots;           // in .accesses
      Span     terms, tells;    // in .terms and .tells: see wet_terms.h
      uint32_t ways;            // first of its ways, in .ways: exits, then the
                                // end
      uint32_t n_words;         // words of a row
      Span     segments;        // in .segments
      Span     stores;          // in .stores
      uint64_t defs[2];         // granules that it may define: see
                                // wet_add_defs()
      bool     tops;            // a slot is a top of x87's stack
      bool     moves_top;       // an instruction may move that top
      bool     loads_sp;        // one loads the stack pointer
   }
   WetSb;

/* StoreSlot: a slot of a superblock with an address of written memory, and how
   many bytes may be written there.  What was read there may share the slot. */
typedef
   struct {
      uint16_t slot, size;
   }
   StoreSlot;

/* WetWay: how a superblock was left: by an exit, or at its end. */
typedef
   struct {
      uint32_t sb;
      uint32_t segments;        // the first one's index in .segments
      uint32_t last;            // last instruction that ran
      uint32_t place;           // index of that one in .sb_instrs
      uint16_t n_instrs;
      uint16_t n_slots;         // slots that a record of this way has
      uint8_t  n_segments;
      uint8_t  kind;            // the last instruction's
      bool     tops;            // a slot of the superblock is a top
      bool     computes;        // a record has slots or terms
      bool     loads_sp;        // an instruction of the superblock does
      bool     easy;            // no activation begins or ends, the stack
                                // pointer is not loaded, and x87's stack does
                                // not move
   }
   WetWay;

/* Numbers in place of a way's, for a mark, for a superblock left between exits,
   and for a wrong load of the next superblock. */
#define NO_WAY_MARK DCFG_NONE
#define NO_WAY_LOAD (DCFG_NONE - 1)
#define NO_WAY_STOP (DCFG_NONE - 2)

/* Stop: how far a superblock ran that was left between exits. */
typedef
   struct {
      uint32_t sb;
      uint32_t n_instrs;        // completed instructions
      uint32_t n_slots, n_segments;
      uint32_t n_words;         // words behind its full segments
   }
   Stop;

/* The most accesses that a record has. */
#define MAX_ACCESSES 4096

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
      bool     loads_sp;        // the instruction may load the stack pointer
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
      bool     loads_sp;        // the last two are the stack pointer before it
                                // is loaded, and behind that
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

/* Make the plan P of IN from its USES and DEFS, arrays of LocRange. */
bool wet_make_plan(DcfgWet* w, const WetInstr* in, const Array* uses,
                   const Array* defs, Span accesses, Plan* p);

/* Make the places and stores of all superblocks, and their ways. */
bool wet_make_places(DcfgWet* w);

/* Add to DEFS the granules that instruction I may define: a bit for each, by its
   number.  Those of x87 are all together, from G_X87 on: which one it is depends
   on the top of the stack. */
void wet_add_defs(const DcfgWet* w, uint32_t i, uint64_t* defs);

/* Return the bytes of GRANULE that instruction I defines, a bit for each. */
uint8_t wet_defined(const DcfgWet* w, uint32_t i, unsigned granule);

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

/*--- Processors                                           ---*/

/* SavingKind: an instruction saves a register on the stack, or restores one from
   there, and writes no other memory. */
typedef enum { SAVES_NOT, SAVES, RESTORES } SavingKind;

/* CALL_REGISTERS: a system call has a number and so many arguments less one. */
#define CALL_REGISTERS 7u       // as in dcfg_slice.h

/* WetMachine: a processor, for readers of its traces. */
typedef
   struct {
      uint32_t number;          // e_machine of ELF
      uint32_t address_size;    // bytes
      bool     links;           // calls leave the return address in a register
      uint8_t  vector_size;     // granules of a vector register
      uint8_t  n_given;         // registers that a handler gets from the kernel
      uint8_t  given[8];        // they, and the stack pointer
      uint8_t  stack;           // register with the stack pointer
      uint8_t  stack_argument;  // register with clone()'s stack
      uint8_t  call[CALL_REGISTERS];    // a system call's number and arguments
      /* Return the target of the direct branch of N bytes at CODE, whose
         address is ADDR. */
      uint64_t (*target)(const uint8_t* code, uint32_t n, uint64_t addr);
      uint8_t  goes_back[4];    // if .links: the jump of longjmp
      /* Return whether the instruction of N bytes at CODE saves a register or
         restores it, of 8 bytes, and set *REG to that.  NULL: not known. */
      SavingKind (*saving)(const uint8_t* code, uint32_t n, uint8_t* reg);
   }
   WetMachine;

/* Return the processor with this number of ELF; NULL if it is not known. */
const WetMachine* wet_machine(uint32_t number);

/* Return whether the indirect jump is longjmp's, to an address where a call
   returned. */
bool wet_goes_back(const WetMachine* m, const uint8_t* code, uint32_t n);

/*--- Decoded records                                      ---*/

/* WetStep: a record of the tape: an execution of a superblock, or a mark. */
typedef
   struct {
      uint32_t sb;              // 0 for a mark
      union {
         uint32_t way;          // DCFG_NONE: left between exits
         uint32_t mark;         // DcfgWetKind; a turn of threads is no step
      };
      uint32_t thread;
      uint32_t first;           // index in .addrs of its slots, or a mark's
                                // words
      uint16_t n_instrs;        // completed instructions
      uint16_t n_slots;         // slots that were filled; MARK_SLOTS for a mark
   }
   WetStep;

/* The slots of a mark: its words, and where its bytes are in .bytes of the
   steps, and how many. */
enum { MARK_BYTES_AT = 3, MARK_N_BYTES, MARK_SLOTS };

/* WetSteps: decoded records.  .turns has the indices of steps that are not easy,
   or that follow a mark or a turn of threads.  The registers .call of WetMachine
   stand in .addrs behind the slots of a record whose way ends with a system
   call. */
typedef
   struct {
      WetStep*  steps;
      uint32_t* turns;
      size_t    n_steps, max_steps;
      size_t    n_turns, max_turns;
      uint64_t* addrs;
      size_t    n_addrs, max_addrs;
      uint8_t*  bytes;          // bytes of marks
      size_t    n_bytes, max_bytes;
   }
   WetSteps;

/* Bring the slots of step I to the processor's cache: their first and their last
   cache line.  GCC leaves out calls of a function that only does this, unless it is
   always inline. */
__attribute__((always_inline))
static inline void wet_prefetch_slots(const WetSteps* s, size_t i)
{
   const WetStep*  r = &s->steps[i];
   const uint64_t* slots = s->addrs + r->first;

   __builtin_prefetch(slots);
   __builtin_prefetch(slots + r->n_slots);
}

static inline void wet_forget_steps(WetSteps* s)
{
   s->n_steps = s->n_turns = s->n_addrs = s->n_bytes = 0;
}

/* Return the number of the first step from I on that may tell something new of
   control flow.  Easy steps before it, which follow each other in a thread, do
   not: each follows the same easy step as when it was told last.  BEFORE has that
   step's way, + 1, by way; all are 0 at the begin. */
static inline size_t wet_pass_known(const WetWay* ways, uint32_t* before,
                                    const WetSteps* s, size_t i)
{
   const WetStep* last = i > 0 ? &s->steps[i - 1] : NULL;

   if (last == NULL || last->sb == 0 || last->way == DCFG_NONE
       || !ways[last->way].easy)
      return i;
   for (; i < s->n_steps; i++, last++) {
      const WetStep* r = &s->steps[i];
      if (r->sb == 0 || r->way == DCFG_NONE || r->thread != last->thread)
         return i;
      if (before[r->way] != last->way + 1) {
         if (ways[r->way].easy)
            before[r->way] = last->way + 1;
         return i;
      }
   }
   return i;
}

/* Free memory that the records of S do not need, if there is much of it. */
void wet_trim_steps(Job* job, WetSteps* s);

/* Return the size of the memory of S, in bytes; free it. */
size_t wet_size_of_steps(const WetSteps* s);
void   wet_free_steps(Job* job, WetSteps* s);

/*--- Descriptions of instructions, as users get them       ---*/

/* General and vector registers; flags; x87. */
#define MAX_REGISTERS (32 + 32 + 2)

/* WetTold: the result of dcfg_wet_instr(), and all that it refers to. */
typedef
   struct {
      uint32_t        of;               // the instruction, + 1; 0: none
      DcfgWetInstr    instr;
      DcfgWetAccess*  accesses;         // room for the most
      DcfgWetRegisterId uses[MAX_REGISTERS], defines[MAX_REGISTERS];
      uint32_t        near_symbol, near_line;   // the last ones of an image
                                                // that were asked for
   }
   WetTold;

/* Set the members of TO->instr that say what instruction N does: .transfer,
   accesses and registers.  Its other members have been set. */
void wet_tell_plan(const DcfgWet* w, uint32_t n, WetTold* to);

/*--- A trace                                              ---*/

typedef struct WetImages WetImages;
typedef struct WetState WetState;

/* DcfgWet: the file, as its tables describe it.  It is opened once; then
   questions about what it has do not change it.  The tape is read by cursors
   (wet_cursor.h), any number of them; what an event depends on is found by
   DcfgWetEvents (wet_record.h). */
struct DcfgWet {
   Job         job;             // has the memory of the tables
   Input*      in;              // at the tape; NULL: a cursor has taken it
   char*       path;            // to read it again
   const void* memory;          // NULL: it is not in memory
   size_t      memory_size;
   bool        compressed;
   int         unpacked;        // descriptor of the unpacked file, or -1
   DcfgOptions options;
   uint32_t    version;
   WetState*   state;
   DcfgRun     run;             // if .run.start is not NULL
   Arena       run_texts;
   WetImages*  images;
   Array       instrs;          // WetInstr
   Array       sbs;             // WetSb, from id 1 on
   Array       code;            // uint8_t
   Array       accesses;        // WetAccess
   Array       terms, tells, sets, way_terms;       // see wet_terms.h
   Array       sb_instrs;       // uint32_t
   Array       exits;           // WetExit
   Array       segments;        // WetSegment
   uint32_t    n_columns;       // words of all segments
   Array       threads;         // uint64_t
   Array       ran;             // uint64_t, by instruction: executions, if only
                                // the last of the tape was kept
   Array       unexecuted;      // WetInstr, without flags
   Array       uses;            // Use
   Array       defs;            // Def
   Array       stores;          // StoreSlot, by superblock and slot
   WetWay*     ways;            // by WetSb.ways and the exit's number
   size_t      n_ways;
   const WetMachine* machine;
   Plan*       plans;           // by instruction
   InstrPlan*  places;          // by index in .sb_instrs
   uint64_t*   instances;       // by instruction: before the first record
   uint64_t    most_before;     // the most of them
   uint64_t    before;          // and of all instructions together
   bool        ended_early;     // the recorder lost the end
   uint64_t    tape;            // offset of the tape
   uint64_t    tape_size;       // bytes
   uint64_t    file_size;       // bytes, uncompressed
   WetTold     told;            // told by dcfg_wet_instr()
   bool*       loads;           // see dcfg_wet_tell_loads(); or NULL
   unsigned    n_loads;         // how often they were told anew
   struct WetIndex* index;      // or NULL: see lib/index/wet_index.h
   void (*close_index)(struct WetIndex* ix);    // closes it
   WetSteps    left_steps;      // the steps of the chunk at .left_offset,
   uint64_t    left_offset;     // or 0: see wet_leave_chunk()
};

/* Return whether the instance is an iteration that a count of 0 prevented: it
   made no access and defines nothing. */
static inline bool wet_is_no_iteration(const Plan* p, uint32_t n_made)
{
   return p->kind == InsnRep && n_made == 0;
}

/*--- Reading it                                           ---*/

/* Return whether the file is there and can be read more than once. */
bool wet_can_reread(const DcfgWet* w);

/* Make the file readable in any order; unpack it if it is compressed. */
bool wet_unpack(DcfgWet* w);

/* Open the file once more, for JOB: unpacked, if it was unpacked. */
Input* wet_open_input(const DcfgWet* w, Job* job);

/* Close W's index, if there is one. */
void wet_close_index(DcfgWet* w);

/* Set W's index to IX, which owns an earlier one; CLOSE_INDEX closes it. */
void wet_put_index(DcfgWet* w, struct WetIndex* ix,
                   void (*close_index)(struct WetIndex* ix));

/* Read the tables, up to the tape, and make the plans; free them. */
bool wet_load(DcfgWet* w);
void wet_free_tables(DcfgWet* w);

/* Read N bytes of IN; an error of JOB if there are fewer. */
bool wet_read(Job* job, Input* in, void* to, size_t n);

/* Return how far superblock SB got if N instructions of it were completed. */
Stop wet_find_stop(const DcfgWet* w, uint32_t sb, uint32_t n);

/* The most instructions that a superblock has. */
#define MAX_SB_INSTRS 1024

/* Return the first slot of the value. */
static inline uint32_t wet_value_slot(const InstrPlan* at)
{
   return (uint32_t)at->slot + at->n_slots + at->top;
}

/* Return where the stack pointer before the instruction at AT is, which loads it,
   in SLOTS of the record, of which there are N_SLOTS; the one behind it follows.
   NULL: it loads none. */
static inline const uint64_t* wet_load_of_sp(const InstrPlan* at,
                                             const uint64_t* slots,
                                             uint32_t n_slots)
{
   uint32_t slot = wet_value_slot(at) + at->n_values;

   return at->loads_sp && slot + 1 < n_slots ? &slots[slot] : NULL;
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

#endif /* DCFG_LIB_WET_H */
