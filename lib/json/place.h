
/*--------------------------------------------------------------------*/
/*--- Where in a file we are, in words.                    place.h ---*/
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

#ifndef DCFG_PLACE_H
#define DCFG_PLACE_H

#include "lib/json/fields.h"

/* Where we are, in PLACE, which is returned. */
#define PLACE_SIZE 400
const char* walk_place(const Walk* w, char* place);

/* Something is wrong here, which is an error if FATAL and nobody listens to
   problems.  False: stop. */
bool tell_rule(Walk* w, bool fatal, const char* rule, const char* what);

/* A value is here, called WHAT, of another type than the one that is
   needed. */
bool tell_type(Walk* w, const char* what);

/* Something is odd here: WHAT, and the LEN bytes of S behind it. */
void tell_surface(Walk* w, const char* rule, const char* what,
                  const char* s, size_t len);

#endif /* DCFG_PLACE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
