/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the Callgrind profile. */

/* Owns: the options of a profile, the text that KCachegrind and
   callgrind_annotate read, and the steps from counts to a file, or to a file
   for each thread.  Handed: the run by tool/run/gather.c, calls by
   tool/calls/stack.c, the costs and calls of each context by
   tool/profile/costs.c.

   The format, and the meaning of the numbers, are Callgrind's (its manual,
   "Callgrind Format Specification").  Each context has cost lines by address.
   Calls and jumps stand among them, after the line that they come from. */

#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"
#include "format/put.h"
#include "format/release.h"
#include "tool/calls/calls.h"
#include "tool/calls/follow.h"
#include "tool/calls/stack.h"
#include "tool/dcfg_output.h"
#include "tool/files/file.h"
#include "tool/graph/graph.h"
#include "tool/profile/profile.h"
#include "tool/run/gather.h"
#include "tool/run/image.h"
#include "tool/run/thread.h"

/*--- The format                                           ---*/

/* ProfileFormat: Callgrind's options of these names.  .dump_line or .dump_instr
   is set. */
typedef
   struct {
      Bool dump_line;
      Bool dump_instr;
      Bool compress_strings;
      Bool compress_pos;
   }
   ProfileFormat;

/* NameNumber: a name and its number in the file. */
typedef
   struct _NameNumber {
      struct _NameNumber* hash_next;
      UWord               hash_key;    // the name's address
      UInt                number;
   }
   NameNumber;

/* Origin: where an instruction comes from. */
typedef
   struct {
      ULong        addr;          // address as linked
      const HChar* file;
      UInt         line;          // 0: not known
   }
   Origin;

/* ProfileWriter: the state of writing a file. */
typedef
   struct {
      const ProfileFormat* opts;
      const Gathered*  p;
      const Costs*     costs;
      const ImageInfo* images;
      Put*             out;
      VgHashTable*     objects;     // NameNumber
      VgHashTable*     files;       // NameNumber
      UInt*            fn_numbers;  // for each context; 0: none yet
      UInt             n_fns;
      const HChar*     object;      // the last one written
      const HChar*     file;
      Origin           last;        // the last position; zeros: none
   }
   ProfileWriter;

/*--- Names                                                ---*/

static void text(ProfileWriter* w, const HChar* s)
{
   DCFG_(put_text)(w->out, s);
}

static void number(ProfileWriter* w, ULong n)
{
   DCFG_(put_number)(w->out, n);
}

/* Write TAG=(NUMBER) NAME, with the name only the first time; or TAG=NAME. */
static void name_line(ProfileWriter* w, const HChar* tag, VgHashTable* numbers,
                      const HChar* name)
{
   text(w, tag);
   if (w->opts->compress_strings) {
      NameNumber* n = VG_(HT_lookup)(numbers, (UWord)name);
      Bool is_new   = n == NULL;
      if (is_new) {
         n = VG_(malloc)("dcfg.callgrind.name", sizeof(*n));
         n->hash_key = (UWord)name;
         n->number   = VG_(HT_count_nodes)(numbers) + 1;
         VG_(HT_add_node)(numbers, n);
      }
      text(w, "(");
      number(w, n->number);
      text(w, is_new ? ") " : ")");
      if (!is_new)
         name = "";
   }
   text(w, name);
   text(w, "\n");
}

static void function_line(ProfileWriter* w, const HChar* tag, UInt context)
{
   const Function* fn  = DCFG_(function)(DCFG_CONTEXT_FUNCTION(context));
   Bool            new = w->fn_numbers[context] == 0;

   text(w, tag);
   if (w->opts->compress_strings) {
      if (new)
         w->fn_numbers[context] = ++w->n_fns;
      text(w, "(");
      number(w, w->fn_numbers[context]);
      text(w, new ? ") " : ")");
   }
   if (new || !w->opts->compress_strings) {
      text(w, fn->name);
      if (DCFG_CONTEXT_IS_NESTED(context))
         text(w, "'2");
   }
   text(w, "\n");
}

static void object_line(ProfileWriter* w, const HChar* tag, const HChar* object)
{
   name_line(w, tag, w->objects, object);
}

static void file_line(ProfileWriter* w, const HChar* tag, const HChar* file)
{
   name_line(w, tag, w->files, file);
}

/*--- Positions                                            ---*/

/* Return the source line of the code at A, and its address as linked.  The file
   is HOME if debug information has none. */
static Origin origin_at(const ImageInfo* im, Addr a, const Place* at,
                        const HChar* home)
{
   const ImageLine* l = DCFG_(line_at)(im, a);

   if (l == NULL)
      return (Origin){ a - at->bias, home, 0 };
   return (Origin){ a - at->bias, DCFG_(source_file_name)(l->file), l->line };
}

static Origin origin_of(const ProfileWriter* w, UInt instr, const HChar* home)
{
   const Instr* in = &w->p->instrs[instr];

   return origin_at(&w->images[in->image], in->addr,
                    DCFG_(place_of_instr)(w->costs, instr), home);
}

/* Write N, or its difference from LAST if that is short. */
static void subposition(ProfileWriter* w, ULong n, ULong last, Bool hex)
{
   Long  diff = n - last;
   HChar buf[32];

   if (!w->opts->compress_pos || last == 0 || diff <= -100 || diff >= 100)
      VG_(sprintf)(buf, hex ? "%#llx " : "%llu ", n);
   else if (diff == 0)
      VG_(sprintf)(buf, "* ");
   else
      VG_(sprintf)(buf, "%s%lld ", diff > 0 ? "+" : "", diff);
   text(w, buf);
}

static void position(ProfileWriter* w, const Origin* o)
{
   if (w->opts->dump_instr)
      subposition(w, o->addr, w->last.addr, True);
   if (w->opts->dump_line)
      subposition(w, o->line, w->last.line, False);
}

/* Write the file of the next lines, in a function from HOME, if it changes. */
static void switch_file(ProfileWriter* w, const HChar* file, const HChar* home)
{
   if (file == w->file)
      return;
   file_line(w, file == home ? "fe=" : "fi=", file);
   w->file = file;
}

/* Write a cost line for N at O. */
static void cost_line(ProfileWriter* w, const Origin* o, ULong n)
{
   position(w, o);
   number(w, n);
   text(w, "\n");
   w->last = *o;
}

/*--- A context                                            ---*/

/* Return the origin of a call by an instruction that did not run in this part
   of the run. */
static Origin origin_of_earlier(const Call* call, const HChar* home)
{
   ImageInfo im;

   if (call->sb == NULL)
      return (Origin){ 0, home, 0 };
   DCFG_(image_info)(call->sb->image, True, &im);
   return origin_at(&im, DCFG_(instr_addr)(call->sb, call->instr),
                    DCFG_(call_fields)(call->sb)->place, home);
}

static void call_lines(ProfileWriter* w, const Function* fn,
                       const CostedCall* c)
{
   const Call*     call = c->call;
   Origin          from = c->instr == DCFG_NO_INSTR
                          ? origin_of_earlier(call, fn->file)
                          : origin_of(w, c->instr, fn->file);

   /* A call of a stub: its cost is the caller's own. */
   if (call->to == NULL) {
      switch_file(w, from.file, fn->file);
      cost_line(w, &from, call->cost);
      return;
   }
   const Function* to = DCFG_(function)(call->to->function);
   Origin          o  = { call->to->hash_key - call->to->bias, to->file,
                          call->to->line };
   if (call->sb == NULL) {
      from.addr = call->from->hash_key - call->from->bias;
      from.file = fn->file;
      from.line = call->from->line;
   }
   switch_file(w, from.file, fn->file);
   if (to->object != fn->object)
      object_line(w, "cob=", to->object);
   if (to->file != w->file)
      file_line(w, "cfi=", to->file);
   function_line(w, "cfn=", call->to_context);
   text(w, "calls=");
   number(w, call->count);
   text(w, " ");
   position(w, &o);
   text(w, "\n");
   cost_line(w, &from, call->cost);
}

static void jump_lines(ProfileWriter* w, const Function* fn, const Jump* j)
{
   Origin from = origin_of(w, j->from, fn->file);
   Origin to   = origin_of(w, j->to, from.file);

   /* Without instructions, and without a line of the callee, the target is
      unknown. */
   if (!w->opts->dump_instr && to.line == 0)
      return;
   switch_file(w, from.file, fn->file);
   if (to.file != w->file)
      file_line(w, "jfi=", to.file);
   text(w, j->is_conditional ? "jcnd=" : "jump=");
   number(w, j->count);
   if (j->is_conditional) {
      text(w, "/");
      number(w, j->executed);
   }
   text(w, " ");
   position(w, &to);
   text(w, "\n");
   position(w, &from);
   text(w, "\n");
   w->last = from;
}

/* Pending: costs of one position that are not written yet. */
typedef
   struct {
      Origin at;
      ULong  sum;      // 0: none
   }
   Pending;

static void write_pending(ProfileWriter* w, const Function* fn,
                          Pending* pending)
{
   if (pending->sum == 0)
      return;
   switch_file(w, pending->at.file, fn->file);
   cost_line(w, &pending->at, pending->sum);
   pending->sum = 0;
}

/* Write the costs of lines, or of instructions if these are wanted.  After
   each, write the calls and jumps from there. */
static void body(ProfileWriter* w, const Function* fn, const ContextCosts* cc)
{
   Pending pending = { { 0, NULL, 0 }, 0 };
   UInt    call = 0, jump = 0;

   for (UInt i = 0; i <= cc->n_costs; i++) {
      UInt instr = DCFG_NO_INSTR;
      if (i < cc->n_costs) {
         instr    = cc->costs[i].instr;
         Origin o = origin_of(w, instr, fn->file);
         if (w->opts->dump_instr || o.line != pending.at.line
             || o.file != pending.at.file)
            write_pending(w, fn, &pending);
         if (pending.sum == 0)
            pending.at = o;
         pending.sum += cc->costs[i].count;
      }
      if (i == cc->n_costs
          || (call < cc->n_calls && cc->calls[call].instr <= instr)
          || (jump < cc->n_jumps && cc->jumps[jump].from <= instr))
         write_pending(w, fn, &pending);
      for (; call < cc->n_calls && cc->calls[call].instr <= instr; call++)
         call_lines(w, fn, &cc->calls[call]);
      for (; jump < cc->n_jumps && cc->jumps[jump].from <= instr; jump++)
         jump_lines(w, fn, &cc->jumps[jump]);
   }
}

static void write_context(ProfileWriter* w, const ContextCosts* cc)
{
   const Function* fn
      = DCFG_(function)(DCFG_CONTEXT_FUNCTION(cc->context));

   VG_(memset)(&w->last, 0, sizeof(w->last));
   if (fn->object != w->object)
      object_line(w, "ob=", fn->object);
   if (fn->file != w->file)
      file_line(w, "fl=", fn->file);
   w->object = fn->object;
   w->file   = fn->file;
   function_line(w, "fn=", cc->context);
   body(w, fn, cc);
   switch_file(w, fn->file, fn->file);
   text(w, "\n");
}

/*--- A file                                               ---*/

/* Write the program and its arguments in one line. */
static void command(ProfileWriter* w)
{
   text(w, VG_(args_the_exename));
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
      const HChar* arg = *(HChar**)VG_(indexXA)(VG_(args_for_client), i);
      text(w, " ");
      for (; *arg != 0; arg++)
         if (*arg == '\n')
            text(w, "\\n");
         else if (*arg == '\\')
            text(w, "\\\\");
         else
            DCFG_(put_char)(w->out, *arg);
   }
}

/* Write the header.  THREAD is counted from 1; 0: all threads. */
static void header(ProfileWriter* w, const Costs* costs, const HChar* trigger,
                   UInt thread)
{
   HChar buf[128];

   text(w, "# callgrind format\nversion: 1\n");
   VG_(sprintf)(buf, "creator: dcfg-" DCFG_RELEASE "\npid: %d\ncmd:  ",
                VG_(getpid)());
   text(w, buf);
   command(w);
   VG_(sprintf)(buf, "\npart: %u\n", w->p->part);
   text(w, buf);
   if (thread > 0) {
      VG_(sprintf)(buf, "thread: %u\n", thread);
      text(w, buf);
   }
   VG_(sprintf)(buf, "\n\ndesc: Timerange: Basic block 0 - %llu\n"
                "desc: Trigger: ", DCFG_(total_runs)(costs));
   text(w, buf);
   text(w, trigger);
   VG_(sprintf)(buf, "\n\npositions:%s%s\nevents: Ir\nsummary: %llu\n\n\n",
                w->opts->dump_instr ? " instr" : "",
                w->opts->dump_line ? " line" : "", DCFG_(total_cost)(costs));
   text(w, buf);
}

/* Write to OUT the costs COSTS of the run GATHERED with IMAGES.  TRIGGER is the
   reason for the dump.  THREAD is counted from 1; 0: all threads. */
static void write_profile(Put* out, const ProfileFormat* format,
                          const Gathered* gathered, const ImageInfo* images,
                          Costs* costs, const HChar* trigger, UInt thread)
{
   UInt         n = DCFG_CONTEXT(DCFG_(n_functions)() + 1, 0);
   ProfileWriter       writer, *w = &writer;
   ContextCosts cc;

   VG_(memset)(w, 0, sizeof(*w));
   w->out        = out;
   w->opts       = format;
   w->p          = gathered;
   w->images     = images;
   w->costs      = costs;
   w->objects    = VG_(HT_construct)("dcfg.callgrind.objects");
   w->files      = VG_(HT_construct)("dcfg.callgrind.files");
   w->fn_numbers = VG_(calloc)("dcfg.callgrind.fns", n, sizeof(UInt));
   header(w, costs, trigger, thread);
   while (DCFG_(next_costs)(costs, &cc))
      write_context(w, &cc);
   text(w, "totals: ");
   number(w, DCFG_(total_cost)(costs));
   text(w, "\n");
   DCFG_(put_flush)(w->out);
   VG_(HT_destruct)(w->objects, VG_(free));
   VG_(HT_destruct)(w->files, VG_(free));
   VG_(free)(w->fn_numbers);
}

/*--- Options                                              ---*/

static struct {
   Bool          on;
   const HChar*  out_file;
   ProfileFormat format;
   Bool          collect_jumps;
   Bool          separate_threads;
} opts = {
   .on               = False,
   .out_file         = "callgrind.out.%p",
   .format           = {
      .dump_line        = True,
      .dump_instr       = False,
      .compress_strings = True,
      .compress_pos     = True
   },
   .collect_jumps    = False,
   .separate_threads = False
};

static const Option options[] = {
   OPTION_BOOL("--callgrind", opts.on, "also write a Callgrind profile"),
   OPTION_TEXT("--callgrind-out-file", opts.out_file, "<file>",
               "write the profile to <file>"),
   OPTION_BOOL("--dump-line", opts.format.dump_line,
               "profile: add costs of source lines"),
   OPTION_BOOL("--dump-instr", opts.format.dump_instr,
               "profile: add costs of instructions"),
   OPTION_BOOL("--collect-jumps", opts.collect_jumps, "profile: add jumps"),
   OPTION_BOOL("--compress-strings", opts.format.compress_strings,
               "profile: compress names"),
   OPTION_BOOL("--compress-pos", opts.format.compress_pos,
               "profile: compress positions"),
   OPTION_BOOL("--separate-threads", opts.separate_threads,
               "profile: write one file for each thread")
};

static Bool start(void)
{
   if (!opts.on)
      return False;
   DCFG_(claim_out_file)("--callgrind-out-file", opts.out_file);
   if (!opts.format.dump_line && !opts.format.dump_instr) {
      DCFG_(remark)("dcfg: --dump-line=no is ignored: without lines, a profile "
                    "needs --dump-instr=yes\n");
      opts.format.dump_line = True;
   }
   DCFG_(follow_calls)(opts.separate_threads);
   if (opts.collect_jumps)
      DCFG_(count_last_exits)();
   return True;
}

/*--- Files                                                ---*/

/* Write the file of thread number THREAD - 1, or of all threads if THREAD is
   0. */
static void write_file(const Gathered* g, const ImageInfo* images,
                       const HChar* trigger, UInt thread)
{
   UInt     index = thread > 0 ? thread - 1 : 0;
   Costs*   c = DCFG_(take_costs)(g, DCFG_(call_profile)(index),
                                  thread > 0 ? index : DCFG_ALL_THREADS,
                                  opts.collect_jumps);
   HChar    part[16];
   HChar*   name;
   OutFile* file;

   VG_(sprintf)(part, thread > 0 ? "-%02u" : "", thread);
   name = DCFG_(name_of_part)("--callgrind-out-file", opts.out_file, part);
   file = DCFG_(open_out_file)("--callgrind-out-file", name, NULL);
   DCFG_(set_reader)(file, "callgrind_annotate", NULL);
   write_profile(DCFG_(text_of_file)(file), &opts.format, g, images,
                 c, trigger, thread);
   DCFG_(close_out_file)(file, "%'llu instructions", DCFG_(total_cost)(c));
   VG_(free)(name);
   DCFG_(delete_costs)(c);
}

static void write(const Gathered* g, const HChar* reason)
{
   ImageInfo* images = VG_(calloc)("dcfg.profile.images", g->n_images + 1,
                                   sizeof(ImageInfo));

   for (UInt i = 0; i < g->n_images; i++)
      DCFG_(image_info)(g->images[i], True, &images[i]);
   DCFG_(account_for_calls)();
   if (opts.separate_threads)
      for (UInt t = 0; t < DCFG_(n_threads)(); t++)
         write_file(g, images, reason, t + 1);
   else
      write_file(g, images, reason, 0);
   DCFG_(take_account_back)();
   VG_(free)(images);
}

const Output DCFG_(profile_output) = {
   .name    = "profile",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write
};
