/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names and values of inputs. */

#ifndef DCFG_CMD_WHY_WORDS_H
#define DCFG_CMD_WHY_WORDS_H

#include "cmd/slice/slice_query.h"
#include "cmd/program/variables.h"

/* All texts here last until text_forget(). */

/* Return the value that N computed, as one of TYPE.  If TYPE is not known, a
   small value is decimal.  Return "" if no value was recorded.  If an
   instruction writes two registers, only the first value is known. */
const char* why_value(const Sliced* f, const DcfgSliceNode* n,
                      const VariableType* type);

/* Return the name of the function of IN, which must have one. */
const char* why_function(const DcfgWetInstr* in);

/* Return the source's name for the place from which instruction USER reads
   IN, and set *TYPE; NULL if it has none.  The name is the same for all
   instances. */
const char* why_place_name(TraceProgram* names, uint32_t user,
                           const DcfgSliceInput* in, VariableType* type);

/* Return the value that node USER got over IN, as one of TYPE; "" if it is
   not known. */
const char* why_input_value(const Sliced* f, uint32_t user,
                            const DcfgSliceInput* in, const VariableType* type);

/* Return "percent()" if IN of node USER is the register of results, and
   function percent() wrote it, which is not USER's function.  Else return
   NULL. */
const char* why_returned(const Sliced* f, uint32_t user,
                         const DcfgSliceInput* in);

/* Return the number that is the answer LINE; 0 if it is none. */
size_t why_choice(const char* line);

/* Say why the answer LINE leads nowhere.  N: the inputs that have numbers;
   LISTS: the user may ask for the list. */
void why_no_answer(const char* line, size_t n, bool lists);

#endif /* DCFG_CMD_WHY_WORDS_H */
