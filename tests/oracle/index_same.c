/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices with an index in a file and with one in memory.  Slices of some
   steps, which skip what does not matter to them, and whole ones.  Slices that go on, and
   those that are made at once.

      index_same TRACE INDEX N SEED

   makes INDEX of TRACE, and asks N random questions of TRACE with it and with
   one in memory, which is of other code outside.  All members of the two answers
   must be the same.  The instances of an answer must be those of the whole slice
   that are near enough.  Some answers go on, in several rounds, from random instances of
   them, and must then be those to a query with all these .starts.  Prints how many instances the answers had, and the first
   differences; the exit status is 1 if there are any. */

#include <dcfg_slice.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t below(uint64_t n)
{
   state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
   return n == 0 ? 0 : (state >> 24) % n;
}

static void fail(const char* what, const DcfgError* err)
{
   fprintf(stderr, "index_same: %s: %s\n", what, err->reason);
   exit(2);
}

static DcfgWet* open_trace(const char* path)
{
   DcfgError err;
   DcfgWet*  w = dcfg_wet_open(path, NULL, &err);

   if (w == NULL)
      fail(path, &err);
   return w;
}

/* Arrays by instruction, which questions have in common. */
static bool*     outside;       // all images but that of the first instruction
static bool*     copies;
static uint32_t* no_address;
static bool*     ends;
static DcfgSliceBytes* bytes;
static bool*     instrs;
static uint64_t* executed;
static uint32_t  n;

static void prepare(DcfgWet* w)
{
   DcfgSliceQuery q;
   DcfgError      err;
   DcfgSlice*     s;
   uint32_t       image;

   n          = dcfg_wet_instrs(w);
   outside    = calloc(n + 1, sizeof(*outside));
   copies     = calloc(n + 1, sizeof(*copies));
   ends       = calloc(n + 1, sizeof(*ends));
   bytes      = calloc(n + 1, sizeof(*bytes));
   no_address = calloc(n + 1, sizeof(*no_address));
   instrs     = calloc(n + 1, sizeof(*instrs));
   executed   = calloc(n + 1, sizeof(*executed));
   image      = dcfg_wet_instr(w, 0)->image;
   for (uint32_t i = 0; i < n; i++) {
      outside[i]    = dcfg_wet_instr(w, i)->image != image;
      copies[i]     = below(3) == 0;
      ends[i]       = below(10) == 0;
      bytes[i]      = (DcfgSliceBytes){ .each = below(2) == 0, .apart = below(2) == 0,
                                        .from = UINT32_MAX, .to = UINT32_MAX };
      no_address[i] = (uint32_t)(below(2) != 0) << dcfg_wet_instr(w, i)->size % 8;
   }
   q = (DcfgSliceQuery){ .instrs = instrs, .instance = DCFG_SLICE_LAST,
                         .only_criteria = true, .no_control = true };
   s = dcfg_slice_new(w, &q, &err);
   if (s == NULL)
      fail("executions", &err);
   for (uint32_t i = 0; i < n; i++)
      executed[i] = s->totals[i].executed;
   dcfg_slice_free(s);
}

/* All instructions of the line that AT is of. */
static void choose_line(DcfgWet* w, uint32_t at)
{
   const DcfgWetInstr a = *dcfg_wet_instr(w, at);

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* b = dcfg_wet_instr(w, i);
      instrs[i] = i == at || (a.line != 0 && b->line == a.line
                              && b->source == a.source);
   }
}

static DcfgSliceQuery random_query(DcfgWet* w, DcfgSlicePart* part)
{
   DcfgSliceQuery q = { .instrs = instrs, .steps = 1 + (uint32_t)below(6) };
   uint32_t       at = (uint32_t)below(n);

   while (executed[at] == 0)
      at = (at + 1) % n;
   memset(instrs, 0, n);
   instrs[at] = true;
   q.instance = below(3) == 0 ? DCFG_SLICE_LAST : below(executed[at]);
   if (executed[at] < 40 && below(8) == 0)
      q.instance = DCFG_SLICE_EVERY;
   if (below(5) == 0) {
      q.instance = DCFG_SLICE_LAST;
      q.run      = true;
      choose_line(w, at);
   }
   if (below(4) == 0) {
      q.copies = copies;
      q.steps  = 1;
   }
   if (below(3) == 0)
      q.no_address = no_address;
   if (below(20) == 0)
      q.steps = 12;
   if (below(400) == 0)
      q.steps = 0;
   switch (below(6)) {
      case 0: q.no_control = true; break;
      case 1: q.no_control_of = outside; q.callbacks = true; break;
      case 2: q.no_control_of = outside; break;
      case 3: q.no_control_of = outside; q.results = true; break;
      default: break;
   }
   switch (below(8)) {
      case 0: q.of = DCFG_SLICE_REGISTER; q.place = below(16); break;
      case 1: q.of = DCFG_SLICE_FLAGS; break;
      case 2: q.of = DCFG_SLICE_REGISTER; q.place = 32 + below(8); break;
      case 3: q.of = DCFG_SLICE_FRAME; q.place = 0 - 8 * below(16);
              q.size = 8; break;
      case 4:
         if (q.run || q.instance >= DCFG_SLICE_EVERY)
            break;
         *part = (DcfgSlicePart){ at, q.instance,
                                  UINT64_C(0x1ffefff000) + 8 * below(1024), 64 };
         q.instance = DCFG_SLICE_EVERY;
         q.of       = DCFG_SLICE_MEMORY;
         q.parts    = part;
         q.n_parts  = 1;
         break;
      default: break;
   }
   q.sums          = below(10) == 0;
   q.only_criteria = below(20) == 0;
   return q;
}

/* Return whether nodes A and B, of slices S and Z, are the same instance. */
static bool is_same_node(const DcfgSlice* s, const DcfgSliceNode* a,
                         const DcfgSlice* z, const DcfgSliceNode* b)
{
   return a->instr == b->instr && a->instance == b->instance
          && a->thread == b->thread && a->order == b->order
          && a->distance == b->distance && a->addr == b->addr
          && a->from == b->from && a->value_size == b->value_size
          && memcmp(s->values + a->value, z->values + b->value, a->value_size)
             == 0;
}

/* Return Q with members that dcfg why has. */
static DcfgSliceQuery with_more(DcfgSliceQuery q)
{
   if (below(2) == 0)
      q.bytes = bytes;
   if (below(4) == 0)
      q.ends = ends;
   if (q.copies != NULL && below(2) == 0)
      q.places = no_address;
   if (q.of != DCFG_SLICE_ALL && below(2) == 0)
      q.no_address_near = no_address;
   return q;
}

/* Return the name of a member that is another one; NULL if none is. */
static const char* compare(const DcfgSlice* a, const DcfgSlice* b,
                           uint32_t threads)
{
#define NUMBER(m)  if (a->m != b->m) return #m
#define ARRAY(m, k) if ((k) > 0 && memcmp(a->m, b->m, (k) * sizeof(*a->m)) != 0) \
                       return #m
   NUMBER(n_nodes);
   NUMBER(n_criteria);
   NUMBER(n_inputs);
   NUMBER(n_crossings);
   NUMBER(n_instances);
   NUMBER(n_executed);
   NUMBER(n_no_control);
   NUMBER(n_no_address);
   NUMBER(n_no_steps);
   NUMBER(frame);
   NUMBER(n_executions);
   NUMBER(n_met);
   NUMBER(n_unseen);
   ARRAY(criteria, a->n_criteria);
   ARRAY(unseen, a->n_unseen);
   for (uint64_t i = 0; i < a->n_inputs; i++) {
      const DcfgSliceInput* x = &a->inputs[i];
      const DcfgSliceInput* y = &b->inputs[i];
      if (x->port != y->port || x->reg != y->reg || x->unseen != y->unseen
          || x->behind != y->behind || x->node != y->node || x->bytes != y->bytes)
         return "inputs";
   }
   ARRAY(totals, n);
   for (uint32_t i = 0; i < a->n_crossings; i++) {
      const DcfgSliceCrossing* x = &a->crossings[i];
      const DcfgSliceCrossing* y = &b->crossings[i];
      if (x->writer != y->writer || x->reader != y->reader || x->from != y->from
          || x->to != y->to || x->written != y->written || x->read != y->read
          || x->distance != y->distance)
         return "crossings";
   }
   ARRAY(thread_begins, threads);
   ARRAY(thread_ends, threads);
   for (uint32_t i = 0; i < a->n_nodes; i++) {
      const DcfgSliceNode* x = &a->nodes[i];
      const DcfgSliceNode* y = &b->nodes[i];
      if (!is_same_node(a, x, b, y) || x->n_inputs != y->n_inputs
          || x->first_input != y->first_input || x->execution != y->execution
          || x->n_reads != y->n_reads)
         return "nodes";
      if (x->n_reads > 0
          && memcmp(a->reads + x->first_read, b->reads + y->first_read,
                    x->n_reads * sizeof(*a->reads)) != 0)
         return "reads";
   }
   return NULL;
}

/* Return the same as compare() for S, the answer to Q, and the whole slice,
   which has nothing that leads to a result. */
static const char* compare_whole(DcfgWet* w, DcfgSliceQuery q,
                                 const DcfgSlice* s)
{
   uint32_t    steps = q.steps, k = 0;
   const char* what = NULL;
   DcfgError   err;
   DcfgSlice*  z;
   bool*       near;

   q.steps = 0;
   z       = dcfg_slice_new(w, &q, &err);
   if (z == NULL)
      return "errors of the whole";
   near = calloc(z->n_nodes + 1, sizeof(*near));
   for (uint32_t i = 0; i < z->n_criteria; i++)
      near[z->criteria[i]] = true;
   for (uint32_t i = 0; i < z->n_nodes && what == NULL; i++) {
      const DcfgSliceNode* n = &z->nodes[i];
      if (!near[i])
         continue;
      if (k == s->n_nodes || !is_same_node(s, &s->nodes[k++], z, n))
         what = "nodes of the whole";
      for (uint32_t j = 0; j < n->n_inputs && n->distance < steps; j++)
         if (z->inputs[n->first_input + j].node < DCFG_SLICE_NOT)
            near[z->inputs[n->first_input + j].node] = true;
   }
   free(near);
   dcfg_slice_free(z);
   return what != NULL || k == s->n_nodes ? what : "nodes of the whole";
}

static int by_order(const void* a, const void* b)
{
   uint64_t x = ((const DcfgSliceStart*)a)->order;
   uint64_t y = ((const DcfgSliceStart*)b)->order;

   return x < y ? -1 : x > y;
}

#define MOST_STARTS 64

/* Add some instances of S, an answer to Q, to the starts of Q, which are in STARTS.  A
   few go on so far that the steps become more. */
static void add_starts(const DcfgSlice* s, DcfgSliceQuery* q,
                       DcfgSliceStart* starts)
{
   uint32_t n_new = 1 + (uint32_t)below(4), steps = q->steps, from = q->n_starts;

   for (uint32_t i = 0; i < n_new && q->n_starts < MOST_STARTS; i++) {
      uint64_t order = s->nodes[below(s->n_nodes)].order;
      uint32_t far = 1 + (uint32_t)below(below(4) == 0 ? 12 : 3);
      bool     has = false;
      for (uint32_t k = 0; k < q->n_starts; k++)
         has |= starts[k].order == order;
      if (!has)
         starts[q->n_starts++] = (DcfgSliceStart){ order, far };
      if (!has && far > steps)
         steps = far;
   }
   for (uint32_t k = 0; k < from; k++)
      starts[k].distance += steps - q->steps;
   for (uint32_t k = from; k < q->n_starts; k++)
      starts[k].distance = steps - starts[k].distance;
   q->distance += steps - q->steps;
   q->steps     = steps;
   qsort(starts, q->n_starts, sizeof(*starts), by_order);
   q->starts = starts;
}

/* Let an answer to Q go on in some rounds.  Return the same as compare() for each of them
   and the slice that is made at once.  The instances in *NODES grow by those that went on. */
static const char* compare_rounds(DcfgWet* plain, DcfgWet* indexed,
                                  DcfgSliceQuery q, uint64_t* nodes)
{
   DcfgSliceStart starts[MOST_STARTS];
   DcfgError      err;
   DcfgSlice*     s = dcfg_slice_new(indexed, &q, &err);
   const char*    what = NULL;

   for (unsigned round = 0; round < 4 && what == NULL && s != NULL
                            && s->n_nodes > 0; round++) {
      DcfgSlice* at_once;
      add_starts(s, &q, starts);
      s       = dcfg_slice_go_on(indexed, s, &q, &err);
      at_once = dcfg_slice_new(plain, &q, &err);
      what    = s == NULL || at_once == NULL ? "errors of rounds"
                : compare(at_once, s, dcfg_wet_threads(plain));
      *nodes += s == NULL ? 0 : s->n_nodes;
      dcfg_slice_free(at_once);
   }
   dcfg_slice_free(s);
   return what;
}

static void show(DcfgWet* w, const DcfgSliceQuery* q, const char* what)
{
   uint32_t at = 0;

   while (!q->instrs[at])
      at++;
   printf("%s differ: 0x%" PRIx64 "#%" PRIu64 " run %d of %d place %" PRIu64
          " steps %u control %d %d callbacks %d results %d copies %d sums %d "
          "only %d parts %u\n", what, dcfg_wet_instr(w, at)->addr, q->instance,
          q->run, q->of, q->place, q->steps, q->no_control,
          q->no_control_of != NULL, q->callbacks, q->results, q->copies != NULL,
          q->sums, q->only_criteria, q->n_parts);
}

/* Return whether REGISTER of node N of S was VALUE, as far as its writers tell; count it
   in *TOLD if they do. */
static bool had_value(const DcfgSlice* s, const DcfgSliceNode* n, uint8_t reg,
                      uint64_t value, uint64_t* told)
{
   const DcfgSliceNode* by = NULL;
   uint64_t             was = 0;

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      if (in->port != DCFG_WET_GENERAL || in->reg != reg)
         continue;
      if (by != NULL || in->node >= DCFG_SLICE_NOT)
         return true;           // several writers, or none
      by = &s->nodes[in->node];
   }
   if (by == NULL || by->value_size < 4 || by->value_size > 8)
      return true;
   for (uint32_t i = 0; i < by->value_size; i++)
      was |= (uint64_t)s->values[by->value + i] << 8 * i;
   ++*told;
   return by->value_size == 8 ? was == value : was == (uint32_t)value;
}

/* Return how many of the calls of W, which the index tells, are not those of a slice of
   all system calls: their instances, and the values of their registers. */
static uint64_t compare_calls(DcfgWet* w)
{
   static const struct { uint8_t of[7]; } registers[]
      = { { { 0, 7, 6, 2, 10, 8, 9 } }, { { 0, 3, 1, 2, 6, 7, 5 } },
          { { 8, 0, 1, 2, 3, 4, 5 } } };
#ifdef __aarch64__
   unsigned row = 2;
#else
   unsigned row = dcfg_wet_instr(w, 0)->address_size == 4;
#endif
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_EVERY,
                        .steps = 1, .no_control = true };
   DcfgSliceCall* calls;
   DcfgError      err;
   DcfgSlice*     s;
   size_t         n_calls;
   uint64_t       differ = 0, told = 0;

   for (uint32_t i = 0; i < n; i++)
      instrs[i] = dcfg_wet_instr(w, i)->transfer == DCFG_WET_SYSCALL;
   s = dcfg_slice_new(w, &q, &err);
   if (s == NULL || !dcfg_slice_calls(w, &calls, &n_calls, &err))
      fail("calls", &err);
   differ += n_calls != s->n_criteria;
   for (size_t i = 0; i < n_calls && differ == 0; i++) {
      const DcfgSliceNode* x = &s->nodes[s->criteria[n_calls - 1 - i]];
      differ += x->instr != calls[i].instr || x->instance != calls[i].instance
                || x->order != calls[i].order || !calls[i].known;
      for (unsigned k = 0; k < 7; k++)
         differ += !had_value(s, x, registers[row].of[k],
                              calls[i].registers[k], &told);
   }
   printf("%zu calls, %" PRIu64 " values of their registers, %" PRIu64
          " differ\n", n_calls, told, differ + (n_calls > 0 && told == 0));
   free(calls);
   dcfg_slice_free(s);
   return differ;
}

int main(int argc, char** argv)
{
   uint64_t     questions, nodes = 0, differ = 0, wholes = 0, gone_on = 0;
   DcfgWet*     plain;
   DcfgWet*     indexed;
   DcfgError    err;
   int          fd;

   if (argc != 5)
      return 2;
   questions = strtoull(argv[3], NULL, 10);
   state     = strtoull(argv[4], NULL, 10) * 2 + 1;
   plain     = open_trace(argv[1]);
   indexed   = open_trace(argv[1]);
   prepare(plain);
   fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0666);
   if (fd < 0 || !dcfg_slice_make_index(indexed, fd, outside, &err)
       || !dcfg_slice_use_index(indexed, fd, &err))
      fail("the index", &err);
   for (uint64_t i = 0; i < questions; i++) {
      DcfgSlicePart  part;
      DcfgSliceQuery q = random_query(plain, &part);
      DcfgError      other;
      DcfgSlice*     a = dcfg_slice_new(plain, &q, &err);
      DcfgSlice*     b = dcfg_slice_new(indexed, &q, &other);
      const char*    what = a == NULL || b == NULL
                            ? a == NULL && b == NULL ? NULL : "errors"
                            : compare(a, b, dcfg_wet_threads(plain));
      if (what == NULL && a != NULL && q.steps > 0 && !q.results && !q.callbacks
          && !q.sums && !q.only_criteria && ++wholes % 4 == 0)
         what = compare_whole(plain, q, a);
      if (what == NULL && a != NULL && q.steps > 0 && !q.sums && !q.only_criteria)
         what = compare_rounds(plain, indexed, with_more(q), &gone_on);
      nodes += a == NULL ? 0 : a->n_nodes;
      if (what != NULL && differ++ < 5)
         show(plain, &q, what);
      dcfg_slice_free(a);
      dcfg_slice_free(b);
   }
   printf("%" PRIu64 " questions, %" PRIu64 " instances, %" PRIu64
          " of slices that went on, %" PRIu64 " differ\n", questions, nodes,
          gone_on, differ + (gone_on == 0));
   differ += compare_calls(indexed);
   dcfg_wet_close(plain);
   dcfg_wet_close(indexed);
   return differ > 0;
}
