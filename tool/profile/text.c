/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The text of a profile. */

/* Owns: the notation of a profile: names and their numbers, positions, lines of
   costs, calls and jumps.  Handed: costs by tool/profile/costs.c.

   The format, and the meaning of the numbers, are Callgrind's (its manual,
   "Callgrind Format Specification").  Each context has cost lines by address.
   Calls and jumps stand among them, after the line that they come from. */

#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "dcfg_bb.h"
#include "format/release.h"
#include "tool/calls/context.h"
#include "tool/profile/profile.h"
#include "tool/run/this_run.h"

/* NameNumber: a name and its number in the file. */
typedef
   struct _NameNumber {
      struct _NameNumber* hash_next;
      UWord               hash_key;    // the name's address, or the context
      UInt                number;
      UInt                told;        // the part that has it, see Names
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
      Names*           names;
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

/* Write TAG=, and, if names have numbers, (NUMBER) of what has KEY.  Return
   whether the name follows: the first time, and without numbers. */
static Bool begin_name(ProfileWriter* w, const HChar* tag, VgHashTable* numbers,
                       UWord key)
{
   text(w, tag);
   if (!w->opts->compress_strings)
      return True;
   NameNumber* n = VG_(HT_lookup)(numbers, key);
   if (n == NULL) {
      n = VG_(calloc)("dcfg.callgrind.name", 1, sizeof(*n));
      n->hash_key = key;
      n->number   = VG_(HT_count_nodes)(numbers) + 1;
      VG_(HT_add_node)(numbers, n);
   }
   const Bool is_new = n->told != w->names->part;
   n->told = w->names->part;
   text(w, "(");
   number(w, n->number);
   text(w, is_new ? ") " : ")");
   return is_new;
}

static void name_line(ProfileWriter* w, const HChar* tag, VgHashTable* numbers,
                      const HChar* name)
{
   if (begin_name(w, tag, numbers, (UWord)name))
      text(w, name);
   text(w, "\n");
}

static void function_line(ProfileWriter* w, const HChar* tag, UInt context)
{
   const ContextName name = DCFG_(context_name)(context);

   if (begin_name(w, tag, w->names->contexts, context)) {
      text(w, DCFG_(function)(name.functions[0])->name);
      if (name.level > 1) {
         text(w, "'");
         number(w, name.level);
      }
      for (UInt i = 1; i < name.n; i++) {
         text(w, "'");
         text(w, DCFG_(function)(name.functions[i])->name);
      }
   }
   text(w, "\n");
}

static void object_line(ProfileWriter* w, const HChar* tag, const HChar* object)
{
   name_line(w, tag, w->names->objects, object);
}

static void file_line(ProfileWriter* w, const HChar* tag, const HChar* file)
{
   name_line(w, tag, w->names->files, file);
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

/* Write N instructions, and system calls SYS if that is not NULL, without the
   zeros at the end. */
static void events(ProfileWriter* w, ULong n, const ULong* sys)
{
   UInt end = sys == NULL ? 0 : DCFG_(n_sys_events)();

   number(w, n);
   while (end > 0 && sys[end - 1] == 0)
      end--;
   for (UInt e = 0; e < end; e++) {
      text(w, " ");
      number(w, sys[e]);
   }
   text(w, "\n");
}

/* Write a cost line for N and SYS at O. */
static void cost_line(ProfileWriter* w, const Origin* o, ULong n,
                      const ULong* sys)
{
   position(w, o);
   events(w, n, sys);
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

   /* A stub, or system calls: the cost is the caller's own.  That of a stub is in
      the instruction's, if it has one. */
   if (call->to == NULL) {
      switch_file(w, from.file, fn->file);
      cost_line(w, &from, c->instr == DCFG_NO_INSTR ? call->cost : 0,
                call->sys);
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
   cost_line(w, &from, call->cost, call->sys);
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
   cost_line(w, &pending->at, pending->sum, NULL);
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
      = DCFG_(function)(
         DCFG_(context_name)(cc->context).functions[0]);

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

/* Write the events and the line SUMMARY. */
static void event_lines(ProfileWriter* w, const Costs* costs)
{
   static const HChar* const of_sys[N_SYS_EVENTS]
      = { " sysCount", " sysTime", " sysCpuTime" };
   const UInt n = DCFG_(n_sys_events)();

   if (n > SysTime) {
      text(w, "event: sysTime : sysTime (elapsed ");
      text(w, w->opts->time_unit);
      text(w, ")\n");
   }
   if (n > SysCpuTime)
      text(w, "event: sysCpuTime : sysCpuTime (system cpu ns)\n");
   text(w, "events: Ir");
   for (UInt e = 0; e < n; e++)
      text(w, of_sys[e]);
   text(w, "\nsummary: ");
   events(w, DCFG_(total_cost)(costs), DCFG_(total_sys)(costs));
}

/* Write the header, or, IS_LATER, what a later part of a file begins with.
   THREAD is counted from 1; 0: all threads. */
static void header(ProfileWriter* w, const Costs* costs, const HChar* trigger,
                   UInt thread, Bool is_later)
{
   HChar buf[128];

   if (!is_later) {
      text(w, "# callgrind format\nversion: 1\n");
      VG_(sprintf)(buf, "creator: dcfg-" DCFG_RELEASE "\npid: %d\ncmd:  ",
                   DCFG_(this_pid)());
      text(w, buf);
      command(w);
   }
   VG_(sprintf)(buf, "\npart: %u\n", w->p->part);
   text(w, buf);
   if (thread > 0) {
      VG_(sprintf)(buf, "thread: %u\n", thread);
      text(w, buf);
   }
   VG_(sprintf)(buf, "\n\ndesc: Timerange: Basic block 0 - %llu\n"
                "desc: Trigger: ", DCFG_(total_runs)(costs));
   text(w, is_later ? buf + 1 : buf);
   text(w, trigger);
   VG_(sprintf)(buf, "\n\npositions:%s%s\n",
                w->opts->dump_instr ? " instr" : "",
                w->opts->dump_line ? " line" : "");
   text(w, buf);
   event_lines(w, costs);
   text(w, "\n\n");
}

static void start_names(Names* names)
{
   if (names->part++ > 0)
      return;
   names->objects  = VG_(HT_construct)("dcfg.callgrind.objects");
   names->files    = VG_(HT_construct)("dcfg.callgrind.files");
   names->contexts = VG_(HT_construct)("dcfg.callgrind.contexts");
}

static void forget_names(Names* names)
{
   VG_(HT_destruct)(names->objects, VG_(free));
   VG_(HT_destruct)(names->files, VG_(free));
   VG_(HT_destruct)(names->contexts, VG_(free));
}

void DCFG_(write_profile)(Put* out, const ProfileFormat* format,
                          const Gathered* gathered, const ImageInfo* images,
                          Costs* costs, const HChar* trigger, UInt thread,
                          Names* names, Bool is_later)
{
   Names         own = { .part = 0 };
   ProfileWriter writer, *w = &writer;
   ContextCosts  cc;

   VG_(memset)(w, 0, sizeof(*w));
   w->out    = out;
   w->opts   = format;
   w->p      = gathered;
   w->images = images;
   w->costs  = costs;
   w->names  = names == NULL ? &own : names;
   start_names(w->names);
   header(w, costs, trigger, thread, is_later);
   while (DCFG_(next_costs)(costs, &cc))
      write_context(w, &cc);
   text(w, "totals: ");
   events(w, DCFG_(total_cost)(costs), DCFG_(total_sys)(costs));
   DCFG_(put_flush)(w->out);
   if (names == NULL)
      forget_names(&own);
}
