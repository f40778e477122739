/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Hooks of the tape: its work at each event of the program. */

/* Private to wet/. */

#ifndef __DCFG_WET_HOOKS_H
#define __DCFG_WET_HOOKS_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/dcfg_output.h"

/* Watcher of the tape: generated code that writes it (tool/wet/ir_tape.c), and
   the functions below, which tool/dcfg_output.h describes. */
extern const Watcher DCFG_(tape_watcher);

/* Does the user want all registers at each instruction, as with --vgdb=full?
   Set before the program runs. */
extern Bool DCFG_(all_registers);

/* Threads, in tool/wet/tape.c. */
void* DCFG_(tape_thread_new)(CellArray* cells, UInt index);
void  DCFG_(tape_thread_free)(void* s);
void* DCFG_(tape_restart)(void* s, CellArray* cells, UInt index, Restart why);
void  DCFG_(tape_come_back)(void* s, UInt last, UInt sb, Addr sp);
void  DCFG_(tape_suspend)(void* s);
void  DCFG_(tape_turn)(void* s, Bool on);
void  DCFG_(tape_pause)(void* s);
void  DCFG_(tape_left)(void* s, UInt sb, UInt k);

/* The kernel, in tool/wet/kernel.c. */
void DCFG_(tape_resume)(void* s, Addr ip, Addr sp);
void DCFG_(tape_handler)(void* s, Int signal, Addr sp,
                         const vki_stack_t* alternate);
void DCFG_(tape_diverted)(void* s, Addr from, Addr to, Addr sp, Bool is_call);
void DCFG_(tape_syscall)(void* s, UInt sysno, const UWord* args);
void DCFG_(tape_register_written)(void* s, Int offset, SizeT size);
void DCFG_(tape_syscall_done)(void* s, UInt sysno, const UWord* args,
                              SysRes res);
void DCFG_(tape_memory_read)(void* s, Addr a, SizeT len);
void DCFG_(tape_memory_offered)(void* s, Addr a, SizeT len);
void DCFG_(tape_memory_written)(void* s, Bool by_syscall, Addr a, SizeT len);
void DCFG_(tape_framed)(void* s, Addr a, SizeT len);
void DCFG_(tape_moved)(Addr from, Addr to, SizeT len);
void DCFG_(tape_unmapped)(Addr a, SizeT len);
void DCFG_(tape_mapped)(Addr a, SizeT len, MappingChange change);
void DCFG_(tape_thread_end)(void* s);

#endif /* __DCFG_WET_HOOKS_H */
