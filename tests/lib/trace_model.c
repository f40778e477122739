/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Traces made by hand, and decoded slowly. */

#include "trace_model.h"

#include <stdarg.h>

void text_add(Text* t, const char* format, ...)
{
   va_list args;
   int     n;

   va_start(args, format);
   n = vsnprintf(NULL, 0, format, args);
   va_end(args);
   if (t->room - t->n <= (size_t)n) {
      t->room = t->room * 2 + (size_t)n + 100;
      t->s = realloc(t->s, t->room);
   }
   va_start(args, format);
   vsnprintf(t->s + t->n, t->room - t->n, format, args);
   va_end(args);
   t->n += (size_t)n;
}

void text_char(Text* t, char c)
{
   if (t->room - t->n < 2) {
      t->room = t->room * 2 + 100;
      t->s = realloc(t->s, t->room);
   }
   t->s[t->n++] = c;
   t->s[t->n] = 0;
}

char* one_chunk(const char* dictionary, const char* rows, uint64_t edges,
                uint32_t first, const char* sequence)
{
   Text t = { 0 };

   text_add(&t, "{\"MAJOR_VERSION\":1,\"MINOR_VERSION\":0,\"PROCESSES\":"
            "[[\"PROCESS_ID\",\"STRING_DICTIONARY\",\"TRANSITION_TABLE\","
            "\"THREAD_DATA\"],[4711,{%s},[[\"CURRENT_EDGE_ID\","
            "\"TRANSITION_CODE\",\"NEXT_EDGE_IDS\"]%s%s],"
            "[[\"THREAD_ID\",\"TRACE_DATA\"],[0,"
            "[[\"PRECEDING_INSTR_COUNT\",\"INSTR_COUNT\",\"EDGE_COUNT\","
            "\"FIRST_EDGE_ID\",\"EDGE_ID_SEQUENCE\"],"
            "[0,1000,%" PRIu64 ",%" PRIu32 ",\"%s\"]]]]]]}",
            dictionary, rows[0] ? "," : "", rows, edges, first, sequence);
   return t.s;
}

static Text out;

static void put_edges(const uint32_t* ids, size_t n)
{
   for (size_t i = 0; i < n; i++)
      text_add(&out, "%s%" PRIu32, out.n > 0 ? " " : "", ids[i]);
}

const char* edges_of(const char* trace, size_t max)
{
   uint32_t   ids[100];
   DcfgError  err;
   DcfgTrace* t = dcfg_trace_open_memory(trace, strlen(trace), "test", NULL,
                                         &err);
   DcfgChunk* c;

   out.n = 0;
   text_add(&out, "%s", "");
   ck_assert_ptr_nonnull(t);
   while ((c = dcfg_trace_next_chunk(t, &err)) != NULL) {
      DcfgDecoder* x = dcfg_decoder_new(c, &err);
      size_t       n = 1, done = 0;
      while (x != NULL && n > 0 && done < max) {
         n = dcfg_decoder_next(x, ids, max - done < 100 ? max - done : 100,
                               &err);
         put_edges(ids, n);
         done += n;
      }
      dcfg_decoder_free(x);
      dcfg_chunk_free(c);
      if (err.status != DCFG_OK)
         break;
   }
   if (err.status != DCFG_OK)
      text_add(&out, " [%s]", err.reason);
   dcfg_trace_close(t);
   return out.s;
}

const char* edges_by_trace(const char* trace, size_t max)
{
   uint32_t   ids[7];
   DcfgError  err;
   DcfgTrace* t = dcfg_trace_open_memory(trace, strlen(trace), "test", NULL,
                                         &err);
   size_t     n = 1, done = 0;

   out.n = 0;
   text_add(&out, "%s", "");
   ck_assert_ptr_nonnull(t);
   while (n > 0 && done < max) {
      n = dcfg_trace_next(t, ids, max - done < 7 ? max - done : 7, &err);
      put_edges(ids, n);
      done += n;
   }
   if (err.status != DCFG_OK)
      text_add(&out, " [%s]", err.reason);
   dcfg_trace_close(t);
   return out.s;
}

void are_edges(const char* dictionary, const char* rows, uint64_t edges,
               uint32_t first, const char* sequence, const char* want)
{
   char* trace = one_chunk(dictionary, rows, edges, first, sequence);

   ck_assert_str_eq(edges_of(trace, 10000), want);
   ck_assert_str_eq(edges_by_trace(trace, 10000), want);
   free(trace);
}

/*--- The specification by the letter                      ---*/

static bool expand(const Model* m, const char* s, size_t n, Text* to,
                   size_t limit)
{
   for (size_t i = 0; i < n; i++) {
      if (to->n > limit)
         return false;
      if (s[i] == '(') {
         char*  star;
         size_t times = strtoul(s + i + 1, &star, 10);
         size_t body = (size_t)(star - s) + 1, end = body;
         for (int open = 1; ; end++) {
            open += (s[end] == '(') - (s[end] == ')');
            if (open == 0)
               break;
         }
         for (size_t k = 0; k < times; k++)
            if (!expand(m, s + body, end - body, to, limit))
               return false;
         i = end;
      } else if (s[i] == '<') {
         size_t end = i;
         while (s[end] != '>')
            end++;
         for (int k = 0; k < m->n_entries; k++)
            if (strlen(m->keys[k]) == end - i - 1
                && memcmp(m->keys[k], s + i + 1, end - i - 1) == 0
                && !expand(m, m->values[k], strlen(m->values[k]), to, limit))
               return false;
         i = end;
      } else {
         text_char(to, s[i]);
      }
   }
   return true;
}

bool model_expand(const Model* m, const char* sequence, Text* to,
                  size_t limit)
{
   to->n = 0;
   text_add(to, "%s", "");
   return expand(m, sequence, strlen(sequence), to, limit);
}

size_t model_decode(const Model* m, const char* chars, uint32_t first,
                    uint32_t* to, size_t max)
{
   static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+-";
   Text     bits = { 0 };
   size_t   at = 0, n = 0;
   uint32_t now = first;
   bool     found = true;

   text_add(&bits, "%s", "");
   for (; *chars; chars++) {
      int value = (int)(strchr(alphabet, *chars == '.' ? '-' : *chars)
                        - alphabet);
      for (int b = 5; b >= 0; b--)
         text_char(&bits, (char)('0' + (value >> b & 1)));
   }
   if (max > 0)
      to[n++] = first;
   while (n < max && found) {
      found = false;
      for (int i = 0; i < m->n_rows && !found; i++) {
         const ModelRow* r = &m->rows[i];
         if (r->edge != now
             || strncmp(bits.s + at, r->code, strlen(r->code)) != 0)
            continue;
         found = true;
         at += strlen(r->code);
         now = r->nexts[r->n - 1];
         for (uint32_t k = 0; k < r->n && n < max; k++)
            to[n++] = r->nexts[k];
      }
   }
   free(bits.s);
   return n;
}
