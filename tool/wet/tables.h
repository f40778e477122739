/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of code in a WET file. */

/* Private to wet/. */

#ifndef __DCFG_TABLES_H
#define __DCFG_TABLES_H

#include "format/put.h"
#include "dcfg_bb.h"
#include "tool/graph/graph.h"
#include "tool/wet/packed.h"
#include "format/wet_sections.h"

/* Add parts of rows: of an image, name to symbols; of a superblock, exits and
   slots. */
void DCFG_(add_text)(Bytes* b, const HChar* s);
void DCFG_(add_symbols)(Bytes* b, const ImageInfo* info);
void DCFG_(add_slots)(Bytes* b, Superblock* sb);

/* Put the head of SECTION, which has LENGTH bytes. */
void DCFG_(put_section)(Put* out, UInt section, ULong length);

/* Put all sections before the tape.  DROPPED: some of the tape is missing.
   Return how many instructions were executed. */
struct _Gathered;
ULong DCFG_(put_tables)(Put* out, const struct _Gathered* g, Bool dropped,
                        Bool ended);

#endif /* __DCFG_TABLES_H */
