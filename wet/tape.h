/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tape: addresses, values and turns. */

/* Private to wet/. */

#ifndef __DCFG_TAPE_H
#define __DCFG_TAPE_H

#include "pub_tool_basics.h"
#include "delivery/stream.h"
#include "dcfg_output.h"
#include "wet/slots.h"
#include "wet/tape_words.h"

/* Tape: generated code writes the next header at .cursor.  At the begin of a
   superblock, it calls tape_is_full() if .cursor is behind .limit.  A mark, or
   the words behind a header, have at most DCFG_TAPE_SLACK words. */
typedef
   struct {
      ULong* cursor;
      ULong* limit;
      Addr   stack;      // the last address made from RSP
   }
   Tape;
extern Tape* DCFG_(tape);

/* Make the tape, before the program runs. */
void DCFG_(load_tape)(void);

/* Keep the last SIZE bytes of the coded tape.  Called before the program runs,
   after load_tape(). */
void DCFG_(keep_tape)(ULong size);

void DCFG_(tape_is_full)(void);
void DCFG_(rows_are_full)(Rows* rows);

/* Return the coded tape so far: chunks, each of which can be read alone.  The
   last chunk is ended. */
const Stream* DCFG_(coded_tape)(void);

/* Return the length of its whole chunks, up to N bytes. */
ULong DCFG_(whole_tape)(ULong n);

/* Drop all but the last N bytes in whole chunks, or the last chunk. */
void DCFG_(drop_tape)(ULong n);

/* Return the offset of the oldest chunk that is kept. */
ULong DCFG_(tape_begin)(void);

/* Return whether the tape has gaps where nothing was collected; return whether
   anything ran before it. */
Bool DCFG_(has_tape_gaps)(void);
Bool DCFG_(begins_late)(void);

/* Hooks of wet/ir_tape.c's Watcher: see dcfg_output.h. */
void* DCFG_(tape_thread_new)(CellArray* cells, UInt index);
void  DCFG_(tape_thread_free)(void* s);
void* DCFG_(tape_restart)(void* s, CellArray* cells, UInt index, Restart why);
void  DCFG_(tape_come_back)(void* s, UInt last, UInt sb, Addr sp);
void  DCFG_(tape_suspend)(void* s);
void  DCFG_(tape_turn)(void* s, Bool on);
void  DCFG_(tape_resume)(void* s, Addr ip, Addr sp);
void  DCFG_(tape_left)(void* s, UInt sb, UInt k);
void  DCFG_(tape_handler)(void* s);
void  DCFG_(tape_syscall)(void* s, UInt sysno, const UWord* args);
void  DCFG_(tape_syscall_done)(void* s, UInt sysno, const UWord* args,
                               SysRes res);
void  DCFG_(tape_memory_read)(void* s, Addr a, SizeT len);
void  DCFG_(tape_memory_written)(void* s, Bool by_syscall, Addr a,
                                 SizeT len);
void  DCFG_(tape_moved)(Addr from, Addr to, SizeT len);
void  DCFG_(tape_unmapped)(Addr a, SizeT len);

#endif /* __DCFG_TAPE_H */
