/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The last writer of a register before a time. */

/* Owns: the last writer of a thread's register at any time, and the top of x87's
   stack.  Handed: chunks by cursor_chunks.c, last writers by the index.

   The index tells most last writers, with their values.  So registers that were
   written long before cost no decoding.  Where it tells none, the chunk is
   searched backward.  When a signal's handler returns, the kernel restores the
   registers that the thread had when the handler was entered.  So a search skips
   whole handlers.

   Of x87's stack the index has the top at the end of each chunk.  Within a chunk,
   instructions move it, and marks set it. */

#include "lib/cursor/cursor_parts.h"
#include "lib/wet/wet_state.h"

#include <string.h>

/*--- Last writers that the index tells                    ---*/

/* IndexTells: how much the index tells of a register in a chunk. */
typedef
   enum {
      TELLS_NOTHING,            // only the chunk tells
      TELLS_NONE,               // the thread has not written it there
      TELLS_WRITER
   }
   IndexTells;

static IndexedInstance* indexed_at(DcfgCursor* r, uint64_t t)
{
   return &r->indexed[t % N_INDEXED];
}

/* Set CODE to that of the last writers of THREAD in chunk NUMBER, and *TURN to the
   number of its turn.  Return what the index tells of that: TELLS_WRITER means that
   there is code. */
static IndexTells code_of(DcfgCursor* r, uint32_t thread, uint32_t number,
                          uint32_t* turn, ByteReader* code)
{
   WetIndex*        ix = r->ix;
   const IndexTurn* t = index_turn_before(ix, thread, number + 1);

   if (index_creates(ix, thread, number))
      return TELLS_NOTHING;
   if (t == NULL || t->chunk != number)
      return TELLS_NONE;
   *turn = (uint32_t)(t - ix->turns);
   return t->handlers || !index_writers(ix, t, code) ? TELLS_NOTHING
          : TELLS_WRITER;
}

/* Return a writer behind all of turn T, for last_writer_next(). */
static LastWriter behind_turn(const WetIndex* ix, const IndexTurn* t)
{
   const IndexChunk* c = &ix->chunks[t->chunk];

   return (LastWriter){ .time = c->before + c->n_instrs };
}

/* Set *BY to the last writer of bytes WANTED of GRANULE of THREAD in chunk NUMBER
   before time T, from the index.  Return what the index tells of it. */
static IndexTells index_writer(DcfgCursor* r, uint32_t thread,
                               uint32_t number, unsigned granule,
                               uint8_t wanted, uint64_t t,
                               DcfgCursorWriter* by)
{
   const IndexChunk* c = &r->ix->chunks[number];
   uint64_t   end = c->before + c->n_instrs;
   uint32_t   turn;
   ByteReader code;
   LastWriter l;
   IndexTells tells;

   if (r->doubts || !index_tells_granule(granule))
      return TELLS_NOTHING;
   tells = code_of(r, thread, number, &turn, &code);
   if (tells != TELLS_WRITER)
      return tells;
   l = behind_turn(r->ix, &r->ix->turns[turn]);
   while (last_writer_next(r->w, &code, c->before, &l)) {
      uint8_t bytes = wet_defined(r->w, last_writer_instr(r->w, &l), granule)
                      & wanted;
      if (bytes == 0)
         continue;
      if (l.time >= t)
         return TELLS_NOTHING;
      *by = (DcfgCursorWriter){ .by = DCFG_CURSOR_BY_INSTR, .time = l.time,
                                .thread = thread, .bytes = bytes,
                                .stack = DCFG_CURSOR_STACK_UNKNOWN,
                                .since = end < t ? end : t, .from_index = true };
      *indexed_at(r, l.time) = (IndexedInstance){ l.time + 1, turn };
      return TELLS_WRITER;
   }
   if (!code.failed)
      return TELLS_NONE;
   r->ix->file.bad = true;
   return TELLS_NOTHING;
}

bool cursor_index_instr(DcfgCursor* r, uint64_t t, IndexedInstr* to)
{
   const IndexedInstance* is = indexed_at(r, t);
   const IndexTurn*       turn = &r->ix->turns[is->turn];
   ByteReader             code;
   LastWriter             l;

   if (r->doubts || is->time != t + 1 || !index_writers(r->ix, turn, &code))
      return false;
   l = behind_turn(r->ix, turn);
   while (l.time > t
          && last_writer_next(r->w, &code, r->ix->chunks[turn->chunk].before,
                              &l)) {
      const WetSb* sb;
      if (l.time != t)
         continue;
      sb  = &ELEM(r->w->sbs, WetSb, l.sb);
      *to = (IndexedInstr){ .at = r->w->places[sb->instrs.first + l.place],
                            .n_slots = l.n_slots };
      to->accesses = &ELEM(r->w->accesses, WetAccess,
                           sb->slots.first + to->at.slot);
      to->at.slot  = 0;
      last_writer_slots(&l, to->slots);
      while (r->ix->threads[to->thread + 1].turns <= is->turn)
         to->thread++;
      return true;
   }
   return false;
}

void dcfg_cursor_doubt(DcfgCursor* r)
{
   r->doubts = true;
   memset(r->writers, 0, N_KNOWN_THREADS * N_TOLD * sizeof(*r->writers));
}

/*--- Last writers                                         ---*/

/* RegisterSearch: a search, backward, for the last writer of a register. */
typedef
   struct {
      DcfgCursor* r;
      uint32_t    thread;
      uint8_t     granule, wanted;      // the register, or ToldRegister, and
                                // its bytes
      uint32_t    returned;     // handlers whose return the search has met, but
                                // not their begin
      uint32_t    handlers;     // handlers that began before the place
      uint64_t    since;        // time of the last return that was met, or 0
      bool        tells_all;    // a MarkRegisters was met, and no instruction of
                                // the thread before it
      DcfgCursorWriter* by;
   }
   RegisterSearch;

/* Return the granule of register N of KIND; N_GRANULES if there is none. */
static unsigned granule_of(DcfgCursorKind kind, uint32_t n)
{
   switch (kind) {
      case DCFG_CURSOR_GENERAL: return n < 32 ? n : N_GRANULES;
      case DCFG_CURSOR_FLAGS:   return n < 4 ? G_FLAGS + n : N_GRANULES;
      case DCFG_CURSOR_VECTOR:
         return n < G_X87 - G_VECTOR ? G_VECTOR + n : N_GRANULES;
      case DCFG_CURSOR_X87: return n < 8 ? G_X87 + n : N_GRANULES;
      case DCFG_CURSOR_X87_STACK: break;
   }
   return N_GRANULES;
}

uint8_t dcfg_cursor_written(const DcfgCursor* r, uint32_t instr,
                            DcfgCursorKind kind, uint32_t n)
{
   unsigned g = kind == DCFG_CURSOR_X87_STACK && n < 8 ? G_STACK + n
                : granule_of(kind, n);

   return instr >= r->w->instrs.n
          || (g == N_GRANULES && kind != DCFG_CURSOR_X87_STACK) ? 0
          : wet_defined(r->w, instr, g);
}

/* Return what the trace tells of THREAD at its begin; NULL: nothing. */
static const DcfgWetThread* begin_of(const DcfgCursor* r, uint32_t thread)
{
   const DcfgWetState* state = dcfg_wet_state(r->w);

   for (uint32_t i = 0; state != NULL && i < state->n_threads; i++)
      if (state->threads[i].thread == thread)
         return &state->threads[i];
   return NULL;
}

/* Return whether the kernel sets GRANULE when it enters a handler. */
static bool is_given(const DcfgCursor* r, unsigned granule)
{
   for (unsigned i = 0; i < r->w->machine->n_given; i++)
      if (r->w->machine->given[i] == granule)
         return true;
   return false;
}

/* Return the ToldRegister for register REG of KIND; N_TOLD if there is none. */
static unsigned told_register(DcfgWetRegisterKind kind, uint32_t reg)
{
   if (kind == DCFG_WET_REG_X87)
      return reg < 8 ? TOLD_X87 + reg : N_TOLD;
   if (kind < DCFG_WET_REG_IP || kind > DCFG_WET_REG_SEGMENT
       || reg >= (kind == DCFG_WET_REG_SEGMENT ? 6u : 1u))
      return N_TOLD;
   return TOLD_OTHER + (unsigned)(kind - DCFG_WET_REG_IP) + reg;
}

/* Return whether F looks for a ToldRegister, which no instruction has as a
   granule. */
static bool is_told(const RegisterSearch* f)
{
   return f->granule >= N_GRANULES;
}

/* If F's register is among the N registers at R, which the kernel set at time
   T, set *F->by to the kernel and return true. */
static bool registers_tell(const RegisterSearch* f, const DcfgWetRegister* r,
                           size_t n, uint64_t t)
{
   unsigned size = f->r->w->machine->vector_size, at = 0;

   for (size_t i = 0; i < n; i++) {
      unsigned bytes;
      at = 0;
      if (is_told(f)) {
         if (told_register(r[i].kind, r[i].reg) != f->granule)
            continue;
      } else if (r[i].kind == DCFG_WET_REG_VECTOR && f->granule >= G_VECTOR
          && f->granule < G_X87
          && (f->granule - G_VECTOR) / size == r[i].reg) {
         at = 8 * ((f->granule - G_VECTOR) % size);
      } else if (!(r[i].kind == DCFG_WET_REG_GENERAL
                 && r[i].reg == f->granule)
               && !(r[i].kind == DCFG_WET_REG_FLAGS
                    && f->granule >= G_FLAGS && f->granule < G_FLAGS + 3)) {
         continue;
      }
      if (r[i].size <= at)
         continue;
      bytes = r[i].size - at < 8 ? r[i].size - at : 8;
      *f->by = (DcfgCursorWriter){ .by = DCFG_CURSOR_BY_KERNEL, .time = t,
                                   .thread = f->thread, .bytes = f->wanted };
      if (r[i].kind != DCFG_WET_REG_FLAGS)
         f->by->bytes &= (uint8_t)((1u << bytes) - 1);
      memcpy(f->by->value, r[i].bytes + at, bytes);
      return f->by->bytes != 0;
   }
   return false;
}

/* Do the same with the registers of mark S. */
static bool mark_has_it(const RegisterSearch* f, const KeptChunk* c,
                        const WetStep* s, uint64_t t)
{
   Array all = { 0 };
   ByteReader b = cursor_bytes(c, s);
   bool  found = b.at < b.end && wet_get_registers(&f->r->job, f->r->w,
                                                   &b, &all)
                 && !b.failed && registers_tell(f, all.data, all.n, t);

   array_free(&f->r->job, &all, sizeof(DcfgWetRegister));
   return found;
}

/* Do the same with the registers that the trace has of its begin. */
static bool begin_tells(const RegisterSearch* f)
{
   const DcfgWetThread* t = begin_of(f->r, f->thread);

   return t != NULL && registers_tell(f, t->registers, t->n_registers, 0);
}

/* If mark S, before time T, wrote F's register, set *F->by and return true.
   Count the handlers that begin and return. */
static bool mark_tells(RegisterSearch* f, const KeptChunk* c, const WetStep* s,
                       uint64_t t)
{
   const uint64_t* words = c->steps.addrs + s->first;

   if (s->mark == MarkHandler)
      f->handlers--;
   if (s->mark == MarkCreated && words[0] == f->thread) {
      f->thread = s->thread;
      *f->by = (DcfgCursorWriter){ DCFG_CURSOR_BY_CREATOR, t - 1, s->thread,
                                   f->wanted,
                                   words[1] == StackOfCreator
                                   ? DCFG_CURSOR_STACK_OF_CREATOR
                                   : words[1] == StackFromArgument
                                   ? DCFG_CURSOR_STACK_ARGUMENT
                                   : DCFG_CURSOR_STACK_UNKNOWN, 0, { 0 }, false };
      return true;
   }
   if (s->thread != f->thread)
      return false;
   if (s->mark == MarkRegisters && f->returned == 0) {
      if (mark_has_it(f, c, s, t))
         return true;
      f->tells_all = true;
   }
   if (s->mark == MarkReturn) {
      f->returned++;
      f->since = f->since == 0 ? t : f->since;
   }
   if (s->mark != MarkHandler)
      return false;
   if (f->returned > 0) {
      /* The return belongs to another handler if this one never returned. */
      f->returned -= f->handlers >= f->r->ix->n_returned
                     || f->r->ix->returned[f->handlers] != 0;
      return false;
   }
   /* The mark has all registers that changed when the handler was entered. */
   if (!is_given(f->r, f->granule) || f->tells_all)
      return false;
   *f->by = (DcfgCursorWriter){ DCFG_CURSOR_BY_SIGNAL, t, f->thread,
                                f->wanted, DCFG_CURSOR_STACK_UNKNOWN, 0,
                                { 0 }, false };
   return true;
}

/* If one of the first N instructions of step I wrote F's register, set *F->by
   and return true.  BEFORE is the time at which chunk C begins. */
static bool step_tells(RegisterSearch* f, const KeptChunk* c, size_t i,
                       uint32_t n, uint64_t before)
{
   const WetStep* s = &c->steps.steps[i];

   for (uint32_t k = n; k-- > 0; ) {
      uint32_t instr = cursor_place(f->r, s, k)->instr;
      uint8_t  bytes = wet_defined(f->r->w, instr, f->granule) & f->wanted;
      if (bytes == 0)
         continue;
      *f->by = (DcfgCursorWriter){ DCFG_CURSOR_BY_INSTR,
                                   before + c->times[i] + k, f->thread, bytes,
                                   DCFG_CURSOR_STACK_UNKNOWN, 0, { 0 }, false };
      return true;
   }
   return false;
}

/* Search chunk C, number NUMBER, backward from behind the first PLACE
   instructions of step FROM.  If F's writer is there, set *F->by and return
   true. */
static bool chunk_tells(RegisterSearch* f, uint32_t number, const KeptChunk* c,
                        size_t from, uint32_t place)
{
   uint64_t before = f->r->ix->chunks[number].before;
   uint64_t bit = is_told(f) ? 0 : UINT64_C(1) << f->granule % 64;
   unsigned half = is_told(f) ? 0 : f->granule / 64;

   for (size_t i = from + (place > 0); i-- > 0; ) {
      const WetStep*    s = &c->steps.steps[i];
      const StepFilter* filter = &c->filters[i / FILTER_STEPS];
      if (i % FILTER_STEPS == FILTER_STEPS - 1 && !filter->turns
          && !(filter->defs[half] & bit)) {
         i           -= FILTER_STEPS - 1;
         f->tells_all = false;
         continue;
      }
      if (s->sb == 0) {
         if (mark_tells(f, c, s, before + c->times[i]))
            return true;
         continue;
      }
      f->tells_all &= s->thread != f->thread;
      if (s->thread == f->thread && f->returned == 0
          && (ELEM(f->r->w->sbs, WetSb, s->sb).defs[half] & bit)
          && step_tells(f, c, i, i == from && place > 0 ? place : s->n_instrs,
                        before))
         return true;
   }
   return false;
}

/* Return whether the search can skip chunk NUMBER: the thread neither wrote the
   register there, nor ran handlers, nor was created; and its first instruction,
   before which the trace tells its registers, is not there. */
static bool is_passed(const RegisterSearch* f, uint32_t number)
{
   const WetIndex*  ix = f->r->ix;
   const IndexTurn* t = index_turn_before(ix, f->thread, number + 1);

   if (index_creates(ix, f->thread, number))
      return false;
   if (t == NULL || t->chunk != number)
      return true;
   if (t->handlers || f->returned > 0)
      return false;
   return is_told(f) ? begin_of(f->r, f->thread) != NULL
                       || index_turn_before(ix, f->thread, number) != NULL
          : !(t->defs[f->granule / 64] >> f->granule % 64 & 1);
}

/* Return how many handlers, of any thread, began before place P. */
static uint32_t count_handlers(const DcfgCursor* r, const KeptChunk* c,
                               const CursorPlace* p)
{
   size_t   from = p->step - p->step % FILTER_STEPS;
   uint32_t n = index_handlers(r->ix, p->chunk)
                + c->filters[from / FILTER_STEPS].handlers;

   for (size_t i = from; i < p->step; i++)
      n += c->steps.steps[i].sb == 0 && c->steps.steps[i].mark == MarkHandler;
   return n;
}

/* Return the cache's entry for F's granule; NULL if F is no search that the
   cache can answer. */
static KnownWriter* known_writer(const RegisterSearch* f)
{
   return f->wanted != 0xFF || f->returned > 0 ? NULL
          : &f->r->writers[f->thread % N_KNOWN_THREADS * N_TOLD
                           + f->granule];
}

/* Look up in the cache the last writer before chunk NUMBER: set *F->by, or
   *NONE if there is no writer, and return true.  An entry for an earlier chunk
   holds if the search can skip all chunks since then. */
static bool is_known(const RegisterSearch* f, uint32_t number, bool* none)
{
   KnownWriter* k = known_writer(f);

   if (k == NULL || !k->there || k->thread != f->thread || number < k->first)
      return false;
   for (uint32_t i = k->chunk; i < number; i++)
      if (!is_passed(f, i))
         return false;
   if (k->chunk < number)
      k->chunk = number;
   *none = k->none;
   *f->by = k->by;
   return true;
}

/* Enter *F->by, or that there is no writer if NONE, into the cache.  It holds
   for chunks from FIRST to NUMBER. */
static void note_writer(const RegisterSearch* f, uint32_t number,
                        uint32_t first, bool none)
{
   KnownWriter* k = known_writer(f);

   if (k != NULL)
      *k = (KnownWriter){ true, none, f->thread, number, first, *f->by };
}

/* Set .since of the writer that was found. */
static void note_since(const RegisterSearch* f)
{
   DcfgCursorWriter* by = f->by;

   by->since = f->since != 0 ? f->since
               : by->by == DCFG_CURSOR_BY_SIGNAL
                 || by->by == DCFG_CURSOR_BY_KERNEL ? by->time : by->time + 1;
}

/* Look F's writer in chunk NUMBER up in the index: the last one before time T.
   Set *F->by if it is there.  Return what the index tells. */
static IndexTells index_tells(RegisterSearch* f, uint32_t number, uint64_t t)
{
   IndexTells tells = is_told(f) || f->returned > 0 ? TELLS_NOTHING
                      : index_writer(f->r, f->thread, number, f->granule,
                                     f->wanted, t, f->by);

   /* The thread has executed instructions there. */
   if (tells == TELLS_NONE)
      f->tells_all = false;
   else if (tells == TELLS_WRITER && f->since != 0)
      f->by->since = f->since;
   return tells;
}

/* Search the chunks before NUMBER, and then the begin of the trace. */
static DcfgCursorFound find_before(RegisterSearch* f, uint32_t number)
{
   bool             keeps = known_writer(f) != NULL, none;
   RegisterSearch   begin = *f;  // .thread may become the creator's

   if (is_known(f, number, &none))
      return none ? DCFG_CURSOR_NONE : DCFG_CURSOR_FOUND;
   for (uint32_t at = number; at-- > 0; ) {
      const KeptChunk* c;
      IndexTells       tells;
      if (is_passed(f, at))
         continue;
      tells = index_tells(f, at, UINT64_MAX);
      if (tells == TELLS_NONE)
         continue;
      if (tells == TELLS_NOTHING) {
         c = cursor_chunk(f->r, at);
         if (c == NULL)
            return DCFG_CURSOR_FAILED;
         f->handlers = index_handlers(f->r->ix, at + 1);
         if (!chunk_tells(f, at, c, c->steps.n_steps, 0))
            continue;
         note_since(f);
      }
      /* After the search has skipped a handler, the answer does not hold within
         the chunks that the handler spans. */
      if (keeps && f->since == 0)
         note_writer(&begin, number, at + 1, false);
      return DCFG_CURSOR_FOUND;
   }
   none = !begin_tells(f);
   f->by->since = f->since;
   if (keeps && f->since == 0)
      note_writer(&begin, number, 0, none);
   return none ? DCFG_CURSOR_NONE : DCFG_CURSOR_FOUND;
}

/* Search for F's register, from time T backward. */
static DcfgCursorFound find_from(RegisterSearch* f, uint64_t t)
{
   DcfgCursor*      r = f->r;
   CursorPlace      p;
   const KeptChunk* c;
   uint32_t         number = cursor_chunk_of(r, t);

   if (r->ix->n_chunks == 0)
      return DCFG_CURSOR_NONE;
   if (number < r->ix->n_chunks && cursor_kept(r, number) == NULL) {
      IndexTells tells = index_tells(f, number, t);
      if (tells == TELLS_WRITER)
         return DCFG_CURSOR_FOUND;
      if (tells == TELLS_NONE)
         return find_before(f, number);
   }
   if (!cursor_position(r, t, &p) || (c = cursor_chunk(r, p.chunk)) == NULL)
      return DCFG_CURSOR_FAILED;
   f->handlers = count_handlers(r, c, &p);
   if (!chunk_tells(f, p.chunk, c, p.step, p.place))
      return find_before(f, p.chunk);
   note_since(f);
   return DCFG_CURSOR_FOUND;
}

DcfgCursorFound dcfg_cursor_writer(DcfgCursor* r, uint32_t thread, uint64_t t,
                                   DcfgCursorKind kind, uint32_t n,
                                   uint8_t wanted, DcfgCursorWriter* by)
{
   unsigned       granule = granule_of(kind, n);
   RegisterSearch f = { .r = r, .thread = thread, .granule = (uint8_t)granule,
                        .wanted = wanted, .by = by };

   *by = (DcfgCursorWriter){ .by = DCFG_CURSOR_BEGIN };
   return granule == N_GRANULES ? DCFG_CURSOR_NONE : find_from(&f, t);
}

DcfgCursorFound dcfg_cursor_told(DcfgCursor* r, uint32_t thread, uint64_t t,
                                 DcfgWetRegisterKind kind, uint32_t reg,
                                 DcfgCursorWriter* by)
{
   unsigned        number = told_register(kind, reg);
   RegisterSearch  f = { .r = r, .thread = thread, .granule = (uint8_t)number,
                         .wanted = 0xFF, .by = by };
   DcfgCursorFound found;

   *by = (DcfgCursorWriter){ .by = DCFG_CURSOR_BEGIN };
   found = number == N_TOLD ? DCFG_CURSOR_NONE : find_from(&f, t);
   /* A trace without such marks may tell only that the thread was created. */
   return found == DCFG_CURSOR_FOUND && by->by != DCFG_CURSOR_BY_KERNEL
          ? DCFG_CURSOR_NONE : found;
}

/*--- The top of x87's stack                               ---*/

/* Return the top that is in the status word among the N registers at R, or
   TOP. */
static uint8_t top_in(const DcfgWetRegister* r, size_t n, uint8_t top)
{
   for (size_t i = 0; i < n; i++)
      if (r[i].kind == DCFG_WET_REG_X87_STATUS && r[i].size >= 2)
         return r[i].bytes[1] >> 3 & 7;
   return top;
}

/* Return the thread's top before chunk NUMBER. */
static uint8_t top_before(const DcfgCursor* r, uint32_t thread,
                          uint32_t number)
{
   const IndexTurn*     t = index_turn_before(r->ix, thread, number);
   const DcfgWetThread* begin = t != NULL ? NULL : begin_of(r, thread);

   if (t != NULL)
      return t->top & 7;
   if (begin != NULL)
      return top_in(begin->registers, begin->n_registers, 0);
   return thread == 0 ? 0 : NO_TOP;
}

/* Return the top behind mark S of chunk C, if it is TOP before. */
static uint8_t behind_mark(DcfgCursor* r, const KeptChunk* c, const WetStep* s,
                           uint8_t top)
{
   Array all = { 0 };
   ByteReader b;

   if (s->mark == MarkTop)
      return c->steps.addrs[s->first] & 7;
   /* MarkRegisters follows, with the top. */
   if (s->mark == MarkReturn)
      return NO_TOP;
   if (s->mark != MarkRegisters)
      return top;
   b = cursor_bytes(c, s);
   if (b.at < b.end && wet_get_registers(&r->job, r->w, &b, &all)
       && !b.failed)
      top = top_in(all.data, all.n, top);
   array_free(&r->job, &all, sizeof(DcfgWetRegister));
   return top;
}

/* Return the top behind the first N instructions of step S of chunk C. */
static uint8_t behind_instrs(const DcfgCursor* r, const KeptChunk* c,
                             const WetStep* s, uint32_t n, uint8_t top)
{
   for (uint32_t k = 0; k < n; k++) {
      const InstrPlan* at = cursor_place(r, s, k);
      const Plan*      p = &r->w->plans[at->instr];
      bool             told = p->top_zero
                              || (at->top && (uint32_t)at->slot + at->n_slots
                                             < s->n_slots);
      if (p->moves_top && (told || top != NO_TOP))
         top = (uint8_t)wet_move_top(top, p, at, s->n_slots,
                                     c->steps.addrs + s->first);
   }
   return top;
}

/* Set .tops to those of THREAD in chunk NUMBER.  Return false if memory is
   short. */
static bool make_tops(DcfgCursor* r, uint32_t thread, uint32_t number,
                      const KeptChunk* c)
{
   KnownTops* k = &r->tops;
   size_t     n = c->steps.n_steps + 1;
   uint8_t    top;

   if (k->there && k->thread == thread && k->chunk == number)
      return true;
   if (n > k->room) {
      job_free(&r->job, k->tops, k->room);
      *k = (KnownTops){ .tops = job_calloc(&r->job, n, 1), .room = n };
      if (k->tops == NULL) {
         k->room = 0;
         return false;
      }
   }
   top = top_before(r, thread, number);
   for (size_t i = 0; i + 1 < n; i++) {
      const WetStep* s = &c->steps.steps[i];
      k->tops[i] = top;
      if (s->thread != thread)
         continue;
      if (s->sb == 0)
         top = behind_mark(r, c, s, top);
      else if (ELEM(r->w->sbs, WetSb, s->sb).moves_top)
         top = behind_instrs(r, c, s, s->n_instrs, top);
   }
   k->tops[n - 1] = top;
   k->there  = true;
   k->thread = thread;
   k->chunk  = number;
   return true;
}

bool dcfg_cursor_x87_top(DcfgCursor* r, uint32_t thread, uint64_t t,
                         unsigned* top)
{
   CursorPlace      p;
   const KeptChunk* c;
   const WetStep*   s;

   if (r->ix->n_chunks == 0 || !cursor_position(r, t, &p)
       || (c = cursor_chunk(r, p.chunk)) == NULL
       || !make_tops(r, thread, p.chunk, c))
      return false;
   *top = r->tops.tops[p.step];
   s    = &c->steps.steps[p.step];
   if (p.place > 0 && p.step < c->steps.n_steps && s->sb != 0
       && s->thread == thread)
      *top = behind_instrs(r, c, s, p.place, (uint8_t)*top);
   return *top != NO_TOP;
}
