/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg wet: prints a whole execution trace, or what its file says of the process. */

/* Owns: the subcommand wet: the selection of instances, the last dependences
   (--history), the text of --info.  Handed: a command line.

   The library selects instructions, threads and times, so it need not decode other
   chunks; instances are selected here.  Without --history, wet_text.c collects what
   is selected and writes it instruction by instruction. */

#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/commands.h"
#include "cmd/program/recording.h"
#include "cmd/wet/wet_views.h"
#include "lib/dcfg_wet.h"

#include <errno.h>
#include <unistd.h>

/*--- What the file says: --info                           ---*/

/* Put a line. */
static void put(Put* out, const char* what, const char* text)
{
   DCFG_(put_text)(out, text_format("%-10s  %s\n", what, text));
   text_forget();
}

/* Return the name of IMAGE, by its number. */
static const char* name_of_image(DcfgWet* w, uint32_t image)
{
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image == image && in->image_name != NULL)
         return text_clean(in->image_name);
   }
   return "not known";
}

/* Return which image is the program, and where it was loaded. */
static const char* program_text(DcfgWet* w, const DcfgWetState* s)
{
   const char* name;

   if (s->program == DCFG_NONE)
      return "not executed";
   name = name_of_image(w, s->program);
   return s->load_bias == 0
          ? text_format("%s, at the addresses in its file", name)
          : text_format("%s, 0x%" PRIx64 " above the addresses in its file",
                        name, s->load_bias);
}

/* Return the number and the name of SIGNAL. */
static const char* signal_text(uint32_t signal)
{
   const char* name = signal < 65 ? strsignal((int)signal) : NULL;

   return text_format("%" PRIu32 "%s%s%s", signal, name == NULL ? "" : " (",
                      name == NULL ? "" : name, name == NULL ? "" : ")");
}

static const char* end_text(const DcfgWet* w, const DcfgWetState* s)
{
   if (dcfg_wet_ends_early(w))
      return "the file ends early";
   switch (s->end) {
      case DCFG_WET_END_EXIT:
         return text_format("exit status %" PRIu32, s->status);
      case DCFG_WET_END_SIGNAL:
         return text_format("signal %s", signal_text(s->status));
      case DCFG_WET_END_EXEC:
         return "before execve";
      default:
         return "the run went on";
   }
}

static uint64_t size_of_contents(const DcfgWetState* s)
{
   uint64_t n = 0;

   for (uint32_t i = 0; i < s->n_contents; i++)
      n += s->contents[i].size;
   return n;
}

static void put_state(DcfgWet* w, const DcfgWetState* s, Put* out)
{
   put(out, "end", end_text(w, s));
   if (!s->known) {
      put(out, "begin", "not known");
      return;
   }
   put(out, "process", text_format("%" PRIu64, s->pid));
   put(out, "program", program_text(w, s));
   for (uint32_t i = 0; i < s->n_threads; i++)
      put(out, "begin", text_format("thread %" PRIu32 " (%" PRIu64
                                    "): %" PRIu32 " registers",
                                    s->threads[i].thread, s->threads[i].tid,
                                    s->threads[i].n_registers));
   put(out, "mappings", text_count(s->n_mappings));
   put(out, "stacks", text_format("%s bytes",
                                  text_count(size_of_contents(s))));
}

/* Write what the file of W has, and what it says of the process, to OUT. */
static void wet_info(DcfgWet* w, Put* out)
{
   const DcfgRun* run = dcfg_wet_run(w);
   uint64_t       n = 0;

   for (uint32_t t = 0; t < dcfg_wet_threads(w); t++)
      n += dcfg_wet_executed(w, t);
   if (run != NULL) {
      put(out, "command", text_clean(run->command_line));
      put(out, "recorded", run_surroundings(run));
   }
   put(out, "version", text_format("%" PRIu32, dcfg_wet_version(w)));
   put(out, "executed", text_format("%s instructions, %" PRIu32 " thread%s%s",
                                    text_count(n), dcfg_wet_threads(w),
                                    dcfg_wet_threads(w) == 1 ? "" : "s",
                                    dcfg_wet_is_window(w)
                                    ? "; the run's begin is not in the file"
                                    : ""));
   put_state(w, dcfg_wet_state(w), out);
}

/*--- The filter                                           ---*/

#define DEFAULT_LIMIT   UINT64_C(1000000000)
#define DEFAULT_HISTORY 100000

/* Range: numbers from .low to .high. */
typedef
   struct {
      uint64_t low, high;
   }
   Range;

typedef
   struct {
      const char* image;        // NULL: all; likewise below
      const char* function;
      char*       source;
      Range       lines, instances, time;
      uint64_t    thread;
      bool*       instrs;       // for each instruction: is it selected?
   }
   Filter;

/*--- Selection                                            ---*/

/* Return how well the image of instruction I matches. */
static PathFit fit_of(const Filter* f, DcfgWet* w, uint32_t i,
                      const char* program)
{
   const char* name = dcfg_wet_instr(w, i)->image_name;

   return name == NULL ? FIT_NOT : path_fit(name, f->image, program);
}

/* Read "LOW-HIGH" or "LOW". */
static Range range_value(const char* option, const char* text)
{
   Range r;

   if (!is_range(text, &r.low, &r.high))
      die("--%s: `%s' is no range: LOW-HIGH or one number", option, text);
   return r;
}

/* Read "FILE:LINE", "FILE:LINE-LINE" or "FILE". */
static void read_source(Filter* f, const char* text)
{
   const char* colon = strrchr(text, ':');

   f->source = text_copy(text);
   f->lines  = (Range){ 0, UINT64_MAX };
   if (colon == NULL)
      return;
   f->source[colon - text] = 0;
   f->lines = range_value("source", colon + 1);
}

static const char* nearest_names(const Filter* f, DcfgWet* w)
{
   Nearest image = nearest_to(f->image != NULL ? f->image : "");
   Nearest function = nearest_to(f->function != NULL ? f->function : "");

   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image_name != NULL)
         offer_image(&image, text_clean(in->image_name));
      if (in->function != NULL && f->function != NULL)
         offer_function(&function, text_brief(text_clean(
                                      text_demangle(in->function))));
   }
   return text_format("%s%s", nearest_text(&image), nearest_text(&function));
}

static void choose_instrs(Filter* f, DcfgWet* w)
{
   uint32_t    n = dcfg_wet_instrs(w), found = 0;
   PathFit     best = FIT_PART;
   const char* program = f->image == NULL ? NULL : wet_program(w);

   f->instrs = zalloc(n + (size_t)1, sizeof(bool));
   for (uint32_t i = 0; f->image != NULL && i < n && best < FIT_ALL; i++)
      if (fit_of(f, w, i, program) > best)
         best = fit_of(f, w, i, program);
   for (uint32_t i = 0; i < n; i++) {
      bool                there = f->image == NULL
                                  || fit_of(f, w, i, program) == best;
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      f->instrs[i] = there
                     && (f->function == NULL
                         || (in->function != NULL
                             && function_is(in->function, f->function)))
                     && (f->source == NULL
                         || (text_ends_path(in->source, f->source,
                                        strlen(f->source))
                             && in->line >= f->lines.low
                             && in->line <= f->lines.high));
      found += f->instrs[i];
      if (i % 1024 == 0)
         text_forget();
   }
   if (found == 0 && n > 0)
      die("no instruction that ran has that image, function and source%s",
          nearest_names(f, w));
}

/* Select instructions, threads and times in the library; it cannot select
   instances. */
static void select_instrs(const Filter* f, DcfgWetEvents* v)
{
   uint32_t      thread = f->thread == UINT64_MAX ? DCFG_NONE
                                                  : (uint32_t)f->thread;
   DcfgWetFilter wanted = { f->instrs, thread, f->time.low, f->time.high };
   DcfgError     err;

   need_file(dcfg_wet_select(v, &wanted, &err), &err, KIND_WET);
}

/*--- The last dependences                                 ---*/

typedef
   struct {
      DcfgWetDep from, on;
   }
   Dependence;

typedef
   struct {
      Dependence* all;
      uint64_t    room, n;      // .n counts all that there ever were
      bool        is_window;    // report values without a writer?
   }
   History;

/* In place of an instruction: the value was written before the window, or by no
   instruction. */
#define OUTSIDE DCFG_NONE

static void remember(History* h, const DcfgWetEvent* e)
{
   DcfgWetDep me = { e->instr, e->instance };

   for (uint32_t i = 0; i < e->n_ports; i++) {
      for (uint32_t k = 0; k < e->ports[i].n; k++)
         h->all[h->n++ % h->room]
            = (Dependence){ me, e->deps[e->ports[i].first + k] };
      if (h->is_window && e->ports[i].n == 0)
         h->all[h->n++ % h->room] = (Dependence){ me, { OUTSIDE, 0 } };
   }
}

/* Write D's instance at AT.  Return the end. */
static char* put_instance(char* at, DcfgWet* w, DcfgWetDep d)
{
   memcpy(at, "0x", 2);
   at = put_hexadecimal(at + 2, dcfg_wet_instr(w, d.instr)->addr);
   *at++ = '#';
   return put_decimal(at, d.instance);
}

static void put_history(const History* h, DcfgWet* w, Put* out)
{
   for (uint64_t i = h->n > h->room ? h->n - h->room : 0; i < h->n; i++) {
      const Dependence* d = &h->all[i % h->room];
      char* at = put_instance(DCFG_(put_room)(out, 100), w, d->from);
      memcpy(at, " --> ", 5);
      at += 5;
      at = d->on.instr == OUTSIDE ? stpcpy(at, "before the window or nobody")
                                  : put_instance(at, w, d->on);
      *at++ = '\n';
      DCFG_(put_up_to)(out, at);
   }
}

/*--- The file of the text                                 ---*/

/* TextFile: text goes to the descriptor FD without stdio, which is slower. */
typedef
   struct {
      Put         put;
      const char* path;         // NULL: the standard output
      int         fd;
   }
   TextFile;

static void write_text(void* file, const char* text, unsigned n)
{
   const TextFile* f = file;

   for (ssize_t some; n > 0; n -= (unsigned)some) {
      some = write(f->fd, text, n);
      if (some < 0 && errno != EINTR)
         write_failed(f->path);
      some = some < 0 ? 0 : some;
      text += some;
   }
}

/* Open PATH as open_result() does; NULL: the standard output. */
static Put* open_file(const char* path)
{
   TextFile* f = zalloc(1, sizeof(*f));

   f->path = path;
   f->fd = path == NULL ? STDOUT_FILENO : fileno(open_result(path));
   DCFG_(start_put)(&f->put, write_text, f);
   return &f->put;
}

static void close_file(Put* out)
{
   DCFG_(put_flush)(out);
   close_results();
   free(out->arg);
}

/*--- The command line                                     ---*/

/* Write what the trace PATH has to the file TO. */
static void show_info(const char* path, const char* to)
{
   DcfgWet* w = load_wet(path);
   Put* out = open_file(to);

   wet_info(w, out);
   close_file(out);
   dcfg_wet_close(w);
}

/* Return the events of W, the trace at PATH, with control. */
static DcfgWetEvents* open_events(DcfgWet* w, const char* path)
{
   DcfgError      err;
   DcfgWetEvents* v = load_events(w, NULL);

   need_file(dcfg_wet_find_control(v, &err), &err, KIND_WET);
   if (dcfg_wet_ends_early(w))
      complain("%s ends early: the recorder could not write the end of the run",
               path);
   if (dcfg_wet_is_window(w))
      complain("%s has only the end of the run: sources from before it are "
               "left out (--history names what they wrote)", path);
   return v;
}

/* Read a size in bytes, with a suffix as in 2G. */
static uint64_t limit_value(const char* text)
{
   static const char suffixes[] = "kMGT";
   uint64_t          unit = 1;
   const char*       end;
   uint64_t          n;
   bool              good = take_number(text, 10, &n, &end);

   if (good && *end != 0 && strchr(suffixes, *end) != NULL)
      for (const char* s = suffixes; unit *= 1000, *s++ != *end; )
         ;
   if (!good || end[unit > 1] != 0 || n > UINT64_MAX / unit)
      die("--limit: `%s' is no size: give bytes, or such as 500M or 20G", text);
   return n * unit;
}

static void show(DcfgWet* w, DcfgWetEvents* v, const Filter* f, History* h,
                 uint64_t limit, const char* path)
{
   WetText*     t = h->room > 0 ? NULL : wet_text_new(w, limit);
   DcfgWetEvent e;
   DcfgError    err;
   Put*         out;

   while (dcfg_wet_next(v, &e, &err)) {
      if (e.kind != DCFG_WET_INSTR || e.instance < f->instances.low
          || e.instance > f->instances.high)
         continue;
      if (t != NULL)
         wet_text_add(t, &e);
      else
         remember(h, &e);
   }
   need_file(err.status == DCFG_OK, &err, KIND_WET);
   out = open_file(path);
   if (t != NULL) {
      wet_text_write(t, out);
      wet_text_free(t);
   } else {
      put_history(h, w, out);
   }
   close_file(out);
}

/* Return a history of N dependences, or of as many as is usual if N is
   NO_VALUE. */
static History history_of(uint64_t n)
{
   History h = { .room = n == NO_VALUE ? DEFAULT_HISTORY : n };

   if (h.room == 0 || h.room > SIZE_MAX / sizeof(Dependence))
      die("--history=%" PRIu64 ": give a smaller number, from 1", h.room);
   h.all = zalloc(h.room, sizeof(Dependence));
   return h;
}

static void need_thread_in(DcfgWet* w, uint64_t thread)
{
   if (thread != UINT64_MAX && thread >= dcfg_wet_threads(w))
      die("there is no thread %" PRIu64 ": the file has %" PRIu32
          ", counted from 0", thread, dcfg_wet_threads(w));
}

static int run(int argc, char** argv)
{
   Filter      f = { .instances = { 0, UINT64_MAX },
                     .time = { 0, UINT64_MAX }, .thread = UINT64_MAX };
   uint64_t    history = NOT_GIVEN;
   const char* source = NULL;
   const char* instances = NULL;
   const char* limit = NULL;
   const char* path = NULL;
   bool        info = false;
   bool        salvage = false;
   const Opt   opts[] = {
      { "info", OPT_FLAG, &info, NULL,
        "instead what the file has, where the process began and how it ended" },
      { "history", OPT_COUNT_OR_NOT, &history, "N",
        "print the last N dependences instead, one a line, in their order: "
        "ADDRESS#INSTANCE --> ADDRESS#INSTANCE [100000]" },
      { "image", OPT_TEXT, &f.image, "PATTERN",
        "only instructions of this image, as of dcfg report" },
      { "function", OPT_TEXT, &f.function, "NAME", "only of this function" },
      { "source", OPT_TEXT, &source, "FILE[:LINE[-LINE]]",
        "only of these lines" },
      { "thread", OPT_COUNT, &f.thread, "N",
        "only what thread N did, counted from 0" },
      { "from", OPT_COUNT, &f.time.low, "INSTR", NULL },
      { "to", OPT_COUNT, &f.time.high, "INSTR",
        "only instances from and to these instructions, counted over all "
        "threads" },
      { "instances", OPT_TEXT, &instances, "LOW-HIGH",
        "only these instances, from 0" },
      { "limit", OPT_TEXT, &limit, "SIZE",
        "refuse text of more than SIZE bytes, as 20G; 0: none [1G]" },
      { "o", OPT_TEXT, &path, "FILE",
        "write to FILE, through the compressor of its suffix: .gz, .bz2, .xz, "
        ".zst" },
      { "salvage", OPT_FLAG, &salvage, NULL,
        "with -o FILE: make a trace, which ends early, from the temporary file "
        "that a killed program left" }
   };
   const char* files[1];
   int         n;
   bool        chosen;
   History     h = { 0 };
   DcfgWet*    w;
   DcfgWetEvents* v;

   n = parse_args(&wet_command, OPTS(opts), argc, argv, files, 0, 1);
   if (salvage && n == 0)
      die("name the temporary file that the killed program left: --salvage "
          "reads it");
   if (n == 0)
      files[0] = default_file(&wet_command, KIND_WET);
   chosen = source != NULL || instances != NULL || limit != NULL
            || history != NOT_GIVEN || f.image != NULL || f.function != NULL
            || f.thread != UINT64_MAX || f.time.low != 0
            || f.time.high != UINT64_MAX;
   if (salvage) {
      if (path == NULL || chosen || info)
         die("--salvage needs -o FILE, and no other option");
      wet_salvage(files[0], path);
      return STATUS_OK;
   }
   if (info && chosen)
      die("--info is about the whole file: it goes with -o FILE, and no other "
          "option");
   if (info) {
      show_info(files[0], path);
      return STATUS_OK;
   }
   if (source != NULL)
      read_source(&f, source);
   if (instances != NULL)
      f.instances = range_value("instances", instances);
   uint64_t most = limit == NULL ? DEFAULT_LIMIT : limit_value(limit);
   if (history != NOT_GIVEN)
      h = history_of(history);
   w = load_wet(files[0]);
   v = open_events(w, files[0]);
   h.is_window = dcfg_wet_is_window(w);
   need_thread_in(w, f.thread);
   choose_instrs(&f, w);
   select_instrs(&f, v);
   show(w, v, &f, &h, most, path);
   dcfg_wet_events_free(v);
   dcfg_wet_close(w);
   FREE_ALL(f.instrs, f.source, h.all);
   return STATUS_OK;
}

const Command wet_command = {
   "wet", "[FILE]", "who wrote what each instance of an instruction used",
   "Prints a whole execution trace, which --wet=yes writes.  For each\n"
   "instance of each instruction, it names the branch that let the instance\n"
   "run, and the instance that wrote each value which it used.  The text has\n"
   "the form of WET:\n"
   "\n"
   "  N                                  number of instructions\n"
   "  ID PORTS ADDRESS FILE FUNCTION LINE\n"
   "  SIZE M                             for each port: M lines follow\n"
   "      X:ID Y                         instance X depends on Y of ID\n"
   "  NO VALUES                          or VALUES N, and lines X:VALUE\n"
   "\n"
   "The first port is control.  Then there is a port for each general\n"
   "register, flags, vector registers, x87, and each operand in memory.\n",
   "\n"
   "What is left out but depended on has its line and no instances.\n"
   "\n"
   "examples:\n"
   "  dcfg wet --source=foo1.c:8 wet.out.4711\n"
   "  dcfg wet --image=foo1 -o foo1.wet.xz wet.out.4711\n"
   "  dcfg wet --history=20 wet.out.4711\n"
   "  dcfg wet --info wet.out.4711\n"
   "  dcfg wet --salvage -o part.wet wet.out.4711.tmp-3d0c7ae2b0f1\n",
   run
};
