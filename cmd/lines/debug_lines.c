/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines of ELF files. */

/* Owns: lines and functions from debug information.  Handed: an ELF file's
   path.

   elfutils' libdwfl does the reading. */

#include "cmd/lines/coverage.h"

#include "cmd/base/keymap.h"
#include "cmd/program/elf_file.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* Declaration: the debug information's entry for the function whose code begins
   at an address. */
typedef
   struct {
      const char* name;         // the linkage name
      uint32_t    file, line;   // line 0: not known
      bool        is_optimised;
   }
   Declaration;

typedef
   struct {
      DebugLines* d;
      const char* dir;          // the unit's compilation directory
      Interned*   names;
      KeyMap*     numbers;      // key: name; number: index in .files
      KeyMap*     entries;      // key: address; number: index of the
                                // declaration
      Declaration* declarations;
      size_t      n_declarations, declaration_room;
      bool        tells;        // the unit's compiler wrote its options, and
      bool        is_optimised; // they ask for optimisation
   }
   Reader;

/*--- Files                                                ---*/

static uint32_t file_number(Reader* r, const char* path)
{
   uint32_t n = keymap_number(r->numbers, (uintptr_t)intern(r->names, path));

   if (n == r->d->n_files) {
      r->d->files = need(realloc(r->d->files,
                                 (n + 1) * sizeof(*r->d->files)));
      r->d->files[n] = text_copy(path);
      r->d->n_files++;
   }
   return n;
}

/*--- Lines                                                ---*/

static const char* compilation_dir(Dwarf_Die* unit)
{
   Dwarf_Attribute attr;
   const char*     dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir,
                                                     &attr));

   return dir != NULL ? dir : "";
}

static uint32_t source_number(Reader* r, const char* name)
{
   uint32_t n = file_number(r, text_plain_path(
                                  name[0] == '/' ? name
                                  : text_format("%s/%s", r->dir, name)));

   text_forget();
   return n;
}

static void take_line(Reader* r, Dwarf_Line* line, Dwarf_Line* next,
                      Dwarf_Addr* last_addr, const char** last_name,
                      uint32_t* last_file)
{
   DebugLines* d = r->d;
   Dwarf_Addr  addr, end;
   bool        is_end, is_only;
   int         number, column = 0;
   const char* name;

   if (dwarf_lineendsequence(line, &is_end) != 0 || is_end
       || dwarf_lineaddr(line, &addr) != 0)
      return;
   is_only = addr != *last_addr;
   *last_addr = addr;
   if (dwarf_lineaddr(next, &end) != 0 || end <= addr
       || dwarf_lineno(line, &number) != 0 || number <= 0)
      return;
   name = dwarf_linesrc(line, NULL, NULL);
   if (name == NULL)
      return;
   if (name != *last_name) {
      *last_name = name;
      *last_file = source_number(r, name);
   }
   dwarf_linecol(line, &column);
   GROW(d->lines, d->n_lines, d->room);
   d->lines[d->n_lines++]
      = (DebugLine){ addr, end, *last_file, (uint32_t)number,
                     (uint32_t)column, is_only };
}

COMPARE(by_addr, DebugLine, UP(addr) ?: UP(end) ?: UP(file) ?: UP(line)
                            ?: UP(column))

/* Sort the lines, and cut each where the next begins.  Lines overlap because
   code that the linker dropped keeps its lines, at 0 or at other code's
   addresses. */
static void sort_lines(DebugLines* d)
{
   size_t n = 0;

   if (d->n_lines == 0)
      return;
   qsort(d->lines, d->n_lines, sizeof(*d->lines), by_addr);
   for (size_t i = 0; i < d->n_lines; i++) {
      if (n > 0 && d->lines[i].addr < d->lines[n - 1].end)
         d->lines[n - 1].end = d->lines[i].addr;
      if (n > 0 && d->lines[n - 1].end <= d->lines[n - 1].addr)
         n--;
      d->lines[n++] = d->lines[i];
   }
   d->n_lines = n;
}

static void read_lines(Reader* r, Dwfl_Module* module)
{
   Dwarf_Die* unit = NULL;
   Dwarf_Addr bias;

   while ((unit = dwfl_module_nextcu(module, unit, &bias)) != NULL) {
      Dwarf_Lines* lines;
      size_t       n;
      Dwarf_Addr   addr = UINT64_MAX;
      const char*  name = NULL;
      uint32_t     file = 0;
      if (dwarf_getsrclines(unit, &lines, &n) != 0)
         continue;
      r->dir = compilation_dir(unit);
      for (size_t i = 0; i + 1 < n; i++)
         take_line(r, dwarf_onesrcline(lines, i),
                   dwarf_onesrcline(lines, i + 1), &addr, &name, &file);
   }
   sort_lines(r->d);
}

/*--- Functions                                            ---*/

/* Return whether the debug information lists all calls of a function, as clang
   does for optimised ones. */
static bool has_call_sites(Dwarf_Die* die)
{
   return dwarf_hasattr(die, DW_AT_call_all_calls)
          || dwarf_hasattr(die, DW_AT_GNU_all_call_sites);
}

/* Return whether SYMBOL is a copy of function NAME that the compiler changed,
   such as "name.constprop.0". */
static bool is_clone(const char* symbol, const char* name)
{
   size_t n = strlen(name);

   return strncmp(symbol, name, n) == 0 && symbol[n] == '.'
          && isalpha((unsigned char)symbol[n + 1]);
}

/* Find where a function begins.  gcc does not say it for a function in several
   parts, of which the first one has the entry. */
static bool find_entry(Dwarf_Die* die, Dwarf_Addr* addr)
{
   Dwarf_Addr base, end;

   return dwarf_entrypc(die, addr) == 0
          || dwarf_ranges(die, 0, &base, addr, &end) > 0;
}

static int take_declaration(Dwarf_Die* die, void* arg)
{
   Reader*         r = arg;
   Dwarf_Attribute attr;
   Dwarf_Addr      addr;
   const char*     file = declaring_file(die);
   const char*     name = dwarf_formstring(
                             dwarf_attr_integrate(die, DW_AT_linkage_name,
                                                  &attr)) ?: dwarf_diename(die);
   int             line;
   Declaration     d = { .is_optimised = r->tells ? r->is_optimised
                                         : has_call_sites(die) };

   if (name == NULL || !find_entry(die, &addr)
       || keymap_find(r->entries, addr) != UINT32_MAX)
      return DWARF_CB_OK;
   keymap_number(r->entries, addr);
   d.name = intern(r->names, name);
   if (file != NULL && dwarf_decl_line(die, &line) == 0 && line > 0) {
      d.file = source_number(r, file);
      d.line = (uint32_t)line;
   }
   GROW(r->declarations, r->n_declarations, r->declaration_room);
   r->declarations[r->n_declarations++] = d;
   return DWARF_CB_OK;
}

/* Note whether the unit is optimised.  gcc writes its options, which say
   "-O2". */
static void read_producer(Reader* r, Dwarf_Die* unit)
{
   Dwarf_Attribute attr;
   const char*     by = dwarf_formstring(dwarf_attr(unit, DW_AT_producer,
                                                    &attr));
   const char*     level = by;
   bool            is_level = false;

   /* The last of several levels counts. */
   while (level != NULL && (level = strstr(level, " -O")) != NULL) {
      level += strlen(" -O");
      is_level = *level != '0';
   }
   r->tells = by != NULL && strncmp(by, "GNU ", 4) == 0;
   r->is_optimised = r->tells && (strncmp(by, "GNU GIMPLE", 10) == 0
                                  || is_level);
}

static void read_declarations(Reader* r, Dwfl_Module* module)
{
   Dwarf_Die* unit = NULL;
   Dwarf_Addr bias;

   while ((unit = dwfl_module_nextcu(module, unit, &bias)) != NULL) {
      Dwarf_Die whole = whole_unit(unit);
      r->dir = compilation_dir(unit);
      read_producer(r, &whole);
      dwarf_getfuncs(&whole, take_declaration, r, 0);
   }
}

/* Set the function's line to that of its declaration, as gcov does.  If the
   opening brace has a row of its own, count all code of that row for this line,
   too. */
static void declare(Reader* r, DebugFunction* f)
{
   DebugLines*        d = r->d;
   uint32_t           number = keymap_find(r->entries, f->addr);
   const Declaration* at;
   const DebugLine*   row = debug_line_at(d, f->addr);
   DebugLine          brace = *row;

   if (number == UINT32_MAX)
      return;
   at = &r->declarations[number];
   f->is_named = strcmp(f->name, at->name) == 0;
   f->is_optimised = at->is_optimised;
   if (is_clone(f->name, at->name))
      f->name[strlen(at->name)] = 0;
   if (at->line == 0)
      return;
   f->file = at->file;
   f->line = at->line;
   if (at->file != brace.file || row->addr != f->addr || !row->is_only)
      return;
   for (size_t i = (size_t)(row - d->lines);
        i < d->n_lines && d->lines[i].addr - f->addr < f->size; i++)
      if (d->lines[i].file == brace.file && d->lines[i].line == brace.line
          && d->lines[i].column == brace.column)
         d->lines[i].line = at->line;
}

COMPARE(by_place, DebugFunction, UP(addr) ?: DOWN(is_named)
                                 ?: strcmp(x->name, y->name))

static void read_functions(Reader* r, Dwfl_Module* module)
{
   DebugLines* d = r->d;
   int         all = dwfl_module_getsymtab(module);
   size_t      n = 0;

   for (int i = 1; i < all; i++) {
      GElf_Sym         sym;
      GElf_Addr        addr;
      GElf_Word        section;
      const char*      name = dwfl_module_getsym_info(module, i, &sym, &addr,
                                                      &section, NULL, NULL);
      const DebugLine* l;
      if (name == NULL || GELF_ST_TYPE(sym.st_info) != STT_FUNC
          || section == SHN_UNDEF
          || (l = debug_line_at(d, sym.st_value)) == NULL)
         continue;
      GROW(d->functions, d->n_functions, d->function_room);
      d->functions[d->n_functions++]
         = (DebugFunction){ text_copy(name), sym.st_value, sym.st_size,
                            l->file, l->line, false, true };
      declare(r, &d->functions[d->n_functions - 1]);
   }
   SORT(d->functions, d->n_functions, by_place);
   for (size_t i = 0; i < d->n_functions; i++) {
      if (n > 0 && d->functions[n - 1].addr == d->functions[i].addr)
         free(d->functions[i].name);
      else
         d->functions[n++] = d->functions[i];
   }
   d->n_functions = n;
}

/*--- The whole                                            ---*/

DebugLines* debug_lines_read(const char* path, const char* build_id,
                             const char** why)
{
   Reader       r = { .d = zalloc(1, sizeof(*r.d)), .names = interned_new(),
                      .numbers = keymap_new(), .entries = keymap_new() };
   Dwfl_Module* module;
   Dwfl*        dwfl = debug_file_open(path, build_id, &module, why);

   if (dwfl != NULL) {
      read_lines(&r, module);
      read_declarations(&r, module);
      read_functions(&r, module);
      dwfl_end(dwfl);
      *why = "no source lines in it, or in debug information for it";
   }
   FREE_EACH(keymap_free, r.numbers, r.entries);
   free(r.declarations);
   interned_free(r.names);
   if (r.d->n_lines > 0)
      return r.d;
   debug_lines_free(r.d);
   return NULL;
}

void debug_lines_free(DebugLines* d)
{
   for (uint32_t i = 0; i < d->n_files; i++)
      free(d->files[i]);
   for (size_t i = 0; i < d->n_functions; i++)
      free(d->functions[i].name);
   FREE_ALL(d->files, d->lines, d->functions, d);
}

const DebugLine* debug_line_at(const DebugLines* d, uint64_t addr)
{
   size_t low = 0;

   BISECT(low, d->n_lines, mid, d->lines[mid].addr <= addr);
   if (low == 0 || addr >= d->lines[low - 1].end)
      return NULL;
   return &d->lines[low - 1];
}

const DebugFunction* debug_function_at(const DebugLines* d, uint64_t addr)
{
   size_t low = 0;

   BISECT(low, d->n_functions, mid, d->functions[mid].addr <= addr);
   if (low == 0 || addr - d->functions[low - 1].addr
                   >= d->functions[low - 1].size)
      return NULL;
   return &d->functions[low - 1];
}
