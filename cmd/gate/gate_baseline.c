/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The file of a baseline, and the functions of a run. */

/* Owns: the functions of a run with their costs, and the file of a baseline.
   Handed: paths of recordings and baselines; limits that name functions.

   A baseline is a DCFG without blocks and edges.  Its top has BASELINE_VERSION;
   a process is a run, with RUN and images as in a recording, and BASELINE:

      NAME        of the benchmark
      LEAST       functions that cost less may be missing
      FUNCTIONS   IMAGE_ID, NAME, FILE_NAME_ID, SELF; INCLUSIVE, if calls were
                  recorded.  NAME is a symbol, FILE_NAME_ID the source's or 0

   The library reads it as any DCFG, so that conditions of a run and of a
   baseline are compared by the same code.

   A function is that of functions.h.  Parts and copies that a compiler made
   count for it, and so do functions that have image, name and file in common:
   no file tells them apart.  A function without a symbol is known by its
   offset, in the same build of its image. */

#include "cmd/gate/gate.h"

#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/builds/builds.h"
#include "cmd/calls/called.h"

/* Functions from this part of a run on are kept. */
#define BASELINE_PART 10000

/*--- Functions of a run                                   ---*/

COMPARE(by_identity, GateFunction, strcmp(x->image, y->image)
        ?: strcmp(x->key, y->key)
        ?: strcmp(text_base(x->file), text_base(y->file)))

/* Make one of functions that have image, name and file in common.  The most
   expensive part tells what the function cost with all that it called. */
static void join_parts(GateRun* r)
{
   size_t n = 0;

   SORT(r->functions, r->n, by_identity);
   for (size_t i = 0; i < r->n; i++) {
      GateFunction* f = &r->functions[i];
      GateFunction* last = n == 0 ? NULL : &r->functions[n - 1];
      if (last == NULL || by_identity(last, f) != 0) {
         r->functions[n++] = *f;
         continue;
      }
      add_count(&last->self, f->self);
      if (f->all > last->all)
         last->all = f->all;
   }
   r->n = n;
}

/* Return what SYMBOL is called in all builds.  The name of code without a
   symbol has an offset, which means something in one build of IMAGE only. */
static const char* lasting_name(const GateRun* r, const char* symbol,
                                bool is_symbol, uint32_t image)
{
   const char* id = image < r->g.p->n_images ? r->g.p->images[image].build_id
                    : NULL;

   return is_symbol ? text_demangle(base_name(symbol))
          : text_format("%s\n%s", symbol, id == NULL ? "" : id);
}

/* Add a function.  FILE: index, or DCFG_NONE. */
static void add_function(GateRun* r, const char* symbol, bool is_symbol,
                         uint32_t image, uint32_t file, uint32_t line,
                         uint64_t self, uint64_t all, Interned* texts)
{
   r->functions[r->n++] = (GateFunction){
      intern(texts, symbol),
      intern(texts, is_symbol ? symbol_name(&r->g, base_name(symbol)) : symbol),
      intern(texts, lasting_name(r, symbol, is_symbol, image)),
      intern(texts, image < r->g.p->n_images ? image_name(&r->g, image) : "?"),
      file < r->g.d->n_files ? r->g.d->files[file].name : "", line, self, all
   };
   text_forget();
}

/* Return the name of the benchmark that the file at PATH has: the program's
   name for a part; that of a file that a user named, or else that of the
   program. */
static const char* benchmark_name(const char* path, const Program* g)
{
   const DcfgPart* part = g->p->part;
   const char*     base = text_base(path);
   const char*     key;
   size_t          n;

   if (part != NULL && part->mark != NULL && part->mark[0] != 0)
      return text_clean(part->mark);
   if (strcmp(path, "-") != 0 && default_kind(base, &key, &n) == KIND_OTHER)
      return text_clean(text_format("%.*s", (int)plain_length(base), base));
   base = text_clean(text_base(program_name(g)));
   return part == NULL ? base
          : text_format("%s.%" PRIu32, base, part->number);
}

GateRun gate_read(const char* path, bool mangled, Interned* texts)
{
   Dcfg*    d = load_dcfg(path);
   GateRun  r = { .d = d, .g = { d, main_process(d), mangled }, .path = path };
   Functions*    f = functions_new(&r.g);
   FunctionCost* costs = called_costs(f, DCFG_ALL_THREADS);

   r.name = intern(texts, benchmark_name(path, &r.g));
   r.total = dcfg_process_instrs(r.g.p, DCFG_ALL_THREADS);
   r.has_calls = r.g.p->calls != NULL;
   r.functions = zalloc(f->n + 1, sizeof(*r.functions));
   for (uint32_t i = 0; i < f->n; i++) {
      const DcfgNode* node = &r.g.p->nodes[f->nodes[i]];
      const char*     symbol = function_symbol_name(f, i);
      uint32_t        s = dcfg_source_at(r.g.p, node->image, node->addr);
      const DcfgSource* at = s == DCFG_NONE ? NULL : &r.g.p->sources[s];
      if (costs[i].self == 0 && costs[i].all == 0)
         continue;
      add_function(&r, symbol != NULL ? symbol : function_name(f, i),
                   symbol != NULL, node->image,
                   at == NULL ? DCFG_NONE : at->file,
                   at == NULL ? 0 : at->line, costs[i].self, costs[i].all,
                   texts);
   }
   join_parts(&r);
   free(costs);
   functions_free(f);
   return r;
}

void gate_free(GateRun* r)
{
   free(r->functions);
   dcfg_free(r->d);
}

bool gate_is(const GateFunction* f, const char* function)
{
   if (symbol_is(f->symbol, function) || strcmp(f->name, function) == 0)
      return true;
   for (const char* c = strchr(function, ':'); c != NULL;
        c = strchr(c + 1, ':')) {
      size_t n = (size_t)(c - function);
      if (c[1] == ':')
         c++;
      else if ((text_ends_path(f->file, function, n)
                || (strncmp(f->image, function, n) == 0 && f->image[n] == 0))
               && symbol_is(f->symbol, c + 1))
         return true;
   }
   return false;
}

/*--- Reading a baseline                                   ---*/

/* Return the run of process P of a baseline. */
static GateRun run_of(const Dcfg* d, const DcfgProcess* p, const char* path,
                      bool mangled, Interned* texts)
{
   const DcfgBaseline* b = p->baseline;
   GateRun r = { .g = { d, p, mangled }, .path = path,
                 .name = intern(texts, text_clean(b->name)),
                 .total = p->instr_count, .least = b->least,
                 .has_calls = b->has_calls };

   r.functions = zalloc((size_t)b->n_functions + 1, sizeof(*r.functions));
   for (uint32_t i = 0; i < b->n_functions; i++) {
      const DcfgBaselineFunction* f = &b->functions[i];
      const char* at = strstr(f->name, "+0x");
      add_function(&r, f->name,
                   at == NULL || f->image == DCFG_NONE
                   || strncmp(f->name, image_name(&r.g, f->image),
                              (size_t)(at - f->name)) != 0,
                   f->image, f->file, 0, f->self, f->inclusive, texts);
   }
   join_parts(&r);
   return r;
}

Baseline baseline_read(const char* path, bool mangled, Interned* texts)
{
   DcfgError   err;
   Baseline    b = { .d = dcfg_load(path, plain_options(), &err) };

   need_file(b.d != NULL, &err, KIND_BASELINE);
   b.n = b.d->n_processes;
   b.runs = zalloc((size_t)b.n + 1, sizeof(*b.runs));
   for (uint32_t i = 0; i < b.n; i++) {
      const DcfgProcess* p = dcfg_process(b.d, i);
      if (p->baseline == NULL) {
         refuse_other_kind(path, KIND_BASELINE);
         die("%s has a run that is no baseline: `dcfg gate --save=FILE DCFG' "
             "makes one", text_clean(path));
      }
      b.runs[i] = run_of(b.d, p, path, mangled, texts);
   }
   if (b.n == 0)
      die("%s has no run: `dcfg gate --save=FILE DCFG' makes a baseline",
          text_clean(path));
   return b;
}

void baseline_free(Baseline* b)
{
   for (uint32_t i = 0; i < b->n; i++)
      gate_free(&b->runs[i]);
   free(b->runs);
   dcfg_free(b->d);
}

/*--- Writing a baseline                                   ---*/

/* BaselineFile: a file that is being written, and its FILE_NAMES. */
typedef
   struct {
      FILE*     to;
      Interned* texts;
      KeyMap*   files;          // interned paths; a number is FILE_NAME_ID - 1
   }
   BaselineFile;

static uint32_t file_id(BaselineFile* f, const char* path)
{
   return path[0] == 0 ? 0
          : keymap_number(f->files, (uintptr_t)intern(f->texts, path)) + 1;
}

static uint64_t least_of(const GateRun* r)
{
   return r->total / BASELINE_PART + (r->total % BASELINE_PART != 0);
}

static bool is_kept(const GateRun* r, const GateFunction* f,
                    const GateLimits* limits)
{
   bool kept = f->self >= least_of(r) || f->all >= least_of(r);

   for (size_t i = 0; !kept && i < limits->n; i++)
      kept = gate_is(f, limits->of[i].function);
   text_forget();
   return kept;
}

static void put_run(BaselineFile* out, const GateRun* r)
{
   const DcfgRun* run = r->g.p->n_recorded == 1 ? r->g.p->runs : NULL;
   const char*    texts[7];

   if (run == NULL)
      return;
   texts[0] = run->command_line;
   texts[1] = run->working_dir;
   texts[2] = run->start;
   texts[3] = run->tool_version;
   texts[4] = run->processor;
   texts[5] = run->deterministic;
   texts[6] = run->conditions;
   fprintf(out->to, "\n    \"RUN\" : [ [ \"PROCESS_ID\", \"PARENT_ID\", "
           "\"COMMAND_LINE\", \"WORKING_DIR\", \"START\", \"TOOL_VERSION\", "
           "\"PROCESSOR\", \"DETERMINISTIC\", \"CONDITIONS\" ],\n      [ %"
           PRIu64 ", %" PRIu64, run->process, run->parent);
   for (int i = 0; i < 7; i++) {
      fputs(", ", out->to);
      put_json_string(texts[i], out->to);
   }
   fputs(" ] ],", out->to);
}

static void put_images(BaselineFile* out, const GateRun* r)
{
   fputs("\n    \"IMAGES\" : [ [ \"IMAGE_ID\", \"LOAD_ADDR\", \"SIZE\", "
         "\"IMAGE_DATA\" ]", out->to);
   for (uint32_t i = 0; i < r->g.p->n_images; i++) {
      const DcfgImage* im = &r->g.p->images[i];
      fprintf(out->to, ",\n      [ %" PRIu32 ", \"0x%" PRIx64 "\", %" PRIu64
              ", { \"FILE_NAME_ID\" : %" PRIu32, i + 1, im->load_addr,
              im->size, file_id(out, image_file(&r->g, i)));
      if (im->build_id != NULL)
         put_json_member(", ", "BUILD_ID", im->build_id, out->to);
      fputs(" } ]", out->to);
   }
   fputs(" ],", out->to);
}

/* Return the IMAGE_ID of F. */
static uint32_t image_id(const GateRun* r, const GateFunction* f)
{
   uint32_t i = 0;

   while (i < r->g.p->n_images && strcmp(image_name(&r->g, i), f->image) != 0)
      i++;
   return i < r->g.p->n_images ? i + 1 : 0;
}

static size_t put_functions(BaselineFile* out, const GateRun* r,
                            const GateLimits* limits)
{
   size_t n = 0;

   fprintf(out->to, "\n      \"LEAST\" : %" PRIu64 ", \"FUNCTIONS\" : [ [ "
           "\"IMAGE_ID\", \"NAME\", \"FILE_NAME_ID\", \"SELF\"%s ]",
           least_of(r), r->has_calls ? ", \"INCLUSIVE\"" : "");
   for (size_t i = 0; i < r->n; i++) {
      const GateFunction* f = &r->functions[i];
      if (!is_kept(r, f, limits))
         continue;
      fprintf(out->to, ",\n[%" PRIu32 ",", image_id(r, f));
      put_json_string(f->symbol, out->to);
      fprintf(out->to, ",%" PRIu32 ",%" PRIu64, file_id(out, f->file),
              f->self);
      if (r->has_calls)
         fprintf(out->to, ",%" PRIu64, f->all);
      fputc(']', out->to);
      n++;
   }
   fputs(" ] } } ]", out->to);
   text_forget();
   return n;
}

size_t baseline_write(const char* path, const GateRun* runs, size_t n,
                      const GateLimits* limits)
{
   BaselineFile out = { open_result(path), interned_new(), keymap_new() };
   size_t       functions = 0;

   fputs(BASELINE_HEAD " 1, \"MAJOR_VERSION\" : 1, \"MINOR_VERSION\" : 0,\n"
         "  \"PROCESSES\" : [ [ \"PROCESS_ID\", \"PROCESS_DATA\" ]", out.to);
   for (size_t i = 0; i < n; i++) {
      fprintf(out.to, ",\n  [ %zu, {", i + 1);
      put_run(&out, &runs[i]);
      fprintf(out.to, "\n    \"INSTR_COUNT_PER_THREAD\" : [ %" PRIu64 " ], "
              "\"INSTR_COUNT\" : %" PRIu64 ",", runs[i].total, runs[i].total);
      put_images(&out, &runs[i]);
      put_json_member("\n    \"BASELINE\" : { ", "NAME", runs[i].name, out.to);
      fputc(',', out.to);
      functions += put_functions(&out, &runs[i], limits);
   }
   fputs(" ],\n  \"FILE_NAMES\" : [ [ \"FILE_NAME_ID\", \"FILE_NAME\" ]",
         out.to);
   for (uint32_t i = 0; i < keymap_size(out.files); i++) {
      fprintf(out.to, ",\n    [ %" PRIu32 ", ", i + 1);
      put_json_string((const char*)(uintptr_t)keymap_key(out.files, i), out.to);
      fputs(" ]", out.to);
   }
   fputs(" ] }\n", out.to);
   close_results();
   keymap_free(out.files);
   interned_free(out.texts);
   return functions;
}
