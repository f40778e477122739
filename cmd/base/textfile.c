/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading text files. */

/* Owns: text files that may be compressed.  Handed: paths. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE     // for fopencookie
#endif

#include "cmd/base/textfile.h"

#include "cmd/base/operands.h"

#include <sys/types.h>

static ssize_t read_text(void* text, char* to, size_t size)
{
   DcfgError err;
   size_t    n = dcfg_text_read(text, to, size, &err);

   if (n == 0 && err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_OTHER));
   return (ssize_t)n;
}

static int close_text(void* text)
{
   dcfg_text_close(text);
   return 0;
}

FILE* open_text(const char* path, FileKind needed)
{
   const cookie_io_functions_t calls = { .read = read_text,
                                         .close = close_text };
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgText*   text;

   refuse_other_kind(path, needed);
   text = dcfg_text_open(path, &options, &err);
   if (text == NULL)
      die("%s", unreadable(&err, KIND_OTHER));
   return need(fopencookie(text, "r", calls));
}
