/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The state of the process in a wet file. */

#ifndef DCFG_LIB_WET_STATE_H
#define DCFG_LIB_WET_STATE_H

#include "lib/wet/wet.h"

/* Read the section of the process's state from B, behind those of images and
   threads. */
bool wet_get_state(DcfgWet* w, Bytes* b);
void wet_free_state(DcfgWet* w);

/* Set what E has beside its words, if it is of a kind from DCFG_WET_CONTENTS on.
   The record is its mark.  Return false if the mark makes no sense. */
bool wet_tell_mark(DcfgWet* w, DcfgWetEvent* e);

/* Read how the memory of M is mapped from B, to the other members of M.  The
   name of a file goes to NAME, of char; if it is empty, that is left as it is.
   Return false, with an error, if memory is short; B fails if it makes no
   sense. */
bool wet_get_mapping(Job* job, Bytes* b, DcfgWetMapping* m, Array* name);

/* Read registers from B, up to its end, and add them to TO, of DcfgWetRegister.
   Their bytes are those of B.  Return as wet_get_mapping() does. */
bool wet_get_registers(DcfgWet* w, Bytes* b, Array* to);

#endif /* DCFG_LIB_WET_STATE_H */
