
/*--------------------------------------------------------------------*/
/*--- Output files.                                     dcfg_out.c ---*/
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

/* Owns: names, temporary files, compressors, and the words for what goes
   wrong with them.  Handed: text.  Taken by: the user.

   Text goes to a file beside the final one, which is renamed when it is
   complete.  What is there and is not a regular file (/dev/null, a pipe)
   is written to directly. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_vki.h"

#include "dcfg_core.h"
#include "dcfg_out.h"

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

struct _OutFile {
   HChar* name;                 // as the user wants it
   HChar* temp;                 // written to; .name if that is no file
   const Compressor* compressor;
   Int    fd;
   Int    error;                // errno of the first trouble, or 0
};

/*------------------------------------------------------------*/
/*--- Names                                                ---*/
/*------------------------------------------------------------*/

static HChar* join(const HChar* a, const HChar* b)
{
   HChar* s = VG_(malloc)("dcfg.out.name",
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
   HChar* s = VG_(strdup)("dcfg.out.plain", f->name);
   if (f->compressor != NULL)
      s[VG_(strlen)(s) - VG_(strlen)(f->compressor->suffix)] = 0;
   return s;
}

static OutFile* create(const HChar* opt, const HChar* format)
{
   OutFile*       f = VG_(calloc)("dcfg.out", 1, sizeof(OutFile));
   struct vg_stat st;
   SysRes         sres;
   HChar          suffix[32];

   f->name = VG_(expand_file_name)(opt, format);
   sres    = VG_(stat)(f->name, &st);
   if (!sr_isError(sres) && !VKI_S_ISREG(st.mode)) {
      f->temp = VG_(strdup)("dcfg.out.temp", f->name);
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

/*------------------------------------------------------------*/
/*--- Files                                                ---*/
/*------------------------------------------------------------*/

void DCFG_(check_out_file)(const HChar* opt, const HChar* format)
{
   OutFile* f = create(opt, format);

   if (f->error != 0) {
      VG_(fmsg)("cannot create %s for %s: %s\n", f->name, opt,
                VG_(strerror)(f->error));
      VG_(exit)(1);
   }
   if (is_temporary(f))
      VG_(unlink)(f->temp);
   delete(f);
}

OutFile* DCFG_(open_out_file)(const HChar* opt, const HChar* format)
{
   return create(opt, format);
}

void DCFG_(write_out_file)(void* arg, const HChar* text, UInt n)
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

HChar* DCFG_(close_out_file)(OutFile* f)
{
   HChar* name = VG_(strdup)("dcfg.out.result", f->name);

   if (f->fd != -1)
      VG_(close)(f->fd);
   f->fd = -1;
   if (f->error == 0 && f->compressor != NULL) {
      HChar* packed = join(f->temp, f->compressor->suffix);
      if (compress(f)) {
         VG_(free)(f->temp);
         f->temp = packed;
      } else {
         VG_(unlink)(packed);
         VG_(free)(packed);
         VG_(free)(name);
         name = plain_name(f);
         VG_(umsg)("dcfg: %s is missing or failed: %s is not compressed\n",
                   f->compressor->program, name);
      }
   }
   if (f->error == 0 && is_temporary(f)
       && VG_(rename)(f->temp, name) != 0)
      f->error = VKI_EACCES;
   if (f->error != 0) {
      VG_(umsg)("dcfg: cannot write %s: %s\n", f->name,
                VG_(strerror)(f->error));
      if (is_temporary(f))
         VG_(unlink)(f->temp);
      VG_(free)(name);
      name = NULL;
   }
   delete(f);
   return name;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
