/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Callgrind's format. */

/* Owns: the text that KCachegrind and callgrind_annotate read.  Handed:
   what each function cost and called, by profile/costs.c.  Taken by:
   profile/output_profile.c.

   The format is Callgrind's (its manual, "Callgrind Format
   Specification"), and so is what the numbers mean.  For each context
   there are cost lines, in order of addresses, and among them, where they
   were made, calls and jumps. */

#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "valgrind.h"              // __VALGRIND_MAJOR__

#include "calls/call_fields.h"
#include "profile/notation.h"
#include "run/image.h"
#include "run/symbols.h"

/* A name and the number that stands for it. */
typedef
   struct _NameNumber {
      struct _NameNumber* hash_next;
      UWord               hash_key;    // the name's address
      UInt                number;
   }
   NameNumber;

/* Where an instruction is from. */
typedef
   struct {
      ULong        addr;          // as linked
      const HChar* file;
      UInt         line;          // 0: not known
   }
   Origin;

/* The state of writing a file. */
typedef
   struct {
      const ProfileFormat* opts;
      const Gathered*  p;
      const Costs*     costs;
      const ImageInfo* images;
      Put*             out;
      VgHashTable*     objects;     // NameNumber
      VgHashTable*     files;       // NameNumber
      UInt*            fn_numbers;  // by context; 0: none so far
      UInt             n_fns;
      const HChar*     object;      // that was written last
      const HChar*     file;
      Origin           last;        // position; zeros where there is none
   }
   Writer;

/*--- Names                                                ---*/

static void text(Writer* w, const HChar* s)
{
   DCFG_(put_text)(w->out, s);
}

static void number(Writer* w, ULong n)
{
   DCFG_(put_number)(w->out, n);
}

/* TAG=(NUMBER) NAME, the name only the first time, or as it is. */
static void name_line(Writer* w, const HChar* tag, VgHashTable* numbers,
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

static void function_line(Writer* w, const HChar* tag, UInt context)
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

static void object_line(Writer* w, const HChar* tag, const HChar* object)
{
   name_line(w, tag, w->objects, object);
}

static void file_line(Writer* w, const HChar* tag, const HChar* file)
{
   name_line(w, tag, w->files, file);
}

/*--- Positions                                            ---*/

/* Where an instruction is from; without debug information, HOME. */
static Origin origin_of(const Writer* w, UInt instr, const HChar* home)
{
   const Instr*     in = &w->p->instrs[instr];
   const ImageInfo* im = &w->images[in->image];
   const Place*     at = DCFG_(place_of_instr)(w->costs, instr);
   Origin           o  = { in->addr - at->bias, home, 0 };
   const ImageLine* l  = DCFG_(line_at)(im, in->addr);

   if (l != NULL) {
      o.file = DCFG_(source_file_name)(l->file);
      o.line = l->line;
   }
   return o;
}

/* N, or how it differs from the LAST one if that is short. */
static void subposition(Writer* w, ULong n, ULong last, Bool hex)
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

static void position(Writer* w, const Origin* o)
{
   if (w->opts->dump_instr)
      subposition(w, o->addr, w->last.addr, True);
   if (w->opts->dump_line)
      subposition(w, o->line, w->last.line, False);
}

/* The file of what comes next, within a function that is from HOME. */
static void switch_file(Writer* w, const HChar* file, const HChar* home)
{
   if (file == w->file)
      return;
   file_line(w, file == home ? "fe=" : "fi=", file);
   w->file = file;
}

/* A line of cost N at O. */
static void cost_line(Writer* w, const Origin* o, ULong n)
{
   position(w, o);
   number(w, n);
   text(w, "\n");
   w->last = *o;
}

/*--- A context                                            ---*/

/* Where a call was made from by an instruction that did not run in this part
   of the run. */
static Origin origin_of_earlier(const Call* call, const HChar* home)
{
   Origin           o = { 0, home, 0 };
   ImageInfo        im;
   const ImageLine* l;

   if (call->sb == NULL)
      return o;
   Addr a = DCFG_(instr_addr)(call->sb, call->instr);
   DCFG_(image_info)(call->sb->image, True, &im);
   o.addr = a - DCFG_(call_fields)(call->sb)->place->bias;
   l      = DCFG_(line_at)(&im, a);
   if (l != NULL) {
      o.file = DCFG_(source_file_name)(l->file);
      o.line = l->line;
   }
   return o;
}

static void call_lines(Writer* w, const Function* fn, const CostedCall* c)
{
   const Call*     call = c->call;
   Origin          from = c->instr == DCFG_NO_INSTR
                          ? origin_of_earlier(call, fn->file)
                          : origin_of(w, c->instr, fn->file);

   /* What was called first is not in this part of the run, but a stub that
      it called, if there is code that is left out. */
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

static void jump_lines(Writer* w, const Function* fn, const Jump* j)
{
   Origin from = origin_of(w, j->from, fn->file);
   Origin to   = origin_of(w, j->to, from.file);

   /* Nothing would say where it leads. */
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

/* Costs of one position that are not yet written. */
typedef
   struct {
      Origin at;
      ULong  sum;      // 0: there are none
   }
   Pending;

static void write_pending(Writer* w, const Function* fn, Pending* pending)
{
   if (pending->sum == 0)
      return;
   switch_file(w, pending->at.file, fn->file);
   cost_line(w, &pending->at, pending->sum);
   pending->sum = 0;
}

/* The costs of lines, unless those of instructions are wanted, and what was
   done up to each instruction behind its costs. */
static void body(Writer* w, const Function* fn, const ContextCosts* cc)
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

static void write_context(Writer* w, const ContextCosts* cc)
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

/* The program and its arguments, on one line. */
static void command(Writer* w)
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

/* THREAD is from 1 up, or 0 for all of them. */
static void header(Writer* w, const Costs* c, const HChar* trigger,
                   UInt thread)
{
   HChar buf[128];

   text(w, "# callgrind format\nversion: 1\n");
   VG_(sprintf)(buf, "creator: dcfg-%d.%d\npid: %d\ncmd:  ",
                __VALGRIND_MAJOR__, __VALGRIND_MINOR__, VG_(getpid)());
   text(w, buf);
   command(w);
   VG_(sprintf)(buf, "\npart: %u\n", w->p->part);
   text(w, buf);
   if (thread > 0) {
      VG_(sprintf)(buf, "thread: %u\n", thread);
      text(w, buf);
   }
   VG_(sprintf)(buf, "\n\ndesc: Timerange: Basic block 0 - %llu\n"
                "desc: Trigger: ", DCFG_(total_runs)(c));
   text(w, buf);
   text(w, trigger);
   VG_(sprintf)(buf, "\n\npositions:%s%s\nevents: Ir\nsummary: %llu\n\n\n",
                w->opts->dump_instr ? " instr" : "",
                w->opts->dump_line ? " line" : "", DCFG_(total_cost)(c));
   text(w, buf);
}

void DCFG_(write_profile)(Put* out, const ProfileFormat* format,
                          const Gathered* p, const ImageInfo* images,
                          Costs* c, const HChar* trigger, UInt thread)
{
   UInt         n = DCFG_CONTEXT(DCFG_(n_functions)() + 1, 0);
   Writer       writer, *w = &writer;
   ContextCosts cc;

   VG_(memset)(w, 0, sizeof(*w));
   w->out        = out;
   w->opts       = format;
   w->p          = p;
   w->images     = images;
   w->costs      = c;
   w->objects    = VG_(HT_construct)("dcfg.callgrind.objects");
   w->files      = VG_(HT_construct)("dcfg.callgrind.files");
   w->fn_numbers = VG_(calloc)("dcfg.callgrind.fns", n, sizeof(UInt));
   header(w, c, trigger, thread);
   while (DCFG_(next_costs)(c, &cc))
      write_context(w, &cc);
   text(w, "totals: ");
   number(w, DCFG_(total_cost)(c));
   text(w, "\n");
   DCFG_(put_flush)(w->out);
   VG_(HT_destruct)(w->objects, VG_(free));
   VG_(HT_destruct)(w->files, VG_(free));
   VG_(free)(w->fn_numbers);
}
