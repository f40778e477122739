/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The directory that uftrace reads. */

/* Owns: the directory's files and their contents.  Handed: functions by
   tool/calls/active.c.  Taken by: tool/uftrace/output_uftrace.c.

   The format is documented only by uftrace's sources; this is what uftrace 0.13
   reads.  Each thread has a file of records, 16 bytes each: the time, and a
   word with kind, depth and address.  uftrace looks addresses up in a session's
   map of objects, and in a file of symbols for each object.  They need not be
   those of the program.  Here object number N has OBJECT_SIZE bytes from (N +
   1) * OBJECT_SIZE on, and functions have FUNCTION_SIZE bytes there, in the
   order in which they are first logged. */

#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
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

#define OBJECT_SIZE   (1ULL << 28)
#define FUNCTION_SIZE 16u

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

typedef
   struct {
      const HChar* path;
      HChar*       plain;         // the path in all files for uftrace
      UInt         n_functions;
   }
   Object;

static XArray* objects;           // Object
static XArray* addresses;         // ULong, by id from 1; 0: none yet
static ULong   too_deep;

/*--- Addresses                                            ---*/

/* Return a copy of PATH without spaces and quotes: uftrace knows neither quotes
   nor escapes. */
static HChar* plain_path(const HChar* path)
{
   HChar* res = DCFG_(make_plain)(VG_(strdup)("dcfg.uftrace.path", path));

   for (HChar* s = res; *s != 0; s++)
      if (*s == ' ' || *s == '"')
         *s = '_';
   return res;
}

static UInt number_of_object(const HChar* path)
{
   Object new = { path, NULL, 0 };

   for (Word i = VG_(sizeXA)(objects) - 1; i >= 0; i--)
      if (((const Object*)VG_(indexXA)(objects, i))->path == path)
         return i;
   new.plain = plain_path(path);
   VG_(addToXA)(objects, &new);
   return VG_(sizeXA)(objects) - 1;
}

static ULong address_of(UInt id)
{
   static const ULong none = 0;
   ULong*             place;

   if (addresses == NULL) {
      addresses = VG_(newXA)(VG_(malloc), "dcfg.uftrace.addresses",
                             VG_(free), sizeof(ULong));
      objects   = VG_(newXA)(VG_(malloc), "dcfg.uftrace.objects", VG_(free),
                             sizeof(Object));
   }
   while (VG_(sizeXA)(addresses) < id)
      VG_(addToXA)(addresses, &none);
   place = VG_(indexXA)(addresses, id - 1);
   if (*place == 0) {
      UInt    no = number_of_object(DCFG_(named)(id)->object);
      Object* o  = VG_(indexXA)(objects, no);
      *place = (no + 1) * OBJECT_SIZE + o->n_functions++ * FUNCTION_SIZE;
   }
   return *place;
}

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
               | address_of(id) << 16;
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

static void put_hex(Put* out, ULong n, UInt digits)
{
   while (digits-- > 0)
      DCFG_(put_char)(out, "0123456789abcdef"[n >> 4 * digits & 15]);
}

static void put_line(Put* out, const HChar* s)
{
   HChar* plain = DCFG_(make_plain)(VG_(strdup)("dcfg.uftrace.line", s));

   DCFG_(put_text)(out, plain);
   DCFG_(put_char)(out, '\n');
   VG_(free)(plain);
}

static const HChar* base_name(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash == NULL ? path : slash + 1;
}

/* Set PATH to the path of object NO.  The last part names the file of symbols,
   so the second of two equal ones gets a number. */
static void path_of_object(UInt no, HChar* path)
{
   const Object* o     = VG_(indexXA)(objects, no);
   UInt          equal = 0;

   for (UInt i = 0; i < no; i++)
      if (VG_STREQ(base_name(((Object*)VG_(indexXA)(objects, i))->plain),
                   base_name(o->plain)))
         equal++;
   if (equal == 0)
      VG_(sprintf)(path, "%s", o->plain);
   else
      VG_(sprintf)(path, "%s~%u", o->plain, equal + 1);
}

static SizeT longest_path(void)
{
   SizeT n = 0;

   for (Word i = 0; objects != NULL && i < VG_(sizeXA)(objects); i++) {
      SizeT m = VG_(strlen)(((Object*)VG_(indexXA)(objects, i))->path);
      if (m > n)
         n = m;
   }
   return n + 16;
}

static UInt n_objects(void)
{
   return objects == NULL ? 0 : VG_(sizeXA)(objects);
}

/* Put lines like those of /proc/PID/maps. */
static void put_map(Put* out)
{
   HChar path[longest_path()];

   for (UInt i = 0; i < n_objects(); i++) {
      path_of_object(i, path);
      put_hex(out, (i + 1) * OBJECT_SIZE, 12);
      DCFG_(put_char)(out, '-');
      put_hex(out, (i + 2) * OBJECT_SIZE, 12);
      DCFG_(put_text)(out, " r-xp 00000000 00:00 0                    ");
      put_line(out, path);
   }
   /* uftrace finds the kernel's addresses by the place of the stack. */
   DCFG_(put_text)(out, "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0"
                        "                          [stack]\n");
}

static void put_symbols(Put* out, UInt object)
{
   ULong start = (object + 1) * OBJECT_SIZE;
   HChar path[longest_path()];

   path_of_object(object, path);
   DCFG_(put_text)(out, "# symbols: ");
   DCFG_(put_number)(out, ((Object*)VG_(indexXA)(objects, object))
                          ->n_functions);
   DCFG_(put_text)(out, "\n# path name: ");
   put_line(out, path);
   for (UInt id = 1; id <= VG_(sizeXA)(addresses); id++) {
      ULong a = *(ULong*)VG_(indexXA)(addresses, id - 1);
      if (a < start || a >= start + OBJECT_SIZE)
         continue;
      put_hex(out, a - start, 16);
      DCFG_(put_text)(out, " T ");
      put_line(out, DCFG_(named)(id)->name);
   }
   put_hex(out, ((Object*)VG_(indexXA)(objects, object))->n_functions
                * FUNCTION_SIZE, 16);
   DCFG_(put_text)(out, " T __sym_end\n");
}

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

/* Put the program's path as it is in the map. */
static void put_name_of_program(Put* out)
{
   HChar*       own  = plain_path(VG_(args_the_exename));
   const HChar* name = own;

   for (UInt i = 0; i < n_objects() && name == own; i++) {
      const HChar* path = ((Object*)VG_(indexXA)(objects, i))->plain;
      if (VG_STREQ(base_name(path), base_name(own)))
         name = path;
   }
   DCFG_(put_text)(out, name);
   VG_(free)(own);
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
   put_name_of_program(out);
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
   put_name_of_program(out);
   DCFG_(put_text)(out, "\ncmdline:");
   put_name_of_program(out);
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
   HChar path[longest_path()], name[longest_path() + 5];

   for (UInt i = 0; i < n_objects(); i++) {
      path_of_object(i, path);
      VG_(sprintf)(name, "%s.sym", base_name(path));
      OutFile* f = open_inside(d, name);
      put_symbols(DCFG_(text_of_file)(f), i);
      close_inside(d, f);
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
      write_one(&d, "sid-" SESSION ".map", put_map);
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
