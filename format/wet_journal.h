/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The temporary file of a whole execution trace: its streams, and the rows that
   are needed to read its tape after the process was killed. */

#ifndef DCFG_FORMAT_WET_JOURNAL_H
#define DCFG_FORMAT_WET_JOURNAL_H

/* Kinds of streams in the spool. */
enum { JournalRows = 1, JournalTape, N_JOURNAL_KINDS };

/* Kinds of rows in the stream JournalRows. */
enum { RowImage = 1, RowSource, RowSuperblock, RowUnexecuted, RowTape,
       RowState };

#endif /* DCFG_FORMAT_WET_JOURNAL_H */
