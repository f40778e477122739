/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Text files of any kind, decompressed. */

/* Owns: reading text files that are not of the library's formats.  Handed: a
   path.  Taken by: programs (dcfg.h). */

#include "lib/base/input.h"

#include <stdlib.h>

struct DcfgText {
   Job    job;
   Input* in;
};

DcfgText* dcfg_text_open(const char* path, const DcfgOptions* options,
                         DcfgError* err)
{
   DcfgText* t = job_object(sizeof(*t), offsetof(DcfgText, job), path,
                            options, err);

   if (t == NULL)
      return NULL;
   t->in = input_open(&t->job, path);
   if (t->in == NULL) {
      job_tell(&t->job, err);
      free(t);
      return NULL;
   }
   return t;
}

size_t dcfg_text_read(DcfgText* t, void* buf, size_t size, DcfgError* err)
{
   size_t got = 0;

   if (!input_read(t->in, buf, size, &got))
      got = 0;
   job_tell(&t->job, err);
   return got;
}

void dcfg_text_close(DcfgText* t)
{
   if (t == NULL)
      return;
   input_close(t->in);
   free(t);
}
