/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The text of a whole execution trace. */

/* Owns: the comprehensive text: instruction by instruction, its ports, and for
   each port all instances.  Handed: instances in the order of execution.

   A spool has a sequence of bytes for each port's dependences, and for each
   instruction's values.  Sequences are written side by side and read one after
   the other.  They grow in memory until there is too much of it.  Then all of
   them go to a file without a name, and memory is empty again.  So a sequence
   is some parts of the file, each ending with a complete entry, and the bytes
   in memory. */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/wet/wet_views.h"
#include "format/numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Sequence: bytes that are first written and then read.  All zero: empty. */
typedef
   struct {
      uint8_t*  bytes;          // the last ones, in memory
      uint32_t  used, room;
      uint32_t  n_parts;        // in the file
      uint64_t* parts;          // place and length of each part
   }
   Sequence;

typedef struct Spool Spool;

/* The most bytes that are added at once. */
#define MAX_ADDED 64

static inline void spool_varint(Sequence* q, uint64_t n)
{
   uint8_t* end = q->bytes + q->used;

   write_varint(&end, n);
   q->used = (uint32_t)(end - q->bytes);
}

static inline void spool_signed(Sequence* q, uint64_t d)
{
   spool_varint(q, difference_code(d));
}

/* Playback: reads sequence Q from begin to end. */
typedef
   struct {
      Spool*    spool;
      Sequence* q;
      uint32_t  part;           // index of the next one
      ByteReader in;            // the rest of the present one
   }
   Playback;

#define MOST_IN_MEMORY (256u << 20)
#define LARGEST_PART   (1u << 20)

struct Spool {
   Sequence* all;
   size_t    n;
   uint64_t  in_memory;         // size of all buffers, in bytes
   int       fd;                // -1: no file yet
   uint64_t  length;            // length of the file
   uint8_t   part[2 * LARGEST_PART];
};

/* Make a spool of N sequences. */
static Spool* spool_new(size_t n)
{
   Spool* s = zalloc(1, sizeof(*s));

   s->all = zalloc(n + 1, sizeof(Sequence));
   s->n   = n;
   s->fd  = -1;
   return s;
}

static Sequence* spool_sequence(Spool* s, size_t i)
{
   return &s->all[i];
}

static void forget(Spool* s, Sequence* q)
{
   s->in_memory -= q->room;
   free(q->bytes);
   q->bytes = NULL;
   q->used  = q->room = 0;
}

static void spool_free(Spool* s)
{
   for (size_t i = 0; i < s->n; i++) {
      FREE_ALL(s->all[i].bytes, s->all[i].parts);
   }
   if (s->fd >= 0)
      close(s->fd);
   FREE_ALL(s->all, s);
}

static void open_file(Spool* s)
{
   const char* dir  = getenv("TMPDIR");
   char*       path = text_copy(text_format("%s/dcfg-XXXXXX",
                                            dir != NULL ? dir : "/tmp"));

   s->fd = mkstemp(path);
   if (s->fd < 0)
      die("%s: %s", path, strerror(errno));
   unlink(path);
   free(path);
}

static void store(Spool* s, Sequence* q)
{
   uint32_t at = 0;

   if (s->fd < 0)
      open_file(s);
   q->parts = need(realloc(q->parts, (q->n_parts + (size_t)1) * 2
                                     * sizeof(uint64_t)));
   q->parts[2 * q->n_parts]     = s->length;
   q->parts[2 * q->n_parts + 1] = q->used;
   q->n_parts++;
   while (at < q->used) {
      ssize_t n = pwrite(s->fd, q->bytes + at, q->used - at,
                         (off_t)s->length);
      if (n < 0 && errno == EINTR)
         continue;
      if (n < 0)
         die("a temporary file: %s", strerror(errno));
      at        += (uint32_t)n;
      s->length += (uint64_t)n;
   }
   forget(s, q);
}

static void spool_need(Spool* s, Sequence* q)
{
   if (q->room - q->used >= MAX_ADDED)
      return;
   if (q->used >= LARGEST_PART) {
      store(s, q);
   } else if (s->in_memory > MOST_IN_MEMORY) {
      for (size_t i = 0; i < s->n; i++)
         if (s->all[i].used > 0)
            store(s, &s->all[i]);
   }
   uint32_t room = q->room == 0 ? MAX_ADDED : 2 * q->room;
   q->bytes      = need(realloc(q->bytes, room));
   s->in_memory += room - q->room;
   q->room       = room;
}

static void spool_play(Spool* s, Sequence* q, Playback* p)
{
   *p = (Playback){ .spool = s, .q = q };
}

/* Load the next part.  Return False at the end. */
static bool spool_more(Playback* p)
{
   Sequence* q = p->q;
   Spool*    s = p->spool;

   if (p->in.at < p->in.end)
      return true;
   if (p->part > q->n_parts)
      return false;
   if (p->part == q->n_parts) {
      p->in = (ByteReader){ q->bytes, q->bytes + q->used, false };
   } else {
      uint64_t from = q->parts[2 * p->part], n = q->parts[2 * p->part + 1];
      uint64_t got = 0;
      while (got < n) {
         ssize_t more = pread(s->fd, s->part + got, n - got,
                              (off_t)(from + got));
         if (more < 0 && errno == EINTR)
            continue;
         if (more <= 0)
            die("a temporary file: %s", more < 0 ? strerror(errno)
                                                 : "it is too short");
         got += (uint64_t)more;
      }
      p->in = (ByteReader){ s->part, s->part + n, false };
   }
   p->part++;
   return p->in.at < p->in.end || spool_more(p);
}

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
   FREE_ALL(t->first, t->chosen, t->named, t->ports, t->values, t);
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

char* put_hexadecimal(char* at, uint64_t n)
{
   unsigned shift = 60;

   while (shift > 0 && n >> shift == 0)
      shift -= 4;
   for (;; shift -= 4) {
      *at++ = "0123456789abcdef"[n >> shift & 15];
      if (shift == 0)
         return at;
   }
}

/* Put a name as one word. */
static void put_part(Put* out, const char* word)
{
   if (word == NULL || *word == 0)
      word = "???";
   for (word = text_clean(word); *word != 0; word++)
      DCFG_(put_char)(out, *word == ' ' ? '_' : *word);
}

/* Put lines "    INSTANCE:INSTR INSTANCE". */
#define LONGEST_LINE (7 + 3 * MAX_DIGITS)

static void put_port(WetText* t, Put* out, size_t port)
{
   PortText now = { 0 };
   Playback p;

   DCFG_(put_text)(out, "SIZE ");
   DCFG_(put_number)(out, t->ports[port].n);
   DCFG_(put_char)(out, '\n');
   if (t->ports[port].n == 0)
      return;
   spool_play(t->spool, spool_sequence(t->spool, port), &p);
   while (spool_more(&p)) {
      uint64_t step = get_varint(&p.in);
      if (step & 1)
         now.instr = (uint32_t)get_varint(&p.in);
      now.instance += step >> 1;
      now.on       += difference_of(get_varint(&p.in));
      char* at = DCFG_(put_room)(out, LONGEST_LINE);
      memcpy(at, "    ", 4);
      at    = put_decimal(at + 4, now.instance);
      *at++ = ':';
      at    = put_decimal(at, now.instr);
      *at++ = ' ';
      at    = put_decimal(at, now.on);
      *at++ = '\n';
      DCFG_(put_up_to)(out, at);
   }
}

/* Write a number of N bytes, which come the lowest first, at AT.  Return the
   end. */
static char* put_value(char* at, Playback* p, uint32_t n)
{
   static const char hex[] = "0123456789abcdef";
   uint8_t bytes[MAX_VALUE];

   for (uint32_t i = 0; i < n && spool_more(p); i++)
      bytes[i] = *p->in.at++;
   if (n == 0)
      *at++ = '0';
   for (uint32_t i = n; i-- > 0; ) {
      if (i + 1 < n || bytes[i] >= 16)
         *at++ = hex[bytes[i] >> 4];
      *at++ = hex[bytes[i] & 15];
   }
   return at;
}

static void put_values(WetText* t, Put* out, uint32_t i)
{
   uint64_t instance = 0;
   Playback p;

   if (t->values[i].n == 0) {
      DCFG_(put_text)(out, "NO VALUES\n");
      return;
   }
   DCFG_(put_text)(out, "VALUES ");
   DCFG_(put_number)(out, t->values[i].n);
   DCFG_(put_char)(out, '\n');
   spool_play(t->spool, values_of(t, i), &p);
   while (spool_more(&p)) {
      instance += get_varint(&p.in);
      uint32_t n = (uint32_t)get_varint(&p.in);
      char* at = DCFG_(put_room)(out, LONGEST_LINE + 2 * MAX_VALUE);
      memcpy(at, "    ", 4);
      at    = put_decimal(at + 4, instance);
      *at++ = ':';
      at    = put_value(at, &p, n);
      *at++ = '\n';
      DCFG_(put_up_to)(out, at);
   }
}

static void put_block(WetText* t, Put* out, uint32_t i)
{
   const DcfgWetInstr* in = dcfg_wet_instr(t->w, i);
   char                address[16];

   DCFG_(put_number)(out, i);
   DCFG_(put_char)(out, ' ');
   DCFG_(put_number)(out, in->n_ports);
   DCFG_(put_char)(out, ' ');
   DCFG_(put_bytes)(out, address,
                    (unsigned)(put_hexadecimal(address, in->addr) - address));
   DCFG_(put_char)(out, ' ');
   put_part(out, in->source == NULL ? NULL : text_base(in->source));
   DCFG_(put_char)(out, ' ');
   put_part(out, in->function);
   DCFG_(put_char)(out, ' ');
   DCFG_(put_number)(out, in->line);
   DCFG_(put_char)(out, '\n');
   for (size_t port = t->first[i]; port < t->first[i + 1]; port++)
      put_port(t, out, port);
   put_values(t, out, i);
}

void wet_text_write(WetText* t, Put* out)
{
   uint64_t n = 0;

   for (uint32_t i = 0; i < t->n_instrs; i++)
      n += t->chosen[i] || t->named[i];
   grow(t, n * 60);
   DCFG_(put_number)(out, n);
   DCFG_(put_char)(out, '\n');
   for (uint32_t i = 0; i < t->n_instrs; i++)
      if (t->chosen[i] || t->named[i])
         put_block(t, out, i);
}
