
/*--------------------------------------------------------------------*/
/*--- A file that is written, compressed if its name says so.outfile.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

#ifndef DCFG_CMD_OUTFILE_H
#define DCFG_CMD_OUTFILE_H

#include <stdint.h>

/* Text on its way out, faster than by stdio. */
typedef
   struct {
      const char* path;         // NULL: the standard output
      int         fd;
      uint32_t    used;
      char        text[1 << 16];
   }
   Outfile;

/* To PATH, as open_result() has it; NULL: the standard output.  Dies if that
   cannot be done, as all of these. */
Outfile* outfile_open(const char* path);
void     outfile_close(Outfile* o);

void out_flush(Outfile* o);
void out_text(Outfile* o, const char* s);
void out_decimal(Outfile* o, uint64_t n);
void out_hex(Outfile* o, uint64_t n);

/* No number has more digits. */
#define MAX_DIGITS 20

static inline void out_char(Outfile* o, char c)
{
   if (o->used == sizeof(o->text))
      out_flush(o);
   o->text[o->used++] = c;
}

#endif /* DCFG_CMD_OUTFILE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
