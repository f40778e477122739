/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers of a recorded program at any time. */

/* Owns: registers of a thread, and which of their bytes are known.  Handed:
   their writers by the library; rules of the processor.

   The library finds the last writer of a register.  The register's value is in
   the writer's recorded value, or the processor's rules compute it from the
   writer's inputs.  If the trace has no writer, the next instruction that uses
   the register as the base of an address tells its value. */

#include "cmd/state/state_instance.h"

#include "cmd/base/cmd.h"

#include <string.h>

/* Number of instructions in which told_later() looks for an address. */
#define FARTHEST 400

/*--- The recorded value                                   ---*/

static unsigned count(uint8_t bytes)
{
   return (unsigned)__builtin_popcount(bytes);
}

/* Return the bytes of general register N that the instance writes, a bit for
   each. */
static uint8_t general_bytes(const Instance* i, unsigned n)
{
   return dcfg_replay_written(i->s->replay, i->at.instr, DCFG_REPLAY_GENERAL,
                              n);
}

static bool writes_vector(const Instance* i, unsigned n)
{
   unsigned size = i->s->rules->vector_parts;

   for (unsigned k = 0; k < size; k++)
      if (dcfg_replay_written(i->s->replay, i->at.instr, DCFG_REPLAY_VECTOR,
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
      tail += count(dcfg_replay_written(i->s->replay, i->at.instr,
                                        DCFG_REPLAY_X87, n));
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
   if (state_stores(i) || !find_layout(i, &l))
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
static StateValue told_later(ProgramState* s, uint32_t thread, uint64_t t,
                             unsigned n)
{
   uint64_t value;
   Instance i;

   for (unsigned k = 0; k < FARTHEST; k++, t++) {
      if (!state_next_instance(s, thread, &t, &i))
         return nothing;
      if (state_address_tells(&i, n, &value))
         return state_number(value);
      if (general_bytes(&i, n) != 0)
         return nothing;
   }
   return nothing;
}

/* Return general register N, which the instance at time T writes. */
static StateValue behind_instance(ProgramState* s, uint64_t t, unsigned n)
{
   Instance   i;
   StateView  v;
   StateValue to;

   if (state_is_made(s, t, n, &to))
      return to;
   if (s->depth >= MOST_DEPTH || !state_get_instance(s, t, &i))
      return nothing;
   v = state_view(&i);
   s->depth++;
   if (!s->rules->general_behind(&v, n, &to))
      to = general_in_value(&i, n);
   s->depth--;
   if ((to.known & s->word) == s->word)
      state_keep_made(s, t, n, &to);
   return to;
}

/* Return general register N of a new thread, which thread BY->thread
   created. */
static StateValue of_creator(ProgramState* s, const DcfgReplayWriter* by,
                             unsigned n)
{
   const Processor* p = s->processor;

   /* The system call returns 0 in the new thread. */
   if (n == 0)
      return (StateValue){ .known = 0xFF };
   if (n == p->stack) {
      if (by->stack == DCFG_REPLAY_STACK_UNKNOWN)
         return nothing;
      if (by->stack == DCFG_REPLAY_STACK_ARGUMENT)
         n = p->arguments[1];
   }
   return state_general(s, by->thread, by->time + 1, n);
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

static StateValue of_kernel(const DcfgReplayWriter* by)
{
   StateValue v = { .known = by->bytes };

   memcpy(v.bytes, by->value, 8);
   return v;
}

/* Return general register N of THREAD at time T, from the writers of each of
   its bytes.  Set *FROM to the first time since which the register has that
   value, and *INDEXED to whether the index told a writer. */
static StateValue find_general(ProgramState* s, uint32_t thread, uint64_t t,
                               unsigned n, uint64_t* from, bool* indexed)
{
   StateValue v = nothing;
   uint8_t    wanted = 0xFF;
   uint64_t   at = t;
   bool       first = true;

   *from    = 0;
   *indexed = false;
   while ((wanted & s->word) != 0) {
      DcfgReplayWriter by;
      DcfgReplayFound  found = dcfg_replay_writer(s->replay, thread, at,
                                                  DCFG_REPLAY_GENERAL, n,
                                                  wanted, &by);
      StateValue       more;
      if (found == DCFG_REPLAY_FAILED)
         return v;
      if (found == DCFG_REPLAY_FOUND && by.by == DCFG_REPLAY_BY_KERNEL)
         more = of_kernel(&by);
      else if (found == DCFG_REPLAY_FOUND && by.by == DCFG_REPLAY_BY_INSTR)
         more = behind_instance(s, by.time, n);
      else if (found == DCFG_REPLAY_FOUND
               && by.by == DCFG_REPLAY_BY_CREATOR)
         more = of_creator(s, &by, n);
      else
         more = nothing;
      *indexed |= by.from_index;
      if (first)
         *from = by.since;
      first = false;
      if (found != DCFG_REPLAY_FOUND
          || (by.by != DCFG_REPLAY_BY_INSTR
              && by.by != DCFG_REPLAY_BY_KERNEL))
         by.bytes = wanted;
      add_bytes(&v, &more, by.bytes);
      wanted &= (uint8_t)~by.bytes;
      at      = by.time;
      /* One writer wrote all bytes, and its value is not known. */
      if (v.known == 0 && (wanted & s->word) == 0)
         v = told_later(s, thread, t, n);
   }
   return v;
}

StateValue state_general(ProgramState* s, uint32_t thread, uint64_t t,
                         unsigned n)
{
   KeptRegister* k = &s->threads[thread].general[n];
   uint64_t      from;
   StateValue    v;
   bool          indexed;

   if (k->there && t >= k->from && t <= k->to)
      return k->value;
   v = find_general(s, thread, t, n, &from, &indexed);
   /* A step later the same writer has been compared already. */
   if (indexed && s->depth < 2 && !(k->there && k->from == from && t > k->to)
       && !state_agrees(s, thread, t, n, &v)) {
      state_doubt(s);
      v = find_general(s, thread, t, n, &from, &indexed);
   }
   /* A value that find_general() has kept meanwhile may hold for more times. */
   if (k->there && k->from == from && k->to > t)
      return k->value;
   if (s->depth == 0)
      *k = (KeptRegister){ true, from, t, v };
   return v;
}

/*--- Other registers                                      ---*/

/* Return vector register N of THREAD at time T.  Set *INDEXED as
   find_general() does. */
static StateValue find_vector(ProgramState* s, uint32_t thread, uint64_t t,
                              unsigned n, bool* indexed)
{
   StateValue v = nothing;
   unsigned   parts = s->rules->vector_parts;

   *indexed = false;
   if (s->depth >= MOST_DEPTH)
      return v;
   for (unsigned part = 0; part < parts; part++) {
      uint8_t  wanted = 0xFF;
      uint64_t at = t;
      uint32_t by_thread = thread;
      while (wanted != 0) {
         DcfgReplayWriter by;
         StateValue       more;
         Instance         i;
         if (dcfg_replay_writer(s->replay, by_thread, at, DCFG_REPLAY_VECTOR,
                                parts * n + part, wanted, &by)
                != DCFG_REPLAY_FOUND
             || by.by == DCFG_REPLAY_BY_SIGNAL)
            break;
         *indexed |= by.from_index;
         if (by.by == DCFG_REPLAY_BY_CREATOR) {
            by_thread = by.thread;
            at        = by.time + 1;
            continue;
         }
         if (by.by == DCFG_REPLAY_BY_KERNEL) {
            memset(&more, 0, sizeof(more));
            memcpy(more.bytes + 8 * part, by.value, 8);
            more.known = (uint32_t)by.bytes << 8 * part;
         } else if (!state_is_made(s, by.time, MAX_GENERAL + n, &more)) {
            if (!state_get_instance(s, by.time, &i))
               break;
            more = vector_in_value(&i, n);
            state_keep_made(s, by.time, MAX_GENERAL + n, &more);
         }
         add_bytes(&v, &more, (uint32_t)by.bytes << 8 * part);
         wanted &= (uint8_t)~by.bytes;
         at      = by.time;
      }
   }
   return v;
}

StateValue state_vector(ProgramState* s, uint32_t thread, uint64_t t, unsigned n)
{
   bool       indexed;
   StateValue v = find_vector(s, thread, t, n, &indexed);

   if (indexed && s->depth < 2
       && !state_agrees(s, thread, t, MAX_GENERAL + n, &v)) {
      state_doubt(s);
      v = find_vector(s, thread, t, n, &indexed);
   }
   return v;
}

/* Return whether an instruction between times FROM and T of THREAD has cleared
   group 1 of the flags, though the trace has that group unchanged. */
static bool clears_flags(ProgramState* s, uint32_t thread, uint64_t t,
                         uint64_t from)
{
   DcfgReplayWriter by;
   Instance         i;

   while (s->rules->clears_flags != NULL
          && dcfg_replay_writer(s->replay, thread, t, DCFG_REPLAY_FLAGS, 0,
                                0xFF, &by) == DCFG_REPLAY_FOUND
          && by.by == DCFG_REPLAY_BY_INSTR && by.time > from
          && state_get_instance(s, by.time, &i)) {
      if (s->rules->clears_flags(&i.in))
         return true;
      t = by.time;
   }
   return false;
}

bool state_flags(ProgramState* s, uint32_t thread, uint64_t t, unsigned group,
                 uint64_t* bits)
{
   DcfgReplayWriter by;
   Instance         i;
   StateView        v;
   StateValue       kept = nothing;
   bool             ok;

   *bits = 0;
   switch (dcfg_replay_writer(s->replay, thread, t, DCFG_REPLAY_FLAGS, group,
                              0xFF, &by)) {
      case DCFG_REPLAY_NONE:
         /* Group 2 is the direction flag, which is 0 when a program begins. */
         return group == 2 && !dcfg_wet_is_window(s->w);
      case DCFG_REPLAY_FOUND:
         break;
      default:
         return false;
   }
   if (group == 1 && clears_flags(s, thread, t, by.time))
      return true;
   if (by.by == DCFG_REPLAY_BY_KERNEL) {
      memcpy(bits, by.value, sizeof(*bits));
      *bits &= s->rules->groups[group];
      return true;
   }
   if (by.by == DCFG_REPLAY_BY_SIGNAL || s->depth >= MOST_DEPTH)
      return false;
   if (by.by == DCFG_REPLAY_BY_INSTR
       && state_is_made(s, by.time, 2 * MAX_GENERAL + group, &kept)) {
      memcpy(bits, kept.bytes, sizeof(*bits));
      return true;
   }
   s->depth++;
   if (by.by == DCFG_REPLAY_BY_CREATOR) {
      ok = state_flags(s, by.thread, by.time + 1, group, bits);
   } else {
      ok = state_get_instance(s, by.time, &i);
      v  = state_view(&i);
      ok = ok && s->rules->flags_behind(&v, group, bits);
      memcpy(kept.bytes, bits, sizeof(*bits));
      if (ok)
         state_keep_made(s, by.time, 2 * MAX_GENERAL + group, &kept);
   }
   s->depth--;
   return ok;
}
