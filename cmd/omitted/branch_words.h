/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Words for code and branches that kept it from running. */

#ifndef DCFG_CMD_BRANCH_WORDS_H
#define DCFG_CMD_BRANCH_WORDS_H

#include "cmd/variables/code_words.h"

/* Return the words for the code at ADDR: "line 31"; "rules.c:31" if the line
   is not of SOURCE; or "0x1091bd" without a line.  ADDR is in the image of
   instruction NEAR.  All texts here last until text_forget(). */
const char* code_text(Variables* v, uint32_t near, uint64_t addr,
                      const char* source);

/* Return "was false", "was true" or "went to line 35" for the branch at
   ADDR, which went to TAKEN and not to OTHER. */
const char* direction_text(Variables* v, uint32_t near, uint64_t addr,
                           uint64_t taken, uint64_t other);

#endif /* DCFG_CMD_BRANCH_WORDS_H */
