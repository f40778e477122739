/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores that did not run, beside the lines of a listing. */

/* Owns: which stores that did not run stand below the rows of a larger
   slice.  Handed: the rows.

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

#include "cmd/slice/slice_beside.h"

#include "cmd/base/format.h"
#include "cmd/program/lines.h"
#include "cmd/program/recording.h"
#include "cmd/slice/slice_omitted.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_ROWS    10         // rows whose users count
#define MOST_BESIDE  4          // sentences of a listing
#define MOST_DEEPER  4          // branches whose conditions are looked at
#define DEEPER_STEPS 6          // from a branch to what its condition used

typedef
   struct {
      const SliceView*  v;
      const ListedLine* lines;
      size_t            n;
      size_t*           rows;   // by instruction: one of the first rows, or .n
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
   SourceFile* f = line == 0 ? NULL : source_file_open(source);
   size_t      length = 0;
   const char* at = source_file_code(f, line, &length);
   const char* text = "";

   if (at != NULL && length > 0)
      text = text_format(": %s", text_clean_line(at, length));
   source_file_close(f);
   return text;
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

BesideList slice_beside(const SliceView* v, const ListedLine* lines, size_t n)
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
   free(nodes);
   free(z.rows);
   return z.list;
}

void slice_beside_free(BesideList* l)
{
   for (size_t i = 0; i < l->n; i++)
      free(l->all[i].text);
   free(l->all);
}
