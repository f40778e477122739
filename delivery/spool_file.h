/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The file for what streams have no memory for. */

#ifndef __DCFG_SPOOL_FILE_H
#define __DCFG_SPOOL_FILE_H

#include "pub_tool_basics.h"
#include "base/options.h"
#include "base/port.h"

/* Before the program runs: make the spool file, if there is none so far, for
   the output that option OPT names with FORMAT, which has MEMORY bytes to
   spare for all streams.  If that cannot be done, say so and exit. */
void DCFG_(set_spool_place)(const HChar* opt, const HChar* format,
                            ULong memory);

/* The spool file's streams are gone, and it belongs to another process:
   call this in the child of a fork, having deleted all streams. */
void DCFG_(forget_spool)(void);

/* Has something been lost because the spool file could not be written or
   read?  The user has been told. */
Bool DCFG_(spool_failed)(void);

/* Could it not be read?  And how many bytes can a file beside it have, of which
   USED are written already: as the file system and RLIMIT_FSIZE allow? */
Bool  DCFG_(spool_unreadable)(void);
ULong DCFG_(room_for_copy)(ULong used);

/* --dcfg-spare: how much of a file system is left to others. */
extern const Options DCFG_(spool_options);
void DCFG_(start_spool)(void);

/* Give the spool file, in which there is nothing so far, a name beside the output
   that OPT names with FORMAT.  Returns False if that cannot be done. */
Bool DCFG_(name_spool)(const HChar* opt, const HChar* format);

/* Whatever ends the process ends the spool file, too. */
void DCFG_(unname_spool)(void);

/* --- for delivery/stream.c --- */

/* The place of an extent in the file, and that it is not used any more. */
ULong DCFG_(take_place)(void);
void  DCFG_(give_place)(ULong place);

/* The N bytes of DATA, extent NUMBER of a stream, go to PLACE.  KIND is that of a
   stream that is saved, or 0.  The user is told if they cannot. */
void DCFG_(spool_extent)(UInt kind, UInt number, const UChar* data, UInt n,
                         ULong place);

/* A copy of them goes to the file, to *PLACE.  Returns False if there is no room
   for it. */
Bool DCFG_(save_extent)(UInt kind, UInt number, const UChar* data, UInt n,
                        /*OUT*/ULong* place);

/* Up to N bytes of the extent at PLACE, from FROM on, into TO; returns how
   many. */
UInt DCFG_(read_extent)(ULong place, UInt from, UChar* to, UInt n);

/* Extents from this place on are lost; ~0: none. */
ULong DCFG_(spool_cut)(void);

/* Count N bytes of memory for an extent, if streams may have that many more;
   and that they are free again. */
Bool DCFG_(take_memory)(UInt n);
void DCFG_(give_memory)(UInt n);

/* There are so many streams more, or fewer, whose begin is kept. */
void DCFG_(count_kept)(Int more);

#endif /* __DCFG_SPOOL_FILE_H */
