/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms: the numbers that superblocks of a wet file compute. */

#ifndef DCFG_LIB_WET_TERMS_H
#define DCFG_LIB_WET_TERMS_H

#include "lib/wet/wet.h"

/* WetTerm: a number that a superblock computes, in .terms.  Operands are
   indices in WetCursor.computed, which has 0, the registers, and the terms of one
   record. */
typedef
   struct {
      uint64_t c;               // a constant
      uint16_t a, b;            // operands; 0: the number 0
      uint16_t word;            // on the tape, from 1 on; 0: none.  Of a load:
                                // its number among the loads, from 1 on
      uint16_t slot;            // slots before it
      uint16_t place;           // index of the instruction
      uint8_t  operation;
      uint8_t  shift;           // high bits that become 0
      bool     is_slot;         // or is it for other terms?
   }
   WetTerm;

/* WetSet: a register gets the number of a term; both are indices in
   WetCursor.computed.  In .tells are those of superblocks, in the order of their
   instructions; in .sets those of ways, of which each register has one. */
typedef
   struct {
      uint16_t to, from;
   }
   WetSet;

/* WayTerms, in .way_terms by way: its terms, and what it leaves in
   registers. */
typedef
   struct {
      uint32_t terms, sets;     // the first one's index in .terms and .sets
      uint16_t n_terms, n_sets;
   }
   WayTerms;

/* Read N slots of SB from B.  Add SB's slots, terms and told registers to those of
   W.  The members n_slots of SB's exits count what is in the file; set them, and
   n_terms and n_tells. */
bool wet_get_terms(DcfgWet* w, WetSb* sb, uint32_t n, ByteReader* b);

/* Return how many of the first N terms of SB are words on the tape. */
uint32_t wet_words_of_terms(const DcfgWet* w, const WetSb* sb, uint32_t n);

/* Make the terms of all ways. */
bool wet_make_way_terms(DcfgWet* w);

/* Return the terms of the first N instructions of SB; *N_SLOTS and *N_WORDS are
   the numbers of their slots and words. */
WayTerms wet_terms_before(const DcfgWet* w, const WetSb* sb, uint32_t n,
                          uint32_t* n_slots, uint32_t* n_words);

/* Compute the terms WAY of a record with WORDS from NUMBERS and MIRROR (.computed
   and .mirror of a cursor), which change.  ERRORS are those of its loads, by
   their numbers; NULL: there are none.  Store its slots at TO, where there is
   room for one more. */
void wet_find_terms(const DcfgWet* w, uint64_t* numbers, uint8_t* mirror,
                    const uint64_t* errors, const WayTerms* way,
                    const uint64_t* words, uint64_t* to);

/* Set all registers in NUMBERS to 0. */
void wet_forget_general(uint64_t* numbers);

/* Set registers in NUMBERS as the N bytes of a mark say. */
void wet_set_general(uint64_t* numbers, const uint8_t* bytes, uint64_t n);

#endif
