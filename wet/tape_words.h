/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The words of a tape. */

/* Private to wet/. */

#ifndef __DCFG_TAPE_WORDS_H
#define __DCFG_TAPE_WORDS_H

#include "pub_tool_basics.h"

/* The tape is what generated code writes while the program runs: for each
   execution of a superblock a header; between two of them, marks: a header that
   is none of a superblock, and words that depend on which it is.  What the execution
   has beside that, an address for each of the memory accesses that it made, is
   the next row of the superblock's own (Rows in wet/slots.h).

   A header: the number of the way in which the superblock was left (Way in
   wet/slots.h), which is small, for generated code is shorter so.  Or
   TapeStopped, if that was within it, by a fault: then there are behind it its
   id, how many instructions had completed, and the words of a segment that had
   not ended; if none had, there is no row.  Or a mark. */
#define TAPE_FIRST_WAY 16u
#define TAPE_MAX_EXITS 0xFEu

/* A superblock has at most as many words, and a mark. */
#define DCFG_TAPE_SLACK 8192u

/* And a block of what is coded, of rows. */
#define DCFG_BLOCK_WORDS 65536u

/* Marks, and what is neither a mark nor a way.  A mark is about the thread of
   the last MarkThread. */
typedef
   enum {
      MarkThread = 1,   // from now on thread number W0 runs
      MarkRead,         // the kernel read W1 bytes at W0
      MarkWritten,      // it wrote W1 bytes at W0
      MarkFresh,        // nobody has written the W1 bytes at W0 any more
      MarkHandler,      // a signal's handler is entered
      MarkReturn,       // and left: registers are what they were
      MarkMoved,        // W1 bytes stand at W0 that stood at W2
      MarkTop,          // W0 is the top of x87's stack, if it is not 0
      MarkCreated,      // the thread has made thread number W0, W1: FirstStack
      N_MARKS,
      TapeStopped = TAPE_FIRST_WAY - 1
   }
   TapeMark;

/* FirstStack: where a thread that was made has its stack pointer from. */
typedef
   enum {
      StackOfCreator,
      StackFromArgument,        // the second one of clone()
      StackFromCall             // the system call computed it
   }
   FirstStack;

/* Words behind a mark's header. */
static inline UInt DCFG_(words_of_mark)(UInt mark)
{
   return mark == MarkMoved ? 3
          : (mark >= MarkRead && mark <= MarkFresh) || mark == MarkCreated ? 2
          : mark == MarkThread || mark == MarkTop ? 1 : 0;
}

#endif /* __DCFG_TAPE_WORDS_H */
