/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Signals, as gdb numbers them, and which of them stop the program. */

/* Owns: numbers of signals, the client's list of signals that do not stop.
   Handed: packets by gdb_server.c. */

#include "cmd/gdb/gdb_signals.h"

#include "cmd/gdb/gdb_text.h"

#include <signal.h>

unsigned gdb_signal_number(uint32_t signal)
{
   static const uint8_t numbers[] = {
      [SIGHUP] = 1, [SIGINT] = 2, [SIGQUIT] = 3, [SIGILL] = 4, [SIGTRAP] = 5,
      [SIGABRT] = 6, [SIGFPE] = 8, [SIGKILL] = 9, [SIGBUS] = 10,
      [SIGSEGV] = 11, [SIGSYS] = 12, [SIGPIPE] = 13, [SIGALRM] = 14,
      [SIGTERM] = 15, [SIGURG] = 16, [SIGSTOP] = 17, [SIGTSTP] = 18,
      [SIGCONT] = 19, [SIGCHLD] = 20, [SIGTTIN] = 21, [SIGTTOU] = 22,
      [SIGIO] = 23, [SIGXCPU] = 24, [SIGXFSZ] = 25, [SIGVTALRM] = 26,
      [SIGPROF] = 27, [SIGWINCH] = 28, [SIGUSR1] = 30, [SIGUSR2] = 31,
      [SIGPWR] = 32
   };
   static const unsigned unknown = 143;

   return signal < sizeof(numbers) && numbers[signal] != 0 ? numbers[signal]
          : signal == 32 ? 77 : signal > 32 && signal < 64 ? signal + 12
          : unknown;
}

bool gdb_pass_signals(GdbSignals* s, const char* text)
{
   GdbSignals new = { .wanted = true };
   uint64_t   n;

   while (*text != 0) {
      if (!gdb_take_number(&text, &n)
          || (*text != 0 && !gdb_take(&text, ';')))
         return false;
      if (n < N_GDB_SIGNALS)
         new.passes[n] = true;
   }
   *s = new;
   return true;
}

bool gdb_signal_passes(const GdbSignals* s, uint32_t signal)
{
   return signal == 0 || s->passes[gdb_signal_number(signal)];
}
