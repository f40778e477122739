/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Random programs and walks through them. */

#include "unit_walk.h"

/*--- A random program                                     ---*/

Int instr_of(const Walks* c, UInt image, ULong addr)
{
   for (UInt i = 0; i < c->n_instrs; i++)
      if (c->instrs[i].image == image && c->instrs[i].addr == addr)
         return (Int)i;
   return -1;
}

static int cmp_instrs(const void* va, const void* vb)
{
   const Instr* a = va;
   const Instr* b = vb;
   if (a->image != b->image)
      return a->image < b->image ? -1 : 1;
   return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static InsnKind random_kind(void)
{
   return chance(55) ? InsnPlain : (InsnKind)(1 + below(InsnRep));
}

/* Return the instruction behind the plain instruction I.  Image 1 is right
   behind image 0; image 2 has image 0's addresses, as a later generation of
   it. */
static Int behind(const Walks* c, UInt i)
{
   const Instr* in = &c->instrs[i];
   Int          to = instr_of(c, in->image, in->addr + in->len);
   if (to < 0 && in->image == 0)
      to = instr_of(c, 1, in->addr + in->len);
   return to;
}

static void make_program(Walks* c)
{
   static const ULong base[3] = { 0x1000, 0x1040, 0x1000 };
   UInt starts = 1 + below(3);

   c->n_instrs = 0;
   for (UInt image = 0; image < 3; image++)
      /* Each start but the first may be out of step with the others:
         instructions overlap until the streams meet, if they do. */
      for (UInt k = 0; k < starts; k++) {
         ULong a = base[image] + (k == 0 ? 0 : below(12));
         while (a < base[image] + 0x40 && instr_of(c, image, a) < 0
                && c->n_instrs < MAX_INSTRS) {
            Instr* in = &c->instrs[c->n_instrs++];
            in->addr  = a;
            in->image = image;
            in->len   = (UChar)(1 + below(5));
            if (a < 0x1040 && a + in->len > 0x1040)
               in->len = (UChar)(0x1040 - a);
            in->kind  = (UChar)random_kind();
            a += in->len;
         }
      }
   qsort(c->instrs, c->n_instrs, sizeof(Instr), cmp_instrs);
   for (UInt i = 0; i < c->n_instrs; i++) {
      c->jumps_to[i] = below(c->n_instrs);
      if (behind(c, i) >= 0)
         continue;
      /* The last instruction of an image must not fall through. */
      c->instrs[i].kind = (UChar)(chance(50) ? InsnJump : InsnReturn);
   }
}

/*--- Random walks                                         ---*/

/* Frames: the calls and signals that a thread is in. */
typedef
   struct {
      UInt calls[MAX_STEPS],   n_calls;    // return sites
      UInt signals[MAX_STEPS], n_signals;  // interrupted instructions
   }
   Frames;

static void step_from(Walks* c, Step* s, Frames* f)
{
   UInt i    = s->source;
   Int  next = behind(c, i);

   s->falls = False;
   if (chance(2)) {                // a signal or a fault, anywhere
      s->type   = EdgeContextChange;
      s->target = below(c->n_instrs);
      f->signals[f->n_signals++] = i;
      return;
   }
   switch (c->instrs[i].kind) {
      case InsnPlain:
         if (chance(2)) {          // a failed compare-and-swap
            s->type   = EdgeRep;
            s->target = i;
         } else {
            s->type   = EdgeFallThrough;
            s->target = (UInt)next;
            s->falls  = True;
         }
         break;
      case InsnCond:
         s->target = chance(50) ? (UInt)next : c->jumps_to[i];
         s->type   = (Int)s->target == next ? EdgeFallThrough
                                            : EdgeDirectConditionalBranch;
         break;
      case InsnRep:
         s->target = chance(50) ? (UInt)next : i;
         s->type   = s->target == i ? EdgeRep : EdgeFallThrough;
         break;
      case InsnJump:
         s->target = c->jumps_to[i];
         s->type   = EdgeDirectUnconditionalBranch;
         break;
      case InsnIndirectJump:
         s->target = (c->jumps_to[i] + below(3)) % c->n_instrs;
         s->type   = EdgeIndirectUnconditionalBranch;
         break;
      case InsnCall: case InsnIndirectCall:
         s->target = c->jumps_to[i];
         s->type   = EdgeDirectCall;
         if (c->instrs[i].kind == InsnIndirectCall) {
            s->target = (s->target + below(3)) % c->n_instrs;
            s->type   = EdgeIndirectCall;
         }
         f->calls[f->n_calls++] = (UInt)next;
         break;
      case InsnReturn:
         /* Some returns go to an address that no call left. */
         s->target = f->n_calls > 0 && chance(90) ? f->calls[--f->n_calls]
                                                  : c->jumps_to[i];
         s->type   = EdgeReturn;
         break;
      default:                     // InsnSyscall
         s->target = (UInt)next;
         s->type   = EdgeSystemCallBypass;
         if (f->n_signals > 0 && chance(60)) {
            UInt from = f->signals[--f->n_signals];
            s->target = c->jumps_to[i];
            s->type   = EdgeContextChangeReturn;
            if (c->n_bypasses < MAX_BYPASS) {
               Step* b   = &c->bypasses[c->n_bypasses++];
               *b        = *s;
               b->source = from;
               b->type   = EdgeContextChangeBypass;
            }
         }
   }
}

static void walk(Walks* c, UInt thread, UInt n)
{
   static Frames f;
   Step s = { thread, INSTR_START, below(c->n_instrs), EdgeEntry, False };

   f.n_calls = f.n_signals = 0;
   c->steps[c->n_steps++] = s;
   while (n-- > 0) {
      c->trail[c->n_trail++] = s.target;
      s.source = s.target;
      step_from(c, &s, &f);
      c->steps[c->n_steps++] = s;
   }
   c->trail[c->n_trail++] = s.target;
   s.source = s.target;
   s.target = INSTR_END;
   s.type   = EdgeExit;
   s.falls  = False;
   c->steps[c->n_steps++] = s;
}

/* Forget the instructions that never ran. */
static void keep_executed(Walks* c)
{
   UInt to[MAX_INSTRS], n = 0;
   Bool ran[MAX_INSTRS] = { False };

   for (UInt i = 0; i < c->n_trail; i++)
      ran[c->trail[i]] = True;
   for (UInt i = 0; i < c->n_instrs; i++)
      if (ran[i]) {
         to[i] = n;
         c->instrs[n++] = c->instrs[i];
      }
   c->n_instrs = n;
   for (UInt i = 0; i < c->n_trail; i++)
      c->trail[i] = to[c->trail[i]];
   for (UInt i = 0; i < c->n_steps; i++) {
      Step* s = &c->steps[i];
      if (s->source != INSTR_START)
         s->source = to[s->source];
      if (s->target != INSTR_END)
         s->target = to[s->target];
   }
   for (UInt i = 0; i < c->n_bypasses; i++) {
      c->bypasses[i].source = to[c->bypasses[i].source];
      c->bypasses[i].target = to[c->bypasses[i].target];
   }
}

/*--- What the builder is told                             ---*/

static Flow* add_flow(Walks* c, FlowKind kind, const Step* s, ULong count)
{
   Flow* f = &c->flows[c->n_flows++];
   f->kind  = kind;
   f->step  = *s;
   f->count = count;
   f->first = f->n = 0;
   return f;
}

void cut_walks(Walks* c)
{
   UInt at = 0;       // index in the trail

   c->n_flows = 0;
   for (UInt i = 0; i < c->n_steps; ) {
      Step* s = &c->steps[i++];
      add_flow(c, s->falls ? FlowOnward : FlowEdge, s, 1);
      if (s->type == EdgeExit)
         continue;
      Flow* run  = add_flow(c, FlowRun, s, 1);
      run->first = at++;
      run->n     = 1;
      while (c->steps[i].type == EdgeFallThrough && chance(75)) {
         at++;
         i++;
         run->n++;
      }
   }
   for (UInt i = 0; i < c->n_bypasses; i++)
      add_flow(c, FlowEdge, &c->bypasses[i], 0);
}

static Bool same_flow(const Walks* c, const Flow* a, const Flow* b)
{
   return a->kind == b->kind && a->step.thread == b->step.thread
          && (a->kind == FlowRun
              ? a->n == b->n
                && memcmp(c->trail + a->first, c->trail + b->first,
                          a->n * sizeof(UInt)) == 0
              : a->step.source == b->step.source
                && a->step.target == b->step.target
                && a->step.type == b->step.type);
}

void add_up_flows(Walks* c)
{
   UInt n = 0;

   for (UInt i = 0; i < c->n_flows; i++) {
      UInt k = 0;
      while (k < n && !same_flow(c, &c->flows[k], &c->flows[i]))
         k++;
      if (k == n)
         c->flows[n++] = c->flows[i];
      else
         c->flows[k].count += c->flows[i].count;
   }
   c->n_flows = n;
}

static void feed(const Walks* c, GraphBuilder* gb)
{
   UInt order[MAX_FLOWS];

   shuffle(order, c->n_flows);
   for (UInt i = 0; i < c->n_flows; i++) {
      const Flow* f = &c->flows[order[i]];
      const Step* s = &f->step;
      switch (f->kind) {
         case FlowRun:
            DCFG_(graph_run)(gb, s->thread, c->trail + f->first, f->n,
                             f->count);
            break;
         case FlowOnward:
            DCFG_(graph_onward)(gb, s->thread, s->source, s->target,
                                f->count);
            break;
         case FlowEdge:
            DCFG_(graph_edge)(gb, s->thread, s->source, s->target, s->type,
                              f->count);
      }
   }
}

Graph* build_walks(const Walks* c)
{
   GraphBuilder* gb = DCFG_(new_graph)(c->instrs, c->n_instrs,
                                       c->n_threads);
   feed(c, gb);
   DCFG_(partition)(gb);
   feed(c, gb);
   return DCFG_(finish_graph)(gb);
}

void make_walks(Walks* c, ULong seed)
{
   start_chance(seed);
   make_program(c);
   c->n_threads = 1 + below(MAX_THREADS);
   c->n_steps = c->n_trail = c->n_bypasses = 0;
   for (UInt t = 0; t < c->n_threads; t++)
      walk(c, t, below(chance(20) ? 900 : 120));
   keep_executed(c);
   cut_walks(c);
}
