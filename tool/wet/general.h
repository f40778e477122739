/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers as readers know them. */

/* Private to wet/. */

#ifndef __DCFG_GENERAL_H
#define __DCFG_GENERAL_H

#include "pub_tool_basics.h"
#include "tool/wet/packed.h"

/* Forget that readers know anything. */
void DCFG_(forget_general)(void);

/* Return whether readers know the registers of the running thread. */
Bool DCFG_(knows_general)(void);

/* The running thread stands at the end of a superblock: readers know its
   registers if they did when it began to run. */
void DCFG_(keep_general)(void);

/* Add to B, for the mark MarkGeneral, the registers of the running thread that
   readers do not know, and note that they know them. */
void DCFG_(add_general)(Bytes* b);

#endif /* __DCFG_GENERAL_H */
