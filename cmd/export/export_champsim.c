/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export --champsim: what a thread executed, as a ChampSim trace. */

/* Owns: the fields of a record: registers, ChampSim's numbers, accesses that
   are operands; the file of the trace, and the message about it.  Handed: a
   whole execution trace.

   All records of an instruction have the same registers; only their addresses
   differ, and whether a branch was taken.  So the records of all instructions
   are made first, and copied for each execution.

   A record has no field for the kind of a branch.  ChampSim guesses the kind
   from the registers: stack pointer, flags, instruction pointer.  So the record
   of a branch lists these in the combination from which ChampSim's
   instruction.h infers its kind. */

#include "cmd/export/export.h"

#include "cmd/base/terminal.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/machine/processor.h"

#include "lib/dcfg_wet.h"

#include <unistd.h>

/*--- The record of an instruction                         ---*/

/* Numbers of places in a record for destinations and for sources. */
#define CHAMPSIM_DST 2
#define CHAMPSIM_SRC 4

/* ChampsimRecord: an executed instruction in a trace: ChampSim's struct
   input_instr, in the host's byte order.  A place of 0 is empty. */
typedef
   struct {
      uint64_t ip;
      uint8_t  is_branch, taken;
      uint8_t  dst[CHAMPSIM_DST], src[CHAMPSIM_SRC];    // registers
      uint64_t dst_mem[CHAMPSIM_DST], src_mem[CHAMPSIM_SRC];
   }
   ChampsimRecord;

/* ChampsimOperand: an access that has a place in a record. */
typedef
   struct {
      uint32_t access;          // number among the instruction's accesses
      bool     reads, writes;
   }
   ChampsimOperand;

/* ChampsimInstr: the part that all records of an instruction have in common. */
typedef
   struct {
      ChampsimRecord  record;   // without addresses
      uint32_t        operands; // index of the first in ChampsimCode.operands
      uint32_t        n_operands;
      bool            repeats;  // is a record one iteration of it?
      uint8_t         left_flags, left_registers;   // without place in .record
   }
   ChampsimInstr;

/* ChampsimCode: the instructions of a whole execution trace. */
typedef
   struct {
      ChampsimInstr*   instrs;          // by number
      ChampsimOperand* operands;
      size_t           n_operands, room;
   }
   ChampsimCode;

_Static_assert(sizeof(ChampsimRecord) == 64, "ChampSim reads 64 bytes");

/* ChampSim's numbers of registers.  OTHER stands for a source that is no
   register, such as memory with the target of a jump. */
enum {
   STACK = 6, FLAGS = 25, POINTER = 26, VECTORS = 100, X87 = 140, OTHER = 255
};

/* Places: the .room places of a record for source or for destination registers,
   .n of them filled. */
typedef
   struct {
      uint8_t* at;
      unsigned n, room;
      ChampsimInstr* instr;
   }
   Places;

/* Add REG, unless it is there.  If there is no room, count it as left out. */
static void add(Places* p, uint8_t reg)
{
   if (memchr(p->at, reg, p->n) != NULL)
      return;
   if (p->n < p->room)
      p->at[p->n++] = reg;
   else if (reg == FLAGS)
      p->instr->left_flags++;
   else
      p->instr->left_registers++;
}

/* Return ChampSim's number of register R. */
static uint8_t number_of(const Processor* m, const DcfgWetRegisterId* r)
{
   return r->kind == DCFG_WET_GENERAL ? m->champsim[r->reg % MAX_GENERAL]
          : r->kind == DCFG_WET_FLAGS ? FLAGS
          : r->kind == DCFG_WET_VECTOR ? (uint8_t)(VECTORS + r->reg % 32)
          : X87;
}

/* Add the N registers of ALL, except SKIPPED.  Add the flags last: if there is
   not enough room, they are left out first. */
static void add_all(Places* p, const Processor* m, const DcfgWetRegisterId* all,
                    uint32_t n, uint8_t skipped)
{
   bool flags = false;

   for (uint32_t i = 0; i < n; i++) {
      uint8_t reg = number_of(m, &all[i]);
      flags |= reg == FLAGS;
      if (reg != FLAGS && reg != skipped)
         add(p, reg);
   }
   if (flags && skipped != FLAGS)
      add(p, FLAGS);
}

/* Add the registers from which branch IN computes its target. */
static void add_target(Places* p, const Processor* m, const DcfgWetInstr* in)
{
   unsigned before = p->n;

   for (uint32_t i = 0; i < in->n_uses; i++) {
      uint8_t reg = number_of(m, &in->uses[i]);
      if (reg != STACK && reg != FLAGS)
         add(p, reg);
   }
   if (p->n == before)
      add(p, OTHER);
}

/* Add the sources of branch IN, by its kind. */
static void add_sources(Places* p, const Processor* m, const DcfgWetInstr* in)
{
   switch (in->transfer) {
      case DCFG_WET_BRANCH:
         add(p, POINTER);
         add_all(p, m, in->uses, in->n_uses, STACK);
         if (p->n == 1)
            add(p, FLAGS);
         break;
      case DCFG_WET_JUMP:
         add(p, POINTER);
         break;
      case DCFG_WET_INDIRECT_JUMP:
         add_target(p, m, in);
         break;
      case DCFG_WET_CALL:
         add(p, STACK);
         add(p, POINTER);
         break;
      case DCFG_WET_INDIRECT_CALL:
         add(p, STACK);
         add(p, POINTER);
         add_target(p, m, in);
         break;
      default:
         add(p, STACK);
         add_all(p, m, in->uses, in->n_uses, FLAGS);
   }
}

static bool is_branch(DcfgWetTransfer t)
{
   return t >= DCFG_WET_BRANCH && t <= DCFG_WET_RET;
}

/* Return whether IN computes an address from the instruction pointer. */
static bool uses_pointer(const DcfgWetInstr* in)
{
   InstrEffect e;
   bool        res = false;

   if (instr_effect(in, &e))
      for (unsigned i = 0; i < e.n_memory; i++)
         res |= e.memory[i].relative;
   return res;
}

static void set_registers(ChampsimInstr* i, const Processor* m,
                          const DcfgWetInstr* in)
{
   Places src = { i->record.src, 0, CHAMPSIM_SRC, i };
   Places dst = { i->record.dst, 0, CHAMPSIM_DST, i };

   if (!is_branch(in->transfer)) {
      if (uses_pointer(in))
         add(&src, POINTER);
      add_all(&src, m, in->uses, in->n_uses, 0);
      add_all(&dst, m, in->defines, in->n_defines, 0);
      return;
   }
   i->record.is_branch = 1;
   add_sources(&src, m, in);
   if (in->transfer >= DCFG_WET_CALL)
      add(&dst, STACK);
   add(&dst, POINTER);
   add_all(&dst, m, in->defines, in->n_defines, STACK);
}

/* Set *R and *W to whether access N of IN reads or writes an operand of its
   own.  Another access that reads, or writes, the same address has the same
   operand. */
static void find_directions(const DcfgWetInstr* in, uint32_t n, bool* r,
                            bool* w)
{
   const DcfgWetAccess* a = &in->accesses[n];

   *r = a->reads;
   *w = a->writes;
   while (a->same > 0) {
      a  = &in->accesses[a->same - 1];
      *r = *r && !a->reads;
      *w = *w && !a->writes;
   }
}

static void add_operands(ChampsimCode* c, ChampsimInstr* i,
                         const DcfgWetInstr* in)
{
   i->operands = (uint32_t)c->n_operands;
   for (uint32_t k = 0; k < in->n_accesses; k++) {
      ChampsimOperand o = { .access = k };
      find_directions(in, k, &o.reads, &o.writes);
      if (!o.reads && !o.writes)
         continue;
      GROW(c->operands, c->n_operands, c->room);
      c->operands[c->n_operands++] = o;
      i->n_operands++;
   }
}

/* Return the records of all instructions of WET, for champsim_code_free().  Die
   if memory is short. */
static ChampsimCode champsim_code(DcfgWet* wet)
{
   const Processor* m = processor_of(wet);
   uint32_t         n = dcfg_wet_instrs(wet);
   ChampsimCode     c = { .instrs = zalloc(n, sizeof(ChampsimInstr)) };

   for (uint32_t k = 0; k < n; k++) {
      const DcfgWetInstr* in = dcfg_wet_instr(wet, k);
      c.instrs[k].record.ip = in->addr;
      c.instrs[k].repeats   = in->transfer == DCFG_WET_REP;
      set_registers(&c.instrs[k], m, in);
      add_operands(&c, &c.instrs[k], in);
   }
   return c;
}

static void champsim_code_free(ChampsimCode* c)
{
   FREE_ALL(c->instrs, c->operands);
}

/*--- The file                                             ---*/

#define MOST_RECORDS 8192

/* Sums: the numbers in the message. */
typedef
   struct {
      uint64_t instrs, branches, taken, loads, stores;
      uint64_t warmup;          // those of .instrs that are for warm-up
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
static uint32_t only_thread(const DcfgWet* wet, const char* file)
{
   uint32_t found = 0, n = 0;

   for (uint32_t t = 0; t < dcfg_wet_threads(wet); t++)
      if (dcfg_wet_executed(wet, t) > 0) {
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
static uint32_t choose_thread(const DcfgWet* wet, const char* file,
                              uint64_t thread)
{
   uint32_t n = dcfg_wet_threads(wet);

   if (thread == NOT_GIVEN)
      return only_thread(wet, file);
   if (thread >= n)
      die("there is no thread %" PRIu64 ": %s has %" PRIu32
          ", counted from 0", thread, file, n);
   if (dcfg_wet_executed(wet, (uint32_t)thread) == 0)
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

/*--- The records of a run                                 ---*/

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
static void put_instr(ChampsimFile* f, DcfgWet* wet, const ChampsimCode* c,
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
      f->falls_to = e->addr + dcfg_wet_instr(wet, e->instr)->size;
      f->sums.unclear++;
   }
}

/* Write what THREAD executed.  The first WARMUP instructions, of all threads,
   are for warm-up. */
static void put_all(ChampsimFile* f, DcfgWet* wet, const char* file,
                    uint32_t thread, uint64_t warmup)
{
   DcfgWetFilter  only = { .thread = warmup > 0 ? DCFG_NONE : thread,
                           .to = UINT64_MAX };
   uint64_t       n = 0;
   ChampsimCode   code = champsim_code(wet);
   DcfgWetEvents* v = load_events(wet, &only);
   DcfgWetEvent   e;
   DcfgError      err;

   enter_level(&f->levels);
   while (dcfg_wet_next(v, &e, &err)) {
      if (e.kind == DCFG_WET_INSTR && n++ == warmup)
         f->sums.warmup = f->sums.instrs;
      if (e.thread != thread)
         continue;
      if (e.kind == DCFG_WET_INSTR)
         put_instr(f, wet, &code, &e);
      else if (e.kind == DCFG_WET_HANDLER) {
         f->waits = false;
         enter_level(&f->levels);
      } else if (e.kind == DCFG_WET_RETURN) {
         leave_level(&f->levels);
      }
   }
   need_file(err.status == DCFG_OK, &err, KIND_WET);
   write_records(f);
   if (n < warmup)
      die("%s has %s instructions, and --warmup=%" PRIu64 " is more: dcfg regions "
          "--warmup prints the number", file, text_count(n), warmup);
   if (n == warmup)
      f->sums.warmup = f->sums.instrs;
   if (f->sums.instrs == 0)
      die("thread %" PRIu32 " executed nothing in %s", thread, file);
   dcfg_wet_events_free(v);
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
      say_next("next:\n  champsim --warmup-instructions %" PRIu64
               " --simulation-instructions %" PRIu64 " %s\n", s->warmup,
               s->instrs - s->warmup, shell_word(f->path, ""));
}

void export_champsim(const char* file, uint64_t thread, uint64_t warmup,
                     const char* out)
{
   DcfgWet*      w = open_trace(file);
   uint32_t      t = choose_thread(w, file, thread);
   ChampsimFile* f = zalloc(1, sizeof(*f));

   if (out == NULL && isatty(STDOUT_FILENO))
      die("the trace is no text for a terminal: -o OUT names a file");
   f->path = out;
   f->out  = open_result_as(out, RESULT_LONG);
   do_not_clean_stdout();
   put_all(f, w, file, t, warmup);
   close_results();
   dcfg_wet_close(w);
   tell(f, t);
   free(f);
}
