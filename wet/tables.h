/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a wet file knows of code. */

/* Private to wet/. */

#ifndef __DCFG_TABLES_H
#define __DCFG_TABLES_H

#include "base/put.h"

/* Sections of the file. */
enum {
   SectionSources = 1,    // names of source files
   SectionImages,         // with symbols and lines
   SectionInstrs,         // what each instruction is, uses and defines
   SectionUnexecuted,     // what branches may lead to
   SectionSuperblocks,    // of which instructions; what they access
   SectionThreads,        // instructions executed by each
   SectionBefore,         // executions, if the tape does not have all
   SectionTape,           // chunks: see wet/squeeze.c
   SectionEnd
};

/* Put the head of SECTION, which has LENGTH bytes. */
void DCFG_(put_section)(Put* out, UInt section, ULong length);

/* Put the sections up to the tape, of which something was DROPPED or not.
   Returns how many instructions were executed. */
struct _Gathered;
ULong DCFG_(put_tables)(Put* out, const struct _Gathered* g, Bool dropped,
                        Bool ended);

#endif /* __DCFG_TABLES_H */
