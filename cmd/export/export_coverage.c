/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export --lcov, --drcov: which code ran, for viewers of coverage. */

/* Owns: lcov's tracefile; the drcov format of DynamoRIO, version 2, which
   Lighthouse and similar viewers read.  Handed: images, for lcov those whose
   files are what was executed, and their coverage by the room lines/.

   lcov from 2.2 on refuses a function that did not run if a line of it did.  It
   takes all lines up to the next function for the function's.  A function for
   which that is wrong, such as a lambda, is written with its last line, as FNL
   and FNA; lcov 1.16 does not know these and does not see the function.

   gcov numbers the branches of a line from 0, in the order of its blocks.  Where
   cmd/lines/line_branches.c has the same order, lcov adds up the same branches.
   lcov must keep apart those of odd lines and of optimised code.  lcov 1.16 does
   so if block or number differs, lcov 2.x if a number is not the branch's place
   among those of its block, as text.  An odd line has a block of its own and
   numbers with a 0 before them.  A branch of optimised code has a block for
   itself, and as many zeros as the block's number says, for lcov 2.x joins
   blocks of different numbers.

   lcov from 2.2 on refuses a line that ran, but none of its branches, as before
   a call that does not return: these branches are left out.

   drcov has the blocks that ran, without counts. */

#include "cmd/export/export.h"

#include "cmd/base/result.h"
#include "cmd/lines/coverage.h"

/*--- lcov: functions                                      ---*/

/* How a group of functions at one line is written. */
typedef enum { AS_FN, AS_FNL, AS_NOTHING } FunctionForm;

/* Return how to write functions that did not run, at LINE, before NEXT, the
   line of the next functions.  *END: their last line.  LINES: all of the
   file. */
static FunctionForm form_of(const Coverage* coverage, uint32_t line,
                            uint32_t next,
                            const uint64_t* lines, size_t n, uint32_t* end)
{
   size_t i = 0;

   BISECT(i, n, middle, (uint32_t)lines[middle] < line);
   *end = line;
   for (; i < n && (uint32_t)lines[i] < next; i++) {
      const CoverLine* l
         = &coverage->line[keymap_find(coverage->lines, lines[i])];
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
static void put_group(const Coverage* coverage, size_t first, size_t last,
                      FunctionForm form, uint32_t end, uint32_t index,
                      FILE* out)
{
   if (form == AS_FNL)
      fprintf(out, "FNL:%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", index,
              coverage->functions[first].line, end);
   for (size_t i = first; i < last; i++) {
      const CoverFunction* f = &coverage->functions[i];
      const char*         name = text_clean(f->name);
      if (form == AS_FNL)
         fprintf(out, "FNA:%" PRIu32 ",%" PRIu64 ",%s\n", index, f->calls,
                 name);
      else
         fprintf(out, "FN:%" PRIu32 ",%s\n", f->line, name);
   }
}

/* Write the functions of FILE.  LINES: numbers of its lines, in order. */
static void put_functions(const Coverage* coverage, uint32_t file,
                          const uint64_t* lines, size_t n_lines, FILE* out)
{
   size_t        first = 0, last, all = 0, hit = 0;
   uint32_t      next = UINT32_MAX, index = 0;
   FunctionForm* forms;
   uint32_t*     ends;

   BISECT(first, coverage->n_functions, middle,
          coverage->functions[middle].file < file);
   for (last = first;
        last < coverage->n_functions && coverage->functions[last].file == file;
        last++)
      continue;
   forms = zalloc(last - first, sizeof(*forms));
   ends = zalloc(last - first, sizeof(*ends));
   for (size_t i = last, from; i > first; i = from) {
      uint32_t     line = coverage->functions[i - 1].line;
      uint64_t     calls = 0;
      FunctionForm form = AS_FN;
      for (from = i; from > first && coverage->functions[from - 1].line == line;
           from--)
         add_count(&calls, coverage->functions[from - 1].calls);
      if (calls == 0)
         form = form_of(coverage, line, next, lines, n_lines,
                        &ends[from - first]);
      forms[from - first] = form;
      next = form == AS_NOTHING ? next : line;
   }
   for (size_t i = first, to; i < last; i = to) {
      FunctionForm form = forms[i - first];
      for (to = i;
           to < last
           && coverage->functions[to].line == coverage->functions[i].line;
           to++)
         forms[to - first] = form;
      if (form != AS_NOTHING)
         put_group(coverage, i, to, form, ends[i - first], index, out);
      index += form == AS_FNL;
   }
   for (size_t i = first; i < last; i++)
      if (forms[i - first] == AS_FN) {
         all++;
         hit += coverage->functions[i].calls > 0;
         fprintf(out, "FNDA:%" PRIu64 ",%s\n",
                 coverage->functions[i].calls,
                 text_clean(coverage->functions[i].name));
      }
   fprintf(out, "FNF:%zu\nFNH:%zu\n", all, hit);
   FREE_ALL(forms, ends);
}

/*--- lcov: branches                                       ---*/

/* The block of odd lines.  gcov's is 0.  lcov 2.x gives small numbers to blocks
   that it keeps apart. */
#define ODD_BLOCK "1000"

/* Return how many branches each copy has of the N branches of a line; 0 if they
   differ in that, or if one is optimised. */
static size_t branches_of_copy(const Branch* all, size_t n)
{
   size_t each = 0;

   while (each < n && all[each].copy == all[0].copy)
      each++;
   for (size_t i = 0; i < n; i++)
      if (all[i].is_optimised || all[i].copy != all[i - i % each].copy
          || (i > 0 && i % each == 0 && all[i].copy == all[i - 1].copy))
         return 0;
   return n % each == 0 ? each : 0;
}

/* Return the count of way WAY of a branch. */
static uint64_t way_count(const Branch* b, unsigned way)
{
   return (way == 0) == b->jumps_first ? b->taken : b->not_taken;
}

/* Write block and number of way WAY of B.  I: B's index among the line's
   branches, or UINT64_MAX if it has none. */
static void put_number(const Coverage* coverage, const Branch* b, uint64_t i,
                       unsigned way, FILE* out)
{
   bool odd = keymap_find(coverage->odd, line_key(b->file, b->line))
              != UINT32_MAX;

   if (i == UINT64_MAX)
      fprintf(out, "BRDA:%" PRIu32 ",%" PRIu32 ",%.*s%u,", b->line,
              b->block, (int)(1 + (b->block >> 4 * way) % 8), "00000000", way);
   else
      fprintf(out, "BRDA:%" PRIu32 ",%s%" PRIu64 ",", b->line,
              odd ? ODD_BLOCK ",0" : "0,", 2 * i + way);
}

/* Write the N branches of a line, in all copies.  Return how many ways were
   written. */
static size_t put_line(const Coverage* coverage, const Branch* all, size_t n,
                       size_t* hit, FILE* out)
{
   const CoverLine* l
      = &coverage->line[keymap_find(coverage->lines, line_key(all->file,
                                                              all->line))];
   bool            ran = l->count > 0 || l->executed;
   size_t          each = branches_of_copy(all, n);
   size_t          together = each == 0 ? n : each;
   uint64_t        sum = 0;

   for (size_t i = 0; i < n; i++) {
      add_count(&sum, all[i].taken);
      add_count(&sum, all[i].not_taken);
   }
   if (ran && sum == 0)
      return 0;
   for (size_t i = 0; i < together; i++)
      for (unsigned way = 0; way < 2; way++) {
         uint64_t count = 0;
         bool     executed = false;
         for (size_t k = i; k < n; k += together) {
            executed = executed || (ran && all[k].executed);
            if (ran)
               add_count(&count, way_count(&all[k], way));
         }
         put_number(coverage, &all[i], each == 0 ? UINT64_MAX : i, way,
                    out);
         if (executed)
            fprintf(out, "%" PRIu64 "\n", count);
         else
            fputs("-\n", out);
         *hit += count > 0;
      }
   return 2 * together;
}

/* Write the branches of FILE, from FIRST on.  Return the index of the next
   file's first one. */
static size_t put_branches(const Coverage* coverage, size_t first,
                           uint32_t file, FILE* out)
{
   size_t all = 0, hit = 0, i = first;

   while (i < coverage->n_branches && coverage->branches[i].file == file) {
      size_t n = 1;
      while (i + n < coverage->n_branches
             && coverage->branches[i + n].file == file
             && coverage->branches[i + n].line == coverage->branches[i].line)
         n++;
      all += put_line(coverage, &coverage->branches[i], n, &hit, out);
      i += n;
   }
   fprintf(out, "BRF:%zu\nBRH:%zu\n", all, hit);
   return i;
}

/*--- lcov: the tracefile                                  ---*/

/* Write the lines of FILE: N of KEYS. */
static void put_lines(const Coverage* coverage, const uint64_t* keys, size_t n,
                      FILE* out)
{
   size_t hit = 0;

   for (size_t i = 0; i < n; i++) {
      const CoverLine* l
         = &coverage->line[keymap_find(coverage->lines, keys[i])];
      uint64_t         count = cover_times(l);
      hit += count > 0;
      fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n",
              (uint32_t)keys[i], count);
   }
   fprintf(out, "LF:%zu\nLH:%zu\n", n, hit);
}

/* Write all of it, but for what MARKERS in the source leave out. */
static void put_coverage(Coverage* coverage, bool markers, FILE* out)
{
   uint64_t* keys = cover_line_keys(coverage);
   size_t    n = markers ? leave_out_marked(coverage, keys)
                         : coverage->n_lines;
   size_t    branch = 0, to;

   for (size_t i = 0; i < n; i = to) {
      uint32_t file = (uint32_t)(keys[i] >> 32);
      for (to = i; to < n && keys[to] >> 32 == file; to++)
         continue;
      fprintf(out, "TN:\nSF:%s\n",
              text_clean(cover_path(coverage, file)));
      put_functions(coverage, file, keys + i, to - i, out);
      while (branch < coverage->n_branches
             && coverage->branches[branch].file < file)
         branch++;              // a branch of a file without lines
      branch = put_branches(coverage, branch, file, out);
      put_lines(coverage, keys + i, to - i, out);
      fputs("end_of_record\n", out);
      text_forget();
   }
   free(keys);
}

/*--- lcov: the whole                                      ---*/

static void write_lcov(const Export* export)
{
   CoverageOf of = { export->g, export->p, export->code, export->chosen, NULL,
                     export->thread, export->root, true, false };
   Coverage*  c = coverage_new(&of);

   if (c->unit == 0)
      die("the code has no source lines: compile it with -g, or use --drcov, "
          "which needs none");
   put_coverage(c, !export->no_markers, export->out);
   coverage_free(c);
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
