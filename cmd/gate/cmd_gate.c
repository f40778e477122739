/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg gate: did a program grow beyond what is allowed, since its baseline? */

/* Owns: the subcommand gate, the names of benchmarks, and which run belongs to
   which of them.  Handed: a command line.

   Each run has the name of a benchmark: that of --name; the one that the
   program gave to a part of its run; or that of its file.  A run is compared
   with the run of the same name in the baseline.  One run alone needs no name
   if the baseline has one run. */

#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/commands.h"
#include "cmd/calls/called.h"
#include "cmd/gate/gate.h"

#define MOST_RUNS 4096

typedef
   struct {
      const char* save;         // NULL: compare
      TextList    limits, names;
      const char* by;
      uint64_t    least, top;
      bool        markdown, github, json, wide, mangled;
   }
   Asked;

/*--- Limits                                               ---*/

/* Read "FUNCTION:PERCENT%" or "PERCENT%".  TEXTS keeps the strings. */
static GateLimit read_limit(const char* value, Interned* texts)
{
   const char* colon = strrchr(value, ':');
   GateLimit   l = { colon == NULL ? value : colon + 1, NULL, 0 };
   char*       end;

   l.percent = strtod(l.text, &end);
   if (end == l.text || strcmp(*end == '%' ? end + 1 : end, "") != 0
       || !(l.percent >= 0) || colon == value)
      die("--limit needs a percentage such as 1%%, or FUNCTION:1%%, not `%s'",
          value);
   if (*end == 0)
      l.text = intern(texts, text_format("%s%%", l.text));
   if (colon != NULL)
      l.function = intern_part(texts, value, (size_t)(colon - value));
   return l;
}

static GateLimits read_limits(const TextList* given, Interned* texts)
{
   GateLimits l = { { "1%", NULL, 1 },
                    zalloc(given->n + 1, sizeof(GateLimit)), 0 };
   bool       all = false;

   for (size_t i = 0; i < given->n; i++) {
      GateLimit one = read_limit(given->texts[i], texts);
      if (one.function != NULL)
         l.of[l.n++] = one;
      else if (all)
         die("--limit=%s and --limit=%s: one limit is for all", l.all.text,
             one.text);
      else {
         l.all = one;
         all = true;
      }
   }
   return l;
}

/*--- Runs and their names                                 ---*/

/* Return how many of N RUNS have R's name and are earlier parts.  Die if
   another one cannot be told from R. */
static size_t parts_before(const GateRun* runs, size_t n, const GateRun* r)
{
   size_t before = 0;

   for (const GateRun* x = runs; x < runs + n; x++) {
      const DcfgPart *p = x->g.p->part, *q = r->g.p->part;
      if (x == r || x->name != r->name)
         continue;
      if (p == NULL || q == NULL || p->number == q->number)
         die("%s and %s are both called `%s': give each a --name",
             text_clean(x->path), text_clean(r->path), r->name);
      before += p->number < q->number;
   }
   return before;
}

static void name_runs(GateRun* runs, size_t n, const TextList* names,
                      Interned* texts)
{
   const char** as = zalloc(n + 1, sizeof(*as));

   if (names->n > 0 && names->n != n)
      die("--name is given %zu times, for %zu recordings: each needs one",
          names->n, n);
   for (size_t i = 0; i < names->n; i++)
      runs[i].name = intern(texts, text_clean(names->texts[i]));
   for (size_t i = 0; i < n; i++) {
      size_t before = parts_before(runs, n, &runs[i]);
      as[i] = before == 0 ? runs[i].name
              : intern(texts, text_format("%s %zu", runs[i].name, before + 1));
   }
   for (size_t i = 0; i < n; i++)
      runs[i].name = as[i];
   free(as);
}

static GateRun* read_runs(const char* const* files, size_t n,
                          const Asked* asked, Interned* texts)
{
   GateRun* runs = zalloc(n + 1, sizeof(*runs));

   for (size_t i = 0; i < n; i++)
      runs[i] = gate_read(files[i], asked->mangled, texts);
   name_runs(runs, n, &asked->names, texts);
   return runs;
}

/*--- The comparison                                       ---*/

/* Return the run of the baseline that R belongs to, or NULL. */
static const GateRun* base_of(const Baseline* b, const GateRun* r, bool alone,
                              bool named)
{
   Nearest n = nearest_to(r->name);

   for (uint32_t i = 0; i < b->n; i++) {
      if (strcmp(b->runs[i].name, r->name) == 0)
         return &b->runs[i];
      nearest_offer(&n, b->runs[i].name);
   }
   if (named)
      die("--name=%s: the baseline has no such run%s", r->name,
          nearest_text(&n));
   return alone && b->n == 1 ? &b->runs[0] : NULL;
}

static GateBy by_of(const char* by)
{
   static const OptionChoice total = { "total", "", NULL },
                             self = { "self", "", NULL },
                             inclusive = { "inclusive", "", NULL };
   static const OptionChoice* const choices[] = { &total, &self, &inclusive,
                                                  NULL };

   return (GateBy)choice("by", by, choices);
}

static void need_calls(const GateRun* a, const GateRun* b)
{
   if (!a->has_calls || !b->has_calls)
      die("--by=inclusive needs calls, which %s does not have: " NO_CALLS
          " them", text_clean(a->has_calls ? b->path : a->path));
}

/* Compare N runs with their baselines. */
static void compare_all(GateReport* to, const Baseline* base,
                        const GateRun* runs, size_t n, const Asked* asked,
                        const GateLimits* limits)
{
   GateBy by = by_of(asked->by);
   bool*  used = zalloc(base->n + 1, sizeof(*used));
   bool   named = asked->names.n > 0;

   to->results = zalloc(n + 1, sizeof(*to->results));
   to->added = zalloc(n + 1, sizeof(*to->added));
   to->gone = zalloc(base->n + 1, sizeof(*to->gone));
   for (size_t i = 0; i < n; i++) {
      const GateRun* a = base_of(base, &runs[i], n == 1, named);
      if (a == NULL) {
         to->added[to->n_added++] = &runs[i];
         continue;
      }
      if (by == BY_INCLUSIVE)
         need_calls(a, &runs[i]);
      used[a - base->runs] = true;
      to->results[to->n] = gate_compare(a, &runs[i], limits, by, asked->least);
      if (to->results[to->n].status > to->status)
         to->status = to->results[to->n].status;
      to->n++;
   }
   for (uint32_t i = 0; !named && i < base->n; i++)
      if (!used[i])
         to->gone[to->n_gone++] = &base->runs[i];
   if (to->n_gone > 0)
      to->status = STATUS_BAD;
   free(used);
}

static int compare(const char* const* files, size_t n, const Asked* asked,
                   const GateLimits* limits, Interned* texts)
{
   Baseline   base = baseline_read(files[0], asked->mangled, texts);
   GateRun*   runs = read_runs(files + 1, n - 1, asked, texts);
   GateReport r = { .baseline = files[0], .top = asked->top,
                    .wide = asked->wide };

   compare_all(&r, &base, runs, n - 1, asked, limits);
   if (asked->json)
      gate_print_json(&r);
   else if (asked->markdown)
      gate_print_markdown(&r, stdout);
   else
      gate_print_text(&r);
   if (asked->github)
      gate_print_github(&r);
   for (size_t i = 0; i < r.n; i++)
      gate_result_free(&r.results[i]);
   for (size_t i = 0; i + 1 < n; i++)
      gate_free(&runs[i]);
   FREE_ALL(r.results, r.added, r.gone, runs);
   baseline_free(&base);
   return r.status;
}

/*--- Saving                                               ---*/

static void save(const char* const* files, size_t n, const Asked* asked,
                 const GateLimits* limits, Interned* texts)
{
   GateRun* runs;
   FileKind there = file_kind(asked->save);
   size_t   functions;

   if (there != KIND_BASELINE && there != KIND_OTHER && there != KIND_EMPTY)
      die("--save=%s: the file is there, and is no baseline: name another one",
          text_clean(asked->save));
   runs = read_runs(files, n, asked, texts);
   functions = baseline_write(asked->save, runs, n, limits);
   complain("wrote %s: %zu run%s, %s functions; compare later runs with: dcfg "
            "gate %s DCFG", text_clean(asked->save), n, n == 1 ? "" : "s",
            text_count(functions), text_clean(asked->save));
   for (size_t i = 0; i < n; i++)
      gate_free(&runs[i]);
   free(runs);
}

static int run(int argc, char** argv)
{
   Asked       asked = { .by = "total", .top = 10 };
   const Opt   opts[] = {
      { "save", OPT_TEXT, &asked.save, "FILE",
        "write a baseline of the recordings, and compare nothing" },
      { "limit", OPT_TEXTS, &asked.limits, "PERCENT",
        "the growth that is allowed, as a part of all instructions of A; may "
        "be given once [1%]" },
      { "limit", OPT_TEXTS, &asked.limits, "FUNCTION:PERCENT",
        "the same for a function, as a part of its own instructions; may be "
        "repeated.  With --save: keep the function, however little it costs" },
      { "by", OPT_TEXT, &asked.by, "total|self|inclusive",
        "judge the program alone; or each function, too: by its own "
        "instructions, or with what it called [total]" },
      { "least", OPT_COUNT, &asked.least, "N",
        "leave out functions below N instructions in both runs [0]" },
      { "name", OPT_TEXTS, &asked.names, "TEXT",
        "the benchmark of a recording; once for each recording, in their order "
        "[the name of the file, or the program's name for a part]" },
      OPT_TOP(&asked.top), OPT_WIDE(&asked.wide), OPT_MANGLED(&asked.mangled),
      { "markdown", OPT_FLAG, &asked.markdown, NULL,
        "for a pull request: totals and verdicts" },
      { "github", OPT_FLAG, &asked.github, NULL,
        "for GitHub's runners: annotations of source lines behind the text, "
        "and the Markdown in the summary of the step" },
      { "json", OPT_FLAG, &asked.json, NULL, "for programs" }
   };
   const char** files = zalloc(MOST_RUNS, sizeof(*files));
   Interned*    texts = interned_new();
   GateLimits   limits;
   int          status = STATUS_OK;
   int          n = parse_args(&gate_command, OPTS(opts), argc, argv, files, 1,
                               MOST_RUNS);

   if (asked.save != NULL && (asked.json || asked.markdown || asked.github
                              || asked.least > 0
                              || strcmp(asked.by, "total") != 0))
      die("--save compares nothing: leave out --by, --least, --json, "
          "--markdown and --github");
   if (asked.json && (asked.markdown || asked.github))
      die("--json or --%s, not both", asked.markdown ? "markdown" : "github");
   if (asked.save == NULL && n < 2)
      die("name a recording behind the baseline %s; usage: dcfg gate %s",
          text_clean(files[0]), gate_command.args);
   limits = read_limits(&asked.limits, texts);
   if (asked.save != NULL)
      save(files, (size_t)n, &asked, &limits, texts);
   else
      status = compare(files, (size_t)n, &asked, &limits, texts);
   FREE_ALL(limits.of, asked.limits.texts, asked.names.texts, files);
   interned_free(texts);
   return status;
}

const Command gate_command = {
   "gate", "BASELINE DCFG...", "did a program grow beyond what is allowed?",
   "Compares runs of a program, B, with their baseline, A: the program as a\n"
   "whole, and functions with limits of their own.  Code that moves from one\n"
   "function to another is no growth.  --save makes a baseline, a small file to\n"
   "keep beside the sources.  It has functions from 0.01% of a run on.\n"
   "\n"
   "A run is `not comparable' if conditions differ that change counts: what\n"
   "--deterministic answered, the processor, the environment, the arguments,\n"
   "libc, Valgrind.  Other conditions, such as the kernel, are told.\n"
   "\n"
   "A FUNCTION may be FILE:FUNCTION or IMAGE:FUNCTION, where several have the\n"
   "name.  `new' and `gone' decide only for functions that have a limit.\n",
   "\n"
   "exit status: 0 all within the limits, 1 something grew beyond its limit, or\n"
   "a function with a limit is new or gone; 2 not comparable, wrong use, or a\n"
   "file cannot be read\n"
   "\n"
   "examples:\n"
   "  dcfg gate --save=words.gate words.json\n"
   "  dcfg gate --limit=0.5% --limit=find:2% words.gate new.json\n",
   run
};
