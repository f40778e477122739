/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of source as criteria. */

/* Owns: which instructions a line has, and what is said of a line without an
   instance.  Handed: FILE:LINE#N.  Taken by: slice_query.c. */

#include "cmd/slice/slice_line.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/nearest.h"
#include "cmd/base/operands.h"
#include "cmd/slice/image_debug.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*--- The line that is asked for                           ---*/

/* Line: the parts of FILE:LINE#N. */
typedef
   struct {
      size_t   length;          // of the file's name
      uint64_t line, number;    // the latter DCFG_SLICE_LAST: none is told
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

/* WANTED is the end of PATH, from a slash on. */
static bool is_source(const char* path, const char* wanted, size_t k)
{
   size_t n = path == NULL ? 0 : strlen(path);

   return n >= k && k > 0 && memcmp(path + n - k, wanted, k) == 0
          && (n == k || wanted[0] == '/' || path[n - k - 1] == '/');
}

/* Do these name one file, however that is written? */
static bool is_same_source(const char* a, const char* b)
{
   struct stat x, y;

   return strcmp(a, b) == 0
          || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev
              && x.st_ino == y.st_ino);
}

/* "; did you mean ...?" of AT up to COLON, or "". */
static const char* nearest_source(DcfgWet* w, const char* at,
                                  const char* colon)
{
   const char* file = text_format("%.*s", (int)(colon - at), at);
   Nearest     n = nearest_to(text_base(file));

   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      if (dcfg_wet_instr(w, i)->source != NULL)
         nearest_offer(&n, text_base(dcfg_wet_instr(w, i)->source));
   return text_format("%s", nearest_text(&n));
}

uint64_t line_criterion(DcfgWet* w, const char* at, const char* root,
                        bool* instrs)
{
   const Line  l = read_line(at);
   uint32_t    n = dcfg_wet_instrs(w), found = 0;
   const char* source = NULL;
   const char* file = NULL;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (!is_source(in->source, at, l.length))
         continue;
      file      = in->source;
      instrs[i] = in->line == l.line;
      if (!instrs[i])
         continue;
      if (source != NULL && !is_same_source(source, in->source))
         die("--at: `%s' is a line of %s and of %s: more of the path is "
             "needed", at, source, in->source);
      source = in->source;
      found++;
   }
   if (file == NULL)
      die("--at: nothing of a source file `%.*s' was executed%s",
          (int)l.length, at, nearest_source(w, at, at + l.length));
   if (found == 0)
      line_never_ran(w, file, l.line, root);
   return l.number;
}

/*--- Lines without an instance                            ---*/

/* By instruction, how often each ran; the caller frees the slice. */
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

/* The nearest lines of SOURCE that ran, before and behind LINE; 0: none. */
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

_Noreturn void line_never_ran(DcfgWet* w, const char* source, uint64_t line,
                              const char* root)
{
   const char* name = text_clean(text_base(source));
   LineCode    code = line_code(w, source, line, root);
   const char* what = code == CODE_UNKNOWN
                      ? text_format("nothing of line %" PRIu64 " of %s was "
                                    "executed", line, name)
                      : text_format(code == CODE_SOME
                                    ? "line %" PRIu64 " of %s has code, but it "
                                      "never ran"
                                    : "line %" PRIu64 " of %s has no code",
                                    line, name);
   uint64_t    before, behind, next;

   find_nearest(w, source, line, &before, &behind);
   next = before != 0 ? before : behind;
   if (next == 0)
      die("--at: %s, and no other line of the file did", what);
   die("--at: %s; the nearest that ran %s %" PRIu64 "%s: %s--at=%s:%" PRIu64,
       what, before != 0 && behind != 0 ? "are lines" : "is line", next,
       before != 0 && behind != 0 ? text_format(" and %" PRIu64, behind) : "",
       code == CODE_NONE ? "" : "what led past it may be in the slice of ",
       name, next);
}

_Noreturn void line_has_none(DcfgWet* w, const char* at, const char* root,
                             const DcfgSlice* s)
{
   const Line l = read_line(at);

   if (s->n_executions > 0)
      die("--at: line %" PRIu64 " of %.*s was executed %s times: there are #0 "
          "to #%" PRIu64, l.line, (int)l.length, at,
          text_count(s->n_executions), s->n_executions - 1);
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      if (is_source(dcfg_wet_instr(w, i)->source, at, l.length))
         line_never_ran(w, dcfg_wet_instr(w, i)->source, l.line, root);
   die("no instance meets the criterion: %s", at);
}
