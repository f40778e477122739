/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The events of a whole execution trace, and the record that they are from:
   what the files that find parts of events share. */

#ifndef DCFG_LIB_WET_RECORD_H
#define DCFG_LIB_WET_RECORD_H

#include "lib/wet/wet_cursor.h"

typedef struct WetWriters WetWriters;
typedef struct WetControl WetControl;
typedef struct WetEffects WetEffects;

/* WetMark: what the bytes of a mark say. */
typedef
   struct {
      DcfgWetMapping mapping;   // MarkMapped has it
      Array          registers; // DcfgWetRegister: MarkRegisters has them
      Array          name;      // char: of .mapping
   }
   WetMark;

/* DcfgWetEvents: reads the tape of W from its begin to its end, and knows who
   wrote what so far. */
struct DcfgWetEvents {
   DcfgWet*    w;
   WetCursor*  c;
   Job*        job;             // the cursor's
   WetWriters* writers;
   WetEffects* effects;
   WetControl* control;         // or NULL
   const struct WetNamer* namer;        // or NULL: see WetNamer

   /* The present record. */
   WetStep     record;
   uint32_t    place;           // index of its next instruction
   const uint64_t* addrs;       // its slots
   size_t      next_step;
   WetSteps    steps;           // present steps
   bool        held, ended;     // .record was read ahead; the tape has ended
   bool        begun;
   uint64_t    time;            // instructions executed so far
   uint64_t*   instances;       // by instruction: so far

   /* The filter says which events the user wants to be told of. */
   bool*       told_instrs;     // by instruction; NULL: of all
   bool*       way_skipped;     // by way: tell nothing of it; or NULL
   uint32_t    told_thread;     // DCFG_NONE: tell of any thread
   uint64_t    told_from, told_to;      // times to tell of

   /* Parts of events. */
   uint64_t*   kept;            // a system call's addresses: see wet_events.c
   uint8_t*    value;           // room for one instance's value
   uint8_t*    way_taken;       // by way that ends with a conditional branch: 1
                                // and its DcfgWetTaken, once known; else 0
   Array       reads;           // Reading: of the last system call
   uint32_t    n_told;          // readings that were told
   WetMark     mark;            // the last mark that was told

   /* Points are known once control is: there it may change. */
   Array       points;          // Point
   Span*       points_of;       // by superblock: in .points
   bool*       is_point;        // by index in .sb_instrs
};

/*--- The present record                                   ---*/

/* Fill in E from the present record, a mark. */
static inline void wet_take_mark(const DcfgWetEvents* v, DcfgWetEvent* e)
{
   e->kind   = (DcfgWetKind)v->record.mark;
   e->thread = v->record.thread;
   e->addr   = v->addrs[0];
   e->size   = v->addrs[1];
   e->from   = v->addrs[2];
}

/* Give E the accesses that the instruction at AT made in this record. */
static inline void wet_find_accesses(const DcfgWetEvents* v,
                                     const InstrPlan* at, DcfgWetEvent* e)
{
   uint32_t n = v->record.n_slots;

   e->accesses   = v->addrs + at->slot;
   e->n_accesses = n >= (uint32_t)at->slot + at->n_slots ? at->n_slots
                   : n > at->slot ? n - at->slot : 0;
}

/* Return the stack pointer behind the instruction at AT; 0: it is not known. */
static inline uint64_t wet_stack_pointer(const DcfgWetEvents* v,
                                         const InstrPlan* at)
{
   uint32_t slot = wet_value_slot(at) + at->n_values;

   return at->stack && slot < v->record.n_slots ? v->addrs[slot] : 0;
}

/*--- Writers                                              ---*/

/* Give E its ports and dependences.  CONTROL let it run, or 0.  From now on E
   is the writer of what it defines. */
bool wet_find_writers(DcfgWetEvents* v, const InstrPlan* at, Writer control,
                      DcfgWetEvent* e);

/* The kernel read SIZE bytes at ADDR for E, the last system call: add who wrote
   them to E's last port. */
bool wet_add_read(DcfgWetEvents* v, uint64_t addr, uint64_t size,
                  DcfgWetEvent* e);

/* Note what E changes, an event that is no instruction. */
bool wet_note_mark(DcfgWetEvents* v, const DcfgWetEvent* e);

/* Note the change of x87's top that the present record, MarkTop, says. */
bool wet_note_top(DcfgWetEvents* v);

/*--- Names of writers that are not their instances         ---*/

/* WetNamer: gives names to instances.  A name takes the place of an instance in
   the dependences of later instances.  Most instances have no name: what they
   wrote depends on nobody. */
typedef
   struct WetNamer {
      /* Return the name of E, whose ports are known, or 0.  Control that E
         decides gets its name by wet_name_control(). */
      Writer (*name)(void* arg, const DcfgWetEvent* e);
      void*    arg;

      /* From time .first to .last, instances in the superblocks SBS, by number,
         may get names even if nothing that they use has one. */
      uint64_t    first, last;
      const bool* sbs;
   }
   WetNamer;

/* Return the name for N, below 2^INSTANCE_BITS.  No instance equals a name. */
static inline Writer wet_name(uint64_t n)
{
   return writer_of(MAX_INSTRS, n);
}

/* Let N give names.  Call it before the first event. */
void wet_use_namer(DcfgWetEvents* v, const WetNamer* n);

/* Give system call E, the last one, its name again: what it read is known
   now. */
void wet_name_syscall(DcfgWetEvents* v, const InstrPlan* at, const DcfgWetEvent* e);

/* Give NAME to E in its role of deciding which instructions run. */
void wet_name_control(DcfgWetEvents* v, const DcfgWetEvent* e, Writer name);

/* Return whether no branch or call that decides in THREAD's activation has a
   name. */
bool wet_control_is_nameless(const DcfgWetEvents* v, uint32_t thread);

/* Return the activation of THREAD's last instruction: a number that no other one
   has while it is active. */
uint32_t wet_control_activation(const DcfgWetEvents* v, uint32_t thread);

#endif /* DCFG_LIB_WET_RECORD_H */
