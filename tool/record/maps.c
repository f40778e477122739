/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files in memory: how a replay gets the same contents. */

/* Owns: what identifies a file's contents, and mappings of files.  Handed: calls
   of mmap(), by tool/record/call_log.c, and the program's first mappings.

   ELF files, and files of the system, are mapped from their paths again, if they
   are the same: the log has their build ids, or sizes and check sums.  The
   contents of others are in the log, for they may be gone or changed; but with
   --record-large-maps=no, large ones stay in their files, and the check sum is of
   all that they have.  A replay maps all of them privately, so it changes no
   file.  If the program writes to a file that it has mapped, the log has the bytes
   that change in memory. */

#include "pub_tool_aspacehl.h"

#include "format/spool_file.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/base/options.h"
#include "tool/record/recorded.h"
#include "tool/record/log.h"
#include "tool/run/image.h"

/*--- What identifies contents                             ---*/

Bool DCFG_(has_large_maps) = True;

/* The bytes of a file that its check sum is of, unless it is of all of them. */
#define SUMMED (4u << 20)

/* The name of a build with a check sum of all bytes. */
#define ALL_SUMMED "size-%llx-all-%x"

/* Longest path and build of a log. */
#define MAX_PATH  4096u
#define MAX_BUILD 256u

static HChar* build_of_bytes(Addr begin, ULong n, ULong size)
{
   HChar* id = DCFG_(build_id_at)(begin);

   return id != NULL ? id
          : DCFG_(printed)("size-%llx-sum-%x", size,
                            spool_sum((const UChar*)begin, n));
}

HChar* DCFG_(build_of_file)(Int fd)
{
   struct vg_stat st;

   if (VG_(fstat)(fd, &st) != 0 || st.size <= 0)
      return VG_(strdup)("dcfg.record.build", "size-0-sum-0");
   ULong  n    = st.size < SUMMED ? st.size : SUMMED;
   SysRes sres = VG_(am_mmap_file_float_valgrind)(n, VKI_PROT_READ, fd, 0);
   if (sr_isError(sres))
      return VG_(strdup)("dcfg.record.build", "unknown");
   HChar* build = build_of_bytes(sr_Res(sres), n, st.size);
   VG_(am_munmap_valgrind)(sr_Res(sres), n);
   return build;
}

/* Return likewise what identifies all bytes of the file FD. */
static HChar* build_of_all(Int fd)
{
   struct vg_stat st;
   ULong          at = 0;
   UInt           sum = 0;

   if (VG_(fstat)(fd, &st) != 0)
      st.size = 0;
   for (SizeT n; at < st.size; at += n) {
      n = st.size - at < SUMMED ? st.size - at : SUMMED;
      SysRes sres = VG_(am_mmap_file_float_valgrind)(n, VKI_PROT_READ, fd, at);
      if (sr_isError(sres))
         break;
      sum = 31 * sum + spool_sum((const UChar*)sr_Res(sres), n);
      VG_(am_munmap_valgrind)(sr_Res(sres), n);
   }
   return DCFG_(printed)(ALL_SUMMED, at, sum);
}

/* Return the build of the file PATH, or NULL if it cannot be opened. */
static HChar* build_of_path(const HChar* path)
{
   SysRes sres = VG_(open)(path, VKI_O_RDONLY, 0);

   if (sr_isError(sres))
      return NULL;
   HChar* build = DCFG_(build_of_file)(sr_Res(sres));
   VG_(close)(sr_Res(sres));
   return build;
}

/*--- Texts in the log                                     ---*/

static void put_text(const HChar* text)
{
   DCFG_(log_number)(VG_(strlen)(text));
   DCFG_(log_bytes)(RecEvents, text, VG_(strlen)(text));
}

/* Take a text of at most MOST bytes to TO, which has room for a zero byte
   more. */
static void take_text(HChar* to, UInt most)
{
   ULong n = DCFG_(take_number)();

   if (n > most)
      DCFG_(diverged)("the log has a text of %llu bytes", n);
   DCFG_(take_bytes)(RecEvents, to, n);
   to[n] = 0;
}

/* Return whether this is the first call for PATH. */
static Bool is_new(const HChar* path)
{
   static XArray* paths;           // HChar*
   HChar*         copy;

   if (paths == NULL)
      paths = DCFG_NEW_ARRAY("dcfg.record.paths", HChar*);
   for (Word i = VG_(sizeXA)(paths); i-- > 0;)
      if (VG_STREQ(*(HChar**)VG_(indexXA)(paths, i), path))
         return False;
   copy = VG_(strdup)("dcfg.record.path", path);
   VG_(addToXA)(paths, &copy);
   return True;
}

/* Write a block for the image of BUILD and PATH, if there is none yet. */
static void log_image(const HChar* build, const HChar* path)
{
   if (!is_new(path))
      return;
   SizeT  n    = VG_(strlen)(build) + VG_(strlen)(path) + 14;
   HChar* text = VG_(malloc)("dcfg.record.image", n);
   Int    used = VG_(sprintf)(text, "build=%s", build) + 1;

   used += VG_(sprintf)(text + used, "path=%s", path) + 1;
   DCFG_(log_text)(RecImage, text, used);
   VG_(free)(text);
}

/*--- The first mappings                                   ---*/

/* Call DO_IT for each file that is mapped to be executed, but not for the tool's:
   the header names its build. */
static void each_image(void (*do_it)(Addr start, const HChar* path))
{
   Int   n;
   Addr* starts = VG_(get_segment_starts)(SkFileC, &n);

   for (Int i = 0; i < n; i++) {
      const NSegment* s = VG_(am_find_nsegment)(starts[i]);
      if (s->hasX && VG_(am_get_filename)(s) != NULL
          && (starts[i] < (Addr)__executable_start
              || starts[i] >= (Addr)etext))
         do_it(starts[i], VG_(am_get_filename)(s));
   }
   VG_(free)(starts);
}

static UInt n_images;

static void count_image(Addr start, const HChar* path)
{
   n_images++;
}

static void log_start_map(Addr start, const HChar* path)
{
   HChar* build = build_of_path(path);

   DCFG_(log_number)(start);
   put_text(build == NULL ? "" : build);
   log_image(build == NULL ? "" : build, path);
   VG_(free)(build);
}

void DCFG_(log_start_maps)(void)
{
   n_images = 0;
   each_image(count_image);
   DCFG_(log_number)(n_images);
   each_image(log_start_map);
}

static void check_start_map(Addr start, const HChar* path)
{
   HChar  then[MAX_BUILD + 1];
   HChar* build = build_of_path(path);
   Addr   place = DCFG_(take_number)();

   take_text(then, MAX_BUILD);
   if (build != NULL && VG_(strcmp)(build, then) != 0)
      DCFG_(cannot_replay)("%s is another build than the one that was recorded "
                           "(%s, not %s)", path, build, then);
   if (place != start)
      DCFG_(cannot_replay)("%s is at %#lx and was at %#lx", path, start, place);
   VG_(free)(build);
}

void DCFG_(check_start_maps)(void)
{
   ULong n = DCFG_(take_number)();

   n_images = 0;
   each_image(count_image);
   if (n != n_images)
      DCFG_(cannot_replay)("%u files are mapped at the start, and %llu were",
                      n_images, n);
   each_image(check_start_map);
}

/*--- mmap()                                               ---*/

enum { Zero = 0x105 };        // the device /dev/zero

/* Return the offset of the mmap() of ARGS, in bytes. */
static ULong offset_of(const UWord* args)
{
   return (ULong)args[5] * DCFG_(guest).calls->map_unit;
}

static Bool is_elf(Int fd)
{
   HChar  begin[4];
   SysRes sres = VG_(pread)(fd, begin, 4, 0);

   return !sr_isError(sres) && sr_Res(sres) == 4
          && VG_(memcmp)(begin, "\177ELF", 4) == 0;
}

/* Return whether a mapping of ARGS stays in its file because it is large. */
static Bool is_left_out(const UWord* args)
{
   const UWord large = 1u << 20;

   return !DCFG_(has_large_maps) && args[1] > large
          && (!(args[3] & VKI_MAP_SHARED) || !(args[2] & VKI_PROT_WRITE));
}

/* Return whether the file of ARGS, of which ST tells, is one that a replay finds
   under NAME.  *ALL: all its bytes have to be as they are. */
static Bool stays(const UWord* args, const HChar* name,
                  const struct vg_stat* st, Bool* all)
{
   struct vg_stat there;

   *all = !is_elf(args[4]) && VG_(strncmp)(name, "/usr/", 5) != 0
          && VG_(strncmp)(name, "/lib", 4) != 0;
   return VKI_S_ISREG(st->mode) && (!*all || is_left_out(args))
          && !sr_isError(VG_(stat)(name, &there)) && there.ino == st->ino
          && there.dev == st->dev && VG_(strlen)(name) <= MAX_PATH;
}

/* Warn once of memory whose contents others may change. */
static void warn_of_sharing(const HChar* name, Bool is_device)
{
   static Bool warned;

   if (!warned)
      DCFG_(remark)("dcfg: warning: %s is mapped%s: what %s writes there is not "
                    "recorded, and a replay may end there\n", name,
                    is_device ? "" : " with MAP_SHARED",
                    is_device ? "a device" : "another process");
   warned = True;
}

/* The files whose contents the log has. */
static XArray* mapped;          // struct vg_stat

/* Return a number of the file of ST, from 1, the same for all its mappings; 0: it
   is not mapped. */
static UInt number_of_mapped(const struct vg_stat* st)
{
   for (Word i = 0; mapped != NULL && i < VG_(sizeXA)(mapped); i++) {
      const struct vg_stat* s = VG_(indexXA)(mapped, i);
      if (s->dev == st->dev && s->ino == st->ino)
         return i + 1;
   }
   return 0;
}

/* Return the number of the file of ST, which is mapped now. */
static UInt note_mapped(const struct vg_stat* st)
{
   UInt number = number_of_mapped(st);

   if (mapped == NULL)
      mapped = DCFG_NEW_ARRAY("dcfg.record.mapped", struct vg_stat);
   return number != 0 ? number : VG_(addToXA)(mapped, st) + 1;
}

/* Put N bytes of the mapping at RES. */
static void put_bytes(const UWord* args, Addr res, ULong n)
{
   HChar bytes[4096];
   ULong at = 0;

   DCFG_(log_number)(n);
   if (args[2] & VKI_PROT_READ) {
      DCFG_(log_bytes)(RecEvents, (const void*)res, n);
      return;
   }
   for (SizeT k; at < n; at += k) {
      k = n - at < sizeof(bytes) ? n - at : sizeof(bytes);
      VG_(memset)(bytes, 0, k);
      VG_(pread)(args[4], bytes, k, offset_of(args) + at);
      DCFG_(log_bytes)(RecEvents, bytes, k);
   }
}

/* Put the file's contents, which are at RES. */
static void log_contents(const UWord* args, Addr res, const HChar* name,
                         const struct vg_stat* st)
{
   const UChar kind   = MapBytes;
   Bool        plain  = VKI_S_ISREG(st->mode);
   Bool        shared = (args[3] & VKI_MAP_SHARED) != 0;
   UInt        number = note_mapped(st);
   ULong       at     = offset_of(args);
   ULong       size   = plain ? (ULong)st->size : at + args[1];
   ULong       n      = plain && size > at ? size - at : 0;

   if (!plain && st->rdev != Zero)
      warn_of_sharing(name, True);
   else if (plain && shared)
      warn_of_sharing(name, False);
   DCFG_(log_bytes)(RecEvents, &kind, 1);
   put_text(VG_(strlen)(name) <= MAX_PATH ? name : "a file");
   DCFG_(log_number)(shared ? number : 0);
   DCFG_(log_number)(size);
   put_bytes(args, res, n < args[1] ? n : args[1]);
}

void DCFG_(log_mapping)(const UWord* args, Addr res)
{
   UChar          kind = MapZeros;
   const HChar*   name = "a file";
   struct vg_stat st;
   Bool           all;

   if ((args[3] & VKI_MAP_ANONYMOUS) || VG_(fstat)(args[4], &st) != 0) {
      DCFG_(log_bytes)(RecEvents, &kind, 1);
   } else if (VG_(resolve_filename)(args[4], &name)
              && stays(args, name, &st, &all)) {
      HChar* build = all ? build_of_all(args[4])
                         : DCFG_(build_of_file)(args[4]);
      kind = MapPath;
      DCFG_(log_bytes)(RecEvents, &kind, 1);
      put_text(build);
      put_text(name);
      log_image(build, name);
      VG_(free)(build);
   } else {
      log_contents(args, res, name, &st);
   }
}

/* Return how many of N bytes at A the file has: behind its last page, no memory
   can be read. */
static SizeT bytes_of_file(Addr a, SizeT n)
{
   Int   fd  = DCFG_(empty_file)();
   SizeT low = 0, high = n / VKI_PAGE_SIZE;

   while (fd >= 0 && low < high) {
      SizeT middle = low + (high - low) / 2;
      if (VG_(write)(fd, (const void*)(a + middle * VKI_PAGE_SIZE), 1) == 1)
         low = middle + 1;
      else
         high = middle;
   }
   if (fd >= 0)
      VG_(close)(fd);
   return low * VKI_PAGE_SIZE;
}

/*--- The program writes to mapped files                   ---*/

/* WriteLayout: the arguments of a call that have the file that it writes, and
   the offset there.  Without an offset, AtPosition writes at the file's position,
   and Anywhere in all of the file. */
enum { AtPosition = -1, Anywhere = -2 };
typedef
   struct {
      Int file, offset;
   }
   WriteLayout;

/* Return the layout of a call; .file is -1 if it writes no file. */
static WriteLayout write_layout(UInt sysno)
{
   switch (sysno) {
      case __NR_write: case __NR_writev:
         return (WriteLayout){ 0, AtPosition };
      case __NR_pwrite64: case __NR_pwritev: case __NR_pwritev2:
         return (WriteLayout){ 0, 3 };
      case __NR_ftruncate: case __NR_fallocate: case __NR_sendfile:
#if defined(__NR_ftruncate64)
      case __NR_ftruncate64:
#endif
#if defined(__NR_sendfile64)
      case __NR_sendfile64:
#endif
         return (WriteLayout){ 0, Anywhere };
      case __NR_copy_file_range: case __NR_splice:
         return (WriteLayout){ 2, Anywhere };
      default:
         return (WriteLayout){ -1, 0 };
   }
}

/* Return where in the file a call has begun to write, which has written N
   bytes. */
static ULong written_from(WriteLayout at, const UWord* args, ULong n)
{
   ULong offset = at.offset > 0 ? args[at.offset] : ~0ULL;

   if (at.offset > 0 && sizeof(UWord) == 4)
      offset |= (ULong)args[at.offset + 1] << 32;
   if (at.offset == Anywhere)
      return 0;
   return offset == ~0ULL || (at.offset > 0 && (UWord)offset == ~(UWord)0)
             ? (ULong)VG_(lseek)(args[at.file], 0, VKI_SEEK_CUR) - n : offset;
}

void DCFG_(mapped_writes)(UInt sysno, const UWord* args, ULong n,
                          void (*add)(void* arg, Addr a, SizeT n), void* arg)
{
   WriteLayout    at = write_layout(sysno);
   struct vg_stat st;
   Int            k;

   if (at.file < 0 || mapped == NULL || VG_(fstat)(args[at.file], &st) != 0
       || number_of_mapped(&st) == 0)
      return;
   ULong from = written_from(at, args, n);
   ULong to   = at.offset == Anywhere ? (ULong)st.size : from + n;
   Addr* starts = VG_(get_segment_starts)(SkFileC, &k);
   for (Int i = 0; i < k; i++) {
      const NSegment* s = VG_(am_find_nsegment)(starts[i]);
      ULong first = s->offset, end = first + (s->end + 1 - s->start);
      if (s->dev != st.dev || s->ino != st.ino || from >= end || to <= first)
         continue;
      ULong low  = from > first ? from : first;
      ULong high = to < end ? to : end;
      add(arg, s->start + (low - first), high - low);
   }
   VG_(free)(starts);
}

void DCFG_(enlarged)(const UWord* args, Addr res,
                     void (*add)(void* arg, Addr a, SizeT n), void* arg)
{
   const NSegment* s    = VG_(am_find_nsegment)(res);
   SizeT           then = VG_PGROUNDUP(args[1]), now = VG_PGROUNDUP(args[2]);
   struct vg_stat  st;

   if (now <= then || s == NULL || s->kind != SkFileC || !s->hasR)
      return;
   st.dev = s->dev;
   st.ino = s->ino;
   SizeT n = number_of_mapped(&st) == 0 ? 0
             : bytes_of_file(res + then, now - then);
   if (n > 0)
      add(arg, res + then, n);
}

/*--- Mapping them again                                   ---*/

typedef void (*MakeCall)(ThreadId tid, const UWord* args);

/* Map the file whose build and path the log has next. */
static void map_path(ThreadId tid, UWord* args, MakeCall call)
{
   HChar  then[MAX_BUILD + 1], path[MAX_PATH + 1];
   SysRes sres;

   take_text(then, MAX_BUILD);
   take_text(path, MAX_PATH);
   sres = VG_(open)(path, VKI_O_RDONLY, 0);
   if (sr_isError(sres))
      DCFG_(cannot_replay)("%s, which the program maps, cannot be opened: %s", path,
                      DCFG_(error_text)(sr_Err(sres)));
   HChar* build = VG_(strstr)(then, "-all-") != NULL
                  ? build_of_all(sr_Res(sres))
                  : DCFG_(build_of_file)(sr_Res(sres));
   if (VG_(strcmp)(build, then) != 0)
      DCFG_(cannot_replay)("%s is not the file that was mapped: it is %s, and was %s",
                      path, build, then);
   VG_(free)(build);
   args[3] = (args[3] & ~(UWord)VKI_MAP_SHARED) | VKI_MAP_PRIVATE;
   args[4] = sr_Res(sres);
   call(tid, args);
   VG_(close)(sr_Res(sres));
}

/* The files in memory of shared files. */
static XArray* files;              // Int, by number; the first is not used

/* Return a file for shared file NUMBER, or a new one if that is 0. */
static Int memory_file(ULong number)
{
   Int none = -1;

   if (number == 0)
      return DCFG_(empty_file)();
   if (files == NULL)
      files = DCFG_NEW_ARRAY("dcfg.record.files", Int);
   while (VG_(sizeXA)(files) <= number && VG_(sizeXA)(files) < 65536)
      VG_(addToXA)(files, &none);
   if (number >= VG_(sizeXA)(files))
      return -1;
   Int* fd = VG_(indexXA)(files, number);
   if (*fd < 0)
      *fd = DCFG_(empty_file)();
   return *fd;
}

/* A file that is mapped privately has no pages for some of the N bytes at A,
   because it was shorter: let there be other pages. */
static void add_private(const NSegment* s, Addr a, SizeT n)
{
   Addr  page = VG_PGROUNDDN(a);
   SizeT len  = VG_PGROUNDUP(a + n) - page;
   SizeT have = bytes_of_file(page, len);

   if (have < len)
      DCFG_(replace_pages)(page + have, len - have, DCFG_(protection)(s));
}

void DCFG_(grow_file)(Addr a, SizeT n)
{
   const NSegment* s = VG_(am_find_nsegment)(a);
   struct vg_stat  st;

   for (Word i = 0; files != NULL && i < VG_(sizeXA)(files); i++) {
      Int   fd  = *(Int*)VG_(indexXA)(files, i);
      ULong end = s->offset + (a - s->start) + n;
      if (fd >= 0 && VG_(fstat)(fd, &st) == 0 && st.dev == s->dev
          && st.ino == s->ino && (ULong)st.size < end)
         DCFG_(truncate)(fd, end);
   }
   if (s->kind == SkFileC)
      add_private(s, a, n);
}

/* Write N bytes of the log to FD from offset AT on. */
static void fill_file(Int fd, ULong at, ULong n)
{
   UChar bytes[4096];

   VG_(lseek)(fd, at, VKI_SEEK_SET);
   for (SizeT k; n > 0; n -= k) {
      k = n < sizeof(bytes) ? n : sizeof(bytes);
      DCFG_(take_bytes)(RecEvents, bytes, k);
      if (VG_(write)(fd, bytes, k) != k)
         DCFG_(cannot_replay)("there is no room for a file in memory");
   }
}

/* Map a file in memory with the contents that the log has next, and the name. */
static void map_bytes(ThreadId tid, UWord* args, MakeCall call)
{
   HChar          path[MAX_PATH + 1];
   struct vg_stat st;

   take_text(path, MAX_PATH);
   ULong number = DCFG_(take_number)();
   if (number != 0)
      DCFG_(has_checkpoints) = False;
   ULong size   = DCFG_(take_number)();
   ULong n      = DCFG_(take_number)();
   Int   fd     = memory_file(number);
   if (fd < 0 || n > args[1] || size >> 48 != 0
       || DCFG_(truncate)(fd, size) != 0 || VG_(fstat)(fd, &st) != 0)
      DCFG_(cannot_replay)("%s was mapped, and there can be no such file in memory",
                      path);
   fill_file(fd, offset_of(args), n);
   DCFG_(call_file)(st.dev, st.ino, path);
   args[4] = fd;
   call(tid, args);
   if (number == 0)
      VG_(close)(fd);
}

void DCFG_(replay_mapping)(ThreadId tid, const UWord* args, Addr res,
                           MakeCall call)
{
   UWord with[6];
   UChar kind = DCFG_(take_byte)();

   VG_(memcpy)(with, args, sizeof(with));
   with[0]  = res;
   with[3] |= VKI_MAP_FIXED;
   if (kind == MapPath)
      map_path(tid, with, call);
   else if (kind == MapBytes)
      map_bytes(tid, with, call);
   else
      call(tid, with);
}
