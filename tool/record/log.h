/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The log: the file of a record, written and read. */

#ifndef __DCFG_RECORD_LOG_H
#define __DCFG_RECORD_LOG_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "format/rec_file.h"

/*--- Writing                                              ---*/

/* Create the file NAME with the header's text.  Return 0 or an errno. */
Int DCFG_(create_log)(const HChar* name, const HChar* text, UInt n);

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

/* Return the errno of the first error; 0: there was none. */
Int DCFG_(log_error)(void);

/*--- Reading                                              ---*/

/* Open the file NAME.  *TEXT becomes the header's text, of *N bytes with a zero
   byte behind them, for the caller to free.  Return NULL, or what is wrong. */
const HChar* DCFG_(open_log)(const HChar* name, /*OUT*/HChar** text,
                             /*OUT*/UInt* n);
void DCFG_(start_reading)(void);

/* Before any event is read: return how many superblocks the log's end says that
   there are; 0: it has none. */
ULong DCFG_(length_of_run)(void);

/* Return the N-th value of KEY, from 0, in the LENGTH bytes of TEXT, which has
   strings KEY=VALUE and ends with a zero byte; NULL if there is none. */
const HChar* DCFG_(value_in)(const HChar* text, UInt length,
                             const HChar* key, UInt n);

/* Return whether there are more bytes of KIND. */
Bool DCFG_(has_logged)(UInt kind);

/* Take N bytes of KIND; a number, a signed one, a byte of events.  At the end of
   what there is, call ENDED, which does not return. */
void  DCFG_(take_bytes)(UInt kind, void* to, SizeT n);
ULong DCFG_(take_number)(void);
Long  DCFG_(take_signed)(void);
UChar DCFG_(take_byte)(void);
extern void (*DCFG_(log_ended))(void);

/* Return why the log has no more blocks: NULL, it is whole. */
const HChar* DCFG_(why_log_ends)(void);

#endif /* __DCFG_RECORD_LOG_H */
