/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Answers to gdb's queries about the target: registers, threads, images. */

/* Owns: answers to packets that begin with q, the target's description.
   Handed: packets. */

#include "cmd/gdb/gdb_session.h"

#include "cmd/base/cmd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- Registers                                            ---*/

static void end_feature(GdbText* to, bool begun)
{
   if (begun)
      gdb_put(to, "</feature>\n");
}

/* Append a type of 32 bits, whose flags .flags of T has. */
static void put_flags(const StateType* t, GdbText* to)
{
   const char* names = t->flags;

   gdb_put(to, "<flags id=\"%s\" size=\"4\">\n", t->name);
   for (unsigned bit = 0; *names != 0; bit++) {
      int n = (int)strcspn(names, " ");
      if (*names != '-')
         gdb_put(to, "<field name=\"%.*s\" start=\"%u\" end=\"%u\"/>\n", n,
                 names, bit, bit);
      names += n + 1;
   }
   gdb_put(to, "</flags>\n");
}

/* Append the types that go before the registers of FEATURE. */
static void put_types(const StateRules* rules, const char* feature, GdbText* to)
{
   for (size_t i = 0; i < rules->n_types; i++) {
      const StateType* t = &rules->types[i];
      if (strcmp(t->feature, feature) != 0)
         continue;
      if (t->flags != NULL)
         put_flags(t, to);
      if (t->xml != NULL)
         gdb_put_bytes(to, t->xml, strlen(t->xml));
   }
}

void gdb_describe(const StateRules* rules, GdbText* to)
{
   gdb_put(to, "<?xml version=\"1.0\"?>\n"
               "<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>\n"
               "<architecture>%s</architecture>\n<osabi>GNU/Linux</osabi>\n",
           rules->architecture);
   for (size_t i = 0; i < rules->n_rows; i++) {
      const StateRow* r = &rules->rows[i];
      if (r->feature != NULL) {
         end_feature(to, i > 0);
         gdb_put(to, "<feature name=\"%s\">\n", r->feature);
         put_types(rules, r->feature, to);
      }
      gdb_put(to, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\"/>\n", r->name,
              r->bits, r->type);
   }
   end_feature(to, rules->n_rows > 0);
   gdb_put(to, "</target>\n");
}

void gdb_put_row(GdbSession* g, uint32_t thread, const StateRow* row,
                 GdbText* to)
{
   StateValue v = state_row(g->s, thread, g->time, row);
   unsigned   size = row->bits / 8;

   for (unsigned i = 0; i < size; i++)
      if (~v.known & (size >= 32 ? UINT32_MAX : (1u << size) - 1))
         gdb_put_bytes(to, "xx", 2);
      else
         gdb_put_hex(to, v.bytes + i, 1);
}

/*--- Objects                                              ---*/

static void put_threads(const GdbSession* g, GdbText* to)
{
   gdb_put(to, "<?xml version=\"1.0\"?>\n<threads>\n");
   for (uint32_t i = 0; i < g->s->n_threads; i++)
      if (state_has_thread(g->s, i, g->time))
         gdb_put(to, "<thread id=\"%" PRIx32 "\"/>\n", i + 1);
   gdb_put(to, "</threads>\n");
}

/* Append the part of an object of N bytes that "OFFSET,LENGTH" at TEXT asks
   for, behind m, or behind l if it is the last part. */
static void put_object(const char* text, const void* data, size_t n,
                       GdbText* to)
{
   uint64_t at, size;

   if (!gdb_take_number(&text, &at) || !gdb_take(&text, ',')
       || !gdb_take_number(&text, &size) || *text != 0 || at > n) {
      gdb_put(to, "E01");
      return;
   }
   if (size > GDB_MOST_PACKET / 2)
      size = GDB_MOST_PACKET / 2;
   gdb_put_bytes(to, at + size >= n ? "l" : "m", 1);
   gdb_put_bytes(to, (const char*)data + at, at + size >= n ? n - at : size);
}

/* Answer qXfer:TEXT.  Return false if the server has no such object. */
static bool object(GdbSession* g, const char* text, GdbText* to)
{
   static const char* const names[] = {
      "features:read:target.xml:", "auxv:read::", "libraries-svr4:read:",
      "threads:read::", "exec-file:read:"
   };
   GdbText     made = { .n = 0 };
   unsigned    k = 0;
   const char* path = g->images.program;

   while (k < 5 && strncmp(text, names[k], strlen(names[k])) != 0)
      k++;
   if (k == 5) {
      if (strncmp(text, "features:read:", 14) == 0)
         gdb_put(to, "E00");
      return strncmp(text, "features:read:", 14) == 0;
   }
   text += strlen(names[k]);
   if (k == 2 || k == 4) {
      /* An annex, which these objects do not need, ends with a colon. */
      text = strchr(text, ':');
      if (text == NULL) {
         gdb_put(to, "E01");
         return true;
      }
      text++;
   }
   if (k == 2) {
      gdb_put_libraries(g, &made);
      put_object(text, made.data, made.n, to);
   } else if (k == 3) {
      put_threads(g, &made);
      put_object(text, made.data, made.n, to);
   } else if (k == 4) {
      if (path == NULL)
         gdb_put(to, "E01");
      else
         put_object(text, path, strlen(path), to);
   } else {
      const GdbText* t = k == 0 ? &g->target : &g->images.auxv;
      put_object(text, t->data, t->n, to);
   }
   gdb_text_free(&made);
   return true;
}

/*--- Packets                                              ---*/

static void put_thread_list(const GdbSession* g, GdbText* to)
{
   bool some = false;

   for (uint32_t i = 0; i < g->s->n_threads; i++)
      if (state_has_thread(g->s, i, g->time)) {
         gdb_put(to, "%s%" PRIx32, some ? "," : "m", i + 1);
         some = true;
      }
   if (!some)
      gdb_put(to, "l");
}

/* Execute the command of qRcmd, which HEX has as digits. */
static void command(GdbSession* g, const char* hex, GdbText* to)
{
   size_t  n = strlen(hex);
   char*   text = zalloc(n / 2 + 1, 1);
   GdbText said = { .n = 0 };
   ssize_t size = gdb_from_hex(hex, n, (uint8_t*)text);

   if (size < 0 || strlen(text) != (size_t)size) {
      gdb_put(to, "E01");
   } else {
      gdb_monitor(g, text, &said);
      if (said.n == 0)
         gdb_put(to, "OK");
      else
         gdb_put_hex(to, (const uint8_t*)said.data,
                     said.n < GDB_MOST_PACKET / 2 - 64 ? said.n
                     : GDB_MOST_PACKET / 2 - 64);
   }
   gdb_text_free(&said);
   free(text);
}

/* Answer qGetTLSAddr:TEXT, which has a thread, an offset and a module. */
static void put_storage(const GdbSession* g, const char* text, GdbText* to)
{
   uint64_t thread, offset, module, addr;

   if (gdb_take_number(&text, &thread) && gdb_take(&text, ',')
       && gdb_take_number(&text, &offset) && gdb_take(&text, ',')
       && gdb_take_number(&text, &module) && *text == 0 && thread > 0
       && thread <= g->s->n_threads
       && gdb_tls_address(g, (uint32_t)thread - 1, offset, module, &addr))
      gdb_put(to, "%" PRIx64, addr);
   else
      gdb_put(to, "E01");
}

/* Return the text behind BEGIN; NULL if TEXT does not begin so. */
static const char* after(const char* text, const char* begin)
{
   size_t n = strlen(begin);

   return strncmp(text, begin, n) == 0 ? text + n : NULL;
}

bool gdb_query(GdbSession* g, const char* packet, GdbText* to)
{
   const char* rest;

   if (after(packet, "qSupported") != NULL)
      gdb_put(to, "PacketSize=%x;QStartNoAckMode+;ReverseStep+;"
                  "ReverseContinue+;swbreak+;hwbreak+;vContSupported+;"
                  "ConditionalBreakpoints+;QPassSignals+;"
                  "qXfer:features:read+;"
                  "qXfer:auxv:read+;qXfer:exec-file:read+;"
                  "qXfer:libraries-svr4:read+;qXfer:threads:read+",
              GDB_MOST_PACKET);
   else if (strcmp(packet, "qAttached") == 0
            || after(packet, "qAttached:") != NULL)
      gdb_put(to, "1");
   else if (strcmp(packet, "qC") == 0)
      gdb_put(to, "QC%" PRIx32, g->thread + 1);
   else if (strcmp(packet, "qfThreadInfo") == 0)
      put_thread_list(g, to);
   else if (strcmp(packet, "qsThreadInfo") == 0)
      gdb_put(to, "l");
   else if ((rest = after(packet, "qRcmd,")) != NULL)
      command(g, rest, to);
   else if ((rest = after(packet, "qGetTLSAddr:")) != NULL)
      put_storage(g, rest, to);
   else if ((rest = after(packet, "qXfer:")) != NULL)
      return object(g, rest, to);
   else
      return false;
   return true;
}
