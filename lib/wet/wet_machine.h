/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors of whole execution traces. */

#ifndef DCFG_LIB_WET_MACHINE_H
#define DCFG_LIB_WET_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* WetMachine: a processor, for readers of its traces. */
typedef
   struct {
      uint32_t number;          // as ELF files have it
      uint32_t address_size;    // bytes
      bool     links;           // calls leave the return address in a register
      uint8_t  vector_size;     // granules of a vector register
      uint8_t  n_given;         // registers that a signal's handler is given,
      uint8_t  given[8];        // the stack pointer among them
      uint8_t  stack;           // the stack pointer's register
      uint8_t  stack_argument;  // register that has clone()'s stack
      /* Return the target of the direct branch of N bytes at CODE, whose
         address is ADDR. */
      uint64_t (*target)(const uint8_t* code, uint32_t n, uint64_t addr);
      uint8_t  goes_back[4];    // if .links: a jump to where calls return to
   }
   WetMachine;

/* NULL: none that is known. */
const WetMachine* wet_machine(uint32_t number);

/* Is that indirect jump one as longjmp has, to where a call returned to? */
bool wet_goes_back(const WetMachine* m, const uint8_t* code, uint32_t n);

#endif /* DCFG_LIB_WET_MACHINE_H */
