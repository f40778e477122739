/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The form of the tape in memory. */

/* Private to wet/. */

#ifndef __DCFG_TAPE_WORDS_H
#define __DCFG_TAPE_WORDS_H

#include "pub_tool_basics.h"
#include "format/wet_history.h"
#include "format/wet_records.h"

/* The tape is what generated code writes while the program runs.  Each
   execution of a superblock writes a header.  Between headers there are marks:
   other numbers, with words that depend on the mark.  The other words of an
   execution, one for each address or value, are the next row of the superblock
   (Rows in tool/wet/slots.h).

   A header is the number of the way in which the superblock was left (SlotWay
   in tool/wet/slots.h).  It is a small number, because that makes generated code
   shorter.  If a fault left the superblock inside, the header is TapeStopped.
   Behind it are the superblock's id, the number of completed instructions, and
   the words of a segment that had not ended.  If no segment had ended, there is
   no row. */
#define TAPE_FIRST_WAY 32u
#define TAPE_MAX_EXITS HOW_STOPPED

/* The most words of a superblock and a mark. */
#define DCFG_TAPE_SLACK 8192u

/* In memory only: neither a mark nor a way. */
enum { TapeStopped = TAPE_FIRST_WAY - 1 };

#endif /* __DCFG_TAPE_WORDS_H */
