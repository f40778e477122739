/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The log: the file of a record. */

#ifndef __DCFG_RECORD_LOG_H
#define __DCFG_RECORD_LOG_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "format/rec_file.h"
#include "format/rec_read.h"

/*--- Writing                                              ---*/

/* Create the file NAME with the header's text.  Return 0 or an errno. */
Int DCFG_(create_log)(const HChar* name, const HChar* text, UInt n);

/* Create the file NAME of a checkpoint, in a replay, as create_log() creates a
   log. */
Int DCFG_(create_checkpoint)(const HChar* name, const HChar* text, UInt n);

/* Go on in a new file NAME with this header's text, and the blocks so far.  The
   old file stays as it is.  Return 0 or an errno. */
Int DCFG_(move_log)(const HChar* name, const HChar* text, UInt n);

/* Put to the contents of KIND: N bytes; a number; a signed one. */
void DCFG_(log_bytes)(UInt kind, const void* bytes, SizeT n);
void DCFG_(log_number)(ULong n);
void DCFG_(log_signed)(Long n);

/* Write a block of KIND with the N bytes of TEXT. */
void DCFG_(log_text)(UInt kind, const HChar* text, UInt n);

/* Write all that has been put. */
void DCFG_(write_log)(void);

/* Close the file.  What is not written is lost. */
void DCFG_(drop_log)(void);

/* Cut the end block off again: the file had TO bytes before. */
void DCFG_(cut_log)(ULong to);

/* Return the bytes that the file has. */
ULong DCFG_(log_size)(void);

/* Return how many blocks events the file has. */
UInt DCFG_(logged_blocks)(void);

/* Return the errno of the first error; 0: there was none. */
Int DCFG_(log_error)(void);

/*--- Reading: see format/rec_read.h, too                  ---*/

/* Open the file NAME, and read its header as open_record() does.  Keep it open
   while the program runs. */
const HChar* DCFG_(open_log)(const HChar* name, /*OUT*/HChar** text,
                             /*OUT*/UInt* n);
void DCFG_(keep_log_open)(void);

/* Return how many bytes the record has. */
ULong DCFG_(size_of_record)(void);

/* Open the file NAME of a checkpoint as open_log() does, and read it from here on,
   until it is closed. */
const HChar* DCFG_(open_checkpoint_file)(const HChar* name, /*OUT*/HChar** text,
                                         /*OUT*/UInt* n);
void DCFG_(close_checkpoint)(void);

#endif /* __DCFG_RECORD_LOG_H */
