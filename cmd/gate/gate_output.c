/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How do people, programs and GitHub read what gate found? */

/* Owns: the forms of a report: text, JSON, Markdown, GitHub's annotations.
   Handed: a GateReport.

   Conditions that differ stand before numbers, because they may be the reason
   of a growth.  GitHub's runners read lines "::error file=F,line=N::TEXT" from
   what a step prints, and Markdown from the file that GITHUB_STEP_SUMMARY
   names. */

#include "cmd/gate/gate.h"

#include <errno.h>
#include <unistd.h>

/*--- Functions                                            ---*/

/* Return for example "file.c:12", or "file.c", or "". */
static const char* place_of(const GateFunction* f, Form form)
{
   const char* file = form == FORM_JSON ? text_base(f->file)
                      : text_clean(text_base(f->file));

   return f->line == 0 ? file : text_format("%s:%" PRIu32, file, f->line);
}

/* Return the functions of R as a table, for text at most TOP besides those with
   a limit. */
static Table* functions_table(const GateReport* report, const GateResult* r,
                              Form form)
{
   Table* t = tab_new("functions");
   size_t most = form == FORM_JSON || report->top == 0
                 || report->top > r->n - 1 - r->n_limited ? r->n
                 : 1 + r->n_limited + (size_t)report->top;

   tab_column(t, COL_TEXT, "change", "change", 0);
   if (form != FORM_JSON)
      tab_column(t, COL_TEXT, "by", "by", 0);
   tab_column(t, COL_COUNT, "a", "A", 0);
   tab_column(t, COL_COUNT, "b", "B", 0);
   tab_column(t, COL_TEXT, "limit", "limit", 0);
   tab_column(t, COL_NAME, "name", "function", report->wide ? 0 : 40);
   tab_column(t, COL_TEXT, "source", "source", report->wide ? 0 : 28);
   tab_column(t, COL_TEXT, "image", "image", report->wide ? 0 : 24);
   for (size_t i = 1; i < most; i++) {
      const GateRow*      row = &r->rows[i];
      const GateFunction* f = row->fb != NULL ? row->fb : row->fa;
      put_text(t, gate_word(row->word));
      if (form != FORM_JSON)
         put_text(t, gate_change(row->a, row->b));
      put_count(t, row->a);
      put_count(t, row->b);
      put_text(t, row->limit == NULL ? "" : row->limit->text);
      put_text(t, form == FORM_JSON ? f->name : gate_row_name(r, row));
      put_text(t, place_of(f, form));
      put_text(t, f->image);
   }
   return t;
}

/*--- Text                                                 ---*/

static void print_result(const GateReport* report, const GateResult* r)
{
   const GateRow* all = &r->rows[0];
   const char*    change = gate_change(all->a, all->b);
   Table*         t = functions_table(report, r, FORM_TEXT);

   printf("%s: %s\n", r->b->name, gate_verdict(r));
   for (size_t i = 0; i < r->conditions.n; i++)
      printf("conditions: %s\n", r->conditions.all[i].text);
   printf("A: %s: %s instructions\nB: %s: %s instructions (%s%s%s, limit %s)\n",
          text_clean(report->baseline), text_count(all->a),
          text_clean(r->b->path), text_count(all->b), gate_word(all->word),
          change[0] == 0 ? "" : ", ", change, all->limit->text);
   for (size_t i = 0; i < r->n_reasons; i++)
      printf("%s: %s\n", r->status == STATUS_BAD ? "not comparable" : "beyond",
             r->reasons[i]);
   if (tab_rows(t) > 0) {
      putchar('\n');
      tab_print(t, FORM_TEXT, 0);
   }
   if (tab_rows(t) < r->n - 1)
      printf("... and %s more\n", text_count(r->n - 1 - tab_rows(t)));
   tab_free(t);
   text_forget();
}

static const char* added_text(const GateRun* run)
{
   return text_format("%s: new: %s has %s instructions; save the baseline anew",
                      run->name, text_clean(run->path), text_count(run->total));
}

static const char* gone_text(const GateReport* r, const GateRun* run)
{
   return text_format("%s: gone: no run of this benchmark of %s is given",
                      run->name, text_clean(r->baseline));
}

void gate_print_text(const GateReport* r)
{
   for (size_t i = 0; i < r->n; i++) {
      if (i > 0)
         putchar('\n');
      print_result(r, &r->results[i]);
   }
   if (r->n > 0 && r->n_added + r->n_gone > 0)
      putchar('\n');
   for (size_t i = 0; i < r->n_added; i++)
      puts(added_text(r->added[i]));
   for (size_t i = 0; i < r->n_gone; i++)
      puts(gone_text(r, r->gone[i]));
}

/*--- JSON                                                 ---*/

/* Print N strings, or those of differences, as an array. */
static void print_strings(const char* key, char* const* texts,
                          const Difference* differences, size_t n)
{
   printf(",\n      \"%s\": [", key);
   for (size_t i = 0; i < n; i++) {
      fputs(i == 0 ? "" : ", ", stdout);
      put_json_string(texts != NULL ? texts[i] : differences[i].text, stdout);
   }
   putchar(']');
}

static void print_names(const char* key, const GateRun* const* runs, size_t n)
{
   printf(",\n  \"%s\": [", key);
   for (size_t i = 0; i < n; i++) {
      fputs(i == 0 ? "" : ", ", stdout);
      put_json_string(runs[i]->name, stdout);
   }
   putchar(']');
}

void gate_print_json(const GateReport* report)
{
   printf("{\n  \"status\": %d,\n  \"benchmarks\": [", report->status);
   for (size_t i = 0; i < report->n; i++) {
      const GateResult* r = &report->results[i];
      Table*            t = functions_table(report, r, FORM_JSON);
      put_json_member(i == 0 ? "\n    { " : ",\n    { ", "name", r->b->name,
                      stdout);
      put_json_member(",\n      ", "file", r->b->path, stdout);
      put_json_member(",\n      ", "verdict", gate_verdict(r), stdout);
      put_json_member(",\n      ", "change", gate_word(r->rows[0].word),
                      stdout);
      printf(",\n      \"a\": %" PRIu64 ", \"b\": %" PRIu64, r->rows[0].a,
             r->rows[0].b);
      put_json_member(", ", "limit", r->rows[0].limit->text, stdout);
      print_strings("conditions", NULL, r->conditions.all, r->conditions.n);
      print_strings("reasons", r->reasons, NULL, r->n_reasons);
      printf(",\n      \"functions\": ");
      tab_print(t, FORM_JSON, 6);
      printf(" }");
      tab_free(t);
      text_forget();
   }
   printf("\n  ]");
   print_names("new", report->added, report->n_added);
   print_names("gone", report->gone, report->n_gone);
   puts("\n}");
}

/*--- Markdown                                             ---*/

static FILE* markdown_to;

/* Print S, in which nothing is markup. */
static void print_escaped(const char* s)
{
   for (; *s != 0; s++) {
      if (strchr("\\`*_{}[]<>#|&", *s) != NULL)
         putc('\\', markdown_to);
      putc(*s, markdown_to);
   }
}

static void print_line(const char* before, const char* text)
{
   fprintf(markdown_to, "- %s: ", before);
   print_escaped(text);
   putc('\n', markdown_to);
}

static void print_notes(const GateResult* r)
{
   const char* name = r->b->name;

   for (size_t i = 0; i < r->conditions.n; i++)
      print_line("conditions", text_format("%s: %s", name,
                                           r->conditions.all[i].text));
   for (size_t i = 0; i < r->n_reasons; i++)
      print_line(r->status == STATUS_BAD ? "not comparable" : "beyond",
                 text_format("%s: %s", name, r->reasons[i]));
   text_forget();
}

void gate_print_markdown(const GateReport* report, FILE* to)
{
   markdown_to = to;
   fprintf(to, "| benchmark | A | B | change | limit | verdict |\n"
           "|---|--:|--:|--:|--:|---|\n");
   for (size_t i = 0; i < report->n; i++) {
      const GateResult* r = &report->results[i];
      const GateRow*    all = &r->rows[0];
      const char*       change = gate_change(all->a, all->b);
      fputs("| ", to);
      print_escaped(r->b->name);
      fprintf(to, " | %s | %s | %s%s%s | %s | %s |\n", text_count(all->a),
              text_count(all->b), gate_word(all->word),
              change[0] == 0 ? "" : " ", change, all->limit->text,
              gate_verdict(r));
   }
   putc('\n', to);
   for (size_t i = 0; i < report->n; i++)
      print_notes(&report->results[i]);
   for (size_t i = 0; i < report->n_added; i++)
      print_line("new", added_text(report->added[i]));
   for (size_t i = 0; i < report->n_gone; i++)
      print_line("gone", gone_text(report, report->gone[i]));
   text_forget();
}

/*--- GitHub                                               ---*/

/* Print S as a command's data; or as its property, where ':' and ',' end it. */
static void print_command_text(const char* s, bool property)
{
   for (; *s != 0; s++)
      if (*s == '%' || *s == '\r' || *s == '\n'
          || (property && (*s == ':' || *s == ',')))
         printf("%%%02X", (unsigned char)*s);
      else
         putchar(*s);
}

/* Return the path of F's source in the checkout, where GitHub shows
   annotations; NULL if it is not there. */
static const char* checkout_path(const GateFunction* f)
{
   const char* workspace = getenv("GITHUB_WORKSPACE");
   size_t      n = workspace == NULL ? 0 : strlen(workspace);
   const char* path = f == NULL ? "" : text_plain_path(f->file);

   if (n > 0 && strncmp(path, workspace, n) == 0 && path[n] == '/')
      path += n + 1;
   while (strncmp(path, "./", 2) == 0)
      path += 2;
   return path[0] == 0 || path[0] == '/' || strncmp(path, "../", 3) == 0
          || access(n == 0 ? path : text_format("%s/%s", workspace, path),
                    F_OK) != 0 ? NULL : path;
}

/* Print an error, at the begin of F, which may be NULL. */
static void annotate(const GateFunction* f, const char* benchmark,
                     const char* text)
{
   const char* path = checkout_path(f);

   printf("::error title=dcfg gate");
   if (path != NULL) {
      printf(",file=");
      print_command_text(text_clean(path), true);
      if (f->line > 0)
         printf(",line=%" PRIu32, f->line);
   }
   printf("::");
   print_command_text(text_format("%s: %s", benchmark, text), false);
   putchar('\n');
}

/* Return the function whose lines ROW is about; for the program, the one of the
   checkout that grew most; NULL: none. */
static const GateFunction* guilty(const GateResult* r, const GateRow* row)
{
   const GateRow* most = NULL;

   if (row->fa != NULL || row->fb != NULL)
      return row->fb != NULL ? row->fb : row->fa;
   for (size_t i = 1; i < r->n; i++)
      if (r->rows[i].b > r->rows[i].a
          && (most == NULL || r->rows[i].b - r->rows[i].a > most->b - most->a)
          && checkout_path(r->rows[i].fb) != NULL)
         most = &r->rows[i];
   return most == NULL ? NULL : most->fb;
}

static void annotate_result(const GateResult* r)
{
   size_t reason = 0;

   if (r->status == STATUS_BAD)
      for (; reason < r->n_reasons; reason++)
         annotate(NULL, r->b->name, text_format("not comparable: %s",
                                                r->reasons[reason]));
   for (size_t i = 0; i < r->n && reason < r->n_reasons; i++)
      if (r->rows[i].beyond)
         annotate(guilty(r, &r->rows[i]), r->b->name, r->reasons[reason++]);
   text_forget();
}

void gate_print_github(const GateReport* r)
{
   const char* path = getenv("GITHUB_STEP_SUMMARY");
   FILE*       to = path == NULL || path[0] == 0 ? NULL : fopen(path, "a");

   for (size_t i = 0; i < r->n; i++)
      annotate_result(&r->results[i]);
   for (size_t i = 0; i < r->n_gone; i++)
      annotate(NULL, r->baseline, gone_text(r, r->gone[i]));
   if (to != NULL) {
      gate_print_markdown(r, to);
      close_output(to, path);
   } else if (path != NULL && path[0] != 0)
      die("GITHUB_STEP_SUMMARY: cannot write %s: %s", text_clean(path),
          strerror(errno));
   else
      complain("GITHUB_STEP_SUMMARY is not set: there is no summary");
}
