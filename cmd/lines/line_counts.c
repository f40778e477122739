/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How often did each source line run, and with how many instructions? */

/* Owns: the counts of lines, and a Coverage's parts.  Handed: images; their
   lines by debug_lines.c, functions and branches by line_functions.c and
   line_branches.c; code by cmd/program/code.c.

   Times are counted as gcov does: once each time that control reaches the
   line's code from another line, and once for each jump backwards within it.  A
   call does not leave its line.  The counts of a source file are sums over all
   chosen images.

   Instructions count for the line that the graph itself names for them, as in
   a Callgrind profile: code that was inlined counts for its own line, a stub of
   a linkage table for the call.  What a stub runs on its first call, to find its
   target, counts for none. */

#include "cmd/lines/coverage.h"

#include "cmd/program/inline_view.h"

/*--- Times                                                ---*/

#define NO_LINE UINT64_MAX

/* Return the key of the line of a row; NO_LINE if the source does not have the
   code. */
static uint64_t key_of(const Coverage* coverage, const DebugLine* l)
{
   return l == NULL || l->line == 0 ? NO_LINE
          : line_key(coverage->files[l->file], l->line);
}

/* Count a row's line.  An instruction of an inlined function that was never
   entered has moved away from it, and says nothing about its line. */
static void count_line(Coverage* coverage, const DebugLine* l, uint64_t n)
{
   CoverFunction* f;
   CoverLine*     line;
   uint32_t      owner;

   if (key_of(coverage, l) == NO_LINE)
      return;
   owner = coverage->owners[l - coverage->d->lines];
   f = owner == NO_COVER_FUNCTION ? NULL : &coverage->functions[owner];
   if (f != NULL && f->calls == 0
       && coverage->is_inlined[l - coverage->d->lines])
      return;
   if (f != NULL && !coverage->is_inlined[l - coverage->d->lines])
      f->ran = true;
   line = cover_line(coverage, coverage->files[l->file], l->line);
   add_count(&line->count, n);
   line->executed = true;
}

/*--- Blocks                                               ---*/

static bool file_addr(const Coverage* coverage, uint32_t node, uint64_t offset,
                      uint64_t* at)
{
   const DcfgNode* n = &coverage->of.p->nodes[node];

   return n->kind == DCFG_NODE_BLOCK
          && code_file_addr(coverage->of.code, n->image, n->addr + offset, at);
}

/* Return the key of the line of a block's last instruction; NO_LINE if the
   block is in another file. */
static uint64_t last_line(const Coverage* coverage, uint32_t node)
{
   const DcfgNode* n = &coverage->of.p->nodes[node];
   uint64_t        at;

   if (n->kind != DCFG_NODE_BLOCK || !cover_is_here(coverage, n->image)
       || !file_addr(coverage, node, n->last_offset, &at))
      return NO_LINE;
   return key_of(coverage, debug_line_at(coverage->d, at));
}

/* Return the key of the line just before a block: the line of the call that
   returned to the block, or of the code that a signal interrupted. */
static uint64_t line_before(const Coverage* coverage, uint32_t node)
{
   uint64_t at;

   if (!file_addr(coverage, node, 0, &at) || at == 0)
      return NO_LINE;
   return key_of(coverage, debug_line_at(coverage->d, at - 1));
}

/* Return whether edge E, to a block of LINE, counts as reaching the line
   anew. */
static bool begins_line(const Coverage* coverage, const DcfgEdge* e,
                        uint64_t line)
{
   const DcfgNode* nodes = coverage->of.p->nodes;

   if (dcfg_is_call(e->type) || e->type == DCFG_EDGE_CONTEXT_CHANGE)
      return true;
   if (e->type == DCFG_EDGE_RETURN
       || e->type == DCFG_EDGE_CONTEXT_CHANGE_RETURN
       || e->type == DCFG_EDGE_SYSTEM_RETURN)
      return line_before(coverage, e->target) != line;
   if (e->type == DCFG_EDGE_REP)
      return false;
   return last_line(coverage, e->source) != line
          || nodes[e->target].addr <= nodes[e->source].addr;
}

static void cover_block(Coverage* coverage, uint32_t node)
{
   const DcfgProcess* p = coverage->of.p;
   const DcfgNode*    n = &p->nodes[node];
   uint64_t           runs = dcfg_node_executions(p, node, coverage->of.thread);
   uint64_t           at, first, before, came = 0;
   uint32_t           n_in;
   const uint32_t*    in = dcfg_in_edges(p, node, &n_in);

   if (runs == 0 || !file_addr(coverage, node, 0, &at))
      return;
   first = before = key_of(coverage, debug_line_at(coverage->d, at));
   for (uint32_t i = 0; i < n_in; i++)
      if (begins_line(coverage, &p->edges[in[i]], first))
         add_count(&came, dcfg_edge_count(p, in[i], coverage->of.thread));
   count_line(coverage, debug_line_at(coverage->d, at), came);
   for (uint64_t end = at + n->size; at < end; ) {
      const DebugLine* l = debug_line_at(coverage->d, at);
      if (key_of(coverage, l) != before)
         count_line(coverage, l, runs);
      before = key_of(coverage, l);
      at = l != NULL ? l->end : at + 1;
   }
}

/*--- Files                                                ---*/

static bool is_covered(const Coverage* coverage, uint32_t node)
{
   return coverage->of.selected == NULL
          || is_selected(coverage->of.selected, node);
}

static void count_file(Coverage* coverage)
{
   const DcfgProcess* p = coverage->of.p;
   const DebugLines*  d = coverage->d;

   coverage->files = zalloc(d->n_files, sizeof(*coverage->files));
   coverage->symbols = zalloc(d->n_functions, sizeof(*coverage->symbols));
   coverage->owners = zalloc(d->n_lines, sizeof(*coverage->owners));
   coverage->is_inlined = zalloc(d->n_lines, sizeof(*coverage->is_inlined));
   for (uint32_t i = 0; i < d->n_files; i++)
      coverage->files[i] = cover_file(coverage, d->files[i]);
   cover_find_functions(coverage);
   coverage->first_branch = coverage->n_branches;
   if (coverage->of.branches)
      cover_find_branches(coverage);
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (cover_is_here(coverage, p->nodes[i].image)
          && is_covered(coverage, i)) {
         cover_block(coverage, i);
         cover_count_branch(coverage, i);
      }
   FREE_ALL(coverage->files, coverage->symbols, coverage->owners,
            coverage->is_inlined);
}

/* Return whether an image before the one that is being read has the same
   file. */
static bool was_covered(const Coverage* coverage)
{
   for (uint32_t i = 0; i < coverage->image; i++)
      if (cover_is_here(coverage, i))
         return true;
   return false;
}

/* Read the chosen images' files. */
static void cover_files(Coverage* coverage)
{
   const CoverageOf* x = &coverage->of;

   for (uint32_t i = 0; i < x->p->n_images; i++) {
      const char* why;
      coverage->image = i;
      if (!x->chosen[i] || was_covered(coverage)
          || !code_file_addr(x->code, i, 0, &coverage->base))
         continue;
      coverage->d = debug_lines_read(code_path(x->code, i),
                                     x->p->images[i].build_id, &why);
      if (coverage->d == NULL) {
         if (!x->quiet)
            complain("%s: %s", text_clean(code_path(x->code, i)), why);
         continue;
      }
      count_file(coverage);
      debug_lines_free(coverage->d);
      coverage->unit++;
   }
}

/*--- The whole                                            ---*/

/* Number the scopes of the chosen images. */
static void read_scopes(Coverage* coverage)
{
   const DcfgProcess* p = coverage->of.p;

   coverage->in = inlined_new(&coverage->of.g, coverage->of.root, true,
                              coverage->of.quiet);
   for (uint32_t i = 0; i < p->n_images; i++) {
      uint64_t end;
      if (coverage->of.chosen[i])
         inlined_at(coverage->in, i, p->images[i].load_addr, &end);
      else
         inlined_leave_out(coverage->in, i);
   }
}

Coverage* coverage_new(const CoverageOf* of)
{
   Coverage* c = zalloc(1, sizeof(*c));

   c->of = *of;
   c->f = functions_new(&of->g);
   c->names = interned_new();
   c->file_numbers = keymap_new();
   c->lines = keymap_new();
   c->function_numbers = keymap_new();
   c->odd = keymap_new();
   read_scopes(c);
   c->pieces = pieces_new(&of->g, c->in);
   c->entries = count_entries(c->f, c->pieces, of->thread);
   c->flows = count_flows(c->f, c->pieces, of->thread);
   cover_files(c);
   cover_settle_functions(c);
   cover_sort_branches(c);
   return c;
}

void coverage_free(Coverage* coverage)
{
   functions_free(coverage->f);
   pieces_free(coverage->pieces);
   inlined_free(coverage->in);
   interned_free(coverage->names);
   FREE_EACH(keymap_free, coverage->file_numbers, coverage->lines,
             coverage->function_numbers, coverage->odd);
   FREE_ALL(coverage->entries, coverage->flows, coverage->line,
            coverage->functions, coverage->branches, coverage);
}

COMPARE(by_key, uint64_t, ORDER(*x, *y))

uint64_t* cover_line_keys(const Coverage* coverage)
{
   uint64_t* keys = zalloc(coverage->n_lines, sizeof(*keys));

   for (size_t i = 0; i < coverage->n_lines; i++)
      keys[i] = keymap_key(coverage->lines, (uint32_t)i);
   SORT(keys, coverage->n_lines, by_key);
   return keys;
}

/*--- Instructions                                         ---*/

/* Telling: the instructions of a process, for cover_each_instr(). */
typedef
   struct {
      Coverage*  coverage;
      uint32_t*  files;         // by file of the graph: its number, from 1; 0:
                                // not asked for yet
      CoverInstr tell;
      void*      arg;
   }
   Telling;

uint32_t cover_graph_file(Coverage* coverage, uint32_t file)
{
   const char* path = text_plain_path(coverage->of.g.d->files[file].name);
   uint32_t    n = keymap_size(coverage->file_numbers);

   for (uint32_t i = 0; i < n && path[0] != '/'; i++)
      if (text_ends_path(cover_path(coverage, i), path, strlen(path))) {
         path = cover_path(coverage, i);
         break;
      }
   n = cover_file(coverage, path);
   text_forget();
   return n;
}

static uint32_t graph_file(Telling* t, uint32_t file)
{
   if (t->files[file] == 0)
      t->files[file] = cover_graph_file(t->coverage, file) + 1;
   return t->files[file] - 1;
}

static void tell_instrs(Telling* t, uint32_t node, uint64_t addr,
                        uint64_t instrs)
{
   const DcfgProcess* p = t->coverage->of.p;
   uint32_t           s = dcfg_source_at(p, p->nodes[node].image, addr);

   if (s != DCFG_NONE && p->sources[s].file < t->coverage->of.g.d->n_files
       && p->sources[s].line > 0)
      t->tell(t->arg, node, addr, instrs, graph_file(t, p->sources[s].file),
              p->sources[s].line);
}

/* Tell of a block whose code is not known, such as generated code.  The graph says how
   many instructions each row of source lines has.  A row that goes on in another
   block has the rest; of two such rows, the first one. */
static void tell_rows(Telling* t, uint32_t node, uint64_t times)
{
   const DcfgProcess* p = t->coverage->of.p;
   const DcfgNode*    n = &p->nodes[node];
   const DcfgImage*   im = &p->images[n->image];
   const uint64_t     end = n->addr + n->size;
   uint64_t           rest_at = end;
   uint32_t           rest = n->n_instrs, row = im->first_source;
   uint32_t           behind = row + im->n_sources;

   BISECT(row, behind, mid,
          p->sources[mid].addr + p->sources[mid].size <= n->addr);
   for (; row < behind && p->sources[row].addr < end; row++) {
      const DcfgSource* s = &p->sources[row];
      if (s->addr >= n->addr && s->addr + s->size <= end
          && s->n_instrs <= rest) {
         tell_instrs(t, node, s->addr, capped_product(times, s->n_instrs));
         rest -= s->n_instrs;
      } else if (rest_at == end) {
         rest_at = s->addr > n->addr ? s->addr : n->addr;
      }
   }
   if (rest > 0 && rest_at < end)
      tell_instrs(t, node, rest_at, capped_product(times, rest));
}

static void tell_block(Telling* t, uint32_t node)
{
   const CoverageOf* of = &t->coverage->of;
   const DcfgNode*   n = &of->p->nodes[node];
   uint64_t          times = dcfg_node_executions(of->p, node, of->thread);
   uint32_t*         starts = zalloc(n->n_instrs + (size_t)1, sizeof(*starts));

   if (code_starts(of->code, n->image, n->addr, n->size, n->n_instrs, starts))
      for (uint32_t i = 0; i < n->n_instrs; i++)
         tell_instrs(t, node, n->addr + starts[i], times);
   else
      tell_rows(t, node, times);
   free(starts);
}

/* Tell of the stubs that block NODE called. */
static void tell_stubs(Telling* t, uint32_t node)
{
   const CoverageOf* of = &t->coverage->of;
   const Functions*  f = t->coverage->f;
   const DcfgNode*   nodes = of->p->nodes;
   uint32_t          n;
   const uint32_t*   out = dcfg_out_edges(of->p, node, &n);

   for (uint32_t i = 0; i < n && f->of[node] != NO_FUNCTION; i++) {
      const DcfgEdge* e = &of->p->edges[out[i]];
      uint64_t        count = dcfg_edge_count(of->p, out[i], of->thread);
      if (count > 0 && e->target < of->p->n_blocks
          && f->of[e->target] == NO_FUNCTION)
         tell_instrs(t, node, nodes[node].addr + nodes[node].last_offset,
                     capped_product(count, nodes[e->target].n_instrs));
   }
}

void cover_each_instr(Coverage* coverage, CoverInstr tell, void* arg)
{
   const CoverageOf* of = &coverage->of;
   Telling           t = { .coverage = coverage, .tell = tell, .arg = arg };

   t.files = zalloc(of->g.d->n_files, sizeof(*t.files));
   for (uint32_t i = 0; i < of->p->n_blocks; i++)
      if (of->p->nodes[i].image < of->p->n_images
          && of->chosen[of->p->nodes[i].image]
          && of->p->images[of->p->nodes[i].image].n_sources > 0
          && is_covered(coverage, i)
          && dcfg_node_executions(of->p, i, of->thread) > 0) {
         tell_block(&t, i);
         tell_stubs(&t, i);
      }
   free(t.files);
}

static void add_instrs(void* arg, uint32_t node, uint64_t addr,
                       uint64_t instrs, uint32_t file, uint32_t line)
{
   (void)node;
   (void)addr;
   add_count(&cover_line(arg, file, line)->instrs, instrs);
}

void cover_instrs(Coverage* coverage)
{
   cover_each_instr(coverage, add_instrs, coverage);
}

COMPARE(by_instrs, RanLine, DOWN(instrs) ?: DOWN(times) ?: UP(key))

RanLine* cover_ran_lines(Coverage* coverage, size_t* n)
{
   size_t   counted = coverage->n_lines;
   RanLine* lines;

   cover_instrs(coverage);
   lines = zalloc(coverage->n_lines + 1, sizeof(*lines));
   *n    = 0;
   for (size_t i = 0; i < coverage->n_lines; i++) {
      const CoverLine* l = &coverage->line[i];
      if (l->instrs > 0 || cover_times(l) > 0)
         lines[(*n)++] = (RanLine){ l->instrs, cover_times(l),
                                    keymap_key(coverage->lines, (uint32_t)i),
                                    i < counted };
   }
   SORT(lines, *n, by_instrs);
   return lines;
}
