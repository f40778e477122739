/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of code, whether it was executed or not. */

#ifndef DCFG_CMD_CODE_WORDS_H
#define DCFG_CMD_CODE_WORDS_H

#include "cmd/program/variables.h"

/* In all functions here, INSTR is any instruction of the image that has ADDR,
   and both are addresses of the run.  Texts live as long as V. */

/* Return the line of the code at ADDR, and its file in *SOURCE; 0 if it is not
   known. */
uint32_t code_line(Variables* v, uint32_t instr, uint64_t addr,
                   const char** source);

/* Return the symbol of the function at ADDR, not demangled, and its address in
   *BEGIN; NULL if there is none. */
const char* code_function(Variables* v, uint32_t instr, uint64_t addr,
                          uint64_t* begin);

/* Return the function that the linkage stub at ADDR jumps to.  CODE: its SIZE
   bytes.  Return NULL if they are no stub. */
const char* code_called(Variables* v, uint32_t instr, uint64_t addr,
                        const uint8_t* code, size_t size);

/* Find the rule for the call frame address just before the instruction at ADDR:
   *OFFSET + the value of register *REG.  Return false if there is none. */
bool code_frame(Variables* v, uint32_t instr, uint64_t addr, unsigned* reg,
                int64_t* offset);

/* Find the variable with a fixed address that has the byte at ADDR at time T: it
   begins at *LOW and ends before *HIGH.  Return false if there is none. */
bool code_variable(Variables* v, uint64_t addr, uint64_t t, uint64_t* low,
                   uint64_t* high);

/* Call TELL for each address at which code of LINE of SOURCE begins, in the
   image of INSTR. */
void code_of_line(Variables* v, uint32_t instr, const char* source,
                  uint64_t line, void (*tell)(void* arg, uint64_t addr),
                  void* arg);

/* Call TELL for the address of each function in the image of INSTR. */
void code_functions(Variables* v, uint32_t instr,
                    void (*tell)(void* arg, uint64_t addr), void* arg);

#endif /* DCFG_CMD_CODE_WORDS_H */
