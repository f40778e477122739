/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Gaps: times when threads are not collected. */

#ifndef __DCFG_GAP_H
#define __DCFG_GAP_H

#include "pub_tool_basics.h"

/* Collect all threads from now on, or none.  No thread is in generated code. */
void DCFG_(set_collecting)(Bool on);
Bool DCFG_(is_collecting)(void);

/* Collect thread number INDEX from now on, or not; all threads are collected
   otherwise.  Its calls are followed even if it is not collected.  The thread
   is not in generated code, or at a way out. */
void DCFG_(collect_thread)(UInt index, Bool on);
Bool DCFG_(is_thread_collected)(UInt index);

/* Set whether threads are collected when they begin.  Called before there are
   threads. */
void DCFG_(collect_at_start)(Bool on);
Bool DCFG_(is_collected_at_start)(void);

/* Thread number INDEX is in generated code at a way out: it has counted a whole
   superblock, and leaves it for TO.  Until go_on_from_way_out(), its counts can
   be read and forgotten. */
void DCFG_(stop_at_way_out)(UInt index, Addr to);
void DCFG_(go_on_from_way_out)(UInt index);

/* Return whether a thread is in generated code and not at a way out: a debugger
   may ask at a breakpoint. */
Bool DCFG_(runs_code)(void);

#endif /* __DCFG_GAP_H */
