/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How fast the library reads. */

/* usage: reader load FILE...
          reader decode TRACE...

   `load' loads DCFGs; `decode' decodes all edges of traces.  Both print the
   speed and the peak of memory. */

#include "dcfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Return user and system time in seconds, as bench/run measures it. */
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

/* Return the peak of memory in bytes. */
static double peak(void)
{
   struct rusage r;

   getrusage(RUSAGE_SELF, &r);
   return (double)r.ru_maxrss * 1024;
}

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

int main(int argc, char** argv)
{
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
   fprintf(stderr, "usage: reader load|decode FILE...\n");
   return 2;
}
