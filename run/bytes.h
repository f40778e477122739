/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The code that ran of a mapping. */

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
