/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How instructions use registers. */

/* Owns: the roles of registers in a whole execution trace.  Handed: the
   trace; what its processor knows. */

#include "cmd/machine/roles.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>

static csh open_decoder(const Processor* p)
{
   csh h;

   if (cs_open((cs_arch)p->arch, (cs_mode)p->mode, &h) != CS_ERR_OK)
      die("Capstone cannot decode this machine's code");
   cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
   return h;
}

/* Tell the library which values of W begin with loaded bytes: those of copies,
   and of copies that extend. */
static void say_loads(DcfgWet* w, const Roles* r)
{
   for (uint32_t k = 0; k < dcfg_wet_instrs(w); k++)
      r->loads[k] = r->copies[k] || r->widens[k];
   if (!dcfg_wet_tell_loads(w, r->loads))
      die("out of memory");
}

Roles roles_new(DcfgWet* w)
{
   uint32_t n = dcfg_wet_instrs(w);
   Roles    r = { zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(bool)) };
   const Processor* p = processor_of(w);
   csh              h = open_decoder(p);

   p->find_roles(w, h, &r);
   for (uint32_t k = 0; k < n; k++)
      r.saves[k] &= p->kept;
   cs_close(&h);
   say_loads(w, &r);
   return r;
}

void tell_loads(DcfgWet* w)
{
   Roles r = roles_new(w);

   roles_free(&r);
}

void roles_free(Roles* r)
{
   free(r->addresses);
   free(r->targets);
   free(r->lengths);
   free(r->saves);
   free(r->lookups);
   free(r->copies);
   free(r->widens);
   free(r->loads);
   free(r->moved);
   free(r->calls);
}

void instr_text(const DcfgWetInstr* in, char* text, size_t size)
{
   static csh     h;            // all instructions are of one program
   const uint8_t* code = in->code;
   size_t         left = in->size;
   uint64_t       addr = in->addr;
   cs_insn*       i;

   if (h == 0)
      h = open_decoder(processor_numbered(in->machine));
   i = need(cs_malloc(h));
   if (cs_disasm_iter(h, &code, &left, &addr, i))
      snprintf(text, size, "%s%s%s", i->mnemonic, i->op_str[0] ? " " : "",
               i->op_str);
   else
      snprintf(text, size, "?");
   cs_free(i, 1);
}
