/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of code, whether it was executed or not. */

#ifndef DCFG_CMD_CODE_WORDS_H
#define DCFG_CMD_CODE_WORDS_H

#include "cmd/variables/variables.h"

/* In all of these, INSTR is an instruction of the same image as ADDR, and both
   are addresses of the run.  Texts live as long as V. */

/* The line of the code at ADDR; 0 if nobody knows.  *SOURCE is its file. */
uint32_t code_line(Variables* v, uint32_t instr, uint64_t addr,
                   const char** source);

/* The symbol of the function at ADDR, not demangled; NULL if there is none.
   *BEGIN is where it begins. */
const char* code_function(Variables* v, uint32_t instr, uint64_t addr,
                          uint64_t* begin);

/* The function whose linkage stub is the SIZE bytes of CODE at ADDR; NULL if
   they are no stub. */
const char* code_called(Variables* v, uint32_t instr, uint64_t addr,
                        const uint8_t* code, size_t size);

/* Just before the instruction at ADDR the call frame address of its activation
   is *OFFSET + what register *REG holds.  False if nobody knows. */
bool code_frame(Variables* v, uint32_t instr, uint64_t addr, unsigned* reg,
                int64_t* offset);

/* The variable that has ADDR and a fixed place begins at *LOW and ends before
   *HIGH.  False if there is none. */
bool code_variable(Variables* v, uint64_t addr, uint64_t* low, uint64_t* high);

/* Call TELL for each address at which a part of LINE of SOURCE begins, in the
   image of INSTR. */
void code_of_line(Variables* v, uint32_t instr, const char* source,
                  uint64_t line, void (*tell)(void* arg, uint64_t addr),
                  void* arg);

/* Call TELL for each address at which a function begins, in the image of
   INSTR. */
void code_functions(Variables* v, uint32_t instr,
                    void (*tell)(void* arg, uint64_t addr), void* arg);

#endif /* DCFG_CMD_CODE_WORDS_H */
