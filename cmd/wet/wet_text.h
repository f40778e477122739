/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The text of a whole execution trace. */

#ifndef DCFG_CMD_WET_TEXT_H
#define DCFG_CMD_WET_TEXT_H

#include "cmd/base/outfile.h"

#include "lib/dcfg_wet.h"

typedef struct WetText WetText;

/* Begin a text of at most LIMIT bytes; 0: no limit. */
WetText* wet_text_new(DcfgWet* w, uint64_t limit);

/* Add E, an instance of an instruction. */
void wet_text_add(WetText* t, const DcfgWetEvent* e);

/* Write everything; free. */
void wet_text_write(WetText* t, Outfile* out);
void wet_text_free(WetText* t);

#endif /* DCFG_CMD_WET_TEXT_H */
