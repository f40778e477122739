/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Words of the source for the values of registers. */

#ifndef DCFG_CMD_REGISTER_WORD_H
#define DCFG_CMD_REGISTER_WORD_H

/* Private to the room variables/. */

#include "cmd/machine/instr_effect.h"
#include "cmd/variables/variable_place.h"
#include "cmd/variables/variable_type.h"

typedef
   enum {
      WORD_UNKNOWN,
      WORD_VALUE,               // the value of the place that .phrase names
      WORD_ADDRESS              // its address
   }
   WordKind;

/* Word: a number that a register holds.  An integer is .times * value +
   .offset; an address, or a pointer's value, is that + .offset + .step *
   .index. */
typedef
   struct {
      WordKind  kind;
      Phrase    phrase;
      Dwarf_Die type;           // type of the place
      int64_t   times, offset;
      bool      indexed;
      char      index[64];
      int64_t   step;           // 0: not known
   }
   Word;

/* WordReader: what the search for words needs of a trace. */
typedef
   struct WordReader {
      DcfgWet*  w;
      Sites*    sites;
      uint8_t*  marks;          // by instruction: do jumps lead there?
      unsigned  left;           // so many words may still be looked for
   }
   WordReader;

/* Return the word for the value of register REG just before instruction INSTR,
   or just BEHIND it. */
Word register_word(WordReader* r, uint32_t instr, unsigned reg, bool behind);

/* The address of operand M of INSTR. */
Word address_word(WordReader* r, uint32_t instr, const MemoryOperand* m);

/* Name the SIZE bytes that address A leads to; their type is *OF.  False if
   that is not known. */
bool word_target(const Word* a, uint64_t size, Phrase* p, VariableType* of);

/* Is A an address, or a pointer's value? */
bool leads_on(const Word* a);

/* Name what is at OFFSET from the frame of S, in the file's words. */
bool frame_phrase(const Site* s, int64_t offset, uint64_t size, Phrase* p,
                  VariableType* of);

#endif /* DCFG_CMD_REGISTER_WORD_H */
