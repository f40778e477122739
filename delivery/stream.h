/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Streams of bytes too long for memory. */

#ifndef __DCFG_STREAM_H
#define __DCFG_STREAM_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Bytes that are appended now and read later.  Some of all streams stay in
   memory, the others go to the spool file. */
typedef struct _Stream Stream;

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
Bool DCFG_(spool_option)(const HChar* arg);
void DCFG_(spool_usage)(void);
void DCFG_(start_spool)(void);

Stream* DCFG_(new_stream)(void);
void    DCFG_(delete_stream)(Stream* s);

/* If the spool file cannot be written, keep what S has, and lose only what is
   appended from then on. */
void DCFG_(keep_begin)(Stream* s);

void DCFG_(append_to_stream)(Stream* s, const void* data, UInt n);

/* Give the spool file, in which there is nothing so far, a name beside the output
   that OPT names with FORMAT.  Returns False if that cannot be done. */
Bool DCFG_(name_spool)(const HChar* opt, const HChar* format);

/* Whatever ends the process ends the spool file, too. */
void DCFG_(unname_spool)(void);

/* All of S so far goes to the spool file, which has a name, as that of KIND, from
   1 up.  Returns False if it has no room for all, which loses nothing. */
Bool DCFG_(save_stream)(Stream* s, UInt kind);

/* What is before AT, not below that of the last call, will not be read any
   more. */
void DCFG_(drop_from_stream)(Stream* s, ULong at);

/* No more will be appended: keep no memory to spare. */
void DCFG_(trim_stream)(Stream* s);

/* Length in bytes. */
ULong DCFG_(stream_length)(const Stream* s);

/* Up to N bytes from AT on into TO; returns how many, less than N only at
   the end of the stream or after a failure. */
UInt DCFG_(read_stream)(const Stream* s, ULong at, void* to, UInt n);

#endif /* __DCFG_STREAM_H */
