/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg flame: stacks of calls as folded lines, a picture, or for speedscope. */

/* Owns: the subcommand flame; the tree of the runs that are shown, and its forms:
   lines "main;work;area 17", with both counts for two runs, a picture, and
   speedscope's format.  Handed: a command line; traces, logs, and graphs with
   recorded calls; calls by call_walk.c and, with instances, inline_walk.c.

   Recorded calls are pairs of functions, not stacks.  Their stacks are
   estimated: what a call of a function costs is shared out to that function's
   callers as its own cost is.  The user is told so.

   The picture is an SVG file that needs no other.  A click on a box shows
   its contents in full width, and a click below shows all again.  Ctrl-F
   marks the functions with a text in their names, and shows their share. */

#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/base/table.h"
#include "cmd/calls/called.h"
#include "cmd/calls/inline_walk.h"
#include "cmd/calls/xray_walk.h"
#include "cmd/commands.h"
#include "cmd/page/page.h"
#include "format/release.h"

/* Traced: a run: a graph with its functions and a trace, or with recorded calls;
   or an XRay log with its map. */
typedef
   struct {
      Dcfg*       d;
      Functions*  f;
      const char* file;         // the graph
      const char* trace;        // NULL: recorded calls
      Selection*  sel;
      InlineView* inlined;      // with --inline; or NULL
      const char* log;          // NULL: a graph and a trace
      const char* map;          // NULL: the one beside LOG
      bool        mangled;      // do not demangle a log's names
   }
   Traced;

/* FlameForm: a format of call stacks. */
typedef
   struct {
      OptionChoice choice;      // the option, and its text in --help
      bool         one_run;     // cannot compare two runs
      bool         no_log;      // needs a trace, which has the order of calls
      void       (*write)(const Traced* runs, int n, FILE* out);
   }
   FlameForm;

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
   FREE_ALL(called, s.first, s.open);
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

static const FlameForm form_folded = {
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
#include "flame_svg.js.inc"

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
   fputs(flame_svg_js.text, p->out);
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

/* Return the name of one of two runs with its recording, which tells apart runs
   of one program, and its INSTRS. */
static const char* recording_name(const Traced* run, uint64_t instrs)
{
   return run->log != NULL
          ? text_format("%s (%s)", run_name(run), text_count(instrs))
          : text_format("%s, %s (%s)", text_base(run_name(run)),
                        text_clean(text_base(run->file)), text_count(instrs));
}

/* Return the picture's title, to be freed. */
static char* title_of(const Traced* runs, const Stack* all, bool two)
{
   return text_copy(!two ? run_name(&runs[0])
                    : text_format("B: %s against A: %s",
                                  recording_name(&runs[1], all->total[1]),
                                  recording_name(&runs[0], all->total[0])));
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
   FREE_ALL(p.from, p.used, order, title);
   tree_free(t);
}

static const FlameForm form_svg = {
   .choice = { "svg", "a flame graph for a browser; a click shows a part, "
               "Ctrl-F searches",
               "OUT" },
   .write = write_svg
};

typedef
   struct {
      const Functions* f;
      Inlined*         in;      // with --inline, or NULL: frames behind those
                                // of .f are functions of the source
      FILE*            out;
      uint32_t*        open;    // active functions
      uint32_t         n;
      bool             first_profile, first_event;
   }
   Speedscope;

static void put_event(Speedscope* w, char type, uint32_t function, uint64_t at)
{
   fprintf(w->out, "%s\n    {\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%"
           PRIu64 "}", w->first_event ? "" : ",", type, function, at);
   w->first_event = false;
}

/* The format has no unit for instructions, so a profile's name says it. */
static void begin(void* arg, uint32_t thread)
{
   Speedscope* w = arg;

   fprintf(w->out, "%s\n  {\"type\":\"evented\",\"name\":\"thread %" PRIu32
           ", instructions\",\"unit\":\"none\",\"startValue\":0,\"events\":[",
           w->first_profile ? "" : ",", thread);
   w->first_profile = false;
   w->first_event = true;
   w->n = 0;
}

static void enter(void* arg, uint32_t function, uint64_t at)
{
   Speedscope* w = arg;

   w->open[w->n++] = function;
   put_event(w, 'O', function, at);
}

static void enter_inlined(void* arg, uint32_t scope, uint64_t at)
{
   Speedscope* w = arg;

   enter(arg, w->f->n + inlined_function(w->in, scope), at);
}

static void leave(void* arg, uint64_t at)
{
   Speedscope* w = arg;

   put_event(w, 'C', w->open[--w->n], at);
}

static void end(void* arg, uint64_t at)
{
   Speedscope* w = arg;

   fprintf(w->out, "\n  ],\"endValue\":%" PRIu64 "}", at);
}

static void put_file(const Speedscope* w, const char* file, uint32_t line)
{
   fputs(",\"file\":", w->out);
   put_json_string(file, w->out);
   fprintf(w->out, ",\"line\":%" PRIu32, line);
}

/* Write the frames of inlined functions; those of .f stand before them. */
static void put_inlined(const Speedscope* w)
{
   for (uint32_t i = 0; i < inlined_functions(w->in); i++) {
      const InlinedFunction* f = inlined_function_info(w->in, i);
      fprintf(w->out, "%s\n  {\"name\":", i + w->f->n > 0 ? "," : "");
      put_json_string(text_format("%s" INLINED_SUFFIX, inlined_name(w->in, i)),
                      w->out);
      if (f->line != 0)
         put_file(w, f->file, f->line);
      fputc('}', w->out);
      text_forget();
   }
}

static void put_frames(const Speedscope* w)
{
   const Program* g = &w->f->g;

   for (uint32_t i = 0; i < w->f->n; i++) {
      const DcfgNode* n = &g->p->nodes[w->f->nodes[i]];
      uint32_t        s = dcfg_source_at(g->p, n->image, n->addr);
      fprintf(w->out, "%s\n  {\"name\":", i > 0 ? "," : "");
      put_json_string(function_name(w->f, i), w->out);
      if (s != DCFG_NONE && g->p->sources[s].file < g->d->n_files)
         put_file(w, g->d->files[g->p->sources[s].file].name,
                  g->p->sources[s].line);
      fputc('}', w->out);
      text_forget();
   }
   if (w->in != NULL)
      put_inlined(w);
}

/* Number all inlined functions, before their frames are written. */
static void find_inlined(Speedscope* w, InlineView* v)
{
   w->in = v->in;
   walk_inlined_prepare(w->f, v);
   for (uint32_t i = 0; i < inlined_scopes(v->in); i++) {
      inlined_function(v->in, i);
      text_forget();
   }
}

/* Write all calls in order, a profile for each thread.  The unit is
   instructions of the selected part.  See
   https://www.speedscope.app/file-format-schema.json. */
static void write_speedscope(const Traced* run, int n, FILE* out)
{
   const Functions* f = run->f;
   Speedscope     w = { .f = f, .out = out, .first_profile = true };
   CallWatcher watcher = { .begin = begin, .enter = enter, .leave = leave,
                           .end = end, .only = run->sel, .arg = &w };
   InlineWatcher inlined = { .begin = begin, .enter = enter,
                             .enter_inlined = enter_inlined, .leave = leave,
                             .end = end, .arg = &w };

   (void)n;
   if (run->inlined != NULL)
      find_inlined(&w, run->inlined);
   w.open = zalloc(MAX_DEPTH, sizeof(*w.open));
   fputs("{\"$schema\":\"https://www.speedscope.app/"
         "file-format-schema.json\",\n\"exporter\":\"dcfg " DCFG_RELEASE
         "\",\n\"name\":", out);
   put_json_string(program_name(&f->g), out);
   fputs(",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
   put_frames(&w);
   fputs("\n]},\n\"profiles\":[", out);
   if (run->inlined != NULL) {
      inlined.only = run->inlined->selected;
      walk_inlined(f, run->inlined, run->trace, selected_thread(run->sel),
                   &inlined);
   } else {
      walk_calls(f, run->trace, selected_thread(run->sel), &watcher);
   }
   fputs("\n]}\n", out);
   free(w.open);
}

static const FlameForm form_speedscope = {
   .choice = { "speedscope", "all calls in their order, for speedscope",
               "OUT" },
   .one_run = true, .no_log = true, .write = write_speedscope
};

/* The first form is the default. */
static const FlameForm* const forms[] = { &form_folded, &form_svg,
                                          &form_speedscope };
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

/* Load the graph GRAPH with TRACE; NULL: with its recorded calls. */
static Traced load_traced(const char* graph, const char* trace,
                          const Select* what, bool mangled, const char* root)
{
   Traced  r = { .d = load_dcfg(graph), .file = graph, .trace = trace };
   Program g = { r.d, main_process(r.d), mangled };

   if (trace == NULL && g.p->calls == NULL)
      one_is_missing(&flame_command, graph);
   need_thread(r.d, what->thread);
   r.f = functions_new(&g);
   r.sel = selection_new(&g, what);
   if (what->inlined)
      r.inlined = inline_view_new(&r.f->g, what, r.sel, root);
   return r;
}

/* Return whether the first of N files is an XRay log, so that all belong to
   logs: the log and its map; with DIFF, two logs, and perhaps their maps. */
static bool are_logs(const char* const* files, int n, bool diff)
{
   return (diff ? n == 2 || n == 4 : n == 1 || n == 2)
          && file_kind(files[0]) == KIND_XRAY;
}

static void load_logs(const char* const* files, int n, int n_runs,
                      const Select* what, bool mangled, Traced* runs)
{
   if (names_place(what) || what->thread != NOT_GIVEN)
      die("--image, --routine, --function, --source and --thread choose a part "
          "of a DCFG and its trace, not of an XRay log");
   if (what->inlined)
      die("--inline needs a DCFG and its trace: an XRay log has no code");
   for (int i = 0; i < n_runs; i++)
      runs[i] = (Traced){ .log = files[i], .mangled = mangled,
                          .map = n > n_runs ? files[n_runs + i] : NULL };
}

/* Die unless WHAT is all that recorded calls have. */
static void need_whole(const Select* what)
{
   if (names_place(what) || what->inlined)
      die("--image, --routine, --function, --source and --inline need a trace "
          "beside the DCFG: --trace=yes writes it");
}

/* Exit, after a message, if WHAT selects nothing in any of the runs. */
static void need_parts(const Traced* runs, int n, const Select* what)
{
   Program    g[2];
   Selection* sel[2];

   for (int i = 0; i < n; i++) {
      g[i]   = runs[i].f->g;
      sel[i] = runs[i].sel;
   }
   need_found(g, sel, n, what);
}

static void free_traced(Traced* r)
{
   if (r->log != NULL)
      return;
   inline_view_free(r->inlined);
   selection_free(r->sel);
   functions_free(r->f);
   dcfg_free(r->d);
}

/* Return the form whose option was given; the first form without an option.
   Die if two were.  *PATH gets the path; NULL for the standard output. */
static const FlameForm* the_form(const char* const* paths, const char** path)
{
   const FlameForm* found = NULL;

   *path = NULL;
   for (size_t i = 0; i < N_FORMS; i++) {
      if (paths[i] == NULL)
         continue;
      if (found != NULL)
         die("one of --folded, --svg and --speedscope, not several");
      found = forms[i];
      *path = paths[i][0] != 0 ? paths[i] : NULL;
   }
   return found != NULL ? found : forms[0];
}

static int run(int argc, char** argv)
{
   Select      what = SELECT_ALL;
   bool        diff = false, mangled = false;
   const char* paths[N_FORMS] = { NULL };
   const char* path;
   const char* root = NULL;
   const Opt   others[] = {
      { "diff", OPT_FLAG, &diff, NULL,
        "compare two runs, A TRACE-A B TRACE-B, or two logs: both counts, or a "
        "picture of B, red where B has more than A" },
      SELECT_PLACES(&what),
      OPT_REMARK("(stacks are whole; instructions of such blocks count)"),
      SELECT_THREAD(&what), OPT_MANGLED(&mangled),
      OPT_INLINE(&what.inlined, "inlined functions are frames, too, with names "
                 "that end in " INLINED_SUFFIX),
      OPT_ROOT(&root)
   };
   Opt         opts[N_FORMS + sizeof(others) / sizeof(others[0])];
   const char* files[4];
   int         n, n_runs;
   bool        logs, calls;
   const FlameForm* form;
   Traced      runs[2];
   FILE*       out;

   for (size_t i = 0; i < N_FORMS; i++)
      opts[i] = (Opt){ forms[i]->choice.name, OPT_TEXT_OR_NOT, &paths[i],
                       forms[i]->choice.value, forms[i]->choice.help };
   memcpy(opts + N_FORMS, others, sizeof(others));
   n      = parse_args(&flame_command, OPTS(opts), argc, argv, files, 0, 4);
   n_runs = diff ? 2 : 1;
   form   = the_form(paths, &path);
   if (diff && form->one_run)
      die("%s shows one run: --%s or --diff, not both", form->choice.name,
          form->choice.name);
   if (n == 0 && !diff)
      n = default_recording(&flame_command, files);
   logs = are_logs(files, n, diff);
   if (logs && form->no_log)
      die("--%s needs a DCFG and its trace, not an XRay log",
          form->choice.name);
   calls = !logs && n == n_runs;
   if (calls && form->no_log)
      die("--%s needs a DCFG and its trace, not calls alone",
          form->choice.name);
   if (calls && !diff && file_kind(files[0]) != KIND_GRAPH)
      one_is_missing(&flame_command, files[0]);
   if (!logs && !calls && n != (diff ? 4 : 2))
      die(diff ? "--diff needs A TRACE-A B TRACE-B, two DCFGs with calls, or two "
                 "XRay logs"
          : "a DCFG and its trace are needed; usage: dcfg %s %s",
          flame_command.name, flame_command.args);
   only_one_input(files, (uint32_t)n);
   if (logs)
      load_logs(files, n, n_runs, &what, mangled, runs);
   if (calls)
      need_whole(&what);
   what.quiet = true;
   for (int i = 0; i < n_runs && !logs; i++)
      runs[i] = load_traced(files[calls ? i : 2 * i],
                            calls ? NULL : files[2 * i + 1], &what, mangled,
                            root);
   if (!logs)
      need_parts(runs, n_runs, &what);
   out = open_result(path);
   form->write(runs, n_runs, out);
   close_results();
   for (int i = 0; i < n_runs; i++)
      free_traced(&runs[i]);
   return STATUS_OK;
}

const Command flame_command = {
   "flame", "[FILE [TRACE]|LOG [MAP]]",
   "which functions called which: flame graphs",
   "Adds up the instructions that were executed in each stack of calls.  The\n"
   "sums are exact, because a trace has every call; so has an XRay log LOG.\n"
   "Functions are those of the source, not routines of the graph.\n"
   "\n"
   "Without a trace, a DCFG with recorded calls (--calls=yes) will do: its\n"
   "stacks are estimated, as it tells what each function spent in which other,\n"
   "but not in which stacks.\n",
   "\n"
   "Without OUT it goes to the standard output.\n"
   "\n"
   "examples:\n"
   "  valgrind --tool=dcfg --trace=yes ./prog && dcfg flame --svg=flame.svg\n"
   "  dcfg flame --diff --svg=change.svg a.json a-trace.json b.json \\\n"
   "     b-trace.json\n",
   run
};
