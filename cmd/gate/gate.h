/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A run and its baseline, and whether it grew. */

#ifndef DCFG_CMD_GATE_H
#define DCFG_CMD_GATE_H

#include "cmd/base/keymap.h"
#include "cmd/base/names.h"
#include "cmd/base/table.h"
#include "cmd/builds/conditions.h"

/*--- gate_baseline.c: runs, and files of baselines        ---*/

/* GateFunction: what a function cost: itself, and with all that it called. */
typedef
   struct {
      const char* symbol;       // or as "libc.so.6+0x1234"
      const char* name;         // for people
      const char* key;          // equal in other builds; one pointer for all
                                // that are equal
      const char* image;        // the file's name
      const char* file;         // the path of the source in which it begins, or
                                // ""
      uint32_t    line;         // the line where it begins; 0: not known
      uint64_t    self, all;
   }
   GateFunction;

/* GateRun: a recording, or a row of a baseline. */
typedef
   struct {
      Dcfg*         d;          // NULL: the baseline's
      Program       g;
      const char*   path;
      const char*   name;       // the benchmark's
      uint64_t      total;
      uint64_t      least;      // functions below it may be missing
      bool          has_calls;  // is .all of functions known?
      GateFunction* functions;
      size_t        n;
   }
   GateRun;

/* Baseline: a loaded file. */
typedef
   struct {
      Dcfg*    d;
      GateRun* runs;
      uint32_t n;
   }
   Baseline;

/* GateLimit: the growth that --limit allows, of FUNCTION, or NULL of all. */
typedef
   struct {
      const char* text;         // the percentage, as given
      const char* function;
      double      percent;
   }
   GateLimit;

typedef
   struct {
      GateLimit all;
      GateLimit* of;            // functions
      size_t     n;
   }
   GateLimits;

/* Read the recording at PATH, or exit.  TEXTS keeps the strings. */
GateRun  gate_read(const char* path, bool mangled, Interned* texts);

/* Read the baseline at PATH, or exit. */
Baseline baseline_read(const char* path, bool mangled, Interned* texts);

/* Write N runs to the file PATH.  Functions that LIMITS name are kept, whatever
   they cost.  Return the number of functions. */
size_t   baseline_write(const char* path, const GateRun* runs, size_t n,
                        const GateLimits* limits);

void     gate_free(GateRun* r);
void     baseline_free(Baseline* b);

/* Return whether FUNCTION of a limit means F: NAME, as symbol_is() takes it, or
   FILE:NAME, or IMAGE:NAME. */
bool     gate_is(const GateFunction* f, const char* function);

/*--- gate_compare.c: what grew, and how much is allowed   ---*/

typedef enum { BY_TOTAL, BY_SELF, BY_INCLUSIVE } GateBy;
typedef
   enum { GATE_SAME, GATE_GREW, GATE_SHRANK, GATE_NEW, GATE_GONE }
   GateWord;

/* GateRow: the program, or a function; A in the baseline, B in the run. */
typedef
   struct {
      const GateFunction *fa, *fb;      // NULL: not there; both: the program
      uint64_t         a, b;
      GateWord         word;
      const GateLimit* limit;           // NULL: none
      bool             beyond;
   }
   GateRow;

/* GateResult: a benchmark in its baseline and in a run.  Rows are the program,
   then functions with a limit, then others, the largest change first. */
typedef
   struct {
      const GateRun *a, *b;
      Differences  conditions;
      GateRow*     rows;
      size_t       n, n_limited;        // functions with a limit
      char**       reasons;             // why the status is not 0
      size_t       n_reasons, room;
      int          status;              // STATUS_OK, STATUS_FOUND, STATUS_BAD
   }
   GateResult;

/* Compare.  LEAST: leave out functions below it in both. */
GateResult gate_compare(const GateRun* a, const GateRun* b,
                        const GateLimits* limits, GateBy by, uint64_t least);
void       gate_result_free(GateResult* r);

/* Return "+1.1%"; the word of a row; the verdict on a benchmark. */
const char* gate_change(uint64_t a, uint64_t b);
const char* gate_word(GateWord word);
const char* gate_verdict(const GateResult* r);

/* Return a row's function as messages name it: with FILE: or IMAGE: in front,
   if another function in RESULT has the name. */
const char* gate_row_name(const GateResult* r, const GateRow* row);

/*--- gate_output.c: forms of results                      ---*/

/* GateReport: all results, and what has no partner. */
typedef
   struct {
      const char*    baseline;          // its path
      GateResult*    results;
      size_t         n;
      const GateRun** added;            // runs of no benchmark of the baseline
      const GateRun** gone;             // benchmarks without a run
      size_t         n_added, n_gone;
      uint64_t       top;
      bool           wide;
      int            status;
   }
   GateReport;

void gate_print_text(const GateReport* r);
void gate_print_json(const GateReport* r);
void gate_print_markdown(const GateReport* r, FILE* to);

/* Print annotations for GitHub, and append Markdown to the summary. */
void gate_print_github(const GateReport* r);

#endif /* DCFG_CMD_GATE_H */
