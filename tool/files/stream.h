/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Streams: byte sequences too long for memory. */

#ifndef __DCFG_STREAM_H
#define __DCFG_STREAM_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Stream: bytes that are appended now and read later.  A limited amount of all
   streams stays in memory; the rest goes to the spool file. */
typedef struct _Stream Stream;

Stream* DCFG_(new_stream)(void);
void    DCFG_(delete_stream)(Stream* s);

/* Keep what S has if the spool file cannot be written, and lose only what is
   appended later. */
void DCFG_(keep_begin)(Stream* s);

void DCFG_(append_to_stream)(Stream* s, const void* data, UInt n);

/* Save all of S so far as a stream of KIND, counted from 1, in the spool file,
   which has a name.  Return False if the file has no room for all; then nothing
   is lost. */
Bool DCFG_(save_stream)(Stream* s, UInt kind);

/* Drop the bytes before AT: they will not be read any more.  AT never
   decreases. */
void DCFG_(drop_from_stream)(Stream* s, ULong at);

/* Free unused memory: nothing more will be appended. */
void DCFG_(trim_stream)(Stream* s);

/* Return the length in bytes. */
ULong DCFG_(stream_length)(const Stream* s);

/* Read up to N bytes from AT on into TO.  Return how many; fewer than N only at
   the end of the stream or after a failure. */
UInt DCFG_(read_stream)(const Stream* s, ULong at, void* to, UInt n);

#endif /* __DCFG_STREAM_H */
