/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   When threads are not collected. */

#ifndef __DCFG_GAP_H
#define __DCFG_GAP_H

#include "pub_tool_basics.h"

/* From now on threads are collected, or not.  No thread is in generated
   code. */
void DCFG_(set_collecting)(Bool on);
Bool DCFG_(is_collecting)(void);

/* The same for thread number INDEX alone, if all are collected; its calls go
   on being followed.  It is not in generated code, or at a way out. */
void DCFG_(collect_thread)(UInt index, Bool on);
Bool DCFG_(is_thread_collected)(UInt index);

/* Before there are threads: are they collected when they begin? */
void DCFG_(collect_at_start)(Bool on);
Bool DCFG_(is_collected_at_start)(void);

/* Thread number INDEX is in generated code, and has counted all of a
   superblock that it leaves for TO: what it did can be read and forgotten,
   until it goes on. */
void DCFG_(stop_at_way_out)(UInt index, Addr to);
void DCFG_(go_on_from_way_out)(UInt index);

/* Is a thread in generated code, and not at a way out?  If a debugger asks at
   a breakpoint. */
Bool DCFG_(runs_code)(void);

#endif /* __DCFG_GAP_H */
