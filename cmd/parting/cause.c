/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Why two threads part. */

/* Owns: the walk back from a branch to where a difference began.  Handed: a
   parting; values and writers by the library and cmd/state/; what an origin is,
   by origin.c.

   Until two threads part, instance N of one is instance N of the other.  So the
   walk goes back in both runs at once.  At each pair of instances it looks
   which operand has another value in the other run, and goes on with the
   instances that wrote it.  Where all operands agree, or nobody in the traces
   wrote the bytes, the difference began.  That is more than a slice says: what
   is equal in both runs cannot be the cause.

   Of several operands that differ, contents come before registers, and these
   before registers of addresses.  A memory operand is content if the same
   instance wrote it in both runs; else another place was read, and the
   address is what differs.  Addresses of the stack and of mappings are a
   cause only if the walk finds no other. */

#include "cmd/parting/causes.h"

#include "cmd/base/keymap.h"

/*--- The walk                                             ---*/

/* Step: a pair of instances, by their times.  .byte: the byte of their
   result that differs, or ALL_BYTES. */
#define ALL_BYTES 64u
#define ITS_PLACE 65u           // the address that it stores to differs
typedef
   struct {
      uint64_t t[2];
      uint32_t before;          // the step that it was found from; NO_PLACE: none
      uint32_t depth;
      uint8_t  byte;
      bool     by_result;       // its result in a register differs: .reg, the
      uint8_t  reg;             // general register, or NO_REGISTER
   }
   Step;

/* Walk: a walk back.  .todo has the steps that are to be looked at, the next
   one last. */
typedef
   struct {
      Causes*           c;
      const PartThread* t;
      Step*             steps;
      size_t            n, room;
      uint32_t*         todo;
      size_t            n_todo, todo_room;
      KeyMap*           seen;
      CauseOrigin       found;
      uint32_t          at;     // the step of .found
      bool              earlier;        // a difference came from before .base
   }
   Walk;

/* The most steps of a walk, and after a weak cause was found. */
#define MOST_STEPS 30000
#define MORE_STEPS 3000

static void found(Walk* w, uint32_t step, CauseOrigin o)
{
   if (o.strength <= w->found.strength && w->found.words != NULL)
      return;
   w->found = o;
   w->at    = step;
}

static uint64_t key_of(const Causes* c, int k, uint32_t instr)
{
   return c->r->side[k].to[instr];
}

/* Add the step with times T behind step FROM, unless it was added before. */
static void add_step(Walk* w, uint32_t from, const uint64_t t[2], unsigned byte,
                     bool by_result, uint8_t reg)
{
   uint32_t known = keymap_size(w->seen);
   uint64_t hash = (t[0] * UINT64_C(0x9E3779B97F4A7C15) ^ t[1]) * 67 + byte;

   if (keymap_number(w->seen, hash) != known)
      return;
   GROW(w->steps, w->n, w->room);
   w->steps[w->n] = (Step){ { t[0], t[1] }, from,
                            from == NO_PLACE ? 0 : w->steps[from].depth + 1,
                            (uint8_t)byte, by_result, reg };
   GROW(w->todo, w->n_todo, w->todo_room);
   w->todo[w->n_todo++] = (uint32_t)w->n++;
}

/* WriterKind: who wrote bytes last.  Other kinds are no instances. */
typedef enum { BY_NOBODY, BY_INSTANCE, BY_OTHER } WriterKind;

/* Writer: the last writer of a byte in a run. */
typedef
   struct {
      WriterKind kind;
      uint64_t   t;
      uint32_t   thread, instr;
      unsigned   byte;          // the byte of its result, or ALL_BYTES
      bool       by_result;
      uint8_t    reg;           // as in Step
      const char* other;        // BY_OTHER: who
   }
   Writer;

/* Return whether A and B are the same instance in both runs. */
static bool is_same_instance(Walk* w, const Writer* a, const Writer* b)
{
   uint64_t at[2];

   if (a->thread != b->thread
       || key_of(w->c, 0, a->instr) != key_of(w->c, 1, b->instr))
      return false;
   at[0] = at_of(w->c, w->t, 0, a->thread, a->t);
   at[1] = at_of(w->c, w->t, 1, b->thread, b->t);
   if (a->thread != w->t->thread)
      return at[0] == at[1];
   return at[0] < w->t->base[0] || at[1] < w->t->base[1]
          ? at[0] < w->t->base[0] && at[1] < w->t->base[1]
          : twin_of(w->t, 0, at[0]) == at[1] && twin_of(w->t, 1, at[1]) == at[0];
}

/* Say that another thread wrote what a side of step STEP reads: X. */
static void found_thread(Walk* w, uint32_t step, const Writer x[2],
                         uint32_t reader)
{
   int         k = x[0].kind == BY_INSTANCE && x[0].thread != reader ? 0 : 1;
   const char* who[2];
   CauseOrigin      o = { .strength = STRONG };

   for (int i = 0; i < 2; i++)
      who[i] = x[i].kind == BY_INSTANCE
               ? text_format("thread %" PRIu32 ", %s", x[i].thread,
                             instr_where(w->c, i, x[i].instr))
               : x[i].kind == BY_NOBODY ? "nobody" : x[i].other;
   o.words  = who[k];
   o.detail = text_format("A reads what %s wrote, B what %s wrote", who[0],
                          who[1]);
   found(w, step, o);
}

static bool is_other_thread(const Writer* x, uint32_t reader)
{
   return x->kind == BY_INSTANCE && x->thread != reader;
}

/* Go on from STEP with the writers X of bytes that differ.  Return false if
   they are not the same instance: then something else made the difference. */
static bool go_on(Walk* w, uint32_t step, const Writer x[2], uint32_t reader)
{
   if (x[0].kind == BY_INSTANCE && x[1].kind == BY_INSTANCE
       && is_same_instance(w, &x[0], &x[1])) {
      const uint64_t t[2] = { x[0].t, x[1].t };
      add_step(w, step, t, x[0].byte == x[1].byte ? x[0].byte : ALL_BYTES,
               x[0].by_result, x[0].reg);
      return true;
   }
   if (is_other_thread(&x[0], reader) || is_other_thread(&x[1], reader)) {
      found_thread(w, step, x, reader);
      return true;
   }
   if (x[0].kind == BY_OTHER && x[1].kind == BY_OTHER)
      found(w, step, (CauseOrigin){ UNKNOWN, "unknown", x[0].other });
   for (int k = 0; k < 2; k++)
      w->earlier |= x[k].kind == BY_INSTANCE
                    && at_of(w->c, w->t, k, x[k].thread, x[k].t)
                       < w->t->base[k];
   return false;
}

/*--- Writers                                              ---*/

/* Return the writer of byte BYTE of REG, which THREAD reads at time T. */
static Writer writer_of_register(Walk* w, int k, uint32_t thread, uint64_t t,
                                 const DcfgWetRegisterId* reg, unsigned byte)
{
   Writer           x = { .kind = BY_NOBODY };
   DcfgCursorWriter by;

   for (int depth = 0; depth < 8; depth++) {
      const DcfgCursorInstr* is;
      if (register_writer(w->c, k, thread, t, reg, byte, &by)
          != DCFG_CURSOR_FOUND || by.by == DCFG_CURSOR_BEGIN
          || (by.by == DCFG_CURSOR_BY_KERNEL && by.time == 0))
         return x;
      if (by.by == DCFG_CURSOR_BY_CREATOR) {
         thread = by.thread;
         t      = by.time;
         continue;
      }
      if (by.by != DCFG_CURSOR_BY_INSTR)
         return (Writer){ .kind = BY_OTHER, .other = by.by
                          == DCFG_CURSOR_BY_SIGNAL ? "a signal's handler began"
                          : "the kernel set a register" };
      is = dcfg_cursor_instr(w->c->state[k]->cursor, by.time);
      return is == NULL ? x
             : (Writer){ .kind = BY_INSTANCE, .t = by.time,
                         .thread = is->thread, .instr = is->instr,
                         .byte = reg->kind == DCFG_WET_FLAGS ? ALL_BYTES : byte,
                         .by_result = true,
                         .reg = reg->kind == DCFG_WET_GENERAL
                                ? (uint8_t)reg->reg : NO_REGISTER };
   }
   return x;
}

/* Set *I to the system call whose stores have time WHEN, which is that of the
   instruction before them.  The thread that made the call goes on behind them.
   Return false if there is none. */
static bool find_call(Walk* w, int k, uint64_t when, RunInstance* i)
{
   RunInstance next;
   uint64_t    t;
   uint32_t    instr;

   return instance_at(w->c, k, when + 1, &next)
          && dcfg_cursor_before(w->c->state[k]->cursor, next.thread, when + 1,
                                &t, &instr) == DCFG_CURSOR_FOUND
          && instance_at(w->c, k, t, i)
          && i->in.transfer == DCFG_WET_SYSCALL;
}

/* Return the writer of the byte at ADDR, before T. */
static Writer writer_of_memory(Walk* w, int k, uint64_t addr, uint64_t t)
{
   Writer   x = { .kind = BY_NOBODY };
   RunInstance i, call;
   uint64_t when;

   if (dcfg_cursor_find_access(w->c->state[k]->cursor, addr, 1,
                               DCFG_CURSOR_STORE, t, true, &when)
       != DCFG_CURSOR_FOUND || !instance_at(w->c, k, when, &i))
      return x;
   x = (Writer){ .kind = BY_INSTANCE, .t = when, .thread = i.thread,
                 .instr = i.instr, .byte = ALL_BYTES, .reg = NO_REGISTER };
   for (uint32_t n = 0; n < i.n_accesses; n++)
      if ((i.accesses[n].kind & DCFG_CURSOR_STORE)
          && addr - i.accesses[n].addr < i.accesses[n].size) {
         uint64_t byte = addr - i.accesses[n].addr;
         x.byte = byte < ALL_BYTES ? (unsigned)byte : ALL_BYTES;
         return x;
      }
   if (find_call(w, k, when, &call)) {
      x.t      = call.t;
      x.thread = call.thread;
      x.instr  = call.instr;
   }
   return x.t != when || i.in.transfer == DCFG_WET_SYSCALL ? x
          : (Writer){ .kind = BY_OTHER,
                      .other = "another process, or the kernel, wrote memory" };
}

/*--- Operands                                             ---*/

/* Differs: what is known of an operand in both runs. */
typedef enum { AGREES, DIFFERS, NOT_KNOWN } Differs;

/* Compare SIZE bytes of both runs, of which those in MASK count.  *BYTE
   becomes the first one that differs. */
static Differs compare(const uint8_t* a, uint64_t a_known, const uint8_t* b,
                       uint64_t b_known, unsigned size, uint64_t mask,
                       unsigned* byte)
{
   Differs d = AGREES;

   for (unsigned i = 0; i < size && i < 64; i++) {
      if (!(mask >> i & 1))
         continue;
      if (!(a_known >> i & b_known >> i & 1)) {
         if (d == AGREES) {
            d = NOT_KNOWN;
            *byte = i;
         }
      } else if (a[i] != b[i]) {
         *byte = i;
         return DIFFERS;
      }
   }
   return d;
}

/* Return the group of flags, among GROUPS, that differs first; *D tells. */
static unsigned flags_group(Walk* w, const RunInstance i[2],
                            const DcfgWetRegisterId* reg, Differs* d)
{
   const StateRules* rules = w->c->state[0]->rules;
   uint8_t           v[2][32];
   uint64_t          n[2];
   bool              known = true;

   for (int k = 0; k < 2; k++) {
      known &= (register_value(w->c, k, &i[k], reg, v[k]) & 0xF) == 0xF;
      memcpy(&n[k], v[k], 8);
   }
   *d = NOT_KNOWN;
   for (unsigned g = 0; known && g < rules->n_groups && g < 3; g++)
      if ((reg->bytes >> g & 1) && ((n[0] ^ n[1]) & rules->groups[g])) {
         *d = DIFFERS;
         return g;
      }
   return reg->bytes & 2 ? 1 : reg->bytes & 1 ? 0 : 2;
}

/* Go back from register REG of step STEP, in byte BYTE.  Return false if
   nothing comes of it. */
static bool go_to_register(Walk* w, uint32_t step, const RunInstance i[2],
                           const DcfgWetRegisterId* reg, unsigned byte)
{
   const Processor* p = w->c->state[0]->processor;
   Writer           x[2];

   for (int k = 0; k < 2; k++)
      x[k] = writer_of_register(w, k, i[k].thread, i[k].t, reg, byte);
   if (x[0].kind == BY_NOBODY && x[1].kind == BY_NOBODY) {
      if (reg->kind == DCFG_WET_GENERAL && reg->reg == p->stack)
         found(w, step, (CauseOrigin){ WEAK, "the stack's address", NULL });
      return false;
   }
   return go_on(w, step, x, i[0].thread);
}

/* X is the writer, in side K, of bytes that other instances wrote than in
   the other run.  There, X's instance wrote to another place: go on from
   STEP with that. */
static void go_to_place(Walk* w, uint32_t step, int k, const Writer* x)
{
   const PartThread* t = w->t;
   uint64_t          at, time[2];
   RunInstance          other;

   if (x->kind != BY_INSTANCE || x->thread != t->thread || x->by_result)
      return;
   at = at_of(w->c, t, k, x->thread, x->t);
   if (twin_of(t, k, at) == UINT64_MAX)
      return;
   time[k]     = x->t;
   time[1 - k] = time_of(t, 1 - k, twin_of(t, k, at));
   if (time[1 - k] != UINT64_MAX && instance_at(w->c, 1 - k, time[1 - k], &other)
       && key_of(w->c, k, x->instr) == key_of(w->c, 1 - k, other.instr))
      add_step(w, step, time, ITS_PLACE, false, NO_REGISTER);
}

/* Go back from the bytes at ADDR, by side, that step STEP reads.  Return
   false if they were written by other instances: then the address is what
   differs. */
static bool go_to_memory(Walk* w, uint32_t step, const RunInstance i[2],
                         const uint64_t addr[2])
{
   Writer         x[2];
   const uint64_t t[2] = { i[0].t, i[1].t };

   for (int k = 0; k < 2; k++)
      x[k] = writer_of_memory(w, k, addr[k], i[k].t);
   if (x[0].kind == BY_NOBODY && x[1].kind == BY_NOBODY) {
      CauseOrigin o = initial_origin(w->c, addr, t);
      if (o.words == NULL)
         return false;
      found(w, step, o);
      return true;
   }
   if (go_on(w, step, x, i[0].thread))
      return true;
   for (int k = 0; k < 2; k++)
      go_to_place(w, step, k, &x[k]);
   return false;
}

/* Operand: an operand that may differ. */
typedef
   struct {
      bool     is_memory;
      DcfgWetRegisterId reg;
      uint64_t addr[2];
      unsigned byte;
   }
   Operand;

#define MOST_OPERANDS_OF 40

/* Operands: the operands of a step that may differ, in the order in which
   they are followed last: those that come first are pushed last. */
typedef
   struct {
      Operand  content[MOST_OPERANDS_OF], value[MOST_OPERANDS_OF],
               address[MOST_OPERANDS_OF], unknown[MOST_OPERANDS_OF];
      unsigned n_content, n_value, n_address, n_unknown;
   }
   Operands;

static void add_operand(Operand* all, unsigned* n, Operand o)
{
   if (*n < MOST_OPERANDS_OF)
      all[(*n)++] = o;
}

/* Go back from the registers that tell where step STEP stores. */
static void go_to_targets(Walk* w, uint32_t step, const RunInstance i[2])
{
   uint32_t targets = w->c->state[0]->roles.targets[i[0].instr];

   for (uint32_t u = 0; u < i[0].in.n_uses; u++) {
      const DcfgWetRegisterId* r = &i[0].uses[u];
      uint8_t  v[2][32];
      uint32_t known[2];
      unsigned byte;
      if (r->kind != DCFG_WET_GENERAL || !(targets >> r->reg & 1))
         continue;
      for (int k = 0; k < 2; k++)
         known[k] = register_value(w->c, k, &i[k], r, v[k]);
      if (compare(v[0], known[0], v[1], known[1], 8, r->bytes, &byte) == DIFFERS)
         go_to_register(w, step, i, r, byte);
   }
}

/* Return which bytes of an operand made the byte BYTE of the result of I. */
static uint64_t made_of(Walk* w, const RunInstance* i, unsigned byte,
                        DcfgWetPortKind port, uint32_t reg)
{
   return byte >= ALL_BYTES ? UINT64_MAX
          : dcfg_slice_bytes(&w->c->state[0]->roles.bytes[i->instr],
                             UINT64_C(1) << byte, port, reg);
}

static void find_memory(Walk* w, const RunInstance i[2], unsigned byte, Operands* o)
{
   uint32_t n = i[0].n_accesses < i[1].n_accesses ? i[0].n_accesses
                : i[1].n_accesses;

   for (uint32_t a = 0; a < n; a++) {
      uint8_t  bytes[2][64];
      bool     is_known[2][64];
      uint64_t known[2] = { 0, 0 };
      unsigned size = i[0].accesses[a].size < 64 ? i[0].accesses[a].size : 64;
      Operand  m = { .is_memory = true };
      Differs  d;
      if (!(i[0].accesses[a].kind & DCFG_CURSOR_LOAD)
          || !(i[1].accesses[a].kind & DCFG_CURSOR_LOAD))
         continue;
      for (int k = 0; k < 2; k++) {
         if (!state_memory(w->c->state[k], i[k].t, i[k].accesses[a].addr, size,
                           bytes[k], is_known[k]))
            continue;
         for (unsigned b = 0; b < size; b++)
            known[k] |= (uint64_t)is_known[k][b] << b;
      }
      d = compare(bytes[0], known[0], bytes[1], known[1], size,
                  made_of(w, &i[0], byte, DCFG_WET_MEMORY, a), &m.byte);
      for (int k = 0; k < 2; k++)
         m.addr[k] = i[k].accesses[a].addr + m.byte;
      if (d == DIFFERS)
         add_operand(o->content, &o->n_content, m);
      else if (d == NOT_KNOWN)
         add_operand(o->unknown, &o->n_unknown, m);
   }
}

/* If step STEP is one of the stack pointer, which I moves, as PUSH and CALL
   do, go on with the stack pointer alone.  Return whether it is. */
static bool go_to_stack(Walk* w, uint32_t step, const RunInstance i[2])
{
   unsigned reg = w->c->state[0]->processor->stack;
   uint32_t addresses = w->c->state[0]->roles.addresses[i[0].instr];

   if (w->steps[step].reg != reg || !(addresses >> reg & 1))
      return false;
   for (uint32_t u = 0; u < i[0].in.n_uses; u++)
      if (i[0].uses[u].kind == DCFG_WET_GENERAL && i[0].uses[u].reg == reg) {
         go_to_register(w, step, i, &i[0].uses[u], w->steps[step].byte % 8);
         return true;
      }
   return false;
}

static void find_registers(Walk* w, const RunInstance i[2], unsigned byte,
                           Operands* o)
{
   uint32_t addresses = w->c->state[0]->roles.addresses[i[0].instr];

   for (uint32_t u = 0; u < i[0].in.n_uses; u++) {
      Operand  r = { .reg = i[0].uses[u] };
      uint8_t  v[2][32];
      uint32_t known[2];
      Differs  d;
      bool     address = r.reg.kind == DCFG_WET_GENERAL
                         && (addresses >> r.reg.reg & 1);
      if (r.reg.kind == DCFG_WET_FLAGS) {
         r.byte = flags_group(w, i, &r.reg, &d);
      } else {
         for (int k = 0; k < 2; k++)
            known[k] = register_value(w->c, k, &i[k], &r.reg, v[k]);
         d = compare(v[0], known[0], v[1], known[1], 32,
                     address ? r.reg.bytes
                     : r.reg.bytes & made_of(w, &i[0], byte, r.reg.kind,
                                             r.reg.reg), &r.byte);
      }
      if (d == AGREES)
         continue;
      if (address)
         add_operand(o->address, &o->n_address, r);
      else if (d == DIFFERS)
         add_operand(o->value, &o->n_value, r);
      else
         add_operand(o->unknown, &o->n_unknown, r);
   }
}

/* Go back from operands ALL, the last one first, so that the first one is
   looked at next.  Return whether any of them leads on. */
static bool go_to_all(Walk* w, uint32_t step, const RunInstance i[2],
                      const Operand* all, unsigned n)
{
   bool any = false;

   while (n-- > 0)
      any |= all[n].is_memory ? go_to_memory(w, step, i, all[n].addr)
             : go_to_register(w, step, i, &all[n].reg, all[n].byte);
   return any;
}

/*--- Steps                                                ---*/

/* Return the cause that the instruction I is by itself; NULL: none. */
static const char* own_cause(const DcfgWetInstr* in)
{
   static const char* const names[] = { "rdtscp", "rdtsc", "cpuid", "rdrand",
                                        "rdseed", "xgetbv", "rdpid" };
   char text[256];

   instr_text(in, text, sizeof(text));
   for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
      if (begins(text, names[n]))
         return names[n];
   return NULL;
}

/* Step STEP is a system call. */
static void look_at_call(Walk* w, uint32_t step, const RunInstance i[2])
{
   CallOrigin   o = call_origin(w->c, i, w->steps[step].by_result);
   const Processor* p = w->c->state[0]->processor;
   bool         any = false;

   if (o.follow)
      any = go_to_memory(w, step, i, o.path);
   for (unsigned a = 0; a < 6; a++) {
      DcfgWetRegisterId reg = { DCFG_WET_GENERAL, p->arguments[a], 0xFF };
      uint8_t           v[2][32];
      unsigned          byte = 0;
      if (!(o.arguments >> a & 1))
         continue;
      for (int k = 0; k < 2; k++)
         register_value(w->c, k, &i[k], &reg, v[k]);
      compare(v[0], 0xFF, v[1], 0xFF, 8, 0xFF, &byte);
      any |= go_to_register(w, step, i, &reg, byte);
   }
   if (any)
      o.origin.strength = WEAK;
   found(w, step, o.origin);
}

/* Nothing that step STEP uses differs: the difference begins here. */
static void all_agree(Walk* w, uint32_t step, const RunInstance i[2])
{
   const DcfgWetInstr* a = &i[0].in;
   const DcfgWetInstr* b = &i[1].in;

   if (a->size != b->size || memcmp(a->code, b->code, a->size) != 0)
      found(w, step, (CauseOrigin){ STRONG, "the code", text_format(
                               "%s is another instruction in B",
                               instr_where(w->c, 0, i[0].instr)) });
   else if (a->image_load != b->image_load)
      found(w, step, (CauseOrigin){ WEAK, "a mapping's address", text_format(
                               "that of %s", a->image_name == NULL ? "code"
                               : text_base(a->image_name)) });
}

/* Look at step STEP: add the steps before it, or the cause. */
static void look_at(Walk* w, uint32_t step)
{
   const Step s = w->steps[step];
   RunInstance   i[2];
   Operands   o = { .n_content = 0 };
   const char* own;
   bool       any = false;

   for (int k = 0; k < 2; k++)
      if (!instance_at(w->c, k, s.t[k], &i[k]))
         return;
   if (i[0].in.transfer == DCFG_WET_SYSCALL) {
      look_at_call(w, step, i);
      return;
   }
   own = own_cause(&i[0].in);
   if (own != NULL) {
      found(w, step, (CauseOrigin){ STRONG, own, NULL });
      return;
   }
   if (s.byte == ITS_PLACE) {
      go_to_targets(w, step, i);
      return;
   }
   if (go_to_stack(w, step, i))
      return;
   find_memory(w, i, s.byte, &o);
   find_registers(w, i, s.byte, &o);
   if (o.n_content + o.n_value == 0 && s.byte < ALL_BYTES) {
      o = (Operands){ .n_content = 0 };
      find_memory(w, i, ALL_BYTES, &o);
      find_registers(w, i, ALL_BYTES, &o);
   }
   if (o.n_content + o.n_value + o.n_unknown == 0 && o.n_address == 0) {
      all_agree(w, step, i);
      return;
   }
   if (o.n_content + o.n_value == 0)
      any = go_to_all(w, step, i, o.unknown, o.n_unknown);
   any |= go_to_all(w, step, i, o.value, o.n_value);
   /* The content last, so that it is looked at first; where other instances
      wrote it, the address leads to the cause. */
   any |= go_to_all(w, step, i, o.content, o.n_content);
   if (!any && o.n_content + o.n_unknown > 0)
      go_to_all(w, step, i, o.address, o.n_address);
   if (o.n_content + o.n_value + o.n_unknown == 0)
      all_agree(w, step, i);
}

/* Walk back from the step that W has. */
static void walk(Walk* w)
{
   size_t most = MOST_STEPS;

   for (size_t n = 0; n < most && w->n_todo > 0
                      && w->found.strength != STRONG; n++) {
      bool weak = w->found.strength == WEAK;
      look_at(w, w->todo[--w->n_todo]);
      if (!weak && w->found.strength == WEAK && n + MORE_STEPS < most)
         most = n + MORE_STEPS;
   }
}

/*--- The cause                                            ---*/

static void set_words(PartCause* cause, const char* words, const char* detail)
{
   FREE_ALL(cause->words, cause->detail);
   cause->words  = text_copy(words);
   cause->detail = detail == NULL ? NULL : text_copy(detail);
}

static bool is_start_up(const char* image)
{
   const char* name = image == NULL ? "" : text_base(image);

   return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0
          || strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld.so", 5) == 0
          || name[0] == '[';
}

/* The most functions that are named on the way. */
#define MOST_THROUGH 8

/* Add function NAME to those on the way, unless it is BRANCH's or there. */
static void add_through(PartCause* cause, const char* name, const char* branch)
{
   if (name[0] == 0 || strcmp(name, branch) == 0
       || cause->n_through == MOST_THROUGH)
      return;
   for (size_t k = 0; k < cause->n_through; k++)
      if (strcmp(cause->through[k], name) == 0)
         return;
   GROW(cause->through, cause->n_through, cause->room);
   cause->through[cause->n_through++] = text_copy(name);
}

/* Return the program's own instruction of A that THREAD executed last before T;
   NO_PLACE: there is none. */
static uint32_t own_before(Causes* c, uint32_t thread, uint64_t t)
{
   const DcfgCursorInstr* is = NULL;
   uint64_t               own;

   if (c->own != NULL
       && dcfg_cursor_find_instr(c->state[0]->cursor, c->own, thread, t, true,
                                 &own) == DCFG_CURSOR_FOUND)
      is = dcfg_cursor_instr(c->state[0]->cursor, own);
   return is == NULL ? NO_PLACE : is->instr;
}

/* Add the functions between the branch and the cause, the nearest to the
   branch first, without the branch's own and the C library's.  If the cause
   is a system call there, its caller is the last one. */
static void find_through(Walk* w, PartCause* cause)
{
   RunSide*    s = &w->c->r->side[0];
   const char* branch = NULL;
   uint32_t*   way;
   size_t      n = 0;
   RunInstance    i;

   if (w->n == 0)
      return;
   way = zalloc(w->steps[w->at].depth + (size_t)1, sizeof(uint32_t));
   for (uint32_t at = w->at; at != NO_PLACE; at = w->steps[at].before)
      way[n++] = at;
   while (n-- > 0) {
      PlaceText t;
      if (!instance_at(w->c, 0, w->steps[way[n]].t[0], &i))
         continue;
      t = run_place_text(s, i.instr, true);
      if (branch == NULL)
         branch = t.function;
      if (!is_start_up(i.in.image_name))
         add_through(cause, t.function, branch);
      else if (n == 0 && i.in.transfer == DCFG_WET_SYSCALL)
         add_through(cause, run_place_text(s, own_before(w->c, i.thread, i.t),
                                           true).function, branch);
   }
   free(way);
}

/* Return whether side S goes straight on behind its branch. */
static bool goes_straight(const RunSide* s, const PartSide* p)
{
   return p->to != NO_PLACE && s->begin[p->to] == s->end[p->branch];
}

/* Return whether the code alone says where the branch of P leads when it is
   taken. */
static bool is_direct(const RunSide* s, const PartSide* p)
{
   uint32_t e;

   if (s->w != NULL) {
      DcfgWetTransfer t = dcfg_wet_instr(s->w, p->branch)->transfer;
      return t == DCFG_WET_CALL || t == DCFG_WET_JUMP || t == DCFG_WET_BRANCH;
   }
   e = p->to == NO_PLACE ? DCFG_NONE
       : dcfg_edge_between(s->g.p, p->branch, p->to);
   if (e == DCFG_NONE)
      return false;
   switch (s->g.p->edges[e].type) {
      case DCFG_EDGE_DIRECT_CALL: case DCFG_EDGE_DIRECT_BRANCH:
      case DCFG_EDGE_CONDITIONAL_BRANCH:
      case DCFG_EDGE_DIRECT_CONDITIONAL_BRANCH:
      case DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH:
         return true;
      default:
         return false;
   }
}

/* Return whether the code of both sides tells why they part there: a branch
   that the other build lacks, or another target. */
static bool code_tells(const Runs* r, const Parting* p)
{
   const PartSide* side = p->side;

   if (!r->rebuilt || p->kind == PART_END)
      return false;
   if (p->other_code || side[0].branch == NO_PLACE
       || side[1].branch == NO_PLACE)
      return true;
   if (is_direct(&r->side[0], &side[0]) && is_direct(&r->side[1], &side[1])
       && !goes_straight(&r->side[0], &side[0])
       && !goes_straight(&r->side[1], &side[1]))
      return true;
   if (r->side[0].w == NULL)
      return false;
   const DcfgWetInstr x = *dcfg_wet_instr(r->side[0].w, side[0].branch);
   const DcfgWetInstr y = *dcfg_wet_instr(r->side[1].w, side[1].branch);
   return x.transfer != y.transfer || x.code[0] != y.code[0];
}

/* Return how side K ended, in words. */
static const char* end_words(Causes* c, int k)
{
   const char*         name = k == 0 ? "A" : "B";
   const DcfgWet*      w = c->r->side[k].w;
   const DcfgWetState* s = w == NULL ? NULL : dcfg_wet_state(w);

   if (w != NULL && dcfg_wet_ends_early(w))
      return text_format("%s's trace ends early: its end could not be written",
                         name);
   if (s != NULL && s->end == DCFG_WET_END_SIGNAL)
      return text_format("signal %" PRIu32 " killed %s", s->status, name);
   if (s != NULL && s->end == DCFG_WET_END_EXEC)
      return text_format("%s executes another program", name);
   if (s != NULL && s->end == DCFG_WET_END_EXIT)
      return text_format("%s exits with status %" PRIu32, name, s->status);
   return text_format("%s is recorded up to here", name);
}

/* Return the signal that comes to the thread of side K behind the branch of
   PART; 0: none. */
static uint32_t signal_of(Causes* c, const PartThread* t, const Parting* part, int k)
{
   uint64_t         time = time_of(t, k, part->side[k].at + 1);
   DcfgCursorSignal s;

   return time != UINT64_MAX
          && dcfg_cursor_find_signal(c->state[k]->cursor, time, false, &s)
             == DCFG_CURSOR_FOUND
          && s.time == time && s.thread == t->thread ? s.signal : 0;
}

/* Walk back from PART. */
static void walk_from(Causes* c, const PartThread* t, const Parting* part,
                      PartCause* cause)
{
   Walk     w = { .c = c, .t = t, .seen = keymap_new() };
   RunInstance i[2];
   bool     there = true;

   for (int k = 0; k < 2; k++) {
      uint64_t time = time_of(t, k, part->side[k].at);
      there = there && time != UINT64_MAX && instance_at(c, k, time, &i[k]);
   }
   if (there) {
      const uint64_t at[2] = { i[0].t, i[1].t };
      add_step(&w, NO_PLACE, at, ALL_BYTES, false, NO_REGISTER);
      walk(&w);
      if (i[0].in.transfer != DCFG_WET_SYSCALL)
         find_values(c, i, cause);
   }
   if (w.found.words != NULL)
      set_words(cause, w.found.words, w.found.detail);
   if (w.found.words != NULL && w.found.strength != UNKNOWN)
      find_through(&w, cause);
   if ((w.found.words == NULL || w.found.strength == UNKNOWN) && w.earlier
       && t->skipped && part != &t->earlier) {
      PartCause before = part_cause(c, t, &t->earlier);
      set_words(cause, before.words, before.detail);
      part_cause_free(&before);
   }
   keymap_free(w.seen);
   FREE_ALL(w.steps, w.todo);
}

/* Set CAUSE if a signal came to one side only. */
static bool is_signal(Causes* c, const PartThread* t, const Parting* part,
                      PartCause* cause)
{
   for (int k = 0; k < 2; k++) {
      uint32_t n = signal_of(c, t, part, k);
      if (n == 0 || signal_of(c, t, part, 1 - k) == n)
         continue;
      set_words(cause, "unknown", text_format("signal %" PRIu32 " comes to %s here",
                                              n, k == 0 ? "A" : "B"));
      return true;
   }
   return false;
}

/* Return the program's own instruction that ran last before PART, a library's
   branch; NO_PLACE: there is none, or the branch is the program's. */
static uint32_t caller_of(Causes* c, const PartThread* t, const Parting* part)
{
   uint64_t time = time_of(t, 0, part->side[0].at);

   return time == UINT64_MAX || part->side[0].branch == NO_PLACE
          || !c->foreign[part->side[0].branch] ? NO_PLACE
          : own_before(c, t->thread, time);
}

PartCause part_cause(Causes* c, const PartThread* t, const Parting* part)
{
   PartCause cause = { .words = NULL, .caller = NO_PLACE };

   if (code_tells(c->r, part)) {
      int       k = part->side[0].branch != NO_PLACE ? 0 : 1;
      PlaceText at = run_place_text(&c->r->side[k], part->side[k].branch, true);
      set_words(&cause, "the code", at.function[0] == 0 ? NULL
                : text_format("%s is another build's", at.function));
      return cause;
   }
   if (part->kind == PART_END) {
      set_words(&cause, "unknown", end_words(c, part->ended));
      return cause;
   }
   if (!can_ask(c))
      return cause;
   if (!is_signal(c, t, part, &cause))
      walk_from(c, t, part, &cause);
   cause.caller = caller_of(c, t, part);
   if (cause.words == NULL && t->n_parts > 0 && part > t->parts
       && part < t->parts + t->n_parts) {
      PartCause before = part_cause(c, t, part - 1);
      set_words(&cause, before.words, "the parting before made it");
      part_cause_free(&before);
   }
   if (cause.words == NULL)
      set_words(&cause, "unknown", NULL);
   return cause;
}

void part_cause_free(PartCause* c)
{
   FREE_ALL(c->words, c->detail);
   for (size_t i = 0; i < c->n_through; i++)
      free(c->through[i]);
   free(c->through);
   for (size_t i = 0; i < c->n_values; i++)
      part_value_free(&c->values[i]);
   free(c->values);
}
