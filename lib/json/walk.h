
/*--------------------------------------------------------------------*/
/*--- Tables and objects of the format, as they pass by.    walk.h ---*/
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

#ifndef DCFG_WALK_H
#define DCFG_WALK_H

#include "lib/json/fields.h"

void walk_start(Walk* w, Job* job, const Shape* top, void* arg);
void walk_end(Walk* w);

/* The parser's events.  False: stop. */
bool walk_number(Walk* w, const char* s, size_t len);
bool walk_string(Walk* w, const char* s, size_t len);
bool walk_key(Walk* w, const char* s, size_t len);
bool walk_other(Walk* w, const char* what);     // true, false, null
bool walk_open(Walk* w, bool object);
bool walk_close(Walk* w);

#endif /* DCFG_WALK_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
