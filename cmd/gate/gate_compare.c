/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Did a run grow beyond its limits? */

/* Owns: pairs of functions of a baseline and a run, the verdict, and the
   reasons for it.  Handed: both, and limits.

   The program is judged as a whole: code that moves between functions is no
   regression.  Functions are judged if a limit names them, or if --by says so.
   A limit of a function is a part of what it cost in the baseline; the limit of
   all is a part of what the whole program cost there, for each function, too.

   A function of the run that the baseline lacks is new, or it cost less than
   .least there; of the run, all functions are known.  So "new" and "gone"
   decide only for functions that a limit names.

   Functions are the same if names, images and files are.  Then, if only one on
   each side is left: name and image; name and file; the name.  An image may be
   renamed, and so may be a file. */

#include "cmd/gate/gate.h"

#include <math.h>

/*--- Pairs of functions                                   ---*/

/* Same: what functions have in common besides the name. */
typedef enum { SAME_ALL, SAME_IMAGE, SAME_FILE, SAME_NAME, N_SAMES } Same;

/* Keyed: a function of a side; its key is a number. */
typedef
   struct {
      const GateFunction* f;
      uint32_t key;
      int      side;
   }
   Keyed;

COMPARE(by_key, Keyed, UP(key) ?: UP(side) ?: UP(f))

/* Return a number for what F has in common.  If not all is, a version behind
   ".so" does not matter. */
static uint32_t key_of(const GateFunction* f, Same same, Interned* texts,
                       KeyMap* numbers)
{
   const char* so = same == SAME_ALL ? NULL : strstr(f->image, ".so");
   int         n = so == NULL ? (int)strlen(f->image) : (int)(so - f->image);
   const char* text = text_format(
      "%s\n%.*s\n%s", f->key, same == SAME_ALL || same == SAME_IMAGE ? n : 0,
      f->image, same == SAME_ALL || same == SAME_FILE ? text_base(f->file)
      : "");
   uint32_t    number = keymap_number(numbers, (uintptr_t)intern(texts, text));

   text_forget();
   return number;
}

/* Put the functions of both runs that are in no pair, those with .f, into rows:
   LONELY: all; otherwise where one of each has a key. */
static void pair(GateResult* r, Keyed* all, size_t n, bool lonely)
{
   for (size_t i = 0, end; i < n; i = end) {
      size_t of[2] = { 0, 0 };
      for (end = i; end < n && all[end].key == all[i].key; end++)
         of[all[end].side]++;
      if (lonely)
         for (size_t k = i; k < end; k++)
            r->rows[r->n++] = all[k].side == 0
                              ? (GateRow){ .fa = all[k].f }
                              : (GateRow){ .fb = all[k].f };
      else if (of[0] == 1 && of[1] == 1) {
         r->rows[r->n++] = (GateRow){ .fa = all[i].f, .fb = all[i + 1].f };
         all[i].f = all[i + 1].f = NULL;
      }
   }
}

static void find_pairs(GateResult* r)
{
   Interned* texts = interned_new();
   KeyMap*   numbers = keymap_new();
   size_t    n = r->a->n + r->b->n;
   Keyed*    all = zalloc(n + 1, sizeof(*all));

   for (size_t i = 0; i < n; i++)
      all[i] = (Keyed){ i < r->a->n ? &r->a->functions[i]
                        : &r->b->functions[i - r->a->n], 0, i >= r->a->n };
   for (int same = SAME_ALL; same <= N_SAMES; same++) {
      size_t kept = 0;
      for (size_t i = 0; i < n; i++)
         if (all[i].f != NULL) {
            all[kept] = all[i];
            all[kept].key = key_of(all[i].f, same % N_SAMES, texts, numbers);
            kept++;
         }
      n = kept;
      SORT(all, n, by_key);
      pair(r, all, n, same == N_SAMES);
   }
   free(all);
   keymap_free(numbers);
   interned_free(texts);
}

/*--- Rows                                                 ---*/

static uint64_t distance(const GateRow* row)
{
   return row->a > row->b ? row->a - row->b : row->b - row->a;
}

COMPARE(by_distance, GateRow, ORDER(y->limit != NULL, x->limit != NULL)
        ?: ORDER(distance(y), distance(x)) ?: UP(fb) ?: UP(fa))

static void set_word(GateRow* row, bool is_function)
{
   row->word = row->a == row->b ? GATE_SAME
               : is_function && row->a == 0 ? GATE_NEW
               : is_function && row->b == 0 ? GATE_GONE
               : row->b > row->a ? GATE_GREW : GATE_SHRANK;
}

/* Return whether ROW grew by more than PERCENT of BASE. */
static bool has_grown(const GateRow* row, double percent, uint64_t base)
{
   return row->b > row->a
          && (double)(row->b - row->a) > percent / 100 * (double)base;
}

static bool is_named(const GateRow* row, const GateLimit* limit)
{
   return (row->fa != NULL && gate_is(row->fa, limit->function))
          || (row->fb != NULL && gate_is(row->fb, limit->function));
}

static void judge(const GateResult* r, GateRow* row, GateBy by,
                  const GateLimits* limits)
{
   bool deep = by == BY_INCLUSIVE;

   row->a = row->fa == NULL ? 0 : deep ? row->fa->all : row->fa->self;
   row->b = row->fb == NULL ? 0 : deep ? row->fb->all : row->fb->self;
   set_word(row, true);
   for (size_t i = 0; i < limits->n && row->limit == NULL; i++)
      if (is_named(row, &limits->of[i]))
         row->limit = &limits->of[i];
   text_forget();
   if (row->limit != NULL)
      row->beyond = row->word == GATE_NEW || row->word == GATE_GONE
                    || has_grown(row, row->limit->percent, row->a);
   else if (by != BY_TOTAL && row->word == GATE_GREW)
      row->beyond = has_grown(row, limits->all.percent, r->a->total);
}

/* Keep rows that changed, or have a limit.  A function that the baseline may
   have left out is not told. */
static void select_rows(GateResult* r, uint64_t least)
{
   size_t n = 1;

   for (size_t i = 1; i < r->n; i++) {
      const GateRow* row = &r->rows[i];
      bool           hidden = row->fa == NULL && row->b < r->a->least;
      if (row->limit != NULL
          || (row->word != GATE_SAME && !hidden
              && (row->a >= least || row->b >= least)))
         r->rows[n++] = *row;
   }
   r->n = n;
   SORT(r->rows + 1, n - 1, by_distance);
   while (r->n_limited + 1 < n && r->rows[r->n_limited + 1].limit != NULL)
      r->n_limited++;
}

/*--- Names and words                                      ---*/

const char* gate_word(GateWord word)
{
   static const char* const words[] = {
      [GATE_SAME] = "the same", [GATE_GREW] = "grew",
      [GATE_SHRANK] = "shrank", [GATE_NEW] = "new", [GATE_GONE] = "gone"
   };

   return words[word];
}

const char* gate_change(uint64_t a, uint64_t b)
{
   double percent = a == 0 ? 0 : 100 * ((double)b - (double)a) / (double)a;

   return a == 0 || b == 0 || a == b ? ""
          : text_format(fabs(percent) < 99.95 ? "%+.3g%%" : "%+.0f%%", percent);
}

const char* gate_verdict(const GateResult* r)
{
   return r->status == STATUS_OK ? "within the limits"
          : r->status == STATUS_FOUND ? "beyond the limits"
          : "not comparable";
}

static bool has_namesake(const GateRun* r, const GateFunction* f)
{
   for (size_t i = 0; i < r->n; i++)
      if (r->functions[i].key == f->key
          && (strcmp(r->functions[i].image, f->image) != 0
              || strcmp(text_base(r->functions[i].file),
                        text_base(f->file)) != 0))
         return true;
   return false;
}

const char* gate_row_name(const GateResult* r, const GateRow* row)
{
   const GateFunction* f = row->fb != NULL ? row->fb : row->fa;
   const char*         name;

   if (f == NULL)
      return "the program";
   name = text_brief(f->name);
   if (has_namesake(r->a, f) || has_namesake(r->b, f))
      name = text_format("%s:%s", f->file[0] != 0 ? text_base(f->file)
                         : f->image, name);
   return text_clean(name);
}

/*--- Reasons                                              ---*/

static void add_reason(GateResult* r, int status, const char* text)
{
   GROW(r->reasons, r->n_reasons, r->room);
   r->reasons[r->n_reasons++] = text_copy(text);
   if (status > r->status)
      r->status = status;
}

/* Add a reason if LIMIT names no function, or several. */
static void check_limit(GateResult* r, const GateLimit* limit)
{
   const GateRow* found = NULL;
   Nearest        nearest = nearest_to(limit->function);

   for (size_t i = 1; i < r->n; i++) {
      const GateRow* row = &r->rows[i];
      if (!is_named(row, limit))
         continue;
      if (found == NULL) {
         found = row;
         continue;
      }
      add_reason(r, STATUS_BAD, text_format(
                    "%s is several functions, such as %s and %s: name one as "
                    "FILE:FUNCTION or IMAGE:FUNCTION",
                    text_clean(limit->function), gate_row_name(r, found),
                    gate_row_name(r, row)));
      return;
   }
   for (size_t i = 1; found == NULL && i < r->n; i++) {
      const GateRow* row = &r->rows[i];
      offer_function(&nearest, text_brief(row->fb != NULL ? row->fb->name
                                          : row->fa->name));
   }
   if (found == NULL)
      add_reason(r, STATUS_BAD, text_format(
                    "no function `%s' in A or B%s", text_clean(limit->function),
                    text_clean(nearest_text(&nearest))));
}

static void tell_beyond(GateResult* r, const GateRow* row,
                        const GateLimit* all)
{
   const GateLimit* limit = row->limit != NULL ? row->limit : all;
   const char*      name = gate_row_name(r, row);

   if (row->word == GATE_NEW || row->word == GATE_GONE)
      add_reason(r, STATUS_FOUND, text_format(
                    "%s is %s, with %s instructions, and has a limit%s", name,
                    gate_word(row->word), text_count(distance(row)),
                    row->fa != NULL || r->a->least < 2 ? ""
                    : text_format("; A has functions from %s instructions on, "
                                  "and those with a --limit at --save",
                                  text_count(r->a->least))));
   else
      add_reason(r, STATUS_FOUND, text_format(
                    "%s grew from %s to %s instructions (%s), beyond %s%s",
                    name, text_count(row->a), text_count(row->b),
                    gate_change(row->a, row->b), limit->text,
                    row->limit == NULL && row->fb != NULL ? " of the program"
                    : ""));
}

GateResult gate_compare(const GateRun* a, const GateRun* b,
                        const GateLimits* limits, GateBy by, uint64_t least)
{
   GateResult r = { .a = a, .b = b,
                    .conditions = compare_conditions(&a->g, &b->g) };

   compare_arguments(&r.conditions, &a->g, &b->g);
   r.rows = zalloc(a->n + b->n + 1, sizeof(*r.rows));
   r.rows[r.n++] = (GateRow){ .a = a->total, .b = b->total,
                              .limit = &limits->all };
   set_word(&r.rows[0], false);
   r.rows[0].beyond = has_grown(&r.rows[0], limits->all.percent, a->total);
   find_pairs(&r);
   for (size_t i = 1; i < r.n; i++)
      judge(&r, &r.rows[i], by, limits);
   for (size_t i = 0; i < r.conditions.n; i++)
      if (r.conditions.all[i].counts)
         add_reason(&r, STATUS_BAD, r.conditions.all[i].text);
   for (size_t i = 0; i < limits->n; i++)
      check_limit(&r, &limits->of[i]);
   select_rows(&r, least);
   for (size_t i = 0; r.status != STATUS_BAD && i < r.n; i++)
      if (r.rows[i].beyond)
         tell_beyond(&r, &r.rows[i], &limits->all);
   text_forget();
   return r;
}

void gate_result_free(GateResult* r)
{
   for (size_t i = 0; i < r->n_reasons; i++)
      free(r->reasons[i]);
   FREE_ALL(r->reasons, r->rows);
   differences_free(&r->conditions);
}
