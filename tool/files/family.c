/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files of other processes of the family. */
/* Owns: the record of the files that this process and its relatives wrote.
   Handed: names.

   Several processes may want the same name, if it has no process id (%p).  The
   first process gets it, and a forked child takes another name.  After execve,
   a program may take the names that this process wrote before.  The rule: a
   file belongs to another process if it appeared after the first process of the
   family had started, and this process did not write it. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

#include "tool/files/compress.h"
#include "tool/base/core.h"
#include "tool/files/family.h"

/* FileId: identifies a file that this process wrote.  The times are needed
   because a new file may get the inode number of a deleted one. */
typedef
   struct {
      ULong dev, ino, mtime, mtime_nsec;
   }
   FileId;

#define N_OWN_FILES 1024     // enough for a profile with a file per thread
static FileId own_files[N_OWN_FILES];
static UInt   n_own_files;

/* in microseconds of the files' clock; 0: not known */
static Long family_start;

/* Read /proc/PID/stat: the parent, and the start of PID in ticks of 10 ms since
   the machine started.  Return False if that is not possible. */
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
   s = VG_(strrchr)(buf, ')');             // the name before it may contain
                                           // anything
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


/* Find out when the first ancestor that runs under this tool began, or this
   process itself before an execve.  The time stays the same in a forked child.
   Later it could not be found out, when the program has changed its root.
   Return whether there is such an ancestor. */
Bool DCFG_(find_family)(void)
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
      return False;
   VG_(clock_gettime)(&up, clock_boottime);
   VG_(gettimeofday)(&now, NULL);
   family_start = (now.tv_sec - up.tv_sec) * 1000000LL
                  + now.tv_usec - up.tv_nsec / 1000 + start * 10000;
   return pid != VG_(getpid)();
}

static Bool is_own(const struct vg_stat* st)
{
   for (UInt i = 0; i < n_own_files && i < N_OWN_FILES; i++) {
      const FileId* id = &own_files[i];
      if (id->dev == st->dev && id->ino == st->ino
          && id->mtime == st->mtime && id->mtime_nsec == st->mtime_nsec)
         return True;
   }
   return False;
}

/* The family's start is known to one tick, and a file's time to another. */
Bool DCFG_(is_anothers)(const HChar* name)
{
   struct vg_stat st;

   if (sr_isError(VG_(stat)(name, &st)) || is_own(&st))
      return False;
   Long written = st.mtime * 1000000LL + st.mtime_nsec / 1000;
   return family_start != 0 && written > family_start + 15000;
}

Bool DCFG_(is_free)(const HChar* name)
{
   struct vg_stat st;
   return sr_isError(VG_(stat)(name, &st)) || is_own(&st);
}

void DCFG_(note_own_file)(const HChar* name)
{
   struct vg_stat st;

   if (sr_isError(VG_(stat)(name, &st)) || is_own(&st))
      return;
   FileId* id = &own_files[n_own_files++ % N_OWN_FILES];
   id->dev        = st.dev;
   id->ino        = st.ino;
   id->mtime      = st.mtime;
   id->mtime_nsec = st.mtime_nsec;
}

void DCFG_(disown_files)(void)
{
   n_own_files = 0;
}

static Bool ends_with(const HChar* name, SizeT n, const HChar* suffix)
{
   SizeT len = VG_(strlen)(suffix);
   return n > len && VG_(strncmp)(name + n - len, suffix, len) == 0;
}

/* Return the length of NAME's first N bytes without their last extension. */
static SizeT before_extension(const HChar* name, SizeT n)
{
   SizeT i = n > 0 ? n - 1 : 0;

   while (i > 0 && name[i] != '.' && name[i] != '/')
      i--;
   return i == 0 || name[i] == '/' || name[i - 1] == '/' ? n : i;
}

/* Return whether NAME has, from FROM to N, the number of a part or thread, and
   not PID. */
static Bool is_number(const HChar* name, SizeT from, SizeT n, Int pid)
{
   for (SizeT i = from; i < n; i++)
      if (!VG_(isdigit)(name[i]) && name[i] != '-')
         return False;
   return n > from && VG_(strtoll10)(name + from, NULL) != pid;
}

/* Return the length of NAME without its suffixes: a compressor's, a part's
   number, the last extension.  The map of a log and the turns of a trace have a
   suffix of their own after those. */
static SizeT stem_length(const HChar* name, Int pid)
{
   SizeT n    = DCFG_(plain_length)(name);
   SizeT side = ends_with(name, n, ".map")     ? 4
                : ends_with(name, n, ".turns") ? 6 : 0;

   if (side != 0) {
      HChar other[n + 1];
      VG_(memcpy)(other, name, n - side);
      other[n - side] = 0;
      n = DCFG_(plain_length)(other);
   }
   SizeT stem = before_extension(name, n);
   if (stem < n && is_number(name, stem + 1, n, pid))
      stem = before_extension(name, stem);
   return stem;
}

HChar* DCFG_(name_with_pid)(const HChar* name, Int pid, UInt k)
{
   SizeT  n   = stem_length(name, pid);
   HChar* res = VG_(malloc)("dcfg.family.name", VG_(strlen)(name) + 40);

   VG_(memcpy)(res, name, n);
   VG_(sprintf)(res + n, k == 1 ? ".%d" : ".%d-%u", pid, k);
   VG_(strcat)(res, name + n);
   return res;
}
