/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Packets to and from a debugger. */

#ifndef DCFG_CMD_GDB_CHANNEL_H
#define DCFG_CMD_GDB_CHANNEL_H

#include "cmd/gdb/gdb_text.h"

/* The longest packet that is taken. */
#define GDB_MOST_PACKET 0x4000u

/* GdbChannel: written by gdb_channel.c alone. */
typedef
   struct {
      int     in, out;
      bool    acks;             // packets are acknowledged
      bool    closed;           // the client has gone
      bool    interrupted;      // the client wants the search to stop
      uint8_t buffer[4096];     // bytes that were read, and are not taken
      size_t  at, n;
      GdbText sent;             // the last packet, as it was sent
   }
   GdbChannel;

GdbChannel gdb_channel(int in, int out);
void       gdb_channel_free(GdbChannel* c);

/* Wait for the next packet, and set TO to it, without its frame.  Return false
   if the client has gone. */
bool gdb_receive(GdbChannel* c, GdbText* to);

/* Send a packet of N bytes. */
void gdb_send(GdbChannel* c, const char* data, size_t n);

/* No packets are acknowledged from now on. */
void gdb_without_acks(GdbChannel* c);

/* Has the client interrupted what runs, or gone?  Does not wait. */
bool gdb_is_interrupted(GdbChannel* c);

/* The search has stopped. */
void gdb_forget_interrupt(GdbChannel* c);

#endif /* DCFG_CMD_GDB_CHANNEL_H */
