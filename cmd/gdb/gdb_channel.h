/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Packets of gdb's remote protocol, to and from a client. */

#ifndef DCFG_CMD_GDB_CHANNEL_H
#define DCFG_CMD_GDB_CHANNEL_H

#include "cmd/gdb/gdb_text.h"

/* Bytes of the longest packet that the channel accepts. */
#define GDB_MOST_PACKET 0x4000u

/* GdbChannel: the connection with a client.  Only gdb_channel.c writes it. */
typedef
   struct {
      int     in, out;
      bool    acks;             // both sides acknowledge packets
      bool    closed;           // the client has closed the connection
      bool    interrupted;      // the client has sent an interrupt
      uint8_t buffer[4096];     // bytes AT to N have been read from .in, but
      size_t  at, n;            // no packet has used them yet
      GdbText sent;             // the last packet with its frame, to send again
   }
   GdbChannel;

/* Return a channel on two descriptors, which stay the caller's. */
GdbChannel gdb_channel(int in, int out);
void       gdb_channel_free(GdbChannel* c);

/* Wait for the next packet, and set TO to its contents, without frame and
   escapes.  A packet with a wrong checksum is requested again; if no packets
   are acknowledged, it is taken for an empty one.  Return false if the client
   has closed the connection. */
bool gdb_receive(GdbChannel* c, GdbText* to);

/* Send a packet with the N bytes of DATA, which are escaped where needed. */
void gdb_send(GdbChannel* c, const char* data, size_t n);

/* Stop to acknowledge packets, as the client asked by QStartNoAckMode. */
void gdb_without_acks(GdbChannel* c);

/* Return whether the client has sent an interrupt or closed the connection.
   Does not wait. */
bool gdb_is_interrupted(GdbChannel* c);

/* Forget the interrupt: the run that it was for has stopped. */
void gdb_forget_interrupt(GdbChannel* c);

#endif /* DCFG_CMD_GDB_CHANNEL_H */
