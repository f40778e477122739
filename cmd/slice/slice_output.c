/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: which bytes --output means, which of them are copies of constant text,
   and messages about them.  Handed: the command line.

   The search covers all bytes that file descriptors got, from any function.  If
   a text was computed in part, the slice does not follow addresses in its
   format: they say why the program printed at all, not why it printed this.

   Each byte is followed back through instructions that hand it on unchanged.
   The way ends at an instruction that has the byte as a constant, or at
   memory that no instruction wrote.  Then the byte was copied from a text.
   There are two exceptions, because an address chose them: a digit from a
   table of digits, and a letter or digit whose neighbours were not copied
   from beside it. */

#define _GNU_SOURCE 1   // for memmem
#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/output/output_syscalls.h"
#include "cmd/slice/slice_output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ByteOrigin: the origin of a byte, through instructions that only copy it. */
typedef
   enum {
      ORIGIN_UNKNOWN,           // the trace does not have the byte
      ORIGIN_CONSTANT,          // a text that the program or a library has
      ORIGIN_COMPUTED           // any other
   }
   ByteOrigin;

typedef
   struct {
      uint8_t*        kinds;    // a ByteOrigin for each byte
      DcfgSliceRange* formats;  // memory of texts with a %, from which bytes
      uint32_t        n_formats;        // from BEGIN up to END were copied
   }
   Origins;

/* Bytes of a text to each side of one of its bytes, at most. */
#define MAX_TEXT 4096

typedef
   struct {
      DcfgWet*          w;
      const DcfgSlice*  s;
      const Roles*      roles;
      const ImageBytes* initial;
   }
   Tracer;

/* CopiedFrom: an address in an image's file, at the time when it was read. */
typedef
   struct {
      uint64_t addr, t;
   }
   CopiedFrom;

/*--- One byte                                             ---*/

/* Return the node that wrote byte K last, among the inputs of N over PORT.
   K is an address if PORT is memory, else a byte of the register.
   DCFG_SLICE_NOT: none wrote it.  Nodes with smaller numbers ran later. */
static uint32_t writer_of(const Tracer* z, const DcfgSliceNode* n,
                          uint8_t port, uint64_t k)
{
   uint32_t best = DCFG_SLICE_NOT;

   for (uint32_t i = 0; i < n->n_inputs; i++) {
      const DcfgSliceInput* in = &z->s->inputs[n->first_input + i];
      const DcfgSliceNode*  by;
      uint64_t              first;
      if (in->port != port || in->node >= best)
         continue;
      by    = &z->s->nodes[in->node];
      first = port == DCFG_WET_MEMORY ? by->addr : 0;
      if (k - first < by->value_size)
         best = in->node;
   }
   return best;
}

/* Set *PORT to the port over which N got the value that it hands on: memory
   if N loads, else a register.  Return false if N has no such port. */
static bool port_of(const Tracer* z, const DcfgSliceNode* n, uint8_t* port)
{
   bool loads = false, found = false;

   for (uint32_t i = 0; i < n->n_inputs; i++) {
      const DcfgSliceInput* in = &z->s->inputs[n->first_input + i];
      loads |= in->port == DCFG_WET_MEMORY;
      if ((in->port != DCFG_WET_GENERAL && in->port != DCFG_WET_VECTOR)
          || in->node == DCFG_SLICE_NOT)
         continue;
      *port = in->port;
      found = true;
   }
   if (loads)
      *port = DCFG_WET_MEMORY;
   return loads || found;
}

/* Return whether N computed its value from its code alone. */
static bool is_constant(const Tracer* z, const DcfgSliceNode* n)
{
   for (uint32_t i = 0; i < n->n_inputs; i++) {
      const DcfgSliceInput* in = &z->s->inputs[n->first_input + i];
      if (in->port != DCFG_WET_CONTROL
          && (in->port != DCFG_WET_GENERAL
              || !(z->roles->addresses[n->instr] >> in->reg & 1)))
         return false;
   }
   return true;
}

/* Return the origin of BYTE, the byte at ADDR that criterion N used.  Set
   *FROM to the place that it was copied from; its address is 0 if an instruction
   made it. */
static ByteOrigin trace(const Tracer* z, const DcfgSliceNode* n, uint64_t addr,
                    uint8_t byte, CopiedFrom* from)
{
   uint8_t        port = DCFG_WET_MEMORY;
   uint64_t       place = addr, before, behind;
   const uint8_t* at;

   *from = (CopiedFrom){ 0, 0 };
   for (uint32_t node = writer_of(z, n, port, place); node < DCFG_SLICE_NOT;
        node = writer_of(z, n, port, place)) {
      n = &z->s->nodes[node];
      if (port == DCFG_WET_MEMORY)
         place -= n->addr;
      if (place >= n->value_size || z->s->values[n->value + place] != byte)
         return ORIGIN_COMPUTED;
      if (is_constant(z, n))
         return ORIGIN_CONSTANT;
      if (!z->roles->loads[n->instr] || !port_of(z, n, &port))
         return ORIGIN_COMPUTED;
      if (port == DCFG_WET_MEMORY)
         place += n->from;
   }
   at = port != DCFG_WET_MEMORY ? NULL
        : image_byte(z->initial, place, n->order, &before, &behind);
   if (at == NULL || *at != byte)
      return ORIGIN_COMPUTED;
   *from = (CopiedFrom){ place, n->order };
   return ORIGIN_CONSTANT;
}

/*--- Texts                                                ---*/

/* Return the text around the byte at FROM: no byte of it is 0.  Set *BEGIN
   to its bytes. */
static DcfgSliceRange text_around(const ImageBytes* initial, CopiedFrom from,
                                  const uint8_t** begin)
{
   uint64_t       before, behind, low = 0, high = 0;
   const uint8_t* at = image_byte(initial, from.addr, from.t, &before,
                                   &behind);

   while (low < before && low < MAX_TEXT && at[-(int64_t)low - 1] != 0)
      low++;
   while (high < behind && high < MAX_TEXT && at[high] != 0)
      high++;
   *begin = at - low;
   return (DcfgSliceRange){ from.addr - low, from.addr + high, false };
}

static bool is_table_of_digits(const ImageBytes* initial, CopiedFrom from)
{
   const uint8_t* begin;
   DcfgSliceRange r = text_around(initial, from, &begin);
   size_t         n = (size_t)(r.high - r.low);

   return memmem(begin, n, "0123456789", 10) != NULL
          || memmem(begin, n, "00010203", 8) != NULL;
}

/* Return whether byte I of the SIZE bytes was copied alone: no neighbour was
   copied from the place beside it.  Then it may be no part of a text.  FROM
   has the places that the bytes were copied from. */
static bool stands_alone(const CopiedFrom* from, uint64_t size, uint64_t i)
{
   uint64_t at = from[i].addr;

   return !(i > 0 && from[i - 1].addr != 0 && from[i - 1].addr + 1 == at)
          && !(i + 1 < size && from[i + 1].addr != 0
               && at + 1 == from[i + 1].addr);
}

COMPARE(by_low, DcfgSliceRange, UP(low))

/* Add the text around place FROM to the formats of O, each once, if it has
   a %.  The program may have chosen any other text among several. */
static void add_format(Origins* o, size_t* room, const ImageBytes* initial,
                       CopiedFrom from)
{
   const uint8_t* begin;
   DcfgSliceRange text = text_around(initial, from, &begin);
   size_t         n = o->n_formats;

   if (memchr(begin, '%', (size_t)(text.high - text.low)) == NULL)
      return;
   for (size_t i = 0; i < n; i++)
      if (text.low < o->formats[i].high && o->formats[i].low < text.high)
         return;
   GROW(o->formats, n, *room);
   o->formats[o->n_formats++] = text;
}

/* Return the origins of the SIZE bytes of T from PLACE on.  BEGIN and END
   are places in T, too.  INITIAL has the bytes that no instruction wrote.
   Free the result with origins_free(). */
static Origins origins_find(DcfgWet* w, const Roles* roles, const OutputStream* t,
                     uint64_t place, uint64_t size, uint64_t begin,
                     uint64_t end, const ImageBytes* initial)
{
   uint32_t  n = dcfg_wet_instrs(w);
   bool*     instrs = zalloc(n + (size_t)1, sizeof(bool));
   CopiedFrom* from = zalloc(size + 1, sizeof(*from));
   size_t    room = 0;
   Origins   o = { .kinds = zalloc(size + 1, 1) };
   DcfgSliceQuery q = { .no_control = true, .no_address = roles->addresses,
                        .copies = roles->loads, .steps = 1, .instrs = instrs };
   DcfgSlice* s;

   stream_choose(t, place, size, NULL, instrs, n, &q);
   s = load_slice(w, &q);
   const Tracer z = { w, s, roles, initial };
   for (uint64_t i = 0; i < size; i++) {
      const OutputPiece* p = stream_piece(t, place + i);
      for (uint32_t k = 0; p != NULL && k < s->n_criteria; k++) {
         const DcfgSliceNode* c = &s->nodes[s->criteria[k]];
         if (t->known[place + i] && c->instr == p->call->instr
             && c->instance == p->call->instance)
            o.kinds[i] = (uint8_t)trace(&z, c, p->addr + (place + i - p->from),
                                        t->bytes[place + i], &from[i]);
      }
   }
   for (uint64_t i = 0; i < size; i++) {
      if (o.kinds[i] != ORIGIN_CONSTANT || from[i].addr == 0)
         continue;
      if (is_table_of_digits(initial, from[i])
          || (isalnum(t->bytes[place + i]) && stands_alone(from, size, i)))
         o.kinds[i] = ORIGIN_COMPUTED;
      else if (place + i >= begin && place + i < end)
         add_format(&o, &room, initial, from[i]);
   }
   SORT(o.formats, o.n_formats, by_low);
   dcfg_slice_free(s);
   FREE_ALL(q.parts, instrs, from);
   return o;
}

static void origins_free(Origins* o)
{
   FREE_ALL(o->kinds, o->formats);
}

/*--- The text                                             ---*/

typedef
   struct {
      char*    bytes;
      size_t   size;
      uint64_t number;          // N of #N; UINT64_MAX: the last match
   }
   Wanted;

/* Return the text that the SIZE bytes of TEXT mean: \n, \t and \\ as in C,
   and \# for #.  The caller frees .bytes. */
static Wanted unescape(const char* text, size_t size)
{
   Wanted to = { .bytes = zalloc(size + 1, 1), .number = UINT64_MAX };

   for (const char* s = text; s < text + size; s++) {
      if (*s == '\\' && s + 1 < text + size && strchr("nt\\#", s[1]) != NULL) {
         s++;
         to.bytes[to.size++] = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
      } else {
         to.bytes[to.size++] = *s;
      }
   }
   return to;
}

/* Set *TO to the text before #N at the end of TEXT, and to N.  Return false
   if TEXT has no #N. */
static bool numbered(const char* text, Wanted* to)
{
   const char* mark = strrchr(text, '#');
   char*       end;
   uint64_t    number;

   if (mark == NULL || mark == text || mark[-1] == '\\' || mark[1] < '0'
       || mark[1] > '9')
      return false;
   errno  = 0;
   number = strtoull(mark + 1, &end, 10);
   if (*end != 0 || errno != 0 || number == UINT64_MAX)
      return false;
   *to        = unescape(text, (size_t)(mark - text));
   to->number = number;
   return true;
}

/* Return the SIZE BYTES with the escapes of unescape().  With SHELL, they
   may stand between quotes of the shell. */
static const char* escaped(const uint8_t* bytes, uint64_t size, bool shell)
{
   char* to = zalloc(5 * size + 3, 1);
   char* at = to;
   const char* text;

   for (uint64_t i = 0; i < size; i++)
      switch (bytes[i]) {
         case '\n': at += sprintf(at, "\\n"); break;
         case '\t': at += sprintf(at, "\\t"); break;
         case '\\': at += sprintf(at, "\\\\"); break;
         case '#':  at += sprintf(at, "\\#"); break;
         case '\'': at += sprintf(at, shell ? "'\\''" : "'"); break;
         default:   *at++ = (char)bytes[i];
      }
   text = text_format("%s", text_clean(to));
   free(to);
   return text;
}

/* Return the SIZE BYTES as a word of a command line, in quotes if the shell
   needs them. */
static const char* typed(const uint8_t* bytes, uint64_t size)
{
   bool plain = size > 0;

   for (uint64_t i = 0; i < size; i++)
      plain = plain && (isalnum(bytes[i])
                        || (bytes[i] != 0 && strchr("+-.,:/_%@=", bytes[i])));
   return text_format(plain ? "%s" : "'%s'", escaped(bytes, size, true));
}

/* Return the SIZE BYTES for a sentence. */
static const char* shown(const uint8_t* bytes, uint64_t size)
{
   return escaped(bytes, size, false);
}

/*--- Matches                                              ---*/

typedef
   struct {
      const OutputStream* stream;     // NULL: there is none
      uint64_t      place;
      const DcfgSliceNode* call;        // the call that completed it
   }
   Match;

static Match match_at(const OutputStream* t, uint64_t place, size_t size)
{
   return (Match){ t, place, stream_piece(t, place + size - 1)->call };
}

/* Order of matches: the last call first, as nodes of calls are. */
COMPARE(compare_matches, Match, ORDER(y->call, x->call) ?: UP(place))

static Match last_match(const Output* o, const Wanted* x)
{
   Match best = { NULL, 0, NULL };

   for (size_t i = 0; i < o->n; i++) {
      const OutputStream* t = &o->streams[i];
      uint64_t      place = stream_find_last(t, x->bytes, x->size);
      if (place == UINT64_MAX)
         continue;
      Match m = match_at(t, place, x->size);
      if (best.stream == NULL || m.call < best.call)
         best = m;
   }
   return best;
}

/* Return match number N of X in all streams, from 0; .stream is NULL if
   there is none.  Set *TOTAL to the number of matches. */
static Match numbered_match(const Output* o, const Wanted* x, uint64_t n,
                            uint64_t* total)
{
   Match* all = NULL;
   Match  found = { NULL, 0, NULL };
   size_t used = 0, room = 0;

   for (size_t i = 0; i < o->n; i++) {
      const OutputStream* t = &o->streams[i];
      for (uint64_t from = 0; (from = stream_find(t, x->bytes, x->size, from))
                              != UINT64_MAX; from++) {
         GROW(all, used, room);
         all[used++] = match_at(t, from, x->size);
      }
   }
   SORT(all, used, compare_matches);
   if (n < used)
      found = all[n];
   *total = used;
   free(all);
   return found;
}

/* Return "#N" for match N of the SIZE bytes at PLACE of M's stream; "" for
   the last one. */
static const char* number_of(const Output* o, const Match* m, uint64_t place,
                             uint64_t size)
{
   Wanted   x = { (char*)m->stream->bytes + place, size, 0 };
   Match    here = match_at(m->stream, place, size), last = last_match(o, &x);
   uint64_t n = 0;

   if (last.stream == here.stream && last.place == here.place)
      return "";
   for (size_t i = 0; i < o->n; i++) {
      const OutputStream* t = &o->streams[i];
      for (uint64_t from = 0; (from = stream_find(t, x.bytes, size, from))
                              != UINT64_MAX; from++) {
         Match other = match_at(t, from, size);
         n += compare_matches(&other, &here) < 0;
      }
   }
   return text_format("#%" PRIu64, n);
}

/*--- There is none                                        ---*/

/* Return the stream with the longest output, of three bytes or more, that
   begins or ends as X does.  Set *FROM to its place and *SIZE to its length.
   Return NULL if there is none. */
static const OutputStream* nearest(const Output* o, const Wanted* x,
                                   uint64_t* from, size_t* size)
{
   const OutputStream* best = NULL;

   *size = 2;
   for (size_t i = 0; i < o->n; i++)
      for (int ends = 0; ends < 2; ends++)
         while (*size + 1 < x->size) {
            size_t      k = *size + 1;
            const char* part = ends ? x->bytes + x->size - k : x->bytes;
            uint64_t    place = stream_find_last(&o->streams[i], part, k);
            if (place == UINT64_MAX)
               break;
            best  = &o->streams[i];
            *from = place;
            *size = k;
         }
   return best;
}

static const char* count_of(uint64_t n, const char* one, const char* many)
{
   return text_format("%s %s", text_count(n), n == 1 ? one : many);
}

/* Return a summary of the streams, as "descriptor 1 got 3,120 bytes in 14
   writes, descriptor 2 got 40 bytes in 1 write". */
static const char* what_was_written(const Output* o)
{
   const char* all = "";

   for (size_t i = 0; i < o->n; i++) {
      const OutputStream* t = &o->streams[i];
      if (i == 8) {
         all = text_format("%s, %s more", all, text_count(o->n - i));
         break;
      }
      all = text_format("%s%sdescriptor %" PRIu32 " got %s in %s%s", all,
                        i > 0 ? ", " : "", t->fd,
                        count_of(t->n_bytes, "byte", "bytes"),
                        count_of(t->n_calls, "write", "writes"),
                        t->n_unknown == 0 ? ""
                        : text_format(" (%s unknown: no instruction stored "
                                      "them)",
                                      text_count(t->n_unknown)));
   }
   return o->n == 0 ? "the program wrote nothing" : all;
}

_Noreturn static void refuse(const Output* o, const char* text,
                             const Wanted* x)
{
   uint64_t      from = 0;
   size_t        size;
   const OutputStream* t = nearest(o, x, &from, &size);
   const char*   near = "";

   if (t != NULL) {
      uint64_t low = from, high = from + size;
      while (low > 0 && from - low < 20 && t->known[low - 1]
             && t->bytes[low - 1] != '\n')
         low--;
      while (high < t->size && high - from < 60 && t->known[high]
             && t->bytes[high] != '\n')
         high++;
      near = text_format("; the text nearest to it is `%s'",
                         shown(t->bytes + low, high - low));
   }
   die("--output: no system call wrote `%s': %s%s%s", text_clean(text),
       what_was_written(o), near,
       o->n_forks == 0 ? ""
       : text_format("; the program made %s, each with a file of its own, which "
                     "has the process's id in its name: record with "
                     "--trace-children=yes",
                     count_of(o->n_forks, "process", "processes")));
}

/* Return the match that TEXT means, and set *X to the text that was found.
   Die if there is none. */
static Match find_match(const Output* o, const char* text, Wanted* x)
{
   Wanted   number = { NULL, 0, 0 };
   uint64_t total;
   Match    m;

   *x = unescape(text, strlen(text));
   if (x->size == 0)
      die("--output needs a text that the program wrote");
   m = last_match(o, x);
   if (!numbered(text, &number))  {
      if (m.stream == NULL)
         refuse(o, text, x);
      return m;
   }
   if (m.stream != NULL) {
      complain("--output: the program wrote `%s' as it stands here: #N is part "
               "of the text, not a number of a place",
               text_clean(text));
      free(number.bytes);
      return m;
   }
   free(x->bytes);
   *x = number;
   m  = numbered_match(o, x, number.number, &total);
   if (total == 0)
      refuse(o, shown((uint8_t*)x->bytes, x->size), x);
   if (m.stream == NULL)
      die("--output: `%s' was written %s times: numbers begin with #0",
          shown((uint8_t*)x->bytes, x->size), text_count(total));
   return m;
}

/*--- Constant text                                        ---*/

/* Bytes to each side of a match in which --output looks for computed text. */
#define NEAR 64

/* Around: a match, and the origins of the bytes around it. */
typedef
   struct {
      const Output* o;
      Match         m;
      size_t        size;       // size of the match
      uint64_t      low, high;  // places in the stream
      Origins       origins;    // from .low on
   }
   Around;

static ByteOrigin origin_at(const Around* a, uint64_t place)
{
   return a->origins.kinds[place - a->low];
}

static bool is_token(const Around* a, uint64_t place)
{
   return place >= a->low && place < a->high
          && origin_at(a, place) == ORIGIN_COMPUTED
          && isgraph(a->m.stream->bytes[place]);
}

/* Return the distance of PLACE from the match, in bytes.  A newline between
   them counts as many bytes, because text in other lines is further. */
static uint64_t far_from(const Around* a, uint64_t place)
{
   uint64_t end = a->m.place + a->size;
   uint64_t low = place < a->m.place ? place : end;
   uint64_t high = place < a->m.place ? a->m.place : place;
   uint64_t far = high - low;

   for (uint64_t i = low; i < high; i++)
      far += a->m.stream->bytes[i] == '\n' ? 4 * NEAR : 0;
   return far;
}

/* Set *FROM and *END to the computed text that is nearest to the match.
   Return false if there is none. */
static bool nearest_computed(const Around* a, uint64_t* from, uint64_t* end)
{
   uint64_t best = UINT64_MAX;

   for (uint64_t i = a->low; i < a->high; i++) {
      uint64_t j = i;
      while (is_token(a, j))
         j++;
      if (j == i)
         continue;
      uint64_t far = far_from(a, i < a->m.place ? j - 1 : i);
      if (far < best) {
         best  = far;
         *from = i;
         *end  = j;
      }
      i = j;
   }
   return best != UINT64_MAX;
}

/* Return the message for a match that is constant text: it names the nearest
   computed text, and options for it. */
static const char* what_is_constant(const Around* a)
{
   const uint8_t* bytes = a->m.stream->bytes;
   const char*    is = text_format("`%s' is constant text",
                                   shown(bytes + a->m.place, a->size));
   uint64_t from, end, low, high;

   if (!nearest_computed(a, &from, &end))
      return text_format("%s, and nothing near it was computed", is);
   low  = from < a->m.place ? from : a->m.place;
   high = end > a->m.place + a->size ? end : a->m.place + a->size;
   return text_format("%s; `%s' beside it was computed: use --output=%s%s, or "
                      "--output=%s%s --computed", is,
                      shown(bytes + from, end - from),
                      typed(bytes + from, end - from),
                      number_of(a->o, &a->m, from, end - from),
                      typed(bytes + low, high - low),
                      number_of(a->o, &a->m, low, high - low));
}

/* Make the match the criterion, or with --computed only its computed bytes. */
static void choose(DcfgWet* w, OutputQuestion* q, const Around* a)
{
   uint64_t begin = a->m.place;
   bool*    wanted = zalloc(a->size, sizeof(bool));
   size_t   n = 0;

   for (size_t i = 0; i < a->size; i++) {
      wanted[i] = origin_at(a, begin + i) != ORIGIN_CONSTANT;
      n += wanted[i];
   }
   if (n == 0 && q->computed)
      die("--computed: %s", what_is_constant(a));
   if (n == 0)
      complain("--output: %s", what_is_constant(a));
   stream_choose(a->m.stream, begin, a->size, q->computed ? wanted : NULL,
                 q->instrs, dcfg_wet_instrs(w), q->q);
   if (n > 0) {
      q->formats   = a->origins.formats;
      q->n_formats = a->origins.n_formats;
   }
   free(wanted);
}

void output_criterion(DcfgWet* w, OutputQuestion* q)
{
   ImageBytes initial;
   Output     o;
   Wanted     x;
   Around     a;

   initial = image_bytes(w, q->program->times, q->program->root);
   o       = output_read(w, &initial, q->spare);
   a       = (Around){ .o = &o, .m = find_match(&o, q->text, &x) };
   a.size  = x.size;
   a.low   = a.m.place > NEAR ? a.m.place - NEAR : 0;
   a.high  = a.m.place + x.size + NEAR < a.m.stream->size
             ? a.m.place + x.size + NEAR : a.m.stream->size;
   a.origins = origins_find(w, q->roles, a.m.stream, a.low, a.high - a.low,
                            a.m.place, a.m.place + x.size, &initial);
   choose(w, q, &a);
   if (q->formats != NULL)
      a.origins.formats = NULL;
   origins_free(&a.origins);
   output_free(&o);
   image_bytes_free(&initial);
   free(x.bytes);
}
