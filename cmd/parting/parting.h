/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The partings of two runs, and their causes. */

#ifndef DCFG_CMD_PARTING_H
#define DCFG_CMD_PARTING_H

#include "cmd/builds/builds.h"
#include "cmd/program/code.h"
#include "cmd/program/lines.h"

#include "lib/dcfg_wet.h"

/*--- Two recordings                                       ---*/

/* RunSide: one of two recordings, a whole execution trace or a graph with
   its trace.  A place is an instruction of the former, a node of the latter.
   Places with equal keys are the same code in both runs. */
typedef
   struct {
      const char*   file;
      const char*   trace;      // NULL: .file is a whole execution trace
      DcfgWet*      w;          // or NULL: then there are .d, .g and .code
      TraceProgram* program;
      CodeLines*    lines;
      Dcfg*         d;
      Program       g;
      Code*         code;
      uint32_t      n;          // places
      uint64_t*     begin;      // by place: address of its first instruction
      uint64_t*     last;       // by place: of its last instruction
      uint64_t*     end;        // behind it
      uint64_t*     to;         // its key as a target
      uint64_t*     from;       // its key as a source of a transfer
      uint32_t      n_threads;
   }
   RunSide;

/* Runs: two recordings that are compared. */
typedef
   struct {
      RunSide side[2];
      Builds* builds;           // NULL: there are no graphs
      bool    rebuilt;          // some image is of another build
   }
   Runs;

/* OPAQUE_KEYS: keys from here on are of code that is not followed. */
#define OPAQUE_KEYS   (UINT64_MAX - 15)
#define KEY_GENERATED (UINT64_MAX - 0)  // code that the program made
#define KEY_NAMELESS  (UINT64_MAX - 1)  // code without a symbol, rebuilt
#define KEY_START     (UINT64_MAX - 2)  // in place of a source: the begin
#define NO_PLACE      UINT32_MAX

/* Open the recordings FILES: A and B, or with N_FILES of 4 A, its trace, B,
   and its trace.  Images' files are looked for below ROOT first, unless that
   is NULL.  Exit after a message if they cannot be compared. */
Runs* runs_new(const char* const* files, int n_files, const char* root);
void  runs_free(Runs* r);

/* Return the place of SIDE with key KEY as a target; NO_PLACE: there is
   none. */
uint32_t run_place(const RunSide* s, uint64_t key);

/* Return the place that begins at ADDR, the nearest behind place NEAR;
   NO_PLACE: there is none. */
uint32_t run_place_at(const RunSide* s, uint64_t addr, uint32_t near);

/* Return the key of the begin of FUNCTION in both runs; 0 if S does not have
   it. */
uint64_t run_function_key(const RunSide* s, const char* function);

/* Return the key of the function with which both runs begin: AFTER, or
   main() if AFTER is NULL and both have it; 0: they begin with their first
   instruction.  Exit if one of them does not have AFTER. */
uint64_t runs_after(const Runs* r, const char* after);

/* PlaceText: what the files say of a place.  Texts last until text_forget(). */
typedef
   struct {
      uint64_t    addr;
      const char* function;     // for people; "" if it has none
      const char* source;       // path; NULL: no line is known
      uint32_t    line;
      const char* image;        // the name of the file
      uint64_t    offset;       // in the image
      const char* code;         // the instruction as text; "" if not known
      const char* text;         // the source line; "" if it cannot be read
   }
   PlaceText;

/* Return the texts of PLACE of S: of its last instruction if LAST, else of its
   first one. */
PlaceText run_place_text(RunSide* s, uint32_t place, bool last);

/* Return such a place in words: "main (t.c:12)" or "main (prog+0x1234)". */
const char* place_words(const PlaceText* t);

/*--- Where they part                                      ---*/

/* Transfer: control went from .from to .to, places that do not follow each
   other. .at: instructions that the thread executed before. */
typedef
   struct {
      uint32_t from, to;
      uint64_t at;
   }
   Transfer;

/* ThreadTurn: a thread ran on from its instruction .at at time .time of the
   trace. */
typedef
   struct {
      uint64_t at, time;
   }
   ThreadTurn;

/* PartKind: PART_BRANCH, control goes different ways; PART_END, one run's
   thread ends where the other's goes on. */
typedef enum { PART_BRANCH, PART_END } PartKind;

/* PartSide: a side of a parting. */
typedef
   struct {
      uint32_t branch;          // place; NO_PLACE: not known
      uint32_t to;              // the target; NO_PLACE: it ends
      uint64_t at;              // instructions of the thread before the branch
      uint64_t gap;             // instructions until both go the same way again
      uint32_t* branches;       // places of branches that only this side took
                                // in between, each once
      size_t   n_branches, room;
   }
   PartSide;

/* Parting: a parting of two threads. */
typedef
   struct {
      PartKind kind;
      int      ended;           // PART_END: the side that ends
      PartSide side[2];
      bool     rejoins;         // both go the same way again
      bool     other_code;      // one build lacks the other's branch
   }
   Parting;

/* Join: from here on both go the same way, up to the next parting:
   instructions of the thread before, by side. */
typedef
   struct {
      uint64_t at[2];
   }
   Join;

/* PartThread: a thread of both runs. */
typedef
   struct {
      uint32_t thread;
      bool     there[2];
      Parting*    parts;
      size_t   n_parts, room;
      bool     skipped;         // they parted before .after, too: at .earlier
      Parting     earlier;
      bool     reached;         // both came to the function of --after
      int      missed;          // 1 + the side that did not, if one did; else 0
      uint64_t base[2];         // instructions up to there, or 0
      Join*    joins;           // the first one is .base
      size_t   n_joins, joins_room;
      uint64_t instrs[2];       // instructions that were compared
      uint64_t generated[2];    // among these, in code that the program made
      ThreadTurn*    turns[2];
      size_t   n_turns[2], turns_room[2];
   }
   PartThread;

/* Compare thread THREAD of both runs up to its N-th parting.  AFTER: the key
   where both begin, or 0.  Free it with part_thread_free(). */
PartThread* part_thread(Runs* r, uint32_t thread, uint64_t after, uint64_t n);
void        part_thread_free(PartThread* t);

/*--- Why                                                  ---*/

/* PartValue: what a branch's condition looked at in both runs. */
typedef
   struct {
      char* name;
      char* value[2];
   }
   PartValue;

/* PartCause: why a parting went as it did.  Texts are the owner's. */
typedef
   struct {
      char*      words;         // "system call getrandom", ...; NULL: graphs
                                // do not tell
      char*      detail;        // more of it, or NULL
      char**     through;       // functions from the branch to the cause
      size_t     n_through, room;
      PartValue* values;
      size_t     n_values, values_room;
      uint32_t   caller;        // instruction of A: if the branch is a library's,
                                // the program's last one before it; or NO_PLACE
   }
   PartCause;

/* Causes: finds causes.  Graphs tell only that a rebuilt function's code is
   one. */
typedef struct Causes Causes;

/* Return it for R.  Images' files are as for runs_new(). */
Causes*   causes_new(Runs* r, const char* root);
void      causes_free(Causes* c);

/* Return the cause of PART of thread T; free it with part_cause_free(). */
PartCause part_cause(Causes* c, const PartThread* t, const Parting* part);
void      part_cause_free(PartCause* c);

/* Write T to OUT, a JSON object.  AFTER: the name of the function that both
   begin with. */
void parting_put_json(FILE* out, Runs* r, Causes* c, const char* after,
                      const PartThread* t);

#endif /* DCFG_CMD_PARTING_H */
