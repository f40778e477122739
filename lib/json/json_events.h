
/*--------------------------------------------------------------------*/
/*--- JSON from a file, event after event.           json_events.h ---*/
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

#ifndef DCFG_JSON_EVENTS_H
#define DCFG_JSON_EVENTS_H

#include "lib/base/input.h"
#include "lib/json/walk.h"

typedef struct Parse Parse;

/* Reads IN, which it closes at its end, with the events going to a walk of
   TOP for ARG. */
Parse* parse_start(Job* job, Input* in, const Shape* top, void* arg);
void   parse_end(Parse* p);

Walk*  parse_walk(Parse* p);

/* Go on with some more text.  False at an error. */
bool   parse_some(Parse* p);

/* Has all been read? */
bool   parse_finished(const Parse* p);

#endif /* DCFG_JSON_EVENTS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
