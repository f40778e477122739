/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Call frame addresses. */

/* Owns: the rules for unwinding frames.  Handed: debug information of an
   image. */

#include "cmd/program/frame_rule.h"

#include <dwarf.h>
#include <stdlib.h>

static bool read_rule(Dwarf_CFI* cfi, const Processor* p, Dwarf_Addr pc,
                      unsigned* reg, int64_t* offset)
{
   Dwarf_Frame* frame;
   Dwarf_Op*    op;
   size_t       n;
   bool         found = false;

   if (cfi == NULL || dwarf_cfi_addrframe(cfi, pc, &frame) != 0)
      return false;
   if (dwarf_frame_cfa(frame, &op, &n) == 0 && n == 1) {
      bool any = op[0].atom == DW_OP_bregx;
      found   = any || (op[0].atom >= DW_OP_breg0
                        && op[0].atom <= DW_OP_breg31);
      *reg    = register_of_dwarf(p, any ? (unsigned)op[0].number
                                     : op[0].atom - (unsigned)DW_OP_breg0);
      *offset = (int64_t)(any ? op[0].number2 : op[0].number);
   }
   free(frame);
   return found;
}

bool frame_rule(const DebugImage* m, const Processor* p, uint64_t addr,
                unsigned* reg, int64_t* offset)
{
   Dwarf_Addr bias;
   Dwarf_CFI* cfi = dwfl_module_eh_cfi(m->module, &bias);

   if (read_rule(cfi, p, addr - bias, reg, offset))
      return true;
   cfi = dwfl_module_dwarf_cfi(m->module, &bias);
   return read_rule(cfi, p, addr - bias, reg, offset);
}
