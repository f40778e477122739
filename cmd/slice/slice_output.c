/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Printed text as a criterion. */

/* Owns: which bytes --output means, and messages about them.  Handed: the
   command line.

   The search covers all bytes that file descriptors got, from any function.  If
   a text was computed in part, the slice does not follow addresses in its
   format: they say why the program printed at all, not why it printed this. */

#include "cmd/slice/slice_output.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/slice/slice_origin.h"
#include "cmd/output/output_syscalls.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
   if (used > 1)
      qsort(all, used, sizeof(*all), compare_matches);
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
       : text_format("; the program made %s, each with a trace of its own: "
                     "record with --wet-out-file=NAME.%%p",
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
   DcfgSlice* s;
   Output     o;
   SystemCalls calls;
   Wanted     x;
   Around     a;

   initial = image_bytes(w, q->program->times, q->program->root);
   s       = all_syscalls(w, q->instrs, false);
   o       = output_read(w, s, &initial);
   calls   = calls_of(w, s);
   find_spare(&calls, q->spare);
   free(calls.calls);
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
   dcfg_slice_free(s);
   free(x.bytes);
}
