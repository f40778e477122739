
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

/* Owns: files that are written, their names, and the words for what was
   written and what goes wrong.  Handed: names and text by all outputs.
   Taken by: dcfg/output_dcfg.c, trace/output_trace.c and
   profile/output_profile.c; base/stream.c, which asks about names.

   Text goes to a file beside the final one, which is renamed when it is
   complete.  What is there and is not a regular file (/dev/null, a pipe)
   is written to directly, and so is a descriptor (/dev/stdout), which is
   taken before the program can close it.

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
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_vki.h"

#include "base/compress.h"
#include "base/core.h"
#include "base/file.h"
#include "base/newfile.h"
#include "base/outpath.h"

/* The options that name files, and what they say. */
#define MAX_CLAIMS 16
static struct {
   const HChar* opt;
   const HChar* format;
   Int          fd;          // of a descriptor; -1: it names something else
} claims[MAX_CLAIMS];
static UInt n_claims;
static UInt part;            // of the run; 0: all that is left

/* The files this process wrote last, to know them by. */
typedef
   struct {
      ULong dev, ino;
   }
   FileId;

#define N_OWN_FILES 1024     // a profile may be one file for each thread
static FileId own_files[N_OWN_FILES];
static UInt   n_own_files;

/* What a name is that of. */
typedef
   enum {
      IsFile,        // a regular file, or nothing so far
      IsSpecial,     // a device, a FIFO, ...
      IsDescriptor
   }
   Kind;

struct _OutFile {
   HChar* name;                 // as the user wants it
   HChar* path;                 // where that leads
   Kind   kind;
   HChar* temp;                 // IsFile: written to, then renamed
   const Compressor* compressor;
   Int    fd;                   // or -1
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
   SizeT  n   = DCFG_(plain_length)(name);
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

/* A descriptor for what is open as NUMBER, if it can be written to; or a
   negative errno. */
static Int duplicate(Int number)
{
   Int flags = VG_(fcntl)(number, VKI_F_GETFL, 0);

   if (flags < 0 || (flags & VKI_O_ACCMODE) == VKI_O_RDONLY)
      return -VKI_EBADF;
   SysRes sres = VG_(dup)(number);
   return sr_isError(sres) ? -(Int)sr_Err(sres) : (Int)sr_Res(sres);
}

/* The descriptor that was taken for OPT's FORMAT, or -1. */
static Int claimed_descriptor(const HChar* opt, const HChar* format)
{
   for (UInt i = 0; i < n_claims; i++)
      if (VG_STREQ(claims[i].opt, opt)
          && VG_STREQ(claims[i].format, format))
         return claims[i].fd;
   return -1;
}

/* To wait for someone who reads from a FIFO might be for ever. */
static Int open_special(const HChar* path)
{
   SysRes sres = VG_(open)(path, VKI_O_WRONLY | VKI_O_NONBLOCK, 0);

   if (sr_isError(sres))
      return -(Int)sr_Err(sres);
   Int fd = sr_Res(sres);
   VG_(fcntl)(fd, VKI_F_SETFL, VKI_O_WRONLY);
   return fd;
}

static const HChar* error_text(const OutFile* f)
{
   return f->kind == IsSpecial && f->error == VKI_ENXIO
          ? "nobody reads from it" : DCFG_(error_text)(f->error);
}

/* OPT's file, not opened.  .error is what is wrong with its name.  *NUMBER is
   the descriptor that it names, or -1. */
static OutFile* named_file(const HChar* opt, const HChar* format,
                           Int* number)
{
   OutFile*       f = VG_(calloc)("dcfg.file", 1, sizeof(OutFile));
   struct vg_stat st;

   DCFG_(start_put)(&f->text, write_text, f);
   f->fd   = -1;
   f->name = VG_(expand_file_name)(opt, format);
   f->path = DCFG_(follow_links)(f->name, number);
   if (*number != -1) {
      f->kind = IsDescriptor;
      return f;
   }
   SysRes sres = VG_(stat)(f->path, &st);
   if (sr_isError(sres)) {
      if (sr_Err(sres) != VKI_ENOENT)
         f->error = sr_Err(sres);
   } else if (!VKI_S_ISREG(st.mode)) {
      f->kind = IsSpecial;
      if (VKI_S_ISDIR(st.mode))
         f->error = VKI_EISDIR;
   }
   return f;
}

static void open_temporary(OutFile* f)
{
   SizeT  n     = DCFG_(plain_length)(f->path);
   HChar* plain = VG_(strdup)("dcfg.file.plain", f->path);

   plain[n]      = 0;
   f->compressor = DCFG_(find_compressor)(f->path);
   f->fd = DCFG_(new_file)(plain, ".tmp-", VKI_O_WRONLY,
                           VKI_S_IRUSR | VKI_S_IWUSR | VKI_S_IRGRP
                           | VKI_S_IROTH, &f->temp);
   VG_(free)(plain);
}

OutFile* DCFG_(open_out_file)(const HChar* opt, const HChar* format)
{
   Int      number;
   OutFile* f = named_file(opt, format, &number);

   if (f->error != 0)
      return f;
   if (f->kind == IsDescriptor) {
      Int kept = claimed_descriptor(opt, format);
      f->fd = duplicate(kept != -1 ? kept : number);
   } else if (f->kind == IsSpecial) {
      f->fd = open_special(f->path);
   } else {
      open_temporary(f);
   }
   if (f->fd < 0) {
      f->error = -f->fd;
      f->fd    = -1;
   }
   return f;
}

static void delete(OutFile* f)
{
   if (f->fd != -1)
      VG_(close)(f->fd);
   VG_(free)(f->name);
   VG_(free)(f->path);
   VG_(free)(f->temp);
   VG_(free)(f);
}

void DCFG_(abandon_out_file)(OutFile* f)
{
   if (f->temp != NULL)
      VG_(unlink)(f->temp);
   delete(f);
}

void DCFG_(set_part)(UInt n)
{
   part = n;
}

HChar* DCFG_(name_of_part)(const HChar* opt, const HChar* format,
                           const HChar* suffix)
{
   SizeT    n   = DCFG_(plain_length)(format);
   HChar*   res = VG_(malloc)("dcfg.file.part", VG_(strlen)(format)
                                               + VG_(strlen)(suffix) + 20);
   Int      number;
   OutFile* f    = named_file(opt, format, &number);
   Bool     is_file = f->kind == IsFile;

   delete(f);
   if (part > 0 && n > 5 && VG_(strncmp)(format + n - 5, ".json", 5) == 0)
      n -= 5;
   VG_(memcpy)(res, format, n);
   res[n] = 0;
   if (part > 0 && is_file)
      VG_(sprintf)(res + n, ".%u", part);
   VG_(strcat)(res, suffix);
   VG_(strcat)(res, format + n);
   return res;
}

/* Make sure that F is not the file that another option names. */
static void check_apart(const HChar* opt, const OutFile* f)
{
   for (UInt i = 0; i < n_claims; i++) {
      Int      number;
      OutFile* other = named_file(claims[i].opt, claims[i].format, &number);
      if (f->kind == IsFile && VG_STREQ(f->path, other->path)) {
         VG_(fmsg)("%s=%s: that is the file of %s\n", opt, f->name,
                   claims[i].opt);
         VG_(exit)(1);
      }
      delete(other);
   }
}

/* Make sure that F can be written.  Returns a descriptor that the program
   cannot get at, if F is one, else -1.  A FIFO is not opened, for whoever
   reads from it would find its end when it is closed again. */
static Int check(OutFile* f, Int number)
{
   if (f->error != 0)
      return -1;
   if (f->kind == IsSpecial) {
      if (VG_(access)(f->path, False, True, False) != 0)
         f->error = VKI_EACCES;
      return -1;
   }
   if (f->kind == IsDescriptor)
      f->fd = duplicate(number);
   else
      open_temporary(f);
   if (f->fd < 0) {
      f->error = -f->fd;
      f->fd    = -1;
      return -1;
   }
   if (f->kind == IsFile) {
      VG_(unlink)(f->temp);
      return -1;
   }
   Int kept = VG_(safe_fd)(f->fd);
   f->fd = -1;
   return kept;
}

/* Signals wait, for the file that is made to see whether it can be made. */
void DCFG_(claim_out_file)(const HChar* opt, const HChar* format)
{
   vki_sigset_t before;
   Int          number;

   tl_assert(n_claims < MAX_CLAIMS);
   DCFG_(block_signals)(&before);
   OutFile* f = named_file(opt, format, &number);
   check_apart(opt, f);
   Int fd = check(f, number);
   if (f->error != 0) {
      VG_(fmsg)("cannot create %s for %s: %s\n", f->name, opt,
                error_text(f));
      VG_(exit)(1);
   }
   delete(f);
   DCFG_(restore_signals)(&before);
   claims[n_claims].opt    = opt;
   claims[n_claims].format = format;
   claims[n_claims].fd     = fd;
   n_claims++;
}

HChar* DCFG_(path_of_file)(const HChar* opt, const HChar* format)
{
   Int      number;
   OutFile* f    = named_file(opt, format, &number);
   HChar*   path = NULL;

   if (f->kind == IsFile) {
      path    = f->path;
      f->path = NULL;
   }
   delete(f);
   return path;
}

Put* DCFG_(text_of_file)(OutFile* f)
{
   return &f->text;
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

   if (DCFG_(compress)(f->compressor, f->temp)) {
      VG_(free)(f->temp);
      f->temp = packed;
      return;
   }
   VG_(unlink)(packed);
   VG_(free)(packed);
   (*name)[DCFG_(plain_length)(*name)] = 0;
   VG_(umsg)("dcfg: %s is missing or failed: %s is not compressed\n",
             f->compressor->program, *name);
}

void DCFG_(close_out_file)(OutFile* f, const HChar* what, ...)
{
   HChar*  name = VG_(strdup)("dcfg.file.result", f->path);
   HChar   said[256];
   va_list args;

   DCFG_(put_flush)(&f->text);
   if (f->fd != -1)
      VG_(close)(f->fd);
   f->fd = -1;
   if (f->error == 0 && f->compressor != NULL)
      pack(f, &name);
   if (f->error == 0 && f->kind == IsFile)
      f->error = give_name(f, &name);
   if (f->error != 0) {
      VG_(umsg)("dcfg: cannot write %s: %s\n", f->name,
                error_text(f));
      if (f->temp != NULL)
         VG_(unlink)(f->temp);
   } else {
      note_own_file(name);
      if (VG_(clo_verbosity) > 0) {
         va_start(args, what);
         VG_(vsnprintf)(said, sizeof(said), what, args);
         va_end(args);
         VG_(umsg)("dcfg: wrote %s: %s\n",
                   VG_STREQ(name, f->path) ? f->name : name, said);
      }
   }
   VG_(free)(name);
   delete(f);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
