
/*--------------------------------------------------------------------*/
/*--- The code of the tape.                        wet/squeeze.h ---*/
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

/* Private to wet/. */

#ifndef __DCFG_SQUEEZE_H
#define __DCFG_SQUEEZE_H

#include "pub_tool_basics.h"
#include "delivery/stream.h"

typedef struct _Coder Coder;

Coder* DCFG_(new_coder)(void);

/* Code the words up to END, all of the tape, and all rows, of which there are
   none then; behind them the tape's .stack is STACK.  Returns how many words
   the rows had. */
ULong DCFG_(squeeze_words)(Coder* c, const ULong* words, const ULong* end,
                           Addr stack);

/* From now on only chunks that have SIZE bytes together are kept: the last
   ones.  Where does the first of them begin? */
void  DCFG_(keep_chunks)(Coder* c, ULong size);
ULong DCFG_(first_chunk)(const Coder* c);

/* No more belongs to this chunk.  Returns all chunks so far. */
const Stream* DCFG_(end_chunk)(Coder* c);

/* The length of the chunks from FROM on that are whole, and have at most N
   bytes. */
ULong DCFG_(whole_chunks)(const Coder* c, ULong from, ULong n);

/* Does what comes next begin one? */
Bool DCFG_(begins_chunk)(const Coder* c);

/* Records so far. */
ULong DCFG_(n_coded_records)(const Coder* c);

/* Forget all; the tape's .stack is STACK. */
void DCFG_(restart_coder)(Coder* c, Addr stack);

#endif /* __DCFG_SQUEEZE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
