/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice as the program's lines. */

/* Owns: the short listing of a slice, and which stores that did not run stand
   below its rows.  Handed: a slice.

   The program is the file that has main(), files beside it, code that the
   program made while it ran, and images that --own adds.  If the slice has no
   code of these, the criterion's image is the program.  Each line of the
   program has a row.  Merged lines (code_lines.h) stand with the lines whose
   code they share.  Without debug information each function has a row, also if
   it has no name.  Inlined code counts for the lines that call it, too.  Any
   other image has one row.  So has foreign code in the program's image:
   start-up code without lines, and functions from headers of the distribution.

   The line that ran last comes first; in a slice forward, the line that ran
   first.

   A larger slice has many stores that did not run, and most of them explain
   nothing.  A store stands below a row if all of this is true:

   - the user of the value is in one of the first rows;
   - the place has a name in the source, or is hit for certain;
   - the store is not in the next iteration of a loop that ended;
   - the listing lacks the line of the store, or that of its branch;
   - the store would certainly have run and hit the place, or it never ran.

   A branch may have gone wrong because its condition was not updated.  So the
   values that the condition used are searched in the same way, one branch
   deep. */

#include "cmd/base/format.h"
#include "cmd/base/names.h"
#include "cmd/base/terminal.h"
#include "cmd/program/debug.h"
#include "cmd/program/lines.h"
#include "cmd/program/recording.h"
#include "cmd/slice/slice_omitted.h"
#include "cmd/slice/slice_threads.h"
#include "cmd/slice/slice_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ListingRow: a line, a function or an instruction of the program; or, folded,
   a function of another image. */
typedef
   struct {
      bool        folded, merged;       // .merged: as in CodeLine
      const char* source;       // or NULL
      uint32_t    line;
      const char* function;     // or NULL
      const char* image;        // or NULL
      uint64_t    offset;       // in .image: of a function without a name, or
                                // of an instruction
      uint64_t    in_slice, executed;
      uint64_t    threads, order;       // as in DcfgSliceTotal
      uint32_t    distance;
      uint32_t    instr;        // the nearest to the criterion
   }
   ListingRow;

/* Beside: a sentence that stands below row .row. */
typedef
   struct {
      size_t   row;
      unsigned depth;           // 1: about the branch of the sentence before
      char*    text;
   }
   Beside;

typedef
   struct {
      Beside* all;              // in the order of rows
      size_t  n, room;
      size_t  more;             // sentences left out
   }
   BesideList;

#define NEAR_ROWS    10         // rows whose users count
#define MOST_BESIDE  4          // sentences of a listing
#define MOST_DEEPER  4          // branches whose conditions are looked at
#define DEEPER_STEPS 6          // from a branch to what its condition used

typedef
   struct {
      const SliceView*  v;
      const ListingRow* lines;
      size_t            n;
      size_t*           rows;   // by instruction: one of the first lines, or .n
      BesideList        list;
      OmittedBranch     deeper[MOST_DEEPER];    // branches with deeper slices
      size_t            n_deeper;
   }
   Search;

/*--- Rows                                                 ---*/

static size_t row_of_line(const Search* z, const char* source, uint32_t line)
{
   size_t i = 0;

   while (source != NULL && i < z->n
          && (z->lines[i].line != line || z->lines[i].source == NULL
              || !is_same_source(z->lines[i].source, source)))
      i++;
   return source == NULL ? z->n : i;
}

/* Return which of the first rows has a line of instruction I; .n if none
   has. */
static size_t row_of_instr(const Search* z, uint32_t i)
{
   const CodeLine* lines;
   unsigned        n = code_lines(z->v->code, i, &lines);
   size_t          row = z->n;

   for (unsigned k = 0; k < n && row >= NEAR_ROWS; k++)
      row = row_of_line(z, lines[k].source, lines[k].line);
   return row < NEAR_ROWS ? row : z->n;
}

static void find_rows(Search* z)
{
   uint32_t n = dcfg_wet_instrs(z->v->w);

   z->rows = zalloc(n + (size_t)1, sizeof(*z->rows));
   for (uint32_t i = 0; i < n; i++)
      z->rows[i] = z->v->s->totals[i].in_slice > 0 ? row_of_instr(z, i) : z->n;
}

/*--- What counts                                          ---*/

/* Return whether the code at ADDR has a line of the program that the listing
   lacks. */
static bool is_new(const Search* z, const Omitted* o, uint64_t addr)
{
   const char* source;
   uint32_t    line = slice_omitted_line(z->v->omitted, o, addr, &source);

   return line != 0 && !is_of_system(source)
          && row_of_line(z, source, line) == z->n;
}

static bool tells_more(const Search* z, const Omitted* o)
{
   return !(o->maybe && o->again)
          && (is_new(z, o, o->branch.addr) || is_new(z, o, o->store));
}

/* Remove from L the omissions that explain nothing.  Of several omissions
   with the same store keep one: a certain one, or else the first. */
static void keep_best(const Search* z, const DcfgSlice* s, OmittedList* l)
{
   size_t n = 0;

   for (size_t i = 0; i < l->n; i++) {
      Omitted o = l->all[i];
      size_t  k = 0;
      bool    counts = !o.turn
                       && (slice_omitted_words(z->v->omitted, s, &o).named
                           || (o.memory && !o.maybe));
      text_forget();
      if (!counts)
         continue;
      while (k < n && !slice_omitted_is_one(z->v->omitted, &l->all[k], &o))
         k++;
      if (k == n)
         l->all[n++] = o;
      else if (l->all[k].maybe && !o.maybe)
         l->all[k] = o;
   }
   l->n = n;
}

/*--- Sentences                                            ---*/

/* Return the source of the branch of O, as ": if (month > 12) {"; "" if the
   source cannot be read. */
static const char* branch_source(const Search* z, const Omitted* o)
{
   const char* source;
   uint32_t    line = slice_omitted_line(z->v->omitted, o, o->branch.addr,
                                         &source);
   const char* text = source_text(source, line);

   return text[0] == 0 ? "" : text_format(": %s", text);
}

/* Add a sentence below ROW about O, an omission of a node of S. */
static void add_sentence(Search* z, const DcfgSlice* s, const Omitted* o,
                         size_t row, unsigned depth)
{
   OmittedWords w = slice_omitted_words(z->v->omitted, s, o);
   const char*  text = text_format("%s%s", slice_omitted_text(&w, o),
                                   branch_source(z, o));

   if (z->list.n >= MOST_BESIDE) {
      z->list.more++;
   } else {
      GROW(z->list.all, z->list.n, z->list.room);
      z->list.all[z->list.n++] = (Beside){ row, depth, text_copy(text) };
   }
   text_forget();
}

/*--- One branch deeper                                    ---*/

/* Return the slice of the values that the condition of O's branch used. */
static DcfgSlice* slice_of_branch(const Search* z, const Omitted* o)
{
   bool*          instrs = zalloc(dcfg_wet_instrs(z->v->w) + (size_t)1,
                                  sizeof(*instrs));
   DcfgSliceQuery q = { .instrs = instrs, .instance = o->branch.instance,
                        .no_control = true, .steps = DEEPER_STEPS };
   DcfgError      err;
   DcfgSlice*     s;

   instrs[o->branch.instr] = true;
   s = dcfg_slice_new(z->v->w, &q, &err);
   free(instrs);
   return s;
}

/* Return the stores that did not run but could have changed a value which
   the line of O's branch used in S.  The caller frees the list. */
static OmittedList omissions_of_branch(const Search* z, const Omitted* o,
                                       const DcfgSlice* s)
{
   const char* source;
   uint32_t    line = slice_omitted_line(z->v->omitted, o, o->branch.addr,
                                         &source);
   uint32_t*   nodes = zalloc(s->n_nodes + (size_t)1, sizeof(*nodes));
   size_t      n = 0;
   OmittedList l;

   for (uint32_t i = 0; i < s->n_nodes; i++) {
      CodeLine at = innermost_line(z->v->code, s->nodes[i].instr);
      if (source != NULL && at.line == line && is_same_source(at.source, source))
         nodes[n++] = i;
   }
   l = slice_omissions_of(z->v->omitted, s, nodes, n);
   free(nodes);
   return l;
}

/* Return whether O's branch instance gets no deeper slice: it has one
   already, or there are MOST_DEEPER of them. */
static bool is_deep_enough(Search* z, const Omitted* o)
{
   for (size_t i = 0; i < z->n_deeper; i++)
      if (z->deeper[i].addr == o->branch.addr
          && z->deeper[i].instance == o->branch.instance)
         return true;
   if (z->n_deeper == MOST_DEEPER)
      return true;
   z->deeper[z->n_deeper++] = o->branch;
   return false;
}

/* Add sentences below ROW about O, an omission of a node of KEPT, and about
   stores that could have changed O's branch.  If O tells nothing new, its
   sentence stands only above a sentence that does. */
static void add_omitted(Search* z, const DcfgSlice* kept, const Omitted* o,
                        size_t row)
{
   DcfgSlice*  s = is_deep_enough(z, o) ? NULL : slice_of_branch(z, o);
   OmittedList l = { .n = 0 };
   bool        told = tells_more(z, o);

   if (told)
      add_sentence(z, kept, o, row, 0);
   if (s != NULL) {
      l = omissions_of_branch(z, o, s);
      keep_best(z, s, &l);
   }
   for (size_t i = 0; i < l.n; i++) {
      if (!tells_more(z, &l.all[i]))
         continue;
      if (!told)
         add_sentence(z, kept, o, row, 0);
      told = true;
      add_sentence(z, s, &l.all[i], row, 1);
   }
   omitted_list_free(&l);
   dcfg_slice_free(s);
}

/*--- All                                                  ---*/

/* Put the nodes of KEPT that are in the first rows into NODES; return their
   number. */
static size_t near_nodes(const Search* z, const DcfgSlice* kept,
                         uint32_t* nodes)
{
   size_t n = 0;

   for (uint32_t i = 0; i < kept->n_nodes; i++)
      if (z->rows[kept->nodes[i].instr] < z->n)
         nodes[n++] = i;
   return n;
}

/* Return sentences about stores that did not run but could have changed
   values of the first rows of V's listing.  The listing has N LINES.  Free
   the result with slice_beside_free(). */
static BesideList slice_beside(const SliceView* v, const ListingRow* lines,
                               size_t n)
{
   const DcfgSlice* kept = v->omitted == NULL ? NULL
                           : slice_omissions_near(v->omitted);
   Search           z = { .v = v, .lines = lines, .n = n };
   OmittedList      l;
   uint32_t*        nodes;

   if (kept == NULL)
      return z.list;
   find_rows(&z);
   nodes = zalloc(kept->n_nodes + (size_t)1, sizeof(*nodes));
   l     = slice_omissions_of(v->omitted, kept, nodes,
                              near_nodes(&z, kept, nodes));
   keep_best(&z, kept, &l);
   for (size_t row = 0; row < NEAR_ROWS && row < n; row++)
      for (size_t i = 0; i < l.n; i++)
         if (z.rows[kept->nodes[l.all[i].node].instr] == row)
            add_omitted(&z, kept, &l.all[i], row);
   omitted_list_free(&l);
   FREE_ALL(nodes, z.rows);
   return z.list;
}

static void slice_beside_free(BesideList* l)
{
   for (size_t i = 0; i < l->n; i++)
      free(l->all[i].text);
   free(l->all);
}

#define MOST_LINES     40       // lines of the program
#define MOST_OMITTED   10       // stores that did not run
#define MOST_FUNCTIONS 5        // functions that a row for an image names
#define NAME_WIDTH     48       // columns of the name of a function
#define LABEL_WIDTH    32
#define LABEL_AT       32       // columns of the numbers

/* Listing: the rows of a slice. */
typedef
   struct {
      const SliceView* v;
      const char*      program;         // path of the program's file, or NULL
      const char*      asked;           // path of the criterion's image
      bool             all_asked;       // .asked is the program
      ListingRow*      rows;            // .n_own of the program, then folded
      size_t           n, n_own, room;
      size_t           lines, lines_in; // lines of the program: executed, and
                                        // in the slice
      size_t           idle;            // lines left out: they do nothing
   }
   Listing;

/*--- What is the program's                                ---*/

static const char* text_of(const char* s)
{
   return s == NULL ? "" : s;
}

static bool is_own(const Listing* l, const char* image)
{
   const char* program = l->all_asked ? l->asked : l->program;

   return is_of_program(image, program, l->v->own);
}

/*--- Rows                                                 ---*/

/* Order in which rows of the same line or function stand together, the
   program's first. */
COMPARE(by_key, ListingRow,
        UP(folded) ?: strcmp(text_of(x->source), text_of(y->source))
        ?: UP(line) ?: strcmp(text_of(x->image), text_of(y->image))
        ?: strcmp(text_of(x->function), text_of(y->function)) ?: UP(offset))
COMPARE(by_distance, ListingRow, UP(distance) ?: by_key(x, y))
COMPARE(last_first, ListingRow, DOWN(order) ?: UP(distance) ?: by_key(x, y))
COMPARE(first_first, ListingRow, UP(order) ?: UP(distance) ?: by_key(x, y))

/* Add the counts of ROW to SUM. */
static void add_to(const Listing* l, ListingRow* sum, const ListingRow* row)
{
   if (row->in_slice > 0
       && (sum->in_slice == 0 || (l->v->forward ? row->order < sum->order
                                                : row->order > sum->order)))
      sum->order = row->order;
   sum->in_slice += row->in_slice;
   sum->executed += row->executed;
   sum->threads  |= row->threads;
   if (row->distance < sum->distance) {
      sum->distance = row->distance;
      sum->instr    = row->instr;
   }
}

/* Join rows of the same line or function, and remove rows that are not in
   the slice. */
static void merge_rows(Listing* l)
{
   size_t n = 0;

   qsort(l->rows, l->n, sizeof(*l->rows), by_key);
   for (size_t i = 0, k; i < l->n; i = k) {
      ListingRow sum = l->rows[i];
      for (k = i + 1; k < l->n && by_key(&sum, &l->rows[k]) == 0; k++)
         add_to(l, &sum, &l->rows[k]);
      l->lines    += sum.line != 0;
      l->lines_in += sum.line != 0 && sum.in_slice > 0;
      if (sum.in_slice == 0)
         continue;
      l->rows[n++] = sum;
      l->n_own    += !sum.folded;
   }
   l->n = n;
   qsort(l->rows, l->n_own, sizeof(*l->rows),
         l->v->forward ? first_first : last_first);
}

static void add_row(Listing* l, const ListingRow* row)
{
   GROW(l->rows, l->n, l->room);
   l->rows[l->n++] = *row;
}

/* Add a row like WITH for each line of instruction I, which is the program's
   own.  Return false if it has none, as code of a header. */
static bool add_lines(Listing* l, uint32_t i, const ListingRow* with)
{
   const CodeLine* lines;
   unsigned        n = code_lines(l->v->code, i, &lines);
   ListingRow      row = *with;

   row.function = row.image = NULL;
   for (unsigned k = 0; k < n; k++) {
      unsigned j = 0;
      while (j < k && (lines[j].line != lines[k].line
                       || strcmp(lines[j].source, lines[k].source) != 0))
         j++;
      row.source = lines[k].source;
      row.line   = lines[k].line;
      row.merged = lines[k].merged;
      if (j == k)
         add_row(l, &row);
   }
   return n > 0;
}

/* Add the rows of instruction I.  HAS_LINES: its image has lines. */
static void add_rows(Listing* l, uint32_t i, bool has_lines)
{
   const DcfgWetInstr    in = *dcfg_wet_instr(l->v->w, i);
   const DcfgSliceTotal* t = &l->v->s->totals[i];
   bool plain = l->v->all || l->all_asked;
   ListingRow row = { .function = in.function, .image = in.image_name,
                      .in_slice = t->in_slice, .executed = t->executed,
                      .threads = t->threads, .order = t->order,
                      .distance = t->distance, .instr = i };

   row.folded = !l->v->all && (!is_own(l, in.image_name)
                               || (has_lines && in.line == 0));
   if (!row.folded && in.line != 0 && !plain) {
      if (add_lines(l, i, &row))
         return;
      row.folded = true;
   }
   if (!row.folded && in.line != 0) {
      row.source   = in.source;
      row.line     = in.line;
      row.function = NULL;
      row.image    = NULL;
   } else if (!row.folded && in.function == NULL) {
      row.offset = l->v->all ? in.addr - in.image_load
                   : function_start(l->v->found->program, i);
   }
   add_row(l, &row);
}

static void make_rows(Listing* l)
{
   DcfgWet* w = l->v->w;
   uint32_t all = dcfg_wet_instrs(w);
   bool*    lines = images_with_lines(w);

   l->n = l->n_own = l->lines = l->lines_in = 0;
   for (uint32_t i = 0; i < all; i++)
      if (l->v->s->totals[i].executed > 0)
         add_rows(l, i, lines[dcfg_wet_instr(w, i)->image]);
   merge_rows(l);
   free(lines);
}

/*--- The program                                          ---*/

/* Return the label of a row that is not labelled by a function's name. */
static const char* label_of(const ListingRow* row)
{
   if (row->line != 0)
      return text_clean(text_format("%s:%" PRIu32, text_base(row->source),
                                    row->line));
   return text_clean(text_format("%s+0x%" PRIx64,
                                 row->image == NULL ? "?"
                                 : text_base(row->image), row->offset));
}

/* Return the labels of N rows, to be freed; the labels are valid until
   text_forget(). */
static const char** labels_of(const ListingRow* rows, size_t n)
{
   const char** labels = zalloc(n, sizeof(*labels));
   LongName*    names = zalloc(n, sizeof(*names));
   const char** briefs;
   size_t       n_names = 0;

   for (size_t i = 0; i < n; i++)
      if (rows[i].line == 0 && rows[i].function != NULL)
         names[n_names++] = (LongName){
            text_clean(text_demangle(rows[i].function)),
            rust_hash(rows[i].function) };
      else
         labels[i] = text_shorten(label_of(&rows[i]), LABEL_WIDTH);
   briefs  = short_names(names, n_names, LABEL_WIDTH);
   n_names = 0;
   for (size_t i = 0; i < n; i++)
      if (labels[i] == NULL)
         labels[i] = briefs[n_names++];
   FREE_ALL(briefs, names);
   return labels;
}

/* Return whether the line of ROW, with TEXT, does nothing: it is only a
   brace, or a merged line that only declares a variable. */
static bool does_nothing(const ListingRow* row, const char* text)
{
   return text[0] != 0
          && (text[strspn(text, " \t{};()")] == 0
              || (row->merged && strpbrk(text, "=(+-") == NULL));
}

/* Remove the rows of lines that do nothing. */
static void leave_out_idle(Listing* l)
{
   size_t n = 0;

   for (size_t i = 0; i < l->n_own; i++) {
      const char* text = source_text(l->rows[i].source, l->rows[i].line);
      if (!does_nothing(&l->rows[i], text))
         l->rows[n++] = l->rows[i];
      text_forget();
   }
   if (n == 0)
      return;
   l->idle = l->n_own - n;
   memmove(&l->rows[n], &l->rows[l->n_own],
           (l->n - l->n_own) * sizeof(*l->rows));
   l->n     -= l->idle;
   l->n_own  = n;
}

/* Print the sentences of B that stand below ROW, from column AT on. */
static void put_beside(FILE* out, const BesideList* b, size_t row, size_t at)
{
   for (size_t i = 0; i < b->n; i++)
      if (b->all[i].row == row) {
         size_t from = at + 2 * b->all[i].depth;
         fprintf(out, "%*s%s\n", (int)from, "",
                 text_cut(b->all[i].text, terminal_room(out, from)));
      }
}

static void put_own(FILE* out, const Listing* l)
{
   BesideList beside = slice_beside(l->v, l->rows, l->n_own);
   size_t most = l->v->all ? l->n_own : MOST_LINES;
   size_t shown = l->n_own < most ? l->n_own : most;
   bool   threads = slice_has_threads(l->v);
   size_t at = LABEL_AT + (threads ? THREADS_WIDTH : 0);
   size_t width = 0;
   const char** labels = labels_of(l->rows, shown);

   for (size_t i = 0; i < shown; i++) {
      labels[i] = text_copy(labels[i]);
      if (text_width(labels[i]) > width)
         width = text_width(labels[i]);
   }
   text_forget();
   fputs("\ndistance    instances   share", out);
   if (threads)
      slice_put_threads_head(out);
   fputs(l->lines > 0 ? "   line\n" : "   function\n", out);
   for (size_t i = 0; i < shown; i++) {
      const char* label = labels[i];
      const char* text = source_text(l->rows[i].source, l->rows[i].line);
      const char* around = l->v->inlined == NULL ? ""
                           : inlined_trace_text(l->v->inlined,
                                                l->rows[i].instr);
      if (around[0] != 0)
         text = text_format("%s%s[%s]", text, text[0] != 0 ? "  " : "", around);
      slice_put_numbers(out, l->rows[i].distance, l->rows[i].in_slice,
                        l->rows[i].executed);
      if (threads)
         slice_put_threads(out, l->rows[i].threads);
      fprintf(out, "   %s", label);
      if (text[0] != 0)
         fprintf(out, "%*s%s", (int)(width - text_width(label) + 2), "",
                 text_cut(text, terminal_room(out, at + width + 2)));
      if (l->rows[i].merged)
         fputs("  (merged with other lines)", out);
      putc('\n', out);
      put_beside(out, &beside, i, at + 3);
      free((char*)label);
      text_forget();
   }
   free(labels);
   if (shown < l->n_own)
      fprintf(out, "%*s+ %s more: --all\n", (int)at, "",
              text_count(l->n_own - shown));
   if (l->idle > 0)
      fprintf(out, "%*s+ %s line%s with a brace or declaration only: --all\n",
              (int)at, "", text_count(l->idle), l->idle == 1 ? "" : "s");
   if (beside.more > 0)
      fprintf(out, "%*s+ %s more that did not run: --omitted\n", (int)at, "",
              text_count(beside.more));
   slice_beside_free(&beside);
}

/*--- What is folded                                       ---*/

/* Fold: the rows of an image that share one line of the listing. */
typedef
   struct {
      const ListingRow* rows;   // the nearest first
      size_t            n;
      ListingRow        sum;
   }
   Fold;

COMPARE(by_nearest, Fold, by_distance(&x->sum, &y->sum))

static void put_fold(FILE* out, const Fold* f)
{
   size_t       named = 0;
   LongName     names[MOST_FUNCTIONS];
   const char** shown;

   fprintf(out, "%s  %s instance%s in %s function%s, nearest %" PRIu32,
           f->sum.image == NULL ? "?" : text_clean(text_base(f->sum.image)),
           text_count(f->sum.in_slice), f->sum.in_slice == 1 ? "" : "s",
           text_count(f->n), f->n == 1 ? "" : "s", f->sum.distance);
   for (size_t i = 0; i < f->n && named < MOST_FUNCTIONS; i++)
      if (f->rows[i].function != NULL)
         names[named++] = (LongName){
            text_clean(text_demangle(f->rows[i].function)),
            rust_hash(f->rows[i].function) };
   shown = short_names(names, named, NAME_WIDTH);
   for (size_t i = 0; i < named; i++)
      fprintf(out, "%s%s", i == 0 ? ": " : ", ", shown[i]);
   free(shown);
   fputs(named > 0 && named < f->n ? ", ...\n" : "\n", out);
   text_forget();
}

static void put_folds(FILE* out, Listing* l)
{
   size_t      n = l->n - l->n_own, n_folds = 0;
   ListingRow* rows = l->rows + l->n_own;
   Fold*       folds = zalloc(n + 1, sizeof(*folds));

   for (size_t i = 0, k; i < n; i = k) {
      Fold* f = &folds[n_folds++];
      *f = (Fold){ &rows[i], 1, rows[i] };
      for (k = i + 1; k < n
           && strcmp(text_of(rows[k].image), text_of(rows[i].image)) == 0; k++)
         add_to(l, &f->sum, &rows[k]);
      f->n = k - i;
      qsort(&rows[i], f->n, sizeof(*rows), by_distance);
   }
   qsort(folds, n_folds, sizeof(*folds), by_nearest);
   if (n_folds > 0)
      putc('\n', out);
   for (size_t i = 0; i < n_folds; i++)
      put_fold(out, &folds[i]);
   free(folds);
}

/*--- The whole                                            ---*/

/* Print a hint if the slice has more than a tenth of the run: it explains
   little. */
static void put_hint(FILE* out, const SliceView* v)
{
   if (v->s->n_instances <= v->s->n_executed / 10)
      return;
   fprintf(out, "\n%s of the run: ", text_share(v->s->n_instances,
                                              v->s->n_executed));
   fputs(v->thin ? "--of=LOCATION asks for one value only\n"
         : "--thin leaves out control and addresses\n", out);
}

#define MOST_EXECUTED 100000000 // instances of a run that is sliced twice
#define MOST_ADDED    4         // added lines that are named

static bool has_row(const Listing* l, const ListingRow* row)
{
   for (size_t i = 0; i < l->n_own; i++)
      if (l->rows[i].line == row->line && row->line != 0
          && strcmp(text_of(l->rows[i].source), text_of(row->source)) == 0)
         return true;
   return false;
}

/* Say what the thin slice L leaves out, and which lines are in the slice with
   control and addresses. */
static void put_left_out(FILE* out, const Listing* l)
{
   SliceView   v = *l->v;
   DcfgSlice*  s = v.s->n_executed > MOST_EXECUTED ? NULL
                   : slice_not_thin(v.found);
   Listing     all = *l;
   size_t      n = 0;
   const char* names = "";

   fputs("\n--thin leaves out control and addresses", out);
   if (s != NULL) {
      v.s = s;
      all = (Listing){ .v = &v, .program = l->program, .asked = l->asked,
                       .all_asked = l->all_asked };
      make_rows(&all);
      if (!v.all)
         leave_out_idle(&all);
      for (size_t i = 0; i < all.n_own; i++)
         if (!has_row(l, &all.rows[i]) && n++ < MOST_ADDED)
            names = text_format("%s%s%s", names, n == 1 ? "" : ", ",
                                label_of(&all.rows[i]));
      fprintf(out, n == 0 ? "; the slice with them has no other lines"
              : "; the slice with them has %s more line%s: %s%s",
              text_count(n), n == 1 ? "" : "s", names,
              n > MOST_ADDED ? ", ..." : "");
      free(all.rows);
      dcfg_slice_free(s);
   }
   putc('\n', out);
}

static void write_lines(const SliceView* v, FILE* out)
{
   Listing l = { .v = v, .program = wet_program(v->w) };
   uint32_t last = v->s->nodes[v->s->criteria[0]].instr;

   l.asked = dcfg_wet_instr(v->w, last)->image_name;
   make_rows(&l);
   if (l.n_own == 0) {
      l.all_asked = true;
      make_rows(&l);
   }
   if (!v->all)
      leave_out_idle(&l);
   slice_put_head(out, v, l.lines_in, l.lines, "the program");
   if (l.n_own > 0)
      put_own(out, &l);
   slice_put_crossings(out, v);
   if (v->omitted != NULL)
      slice_put_omitted(out, v->omitted, v->all ? SIZE_MAX : MOST_OMITTED);
   put_folds(out, &l);
   put_hint(out, v);
   if (v->thin && !v->forward)
      put_left_out(out, &l);
   free(l.rows);
}

const SliceForm slice_form_lines = {
   .choice = { "lines", "the program's lines, the one that ran last first, and "
               "a line for each library", NULL },
   .keeps_instances = false, .write = write_lines
};
