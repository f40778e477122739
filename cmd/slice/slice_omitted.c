/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: when to look for stores that did not run, and the sentences about
   them.  Handed: a slice. */

#include "cmd/slice/slice_omitted.h"

#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/base/names.h"
#include "cmd/machine/processor.h"
#include "cmd/omitted/omitted.h"
#include "cmd/program/recording.h"
#include "cmd/program/debug.h"
#include "cmd/slice/slice_query.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define FEW_LINES 10
#define MOST_INSTANCES 200000
/* Instructions of the longest run whose slice is made again, with its
   instances, for the listing.  For longer runs that takes seconds. */
#define MOST_EXECUTED  UINT64_C(20000000)

/* KnownValue: a value of the run that was asked for once.  .size is 0 for a
   register. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance, place, size;
      uint64_t value;
      bool     known;
   }
   KnownValue;

struct SliceOmissions {
   const Sliced*  f;
   const char*    of;           // the criterion's place in words, or NULL
   const char*    own;
   OmittedMode    mode;
   OmittedFinder* finder;       // made when needed
   DcfgSlice*     kept;         // with instances, or NULL
   bool           looked;
   OmittedList    all;
   KnownValue*    values;
   size_t         n_values, values_room;
};

/*--- Values                                               ---*/

static bool value_at(void* arg, uint32_t instr, uint64_t instance,
                     uint64_t place, uint64_t size, uint64_t* value)
{
   SliceOmissions* z = arg;
   ValueSearch     search = { .program = z->f->program,
                              .instr = instr, .instance = instance };
   VariableObject  o = { .form = size == 0 ? OBJECT_REGISTER : OBJECT_MEMORY,
                         .place = place, .size = size };

   KnownValue      k = { .instr = instr, .instance = instance,
                         .place = place, .size = size };

   for (size_t i = 0; i < z->n_values; i++) {
      const KnownValue* v = &z->values[i];
      if (v->instr == instr && v->instance == instance && v->place == place
          && v->size == size) {
         *value = v->value;
         return v->known;
      }
   }
   if (size == 0)
      o.size = dcfg_wet_instr(z->f->w, instr)->address_size;
   k.known = find_value(&search, &o, &k.value);
   GROW(z->values, z->n_values, z->values_room);
   z->values[z->n_values++] = k;
   *value = k.value;
   return k.known;
}

/*--- Looking                                              ---*/

SliceOmissions* slice_omissions_new(const Sliced* f, const SliceOptions* o,
                                    const char* own, OmittedMode mode)
{
   SliceOmissions* z = zalloc(1, sizeof(*z));

   *z = (SliceOmissions){ .f = f, .of = o->of,
                          .own = own, .mode = mode };
   return z;
}

void slice_omissions_free(SliceOmissions* z)
{
   if (z == NULL)
      return;
   omitted_list_free(&z->all);
   omitted_free(z->finder);
   dcfg_slice_free(z->kept);
   FREE_ALL(z->values, z);
}

/* CountedLine: a line of the program, or a function or an instruction without
   lines. */
typedef
   struct {
      const char* name;
      uint64_t    at;
   }
   CountedLine;

COMPARE(by_row, CountedLine, strcmp(x->name, y->name) ?: UP(at))

/* Return how many lines of the program are in the slice. */
static size_t count_lines(const SliceOmissions* z)
{
   bool*        lines = images_with_lines(z->f->w);
   DcfgWet*     w = z->f->w;
   const char*  program = wet_program(w);
   uint32_t     n = dcfg_wet_instrs(w);
   CountedLine* rows = NULL;
   size_t       n_rows = 0, room = 0, different = 0;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (z->f->s->totals[i].in_slice == 0
          || (in->line == 0 && lines[in->image])
          || !is_of_program(in->image_name, program, z->own)
          || is_of_system(in->source))
         continue;
      GROW(rows, n_rows, room);
      rows[n_rows++] = in->line != 0 ? (CountedLine){ in->source, in->line }
                       : in->function != NULL ? (CountedLine){ in->function, 0 }
                       : (CountedLine){ "", in->addr };
   }
   SORT(rows, n_rows, by_row);
   for (size_t i = 0; i < n_rows; i++)
      different += i == 0 || by_row(&rows[i - 1], &rows[i]) != 0;
   FREE_ALL(rows, lines);
   return different;
}

static void start(SliceOmissions* z)
{
   OmittedTrace t = { .program = z->f->program, .own = z->own,
                      .totals = z->f->s->totals,
                      .n_executed = z->f->s->n_executed, .value = value_at,
                      .arg = z };

   if (z->finder != NULL)
      return;
   /* Have malloc() keep freed memory: each of many small slices takes the
      memory of the one before. */
   mallopt(M_MMAP_THRESHOLD, 32 << 20);
   mallopt(M_TRIM_THRESHOLD, 256 << 20);
   z->finder = omitted_new(&t);
}

OmittedList slice_omissions_of(SliceOmissions* z, const DcfgSlice* s,
                               const uint32_t* nodes, size_t n)
{
   start(z);
   return omitted_find(z->finder, s, &z->f->q, nodes, n);
}

/* Return the slice whose nodes whole_omissions() names. */
static const DcfgSlice* omissions_slice(const SliceOmissions* z)
{
   return z->kept != NULL ? z->kept : z->f->s;
}

/* Make .kept, the slice with its instances.  Return NULL, or the reason why
   it cannot be made. */
static const char* keep_instances(SliceOmissions* z)
{
   DcfgSliceQuery q = z->f->q;
   DcfgError      err;

   if (z->f->s->n_instances > MOST_INSTANCES)
      return "none of a slice with more than 200,000 instances";
   if (!z->f->q.sums || z->kept != NULL)
      return NULL;
   q.sums  = false;
   z->kept = dcfg_slice_new(z->f->w, &q, &err);
   if (z->kept != NULL)
      return NULL;
   if (err.status != DCFG_ERROR_LIMIT)
      die("%s", unreadable(&err, KIND_WET));
   return "none of a slice with so many instances";
}

/* Return the omissions of the whole slice; NULL if nobody looks for them. */
static const OmittedList* whole_omissions(SliceOmissions* z)
{
   if (z->mode == OMITTED_NEVER || z->f->q.forward
       || (z->mode == OMITTED_IF_FEW && count_lines(z) >= FEW_LINES))
      return NULL;
   if (!z->looked) {
      const char* bounded = keep_instances(z);
      z->looked = true;
      if (bounded == NULL)
         z->all = slice_omissions_of(z, omissions_slice(z), NULL, 0);
      else
         z->all.bounded = bounded;
   }
   return &z->all;
}

const DcfgSlice* slice_omissions_near(SliceOmissions* z)
{
   bool large = z->mode == OMITTED_IF_FEW && !z->f->q.forward
                && z->f->s->n_executed <= MOST_EXECUTED
                && count_lines(z) >= FEW_LINES;

   return large && keep_instances(z) == NULL ? omissions_slice(z) : NULL;
}

/*--- Words                                                ---*/

/* Return the name of the place of O, which node N used; NULL if it has none. */
static const char* place_name(SliceOmissions* z, const DcfgSliceNode* n,
                              const Omitted* o)
{
   VariableType type;

   return o->asked && z->of != NULL ? z->of
          : o->asked && o->memory ? variable_at(z->f->program, o->place, n->order)
          : o->memory ? variables_name_memory(z->f->program, n->instr, 0, o->place,
                                              n->order, &type)
          : variables_name_register(z->f->program, n->instr, (unsigned)o->place,
                                    false, &type);
}

static const char* place_text(SliceOmissions* z, const DcfgSliceNode* n,
                              const Omitted* o)
{
   const Processor* p = processor_of(z->f->w);
   const char*      name = place_name(z, n, o);

   if (name != NULL)
      return text_clean(name);
   return !o->memory ? p->general[o->place % MAX_GENERAL]
          : text_format("0x%" PRIx64 ",%" PRIu64, o->place, o->size);
}

uint32_t slice_omitted_line(SliceOmissions* z, const Omitted* o, uint64_t addr,
                            const char** source)
{
   return code_line(z->f->program, o->near, addr, source);
}

bool slice_omitted_is_one(SliceOmissions* z, const Omitted* a, const Omitted* b)
{
   const char* x;
   const char* y;
   uint32_t    line = slice_omitted_line(z, a, a->store, &x);

   if (line != slice_omitted_line(z, b, b->store, &y))
      return false;
   return line == 0 ? a->store == b->store
          : x == y || (x != NULL && y != NULL && strcmp(x, y) == 0);
}

OmittedWords slice_omitted_words(SliceOmissions* z, const DcfgSlice* s,
                                 const Omitted* o)
{
   const DcfgSliceNode* n = &s->nodes[o->node];
   const DcfgWetInstr   in = *dcfg_wet_instr(z->f->w, n->instr);
   const OmittedBranch* b = &o->branch;
   const char*          source;
   const char*          function;
   uint64_t             begin;
   OmittedWords         w = { .place = place_text(z, n, o),
                              .named = place_name(z, n, o) != NULL };

   code_line(z->f->program, o->near, b->addr, &source);
   if (in.line != 0 && source != NULL
       && strcmp(text_base(in.source), text_base(source)) != 0)
      source = NULL;            // then code_text() names both files
   w.store = code_text(z->f->program, o->near, o->call != 0 ? o->call : o->store,
                       source);
   if (o->call != 0) {
      function = code_function(z->f->program, o->near, o->store, &begin);
      w.store = text_format("%s, which calls %s%s%s", w.store,
                            function == NULL ? ""
                            : text_clean(text_brief(text_demangle(function))),
                            function == NULL ? "" : ": ",
                            code_text(z->f->program, o->near, o->store, source));
   }
   w.branch = text_format("%s %s", code_text(z->f->program, o->near, b->addr, source),
                          direction_text(z->f->program, o->near, b->addr, b->taken,
                                         b->other));
   w.at = text_format("0x%" PRIx64 "#%" PRIu64, b->addr, b->instance);
   return w;
}

const char* slice_omitted_text(const OmittedWords* w, const Omitted* o)
{
   return text_format("%scould have changed %s, but did not run%s: %s (because "
                      "%s at %s)", o->maybe ? "maybe " : "", w->place,
                      o->again ? " again" : "", w->store, w->branch, w->at);
}

/*--- Text                                                 ---*/

/* Return whether A and B differ in nothing but the instance. */
static bool is_alike(const OmittedWords* a, const OmittedWords* b)
{
   return strcmp(a->place, b->place) == 0 && strcmp(a->store, b->store) == 0
          && strcmp(a->branch, b->branch) == 0;
}

void slice_put_omitted(FILE* out, SliceOmissions* z, size_t most)
{
   const OmittedList* l = whole_omissions(z);
   OmittedWords*      words;
   size_t             n = 0, more = 0;

   if (l == NULL)
      return;
   words = zalloc(l->n + 1, sizeof(*words));
   if (l->n > 0)
      putc('\n', out);
   for (size_t i = 0; i < l->n; i++) {
      bool known = false;
      words[n] = slice_omitted_words(z, omissions_slice(z), &l->all[i]);
      for (size_t k = 0; k < n && !known; k++)
         known = is_alike(&words[k], &words[n]);
      if (known)
         continue;
      if (n < most)
         fprintf(out, "%s\n", slice_omitted_text(&words[n], &l->all[i]));
      else
         more++;
      n++;
   }
   if (more > 0)
      fprintf(out, "+ %s more that did not run: --all\n", text_count(more));
   if (l->bounded != NULL)
      fprintf(out, "%swhat did not run was looked for in a part only: %s\n",
              l->n == 0 ? "\n" : "", l->bounded);
   free(words);
   text_forget();
}

/*--- JSON                                                 ---*/

void slice_json_code(FILE* out, SliceOmissions* z, const Omitted* o,
                     const char* key, uint64_t addr)
{
   const char* source;
   uint32_t    line = slice_omitted_line(z, o, addr, &source);

   fprintf(out, "\"%s\": {\"address\": \"0x%" PRIx64 "\"", key, addr);
   if (line != 0) {
      put_json_member(", ", "source", source, out);
      fprintf(out, ", \"line\": %" PRIu32, line);
   }
}

static void json_omitted(FILE* out, SliceOmissions* z, const Omitted* o)
{
   OmittedWords w = slice_omitted_words(z, omissions_slice(z), o);

   fprintf(out, "    {\"node\": %" PRIu32 ", \"place\": ", o->node);
   put_json_string(w.place, out);
   fprintf(out, o->memory ? ", \"memory\": \"0x%" PRIx64 "\", \"size\": %" PRIu64
           : ", \"register\": %" PRIu64, o->place, o->size);
   fprintf(out, ", \"maybe\": %s, \"again\": %s, ",
           o->maybe ? "true" : "false", o->again ? "true" : "false");
   slice_json_code(out, z, o, "store", o->store);
   fputs("}, ", out);
   if (o->call != 0) {
      slice_json_code(out, z, o, "call", o->call);
      fputs("}, ", out);
   }
   slice_json_code(out, z, o, "branch", o->branch.addr);
   fprintf(out, ", \"instance\": %" PRIu64 ", \"taken\": \"0x%" PRIx64
           "\", \"other\": \"0x%" PRIx64 "\"}}", o->branch.instance,
           o->branch.taken, o->branch.other);
   text_forget();
}

void slice_json_omitted(FILE* out, SliceOmissions* z)
{
   const OmittedList* l = whole_omissions(z);

   if (l == NULL)
      return;
   fputs(",\n  \"omitted\": [", out);
   for (size_t i = 0; i < l->n; i++) {
      fputs(i == 0 ? "\n" : ",\n", out);
      json_omitted(out, z, &l->all[i]);
   }
   fputs(l->n == 0 ? "]" : "\n  ]", out);
   if (l->bounded != NULL) {
      fputs(",\n  \"omitted_bounded\": ", out);
      put_json_string(l->bounded, out);
   }
}
