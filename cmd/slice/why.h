/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Steps of dcfg why. */

#ifndef DCFG_CMD_WHY_H
#define DCFG_CMD_WHY_H

#include "cmd/base/table.h"
#include "cmd/slice/slice_omitted.h"
#include "cmd/slice/slice_query.h"
#include "cmd/slice/slice_views.h"
#include "cmd/program/variables.h"

/*--- Words: all texts last until text_forget()            ---*/

/* Return the value that N computed, as one of TYPE.  If TYPE is not known, a
   small value is decimal.  Return "" if no value was recorded.  If an
   instruction writes two registers, only the first value is known. */
const char* why_value(const Sliced* f, const DcfgSliceNode* n,
                      const VariableType* type);

/* Return the same of SIZE BYTES, the lowest first, that INSTR made. */
const char* why_bytes_value(const Sliced* f, uint32_t instr,
                            const VariableType* type, const uint8_t* bytes,
                            size_t size);

/* Return the name of the function of IN, which must have one. */
const char* why_function(const DcfgWetInstr* in);

/* Return the source's name for the place from which instruction USER reads
   IN, and set *TYPE; NULL if it has none.  The name is the same for all
   instances. */
const char* why_place_name(TraceProgram* names, uint32_t user,
                           const DcfgSliceInput* in, VariableType* type);

/* Return the value that node USER got over IN, as one of TYPE; "" if it is not
   known.  If a place is asked for of USER, it is what the place had. */
const char* why_input_value(const Sliced* f, uint32_t user,
                            const DcfgSliceInput* in, const VariableType* type);

/* Return "percent()" if IN of node USER is the register of results, and
   function percent() wrote it, which is not USER's function.  Else return
   NULL. */
const char* why_returned(const Sliced* f, uint32_t user,
                         const DcfgSliceInput* in);

/* Return the number that is the answer LINE; 0 if it is none. */
size_t why_choice(const char* line);

/* Return whether the answer LINE is WORD, or its first letter. */
bool why_says(const char* line, const char* word);

/* Say why the answer LINE leads nowhere.  N: the inputs that have numbers;
   LISTS: the user may ask for the list. */
void why_no_answer(const char* line, size_t n, bool lists);

/*--- Executions                                           ---*/

/* WhyTable: what is printed of a line's executions.  .where: a condition, or
   NULL; .all: all of them. */
typedef
   struct {
      const char* line;
      const char* where;
      Form        form;
      bool        all;
   }
   WhyTable;

/* Print the executions of a line, with the values that each read and wrote. */
void why_table(Sliced* f, const WhyTable* t);

/* Return the number that the page has for the instance of N; -1: it has none. */
typedef int64_t WhyShows(void* arg, const DcfgSliceNode* n);

/* Write the same for the page, as members of an object behind its first one.  The
   head of slice_html.c describes them.  .s of F is what slice_every()
   returned. */
void why_table_data(Sliced* f, FILE* out, WhyShows* shows, void* arg);

/*--- Steps                                                ---*/

/* Print STEPS instances, the nearest first; with ASKS, ask the user which
   one is next.  For --instructions. */
void why_instructions(Sliced* f, const SliceView* v, bool asks,
                      uint64_t steps);

/* WhyUse: the purpose of an input, the most telling first. */
typedef enum { USE_VALUE, USE_ADDRESS, USE_BRANCH, USE_OMITTED, USE_FRAME }
   WhyUse;

/* WhyInput: a value, address or branch that a card used. */
typedef
   struct {
      WhyUse   use;
      uint32_t user;            // the instance that used it
      const DcfgSliceInput* input;      // an input of .user
      uint32_t node;            // writer, or DCFG_SLICE_NOBODY, DCFG_SLICE_NOT
      bool     library;         // came through a library
      bool     before;          // .library, and values are from before the trace
      bool     unseen;          // somebody else wrote it: .node is NOBODY, and
      uint32_t loader;          // this instance loads it
      bool     of_copy;         // the place from which .user, a passed copy,
                                // loaded
      const Omitted* omitted;   // the store that did not run, if .use is
                                // USE_OMITTED; else NULL
      uint32_t first, n_passed; // copies and libraries on the way
      uint32_t n_more;          // other instances that made parts of it, or
                                // let it run
      uint64_t low, high;       // addresses of the printed bytes; or 0
   }
   WhyInput;

/* WhyCard: a step of dcfg why: the instances of a source line that ran
   together and that .head depends on; or one instance of code without lines. */
typedef
   struct {
      uint32_t  head;
      uint32_t* members;        // the head first
      size_t    n_members, members_room;
      WhyInput* inputs;         // sorted by their use
      size_t    n_inputs, inputs_room;
      uint32_t* passed;
      size_t    n_passed, passed_room;
      size_t    n_frame;        // inputs at the end that are not printed
      DcfgSliceStart* cut;      // instances from which the slice has to go on for
                                // all inputs; in a library .distance is 1, else 0
      size_t    n_cut, cut_room;
   }
   WhyCard;

/* WhySeen: the last card that met a node, and the bytes that it met. */
typedef
   struct {
      uint32_t card;
      uint64_t bytes;
   }
   WhySeen;

/* WhyCards: data that all cards of a slice share. */
typedef
   struct {
      Sliced*   f;
      uint32_t* runs;           // by node: nodes of a line ran together if they
                                // have the same number here
      WhySeen*  seen;           // by node
      uint32_t* cut;            // by node: the last card that was cut there
      uint32_t  n_cards;
      unsigned  round;          // slices that were not enough for the present card
   }
   WhyCards;

void why_cards_start(WhyCards* y, Sliced* f);
void why_cards_end(WhyCards* y);

/* Make the card C whose head is NODE; with ALL, criteria that ran with NODE
   are members, too.  Free it with why_card_free(). */
void why_card(WhyCards* y, WhyCard* c, uint32_t node, bool all);
void why_card_free(WhyCard* c);

/* Add to C's inputs the stores that did not run, but could have changed a
   value that C used, passed or made.  Most stand behind all other inputs,
   but before one which only says that nothing of the program let C run.  At
   most four, of different lines, are printed without --all; the others are
   among .n_frame.  *L gets the stores; the inputs point into it.  The caller
   frees it. */
void why_card_add_omitted(const WhyCards* y, WhyCard* c, SliceOmissions* z,
                          OmittedList* l);

/* Return the use of input IN of NODE, if NODE itself has the use OUTER: the
   less telling one of both. */
WhyUse why_use(const WhyCards* y, uint32_t node, const DcfgSliceInput* in,
               WhyUse outer);

/* Return the branch or call that let NODE run; DCFG_SLICE_NOBODY or
   DCFG_SLICE_NOT if the slice has none. */
uint32_t why_control(const DcfgSlice* s, uint32_t node);

/* Return whether NODE is a call. */
bool why_is_call(const Sliced* f, uint32_t node);

/* Return instruction INSTR with the source, line and function that steps
   print for it.  If code of a header was inlined there, these are of the
   program. */
DcfgWetInstr why_instr(const Sliced* f, uint32_t instr);

/* Return whether NODE, or INSTR, is code of a library, or of a function of a
   header of the distribution.  Steps pass such code. */
bool why_is_library(const Sliced* f, uint32_t node);
bool why_is_library_code(const Sliced* f, uint32_t instr);

/* Bytes of an instance's result are numbered as in DcfgSliceBytes.  ALL_BYTES:
   all, or it is not known which. */
#define ALL_BYTES UINT64_MAX

/* Return which bytes of the result of IN's writer made the bytes BYTES of
   IN. */
uint64_t why_bytes(const Sliced* f, const DcfgSliceInput* in, uint64_t bytes);

/* Return whether IN of NODE made any of the bytes WANTED of NODE's result, and
   set *BYTES to those of the writer's result. */
bool why_has_bytes(const Sliced* f, uint32_t node, const DcfgSliceInput* in,
                   uint64_t wanted, uint64_t* bytes);

/* Return the input of copy NODE that has the bytes *BYTES of NODE's result, which
   NODE handed on over VIA.  *BYTES gets those of the writer's result.  Return
   NULL if NODE is no copy, or has several such inputs. */
const DcfgSliceInput* why_behind_copy(const Sliced* f, uint32_t node,
                                      const DcfgSliceInput* via,
                                      uint64_t* bytes);

/* WhyForm: a way to print cards: .steps of them, or with .asks the ones that
   the user chooses; .json: for programs. */
typedef
   struct {
      bool     asks, json, all;
      uint64_t steps;
      const SliceOptions* options;      // those of the slice
   }
   WhyForm;

void why_lines(Sliced* f, const SliceView* v, const WhyForm* form);

#endif
