/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of uftrace's directory. */

/* Owns: the options, the records, and the directory's files.  Handed: functions
   and logs by tool/calls/active.c, threads by tool/run/thread.c.

   The format is documented only by uftrace's sources; this is what uftrace 0.13
   to 0.19 read.  Each thread has a file of records, 16 bytes each: the time,
   and a word with kind, depth and address.

   uftrace looks addresses up in a session's map of objects, and in a file of
   symbols for each object.  They need not be those of the program.  Here object
   number N has OBJECT_SIZE bytes from (N + 1) * OBJECT_SIZE on, and functions
   have FUNCTION_SIZE bytes there, in the order in which they are first logged.

   Times are those of all threads together.  While others run, a thread is in a
   function of its own, OTHERS_NAME, which the function that waits has called.  So
   uftrace's times without what was called are costs, and those with it are as by a
   clock.

   uftrace changes its stack at functions with certain names: an entry of exec
   empties it, and an entry of longjmp cuts it to what it was at the last entry
   of setjmp, in any thread.  But the records say exactly which calls end there.
   For each of these names, in a fixed order, uftrace notes where a symbol with
   the name begins and ends.  Of several that begin at one place, it keeps the
   first.  So an empty symbol stands before each such function, with the first
   of the names: uftrace keeps that, and no address is in it. */

#include "format/order.h"
#include "format/put.h"
#include "tool/base/core.h"
#include "tool/calls/active.h"
#include "tool/dcfg_output.h"
#include "tool/files/file.h"
#include "tool/files/stream.h"
#include "tool/run/thread.h"
#include "tool/run/this_run.h"

/*--- Functions and objects                                ---*/

#define OBJECT_SIZE   (1ULL << 28)
#define FUNCTION_SIZE 16u

typedef
   struct {
      const HChar* path;
      HChar*       plain;         // the path in all files for uftrace
      UInt         n_functions;
   }
   Object;

/* Symbol: a function of the program.  Several ids may be one: Callgrind tells
   functions apart by source files, too. */
typedef
   struct {
      const HChar* object;
      const HChar* name;
      Addr         start;
      UInt         id;            // the first
      ULong        address;
   }
   Symbol;

/* The function and the object in which a thread waits for its turn. */
#define OTHERS_NAME   "(other threads)"
#define OTHERS_OBJECT "other-threads"

static XArray* objects;           // Object
static XArray* addresses;         // ULong, by id from 1; 0: none yet
static XArray* in_order;          // Symbol*, by .address
static OSet*   symbols;           // Symbol

/*--- Names                                                ---*/

/* The first of the names at which uftrace 0.13 to 0.19 changes its stack. */
#define FIRST_NAME "execl"

static Bool is_heeded(const HChar* name)
{
   static const HChar* const names[] = {
      FIRST_NAME, "execlp", "execle", "execv", "execve", "execvp", "execvpe",
      "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp",
      "longjmp", "siglongjmp", "__longjmp_chk",
      "fork", "vfork", "daemon", "posix.fork"
   };

   for (UInt i = 0; i < sizeof(names) / sizeof(names[0]); i++)
      if (VG_STREQ(name, names[i]))
         return True;
   return False;
}

static HChar* replace(HChar* s, HChar from, HChar to)
{
   for (HChar* c = s; *c != 0; c++)
      if (*c == from)
         *c = to;
   return s;
}

/* Return a copy of PATH without spaces and quotes: uftrace knows neither quotes
   nor escapes. */
static HChar* plain_path(const HChar* path)
{
   HChar* res = VG_(strdup)("dcfg.uftrace.path", path);

   DCFG_(make_plain)(res, VG_(strlen)(res), False);
   return replace(replace(res, ' ', '_'), '"', '_');
}

static const HChar* base_name(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash == NULL ? path : slash + 1;
}

static Object* object_no(UInt no)
{
   return VG_(indexXA)(objects, no);
}

/* Return the path of object NO, for VG_(free).  The last part names the file of
   symbols, so the second of two equal ones gets a number. */
static HChar* path_of_object(UInt no)
{
   const HChar* plain = object_no(no)->plain;
   UInt         equal = 1;

   for (UInt i = 0; i < no; i++)
      equal += VG_STREQ(base_name(object_no(i)->plain), base_name(plain));
   return equal == 1 ? VG_(strdup)("dcfg.uftrace.object", plain)
                     : DCFG_(printed)("%s~%u", plain, equal);
}

/*--- Addresses                                            ---*/

static Word cmp_symbols(const void* va, const void* vb)
{
   const Symbol* x = va;
   const Symbol* y = vb;

   return UP(object) ?: UP(name) ?: UP(start);
}

static void init(void)
{
   addresses = DCFG_NEW_ARRAY("dcfg.uftrace.addresses", ULong);
   objects   = DCFG_NEW_ARRAY("dcfg.uftrace.objects", Object);
   in_order  = DCFG_NEW_ARRAY("dcfg.uftrace.order", Symbol*);
   symbols   = VG_(OSetGen_Create)(0, cmp_symbols, VG_(malloc),
                                   "dcfg.uftrace.symbols", VG_(free));
}

static UInt number_of_object(const HChar* path)
{
   Object new = { path, NULL, 0 };

   for (Word i = VG_(sizeXA)(objects) - 1; i >= 0; i--)
      if (object_no(i)->path == path)
         return i;
   new.plain = plain_path(path);
   VG_(addToXA)(objects, &new);
   return VG_(sizeXA)(objects) - 1;
}

static Symbol* add_symbol(const Symbol* new)
{
   UInt    no = number_of_object(new->object);
   Symbol* s  = VG_(OSetGen_AllocNode)(symbols, sizeof(*s));

   *s         = *new;
   s->address = (no + 1) * OBJECT_SIZE
                + object_no(no)->n_functions++ * FUNCTION_SIZE;
   VG_(OSetGen_Insert)(symbols, s);
   VG_(addToXA)(in_order, &s);
   return s;
}

/* Return the address in records of a function, a number of tool/calls/active.h. */
static ULong address_of(UInt id)
{
   static const ULong none = 0;
   ULong*             place;

   if (objects == NULL)
      init();
   while (VG_(sizeXA)(addresses) < id)
      VG_(addToXA)(addresses, &none);
   place = VG_(indexXA)(addresses, id - 1);
   if (*place == 0) {
      const Function* f   = DCFG_(named)(id);
      Symbol          new = { f->object, f->own, f->start, id, 0 };
      const Symbol*   s   = VG_(OSetGen_Lookup)(symbols, &new);
      *place = (s != NULL ? s : add_symbol(&new))->address;
   }
   return *place;
}

/* Return the address of the function in which threads wait. */
static ULong address_of_others(void)
{
   static ULong address;

   if (objects == NULL)
      init();
   if (address == 0) {
      Symbol new = { OTHERS_OBJECT, OTHERS_NAME, 0, 0, 0 };
      address = add_symbol(&new)->address;
   }
   return address;
}

/*--- Files of symbols                                     ---*/

/* Return the number of objects. */
static UInt n_objects(void)
{
   return objects == NULL ? 0 : VG_(sizeXA)(objects);
}

/* Return the name of OBJECT's file of symbols, for VG_(free). */
static HChar* symbol_file(UInt object)
{
   HChar* path = path_of_object(object);
   HChar* res  = DCFG_(printed)("%s.sym", base_name(path));

   VG_(free)(path);
   return res;
}

static void put_hex(Put* out, ULong n, UInt digits)
{
   while (digits-- > 0)
      DCFG_(put_char)(out, "0123456789abcdef"[n >> 4 * digits & 15]);
}

static void put_path(Put* out, UInt object)
{
   HChar* path = path_of_object(object);

   DCFG_(put_text)(out, path);
   VG_(free)(path);
}

/* Return whether another function of the object has the name of S. */
static Bool has_namesake(const Symbol* s)
{
   const Symbol first = { s->object, s->name, 0, 0, 0 };

   VG_(OSetGen_ResetIterAt)(symbols, &first);
   for (UInt i = 0; i < 2; i++) {
      const Symbol* other = VG_(OSetGen_Next)(symbols);
      if (other == NULL || other->object != s->object
          || other->name != s->name)
         return False;
      if (other != s)
         return True;
   }
   return False;
}

/* Put TEXT without hidden characters.  A semicolon separates names in uftrace's
   folded stacks. */
static void put_plain(Put* out, const HChar* text)
{
   HChar* plain = VG_(strdup)("dcfg.uftrace.name", text);

   DCFG_(make_plain)(plain, VG_(strlen)(plain), False);
   DCFG_(put_text)(out, replace(plain, ';', ':'));
   VG_(free)(plain);
}

/* Put the name of S.  uftrace adds up functions with one name, so those of one
   object get the places where they begin. */
static void put_name(Put* out, const Symbol* s)
{
   const Function* f;

   put_plain(out, s->name);
   if (!has_namesake(s))
      return;
   f = DCFG_(named)(s->id);
   DCFG_(put_text)(out, " (");
   if (f->line > 0) {
      put_plain(out, base_name(f->file));
      DCFG_(put_char)(out, ':');
      DCFG_(put_number)(out, f->line);
   } else {
      DCFG_(put_text)(out, "0x");
      put_hex(out, s->start, 8);
   }
   DCFG_(put_char)(out, ')');
}

/* Put a symbol's line up to its name, and TEXT. */
static void put_symbol_start(Put* out, ULong at, HChar type,
                             const HChar* text)
{
   put_hex(out, at, 16);
   DCFG_(put_char)(out, ' ');
   DCFG_(put_char)(out, type);
   DCFG_(put_char)(out, ' ');
   DCFG_(put_text)(out, text);
}

/* Put the symbols of OBJECT. */
static void put_symbols(Put* out, UInt object)
{
   ULong start = (object + 1) * OBJECT_SIZE;
   UInt  n     = object_no(object)->n_functions;

   DCFG_(put_text)(out, "# symbols: ");
   DCFG_(put_number)(out, n);
   DCFG_(put_text)(out, "\n# path name: ");
   put_path(out, object);
   DCFG_(put_char)(out, '\n');
   for (Word i = 0; i < VG_(sizeXA)(in_order); i++) {
      const Symbol* s = *(Symbol**)VG_(indexXA)(in_order, i);
      if (s->address < start || s->address >= start + OBJECT_SIZE)
         continue;
      if (is_heeded(s->name))
         put_symbol_start(out, s->address - start, 't', FIRST_NAME "\n");
      put_symbol_start(out, s->address - start, 'T', "");
      put_name(out, s);
      DCFG_(put_char)(out, '\n');
   }
   put_symbol_start(out, n * FUNCTION_SIZE, 'T', "__sym_end\n");
}

/* Put lines like those of /proc/PID/maps: the objects. */
static void put_map(Put* out)
{
   for (UInt i = 0; i < n_objects(); i++) {
      put_hex(out, (i + 1) * OBJECT_SIZE, 12);
      DCFG_(put_char)(out, '-');
      put_hex(out, (i + 2) * OBJECT_SIZE, 12);
      DCFG_(put_text)(out, " r-xp 00000000 00:00 0                    ");
      put_path(out, i);
      DCFG_(put_char)(out, '\n');
   }
   /* uftrace finds the kernel's addresses by the place of the stack. */
   DCFG_(put_text)(out, "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0"
                        "                          [stack]\n");
}

/* Put the program's path as it is in the map. */
static void put_program(Put* out)
{
   HChar*       own  = plain_path(VG_(args_the_exename));
   const HChar* name = own;

   for (UInt i = 0; i < n_objects() && name == own; i++) {
      const HChar* path = object_no(i)->plain;
      if (VG_STREQ(base_name(path), base_name(own)))
         name = path;
   }
   DCFG_(put_text)(out, name);
   VG_(free)(own);
}

/* An instruction is a microsecond, as in llvm-xray's view of an XRay log.
   uftrace's time is in nanoseconds. */
#define TIME_OF_INSTR 1000u

#define MAX_DEPTH     1023u       // the depth has ten bits
#define KIND_EXIT     1u
#define MAGIC         (5u << 3)

/* UftraceLog: a thread's records. */
typedef
   struct {
      Stream*       records;
      ULong         others;    // instructions of others at the last record
      const Active* active;    // the thread's functions
   }
   UftraceLog;

static ULong too_deep;

/*--- Records                                              ---*/

static void* begin(UInt thread, const Active* active)
{
   UftraceLog* l = VG_(calloc)("dcfg.uftrace.log", 1, sizeof(*l));
   l->records    = DCFG_(new_stream)();
   l->active     = active;
   return l;
}

static void delete(void* log)
{
   UftraceLog* l = log;

   DCFG_(delete_stream)(l->records);
   VG_(free)(l);
}

static void add_record(UftraceLog* l, ULong address, UInt depth, Bool is_entry,
                       ULong time)
{
   ULong record[2];

   if (depth > MAX_DEPTH)
      return;
   record[0] = time * TIME_OF_INSTR;
   record[1] = (is_entry ? 0 : KIND_EXIT) | MAGIC | depth << 6
               | address << 16;
   DCFG_(append_to_stream)(l->records, record, sizeof(record));
}

/* Others have run since the last record, and the next one is at depth DEPTH of all
   functions there: enter and leave the function in which the thread waits.  If it
   waited several times, the last place is that of all. */
static void add_others(UftraceLog* l, UInt depth, Moment at)
{
   const ULong others = at.time - at.tick;
   ULong       tick   = DCFG_(begin_of_turn)(l->active);

   if (tick > at.tick)
      tick = at.tick;
   if (depth > 0) {
      add_record(l, address_of_others(), depth, True, tick + l->others);
      add_record(l, address_of_others(), depth, False, tick + others);
   }
   l->others = others;
}

static void enter(void* log, UInt id, UInt depth, Moment at, const UWord* args)
{
   UftraceLog* l = log;

   if (at.time - at.tick != l->others)
      add_others(l, depth, at);
   too_deep += depth > MAX_DEPTH;
   add_record(l, address_of(id), depth, True, at.time);
}

static void leave(void* log, UInt id, UInt depth, Moment at, Bool by_jump)
{
   UftraceLog* l = log;

   if (at.time - at.tick != l->others)
      add_others(l, depth + 1, at);
   add_record(l, address_of(id), depth, False, at.time);
}

static void finish(void* log)
{
   DCFG_(trim_stream)(((UftraceLog*)log)->records);
}

/* The threads' logs. */
static const CallLog uftrace_calls = {
   .begin  = begin,
   .delete = delete,
   .enter  = enter,
   .leave  = leave,
   .finish = finish
};

static void put_stream(Put* out, const Stream* stream)
{
   HChar buffer[16384];
   UInt  n;

   for (ULong at = 0;
        (n = DCFG_(read_stream)(stream, at, buffer, sizeof(buffer)))
        > 0; at += n)
      DCFG_(put_bytes)(out, buffer, n);
}

/* Put THREAD's records, and exits of its active functions.  Its log is not
   changed. */
static void put_records(Put* out, UInt format, UInt thread)
{
   const Active* a;
   Moment        now;
   UftraceLog*   l    = DCFG_(log_of_thread)(format, thread, &a, &now);
   UftraceLog    last = { DCFG_(new_stream)(), l == NULL ? 0 : l->others, a };

   DCFG_(leave_active)(a, now, leave, &last);
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
   return DCFG_(this_pid)() + thread;
}

static UInt n_tasks(void)
{
   UInt n = 0;

   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      n += DCFG_(has_run_on_own)(t);
   return n + DCFG_(n_logged_stacks)();
}

/* Call DO_IT for each task: a thread, or a stack that threads change to. */
static void each_task(Put* out, void (*do_it)(Put* out, UInt thread))
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      if (DCFG_(has_run_on_own)(t))
         do_it(out, t);
   for (UInt i = 0; i < DCFG_(n_logged_stacks)(); i++)
      do_it(out, DCFG_FIRST_STACK + i);
}

#define SESSION "0000000000000001"

static void put_task(Put* out, UInt thread)
{
   DCFG_(put_text)(out, "TASK timestamp=0.000000001 tid=");
   DCFG_(put_number)(out, task_of(thread));
   DCFG_(put_text)(out, " pid=");
   DCFG_(put_number)(out, DCFG_(this_pid)());
   DCFG_(put_char)(out, '\n');
}

static void put_tasks(Put* out)
{
   DCFG_(put_text)(out, "SESS timestamp=0.000000000 pid=");
   DCFG_(put_number)(out, DCFG_(this_pid)());
   DCFG_(put_text)(out, " sid=" SESSION " exename=\"");
   put_program(out);
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
   put_program(out);
   DCFG_(put_text)(out, "\ncmdline:");
   put_program(out);
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

static const HChar opt[] = "--uftrace-out-dir";

/* Claim the directory FORMAT before the program runs.  If it cannot be made,
   print a message and exit. */
static void claim_directory(const HChar* format)
{
   DCFG_(refuse_merging)(opt, format);
   HChar* dir   = VG_(expand_file_name)(opt, format);
   Int    error = DCFG_(make_directory)(dir);

   if (error != 0 && error != VKI_EEXIST)
      DCFG_FAIL("cannot make the directory %s for %s: %s\n", dir, opt,
                DCFG_(error_text)(error));
   DCFG_(claim_out_file)(opt, DCFG_(printed)("%s/" FIRST_FILE, format));
   if (error == 0)
      DCFG_(remove_directory)(dir);
   VG_(free)(dir);
}

typedef
   struct {
      const HChar* format;
      Bool         failed;
   }
   Directory;

static OutFile* open_inside(const Directory* d, const HChar* name)
{
   return DCFG_(open_file_inside)(opt, d->format, name);
}

static void close_inside(Directory* d, OutFile* out)
{
   if (!DCFG_(close_out_file)(out, NULL))
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
   for (UInt i = 0; i < n_objects(); i++) {
      HChar*   name = symbol_file(i);
      OutFile* f    = open_inside(d, name);
      put_symbols(DCFG_(text_of_file)(f), i);
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

/* Write the directory, with the logs of FORMAT, a number of
   tool/calls/active.h. */
static void write_directory(const HChar* name, UInt format)
{
   Directory d = { name, False };

   write_one(&d, FIRST_FILE, put_tasks);
   for (UInt t = 0; t < DCFG_(n_threads)() && !d.failed; t++)
      if (DCFG_(has_run_on_own)(t))
         write_records(&d, format, t);
   for (UInt i = 0; i < DCFG_(n_logged_stacks)() && !d.failed; i++)
      write_records(&d, format, DCFG_FIRST_STACK + i);
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
      DCFG_(remark)("dcfg: uftrace's directory leaves out %'llu calls: its format "
                    "has no room for calls deeper than %u\n",
                    too_deep, MAX_DEPTH);
}

/*--- Options                                              ---*/

static Bool         on;
static const HChar* out_dir = "uftrace.data";

static UInt log_number;      // its number in tool/calls/active.h

static const Option options[] = {
   OPTION_BOOL("--uftrace", on, "also write a directory for uftrace"),
   OPTION_TEXT("--uftrace-out-dir", out_dir, "<dir>", "the name of the "
                                                      "directory")
};

static Bool start(void)
{
   const HChar* wrong;

   if (!on)
      return False;
   wrong = DCFG_(why_no_name)(out_dir);
   if (wrong != NULL)
      DCFG_FAIL("--uftrace-out-dir=%s: %s\n", out_dir, wrong);
   claim_directory(out_dir);
   DCFG_(set_spool_place)("--uftrace-out-dir", out_dir, 2 << 20);
   log_number = DCFG_(log_calls)(&uftrace_calls, False);
   return True;
}

static void write(const struct _Gathered* g, const HChar* reason)
{
   HChar* dir = DCFG_(directory_of_part)(out_dir);

   write_directory(dir, log_number);
   VG_(free)(dir);
}

const Output DCFG_(uftrace_output) = {
   .name    = "directory for uftrace",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write
};
