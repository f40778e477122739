/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Signals, as gdb numbers them, and which of them stop the program. */

#ifndef DCFG_CMD_GDB_SIGNALS_H
#define DCFG_CMD_GDB_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#define N_GDB_SIGNALS 256

/* GdbSignals: the client's wishes.  Only gdb_signals.c writes it. */
typedef
   struct {
      bool wanted;              // the client has said which signals stop; until
                                // then none does
      bool passes[N_GDB_SIGNALS];       // by gdb's number: does not stop
   }
   GdbSignals;

/* Return gdb's number of SIGNAL, a number of Linux, below N_GDB_SIGNALS. */
unsigned gdb_signal_number(uint32_t signal);

/* Take the list of signals that do not stop: TEXT is what follows QPassSignals:
   in a packet.  Return false if the list is malformed. */
bool gdb_pass_signals(GdbSignals* s, const char* text);

/* Return whether the program does not stop for SIGNAL, a number of Linux; 0:
   the trace does not tell it. */
bool gdb_signal_passes(const GdbSignals* s, uint32_t signal);

#endif /* DCFG_CMD_GDB_SIGNALS_H */
