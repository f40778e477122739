/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading the file of a record. */

#ifndef __DCFG_REC_READ_H
#define __DCFG_REC_READ_H

#include "format/port.h"

/* Read N bytes at PLACE of the file to TO.  Return False if there are fewer. */
typedef Bool (*RecRead)(ULong place, void* to, UInt n);

/* Begin with the file of SIZE bytes that READ reads.  *TEXT becomes the header's
   text, of *N bytes with a zero byte behind them, for the caller to free; NULL if
   there is none.  Return NULL, or what is wrong. */
const HChar* DCFG_(open_record)(RecRead read, ULong size, /*OUT*/HChar** text,
                                /*OUT*/UInt* n);

/* Open the file of a checkpoint as open_record() opens a record.  From here on all
   functions read the checkpoint; the last two choose what they go on with. */
const HChar* DCFG_(open_checkpoint)(RecRead read, ULong size,
                                    /*OUT*/HChar** text, /*OUT*/UInt* n);
void DCFG_(read_record)(void);
void DCFG_(read_checkpoint)(void);

/* RecPlace: a place in the contents of a kind: a block's place in the file, its
   number, and the byte in it. */
typedef
   struct {
      ULong block;
      UInt  number, at;
   }
   RecPlace;

/* Return the present place in the contents of KIND; go on at another. */
RecPlace DCFG_(place_of)(UInt kind);
void     DCFG_(go_to)(UInt kind, RecPlace to);

/* Make room for blocks, before any is read. */
void DCFG_(start_reading)(void);

/* Before any event is read: return the number that KEY has at the log's end, as
   superblocks; 0: none. */
ULong DCFG_(number_at_end)(const HChar* key);

/* Return the N-th value of KEY, from 0, in the LENGTH bytes of TEXT, which has
   strings KEY=VALUE and ends with a zero byte; NULL if there is none. */
const HChar* DCFG_(value_in)(const HChar* text, UInt length,
                             const HChar* key, UInt n);

/* Return whether there are more bytes of KIND. */
Bool DCFG_(has_logged)(UInt kind);

/* Take N bytes of KIND; a number, a signed one, a byte of events.  At the end of
   what there is, call log_ended, which does not return. */
void  DCFG_(take_bytes)(UInt kind, void* to, SizeT n);
ULong DCFG_(take_number)(void);
Long  DCFG_(take_signed)(void);
UChar DCFG_(take_byte)(void);
extern void (*DCFG_(log_ended))(void);

/* Pass over the rest of the present block of KIND. */
void DCFG_(pass_block)(UInt kind);

/* Return why the log has no more blocks: NULL, it is whole. */
const HChar* DCFG_(why_log_ends)(void);

#endif /* __DCFG_REC_READ_H */
