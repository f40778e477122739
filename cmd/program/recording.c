/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the file that is the program, files of the distribution, images with
   lines, and the file of a trace's index. Handed: a whole execution trace. */

#include "cmd/program/recording.h"

#include "cmd/base/cache.h"
#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/mapping.h"

#include <limits.h>

const char* wet_program(DcfgWet* w)
{
   uint64_t    lowest = UINT64_MAX;
   const char* found = NULL;

   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image_name == NULL)
         continue;
      if (in->function != NULL && strcmp(in->function, "main") == 0)
         return in->image_name;
      if (in->image_load < lowest) {
         lowest = in->image_load;
         found = in->image_name;
      }
   }
   return found;
}

bool wet_begins_late(const DcfgWet* w)
{
   const DcfgWetState* state = dcfg_wet_state(w);

   return dcfg_wet_is_window(w) || (state->known && !state->at_start);
}

bool is_of_system(const char* path)
{
   /* Rust's own builds name its library /rustc/HASH/library, Debian's
      /usr/src/rustc-1.63.0/library. */
   static const char* const folders[] = { "/usr/include", "/usr/lib", "/lib",
                                          "/rustc", "/usr/src/rustc-",
                                          "/usr/local/go" };
   char plain[PATH_MAX];

   /* clang names /usr/bin/../lib/gcc/... and the like. */
   if (path != NULL && !text_is_plain_path(path)
       && strlen(path) < sizeof(plain)) {
      text_make_plain_path(plain, path);
      path = plain;
   }
   for (size_t i = 0; path != NULL && i < sizeof(folders) / sizeof(folders[0]);
        i++) {
      size_t k = strlen(folders[i]);
      if (strncmp(path, folders[i], k) == 0
          && path[k + strspn(path + k, "x.0123456789")] == '/')
         return true;
   }
   return false;
}

/* The program's image, or the first one. */
static uint32_t main_image(DcfgWet* w)
{
   const char* program = wet_program(w);
   uint32_t    n = dcfg_wet_instrs(w);

   for (uint32_t i = 0; i < n && program != NULL; i = image_end(w, i)) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image_name != NULL && strcmp(in->image_name, program) == 0)
         return in->image;
   }
   return 0;
}

bool* images_with_lines(DcfgWet* w)
{
   uint32_t n = dcfg_wet_instrs(w);
   uint32_t images = n == 0 ? 0 : dcfg_wet_instr(w, n - 1)->image + 1;
   bool*    lines = zalloc(images + (size_t)1, sizeof(*lines));

   for (uint32_t i = 0; i < n; i++)
      if (dcfg_wet_instr(w, i)->line != 0)
         lines[dcfg_wet_instr(w, i)->image] = true;
   return lines;
}

void mark_foreign(DcfgWet* w, const bool* instrs, bool* foreign)
{
   uint32_t n = dcfg_wet_instrs(w), image = UINT32_MAX;
   bool     lines = false;

   if (instrs == NULL) {
      bool* with_lines = images_with_lines(w);
      image = main_image(w);
      lines = with_lines[image];
      free(with_lines);
   }
   for (uint32_t i = 0; i < n && instrs != NULL; i++)
      if (instrs[i]) {
         image  = dcfg_wet_instr(w, i)->image;
         lines |= dcfg_wet_instr(w, i)->line != 0;
      }
   for (uint32_t i = 0, end; i < n; i = end) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      bool                own = in->image == image
                                || (instrs == NULL && lines
                                    && !is_of_system(in->image_name));
      for (end = image_end(w, i); i < end; i++)
         foreign[i] = !own || (lines && dcfg_wet_instr(w, i)->line == 0);
   }
}

/* Owns: where the index of a trace is, and that it is made.  Handed: a
   trace.

   It stands beside the trace, as FILE.idx, or in the user's cache.  Where
   neither can be written it has no name, and goes with the process.  Until it
   is complete it has none anyway, where the file system has such files. */

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/*--- Using one                                            ---*/

/* The index at PATH: true if W uses it.  *WHY says why one that is there is
   not used; else it is as it was. */
static bool use_at(DcfgWet* w, const char* path, char** why)
{
   int       fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
   DcfgError err;

   if (fd < 0)
      return false;
   if (dcfg_slice_use_index(w, fd, &err))
      return true;
   free(*why);
   *why = text_copy(text_format("%s: %s", path, err.reason));
   return false;
}

/*--- Making one                                           ---*/

/* NewIndex: a file that is being made. */
typedef
   struct {
      int   fd;
      char* temporary;          // its name meanwhile; NULL: none
   }
   NewIndex;

/* A file for what is to be PATH.  It may be read by those who may read the trace
   FILE. */
static NewIndex new_index(const char* path, const char* file)
{
   struct stat st;
   const char* slash = strrchr(path, '/');
   const char* dir = slash == NULL ? "."
                     : slash == path ? "/"
                     : text_format("%.*s", (int)(slash - path), path);
   mode_t      mode = stat(file, &st) == 0 ? st.st_mode & 0666 : 0600;
   NewIndex    x = { open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, mode), NULL };

   if (x.fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
      x.temporary = text_copy(text_format("%s.tmp-%ld", path, (long)getpid()));
      unlink(x.temporary);
      x.fd = open(x.temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
   }
   if (x.fd < 0) {
      free(x.temporary);
      x.temporary = NULL;
   }
   return x;
}

/* X is complete: it gets the name PATH. */
static bool name_index(NewIndex* x, const char* path)
{
   if (x->temporary == NULL) {
      x->temporary = text_copy(text_format("%s.tmp-%ld", path, (long)getpid()));
      unlink(x->temporary);
      if (linkat(AT_FDCWD, text_format("/proc/self/fd/%d", x->fd), AT_FDCWD,
                 x->temporary, AT_SYMLINK_FOLLOW) != 0)
         return false;
   }
   return rename(x->temporary, path) == 0;
}

static void forget_index(NewIndex* x)
{
   if (x->temporary != NULL)
      unlink(x->temporary);
   free(x->temporary);
   close(x->fd);
}

static void say_made(DcfgWet* w, const char* file, int fd, const char* path)
{
   uint32_t    threads = dcfg_wet_threads(w);
   uint64_t    executed = 0;
   struct stat index, trace;

   for (uint32_t t = 0; t < threads; t++)
      executed += dcfg_wet_executed(w, t);
   if (fstat(fd, &index) != 0 || stat(file, &trace) != 0 || trace.st_size == 0)
      return;
   complain("made %s: %s instructions, %s thread%s, %.*f %% of the trace", path,
            text_count(executed), text_count(threads), threads == 1 ? "" : "s",
            100 * index.st_size < 10 * trace.st_size ? 1 : 0,
            100.0 * (double)index.st_size / (double)trace.st_size);
}

/* Making: what all ways to make an index need, and what becomes of it. */
typedef
   struct {
      DcfgWet*    w;
      const char* file;
      const bool* outside;
      int*        unnamed;      // as in index_missing(); or NULL
      bool        used;         // W uses the index
      const char* why;          // the last reason why it does not
   }
   Making;

/* Make an index that is to be PATH, or to have no name, and use it.  Return
   false if it cannot be written there.  That it cannot be made at all is no
   error: slices can do without. */
static bool make_at(Making* m, const char* path, bool named)
{
   NewIndex  x = new_index(path, m->file);
   DcfgError err;
   bool      ok;

   m->why = text_format("%s: %s", path, strerror(errno));
   if (x.fd < 0)
      return false;
   ok = dcfg_slice_make_index(m->w, x.fd, m->outside, &err);
   if (!ok || (named && !name_index(&x, path))) {
      m->why = ok ? text_format("%s: %s", path, strerror(errno))
               : text_format("%s", err.reason);
      forget_index(&x);
      return !ok && err.status != DCFG_ERROR_FILE;
   }
   if (!named && x.temporary != NULL)
      unlink(x.temporary);
   free(x.temporary);
   say_made(m->w, m->file, x.fd, named ? path : "an index without a name");
   if (!named && m->unnamed != NULL)
      *m->unnamed = dup(x.fd);
   m->used = dcfg_slice_use_index(m->w, x.fd, &err);
   m->why  = m->used ? NULL : text_format("%s", err.reason);
   return true;
}

static void make_unnamed(Making* m)
{
   const char* dir = getenv("TMPDIR");

   make_at(m, text_format("%s/dcfg.idx", dir == NULL || dir[0] == 0
                                         ? "/tmp" : dir), false);
}

/* Beside the trace, else in the cache, else without a name. */
static void make_index(Making* m, const char* beside, const char* cache)
{
   if (make_at(m, beside, true))
      return;
   if (cache != NULL) {
      make_cache(cache);
      if (make_at(m, cache, true))
         return;
   }
   make_unnamed(m);
}

bool use_index_at(DcfgWet* w, const char* path)
{
   char* why = NULL;
   bool  used = use_at(w, path, &why);

   free(why);
   return used;
}

/* Use the index beside FILE, or the one in the cache.  Return false if there is
   none; *WHY is as in use_at(). */
static bool use_either(DcfgWet* w, const char* beside, const char* cache,
                       char** why)
{
   return use_at(w, beside, why) || (cache != NULL && use_at(w, cache, why));
}

/* Return whether FILE can have an index. */
static bool is_regular(const char* file)
{
   struct stat st;

   return strcmp(file, "-") != 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode);
}

/* Use the index beside the trace, or the one in the cache, or a new one. */
static void find_or_make(Making* m)
{
   char* beside = text_copy(text_format("%s.idx", m->file));
   char* cache = cache_path(m->file, ".idx");
   char* why = NULL;

   m->used = use_either(m->w, beside, cache, &why);
   if (!m->used) {
      if (why != NULL)
         complain("%s: it is made anew", why);
      make_index(m, beside, cache);
   }
   FREE_ALL(beside, cache, why);
}

const char* index_missing(DcfgWet* w, const char* file, IndexUse use,
                          const bool* outside, int* unnamed)
{
   Making m = { w, file, outside, unnamed, false, NULL };

   if (unnamed != NULL)
      *unnamed = -1;
   if (use == INDEX_NEVER || !is_regular(file))
      return use == INDEX_NEVER ? "--index=no" : "the trace is no regular file";
   if (use == INDEX_UNNAMED)
      make_unnamed(&m);
   else
      find_or_make(&m);
   return m.used ? NULL : m.why;
}

IndexUse index_use(const char* text, IndexUse no)
{
   if (text == NULL || strcmp(text, "yes") == 0)
      return INDEX_MADE;
   if (strcmp(text, "no") != 0)
      die("--index: `%s' is neither `yes' nor `no'", text);
   return no;
}
