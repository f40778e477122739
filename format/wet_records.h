/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Records on the tape of a WET file: symbols, marks and columns. */

#ifndef DCFG_FORMAT_WET_RECORDS_H
#define DCFG_FORMAT_WET_RECORDS_H

/* Symbols: the end of the block, a mark, a stop; from SymbolFirst on the
   id of a superblock that came to its end, or else, one bit up, took an
   exit, whose number follows. */
enum { SymbolEnd, SymbolMark, SymbolStop, SymbolFirst };

/* Marks.  A mark is about the thread of the last MarkThread.  W0, W1 and W2 are
   the words behind it. */
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
      N_MARKS
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

/* Words behind a mark. */
static inline unsigned wet_words_of_mark(unsigned long long mark)
{
   return mark == MarkMoved ? 3
          : (mark >= MarkRead && mark <= MarkFresh) || mark == MarkCreated ? 2
          : mark == MarkThread || mark == MarkTop ? 1 : 0;
}

/* The most that a block has of rows' words, and of records. */
#define WET_BLOCK_WORDS 65536u

/* What a column foretells: the step that there was; another one, which is
   written; the difference of the column before. */
enum { BySame, ByNew, ByNeighbour };

/* How a column tells what was foretold rightly: all of it; a bit for each
   number; the places of those that were not; none of it. */
enum { FormAll, FormMask, FormPlaces, FormNone };

#endif /* DCFG_FORMAT_WET_RECORDS_H */
