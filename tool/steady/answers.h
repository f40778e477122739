/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   False answers of the kernel. */

#ifndef __DCFG_ANSWERS_H
#define __DCFG_ANSWERS_H

#include "pub_tool_basics.h"

/* About...: subjects of --deterministic, bits of a set. */
enum {
   AboutRandom = 1, AboutTime = 2, AboutSched = 4, AboutCpus = 8, AboutMem = 16
};

/* Answer the system call SYSNO of the program, which has had the result RES, if
   it is about one of SET.  Return the result that the program shall see. */
SysRes DCFG_(answer_call)(UInt set, UInt sysno, const UWord* args, SysRes res);

/* Return whether it may change what the call has written. */
Bool DCFG_(answers_memory)(UInt set, UInt sysno);

/* Called when the program's memory has been filled; never NULL during the
   run. */
extern void (*DCFG_(tell_filled))(Addr a, SizeT len);

/* Return 32 random bits, the same in each run. */
ULong DCFG_(next_random)(void);

/* Fill TO with N random bytes, the same in each run. */
void DCFG_(fill_random)(void* to, SizeT n);

/* How often each was answered. */
typedef
   struct {
      ULong getrandom, device, instructions, cpus, mem, looks, turns;
   }
   Answered;
extern Answered DCFG_(answered);

#endif
