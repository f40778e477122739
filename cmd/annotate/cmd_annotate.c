/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg annotate: a function's or a file's source, with counts beside it. */

/* Owns: the subcommand annotate: what its command line means, and the layout of
   annotated lines.  Handed: counts of lines and branches by the room lines/; for
   code without source lines, and for --asm, its instructions by
   cmd/lines/listing.c.

   A part is a stretch of a source file: a function's lines, or those that the
   user names.  Lines without a count fold if there are many of them. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/names.h"
#include "cmd/base/terminal.h"
#include "cmd/lines/coverage.h"
#include "cmd/lines/listing.h"

#include <ctype.h>

/* Part: lines .from to .to of source file .file. */
typedef
   struct {
      uint32_t    file, from, to;
      const char* name;         // the function's symbol, or NULL
      uint64_t    instrs;
      bool        readable;     // the source file's text is there
   }
   Part;

/* CodeOfLine: an instruction of a line, for --asm. */
typedef
   struct {
      uint64_t key;             // a line_key()
      uint64_t addr, executions;
      char*    text;
   }
   CodeOfLine;

typedef
   struct {
      Program     g;
      const DcfgProcess* p;
      uint32_t    thread;
      uint64_t    total;        // instructions of the process, or of the thread
      const char* what;         // FUNCTION or FILE[:LINE-LINE]; NULL: the
                                // hottest function
      Functions*  f;
      CodeListing     listing;
      Coverage*   c;
      size_t      counted;      // lines from this number on have no count
      Part*       parts;
      size_t      n_parts, part_room;
      bool        with_code;    // --asm
      KeyMap*     addrs;        // keys: addresses of instructions of the parts
      uint64_t*   addr_lines;   // by number in .addrs: a line_key()
      size_t      n_addrs, addr_room;
      bool*       wanted;       // by node: it has such an instruction
      CodeOfLine* code;         // in order of line and address
      size_t      n_code, code_room;
   }
   Annotate;

/*--- Which functions                                      ---*/

static bool is_in_run(const Annotate* a, uint32_t node)
{
   uint32_t image = a->p->nodes[node].image;

   return a->f->of[node] != NO_FUNCTION && image < a->p->n_images
          && a->c->of.chosen[image];
}

/* Return the function with most instructions of its own; NO_FUNCTION if none of
   the chosen images has one. */
static uint32_t hottest_function(const Annotate* a)
{
   uint64_t* sums = zalloc(a->f->n, sizeof(*sums));
   uint32_t  best = NO_FUNCTION;

   for (uint32_t i = 0; i < a->p->n_blocks; i++)
      if (is_in_run(a, i))
         add_count(&sums[a->f->of[i]], dcfg_node_instrs(a->p, i, a->thread));
   for (uint32_t i = 0; i < a->f->n; i++)
      if (sums[i] > 0 && (best == NO_FUNCTION || sums[i] > sums[best]))
         best = i;
   free(sums);
   return best;
}

/* Return whether the user means SYMBOL, or the name of a function without
   one. */
static bool is_meant(const Annotate* a, uint32_t function)
{
   const char* symbol = function_symbol_name(a->f, function);

   return symbol != NULL ? symbol_is(symbol, a->what)
                           || glob_fits(a->what, text_demangle(symbol))
          : strcmp(function_name(a->f, function), a->what) == 0;
}

/* Return whether SYMBOL is the function NAME of a source file, or a copy of it
   that the compiler changed.  A name that several functions of a file have is
   followed by '@' and a line. */
static bool is_copy(const char* symbol, const char* name)
{
   size_t n = strcspn(name, "@");

   return strncmp(symbol, name, n) == 0 && (symbol[n] == 0 || symbol[n] == '.');
}

/* Return whether a function that ran is meant. */
static bool has_code(const Annotate* a)
{
   bool has = false;

   for (uint32_t i = 0; i < a->f->n && !has; i++) {
      has = is_in_run(a, a->f->nodes[i]) && is_meant(a, i);
      text_forget();
   }
   return has;
}

/*--- Parts                                                ---*/

static void add_part(Annotate* a, uint32_t file, uint32_t from, uint32_t to,
                     const char* name)
{
   for (size_t i = 0; i < a->n_parts; i++)
      if (a->parts[i].file == file && a->parts[i].from == from)
         return;
   GROW(a->parts, a->n_parts, a->part_room);
   a->parts[a->n_parts++] = (Part){ file, from, to, name, 0, false };
}

/* Add the lines of function F: from its declaration to the last line that is
   its own. */
static void add_function(Annotate* a, const CoverFunction* f)
{
   uint32_t to = f->line;

   for (size_t i = 0; i < a->c->n_lines; i++) {
      uint64_t key = keymap_key(a->c->lines, (uint32_t)i);
      if ((uint32_t)(key >> 32) == f->file && a->c->line[i].owner == f->line
          && (uint32_t)key > to)
         to = (uint32_t)key;
   }
   add_part(a, f->file, f->line, to, f->name);
}

/* Add the source of FUNCTION of the graph. */
static void add_source_of(Annotate* a, uint32_t function)
{
   const char* symbol = function_symbol_name(a->f, function);

   for (size_t i = 0; i < a->c->n_functions && symbol != NULL; i++)
      if (is_copy(symbol, a->c->functions[i].name))
         add_function(a, &a->c->functions[i]);
}

/* Add the functions that the user means. */
static void add_named_functions(Annotate* a)
{
   for (size_t i = 0; i < a->c->n_functions; i++) {
      const CoverFunction* f = &a->c->functions[i];
      const char*          name = text_format("%.*s",
                                              (int)strcspn(f->name, "@"),
                                              f->name);
      if (symbol_is(name, a->what) || glob_fits(a->what, text_demangle(name)))
         add_function(a, f);
      text_forget();
   }
}

/* Read the lines behind NAME's last colon.  Return the length of what is before
   it; 0 if there are none. */
static size_t read_range(const char* name, uint32_t* from, uint32_t* to)
{
   const char* colon = strrchr(name, ':');
   uint64_t    low, high;

   if (colon == NULL || colon == name || !is_range(colon + 1, &low, &high)
       || low == 0 || high > UINT32_MAX)
      return 0;
   *from = (uint32_t)low;
   *to = (uint32_t)high;
   return (size_t)(colon - name);
}

/* Return the last line of FILE: of its text, or else with a count. */
static uint32_t last_line(const Annotate* a, uint32_t file)
{
   SourceFile* f = source_file_open(cover_path(a->c, file));
   uint32_t    last = f != NULL ? source_file_lines(f) : 0;

   source_file_close(f);
   for (size_t i = 0; i < a->c->n_lines && f == NULL; i++) {
      uint64_t key = keymap_key(a->c->lines, (uint32_t)i);
      if (key >> 32 == file && (uint32_t)key > last)
         last = (uint32_t)key;
   }
   return last;
}

/* Return by file how well the user's NAME fits; *BEST is the best of them. */
static PathFit* fit_files(const Annotate* a, const char* name, PathFit* best)
{
   uint32_t n = keymap_size(a->c->file_numbers);
   PathFit* fits = zalloc(n, sizeof(*fits));

   *best = FIT_NOT;
   for (size_t i = 0; i < a->c->n_lines; i++) {
      uint32_t file = (uint32_t)(keymap_key(a->c->lines, (uint32_t)i) >> 32);
      if (fits[file] == FIT_NOT)
         fits[file] = path_fit(cover_path(a->c, file), name, NULL);
      *best = fits[file] > *best ? fits[file] : *best;
   }
   return fits;
}

/* Add the source files that the user means, if they fit at least as LEAST. */
static void add_files(Annotate* a, PathFit least)
{
   uint32_t    from = 1, to = UINT32_MAX, n = keymap_size(a->c->file_numbers);
   size_t      length = read_range(a->what, &from, &to);
   const char* name = length == 0 ? a->what
                      : text_format("%.*s", (int)length, a->what);
   PathFit     best;
   PathFit*    fits = fit_files(a, name, &best);

   for (uint32_t i = 0; i < n && best >= least; i++) {
      uint32_t last;
      if (fits[i] != best)
         continue;
      last = last_line(a, i);
      if (from <= last)
         add_part(a, i, from, to < last ? to : last, NULL);
   }
   free(fits);
}

COMPARE(by_file, Part, UP(file) ?: UP(from))

static void find_parts(Annotate* a)
{
   uint32_t from, to;

   if (a->what == NULL) {
      uint32_t function = hottest_function(a);
      if (function != NO_FUNCTION)
         add_source_of(a, function);
   } else {
      if (read_range(a->what, &from, &to) > 0 || strchr(a->what, '.') != NULL)
         add_files(a, FIT_ALL);
      if (a->n_parts == 0)
         add_named_functions(a);
      if (a->n_parts == 0 && !has_code(a))
         add_files(a, FIT_PART);
   }
   SORT(a->parts, a->n_parts, by_file);
}

/*--- A line's numbers                                     ---*/

/* LineState: what is known of a line. */
typedef enum { NO_CODE, NOT_RUN, RAN } LineState;

static const CoverLine* line_at(const Annotate* a, uint32_t file, uint32_t line)
{
   uint32_t n = keymap_find(a->c->lines, line_key(file, line));

   return n == UINT32_MAX ? NULL : &a->c->line[n];
}

static LineState state_of(const Annotate* a, uint32_t file, uint32_t line)
{
   const CoverLine* l = line_at(a, file, line);

   return l == NULL ? NO_CODE
          : l->instrs > 0 || cover_times(l) > 0 ? RAN : NOT_RUN;
}

static const char* times_text(const Annotate* a, uint32_t file, uint32_t line)
{
   const CoverLine* l = line_at(a, file, line);

   return l == NULL || (size_t)(l - a->c->line) >= a->counted ? ""
          : cover_times(l) == 0 && l->instrs == 0 ? "#####"
          : text_count(cover_times(l));
}

static const char* instrs_text(const Annotate* a, uint32_t file, uint32_t line)
{
   const CoverLine* l = line_at(a, file, line);

   return l == NULL || l->instrs == 0 ? "" : text_count(l->instrs);
}

#define MOST_BRANCHES 3         // shown beside a line

/* Return how often the line's branches were taken and not: "12/3 0/15". */
static const char* branches_text(const Annotate* a, uint32_t file,
                                 uint32_t line)
{
   const Coverage* c = a->c;
   size_t          i = 0, n = 0;
   const char*     text = "";

   if (state_of(a, file, line) != RAN)
      return "";
   BISECT(i, c->n_branches, mid,
          line_key(c->branches[mid].file, c->branches[mid].line)
          < line_key(file, line));
   for (; i < c->n_branches && c->branches[i].file == file
          && c->branches[i].line == line; i++) {
      const Branch* b = &c->branches[i];
      if (!b->executed || n++ >= MOST_BRANCHES)
         continue;
      text = text_format("%s%s%s/%s", text, text[0] != 0 ? " " : "",
                         text_count(b->taken), text_count(b->not_taken));
   }
   return n <= MOST_BRANCHES ? text
          : text_format("%s +%zu", text, n - MOST_BRANCHES);
}

/*--- Which lines are shown                                ---*/

#define AROUND    3             // lines shown beside one that ran
#define LEAST_FOLD 6            // lines that fold, at least
#define MOST_DEAD 40            // lines between two that ran, which are shown
                                // if some of them have code

static void show_around(bool* shown, uint32_t line, const Part* part)
{
   uint32_t around = part->readable ? AROUND : 0;
   uint32_t first = line > part->from + around ? line - around : part->from;

   for (uint32_t i = first; i <= part->to && i - first <= line - first + around;
        i++)
      shown[i - part->from] = true;
}

/* Unfold the lines from FROM to before TO, of which none ran, if some have code
   and they are few. */
static void show_dead(const Annotate* a, const Part* part, bool* shown,
                      uint32_t from, uint32_t to)
{
   for (uint32_t i = from; i < to && to - from <= MOST_DEAD; i++)
      if (state_of(a, part->file, i) == NOT_RUN)
         show_around(shown, i, part);
}

/* Return by line, from .from, whether it is shown; to be freed. */
static bool* shown_lines(const Annotate* a, const Part* part)
{
   uint32_t n = part->to - part->from + 1;
   bool*    shown = zalloc(n + (size_t)1, sizeof(*shown));
   uint32_t ran = part->from;           // behind the last line that ran

   for (uint32_t i = part->from; i <= part->to; i++)
      if (state_of(a, part->file, i) == RAN) {
         show_around(shown, i, part);
         show_dead(a, part, shown, ran, i);
         ran = i + 1;
      }
   show_dead(a, part, shown, ran, part->to + 1);
   for (uint32_t i = 0, end; i < n; i = end + 1) {
      for (end = i; end < n && !shown[end]; end++)
         ;
      for (uint32_t k = i; k < end && part->readable && end - i < LEAST_FOLD;
           k++)
         shown[k] = true;
   }
   return shown;
}

/*--- Instructions of lines                                ---*/

static bool is_in_part(const Annotate* a, uint32_t file, uint32_t line)
{
   for (size_t i = 0; i < a->n_parts; i++)
      if (a->parts[i].file == file && a->parts[i].from <= line
          && line <= a->parts[i].to)
         return true;
   return false;
}

static void want_instr(void* arg, uint32_t node, uint64_t addr,
                       uint64_t instrs, uint32_t file, uint32_t line)
{
   Annotate* a = arg;

   (void)instrs;
   if (!is_in_part(a, file, line))
      return;
   a->wanted[node] = true;
   if (keymap_number(a->addrs, addr) == a->n_addrs) {
      GROW(a->addr_lines, a->n_addrs, a->addr_room);
      a->addr_lines[a->n_addrs++] = line_key(file, line);
   }
}

/* Columns of the instructions that --asm prints. */
#define ASM_AT 24

static void add_instr(void* arg, const Instr* i)
{
   Annotate* a = arg;
   uint32_t  n = keymap_find(a->addrs, i->addr);

   if (n == UINT32_MAX)
      return;
   GROW(a->code, a->n_code, a->code_room);
   a->code[a->n_code++]
      = (CodeOfLine){ a->addr_lines[n], i->addr, a->listing.executions,
                      text_copy(listing_instr(&a->listing, i, ASM_AT)) };
}

COMPARE(by_line, CodeOfLine, UP(key) ?: UP(addr))

/* Find the instructions of all parts. */
static void find_code(Annotate* a)
{
   size_t n = 0;

   a->addrs  = keymap_new();
   a->wanted = zalloc(a->p->n_nodes, sizeof(*a->wanted));
   cover_each_instr(a->c, want_instr, a);
   for (uint32_t i = 0; i < a->p->n_blocks; i++)
      if (a->wanted[i]) {
         a->listing.node = i;
         a->listing.executions = dcfg_node_executions(a->p, i, a->thread);
         code_block(a->listing.code, i, add_instr, a);
         text_forget();
      }
   SORT(a->code, a->n_code, by_line);
   for (size_t i = 0; i < a->n_code; i++)
      if (n > 0 && by_line(&a->code[n - 1], &a->code[i]) == 0) {
         add_count(&a->code[n - 1].executions, a->code[i].executions);
         free(a->code[i].text);
      } else {
         a->code[n++] = a->code[i];
      }
   a->n_code = n;
}

/* Print the instructions of a line. */
static void print_code(const Annotate* a, uint64_t key)
{
   size_t i = 0;

   BISECT(i, a->n_code, mid, a->code[mid].key < key);
   for (; i < a->n_code && a->code[i].key == key; i++)
      printf("%22s  %s\n", text_count(a->code[i].executions), a->code[i].text);
}

/*--- Layout                                               ---*/

/* Widths: columns of a part's numbers. */
typedef
   struct {
      size_t instrs, times, branches, line;
   }
   Widths;

static void widen(size_t* width, const char* text)
{
   size_t n = text_width(text);

   *width = n > *width ? n : *width;
}

static Widths find_widths(const Annotate* a, const Part* part,
                          const bool* shown)
{
   Widths w = { strlen("instructions"), strlen("times"), 0, strlen("line") };

   for (uint32_t i = part->from; i <= part->to; i++) {
      if (!shown[i - part->from])
         continue;
      widen(&w.instrs, instrs_text(a, part->file, i));
      widen(&w.times, times_text(a, part->file, i));
      widen(&w.branches, branches_text(a, part->file, i));
      text_forget();
   }
   widen(&w.line, text_format("%" PRIu32, part->to));
   if (w.branches > 0)
      widen(&w.branches, "taken/not");
   return w;
}

static void print_heading(const Widths* w)
{
   terminal_style(STYLE_HEADING);
   printf(" share  %*s  %*s  ", (int)w->instrs, "instructions", (int)w->times,
          "times");
   if (w->branches > 0)
      printf("%*s  ", (int)w->branches, "taken/not");
   printf("%*s", (int)w->line, "line");
   terminal_style(STYLE_PLAIN);
   putchar('\n');
}

/* Return the line's text with blanks for tabs. */
static const char* plain_text(const SourceFile* f, uint32_t line)
{
   size_t      length, column = 0;
   const char* text = f == NULL ? NULL : source_file_line(f, line, &length);
   const char* clean;
   char*       copy;
   size_t      n = 0;

   if (text == NULL)
      return "";
   clean = text_clean_line(text, length);
   copy = text_format("%*s", (int)(8 * strlen(clean) + 1), "");
   for (; *clean != 0; clean++) {
      if (*clean == '\t') {
         n += 8 - column % 8;
         column += 8 - column % 8;
         continue;
      }
      copy[n++] = *clean;
      column += ((unsigned char)*clean & 0xc0) != 0x80;
   }
   while (n > 0 && copy[n - 1] == ' ')
      n--;
   copy[n] = 0;
   return copy;
}

#define HOT  10                 // percent of the process
#define WARM 1

static Style style_of(const Annotate* a, uint32_t file, uint32_t line)
{
   const CoverLine* l = line_at(a, file, line);
   LineState        s = state_of(a, file, line);
   double           share = l == NULL || a->total == 0 ? 0
                            : 100 * (double)l->instrs / (double)a->total;

   return s == NOT_RUN ? STYLE_NOT_RUN : share >= HOT ? STYLE_HOT
          : share >= WARM ? STYLE_WARM : STYLE_PLAIN;
}

static void print_line(const Annotate* a, const Part* part, uint32_t line,
                       const Widths* w, const SourceFile* f)
{
   const CoverLine* l = line_at(a, part->file, line);
   Style            style = style_of(a, part->file, line);
   const char*      text = plain_text(f, line);
   size_t           used = 6 + 2 + w->instrs + 2 + w->times + 2 + w->line + 2
                           + (w->branches > 0 ? w->branches + 2 : 0);

   if (style != STYLE_PLAIN)
      terminal_style(style);
   printf("%6s  %*s  %*s  ", l == NULL || l->instrs == 0 ? ""
          : text_share(l->instrs, a->total),
          (int)w->instrs, instrs_text(a, part->file, line), (int)w->times,
          times_text(a, part->file, line));
   if (w->branches > 0)
      printf("%*s  ", (int)w->branches, branches_text(a, part->file, line));
   printf("%*" PRIu32, (int)w->line, line);
   if (text[0] != 0)
      printf("  %s", text_cut(text, terminal_room(stdout, used)));
   if (style != STYLE_PLAIN)
      terminal_style(STYLE_PLAIN);
   putchar('\n');
   if (a->with_code)
      print_code(a, line_key(part->file, line));
   text_forget();
}

/* Print a fold in the place of the lines from FROM to before TO. */
static void print_fold(const Annotate* a, const Part* part, uint32_t from,
                       uint32_t to, const Widths* w)
{
   uint32_t dead = 0;

   for (uint32_t i = from; i < to; i++)
      dead += state_of(a, part->file, i) == NOT_RUN;
   printf("%*s\u2026 %s line%s", (int)(6 + 2 + w->instrs + 2), "",
          text_count(to - from), to - from == 1 ? "" : "s");
   if (dead > 0)
      printf(", %s of them with code that did not run", text_count(dead));
   putchar('\n');
}

static void print_title(const Annotate* a, const Part* part)
{
   printf("%s%s%s:%s\n%s instructions, %s of the process",
          part->name == NULL ? "" : text_clean(text_brief(
             a->g.mangled ? part->name
             : text_demangle(text_format("%.*s", (int)strcspn(part->name, "@"),
                                         part->name)))),
          part->name == NULL ? "" : "  ",
          text_clean(cover_path(a->c, part->file)),
          part->from == part->to ? text_format("%" PRIu32, part->from)
          : text_format("%" PRIu32 "-%" PRIu32, part->from, part->to),
          text_count(part->instrs), text_share(part->instrs, a->total));
   if (!part->readable)
      fputs("; the source file cannot be read", stdout);
   fputs("\n\n", stdout);
}

static void print_part(const Annotate* a, Part* part)
{
   SourceFile* f = source_file_open(cover_path(a->c, part->file));
   bool*       shown;
   Widths      w;

   part->readable = f != NULL;
   shown = shown_lines(a, part);
   w = find_widths(a, part, shown);
   for (uint32_t i = part->from; i <= part->to; i++) {
      const CoverLine* l = line_at(a, part->file, i);
      if (l != NULL)
         add_count(&part->instrs, l->instrs);
   }
   print_title(a, part);
   print_heading(&w);
   for (uint32_t i = part->from, end; i <= part->to; i = end) {
      for (end = i; end <= part->to && !shown[end - part->from]; end++)
         ;
      if (end > i) {
         print_fold(a, part, i, end, &w);
      } else {
         print_line(a, part, i, &w, f);
         end = i + 1;
      }
   }
   free(shown);
   source_file_close(f);
}

/*--- Code without source lines                            ---*/

/* List the blocks of FUNCTION that ran. */
static void list_function(Annotate* a, uint32_t function)
{
   printf("%s has no source lines (its file has no debug information): its "
          "code\n", text_brief(function_name(a->f, function)));
   for (uint32_t i = 0; i < a->p->n_blocks; i++)
      if (a->f->of[i] == function
          && dcfg_node_executions(a->p, i, a->thread) > 0)
         listing_block(&a->listing, i);
}

/* List the functions that the user means, or the hottest one.  Return false if
   there is none. */
static bool list_code(Annotate* a)
{
   bool any = false;

   if (a->what == NULL) {
      uint32_t function = hottest_function(a);
      if (function != NO_FUNCTION)
         list_function(a, function);
      return function != NO_FUNCTION;
   }
   for (uint32_t i = 0; i < a->f->n; i++)
      if (is_in_run(a, a->f->nodes[i]) && is_meant(a, i)) {
         if (any)
            putchar('\n');
         list_function(a, i);
         any = true;
         text_forget();
      }
   return any;
}

/*--- The whole                                            ---*/

/* Annotate what the user means in the images that S selects.  Return false if
   they do not have it. */
static bool annotate(Annotate* a, const Select* s, const char* root)
{
   Selection* selected = selection_new(&a->g, s);
   bool*      chosen = zalloc(a->p->n_images, sizeof(*chosen));
   CoverageOf of = { a->g, a->p, a->listing.code, chosen, NULL, a->thread,
                     root, true, true };
   bool       found;

   if (!is_found(selected))
      exit(STATUS_BAD);
   for (uint32_t i = 0; i < a->p->n_images; i++)
      chosen[i] = image_selected(selected, i);
   a->c       = coverage_new(&of);
   a->counted = a->c->n_lines;
   cover_instrs(a->c);
   find_parts(a);
   if (a->with_code && a->n_parts > 0)
      find_code(a);
   for (size_t i = 0; i < a->n_parts; i++) {
      if (i > 0)
         putchar('\n');
      print_part(a, &a->parts[i]);
   }
   found = a->n_parts > 0 || list_code(a);
   for (size_t i = 0; i < a->n_code; i++)
      free(a->code[i].text);
   FREE_ALL(a->code, a->wanted, a->addr_lines);
   keymap_free(a->addrs);
   free(a->parts);
   coverage_free(a->c);
   free(chosen);
   selection_free(selected);
   return found;
}

/* Return whether the only operand is a recording, by its content. */
static bool is_recording(const char* operand)
{
   FileKind kind = file_kind(operand);

   return strcmp(operand, "-") == 0
          || (kind != KIND_OTHER && kind != KIND_PROGRAM);
}

static int run(int argc, char** argv)
{
   const char* root = NULL;
   bool        att = false, all = false;
   Select      what = SELECT_ALL;
   Annotate    a = { .listing = { .routine = DCFG_NONE - 1 } };
   const Opt   opts[] = {
      { "asm", OPT_FLAG, &a.with_code, NULL,
        "below each line its instructions, as dcfg disasm prints them" },
      { "att", OPT_FLAG, &att, NULL, "AT&T syntax instead of Intel's" },
      SELECT_IMAGE(&what), SELECT_THREAD(&what), SELECT_EVERYTHING(&all),
      OPT_ROOT(&root), OPT_MANGLED(&a.g.mangled)
   };
   const char* args[2] = { NULL, NULL };
   int         n = parse_args(&annotate_command, OPTS(opts), argc, argv, args,
                              0, 2);
   Dcfg*       d;

   if (n == 1 && !is_recording(args[0])) {
      args[1] = args[0];
      n = 0;
   }
   if (n == 0)
      default_files(&annotate_command, args, false);
   d = load_dcfg(args[0]);
   a.what   = args[1];
   a.g.d    = d;
   a.p      = a.g.p = main_process(d);
   a.thread = need_thread(d, what.thread);
   a.total  = dcfg_process_instrs(a.p, a.thread);
   a.f      = functions_new(&a.g);
   a.listing.g      = a.g;
   a.listing.p      = a.p;
   a.listing.thread = a.thread;
   a.listing.code   = code_new(&a.g, root, att);
   select_own(&what, all || (a.what == NULL
                             && main_library(&a.g, a.thread) != DCFG_NONE));
   if (!annotate(&a, &what, root)) {
      /* A library may have it. */
      what.own = false;
      if (!annotate(&a, &what, root))
         die(a.what == NULL ? "no function ran%s%s"
             : "neither a function nor a source file that ran is called "
             "`%s'%s", a.what == NULL ? "" : a.what,
             a.what == NULL ? "" : nearest_functions(&a.g, a.what));
   }
   listing_close(&a.listing);
   code_free(a.listing.code);
   functions_free(a.f);
   dcfg_free(d);
   return STATUS_OK;
}

const Command annotate_command = {
   "annotate", "[FILE] [FUNCTION|FILE[:LINE[-LINE]]]",
   "the source, with counts beside it",
   "Prints the lines of a function or of a source file with what a DCFG\n"
   "says of them.  Without an operand behind FILE it is the function with\n"
   "most instructions.  Without debug information (-g) it is the code, as\n"
   "dcfg disasm prints it.\n"
   "\n"
   "  instructions  executed in code of the line; inlined code counts for its\n"
   "                own line\n"
   "  times         how often control reached the line, as gcov counts it;\n"
   "                ##### if it has code, but never ran\n"
   "  taken/not     of each conditional branch of the machine code, how often\n"
   "                it jumped and how often it did not\n",
   "\n"
   "examples:\n"
   "  dcfg annotate\n"
   "  dcfg annotate out.json parse_line\n"
   "  dcfg annotate --asm out.json words.c:24-33\n",
   run
};
