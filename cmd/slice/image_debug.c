/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information and symbols of an image. */

/* Owns: which variable has an address, and whether a line has code.  Handed:
   a whole execution trace. */

#include "cmd/slice/image_debug.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/machine/debug_file.h"
#include "cmd/base/names.h"
#include "cmd/shared/wet_program.h"
#include "cmd/machine/wet_place.h"

#include <elfutils/libdw.h>
#include <inttypes.h>
#include <string.h>

/* Open the debug information and the symbols of the image of AT, at the
   addresses of the run.  Look for the image's file below ROOT first, unless
   ROOT is NULL.  Return NULL if the file cannot be read, or is of another
   build.  The caller ends the result with dwfl_end(). */
static Dwfl* open_debug(const DcfgWetInstr* at, const char* root,
                        Dwfl_Module** module)
{
   return at->image_name == NULL ? NULL
          : debug_file_open(image_path_below(root, at->image_name),
                            &at->image_load, at->image_build_id, module, NULL);
}

/* Open the debug information of the next image of the program, from instruction
   *I on; *I becomes the first instruction behind that image.  Return NULL if
   there is none. */
static Dwfl* open_next(DcfgWet* w, uint32_t* i, const char* root,
                       Dwfl_Module** module)
{
   const char* program = wet_program(w);
   Dwfl*       dwfl = NULL;

   for (; *i < dcfg_wet_instrs(w) && dwfl == NULL; *i = image_end(w, *i)) {
      DcfgWetInstr at = *dcfg_wet_instr(w, *i);
      if (is_of_program(at.image_name, program, NULL))
         dwfl = open_debug(&at, root, module);
   }
   return dwfl;
}

static const char* symbol_at(Dwfl_Module* module, uint64_t addr)
{
   GElf_Sym    sym;
   GElf_Off    offset;
   const char* name = dwfl_module_addrinfo(module, addr, &offset, &sym, NULL,
                                           NULL, NULL);

   if (name == NULL || GELF_ST_TYPE(sym.st_info) != STT_OBJECT
       || offset >= sym.st_size)
      return NULL;
   name = text_clean(text_demangle(name));
   return offset == 0 ? text_format("%s", name)
          : text_format("%s+%" PRIu64, name, offset);
}

const char* variable_at(DcfgWet* w, ImageTimes* times, uint64_t addr,
                        uint64_t t, const char* root)
{
   uint32_t     first = image_at(times, addr, t);
   const char*  found = NULL;
   Dwfl_Module* module;
   DcfgWetInstr at;
   Dwfl*        dwfl;

   if (first == DCFG_NONE)
      return NULL;
   at   = *dcfg_wet_instr(w, first);
   dwfl = !is_of_program(at.image_name, wet_program(w), NULL) ? NULL
          : open_debug(&at, root, &module);
   if (dwfl != NULL) {
      found = symbol_at(module, addr);
      dwfl_end(dwfl);
   }
   return found;
}

/* Return whether MODULE has code for LINE of SOURCE.  Set *ANY if it has
   code for any line of that file. */
static bool has_line(Dwfl_Module* module, const char* source, uint64_t line,
                     bool* any)
{
   const char* base = text_base(source);
   Dwarf_Die*  unit = NULL;
   Dwarf_Addr  bias;
   bool        found = false;

   while (!found && (unit = dwfl_module_nextcu(module, unit, &bias)) != NULL) {
      Dwarf_Lines* lines;
      size_t       n;
      if (dwarf_getsrclines(unit, &lines, &n) != 0)
         continue;
      for (size_t i = 0; i < n && !found; i++) {
         Dwarf_Line* at = dwarf_onesrcline(lines, i);
         const char* name = dwarf_linesrc(at, NULL, NULL);
         int         number;
         bool        end;
         if (name == NULL || strcmp(text_base(name), base) != 0
             || dwarf_lineendsequence(at, &end) != 0 || end)
            continue;
         *any  = true;
         found = dwarf_lineno(at, &number) == 0 && (uint64_t)number == line;
      }
   }
   return found;
}

LineCode line_code(DcfgWet* w, const char* source, uint64_t line,
                   const char* root)
{
   bool         any = false, found = false;
   uint32_t     i = 0;
   Dwfl_Module* module;
   Dwfl*        dwfl;

   while (!found && (dwfl = open_next(w, &i, root, &module)) != NULL) {
      found = has_line(module, source, line, &any);
      dwfl_end(dwfl);
   }
   return found ? CODE_SOME : any ? CODE_NONE : CODE_UNKNOWN;
}
