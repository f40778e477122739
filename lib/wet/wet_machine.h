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
      uint32_t number;          // e_machine of ELF
      uint32_t address_size;    // bytes
      bool     links;           // calls leave the return address in a register
      uint8_t  vector_size;     // granules of a vector register
      uint8_t  n_given;         // registers that a handler gets from the kernel
      uint8_t  given[8];        // they, and the stack pointer
      uint8_t  stack;           // register with the stack pointer
      uint8_t  stack_argument;  // register with clone()'s stack
      /* Return the target of the direct branch of N bytes at CODE, whose
         address is ADDR. */
      uint64_t (*target)(const uint8_t* code, uint32_t n, uint64_t addr);
      uint8_t  goes_back[4];    // if .links: the jump of longjmp
   }
   WetMachine;

/* Return the processor with this number of ELF; NULL if it is not known. */
const WetMachine* wet_machine(uint32_t number);

/* Return whether the indirect jump is longjmp's, to an address where a call
   returned. */
bool wet_goes_back(const WetMachine* m, const uint8_t* code, uint32_t n);

#endif /* DCFG_LIB_WET_MACHINE_H */
