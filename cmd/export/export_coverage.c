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
#include "cmd/inline/entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- lcov: counts                                         ---*/

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

/*--- lcov: lines                                          ---*/

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

/*--- lcov: a file                                         ---*/

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

/*--- lcov: the tracefile                                  ---*/

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

/*--- lcov: the whole                                      ---*/

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

static bool is_covered(const Export* x, uint32_t node)
{
   const DcfgNode* n = &x->p->nodes[node];

   return n->image < x->p->n_images && x->chosen[n->image]
          && is_selected(x->selected, node)
          && n->addr - x->p->images[n->image].load_addr <= UINT32_MAX
          && dcfg_node_executions(x->p, node, x->thread) > 0;
}

static void write_drcov(const Export* x)
{
   const DcfgProcess* p = x->p;
   uint32_t*          id = zalloc(p->n_images, sizeof(*id));
   uint32_t           n = 0;
   uint64_t           rows = 0;

   for (uint32_t i = 0; i < p->n_images; i++)
      if (x->chosen[i])
         id[i] = n++;
   if (n > MAX_IMAGES)
      die("a file of drcov has room for %d images", MAX_IMAGES);
   fprintf(x->out, "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n"
           "Module Table: version 2, count %" PRIu32 "\n"
           "Columns: id, base, end, entry, path\n", n);
   for (uint32_t i = 0; i < p->n_images; i++)
      if (x->chosen[i])
         fprintf(x->out, "%3" PRIu32 ", 0x%016" PRIx64 ", 0x%016" PRIx64
                 ", 0x%016x, %s\n", id[i], p->images[i].load_addr,
                 p->images[i].load_addr + p->images[i].size, 0,
                 image_path(&x->g, i));
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (is_covered(x, i))
         rows += rows_of(&p->nodes[i]);
   fprintf(x->out, "BB Table: %" PRIu64 " bbs\n", rows);
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      const DcfgNode* b = &p->nodes[i];
      uint64_t        at, left = b->size;
      if (!is_covered(x, i))
         continue;
      at = b->addr - p->images[b->image].load_addr;
      for (uint64_t k = rows_of(b); k > 0; k--) {
         uint64_t size = left < MAX_SIZE ? left : MAX_SIZE;
         put_little(x->out, at, 4);
         put_little(x->out, size, 2);
         put_little(x->out, id[b->image], 2);
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
