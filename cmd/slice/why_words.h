/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names and values of inputs. */

#ifndef DCFG_CMD_WHY_WORDS_H
#define DCFG_CMD_WHY_WORDS_H

#include "cmd/slice/slice_query.h"
#include "cmd/variables/variables.h"

/* All texts here last until text_forget(). */

/* The value that N computed, as one of TYPE; in decimal if that is not known and
   the value is small; "" if no value was recorded.  Of an instruction that
   writes two registers only the first is known. */
const char* why_value(const Sliced* f, const DcfgSliceNode* n,
                      const VariableType* type);

/* The name of the function that IN is in, which there is. */
const char* why_function(const DcfgWetInstr* in);

/* The program's name for what instruction USER reads over IN, and its *TYPE;
   NULL if it has none.  The same for all instances. */
const char* why_place_name(Variables* names, uint32_t user,
                           const DcfgSliceInput* in, VariableType* type);

/* The value, as one of TYPE, that node USER got over IN; "" if it is not
   known. */
const char* why_input_value(const Sliced* f, uint32_t user,
                            const DcfgSliceInput* in, const VariableType* type);

/* "percent()", if what node USER got over IN is in the register that a
   function's result is in; or NULL. */
const char* why_returned(const Sliced* f, uint32_t user,
                         const DcfgSliceInput* in);

#endif /* DCFG_CMD_WHY_WORDS_H */
