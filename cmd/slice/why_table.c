/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The executions of a line, each with its values. */

/* Owns: rows and columns of dcfg why --table and of the page, and its
   conditions.  Handed: a slice of all executions of a line, with the writers of
   what they used.

   A column is a place as the source names it: once for the value that the line
   read, once for the value that it wrote.  The first value that an execution reads
   counts, and the last one that it writes.  Values that a line makes and uses
   itself have no column. */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/table.h"
#include "cmd/machine/processor.h"
#include "cmd/page/page.h"
#include "cmd/slice/why.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 64           // bytes of a value that a line read
#define SHOWN_EACH 20           // executions at the begin, and at the end

typedef
   struct {
      char* name;
      bool  written;
   }
   Column;

/* Value: .text is NULL if it is not known.  .number is NULL, or the value. */
typedef
   struct {
      char*       text;
      long double number;
      bool        is_number;
   }
   Value;

typedef
   struct {
      uint64_t number;
      uint32_t thread;
      uint32_t last;            // node that ran last, of those that computed
      bool     wrote;           // a column has a value that it wrote
      Value*   values;          // by column
      size_t   n, room;
   }
   Row;

typedef
   struct {
      Sliced* f;
      Column* columns;
      size_t  n_columns, columns_room;
      Row*    rows;             // by execution
      uint64_t n_rows;
   }
   Executions;

/* Place: a place that the line read or wrote, and the instruction that made its
   value. */
typedef
   struct {
      const char*  name;
      VariableType type;
      bool         written;
      uint32_t     instr;
   }
   Place;

/*--- Cells                                                ---*/

static size_t find_column(const Executions* y, const char* name, bool written)
{
   size_t i = 0;

   while (i < y->n_columns && (y->columns[i].written != written
                               || strcmp(y->columns[i].name, name) != 0))
      i++;
   return i;
}

static size_t column_of(Executions* y, const char* name, bool written)
{
   size_t i = find_column(y, name, written);

   if (i == y->n_columns) {
      GROW(y->columns, y->n_columns, y->columns_room);
      y->columns[y->n_columns++] = (Column){ text_copy(name), written };
   }
   return i;
}

static const Value* value_at(const Row* r, size_t column)
{
   static const Value none = { NULL, 0, false };

   return column < r->n ? &r->values[column] : &none;
}

/* Put BYTES, SIZE of them, which P has, into R, unless R has a value of P that it
   read before. */
static void put_value(Executions* y, Row* r, const Place* p,
                      const uint8_t* bytes, size_t size)
{
   size_t      at = column_of(y, text_clean(p->name), p->written);
   Value*      v;
   const char* text = why_bytes_value(y->f, p->instr, &p->type, bytes, size);
   char*       end;
   uint64_t    n = 0;

   while (r->n <= at) {
      GROW(r->values, r->n, r->room);
      r->values[r->n++] = (Value){ .text = NULL };
   }
   v = &r->values[at];
   if (v->text != NULL && !p->written)
      return;
   free(v->text);
   v->number    = strtold(text, &end);
   v->is_number = end != text && *end == 0;
   if (!v->is_number && size <= 8 && (text[0] == '\'' || p->type.known)) {
      for (size_t k = size; k-- > 0; )
         n = n << 8 | bytes[k];
      v->number    = (long double)n;
      v->is_number = true;
   }
   v->text = text_copy(text);
}

/*--- What an instance read and wrote                      ---*/

/* Return whether node A is of the execution of NODE, a criterion. */
static bool is_of(const DcfgSlice* s, uint32_t a, const DcfgSliceNode* node)
{
   const DcfgSliceNode* n = &s->nodes[a];

   return n->distance == 0 && n->execution == node->execution;
}

/* Set BYTES to what N got over IN, and *INSTR to the instruction that made it.
   Return how many bytes are known. */
static size_t read_bytes(const Executions* y, const DcfgSliceNode* n,
                         const DcfgSliceInput* in, uint8_t bytes[MOST_BYTES],
                         uint32_t* instr)
{
   const DcfgSlice*     s = y->f->s;
   const DcfgWetInstr   at = *dcfg_wet_instr(y->f->w, n->instr);
   const DcfgSliceNode* by;
   size_t               size;

   *instr = n->instr;
   if (in->port == DCFG_WET_MEMORY) {
      size = in->reg < at.n_accesses ? at.accesses[in->reg].size : 0;
      if (y->f->roles.loads[n->instr] && n->value_size >= size
          && size <= MOST_BYTES) {
         memcpy(bytes, s->values + n->value, size);
         return size;
      }
      return size > 8 || n->from == 0
             || !memory_value(y->f->program, s, n, n->from, size, bytes)
             ? 0 : size;
   }
   if (in->node >= DCFG_SLICE_NOT)
      return 0;
   by     = &s->nodes[in->node];
   *instr = by->instr;
   size   = by->value_size < MOST_BYTES ? by->value_size : MOST_BYTES;
   if (in->port == DCFG_WET_GENERAL
       ? register_written(y->f->w, by->instr) != in->reg
       : y->f->roles.floats[by->instr] == 0)
      return 0;
   memcpy(bytes, s->values + by->value, size);
   return size;
}

/* Return whether IN of N has a value that needs no name: a register that is no
   address, and that another line made. */
static bool is_plain(const Executions* y, const DcfgSliceNode* n,
                     const DcfgSliceInput* in)
{
   const Processor* p = processor_of(y->f->w);

   return in->port == DCFG_WET_VECTOR
          || (in->port == DCFG_WET_GENERAL && in->reg != p->stack
              && !(y->f->frames[n->instr] && in->reg == p->frame)
              && !(y->f->roles.addresses[n->instr] >> in->reg & 1));
}

static void add_read(Executions* y, Row* r, uint32_t node,
                     const DcfgSliceInput* in)
{
   const DcfgSliceNode* n = &y->f->s->nodes[node];
   Place                p = { .written = false };
   uint8_t              bytes[MOST_BYTES];
   size_t               size;

   if ((in->port != DCFG_WET_MEMORY && in->port != DCFG_WET_GENERAL
        && in->port != DCFG_WET_VECTOR)
       || (in->node < DCFG_SLICE_NOT && is_of(y->f->s, in->node, n)))
      return;
   p.name = why_place_name(y->f->program, n->instr, in, &p.type);
   if (p.name == NULL)
      p.name = why_returned(y->f, node, in);
   if (p.name == NULL && is_plain(y, n, in))
      p.name = slice_port(y->f->w, in);
   if (p.name == NULL)
      return;
   size = read_bytes(y, n, in, bytes, &p.instr);
   if (size > 0)
      put_value(y, r, &p, bytes, size);
}

static void add_written(Executions* y, Row* r, uint32_t node)
{
   const DcfgSliceNode* n = &y->f->s->nodes[node];
   unsigned             reg = register_written(y->f->w, n->instr);
   Place                p = { .written = true, .instr = n->instr };

   if (n->value_size == 0 || why_is_call(y->f, node))
      return;
   if (n->addr != 0)
      p.name = variables_name_memory(y->f->program, n->instr,
                                     VARIABLES_WRITTEN, 0, n->order, &p.type);
   if (n->addr != 0 && p.name == NULL)
      p.name = variables_name_memory(y->f->program, n->instr,
                                     VARIABLES_WRITTEN, n->addr, n->order,
                                     &p.type);
   if (n->addr != 0 && p.name == NULL && y->f->roles.saves[n->instr] == 0)
      p.name = "memory";
   if (n->addr == 0 && reg < MAX_GENERAL && !y->f->roles.loads[n->instr])
      p.name = variables_name_register(y->f->program, n->instr, reg, true,
                                       &p.type);
   if (p.name == NULL && !y->f->roles.loads[n->instr])
      r->last = node;
   if (p.name == NULL || p.name[0] == '&')
      return;
   r->wrote = true;
   put_value(y, r, &p, y->f->s->values + n->value, n->value_size);
}

/* Add the value that R computed last, if it wrote nothing that has a name. */
static void add_result(Executions* y, Row* r)
{
   const DcfgSliceNode* n = &y->f->s->nodes[r->last];

   if (!r->wrote && r->last != DCFG_NONE)
      put_value(y, r, &(Place){ .name = "value", .written = true,
                                .instr = n->instr },
                y->f->s->values + n->value, n->value_size);
}

/* Make the rows.  Nodes with smaller numbers ran later. */
static void fill(Executions* y)
{
   const DcfgSlice* s = y->f->s;

   y->n_rows = s->n_executions;
   y->rows   = zalloc(y->n_rows + (size_t)1, sizeof(Row));
   for (uint64_t i = 0; i < y->n_rows; i++)
      y->rows[i].last = DCFG_NONE;
   for (uint32_t i = s->n_criteria; i-- > 0; ) {
      uint32_t             node = s->criteria[i];
      const DcfgSliceNode* n = &s->nodes[node];
      Row*                 r = &y->rows[n->execution];
      r->number = n->execution;
      r->thread = n->thread;
      for (uint32_t k = 0; k < n->n_inputs; k++)
         add_read(y, r, node, &s->inputs[n->first_input + k]);
      add_written(y, r, node);
      text_forget();
   }
   for (uint64_t i = 0; i < y->n_rows; i++)
      add_result(y, &y->rows[i]);
}

/*--- Conditions                                           ---*/

/* Condition: NAME OPERATOR VALUE.  The value is that behind the line. */
typedef
   struct {
      size_t      column, other;        // written, read; or n_columns
      char        op[3];
      char*       text;
      long double number;
      bool        is_number;
   }
   Condition;

static char* trimmed(const char* s, size_t n)
{
   while (n > 0 && s[0] == ' ') {
      s++;
      n--;
   }
   while (n > 0 && s[n - 1] == ' ')
      n--;
   return text_copy(text_format("%.*s", (int)n, s));
}

/* Return the operator in the N characters at S, and set *SIZE; NULL if there is
   none.  That of l->price is none. */
static const char* operator_in(const char* s, size_t n, size_t* size)
{
   for (size_t i = 0; i < n; i++) {
      if (s[i] == '-' && i + 1 < n && s[i + 1] == '>') {
         i++;
         continue;
      }
      if (strchr("<>=!", s[i]) == NULL)
         continue;
      *size = i + 1 < n && s[i + 1] == '=' ? 2 : 1;
      return s + i;
   }
   return NULL;
}

/* Read the condition in the N characters at S.  Die if it is none. */
static Condition read_condition(const Executions* y, const char* s, size_t n)
{
   Condition   c = { .number = 0 };
   size_t      size = 0;
   const char* at = operator_in(s, n, &size);
   char*       name;
   char*       end;

   if (at == NULL || (size == 1 && (*at == '=' || *at == '!')))
      die("--where: `%.*s' is no condition: NAME < NUMBER, with < <= > >= == or "
          "!=", (int)n, s);
   memcpy(c.op, at, size);
   name        = trimmed(s, (size_t)(at - s));
   c.text      = trimmed(at + size, (size_t)(s + n - at) - size);
   c.number    = strtold(c.text, &end);
   c.is_number = end != c.text && *end == 0;
   c.column    = find_column(y, name, true);
   c.other     = find_column(y, name, false);
   if (c.column == y->n_columns && c.other == y->n_columns) {
      Nearest     near = nearest_to(name);
      const char* all = "";
      for (size_t i = 0; i < y->n_columns; i++) {
         nearest_offer(&near, y->columns[i].name);
         if (find_column(y, y->columns[i].name, !y->columns[i].written) > i)
            all = text_format("%s%s%s", all, all[0] == 0 ? "" : ", ",
                              y->columns[i].name);
      }
      die("--where: the line has no value `%s'%s; it has: %s", text_clean(name),
          nearest_text(&near), all);
   }
   if (!c.is_number && (c.op[0] == '<' || c.op[0] == '>'))
      die("--where: `%s' is no number", text_clean(c.text));
   free(name);
   return c;
}

static bool holds(const Condition* c, const Row* r)
{
   const Value* v = value_at(r, c->column);
   int          sign;

   if (v->text == NULL)
      v = value_at(r, c->other);
   if (v->text == NULL || (c->is_number && !v->is_number))
      return false;
   if (c->is_number)
      sign = v->number < c->number ? -1 : v->number > c->number;
   else
      sign = strcmp(v->text, c->text) != 0;
   switch (c->op[0]) {
      case '<': return sign < 0 || (sign == 0 && c->op[1] == '=');
      case '>': return sign > 0 || (sign == 0 && c->op[1] == '=');
      case '!': return sign != 0;
      default:  return sign == 0;
   }
}

/* Remove the rows for which WHERE, conditions with && between them, does not
   hold. */
static void choose(Executions* y, const char* where)
{
   while (*where != 0) {
      const char* and = strstr(where, "&&");
      size_t      n = and == NULL ? strlen(where) : (size_t)(and - where);
      Condition   c = read_condition(y, where, n);
      uint64_t    kept = 0;
      for (uint64_t i = 0; i < y->n_rows; i++) {
         Row r = y->rows[i];
         if (!holds(&c, &r))
            continue;
         y->rows[i]      = y->rows[kept];
         y->rows[kept++] = r;
      }
      y->n_rows = kept;
      free(c.text);
      where += and == NULL ? n : n + 2;
   }
}

/*--- Output                                               ---*/

#define WIDTH     80            // columns of the text
#define FIRST_TWO 17            // those of the numbers and threads

/* Return how columns are headed: a place that the line wrote as in the source,
   "price =". */
static const char* heading(const Column* c)
{
   return c->written ? text_format("%s =", c->name) : c->name;
}

/* Return, by column, whether text has it: as many as fit the width, those that the
   line wrote and those with values in most rows first.  The caller frees the
   array. */
static bool* choose_columns(const Executions* y, bool text)
{
   bool*  shown = zalloc(y->n_columns + 1, sizeof(*shown));
   bool*  tried = zalloc(y->n_columns + 1, sizeof(*tried));
   size_t used = FIRST_TWO;

   for (size_t k = 0; k < y->n_columns; k++) {
      size_t best = 0, width = 0;
      uint64_t most = 0;
      for (size_t c = 0; c < y->n_columns; c++) {
         uint64_t n = 1 + (y->columns[c].written ? y->n_rows : 0);
         for (uint64_t i = 0; i < y->n_rows && !tried[c]; i++)
            n += value_at(&y->rows[i], c)->text != NULL;
         if (!tried[c] && n > most) {
            most = n;
            best = c;
         }
      }
      tried[best] = true;
      width = text_width(heading(&y->columns[best]));
      for (uint64_t i = 0; i < y->n_rows; i++) {
         const char* v = value_at(&y->rows[i], best)->text;
         if (v != NULL && text_width(v) > width)
            width = text_width(v);
      }
      shown[best] = !text || k == 0 || used + 2 + width <= WIDTH;
      used       += shown[best] ? 2 + width : 0;
   }
   free(tried);
   return shown;
}

static void add_row(Table* t, const Executions* y, const Row* r,
                    const bool* shown)
{
   put_count(t, r->number);
   put_count(t, r->thread);
   for (size_t c = 0; c < y->n_columns; c++) {
      const Value* v = value_at(r, c);
      if (!shown[c])
         continue;
      if (v->text == NULL)
         put_nothing(t);
      else
         put_text(t, v->text);
   }
}

/* Add a row without values, for rows that are left out. */
static void add_gap(Table* t, const Executions* y, const bool* shown)
{
   put_nothing(t);
   put_nothing(t);
   for (size_t c = 0; c < y->n_columns; c++)
      if (shown[c])
         put_nothing(t);
}

/* Say which columns have no room. */
static void say_left_out(const Executions* y, const bool* shown)
{
   unsigned n = 0;

   for (size_t c = 0; c < y->n_columns; c++)
      if (!shown[c])
         printf("%s%s", n++ == 0 ? "no room for these columns, which --csv has: "
                : ", ", heading(&y->columns[c]));
   if (n > 0)
      putchar('\n');
}

/* Print what the table is of. */
static void print_title(const Executions* y, const WhyTable* w)
{
   uint64_t all = y->f->s->n_executions;

   printf("%s: %s execution%s", text_clean(w->line), text_count(all),
          all == 1 ? "" : "s");
   if (w->where != NULL)
      printf(", %s where %s", text_count(y->n_rows), text_clean(w->where));
   putchar('\n');
   if (y->n_columns == 0)
      puts("the line read and wrote nothing that the source names");
}

static void print(const Executions* y, const WhyTable* w)
{
   Table*   t = tab_new("executions");
   uint64_t n = y->n_rows;
   bool     text = w->form == FORM_TEXT;
   bool     folds = text && !w->all && n > 2 * SHOWN_EACH + 1;
   bool*    shown = choose_columns(y, text && !w->all);

   tab_column(t, COL_COUNT, "execution", "execution", 0);
   tab_column(t, COL_COUNT, "thread", "thread", 0);
   for (size_t c = 0; c < y->n_columns; c++)
      if (shown[c])
         tab_column(t, COL_TEXT, heading(&y->columns[c]),
                    heading(&y->columns[c]), 0);
   for (uint64_t i = 0; i < n; i++) {
      if (folds && i == SHOWN_EACH) {
         i = n - SHOWN_EACH;
         add_gap(t, y, shown);
      }
      add_row(t, y, &y->rows[i], shown);
   }
   if (text)
      print_title(y, w);
   if (n > 0 || !text)
      tab_print(t, w->form, 0);
   if (w->form == FORM_JSON)
      putchar('\n');
   if (text)
      say_left_out(y, shown);
   if (folds)
      printf("%s executions between are left out: --all has them, and --where "
             "chooses\n", text_count(n - 2 * SHOWN_EACH));
   free(shown);
   tab_free(t);
}

/*--- For the page                                         ---*/

/* Write V: its text, or its text and the number that conditions compare, if that
   is not what the text says. */
static void put_cell(FILE* out, const Value* v)
{
   char* end;

   if (v->text == NULL) {
      fputs("null", out);
      return;
   }
   strtold(v->text, &end);
   if (!v->is_number || (end != v->text && *end == 0)) {
      page_words(out, v->text);
      return;
   }
   putc('[', out);
   page_words(out, v->text);
   fprintf(out, ",%.0Lf]", v->number);
}

static void put_cells(FILE* out, const Executions* y)
{
   page_column(out, "values");
   for (size_t c = 0; c < y->n_columns; c++) {
      page_between(out, c == 0);
      putc('[', out);
      for (uint64_t i = 0; i < y->n_rows; i++) {
         page_between(out, i == 0);
         put_cell(out, value_at(&y->rows[i], c));
      }
      putc(']', out);
   }
   putc(']', out);
}

static void put_headings(FILE* out, const Executions* y)
{
   page_column(out, "columns");
   for (size_t c = 0; c < y->n_columns; c++) {
      page_between(out, c == 0);
      page_words(out, heading(&y->columns[c]));
   }
   putc(']', out);
}

/* Write the columns of threads and, by SHOWS, of instances. */
static void put_places(FILE* out, const Executions* y, WhyShows* shows,
                       void* arg)
{
   const DcfgSlice* s = y->f->s;
   int64_t*         shown = zalloc(y->n_rows + (size_t)1, sizeof(*shown));

   page_column(out, "thread");
   for (uint64_t i = 0; i < y->n_rows; i++) {
      page_between(out, i == 0);
      page_number(out, y->rows[i].thread);
      shown[i] = -1;
   }
   putc(']', out);
   for (uint32_t i = 0; i < s->n_criteria; i++) {
      const DcfgSliceNode* n = &s->nodes[s->criteria[i]];
      if (shown[n->execution] < 0)
         shown[n->execution] = shows(arg, n);
   }
   page_column(out, "shown");
   for (uint64_t i = 0; i < y->n_rows; i++) {
      page_between(out, i == 0);
      fprintf(out, "%" PRId64, shown[i]);
   }
   putc(']', out);
   free(shown);
}

/*--- The whole                                            ---*/

/* Free Y, with the rows that it had before choose(). */
static void forget(Executions* y)
{
   for (uint64_t i = 0; i < y->f->s->n_executions; i++) {
      for (size_t c = 0; c < y->rows[i].n; c++)
         free(y->rows[i].values[c].text);
      free(y->rows[i].values);
   }
   for (size_t c = 0; c < y->n_columns; c++)
      free(y->columns[c].name);
   FREE_ALL(y->columns, y->rows);
   text_forget();
}

void why_table_data(Sliced* f, FILE* out, WhyShows* shows, void* arg)
{
   Executions y = { .f = f };

   fill(&y);
   put_headings(out, &y);
   put_places(out, &y, shows, arg);
   put_cells(out, &y);
   forget(&y);
}

void why_table(Sliced* f, const WhyTable* t)
{
   Executions y = { .f = f };

   fill(&y);
   if (t->where != NULL)
      choose(&y, t->where);
   print(&y, t);
   forget(&y);
}
