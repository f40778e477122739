/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Effects of instructions on registers and addresses. */

/* Owns: the effect of single instructions.  Handed: instructions of a whole
   execution trace; what their processor knows. */

#include "cmd/machine/instr_effect.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"

#include <capstone/capstone.h>

bool instr_effect(const DcfgWetInstr* in, InstrEffect* e)
{
   static csh       h;          // a decoder of the last processor
   static cs_insn*  i;
   static const Processor* last;
   const Processor* p = processor_numbered(in->machine);
   const uint8_t*   code = in->code;
   size_t           left = in->size;
   uint64_t         addr = in->addr;

   if (p->tell_effect == NULL)
      return false;
   if (last != p) {
      if (last != NULL) {
         cs_free(i, 1);
         cs_close(&h);
      }
      if (cs_open((cs_arch)p->arch, (cs_mode)p->mode, &h) != CS_ERR_OK)
         die("Capstone cannot decode this machine's code");
      cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
      i    = need(cs_malloc(h));
      last = p;
   }
   *e = (InstrEffect){ .to = NO_REGISTER, .from = NO_REGISTER };
   if (!cs_disasm_iter(h, &code, &left, &addr, i))
      return false;
   e->size = (uint8_t)i->size;
   for (uint8_t k = 0; k < i->detail->groups_count; k++) {
      e->call    |= i->detail->groups[k] == CS_GRP_CALL;
      e->returns |= i->detail->groups[k] == CS_GRP_RET;
      e->jumps   |= i->detail->groups[k] == CS_GRP_JUMP;
   }
   p->tell_effect(h, i, e);
   return true;
}

const MemoryOperand* accessed_operand(const DcfgWetInstr* in,
                                      const InstrEffect* e, uint32_t access)
{
   if (e->n_memory == 0 || (access == ACCESS_WRITTEN && !in->stores))
      return NULL;
   /* If there are two, as in MOVS, the first one is written. */
   if (e->n_memory == 2)
      return &e->memory[access == ACCESS_WRITTEN || access > 0 ? 0 : 1];
   /* PUSH and CALL write the stack, and POP reads it. */
   if (e->on_stack && (access == ACCESS_WRITTEN ? in->loads : access > 0))
      return NULL;
   return &e->memory[0];
}
