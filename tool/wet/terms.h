/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms: numbers of a superblock that readers can compute. */

/* Private to wet/. */

#ifndef __DCFG_TERMS_H
#define __DCFG_TERMS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "tool/wet/slots.h"

struct _Work;         // the superblock in translation: tool/run/ir.h

/* Begin a superblock, which adds terms to SLOTS. */
void DCFG_(begin_terms)(const struct _Work* w, NewSlots* slots);

/* Note ST, a statement of W->out: the temporary or register that it writes. */
void DCFG_(note_term)(const struct _Work* w, const IRStmt* st);

/* If readers can compute the number of E, which is not constant, set where SLOT
   finds it, and return True.  Terms that it needs become slots of the same
   instruction. */
Bool DCFG_(find_term)(const struct _Work* w, const IRExpr* e,
                      /*MOD*/Slot* slot);

/* If readers could compute the number of E if they knew one number that was
   loaded, return that one, or else -1.  Word *WORD of temporary *TEMP is what
   was loaded. */
Int DCFG_(lacking_term)(const struct _Work* w, const IRExpr* e,
                        /*OUT*/IRTemp* temp, /*OUT*/UInt* word);

/* Note that slot number S has all bytes of E, and 0 above them. */
void DCFG_(set_term)(const struct _Work* w, const IRExpr* e, UInt s);

#endif /* __DCFG_TERMS_H */
