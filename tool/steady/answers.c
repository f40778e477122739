/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: what system calls and files say of random numbers, processors and
   memory. Handed: system calls that have been made, by tool/steady/steady.c.

   The kernel has made each call before it is answered here, so that errors are
   the kernel's. Random numbers are those of SplitMix64 (G. Steele, D. Lea, C.
   Flood), from one seed. The machine has one processor, for Valgrind runs one
   thread at a time, and 8 GiB of memory.

   Files. A descriptor of /dev/random or /dev/urandom stays what it is; each
   read looks what it reads from, so copies of descriptors work. Other files
   have a text that does not change. That of /proc/self/maps is made of the
   program's own mappings. When the program has opened such a file, its
   descriptor is made that of a nameless file with the text. */

#include "pub_tool_aspacehl.h"

#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/steady/answers.h"

Answered DCFG_(answered);
void   (*DCFG_(tell_filled))(Addr a, SizeT len);

/*--- Random numbers                                       ---*/

#define GOLDEN 0x9E3779B97F4A7C15ULL

ULong DCFG_(next_random)(void)
{
   static ULong seed = GOLDEN;
   ULong        z    = (seed += GOLDEN);

   z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
   z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
   return (UInt)(z ^ (z >> 31));
}

void DCFG_(fill_random)(void* to, SizeT n)
{
   for (UChar* at = to; n > 0; n--)
      *at++ = (UChar)DCFG_(next_random)();
}

/* Fill memory of the program. */
static void fill_program(Addr a, SizeT n)
{
   DCFG_(fill_random)((void*)a, n);
   DCFG_(tell_filled)(a, n);
}

/* Return whether descriptor FD is that of /dev/random or /dev/urandom. */
static Bool is_random(Int fd)
{
   const ULong    random = 0x108, urandom = 0x109;
   struct vg_stat st;

   return VG_(fstat)(fd, &st) == 0 && VKI_S_ISCHR(st.mode)
          && (st.rdev == random || st.rdev == urandom);
}

/* The program has read N bytes from FD to BUFFER; if IN_PARTS, that is an array
   of places. */
static void answer_read(Int fd, Addr buffer, Bool in_parts, SizeT n)
{
   const struct vki_iovec* parts = (const struct vki_iovec*)buffer;

   if (n == 0 || !is_random(fd))
      return;
   DCFG_(answered).device++;
   if (!in_parts)
      fill_program(buffer, n);
   for (; in_parts && n > 0; parts++) {
      SizeT len = parts->iov_len < n ? parts->iov_len : n;
      fill_program((Addr)parts->iov_base, len);
      n -= len;
   }
}

/*--- Files                                                ---*/

/* FalseFile: a file that says something about ABOUT. */
typedef
   struct {
      UInt         about;
      const HChar* name;
      const HChar* text;
   }
   FalseFile;

static const FalseFile files[] = {
   { AboutCpus, "/sys/devices/system/cpu/online", "0\n" },
   { AboutCpus, "/sys/devices/system/cpu/possible", "0\n" },
   { AboutCpus, "/sys/devices/system/cpu/present", "0\n" },
   { AboutCpus, "/proc/cpuinfo",
     "processor\t: 0\nmodel name\t: Valgrind\ncpu MHz\t\t: 1000.000\n"
     "physical id\t: 0\nsiblings\t: 1\ncore id\t\t: 0\ncpu cores\t: 1\n\n" },
   { AboutCpus, "/proc/stat",
     "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\nintr 0\nctxt 0\n"
     "btime 1577836800\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n" },
   { AboutTime, "/proc/uptime", "1000.00 0.00\n" },
   { AboutTime, "/proc/loadavg", "0.00 0.00 0.00 1/1 1\n" },
   { AboutMem, "/proc/meminfo",
     "MemTotal:        8388608 kB\nMemFree:         4194304 kB\n"
     "MemAvailable:    4194304 kB\nBuffers:               0 kB\n"
     "Cached:                0 kB\nSwapTotal:             0 kB\n"
     "SwapFree:              0 kB\n" },
   { AboutRandom, "/proc/sys/kernel/random/uuid",
     "e220a839-7b1d-4daf-8a5c-6e789ade33f7\n" },
   { AboutRandom, "/proc/sys/kernel/random/boot_id",
     "06c45d18-8009-454f-bb48-5c8a1b3c9a5e\n" }
};

/* Return the text of /proc/self/maps, without what differs from run to run: the
   memory of Valgrind itself, and the numbers of files.  The caller frees it. */
static HChar* program_maps(void)
{
   Int     n;
   Addr*   starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &n);
   XArray* text   = DCFG_NEW_ARRAY("dcfg.answers.maps", HChar);
   HChar*  res;

   for (Int i = 0; i < n; i++) {
      const NSegment* s    = VG_(am_find_nsegment)(starts[i]);
      const HChar*    name = VG_(am_get_filename)(s);
      VG_(xaprintf)(text, "%08lx-%08lx %c%c%cp %08llx 00:00 0 %s\n", s->start,
                    s->end + 1, s->hasR ? 'r' : '-', s->hasW ? 'w' : '-',
                    s->hasX ? 'x' : '-',
                    s->kind == SkFileC ? (ULong)s->offset : 0,
                    name == NULL ? "" : name);
   }
   VG_(xaprintf)(text, "%c", 0);
   res = VG_(strdup)("dcfg.answers.maps", VG_(indexXA)(text, 0));
   VG_(deleteXA)(text);
   VG_(free)(starts);
   return res;
}

static Bool is_maps(const HChar* name)
{
   HChar own[40];

   VG_(sprintf)(own, "/proc/%d/maps", VG_(getpid)());
   return VG_STREQ(name, "/proc/self/maps")
          || VG_(strcmp)(name, own) == 0;
}

static ULong* counter_of(UInt about)
{
   return about == AboutCpus  ? &DCFG_(answered).cpus
          : about == AboutMem ? &DCFG_(answered).mem
                              : &DCFG_(answered).device;
}

/* Let the program read TEXT, about ABOUT, from FD. */
static void answer_file(UInt about, Int fd, UInt flags, const HChar* text)
{
   Int with = DCFG_(nameless_file)(text);

   if (with < 0)
      return;
   DCFG_(replace_fd)(fd, with, flags);
   VG_(close)(with);
   ++*counter_of(about);
}

/* The program has opened the file NAME as FD: let it read our text if it is one
   of ours. */
static void answer_open(UInt set, const HChar* name, Int fd, UWord flags)
{
   const UInt cloexec = 02000000;

   if (name[0] != '/' || (name[1] != 'p' && name[1] != 's'))
      return;
   if ((set & AboutMem) && is_maps(name)) {
      HChar* text = program_maps();
      answer_file(AboutMem, fd, flags & cloexec, text);
      VG_(free)(text);
   }
   for (UInt i = 0; i < sizeof(files) / sizeof(files[0]); i++)
      if ((files[i].about & set) && VG_STREQ(name, files[i].name))
         answer_file(files[i].about, fd, flags & cloexec, files[i].text);
}

/*--- System calls                                         ---*/

static SysRes answer_files(UInt set, UInt sysno, const UWord* args, SysRes res)
{
   switch (sysno) {
#if defined(__NR_open)
      case __NR_open:
         answer_open(set, (const HChar*)args[0], sr_Res(res), args[1]);
         break;
#endif
      case __NR_openat:
         answer_open(set, (const HChar*)args[1], sr_Res(res), args[2]);
         break;
      case __NR_read:
      case __NR_pread64:
         if (set & AboutRandom)
            answer_read(args[0], args[1], False, sr_Res(res));
         break;
      case __NR_readv:
         if (set & AboutRandom)
            answer_read(args[0], args[1], True, sr_Res(res));
         break;
      default:
         break;
   }
   return res;
}

/* The bytes in the affinity mask that the kernel has written stay as many as
   they are. */
static SysRes answer_cpus(UInt sysno, const UWord* args, SysRes res)
{
   if (sysno == __NR_sched_getaffinity && sr_Res(res) > 0) {
      VG_(memset)((void*)args[2], 0, sr_Res(res));
      *(UChar*)args[2] = 1;
      DCFG_(answered).cpus++;
   }
   if (sysno == __NR_getcpu) {
      const UInt zero = 0;
      for (UInt i = 0; i < 2; i++)
         if (args[i] != 0)
            DCFG_(overwrite)(args[i], &zero, sizeof(zero));
      DCFG_(answered).cpus++;
   }
   return res;
}

/* SysInfo: what sysinfo() writes, up to the unit. */
typedef
   struct {
      UWord  uptime, loads[3];
      UWord  total, free, shared, buffers, total_swap, free_swap;
      UShort processes, pad;
      UWord  total_high, free_high;
      UInt   unit;
   }
   SysInfo;

static void answer_sysinfo(Addr at)
{
   SysInfo info;

   VG_(memset)(&info, 0, sizeof(info));
   info.uptime    = 1000;
   info.total     = 8U << 20;          // KiB
   info.free      = 4U << 20;
   info.processes = 1;
   info.unit      = 1024;
   DCFG_(overwrite)(at, &info, sizeof(info));
   DCFG_(answered).mem++;
}

Bool DCFG_(answers_memory)(UInt set, UInt sysno)
{
   switch (sysno) {
      case __NR_getrandom:
      case __NR_read: case __NR_pread64: case __NR_readv:
         return (set & AboutRandom) != 0;
      case __NR_sysinfo:
         return (set & AboutMem) != 0;
      case __NR_sched_getaffinity:
      case __NR_getcpu:
         return (set & AboutCpus) != 0;
      default:
         return False;
   }
}

SysRes DCFG_(answer_call)(UInt set, UInt sysno, const UWord* args, SysRes res)
{
   if (sr_isError(res))
      return res;
   if (sysno == __NR_getrandom && (set & AboutRandom)) {
      fill_program(args[0], sr_Res(res));
      DCFG_(answered).getrandom++;
   }
   if (sysno == __NR_sysinfo && (set & AboutMem))
      answer_sysinfo(args[0]);
   if (set & AboutCpus)
      res = answer_cpus(sysno, args, res);
   return answer_files(set, sysno, args, res);
}
