/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export --lcov, --drcov: which code ran, for viewers of coverage. */

/* Owns: execution counts of lines, and lcov's tracefile; the drcov format of
   DynamoRIO, version 2, which Lighthouse and similar viewers read.  Handed:
   images, for lcov those whose files are what was executed; functions and
   branches by lcov_functions.c and lcov_branches.c.

   For lcov, lines are counted as gcov does: once each time that control reaches
   the line's code from another line, and once for each jump backwards within
   it.  A call does not leave its line.  The counts of a source file are sums
   over all chosen images.

   drcov has the blocks that ran, without counts. */

#include "cmd/export/lcov.h"

#include "cmd/base/result.h"
#include "cmd/program/inline_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- lcov: counts                                         ---*/

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
   LcovFunction* f;
   LcovLine*     line;
   uint32_t      owner;

   if (key_of(coverage, l) == NO_LINE)
      return;
   owner = coverage->owners[l - coverage->d->lines];
   f = owner == NO_LCOV_FUNCTION ? NULL : &coverage->functions[owner];
   if (f != NULL && f->calls == 0
       && coverage->is_inlined[l - coverage->d->lines])
      return;
   if (f != NULL && !coverage->is_inlined[l - coverage->d->lines])
      f->ran = true;
   line = lcov_line(coverage, coverage->files[l->file], l->line);
   add_count(&line->count, n);
   line->executed = true;
}

/*--- lcov: lines                                          ---*/

static bool file_addr(const Coverage* coverage, uint32_t node, uint64_t offset,
                      uint64_t* at)
{
   const DcfgNode* n = &coverage->x->p->nodes[node];

   return n->kind == DCFG_NODE_BLOCK
          && code_file_addr(coverage->x->code, n->image, n->addr + offset, at);
}

/* Return the key of the line of a block's last instruction; NO_LINE if the
   block is in another file. */
static uint64_t last_line(const Coverage* coverage, uint32_t node)
{
   const DcfgNode* n = &coverage->x->p->nodes[node];
   uint64_t        at;

   if (n->kind != DCFG_NODE_BLOCK || !lcov_is_here(coverage, n->image)
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
   const DcfgNode* nodes = coverage->x->p->nodes;

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
   const DcfgProcess* p = coverage->x->p;
   const DcfgNode*    n = &p->nodes[node];
   uint64_t           runs = dcfg_node_executions(p, node, coverage->x->thread);
   uint64_t           at, first, before, came = 0;
   uint32_t           n_in;
   const uint32_t*    in = dcfg_in_edges(p, node, &n_in);

   if (runs == 0 || !file_addr(coverage, node, 0, &at))
      return;
   first = before = key_of(coverage, debug_line_at(coverage->d, at));
   for (uint32_t i = 0; i < n_in; i++)
      if (begins_line(coverage, &p->edges[in[i]], first))
         add_count(&came, dcfg_edge_count(p, in[i], coverage->x->thread));
   count_line(coverage, debug_line_at(coverage->d, at), came);
   for (uint64_t end = at + n->size; at < end; ) {
      const DebugLine* l = debug_line_at(coverage->d, at);
      if (key_of(coverage, l) != before)
         count_line(coverage, l, runs);
      before = key_of(coverage, l);
      at = l != NULL ? l->end : at + 1;
   }
}

/*--- lcov: a file                                         ---*/

static void cover_file(Coverage* coverage)
{
   const DcfgProcess* p = coverage->x->p;
   const DebugLines*  d = coverage->d;

   coverage->files = zalloc(d->n_files, sizeof(*coverage->files));
   coverage->symbols = zalloc(d->n_functions, sizeof(*coverage->symbols));
   coverage->owners = zalloc(d->n_lines, sizeof(*coverage->owners));
   coverage->is_inlined = zalloc(d->n_lines, sizeof(*coverage->is_inlined));
   for (uint32_t i = 0; i < d->n_files; i++)
      coverage->files[i] = lcov_file(coverage, d->files[i]);
   lcov_find_functions(coverage);
   lcov_find_branches(coverage);
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (lcov_is_here(coverage, p->nodes[i].image)) {
         cover_block(coverage, i);
         lcov_count_branch(coverage, i);
      }
   free(coverage->files);
   free(coverage->symbols);
   free(coverage->owners);
   free(coverage->is_inlined);
}

/* Return whether an image before the one that is being read has the same
   file. */
static bool was_covered(const Coverage* coverage)
{
   for (uint32_t i = 0; i < coverage->image; i++)
      if (lcov_is_here(coverage, i))
         return true;
   return false;
}

/* Read the chosen images' files.  Return how many have lines. */
static size_t cover_files(Coverage* coverage)
{
   const Export* x = coverage->x;

   for (uint32_t i = 0; i < x->p->n_images; i++) {
      const char* why;
      coverage->image = i;
      if (!x->chosen[i] || was_covered(coverage)
          || !code_file_addr(x->code, i, 0, &coverage->base))
         continue;
      coverage->d = debug_lines_read(code_path(x->code, i),
                                     x->p->images[i].build_id, &why);
      if (coverage->d == NULL) {
         complain("%s: %s", text_clean(code_path(x->code, i)), why);
         continue;
      }
      cover_file(coverage);
      debug_lines_free(coverage->d);
      coverage->unit++;
   }
   return coverage->unit;
}

/*--- lcov: the tracefile                                  ---*/

/* Write the lines of FILE: N of KEYS. */
static void put_lines(const Coverage* coverage, const uint64_t* keys, size_t n)
{
   size_t hit = 0;

   for (size_t i = 0; i < n; i++) {
      const LcovLine* l
         = &coverage->line[keymap_find(coverage->lines, keys[i])];
      /* A line that was executed, but never reached from another line: once. */
      uint64_t        count = l->count == 0 && l->executed ? 1 : l->count;
      hit += count > 0;
      fprintf(coverage->x->out, "DA:%" PRIu32 ",%" PRIu64 "\n",
              (uint32_t)keys[i], count);
   }
   fprintf(coverage->x->out, "LF:%zu\nLH:%zu\n", n, hit);
}

COMPARE(by_key, uint64_t, ORDER(*x, *y))

static void put_coverage(Coverage* coverage)
{
   size_t    n, branch = 0, to;
   uint64_t* keys;

   lcov_settle_functions(coverage);
   lcov_sort_branches(coverage);
   n = coverage->n_lines;
   keys = zalloc(n, sizeof(*keys));
   for (size_t i = 0; i < n; i++)
      keys[i] = keymap_key(coverage->lines, (uint32_t)i);
   if (n > 0)
      qsort(keys, n, sizeof(*keys), by_key);
   for (size_t i = 0; i < n; i = to) {
      uint32_t file = (uint32_t)(keys[i] >> 32);
      for (to = i; to < n && keys[to] >> 32 == file; to++)
         continue;
      fprintf(coverage->x->out, "TN:\nSF:%s\n",
              text_clean((const char*)(uintptr_t)
                         keymap_key(coverage->file_numbers, file)));
      lcov_put_functions(coverage, file, keys + i, to - i);
      branch = lcov_put_branches(coverage, branch, file);
      put_lines(coverage, keys + i, to - i);
      fputs("end_of_record\n", coverage->x->out);
      text_forget();
   }
   free(keys);
}

/*--- lcov: the whole                                      ---*/

/* Number the scopes of the chosen images. */
static void read_scopes(Coverage* coverage)
{
   const DcfgProcess* p = coverage->x->p;

   coverage->in = inlined_new(&coverage->x->g, coverage->x->root);
   inlined_want_all(coverage->in);
   for (uint32_t i = 0; i < p->n_images; i++) {
      uint64_t end;
      if (coverage->x->chosen[i])
         inlined_at(coverage->in, i, p->images[i].load_addr, &end);
      else
         inlined_leave_out(coverage->in, i);
   }
}

static void write_lcov(const Export* export)
{
   Coverage c = { .x = export, .f = functions_new(&export->g),
                 .names = interned_new(),
                  .file_numbers = keymap_new(), .lines = keymap_new(),
                  .function_numbers = keymap_new(), .odd = keymap_new() };

   read_scopes(&c);
   c.pieces = pieces_new(&export->g, c.in);
   c.entries = count_entries(c.f, c.in, c.pieces, export->thread);
   c.flows = count_flows(c.f, c.in, c.pieces, export->thread);
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
            shell_word(export->out_name, ""));
}

const ExportForm export_form_lcov = {
   .choice = { "lcov",
               "a tracefile of lcov: lines, functions, and branches of "
               "the machine code, by debug information", NULL },
   .code = true, .text = true,
   .write = write_lcov
};

/*--- drcov                                                ---*/

/* The largest values that a row of the table of blocks can hold. */
#define MAX_SIZE   UINT16_MAX
#define MAX_IMAGES (UINT16_MAX + 1)

static void put_little(FILE* out, uint64_t n, int bytes)
{
   for (; bytes > 0; bytes--, n >>= 8)
      putc((int)(n & 0xFF), out);
}

/* Return how many rows the block takes: one for each MAX_SIZE bytes. */
static uint64_t rows_of(const DcfgNode* n)
{
   return n->size == 0 ? 1 : (n->size + (uint64_t)MAX_SIZE - 1) / MAX_SIZE;
}

static bool is_covered(const Export* export, uint32_t node)
{
   const DcfgNode* n = &export->p->nodes[node];

   return n->image < export->p->n_images && export->chosen[n->image]
          && is_selected(export->selected, node)
          && n->addr - export->p->images[n->image].load_addr <= UINT32_MAX
          && dcfg_node_executions(export->p, node, export->thread) > 0;
}

static void write_drcov(const Export* export)
{
   const DcfgProcess* p = export->p;
   uint32_t*          id = zalloc(p->n_images, sizeof(*id));
   uint32_t           n = 0;
   uint64_t           rows = 0;

   for (uint32_t i = 0; i < p->n_images; i++)
      if (export->chosen[i])
         id[i] = n++;
   if (n > MAX_IMAGES)
      die("a file of drcov has room for %d images", MAX_IMAGES);
   fprintf(export->out, "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n"
           "Module Table: version 2, count %" PRIu32 "\n"
           "Columns: id, base, end, entry, path\n", n);
   for (uint32_t i = 0; i < p->n_images; i++)
      if (export->chosen[i])
         fprintf(export->out, "%3" PRIu32 ", 0x%016" PRIx64 ", 0x%016" PRIx64
                 ", 0x%016x, %s\n", id[i], p->images[i].load_addr,
                 p->images[i].load_addr + p->images[i].size, 0,
                 image_path(&export->g, i));
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (is_covered(export, i))
         rows += rows_of(&p->nodes[i]);
   fprintf(export->out, "BB Table: %" PRIu64 " bbs\n", rows);
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      const DcfgNode* b = &p->nodes[i];
      uint64_t        at, left = b->size;
      if (!is_covered(export, i))
         continue;
      at = b->addr - p->images[b->image].load_addr;
      for (uint64_t k = rows_of(b); k > 0; k--) {
         uint64_t size = left < MAX_SIZE ? left : MAX_SIZE;
         put_little(export->out, at, 4);
         put_little(export->out, size, 2);
         put_little(export->out, id[b->image], 2);
         at += size;
         left -= size;
      }
   }
   free(id);
}

const ExportForm export_form_drcov = {
   .choice = { "drcov",
               "blocks that were executed, as DynamoRIO's drcov writes them; "
               "of all images, without --image", NULL },
   .parts = true,
   .write = write_drcov
};
