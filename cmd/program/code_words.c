/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of code, whether it was executed or not. */

/* Owns: lines, functions and frames of code addresses.  Handed: a whole
   execution trace, its images. */

#include "cmd/program/code_words.h"

#include "cmd/base/format.h"
#include "cmd/program/stubs.h"
#include "cmd/program/frame_rule.h"
#include "cmd/program/register_word.h"

#include <string.h>

uint32_t code_line(Variables* v, uint32_t instr, uint64_t addr,
                   const char** source)
{
   DebugImage* m = site_image(v->sites, instr);
   Dwarf_Addr  bias;
   Dwarf_Die*  unit = m == NULL ? NULL : debug_unit(m, addr, &bias);
   Dwarf_Line* at = unit == NULL ? NULL : dwarf_getsrc_die(unit, addr - bias);
   int         line = 0;

   *source = at == NULL || dwarf_lineno(at, &line) != 0 || line <= 0 ? NULL
             : dwarf_linesrc(at, NULL, NULL);
   return *source == NULL ? 0 : (uint32_t)line;
}

const char* code_function(Variables* v, uint32_t instr, uint64_t addr,
                          uint64_t* begin)
{
   DebugImage* m = site_image(v->sites, instr);
   GElf_Sym    sym;
   GElf_Off    offset;
   const char* name = m == NULL ? NULL
                      : dwfl_module_addrinfo(m->module, addr, &offset, &sym,
                                             NULL, NULL, NULL);

   if (name == NULL || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
      return NULL;
   *begin = addr - offset;
   return name;
}

const char* code_called(Variables* v, uint32_t instr, uint64_t addr,
                        const uint8_t* code, size_t size)
{
   DebugImage* m = site_image(v->sites, instr);
   GElf_Addr   bias;
   Elf*        elf = m == NULL ? NULL : dwfl_module_getelf(m->module, &bias);

   if (elf == NULL)
      return NULL;
   if (m->stubs == NULL)
      m->stubs = stubs_new(elf);
   return stubs_name(m->stubs, code, size, addr - bias);
}

bool code_frame(Variables* v, uint32_t instr, uint64_t addr, unsigned* reg,
                int64_t* offset)
{
   DebugImage*      m = site_image(v->sites, instr);
   const Processor* p = processor_numbered(dcfg_wet_instr(v->w, instr)->machine);

   return m != NULL && frame_rule(m, p, addr, reg, offset);
}

bool code_variable(Variables* v, uint64_t addr, uint64_t t, uint64_t* low,
                   uint64_t* high)
{
   DebugImage* m = site_image_at(v->sites, addr, t);
   Dwarf_Die   variable, type;
   int64_t     offset;

   if (m == NULL || !static_at(m, addr, &variable, &offset)
       || !type_of(&variable, &type))
      return false;
   *low  = addr - (uint64_t)offset;
   *high = *low + type_size(&type);
   return true;
}

void code_of_line(Variables* v, uint32_t instr, const char* source,
                  uint64_t line, void (*tell)(void* arg, uint64_t addr),
                  void* arg)
{
   DebugImage* m = site_image(v->sites, instr);
   Dwarf_Die*  unit = NULL;
   Dwarf_Addr  bias;

   while (m != NULL
          && (unit = dwfl_module_nextcu(m->module, unit, &bias)) != NULL) {
      Dwarf_Lines* lines;
      size_t       n;
      if (dwarf_getsrclines(unit, &lines, &n) != 0)
         continue;
      for (size_t i = 0; i < n; i++) {
         Dwarf_Line* at = dwarf_onesrcline(lines, i);
         const char* name = dwarf_linesrc(at, NULL, NULL);
         Dwarf_Addr  addr;
         int         number;
         bool        end;
         if (name != NULL && strcmp(text_base(name), text_base(source)) == 0
             && dwarf_lineendsequence(at, &end) == 0 && !end
             && dwarf_lineno(at, &number) == 0 && (uint64_t)number == line
             && dwarf_lineaddr(at, &addr) == 0)
            tell(arg, addr + bias);
      }
   }
}

void code_functions(Variables* v, uint32_t instr,
                    void (*tell)(void* arg, uint64_t addr), void* arg)
{
   DebugImage* m = site_image(v->sites, instr);
   int         n = m == NULL ? 0 : dwfl_module_getsymtab(m->module);

   for (int i = 0; i < n; i++) {
      GElf_Sym  sym;
      GElf_Addr addr;
      if (dwfl_module_getsym_info(m->module, i, &sym, &addr, NULL, NULL, NULL)
             != NULL
          && GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size > 0)
         tell(arg, addr);
   }
}
