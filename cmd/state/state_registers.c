/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers of a recorded program at any time. */

/* Owns: registers of a thread, which of their bytes are known, the cache of
   computed values, the view of an instance that the processor's rules get.
   Handed: writers of registers, and instances, by the library; rules of the
   processor.

   The library finds the last writer of a register.  The register's value is in
   the writer's recorded value, or the processor's rules compute it from the
   writer's inputs.  Rules see an instance as a StateView, and ask for registers
   and memory just before the instance.  So one register asks for another, and
   that for a third: the recursion ends at a recorded value, or at depth
   MOST_DEPTH with nothing known.  A cache keeps what instances put into
   registers, because neighbouring times ask for the same writers.

   If the trace has no writer, the next instruction that uses the register as
   the base of an address tells its value.

   The index tells writers without decoding the trace, and can be wrong.  So a
   value from such a writer is compared: the next instructions that store the
   register, or form an address from it, must agree.  If they do not, no writer
   is taken from the index any more.

   Three kinds of registers have other searches, which their sections explain:
   flags, which have groups; registers that few instructions write; x87's stack
   with its tags. */

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"
#include "cmd/program/recording.h"
#include "cmd/state/program_state.h"
#include "cmd/state/state_rules.h"

#include <stdlib.h>
#include <string.h>

/* The greatest depth of the recursion that computes a register from others. */
#define MOST_DEPTH 64

static const StateValue nothing = { .known = 0 };

/*--- Instances                                            ---*/

/* Instance: an instance, with copies of its accesses and value, which the
   library overwrites at its next call. */
typedef
   struct {
      ProgramState*    s;
      DcfgWetInstr     in;
      DcfgCursorInstr  at;
      DcfgCursorAccess accesses[64];
      uint8_t          value[1024];
   }
   Instance;

/* Return what the processor's rules get of I, which must outlive it. */
static StateView view_of(const Instance* i)
{
   return (StateView){ &i->in, &i->at, i->s };
}

/* Set *I to the instance at time T.  Return false if there is none. */
static bool get_instance(ProgramState* state, uint64_t t, Instance* i)
{
   const DcfgCursorInstr* at = dcfg_cursor_instr(state->cursor, t);

   if (at == NULL)
      return false;
   i->s  = state;
   i->at = *at;
   i->in = *dcfg_wet_instr(state->w, at->instr);
   if (i->at.n_accesses > 64)
      i->at.n_accesses = 64;
   if (i->at.value_size > sizeof(i->value))
      i->at.value_size = 0;
   memcpy(i->accesses, at->accesses,
          i->at.n_accesses * sizeof(*i->accesses));
   memcpy(i->value, at->value, i->at.value_size);
   i->at.accesses = i->accesses;
   i->at.value    = i->value;
   return true;
}

/* Set *I to THREAD's first instance from time *T on, and *T to its time.
   Return false if there is none. */
static bool next_instance(ProgramState* state, uint32_t thread, uint64_t* t,
                          Instance* i)
{
   return dcfg_cursor_find_thread(state->cursor, thread, *t, false, t)
             == DCFG_CURSOR_FOUND
          && get_instance(state, *t, i);
}

/* Return whether I stores: then its recorded value is what it stores. */
static bool does_store(const Instance* i)
{
   for (uint32_t k = 0; k < i->at.n_accesses; k++)
      if (i->at.accesses[k].kind & DCFG_CURSOR_STORE)
         return true;
   return false;
}

/*--- The cache of computed values                         ---*/

/* Return the cache's entry for time T and register N, which others share. */
static MadeValue* made_value(const ProgramState* state, uint64_t t, unsigned n)
{
   return &state->made[(t * 31 + n * 0x9E5u) % N_MADE];
}

/* Set *V to the value that the instance at time T put into register N, numbered
   as in MadeValue.  Return false if the cache does not have it. */
static bool is_made(const ProgramState* state, uint64_t t, unsigned n,
                    StateValue* v)
{
   const MadeValue* m = made_value(state, t, n);

   if (m->time != t + 1 || m->n != n)
      return false;
   *v = m->value;
   return true;
}

/* Enter that value into the cache. */
static void keep_made(ProgramState* state, uint64_t t, unsigned n,
                      const StateValue* v)
{
   *made_value(state, t, n) = (MadeValue){ t + 1, n, *v };
}

/* Take no more writers from the index, and forget what is computed. */
static void doubt(ProgramState* state)
{
   state->doubts = true;
   dcfg_cursor_doubt(state->cursor);
   memset(state->made, 0, N_MADE * sizeof(*state->made));
   memset(state->others, 0, sizeof(state->others));
   state->x87.there = false;
   for (uint32_t k = 0; k < state->n_threads; k++)
      memset(state->threads[k].general, 0, sizeof(state->threads[k].general));
}

/*--- Registers that addresses tell                        ---*/

/* If N is the only register in the address of operand M, set *VALUE to N's
   value when that address is ADDR, and return true. */
static bool operand_tells(const MemoryOperand* m, uint64_t addr, unsigned n,
                          uint64_t* value)
{
   if (m->fixed || m->segment || m->base != n || m->index != NO_REGISTER)
      return false;
   *value = addr - (uint64_t)m->disp;
   return true;
}

/* If an address that instance I used tells general register N, set *VALUE to
   the register before I, and return true. */
static bool address_tells(const Instance* i, unsigned n, uint64_t* value)
{
   InstrEffect e;
   uint32_t    store = UINT32_MAX, load = UINT32_MAX;

   if (!instr_effect(&i->in, &e))
      return false;
   for (uint32_t k = i->at.n_accesses; k-- > 0; ) {
      if (i->at.accesses[k].kind & DCFG_CURSOR_STORE)
         store = k;
      if (i->at.accesses[k].kind & DCFG_CURSOR_LOAD)
         load = k;
   }
   if (e.on_stack && n == i->s->processor->stack && e.n_memory == 0) {
      if (store != UINT32_MAX)
         *value = i->at.accesses[store].addr + i->at.accesses[store].size;
      else if (load != UINT32_MAX)
         *value = i->at.accesses[load].addr;
      else
         return false;
      return true;
   }
   return !e.on_stack && e.n_memory == 1 && i->at.n_accesses > 0
          && i->at.accesses[0].size == e.memory[0].size
          && operand_tells(&e.memory[0], i->at.accesses[0].addr, n, value);
}

/*--- Whether a register agrees with its uses              ---*/

/* Number of instructions whose uses are compared. */
#define MOST_COMPARED 64

/* Return whether instance I stores register N, unchanged, and nothing else.  N is
   numbered as in MadeValue.  A store of one byte may be of the second byte. */
static bool stores_it(const Instance* i, unsigned n)
{
   const Roles* r = &i->s->roles;
   uint32_t     k = i->at.instr, others = r->addresses[k] | r->moved[k];
   bool         it = false;

   if (!r->copies[k] || i->in.loads || i->at.n_accesses != 1
       || i->at.accesses[0].size != i->at.value_size || i->at.value_size < 2)
      return false;
   for (uint32_t u = 0; u < i->in.n_uses; u++) {
      const DcfgWetRegisterId* is = &i->in.uses[u];
      bool general = is->kind == DCFG_WET_GENERAL;
      if (general && (others >> is->reg & 1))
         continue;
      if ((general ? is->reg : MAX_GENERAL + is->reg) != n
          || (!general && is->kind != DCFG_WET_VECTOR))
         return false;
      it = true;
   }
   return it;
}

static bool writes_it(const Instance* i, unsigned n)
{
   for (uint32_t d = 0; d < i->in.n_defines; d++) {
      const DcfgWetRegisterId* is = &i->in.defines[d];
      if ((is->kind == DCFG_WET_GENERAL && is->reg == n)
          || (is->kind == DCFG_WET_VECTOR && MAX_GENERAL + is->reg == n))
         return true;
   }
   return false;
}

/* Return whether the first SIZE bytes at BYTES are those of V that are known. */
static bool are_bytes(const StateValue* v, const uint8_t* bytes, uint32_t size)
{
   for (uint32_t k = 0; k < size && k < sizeof(v->bytes); k++)
      if ((v->known >> k & 1) && v->bytes[k] != bytes[k])
         return false;
   return true;
}

/* Return whether the instructions of THREAD from time T on use register N,
   numbered as in MadeValue, with value V.  Only the next few instructions are
   looked at, up to the first that uses or writes it. */
static bool agrees_with_uses(ProgramState* state, uint32_t thread, uint64_t t,
                             unsigned n, const StateValue* v)
{
   uint32_t word = state->word == 0xFF ? 8 : 4;
   uint64_t address;
   Instance i;

   for (unsigned k = 0; k < MOST_COMPARED; k++, t++) {
      if (!next_instance(state, thread, &t, &i))
         return true;
      if (stores_it(&i, n))
         return are_bytes(v, i.value, i.at.value_size);
      if (n < MAX_GENERAL && address_tells(&i, n, &address))
         return are_bytes(v, (const uint8_t*)&address, word);
      if (writes_it(&i, n))
         return true;
   }
   return true;
}

/* Number of instructions in which told_later() looks for an address. */
#define FARTHEST 400

/*--- The recorded value of a writer                       ---*/

static unsigned count(uint8_t bytes)
{
   return (unsigned)__builtin_popcount(bytes);
}

/* Return the bytes of general register N that the instance writes, a bit for
   each. */
static uint8_t general_bytes(const Instance* i, unsigned n)
{
   return dcfg_cursor_written(i->s->cursor, i->at.instr, DCFG_CURSOR_GENERAL,
                              n);
}

static bool writes_vector(const Instance* i, unsigned n)
{
   unsigned size = i->s->rules->vector_parts;

   for (unsigned k = 0; k < size; k++)
      if (dcfg_cursor_written(i->s->cursor, i->at.instr, DCFG_CURSOR_VECTOR,
                              size * n + k) != 0)
         return true;
   return false;
}

static bool clears_vector(const Instance* i, unsigned n)
{
   return i->s->rules->cleared != NULL
          && (i->s->rules->cleared(&i->in) >> n & 1) != 0;
}

/* Return whether the recorded value has vector register N. */
static bool in_value(const Instance* i, unsigned n)
{
   return writes_vector(i, n) && !clears_vector(i, n);
}

/* Layout: the order of registers in a recorded value: all general registers
   that the instance writes, but perhaps some; then its vector registers, all of
   one size; then perhaps those of x87. */
typedef
   struct {
      uint32_t left_out;        // general registers that are missing, a bit for
                                // each
      unsigned vector_size;     // bytes
   }
   Layout;

/* Return the bytes of general register N in a recorded value of layout L, a bit
   for each. */
static uint8_t bytes_in_value(const Instance* i, const Layout* l, unsigned n)
{
   return l->left_out >> n & 1 ? 0 : general_bytes(i, n);
}

/* Set *L to the layout that has the size of the recorded value.  Return false
   if none has. */
static bool find_layout(const Instance* i, Layout* l)
{
   const StateRules* rules = i->s->rules;
   uint32_t          besides = rules->besides(&i->in);
   unsigned          n_vectors = 0, tail = 0;

   for (unsigned n = 0; n < rules->n_vectors; n++)
      n_vectors += in_value(i, n);
   for (unsigned n = 0; n < 8; n++)
      tail += count(dcfg_cursor_written(i->s->cursor, i->at.instr,
                                        DCFG_CURSOR_X87, n));
   for (unsigned some = 0; some < 2; some++) {
      unsigned size = 0;
      l->left_out = some ? besides : 0;
      for (unsigned n = 0; n < MAX_GENERAL; n++)
         size += count(bytes_in_value(i, l, n));
      for (l->vector_size = 16; l->vector_size <= 8 * rules->vector_parts;
           l->vector_size += 16)
         if (size + n_vectors * l->vector_size == i->at.value_size
             || size + n_vectors * l->vector_size + tail
                == i->at.value_size)
            return true;
   }
   return false;
}

static StateValue general_in_value(const Instance* i, unsigned wanted)
{
   StateValue v = nothing;
   Layout     l;
   unsigned   at = 0;

   if (!find_layout(i, &l))
      return nothing;
   for (unsigned n = 0; n <= wanted; n++) {
      uint8_t bytes = bytes_in_value(i, &l, n);
      for (unsigned k = 0; k < 8; k++) {
         if (!(bytes >> k & 1))
            continue;
         if (n == wanted) {
            v.bytes[k] = i->value[at];
            v.known   |= 1u << k;
         }
         at++;
      }
   }
   return v;
}

/* Return vector register WANTED as the recorded value has it; if the instance
   also stores, the value is the stored bytes, and has no register. */
static StateValue vector_in_value(const Instance* i, unsigned wanted)
{
   StateValue v = nothing;
   Layout     l;
   unsigned   at = 0;

   if (clears_vector(i, wanted))
      return (StateValue){ .known = UINT32_MAX };
   if (does_store(i) || !find_layout(i, &l))
      return nothing;
   for (unsigned n = 0; n < MAX_GENERAL; n++)
      at += count(bytes_in_value(i, &l, n));
   for (unsigned n = 0; n < wanted; n++)
      if (in_value(i, n))
         at += l.vector_size;
   memcpy(v.bytes, i->value + at, l.vector_size);
   v.known = l.vector_size == 32 ? UINT32_MAX : 0xFFFF;
   return v;
}

/*--- General registers                                    ---*/

/* Return general register N of THREAD at time T, from the next address that it
   forms before anybody writes it. */
static StateValue told_later(ProgramState* state, uint32_t thread, uint64_t t,
                             unsigned n)
{
   uint64_t value;
   Instance i;

   for (unsigned k = 0; k < FARTHEST; k++, t++) {
      if (!next_instance(state, thread, &t, &i))
         return nothing;
      if (address_tells(&i, n, &value))
         return state_number(value);
      if (general_bytes(&i, n) != 0)
         return nothing;
   }
   return nothing;
}

/* Return general register N, which the instance at time T writes. */
static StateValue behind_instance(ProgramState* state, uint64_t t, unsigned n)
{
   Instance   i;
   StateView  v;
   StateValue to;

   if (is_made(state, t, n, &to))
      return to;
   if (state->depth >= MOST_DEPTH || !get_instance(state, t, &i))
      return nothing;
   v = view_of(&i);
   state->depth++;
   if (!state->rules->general_behind(&v, n, &to))
      to = general_in_value(&i, n);
   state->depth--;
   if ((to.known & state->word) == state->word)
      keep_made(state, t, n, &to);
   return to;
}

/* Return general register N of a new thread, which thread BY->thread
   created. */
static StateValue of_creator(ProgramState* state, const DcfgCursorWriter* by,
                             unsigned n)
{
   const Processor* p = state->processor;

   /* The system call returns 0 in the new thread. */
   if (n == 0)
      return (StateValue){ .known = 0xFF };
   if (n == p->stack) {
      if (by->stack == DCFG_CURSOR_STACK_UNKNOWN)
         return nothing;
      if (by->stack == DCFG_CURSOR_STACK_ARGUMENT)
         n = p->arguments[1];
   }
   return state_general(state, by->thread, by->time + 1, n);
}

/* Copy to *V the known bytes of MORE whose bits are in BYTES. */
static void add_bytes(StateValue* v, const StateValue* more, uint32_t bytes)
{
   for (unsigned k = 0; k < sizeof(v->bytes); k++)
      if ((bytes & more->known) >> k & 1) {
         v->bytes[k] = more->bytes[k];
         v->known   |= UINT32_C(1) << k;
      }
}

static StateValue of_kernel(const DcfgCursorWriter* by)
{
   StateValue v = { .known = by->bytes };

   memcpy(v.bytes, by->value, 8);
   return v;
}

/* Return general register N of THREAD at time T, from the writers of each of
   its bytes.  Set *FROM to the first time since which the register has that
   value, and *INDEXED to whether the index told a writer. */
static StateValue find_general(ProgramState* state, uint32_t thread, uint64_t t,
                               unsigned n, uint64_t* from, bool* indexed)
{
   StateValue v = nothing;
   uint8_t    wanted = 0xFF;
   uint64_t   at = t;
   bool       first = true;

   *from    = 0;
   *indexed = false;
   while ((wanted & state->word) != 0) {
      DcfgCursorWriter by;
      DcfgCursorFound  found = dcfg_cursor_writer(state->cursor, thread, at,
                                                  DCFG_CURSOR_GENERAL, n,
                                                  wanted, &by);
      StateValue       more;
      if (found == DCFG_CURSOR_FAILED)
         return v;
      if (found == DCFG_CURSOR_FOUND && by.by == DCFG_CURSOR_BY_KERNEL)
         more = of_kernel(&by);
      else if (found == DCFG_CURSOR_FOUND && by.by == DCFG_CURSOR_BY_INSTR)
         more = behind_instance(state, by.time, n);
      else if (found == DCFG_CURSOR_FOUND
               && by.by == DCFG_CURSOR_BY_CREATOR)
         more = of_creator(state, &by, n);
      else
         more = nothing;
      *indexed |= by.from_index;
      if (first)
         *from = by.since;
      first = false;
      if (found != DCFG_CURSOR_FOUND
          || (by.by != DCFG_CURSOR_BY_INSTR
              && by.by != DCFG_CURSOR_BY_KERNEL))
         by.bytes = wanted;
      add_bytes(&v, &more, by.bytes);
      wanted &= (uint8_t)~by.bytes;
      at      = by.time;
      /* One writer wrote all bytes, and its value is not known. */
      if (v.known == 0 && (wanted & state->word) == 0)
         v = told_later(state, thread, t, n);
   }
   return v;
}

StateValue state_general(ProgramState* state, uint32_t thread, uint64_t t,
                         unsigned n)
{
   KeptRegister* k = &state->threads[thread].general[n];
   uint64_t      from;
   StateValue    v;
   bool          indexed;

   if (k->there && t >= k->from && t <= k->to)
      return k->value;
   v = find_general(state, thread, t, n, &from, &indexed);
   /* A step later the same writer has been compared already. */
   if (indexed && state->depth < 2
       && !(k->there && k->from == from && t > k->to)
       && !agrees_with_uses(state, thread, t, n, &v)) {
      doubt(state);
      v = find_general(state, thread, t, n, &from, &indexed);
   }
   /* A value that find_general() has kept meanwhile may hold for more times. */
   if (k->there && k->from == from && k->to > t)
      return k->value;
   if (state->depth == 0)
      *k = (KeptRegister){ true, from, t, v };
   return v;
}

/*--- Vector registers and flags                           ---*/

/* Return vector register N of THREAD at time T.  Set *INDEXED as
   find_general() does. */
static StateValue find_vector(ProgramState* state, uint32_t thread, uint64_t t,
                              unsigned n, bool* indexed)
{
   StateValue v = nothing;
   unsigned   parts = state->rules->vector_parts;

   *indexed = false;
   if (state->depth >= MOST_DEPTH)
      return v;
   for (unsigned part = 0; part < parts; part++) {
      uint8_t  wanted = 0xFF;
      uint64_t at = t;
      uint32_t by_thread = thread;
      while (wanted != 0) {
         DcfgCursorWriter by;
         StateValue       more;
         Instance         i;
         if (dcfg_cursor_writer(state->cursor, by_thread, at,
                                DCFG_CURSOR_VECTOR,
                                parts * n + part, wanted, &by)
                != DCFG_CURSOR_FOUND
             || by.by == DCFG_CURSOR_BY_SIGNAL)
            break;
         *indexed |= by.from_index;
         if (by.by == DCFG_CURSOR_BY_CREATOR) {
            by_thread = by.thread;
            at        = by.time + 1;
            continue;
         }
         if (by.by == DCFG_CURSOR_BY_KERNEL) {
            memset(&more, 0, sizeof(more));
            memcpy(more.bytes + 8 * part, by.value, 8);
            more.known = (uint32_t)by.bytes << 8 * part;
         } else if (!is_made(state, by.time, MAX_GENERAL + n, &more)) {
            if (!get_instance(state, by.time, &i))
               break;
            more = vector_in_value(&i, n);
            keep_made(state, by.time, MAX_GENERAL + n, &more);
         }
         add_bytes(&v, &more, (uint32_t)by.bytes << 8 * part);
         wanted &= (uint8_t)~by.bytes;
         at      = by.time;
      }
   }
   return v;
}

/* Return vector register N of THREAD at time T. */
static StateValue vector_at(ProgramState* state, uint32_t thread, uint64_t t,
                            unsigned n)
{
   bool       indexed;
   StateValue v = find_vector(state, thread, t, n, &indexed);

   if (indexed && state->depth < 2
       && !agrees_with_uses(state, thread, t, MAX_GENERAL + n, &v)) {
      doubt(state);
      v = find_vector(state, thread, t, n, &indexed);
   }
   return v;
}

/* Return whether an instruction between times FROM and T of THREAD has cleared
   group 1 of the flags, though the trace has that group unchanged. */
static bool clears_flags(ProgramState* state, uint32_t thread, uint64_t t,
                         uint64_t from)
{
   DcfgCursorWriter by;
   Instance         i;

   while (state->rules->clears_flags != NULL
          && dcfg_cursor_writer(state->cursor, thread, t, DCFG_CURSOR_FLAGS, 0,
                                0xFF, &by) == DCFG_CURSOR_FOUND
          && by.by == DCFG_CURSOR_BY_INSTR && by.time > from
          && get_instance(state, by.time, &i)) {
      if (state->rules->clears_flags(&i.in))
         return true;
      t = by.time;
   }
   return false;
}

/* Set *BITS to the flags of GROUP of THREAD at time T, at their places in the
   register.  Return false if they are not known. */
static bool flags_at(ProgramState* state, uint32_t thread, uint64_t t,
                     unsigned group, uint64_t* bits)
{
   DcfgCursorWriter by;
   Instance         i;
   StateView        v;
   StateValue       kept = nothing;
   bool             ok;

   *bits = 0;
   switch (dcfg_cursor_writer(state->cursor, thread, t, DCFG_CURSOR_FLAGS,
                              group, 0xFF, &by)) {
      case DCFG_CURSOR_NONE:
         /* Group 2 is the direction flag, which is 0 when a program begins. */
         return group == 2 && !wet_begins_late(state->w);
      case DCFG_CURSOR_FOUND:
         break;
      default:
         return false;
   }
   if (group == 1 && clears_flags(state, thread, t, by.time))
      return true;
   if (by.by == DCFG_CURSOR_BY_KERNEL) {
      memcpy(bits, by.value, sizeof(*bits));
      *bits &= state->rules->groups[group];
      return true;
   }
   if (by.by == DCFG_CURSOR_BY_SIGNAL || state->depth >= MOST_DEPTH)
      return false;
   if (by.by == DCFG_CURSOR_BY_INSTR
       && is_made(state, by.time, 2 * MAX_GENERAL + group, &kept)) {
      memcpy(bits, kept.bytes, sizeof(*bits));
      return true;
   }
   state->depth++;
   if (by.by == DCFG_CURSOR_BY_CREATOR) {
      ok = flags_at(state, by.thread, by.time + 1, group, bits);
   } else {
      ok = get_instance(state, by.time, &i);
      v  = view_of(&i);
      ok = ok && state->rules->flags_behind(&v, group, bits);
      memcpy(kept.bytes, bits, sizeof(*bits));
      if (ok)
         keep_made(state, by.time, 2 * MAX_GENERAL + group, &kept);
   }
   state->depth--;
   return ok;
}

/*--- Registers that few instructions write                ---*/

/* These are control words, bases and selectors.  The trace tells them at its
   begin, before a thread's first instruction, and when a handler begins or has
   returned.  The library has no writers of them.  So the last instruction since
   then that may write the register is looked for. */

/* The greatest number of instances that a search looks at. */
#define MOST_INSTANCES 4096u

/* Number of instructions before a system call in which its number is looked
   for. */
#define REACH 8u

/* Return whether instruction N is a system call that sets no base: the code
   before it, without a jump, puts the number of another one into its
   register. */
static bool is_other_call(const ProgramState* state, uint32_t n)
{
   unsigned     number = state->processor->call_number;
   uint64_t     end = state->addrs[n];
   DcfgWetInstr in;

   if (dcfg_wet_instr(state->w, n)->transfer != DCFG_WET_SYSCALL)
      return false;
   for (uint32_t k = n; k > 0 && n - k < REACH; ) {
      in = *dcfg_wet_instr(state->w, --k);
      if (in.addr + in.size != end || in.transfer != DCFG_WET_FALLS)
         return false;
      if (dcfg_cursor_written(state->cursor, k, DCFG_CURSOR_GENERAL, number)
          != 0)
         return constant_number(&in) != UINT32_MAX
                && constant_number(&in) != state->rules->base_call;
      end = in.addr;
   }
   return false;
}

/* Find which registers each instruction may write: of all at once, because that
   takes decoding. */
static void find_writes(ProgramState* state)
{
   uint32_t n = dcfg_wet_instrs(state->w);

   state->may_write = zalloc(n + (size_t)1, sizeof(*state->may_write));
   for (uint32_t i = 0; i < n && state->rules->others != NULL; i++) {
      uint32_t all = state->rules->others(dcfg_wet_instr(state->w, i));
      if (all != 0 && !is_other_call(state, i))
         state->may_write[i] = all;
   }
}

/* Return the set of instructions that may write OTHER; NULL if memory is
   short. */
static DcfgCursorSet* writers_of(ProgramState* state, StateOther other)
{
   uint32_t  n = dcfg_wet_instrs(state->w), k = 0;
   uint32_t* instrs;

   if (state->writers[other] != NULL)
      return state->writers[other];
   if (state->may_write == NULL)
      find_writes(state);
   instrs = zalloc(n + (size_t)1, sizeof(*instrs));
   for (uint32_t i = 0; i < n; i++)
      if (state->may_write[i] >> other & 1)
         instrs[k++] = i;
   state->writers[other] = dcfg_cursor_set_new(state->cursor, instrs, k);
   free(instrs);
   return state->writers[other];
}

/* Set *U to the last time before T, from FROM on, at which THREAD executes an
   instruction that may write OTHER.  Return false if there is none; set
   *GIVEN_UP if the search was too long. */
static bool last_other_writer(ProgramState* state, StateOther other,
                              uint32_t thread, uint64_t t, uint64_t from,
                              uint64_t* u, bool* given_up)
{
   DcfgCursorSet*  set = writers_of(state, other);
   DcfgCursorFound found = set == NULL ? DCFG_CURSOR_FAILED
                           : dcfg_cursor_find_instr(state->cursor, set, thread,
                                                    t, true, u);

   *given_up |= found != DCFG_CURSOR_FOUND && found != DCFG_CURSOR_NONE;
   return found == DCFG_CURSOR_FOUND && *u >= from;
}

/* Return a time before which, from T on, no thread executes an instruction that
   may write OTHER. */
static uint64_t next_other_writer(ProgramState* state, StateOther other,
                                  uint64_t t)
{
   DcfgCursorSet* set = writers_of(state, other);
   uint64_t       u;

   if (set == NULL)
      return t;
   u = dcfg_cursor_set_pause(state->cursor, set, t);
   if (u > t)
      return u;
   switch (dcfg_cursor_find_instr(state->cursor, set, DCFG_NONE, t, false,
                                  &u)) {
      case DCFG_CURSOR_FOUND: return u;
      case DCFG_CURSOR_NONE:  return UINT64_MAX;
      default:                return t;
   }
}

/* Return the kind, as the trace has it, of OTHER; *REG is its number there. */
static DcfgWetRegisterKind kind_of(StateOther other, uint32_t* reg)
{
   *reg = 0;
   switch (other) {
      case OTHER_X87:            return DCFG_WET_REG_X87_TAGS;
      case OTHER_X87_CONTROL:    return DCFG_WET_REG_X87_CONTROL;
      case OTHER_VECTOR_CONTROL: return DCFG_WET_REG_VECTOR_CONTROL;
      case OTHER_VECTOR_STATUS:  return DCFG_WET_REG_VECTOR_STATUS;
      case OTHER_THREAD_BASE:    return DCFG_WET_REG_THREAD_BASE;
      case OTHER_GS_BASE:        return DCFG_WET_REG_GS_BASE;
      default:                   break;
   }
   *reg = (uint32_t)(other - OTHER_SEGMENT);
   return DCFG_WET_REG_SEGMENT;
}

/* Return OTHER behind its last writer between times FROM and T; what it is at
   FROM if nothing has written it.  Set *SINCE to the time since when it is. */
static StateValue find_other(ProgramState* state, uint32_t thread, uint64_t t,
                             StateOther other, uint64_t from,
                             StateValue at_from, uint64_t* since)
{
   uint64_t u = t;
   bool     given_up = false;

   for (unsigned k = 0; k < MOST_INSTANCES; k++) {
      Instance   i;
      StateView  v;
      StateValue to = nothing;
      if (!last_other_writer(state, other, thread, u, from, &u, &given_up)) {
         *since = given_up ? t : from;
         return given_up ? nothing : at_from;
      }
      if (!get_instance(state, u, &i))
         break;
      v = view_of(&i);
      if (state->rules->other_behind(&v, other, &to)) {
         *since = u + 1;
         return to;
      }
   }
   *since = t;
   return nothing;
}

/* Return register OTHER of THREAD at time T. */
static StateValue other_at(ProgramState* state, uint32_t thread, uint64_t t,
                           StateOther other)
{
   KeptOther*          k = &state->others[other];
   uint32_t            reg;
   DcfgWetRegisterKind kind = kind_of(other, &reg);
   DcfgCursorWriter    by;
   StateValue          v = nothing;
   uint64_t            from;

   if (dcfg_cursor_told(state->cursor, thread, t, kind, reg, &by)
       == DCFG_CURSOR_FOUND) {
      memcpy(v.bytes, by.value, 8);
      /* A selector has 2 bytes in the trace, and MXCSR 4. */
      v.known = 0xFF;
   }
   if (k->there && k->thread == thread && k->told == by.time && t >= k->from
       && t <= k->to)
      return k->value;
   if (state->depth >= MOST_DEPTH)
      return nothing;
   state->depth++;
   v = find_other(state, thread, t, other, by.time, v, &from);
   state->depth--;
   *k = (KeptOther){ true, thread, from, next_other_writer(state, other, t),
                     by.time, v };
   return v;
}

StateValue state_thread_base(ProgramState* state, uint32_t thread, uint64_t t)
{
   return other_at(state, thread, t, OTHER_THREAD_BASE);
}

/*--- x87: the effect of an instance                       ---*/

/* A search goes back over instances of x87's instructions until each register
   and each tag has been written or told.  It gives up after MOST_STEPS
   instances; the rest is not known. */
#define MOST_STEPS 1024u

static uint8_t bit(unsigned n)
{
   return (uint8_t)(1u << (n & 7));
}

/* Return the registers that the instance writes, a bit for each: as MMX numbers
   them, or if STACK by their place from the top. */
static uint8_t written(const Instance* i, bool stack)
{
   uint8_t all = 0;

   for (unsigned n = 0; n < 8; n++)
      if (dcfg_cursor_written(i->s->cursor, i->at.instr,
                              stack ? DCFG_CURSOR_X87_STACK : DCFG_CURSOR_X87,
                              n) != 0)
         all |= bit(n);
   return all;
}

/* Set the values of E from the recorded value, which has all registers that are
   written, or nothing of them.  Those of the stack stand in the order from its
   new top. */
static void take_values(const Instance* i, uint8_t absolute, uint8_t stack,
                        X87Effect* e)
{
   unsigned n = (unsigned)__builtin_popcount(absolute)
                + (unsigned)__builtin_popcount(stack);
   bool     known = i->at.value_size == 8 * n && !does_store(i);
   uint32_t at = 0;

   for (unsigned k = 0; k < 16; k++) {
      unsigned p = k < 8 ? k : (e->new_top + k) & 7;
      if (!(k < 8 ? absolute & bit(p) : stack & bit(p - e->top)))
         continue;
      e->written  |= bit(p);
      e->values[p] = nothing;
      if (known) {
         memcpy(e->values[p].bytes, i->value + at, 8);
         e->values[p].known = 0xFF;
         at += 8;
      }
   }
}

/* Set E to the effect of instance I. */
static void find_effect(Instance* i, X87Effect* e)
{
   StateView v = view_of(i);
   unsigned  moved;

   *e = (X87Effect){ .top = 0 };
   if (!dcfg_cursor_x87_top(i->s->cursor, i->at.thread, i->at.time, &e->top)
       || !dcfg_cursor_x87_top(i->s->cursor, i->at.thread, i->at.time + 1,
                               &e->new_top)) {
      e->written = e->unclear = 0xFF;
      return;
   }
   take_values(i, written(i, false), written(i, true), e);
   moved = (e->new_top - e->top) & 7;
   if (moved == 7)
      e->full |= bit(e->new_top);
   else if (moved == 1 || moved == 2)
      e->empty |= bit(e->top) | (moved == 2 ? bit(e->top + 1) : 0);
   else if (moved != 0)
      e->unclear = 0xFF;
   e->full |= e->written & ~e->empty;
   i->s->rules->x87_behind(&v, e);
}

/*--- x87: registers and tags                              ---*/

/* Told: when the trace told a register last, and its value. */
typedef
   struct {
      bool       there;
      uint64_t   time;
      StateValue value;
   }
   Told;

static Told told(ProgramState* state, uint32_t thread, uint64_t t,
                 DcfgWetRegisterKind kind, uint32_t n)
{
   Told             to = { false, 0, nothing };
   DcfgCursorWriter by;

   if (dcfg_cursor_told(state->cursor, thread, t, kind, n, &by)
       != DCFG_CURSOR_FOUND)
      return to;
   to.there       = true;
   to.time        = by.time;
   to.value.known = 0xFF;
   memcpy(to.value.bytes, by.value, 8);
   return to;
}

/* Take from E, the effect of the instance at time U, what K lacks: registers in
   *LEFT, tags in *LEFT_TAGS. */
static void take_effect(const X87Effect* e, const Told* registers, uint64_t u,
                        KeptX87* k, uint8_t* left, uint8_t* left_tags)
{
   uint8_t tags = (e->full | e->empty | e->unclear) & *left_tags;

   for (unsigned p = 0; p < 8; p++) {
      if (!(*left & bit(p)))
         continue;
      if (registers[p].there && registers[p].time > u)
         k->values[p] = registers[p].value;
      else if (e->written & bit(p))
         k->values[p] = e->values[p];
      else
         continue;
      *left &= (uint8_t)~bit(p);
   }
   k->tags       |= e->full & tags;
   k->known_tags |= tags & ~e->unclear;
   *left_tags    &= (uint8_t)~tags;
}

/* Set *K to x87's registers and tags of THREAD at time T; TAGS is what the trace
   tells of the tags. */
static void find_x87(ProgramState* state, uint32_t thread, uint64_t t,
                     const Told* tags, KeptX87* k)
{
   Told      registers[8];
   uint8_t   left = 0xFF, left_tags = 0xFF;
   uint64_t  u = t;
   bool      given_up = false;
   Instance  i;
   X87Effect e;

   *k = (KeptX87){ true, thread, tags->time, t, tags->time, { nothing }, 0, 0 };
   for (unsigned p = 0; p < 8; p++)
      registers[p] = told(state, thread, t, DCFG_WET_REG_X87, p);
   for (unsigned n = 0; left != 0 || left_tags != 0; n++) {
      if (!last_other_writer(state, OTHER_X87, thread, u, tags->time, &u,
                             &given_up))
         break;
      if (n == 0)
         k->from = u + 1;
      if (n == MOST_STEPS || !get_instance(state, u, &i)) {
         given_up = true;
         break;
      }
      find_effect(&i, &e);
      take_effect(&e, registers, u, k, &left, &left_tags);
   }
   for (unsigned p = 0; p < 8 && !given_up; p++)
      if (left & bit(p))
         k->values[p] = registers[p].value;
   if (!given_up && tags->there) {
      k->tags       |= tags->value.bytes[0] & left_tags;
      k->known_tags |= left_tags;
   }
}

/* Return x87's registers and tags of THREAD at time T. */
static const KeptX87* x87_at(ProgramState* state, uint32_t thread, uint64_t t)
{
   Told    tags = told(state, thread, t, DCFG_WET_REG_X87_TAGS, 0);
   KeptX87 k;

   if (state->x87.there && state->x87.thread == thread
       && state->x87.told == tags.time
       && t >= state->x87.from && t <= state->x87.to)
      return &state->x87;
   state->depth++;
   find_x87(state, thread, t, &tags, &k);
   state->depth--;
   k.to   = next_other_writer(state, OTHER_X87, t);
   state->x87 = k;
   return &state->x87;
}

/* Return x87's register at place N from the top of the stack of THREAD at time
   T, in the 8 bytes that Valgrind computes with. */
static StateValue x87_register(ProgramState* state, uint32_t thread, uint64_t t,
                               unsigned n)
{
   unsigned top;

   return state->rules->x87_behind == NULL || state->depth >= MOST_DEPTH
          || !dcfg_cursor_x87_top(state->cursor, thread, t, &top) ? nothing
          : x87_at(state, thread, t)->values[(top + n) & 7];
}

/* Set *IN_USE to whether the register's tag says that it is in use.  Return
   false if the tag is not known. */
static bool x87_in_use(ProgramState* state, uint32_t thread, uint64_t t,
                       unsigned n, bool* in_use)
{
   const KeptX87* k;
   unsigned       top;

   if (state->rules->x87_behind == NULL || state->depth >= MOST_DEPTH
       || !dcfg_cursor_x87_top(state->cursor, thread, t, &top))
      return false;
   k       = x87_at(state, thread, t);
   *in_use = k->tags & bit(top + n);
   return k->known_tags & bit(top + n);
}

/* Return the word of tags. */
static StateValue x87_tags(ProgramState* state, uint32_t thread, uint64_t t)
{
   const KeptX87* k;
   uint32_t       word = 0;
   StateValue     v = { .known = 0xF };

   if (state->rules->x87_behind == NULL)
      return nothing;
   k = x87_at(state, thread, t);
   for (unsigned p = 0; p < 8; p++)
      word |= k->tags & bit(p) ? 0 : 3u << 2 * p;
   memcpy(v.bytes, &word, sizeof(word));
   return k->known_tags == 0xFF ? v : nothing;
}

/*--- x87: status                                          ---*/

/* Set *BITS to the condition codes, at their places in the status word.  Return
   false if they are not known. */
static bool x87_codes(ProgramState* state, uint32_t thread, uint64_t t,
                      uint64_t* bits)
{
   Told             status = told(state, thread, t, DCFG_WET_REG_X87_STATUS, 0);
   DcfgCursorWriter by;
   DcfgCursorFound  found = dcfg_cursor_writer(state->cursor, thread, t,
                                               DCFG_CURSOR_FLAGS,
                                               STATE_X87_CODES, 0xFF, &by);

   if (found == DCFG_CURSOR_FOUND && by.by == DCFG_CURSOR_BY_INSTR
       && by.time >= status.time)
      return flags_at(state, thread, t, STATE_X87_CODES, bits);
   *bits = (uint64_t)(status.value.bytes[1] & 0x47) << 8;
   return status.there && found != DCFG_CURSOR_FAILED;
}

/* Return the status word. */
static StateValue x87_status(ProgramState* state, uint32_t thread, uint64_t t)
{
   StateValue v = { .known = 0xF };
   uint64_t   codes;
   unsigned   top;
   uint32_t   word;

   if (state->rules->x87_behind == NULL
       || !dcfg_cursor_x87_top(state->cursor, thread, t, &top)
       || !x87_codes(state, thread, t, &codes))
      return nothing;
   word = (uint32_t)codes | top << 11;
   memcpy(v.bytes, &word, sizeof(word));
   return v;
}

/* Return the 80 bits that are V, 8 bytes of a double, in x87's form.  Valgrind
   makes one NaN of all quiet NaNs, and one of all signalling NaNs. */
static StateValue x87_extended(StateValue v)
{
   StateValue to = { .known = 0x3FF };
   uint64_t   d, mantissa, sign;
   uint32_t   exponent;

   if ((v.known & 0xFF) != 0xFF)
      return (StateValue){ .known = 0 };
   memcpy(&d, v.bytes, 8);
   sign     = d >> 63;
   exponent = (uint32_t)(d >> 52) & 0x7FF;
   mantissa = d << 11;
   if (exponent == 0x7FF) {
      exponent = 0x7FFF;
      if (d << 12 == 0)
         mantissa = UINT64_C(1) << 63;
      else if (d >> 51 & 1)
         mantissa = UINT64_C(3) << 62;
      else
         mantissa = UINT64_C(0xBFFFFFFFFFFFFFFF);
   } else if (exponent != 0) {
      mantissa |= UINT64_C(1) << 63;
      exponent += 16383 - 1023;
   } else if (mantissa != 0) {
      unsigned shift = (unsigned)__builtin_clzll(mantissa);
      mantissa <<= shift;
      exponent   = 16383 - 1022 - shift;
   }
   exponent |= (uint32_t)sign << 15;
   memcpy(to.bytes, &mantissa, 8);
   memcpy(to.bytes + 8, &exponent, 2);
   return to;
}

/*--- What the processor's rules ask for                   ---*/

StateValue general_before(const StateView* v, unsigned n)
{
   return state_general(v->s, v->at->thread, v->at->time, n);
}

StateValue vector_before(const StateView* v, unsigned n)
{
   return vector_at(v->s, v->at->thread, v->at->time, n);
}

StateValue memory_before(const StateView* v, uint64_t addr, uint32_t size)
{
   StateValue m = nothing;
   bool       known[sizeof(m.bytes)];

   if (size > sizeof(m.bytes)
       || !state_memory(v->s, v->at->time, addr, size, m.bytes, known))
      return nothing;
   for (uint32_t k = 0; k < size; k++)
      m.known |= (uint32_t)known[k] << k;
   return m;
}

bool flags_before(const StateView* v, unsigned group, uint64_t* bits)
{
   return group == STATE_X87_CODES
          ? x87_codes(v->s, v->at->thread, v->at->time, bits)
          : flags_at(v->s, v->at->thread, v->at->time, group, bits);
}

StateValue x87_before(const StateView* v, unsigned n)
{
   return x87_register(v->s, v->at->thread, v->at->time, n);
}

bool x87_used_before(const StateView* v, unsigned n, bool* in_use)
{
   return x87_in_use(v->s, v->at->thread, v->at->time, n, in_use);
}

const DcfgWetInstr* flags_writer_before(const StateView* v)
{
   const DcfgCursorInstr* at;
   DcfgCursorWriter       by;
   uint64_t               last = 0;

   for (uint32_t group = 0; group < 2; group++)
      if (dcfg_cursor_writer(v->s->cursor, v->at->thread, v->at->time,
                             DCFG_CURSOR_FLAGS, group, 0xFF, &by)
             == DCFG_CURSOR_FOUND
          && by.by == DCFG_CURSOR_BY_INSTR && by.time + 1 > last)
         last = by.time + 1;
   at = last == 0 ? NULL : dcfg_cursor_instr(v->s->cursor, last - 1);
   return at == NULL ? NULL : dcfg_wet_instr(v->s->w, at->instr);
}

bool call_result(const StateView* v, uint64_t* result)
{
   return dcfg_cursor_result(v->s->cursor, v->at->time, result)
          == DCFG_CURSOR_FOUND;
}

uint64_t iterations_before(const StateView* v, unsigned n, StateValue* before)
{
   uint64_t made = 0, t = v->at->time, earlier;

   while (dcfg_cursor_find_thread(v->s->cursor, v->at->thread, t, true,
                                  &earlier) == DCFG_CURSOR_FOUND) {
      const DcfgCursorInstr* at = dcfg_cursor_instr(v->s->cursor, earlier);
      if (at == NULL || at->instr != v->at->instr)
         break;
      /* An iteration without an access ended an earlier execution of the
         instruction. */
      if (at->n_accesses == 0)
         break;
      t = earlier;
      made++;
   }
   *before = state_general(v->s, v->at->thread, t, n);
   return made;
}

/*--- Rows of the processor's rules                        ---*/

static StateValue flags_value(ProgramState* state, uint32_t thread, uint64_t t)
{
   uint64_t all = state->rules->flags_fixed, bits;

   for (unsigned g = 0; g < state->rules->n_groups; g++) {
      if (!flags_at(state, thread, t, g, &bits))
         return nothing;
      all |= bits;
   }
   return state_number(all);
}

StateValue state_row(ProgramState* state, uint32_t thread, uint64_t t,
                     const StateRow* row)
{
   StateValue v = nothing;
   uint64_t   pc;

   switch (row->source) {
      case STATE_GENERAL:
         return state_general(state, thread, t, row->n);
      case STATE_PC:
         return state_pc(state, thread, t, &pc) ? state_number(pc) : nothing;
      case STATE_FLAGS:
         return flags_value(state, thread, t);
      case STATE_VECTOR: case STATE_VECTOR_HIGH:
         v = vector_at(state, thread, t, row->n);
         if (row->source == STATE_VECTOR_HIGH) {
            memmove(v.bytes, v.bytes + 16, 16);
            v.known >>= 16;
         }
         v.known &= 0xFFFF;
         return v;
      case STATE_X87:
         return x87_extended(x87_register(state, thread, t, row->n));
      case STATE_X87_STATUS:
         return x87_status(state, thread, t);
      case STATE_X87_TAGS:
         return x87_tags(state, thread, t);
      case STATE_OTHER:
         return other_at(state, thread, t, (StateOther)row->n);
      case STATE_NONE:
         break;
   }
   return nothing;
}
