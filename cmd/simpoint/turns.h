/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reads the turns of threads, which --trace-turns=yes writes. */

#ifndef DCFG_CMD_TURNS_H
#define DCFG_CMD_TURNS_H

#include "cmd/base/names.h"

/* Turns: an open file of turns, a JSON array of [thread, instructions,
   edges]. */
typedef struct Turns Turns;

/* Open the file at PATH, which must outlive the result.  Die after an error. */
Turns* turns_open(const char* path);
void   turns_close(Turns* t);

/* Turn: what a thread runs without another thread in between. */
typedef
   struct {
      uint32_t thread;
      uint64_t instrs, edges;   // executed in this turn
   }
   Turn;

/* Read the next turn to *TURN.  Return false at the end of the file.  Die if
   the file is malformed. */
bool turns_next(Turns* t, Turn* turn);

#endif /* DCFG_CMD_TURNS_H */
