
/*--------------------------------------------------------------------*/
/*--- The code that ran of a mapping.                  run/bytes.h ---*/
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

#ifndef __DCFG_BYTES_H
#define __DCFG_BYTES_H

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"

/* The bytes of the code that was translated from one mapping, and of which
   file they are. */
typedef struct _Code Code;

/* Nothing so far, of the mapping SEG (NULL: unknown) of an object whose
   first byte is at LOAD. */
Code* DCFG_(new_code)(Addr load, const NSegment* seg);
void  DCFG_(delete_code)(Code* c);

/* The LEN bytes at A are code. */
void DCFG_(remember_code)(Code* c, Addr a, SizeT len);

/* Is what is known of the LEN bytes at A what is there now? */
Bool DCFG_(is_same_code)(const Code* c, Addr a, SizeT len);

/* Is there code of these pages? */
Bool DCFG_(has_code)(const Code* c, Addr a, SizeT len);

/* Could another mapping have the same code, because it is of a file? */
Bool DCFG_(may_return)(const Code* c);

/* Is the same part of the same file where each piece of the code was, and
   all the code what it was? */
Bool DCFG_(has_returned)(const Code* c);

/* Call DO_IT(ARG), which reads the program's memory.  Returns False, too, if
   that cannot be read. */
Bool DCFG_(try_to_read)(Bool (*do_it)(void* arg), void* arg);

#endif /* __DCFG_BYTES_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
