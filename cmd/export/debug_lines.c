/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines of ELF files. */

/* Owns: what is read of debug information.  Handed: an ELF file's path.
   Taken by: export_lcov.c.

   All of it is read by elfutils' libdwfl. */

#include "cmd/export/debug_lines.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/keymap.h"
#include "cmd/machine/same_build.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef
   struct {
      DebugLines* d;
      KeyMap*     names;        // by hash; the number is that of the file
   }
   Reader;

/*--- Files                                                ---*/

/* FNV-1a */
static uint64_t hash_of(const char* s)
{
   uint64_t h = 0xCBF29CE484222325;

   for (; *s != 0; s++)
      h = (h ^ (uint8_t)*s) * 0x100000001B3;
   return h;
}

static uint32_t file_number(Reader* r, const char* path)
{
   uint64_t key = hash_of(path);
   uint32_t n;

   for (;; key++) {
      n = keymap_number(r->names, key);
      if (n == r->d->n_files) {
         r->d->files = need(realloc(r->d->files,
                                    (n + 1) * sizeof(*r->d->files)));
         r->d->files[n] = text_copy(path);
         r->d->n_files++;
         return n;
      }
      if (strcmp(r->d->files[n], path) == 0)
         return n;
   }
}

/*--- Lines                                                ---*/

static const char* compilation_dir(Dwarf_Die* unit)
{
   Dwarf_Attribute attr;
   const char*     dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir,
                                                     &attr));

   return dir != NULL ? dir : "";
}

static void take_line(Reader* r, Dwarf_Die* unit, Dwarf_Line* line,
                      Dwarf_Line* next, const char** last_name,
                      uint32_t* last_file)
{
   DebugLines* d = r->d;
   Dwarf_Addr  addr, end;
   bool        is_end;
   int         number;
   const char* name;

   if (dwarf_lineendsequence(line, &is_end) != 0 || is_end
       || dwarf_lineaddr(line, &addr) != 0 || dwarf_lineaddr(next, &end) != 0
       || end <= addr || dwarf_lineno(line, &number) != 0 || number <= 0)
      return;
   name = dwarf_linesrc(line, NULL, NULL);
   if (name == NULL)
      return;
   if (name != *last_name) {
      *last_name = name;
      *last_file = file_number(r, name[0] == '/' ? name
                               : text_format("%s/%s", compilation_dir(unit),
                                             name));
      text_forget();
   }
   GROW(d->lines, d->n_lines, d->room);
   d->lines[d->n_lines++]
      = (DebugLine){ addr, end, *last_file, (uint32_t)number };
}

static int by_addr(const void* a, const void* b)
{
   const DebugLine* x = a;
   const DebugLine* y = b;

   if (x->addr != y->addr)
      return x->addr < y->addr ? -1 : 1;
   if (x->end != y->end)
      return x->end < y->end ? -1 : 1;
   if (x->file != y->file)
      return x->file < y->file ? -1 : 1;
   return x->line < y->line ? -1 : x->line > y->line;
}

/* What the linker has thrown away is at 0, or where other code is. */
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
      const char*  name = NULL;
      uint32_t     file = 0;
      if (dwarf_getsrclines(unit, &lines, &n) != 0)
         continue;
      for (size_t i = 0; i + 1 < n; i++)
         take_line(r, unit, dwarf_onesrcline(lines, i),
                   dwarf_onesrcline(lines, i + 1), &name, &file);
   }
   sort_lines(r->d);
}

/*--- Functions                                            ---*/

static int by_place(const void* a, const void* b)
{
   const DebugFunction* x = a;
   const DebugFunction* y = b;

   if (x->addr != y->addr)
      return x->addr < y->addr ? -1 : 1;
   return strcmp(x->name, y->name);
}

static void read_functions(DebugLines* d, Dwfl_Module* module)
{
   int    all = dwfl_module_getsymtab(module);
   size_t n = 0;

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
                            l->file, l->line };
   }
   if (d->n_functions > 0)
      qsort(d->functions, d->n_functions, sizeof(*d->functions), by_place);
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
   static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = dwfl_standard_find_debuginfo,
      .section_address = dwfl_offline_section_address
   };
   Reader       r = { zalloc(1, sizeof(*r.d)), keymap_new() };
   Dwfl*        dwfl = dwfl_begin(&callbacks);
   int          fd = open_regular(path);
   Dwfl_Module* module = dwfl == NULL || fd < 0 ? NULL
                         : dwfl_report_offline(dwfl, "", path, fd);
   const char*  other = NULL;

   if (module != NULL) {
      dwfl_report_end(dwfl, NULL, NULL);
      other = debug_difference(module, build_id);
   }
   if (module != NULL && other == NULL) {
      read_lines(&r, module);
      read_functions(r.d, module);
   }
   if (dwfl != NULL)
      dwfl_end(dwfl);
   keymap_free(r.names);
   if (r.d->n_lines > 0)
      return r.d;
   *why = other != NULL ? other
          : fd < 0 ? "it cannot be read" : module == NULL ? dwfl_errmsg(-1)
          : "no source lines in it, or in debug information for it";
   if (fd >= 0 && module == NULL)
      close(fd);
   debug_lines_free(r.d);
   return NULL;
}

void debug_lines_free(DebugLines* d)
{
   for (uint32_t i = 0; i < d->n_files; i++)
      free(d->files[i]);
   for (size_t i = 0; i < d->n_functions; i++)
      free(d->functions[i].name);
   free(d->files);
   free(d->lines);
   free(d->functions);
   free(d);
}

const DebugLine* debug_line_at(const DebugLines* d, uint64_t addr)
{
   size_t low = 0, high = d->n_lines;

   while (low < high) {
      size_t mid = low + (high - low) / 2;
      if (d->lines[mid].addr <= addr)
         low = mid + 1;
      else
         high = mid;
   }
   if (low == 0 || addr >= d->lines[low - 1].end)
      return NULL;
   return &d->lines[low - 1];
}
