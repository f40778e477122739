/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How instructions change registers, and the registers that gdb knows. */

#ifndef DCFG_CMD_STATE_RULES_H
#define DCFG_CMD_STATE_RULES_H

#include "lib/dcfg_replay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* StateValue: bytes of a register or of memory, the lowest first.  .known has a
   bit for each. */
typedef
   struct {
      uint8_t  bytes[32];
      uint32_t known;
   }
   StateValue;

/* The source of a register's row. */
typedef
   enum {
      STATE_GENERAL,
      STATE_PC,
      STATE_FLAGS,
      STATE_VECTOR,             // the lowest 16 bytes of a vector register
      STATE_VECTOR_HIGH,        // and the next 16
      STATE_SEGMENT,            // a selector, which stays as it was
      STATE_NONE                // the register is never known
   }
   StateSource;

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

/* StateView: an instance, and what was before it.  The functions take .arg. */
typedef
   struct {
      const DcfgWetInstr*    in;
      const DcfgReplayInstr* at;
      void*                  arg;
      StateValue (*general)(void* arg, unsigned n);
      StateValue (*vector)(void* arg, unsigned n);
      StateValue (*memory)(void* arg, uint64_t addr, uint32_t size);
      /* The flags of a group, as StateRules has them; false: not known. */
      bool       (*flags)(void* arg, unsigned group, uint64_t* bits);
      /* Set *RESULT to the number that the system call returned. */
      bool       (*result)(void* arg, uint64_t* result);
      /* How many iterations of a repeated instruction came just before, and
         register N before all of them. */
      uint64_t   (*iterations)(void* arg, unsigned n, StateValue* before);
   }
   StateView;

/* StateRules: for a processor. */
typedef
   struct {
      const char*     architecture;     // gdb's name
      const StateRow* rows;
      size_t          n_rows;
      /* Set *V to general register N behind the instance, which writes it.
         Return false if the recorded value has it. */
      bool (*general_behind)(const StateView* v, unsigned n, StateValue* to);
      /* Set *BITS to the flags of GROUP behind the instance, which writes them.
         Return false if they are not known. */
      bool (*flags_behind)(const StateView* v, unsigned group, uint64_t* bits);
      /* Return the vector registers, a bit for each, that IN clears besides its
         result; NULL: none. */
      uint32_t (*cleared)(const DcfgWetInstr* in);
      uint64_t flags_fixed;     // bits of the flags' register that are set
      unsigned n_groups;        // groups of flags
      const uint64_t* groups;   // bits of each
   }
   StateRules;

/* Return the rules of the processor with that number in ELF files; NULL if
   there are none. */
const StateRules* state_rules(uint32_t machine);

#endif /* DCFG_CMD_STATE_RULES_H */
