/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export --champsim: writes a thread's instructions as a ChampSim
   trace. */

/* Owns: the file of the trace, and the message about it.  Handed: a whole
   execution trace, records by champsim_record.c. */

#include "cmd/export/export_champsim.h"

#include "cmd/base/clean.h"
#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/export/champsim_record.h"
#include "cmd/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_RECORDS 8192

/* Sums: the numbers in the message. */
typedef
   struct {
      uint64_t instrs, branches, taken, loads, stores;
      uint64_t unclear;         // conditional branches of which the trace does
                                // not tell whether they were taken
      uint64_t left_flags, left_registers, left_addresses;
   }
   Sums;

/* Levels: for the thread and each handler that interrupted it, one more than the
   number of the instruction that it executed last; 0: it has just begun. */
typedef
   struct {
      uint32_t* last;
      size_t    n, room;
   }
   Levels;

/* ChampsimFile: the file, and the records that are not written yet. */
typedef
   struct {
      FILE*          out;
      const char*    path;      // NULL: the standard output
      ChampsimRecord records[MOST_RECORDS];
      size_t         n;
      bool           waits;     // the address of the next instruction will tell
                                // whether the last record's branch was taken
      uint64_t       falls_to;  // the address behind that branch
      Levels         levels;
      Sums           sums;
   }
   ChampsimFile;

/*--- The trace and the thread                             ---*/

/* Return the trace FILE.  Die if it cannot be read, or lacks its begin. */
static DcfgWet* open_trace(const char* file)
{
   DcfgWet* w = load_wet(file);

   if (dcfg_wet_before(w) > 0)
      die("%s has only the end of the run (--wet-ring), without the first %s "
          "instructions: record it without --wet-ring, or a region with "
          "--start and --stop", file, text_count(dcfg_wet_before(w)));
   if (dcfg_wet_ends_early(w))
      complain("%s: it ends early: the recorder could not write the last of "
               "what was executed", file);
   return w;
}

/* Return the only thread that ran.  Die if there are several, or none. */
static uint32_t only_thread(const DcfgWet* w, const char* file)
{
   uint32_t found = 0, n = 0;

   for (uint32_t t = 0; t < dcfg_wet_threads(w); t++)
      if (dcfg_wet_executed(w, t) > 0) {
         found = t;
         n++;
      }
   if (n > 1)
      die("%s has %" PRIu32 " threads, and a trace of ChampSim's has one: "
          "--thread=N says which, counted from 0", file, n);
   if (n == 0)
      die("%s: no thread executed anything", file);
   return found;
}

/* Return the thread of --thread, which must have run. */
static uint32_t choose_thread(const DcfgWet* w, const char* file,
                              uint64_t thread)
{
   uint32_t n = dcfg_wet_threads(w);

   if (thread == NOT_GIVEN)
      return only_thread(w, file);
   if (thread >= n)
      die("there is no thread %" PRIu64 ": %s has %" PRIu32
          ", counted from 0", thread, file, n);
   if (dcfg_wet_executed(w, (uint32_t)thread) == 0)
      die("thread %" PRIu64 " executed nothing in %s", thread, file);
   return (uint32_t)thread;
}

/*--- Repeated instructions                                ---*/

static void enter_level(Levels* l)
{
   GROW(l->last, l->n, l->room);
   l->last[l->n++] = 0;
}

static void leave_level(Levels* l)
{
   if (l->n > 1)
      l->n--;
}

/* Return whether event E, of instruction I, belongs to the iteration before:
   Valgrind comes back to a repeated instruction that has done all iterations,
   to find a count of 0.  A processor does not. */
static bool ends_repetition(Levels* l, const ChampsimInstr* i,
                            const DcfgWetEvent* e)
{
   uint32_t* last   = &l->last[l->n - 1];
   uint32_t  before = *last;

   *last = e->instr + 1;
   if (!i->repeats || before != e->instr + 1)
      return false;
   for (uint32_t k = 0; k < e->n_accesses; k++)
      if (e->accesses[k] != 0)
         return false;
   return true;
}

/*--- Records                                              ---*/

static void write_records(ChampsimFile* f)
{
   if (fwrite(f->records, sizeof(f->records[0]), f->n, f->out) != f->n)
      write_failed(f->path);
   f->n = 0;
}

/* Set whether the last record's branch was taken: the thread executes the
   instruction at ADDR next. */
static void note_follower(ChampsimFile* f, uint64_t addr)
{
   f->waits = false;
   f->records[f->n - 1].taken = addr != f->falls_to;
   f->sums.taken += addr != f->falls_to;
   f->sums.unclear--;
}

/* Put ADDR into the first free of the N places at TO.  If there is none, count
   it as left out. */
static void put_address(Sums* s, uint64_t* to, unsigned n, uint64_t addr)
{
   for (unsigned i = 0; i < n; i++)
      if (to[i] == 0) {
         to[i] = addr;
         return;
      }
   s->left_addresses++;
}

static void put_addresses(ChampsimFile* f, ChampsimRecord* r,
                          const ChampsimOperand* o, uint32_t n,
                          const DcfgWetEvent* e)
{
   for (const ChampsimOperand* end = o + n; o < end; o++) {
      uint64_t addr = o->access < e->n_accesses ? e->accesses[o->access] : 0;
      if (addr == 0)
         continue;
      if (o->reads) {
         put_address(&f->sums, r->src_mem, CHAMPSIM_SRC, addr);
         f->sums.loads++;
      }
      if (o->writes) {
         put_address(&f->sums, r->dst_mem, CHAMPSIM_DST, addr);
         f->sums.stores++;
      }
   }
}

/* Append the record of event E, an instruction. */
static void put_instr(ChampsimFile* f, DcfgWet* w, const ChampsimCode* c,
                      const DcfgWetEvent* e)
{
   const ChampsimInstr* i = &c->instrs[e->instr];
   ChampsimRecord*      r;

   if (ends_repetition(&f->levels, i, e))
      return;
   if (f->waits)
      note_follower(f, e->addr);
   if (f->n == MOST_RECORDS)
      write_records(f);
   r  = &f->records[f->n++];
   *r = i->record;
   r->taken = e->taken == DCFG_WET_TAKEN;
   f->sums.instrs++;
   f->sums.branches       += r->is_branch;
   f->sums.taken          += r->taken;
   f->sums.left_flags     += i->left_flags;
   f->sums.left_registers += i->left_registers;
   if (i->n_operands > 0)
      put_addresses(f, r, c->operands + i->operands, i->n_operands, e);
   if (e->taken == DCFG_WET_UNCLEAR) {
      f->waits    = true;
      f->falls_to = e->addr + dcfg_wet_instr(w, e->instr)->size;
      f->sums.unclear++;
   }
}

static void put_all(ChampsimFile* f, DcfgWet* w, const char* file,
                    uint32_t thread)
{
   DcfgWetFilter only = { .thread = thread, .to = UINT64_MAX };
   ChampsimCode  code = champsim_code(w);
   DcfgWetEvent  e;
   DcfgError     err;

   if (!dcfg_wet_select(w, &only, &err))
      die("%s", unreadable(&err, KIND_WET));
   enter_level(&f->levels);
   while (dcfg_wet_next(w, &e, &err)) {
      if (e.thread != thread)
         continue;
      if (e.kind == DCFG_WET_INSTR)
         put_instr(f, w, &code, &e);
      else if (e.kind == DCFG_WET_HANDLER) {
         f->waits = false;
         enter_level(&f->levels);
      } else if (e.kind == DCFG_WET_RETURN) {
         leave_level(&f->levels);
      }
   }
   if (err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_WET));
   write_records(f);
   if (f->sums.instrs == 0)
      die("thread %" PRIu32 " executed nothing in %s", thread, file);
   champsim_code_free(&code);
   free(f->levels.last);
}

/*--- Messages                                             ---*/

/* Return "N WHAT", with the plural's ending MORE unless N is 1. */
static const char* counted(uint64_t n, const char* what, const char* more)
{
   return text_format("%s %s%s", text_count(n), what, n == 1 ? "" : more);
}

static void tell(const ChampsimFile* f, uint32_t thread)
{
   const Sums* s = &f->sums;

   complain("wrote %s: thread %" PRIu32 ", %s, %s (%s taken), %s, %s",
            f->path == NULL ? "the standard output" : f->path, thread,
            counted(s->instrs, "instruction", "s"),
            counted(s->branches, "branch", "es"), text_count(s->taken),
            counted(s->loads, "load", "s"),
            counted(s->stores, "store", "s"));
   if (s->left_flags + s->left_registers + s->left_addresses > 0)
      complain("left out, since a record has places for %d sources and %d "
               "destinations: flags %s, %s, %s", CHAMPSIM_SRC, CHAMPSIM_DST,
               counted(s->left_flags, "time", "s"),
               counted(s->left_registers, "other register", "s"),
               counted(s->left_addresses, "address", "es"));
   if (s->unclear > 0)
      complain("the trace does not tell whether %s taken, which a signal or "
               "the end follows: written as not taken",
               s->unclear == 1 ? "1 conditional branch was"
               : text_format("%s conditional branches were",
                             text_count(s->unclear)));
   if (f->path != NULL)
      say_next("next:\n  champsim --warmup-instructions 0 "
               "--simulation-instructions %" PRIu64 " %s\n", s->instrs,
               shell_word(f->path, ""));
}

void export_champsim(const char* file, uint64_t thread, const char* out)
{
   DcfgWet*      w = open_trace(file);
   uint32_t      t = choose_thread(w, file, thread);
   ChampsimFile* f = zalloc(1, sizeof(*f));

   if (out == NULL && isatty(STDOUT_FILENO))
      die("the trace is no text for a terminal: -o OUT names a file");
   f->path = out;
   f->out  = open_long_result(out);
   do_not_clean_stdout();
   put_all(f, w, file, t);
   close_results();
   dcfg_wet_close(w);
   tell(f, t);
   free(f);
}
