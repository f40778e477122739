/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's names for places and values. */

/* Owns: names of what instructions use.  Handed: a whole execution trace. */

#include "cmd/program/variables.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/register_word.h"

#include <stdlib.h>

Variables* variables_new(DcfgWet* w, const char* root)
{
   Variables* v = zalloc(1, sizeof(*v));

   v->w     = w;
   v->sites = sites_new(w, root);
   v->marks = zalloc(dcfg_wet_instrs(w) + (size_t)1, 1);
   return v;
}

void variables_free(Variables* v)
{
   if (v == NULL)
      return;
   sites_free(v->sites);
   free(v->marks);
   free(v);
}

const char* variables_name_register(Variables* v, uint32_t instr, unsigned reg,
                                    bool behind, VariableType* type)
{
   Word         a = register_word(v, instr, reg, behind);
   Phrase       p;
   VariableType of;

   *type = (VariableType){ .known = false };
   if (a.kind == WORD_VALUE && a.offset == 0 && a.times == 1 && !a.indexed) {
      *type = (VariableType){ .known = true, .die = a.type };
      return text_format("%s", a.phrase.text);
   }
   if (a.kind == WORD_ADDRESS && word_target(&a, 1, &p, &of)) {
      phrase_prefix(&p, "&");
      return text_format("%s", p.text);
   }
   return NULL;
}

/* Name the variable with a fixed address that has the SIZE bytes at ADDR at time
   T. */
static bool static_phrase(Variables* v, uint32_t instr, uint64_t addr,
                          uint64_t t, uint64_t size, Phrase* p,
                          VariableType* of)
{
   DebugImage* m = site_image(v->sites, instr);
   Dwarf_Die   variable, type;
   int64_t     offset;

   if (m == NULL || addr < m->low || addr >= m->high)
      m = site_image_at(v->sites, addr, t);
   if (m == NULL || !static_at(m, addr, &variable, &offset)
       || dwarf_diename(&variable) == NULL || !type_of(&variable, &type))
      return false;
   *p = (Phrase){ .full = false };
   phrase_add(p, "%s", dwarf_diename(&variable));
   return phrase_part(p, &type, offset, size, of);
}

const char* variables_name_memory(Variables* v, uint32_t instr, uint32_t access,
                                  uint64_t addr, uint64_t t, uint64_t frame,
                                  VariableType* type)
{
   const DcfgWetInstr   in = *dcfg_wet_instr(v->w, instr);
   const MemoryOperand* m;
   InstrEffect          e;
   Word                 a;
   Phrase               p = { .full = false };
   bool                 found = false;

   *type = (VariableType){ .known = false };
   if (!instr_effect(&in, &e)
       || (m = accessed_operand(&in, &e, access)) == NULL)
      return NULL;
   a = address_word(v, instr, m);
   if (a.kind != WORD_UNKNOWN && !(a.kind == WORD_ADDRESS && a.indexed))
      found = word_target(&a, m->size, &p, type);
   if (!found && addr != 0)
      found = static_phrase(v, instr, addr, t, m->size, &p, type);
   if (!found && addr != 0 && frame != 0) {
      const Site* s = site_at(v->sites, instr, in.addr);
      found = s != NULL && frame_phrase(s, (int64_t)(addr - frame), m->size,
                                        &p, type);
   }
   if (!found && a.indexed)
      found = word_target(&a, m->size, &p, type);
   if (!found || p.full) {
      type->known = false;
      return NULL;
   }
   return text_format("%s", p.text);
}
