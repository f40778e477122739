/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of dcfg wet: the text of a trace, and salvaging one. */

/* Private to wet/. */

#ifndef DCFG_CMD_WET_VIEWS_H
#define DCFG_CMD_WET_VIEWS_H

#include "lib/dcfg_wet.h"

#include "format/put.h"

/*--- The text: wet_text.c                                 ---*/

typedef struct WetText WetText;

/* Begin a text of at most LIMIT bytes; 0: no limit. */
WetText* wet_text_new(DcfgWet* w, uint64_t limit);

/* Add E, an instance of an instruction. */
void wet_text_add(WetText* t, const DcfgWetEvent* e);

/* Write everything; free. */
void wet_text_write(WetText* t, Put* out);
void wet_text_free(WetText* t);

/* Write N in hexadecimal at AT.  Return the end. */
char* put_hexadecimal(char* at, uint64_t n);

/*--- Salvaging: wet_salvage.c                             ---*/

/* Make the whole execution trace TO, which ends early, from the spool file FROM
   of a killed process.  Exits if that is not possible. */
void wet_salvage(const char* from, const char* to);

#endif /* DCFG_CMD_WET_VIEWS_H */
