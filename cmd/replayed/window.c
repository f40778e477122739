/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the sizes of windows, their files, and the choice of the smallest one
   that suffices.  Handed: a recording, and a test of a window.

   A window is the whole execution trace of the last N superblocks of a run, or of
   the whole run.  Questions mostly are of a run's end, and values mostly have
   been made shortly before.  So windows grow from the end backward, until the
   answer has no value from before the window.  The first one is a replay from the
   begin, so it is as large as it may be without costing much beside that: at most
   a 25th of a long run.  On its way the replay writes checkpoints
   (tool/record/checkpoint.c), at which later ones begin.  A window's file is beside
   the recording, or in the user's cache; if it is older than the recording, it is
   made again. */

#include "cmd/replayed/window.h"

#include "cmd/base/cache.h"
#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/replayed/replay_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHOLE UINT64_MAX

/* Sizes in superblocks, of about 1, 16 and 256 million instructions.  Each is made
   only if the one before does not suffice. */
static const uint64_t sizes[] = { 250000, 4000000, 64000000, WHOLE };
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* The size for questions that come later, as a debugger's. */
#define MEDIUM 4000000

/* Return whether the window at PATH was made of FILE as it is now. */
static bool is_current(const char* path, const char* file)
{
   struct stat window, rec;

   return stat(path, &window) == 0 && stat(file, &rec) == 0
          && (window.st_mtim.tv_sec > rec.st_mtim.tv_sec
              || (window.st_mtim.tv_sec == rec.st_mtim.tv_sec
                  && window.st_mtim.tv_nsec >= rec.st_mtim.tv_nsec))
          && is_wet(path);
}

/* Return whether files can be made beside FILE. */
static bool is_writable(const char* file)
{
   const char* base = text_base(file);

   return access(base == file ? "." : text_format("%.*s", (int)(base - file),
                                                  file), W_OK) == 0;
}

static const char* window_suffix(uint64_t size)
{
   return size == WHOLE ? WINDOW_SUFFIX
          : text_format(".last-%" PRIu64 WINDOW_SUFFIX, size);
}

/* Return the file of the window of SIZE superblocks of FILE: beside it, or in the
   user's cache if it is there or can only be made there. */
static char* window_path(const char* file, uint64_t size)
{
   char* beside = text_copy(text_format("%s%s", file, window_suffix(size)));
   char* cached = is_current(beside, file) ? NULL
                  : cache_path(file, window_suffix(size));

   if (cached == NULL || (is_writable(file) && !is_current(cached, file))) {
      free(cached);
      return beside;
   }
   free(beside);
   make_cache(cached);
   return cached;
}

/* The part of a run that costs little beside its replay, in percent. */
#define CHEAP 4

/* Return the first size to try for REC that has no window yet: the largest one that
   costs little, or the smallest. */
static size_t first_size(const DcfgRec* rec)
{
   size_t i = 0;

   while (i + 1 < N_SIZES && sizes[i + 1] <= rec->superblocks / 100 * CHEAP)
      i++;
   return i;
}

/* Replay the last SIZE superblocks of FILE to the file PATH.  R becomes its replay,
   if it is none.  Return NULL, or why PATH could not be written.  Die if the replay
   fails. */
static const char* make_window(Replay* r, const char* file, uint64_t size,
                               const char* path)
{
   TextList    options = { 0 };
   const char* said;
   char*       temporary = text_copy(text_format("%s.tmp-%ld", path,
                                                 (long)getpid()));

   if (r->valgrind == NULL)
      *r = replay_new(file);
   complain("replaying %s%s", size == WHOLE ? ""
            : text_format("the last %s superblocks of ", text_count(size)),
            text_clean(file));
   add_text(&options, "--dcfg-out-file=/dev/null");
   add_text(&options, "--wet=yes");
   add_text(&options, text_format("--wet-out-file=%s",
                                  plain_path_option(temporary)));
   if (size != WHOLE)
      add_text(&options, text_format("--start=end-%" PRIu64, size));
   said = replay_quietly(r, &options);
   if (!is_wet(temporary)) {
      unlink(temporary);
      if (strstr(said, text_base(temporary)) == NULL)
         die("%s: the replay failed: %s", file, said);
   } else {
      if (rename(temporary, path) != 0)
         die("%s: %s", path, strerror(errno));
      said = NULL;
   }
   FREE_ALL(options.texts, temporary);
   return said;
}

/* Append the file FD to TO. */
static void copy_output(int fd, FILE* to)
{
   char    part[4096];
   ssize_t n;

   lseek(fd, 0, SEEK_SET);
   while ((n = read(fd, part, sizeof(part))) > 0)
      fwrite(part, 1, (size_t)n, to);
   close(fd);
}

/* Return whether the window at PATH suffices for W.  A process of its own finds
   out, as reading may end it.  What it prints is only copied if it suffices, and
   is the answer. */
static bool suffices(const Window* w, const char* path)
{
   int   status, out = memfd_create("dcfg-answer", MFD_CLOEXEC);
   int   err = memfd_create("dcfg-answer", MFD_CLOEXEC);
   pid_t pid;

   fflush(NULL);
   pid = out < 0 || err < 0 ? -1 : fork();
   if (pid == 0) {
      bool ok;
      dup2(out, STDOUT_FILENO);
      dup2(err, STDERR_FILENO);
      ok = w->suffices(w->arg, path);
      fflush(NULL);
      _exit(ok ? 0 : 1);
   }
   status = wait_for(pid);
   if (status == 0 && w->answers) {
      copy_output(err, stderr);
      copy_output(out, stdout);
   } else if (pid >= 0) {
      close(err);
      close(out);
   }
   return status == 0;
}

/* Return the size that --window=TEXT asks for. */
static uint64_t asked_size(const char* text)
{
   uint64_t n;

   if (strcmp(text, "all") == 0)
      return WHOLE;
   if (!is_number(text, 10, &n) || n == 0)
      die("--window=%s: give a number of superblocks from 1 on, or all", text);
   return n;
}

/* Return whether SIZE superblocks are all of REC.  Without its end nothing can be
   counted from there. */
static bool covers(const DcfgRec* rec, uint64_t size)
{
   return rec->superblocks == 0 || size >= rec->superblocks;
}

/* Set *PATH to that of the window of SIZE superblocks of REC, the recording FILE,
   which is made by R if it is not there; of the whole run if that is not longer.
   On a full disk, it is made in the user's cache.  Return the window's size. */
static uint64_t take_window(Replay* r, const char* file, const DcfgRec* rec,
                            uint64_t size, char** path)
{
   const char* why = NULL;
   char*       cached;

   if (covers(rec, size))
      size = WHOLE;
   free(*path);
   *path  = window_path(file, size);
   cached = cache_path(file, window_suffix(size));
   if (!is_current(*path, file))
      why = make_window(r, file, size, *path);
   if (why != NULL && cached != NULL && strcmp(cached, *path) != 0) {
      free(*path);
      *path  = cached;
      cached = NULL;
      make_cache(*path);
      why    = make_window(r, file, size, *path);
   }
   if (why != NULL)
      die("%s: the replay failed: %s", file, why);
   free(cached);
   return size;
}

/* Return whether the window of SIZE superblocks of FILE is there. */
static bool has_window(const char* file, uint64_t size)
{
   char* path = window_path(file, size);
   bool  is = is_current(path, file);

   free(path);
   return is;
}

const char* window_trace(const char* file, const Window* w)
{
   static char* path;           // valid until the command ends
   Replay       replay = { .valgrind = NULL };
   DcfgRec*     rec;
   bool         answered = false;
   uint64_t     size = w->asked != NULL ? asked_size(w->asked)
                       : w->whole ? WHOLE : w->suffices == NULL ? MEDIUM : 0;

   if (file_kind(file) != KIND_REC) {
      if (w->asked != NULL)
         die("--window is of a recording by --record=yes, which %s is not",
             file);
      return file;
   }
   rec = load_rec(file);
   if (size == 0 && has_window(file, WHOLE))
      size = WHOLE;
   if (size != 0)
      size = take_window(&replay, file, rec, size, &path);
   for (size_t i = 0; size == 0 && i < N_SIZES; i++) {
      if (i < first_size(rec) && !has_window(file, sizes[i]))
         continue;
      size = take_window(&replay, file, rec, sizes[i], &path);
      answered = size != WHOLE && suffices(w, path);
      if (size != WHOLE && !answered)
         size = 0;
   }
   replay_free(&replay);
   dcfg_rec_free(rec);
   complain("%s %s%s", answered && w->answers ? "read" : "reading",
            text_clean(path), size == WHOLE ? ""
            : ": numbers #N count from its begin; --window=all replays the "
              "whole run");
   return answered && w->answers ? NULL : path;
}
