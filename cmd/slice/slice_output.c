/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   System calls as criteria. */

/* Owns: which system call is meant by a name, or by a text that it wrote.
   Handed: the command line.  Taken by: slice_query.c.

   The value that was recorded for the writer of its register is a call's number.
   Without values it is a constant in the code: of the writer, or of what the
   writer has copied.  What was written is made of the values that were stored
   there, in their order. */

#include "cmd/slice/slice_output.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/keymap.h"
#include "cmd/base/operands.h"
#include "cmd/machine/processor.h"
#include "cmd/machine/syscall_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- Numbers                                              ---*/

/* The value that system call N of S has in register REG, 32 bits of it. */
static uint32_t number_in(DcfgWet* w, const DcfgSlice* s,
                          const DcfgSliceNode* n, uint8_t reg)
{
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      const DcfgSliceNode*  by;
      uint32_t              value = 0;
      if (in->port != DCFG_WET_GENERAL
          || in->reg != reg || in->node >= DCFG_SLICE_NOT)
         continue;
      by = &s->nodes[in->node];
      if (by->value_size == 0 || by->value_size > 8)
         return constant_number(dcfg_wet_instr(w, by->instr));
      for (uint32_t i = 0; i < by->value_size && i < 4; i++)
         value |= (uint32_t)s->values[by->value + i] << 8 * i;
      return value;
   }
   return UINT32_MAX;
}

/* The number of system call N of S. */
static uint32_t number_of(DcfgWet* w, const DcfgSlice* s,
                          const DcfgSliceNode* n)
{
   return number_in(w, s, n, processor_of(w)->call_number);
}

static void find_syscalls(DcfgWet* w, bool* instrs)
{
   uint32_t n = dcfg_wet_instrs(w);

   for (uint32_t i = 0; i < n; i++)
      instrs[i] = is_syscall(dcfg_wet_instr(w, i));
}

/* All system calls, with who wrote what they used, or only their numbers. */
static DcfgSlice* all_syscalls(DcfgWet* w, bool* instrs, bool numbers)
{
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_EVERY,
                        .of = numbers ? DCFG_SLICE_REGISTER : DCFG_SLICE_ALL,
                        .place = numbers ? processor_of(w)->call_number : 0,
                        .steps = 1, .no_control = true };
   DcfgError      err;
   DcfgSlice*     s;

   find_syscalls(w, instrs);
   s = dcfg_slice_new(w, &q, &err);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   return s;
}

typedef
   struct {
      uint32_t instr;
      uint32_t number;          // or UINT32_MAX: it is not known
      uint64_t instance;
   }
   Syscall;

/* In their order. */
typedef
   struct {
      DcfgWet* w;
      Syscall*    calls;
      size_t   n, room;
   }
   Calls;

static void add_call(Calls* c, uint32_t instr, uint64_t instance,
                     uint32_t number)
{
   GROW(c->calls, c->n, c->room);
   c->calls[c->n++] = (Syscall){ instr, number, instance };
}

/* Those of S. */
static Calls calls_of(DcfgWet* w, const DcfgSlice* s)
{
   Calls c = { .w = w };

   for (uint32_t i = s->n_criteria; i-- > 0; ) {
      const DcfgSliceNode* n = &s->nodes[s->criteria[i]];
      add_call(&c, n->instr, n->instance, number_of(w, s, n));
   }
   return c;
}

static void note_writer(void* arg, uint32_t instr, uint64_t instance,
                        uint32_t writer)
{
   Calls* c = arg;

   add_call(c, instr, instance,
            writer == DCFG_NONE ? UINT32_MAX
            : constant_number(dcfg_wet_instr(c->w, writer)));
}

/* The node that alone made what N of S has used; NULL if there is none. */
static const DcfgSliceNode* only_source(const DcfgSlice* s,
                                        const DcfgSliceNode* n)
{
   uint32_t source = DCFG_SLICE_NOT;

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      uint32_t node = s->inputs[n->first_input + k].node;
      if (node >= DCFG_SLICE_NOT || node == source)
         continue;
      if (source != DCFG_SLICE_NOT)
         return NULL;
      source = node;
   }
   return source == DCFG_SLICE_NOT ? NULL : &s->nodes[source];
}

/* Gives their numbers to those of C that have none, if copies lead from a
   constant to the register: glibc 2.41 has a function make the calls that can
   be cancelled, and hands it their numbers on the stack. */
static void find_copied(Calls* c, bool* instrs, const Roles* roles)
{
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_EVERY,
                        .of = DCFG_SLICE_REGISTER,
                        .place = processor_of(c->w)->call_number, .steps = 1,
                        .copies = roles->copies, .no_control = true,
                        .no_address = roles->addresses };
   DcfgSlice*     s;
   DcfgError      err;
   size_t         i = 0;

   memset(instrs, 0, dcfg_wet_instrs(c->w) * sizeof(bool));
   for (size_t k = 0; k < c->n; k++)
      if (c->calls[k].number == UINT32_MAX)
         instrs[c->calls[k].instr] = true;
   s = dcfg_slice_new(c->w, &q, &err);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   for (uint32_t k = s->n_criteria; k-- > 0; ) {
      const DcfgSliceNode* call = &s->nodes[s->criteria[k]];
      const DcfgSliceNode* n = only_source(s, call);
      while (n != NULL && roles->copies[n->instr])
         n = only_source(s, n);
      while (i < c->n && (c->calls[i].instr != call->instr
                          || c->calls[i].instance != call->instance))
         i++;
      if (n != NULL && i < c->n && c->calls[i].number == UINT32_MAX)
         c->calls[i].number = constant_number(dcfg_wet_instr(c->w, n->instr));
   }
   dcfg_slice_free(s);
}

/* All of them. */
static Calls all_calls(DcfgWet* w, bool* instrs, const Roles* roles)
{
   Calls     c = { .w = w };
   DcfgError err;

   if (dcfg_wet_has_values(w)) {
      DcfgSlice* s = all_syscalls(w, instrs, true);
      c = calls_of(w, s);
      dcfg_slice_free(s);
      return c;
   }
   find_syscalls(w, instrs);
   if (!dcfg_slice_writers(w, instrs, processor_of(w)->call_number,
                           note_writer, &c, &err))
      die("%s", unreadable(&err, KIND_WET));
   for (size_t k = 0; k < c.n; k++)
      if (c.calls[k].number == UINT32_MAX) {
         find_copied(&c, instrs, roles);
         break;
      }
   return c;
}

/* SPARE of each system call's instruction: the registers for arguments that
   none of the calls has used. */
static void find_spare(const Calls* c, uint32_t* spare)
{
   const Processor* p = processor_of(c->w);
   const uint8_t*   regs = p->arguments;

   for (size_t i = 0; i < c->n; i++)
      for (unsigned k = 0; k < SYSCALL_ARGUMENTS; k++)
         spare[c->calls[i].instr] |= UINT32_C(1) << regs[k];
   for (size_t i = 0; i < c->n; i++) {
      unsigned args = syscall_arguments(c->calls[i].number, p->seccomp);
      for (unsigned k = 0; k < args; k++)
         spare[c->calls[i].instr] &= ~(UINT32_C(1) << regs[k]);
   }
}

static void choose(const Syscall* call, DcfgWet* w, bool* instrs,
                   DcfgSliceQuery* q)
{
   memset(instrs, 0, dcfg_wet_instrs(w) * sizeof(bool));
   instrs[call->instr] = true;
   q->instance         = call->instance;
}

void syscall_criterion(DcfgWet* w, const char* call, const Roles* roles,
                       bool* instrs, uint32_t* spare, DcfgSliceQuery* q)
{
   char*       name = text_copy(call);
   char*       mark = strchr(name, '#');
   char*       end = NULL;
   uint64_t    wanted = DCFG_SLICE_LAST, ran = 0;
   uint32_t    number, unknown = 0;
   const Syscall* found = NULL;
   Calls       c;

   if (mark != NULL) {
      *mark  = 0;
      errno  = 0;
      wanted = strtoull(mark + 1, &end, 10);
      if (mark[1] < '0' || mark[1] > '9' || *end != 0 || errno != 0
          || wanted == DCFG_SLICE_LAST)
         die("--syscall: `%s' is no system call: NAME or NAME#N", call);
   }
   number = syscall_number(name, processor_of(w)->seccomp);
   if (number == UINT32_MAX)
      die("--syscall: there is no system call `%s'", name);
   c = all_calls(w, instrs, roles);
   for (size_t i = 0; i < c.n; i++) {
      uint32_t is = c.calls[i].number;
      unknown += is == UINT32_MAX;
      if (is == number && (ran++ == wanted || wanted == DCFG_SLICE_LAST))
         found = &c.calls[i];
   }
   if (found == NULL)
      die("--syscall: %s was called %s times%s", name, text_count(ran),
          unknown == 0 ? ""
          : "; of some system calls it is not known which they were, for "
            "which --wet-values=yes is needed");
   choose(found, w, instrs, q);
   find_spare(&c, spare);
   free(c.calls);
   free(name);
}

/*--- Text                                                 ---*/

/* TEXT as it was typed: \n, \t and \\ are what they are in C. */
static char* unescape(const char* text, size_t* size)
{
   char*  to = text_copy(text);
   size_t n = 0;

   for (const char* s = text; *s != 0; s++) {
      if (*s == '\\' && (s[1] == 'n' || s[1] == 't' || s[1] == '\\'))
         to[n++] = *++s == 'n' ? '\n' : *s == 't' ? '\t' : '\\';
      else
         to[n++] = *s;
   }
   *size = n;
   return to;
}

/* Memory that the kernel read, as far as it is known. */
typedef
   struct {
      uint64_t addr, size;
      uint8_t* bytes;
      uint8_t* known;
   }
   Printed;

COMPARE(later_first, uint32_t, ORDER(*y, *x))

/* What is known of P's bytes, which N of S, a system call, read.  Nodes with
   greater numbers ran earlier. */
static void fill(const DcfgSlice* s, const DcfgSliceNode* n, Printed* p)
{
   uint32_t* from = zalloc(n->n_inputs + (size_t)1, sizeof(*from));
   uint32_t  n_from = 0;

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      if (in->port == DCFG_WET_MEMORY && in->node < DCFG_SLICE_NOT)
         from[n_from++] = in->node;
   }
   qsort(from, n_from, sizeof(*from), later_first);
   for (uint32_t i = 0; i < n_from; i++) {
      const DcfgSliceNode* by = &s->nodes[from[i]];
      for (uint32_t k = 0; by->addr != 0 && k < by->value_size; k++)
         if (by->addr + k - p->addr < p->size) {
            p->bytes[by->addr + k - p->addr] = s->values[by->value + k];
            p->known[by->addr + k - p->addr] = 1;
         }
   }
   free(from);
}

/* The last place of TEXT in P, or UINT64_MAX. */
static uint64_t find_text(const Printed* p, const char* text, size_t size)
{
   for (uint64_t at = p->size; size <= p->size && at-- > 0; )
      if (at + size <= p->size && memcmp(p->bytes + at, text, size) == 0
          && memchr(p->known + at, 0, size) == NULL)
         return at;
   return UINT64_MAX;
}

/* The system calls that write a text. */
static const char* const writing_names[] = {
   "write", "writev", "pwrite64", "sendto"
};

#define WRITES_VECTOR 1
#define WRITES_AT     2         // at a place: nothing follows there
#define N_WRITING (sizeof(writing_names) / sizeof(writing_names[0]))

/* Is NUMBER one of theirs? */
static bool writes(const uint32_t* writing, uint32_t number)
{
   for (unsigned i = 0; i < N_WRITING; i++)
      if (number == writing[i])
         return true;
   return false;
}

/* Return the address of WANTED in the bytes that N of S, a system call, read;
   UINT64_MAX: they do not have it. */
static uint64_t place_in(const DcfgSlice* s, const DcfgSliceNode* n,
                         const char* wanted, size_t size)
{
   uint64_t found = UINT64_MAX;

   for (uint32_t k = 0; k < n->n_reads && found == UINT64_MAX; k++) {
      DcfgSliceReading r = s->reads[n->first_read + k];
      Printed          p = { r.addr, r.size, NULL, NULL };
      uint64_t         place;
      if (p.size < size)
         continue;
      p.bytes = zalloc(p.size, 1);
      p.known = zalloc(p.size, 1);
      fill(s, n, &p);
      place = find_text(&p, wanted, size);
      if (place != UINT64_MAX)
         found = p.addr + place;
      free(p.bytes);
      free(p.known);
   }
   return found;
}

/* Bytes that a system call wrote, and where they are in the file descriptor's
   stream. */
typedef
   struct {
      const DcfgSliceNode* call;
      uint64_t             addr, from, size;
   }
   OutputPiece;

typedef
   struct {
      Printed p;                // its address is 0
      OutputPiece*  pieces;
      size_t  n, room;
   }
   Stream;

/* Append to STREAM what N of S, a system call, wrote.  Its second argument is
   the buffer, or the array that says where writev's buffers are. */
static void append(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n,
                   bool vector, Stream* stream)
{
   uint32_t at = number_in(w, s, n, processor_of(w)->arguments[1]);

   for (uint32_t k = 0; k < n->n_reads; k++) {
      DcfgSliceReading r = s->reads[n->first_read + k];
      Printed          p = { r.addr, r.size, NULL, NULL };
      Printed*         all = &stream->p;
      if (vector ? k == 0 : at != UINT32_MAX && (uint32_t)r.addr != at)
         continue;
      p.bytes = zalloc(p.size, 1);
      p.known = zalloc(p.size, 1);
      fill(s, n, &p);
      all->bytes = need(realloc(all->bytes, all->size + p.size + 1));
      all->known = need(realloc(all->known, all->size + p.size + 1));
      memcpy(all->bytes + all->size, p.bytes, p.size);
      memcpy(all->known + all->size, p.known, p.size);
      GROW(stream->pieces, stream->n, stream->room);
      stream->pieces[stream->n++] = (OutputPiece){ n, r.addr, all->size,
                                                   p.size };
      all->size += p.size;
      free(p.bytes);
      free(p.known);
   }
}

/* All that system calls wrote to FD, in their order. */
static Stream stream_of(DcfgWet* w, const DcfgSlice* s, const uint32_t* writing,
                        uint32_t fd)
{
   Stream stream = { .n = 0 };

   for (uint32_t i = s->n_criteria; i-- > 0; ) {
      const DcfgSliceNode* n = &s->nodes[s->criteria[i]];
      uint32_t             number = number_of(w, s, n);
      if (writes(writing, number) && number != writing[WRITES_AT]
          && number_in(w, s, n, processor_of(w)->arguments[0]) == fd)
         append(w, s, n, number == writing[WRITES_VECTOR], &stream);
   }
   return stream;
}

/* Make the SIZE bytes of STREAM at PLACE the criterion: a part for each piece
   that has some of them. */
static void choose_parts(const Stream* stream, uint64_t place, uint64_t size,
                         bool* instrs, DcfgSliceQuery* q, uint32_t n_instrs)
{
   DcfgSlicePart* parts = zalloc(stream->n, sizeof(*parts));

   memset(instrs, 0, n_instrs * sizeof(bool));
   for (size_t i = 0; i < stream->n; i++) {
      const OutputPiece* p = &stream->pieces[i];
      uint64_t     low = place > p->from ? place : p->from;
      uint64_t     high = place + size < p->from + p->size ? place + size
                          : p->from + p->size;
      if (low >= high)
         continue;
      instrs[p->call->instr] = true;
      parts[q->n_parts++] = (DcfgSlicePart){ p->call->instr, p->call->instance,
                                             p->addr + low - p->from,
                                             high - low };
   }
   q->instance = DCFG_SLICE_EVERY;
   q->of       = DCFG_SLICE_MEMORY;
   q->parts    = parts;
}

/* Find WANTED in what several system calls wrote to one file descriptor, of
   which the last to be written to comes first. */
static bool across_calls(DcfgWet* w, const DcfgSlice* s,
                         const uint32_t* writing, const char* wanted,
                         size_t size, bool* instrs, DcfgSliceQuery* q)
{
   KeyMap* seen = keymap_new();
   bool    found = false;

   for (uint32_t i = 0; i < s->n_criteria && !found; i++) {
      const DcfgSliceNode* n = &s->nodes[s->criteria[i]];
      uint32_t fd = number_in(w, s, n, processor_of(w)->arguments[0]);
      uint64_t place;
      Stream   stream;
      if (!writes(writing, number_of(w, s, n)) || fd == UINT32_MAX
          || keymap_find(seen, fd) != UINT32_MAX)
         continue;
      keymap_number(seen, fd);
      stream = stream_of(w, s, writing, fd);
      place = find_text(&stream.p, wanted, size);
      found = place != UINT64_MAX;
      if (found)
         choose_parts(&stream, place, size, instrs, q, dcfg_wet_instrs(w));
      free(stream.p.bytes);
      free(stream.p.known);
      free(stream.pieces);
   }
   keymap_free(seen);
   return found;
}

void output_criterion(DcfgWet* w, const char* text, bool* instrs,
                      uint32_t* spare, DcfgSliceQuery* q)
{
   size_t     size;
   char*      wanted = unescape(text, &size);
   DcfgSlice* s;
   uint64_t   place = UINT64_MAX;
   uint32_t   writing[N_WRITING], i;
   Calls      calls;

   if (size == 0)
      die("--output: a text is needed");
   if (!dcfg_wet_has_values(w))
      die("--output: what was written is not known: that needs "
          "--wet-values=yes when it is recorded");
   s = all_syscalls(w, instrs, false);
   for (i = 0; i < N_WRITING; i++)
      writing[i] = syscall_number(writing_names[i], processor_of(w)->seccomp);
   for (i = 0; i < s->n_criteria; i++) {
      const DcfgSliceNode* c = &s->nodes[s->criteria[i]];
      if (!writes(writing, number_of(w, s, c)))
         continue;
      place = place_in(s, c, wanted, size);
      if (place != UINT64_MAX)
         break;
   }
   if (place == UINT64_MAX
       && !across_calls(w, s, writing, wanted, size, instrs, q))
      die("--output: no system call wrote `%s'", text);
   calls = calls_of(w, s);
   if (place != UINT64_MAX)
      choose(&calls.calls[s->n_criteria - 1 - i], w, instrs, q);
   find_spare(&calls, spare);
   free(calls.calls);
   q->of    = DCFG_SLICE_MEMORY;
   q->place = place;
   q->size  = size;
   dcfg_slice_free(s);
   free(wanted);
}
