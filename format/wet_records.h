/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Records on the tape of a WET file: symbols, marks and columns. */

#ifndef DCFG_FORMAT_WET_RECORDS_H
#define DCFG_FORMAT_WET_RECORDS_H

/* Symbols: the end of the block, a mark, a stop, a load of the next superblock
   that was foretold wrongly, or a superblock.  A superblock
   is SymbolFirst plus N, with N from 0 up.  N's lowest bit is 0 if the
   superblock came to its end, and 1 if it took an exit, whose number follows.
   The bits above are its id. */
enum { SymbolEnd, SymbolMark, SymbolStop, SymbolLoad, SymbolFirst };

/* Marks: events between superblocks.  A mark is about the thread of the last
   MarkThread.  W0, W1 and W2 are the words that follow the mark. */
typedef
   enum {
      MarkThread = 1,   // thread number W0 runs from here on
      MarkRead,         // the kernel read W1 bytes at W0
      MarkWritten,      // the kernel wrote W1 bytes at W0
      MarkFresh,        // the W1 bytes at W0 have no writer any more
      MarkHandler,      // a signal's handler begins
      MarkReturn,       // the handler ends, and restores registers
      MarkMoved,        // W1 bytes were moved from W2 to W0
      MarkTop,          // W0, if not 0, is the top of x87's stack
      MarkCreated,      // this thread created thread W0; W1: FirstStack
      MarkContents,     // the kernel wrote the W1 bytes at W0, which follow
      MarkResult,       // the last system call returned W0, a difference
      MarkMapped,       // W1 bytes at W0 are mapped from now on as the W2
                        // bytes that follow say (format/wet_process.h)
      MarkSignal,       // signal W0 is the cause of the handler that follows
      MarkRegisters,    // the kernel set registers of this thread: the W0 bytes
                        // that follow have them (format/wet_process.h)
      MarkIdentity,     // thread W0 has the kernel's number W1
      MarkEnded,        // thread W0 has ended
      MarkGeneral,      // the W0 bytes that follow say what general registers of
                        // this thread have: for each its number in one byte,
                        // and eight bytes
      MarkCalled,       // a handler has let the function that it had interrupted
                        // call another one: with stack pointer W0
      N_MARKS
   }
   TapeMark;

/* FirstStack: the source of a new thread's first stack pointer. */
typedef
   enum {
      StackOfCreator,
      StackFromArgument,        // the second argument of clone()
      StackFromCall             // the system call computed it
   }
   FirstStack;

/* Return the number of words that follow MARK. */
static inline unsigned wet_words_of_mark(unsigned long long mark)
{
   return mark == MarkMoved || mark == MarkMapped ? 3
          : (mark >= MarkRead && mark <= MarkFresh) || mark == MarkCreated
            || mark == MarkContents || mark == MarkIdentity ? 2
          : mark == MarkThread || mark == MarkTop || mark == MarkResult
            || mark == MarkSignal || mark == MarkRegisters
            || mark == MarkEnded || mark == MarkGeneral
            || mark == MarkCalled ? 1 : 0;
}

/* Do bytes follow the words of MARK?  The last word says how many. */
static inline int wet_has_bytes(unsigned long long mark)
{
   return mark == MarkContents || mark == MarkMapped || mark == MarkRegisters
          || mark == MarkGeneral;
}

/* The largest number of rows' words, of records, and of wrong loads, in a
   block. */
#define WET_BLOCK_WORDS 65536u

/* The step by which a column predicts each difference of two rows: the same
   step as in the block before; a new one, which is written; the difference in
   the neighbour, the column before.  ByShifted is the same step, too, and as many
   low bits of all errors are 0 as a number says. */
enum { BySame, ByNew, ByNeighbour, ByShifted };

/* How a column says which predictions were right: all; a bit for each number;
   the indices of the wrong ones; none. */
enum { FormAll, FormMask, FormPlaces, FormNone };

/* ByShifted and FormAll together stand for another form: a table of the
   different numbers that the column has in the block, and the index of each
   row's number. */
#define WET_TABLE_VALUES 1024u   // at most

/* Return the size in bits of an index in a table of M numbers. */
static inline unsigned wet_index_bits(unsigned m)
{
   unsigned n = 0;

   while (n < 10 && m > 1u << n)
      n++;
   return n;
}

#endif /* DCFG_FORMAT_WET_RECORDS_H */
