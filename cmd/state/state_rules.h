/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How instructions change registers, and the registers that gdb knows. */

#ifndef DCFG_CMD_STATE_RULES_H
#define DCFG_CMD_STATE_RULES_H

#include "cmd/machine/processor.h"

#include "lib/dcfg_cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* StateValue: bytes of a register or of memory, the lowest first.  .known has a
   bit for each. */
typedef
   struct {
      uint8_t  bytes[32];
      uint32_t known;
   }
   StateValue;

/* Return NUMBER, of which all 8 bytes are known. */
static inline StateValue state_number(uint64_t number)
{
   StateValue v = { .known = 0xFF };

   memcpy(v.bytes, &number, 8);
   return v;
}

/* The source of a register's row. */
typedef
   enum {
      STATE_GENERAL,
      STATE_PC,
      STATE_FLAGS,
      STATE_VECTOR,             // the lowest 16 bytes of a vector register
      STATE_VECTOR_HIGH,        // and the next 16
      STATE_X87,                // x87's register at place .n from the top of
                                // the stack, as 80 bits
      STATE_X87_STATUS,
      STATE_X87_TAGS,           // two bits for each register
      STATE_OTHER,              // register .n of StateOther
      STATE_NONE                // the register is never known
   }
   StateSource;

/* StateOther: registers that few instructions write. */
typedef
   enum {
      OTHER_X87,                // not one, but all that x87 has
      OTHER_X87_CONTROL,
      OTHER_VECTOR_CONTROL,     // MXCSR; FPCR
      OTHER_VECTOR_STATUS,      // FPSR
      OTHER_THREAD_BASE,        // base of thread-local storage: that of FS, of
                                // x86 that of GS; TPIDR_EL0
      OTHER_GS_BASE,
      OTHER_SEGMENT,            // selectors of x86: CS SS DS ES FS GS
      N_OTHERS = OTHER_SEGMENT + 6
   }
   StateOther;

/* The group of flags that is x87's condition codes, at their places in the
   status word. */
#define STATE_X87_CODES 3

/* X87Effect: changes of x87's registers by an instance, with a bit for each
   register, as MMX numbers them. */
typedef
   struct {
      unsigned   top, new_top;  // the top of the stack before and after it
      uint8_t    written;       // registers that get .values
      uint8_t    full, empty;   // tags: in use; not in use
      uint8_t    unclear;       // tags that change in a way that is not known
      StateValue values[8];     // the 8 bytes that Valgrind computes with
   }
   X87Effect;

/* StateRow: a register of gdb's target description, in its order. */
typedef
   struct {
      const char* feature;      // NULL: that of the row before
      const char* name;
      uint16_t    bits;
      const char* type;
      StateSource source;
      uint8_t     n;
   }
   StateRow;

/* StateType: a type of the target description, which goes before the first
   register of .feature.  .flags has the names of bits in their order, with a
   space behind each; "-" is no flag.  .xml stands behind that; each may be
   NULL. */
typedef
   struct {
      const char* feature;
      const char* name;         // the type that .flags makes
      const char* flags;
      const char* xml;
   }
   StateType;

/* StateView: an instance, for rules: they ask for what was before it. */
typedef
   struct {
      const DcfgWetInstr*    in;
      const DcfgCursorInstr* at;
      struct ProgramState*   s;
   }
   StateView;

/* Return a register, or SIZE bytes of memory, just before the instance; x87's
   register is the one at place N from the top of the stack. */
StateValue general_before(const StateView* v, unsigned n);
StateValue vector_before(const StateView* v, unsigned n);
StateValue x87_before(const StateView* v, unsigned n);
StateValue memory_before(const StateView* v, uint64_t addr, uint32_t size);

/* Set *IN_USE to whether that register's tag says so; set *BITS to the flags of
   GROUP, as StateRules has them.  Return false if they are not known. */
bool x87_used_before(const StateView* v, unsigned n, bool* in_use);
bool flags_before(const StateView* v, unsigned group, uint64_t* bits);

/* Return the instruction that wrote flags last; NULL: it is not known. */
const DcfgWetInstr* flags_writer_before(const StateView* v);

/* Set *RESULT to the number that the system call returned.  Return false if it is
   not known. */
bool call_result(const StateView* v, uint64_t* result);

/* Return how many iterations of a repeated instruction came just before, and set
   *BEFORE to general register N before all of them. */
uint64_t iterations_before(const StateView* v, unsigned n, StateValue* before);

/* Set *NUMBER to the number that is in the SIZE bytes of V from FROM on.  Return
   false if one of the bytes is not known. */
static inline bool state_number_in(const StateValue* v, unsigned from,
                                   unsigned size, uint64_t* number)
{
   *number = 0;
   for (unsigned i = size; i-- > 0; ) {
      if (!(v->known >> (from + i) & 1))
         return false;
      *number = *number << 8 | v->bytes[from + i];
   }
   return true;
}

/* Set *NUMBER likewise to the number in general register N before the instance. */
static inline bool general_number(const StateView* v, unsigned n, unsigned from,
                                  unsigned size, uint64_t* number)
{
   StateValue r = general_before(v, n);

   return state_number_in(&r, from, size, number);
}

/* Return the instance's first access of KIND, which has bits as
   DcfgCursorAccess; NULL: there is none. */
static inline const DcfgCursorAccess* state_access(const StateView* v,
                                                   uint32_t kind)
{
   for (uint32_t i = 0; i < v->at->n_accesses; i++)
      if (v->at->accesses[i].kind & kind)
         return &v->at->accesses[i];
   return NULL;
}

/* Return the lowest address of the instance's accesses of KIND, likewise;
   UINT64_MAX: there is none. */
static inline uint64_t state_lowest(const StateView* v, uint32_t kind)
{
   uint64_t low = UINT64_MAX;

   for (uint32_t i = 0; i < v->at->n_accesses; i++)
      if ((v->at->accesses[i].kind & kind) && v->at->accesses[i].addr < low)
         low = v->at->accesses[i].addr;
   return low;
}

/* Return what a general register gets that becomes the SIZE bytes, AT behind the
   instance's lowest address, as they were before it.  Higher bytes become 0. */
static inline StateValue state_found(const StateView* v, unsigned size,
                                     unsigned at)
{
   StateValue m = { .known = 0 };

   if (v->at->n_accesses == 0)
      return m;
   m = memory_before(v,
                 state_lowest(v, DCFG_CURSOR_LOAD | DCFG_CURSOR_STORE) + at,
                 size);
   m.known |= 0xFF & ~((1u << size) - 1);
   return m;
}

/* StateRules: for a processor. */
typedef
   struct StateRules {
      const char*     architecture;     // gdb's name
      const StateRow* rows;
      size_t          n_rows;
      const StateType* types;
      size_t          n_types;
      unsigned        n_vectors;        // vector registers
      unsigned        vector_parts;     // each has so many parts of 8 bytes
      /* Return the general registers, a bit for each, that IN writes and that
         are perhaps missing in its recorded value. */
      uint32_t (*besides)(const DcfgWetInstr* in);
      /* Set *V to general register N behind the instance, which writes it.
         Return false if the recorded value has it. */
      bool (*general_behind)(const StateView* v, unsigned n, StateValue* to);
      /* Set *BITS to the flags of GROUP behind the instance, which writes them.
         Return false if they are not known. */
      bool (*flags_behind)(const StateView* v, unsigned group, uint64_t* bits);
      /* Return whether IN, which writes group 0 of flags, clears group 1, though
         the trace has it unchanged: the processor's manual leaves it undefined.
         NULL: none does. */
      bool (*clears_flags)(const DcfgWetInstr* in);
      /* Return the vector registers, a bit for each, that IN clears besides its
         result; NULL: none. */
      uint32_t (*cleared)(const DcfgWetInstr* in);
      /* Return which of StateOther IN may write, a bit for each; NULL: none. */
      uint32_t (*others)(const DcfgWetInstr* in);
      /* If the instance writes OTHER, set *TO to it and return true. */
      bool (*other_behind)(const StateView* v, StateOther other,
                           StateValue* to);
      /* Correct E, which has what the recorded value says of the instance. */
      void (*x87_behind)(const StateView* v, X87Effect* e);
      uint32_t base_call;       // the system call that sets
                                // OTHER_THREAD_BASE; 0: none
      unsigned dtv;             // place of the DTV's address (gdb_query.c), from
                                // OTHER_THREAD_BASE on
      uint64_t flags_fixed;     // bits of the flags' register that are set
      unsigned n_groups;        // groups of flags in that register
      const uint64_t* groups;   // bits of each; behind them, those of
                                // STATE_X87_CODES
   }
   StateRules;

/* The processors that have rules. */
extern const StateRules state_amd64, state_x86, state_arm64;

/* Return the rules of P; NULL if its registers are not known. */
static inline const StateRules* state_rules_of(const Processor* p)
{
   return p == &machine_amd64 ? &state_amd64 : p == &machine_x86 ? &state_x86
          : p == &machine_arm64 ? &state_arm64 : NULL;
}

#endif /* DCFG_CMD_STATE_RULES_H */
