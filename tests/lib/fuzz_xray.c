/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fuzz target: XRay logs and maps. */

/* The bytes are read as a log and as a map, once strictly and once with
   problems reported.  libFuzzer calls it, or replay.c. */

#include "dcfg_xray.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static size_t problems;

static void on_problem(void* arg, const DcfgProblem* problem)
{
   (void)arg;
   problems += strlen(problem->rule) + strlen(problem->place)
               + strlen(problem->what);
}

/* Results go here, so that the compiler leaves out no call. */
static volatile uint64_t answers;

static void read_log(const uint8_t* data, size_t size, DcfgOptions* options)
{
   DcfgError      err;
   DcfgXray*      x = dcfg_xray_open_memory(data, size, "fuzz", options, &err);
   DcfgXrayRecord r[7];
   size_t         n;

   if (x == NULL) {
      if (err.status == DCFG_OK)
         abort();
      return;
   }
   while ((n = dcfg_xray_next(x, r, 7, &err)) > 0)
      for (size_t i = 0; i < n; i++) {
         if (r[i].thread >= dcfg_xray_threads(x)
             || r[i].buffer >= dcfg_xray_buffers(x) || r[i].offset > size)
            abort();
         if (r[i].kind == DCFG_XRAY_EVENT)
            for (uint64_t k = 0; k < r[i].value; k++)
               answers += ((const uint8_t*)r[i].data)[k];
      }
   /* After the end there are no more records. */
   if (dcfg_xray_next(x, r, 7, &err) != 0)
      abort();
   answers += (uint64_t)dcfg_xray_process(x) + dcfg_xray_header(x)->version;
   dcfg_xray_close(x);
}

static void read_map(const uint8_t* data, size_t size, DcfgOptions* options)
{
   DcfgError    err;
   DcfgXrayMap* m = dcfg_xray_map_load_memory(data, size, "fuzz", options,
                                              &err);

   if (m == NULL) {
      if (err.status == DCFG_OK)
         abort();
      return;
   }
   for (uint32_t i = 1; i <= m->n_functions; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(m, i);
      answers += strlen(f->name) + strlen(f->image) + strlen(f->file);
   }
   if (dcfg_xray_function(m, 0) != NULL
       || dcfg_xray_function(m, m->n_functions + 1) != NULL)
      abort();
   dcfg_xray_map_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
   DcfgOptions options = { .max_memory = 64 << 20 };

   for (int i = 0; i < 2; i++) {
      read_log(data, size, &options);
      read_map(data, size, &options);
      options.problem = on_problem;
   }
   return 0;
}
