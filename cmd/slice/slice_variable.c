/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Where variables are. */

/* Owns: where a variable of the source is, at an instruction.  Handed: names.
   Taken by: slice_query.c.

   DWARF's locations are read by elfutils' libdw from the program's file, as it
   is now.  A place in the function's frame is told from the call frame's
   address, which the library knows from the trace; the frame pointer is taken
   for the frame's base where DWARF says that it is, which is two words below
   that. */

#include "cmd/slice/slice_variable.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/machine/processor.h"
#include "cmd/machine/same_build.h"
#include "cmd/slice/wet_place.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      const char*     name;
      Dwarf_Addr      pc;       // in the file's addresses
      Dwarf_Addr      bias;     // of the run's
      uint32_t        address_size;
      const Processor* processor;
      Dwarf_Die       variable;
      Dwarf_Attribute frame;    // its function's base
      bool            has_frame;
   }
   Search;

static _Noreturn void nowhere(const Search* s, const char* why)
{
   die("--of: the variable `%s' is in no place at 0x%" PRIx64 ": %s", s->name,
       (uint64_t)(s->pc + s->bias), why);
}

/*--- The variable                                         ---*/

static bool is_it(const Search* s, Dwarf_Die* die)
{
   int         tag = dwarf_tag(die);
   const char* name;

   if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
      return false;
   name = dwarf_diename(die);
   return name != NULL && strcmp(name, s->name) == 0;
}

static bool find_child(Search* s, Dwarf_Die* scope)
{
   Dwarf_Die child;

   if (dwarf_child(scope, &child) != 0)
      return false;
   do {
      Dwarf_Attribute location;
      if (!is_it(s, &child))
         continue;
      s->variable = child;
      if (dwarf_attr_integrate(&child, DW_AT_location, &location) != NULL
          || dwarf_tag(&child) == DW_TAG_formal_parameter)
         return true;
   } while (dwarf_siblingof(&child, &child) == 0);
   return s->variable.addr != NULL;
}

/* The innermost variable of the name whose scope has the code. */
static bool find_variable(Search* s, Dwarf_Die* unit)
{
   Dwarf_Die* scopes;
   int        n = dwarf_getscopes(unit, s->pc, &scopes);
   bool       found = false;

   for (int i = 0; i < n; i++) {
      int tag = dwarf_tag(&scopes[i]);
      found = found || find_child(s, &scopes[i]);
      if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
          && !s->has_frame)
         s->has_frame = dwarf_attr_integrate(&scopes[i], DW_AT_frame_base,
                                             &s->frame) != NULL;
   }
   if (n > 0)
      free(scopes);
   return found || find_child(s, unit);
}

/*--- Its place                                            ---*/

static uint64_t size_of(Search* s)
{
   Dwarf_Attribute attr;
   Dwarf_Die       type;
   Dwarf_Word      size;

   if (dwarf_formref_die(dwarf_attr_integrate(&s->variable, DW_AT_type,
                                              &attr), &type) == NULL
       || dwarf_aggregate_size(&type, &size) != 0 || size == 0)
      return 8;
   return size;
}

/* How far its function's frame base is from the call frame's address. */
static int64_t frame_base(const Search* s)
{
   Dwarf_Attribute frame = s->frame;
   Dwarf_Op* op;
   size_t    n;

   if (s->has_frame && dwarf_getlocation_addr(&frame, s->pc, &op, &n, 1) == 1
       && n == 1) {
      if (op[0].atom == DW_OP_call_frame_cfa)
         return 0;
      if (op[0].atom == DW_OP_reg0 + s->processor->dwarf_frame)
         return -2 * (int64_t)s->address_size;
   }
   nowhere(s, "its function's frame is not told from the call's");
}

static void take_register(Search* s, unsigned number, DcfgSliceQuery* q)
{
   q->of    = DCFG_SLICE_REGISTER;
   q->place = register_of_dwarf(s->processor, number);
   if (q->place == UINT32_MAX)
      nowhere(s, "it is in a register that is not followed");
}

static void take_location(Search* s, const Dwarf_Op* op, size_t n,
                          DcfgSliceQuery* q)
{
   q->size = size_of(s);
   if (n == 1 && op[0].atom == DW_OP_fbreg) {
      q->of    = DCFG_SLICE_FRAME;
      q->place = (uint64_t)frame_base(s) + op[0].number;
   } else if (n == 1 && op[0].atom == DW_OP_addr) {
      q->of    = DCFG_SLICE_MEMORY;
      q->place = op[0].number + s->bias;
   } else if (n == 1 && op[0].atom >= DW_OP_reg0
              && op[0].atom <= DW_OP_reg31) {
      take_register(s, op[0].atom - DW_OP_reg0, q);
   } else if (n == 1 && op[0].atom == DW_OP_regx) {
      take_register(s, (unsigned)op[0].number, q);
   } else {
      for (size_t i = 0; i < n; i++) {
         if (op[i].atom == DW_OP_piece || op[i].atom == DW_OP_bit_piece)
            nowhere(s, "it is in several; --of one of its registers or "
                       "memory can be asked");
         if (op[i].atom == DW_OP_stack_value
             || op[i].atom == DW_OP_implicit_value
             || op[i].atom == DW_OP_implicit_pointer)
            nowhere(s, "the compiler has left only a rule that says what its "
                       "value is");
      }
      nowhere(s, "its location is computed");
   }
}

static void find_place(Search* s, DcfgSliceQuery* q)
{
   Dwarf_Attribute attr;
   Dwarf_Op*       op;
   size_t          n;

   if (dwarf_attr_integrate(&s->variable, DW_AT_location, &attr) == NULL)
      nowhere(s, "the compiler has left none");
   if (dwarf_getlocation_addr(&attr, s->pc, &op, &n, 1) != 1 || n == 0)
      nowhere(s, "there it has no value any more, or not yet");
   take_location(s, op, n, q);
}

/*--- The file                                             ---*/

void variable_place(const DcfgWetInstr* at, const char* name,
                    const char* root, DcfgSliceQuery* q)
{
   static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = dwfl_standard_find_debuginfo,
      .section_address = dwfl_offline_section_address
   };
   Search       s = { .name = name, .address_size = at->address_size,
                       .processor = processor_numbered(at->machine) };
   Dwfl*        dwfl = dwfl_begin(&callbacks);
   Dwfl_Module* module;
   Dwarf_Die*   unit;
   Dwarf_Addr   start, offset;
   const char*  path;
   const char*  other;
   int          fd;

   if (dwfl == NULL || at->image_name == NULL)
      die("--of: there is no file to look for the variable `%s' in", name);
   path = image_path_below(root, at->image_name);
   fd = open_regular(path);
   if (fd < 0)
      die("--of: %s cannot be read", path);
   dwfl_report_begin(dwfl);
   /* Where the run had it, so that all addresses are as they were. */
   module = dwfl_report_elf(dwfl, "", path, fd, at->image_load, false);
   if (module == NULL)
      die("--of: %s: %s", path, dwfl_errmsg(-1));
   dwfl_report_end(dwfl, NULL, NULL);
   other = debug_difference(module, at->image_build_id);
   if (other != NULL)
      die("--of: %s", other);
   dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
   unit = dwfl_module_addrdie(module, at->addr, &offset);
   if (unit == NULL)
      die("--of: %s has no debug information for 0x%" PRIx64,
          path, at->addr);
   s.bias = offset;
   s.pc   = at->addr - offset;
   if (!find_variable(&s, unit))
      die("--of: `%s' is no register, no memory, and no variable that "
          "0x%" PRIx64 " knows", name, at->addr);
   find_place(&s, q);
   dwfl_end(dwfl);
}
