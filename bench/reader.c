/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How fast the library reads. */

/* usage: reader load FILE...
          reader make DCFG EDGES TRACE
          reader decode TRACE...

   `load' loads DCFGs, `decode' decodes all edges of traces; both print the
   speed and the peak of memory.  `make' writes a trace that is about as hard
   to decode as a real one: a walk through the DCFG that takes edges as often
   as they were counted, with a Huffman code for each edge. */

#include "dcfg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* User and system time, as bench/run measures. */
static double now(void)
{
   struct timespec t;

   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
   return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void give_up(const DcfgError* err)
{
   char text[DCFG_ERROR_TEXT_SIZE];

   fprintf(stderr, "reader: %s\n", dcfg_error_text(err, text));
   exit(1);
}

/* In bytes. */
static double peak(void)
{
   struct rusage r;

   getrusage(RUSAGE_SELF, &r);
   return (double)r.ru_maxrss * 1024;
}

/*--- Reading                                              ---*/

static void load(const char* path)
{
   DcfgError err;
   double    start = now();
   Dcfg*     d = dcfg_load(path, NULL, &err);
   double    seconds = now() - start;

   if (d == NULL)
      give_up(&err);
   printf("load %.1f MB: %.0f MB/s, peak %.2f times its size\n",
          (double)d->json_size / 1e6, (double)d->json_size / seconds / 1e6,
          peak() / (double)d->json_size);
   dcfg_free(d);
}

static void decode(const char* path)
{
   static uint32_t ids[65536];
   DcfgError       err;
   double          start = now(), decoding = 0;
   uint64_t        edges = 0, text = 0;
   DcfgTrace*      t = dcfg_trace_open(path, NULL, &err);
   DcfgChunk*      c;

   if (t == NULL)
      give_up(&err);
   while ((c = dcfg_trace_next_chunk(t, &err)) != NULL) {
      double       begin = now();
      DcfgDecoder* x = dcfg_decoder_new(c, &err);
      size_t       n = 1;
      while (x != NULL && n > 0 && err.status == DCFG_OK) {
         n = dcfg_decoder_next(x, ids, 65536, &err);
         edges += n;
      }
      if (err.status != DCFG_OK)
         give_up(&err);
      decoding += now() - begin;
      text += dcfg_chunk_info(c)->size;
      dcfg_decoder_free(x);
      dcfg_chunk_free(c);
   }
   if (err.status != DCFG_OK)
      give_up(&err);
   printf("decode %.1f million edges, %.2f bits an edge: %.0f million edges/s"
          " (%.0f with reading the file), peak %.1f MB\n",
          (double)edges / 1e6, (double)text * 6 / (double)edges,
          (double)edges / decoding / 1e6,
          (double)edges / (now() - start) / 1e6, peak() / 1e6);
   dcfg_trace_close(t);
}

/*--- Making                                               ---*/

/* The code of each edge, after any edge that leads to its source. */
typedef
   struct {
      uint32_t bits;
      uint32_t length;
   }
   Code;

static uint64_t next_random(void)
{
   static uint64_t x = 88172645463325252ULL;

   x ^= x << 13;
   x ^= x >> 7;
   return x ^= x << 17;
}

/* Huffman's algorithm, with little thought: N is small. */
static void assign_codes(const DcfgProcess* p, const uint32_t* out,
                         uint32_t n, Code* codes)
{
   uint64_t* weight = calloc(n, sizeof(*weight));
   uint32_t* group = calloc(n, sizeof(*group));

   for (uint32_t i = 0; i < n; i++) {
      weight[i] = p->edges[out[i]].count;
      group[i] = i;
   }
   for (;;) {
      uint32_t a = DCFG_NONE, b = DCFG_NONE;
      for (uint32_t i = 0; i < n; i++) {
         if (weight[i] == 0)
            continue;
         if (a == DCFG_NONE || weight[i] < weight[a]) {
            b = a;
            a = i;
         } else if (b == DCFG_NONE || weight[i] < weight[b]) {
            b = i;
         }
      }
      if (b == DCFG_NONE)
         break;
      for (uint32_t i = 0; i < n; i++) {
         Code* c = &codes[out[i]];
         if (p->edges[out[i]].count == 0
             || (group[i] != a && group[i] != b))
            continue;
         /* Bits are put before those that are there. */
         if (group[i] == b && c->length < 32)
            c->bits |= 1U << c->length;
         c->length++;
         group[i] = a;
      }
      weight[a] += weight[b];
      weight[b] = 0;
   }
   free(weight);
   free(group);
}

static void put_table(const DcfgProcess* p, const Code* codes, FILE* f)
{
   fprintf(f, "{ \"MAJOR_VERSION\" : 1,\n  \"MINOR_VERSION\" : 0,\n"
           "  \"PROCESSES\" : [ [ \"PROCESS_ID\", \"STRING_DICTIONARY\", "
           "\"TRANSITION_TABLE\", \"THREAD_DATA\" ],\n"
           "    [ %" PRIu64 ", {},\n      [ [ \"CURRENT_EDGE_ID\", "
           "\"TRANSITION_CODE\", \"NEXT_EDGE_IDS\" ]", p->id);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(p, p->edges[i].target, &n);
      if (p->edges[i].count == 0)
         continue;
      for (uint32_t k = 0; k < n; k++) {
         const Code* c = &codes[out[k]];
         if (p->edges[out[k]].count == 0 || c->length > 32)
            continue;
         fprintf(f, ",\n        [ %" PRIu32 ", \"", p->edges[i].id);
         for (uint32_t b = c->length; b-- > 0; )
            fputc('0' + (int)(c->bits >> b & 1), f);
         fprintf(f, "\", [ %" PRIu32 " ] ]", p->edges[out[k]].id);
      }
   }
   fprintf(f, " ],\n      [ [ \"THREAD_ID\", \"TRACE_DATA\" ], [ 0,\n"
           "        [ [ \"PRECEDING_INSTR_COUNT\", \"INSTR_COUNT\", "
           "\"EDGE_COUNT\", \"FIRST_EDGE_ID\", \"EDGE_ID_SEQUENCE\" ]");
}

/* A chunk of at most MAX edges to F.  Returns how many. */
static uint64_t put_chunk(const DcfgProcess* p, const Code* codes,
                          uint32_t first, uint64_t max, uint64_t* instrs,
                          FILE* f)
{
   static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+-";
   static char text[4 << 20];
   uint64_t    edges = 1, chunk_instrs = 0, bits = 0;
   unsigned    n_bits = 0;
   size_t      len = 0;
   uint32_t    at = first;

   for (;;) {
      uint32_t        n, node = p->edges[at].target;
      const uint32_t* out = dcfg_out_edges(p, node, &n);
      uint64_t        total = dcfg_node_outflow(p, node, DCFG_ALL_THREADS);
      uint64_t        pick = total > 0 ? next_random() % total : 0;
      chunk_instrs += p->nodes[p->edges[at].source].n_instrs;
      if (total == 0 || edges == max || len + 8 > sizeof(text))
         break;
      while (pick >= p->edges[*out].count)
         pick -= p->edges[*out++].count;
      at = *out;
      if (codes[at].length > 32)
         break;
      edges++;
      bits = bits << codes[at].length | codes[at].bits;
      n_bits += codes[at].length;
      while (n_bits >= 6) {
         n_bits -= 6;
         text[len++] = alphabet[bits >> n_bits & 63];
      }
   }
   if (n_bits > 0)
      text[len++] = alphabet[bits << (6 - n_bits) & 63];
   fprintf(f, ",\n          [ %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu32
           ", \"%.*s\" ]", *instrs, chunk_instrs, edges, p->edges[first].id,
           (int)len, text);
   *instrs += chunk_instrs;
   return edges;
}

static void make(const char* path, uint64_t edges, const char* to)
{
   DcfgError          err;
   Dcfg*              d = dcfg_load(path, NULL, &err);
   const DcfgProcess* p;
   Code*              codes;
   FILE*              f;
   uint64_t           done = 0, instrs = 0;

   if (d == NULL)
      give_up(&err);
   f = fopen(to, "w");
   p = dcfg_process(d, 0);
   if (f == NULL || p == NULL || p->n_edges == 0) {
      fprintf(stderr, "reader: no trace of %s in %s\n", path, to);
      exit(1);
   }
   codes = calloc(p->n_edges, sizeof(*codes));
   for (uint32_t i = 0; i < p->n_nodes; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(p, i, &n);
      if (n > 0)
         assign_codes(p, out, n, codes);
   }
   put_table(p, codes, f);
   while (done < edges) {
      uint32_t first;
      do
         first = (uint32_t)(next_random() % p->n_edges);
      while (p->edges[first].count == 0);
      done += put_chunk(p, codes, first, 1000000, &instrs, f);
   }
   fprintf(f, " ] ] ] ] ]\n}\n");
   if (fclose(f) != 0) {
      perror(to);
      exit(1);
   }
   free(codes);
   dcfg_free(d);
}

int main(int argc, char** argv)
{
   if (argc == 5 && strcmp(argv[1], "make") == 0) {
      make(argv[2], strtoull(argv[3], NULL, 10), argv[4]);
      return 0;
   }
   for (int i = 2; i < argc; i++) {
      if (strcmp(argv[1], "load") == 0) {
         load(argv[i]);
      } else if (strcmp(argv[1], "decode") == 0) {
         decode(argv[i]);
      } else {
         argc = 2;
      }
   }
   if (argc > 2)
      return 0;
   fprintf(stderr, "usage: reader load|decode FILE...\n"
                   "       reader make DCFG EDGES TRACE\n");
   return 2;
}
