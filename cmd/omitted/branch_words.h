/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Words for code and branches that kept it from running. */

#ifndef DCFG_CMD_BRANCH_WORDS_H
#define DCFG_CMD_BRANCH_WORDS_H

#include "cmd/variables/code_words.h"

/* "line 31", "rules.c:31" if that is not of SOURCE, or "0x1091bd" if no line is
   known; ADDR is in the image of instruction NEAR.  All texts here last until
   text_forget(). */
const char* code_text(Variables* v, uint32_t near, uint64_t addr,
                      const char* source);

/* "was false", "was true", or "went to line 35", of a branch at ADDR that went
   to TAKEN and not to OTHER. */
const char* direction_text(Variables* v, uint32_t near, uint64_t addr,
                           uint64_t taken, uint64_t other);

#endif /* DCFG_CMD_BRANCH_WORDS_H */
