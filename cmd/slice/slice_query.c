/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Queries of slices. */

/* Owns: criteria of slices, from the command line to the library's query,
   and messages about them.  Handed: options.

   By default, the stack pointer is not followed as an address.  Control is not
   followed in code outside of the criterion's program.  The program is the
   criterion's image.  If the criterion has source lines, the program is only
   the code of that image with source lines: a library that is linked into a
   program is no part of it.

   For printed text, the program is all code with source lines.  The way to a
   byte's place in a buffer does not explain the byte.  So the slice follows no
   addresses in libraries, except those of the C library's loads. */

#include "cmd/slice/slice_query.h"

#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/machine/processor.h"
#include "cmd/program/recording.h"
#include "cmd/slice/slice_functions.h"
#include "cmd/slice/slice_line.h"
#include "cmd/output/output_syscalls.h"
#include "cmd/slice/slice_value.h"
#include "cmd/program/mapping.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 1000000      // slices with more are not made deeper: that
                                // would take minutes

/*--- Where                                                ---*/

/* Return the opened trace FILE.  Die if it cannot be read. */
static DcfgWet* open_trace(const char* file)
{
   DcfgWet* w = load_wet(file);

   if (dcfg_wet_ends_early(w))
      complain("%s ends early: the recorder could not write the end of the run",
               file);
   return w;
}

/* Return the hexadecimal number S, with or without 0x.  Set *END behind it. */
static uint64_t hex_value(const char* s, char** end)
{
   if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
      s += 2;
   errno = 0;
   *end  = (char*)s;
   return strchr("0123456789abcdefABCDEF", s[0]) == NULL || s[0] == 0 ? 0
          : strtoull(s, end, 16);
}

/* Return whether the criterion's instructions are of images of different files,
   or of builds of one. */
static bool is_of_several(const Sliced* f)
{
   uint32_t n = dcfg_wet_instrs(f->w), first = 0;
   DcfgWetInstr in, other;

   while (!f->instrs[first])
      first++;
   in = *dcfg_wet_instr(f->w, first);
   for (uint32_t i = first + 1; i < n; i++) {
      if (!f->instrs[i])
         continue;
      other = *dcfg_wet_instr(f->w, i);
      if (in.image_name != NULL && other.image_name != NULL
          && (strcmp(in.image_name, other.image_name) != 0
              || (in.image_build_id != NULL && other.image_build_id != NULL
                  && strcmp(in.image_build_id, other.image_build_id) != 0)))
         return true;
   }
   return false;
}

static void at_address(Sliced* f, const char* at)
{
   char*    end;
   uint64_t addr = hex_value(at, &end);
   uint32_t n = dcfg_wet_instrs(f->w), found = 0;
   bool     bad = end == at || errno != 0;

   if (!bad && *end == '#' && end[1] >= '0' && end[1] <= '9') {
      f->q.instance = strtoull(end + 1, &end, 10);
      bad = errno != 0 || f->q.instance >= DCFG_SLICE_EVERY;
   }
   if (bad || *end != 0)
      die("--at: `%s' is no FILE:LINE or ADDRESS, with or without #N", at);
   for (uint32_t i = 0; i < n; i++) {
      f->instrs[i] = dcfg_wet_instr(f->w, i)->addr == addr;
      found += f->instrs[i];
   }
   if (found == 0)
      die("--at: no instruction at 0x%" PRIx64 " ran; give an address of the "
          "run", addr);
   if (is_of_several(f))
      complain("--at: several images had code at 0x%" PRIx64 ", one after the "
               "other, and each counts by itself: FILE:LINE#N names one", addr);
}

/*--- Of what                                              ---*/

static bool of_register(Sliced* f, const char* of)
{
   const Processor* p = processor_of(f->w);
   const char*      name = of[0] == '%' ? of + 1 : of;

   f->q.place = register_named(p, name);
   f->q.of    = DCFG_SLICE_REGISTER;
   if (f->q.place != UINT32_MAX)
      return true;
   f->q.of = strcmp(name, "flags") == 0 ? DCFG_SLICE_FLAGS : DCFG_SLICE_X87;
   return strcmp(name, "flags") == 0
          || (p->x87 && strcmp(name, "x87") == 0);
}

/* Set what Q asks for to OF if that is ADDRESS or ADDRESS,SIZE; else return
   false. */
static bool of_memory(DcfgSliceQuery* q, const char* of)
{
   char* end;

   if (of[0] < '0' || of[0] > '9')
      return false;
   q->of    = DCFG_SLICE_MEMORY;
   q->place = hex_value(of, &end);
   q->size  = 8;
   if (end != of && *end == ',' && end[1] >= '1' && end[1] <= '9')
      q->size = strtoull(end + 1, &end, 10);
   if (end == of || *end != 0 || errno != 0 || q->size > 1 << 20)
      die("--of: `%s' is no place: memory is ADDRESS or ADDRESS,SIZE", of);
   return true;
}

const char* instance_text(DcfgWet* w, const DcfgSliceNode* n)
{
   return text_format("0x%" PRIx64 "#%" PRIu64,
                      dcfg_wet_instr(w, n->instr)->addr, n->instance);
}

/* Return a slice of nothing but the instances that meet the criterion. */
static DcfgSlice* find_criteria(Sliced* f)
{
   DcfgSliceQuery only = { .instrs = f->instrs, .instance = f->q.instance,
                           .run = f->q.run, .forward = false,
                           .no_control = true, .only_criteria = true,
                           .sums = true };
   DcfgError  err;
   DcfgSlice* s = dcfg_slice_new(f->w, &only, &err);

   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   return s;
}

/* Return whether O asks for a line that never ran.  S is its slice. */
static bool never_ran(const SliceOptions* o, const DcfgSlice* s)
{
   return is_line(o->at) && s->n_executions == 0;
}

static _Noreturn void no_instance(const SliceOptions* o,
                                  const DcfgSlice* s)
{
   if (is_line(o->at))
      line_check_times(o->at, s);
   die("no execution meets the criterion: %s",
       o->at != NULL ? o->at : o->syscall != NULL ? o->syscall : o->output);
}

/* Set what F asks for to the place of an expression of the source.  The
   expression has its meaning at the begin of the line's execution.  Return
   false if the line never ran. */
static bool of_variable(Sliced* f, const SliceOptions* o)
{
   DcfgSlice*           s = find_criteria(f);
   const DcfgSliceNode* first;

   if (s->n_criteria == 0) {
      if (!never_ran(o, s))
         no_instance(o, s);
      dcfg_slice_free(s);
      return false;
   }
   f->n_executions = s->n_executions;
   first = &s->nodes[s->criteria[s->n_criteria - 1]];
   memset(f->instrs, 0, dcfg_wet_instrs(f->w) * sizeof(bool));
   f->instrs[first->instr] = true;
   f->q.run      = false;
   f->q.instance = first->instance;
   f->named      = true;
   variable_place(f->program, first->instr, first->instance, o->of, &f->q);
   dcfg_slice_free(s);
   return true;
}

/*--- What is followed                                     ---*/

static bool starts_with(const char* s, const char* with)
{
   return strncmp(s, with, strlen(with)) == 0;
}

/* Return whether image NAME may be the C library, or no library of the
   system.  Much of the C library's code only copies memory of the program. */
static bool copies_for(const char* name)
{
   return !is_of_system(name) || starts_with(text_base(name), "libc.");
}

#define BIT(reg) (UINT32_C(1) << (reg))

/* Return the name of the function that makes the criterion's system call, or
   "". */
static const char* asked_function(const Sliced* f)
{
   for (uint32_t i = 0; i < dcfg_wet_instrs(f->w); i++)
      if (f->instrs[i] && dcfg_wet_instr(f->w, i)->function != NULL)
         return dcfg_wet_instr(f->w, i)->function;
   return "";
}

/* Choose the registers that a slice of printed text does not follow: frame
   and stack pointers, spare registers of system calls, lengths of copies,
   and all registers of an allocator.  A register that such code saves is
   followed, because it has a value of the caller. */
static void prune_printed(Sliced* f, const char* root, const bool* frames)
{
   uint32_t    n = dcfg_wet_instrs(f->w);
   const Processor* p = processor_of(f->w);
   const char* asked = asked_function(f);

   f->constants     = image_constants(f->w, f->foreign, root,
                                      &f->q.n_constants);
   f->q.constants   = f->constants;
   f->q.formats     = f->printed.formats;
   f->q.n_formats   = f->printed.n_formats;
   f->q.no_register_of_formats = f->roles.addresses;
   f->q.lookups     = f->roles.lookups;
   f->never         = zalloc(n + (size_t)1, sizeof(*f->never));
   f->q.no_register = f->never;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(f->w, i);
      f->never[i] = f->spare[i];
      if (frames[i])
         f->never[i] |= BIT(p->frame);
      if (f->foreign[i] && is_allocator(in->function)
          && strcmp(in->function, asked) != 0)
         f->never[i] = UINT32_MAX;
      f->never[i] &= ~f->roles.saves[i];
      f->never[i] |= BIT(p->stack);
      if (f->foreign[i])
         f->never[i] |= f->roles.lengths[i];
   }
}

static void choose_pruning(Sliced* f, const SliceOptions* o)
{
   uint32_t n = dcfg_wet_instrs(f->w);
   uint32_t stack = BIT(processor_of(f->w)->stack);
   bool     printed = o->syscall != NULL || o->output != NULL;
   bool*    frames;

   if (o->full)
      return;
   mark_foreign(f->w, printed ? NULL : f->instrs, f->foreign);
   f->no_address = zalloc(n + (size_t)1, sizeof(*f->no_address));
   for (uint32_t i = 0; i < n; i++) {
      f->no_address[i] = f->roles.addresses[i];
      if (!o->thin && (!f->foreign[i] || !printed))
         f->no_address[i] &= stack;
      else if (!o->thin && copies_for(dcfg_wet_instr(f->w, i)->image_name))
         f->no_address[i] &= stack | f->roles.targets[i];
   }
   frames = find_frames(f->w);
   if (printed)
      prune_printed(f, o->root, frames);
   else if (o->lines)
      for (uint32_t i = 0; i < n; i++)
         f->no_address[i] |= frames[i] ? BIT(processor_of(f->w)->frame) : 0;
   free(frames);
   f->q.no_address    = f->no_address;
   f->q.no_control    = o->thin;
   f->q.no_control_of = f->foreign;
   f->q.results       = !o->thin && !o->forward && !printed;
   f->q.callbacks     = !o->thin && !o->forward && printed;
   if (o->output != NULL || o->syscall != NULL)
      f->q.no_address_near = f->roles.targets;
}

/*--- What is said                                         ---*/

/* Return the words for the place that O asks for, as ", of price (0x10c04c,
   4 bytes)"; "" without --of. */
static const char* describe_of(const Sliced* f, const SliceOptions* o)
{
   const Processor* p = processor_of(f->w);
   uint64_t         place = f->q.of == DCFG_SLICE_FRAME ? f->s->frame
                            : f->q.place;

   if (o->of == NULL || !f->named
       || (f->q.of == DCFG_SLICE_FRAME && place == 0))
      return o->of == NULL ? "" : text_format(", of %s", o->of);
   if (f->q.of != DCFG_SLICE_REGISTER)
      return text_format(", of %s (0x%" PRIx64 ", %s byte%s)", o->of, place,
                         text_count(f->q.size), f->q.size == 1 ? "" : "s");
   if (place < MAX_GENERAL)
      return text_format(", of %s (%s)", o->of, p->general[place]);
   return text_format(", of %s (%s%" PRIu64 ")", o->of, p->vector,
                      place - MAX_GENERAL);
}

static char* describe(Sliced* f, const SliceOptions* o)
{
   const DcfgSlice*     s = f->s;
   uint32_t             last = o->forward ? s->n_criteria - 1 : 0;
   const DcfgSliceNode* a = &s->nodes[s->criteria[s->n_criteria - 1 - last]];
   const DcfgSliceNode* b = &s->nodes[s->criteria[last]];
   const char* what = o->at != NULL ? o->at
                      : text_format("--%s=%s",
                                    o->output != NULL ? "output" : "syscall",
                                    o->output != NULL ? o->output
                                                      : o->syscall);
   const char* of = describe_of(f, o);
   const DcfgWetInstr* in = dcfg_wet_instr(f->w, a->instr);
   const char* where = is_line(o->at) ? ""
                       : in->line != 0
                       ? text_format(" (%s:%" PRIu32 ")",
                                     text_base(in->source), in->line)
                       : in->function == NULL ? ""
                       : text_format(" (%s)", text_demangle(in->function));

   const char* which = s->n_met == 1 ? ""
                       : text_format(" to %s", instance_text(f->w, b));
   const char* many = s->n_met == 1 ? ""
                      : text_format(", %s instances", text_count(s->n_met));

   const char* executions = f->n_executions == 0 ? ""
                            : text_format(", of %s executions",
                                          text_count(f->n_executions));

   return text_copy(text_clean(text_format("%s%s%s: %s%s%s%s", what, executions,
                                           of, instance_text(f->w, a), which,
                                           where, many)));
}

static void say_not_followed(Sliced* f, const SliceOptions* o)
{
   uint64_t outside = 0;
   unsigned n = 0;

   if (f->s->n_no_address > 0)
      f->not_followed[n++]
         = text_copy(text_format("%s: %s times",
                                 o->thin ? "registers as addresses"
                                         : text_format("%s as an address",
                                                       processor_of(f->w)->sp),
                                 text_count(f->s->n_no_address)));
   if (f->s->n_no_control > 0)
      f->not_followed[n++]
         = text_copy(text_format(o->thin ? "control: %s times"
                                 : "control of code that is not the "
                                   "program's own: %s times",
                                 text_count(f->s->n_no_control)));
   if (dcfg_wet_is_window(f->w))
      for (uint64_t i = 0; i < f->s->n_inputs; i++)
         outside += f->s->inputs[i].node == DCFG_SLICE_NOBODY;
   if (outside > 0)
      f->not_followed[n++]
         = text_copy(text_format("what was before the window, or nobody: %s "
                                 "times", text_count(outside)));
   if (f->q.of == DCFG_SLICE_FRAME && f->s->frame == 0)
      f->not_followed[n++]
         = text_copy("the variable: nobody called its function");
}

/*--- A slice                                              ---*/

/* Give the library the index of the trace, unless it has one; without a file,
   one in memory.  What is wrong with a trace, slices say. */
static void find_index(Sliced* f, const SliceOptions* o)
{
   DcfgError err;

   if (f->file == NULL)
      return;
   mark_foreign(f->w, NULL, f->foreign);
   if (!use_index(f->w, f->file, o->index, f->foreign, NULL))
      dcfg_slice_make_index(f->w, -1, f->foreign, &err);
   f->file = NULL;
   memset(f->foreign, 0, dcfg_wet_instrs(f->w) * sizeof(bool));
}

/* Choose the criterion.  Return false if it is a line that never ran.  Lines
   and addresses are checked before an index is made.  All other criteria
   need slices, so the index comes first. */
static bool choose_criterion(Sliced* f, const SliceOptions* o)
{
   if ((o->at != NULL) + (o->syscall != NULL) + (o->output != NULL) != 1)
      die("choose where to begin: one of --at, --syscall and --output");
   if (o->forward && (o->of != NULL || o->output != NULL))
      die("--forward follows whole executions: use --at or --syscall, without "
          "--of");
   if (o->output != NULL && o->of != NULL)
      die("--output chooses the bytes: --of goes with --at or --syscall");
   if (o->computed && o->output == NULL)
      die("--computed needs --output");
   f->printed = (OutputQuestion){ .text = o->output, .computed = o->computed,
                                  .program = f->program, .roles = &f->roles,
                                  .instrs = f->instrs, .spare = f->spare,
                                  .q = &f->q };
   if (o->at == NULL)
      find_index(f, o);
   if (o->output != NULL)
      output_criterion(f->w, &f->printed);
   else if (o->syscall != NULL)
      syscall_criterion(f->w, o->syscall, f->instrs, f->spare, &f->q);
   else if (is_line(o->at)) {
      f->q.run = true;
      if (!line_criterion(f->w, o->at, f->instrs, &f->q.instance))
         return false;
   } else
      at_address(f, o->at);
   if (o->at != NULL)
      find_index(f, o);
   return o->of == NULL || of_register(f, o->of) || of_memory(&f->q, o->of)
          || of_variable(f, o);
}

/* Return advice on how to use less memory.  For a line with many executions,
   it is to ask for one instance of the line's last store. */
static const char* what_helps(const Sliced* f, const SliceOptions* o)
{
   const char* keeps = o->sums ? "" : "; `dcfg slice' with --as=lines keeps "
                                      "no instances";
   uint32_t    n = dcfg_wet_instrs(f->w), best = n;

   if (!is_line(o->at))
      return text_format("%s%s", keeps, o->thin ? "" : "; --thin follows less");
   for (uint32_t i = 0; i < n; i++)
      if (f->instrs[i] && (best == n || dcfg_wet_instr(f->w, i)->stores))
         best = i;
   return best == n ? keeps
          : text_format("%s; --at=0x%" PRIx64 " is one instance of the line",
                        keeps, dcfg_wet_instr(f->w, best)->addr);
}

/* Return the slice of the guard that kept the line of O from running.  Free
   F, which has no instance. */
static Sliced* slice_of_guard(Sliced* f, const SliceOptions* o)
{
   SliceOptions of = *o;
   char*        heading;
   char*        guard;

   find_index(f, o);
   guard = text_copy(line_guard(f->program, o->at, &heading));
   of.at        = guard;
   of.of        = NULL;
   of.forward   = false;
   f            = slice_find_next(f, &of);
   f->never_ran = heading;
   f->guard     = guard;
   return f;
}

/* Find the slice; follow fewer steps if memory is exhausted.  Die if even
   one step takes too much, with advice for O, which may be NULL. */
static void make_slice(Sliced* f, const SliceOptions* o)
{
   DcfgError err;

   f->s = dcfg_slice_new(f->w, &f->q, &err);
   while (f->s == NULL && err.status == DCFG_ERROR_LIMIT && f->q.steps > 1) {
      f->q.steps /= 2;
      f->s = dcfg_slice_new(f->w, &f->q, &err);
   }
   if (f->s == NULL)
      die("%s%s", unreadable(&err, KIND_WET),
          err.status == DCFG_ERROR_LIMIT && o != NULL ? what_helps(f, o) : "");
}

/* Return the slice in W; see .file of Sliced. */
static Sliced* find(DcfgWet* w, const char* file, const SliceOptions* o)
{
   Sliced* f = zalloc(1, sizeof(*f));

   f->w       = w;
   f->file    = file;
   f->program = program_new(f->w, o->root);
   f->code    = code_lines_new(f->program);
   uint32_t n = dcfg_wet_instrs(f->w);
   f->instrs  = zalloc(n + (size_t)1, sizeof(bool));
   f->foreign = zalloc(n + (size_t)1, sizeof(bool));
   f->library = zalloc(n + (size_t)1, 1);
   f->spare   = zalloc(n + (size_t)1, sizeof(*f->spare));
   f->roles   = roles_new(f->w);
   f->initial = initial_memory_new(f->program, f->roles.loads);
   f->q       = (DcfgSliceQuery){ .instrs = f->instrs,
                                  .instance = DCFG_SLICE_LAST,
                                  .forward = o->forward };
   if (!choose_criterion(f, o))
      return slice_of_guard(f, o);
   choose_pruning(f, o);
   /* A step or two mostly explain a line. */
   f->q.steps = o->first_steps != 0 && f->q.no_address_near == NULL
                ? o->first_steps : o->steps;
   f->q.sums  = o->sums;
   if (o->copies)
      f->q.copies = f->roles.copies;
   /* The search for results of call-backs has no limit of steps. */
   if (o->steps > 0)
      f->q.results = false;
   if (o->steps > 0 && o->instructions) {
      /* So few instances can show control everywhere. */
      f->q.no_control_of = NULL;
      f->q.callbacks     = false;
   }
   make_slice(f, o);
   if (f->s->n_criteria == 0 && never_ran(o, f->s))
      return slice_of_guard(f, o);
   if (f->s->n_criteria == 0)
      no_instance(o, f->s);
   if (f->s->n_executions > 0)
      f->n_executions = f->s->n_executions;
   f->criterion = describe(f, o);
   say_not_followed(f, o);
   return f;
}

Sliced* slice_find(const char* file, const SliceOptions* o)
{
   if (o->thin && o->full)
      die("--thin or --full, not both");
   return find(open_trace(file), file, o);
}

Sliced* slice_find_next(Sliced* f, const SliceOptions* o)
{
   DcfgWet*    w = f->w;
   const char* file = f->file;

   f->w = NULL;
   slice_forget(f);
   return find(w, file, o);
}

bool slice_deepen(Sliced* f, uint32_t steps)
{
   if (f->s->n_nodes > MOST_NODES)
      return false;
   dcfg_slice_free(f->s);
   f->q.steps = steps;
   make_slice(f, NULL);
   return f->q.steps == steps;
}

void slice_move(Sliced* f, uint32_t instr, uint64_t instance)
{
   memset(f->instrs, 0, dcfg_wet_instrs(f->w) * sizeof(bool));
   f->instrs[instr] = true;
   free((void*)f->q.parts);
   f->q.parts    = NULL;
   f->q.n_parts  = 0;
   f->q.of       = DCFG_SLICE_ALL;
   f->q.run      = false;
   f->q.instance = instance;
   dcfg_slice_free(f->s);
   make_slice(f, NULL);
}

void slice_forget(Sliced* f)
{
   if (f == NULL)
      return;
   for (unsigned i = 0; f->not_followed[i] != NULL; i++)
      free((char*)f->not_followed[i]);
   initial_memory_free(f->initial);
   dcfg_slice_free(f->s);
   code_lines_free(f->code);
   program_free(f->program);
   dcfg_wet_close(f->w);
   roles_free(&f->roles);
   free(f->instrs);
   free(f->foreign);
   free(f->library);
   free(f->constants);
   free((void*)f->q.parts);
   free(f->printed.formats);
   free(f->spare);
   free(f->never);
   free(f->no_address);
   free(f->criterion);
   free(f->never_ran);
   free(f->guard);
   free(f);
}
