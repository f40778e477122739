/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The server of gdb's remote protocol for a recorded program. */

/* Owns: a session, and the answer to each packet.  Handed: packets by
   gdb_packets.c.

   Packets that would change registers or memory get an error: a recording
   cannot run otherwise than it did. */

#include "cmd/gdb/gdb_session.h"

#include "cmd/base/format.h"
#include "cmd/base/operands.h"

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
   g->s          = state_new(w, state_rules_of(processor_of(w)), root,
                             &err);
   need_file(g->s != NULL, &err, KIND_WET);
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
   FREE_ALL(bytes, known);
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
   if (ranged)
      gdb_run_range(g, low, high);
   else
      gdb_run(g, steps ? RUN_STEP : RUN_CONTINUE, false);
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
