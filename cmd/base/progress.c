/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Progress for a user who waits. */

/* Owns: the line on standard error, and when it is written.  Handed: the
   library's progress. */

#include "cmd/base/progress.h"

#include "cmd/base/clean.h"
#include "cmd/base/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER 2.0         // seconds from the command's begin
#define NEXT_AFTER  0.1

static bool   is_wanted, is_shown;
static double next_time;
static char   file[sizeof(((DcfgError*)NULL)->file)];  // the file of the task

static double now(void)
{
   struct timespec t;

   clock_gettime(CLOCK_MONOTONIC, &t);
   return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_start(void)
{
   is_wanted = isatty(STDERR_FILENO) == 1;
   next_time = now() + FIRST_AFTER;
   if (is_wanted)
      atexit(progress_hide);
}

/* Return the file's name without its folder, shortened to fit.  OTHERS are the
   columns of the rest of the line. */
static const char* fit(const char* path, size_t others)
{
   static char name[128];
   size_t      room = terminal_room(stderr, others);
   const char* slash = strrchr(path, '/');

   snprintf(name, room < sizeof(name) ? room + 1 : sizeof(name), "%s",
            slash != NULL ? slash + 1 : path);
   clean_text(name, strlen(name), false);
   return name;
}

void progress_show(void* arg, const DcfgProgress* p)
{
   bool     other = is_shown && strcmp(p->file, file) != 0;
   uint64_t done = p->done < p->all ? p->done : p->all;
   char     far[32];

   (void)arg;
   if (!is_wanted || (!other && now() < next_time))
      return;
   snprintf(file, sizeof(file), "%s", p->file);
   if (p->all > 0)
      snprintf(far, sizeof(far), "%.0f%%",
               100.0 * (double)done / (double)p->all);
   else
      snprintf(far, sizeof(far), "%" PRIu64 " MB", p->done / 1000000);
   fprintf(stderr, "\rdcfg: %s %s: %s\033[K", p->doing,
           fit(p->file, strlen("dcfg:  :  ") + strlen(p->doing)
                        + strlen(far)), far);
   is_shown  = true;
   next_time = now() + NEXT_AFTER;
}

void progress_hide(void)
{
   if (is_shown)
      fputs("\r\033[K", stderr);
   is_shown = false;
}

void progress_end(void)
{
   struct stat st;

   if (fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode))
      return;
   progress_hide();
   is_wanted = false;
}
