/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of source files. */

/* Owns: functions of the source, their calls, and which lines are theirs.
   Handed: a file's functions by debug_lines.c, and inlined ones by
   cmd/inline.

   A function is one of the source: all copies of a static function in a header,
   of a constructor, of a template's instance, and all inlined instances add
   up. */

#include "cmd/lines/coverage.h"

#include "cmd/program/inline_view.h"

/*--- The file that is being read                          ---*/

/* Return whether images A and B have the same file. */
static bool same_path(const Program* g, uint32_t a, uint32_t b)
{
   return strcmp(image_file(g, a), image_file(g, b)) == 0;
}

bool cover_is_here(const Coverage* coverage, uint32_t image)
{
   return image < coverage->of.p->n_images && coverage->of.chosen[image]
          && same_path(&coverage->of.g, image, coverage->image);
}

uint32_t cover_file(Coverage* coverage, const char* path)
{
   return keymap_number(coverage->file_numbers,
                        (uintptr_t)intern(coverage->names, path));
}

CoverLine* cover_line(Coverage* coverage, uint32_t file, uint32_t line)
{
   uint32_t n = keymap_number(coverage->lines, line_key(file, line));

   if (n == coverage->n_lines) {
      GROW(coverage->line, coverage->n_lines, coverage->line_room);
      coverage->line[coverage->n_lines++] = (CoverLine){ 0, 0, false, 0 };
   }
   return &coverage->line[n];
}

/*--- Names                                                ---*/

/* Return the name that gcov has for F, which was only inlined.  gcc's debug
   information names constructors and destructors C4 and D4, which are no
   symbols. */
static const char* name_of(Coverage* coverage, const InlinedFunction* f)
{
   const char* name = intern(coverage->names, f->name);
   const char* at = strncmp(name, "_Z", 2) == 0 ? name : "";

   while ((at = strpbrk(at, "CD")) != NULL) {
      char*       copy = text_copy(name);
      const char* other = NULL;
      if (at[1] == '4') {
         copy[at - name + 1] = '2';
         if (strcmp(text_demangle(copy), text_demangle(name)) == 0)
            other = intern(coverage->names, copy);
      }
      free(copy);
      if (other != NULL)
         return other;
      at++;
   }
   return name;
}

/* Return the number of the function NAME at FILE and LINE. */
static uint32_t function_number(Coverage* coverage, uint32_t file,
                                uint32_t line, const char* name)
{
   const char* key = intern(coverage->names,
                            text_format("%" PRIu32 ":%" PRIu32 ":%s", file,
                                        line, name));
   uint32_t    n = keymap_number(coverage->function_numbers, (uintptr_t)key);

   if (n == coverage->n_functions) {
      GROW(coverage->functions, coverage->n_functions, coverage->function_room);
      coverage->functions[coverage->n_functions++]
         = (CoverFunction){ intern(coverage->names, name), file, line, 0, 0,
                           false };
   }
   text_forget();
   return n;
}

/*--- Copies                                               ---*/

/* Return the function, a scope, that has the code at AT, an address of the
   file; or NO_SCOPE. */
static uint32_t outer_at(const Coverage* coverage, uint64_t at)
{
   uint64_t end;
   uint32_t scope = inlined_at(coverage->in, coverage->image,
                               at - coverage->base, &end);

   return scope == NO_SCOPE ? NO_SCOPE : inlined_outer(coverage->in, scope);
}

static bool is_artificial(const Coverage* coverage, uint32_t scope)
{
   return inlined_function_info(coverage->in,
                                inlined_function(coverage->in, scope))
             ->is_artificial;
}

/* Return the calls of the copy that begins with block NODE, FN: edges from
   outside, and calls from within.  A part of a function, split off by the
   compiler, is not called by the rest. */
static uint64_t calls_of(Coverage* coverage, uint32_t node,
                         const DebugFunction* fn)
{
   const DcfgProcess* p = coverage->of.p;
   uint32_t           routine = dcfg_routine_by_entry(p, node), n;
   uint32_t           scope = outer_at(coverage, fn->addr);
   const uint32_t*    in = dcfg_in_edges(p, node, &n);
   uint64_t           calls = 0, within;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[in[i]];
      if (dcfg_is_call(e->type)
          || p->nodes[e->source].addr - p->nodes[node].addr >= fn->size)
         add_count(&calls, dcfg_edge_count(p, in[i], coverage->of.thread));
   }
   if (scope == NO_SCOPE)
      return calls;
   within = dcfg_routine_calls(p, routine, coverage->of.thread)
            - count_calls(coverage->f, coverage->pieces, node,
                          inlined_function(coverage->in, scope),
                          coverage->of.thread);
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
static void find_copies(Coverage* coverage)
{
   const DcfgProcess* p = coverage->of.p;

   for (size_t i = 0; i < coverage->d->n_functions; i++) {
      const DebugFunction* fn = &coverage->d->functions[i];
      uint32_t             scope = outer_at(coverage, fn->addr);
      coverage->symbols[i] = NO_COVER_FUNCTION;
      if (is_thunk(fn->name))
         continue;
      if (scope != NO_SCOPE
          && (inlined_entry(coverage->in, scope) != fn->addr - coverage->base
              || is_artificial(coverage, scope)))
         continue;
      coverage->symbols[i]
         = function_number(coverage, coverage->files[fn->file], fn->line,
                           fn->name);
      for (uint32_t k = 0; k < p->n_images; k++) {
         uint64_t base;
         uint32_t node;
         if (!cover_is_here(coverage, k)
             || !code_file_addr(coverage->of.code, k, 0, &base))
            continue;
         node = image_node_at(p, k, fn->addr - base);
         if (node != DCFG_NONE && p->nodes[node].addr == fn->addr - base)
            add_count(&coverage->functions[coverage->symbols[i]].calls,
                      calls_of(coverage, node, fn));
      }
   }
}

/*--- Instances                                            ---*/

/* Return the CoverFunction of SCOPE, a function with code of its own. */
static uint32_t copy_of(const Coverage* coverage, uint32_t scope, uint64_t base)
{
   uint64_t             at = inlined_entry(coverage->in, scope) + base;
   const DebugFunction* fn = debug_function_at(coverage->d, at);

   return fn == NULL || fn->addr != at ? NO_COVER_FUNCTION
          : coverage->symbols[fn - coverage->d->functions];
}

/* Return the CoverFunction of SCOPE, an instance or a function.  OF: the known
   ones, by function of the source. */
static uint32_t function_of(Coverage* coverage, uint32_t scope, uint32_t* of)
{
   uint32_t               number = inlined_function(coverage->in, scope);
   const InlinedFunction* f = inlined_function_info(coverage->in, number);

   if (of[number] == NO_COVER_FUNCTION && !f->is_artificial && f->line > 0
       && f->file[0] == '/')
      of[number] = function_number(coverage, cover_file(coverage, f->file),
                                   f->line, name_of(coverage, f));
   return of[number];
}

/* Return the CoverFunction of each function of the source, to be freed. */
static uint32_t* add_instances(Coverage* coverage)
{
   uint32_t  n = inlined_scopes(coverage->in);
   uint32_t* of;
   uint64_t  base;

   for (uint32_t i = 0; i < n; i++)
      inlined_function(coverage->in, i);
   of = zalloc(inlined_functions(coverage->in), sizeof(*of));
   memset(of, 0xFF, inlined_functions(coverage->in) * sizeof(*of));
   for (uint32_t i = 0; i < n; i++)
      if (inlined_parent(coverage->in, i) == NO_SCOPE
          && cover_is_here(coverage, inlined_image(coverage->in, i))
          && code_file_addr(coverage->of.code, inlined_image(coverage->in, i),
                            0, &base)) {
         uint32_t* to = &of[inlined_function(coverage->in, i)];
         *to = *to == NO_COVER_FUNCTION ? copy_of(coverage, i, base) : *to;
      }
   for (uint32_t i = 0; i < n; i++) {
      uint32_t to;
      if (inlined_parent(coverage->in, i) == NO_SCOPE
          || is_part_of_parent(coverage->in, i)
          || !cover_is_here(coverage, inlined_image(coverage->in, i)))
         continue;
      to = function_of(coverage, i, of);
      if (to == NO_COVER_FUNCTION)
         continue;
      add_count(&coverage->functions[to].calls, coverage->entries[i]);
      add_count(&coverage->functions[to].flows, coverage->flows[i]);
   }
   return of;
}

/* Return whether block NODE ran and ended with a conditional branch. */
static bool has_branched(const Coverage* coverage, uint32_t node)
{
   const DcfgProcess* p = coverage->of.p;
   uint32_t           n;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);

   if (dcfg_node_executions(p, node, coverage->of.thread) == 0)
      return false;
   for (uint32_t i = 0; i < n; i++)
      if (p->edges[out[i]].type == DCFG_EDGE_DIRECT_CONDITIONAL_BRANCH)
         return true;
   return false;
}

/* Find functions that ran although no entry of them did: the compiler made
   several entries of one, and debug information names one.  Branches of such a
   function tell that it ran; other instructions may have moved. */
static void find_other_entries(Coverage* coverage, uint32_t* of)
{
   const DcfgProcess* p = coverage->of.p;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      uint32_t scope, to;
      if (!cover_is_here(coverage, p->nodes[i].image)
          || !has_branched(coverage, i))
         continue;
      scope = piece_last_scope(coverage->pieces, i);
      for (;
           scope != NO_SCOPE && inlined_parent(coverage->in, scope) != NO_SCOPE;
           scope = inlined_parent(coverage->in, scope))
         if ((to = function_of(coverage, scope, of)) != NO_COVER_FUNCTION
             && coverage->functions[to].calls == 0)
            coverage->functions[to].calls = coverage->functions[to].flows;
   }
}

/*--- Lines                                                ---*/

static void own(Coverage* coverage, const DebugLine* row, const CoverFunction* f)
{
   CoverLine* l = cover_line(coverage, coverage->files[row->file], row->line);
   uint32_t  by = f->file == coverage->files[row->file] ? f->line : UINT32_MAX;

   l->owner = l->owner == 0 || l->owner == by ? by : UINT32_MAX;
}

/* Find the functions of lines.  Forget lines of code that the source does not
   have, such as what initializes global variables, as gcov does. */
static void find_owners(Coverage* coverage, uint32_t* of)
{
   for (size_t i = 0; i < coverage->d->n_lines; i++) {
      DebugLine*           row = &coverage->d->lines[i];
      const DebugFunction* fn = debug_function_at(coverage->d, row->addr);
      uint64_t             end;
      uint32_t             scope = inlined_at(coverage->in, coverage->image,
                                              row->addr - coverage->base, &end);
      while (scope != NO_SCOPE && is_part_of_parent(coverage->in, scope))
         scope = inlined_parent(coverage->in, scope);
      coverage->owners[i] = NO_COVER_FUNCTION;
      if (scope != NO_SCOPE && is_artificial(coverage, scope)) {
         row->line = 0;
         continue;
      }
      coverage->is_inlined[i] = scope != NO_SCOPE
                                && inlined_parent(coverage->in, scope)
                                != NO_SCOPE;
      if (scope != NO_SCOPE)
         coverage->owners[i] = coverage->is_inlined[i]
                               ? function_of(coverage, scope, of)
                               : copy_of(coverage, scope, coverage->base);
      else if (fn != NULL)
         coverage->owners[i] = coverage->symbols[fn - coverage->d->functions];
      if (coverage->owners[i] != NO_COVER_FUNCTION)
         own(coverage, row, &coverage->functions[coverage->owners[i]]);
      else
         cover_line(coverage, coverage->files[row->file], row->line);
   }
}

void cover_find_functions(Coverage* coverage)
{
   uint32_t* of;

   find_copies(coverage);
   of = add_instances(coverage);
   find_other_entries(coverage, of);
   find_owners(coverage, of);
   free(of);
}

/*--- Agreement with lines                                 ---*/

COMPARE(by_place, CoverFunction, UP(file) ?: UP(line)
                                ?: strcmp(x->name, y->name))

/* Give functions of one name in one file, at several lines, different names. */
static void part_names(Coverage* coverage)
{
   KeyMap* names = keymap_new();

   for (size_t i = 0; i < coverage->n_functions; i++) {
      CoverFunction* f = &coverage->functions[i];
      const char*   key = intern(coverage->names, text_format("%" PRIu32 ":%s",
                                                              f->file,
                                                              f->name));
      uint32_t      n = keymap_size(names);
      if (keymap_number(names, (uintptr_t)key) < n)
         f->name = intern(coverage->names, text_format("%s@%" PRIu32, f->name,
                                                       f->line));
      text_forget();
   }
   keymap_free(names);
}

void cover_settle_functions(Coverage* coverage)
{
   size_t n = coverage->n_lines;

   for (size_t i = 0; i < coverage->n_functions; i++) {
      CoverFunction* f = &coverage->functions[i];
      CoverLine*     l = cover_line(coverage, f->file, f->line);
      /* Recording may begin within a function. */
      if (f->calls == 0 && f->ran)
         f->calls = 1;
      if (l >= coverage->line + n) {
         l->owner = f->line;
         add_count(&l->count, f->calls);
      } else if (l->count == 0 && !l->executed) {
         l->count = f->calls;
      }
   }
   SORT(coverage->functions, coverage->n_functions, by_place);
   part_names(coverage);
}
