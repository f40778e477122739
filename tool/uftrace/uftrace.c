/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The directory that uftrace reads. */

/* Owns: the directory's files, and the records.  Handed: functions by
   tool/calls/active.c, their addresses by tool/uftrace/uftrace_symbols.c.

   The format is documented only by uftrace's sources; this is what uftrace 0.13
   to 0.19 read.  Each thread has a file of records, 16 bytes each: the time,
   and a word with kind, depth and address. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "tool/base/core.h"
#include "tool/files/file.h"
#include "tool/files/spool_file.h"
#include "tool/files/stream.h"
#include "tool/run/thread.h"
#include "tool/calls/active.h"
#include "tool/uftrace/uftrace.h"
#include "tool/uftrace/uftrace_symbols.h"

/* An instruction is a microsecond, as in llvm-xray's view of an XRay log.
   uftrace's time is in nanoseconds. */
#define TIME_OF_INSTR 1000u

#define MAX_DEPTH     1023u       // the depth has ten bits
#define KIND_EXIT     1u
#define MAGIC         (5u << 3)

/* UftraceLog: a thread's records. */
typedef
   struct {
      Stream* records;
   }
   UftraceLog;

static ULong too_deep;

/*--- Records                                              ---*/

static void* begin(UInt thread, const Active* a)
{
   UftraceLog* l = VG_(calloc)("dcfg.uftrace.log", 1, sizeof(*l));
   l->records    = DCFG_(new_stream)();
   return l;
}

static void delete(void* log)
{
   UftraceLog* l = log;

   DCFG_(delete_stream)(l->records);
   VG_(free)(l);
}

static void log_function(UftraceLog* l, UInt id, UInt depth, Bool is_entry,
                         ULong tick)
{
   ULong record[2];

   if (depth > MAX_DEPTH) {
      too_deep += is_entry;
      return;
   }
   record[0] = tick * TIME_OF_INSTR;
   record[1] = (is_entry ? 0 : KIND_EXIT) | MAGIC | depth << 6
               | DCFG_(uftrace_address)(id) << 16;
   DCFG_(append_to_stream)(l->records, record, sizeof(record));
}

static void enter(void* log, UInt id, UInt depth, ULong tick,
                  const UWord* args)
{
   log_function(log, id, depth, True, tick);
}

static void leave(void* log, UInt id, UInt depth, ULong tick, Bool by_jump)
{
   log_function(log, id, depth, False, tick);
}

static void finish(void* log)
{
   DCFG_(trim_stream)(((UftraceLog*)log)->records);
}

const CallLog DCFG_(uftrace_calls) = {
   .begin  = begin,
   .delete = delete,
   .enter  = enter,
   .leave  = leave,
   .finish = finish
};

static void put_stream(Put* out, const Stream* s)
{
   HChar buffer[16384];
   UInt  n;

   for (ULong at = 0; (n = DCFG_(read_stream)(s, at, buffer, sizeof(buffer)))
                      > 0; at += n)
      DCFG_(put_bytes)(out, buffer, n);
}

/* Put THREAD's records, and exits of its active functions.  Its log is not
   changed. */
static void put_records(Put* out, UInt format, UInt thread)
{
   const Active* a;
   ULong         tick;
   UftraceLog*   l    = DCFG_(log_of_thread)(format, thread, &a, &tick);
   UftraceLog    last = { DCFG_(new_stream)() };

   DCFG_(leave_active)(a, tick, leave, &last);
   if (l != NULL)
      put_stream(out, l->records);
   put_stream(out, last.records);
   DCFG_(delete_stream)(last.records);
}

/*--- The files about them                                 ---*/

/* Return a thread's number for uftrace.  The first thread's number must be the
   process id. */
static UInt task_of(UInt thread)
{
   return VG_(getpid)() + thread;
}

static UInt n_tasks(void)
{
   UInt n = 0;

   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      n += info.ran;
   }
   return n;
}

/* Call DO_IT for each task. */
static void each_task(Put* out, void (*do_it)(Put* out, UInt thread))
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (info.ran)
         do_it(out, t);
   }
}

#define SESSION "0000000000000001"

static void put_task(Put* out, UInt thread)
{
   DCFG_(put_text)(out, "TASK timestamp=0.000000001 tid=");
   DCFG_(put_number)(out, task_of(thread));
   DCFG_(put_text)(out, " pid=");
   DCFG_(put_number)(out, VG_(getpid)());
   DCFG_(put_char)(out, '\n');
}

static void put_tasks(Put* out)
{
   DCFG_(put_text)(out, "SESS timestamp=0.000000000 pid=");
   DCFG_(put_number)(out, VG_(getpid)());
   DCFG_(put_text)(out, " sid=" SESSION " exename=\"");
   DCFG_(put_uftrace_program)(out);
   DCFG_(put_text)(out, "\"\n");
   each_task(out, put_task);
}

static void put_task_number(Put* out, UInt thread)
{
   if (thread > 0)
      DCFG_(put_char)(out, ',');
   DCFG_(put_number)(out, task_of(thread));
}

/* Bits of the header: features of records, and lines that follow. */
#define HAS_TASK_SESSION (1u << 1)
#define HAS_SYM_REL_ADDR (1u << 5)
#define HAS_MAX_STACK    (1u << 6)
#define LINE_EXE_NAME    (1u << 0)
#define LINE_CMDLINE     (1u << 3)
#define LINE_TASKINFO    (1u << 7)

static void put_info(Put* out)
{
   struct {
      HChar  magic[8];
      UInt   version;
      UShort size;
      UChar  endian, elf_class;
      ULong  features, lines;
      UShort max_stack, unused1;
      UInt   unused2;
   } h;

   VG_(memset)(&h, 0, sizeof(h));
   VG_(memcpy)(h.magic, "Ftrace!", 8);
   h.version   = 4;
   h.size      = sizeof(h);
   h.endian    = 1;               // as in ELF: little-endian
   h.elf_class = 2;               // 64 bits
   h.features  = HAS_TASK_SESSION | HAS_SYM_REL_ADDR | HAS_MAX_STACK;
   h.lines     = LINE_EXE_NAME | LINE_CMDLINE | LINE_TASKINFO;
   h.max_stack = MAX_DEPTH + 1;
   DCFG_(put_bytes)(out, &h, sizeof(h));
   DCFG_(put_text)(out, "exename:");
   DCFG_(put_uftrace_program)(out);
   DCFG_(put_text)(out, "\ncmdline:");
   DCFG_(put_uftrace_program)(out);
   DCFG_(put_text)(out, "\ntaskinfo:lines=2\ntaskinfo:nr_tid=");
   DCFG_(put_number)(out, n_tasks());
   DCFG_(put_text)(out, "\ntaskinfo:tids=");
   each_task(out, put_task_number);
   DCFG_(put_char)(out, '\n');
}

/*--- The directory                                        ---*/

/* The first file.  Another process that finds it in the directory knows that
   the directory is taken. */
#define FIRST_FILE "task.txt"

void DCFG_(claim_uftrace)(const HChar* opt, const HChar* format)
{
   HChar* dir   = VG_(expand_file_name)(opt, format);
   Int    error = DCFG_(make_directory)(dir);
   HChar* first = VG_(malloc)("dcfg.uftrace.first",
                              VG_(strlen)(format) + sizeof("/" FIRST_FILE));

   if (error != 0 && error != VKI_EEXIST) {
      VG_(fmsg)("cannot make the directory %s for %s: %s\n", dir, opt,
                DCFG_(error_text)(error));
      VG_(exit)(1);
   }
   VG_(sprintf)(first, "%s/" FIRST_FILE, format);
   DCFG_(claim_out_file)(opt, first);
   if (error == 0)
      DCFG_(remove_directory)(dir);
   VG_(free)(dir);
}

typedef
   struct {
      const HChar* opt;
      const HChar* format;
      Bool         failed;
   }
   Directory;

static OutFile* open_inside(const Directory* d, const HChar* name)
{
   return DCFG_(open_file_inside)(d->opt, d->format, name);
}

static void close_inside(Directory* d, OutFile* f)
{
   if (!DCFG_(close_out_file)(f, NULL))
      d->failed = True;
}

static void write_one(Directory* d, const HChar* name, void (*put)(Put* out))
{
   OutFile* f = open_inside(d, name);

   put(DCFG_(text_of_file)(f));
   close_inside(d, f);
}

static void write_symbols(Directory* d)
{
   for (UInt i = 0; i < DCFG_(n_uftrace_objects)(); i++) {
      HChar*   name = DCFG_(uftrace_symbol_file)(i);
      OutFile* f    = open_inside(d, name);
      DCFG_(put_uftrace_symbols)(DCFG_(text_of_file)(f), i);
      close_inside(d, f);
      VG_(free)(name);
   }
}

static void write_records(Directory* d, UInt format, UInt thread)
{
   HChar name[32];

   VG_(sprintf)(name, "%u.dat", task_of(thread));
   OutFile* f = open_inside(d, name);
   put_records(DCFG_(text_of_file)(f), format, thread);
   if (DCFG_(spool_failed)()) {
      DCFG_(abandon_out_file)(f);
      d->failed = True;
   } else {
      close_inside(d, f);
   }
}

void DCFG_(write_uftrace)(const HChar* opt, const HChar* name, UInt format)
{
   Directory d = { opt, name, False };

   write_one(&d, FIRST_FILE, put_tasks);
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo ti;
      DCFG_(thread_info)(t, &ti);
      if (ti.ran && !d.failed)
         write_records(&d, format, t);
   }
   if (!d.failed) {
      write_one(&d, "sid-" SESSION ".map", DCFG_(put_uftrace_map));
      write_symbols(&d);
   }
   if (!d.failed) {
      /* uftrace cannot read the directory without it, so it is written last. */
      OutFile* info = open_inside(&d, "info");
      DCFG_(set_reader)(info, "uftrace report -d", NULL);
      put_info(DCFG_(text_of_file)(info));
      DCFG_(close_out_file)(info, "a directory for uftrace");
   }
   if (too_deep > 0)
      VG_(umsg)("dcfg: uftrace's directory leaves out %'llu calls: its format "
                "has no room for calls deeper than %u\n",
                too_deep, MAX_DEPTH);
}
