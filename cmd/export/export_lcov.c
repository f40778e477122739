/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Coverage for lcov. */

/* Owns: execution counts of lines, functions and branches.  Handed: images
   whose files are what was executed.  Taken by: cmd_export.c.

   Lines are counted as gcov does: once each time that control reaches the
   line's code from another line, and once for each jump backwards within it.  A
   call does not leave its line. */

#include "cmd/export/debug_lines.h"
#include "cmd/base/result.h"
#include "cmd/export/export.h"
#include "cmd/base/keymap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Branch: a conditional branch, and how often control went each way. */
typedef
   struct {
      uint32_t file, line;
      uint64_t addr;            // the branch's, in the file
      uint64_t taken, not_taken;
      bool     executed;
   }
   Branch;

/* Coverage: an ELF file's lines, with counts. */
typedef
   struct {
      const Export* x;
      uint32_t      image;      // one of the images of the file
      DebugLines*   d;
      KeyMap*       lines;      // keys: key_of() a line
      uint64_t*     counts;     // by number in .lines
      bool*         executed;
      uint64_t*     calls;      // by function of .d
      Branch*       branches;
      size_t        n_branches, room;
   }
   Coverage;

#define NO_LINE UINT64_MAX

/* Return whether images A and B have the same file. */
static bool same_path(const Export* x, uint32_t a, uint32_t b)
{
   return strcmp(image_file(&x->g, a), image_file(&x->g, b)) == 0;
}

static uint64_t key_of(const DebugLine* l)
{
   return l == NULL ? NO_LINE : (uint64_t)l->file << 32 | l->line;
}

static void add_to(uint64_t* sum, uint64_t n)
{
   *sum = *sum > UINT64_MAX - n ? UINT64_MAX : *sum + n;
}

static void count_line(Coverage* c, uint64_t key, uint64_t n)
{
   uint32_t number = keymap_find(c->lines, key);

   if (key == NO_LINE || number == UINT32_MAX)
      return;
   add_to(&c->counts[number], n);
   c->executed[number] = true;
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

   if (n->kind != DCFG_NODE_BLOCK || n->image >= c->x->p->n_images
       || !same_path(c->x, n->image, c->image)
       || !file_addr(c, node, n->last_offset, &at))
      return NO_LINE;
   return key_of(debug_line_at(c->d, at));
}

/* Return the key of the line just before a block: the line of the call that
   returned to the block, or of the code that a signal interrupted. */
static uint64_t line_before(const Coverage* c, uint32_t node)
{
   uint64_t at;

   if (!file_addr(c, node, 0, &at) || at == 0)
      return NO_LINE;
   return key_of(debug_line_at(c->d, at - 1));
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
   first = before = key_of(debug_line_at(c->d, at));
   for (uint32_t i = 0; i < n_in; i++)
      if (begins_line(c, &p->edges[in[i]], first))
         add_to(&came, dcfg_edge_count(p, in[i], c->x->thread));
   count_line(c, first, came);
   for (uint64_t end = at + n->size; at < end; ) {
      const DebugLine* l = debug_line_at(c->d, at);
      if (key_of(l) != before)
         count_line(c, key_of(l), runs);
      before = key_of(l);
      at = l != NULL ? l->end : at + 1;
   }
}

/*--- Functions                                            ---*/

/* Count the calls of the function: edges into its entry from outside, and calls
   from within. */
static void cover_function(Coverage* c, size_t f)
{
   const DcfgProcess*   p = c->x->p;
   const DebugFunction* fn = &c->d->functions[f];

   for (uint32_t k = 0; k < p->n_images; k++) {
      uint32_t        node, n;
      const uint32_t* in;
      uint64_t        base;
      if (!c->x->chosen[k]
          || !same_path(c->x, k, c->image)
          || !code_file_addr(c->x->code, k, 0, &base))
         continue;
      node = dcfg_node_at(p, fn->addr - base);
      if (node == DCFG_NONE || p->nodes[node].addr != fn->addr - base
          || p->nodes[node].image != k)
         continue;
      in = dcfg_in_edges(p, node, &n);
      for (uint32_t i = 0; i < n; i++) {
         const DcfgEdge* e = &p->edges[in[i]];
         uint64_t        from = p->nodes[e->source].addr;
         if (dcfg_is_call(e->type) || from < fn->addr - base
             || from - (fn->addr - base) >= fn->size)
            add_to(&c->calls[f], dcfg_edge_count(p, in[i], c->x->thread));
      }
   }
}

/*--- Branches                                             ---*/

static void take_branch(void* arg, const Instr* i)
{
   Coverage*        c = arg;
   uint64_t         at;
   const DebugLine* l;

   if (!i->conditional
       || !code_file_addr(c->x->code, c->image, i->addr, &at)
       || (l = debug_line_at(c->d, at)) == NULL)
      return;
   GROW(c->branches, c->n_branches, c->room);
   c->branches[c->n_branches++] = (Branch){ .file = l->file,
                                            .line = l->line, .addr = at };
}

COMPARE(branch_order, Branch, UP(file) ?: UP(line) ?: UP(addr))

COMPARE(branch_place, Branch, UP(addr))

/* Find all conditional branches of the file, executed or not. */
static void find_branches(Coverage* c)
{
   const DebugLines* d = c->d;
   uint64_t          base;

   if (!code_file_addr(c->x->code, c->image, 0, &base))
      return;
   for (size_t i = 0; i < d->n_lines; i++)
      code_range(c->x->code, c->image, d->lines[i].addr - base,
                 d->lines[i].end - d->lines[i].addr, take_branch, c);
   if (c->n_branches > 0)
      qsort(c->branches, c->n_branches, sizeof(*c->branches), branch_place);
}

/* Count the block's last instruction, if it is a branch. */
static void cover_branch(Coverage* c, uint32_t node)
{
   const DcfgProcess* p = c->x->p;
   Branch             key = { 0 };
   Branch*            b;
   uint32_t           n;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);

   if (c->n_branches == 0
       || !file_addr(c, node, p->nodes[node].last_offset, &key.addr))
      return;
   b = bsearch(&key, c->branches, c->n_branches, sizeof(key), branch_place);
   if (b == NULL || dcfg_node_executions(p, node, c->x->thread) == 0)
      return;
   b->executed = true;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      uint64_t        count = dcfg_edge_count(p, out[i], c->x->thread);
      if (e->type == DCFG_EDGE_FALL_THROUGH)
         add_to(&b->not_taken, count);
      else if (dcfg_is_local(e->type) && !dcfg_is_bypass(e->type))
         add_to(&b->taken, count);
   }
}

/*--- The tracefile                                        ---*/

static void put_functions(const Coverage* c, uint32_t file, FILE* out)
{
   const DebugLines* d = c->d;
   size_t            all = 0, hit = 0;

   for (size_t i = 0; i < d->n_functions; i++)
      if (d->functions[i].file == file)
         fprintf(out, "FN:%" PRIu32 ",%s\n", d->functions[i].line,
                 text_clean(d->functions[i].name));
   for (size_t i = 0; i < d->n_functions; i++)
      if (d->functions[i].file == file) {
         all++;
         hit += c->calls[i] > 0;
         fprintf(out, "FNDA:%" PRIu64 ",%s\n", c->calls[i],
                 text_clean(d->functions[i].name));
      }
   fprintf(out, "FNF:%zu\nFNH:%zu\n", all, hit);
}

/* Write the branches of FILE, from FIRST on: a file's branches are adjacent.
   Return the index of the next file's first one. */
static size_t put_branches(const Coverage* c, size_t first, uint32_t file,
                           FILE* out)
{
   size_t   all = 0, hit = 0, i = first;
   unsigned number = 0;

   for (; i < c->n_branches && c->branches[i].file == file; i++) {
      const Branch* b = &c->branches[i];
      number = i > first && b[-1].line == b->line ? number + 1 : 0;
      all += 2;
      hit += (b->taken > 0) + (b->not_taken > 0);
      if (b->executed)
         fprintf(out, "BRDA:%" PRIu32 ",%u,0,%" PRIu64 "\nBRDA:%" PRIu32
                 ",%u,1,%" PRIu64 "\n", b->line, number, b->taken, b->line,
                 number, b->not_taken);
      else
         fprintf(out, "BRDA:%" PRIu32 ",%u,0,-\nBRDA:%" PRIu32 ",%u,1,-\n",
                 b->line, number, b->line, number);
   }
   fprintf(out, "BRF:%zu\nBRH:%zu\n", all, hit);
   return i;
}

COMPARE(by_key, uint64_t, ORDER(*x, *y))

static size_t put_lines(const Coverage* c, const uint64_t* keys, size_t first,
                        uint32_t file, FILE* out)
{
   size_t all = 0, hit = 0, i = first;

   for (; i < keymap_size(c->lines) && keys[i] >> 32 == file; i++) {
      uint32_t number = keymap_find(c->lines, keys[i]);
      uint64_t n = c->counts[number];
      /* A line that was executed, but never reached from another line: once. */
      if (n == 0 && c->executed[number])
         n = 1;
      all++;
      hit += n > 0;
      fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", (uint32_t)keys[i], n);
   }
   fprintf(out, "LF:%zu\nLH:%zu\n", all, hit);
   return i;
}

static void put_coverage(Coverage* c, FILE* out)
{
   size_t    n = keymap_size(c->lines), line = 0, branch = 0;
   uint64_t* keys = zalloc(n, sizeof(*keys));

   for (size_t i = 0; i < n; i++)
      keys[i] = keymap_key(c->lines, (uint32_t)i);
   if (n > 0)
      qsort(keys, n, sizeof(*keys), by_key);
   if (c->n_branches > 0)
      qsort(c->branches, c->n_branches, sizeof(*c->branches), branch_order);
   for (uint32_t file = 0; file < c->d->n_files; file++) {
      if (line >= n || keys[line] >> 32 != file)
         continue;
      fprintf(out, "TN:\nSF:%s\n", text_clean(c->d->files[file]));
      put_functions(c, file, out);
      branch = put_branches(c, branch, file, out);
      line = put_lines(c, keys, line, file, out);
      fputs("end_of_record\n", out);
   }
   free(keys);
}

/*--- A file                                               ---*/

static void cover_file(Coverage* c)
{
   const DcfgProcess* p = c->x->p;

   c->lines = keymap_new();
   for (size_t i = 0; i < c->d->n_lines; i++)
      keymap_number(c->lines, key_of(&c->d->lines[i]));
   c->counts = zalloc(keymap_size(c->lines), sizeof(*c->counts));
   c->executed = zalloc(keymap_size(c->lines), sizeof(*c->executed));
   c->calls = zalloc(c->d->n_functions, sizeof(*c->calls));
   find_branches(c);
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (last_line(c, i) != NO_LINE || line_before(c, i) != NO_LINE) {
         uint32_t image = p->nodes[i].image;
         if (image >= p->n_images || !same_path(c->x, image, c->image))
            continue;
         cover_block(c, i);
         cover_branch(c, i);
      }
   for (size_t i = 0; i < c->d->n_functions; i++)
      cover_function(c, i);
   put_coverage(c, c->x->out);
   keymap_free(c->lines);
   free(c->counts);
   free(c->executed);
   free(c->calls);
   free(c->branches);
}

/* Return whether an image before this one has the same file. */
static bool was_covered(const Export* x, uint32_t image)
{
   for (uint32_t i = 0; i < image; i++)
      if (x->chosen[i] && same_path(x, i, image))
         return true;
   return false;
}

static void write_lcov(const Export* x)
{
   size_t n = 0;

   for (uint32_t i = 0; i < x->p->n_images; i++) {
      Coverage    c = { .x = x, .image = i };
      const char* why;
      if (!x->chosen[i] || was_covered(x, i))
         continue;
      c.d = debug_lines_read(code_path(x->code, i), x->p->images[i].build_id,
                             &why);
      if (c.d == NULL) {
         complain("%s: %s", text_clean(code_path(x->code, i)), why);
         continue;
      }
      cover_file(&c);
      debug_lines_free(c.d);
      n++;
   }
   if (n == 0)
      die("the code has no source lines: compile it with -g, or use --drcov, "
          "which needs none");
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
