/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Records of ChampSim's traces. */

#ifndef DCFG_CMD_CHAMPSIM_RECORD_H
#define DCFG_CMD_CHAMPSIM_RECORD_H

#include "lib/dcfg_wet.h"

#define CHAMPSIM_DST 2
#define CHAMPSIM_SRC 4

/* ChampsimRecord: an executed instruction, as ChampSim reads it: its struct
   input_instr, in the host's byte order.  A register or address of 0 is
   none. */
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

/* ChampsimInstr: all that the records of an instruction have in common. */
typedef
   struct {
      ChampsimRecord  record;   // without addresses
      uint32_t        operands; // the first one in .operands
      uint32_t        n_operands;
      uint8_t         left_flags, left_registers;   // have no place in .record
   }
   ChampsimInstr;

typedef
   struct {
      ChampsimInstr*   instrs;          // by number
      ChampsimOperand* operands;
      size_t           n_operands, room;
   }
   ChampsimCode;

/* Return the records of all instructions of W.  Exits if memory is short. */
ChampsimCode champsim_code(DcfgWet* w);
void         champsim_code_free(ChampsimCode* c);

#endif /* DCFG_CMD_CHAMPSIM_RECORD_H */
