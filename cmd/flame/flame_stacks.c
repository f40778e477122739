/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Trees of call stacks: folded lines and flame graphs. */

/* Owns: the tree of the runs that are shown, and its two forms: lines
   "main;work;area 17", with both counts for two runs, and a picture.  Handed:
   traces, logs, and graphs with recorded calls.

   Recorded calls are pairs of functions, not stacks.  Their stacks are
   estimated: what a call of a function costs is shared out to that function's
   callers as its own cost is.  The user is told so.

   The picture is an SVG file that needs no other.  A click on a box shows
   its contents in full width, and a click below shows all again.  Ctrl-F
   marks the functions with a text in their names, and shows their share. */

#include "cmd/base/format.h"
#include "cmd/flame/flame_tree.h"

#include "cmd/base/sums.h"
#include "cmd/calls/called.h"
#include "cmd/calls/xray_walk.h"
#include "cmd/page/page.h"

#include <inttypes.h>
#include <stdlib.h>

/*--- The tree of the runs                                 ---*/

/* Stacks from recorded calls are at most so deep, and have at least this part
   of all instructions. */
#define DEEPEST_GUESS  200
#define SMALLEST_GUESS 100000

/* Add a trace.  Tell the user if it has fewer instructions than its graph. */
static void add_trace(StackTree* tree, const Traced* r, int run,
                      const char* suffix)
{
   uint64_t sum = r->inlined != NULL
                  ? tree_add_inlined(tree, r->f, r->trace, r->sel, r->inlined,
                                     run, suffix)
                  : tree_add(tree, r->f, r->trace, r->sel, run);
   uint64_t all = dcfg_process_instrs(r->f->g.p, selected_thread(r->sel));

   if (sum != all && is_everything(r->sel))
      complain("%s has %s of %s instructions", r->trace, text_count(sum),
               text_count(all));
}

/* Guess: the estimation of stacks from recorded calls. */
typedef
   struct {
      StackTree*         t;
      const Traced*      r;
      const DcfgProcess* p;
      uint32_t           thread;
      int                run;
      uint64_t           least;   // smaller parts stay with the caller
      uint32_t*          first;   // by function: its first pair as a caller
      bool*              open;    // by function: is it in the stack?
   }
   Guess;

/* Return N * PART / WHOLE, rounded. */
static uint64_t part_of(uint64_t n, uint64_t part, uint64_t whole)
{
   return (uint64_t)(((unsigned __int128)n * part + whole / 2) / whole);
}

/* Add FUNCTION above STACK, with AMOUNT of the instructions that it and what it
   called cost. */
static void spread_out(Guess* s, uint32_t stack, uint32_t function,
                       uint64_t amount)
{
   const DcfgCallSums* calls = s->p->calls;
   uint64_t whole = dcfg_function_inclusive(s->p, function, s->thread);
   uint64_t rest = amount;

   stack = tree_child(s->t, stack, intern(s->t->names,
                                          called_name(&s->r->f->g, function)));
   text_forget();
   s->open[function] = true;
   for (uint32_t i = s->first[function];
        whole > 0 && i < calls->n_pairs && calls->pairs[i].caller == function;
        i++) {
      uint64_t part = part_of(amount, dcfg_pair_inclusive(s->p, i, s->thread),
                              whole);
      part = part < rest ? part : rest;
      if (s->open[calls->pairs[i].callee] || part < s->least
          || s->t->stacks[stack].depth >= DEEPEST_GUESS)
         continue;
      rest -= part;
      spread_out(s, stack, calls->pairs[i].callee, part);
   }
   s->open[function] = false;
   add_count(&s->t->stacks[stack].self[s->run], rest);
}

/* Add recorded calls: functions with what is no function's call of them stand at
   the bottom. */
static void add_calls(StackTree* tree, const Traced* r, int run)
{
   const DcfgProcess*  p = r->f->g.p;
   const DcfgCallSums* calls = p->calls;
   uint32_t            thread = selected_thread(r->sel);
   uint64_t            all = dcfg_process_instrs(p, thread);
   uint64_t*           called = zalloc(calls->n_functions, sizeof(*called));
   Guess s = { tree, r, p, thread, run, all / SMALLEST_GUESS + 1,
                zalloc(calls->n_functions, sizeof(*s.first)),
                zalloc(calls->n_functions, sizeof(*s.open)) };

   for (uint32_t i = calls->n_pairs; i-- > 0;) {
      const DcfgPair* c = &calls->pairs[i];
      s.first[c->caller] = i;
      if (c->caller != c->callee)
         add_count(&called[c->callee], dcfg_pair_inclusive(p, i, thread));
   }
   for (uint32_t i = 0; i < calls->n_functions; i++) {
      uint64_t own = dcfg_function_inclusive(p, i, thread);
      if (own > called[i])
         spread_out(&s, 0, i, own - called[i]);
   }
   complain("%s has calls, not stacks: stacks are estimated from them; a run with "
            "--trace=yes has them exactly", program_name(&r->f->g));
   free(called);
   free(s.first);
   free(s.open);
}

/* Return the tree of the selected parts of N runs, to be freed. */
static StackTree* tree_of(const Traced* runs, int n)
{
   StackTree* t = tree_new();

   for (int i = 0; i < n; i++)
      if (runs[i].log != NULL)
         tree_add_log(t, runs[i].log, runs[i].map, runs[i].mangled, i);
      else if (runs[i].trace == NULL)
         add_calls(t, &runs[i], i);
      else
         add_trace(t, &runs[i], i, n == 1 ? INLINED_SUFFIX : "");
   return t;
}

/*--- Folded stacks                                        ---*/

static void put_stack(const StackTree* tree, uint32_t stack, FILE* out)
{
   uint32_t path[MAX_DEPTH + 1];
   uint32_t n = 0;

   for (; stack != 0; stack = tree->stacks[stack].parent)
      path[n++] = stack;
   while (n-- > 0) {
      fputs(text_frame(tree->stacks[path[n]].name), out);
      if (n > 0)
         fputc(';', out);
   }
}

static void write_folded(const Traced* runs, int n, FILE* out)
{
   StackTree* t = tree_of(runs, n);
   bool       two = n == 2;

   for (uint32_t i = 0; i < t->n; i++) {
      const Stack* s = &t->stacks[i];
      if (s->self[0] == 0 && (!two || s->self[1] == 0))
         continue;
      if (i == 0)
         fputs(text_frame(s->name), out);
      put_stack(t, i, out);
      fprintf(out, " %" PRIu64, s->self[0]);
      if (two)
         fprintf(out, " %" PRIu64, s->self[1]);
      fputc('\n', out);
   }
   tree_free(t);
}

const FlameForm flame_form_folded = {
   .choice = { "folded",
               "lines `main;work;area 17', as other programs for "
               "such graphs read them; so it is without an option", NULL },
   .write = write_folded
};

/*--- Flame graphs                                         ---*/

#define WIDTH   1200            // pixels
#define ROW     17              // pixels: a box with the gap
#define TOP     40              // pixels above the boxes
#define LEGEND  16              // pixels: a line below the title
#define BOTTOM  30
#define LETTER  6.6             // pixels: width of a letter
#define LEAST   0.1             // pixels: a narrower box is left out

/* The script: a click shows a part, and Ctrl-F marks functions.  Each box knows
   its begin and its size, in instructions.  If matching boxes stand above each
   other, their instructions count once. */
static const PageFile script =
#include "flame_svg.js.inc"
;

/* Write S as XML.  Characters that XML cannot have are left out. */
static void put_xml(const char* s, FILE* out)
{
   for (; *s != 0; s++)
      switch (*s) {
         case '&': fputs("&amp;", out); break;
         case '<': fputs("&lt;", out); break;
         case '>': fputs("&gt;", out); break;
         case '"': fputs("&quot;", out); break;
         default:
            if ((unsigned char)*s >= ' ')
               fputc(*s, out);
      }
}

/* Write the colour, from yellow to red, that belongs to the name. */
static void put_heat(const char* name, FILE* out)
{
   uint32_t h = 2166136261u;

   for (const char* c = name; *c != 0; c++)
      h = (h ^ (unsigned char)*c) * 16777619u;
   fprintf(out, "rgb(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", 205 + h % 50,
           60 + h / 64 % 150, h / 65536 % 55);
}

/* Write the colour of a change: red for more, blue for less, white for none;
   its strength is the change's share of the largest one. */
static void put_change(const Stack* s, uint64_t most, FILE* out)
{
   uint64_t a = s->self[0], b = s->self[1], d = a > b ? a - b : b - a;
   int      pale = most == 0 ? 255
                   : 255 - (int)(200.0 * (double)d / (double)most);

   if (b > a)
      fprintf(out, "rgb(255,%d,%d)", pale, pale);
   else
      fprintf(out, "rgb(%d,%d,255)", pale, pale);
}

static void put_title(const Stack* s, const Stack* all, bool two, FILE* out)
{
   fputs("<title>", out);
   put_xml(s->name, out);
   if (two)
      put_xml(text_format(": A %s, B %s instructions; itself A %s, B %s",
                          text_count(s->total[0]), text_count(s->total[1]),
                          text_count(s->self[0]), text_count(s->self[1])),
              out);
   else
      put_xml(text_format(": %s instructions, %s; itself %s",
                          text_count(s->total[0]),
                          text_share(s->total[0], all->total[0]),
                          text_count(s->self[0])), out);
   fputs("</title>", out);
}

/* Return the bytes of the first N letters.  A letter may have several bytes. */
static size_t head_size(const char* s, size_t n)
{
   const char* end = s;

   for (; *end != 0; end++)
      if (((unsigned char)*end & 0xc0) != 0x80 && n-- == 0)
         break;
   return (size_t)(end - s);
}

/* Write as many letters as the box has room for. */
static void put_label(const char* name, double width, FILE* out)
{
   size_t room = width < 6 ? 0 : (size_t)((width - 6) / LETTER);

   if (room < 3)
      return;
   if (text_width(name) > room)
      name = text_format("%.*s..", (int)head_size(name, room - 2), name);
   put_xml(name, out);
}

typedef
   struct {
      const StackTree* t;
      FILE*            out;
      uint64_t*        from;    // by stack: instructions to its left
      uint64_t*        used;    // by stack: instructions of children so far
      uint64_t         most;    // the largest change
      uint32_t         deepest;
      uint32_t         n_left;  // boxes that are too narrow
      int              run;     // the run that gives the widths
      int              top;     // pixels above the boxes
      bool             two;
   }
   Picture;

static double scale(const Picture* p, uint64_t instrs)
{
   uint64_t all = p->t->stacks[0].total[p->run];

   return all == 0 ? 0 : (double)instrs * WIDTH / (double)all;
}

static bool is_wide(const Picture* p, uint32_t i)
{
   return scale(p, p->t->stacks[i].total[p->run]) >= LEAST;
}

static void draw_box(Picture* p, uint32_t i)
{
   const Stack* s = &p->t->stacks[i];
   double       x = scale(p, p->from[i]);
   double       w = scale(p, s->total[p->run]);
   double       y = p->top + (double)(p->deepest - s->depth) * ROW;

   fprintf(p->out, "<g class=\"f\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64
           "\" data-n=\"", p->from[i], s->total[p->run]);
   put_xml(s->name, p->out);
   fputs("\">", p->out);
   put_title(s, &p->t->stacks[0], p->two, p->out);
   fprintf(p->out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" "
           "rx=\"1\" fill=\"", x, y, w > 0.4 ? w - 0.3 : LEAST, ROW - 1);
   if (p->two)
      put_change(s, p->most, p->out);
   else
      put_heat(s->name, p->out);
   fprintf(p->out, "\"/><text x=\"%.2f\" y=\"%.0f\">", x + 3, y + 12);
   put_label(s->name, w, p->out);
   fputs("</text></g>\n", p->out);
   text_forget();
}

/* Lay the children of each stack side by side, from its left edge on. */
static void lay_out(Picture* p, const uint32_t* order)
{
   for (uint32_t k = 1; k < p->t->n; k++) {
      uint32_t     i = order[k];
      const Stack* s = &p->t->stacks[i];
      p->from[i] = p->from[s->parent] + p->used[s->parent];
      p->used[s->parent] += s->total[p->run];
   }
   for (uint32_t i = 0; i < p->t->n; i++) {
      const Stack* s = &p->t->stacks[i];
      uint64_t     d = s->self[0] > s->self[1] ? s->self[0] - s->self[1]
                       : s->self[1] - s->self[0];
      if (d > p->most)
         p->most = d;
      if (!is_wide(p, i))
         p->n_left++;
      else if (s->depth > p->deepest)
         p->deepest = s->depth;
   }
}

static void put_head(const Picture* p, const char* title)
{
   uint32_t height = (uint32_t)p->top + (p->deepest + 1) * ROW + BOTTOM;

   fprintf(p->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
           "height=\"%" PRIu32 "\" viewBox=\"0 0 %d %" PRIu32 "\">\n", WIDTH,
           height, WIDTH, height);
   fputs("<style>text { font: 11px monospace; pointer-events: none } "
         "#title { font-size: 15px } g.f, #search { cursor: pointer } "
         "#search { pointer-events: auto; text-anchor: end }</style>\n"
         "<script><![CDATA[\n", p->out);
   fputs(script.text, p->out);
   fprintf(p->out, "]]></script>\n<rect width=\"%d\" height=\"%" PRIu32
           "\" fill=\"#fdfaf2\"/>\n<text id=\"title\" x=\"10\" y=\"22\">",
           WIDTH, height);
   put_xml(title, p->out);
   if (p->two)
      fputs("</text>\n<text id=\"legend\" x=\"10\" y=\"40\">widths are "
            "instructions of B; red: more than in A, blue: fewer, white: as "
            "many", p->out);
   fprintf(p->out, "</text>\n<text id=\"search\" x=\"%d\" y=\"22\">search: "
           "Ctrl-F</text>\n<text id=\"note\" x=\"10\" y=\"%" PRIu32 "\">",
           WIDTH - 10, height - 10);
   if (p->n_left > 0)
      fprintf(p->out, "%s stacks are too narrow to be drawn",
              text_count(p->n_left));
   fputs("</text>\n", p->out);
}

/* Return the name of a run: its program or its log. */
static const char* run_name(const Traced* run)
{
   const char* name = run->log != NULL ? text_clean(run->log)
                      : program_name(&run->f->g);

   return run->log != NULL || run->trace != NULL ? name
          : text_format("%s: stacks estimated from recorded calls", name);
}

/* Return the picture's title, to be freed.  Of two runs, their totals tell apart
   runs of one program. */
static char* title_of(const Traced* runs, const Stack* all, bool two)
{
   return text_copy(!two ? run_name(&runs[0])
                    : text_format("B: %s (%s) against A: %s (%s)",
                                  run_name(&runs[1]),
                                  text_count(all->total[1]),
                                  run_name(&runs[0]),
                                  text_count(all->total[0])));
}

/* Write the picture.  Of two runs, it shows the second one, red where it has
   grown and blue where it has shrunk. */
static void write_svg(const Traced* runs, int n, FILE* out)
{
   StackTree*  t = tree_of(runs, n);
   uint32_t*   order = tree_finish(t);
   char*       title = title_of(runs, &t->stacks[0], n == 2);
   Picture     p = { .t = t, .out = out, .run = n == 2, .two = n == 2,
                     .top = n == 2 ? TOP + LEGEND : TOP };

   p.from = zalloc(t->n, sizeof(*p.from));
   p.used = zalloc(t->n, sizeof(*p.used));
   lay_out(&p, order);
   put_head(&p, title);
   draw_box(&p, 0);
   for (uint32_t k = 1; k < t->n; k++)
      if (is_wide(&p, order[k]))
         draw_box(&p, order[k]);
   fputs("</svg>\n", out);
   free(p.from);
   free(p.used);
   free(order);
   free(title);
   tree_free(t);
}

const FlameForm flame_form_svg = {
   .choice = { "svg", "a flame graph for a browser; a click shows a part, "
               "Ctrl-F searches",
               "OUT" },
   .write = write_svg
};
