/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Steps of dcfg why. */

#ifndef DCFG_CMD_WHY_H
#define DCFG_CMD_WHY_H

#include "cmd/slice/slice_query.h"
#include "cmd/slice/slice_views.h"
#include "cmd/slice/slice_omitted.h"

/* Tell of STEPS instances, or ask which, as --instructions does. */
void why_instructions(Sliced* f, const SliceView* v, bool asks,
                      uint64_t steps);

/* The input that copy NODE hands on over VIA; NULL if NODE is no copy. */
const DcfgSliceInput* why_behind_copy(const Sliced* f, uint32_t node,
                                      const DcfgSliceInput* via);

/* WhyUse: what a card has an input for, the most telling first. */
typedef enum { USE_VALUE, USE_ADDRESS, USE_BRANCH, USE_OMITTED, USE_FRAME }
   WhyUse;

/* WhyInput: what a card used. */
typedef
   struct {
      WhyUse   use;
      uint32_t user;            // the instance that used it
      const DcfgSliceInput* input;      // an input of .user
      uint32_t node;            // writer, or DCFG_SLICE_NOBODY, DCFG_SLICE_NOT
      bool     library;         // came through a library
      bool     of_copy;         // .user is passed: it chose what that loaded
      const Omitted* omitted;   // the store that did not run, if .use is
                                // USE_OMITTED; else NULL
      uint32_t first, n_passed; // copies and libraries on the way
      uint32_t n_more;          // other instances of the same instruction that
                                // made parts of it, or let it run
      uint64_t low, high;       // printed bytes, in a criterion's memory; or 0
   }
   WhyInput;

/* WhyCard: a source line executed in one activation, as far as .head depends on
   it; or an instance of code that has no lines. */
typedef
   struct {
      uint32_t  head;
      uint32_t* members;        // the head first
      size_t    n_members, members_room;
      WhyInput* inputs;         // sorted by their use
      size_t    n_inputs, inputs_room;
      uint32_t* passed;
      size_t    n_passed, passed_room;
      size_t    n_frame;        // inputs at the end that are passed over
      bool      cut;            // the slice has too few steps for all of it
   }
   WhyCard;

/* WhyCards: what is known of all cards of a slice. */
typedef
   struct {
      Sliced*   f;
      uint32_t* runs;           // by node: nodes of a line with one number ran
                                // together
      bool*     frames;         // by instruction: it has a frame pointer
      uint32_t* seen;           // by node: the last card that went through it
      uint32_t  n_cards;
   }
   WhyCards;

void why_cards_start(WhyCards* y, Sliced* f);
void why_cards_end(WhyCards* y);

/* The card whose head is NODE; ALL criteria that ran with it are members, too. */
void why_card(WhyCards* y, WhyCard* c, uint32_t node, bool all);
void why_card_free(WhyCard* c);

/* Add to C's inputs the stores that could have changed what C used, also on the
   way to it, or what C made.  They stand behind all others, but before an input
   that says only that something outside of the program let C run.  The inputs
   refer to *L, which is found for that, and which the caller frees. */
void why_card_add_omitted(const WhyCards* y, WhyCard* c, SliceOmissions* z,
                          OmittedList* l);

/* Return why NODE, itself there for OUTER, has input IN. */
WhyUse why_use(const WhyCards* y, uint32_t node, const DcfgSliceInput* in,
               WhyUse outer);

/* The branch or call that let NODE run, or DCFG_SLICE_NOBODY,
   DCFG_SLICE_NOT. */
uint32_t why_control(const DcfgSlice* s, uint32_t node);

/* Is NODE a call? */
bool why_is_call(const Sliced* f, uint32_t node);

/* Instruction INSTR as steps have it: with the program's line and function that
   have it, if a header's code was inlined there; and with the name of the
   function that was inlined. */
DcfgWetInstr why_instr(const Sliced* f, uint32_t instr);

/* Is NODE of a library, or of a function that a header of the distribution has?
   Steps pass these. */
bool why_is_library(const Sliced* f, uint32_t node);
bool why_is_library_code(const Sliced* f, uint32_t instr);

/* WhyForm: tell of .steps cards, or ask which; .json: for programs. */
typedef
   struct {
      bool     asks, json, all;
      uint64_t steps;
      const SliceOptions* options;      // the slice was found for them
   }
   WhyForm;
/* The first slice follows so many steps for a card: enough for most lines. */
#define WHY_STEPS 8

void why_lines(Sliced* f, const SliceView* v, const WhyForm* form);

#endif /* DCFG_CMD_WHY_H */
