/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names and places of scopes. */

/* Owns: names, files and lines in DIEs.  Handed: scopes by scopes.c. */

#include "cmd/program/scope_names.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"

#include <dwarf.h>
#include <string.h>

static const char* text_of(Dwarf_Die* die, unsigned name)
{
   Dwarf_Attribute attr;

   return dwarf_attr_integrate(die, name, &attr) == NULL ? NULL
          : dwarf_formstring(&attr);
}

/* Return the path of file NUMBER of a unit; "?" if it is not known.  Before
   DWARF 5 there is no file 0; some versions of libdw do not check that. */
static const char* file_of_unit(Dwarf_Die* unit, uint64_t number)
{
   Dwarf_Half   version = 0;
   Dwarf_Die    die;
   Dwarf_Files* files;
   size_t       n;
   const char*  file = NULL;
   const char*  folder;

   if (dwarf_cu_die(unit->cu, &die, &version, NULL, NULL, NULL, NULL, NULL)
       != NULL && (number > 0 || version >= 5)
       && dwarf_getsrcfiles(&die, &files, &n) == 0 && number < n)
      file = dwarf_filesrc(files, number, NULL, NULL);
   if (file == NULL)
      return "?";
   if (file[0] != '/' && (folder = text_of(&die, DW_AT_comp_dir)) != NULL)
      file = text_format("%s/%s", folder, file);
   return text_plain_path(file);
}

/* Set F's file and line to those of DIE's declaration.  Return false if it has
   none. */
static bool find_declaration(Dwarf_Die* die, InlinedFunction* f)
{
   Dwarf_Attribute attr;
   Dwarf_Word      number;
   Dwarf_Die       unit;

   if (dwarf_attr_integrate(die, DW_AT_decl_line, &attr) == NULL
       || dwarf_formudata(&attr, &number) != 0 || number > UINT32_MAX)
      return false;
   f->line = (uint32_t)number;
   if (dwarf_attr_integrate(die, DW_AT_decl_file, &attr) == NULL
       || dwarf_formudata(&attr, &number) != 0)
      return true;
   unit    = (Dwarf_Die){ .cu = attr.cu };
   f->file = file_of_unit(&unit, number);
   return true;
}

/* Return the type of the lambda whose function DIE is; the type has the
   declaration.  Return NULL for any other function. */
static Dwarf_Die* closure_of(Scopes* s, Dwarf_Die* die)
{
   Dwarf_Attribute attr;
   Dwarf_Die       member = *die;
   uint32_t        n;

   if (dwarf_attr(die, DW_AT_specification, &attr) != NULL
       && dwarf_formref_die(&attr, &member) == NULL)
      return NULL;
   n = keymap_find(s->closure_members, (uintptr_t)member.addr);
   return n == UINT32_MAX ? NULL : &s->closures[n];
}

/* Return whether DIE is what a lambda executes.  gcc calls it artificial. */
static bool is_lambda(Scopes* s, Dwarf_Die* die)
{
   static const char operator[] = "operator()";
   const char*       name = dwarf_diename(die);

   return name != NULL && strncmp(name, operator, sizeof(operator) - 1) == 0
          && closure_of(s, die) != NULL;
}

InlinedFunction scope_function(Scopes* s, uint32_t origin)
{
   Dwarf_Die*      die = &s->origins[origin];
   const char*     name = text_of(die, DW_AT_linkage_name)
                          ?: text_of(die, DW_AT_MIPS_linkage_name)
                          ?: dwarf_diename(die);
   InlinedFunction f = { name != NULL ? name : "?", "?", 0, false };
   Dwarf_Die*      closure;
   Dwarf_Attribute attr;
   bool            flag;

   if (!find_declaration(die, &f) && (closure = closure_of(s, die)) != NULL)
      find_declaration(closure, &f);
   f.is_artificial = dwarf_attr_integrate(die, DW_AT_artificial, &attr) != NULL
                     && dwarf_formflag(&attr, &flag) == 0 && flag
                     && !is_lambda(s, die);
   return f;
}

bool scope_line(Scopes* s, uint32_t scope, uint64_t addr, const char** file,
                uint32_t* line)
{
   Dwarf_Line* at = dwarf_getsrc_die(
                       &s->units[s->scopes[scope].unit].lines, addr);
   int         number;

   if (at == NULL || dwarf_lineno(at, &number) != 0 || number < 0)
      return false;
   *file = dwarf_linesrc(at, NULL, NULL);
   *file = *file != NULL ? text_plain_path(*file) : "?";
   *line = (uint32_t)number;
   return true;
}

const char* scope_call_file(Scopes* s, uint32_t scope)
{
   return file_of_unit(&s->units[s->scopes[scope].unit].die,
                       s->scopes[scope].file);
}
