/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs that are added to a file in place. */

/* Owns: the directory FILE.runs, in which runs wait that belong to FILE.
   Handed: a file by cmd_merge.c, and the function that makes a sum.

   The tool, with %m in the name of its graph, renames whole runs into the
   directory, and starts `dcfg merge --in-place FILE'.  Commands that read FILE
   do so, too, if runs wait.  Files in the directory:

      run-...    a run that waits
      exec-...   a run before an execve: the tool renames it if it counts
      in-...     a run that whoever has the lock has taken
      sum...     FILE as it was, and all of in-..., complete
      odd-...    a run that no sum can have
      lock       a file to be locked with flock(), which ends with its process

   The order of steps keeps each run once, whenever a process is killed.  Runs
   are taken; their sum with FILE is written under another name, and renamed to
   `sum', with FILE's suffix of a compressor; the runs are removed; `sum' becomes
   FILE.  If there is a `sum' at the begin, the last two steps are done again. */

#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/merge/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef
   struct {
      char*  file;              // with links followed
      char*  dir;               // .file.runs
      char*  sum;               // .dir/sum, with the suffix of a compressor
      SumFn* sum_up;
   }
   Place;

/*--- Names                                                ---*/

static char* name_in(const char* dir, const char* kind, const char* rest)
{
   return text_copy(text_format("%s/%s%s", dir, kind, rest));
}

/* Rename NAME, which begins with FROM, so that it begins with TO. */
static void rename_run(const Place* p, const char* name, const char* from,
                       const char* to)
{
   char* before = name_in(p->dir, "", name);
   char* after = name_in(p->dir, to, name + strlen(from));

   if (rename(before, after) != 0)
      die("%s: %s", before, strerror(errno));
   FREE_ALL(before, after);
}

/* Remove the files of KIND, or only those that nobody finished. */
static void remove_all(const Place* p, const char* kind, bool unfinished)
{
   FoundFiles l = list_files(p->dir, kind);

   for (size_t i = 0; i < l.n; i++)
      if ((!unfinished || is_temporary(l.files[i].name))
          && unlink(text_format("%s/%s", p->dir, l.files[i].name)) != 0)
         die("%s/%s: %s", p->dir, l.files[i].name, strerror(errno));
   free_found(&l);
}

/*--- The lock                                             ---*/

#define MOST_WAIT 60            // seconds
#define ONE_WAIT  2             // milliseconds

/* Return whether FD is the file at PATH. */
static bool is_at(int fd, const char* path)
{
   struct stat mine, there;

   return fstat(fd, &mine) == 0 && stat(path, &there) == 0
          && mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* Lock the directory.  Return the lock's descriptor; -1 if the directory is
   gone.  Whoever ends removes the lock's file, so a lock of a file that is gone
   is none. */
static int lock_runs(const Place* p)
{
   char* path = name_in(p->dir, "", "lock");
   int   fd = -1;

   for (long waited = 0; fd < 0; waited += ONE_WAIT) {
      bool locked;
      fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      if (fd < 0 && errno == ENOENT)
         break;
      if (fd < 0)
         die("%s: %s", path, strerror(errno));
      locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
      if (!locked && errno != EWOULDBLOCK)
         die("%s: %s", path, strerror(errno));
      if (locked && is_at(fd, path))
         break;
      close(fd);
      fd = -1;
      if (waited > MOST_WAIT * 1000L)
         die("%s: another process has locked it for %d seconds", path,
             MOST_WAIT);
      poll(NULL, 0, ONE_WAIT);
   }
   free(path);
   return fd;
}

/* Release the lock FD, and remove the directory if nothing is left in it. */
static void unlock_runs(const Place* p, int fd)
{
   unlink(text_format("%s/lock", p->dir));
   rmdir(p->dir);
   close(fd);
}

/*--- Sums                                                 ---*/

/* Return whether the sum of N files could be written to OUT.  A child makes it:
   it ends if the files do not fit each other. */
static bool add_up(const Place* p, const char* const* files, uint32_t n,
                   const char* out)
{
   int   status;
   pid_t pid;

   fflush(NULL);
   pid = fork();
   if (pid < 0)
      die("a process cannot be started: %s", strerror(errno));
   if (pid == 0)
      exit(p->sum_up(files, n, out));
   status = wait_for(pid);
   if (WIFSIGNALED(status))
      complain("%s: signal %d (%s) ended the process that merged it", files[0],
               WTERMSIG(status), strsignal(WTERMSIG(status)));
   return status == 0;
}

/* The sum has all runs that were taken: remove these, and give it its name. */
static void finish_sum(const Place* p)
{
   remove_all(p, "in-", false);
   if (rename(p->sum, p->file) != 0)
      die("%s: %s", p->file, strerror(errno));
}

/* Find the runs that no sum with the others of N files can have, and rename
   them.  The first file stays if it is the old sum: HAS_FILE.  Return whether
   there was any. */
static bool set_aside(const Place* p, const char* const* files, uint32_t n,
                      bool has_file)
{
   const char** fit = zalloc(n, sizeof(*fit));
   uint32_t     n_fit = 0;
   bool         any = false;

   for (uint32_t i = 0; i < n; i++) {
      fit[n_fit] = files[i];
      if (add_up(p, fit, n_fit + 1, "/dev/null")) {
         n_fit++;
         continue;
      }
      if (has_file && i == 0)
         break;
      rename_run(p, strrchr(files[i], '/') + 1, "in-", "odd-");
      complain("%s cannot be added to %s, and is odd-... in its directory now",
               files[i], p->file);
      any = true;
   }
   free(fit);
   return any;
}

/* Take the runs that wait, and add them to the file.  Return false if that
   failed. */
static bool take_runs(const Place* p)
{
   FoundFiles   l = list_files(p->dir, "run-");
   bool         has_file = access(p->file, F_OK) == 0, good;
   uint32_t     n = 0;
   const char** files;

   for (size_t i = 0; i < l.n; i++)
      rename_run(p, l.files[i].name, "run-", "in-");
   free_found(&l);
   l = list_files(p->dir, "in-");
   files = zalloc(l.n + 1, sizeof(*files));
   if (has_file)
      files[n++] = p->file;
   for (size_t i = 0; i < l.n; i++)
      files[n++] = name_in(p->dir, "", l.files[i].name);
   good = l.n == 0 || add_up(p, files, n, p->sum);
   if (l.n > 0 && good)
      finish_sum(p);
   else if (!good && set_aside(p, files, n, has_file))
      good = take_runs(p);
   for (uint32_t i = has_file; i < n; i++)
      free((char*)files[i]);
   free(files);
   free_found(&l);
   return good;
}

bool merge_in_place(const char* file, SumFn* sum_up)
{
   char* path = realpath(file, NULL);
   Place p = { .file = path != NULL ? path : text_copy(file),
               .sum_up = sum_up };
   bool  good = true;
   int   fd;

   p.dir = text_copy(text_format("%s.runs", p.file));
   p.sum = name_in(p.dir, "sum", compressed_suffix(p.file));
   if (access(p.file, F_OK) != 0 && access(p.dir, F_OK) != 0)
      die("there is no file %s, and no run waits for it in %s", file, p.dir);
   /* A run that comes while the lock is released is taken by who left it, or
      here. */
   while ((fd = lock_runs(&p)) >= 0) {
      remove_all(&p, "sum", true);
      if (access(p.sum, F_OK) == 0)
         finish_sum(&p);
      good = take_runs(&p);
      unlock_runs(&p, fd);
      if (!good || !runs_wait(p.file))
         break;
   }
   FREE_ALL(p.file, p.dir, p.sum);
   return good;
}
