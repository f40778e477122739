/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Words of the source for the values of registers. */

#ifndef DCFG_CMD_REGISTER_WORD_H
#define DCFG_CMD_REGISTER_WORD_H

/* Private to the room program/. */

#include "cmd/machine/instr_effect.h"
#include "cmd/program/variable_place.h"
#include "cmd/program/variable_type.h"

typedef
   enum {
      WORD_UNKNOWN,
      WORD_VALUE,               // the value of the place that .phrase names
      WORD_ADDRESS              // the address of that place
   }
   WordKind;

/* Word: an expression for the number in a register.  An integer is .times *
   value + .offset.  An address, or a pointer's value, is that address + .offset
   + .step * .index. */
typedef
   struct {
      WordKind  kind;
      Phrase    phrase;
      Dwarf_Die type;           // type of the place
      int64_t   times, offset;
      bool      indexed;
      char      index[64];
      int64_t   step;           // bytes; 0: not known
   }
   Word;

/* WordReader: the data for searches of words in a trace. */
typedef
   struct WordReader {
      DcfgWet*  w;
      Sites*    sites;
      uint8_t*  marks;          // by instruction: a target of jumps
      unsigned  left;           // words that may still be searched
   }
   WordReader;

/* Return the word for the value of register REG just before instruction INSTR,
   or just BEHIND it. */
Word register_word(WordReader* r, uint32_t instr, unsigned reg, bool behind);

/* Return the word for the address of operand M of INSTR. */
Word address_word(WordReader* r, uint32_t instr, const MemoryOperand* m);

/* Name the SIZE bytes at address A; *OF gets their type.  Return false if the
   name is not known. */
bool word_target(const Word* a, uint64_t size, Phrase* p, VariableType* of);

/* Name the SIZE bytes at OFFSET from the frame of S. */
bool frame_phrase(const Site* s, int64_t offset, uint64_t size, Phrase* p,
                  VariableType* of);

#endif /* DCFG_CMD_REGISTER_WORD_H */
