/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   libdcfg: which run it was, parts of a run, partial sums, baselines. */

/* DcfgRun, DcfgPart, DcfgMerged and DcfgBaseline, members of a DcfgProcess.
   dcfg.h includes this file.  Format 1.00 has none of them: valgrind-dcfg
   writes the first two, `dcfg merge --partial' the third, `dcfg gate' the
   last. */

#ifndef DCFG_PARTS_H
#define DCFG_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/* DcfgRun: which run was recorded.  valgrind-dcfg writes it as a row of RUN, a
   key that format 1.00 does not have.  Texts are as the file has them: check
   them before you print them to a terminal.  Bytes of names that are not UTF-8
   stand there as the characters with their numbers. */
typedef
   struct {
      uint64_t    process;      // its id
      uint64_t    parent;       // its parent's id
      const char* command_line; // the program and its arguments, with quotes as
                                // a shell needs them
      const char* working_dir;  // the directory of its names
      const char* start;        // as "2026-01-31T12:34:56Z", in UTC
      const char* tool_version; // release of valgrind-dcfg
      const char* processor;    // the host's, as the kernel names it
      const char* deterministic;   // answered falsely, as
                                   // "random,time"; "no", or "" if not known
      const char* conditions;   // counts depend on these, as
                                // "kernel=6.1; user=0:0"; "" if not known
   }
   DcfgRun;

/* DcfgContinued: a thread that continues from an earlier part of the run. */
typedef
   struct {
      uint32_t thread;
      uint32_t type;            // the DcfgEdgeType that ENTRY stands for;
                                // DCFG_NONE: it was inside a block
   }
   DcfgContinued;

/* DcfgLateBypass: a CONTEXT_CHANGE_BYPASS from an instruction of an earlier
   part. */
typedef
   struct {
      uint64_t offset;          // in the image
      uint32_t image_number;
      uint32_t target;          // a node, or DCFG_NONE
   }
   DcfgLateBypass;

/* DcfgPart: what joins a part of a run to the parts before it.  valgrind-dcfg
   writes it as PART, a key that format 1.00 does not have. */
typedef
   struct {
      uint32_t              number;         // from 1
      uint32_t              first;          // the first part of an unbroken
                                            // sequence
      uint32_t              n_preceding;    // number of threads in .preceding
      uint32_t              n_image_numbers;
      uint32_t              n_continued;
      uint32_t              n_bypasses;
      const uint64_t*       preceding;      // instructions since .first, by
                                            // thread
      const uint32_t*       image_numbers;  // for each image: its number in the
                                            // whole run
      const DcfgContinued*  continued;
      const DcfgLateBypass* bypasses;
      const char*           mark;           // the program's name for the part,
                                            // or NULL
   }
   DcfgPart;

/* DcfgMergedRun: a run in a partial sum, as `dcfg merge --partial' writes it in
   RUNS. */
typedef
   struct {
      uint64_t id;              // PROCESS_ID
      uint64_t instr_count;
      uint64_t hash;            // all that the run counted
      uint32_t n_threads;
      uint32_t first_part;      // as .first in DcfgPart; 0: no part
      uint32_t part, last_part; // the first part and the last part in the sum
      uint64_t begin, end;      // hashes of each thread's instructions since
                                // .first_part, before .part and behind
                                // .last_part
   }
   DcfgMergedRun;

/* DcfgMergedHome: the first run that has an image, in the order of RUNS, and
   the image's numbers there. */
typedef
   struct {
      uint32_t image;           // index; or DCFG_NONE
      uint32_t run;             // index in RUNS
      uint32_t number;          // number of the image in its run
      uint32_t turn;            // images of the same name before it
      uint64_t load_addr;
   }
   DcfgMergedHome;

/* DcfgMergedRow: a source row, as a run has it. */
typedef
   struct {
      uint32_t image, file;     // indices; or DCFG_NONE
      uint32_t line, n_instrs;
      uint64_t offset, size;
   }
   DcfgMergedRow;

/* DcfgLeftOut: a file that is not in the sum, and the reason. */
typedef
   struct {
      const char* file;
      const char* reason;
   }
   DcfgLeftOut;

/* DcfgMerged: data that a further merge needs of this sum.  `dcfg merge
   --partial' writes it as MERGED, a key that format 1.00 does not have. */
typedef
   struct {
      const char*            threads;   // "add" or "keep"
      const char*            builds;    // "one" or "apart"
      uint64_t               n_files;   // files in the sum
      uint32_t               n_runs, n_homes, n_entries;
      uint32_t               n_rows, n_overlapping, n_left_out;
      const DcfgMergedRun*   runs;      // in their order
      const DcfgMergedHome*  homes;
      const uint32_t*        entries;   // nodes where a run has a routine's
                                        // entry, in images without symbols
      const DcfgMergedRow*   rows;      // rows where runs differ
      const uint32_t*        overlapping;       // images in which rows overlap
      const DcfgLeftOut*     left_out;
   }
   DcfgMerged;

/* DcfgBaselineFunction: what a function cost: itself; and with all that it
   called, if .has_calls. */
typedef
   struct {
      const char* name;         // its symbol, or as "libc.so.6+0x1234"
      uint32_t    image;        // index; or DCFG_NONE
      uint32_t    file;         // its source's, an index; or DCFG_NONE
      uint64_t    self, inclusive;
   }
   DcfgBaselineFunction;

/* DcfgBaseline: a run in few numbers, to compare later runs with.  `dcfg gate
   --save' writes it as BASELINE, a key that format 1.00 does not have.  Such a
   process has the images and RUN, but no blocks and edges. */
typedef
   struct {
      const char*                 name;         // the benchmark's
      uint64_t                    least;        // functions below this cost may
                                                // be left out
      bool                        has_calls;    // are inclusive costs known?
      uint32_t                    n_functions;
      const DcfgBaselineFunction* functions;
   }
   DcfgBaseline;

#endif /* DCFG_PARTS_H */
