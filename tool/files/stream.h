/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Streams: byte sequences too long for memory. */

#ifndef __DCFG_STREAM_H
#define __DCFG_STREAM_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/base/options.h"

/* Stream: bytes that are appended now and read later.  A limited amount of all
   streams stays in memory; the rest goes to the spool file. */
typedef struct _Stream Stream;

Stream* DCFG_(new_stream)(void);
void    DCFG_(delete_stream)(Stream* stream);

/* Keep what STREAM has if the spool file cannot be written, and lose only what
   is appended later. */
void DCFG_(keep_begin)(Stream* stream);

void DCFG_(append_to_stream)(Stream* stream, const void* data, UInt n);

/* Save all of STREAM so far as a stream of KIND, counted from 1, in the spool
   file, which has a name.  Return False if the file has no room for all; then
   nothing is lost. */
Bool DCFG_(save_stream)(Stream* stream, UInt kind);

/* Drop the bytes before AT: they will not be read any more.  AT never
   decreases. */
void DCFG_(drop_from_stream)(Stream* stream, ULong at);

/* Free unused memory: nothing more will be appended. */
void DCFG_(trim_stream)(Stream* stream);

/* Return the length in bytes. */
ULong DCFG_(stream_length)(const Stream* stream);

/* Read up to N bytes from AT on into TO.  Return how many; fewer than N only at
   the end of the stream or after a failure. */
UInt DCFG_(read_stream)(const Stream* stream, ULong at, void* to, UInt n);

/*--- The spool file: what does not fit into memory        ---*/

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

#endif
