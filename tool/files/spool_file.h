/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The spool file: the parts of streams that do not fit into memory. */

#ifndef __DCFG_SPOOL_FILE_H
#define __DCFG_SPOOL_FILE_H

#include "pub_tool_basics.h"
#include "tool/base/options.h"
#include "format/port.h"

/* Make the spool file, if there is none, for the output of option OPT and
   FORMAT, which allows MEMORY bytes for all streams.  Call it before the
   program runs.  On failure print a message and exit. */
void DCFG_(set_spool_place)(const HChar* opt, const HChar* format,
                            ULong memory);

/* Forget the spool file and its streams: they belong to the parent.  Call it in
   the child of a fork, after deleting all streams. */
void DCFG_(forget_spool)(void);

/* Return whether something was lost because the spool file could not be written
   or read.  The user has been told. */
Bool DCFG_(spool_failed)(void);

/* Return whether it could not be read. */
Bool DCFG_(spool_unreadable)(void);

/* Return the room in bytes for a copy in a file beside it that has THERE bytes
   and gets MORE others, by the file system and RLIMIT_FSIZE. */
ULong DCFG_(room_for_copy)(ULong there, ULong more);

/* --dcfg-spare: the free space that is left to others. */
extern const Options DCFG_(spool_options);
void DCFG_(start_spool)(void);

/* Give the spool file, which is empty so far, a name beside the output of OPT
   and FORMAT.  Return False if that is not possible. */
Bool DCFG_(name_spool)(const HChar* opt, const HChar* format);

/* Remove the spool file's name, so that the file goes away with the process. */
void DCFG_(unname_spool)(void);

/* --- for tool/files/stream.c --- */

/* Take a place for an extent in the file; give it back. */
ULong DCFG_(take_place)(void);
void  DCFG_(give_place)(ULong place);

/* Write N bytes of DATA, extent NUMBER of a stream, to PLACE.  KIND is the kind
   of a stream that is saved, or 0.  An error is reported to the user. */
void DCFG_(spool_extent)(UInt kind, UInt number, const UChar* data, UInt n,
                         ULong place);

/* Write a copy of the extent, whose check sum is SUM, to the file.  *PLACE is
   where.  Return False if there is no room. */
Bool DCFG_(save_extent)(UInt kind, UInt number, const UChar* data, UInt n,
                        UInt sum, /*OUT*/ULong* place);

/* Read up to N bytes of the extent at PLACE, from offset FROM, into TO.  Return
   how many. */
UInt DCFG_(read_extent)(ULong place, UInt from, UChar* to, UInt n);

/* Return the place from which on extents are lost; ~0: none are. */
ULong DCFG_(spool_cut)(void);

/* Count N more bytes of memory for extents; return False if that exceeds the
   limit.  Count N bytes less. */
Bool DCFG_(take_memory)(UInt n);
void DCFG_(give_memory)(UInt n);

/* Count MORE streams whose begin is kept; negative: fewer. */
void DCFG_(count_kept)(Int more);

#endif /* __DCFG_SPOOL_FILE_H */
