/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the layout of tables, and how a text becomes a field of CSV or a string
   of JSON.  Handed: columns and cells; texts, of users' programs.

   The quotes of CSV are RFC 4180's.  The remedy against formulas is that of
   OWASP, "CSV Injection": a spreadsheet shows a field that begins with ' as
   text.  A text that begins with ' gets one more, so that readers can always
   remove one. */

#include "cmd/base/table.h"
#include "cmd/base/terminal.h"

#include "format/put.h"

Form table_form(bool csv, bool json)
{
   if (csv && json)
      die("--csv or --json, not both");
   return csv ? FORM_CSV : json ? FORM_JSON : FORM_TEXT;
}

/* Return whether S is a number with a sign, perhaps a percentage. */
static bool is_signed_number(const char* s)
{
   size_t n = strspn(s + 1, "0123456789");

   if ((*s != '+' && *s != '-') || n == 0)
      return false;
   s += 1 + n;
   if (*s == '.' && (n = strspn(s + 1, "0123456789")) > 0)
      s += 1 + n;
   return s[*s == '%'] == 0;
}

/* Return whether a spreadsheet could take S for a formula.  Some know the wide
   forms of these characters, too. */
static bool needs_guard(const char* s)
{
   static const char* const wide[] = {
      "\uff1d", "\uff0b", "\uff0d", "\uff20"
   };

   for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
      if (begins(s, wide[i]))
         return true;
   return *s != 0 && strchr("=+-@'\t\r\n", *s) != NULL && !is_signed_number(s);
}

char* csv_quoted(const char* s)
{
   bool  guard = needs_guard(s);
   char* quoted;
   char* to;

   if (!guard && strpbrk(s, ",;\"\t\r\n") == NULL)
      return NULL;
   quoted = to = zalloc(2 * strlen(s) + 4, 1);
   *to++ = '"';
   if (guard)
      *to++ = '\'';
   for (; *s != 0; s++) {
      if (*s == '"')
         *to++ = '"';
      *to++ = *s;
   }
   *to = '"';
   return quoted;
}

void print_csv_string(const char* s)
{
   char* quoted = csv_quoted(s);

   fputs(quoted != NULL ? quoted : s, stdout);
   free(quoted);
}

typedef
   struct {
      ColKind     kind;
      const char* key;
      const char* heading;
      size_t      width;
   }
   Column;

typedef
   struct {
      bool        nothing;
      const char* text;         // for people
      const char* hash;         // rust_hash() of its symbol
      uint64_t    n, whole;
   }
   Cell;

#define MAX_COLUMNS 20

struct Table {
   const char* key;
   size_t      fit;             // columns, by tab_fit(); 0: any
   Column      columns[MAX_COLUMNS];
   size_t      n_columns;
   Cell*       cells;
   size_t      n_cells, room;
};

Table* tab_new(const char* key)
{
   Table* t = zalloc(1, sizeof(*t));

   t->key = key;
   return t;
}

void tab_free(Table* t)
{
   FREE_ALL(t->cells, t);
}

void tab_column(Table* t, ColKind kind, const char* key,
                  const char* heading, size_t width)
{
   if (t->n_columns < MAX_COLUMNS)
      t->columns[t->n_columns++] = (Column){ kind, key, heading, width };
}

void tab_fit(Table* t, size_t width)
{
   t->fit = width;
}

/* Return the columns that the text has to fit; 0: any. */
static size_t room_of(const Table* t)
{
   return terminal_width() > 0 ? terminal_width() : t->fit;
}

/* Return whether a column has text, which is aligned left. */
static bool has_text(const Column* c)
{
   return c->kind == COL_TEXT || c->kind == COL_NAME || c->kind == COL_CODE;
}

static Cell* new_cell(Table* t)
{
   GROW(t->cells, t->n_cells, t->room);
   t->cells[t->n_cells] = (Cell){ 0 };
   return &t->cells[t->n_cells++];
}

void put_text(Table* t, const char* s)
{
   new_cell(t)->text = text_format("%s", s);
}

void put_name(Table* t, const char* s, const char* symbol)
{
   put_text(t, s);
   if (symbol != NULL)
      t->cells[t->n_cells - 1].hash = rust_hash(symbol);
}

void put_count(Table* t, uint64_t n)
{
   Cell* c = new_cell(t);

   c->text = text_count(n);
   c->n = n;
}

void put_share(Table* t, uint64_t part, uint64_t whole)
{
   Cell* c = new_cell(t);

   c->text = text_share(part, whole);
   c->n = part;
   c->whole = whole;
   c->nothing = whole == 0;
}

void put_ratio(Table* t, uint64_t part, uint64_t whole)
{
   Cell*  c = new_cell(t);
   double x = whole == 0 ? 0 : (double)part / (double)whole;

   c->text = whole == 0 ? "" : x < 1000 ? text_format("%.1f", x)
             : text_count((uint64_t)(x + 0.5));
   c->n = part;
   c->whole = whole;
   c->nothing = whole == 0;
}

void put_hex(Table* t, uint64_t n)
{
   Cell* c = new_cell(t);

   c->text = text_format("0x%" PRIx64, n);
   c->n = n;
}

void put_nothing(Table* t)
{
   Cell* c = new_cell(t);

   c->nothing = true;
   c->text = "";
}

size_t tab_rows(const Table* t)
{
   return t->n_columns == 0 ? 0 : t->n_cells / t->n_columns;
}

/*--- Printing                                             ---*/

void put_to_file(void* file, const char* text, unsigned n)
{
   fwrite(text, 1, n, file);
}

void put_json_string(const char* s, FILE* out)
{
   static Put put;

   DCFG_(start_put)(&put, put_to_file, out);
   DCFG_(put_string)(&put, s);
   DCFG_(put_flush)(&put);
}

void put_json_member(const char* before, const char* key, const char* s,
                     FILE* out)
{
   fprintf(out, "%s\"%s\": ", before, key);
   put_json_string(s, out);
}

static void print_plain(const Column* col, const Cell* c, Form form)
{
   if (c->nothing) {
      if (form == FORM_JSON)
         fputs("null", stdout);
   } else if (has_text(col) || (col->kind == COL_HEX && form == FORM_JSON)) {
      if (form == FORM_JSON)
         put_json_string(c->text, stdout);
      else
         print_csv_string(c->text);
   } else if (col->kind == COL_HEX) {
      printf("0x%" PRIx64, c->n);
   } else if (col->kind == COL_COUNT) {
      printf("%" PRIu64, c->n);
   } else {
      printf("%.6g", (double)c->n / (double)c->whole);
   }
}

/* Set SHOWN to what is shown of column COL. */
static void show_column(const Table* t, size_t col, const char** shown)
{
   size_t       n = t->n_columns, rows = tab_rows(t);
   /* On a terminal, the terminal's width limits names. */
   size_t       width = room_of(t) > 0 ? 0 : t->columns[col].width;
   bool         is_code = t->columns[col].kind == COL_CODE;
   LongName*    names = zalloc(rows, sizeof(*names));
   const char** briefs;

   for (size_t i = 0; i < rows; i++) {
      const Cell* c = &t->cells[i * n + col];
      names[i] = (LongName){ c->text, c->hash };
      shown[i * n + col] = width == 0 ? c->text
                           : is_code ? text_cut(c->text, width)
                           : text_shorten(c->text, width);
   }
   if (t->columns[col].kind == COL_NAME) {
      briefs = short_names(names, rows, width);
      for (size_t i = 0; i < rows; i++)
         shown[i * n + col] = briefs[i];
      free(briefs);
   }
   free(names);
}

/* Return what is shown of each cell, to be freed. */
static const char** shown_cells(const Table* t)
{
   const char** shown = zalloc(t->n_cells, sizeof(*shown));

   for (size_t i = 0; i < t->n_columns; i++)
      show_column(t, i, shown);
   return shown;
}

/* Fit what is shown of each column to WIDTH. */
static void fit_cells(const Table* t, const size_t* width, const char** shown)
{
   size_t       n = t->n_columns, rows = tab_rows(t);
   const char** column = zalloc(rows, sizeof(*column));

   for (size_t k = 0; k < n; k++) {
      const char** fitted;
      for (size_t i = 0; i < rows; i++)
         column[i] = t->columns[k].kind == COL_CODE
                     ? text_cut(shown[i * n + k], width[k]) : shown[i * n + k];
      fitted = fitted_names(column, rows, width[k]);
      for (size_t i = 0; i < rows; i++)
         shown[i * n + k] = fitted[i];
      free(fitted);
   }
   free(column);
}

/* Print a cell.  Blanks are printed before the next cell, so that no line ends
   with them; *BLANKS is their number. */
static void print_padded(const Column* col, const char* s, size_t width,
                         size_t* blanks)
{
   size_t pad = width - text_width(s);
   bool   left = has_text(col);

   if (s[0] == 0) {
      *blanks += width + 2;
      return;
   }
   printf("%*s%s", (int)(*blanks + (left ? 0 : pad)), "", s);
   *blanks = (left ? pad : 0) + 2;
}

#define NARROW    12            // columns of a readable name
#define NARROWEST 7
#define HOT       10            // percent of a whole

/* Make the widest columns of names narrower, down to LEAST, until the table
   fits the terminal.  Return True if it does. */
static bool make_narrow(const Table* t, size_t* width, const bool* used,
                        size_t least)
{
   size_t n = t->n_columns;

   for (;;) {
      size_t all = 0, widest = n;
      for (size_t i = 0; i < n; i++) {
         if (!used[i])
            continue;
         all += width[i] + (all > 0 ? 2 : 0);
         if (t->columns[i].width > 0 && width[i] > least
             && (widest == n || width[i] > width[widest]))
            widest = i;
      }
      if (all <= room_of(t) || widest == n)
         return all <= room_of(t);
      width[widest]--;
   }
}

/* Leave out the last column of names, the image, unless there are fewer than
   two others. */
static bool leave_out(const Table* t, bool* used)
{
   size_t last = 0, names = 0;

   for (size_t i = 0; i < t->n_columns; i++)
      if (used[i] && t->columns[i].width > 0) {
         last = i;
         names++;
      }
   if (names < 3)
      return false;
   used[last] = false;
   return true;
}

/* Make the table fit the terminal.  Return True if a column was left out. */
static bool fit_columns(const Table* t, size_t* width, bool* used)
{
   bool less = false;

   while (!make_narrow(t, width, used, NARROW)) {
      if (!leave_out(t, used)) {
         make_narrow(t, width, used, NARROWEST);
         break;
      }
      less = true;
   }
   return less;
}

static bool is_hot(const Column* col, const Cell* c)
{
   return col->kind == COL_SHARE && !c->nothing
          && (double)c->n * 100 >= (double)c->whole * HOT;
}

static void print_text(const Table* t)
{
   size_t width[MAX_COLUMNS], n = t->n_columns, blanks = 0;
   bool   used[MAX_COLUMNS] = { false }, less = false;
   const char** shown = shown_cells(t);

   for (size_t i = 0; i < n; i++)
      width[i] = text_width(t->columns[i].heading);
   for (size_t i = 0; i < t->n_cells; i++) {
      size_t w = text_width(shown[i]);
      used[i % n] = used[i % n] || w > 0;
      if (w > width[i % n])
         width[i % n] = w;
   }
   if (room_of(t) > 0) {
      less = fit_columns(t, width, used);
      fit_cells(t, width, shown);
   }
   terminal_style(STYLE_HEADING);
   /* Columns without any value are not printed. */
   for (size_t i = 0; i < n; i++)
      if (used[i])
         print_padded(&t->columns[i], t->columns[i].heading, width[i],
                      &blanks);
   terminal_style(STYLE_PLAIN);
   puts(less ? " \u2026" : "");
   for (size_t i = 0; i < t->n_cells; i++) {
      const Column* col = &t->columns[i % n];
      blanks = i % n == 0 ? 0 : blanks;
      if (used[i % n]) {
         bool hot = is_hot(col, &t->cells[i]);
         if (hot)
            terminal_style(STYLE_HOT);
         print_padded(col, shown[i], width[i % n], &blanks);
         if (hot)
            terminal_style(STYLE_PLAIN);
      }
      if (i % n == n - 1)
         putchar('\n');
   }
   free(shown);
}

static void print_csv(const Table* t)
{
   size_t n = t->n_columns;

   for (size_t i = 0; i < n; i++) {
      if (i > 0)
         putchar(',');
      print_csv_string(t->columns[i].key);
   }
   putchar('\n');
   for (size_t i = 0; i < t->n_cells; i++) {
      if (i % n > 0)
         putchar(',');
      print_plain(&t->columns[i % n], &t->cells[i], FORM_CSV);
      if (i % n == n - 1)
         putchar('\n');
   }
}

static void print_json(const Table* t, int indent)
{
   size_t n = t->n_columns;

   printf("[");
   for (size_t i = 0; i < t->n_cells; i++) {
      if (i % n == 0)
         printf("%s\n%*s{ ", i > 0 ? "," : "", indent + 2, "");
      put_json_string(t->columns[i % n].key, stdout);
      fputs(": ", stdout);
      print_plain(&t->columns[i % n], &t->cells[i], FORM_JSON);
      fputs(i % n == n - 1 ? " }" : ", ", stdout);
   }
   if (t->n_cells > 0)
      printf("\n%*s", indent, "");
   printf("]");
}

/* Print S as code, so that no character of a name has a meaning. */
static void print_code(const char* s)
{
   if (s[0] == 0)
      return;
   putchar('`');
   for (; *s != 0; s++)
      if (*s == '|')
         fputs("\\|", stdout);
      else
         putchar(*s == '`' ? '\'' : *s);
   putchar('`');
}

static void print_markdown(const Table* t)
{
   size_t       n = t->n_columns;
   const char** shown = shown_cells(t);

   for (size_t i = 0; i < n; i++)
      printf("| %s ", t->columns[i].heading);
   fputs("|\n", stdout);
   for (size_t i = 0; i < n; i++)
      fputs(has_text(&t->columns[i]) ? "|---" : "|--:", stdout);
   fputs("|\n", stdout);
   for (size_t i = 0; i < t->n_cells; i++) {
      fputs("| ", stdout);
      if (has_text(&t->columns[i % n]))
         print_code(shown[i]);
      else
         fputs(shown[i], stdout);
      fputs(i % n == n - 1 ? " |\n" : " ", stdout);
   }
   free(shown);
}

void tab_print(const Table* t, Form form, int indent)
{
   if (form == FORM_TEXT)
      print_text(t);
   else if (form == FORM_CSV)
      print_csv(t);
   else if (form == FORM_MARKDOWN)
      print_markdown(t);
   else
      print_json(t, indent);
}
