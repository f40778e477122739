/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The file of a record: docs/dev/rec-file.md describes it. */

#ifndef DCFG_FORMAT_REC_FILE_H
#define DCFG_FORMAT_REC_FILE_H

#define REC_MAGIC        { 0x89, 'D', 'C', 'F', 'G', 'R', 'E', 'C' }
#define CHECKPOINT_MAGIC { 0x89, 'D', 'C', 'F', 'G', 'C', 'K', 'P' }
#define REC_MAGIC_SIZE   8u
#define REC_VERSION      1u
#define REC_HEAD_SIZE    24u            // before the header's text

/* Offsets in the file's head of numbers with four bytes each. */
enum { RecVersionAt = 8, RecTextAt = 12, RecSumAt = 16 };

/* The most bytes of the header's text: arguments and environment have 6 MiB at
   most on Linux. */
#define REC_MAX_TEXT     (16u << 20)

/* A block: its head, and the largest size of its contents, unpacked. */
#define REC_BLOCK_MAGIC  { 'D', 'R', 'B', 'K' }
#define REC_BLOCK_HEAD   24u
#define REC_MAX_BLOCK    (1u << 20)

/* Offsets in a block's head of numbers with four bytes each. */
enum {
   RecKindAt   = 4,     // a kind of below
   RecNumberAt = 8,     // the block's number among those of its kind
   RecStoredAt = 12,    // bytes of contents in the file
   RecLengthAt = 16,    // and unpacked
   RecBlockSumAt = 20   // spool_sum() of the bytes in the file
};

/* Kinds of blocks. */
enum { RecEvents = 1, RecValues, RecImage, RecEnd, N_REC_KINDS };

/* First bytes of events. */
enum {
   EvBegin = 'B', EvTurn = 'T', EvCall = 'S', EvBegun = 'C',
   EvResult = 'R', EvInterrupted = 'I', EvSignal = 'G',
   EvPoint = 'P', EvExit = 'X', EvExec = 'Y', EvEnd = 'E'
};

/* Kinds of mappings, behind an mmap. */
enum { MapZeros = 0, MapPath, MapBytes };

#endif /* DCFG_FORMAT_REC_FILE_H */
