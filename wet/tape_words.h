/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The words of a tape. */

/* Private to wet/. */

#ifndef __DCFG_TAPE_WORDS_H
#define __DCFG_TAPE_WORDS_H

#include "pub_tool_basics.h"
#include "format/wet_history.h"
#include "format/wet_records.h"

/* The tape is what generated code writes while the program runs: for each
   execution of a superblock a header; between two of them, marks: a header that
   is none of a superblock, and words that depend on which it is.  What the execution
   has beside that, an address for each of the memory accesses that it made, is
   the next row of the superblock's own (Rows in wet/slots.h).

   A header: the number of the way in which the superblock was left (SlotWay in
   wet/slots.h), which is small, for generated code is shorter so.  Or
   TapeStopped, if that was within it, by a fault: then there are behind it its
   id, how many instructions had completed, and the words of a segment that had
   not ended; if none had, there is no row.  Or a mark. */
#define TAPE_FIRST_WAY 16u
#define TAPE_MAX_EXITS HOW_STOPPED

/* A superblock has at most as many words, and a mark. */
#define DCFG_TAPE_SLACK 8192u

/* Not on disk: neither a mark nor a way. */
enum { TapeStopped = TAPE_FIRST_WAY - 1 };

#endif /* __DCFG_TAPE_WORDS_H */
