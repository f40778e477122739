/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading the turns of threads. */

#ifndef DCFG_CMD_TURNS_H
#define DCFG_CMD_TURNS_H

#include "cmd/base/names.h"

/* Turns: the file of --trace-turns=yes: JSON, an array of [thread,
   instructions, edges]. */
typedef struct Turns Turns;

Turns* turns_open(const char* path);
void   turns_close(Turns* t);

typedef
   struct {
      uint32_t thread;
      uint64_t instrs, edges;   // in this turn
   }
   Turn;

/* Read the next turn.  Return false at the end.  Exits if the file is not
   sound. */
bool turns_next(Turns* t, Turn* turn);

#endif /* DCFG_CMD_TURNS_H */
