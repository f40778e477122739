/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The server of gdb's remote protocol for a recorded program. */

/* Owns: a session, and the answer to each packet; frames, checksums and
   acknowledgements; the buffer that a packet's text is put into; hexadecimal
   digits, escapes of XML.  Handed: file descriptors, text and bytes.

   Packets that would change registers or memory get an error: a recording
   cannot run otherwise than it did. */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/gdb/gdb_session.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
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

/* Return a channel on two descriptors, which stay the caller's. */
static GdbChannel gdb_channel(int in, int out)
{
   return (GdbChannel){ .in = in, .out = out, .acks = true };
}

static void gdb_channel_free(GdbChannel* c)
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

/* Wait for the next packet, and set TO to its contents, without frame and
   escapes.  A packet with a wrong checksum is requested again; if no packets
   are acknowledged, it is taken for an empty one.  Return false if the client
   has closed the connection. */
static bool gdb_receive(GdbChannel* c, GdbText* to)
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

/* Send a packet with the N bytes of DATA, which are escaped where needed. */
static void gdb_send(GdbChannel* c, const char* data, size_t n)
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

/* Stop to acknowledge packets, as the client asked by QStartNoAckMode. */
static void gdb_without_acks(GdbChannel* c)
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

#define SIGNAL_TRAP 5
#define MOST_MEMORY (GDB_MOST_PACKET / 2 - 16)

/*--- Sessions                                             ---*/

static bool is_interrupted(void* arg)
{
   return gdb_is_interrupted(arg);
}

GdbSession* gdb_session(DcfgWet* w, const char* file, const char* root,
                        const char* at)
{
   GdbSession* g = zalloc(1, sizeof(*g));
   DcfgError   err;
   uint64_t    t = 0;
   const char* why;

   g->file       = file;
   g->root       = root;
   g->run_thread = DCFG_NONE;
   g->s          = state_new(w, root, &err);
   if (g->s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   g->images = gdb_images(w, root);
   gdb_describe(g->s->rules, &g->target);
   why = at == NULL ? NULL : gdb_where(g->s, at, &t);
   if (why != NULL)
      die("--at: %s", why);
   gdb_go(g, t);
   gdb_list_libraries(g, t);
   gdb_note_stop(g, SIGNAL_TRAP, "");
   return g;
}

void gdb_session_free(GdbSession* g)
{
   points_free(&g->points, g->s);
   gdb_images_free(&g->images);
   gdb_text_free(&g->target);
   gdb_text_free(&g->stop);
   state_free(g->s);
   free(g);
}

/*--- Registers, memory, threads                           ---*/

/* Append all registers.  If one of them shows that the index told another one
   wrong, begin again: the trace alone answers then. */
static void put_registers(GdbSession* g, GdbText* to)
{
   size_t begin = to->n;
   bool   doubts;

   do {
      doubts = g->s->doubts;
      to->n  = begin;
      for (size_t i = 0; i < g->s->rules->n_rows; i++)
         gdb_put_row(g, g->thread, &g->s->rules->rows[i], to);
   } while (g->s->doubts != doubts);
}

static void put_register(GdbSession* g, const char* text, GdbText* to)
{
   uint64_t n;

   if (gdb_take_number(&text, &n) && *text == 0 && n < g->s->rules->n_rows)
      gdb_put_row(g, g->thread, &g->s->rules->rows[n], to);
   else
      gdb_put(to, "E01");
}

/* Append the bytes that "ADDRESS,SIZE" at TEXT asks for, up to the first that
   is not known; E14, gdb's EFAULT, if that is the first of all. */
static void put_memory(GdbSession* g, const char* text, GdbText* to)
{
   uint64_t addr, size;
   uint8_t* bytes;
   bool*    known;
   uint32_t n = 0;

   if (!gdb_take_number(&text, &addr) || !gdb_take(&text, ',')
       || !gdb_take_number(&text, &size) || *text != 0) {
      gdb_put(to, "E01");
      return;
   }
   if (size > MOST_MEMORY)
      size = MOST_MEMORY;
   if (size > 0 && addr > UINT64_MAX - (size - 1))
      size = UINT64_MAX - addr + 1;
   bytes = zalloc(size + 1, 1);
   known = zalloc(size + 1, sizeof(bool));
   if (state_memory(g->s, g->time - g->looks_back, addr, (uint32_t)size, bytes,
                    known))
      while (n < size && known[n])
         n++;
   if (n == 0 && size > 0)
      gdb_put(to, "E14");
   else
      gdb_put_hex(to, bytes, n);
   free(bytes);
   free(known);
}

/* Read a thread's number at *AT; *THREAD becomes DCFG_NONE for -1 and 0, all
   threads or any.  Return false if there is no such thread. */
static bool take_thread(const GdbSession* g, const char** at, uint32_t* thread)
{
   uint64_t n;

   *thread = DCFG_NONE;
   if (gdb_take(at, '-'))
      return gdb_take(at, '1');
   if (!gdb_take_number(at, &n))
      return false;
   if (n == 0)
      return true;
   if (n > g->s->n_threads)
      return false;
   *thread = (uint32_t)n - 1;
   return true;
}

static void choose_thread(GdbSession* g, const char* text, GdbText* to)
{
   uint32_t thread;
   char     what = *text;

   if (what != 0)
      text++;
   if ((what != 'g' && what != 'c') || !take_thread(g, &text, &thread)
       || *text != 0
       || (thread != DCFG_NONE && !state_has_thread(g->s, thread, g->time))) {
      gdb_put(to, "E01");
      return;
   }
   if (what == 'c')
      g->run_thread = thread;
   else if (thread != DCFG_NONE)
      g->thread = thread;
   gdb_put(to, "OK");
}

static void is_alive(const GdbSession* g, const char* text, GdbText* to)
{
   uint32_t thread;

   gdb_put(to, take_thread(g, &text, &thread) && *text == 0
               && (thread == DCFG_NONE
                   || state_has_thread(g->s, thread, g->time))
               ? "OK" : "E01");
}

/*--- Running                                              ---*/

static void run(GdbSession* g, RunHow how, bool back, GdbText* to)
{
   gdb_run(g, how, back);
   gdb_put_bytes(to, g->stop.data, g->stop.n);
}

/* Move *AT behind the argument of ACTION: a signal's number, which the server
   ignores, or a range. */
static bool skip_argument(const char** at, char action)
{
   uint64_t n;

   if (action == 'C' || action == 'S')
      return gdb_take_number(at, &n);
   return action != 'r'
          || (gdb_take_number(at, &n) && gdb_take(at, ',')
              && gdb_take_number(at, &n));
}

/* Execute vCont, whose actions are at TEXT.  Only the first action counts: its
   thread steps, or all threads run on. */
static void run_actions(GdbSession* g, const char* text, GdbText* to)
{
   bool     steps = false, some = false, ranged = false;
   uint32_t thread = DCFG_NONE, of, before = g->run_thread;
   uint64_t low = 0, high = 0;

   while (gdb_take(&text, ';')) {
      char action = *text;
      if (action == 0 || strchr("cCsSr", action) == NULL)
         break;
      text++;
      if (action == 'r' && !some) {
         const char* at = text;
         ranged = gdb_take_number(&at, &low) && gdb_take(&at, ',')
                  && gdb_take_number(&at, &high);
      }
      if (!skip_argument(&text, action))
         break;
      of = DCFG_NONE;
      if (gdb_take(&text, ':') && !take_thread(g, &text, &of))
         break;
      if (!some) {
         steps  = action != 'c' && action != 'C';
         thread = of;
      }
      some = true;
   }
   if (!some || *text != 0) {
      gdb_put(to, "E01");
      return;
   }
   if (steps)
      g->run_thread = thread;
   gdb_run(g, steps ? RUN_STEP : RUN_CONTINUE, false);
   /* Step until the thread has left the range.  A stop reply with a reason is
      no mere step: it ends this, too. */
   for (uint64_t pc; ranged && strncmp(g->stop.data, "T05", 3) == 0
        && strstr(g->stop.data, "break:") == NULL
        && strstr(g->stop.data, "watch:") == NULL
        && strstr(g->stop.data, "replaylog:") == NULL
        && strstr(g->stop.data, "library:") == NULL
        && state_pc(g->s, g->thread, g->time, &pc) && pc >= low
        && pc < high && !points_has(&g->points, pc)
        && !gdb_is_interrupted(&g->channel); )
      gdb_run(g, RUN_STEP, false);
   g->run_thread = before;
   gdb_put_bytes(to, g->stop.data, g->stop.n);
}

/*--- Packets                                              ---*/

/* End the session, after the answer OK. */
static void go_away(GdbSession* g, GdbText* to)
{
   gdb_put(to, "OK");
   g->ended = true;
}

/* Answer a packet that begins with v. */
static void extended(GdbSession* g, const char* p, GdbText* to)
{
   if (strcmp(p, "vCont?") == 0)
      gdb_put(to, "vCont;c;C;s;S;r");
   else if (strncmp(p, "vCont;", 6) == 0)
      run_actions(g, p + 5, to);
   else if (strncmp(p, "vKill", 5) == 0)
      go_away(g, to);
}

static void points(GdbSession* g, const char* p, GdbText* to)
{
   gdb_put(to, (p[0] == 'Z' ? points_insert(&g->points, p + 1)
                : points_remove(&g->points, p + 1)) ? "OK" : "E01");
}

/* Append to TO the answer to packet P: nothing if the server does not know it,
   as the protocol demands. */
static void answer(GdbSession* g, const char* p, GdbText* to)
{
   switch (p[0]) {
      case '?':
         gdb_put_bytes(to, g->stop.data, g->stop.n);
         break;
      case 'g':
         put_registers(g, to);
         break;
      case 'p':
         put_register(g, p + 1, to);
         break;
      case 'm':
         put_memory(g, p + 1, to);
         break;
      case 'M': case 'X': case 'G': case 'P':
         gdb_put(to, "E01");
         break;
      case 'H':
         choose_thread(g, p + 1, to);
         break;
      case 'T':
         is_alive(g, p + 1, to);
         break;
      case 'Z': case 'z':
         points(g, p, to);
         break;
      case 'b':
         if (strcmp(p, "bs") == 0 || strcmp(p, "bc") == 0)
            run(g, p[1] == 's' ? RUN_STEP : RUN_CONTINUE, true, to);
         break;
      case 'c': case 's':
         run(g, p[0] == 's' ? RUN_STEP : RUN_CONTINUE, false, to);
         break;
      case 'v':
         extended(g, p, to);
         break;
      case 'q':
         if (!gdb_query(g, p, to))
            to->n = 0;
         break;
      case 'Q':
         if (strncmp(p, "QPassSignals:", 13) == 0)
            gdb_put(to, gdb_pass_signals(&g->signals, p + 13) ? "OK" : "E01");
         break;
      case 'D':
         go_away(g, to);
         break;
      default:
         break;
   }
}

void gdb_serve(GdbSession* g, int in, int out)
{
   GdbText packet = { .n = 0 }, reply = { .n = 0 };

   g->channel = gdb_channel(in, out);
   g->ended   = false;
   state_listen(g->s, is_interrupted, &g->channel);
   while (!g->ended && gdb_receive(&g->channel, &packet)) {
      reply.n = 0;
      gdb_put_bytes(&reply, "", 0);
      if (strcmp(packet.data, "k") == 0)
         break;
      if (strcmp(packet.data, "QStartNoAckMode") == 0)
         gdb_put(&reply, "OK");
      else if (strlen(packet.data) == packet.n || packet.data[0] == 'X')
         answer(g, packet.data, &reply);
      /* Other packets with a zero byte are unknown: gdb then uses others. */
      gdb_send(&g->channel, reply.data, reply.n);
      if (strcmp(packet.data, "QStartNoAckMode") == 0)
         gdb_without_acks(&g->channel);
      text_forget();
   }
   state_listen(g->s, NULL, NULL);
   gdb_text_free(&packet);
   gdb_text_free(&reply);
   gdb_channel_free(&g->channel);
}
