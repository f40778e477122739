/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of source as criteria. */

/* Owns: the instructions of a line, the instance that kept a line from
   running, and messages about lines without an instance.  Handed:
   FILE:LINE#N. */

#include "cmd/slice/slice_line.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/names.h"
#include "cmd/base/nearest.h"
#include "cmd/base/operands.h"
#include "cmd/omitted/omitted.h"
#include "cmd/program/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*--- The line that is asked for                           ---*/

/* Line: the parts of FILE:LINE#N. */
typedef
   struct {
      size_t   length;          // length of the file's name
      uint64_t line, number;    // .number is DCFG_SLICE_LAST without #N
   }
   Line;

bool is_line(const char* at)
{
   return at != NULL && strchr(at, ':') != NULL;
}

static Line read_line(const char* at)
{
   const char* colon = strrchr(at, ':');
   char*       end;
   Line        l = { (size_t)(colon - at), 0, DCFG_SLICE_LAST };
   bool        bad;

   errno  = 0;
   l.line = strtoull(colon + 1, &end, 10);
   bad    = colon[1] < '0' || colon[1] > '9';
   if (!bad && *end == '#' && end[1] >= '0' && end[1] <= '9')
      l.number = strtoull(end + 1, &end, 10);
   if (bad || *end != 0 || errno != 0
       || l.number == DCFG_SLICE_EVERY)
      die("--at: `%s' is no line: FILE:LINE, or FILE:LINE#N for its execution "
          "N, from 0", at);
   return l;
}

/* Return whether paths A and B lead to the same file. */
static bool is_same_source(const char* a, const char* b)
{
   struct stat x, y;

   return strcmp(a, b) == 0
          || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev
              && x.st_ino == y.st_ino);
}

/* Return "; did you mean ...?" with the source whose name is nearest to the
   file of AT, which ends at COLON; if none is near, a hint if the program has no
   source lines, or "". */
static const char* nearest_source(DcfgWet* w, const char* at,
                                  const char* colon)
{
   const char* file = text_format("%.*s", (int)(colon - at), at);
   const char* program = wet_program(w);
   Nearest     n = nearest_to(text_base(file));
   bool        has_lines = program == NULL;

   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->source == NULL)
         continue;
      nearest_offer(&n, text_base(in->source));
      has_lines = has_lines || (in->image_name != NULL
                                && strcmp(in->image_name, program) == 0);
   }
   return n.n == 0 && !has_lines ? no_source_lines(program)
          : text_format("%s", nearest_text(&n));
}

/* Return the source of the trace that the first LENGTH bytes of AT name, or
   NULL. */
static const char* file_of(DcfgWet* w, const char* at, size_t length)
{
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      if (text_ends_path(dcfg_wet_instr(w, i)->source, at, length))
         return dcfg_wet_instr(w, i)->source;
   return NULL;
}

bool line_criterion(DcfgWet* w, const char* at, bool* instrs,
                    uint64_t* number)
{
   const Line  l = read_line(at);
   uint32_t    n = dcfg_wet_instrs(w);
   const char* source = NULL;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      instrs[i] = in->line == l.line
                  && text_ends_path(in->source, at, l.length);
      if (!instrs[i])
         continue;
      if (source != NULL && !is_same_source(source, in->source))
         die("--at: `%s' is a line of %s and of %s: give more of the path",
             at, source, in->source);
      source = in->source;
   }
   *number = l.number;
   return source != NULL;
}

/*--- Lines without an instance                            ---*/

/* Return a slice whose totals count the instructions that ran.  Its criteria
   are those of SOURCE.  The caller frees it. */
static DcfgSlice* count_all(DcfgWet* w, const char* source)
{
   uint32_t       n = dcfg_wet_instrs(w);
   bool*          instrs = zalloc(n + (size_t)1, sizeof(bool));
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_LAST,
                        .no_control = true, .only_criteria = true,
                        .sums = true };
   DcfgError      err;
   DcfgSlice*     s;

   for (uint32_t i = 0; i < n; i++) {
      const char* of = dcfg_wet_instr(w, i)->source;
      instrs[i] = of != NULL && strcmp(of, source) == 0;
   }
   s = dcfg_slice_new(w, &q, &err);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   free(instrs);
   return s;
}

/* Set *BEFORE and *BEHIND to the nearest lines of SOURCE that ran before and
   behind LINE; 0: there is none. */
static void find_nearest(DcfgWet* w, const char* source, uint64_t line,
                         uint64_t* before, uint64_t* behind)
{
   DcfgSlice* s = count_all(w, source);

   *before = *behind = 0;
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->source == NULL || strcmp(in->source, source) != 0
          || in->line == 0 || s->totals[i].executed == 0)
         continue;
      if (in->line < line && in->line > *before)
         *before = in->line;
      if (in->line > line && (*behind == 0 || in->line < *behind))
         *behind = in->line;
   }
   dcfg_slice_free(s);
}

/* Die with a message that names the nearest lines that ran: no executed code
   leads to LINE of SOURCE. */
static _Noreturn void no_guard(TraceProgram* p, const char* source,
                               uint64_t line)
{
   const char* name = text_clean(text_base(source));
   LineCode    code = line_code(p, source, line);
   const char* what = code == CODE_UNKNOWN
                      ? text_format("nothing of line %" PRIu64 " of %s was "
                                    "executed", line, name)
                      : text_format(code == CODE_SOME
                                    ? "line %" PRIu64 " of %s has code, but it "
                                      "never ran"
                                    : "line %" PRIu64 " of %s has no code",
                                    line, name);
   uint64_t    before, behind, next;

   find_nearest(p->w, source, line, &before, &behind);
   next = before != 0 ? before : behind;
   if (next == 0)
      die("--at: %s, and no other line of the file did", what);
   die("--at: %s; the nearest that ran %s %" PRIu64 "%s: %s--at=%s:%" PRIu64,
       what, before != 0 && behind != 0 ? "are lines" : "is line", next,
       before != 0 && behind != 0 ? text_format(" and %" PRIu64, behind) : "",
       code == CODE_NONE ? "" : "what led past it may be in the slice of ",
       name, next);
}

void line_check_times(const char* at, const DcfgSlice* s)
{
   const Line l = read_line(at);

   if (s->n_executions > 0)
      die("--at: line %" PRIu64 " of %.*s ran %s times: give #0 to #%" PRIu64,
          l.line, (int)l.length, at, text_count(s->n_executions),
          s->n_executions - 1);
}

/*--- Lines that never ran                                 ---*/

#define MOST_GUARDS 5           // guards that a message names

/* Return the words for guard AT, as "line 12 was false at 0x1091bb#0, the
   last of 3 times".  A line of SOURCE has no file name. */
static const char* guard_text(const Guards* g, const Guard* at,
                              const char* source)
{
   const OmittedBranch* b = &at->branch;
   const char*          how
      = at->call ? "called what did not come back"
        : b->taken == 0 ? "went elsewhere"
        : direction_text(g->program, g->near, b->addr, b->taken, b->other);

   return text_format("%s %s at 0x%" PRIx64 "#%" PRIu64 "%s",
                      code_text(g->program, g->near, b->addr, source), how,
                      b->addr, b->instance,
                      at->times == 1 ? ""
                      : text_format(", the last of %s times",
                                    text_count(at->times)));
}

/* Return a line of text for each call on the way of guard AT, as "bump was
   never called: line 17 would have called it", the innermost function first. */
static const char* calls_text(const Guards* g, const Guard* at,
                              const char* source)
{
   const char* text = "";
   uint64_t    begin;
   const char* function = code_function(g->program, g->near, g->line, &begin);

   for (size_t i = at->n_calls; i-- > 0; ) {
      text = text_format("%s%s was never called: %s would have called it\n",
                         text, function == NULL ? "its function"
                         : text_clean(text_brief(text_demangle(function))),
                         code_text(g->program, g->near, at->calls[i], source));
      function = code_function(g->program, g->near, at->calls[i], &begin);
   }
   return text;
}

const char* line_guard(TraceProgram* p, const char* at, char** heading)
{
   DcfgWet*    w = p->w;
   const Line  l = read_line(at);
   const char* file = file_of(w, at, l.length);
   const char* source = file != NULL ? file
                        : text_format("%.*s", (int)l.length, at);
   DcfgSlice*  s = count_all(w, source);
   Guards      g = guards_find(p, s->totals, source, l.line);
   const char* text;
   const char* instance;

   if (g.n == 0 && g.line == 0 && file == NULL)
      die("--at: no code of a source file `%s' ran%s", source,
          nearest_source(w, at, at + l.length));
   text = text_format("line %" PRIu64 " of %s has code, but it never ran", l.line,
                      text_clean(text_base(source)));
   if (g.n == 0 && g.line != 0 && g.uncalled)
      die("--at: %s: nothing in the program calls its function directly", text);
   if (g.n == 0)
      no_guard(p, source, l.line);
   text = text_format("%s\n%s", text, calls_text(&g, &g.all[0], source));
   for (size_t i = 0; i < g.n && i < MOST_GUARDS; i++)
      text = text_format("%s%s %s\n", text, i == 0 ? "because" : "and",
                         guard_text(&g, &g.all[i], source));
   if (g.n > MOST_GUARDS)
      text = text_format("%sand %zu more\n", text, g.n - MOST_GUARDS);
   *heading = text_copy(text);
   instance = text_format("0x%" PRIx64 "#%" PRIu64, g.all[0].branch.addr,
                          g.all[0].branch.instance);
   guards_free(&g);
   dcfg_slice_free(s);
   return instance;
}
