/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions for lcov. */

/* Owns: functions of the source, their calls, and which lines are theirs.
   Handed: a file's functions by debug_lines.c, and inlined ones by
   cmd/inline.

   A function is one of the source: all copies of a static function in a header,
   of a constructor, of a template's instance, and all inlined instances add
   up.

   lcov from 2.2 on refuses a function that did not run if a line of it did.  It
   takes all lines up to the next function for the function's.  A function for
   which that is wrong, such as a lambda, is written with its last line, as FNL
   and FNA; lcov 1.16 does not know these and does not see the function. */

#include "cmd/export/lcov.h"

#include "cmd/inline/entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- The file that is being read                          ---*/

/* Return whether images A and B have the same file. */
static bool same_path(const Export* x, uint32_t a, uint32_t b)
{
   return strcmp(image_file(&x->g, a), image_file(&x->g, b)) == 0;
}

bool lcov_is_here(const Coverage* c, uint32_t image)
{
   return image < c->x->p->n_images && c->x->chosen[image]
          && same_path(c->x, image, c->image);
}

uint32_t lcov_file(Coverage* c, const char* path)
{
   return keymap_number(c->file_numbers, (uintptr_t)intern(c->names, path));
}

LcovLine* lcov_line(Coverage* c, uint32_t file, uint32_t line)
{
   uint32_t n = keymap_number(c->lines, line_key(file, line));

   if (n == c->n_lines) {
      GROW(c->line, c->n_lines, c->line_room);
      c->line[c->n_lines++] = (LcovLine){ 0, false, 0 };
   }
   return &c->line[n];
}

/*--- Names                                                ---*/

/* Return the name that gcov has for F, which was only inlined.  gcc's debug
   information names constructors and destructors C4 and D4, which are no
   symbols. */
static const char* name_of(Coverage* c, const InlinedFunction* f)
{
   const char* name = intern(c->names, f->name);
   const char* at = strncmp(name, "_Z", 2) == 0 ? name : "";

   while ((at = strpbrk(at, "CD")) != NULL) {
      char*       copy = text_copy(name);
      const char* other = NULL;
      if (at[1] == '4') {
         copy[at - name + 1] = '2';
         if (strcmp(text_demangle(copy), text_demangle(name)) == 0)
            other = intern(c->names, copy);
      }
      free(copy);
      if (other != NULL)
         return other;
      at++;
   }
   return name;
}

/* Return the number of the function NAME at FILE and LINE. */
static uint32_t function_number(Coverage* c, uint32_t file, uint32_t line,
                                const char* name)
{
   const char* key = intern(c->names,
                            text_format("%" PRIu32 ":%" PRIu32 ":%s", file,
                                        line, name));
   uint32_t    n = keymap_number(c->function_numbers, (uintptr_t)key);

   if (n == c->n_functions) {
      GROW(c->functions, c->n_functions, c->function_room);
      c->functions[c->n_functions++]
         = (LcovFunction){ intern(c->names, name), file, line, 0, 0, false };
   }
   text_forget();
   return n;
}

/*--- Copies                                               ---*/

/* Return the function, a scope, that has the code at AT, an address of the
   file; or NO_SCOPE. */
static uint32_t outer_at(const Coverage* c, uint64_t at)
{
   uint64_t end;
   uint32_t scope = inlined_at(c->in, c->image, at - c->base, &end);

   return scope == NO_SCOPE ? NO_SCOPE : inlined_outer(c->in, scope);
}

static bool is_artificial(const Coverage* c, uint32_t scope)
{
   return inlined_function_info(c->in, inlined_function(c->in, scope))
             ->is_artificial;
}

/* Return the calls of the copy that begins with block NODE, FN: edges from
   outside, and calls from within.  A part of a function, split off by the
   compiler, is not called by the rest. */
static uint64_t calls_of(Coverage* c, uint32_t node, const DebugFunction* fn)
{
   const DcfgProcess* p = c->x->p;
   uint32_t           routine = dcfg_routine_by_entry(p, node), n;
   uint32_t           scope = outer_at(c, fn->addr);
   const uint32_t*    in = dcfg_in_edges(p, node, &n);
   uint64_t           calls = 0, within;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[in[i]];
      if (dcfg_is_call(e->type)
          || p->nodes[e->source].addr - p->nodes[node].addr >= fn->size)
         add_count(&calls, dcfg_edge_count(p, in[i], c->x->thread));
   }
   if (scope == NO_SCOPE)
      return calls;
   within = dcfg_routine_calls(p, routine, c->x->thread)
            - count_calls(c->f, c->in, c->pieces, node,
                          inlined_function(c->in, scope), c->x->thread);
   return within < calls ? calls - within : 0;
}

/* Return whether NAME is a thunk: C++'s way into a virtual function, which is in
   no source. */
static bool is_thunk(const char* name)
{
   return strncmp(name, "_ZTh", 4) == 0 || strncmp(name, "_ZTv", 4) == 0
          || strncmp(name, "_ZTc", 4) == 0;
}

/* Find the functions that have code of their own.  A symbol within a function's
   code names a part of it. */
static void find_copies(Coverage* c)
{
   const DcfgProcess* p = c->x->p;

   for (size_t i = 0; i < c->d->n_functions; i++) {
      const DebugFunction* fn = &c->d->functions[i];
      uint32_t             scope = outer_at(c, fn->addr);
      c->symbols[i] = NO_LCOV_FUNCTION;
      if (is_thunk(fn->name))
         continue;
      if (scope != NO_SCOPE
          && (inlined_entry(c->in, scope) != fn->addr - c->base
              || is_artificial(c, scope)))
         continue;
      c->symbols[i] = function_number(c, c->files[fn->file], fn->line,
                                      fn->name);
      for (uint32_t k = 0; k < p->n_images; k++) {
         uint64_t base;
         uint32_t node;
         if (!lcov_is_here(c, k)
             || !code_file_addr(c->x->code, k, 0, &base))
            continue;
         node = image_node_at(p, k, fn->addr - base);
         if (node != DCFG_NONE && p->nodes[node].addr == fn->addr - base)
            add_count(&c->functions[c->symbols[i]].calls, calls_of(c, node, fn));
      }
   }
}

/*--- Instances                                            ---*/

/* Return the LcovFunction of SCOPE, a function with code of its own. */
static uint32_t copy_of(const Coverage* c, uint32_t scope, uint64_t base)
{
   uint64_t             at = inlined_entry(c->in, scope) + base;
   const DebugFunction* fn = debug_function_at(c->d, at);

   return fn == NULL || fn->addr != at ? NO_LCOV_FUNCTION
          : c->symbols[fn - c->d->functions];
}

/* Return the LcovFunction of SCOPE, an instance or a function.  OF: the known
   ones, by function of the source. */
static uint32_t function_of(Coverage* c, uint32_t scope, uint32_t* of)
{
   uint32_t               number = inlined_function(c->in, scope);
   const InlinedFunction* f = inlined_function_info(c->in, number);

   if (of[number] == NO_LCOV_FUNCTION && !f->is_artificial && f->line > 0
       && f->file[0] == '/')
      of[number] = function_number(c, lcov_file(c, f->file), f->line,
                                   name_of(c, f));
   return of[number];
}

/* Return the LcovFunction of each function of the source, to be freed. */
static uint32_t* add_instances(Coverage* c)
{
   uint32_t  n = inlined_scopes(c->in);
   uint32_t* of;
   uint64_t  base;

   for (uint32_t i = 0; i < n; i++)
      inlined_function(c->in, i);
   of = zalloc(inlined_functions(c->in), sizeof(*of));
   memset(of, 0xFF, inlined_functions(c->in) * sizeof(*of));
   for (uint32_t i = 0; i < n; i++)
      if (inlined_parent(c->in, i) == NO_SCOPE
          && lcov_is_here(c, inlined_image(c->in, i))
          && code_file_addr(c->x->code, inlined_image(c->in, i), 0, &base)) {
         uint32_t* to = &of[inlined_function(c->in, i)];
         *to = *to == NO_LCOV_FUNCTION ? copy_of(c, i, base) : *to;
      }
   for (uint32_t i = 0; i < n; i++) {
      uint32_t to;
      if (inlined_parent(c->in, i) == NO_SCOPE || is_part_of_parent(c->in, i)
          || !lcov_is_here(c, inlined_image(c->in, i)))
         continue;
      to = function_of(c, i, of);
      if (to == NO_LCOV_FUNCTION)
         continue;
      add_count(&c->functions[to].calls, c->entries[i]);
      add_count(&c->functions[to].flows, c->flows[i]);
   }
   return of;
}

/* Return whether block NODE ran and ended with a conditional branch. */
static bool has_branched(const Coverage* c, uint32_t node)
{
   const DcfgProcess* p = c->x->p;
   uint32_t           n;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);

   if (dcfg_node_executions(p, node, c->x->thread) == 0)
      return false;
   for (uint32_t i = 0; i < n; i++)
      if (p->edges[out[i]].type == DCFG_EDGE_DIRECT_CONDITIONAL_BRANCH)
         return true;
   return false;
}

/* Find functions that ran although no entry of them did: the compiler made
   several entries of one, and debug information names one.  Branches of such a
   function tell that it ran; other instructions may have moved. */
static void find_other_entries(Coverage* c, uint32_t* of)
{
   const DcfgProcess* p = c->x->p;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      uint32_t scope, to;
      if (!lcov_is_here(c, p->nodes[i].image) || !has_branched(c, i))
         continue;
      scope = piece_last_scope(c->pieces, i);
      for (; scope != NO_SCOPE && inlined_parent(c->in, scope) != NO_SCOPE;
           scope = inlined_parent(c->in, scope))
         if ((to = function_of(c, scope, of)) != NO_LCOV_FUNCTION
             && c->functions[to].calls == 0)
            c->functions[to].calls = c->functions[to].flows;
   }
}

/*--- Lines                                                ---*/

static void own(Coverage* c, const DebugLine* row, const LcovFunction* f)
{
   LcovLine* l = lcov_line(c, c->files[row->file], row->line);
   uint32_t  by = f->file == c->files[row->file] ? f->line : UINT32_MAX;

   l->owner = l->owner == 0 || l->owner == by ? by : UINT32_MAX;
}

/* Find the functions of lines.  Forget lines of code that the source does not
   have, such as what initializes global variables, as gcov does. */
static void find_owners(Coverage* c, uint32_t* of)
{
   for (size_t i = 0; i < c->d->n_lines; i++) {
      DebugLine*           row = &c->d->lines[i];
      const DebugFunction* fn = debug_function_at(c->d, row->addr);
      uint64_t             end;
      uint32_t             scope = inlined_at(c->in, c->image,
                                              row->addr - c->base, &end);
      while (scope != NO_SCOPE && is_part_of_parent(c->in, scope))
         scope = inlined_parent(c->in, scope);
      c->owners[i] = NO_LCOV_FUNCTION;
      if (scope != NO_SCOPE && is_artificial(c, scope)) {
         row->line = 0;
         continue;
      }
      c->is_inlined[i] = scope != NO_SCOPE
                         && inlined_parent(c->in, scope) != NO_SCOPE;
      if (scope != NO_SCOPE)
         c->owners[i] = c->is_inlined[i] ? function_of(c, scope, of)
                        : copy_of(c, scope, c->base);
      else if (fn != NULL)
         c->owners[i] = c->symbols[fn - c->d->functions];
      if (c->owners[i] != NO_LCOV_FUNCTION)
         own(c, row, &c->functions[c->owners[i]]);
      else
         lcov_line(c, c->files[row->file], row->line);
   }
}

void lcov_find_functions(Coverage* c)
{
   uint32_t* of;

   find_copies(c);
   of = add_instances(c);
   find_other_entries(c, of);
   find_owners(c, of);
   free(of);
}

/*--- The tracefile                                        ---*/

COMPARE(by_place, LcovFunction, UP(file) ?: UP(line)
                                ?: strcmp(x->name, y->name))

/* Give functions of one name in one file, at several lines, different names. */
static void part_names(Coverage* c)
{
   KeyMap* names = keymap_new();

   for (size_t i = 0; i < c->n_functions; i++) {
      LcovFunction* f = &c->functions[i];
      const char*   key = intern(c->names, text_format("%" PRIu32 ":%s",
                                                       f->file, f->name));
      uint32_t      n = keymap_size(names);
      if (keymap_number(names, (uintptr_t)key) < n)
         f->name = intern(c->names, text_format("%s@%" PRIu32, f->name,
                                                f->line));
      text_forget();
   }
   keymap_free(names);
}

void lcov_settle_functions(Coverage* c)
{
   size_t n = c->n_lines;

   for (size_t i = 0; i < c->n_functions; i++) {
      LcovFunction* f = &c->functions[i];
      LcovLine*     l = lcov_line(c, f->file, f->line);
      /* Recording may begin within a function. */
      if (f->calls == 0 && f->ran)
         f->calls = 1;
      if (l >= c->line + n) {
         l->owner = f->line;
         add_count(&l->count, f->calls);
      } else if (l->count == 0 && !l->executed) {
         l->count = f->calls;
      }
   }
   if (c->n_functions > 0)
      qsort(c->functions, c->n_functions, sizeof(*c->functions), by_place);
   part_names(c);
}

/* How a group of functions at one line is written. */
typedef enum { AS_FN, AS_FNL, AS_NOTHING } FunctionForm;

/* Return how to write functions that did not run, at LINE, before NEXT, the
   line of the next functions.  *END: their last line.  LINES: all of the
   file. */
static FunctionForm form_of(const Coverage* c, uint32_t line, uint32_t next,
                            const uint64_t* lines, size_t n, uint32_t* end)
{
   size_t i = 0;

   BISECT(i, n, middle, (uint32_t)lines[middle] < line);
   *end = line;
   for (; i < n && (uint32_t)lines[i] < next; i++) {
      const LcovLine* l = &c->line[keymap_find(c->lines, lines[i])];
      bool            first = (uint32_t)lines[i] == line;
      bool            foreign = l->owner != line && l->owner != UINT32_MAX;
      if (l->count > 0 || l->executed)
         return first ? AS_NOTHING : AS_FNL;
      if (foreign && !first)
         return AS_FNL;
      *end = (uint32_t)lines[i];
   }
   return AS_FN;
}

/* Write the functions from FIRST to before LAST, all at one line. */
static void put_group(const Coverage* c, size_t first, size_t last,
                      FunctionForm form, uint32_t end, uint32_t index)
{
   FILE* out = c->x->out;

   if (form == AS_FNL)
      fprintf(out, "FNL:%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", index,
              c->functions[first].line, end);
   for (size_t i = first; i < last; i++) {
      const LcovFunction* f = &c->functions[i];
      const char*         name = text_clean(f->name);
      if (form == AS_FNL)
         fprintf(out, "FNA:%" PRIu32 ",%" PRIu64 ",%s\n", index, f->calls,
                 name);
      else
         fprintf(out, "FN:%" PRIu32 ",%s\n", f->line, name);
   }
}

void lcov_put_functions(const Coverage* c, uint32_t file, const uint64_t* lines,
                        size_t n_lines)
{
   size_t        first = 0, last, all = 0, hit = 0;
   uint32_t      next = UINT32_MAX, index = 0;
   FunctionForm* forms;
   uint32_t*     ends;

   BISECT(first, c->n_functions, middle, c->functions[middle].file < file);
   for (last = first; last < c->n_functions && c->functions[last].file == file;
        last++)
      continue;
   forms = zalloc(last - first, sizeof(*forms));
   ends = zalloc(last - first, sizeof(*ends));
   for (size_t i = last, from; i > first; i = from) {
      uint32_t     line = c->functions[i - 1].line;
      uint64_t     calls = 0;
      FunctionForm form = AS_FN;
      for (from = i; from > first && c->functions[from - 1].line == line;
           from--)
         add_count(&calls, c->functions[from - 1].calls);
      if (calls == 0)
         form = form_of(c, line, next, lines, n_lines, &ends[from - first]);
      forms[from - first] = form;
      next = form == AS_NOTHING ? next : line;
   }
   for (size_t i = first, to; i < last; i = to) {
      FunctionForm form = forms[i - first];
      for (to = i; to < last && c->functions[to].line == c->functions[i].line;
           to++)
         forms[to - first] = form;
      if (form != AS_NOTHING)
         put_group(c, i, to, form, ends[i - first], index);
      index += form == AS_FNL;
   }
   for (size_t i = first; i < last; i++)
      if (forms[i - first] == AS_FN) {
         all++;
         hit += c->functions[i].calls > 0;
         fprintf(c->x->out, "FNDA:%" PRIu64 ",%s\n", c->functions[i].calls,
                 text_clean(c->functions[i].name));
      }
   fprintf(c->x->out, "FNF:%zu\nFNH:%zu\n", all, hit);
   free(forms);
   free(ends);
}
