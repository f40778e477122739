/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Marks on the tape of what the kernel does. */

/* Private to wet/. */

#ifndef __DCFG_WET_KERNEL_H
#define __DCFG_WET_KERNEL_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/dcfg_output.h"

/* Hooks of tool/wet/ir_tape.c's Watcher: see tool/dcfg_output.h. */
void DCFG_(tape_resume)(void* s, Addr ip, Addr sp);
void DCFG_(tape_handler)(void* s, Int signal);
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

#endif /* __DCFG_WET_KERNEL_H */
