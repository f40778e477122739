/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Packets of gdb's remote protocol, to and from a client. */

/* Owns: frames, checksums and acknowledgements; the buffer that a packet's text
   is put into; hexadecimal digits, escapes of XML.  Handed: file descriptors,
   text and bytes. */

#include "cmd/gdb/gdb_session.h"

#include "cmd/base/cmd.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <unistd.h>

/*--- A packet's text                                      ---*/

void gdb_text_free(GdbText* t)
{
   free(t->data);
   *t = (GdbText){ .n = 0 };
}

void gdb_put_bytes(GdbText* t, const void* data, size_t n)
{
   if (t->n + n + 1 > t->room) {
      t->room = 2 * (t->n + n + 1);
      t->data = need(realloc(t->data, t->room));
   }
   if (n > 0)
      memcpy(t->data + t->n, data, n);
   t->n         += n;
   t->data[t->n] = 0;
}

void gdb_put(GdbText* t, const char* format, ...)
{
   va_list args;
   char    text[1024];
   int     n;

   va_start(args, format);
   n = vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   gdb_put_bytes(t, text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n
                          : sizeof(text) - 1);
}

void gdb_put_hex(GdbText* t, const uint8_t* bytes, size_t n)
{
   static const char digits[] = "0123456789abcdef";

   for (size_t i = 0; i < n; i++) {
      char two[2] = { digits[bytes[i] >> 4], digits[bytes[i] & 15] };
      gdb_put_bytes(t, two, 2);
   }
}

void gdb_put_xml(GdbText* t, const char* s)
{
   for (; *s != 0; s++)
      if (*s == '&' || *s == '<' || *s == '>' || *s == '"' || *s == '\''
          || (unsigned char)*s < ' ')
         gdb_put(t, "&#%d;", (unsigned char)*s < ' ' ? '?' : *s);
      else
         gdb_put_bytes(t, s, 1);
}

/* Return the value of hexadecimal digit C, or -1. */
static int digit(int c)
{
   return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
          : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool gdb_take_number(const char** at, uint64_t* number)
{
   const char* begin = *at;

   for (*number = 0; digit(**at) >= 0; ++*at) {
      if (*number >> 60 != 0)
         return false;
      *number = *number << 4 | (unsigned)digit(**at);
   }
   return *at != begin;
}

bool gdb_take(const char** at, char c)
{
   bool there = **at == c && c != 0;

   *at += there;
   return there;
}

ssize_t gdb_from_hex(const char* s, size_t n, uint8_t* to)
{
   if (n % 2 != 0)
      return -1;
   for (size_t i = 0; i < n; i += 2) {
      if (digit(s[i]) < 0 || digit(s[i + 1]) < 0)
         return -1;
      to[i / 2] = (uint8_t)(digit(s[i]) << 4 | digit(s[i + 1]));
   }
   return (ssize_t)(n / 2);
}

/*--- The connection                                       ---*/

#define INTERRUPT 0x03

GdbChannel gdb_channel(int in, int out)
{
   return (GdbChannel){ .in = in, .out = out, .acks = true };
}

void gdb_channel_free(GdbChannel* c)
{
   gdb_text_free(&c->sent);
}

/*--- Bytes of the connection                              ---*/

/* Read as many bytes as fit into the buffer; wait for the first. */
static void fill(GdbChannel* c)
{
   ssize_t n;

   if (c->at > 0) {
      memmove(c->buffer, c->buffer + c->at, c->n - c->at);
      c->n -= c->at;
      c->at = 0;
   }
   if (c->n == sizeof(c->buffer))
      return;
   do
      n = read(c->in, c->buffer + c->n, sizeof(c->buffer) - c->n);
   while (n < 0 && errno == EINTR);
   if (n <= 0)
      c->closed = true;
   else
      c->n += (size_t)n;
}

/* Return the next byte; -1 if the client has closed the connection. */
static int next_byte(GdbChannel* c)
{
   while (c->at == c->n && !c->closed)
      fill(c);
   return c->at < c->n ? c->buffer[c->at++] : -1;
}

static void write_all(GdbChannel* c, const char* data, size_t n)
{
   while (n > 0) {
      ssize_t done = write(c->out, data, n);
      if (done < 0 && errno == EINTR)
         continue;
      /* The client is gone: it wants no more answers. */
      if (done <= 0) {
         c->closed = true;
         c->at     = c->n;
         return;
      }
      data += done;
      n    -= (size_t)done;
   }
}

/*--- Receiving packets                                    ---*/

/* Read a packet up to the checksum: set TO to its contents and *SUM to the sum
   of its bytes.  If another packet begins within it, read that one instead.
   Return false if the contents are longer than GDB_MOST_PACKET, or the client
   has closed the connection. */
static bool take_contents(GdbChannel* c, GdbText* to, uint8_t* sum)
{
   bool fits = true;

   *sum = 0;
   for (;;) {
      int  b = next_byte(c);
      char byte = (char)b;
      if (b < 0)
         return false;
      if (b == '#')
         return fits;
      if (b == '$') {
         to->n = 0;
         *sum  = 0;
         fits  = true;
         continue;
      }
      *sum = (uint8_t)(*sum + b);
      if (b == '}') {
         b = next_byte(c);
         if (b < 0)
            return false;
         *sum = (uint8_t)(*sum + b);
         byte = (char)(b ^ 0x20);
      }
      fits = fits && to->n < GDB_MOST_PACKET;
      if (fits)
         gdb_put_bytes(to, &byte, 1);
   }
}

bool gdb_receive(GdbChannel* c, GdbText* to)
{
   for (;;) {
      int     b = next_byte(c), high, low;
      uint8_t sum;
      bool    ok;
      if (b < 0)
         return false;
      if (b == INTERRUPT)
         c->interrupted = true;
      if (b == '-' && c->acks)
         write_all(c, c->sent.data, c->sent.n);
      if (b != '$')
         continue;
      to->n = 0;
      gdb_put_bytes(to, "", 0);
      ok   = take_contents(c, to, &sum);
      high = next_byte(c);
      low  = next_byte(c);
      if (low < 0)
         return false;
      high = digit(high);
      low  = digit(low);
      ok   = ok && high >= 0 && low >= 0 && 16 * high + low == sum;
      if (c->acks)
         write_all(c, ok ? "+" : "-", 1);
      if (ok || !c->acks) {
         /* Without acknowledgements nobody sends a bad packet again: take an
            empty one, which the server does not know. */
         if (!ok)
            to->n = 0;
         gdb_put_bytes(to, "", 0);
         return true;
      }
   }
}

void gdb_send(GdbChannel* c, const char* data, size_t n)
{
   uint8_t sum = 0;

   c->sent.n = 0;
   gdb_put_bytes(&c->sent, "$", 1);
   for (size_t i = 0; i < n; i++) {
      char b = data[i];
      if (b == '#' || b == '$' || b == '}' || b == '*') {
         gdb_put_bytes(&c->sent, "}", 1);
         b ^= 0x20;
      }
      gdb_put_bytes(&c->sent, &b, 1);
   }
   for (size_t i = 1; i < c->sent.n; i++)
      sum = (uint8_t)(sum + (uint8_t)c->sent.data[i]);
   gdb_put(&c->sent, "#%02x", sum);
   write_all(c, c->sent.data, c->sent.n);
}

void gdb_without_acks(GdbChannel* c)
{
   c->acks = false;
}

/*--- Interrupts                                           ---*/

bool gdb_is_interrupted(GdbChannel* c)
{
   struct pollfd p = { .fd = c->in, .events = POLLIN };

   while (!c->closed && c->n - c->at < sizeof(c->buffer)
          && poll(&p, 1, 0) > 0 && p.revents != 0)
      fill(c);
   /* Acknowledgements may stand before the interrupt. */
   while (c->at < c->n && (c->buffer[c->at] == INTERRUPT
                           || c->buffer[c->at] == '+'))
      c->interrupted |= c->buffer[c->at++] == INTERRUPT;
   return c->interrupted || c->closed;
}

void gdb_forget_interrupt(GdbChannel* c)
{
   c->interrupted = false;
}
