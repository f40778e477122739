/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a wet file knows of code. */

/* Private to wet/. */

#ifndef __DCFG_TABLES_H
#define __DCFG_TABLES_H

#include "base/put.h"
#include "dcfg_bb.h"
#include "graph/image_info.h"
#include "wet/packed.h"

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

/* The file's version. */
#define DCFG_WET_VERSION 3

/* Parts of what sections have: of images, name to symbols; of an instruction,
   what it uses and defines; of a superblock, exits and slots.  Instructions only
   while nothing is being translated. */
void DCFG_(add_text)(Bytes* b, const HChar* s);
void DCFG_(add_symbols)(Bytes* b, const ImageInfo* info);
void DCFG_(add_usage_of)(Bytes* b, const UChar* code, UInt len, Addr addr);
void DCFG_(add_slots)(Bytes* b, Superblock* sb);

/* Put the head of SECTION, which has LENGTH bytes. */
void DCFG_(put_section)(Put* out, UInt section, ULong length);

/* Put the sections up to the tape, of which something was DROPPED or not.
   Returns how many instructions were executed. */
struct _Gathered;
ULong DCFG_(put_tables)(Put* out, const struct _Gathered* g, Bool dropped,
                        Bool ended);

#endif /* __DCFG_TABLES_H */
