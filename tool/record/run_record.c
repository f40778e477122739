/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Recorded runs: --record and --replay. */

/* Owns: the options, the header, the begin and the end of a recording and of a
   replay, and what the user reads about them.  Handed: the program's start and
   end, by the core and dcfg_main.c.

   A recording writes what the program does not determine itself.  Each question
   has a file of this room:
   - What do system calls return and write?  call_log.c, with maps.c for files in
     memory.
   - What is there at the start?  initial.c.
   - Which thread runs, and how far?  schedule.c.
   - When does a signal come?  signals.c.
   - What becomes of a fork's child?  forked.c.
   - Where may a replay begin, but at the start?  checkpoint.c.
   - How does all this get into a file, and how does it end?  log.c, outcome.c.

   A replay executes the same code with the same initial state.  So the log has
   the registers and the stack at the start, with arguments, environment and
   auxiliary vector.  The core maps the program, and its dynamic linker, at the
   same addresses in each run.  Functions of the tool and of the core can stand
   in the program's way, as those that are called in place of the program's:
   so a replay needs the same build of both.

   The program's file, and its arguments, come from the header if the command
   line has none: DCFG_WRAP(VG_(ii_create_image)) is called before options are
   read. */

#include "dcfg_json.h"
#include "format/release.h"
#include "format/spool_file.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/base/options.h"
#include "tool/files/file.h"
#include "tool/files/path.h"
#include "tool/files/stream.h"
#include "tool/record/recorded.h"
#include "tool/record/log.h"
#include "tool/run/image.h"
#include "tool/run/region.h"
#include "tool/run/this_run.h"
#include "tool/steady/steady.h"

/*--- Options                                              ---*/

static struct {
   Bool         record;
   const HChar* out_file;
   const HChar* replay;
   const HChar* root;         // set before options are read
} opts = { .out_file = RECORD_OUT_FILE };

static const Option options[] = {
   OPTION_BOOL("--record", opts.record,
               "record what a replay needs; other outputs only if they are "
               "asked for"),
   OPTION_TEXT("--record-out-file", opts.out_file, "<file>",
               "write the record to <file>"),
   OPTION_BOOL("--record-large-maps", DCFG_(has_large_maps),
               "put the contents of mapped files above 1 MiB into the record; "
               "no: a replay needs these files"),
   OPTION_TEXT("--replay", opts.replay, "<file>",
               "execute the run of <file> again; no program need be named "
               "[none]"),
   OPTION_TEXT("--replay-root", opts.root, "<dir>",
               "in a replay, read program and libraries below <dir>, where "
               "`dcfg record pack' has copied them [none]"),
   OPTION_BOOL("--replay-output", DCFG_(shows_output),
               "show what the program writes to its standard streams")
};

const Options DCFG_(record_options) = OPTIONS(options);

Bool DCFG_(is_recorded)(void)
{
   return opts.record;
}

/*--- The header                                           ---*/

static HChar* header;         // a replay's
static UInt   header_size;
static ULong  run_length;     // superblocks; 0: not known

static void put_string(XArray* to, const HChar* key, const HChar* value)
{
   VG_(xaprintf)(to, "%s=%s%c", key, value, 0);
}

static void put_number(XArray* to, const HChar* key, ULong n)
{
   VG_(xaprintf)(to, "%s=%llu%c", key, n, 0);
}

/* The bytes of an ELF file's header: removing symbols changes them. */
#define ELF_HEADER 64

/* Return a hash of the tool's code, and so of the core's. */
static const HChar* build_of_tool(void)
{
   static HChar text[20];
   ULong        sum = 0;

   for (const UChar* at = __executable_start + ELF_HEADER; at + 8 <= etext;
        at += 8)
      sum = spool_step(sum, at);
   VG_(sprintf)(text, "%016llx", sum);
   return text;
}

/* Return what the program can see of the processor. */
static const HChar* host_features(void)
{
   static HChar text[256];
   VexArch      arch;
   VexArchInfo  host;

   VG_(machine_get_VexArchInfo)(&arch, &host);
   UInt n = VG_(snprintf)(text, sizeof(text), "%s",
                          LibVEX_ppVexHwCaps(arch, host.hwcaps));
   if (DCFG_(guest).tell_host != NULL && n < sizeof(text))
      DCFG_(guest).tell_host(&host, text + n, sizeof(text) - n);
   return text;
}

/* Return the size of the program's stack, as the core has chosen it. */
static Word stack_size(void)
{
   Word       n = VG_(client_rlimit_stack).rlim_cur;
   const Word least = 1 << 20, most = 16 << 20;

   if (VG_(clo_main_stacksize) > 0)
      return VG_(clo_main_stacksize);
   return n < 0 || n > most ? most : n < least ? least : n;
}

/* Put the arguments and the environment, which are on the stack. */
static void put_words(XArray* to)
{
   HChar** at  = (HChar**)VG_(client_auxv) - 2;
   HChar** env;

   while (at[0] != NULL)
      at--;
   env = at + 1;
   at--;
   while ((UWord)at[-1] > (UWord)(env - 1 - at))
      at--;
   for (; *at != NULL; at++)
      put_string(to, "arg", *at);
   for (; *env != NULL; env++)
      put_string(to, "env", *env);
}

static void put_program(XArray* to)
{
   const NSegment* seg  = VG_(am_find_nsegment)(DCFG_(program_entry)());
   const HChar*    name = seg == NULL ? NULL : VG_(am_get_filename)(seg);
   SysRes          sres = VG_(open)(name == NULL ? "" : name, VKI_O_RDONLY, 0);
   HChar*          build;

   put_string(to, "program", name == NULL ? "" : name);
   if (sr_isError(sres))
      return;
   build = DCFG_(build_of_file)(sr_Res(sres));
   put_string(to, "program-build", build);
   VG_(free)(build);
   VG_(close)(sr_Res(sres));
}

static XArray* make_header(void)
{
   JsonRun run = DCFG_(this_run)();
   XArray* to  = DCFG_NEW_ARRAY("dcfg.record.header", HChar);

   put_string(to, "tool", DCFG_RELEASE);
   put_string(to, "valgrind", DCFG_VALGRIND);
   put_string(to, "tool-build", build_of_tool());
   put_string(to, "platform", VG_PLATFORM_NAME);
   put_string(to, "hwcaps", host_features());
   put_string(to, "cpu", DCFG_(shown_processor)());
   put_program(to);
   put_string(to, "command", run.command_line);
   put_string(to, "directory", run.working_dir);
   put_string(to, "start", run.start);
   put_number(to, "pid", run.pid);
   put_number(to, "parent", run.parent);
   put_string(to, "processor", run.processor);
   put_string(to, "conditions", run.conditions);
   VG_(xaprintf)(to, "option=--vex-guest-max-insns=%d%c",
                 VG_(clo_vex_control).guest_max_insns, 0);
   VG_(xaprintf)(to, "option=--main-stacksize=%ld%c", stack_size(), 0);
   put_words(to);
   return to;
}

/* Return the value of KEY in the header, the N-th from 0, or NULL. */
static const HChar* value_of(const HChar* key, UInt n)
{
   return DCFG_(value_in)(header, header_size, key, n);
}

static const HChar* text_of(const HChar* key)
{
   const HChar* v = value_of(key, 0);
   return v == NULL ? "" : v;
}

/* Return the number that option NAME, with its =, has in the header; or
   OTHERWISE. */
static Long option_of(const HChar* name, Long otherwise)
{
   const HChar* v;

   for (UInt i = 0; (v = value_of("option", i)) != NULL; i++)
      if (VG_(strncmp)(v, name, VG_(strlen)(name)) == 0)
         return VG_(strtoll10)(v + VG_(strlen)(name), NULL);
   return otherwise;
}

/*--- Before the program is mapped                         ---*/

/* Return the value of option NAME, with its =, or NULL. */
static const HChar* early_option(const HChar* name)
{
   const HChar* found = NULL;

   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
      const HChar* arg = *(HChar**)VG_(indexXA)(VG_(args_for_valgrind), i);
      if (VG_(strncmp)(arg, name, VG_(strlen)(name)) == 0)
         found = arg + VG_(strlen)(name);
   }
   return found;
}

/* The command line names no program, so the launcher has taken the tool of the
   first platform.  Start again with the program of the recording in FILE, for the
   launcher to choose. */
static void launch_again(const HChar* file, const IICreateImageInfo* info)
{
   UInt    n = 0;
   HChar** words;

   if (!DCFG_(has_platform)(text_of("platform")))
      DCFG_FAIL("--replay=%s: it was recorded with platform %s, and this "
                "Valgrind is not for it: replay it there\n", file,
                text_of("platform"));
   while (info->argv[n] != NULL)
      n++;
   words = VG_(calloc)("dcfg.record.words", n + 2, sizeof(*words));
   VG_(memcpy)(words, info->argv, n * sizeof(*words));
   words[n] = DCFG_(name_in_root)(text_of("program"));
   DCFG_(launch)(words, info->envp);
}

/* Read the header of FILE, and take the program and its arguments from there if
   the command line has none. */
static void read_header(const HChar* file, const IICreateImageInfo* info)
{
   const HChar* wrong = DCFG_(open_log)(file, &header, &header_size);
   const HChar* arg;

   if (wrong != NULL)
      DCFG_FAIL("--replay=%s: %s\n", file, wrong);
   VG_(clo_main_stacksize) = option_of("--main-stacksize=",
                                       VG_(clo_main_stacksize));
   if (VG_(args_the_exename) != NULL)
      return;
   if (!VG_STREQ(text_of("platform"), VG_PLATFORM_NAME))
      launch_again(file, info);
   VG_(args_the_exename) = DCFG_(name_in_root)(text_of("program"));
   for (UInt i = 1; (arg = value_of("arg", i)) != NULL; i++)
      VG_(addToXA)(VG_(args_for_client), &arg);
}

IIFinaliseImageInfo DCFG_WRAP(VG_(ii_create_image))(IICreateImageInfo info,
                                                    const VexArchInfo* host)
{
   const HChar* file = early_option("--replay=");
   const HChar* root = early_option("--replay-root=");

   if (file != NULL && root != NULL)
      DCFG_(set_replay_root)(root);
   if (file != NULL)
      read_header(file, &info);
   return DCFG_REAL(VG_(ii_create_image))(info, host);
}

/*--- Instructions that ask the machine                    ---*/

static ULong value(ULong (*ask)(void))
{
   ULong v;

   DCFG_(progress).values++;
   if (DCFG_(run_mode) != RunReplayed) {
      v = ask();
      if (DCFG_(run_mode) == RunRecorded)
         DCFG_(log_bytes)(RecValues, &v, sizeof(v));
      return v;
   }
   if (!DCFG_(has_logged)(RecValues))
      DCFG_(diverged)("the program asks the processor for a time or a random "
                      "number, and has not");
   DCFG_(take_bytes)(RecValues, &v, sizeof(v));
   return v;
}

static ULong ticks(void)
{
   return value(DCFG_(guest).ticks);
}

static ULong random_bits(void)
{
   return value(DCFG_(guest).random);
}

/*--- The begin                                            ---*/

/* Choose the file's name, and create it. */
static void create_file(void)
{
   XArray* text = make_header();
   UInt    k    = 1;

   DCFG_(claim_out_file)("--record-out-file", opts.out_file);
   HChar* wanted = DCFG_(path_of_file)("--record-out-file", opts.out_file);
   HChar* path   = wanted;
   if (path == NULL)
      DCFG_FAIL("--record-out-file=%s: this is not a regular file\n",
                opts.out_file);
   while (DCFG_(is_anothers)(path))
      path = DCFG_(name_with_pid)(wanted, VG_(getpid)(), k++);
   Int error = DCFG_(create_log)(path, VG_(indexXA)(text, 0),
                                 VG_(sizeXA)(text));
   if (error != 0)
      DCFG_FAIL("cannot write %s for --record-out-file: %s\n", path,
                DCFG_(error_text)(error));
   DCFG_(note_header)(VG_(indexXA)(text, 0), VG_(sizeXA)(text),
                      opts.out_file);
   DCFG_(record_name) = path;
}

static void fail_by_header(void)
{
   DCFG_FAIL("--replay=%s: its header is damaged\n", opts.replay);
}

/* Exit with a message if KEY of the header is not VALUE. */
static void must_be(const HChar* key, const HChar* value, const HChar* hint)
{
   for (const HChar* at = text_of(key); *at != 0; at++)
      if ((UChar)*at < ' ' || *at == 127)
         fail_by_header();
   if (!VG_STREQ(text_of(key), value))
      DCFG_FAIL("--replay=%s: it was recorded with %s %s, and this is %s: %s\n",
                opts.replay, key, text_of(key), value, hint);
}

/* Let the outputs tell the recorded command. */
static void set_command(void)
{
   const HChar* arg;

   if ((arg = value_of("arg", 0)) != NULL)
      VG_(args_the_exename) = VG_(strdup)("dcfg.record.program", arg);
   VG_(dropTailXA)(VG_(args_for_client), VG_(sizeXA)(VG_(args_for_client)));
   for (UInt i = 1; (arg = value_of("arg", i)) != NULL; i++)
      VG_(addToXA)(VG_(args_for_client), &arg);
}

static void check_header(void)
{
   JsonRun run = {
      VG_(strtoull10)(text_of("pid"), NULL),
      VG_(strtoull10)(text_of("parent"), NULL),
      text_of("command"), text_of("directory"), text_of("start"),
      text_of("tool"), text_of("processor"), "no", text_of("conditions")
   };

   DCFG_(keep_log_open)();
   DCFG_(start_reading)();
   run_length = DCFG_(number_at_end)("superblocks");
   DCFG_(set_run_length)(run_length);
   must_be("platform", VG_PLATFORM_NAME, "replay it there");
   must_be("valgrind", DCFG_VALGRIND, "use that version of Valgrind");
   must_be("tool", DCFG_RELEASE, "use that version of valgrind-dcfg");
   must_be("tool-build", build_of_tool(),
           "use the build that has recorded it, or record again");
   must_be("hwcaps", host_features(),
           DCFG_(guest).n_processors == 0 ? "replay it on such a processor"
           : "replay it on such a processor, or record with --cpu=x86-64-v2");
   must_be("cpu", DCFG_(shown_processor)(), "give the same --cpu");
   VG_(clo_vex_control).guest_max_insns
      = option_of("--vex-guest-max-insns=",
                  VG_(clo_vex_control).guest_max_insns);
   if (VG_(clo_vex_control).guest_max_insns < 1
       || VG_(clo_vex_control).guest_max_insns > 100)
      fail_by_header();
   DCFG_(note_replayed)(&run, header, header_size);
   set_command();
}

static void refuse_processor(void)
{
   DCFG_FAIL("--record and --replay are not for programs of this processor\n");
}

static void fail_at_begin(void)
{
   DCFG_(cannot_replay)("it is cut or damaged before the program begins");
}

void DCFG_(prepare_replay)(void (*finish)(void))
{
   if (opts.replay == NULL)
      return;
   if (DCFG_(guest).calls == NULL)
      refuse_processor();
   DCFG_(record_name)    = opts.replay;
   DCFG_(finish_outputs) = finish;
   DCFG_(log_ended)      = fail_at_begin;
   check_header();
   DCFG_(take_initial)();
   DCFG_(log_ended) = DCFG_(stop_at_end);
}

void DCFG_(start_record)(void)
{
   if (!opts.record && opts.replay == NULL)
      return;
   if (DCFG_(guest).calls == NULL)
      refuse_processor();
   if (opts.record && opts.replay != NULL)
      DCFG_FAIL("--record=yes and --replay cannot be used together: copy the "
                "record\n");
   if (!VG_STREQ(DCFG_(steady_words)(), "no"))
      DCFG_FAIL("--deterministic cannot be used with --record=yes or --replay: a "
                "replay has no differences\n");
   if (opts.record)
      create_file();
   DCFG_(count_all)();
   DCFG_(compare_in_exclusives)();
   DCFG_(answer_with)(ticks, random_bits, value);
   DCFG_(start_schedule)(DCFG_(log_begun), DCFG_(log_fatal));
   DCFG_(start_calls)();
   DCFG_(start_signals)();
}

/* The program begins with its first thread. */
VgSchedReturnCode DCFG_WRAP(VG_(scheduler))(ThreadId tid)
{
   static Bool has_begun;

   if (!has_begun && opts.record) {
      DCFG_(run_mode) = RunRecorded;
      DCFG_(log_initial)();
   } else if (!has_begun && opts.replay != NULL) {
      DCFG_(run_mode) = RunReplayed;
      DCFG_(set_first_registers)();
      if (value_of("fork", 0) == NULL)
         DCFG_(start_checkpoints)(run_length, spool_sum((const UChar*)header,
                                                        header_size));
   }
   has_begun = True;
   return DCFG_REAL(VG_(scheduler))(tid);
}

/*--- The end                                              ---*/

void DCFG_(end_record)(void)
{
   Int signo = DCFG_(fatal_signal)();

   if (opts.replay != NULL) {
      if (DCFG_(run_mode) == RunReplayed && DCFG_(due)() != EvEnd)
         DCFG_(diverged)("the program ends, and went on");
      DCFG_(run_mode) = RunFree;
      DCFG_(tell_replayed)();
   }
   if (!opts.record || DCFG_(record_name) == NULL)
      return;
   if (DCFG_(run_mode) == RunRecorded)
      DCFG_(log_event)(EvEnd, VG_(get_running_tid)());
   DCFG_(run_mode) = RunFree;
   DCFG_(log_totals)(signo != 0 ? "signal" : "exit",
                     signo != 0 ? signo : DCFG_(exit_status)(), NULL);
   DCFG_(tell_written)();
   DCFG_(drop_log)();
}

void DCFG_(note_child)(void)
{
   if (!VG_(clo_trace_children))
      DCFG_(progress).children++;
}
