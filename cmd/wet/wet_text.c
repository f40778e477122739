/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The text of a whole execution trace. */

/* Owns: the comprehensive text: instruction by instruction, its ports, and
   for each port all instances.  Handed: instances in the order of execution.

   A spool has a sequence for each port's dependences, and for each
   instruction's values. */

#include "cmd/wet/wet_views.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/spool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes that an instruction computes. */
#define MAX_VALUE 4096

/* ValueText: an instruction's values so far. */
typedef
   struct {
      uint64_t n, instance;     // number, and instance of the last one
   }
   ValueText;

/* PortText: a port's dependences so far. */
typedef
   struct {
      uint64_t n;
      uint64_t instance, on;    // instance and source of the last one
      uint32_t instr;
   }
   PortText;

struct WetText {
   DcfgWet*  w;
   uint64_t  limit, size;       // in bytes of text
   uint32_t  n_instrs;
   size_t*   first;             // for each instruction: its first port; one
                                // more at the end
   bool*     chosen;            // for each instruction: does it have instances
                                // here?
   bool*     named;             // or do others depend on it?
   PortText*  ports;
   ValueText* values;           // for each instruction
   Spool*     spool;            // all ports, then values of instructions
};

WetText* wet_text_new(DcfgWet* w, uint64_t limit)
{
   WetText* t = zalloc(1, sizeof(*t));
   size_t   n = 0;

   t->w        = w;
   t->limit    = limit;
   t->n_instrs = dcfg_wet_instrs(w);
   t->first    = zalloc(t->n_instrs + (size_t)1, sizeof(*t->first));
   t->chosen   = zalloc(t->n_instrs + (size_t)1, sizeof(*t->chosen));
   t->named    = zalloc(t->n_instrs + (size_t)1, sizeof(*t->named));
   for (uint32_t i = 0; i < t->n_instrs; i++) {
      t->first[i] = n;
      n += dcfg_wet_instr(w, i)->n_ports;
   }
   t->first[t->n_instrs] = n;
   t->ports  = zalloc(n + 1, sizeof(*t->ports));
   t->values = zalloc(t->n_instrs + (size_t)1, sizeof(*t->values));
   t->spool  = spool_new(n + t->n_instrs);
   return t;
}

void wet_text_free(WetText* t)
{
   spool_free(t->spool);
   free(t->first);
   free(t->chosen);
   free(t->named);
   free(t->ports);
   free(t->values);
   free(t);
}

static inline void grow(WetText* t, uint64_t more)
{
   t->size += more;
   if (t->limit != 0 && t->size > t->limit)
      die("the text would have more than %s bytes: choose less with --image, "
          "--function, --source, --thread, --from, --to or --instances, or "
          "allow it with --limit=0", text_count(t->limit));
}

/* Add "    INSTANCE:ON.instr ON.instance". */
static inline void add_dep(WetText* t, size_t port, uint64_t instance,
                           DcfgWetDep on)
{
   PortText* p = &t->ports[port];
   Sequence* q = spool_sequence(t->spool, port);

   spool_need(t->spool, q);
   spool_varint(q, (instance - p->instance) << 1 | (on.instr != p->instr));
   if (on.instr != p->instr)
      spool_varint(q, on.instr);
   spool_signed(q, on.instance - p->on);
   p->instance = instance;
   p->instr    = on.instr;
   p->on       = on.instance;
   p->n++;
   t->named[on.instr] = true;
   grow(t, 7 + digits_of(instance) + digits_of(on.instr)
           + digits_of(on.instance));
}

static inline Sequence* values_of(WetText* t, uint32_t i)
{
   return spool_sequence(t->spool, t->first[t->n_instrs] + i);
}

/* Add "    INSTANCE:VALUE". */
static void add_value(WetText* t, const DcfgWetEvent* e)
{
   ValueText* v = &t->values[e->instr];
   Sequence*  q = values_of(t, e->instr);
   uint32_t   n = e->value_size;

   if (n > MAX_VALUE)
      die("a value has %" PRIu32 " bytes", n);
   while (n > 0 && e->value[n - 1] == 0)
      n--;
   spool_need(t->spool, q);
   spool_varint(q, e->instance - v->instance);
   spool_varint(q, n);
   for (uint32_t i = 0; i < n; i++) {
      spool_need(t->spool, q);
      q->bytes[q->used++] = e->value[i];
   }
   v->instance = e->instance;
   v->n++;
   grow(t, 6 + digits_of(e->instance) + 2 * (uint64_t)n);
}

void wet_text_add(WetText* t, const DcfgWetEvent* e)
{
   size_t port = t->first[e->instr];

   t->chosen[e->instr] = true;
   for (uint32_t i = 0; i < e->n_ports; i++)
      for (uint32_t k = 0; k < e->ports[i].n; k++)
         add_dep(t, port + i, e->instance, e->deps[e->ports[i].first + k]);
   if (e->has_value)
      add_value(t, e);
}

/*--- Writing                                              ---*/

/* Put a name as one word. */
static void put_word(Outfile* out, const char* word)
{
   if (word == NULL || *word == 0)
      word = "???";
   for (word = text_clean(word); *word != 0; word++)
      out_char(out, *word == ' ' ? '_' : *word);
}

/* Put lines "    INSTANCE:INSTR INSTANCE". */
#define LONGEST_LINE (7 + 3 * MAX_DIGITS)

static void put_port(WetText* t, Outfile* out, size_t port)
{
   PortText now = { 0 };
   Playback p;

   out_text(out, "SIZE ");
   out_decimal(out, t->ports[port].n);
   out_char(out, '\n');
   if (t->ports[port].n == 0)
      return;
   spool_play(t->spool, spool_sequence(t->spool, port), &p);
   while (spool_more(&p)) {
      uint64_t step = play_varint(&p);
      if (step & 1)
         now.instr = (uint32_t)play_varint(&p);
      now.instance += step >> 1;
      now.on       += play_signed(&p);
      char* at = out_room(out, LONGEST_LINE);
      memcpy(at, "    ", 4);
      at    = put_decimal(at + 4, now.instance);
      *at++ = ':';
      at    = put_decimal(at, now.instr);
      *at++ = ' ';
      at    = put_decimal(at, now.on);
      *at++ = '\n';
      out_up_to(out, at);
   }
}

/* Put a number of N bytes, which come the lowest first. */
static void put_value(Outfile* out, Playback* p, uint32_t n)
{
   static const char hex[] = "0123456789abcdef";
   uint8_t bytes[MAX_VALUE];
   char*   at = out_room(out, 2 * MAX_VALUE);

   for (uint32_t i = 0; i < n && spool_more(p); i++)
      bytes[i] = *p->at++;
   if (n == 0)
      *at++ = '0';
   for (uint32_t i = n; i-- > 0; ) {
      if (i + 1 < n || bytes[i] >= 16)
         *at++ = hex[bytes[i] >> 4];
      *at++ = hex[bytes[i] & 15];
   }
   out_up_to(out, at);
}

static void put_values(WetText* t, Outfile* out, uint32_t i)
{
   uint64_t instance = 0;
   Playback p;

   if (t->values[i].n == 0) {
      out_text(out, "NO VALUES\n");
      return;
   }
   out_text(out, "VALUES ");
   out_decimal(out, t->values[i].n);
   out_char(out, '\n');
   spool_play(t->spool, values_of(t, i), &p);
   while (spool_more(&p)) {
      instance += play_varint(&p);
      uint32_t n = (uint32_t)play_varint(&p);
      char* at = out_room(out, LONGEST_LINE);
      memcpy(at, "    ", 4);
      at    = put_decimal(at + 4, instance);
      *at++ = ':';
      out_up_to(out, at);
      put_value(out, &p, n);
      out_char(out, '\n');
   }
}

static void put_block(WetText* t, Outfile* out, uint32_t i)
{
   const DcfgWetInstr* in = dcfg_wet_instr(t->w, i);

   out_decimal(out, i);
   out_char(out, ' ');
   out_decimal(out, in->n_ports);
   out_char(out, ' ');
   out_hex(out, in->addr);
   out_char(out, ' ');
   put_word(out, in->source == NULL ? NULL : text_base(in->source));
   out_char(out, ' ');
   put_word(out, in->function);
   out_char(out, ' ');
   out_decimal(out, in->line);
   out_char(out, '\n');
   for (size_t port = t->first[i]; port < t->first[i + 1]; port++)
      put_port(t, out, port);
   put_values(t, out, i);
}

void wet_text_write(WetText* t, Outfile* out)
{
   uint64_t n = 0;

   for (uint32_t i = 0; i < t->n_instrs; i++)
      n += t->chosen[i] || t->named[i];
   grow(t, n * 60);
   out_decimal(out, n);
   out_char(out, '\n');
   for (uint32_t i = 0; i < t->n_instrs; i++)
      if (t->chosen[i] || t->named[i])
         put_block(t, out, i);
}
