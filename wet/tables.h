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
#include "format/wet_sections.h"

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
