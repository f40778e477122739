/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines without code of their own. */

/* Owns: lines of a unit that have rows in its line table, but no
   instruction.  Handed: sites.

   An optimizing compiler writes a row where a statement would begin, even if
   the code of the next statement begins there, too.  If all rows of a line are
   such ones, the code of other lines does the line's work. */

#include "cmd/program/merged_lines.h"

#include "cmd/base/cmd.h"
#include "cmd/base/keymap.h"
#include "cmd/program/wet_program.h"

#include <stdlib.h>

typedef
   struct {
      MergedLine* lines;        // by .pc
      size_t      n;
   }
   Unit;

struct MergedLines {
   KeyMap* numbers;             // a number for each unit
   Unit*   units;
   size_t  n, room;
};

MergedLines* merged_lines_new(void)
{
   MergedLines* m = zalloc(1, sizeof(*m));

   m->numbers = keymap_new();
   return m;
}

void merged_lines_free(MergedLines* m)
{
   for (size_t i = 0; i < m->n; i++)
      free(m->units[i].lines);
   free(m->units);
   keymap_free(m->numbers);
   free(m);
}

COMPARE(by_line, MergedLine,
        ORDER((uintptr_t)x->path, (uintptr_t)y->path) ?: UP(line))
COMPARE(by_pc, MergedLine, UP(pc) ?: by_line(x, y))

/* Divide the rows that begin a statement into those with code, and those
   without. */
static void read_rows(Dwarf_Lines* table, size_t n, MergedLine* with,
                      size_t* n_with, MergedLine* without, size_t* n_without)
{
   for (size_t i = 0; i + 1 < n; i++) {
      Dwarf_Line* at = dwarf_onesrcline(table, i);
      MergedLine  row = { .path = dwarf_linesrc(at, NULL, NULL) };
      Dwarf_Addr  next;
      int         line;
      bool        end, begins;
      if (row.path == NULL || dwarf_lineno(at, &line) != 0 || line <= 0
          || dwarf_lineendsequence(at, &end) != 0 || end
          || dwarf_linebeginstatement(at, &begins) != 0
          || dwarf_lineaddr(at, &row.pc) != 0
          || dwarf_lineaddr(dwarf_onesrcline(table, i + 1), &next) != 0)
         continue;
      row.line = (uint32_t)line;
      if (next != row.pc)
         with[(*n_with)++] = row;
      else if (begins && !is_of_system(row.path))
         without[(*n_without)++] = row;
   }
}

static void read_unit(Unit* u, Dwarf_Die* unit)
{
   Dwarf_Lines* table;
   size_t       n, n_with = 0, n_without = 0;
   MergedLine*  with;

   if (dwarf_getsrclines(unit, &table, &n) != 0)
      return;
   with     = zalloc(n + 1, sizeof(*with));
   u->lines = zalloc(n + 1, sizeof(*u->lines));
   read_rows(table, n, with, &n_with, u->lines, &n_without);
   qsort(with, n_with, sizeof(*with), by_line);
   for (size_t i = 0; i < n_without; i++)
      if (bsearch(&u->lines[i], with, n_with, sizeof(*with), by_line) == NULL)
         u->lines[u->n++] = u->lines[i];
   qsort(u->lines, u->n, sizeof(*u->lines), by_pc);
   n_without = u->n;
   u->n      = 0;
   for (size_t i = 0; i < n_without; i++)
      if (i == 0 || by_pc(&u->lines[i - 1], &u->lines[i]) != 0)
         u->lines[u->n++] = u->lines[i];
   free(with);
}

size_t merged_lines_at(MergedLines* m, const Site* s, const MergedLine** lines)
{
   Dwarf_Die unit = s->unit;
   uint32_t  k = keymap_number(m->numbers, (uint64_t)(uintptr_t)unit.addr);
   size_t    low = 0, high, n = 0;

   if (k == m->n) {
      GROW(m->units, m->n, m->room);
      m->units[m->n] = (Unit){ .n = 0 };
      read_unit(&m->units[m->n++], &unit);
   }
   high = m->units[k].n;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (m->units[k].lines[middle].pc < s->pc)
         low = middle + 1;
      else
         high = middle;
   }
   *lines = m->units[k].lines + low;
   while (low + n < m->units[k].n && (*lines)[n].pc == s->pc)
      n++;
   return n;
}
