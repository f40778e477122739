
/*--------------------------------------------------------------------*/
/*--- Output files.                                    base/file.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: names, temporary files, compressors, and the words for what was
   written and what goes wrong.  Handed: names and text by all outputs.
   Taken by: dcfg/output_dcfg.c, trace/output_trace.c and
   profile/output_profile.c; base/stream.c, which asks about names.

   Text goes to a file beside the final one, which is renamed when it is
   complete.  What is there and is not a regular file (/dev/null, a pipe)
   is written to directly.

   A name that says nothing of the process (no %p) may be wanted by
   several: forked children, or a program that this process was before it
   called execve.  A file that appeared since the first of them started
   and that this process did not write is therefore left alone. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_vki.h"

#include "base/core.h"
#include "base/file.h"

typedef
   struct {
      const HChar* suffix;
      const HChar* program;
      const HChar* command;     // replaces file $0 by $0 with the suffix
   }
   Compressor;

static const Compressor compressors[] = {
   { ".gz",  "gzip",  "exec gzip -n -f \"$0\""         },
   { ".bz2", "bzip2", "exec bzip2 -f \"$0\""           },
   { ".xz",  "xz",    "exec xz -f \"$0\""              },
   { ".zst", "zstd",  "exec zstd -q -f --rm \"$0\""    },
};

/* The options that name files, and what they say. */
#define MAX_CLAIMS 16
static struct {
   const HChar* opt;
   const HChar* format;
} claims[MAX_CLAIMS];
static UInt n_claims;

/* The files this process wrote last, to know them by. */
typedef
   struct {
      ULong dev, ino;
   }
   FileId;

#define N_OWN_FILES 1024     // a profile may be one file for each thread
static FileId own_files[N_OWN_FILES];
static UInt   n_own_files;

struct _OutFile {
   HChar* name;                 // as the user wants it
   HChar* temp;                 // written to; .name if that is no file
   const Compressor* compressor;
   Int    fd;
   Int    error;                // errno of the first trouble, or 0
   Put    text;
};

/*------------------------------------------------------------*/
/*--- Names                                                ---*/
/*------------------------------------------------------------*/

static HChar* join(const HChar* a, const HChar* b)
{
   HChar* s = VG_(malloc)("dcfg.file.name",
                          VG_(strlen)(a) + VG_(strlen)(b) + 1);
   VG_(strcpy)(s, a);
   VG_(strcat)(s, b);
   return s;
}

static const Compressor* find_compressor(const HChar* name)
{
   for (UInt i = 0; i < sizeof(compressors) / sizeof(compressors[0]); i++) {
      SizeT n = VG_(strlen)(name);
      SizeT m = VG_(strlen)(compressors[i].suffix);
      if (n > m && VG_(strcmp)(name + n - m, compressors[i].suffix) == 0)
         return &compressors[i];
   }
   return NULL;
}

/* The name without the compressor's suffix. */
static HChar* plain_name(const OutFile* f)
{
   HChar* s = VG_(strdup)("dcfg.file.plain", f->name);
   if (f->compressor != NULL)
      s[VG_(strlen)(s) - VG_(strlen)(f->compressor->suffix)] = 0;
   return s;
}

/* By the rules of VG_(expand_file_name), which exits if they are broken. */
const HChar* DCFG_(why_no_name)(const HChar* format)
{
   if (format[0] == 0)
      return "there is no name";
   if (format[0] == '~')
      return "a shell expands ~, this does not";
   for (const HChar* s = format; *s != 0; s++) {
      if (*s != '%')
         continue;
      s++;
      if (*s == 'q' && s[1] == '{') {
         const HChar* end = VG_(strchr)(s, '}');
         if (end == NULL)
            return "%q{ without a }";
         SizeT n = end - (s + 2);
         HChar name[n + 1];
         VG_(strncpy)(name, s + 2, n);
         name[n] = 0;
         if (VG_(getenv)(name) == NULL)
            return "the environment variable of %q{} is not set";
         s = end;
      } else if (*s != 'p' && *s != 'n' && *s != '%') {
         return "behind % there is p, n, q{VARIABLE} or another %";
      }
   }
   if (format[0] != '/' && VG_(get_startup_wd)() == NULL)
      return "the directory that the program was started in has no name";
   return NULL;
}

/*------------------------------------------------------------*/
/*--- Other processes                                      ---*/
/*------------------------------------------------------------*/

/* From /proc/PID/stat: its parent, and when it began in ticks of 10 ms
   from the machine's start.  Returns False if that cannot be read. */
static Bool read_stat(Int pid, Int* parent, Long* start)
{
   HChar  buf[1024];
   HChar* s;

   VG_(sprintf)(buf, "/proc/%d/stat", pid);
   Int fd = VG_(fd_open)(buf, VKI_O_RDONLY, 0);
   if (fd < 0)
      return False;
   Int n = VG_(read)(fd, buf, sizeof(buf) - 1);
   VG_(close)(fd);
   if (n <= 0)
      return False;
   buf[n] = 0;
   s = VG_(strrchr)(buf, ')');             // the name may hold anything
   for (Int field = 3; s != NULL && field <= 22; field++) {
      s = VG_(strchr)(s + 1, ' ');
      if (s != NULL && field == 4)
         *parent = VG_(strtoll10)(s + 1, NULL);
      if (s != NULL && field == 22)
         *start = VG_(strtoll10)(s + 1, NULL);
   }
   return s != NULL;
}

static Bool runs_this_tool(Int pid)
{
   HChar   link[64], own[512], others[512];
   SSizeT  n, m;

   VG_(sprintf)(link, "/proc/%d/exe", pid);
   n = VG_(readlink)("/proc/self/exe", own, sizeof(own));
   m = VG_(readlink)(link, others, sizeof(others));
   return n > 0 && n == m && VG_(memcmp)(own, others, n) == 0;
}

/* When the first of this process's forefathers that run under this tool
   began (or what it was before it called execve): microseconds of the
   clock that files have, or 0 if that cannot be found out.  */
static Long family_start(void)
{
   const Int           clock_boottime = 7;
   struct vki_timespec up;
   struct vki_timeval  now;
   Int                 pid = VG_(getpid)(), parent = 0;
   Long                start = 0;

   while (read_stat(pid, &parent, &start) && parent > 1
          && runs_this_tool(parent))
      pid = parent;
   if (start == 0)
      return 0;
   VG_(clock_gettime)(&up, clock_boottime);
   VG_(gettimeofday)(&now, NULL);
   return (now.tv_sec - up.tv_sec) * 1000000LL
          + now.tv_usec - up.tv_nsec / 1000 + start * 10000;
}

/* Did another process of the family write the file with ST?  The family's
   start is known to a tick, and a file's time to another. */
static Bool is_anothers(const struct vg_stat* st)
{
   Long written = st->mtime * 1000000LL + st->mtime_nsec / 1000;
   Long start   = family_start();

   for (UInt i = 0; i < n_own_files && i < N_OWN_FILES; i++)
      if (own_files[i].dev == st->dev && own_files[i].ino == st->ino)
         return False;
   return start != 0 && written > start + 15000;
}

static void note_own_file(const HChar* name)
{
   struct vg_stat st;

   if (sr_isError(VG_(stat)(name, &st)))
      return;
   FileId* id = &own_files[n_own_files++ % N_OWN_FILES];
   id->dev = st.dev;
   id->ino = st.ino;
}

void DCFG_(disown_out_files)(void)
{
   n_own_files = 0;
}

/* NAME with this process's id before its suffixes, and a number if there
   is such a file as well. */
static HChar* other_name(const HChar* name)
{
   const Compressor* c = find_compressor(name);
   SizeT  n   = VG_(strlen)(name) - (c ? VG_(strlen)(c->suffix) : 0);
   HChar* res = VG_(malloc)("dcfg.file.other", VG_(strlen)(name) + 40);

   if (n > 5 && VG_(strncmp)(name + n - 5, ".json", 5) == 0)
      n -= 5;
   for (Int k = 1; ; k++) {
      struct vg_stat st;
      VG_(memcpy)(res, name, n);
      VG_(sprintf)(res + n, k == 1 ? ".%d" : ".%d-%d", VG_(getpid)(), k);
      VG_(strcat)(res, name + n);
      if (sr_isError(VG_(stat)(res, &st)))
         return res;
   }
}

/*------------------------------------------------------------*/
/*--- Files                                                ---*/
/*------------------------------------------------------------*/

/* A PutFn; ARG is the OutFile. */
static void write_text(void* arg, const HChar* text, UInt n)
{
   OutFile* f = arg;

   while (n > 0 && f->error == 0) {
      Int done = VG_(write)(f->fd, text, n);
      if (done == -VKI_EINTR)
         continue;
      if (done <= 0) {
         f->error = done == 0 ? VKI_EIO : -done;
         return;
      }
      text += done;
      n    -= done;
   }
}

Bool DCFG_(is_regular_or_new)(const HChar* name)
{
   struct vg_stat st;
   return sr_isError(VG_(stat)(name, &st)) || VKI_S_ISREG(st.mode);
}

static OutFile* create(const HChar* opt, const HChar* format)
{
   OutFile* f = VG_(calloc)("dcfg.file", 1, sizeof(OutFile));
   SysRes   sres;
   HChar    suffix[32];

   DCFG_(start_put)(&f->text, write_text, f);
   f->name = VG_(expand_file_name)(opt, format);
   if (!DCFG_(is_regular_or_new)(f->name)) {
      f->temp = VG_(strdup)("dcfg.file.temp", f->name);
      sres    = VG_(open)(f->name, VKI_O_WRONLY, 0);
   } else {
      f->compressor = find_compressor(f->name);
      HChar* plain  = plain_name(f);
      VG_(sprintf)(suffix, ".tmp-%d", VG_(getpid)());
      f->temp = join(plain, suffix);
      VG_(free)(plain);
      sres = VG_(open)(f->temp, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY,
                       VKI_S_IRUSR | VKI_S_IWUSR | VKI_S_IRGRP
                       | VKI_S_IROTH);
   }
   f->fd = -1;
   if (sr_isError(sres))
      f->error = sr_Err(sres);
   else
      f->fd = sr_Res(sres);
   return f;
}

static Bool is_temporary(const OutFile* f)
{
   return !VG_STREQ(f->temp, f->name);
}

static void delete(OutFile* f)
{
   if (f->fd != -1)
      VG_(close)(f->fd);
   VG_(free)(f->name);
   VG_(free)(f->temp);
   VG_(free)(f);
}

void DCFG_(abandon_out_file)(OutFile* f)
{
   if (is_temporary(f))
      VG_(unlink)(f->temp);
   delete(f);
}

HChar* DCFG_(name_of_part)(const HChar* name, const HChar* part)
{
   const Compressor* c = find_compressor(name);
   SizeT  n   = VG_(strlen)(name) - (c ? VG_(strlen)(c->suffix) : 0);
   HChar* res = VG_(malloc)("dcfg.file.part", VG_(strlen)(name)
                                             + VG_(strlen)(part) + 1);

   VG_(memcpy)(res, name, n);
   VG_(strcpy)(res + n, part);
   VG_(strcat)(res, name + n);
   return res;
}

/* Make sure that OPT's file is not the one that OTHER names. */
static void check_apart(const HChar* opt, const HChar* format,
                        const HChar* other, const HChar* other_format)
{
   HChar* file  = VG_(expand_file_name)(opt, format);
   HChar* taken = VG_(expand_file_name)(other, other_format);

   if (VG_STREQ(file, taken) && DCFG_(is_regular_or_new)(file)) {
      VG_(fmsg)("%s=%s: that is the file of %s\n", opt, file, other);
      VG_(exit)(1);
   }
   VG_(free)(file);
   VG_(free)(taken);
}

/* Make sure that it can be created.  Signals have to wait: at this time the
   core does not yet catch those that end the process, and the file would
   stay. */
static void try_to_create(const HChar* opt, const HChar* format)
{
   vki_sigset_t all, before;

   VG_(sigfillset)(&all);
   VG_(sigprocmask)(VKI_SIG_SETMASK, &all, &before);
   OutFile* f = create(opt, format);

   if (f->error != 0) {
      VG_(fmsg)("cannot create %s for %s: %s\n", f->name, opt,
                VG_(strerror)(f->error));
      VG_(exit)(1);
   }
   DCFG_(abandon_out_file)(f);
   VG_(sigprocmask)(VKI_SIG_SETMASK, &before, NULL);
}

void DCFG_(claim_out_file)(const HChar* opt, const HChar* format)
{
   tl_assert(n_claims < MAX_CLAIMS);
   for (UInt i = 0; i < n_claims; i++)
      check_apart(opt, format, claims[i].opt, claims[i].format);
   try_to_create(opt, format);
   claims[n_claims].opt    = opt;
   claims[n_claims].format = format;
   n_claims++;
}

OutFile* DCFG_(open_out_file)(const HChar* opt, const HChar* format)
{
   return create(opt, format);
}

Put* DCFG_(text_of_file)(OutFile* f)
{
   return &f->text;
}

/* Run the compressor on the temporary file.  The shell finds it in the
   PATH. */
static Bool compress(OutFile* f)
{
   const HChar* argv[] = { "/bin/sh", "-c", f->compressor->command, f->temp,
                           NULL };
   Int status = 0;
   Int pid    = VG_(spawn)(argv[0], argv);

   if (pid > 0)
      while (VG_(waitpid)(pid, &status, 0) == -VKI_EINTR)
         ;
   return pid > 0 && status == 0;
}

/* NAME is another process's: say so and take another one. */
static void choose_other(HChar** name)
{
   HChar* other = other_name(*name);

   VG_(umsg)("dcfg: %s was written by another process, this one writes %s\n",
             *name, other);
   VG_(free)(*name);
   *name = other;
}

/* Is there such a file, written by another process? */
static Bool is_taken(const HChar* name)
{
   struct vg_stat st;
   return !sr_isError(VG_(stat)(name, &st)) && is_anothers(&st);
}

/* Rename the temporary file to *NAME, or to another name, which replaces
   *NAME, if that is another process's file.  Returns 0 or an errno.

   Of two processes that do this at the same time, none may overwrite what
   the other has just written: so a file from an earlier run changes places
   with ours, and is looked at once more when it is out of the way. */
static Int give_name(OutFile* f, HChar** name)
{
   for (;;) {
      Int err = DCFG_(rename2)(f->temp, *name, DCFG_RENAME_NOREPLACE);
      if (err == VKI_EINVAL || err == VKI_ENOSYS) {
         if (is_taken(*name))
            choose_other(name);
         return VG_(rename)(f->temp, *name) == 0 ? 0 : VKI_EACCES;
      }
      if (err != VKI_EEXIST)
         return err;
      if (is_taken(*name)) {
         choose_other(name);
         continue;
      }
      err = DCFG_(rename2)(f->temp, *name, DCFG_RENAME_EXCHANGE);
      if (err == VKI_ENOENT)
         continue;
      if (err != 0)
         return err;
      if (!is_taken(f->temp)) {
         VG_(unlink)(f->temp);
         return 0;
      }
      DCFG_(rename2)(f->temp, *name, DCFG_RENAME_EXCHANGE);
   }
}

/* Compress the temporary file.  Where that fails, *NAME becomes a plain
   one. */
static void pack(OutFile* f, HChar** name)
{
   HChar* packed = join(f->temp, f->compressor->suffix);

   if (compress(f)) {
      VG_(free)(f->temp);
      f->temp = packed;
      return;
   }
   VG_(unlink)(packed);
   VG_(free)(packed);
   VG_(free)(*name);
   *name = plain_name(f);
   VG_(umsg)("dcfg: %s is missing or failed: %s is not compressed\n",
             f->compressor->program, *name);
}

void DCFG_(close_out_file)(OutFile* f, const HChar* what, ...)
{
   HChar*  name = VG_(strdup)("dcfg.file.result", f->name);
   HChar   said[256];
   va_list args;

   DCFG_(put_flush)(&f->text);
   if (f->fd != -1)
      VG_(close)(f->fd);
   f->fd = -1;
   if (f->error == 0 && f->compressor != NULL)
      pack(f, &name);
   if (f->error == 0 && is_temporary(f))
      f->error = give_name(f, &name);
   if (f->error != 0) {
      VG_(umsg)("dcfg: cannot write %s: %s\n", f->name,
                VG_(strerror)(f->error));
      if (is_temporary(f))
         VG_(unlink)(f->temp);
   } else {
      note_own_file(name);
      if (VG_(clo_verbosity) > 0) {
         va_start(args, what);
         VG_(vsnprintf)(said, sizeof(said), what, args);
         va_end(args);
         VG_(umsg)("dcfg: wrote %s: %s\n", name, said);
      }
   }
   VG_(free)(name);
   delete(f);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
