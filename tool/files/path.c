/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: which names a file may get, and the record of the files that this
   process and its relatives wrote.  Handed: names that users gave, and the
   purposes of temporary files.

   Links: a complete file replaces the old one, but must not replace a link:
   then the link's target is replaced.  A descriptor has no name: text is
   appended to the open file.

   Temporary files have names that cannot be predicted.  Otherwise anybody who
   can write to the directory could put a link there, and its target would be
   overwritten.

   A family is a process and its relatives.  Several of them may want the same
   name, if it has no process id (%p).  The first process gets it, and a forked
   child takes another name.  After execve, a program may take the names that
   this process wrote before.  The rule: a file belongs to another process if it
   appeared after the first process of the family had started, and this process
   did not write it. */

#include "tool/base/core.h"
#include "tool/files/path.h"

/*--- Compressors                                          ---*/

static const Compressor compressors[] = {
   { ".gz",  "gzip",  "exec gzip -n -f \"$0\""         },
   { ".bz2", "bzip2", "exec bzip2 -f \"$0\""           },
   { ".xz",  "xz",    "exec xz -f \"$0\""              },
   { ".zst", "zstd",  "exec zstd -q -f --rm \"$0\""    },
};

/* Return whether the first N bytes of NAME end with SUFFIX, and have more before
   it. */
static Bool ends_with(const HChar* name, SizeT n, const HChar* suffix)
{
   SizeT len = VG_(strlen)(suffix);
   return n > len && VG_(strncmp)(name + n - len, suffix, len) == 0;
}

const Compressor* DCFG_(find_compressor)(const HChar* name)
{
   for (UInt i = 0; i < sizeof(compressors) / sizeof(compressors[0]); i++)
      if (ends_with(name, VG_(strlen)(name), compressors[i].suffix))
         return &compressors[i];
   return NULL;
}

SizeT DCFG_(plain_length)(const HChar* name)
{
   const Compressor* c = DCFG_(find_compressor)(name);

   return VG_(strlen)(name) - (c != NULL ? VG_(strlen)(c->suffix) : 0);
}

/*--- Links                                                ---*/

#define MAX_LINKS 40         // as in Linux
#define MAX_PATH  4096

/* Return the descriptor that NAME stands for, or -1. */
static Int descriptor_of(const HChar* name)
{
   static const HChar* const streams[]
      = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
   static const HChar* const dirs[] = { "/dev/fd/", "/proc/self/fd/" };

   for (Int i = 0; i < 3; i++)
      if (VG_STREQ(name, streams[i]))
         return i;
   for (Int i = 0; i < 2; i++) {
      SizeT  n = VG_(strlen)(dirs[i]);
      HChar* end;
      if (VG_(strncmp)(name, dirs[i], n) != 0 || !VG_(isdigit)(name[n]))
         continue;
      Long fd = VG_(strtoll10)(name + n, &end);
      if (*end == 0 && fd >= 0 && fd <= 0x7FFFFFFF)
         return (Int)fd;
   }
   return -1;
}

/* Return the path of LINK, the contents of the link NAME, relative to the same
   directory as NAME. */
static HChar* beside(const HChar* name, const HChar* link)
{
   const HChar* slash = VG_(strrchr)(name, '/');
   SizeT        n     = link[0] == '/' || slash == NULL ? 0
                        : slash + 1 - name;
   HChar*       s     = VG_(malloc)("dcfg.outpath", n + VG_(strlen)(link)
                                                    + 1);

   VG_(memcpy)(s, name, n);
   VG_(strcpy)(s + n, link);
   return s;
}

HChar* DCFG_(follow_links)(const HChar* name, Int* fd)
{
   HChar* path = VG_(strdup)("dcfg.outpath", name);
   HChar  link[MAX_PATH + 1];

   for (Int i = 0; i <= MAX_LINKS; i++) {
      *fd = descriptor_of(path);
      if (*fd != -1)
         break;
      SSizeT n = VG_(readlink)(path, link, MAX_PATH);
      if (n <= 0)
         break;
      link[n] = 0;
      HChar* next = beside(path, link);
      VG_(free)(path);
      path = next;
   }
   return path;
}

HChar* DCFG_(join_path)(const HChar* dir, const HChar* name)
{
   return DCFG_(printed)("%s/%s", dir, name);
}

/*--- Temporary files                                      ---*/

#define LONGEST_NAME 255     // bytes in the name of a file on Linux
#define N_DIGITS     12
#define MAX_TRIES    100

/* Return a random number, or if the kernel has none, one from the time. */
static ULong random_number(void)
{
   static ULong n;
   ULong        r;

   if (DCFG_(random_bytes)(&r, sizeof(r)))
      return r;
   n = n * 6364136223846793005ULL + VG_(read_millisecond_timer)()
       + ((ULong)VG_(getpid)() << 32) + 1442695040888963407ULL;
   return n >> 16;
}

/* Return a name made of PATH, shortened so that a compressor's suffix fits,
   KIND, and digits. */
static HChar* make_name(const HChar* path, const HChar* kind)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   const HChar* base  = slash == NULL ? path : slash + 1;
   SizeT        most  = LONGEST_NAME - DCFG_MAX_SUFFIX - N_DIGITS
                        - VG_(strlen)(kind);
   SizeT        n     = VG_(strlen)(base) < most ? VG_(strlen)(base) : most;
   SizeT        room  = base - path + LONGEST_NAME + 1;
   HChar*       name  = VG_(malloc)("dcfg.newfile.name", room);
   const ULong  mask  = (1ULL << (4 * N_DIGITS)) - 1;

   VG_(memcpy)(name, path, base - path + n);
   VG_(sprintf)(name + (base - path) + n, "%s%012llx", kind,
                random_number() & mask);
   return name;
}

Int DCFG_(new_file)(const HChar* path, const HChar* kind, Int flags,
                    Int mode, HChar** name)
{
   HChar* temporary = NULL;
   SysRes sres;

   if (path == NULL)
      path = temporary = DCFG_(printed)("%s/dcfg", VG_(tmpdir)());
   *name = make_name(path, kind);
   for (Int tries = 1; ; tries++) {
      sres = VG_(open)(*name, VKI_O_CREAT | VKI_O_EXCL | flags, mode);
      if (!sr_isError(sres) || sr_Err(sres) != VKI_EEXIST
          || tries == MAX_TRIES)
         break;
      VG_(free)(*name);
      *name = make_name(path, kind);
   }
   VG_(free)(temporary);
   return sr_isError(sres) ? -(Int)sr_Err(sres) : (Int)sr_Res(sres);
}

/*--- The family's files                                  ---*/

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
   if (DCFG_(read_text)(-1, buf, buf, sizeof(buf)) <= 0)
      return False;
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

/*--- Names with process ids                               ---*/

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
