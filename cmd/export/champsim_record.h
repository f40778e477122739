/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Makes the records of ChampSim's traces: one for each instruction. */

#ifndef DCFG_CMD_CHAMPSIM_RECORD_H
#define DCFG_CMD_CHAMPSIM_RECORD_H

#include "lib/dcfg_wet.h"

/* Numbers of places in a record for destinations and for sources. */
#define CHAMPSIM_DST 2
#define CHAMPSIM_SRC 4

/* ChampsimRecord: an executed instruction in a trace: ChampSim's struct
   input_instr, in the host's byte order.  A place of 0 is empty. */
typedef
   struct {
      uint64_t ip;
      uint8_t  is_branch, taken;
      uint8_t  dst[CHAMPSIM_DST], src[CHAMPSIM_SRC];    // registers
      uint64_t dst_mem[CHAMPSIM_DST], src_mem[CHAMPSIM_SRC];
   }
   ChampsimRecord;

/* ChampsimOperand: an access that has a place in a record. */
typedef
   struct {
      uint32_t access;          // number among the instruction's accesses
      bool     reads, writes;
   }
   ChampsimOperand;

/* ChampsimInstr: the part that all records of an instruction have in common. */
typedef
   struct {
      ChampsimRecord  record;   // without addresses
      uint32_t        operands; // index of the first in ChampsimCode.operands
      uint32_t        n_operands;
      bool            repeats;  // is a record one iteration of it?
      uint8_t         left_flags, left_registers;   // without place in .record
   }
   ChampsimInstr;

/* ChampsimCode: the instructions of a whole execution trace. */
typedef
   struct {
      ChampsimInstr*   instrs;          // by number
      ChampsimOperand* operands;
      size_t           n_operands, room;
   }
   ChampsimCode;

/* Return the records of all instructions of W, for champsim_code_free().  Die
   if memory is short. */
ChampsimCode champsim_code(DcfgWet* w);
void         champsim_code_free(ChampsimCode* c);

#endif /* DCFG_CMD_CHAMPSIM_RECORD_H */
