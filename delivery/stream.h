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

Stream* DCFG_(new_stream)(void);
void    DCFG_(delete_stream)(Stream* s);

/* If the spool file cannot be written, keep what S has, and lose only what is
   appended from then on. */
void DCFG_(keep_begin)(Stream* s);

void DCFG_(append_to_stream)(Stream* s, const void* data, UInt n);

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
