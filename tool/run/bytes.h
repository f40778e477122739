/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The executed code of a mapping. */

#ifndef __DCFG_BYTES_H
#define __DCFG_BYTES_H

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"

/* Code: the bytes that were translated from one mapping, and its file. */
typedef struct _Code Code;

/* Begin with no bytes, for the mapping SEG (NULL: unknown) of an object whose
   first byte is at LOAD. */
Code* DCFG_(new_code)(Addr load, const NSegment* seg);
void  DCFG_(delete_code)(Code* code);

/* Note that the LEN bytes at A are code.  IS_CHECKED: before it runs, the core
   checks that it has not changed. */
void DCFG_(remember_code)(Code* code, Addr a, SizeT len, Bool is_checked);

/* Return whether the known ones of the LEN bytes at A are unchanged. */
Bool DCFG_(is_same_code)(Code* code, Addr a, SizeT len);

/* A new generation begins, in which no code is known, but translations of what
   was known are kept. */
void DCFG_(keep_code)(Code* code);
Bool DCFG_(has_kept_code)(const Code* code);

/* Return whether translations of CODE can be kept: they are checked, and CODE
   is of no file. */
Bool DCFG_(can_keep_code)(const Code* code);

/* Return whether the kept ones of the LEN bytes at A are unchanged; discard the
   translations of those that are not. */
Bool DCFG_(is_same_kept_code)(Code* code, Addr a, SizeT len);
void DCFG_(discard_changed)(Code* code, Addr a, SizeT len);

/* Note that a kept translation of the LEN bytes at A has run. */
void DCFG_(know_kept_code)(Code* code, Addr a, SizeT len);

/* Return whether CODE has code in these pages. */
Bool DCFG_(has_code)(const Code* code, Addr a, SizeT len);

/* Return whether another mapping can have the same code, because CODE is of a
   file. */
Bool DCFG_(may_return)(const Code* code);

/* Return whether the same parts of the same file are mapped at the same
   addresses, with the same code. */
Bool DCFG_(has_returned)(const Code* code);

/* Call DO_IT(ARG), which reads the program's memory.  Return its result, or
   False if the memory cannot be read. */
Bool DCFG_(try_to_read)(Bool (*do_it)(void* arg), void* arg);

#endif /* __DCFG_BYTES_H */
