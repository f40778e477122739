/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: criteria of slices, from the command line to the library's query, and
   messages about them: the instructions of a line, the instance that kept a
   line from running, the place of an expression.  Handed: options.

   By default, the stack pointer is not followed as an address.  Control is not
   followed in code outside of the criterion's program.  The program is the
   criterion's image.  If the criterion has source lines, the program is only
   the code of that image with source lines: a library that is linked into a
   program is no part of it.

   For printed text, the program is all code with source lines.  The way to a
   byte's place in a buffer does not explain the byte.  So the slice follows no
   addresses in libraries, except those of the C library's loads.

   An expression is evaluated just before the criterion's instance.  The library
   finds the last writers of each place that it needs, which have the value. */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/machine/processor.h"
#include "cmd/program/mapping.h"
#include "cmd/omitted/omitted.h"
#include "cmd/output/output_syscalls.h"
#include "cmd/program/recording.h"
#include "cmd/program/debug.h"
#include "cmd/slice/slice_output.h"
#include "cmd/slice/slice_query.h"
#include "lib/dcfg_slice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Return whether FUNCTION, a name or NULL, allocates or frees memory. */
static bool is_allocator(const char* function)
{
   static const char* const names[] = {
      "malloc", "free", "calloc", "realloc", "reallocarray", "memalign",
      "aligned_alloc", "posix_memalign", "mmap", "mmap64", "sbrk", "brk"
   };

   while (function != NULL
          && (*function == '_' || strncmp(function, "GI_", 3) == 0
              || strncmp(function, "libc_", 5) == 0))
      function += *function == '_' ? 1 : strcspn(function, "_");
   return function != NULL && IS_AMONG(function, names);
}

/* Return, by instruction, whether its function has a frame pointer.  The
   caller frees the array. */
static bool* find_frames(DcfgWet* w)
{
   uint32_t n = dcfg_wet_instrs(w);
   bool*    frames = zalloc(n + (size_t)1, sizeof(*frames));

   for (uint32_t i = 0, k; i < n; i = k) {
      const char* function = dcfg_wet_instr(w, i)->function;
      bool        frame = false;
      for (k = i; k < n; k++) {
         const DcfgWetInstr* in = dcfg_wet_instr(w, k);
         if (k > i && (function == NULL || in->function == NULL
                       || strcmp(in->function, function) != 0))
            break;
         frame |= function != NULL && makes_frame(in);
      }
      memset(frames + i, frame, k - i);
   }
   return frames;
}

#define MOST_BYTES (1 << 20)    // most bytes of a place

/*--- Writers                                              ---*/

/* By form of an object: what a query asks for. */
static const DcfgSliceOf forms[] = {
   [OBJECT_REGISTER] = DCFG_SLICE_REGISTER,
   [OBJECT_FRAME] = DCFG_SLICE_FRAME, [OBJECT_MEMORY] = DCFG_SLICE_MEMORY
};

/* Return the slice that Q asks for, of the instance of V.  The caller frees
   it. */
static DcfgSlice* slice_of(const ValueSearch* v, DcfgSliceQuery q)
{
   DcfgWet*   w = v->program->w;
   bool*      at = zalloc(dcfg_wet_instrs(w), sizeof(*at));
   DcfgSlice* s;

   at[v->instr] = true;
   q.instrs     = at;
   q.instance   = v->instance;
   s = load_slice(w, &q);
   free(at);
   return s;
}

/*--- Recorded values                                      ---*/

/* Copy the bytes that N wrote to their places among the SIZE BYTES of
   address ADDR, and set KNOWN for them. */
static void lay_over(const DcfgSlice* s, const DcfgSliceNode* n, uint64_t addr,
                     size_t size, uint8_t* bytes, bool* known)
{
   for (size_t i = 0; i < size; i++) {
      uint64_t at = addr + i - n->addr;
      if (at < n->value_size) {
         bytes[i] = s->values[n->value + at];
         known[i] = true;
      }
   }
}

/* Return the writer of memory that C used which ran last before node AFTER, or
   DCFG_NONE.  Nodes with greater numbers ran earlier. */
static uint32_t next_writer(const DcfgSlice* s, const DcfgSliceNode* c,
                            uint32_t after)
{
   uint32_t next = DCFG_NONE;

   for (uint32_t k = 0; k < c->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[c->first_input + k];
      if (in->port == DCFG_WET_MEMORY && in->node < after
          && (next == DCFG_NONE || in->node > next)
          && in->node < DCFG_SLICE_NOT && s->nodes[in->node].addr != 0)
         next = in->node;
   }
   return next;
}

/* A later writer overwrites an earlier one.  If nobody wrote any byte, all are
   as in the image's file.  If only some were written, the others are not known. */
bool memory_value(TraceProgram* p, const DcfgSlice* s, const DcfgSliceNode* c,
                  uint64_t addr, size_t size, uint8_t* bytes)
{
   bool     known[8] = { false };
   bool     nobody = false;
   unsigned n = 0;
   uint32_t i = UINT32_MAX;

   while ((i = next_writer(s, c, i)) != DCFG_NONE)
      lay_over(s, &s->nodes[i], addr, size, bytes, known);
   for (uint32_t k = 0; k < c->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[c->first_input + k];
      n      += in->port == DCFG_WET_MEMORY;
      nobody |= in->port == DCFG_WET_MEMORY && in->node == DCFG_SLICE_NOBODY;
   }
   for (size_t k = 0; k < size; k++)
      if (!known[k])
         return k == 0 && nobody && n == 1 && !wet_begins_late(p->w)
                && variables_initial(p, addr, c->order, bytes, size);
   return true;
}

unsigned register_written(DcfgWet* w, uint32_t instr)
{
   const DcfgWetInstr in = *dcfg_wet_instr(w, instr);
   InstrEffect        e;
   uint32_t           to;

   if (in.stores || !instr_effect(&in, &e))
      return MAX_GENERAL;
   to = e.written & ~(UINT32_C(1) << processor_of(w)->stack);
   return to == 0 || (to & (to - 1)) != 0 ? MAX_GENERAL
          : (unsigned)__builtin_ctz(to);
}

/* Read the SIZE low bytes of register REG.  Return false unless one instance
   wrote all of it. */
static bool register_value(const ValueSearch* v, const DcfgSlice* s,
                           unsigned reg, size_t size, uint8_t* bytes)
{
   const DcfgSliceNode* c = &s->nodes[s->criteria[0]];
   const DcfgSliceNode* n = NULL;

   for (uint32_t k = 0; k < c->n_inputs; k++) {
      const DcfgSliceInput* i = &s->inputs[c->first_input + k];
      if (i->port != DCFG_WET_GENERAL)
         continue;
      if (n != NULL || i->node >= DCFG_SLICE_NOT)
         return false;
      n = &s->nodes[i->node];
   }
   if (n == NULL || n->value_size < size
       || register_written(v->program->w, n->instr) != reg)
      return false;
   memcpy(bytes, s->values + n->value, size);
   return true;
}

bool find_value(void* arg, const VariableObject* o, uint64_t* value)
{
   const ValueSearch*   v = arg;
   DcfgSlice*           s
      = slice_of(v, (DcfgSliceQuery){ .of = forms[o->form], .place = o->place,
                                      .size = o->size, .no_control = true,
                                      .steps = 1 });
   uint64_t             addr = o->form == OBJECT_FRAME ? s->frame : o->place;
   uint8_t              bytes[8] = { 0 };
   bool                 found = false;

   if (s->n_criteria == 0 || o->size > sizeof(bytes)
       || (o->form == OBJECT_FRAME && s->frame == 0)) {
      dcfg_slice_free(s);
      return false;
   }
   found = o->form == OBJECT_REGISTER
           ? register_value(v, s, (unsigned)o->place, o->size, bytes)
           : memory_value(v->program, s, &s->nodes[s->criteria[0]], addr,
                          o->size, bytes);
   dcfg_slice_free(s);
   *value = 0;
   for (size_t i = o->size; found && i-- > 0; )
      *value = *value << 8 | bytes[i];
   return found;
}

/* Return the time of the instance of ARG, a ValueSearch. */
static uint64_t find_time(void* arg)
{
   DcfgSlice* s = slice_of(arg, (DcfgSliceQuery){ .only_criteria = true });
   uint64_t   t = s->n_criteria == 0 ? 0 : s->nodes[s->criteria[0]].order;

   dcfg_slice_free(s);
   return t;
}

/*--- The source's words                                   ---*/

/* Set what Q asks for to the place that EXPRESSION means just before
   INSTANCE of instruction INSTR.  Die if EXPRESSION has no place there. */
static void variable_place(TraceProgram* p, uint32_t instr, uint64_t instance,
                           const char* expression, DcfgSliceQuery* q,
                           VariableType* type)
{
   ValueSearch  search = { .program = p, .instr = instr,
                           .instance = instance };
   ObjectReader reader = { find_value, find_time, &search };
   VariableObject o;
   const char*  why = expression_resolve(p, instr, expression, &reader, &o);

   if (why != NULL)
      die("--of: %s", why);
   if (o.size > MOST_BYTES)
      die("--of: `%s' has %llu bytes, at most %d can be asked for", expression,
          (unsigned long long)o.size, MOST_BYTES);
   q->of    = forms[o.form];
   q->place = o.place;
   q->size  = o.size;
   *type    = o.type;
}

/*--- The line that is asked for                           ---*/

/* Line: the parts of FILE:LINE#N. */
typedef
   struct {
      size_t   length;          // length of the file's name
      uint64_t line, number;    // .number is DCFG_SLICE_LAST without #N
   }
   Line;

/* Return whether AT is FILE:LINE or FILE:LINE#N, and not an address. */
static bool is_line(const char* at)
{
   return at != NULL && strchr(at, ':') != NULL;
}

static Line read_line(const char* at)
{
   const char* colon = strrchr(at, ':');
   char*       end;
   Line        l = { (size_t)(colon - at), 0, DCFG_SLICE_LAST };
   bool        bad;

   errno  = 0;
   l.line = strtoull(colon + 1, &end, 10);
   bad    = colon[1] < '0' || colon[1] > '9';
   if (!bad && *end == '#' && end[1] >= '0' && end[1] <= '9')
      l.number = strtoull(end + 1, &end, 10);
   if (bad || *end != 0 || errno != 0
       || l.number == DCFG_SLICE_EVERY)
      die("--at: `%s' is no line: FILE:LINE, or FILE:LINE#N for its execution "
          "N, from 0", at);
   return l;
}

/* Return "; did you mean ...?" with the source whose name is nearest to the
   file of AT, which ends at COLON; if none is near, a hint if the program has no
   source lines, or "". */
static const char* nearest_source(DcfgWet* w, const char* at,
                                  const char* colon)
{
   const char* file = text_format("%.*s", (int)(colon - at), at);
   const char* program = wet_program(w);
   Nearest     n = nearest_to(text_base(file));
   bool        has_lines = program == NULL;

   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->source == NULL)
         continue;
      nearest_offer(&n, text_base(in->source));
      has_lines = has_lines || (in->image_name != NULL
                                && strcmp(in->image_name, program) == 0);
   }
   return n.n == 0 && !has_lines ? no_source_lines(program)
          : text_format("%s", nearest_text(&n));
}

/* Return the source of the trace that the first LENGTH bytes of AT name, or
   NULL. */
static const char* file_of(DcfgWet* w, const char* at, size_t length)
{
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      if (text_ends_path(dcfg_wet_instr(w, i)->source, at, length))
         return dcfg_wet_instr(w, i)->source;
   return NULL;
}

/* Set INSTRS, by instruction, to whether the line AT has it, and *NUMBER to
   the N of #N, or DCFG_SLICE_LAST.  Return false if the trace has none of
   the line's instructions: see line_guard().  Die if AT names two files. */
static bool line_criterion(DcfgWet* w, const char* at, bool* instrs,
                    uint64_t* number)
{
   const Line  l = read_line(at);
   uint32_t    n = dcfg_wet_instrs(w);
   const char* source = NULL;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      instrs[i] = in->line == l.line
                  && text_ends_path(in->source, at, l.length);
      if (!instrs[i])
         continue;
      if (source != NULL && !is_same_source(source, in->source))
         die("--at: `%s' is a line of %s and of %s: give more of the path",
             at, source, in->source);
      source = in->source;
   }
   *number = l.number;
   return source != NULL;
}

/*--- Lines without an instance                            ---*/

/* Return a slice whose totals count the instructions that ran.  Its criteria
   are those of SOURCE.  The caller frees it. */
static DcfgSlice* count_all(DcfgWet* w, const char* source)
{
   uint32_t       n = dcfg_wet_instrs(w);
   bool*          instrs = zalloc(n + (size_t)1, sizeof(bool));
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_LAST,
                        .no_control = true, .only_criteria = true,
                        .sums = true };
   DcfgSlice*     s;

   for (uint32_t i = 0; i < n; i++) {
      const char* of = dcfg_wet_instr(w, i)->source;
      instrs[i] = of != NULL && strcmp(of, source) == 0;
   }
   s = load_slice(w, &q);
   free(instrs);
   return s;
}

/* Set *BEFORE and *BEHIND to the nearest lines of SOURCE that ran before and
   behind LINE; 0: there is none. */
static void find_nearest(DcfgWet* w, const char* source, uint64_t line,
                         uint64_t* before, uint64_t* behind)
{
   DcfgSlice* s = count_all(w, source);

   *before = *behind = 0;
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->source == NULL || strcmp(in->source, source) != 0
          || in->line == 0 || s->totals[i].executed == 0)
         continue;
      if (in->line < line && in->line > *before)
         *before = in->line;
      if (in->line > line && (*behind == 0 || in->line < *behind))
         *behind = in->line;
   }
   dcfg_slice_free(s);
}

/* Die with a message that names the nearest lines that ran: no executed code
   leads to LINE of SOURCE. */
static _Noreturn void no_guard(TraceProgram* p, const char* source,
                               uint64_t line)
{
   const char* name = text_clean(text_base(source));
   uint64_t    addr;
   uint32_t    near;
   LineCode    code = line_code(p, source, line, &addr, &near);
   const char* what = code == CODE_UNKNOWN
                      ? text_format("nothing of line %" PRIu64 " of %s was "
                                    "executed", line, name)
                      : text_format(code == CODE_SOME
                                    ? "line %" PRIu64 " of %s has code, but it "
                                      "never ran"
                                    : "line %" PRIu64 " of %s has no code",
                                    line, name);
   uint64_t    before, behind, next;
   const char* file;

   if (code == CODE_MERGED) {
      next = code_line(p, near, addr, &file);
      die("--at: line %" PRIu64 " of %s has no code of its own: the compiler "
          "merged it with line %" PRIu64 " of %s: --at=%s:%" PRIu64, line, name,
          next, text_clean(text_base(file)), text_clean(text_base(file)), next);
   }
   find_nearest(p->w, source, line, &before, &behind);
   next = before != 0 ? before : behind;
   if (next == 0)
      die("--at: %s, and no other line of the file did", what);
   die("--at: %s; the nearest that ran %s %" PRIu64 "%s: %s--at=%s:%" PRIu64,
       what, before != 0 && behind != 0 ? "are lines" : "is line", next,
       before != 0 && behind != 0 ? text_format(" and %" PRIu64, behind) : "",
       code == CODE_NONE ? "" : "what led past it may be in the slice of ",
       name, next);
}

/* Die with a message if AT ran, but not as often as its #N says.  S is the
   slice of AT, which has no instance. */
static void line_check_times(const char* at, const DcfgSlice* s)
{
   const Line l = read_line(at);

   if (s->n_executions > 0)
      die("--at: line %" PRIu64 " of %.*s ran %s times: give #0 to #%" PRIu64,
          l.line, (int)l.length, at, text_count(s->n_executions),
          s->n_executions - 1);
}

/*--- Lines that never ran                                 ---*/

#define MOST_GUARDS 5           // guards that a message names

/* Return the words for guard AT, as "line 12 was false at 0x1091bb#0, the
   last of 3 times".  A line of SOURCE has no file name. */
static const char* guard_text(const Guards* g, const Guard* at,
                              const char* source)
{
   const OmittedBranch* b = &at->branch;
   const char*          how
      = at->call ? "called what did not come back"
        : b->taken == 0 ? "went elsewhere"
        : direction_text(g->program, g->near, b->addr, b->taken, b->other);

   return text_format("%s %s at 0x%" PRIx64 "#%" PRIu64 "%s",
                      code_text(g->program, g->near, b->addr, source), how,
                      b->addr, b->instance,
                      at->times == 1 ? ""
                      : text_format(", the last of %s times",
                                    text_count(at->times)));
}

/* Return a line of text for each call on the way of guard AT, as "bump was
   never called: line 17 would have called it", the innermost function first. */
static const char* calls_text(const Guards* g, const Guard* at,
                              const char* source)
{
   const char* text = "";
   uint64_t    begin;
   const char* function = code_function(g->program, g->near, g->line, &begin);

   for (size_t i = at->n_calls; i-- > 0; ) {
      text = text_format("%s%s was never called: %s would have called it\n",
                         text, function == NULL ? "its function"
                         : text_clean(text_brief(text_demangle(function))),
                         code_text(g->program, g->near, at->calls[i], source));
      function = code_function(g->program, g->near, at->calls[i], &begin);
   }
   return text;
}

/* Return the instance, as "ADDRESS#N", that kept line AT from running.  Set
   *HEADING to some lines of text that say so, which the caller frees.  Die
   with the nearest lines if no instance did, as for a line without code. */
static const char* line_guard(TraceProgram* p, const char* at, char** heading)
{
   DcfgWet*    w = p->w;
   const Line  l = read_line(at);
   const char* file = file_of(w, at, l.length);
   const char* source = file != NULL ? file
                        : text_format("%.*s", (int)l.length, at);
   DcfgSlice*  s = count_all(w, source);
   Guards      g = guards_find(p, s->totals, source, l.line);
   const char* text;
   const char* instance;

   if (g.n == 0 && g.line == 0 && file == NULL)
      die("--at: no code of a source file `%s' ran%s", source,
          nearest_source(w, at, at + l.length));
   text = text_format("line %" PRIu64 " of %s has code, but it never ran", l.line,
                      text_clean(text_base(source)));
   if (g.n == 0 && g.line != 0 && g.uncalled)
      die("--at: %s: nothing in the program calls its function directly", text);
   if (g.n == 0)
      no_guard(p, source, l.line);
   text = text_format("%s\n%s", text, calls_text(&g, &g.all[0], source));
   for (size_t i = 0; i < g.n && i < MOST_GUARDS; i++)
      text = text_format("%s%s %s\n", text, i == 0 ? "because" : "and",
                         guard_text(&g, &g.all[i], source));
   if (g.n > MOST_GUARDS)
      text = text_format("%sand %zu more\n", text, g.n - MOST_GUARDS);
   *heading = text_copy(text);
   instance = text_format("0x%" PRIx64 "#%" PRIu64, g.all[0].branch.addr,
                          g.all[0].branch.instance);
   guards_free(&g);
   dcfg_slice_free(s);
   return instance;
}

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
                           .run = f->q.run, .uncounted = f->q.uncounted,
                           .forward = false, .no_control = true, .only_criteria = true,
                           .sums = true };

   return load_slice(f->w, &only);
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
   variable_place(f->program, first->instr, first->instance, o->of, &f->q,
                  &f->of_type);
   dcfg_slice_free(s);
   return true;
}

/*--- What is followed                                     ---*/

/* Return whether image NAME may be the C library, or no library of the
   system.  Much of the C library's code only copies memory of the program. */
static bool copies_for(const char* name)
{
   return !is_of_system(name) || begins(text_base(name), "libc.");
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

/* Return the query for all executions of a line, which has INSTRS, and for who
   wrote what they used. */
static DcfgSliceQuery every_execution(const bool* instrs)
{
   return (DcfgSliceQuery){ .instrs = instrs, .run = true, .steps = 1,
                            .instance = DCFG_SLICE_EVERY, .no_control = true };
}

/* Check that O can have a table, and ask for it. */
static void choose_table(Sliced* f, const SliceOptions* o)
{
   if (o->of != NULL)
      die("--table has all values of the line: leave --of out");
   if (!f->q.run || f->q.instance != DCFG_SLICE_LAST)
      die("--table has all executions of a line: give FILE:LINE, without #N");
   f->q = every_execution(f->instrs);
}

/* Return the addresses that a slice does not follow.  The caller frees the
   array. */
static uint32_t* addresses_left_out(const Sliced* f, bool printed, bool thin)
{
   uint32_t  n = dcfg_wet_instrs(f->w);
   uint32_t  stack = BIT(processor_of(f->w)->stack);
   uint32_t* out = zalloc(n + (size_t)1, sizeof(*out));

   for (uint32_t i = 0; i < n; i++) {
      out[i] = f->roles.addresses[i];
      if (!thin && (!f->foreign[i] || !printed))
         out[i] &= stack;
      else if (!thin && copies_for(dcfg_wet_instr(f->w, i)->image_name))
         out[i] &= stack | f->roles.targets[i];
   }
   return out;
}

static void choose_pruning(Sliced* f, const SliceOptions* o)
{
   uint32_t n = dcfg_wet_instrs(f->w);
   bool     printed = o->syscall != NULL || o->output != NULL;

   if (o->full)
      return;
   mark_foreign(f->w, printed ? NULL : f->instrs, f->foreign);
   f->no_address = addresses_left_out(f, printed, o->thin);
   if (printed)
      prune_printed(f, o->root, f->frames);
   else if (o->lines)
      for (uint32_t i = 0; i < n; i++)
         f->no_address[i] |= f->frames[i] ? BIT(processor_of(f->w)->frame) : 0;
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
   uint64_t         place = slice_asked_address(f);

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
   if (wet_begins_late(f->w))
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
   if (index_missing(f->w, f->file, o->index, f->foreign, NULL) != NULL)
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
      f->q.run       = true;
      f->q.uncounted = o->uncounted;
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

/* Let the slice start at the criterion alone. */
static void start_at_criterion(Sliced* f)
{
   f->q.steps   -= f->q.distance;
   f->q.distance = 0;
   f->q.n_starts = 0;
}

/* Find the slice; follow fewer steps if memory is exhausted, and first only the
   criterion.  Die if even one step takes too much, with advice for O, which may
   be NULL.  If there is a slice, it goes on. */
static void make_slice(Sliced* f, const SliceOptions* o)
{
   DcfgError err;

   f->s = f->s == NULL ? dcfg_slice_new(f->w, &f->q, &err)
          : dcfg_slice_go_on(f->w, f->s, &f->q, &err);
   while (f->s == NULL && err.status == DCFG_ERROR_LIMIT
          && (f->q.steps > 1 || f->q.n_starts > 0)) {
      if (f->q.n_starts > 0)
         start_at_criterion(f);
      else
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
   f->frames  = find_frames(f->w);
   f->spare   = zalloc(n + (size_t)1, sizeof(*f->spare));
   f->roles   = roles_new(f->w);
   f->initial = initial_memory_new(f->program, f->roles.loads);
   f->q       = (DcfgSliceQuery){ .instrs = f->instrs,
                                  .instance = DCFG_SLICE_LAST,
                                  .forward = o->forward };
   if (!choose_criterion(f, o))
      return slice_of_guard(f, o);
   if (o->table) {
      choose_table(f, o);
      make_slice(f, o);
      return f->s->n_criteria > 0 ? f : slice_of_guard(f, o);
   }
   choose_pruning(f, o);
   f->q.steps = o->steps;
   f->q.sums  = o->sums;
   f->q.bytes = o->full || o->whole ? NULL : f->roles.bytes;
   if (o->copies)
      f->q.copies = f->roles.copies;
   if (o->copies && !o->instructions)
      f->q.places = f->roles.addresses;
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
   if (o->of != NULL) {
      f->of       = o->of;
      f->of_order = f->s->nodes[f->s->criteria[f->s->n_criteria - 1]].order;
      initial_leave_out(f->initial, f->of_order);
   }
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

/* Return whether the memory at ADDR cannot have been written before the trace W
   began: it is of a file, and read-only. */
static bool is_constant(const DcfgWet* w, uint64_t addr)
{
   const DcfgWetState* state = dcfg_wet_state(w);

   for (uint32_t i = 0; i < state->n_mappings; i++) {
      const DcfgWetMapping* m = &state->mappings[i];
      if (addr - m->addr < m->size)
         return m->from_file && !m->writable;
   }
   return false;
}

static bool noted_before;

void slice_note_before(void)
{
   noted_before = true;
}

bool slice_noted_before(void)
{
   return noted_before;
}

bool slice_asks_place(const Sliced* f, uint32_t node)
{
   return f->of != NULL && f->q.of != DCFG_SLICE_ALL
          && f->s->nodes[node].order == f->of_order;
}

uint64_t slice_asked_address(const Sliced* f)
{
   return f->q.of == DCFG_SLICE_FRAME ? f->s->frame : f->q.place;
}

bool slice_is_before(const Sliced* f, uint32_t node, const DcfgSliceInput* in)
{
   return in->node == DCFG_SLICE_NOBODY && !in->unseen && wet_begins_late(f->w)
          && !(in->port == DCFG_WET_MEMORY
               && is_constant(f->w, f->s->nodes[node].from));
}

bool slice_is_within(const void* o, const char* path)
{
   SliceOptions of = *(const SliceOptions*)o;
   Sliced*      f;

   of.sums = false;
   f = slice_find(path, &of);
   if (f->never_ran != NULL
       || (f->q.of == DCFG_SLICE_FRAME && f->s->frame == 0))
      return false;
   for (uint32_t i = 0; !of.forward && i < f->s->n_nodes; i++)
      for (uint32_t k = 0; k < f->s->nodes[i].n_inputs; k++)
         if (slice_is_before(f, i, &f->s->inputs[f->s->nodes[i].first_input
                                                 + k]))
            return false;
   return true;
}

/* Return whether TEXT, which may be NULL, ends with #N. */
static bool has_number(const char* text)
{
   const char* at = text == NULL ? NULL : strrchr(text, '#');

   return at != NULL && at[1] != 0
          && at[1 + strspn(at + 1, "0123456789")] == 0;
}

bool slice_counts(const SliceOptions* o)
{
   return o->table || has_number(o->at) || has_number(o->syscall)
          || has_number(o->output);
}

Sliced* slice_find_next(Sliced* f, const SliceOptions* o)
{
   DcfgWet*    w = f->w;
   const char* file = f->file;

   f->w = NULL;
   slice_forget(f);
   return find(w, file, o);
}

DcfgSlice* slice_not_thin(const Sliced* f)
{
   bool           printed = f->q.no_address_near != NULL;
   uint32_t*      addresses = addresses_left_out(f, printed, false);
   DcfgSliceQuery q = f->q;
   DcfgError      err;
   DcfgSlice*     s;

   q.no_address = addresses;
   q.no_control = false;
   q.results    = !printed;
   q.callbacks  = printed;
   q.sums       = true;
   s = dcfg_slice_new(f->w, &q, &err);
   free(addresses);
   return s;
}

DcfgSlice* slice_every(const Sliced* f, const bool* instrs)
{
   DcfgSliceQuery q = every_execution(instrs);
   DcfgError      err;

   return dcfg_slice_new(f->w, &q, &err);
}

COMPARE(by_order, DcfgSliceStart, UP(order))

bool slice_starts(const Sliced* f, uint64_t order)
{
   return f->q.n_starts > 0
          && bsearch(&(DcfgSliceStart){ .order = order }, f->starts,
                     f->q.n_starts, sizeof(*f->starts), by_order) != NULL;
}

bool slice_start(Sliced* f, const DcfgSliceStart* on, size_t n)
{
   uint32_t steps = f->q.steps, more;
   size_t   all = f->q.n_starts;

   if (f->s->n_nodes > MOST_NODES)
      return false;
   for (size_t i = 0; i < n; i++)
      steps = on[i].distance > steps ? on[i].distance : steps;
   more           = steps - f->q.steps;
   f->q.steps     = steps;
   f->q.distance += more;
   for (size_t i = 0; i < all; i++)
      f->starts[i].distance += more;
   for (size_t i = 0; i < n; i++) {
      GROW(f->starts, all, f->starts_room);
      f->starts[all++] = (DcfgSliceStart){ on[i].order, steps - on[i].distance };
   }
   SORT(f->starts, all, by_order);
   f->q.starts   = f->starts;
   f->q.n_starts = (uint32_t)all;
   make_slice(f, NULL);
   return f->q.n_starts > 0;
}

void slice_restart(Sliced* f)
{
   start_at_criterion(f);
   dcfg_slice_free(f->s);
   f->s = NULL;
   make_slice(f, NULL);
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
   initial_leave_out(f->initial, UINT64_MAX);
   slice_restart(f);
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
   FREE_ALL(f->instrs, f->foreign, f->frames, f->library, f->constants, f->q.parts,
            f->printed.formats, f->spare, f->never, f->no_address, f->criterion,
            f->never_ran, f->guard, f->starts, f);
}
