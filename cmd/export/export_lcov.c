/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Coverage for lcov. */

/* Owns: execution counts of lines, and the tracefile.  Handed: images whose
   files are what was executed; functions and branches by lcov_functions.c
   and lcov_branches.c.

   Lines are counted as gcov does: once each time that control reaches the
   line's code from another line, and once for each jump backwards within it.  A
   call does not leave its line.

   The counts of a source file are sums over all chosen images. */

#include "cmd/export/lcov.h"

#include "cmd/base/result.h"
#include "cmd/inline/entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_LINE UINT64_MAX

/* Return the key of the line of a row; NO_LINE if the source does not have the
   code. */
static uint64_t key_of(const Coverage* c, const DebugLine* l)
{
   return l == NULL || l->line == 0 ? NO_LINE
          : line_key(c->files[l->file], l->line);
}

/* Count a row's line.  An instruction of an inlined function that was never
   entered has moved away from it, and says nothing about its line. */
static void count_line(Coverage* c, const DebugLine* l, uint64_t n)
{
   LcovFunction* f;
   LcovLine*     line;
   uint32_t      owner;

   if (key_of(c, l) == NO_LINE)
      return;
   owner = c->owners[l - c->d->lines];
   f = owner == NO_LCOV_FUNCTION ? NULL : &c->functions[owner];
   if (f != NULL && f->calls == 0 && c->is_inlined[l - c->d->lines])
      return;
   if (f != NULL && !c->is_inlined[l - c->d->lines])
      f->ran = true;
   line = lcov_line(c, c->files[l->file], l->line);
   add_count(&line->count, n);
   line->executed = true;
}

/*--- Lines                                                ---*/

static bool file_addr(const Coverage* c, uint32_t node, uint64_t offset,
                      uint64_t* at)
{
   const DcfgNode* n = &c->x->p->nodes[node];

   return n->kind == DCFG_NODE_BLOCK
          && code_file_addr(c->x->code, n->image, n->addr + offset, at);
}

/* Return the key of the line of a block's last instruction; NO_LINE if the
   block is in another file. */
static uint64_t last_line(const Coverage* c, uint32_t node)
{
   const DcfgNode* n = &c->x->p->nodes[node];
   uint64_t        at;

   if (n->kind != DCFG_NODE_BLOCK || !lcov_is_here(c, n->image)
       || !file_addr(c, node, n->last_offset, &at))
      return NO_LINE;
   return key_of(c, debug_line_at(c->d, at));
}

/* Return the key of the line just before a block: the line of the call that
   returned to the block, or of the code that a signal interrupted. */
static uint64_t line_before(const Coverage* c, uint32_t node)
{
   uint64_t at;

   if (!file_addr(c, node, 0, &at) || at == 0)
      return NO_LINE;
   return key_of(c, debug_line_at(c->d, at - 1));
}

/* Return whether edge E, to a block of LINE, counts as reaching the line
   anew. */
static bool begins_line(const Coverage* c, const DcfgEdge* e, uint64_t line)
{
   const DcfgNode* nodes = c->x->p->nodes;

   if (dcfg_is_call(e->type) || e->type == DCFG_EDGE_CONTEXT_CHANGE)
      return true;
   if (e->type == DCFG_EDGE_RETURN
       || e->type == DCFG_EDGE_CONTEXT_CHANGE_RETURN
       || e->type == DCFG_EDGE_SYSTEM_RETURN)
      return line_before(c, e->target) != line;
   if (e->type == DCFG_EDGE_REP)
      return false;
   return last_line(c, e->source) != line
          || nodes[e->target].addr <= nodes[e->source].addr;
}

static void cover_block(Coverage* c, uint32_t node)
{
   const DcfgProcess* p = c->x->p;
   const DcfgNode*    n = &p->nodes[node];
   uint64_t           runs = dcfg_node_executions(p, node, c->x->thread);
   uint64_t           at, first, before, came = 0;
   uint32_t           n_in;
   const uint32_t*    in = dcfg_in_edges(p, node, &n_in);

   if (runs == 0 || !file_addr(c, node, 0, &at))
      return;
   first = before = key_of(c, debug_line_at(c->d, at));
   for (uint32_t i = 0; i < n_in; i++)
      if (begins_line(c, &p->edges[in[i]], first))
         add_count(&came, dcfg_edge_count(p, in[i], c->x->thread));
   count_line(c, debug_line_at(c->d, at), came);
   for (uint64_t end = at + n->size; at < end; ) {
      const DebugLine* l = debug_line_at(c->d, at);
      if (key_of(c, l) != before)
         count_line(c, l, runs);
      before = key_of(c, l);
      at = l != NULL ? l->end : at + 1;
   }
}

/*--- A file                                               ---*/

static void cover_file(Coverage* c)
{
   const DcfgProcess* p = c->x->p;
   const DebugLines*  d = c->d;

   c->files = zalloc(d->n_files, sizeof(*c->files));
   c->symbols = zalloc(d->n_functions, sizeof(*c->symbols));
   c->owners = zalloc(d->n_lines, sizeof(*c->owners));
   c->is_inlined = zalloc(d->n_lines, sizeof(*c->is_inlined));
   for (uint32_t i = 0; i < d->n_files; i++)
      c->files[i] = lcov_file(c, d->files[i]);
   lcov_find_functions(c);
   lcov_find_branches(c);
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (lcov_is_here(c, p->nodes[i].image)) {
         cover_block(c, i);
         lcov_count_branch(c, i);
      }
   free(c->files);
   free(c->symbols);
   free(c->owners);
   free(c->is_inlined);
}

/* Return whether an image before the one that is being read has the same
   file. */
static bool was_covered(const Coverage* c)
{
   for (uint32_t i = 0; i < c->image; i++)
      if (lcov_is_here(c, i))
         return true;
   return false;
}

/* Read the chosen images' files.  Return how many have lines. */
static size_t cover_files(Coverage* c)
{
   const Export* x = c->x;

   for (uint32_t i = 0; i < x->p->n_images; i++) {
      const char* why;
      c->image = i;
      if (!x->chosen[i] || was_covered(c)
          || !code_file_addr(x->code, i, 0, &c->base))
         continue;
      c->d = debug_lines_read(code_path(x->code, i), x->p->images[i].build_id,
                              &why);
      if (c->d == NULL) {
         complain("%s: %s", text_clean(code_path(x->code, i)), why);
         continue;
      }
      cover_file(c);
      debug_lines_free(c->d);
      c->unit++;
   }
   return c->unit;
}

/*--- The tracefile                                        ---*/

/* Write the lines of FILE: N of KEYS. */
static void put_lines(const Coverage* c, const uint64_t* keys, size_t n)
{
   size_t hit = 0;

   for (size_t i = 0; i < n; i++) {
      const LcovLine* l = &c->line[keymap_find(c->lines, keys[i])];
      /* A line that was executed, but never reached from another line: once. */
      uint64_t        count = l->count == 0 && l->executed ? 1 : l->count;
      hit += count > 0;
      fprintf(c->x->out, "DA:%" PRIu32 ",%" PRIu64 "\n", (uint32_t)keys[i],
              count);
   }
   fprintf(c->x->out, "LF:%zu\nLH:%zu\n", n, hit);
}

COMPARE(by_key, uint64_t, ORDER(*x, *y))

static void put_coverage(Coverage* c)
{
   size_t    n, branch = 0, to;
   uint64_t* keys;

   lcov_settle_functions(c);
   lcov_sort_branches(c);
   n = c->n_lines;
   keys = zalloc(n, sizeof(*keys));
   for (size_t i = 0; i < n; i++)
      keys[i] = keymap_key(c->lines, (uint32_t)i);
   if (n > 0)
      qsort(keys, n, sizeof(*keys), by_key);
   for (size_t i = 0; i < n; i = to) {
      uint32_t file = (uint32_t)(keys[i] >> 32);
      for (to = i; to < n && keys[to] >> 32 == file; to++)
         continue;
      fprintf(c->x->out, "TN:\nSF:%s\n",
              text_clean((const char*)(uintptr_t)
                         keymap_key(c->file_numbers, file)));
      lcov_put_functions(c, file, keys + i, to - i);
      branch = lcov_put_branches(c, branch, file);
      put_lines(c, keys + i, to - i);
      fputs("end_of_record\n", c->x->out);
      text_forget();
   }
   free(keys);
}

/*--- The whole                                            ---*/

/* Number the scopes of the chosen images. */
static void read_scopes(Coverage* c)
{
   const DcfgProcess* p = c->x->p;

   c->in = inlined_new(&c->x->g, c->x->root);
   inlined_want_all(c->in);
   for (uint32_t i = 0; i < p->n_images; i++) {
      uint64_t end;
      if (c->x->chosen[i])
         inlined_at(c->in, i, p->images[i].load_addr, &end);
      else
         inlined_leave_out(c->in, i);
   }
}

static void write_lcov(const Export* x)
{
   Coverage c = { .x = x, .f = functions_new(&x->g), .names = interned_new(),
                  .file_numbers = keymap_new(), .lines = keymap_new(),
                  .function_numbers = keymap_new(), .odd = keymap_new() };

   read_scopes(&c);
   c.pieces = pieces_new(&x->g, c.in);
   c.entries = count_entries(c.f, c.in, c.pieces, x->thread);
   c.flows = count_flows(c.f, c.in, c.pieces, x->thread);
   if (cover_files(&c) == 0)
      die("the code has no source lines: compile it with -g, or use --drcov, "
          "which needs none");
   put_coverage(&c);
   functions_free(c.f);
   pieces_free(c.pieces);
   inlined_free(c.in);
   interned_free(c.names);
   keymap_free(c.file_numbers);
   keymap_free(c.lines);
   keymap_free(c.function_numbers);
   keymap_free(c.odd);
   free(c.entries);
   free(c.flows);
   free(c.line);
   free(c.functions);
   free(c.branches);
   say_next("next:\n  genhtml --branch-coverage -o html %s\n",
            shell_word(x->out_name, ""));
}

const ExportForm export_form_lcov = {
   .choice = { "lcov",
               "a tracefile of lcov: lines, functions, and branches of "
               "the machine code, by debug information", NULL },
   .code = true, .text = true,
   .write = write_lcov
};
