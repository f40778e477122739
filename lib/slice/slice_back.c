/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the walk from the end of a whole execution trace to its begin, the
   instances that a criterion depends on, and which of their dependences the
   slice follows.  Handed: chunks by slice_chunks.c.

   The walk goes superblock by superblock.  It looks at the instructions of a
   superblock, from the last to the first, only if the superblock may define
   something wanted, or has a branch on which something waits.  An instance that
   made something wanted is a member of the slice, and its own uses are wanted
   then.  What a member becomes is up to the kind of slice, see slice_found.h.

   Control of some code is not followed, with one exception: a branch there
   tests a value that the program returned, as qsort() tests a comparison's
   result.  The walk meets the branch first and the program's instruction later.
   So nodes that may connect them are weak (not .real) at first: the branch, and
   nodes at most MAX_HOPS away from it over flags and registers.  The result is
   in RAX, or X0.  slice_keep.c and slice_sums.c forget weak nodes that lead
   nowhere. */

#include "format/order.h"
#include "lib/slice/slice_back.h"
#include "lib/slice/slice_chunks.h"
#include "lib/slice/slice_found.h"

/* Meeting: the present instance, and where it goes if it joins. */
typedef
   struct {
      Found*      found;
      const Spot* spot;
      Member*     member;
      uint64_t    bytes;        // wanted bytes of the result
      unsigned    before;       // bytes of the result before those that are met
   }
   Meeting;

/* Return the distance of the present instance, a writer of what an instance at
   DISTANCE used.  PLACE: only as the place of memory. */
static uint32_t step_from(const Meeting* a, uint32_t distance, bool place)
{
   const SliceCode* c = a->found->code;
   const bool*      copies = c->q->copies;
   uint32_t         unit = slice_code_step(c);

   return copies != NULL && copies[a->spot->instr] ? distance + place
          : distance / unit * unit + unit;
}

/* Return whether WANT's register told its instance only where memory is. */
static bool is_place(const SliceCode* c, const Want* want)
{
   return c->q->places != NULL && want->port == DCFG_WET_GENERAL
          && (c->q->places[want->instr] >> want->reg & 1);
}

static bool join(const Meeting* a)
{
   Found* f = a->found;

   *a->member = (Member){ .distance = UINT32_MAX, .weak_distance = UINT32_MAX,
                          .hops = NEVER, .near = true, .bytes = a->bytes };
   return f->kind->add == NULL || f->kind->add(f, a->spot, a->member);
}

/* Return the bytes MASK of WANT, which the instance made. */
static Hit hit_of(const Meeting* a, const Want* want, uint8_t mask, bool result)
{
   unsigned first = (unsigned)__builtin_ctz(mask);

   return (Hit){ .at = want->at + first, .mask = (uint8_t)(mask >> first),
                 .behind = (int8_t)(a->before - want->at), .result = result };
}

/* Meet WANT: the instance made its bytes MASK.  Meet a strong want at DISTANCE
   that is not limited, of a slice of one thread.  ARG is a Meeting, and the
   functions are a Taker's.  Meet a criterion.  Close the instance: all that
   used it has been met.
   Add the instance to the slice, as the writer of bytes of WANT.  Weak wants
   do not change the distance of an instance that is in the slice anyway.  A
   weak want leads nowhere if the program's code made anything but a result,
   or after MAX_HOPS. */
static bool meet_want(void* arg, const Want* want, uint8_t mask)
{
   const Meeting*   a = arg;
   Found*           f = a->found;
   Member*          m = a->member;
   const SliceKind* kind = f->kind;
   User             user = { want->node, 0 };
   bool             ours = want->weak
                            && follows_control(f->callbacks, a->spot->instr);
   bool             asked = want->weak || !kind->distances;
   uint32_t*        least = want->weak && !ours ? &m->weak_distance
                                                : &m->distance;

   if (asked)
      user = kind->user(f, want);
   if (want->port == DCFG_WET_CONTROL)
      user.hops = 0;
   if (want->weak
       && (ours ? want->port != DCFG_WET_GENERAL || want->reg != 0
                : user.hops >= MAX_HOPS))
      return true;
   if (m->id == DCFG_NONE && !join(a))
      return false;
   if (asked && !kind->meet(f, m, want, hit_of(a, want, mask, ours)))
      return false;
   if (want->weak && !ours && user.hops < m->hops)
      m->hops = user.hops;
   m->real |= !want->weak || ours;
   m->near &= want->limited;
   user.distance = step_from(a, user.distance, is_place(f->code, want));
   if (user.distance < *least)
      *least = user.distance;
   if (want->thread != a->spot->thread && want->port == DCFG_WET_MEMORY)
      return found_cross(f, (DcfgSliceCrossing){
                               .writer = a->spot->instr, .reader = want->instr,
                               .from = a->spot->thread, .to = want->thread,
                               .written = a->spot->order + a->spot->place,
                               .read = want->order,
                               .distance = user.distance
                                           / slice_code_step(f->code) });
   return true;
}

static bool meet_near(void* arg, uint32_t distance)
{
   const Meeting* a = arg;
   Member*        m = a->member;

   if (m->id == DCFG_NONE && !join(a))
      return false;
   m->real  = true;
   m->near  = false;
   distance = step_from(a, distance, false);
   if (distance < m->distance)
      m->distance = distance;
   return true;
}

static bool meet_criterion(const Meeting* a)
{
   Found*   f = a->found;
   Member*  m = a->member;
   uint32_t distance = slice_code_step(f->code) * f->code->q->distance;

   f->n_met++;
   if ((m->id == DCFG_NONE && !join(a))
       || (f->kind->criterion != NULL && !f->kind->criterion(f, a->spot, m))
       || !found_add_criterion(f, m->id))
      return false;
   if (distance < m->distance)
      m->distance = distance;
   m->bytes   = ALL_BYTES;
   m->real    = true;
   m->starts  = true;
   m->near    = false;
   m->limited = f->code->q->of != DCFG_SLICE_ALL;
   return true;
}

/* Meet an instance from which an earlier slice goes on. */
static bool meet_begin(const Meeting* a)
{
   Member* m = a->member;

   array_pop(&a->found->begins);
   if (m->id == DCFG_NONE && !join(a))
      return false;
   m->real = true;
   return true;
}

/* Start anew from the present instance, if the query says so. */
static void start_anew(const Meeting* a)
{
   const DcfgSliceQuery* q = a->found->code->q;
   Member*  m = a->member;
   uint64_t order = a->spot->order + a->spot->place;
   uint32_t low = 0, distance;

   BISECT(low, q->n_starts, middle, q->starts[middle].order < order);
   if (low == q->n_starts || q->starts[low].order != order)
      return;
   m->starts = true;
   distance  = slice_code_step(a->found->code) * q->starts[low].distance;
   if (distance < m->distance)
      m->distance = distance;
}

void member_set_end(const Found* f, const Spot* spot, Member* m)
{
   const DcfgSliceQuery* q = f->code->q;
   uint32_t              end = slice_code_step(f->code) * q->steps;

   m->open = m->distance;
   if (m->real && q->ends != NULL && q->ends[spot->instr] && !m->starts
       && m->distance < end)
      m->distance = end;
   m->cut = m->real && end != 0 && m->distance >= end;
}

static bool meet_close(const Meeting* a)
{
   Found*  f = a->found;
   Member* m = a->member;

   if (!m->real)
      m->distance = m->weak_distance;
   else if (f->code->q->n_starts > 0)
      start_anew(a);
   member_set_end(f, a->spot, m);
   return f->kind->close == NULL || f->kind->close(f, a->spot, m);
}

/* Using: a member, and where its wants go. */
typedef
   struct {
      Found*                f;
      const Acts*           acts;
      const Spot*           spot;
      const Member*         m;
      Live*                 live;
      BranchJoins*          joins;
      const SliceCode*      code;
      const DcfgSliceQuery* q;
      const Plan*           plan;
      const WetAccess*      accesses;
      uint32_t              instr;
   }
   Using;

/* Return a want of the member, to be filled in. */
static inline Want want_of(const Using* z)
{
   return (Want){ .node = z->m->name, .limited = z->m->limited,
                  .thread = z->spot->thread, .instr = z->instr,
                  .order = z->spot->order + z->spot->place };
}

/* Return whether instruction I takes the memory at ADDR for constant. */
static bool is_constant(const DcfgSliceQuery* q, uint32_t i, uint64_t addr)
{
   uint32_t low = 0;

   BISECT(low, q->n_constants, middle, q->constants[middle].high <= addr);
   return low < q->n_constants && q->constants[low].low <= addr
          && (!q->constants[low].tables
              || (q->lookups != NULL && q->lookups[i]));
}

/* Return whether ADDR is in a format string. */
static bool is_format(const DcfgSliceQuery* q, uint32_t i, uint64_t addr)
{
   uint32_t low = 0;

   (void)i;
   BISECT(low, q->n_formats, middle, q->formats[middle].high <= addr);
   return low < q->n_formats && q->formats[low].low <= addr;
}

/* Return whether the present instance loads from an address that IS_THAT
   accepts. */
static bool loads_from(const Using* z,
                       bool (*is_that)(const DcfgSliceQuery* q, uint32_t i,
                                       uint64_t addr))
{
   const Plan*      plan = z->plan;
   const WetAccess* a = z->accesses;

   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)
          && is_that(z->q, z->instr,
                     slice_code_address(z->code, z->spot, j)))
         return true;
   return false;
}

/* Return whether a result of the program may have come over U.  A branch that
   is not real only follows flags. */
static inline bool may_lead(const Using* z, const Use* u, bool real)
{
   if (z->m->hops + 1 >= MAX_HOPS)
      return u->port == DCFG_WET_GENERAL && u->reg == 0;
   return u->port == DCFG_WET_FLAGS
          || (u->port == DCFG_WET_GENERAL && (real || z->m->hops > 0));
}

/* Return the registers whose values the instance does not follow, a bit for
   each. */
static uint32_t skipped_registers(const Using* z)
{
   bool     real = z->m->real;
   uint32_t skip = z->q->no_address == NULL ? 0 : z->q->no_address[z->instr];

   if (z->m->near && z->q->no_address_near != NULL)
      skip |= z->q->no_address_near[z->instr];
   if (calls_back(z->f->callbacks, z->instr))
      skip = 0;
   if (skip != 0 && real && z->q->n_constants > 0 && loads_from(z, is_constant))
      skip = 0;
   if (real && z->q->n_formats > 0 && loads_from(z, is_format))
      skip |= z->q->no_register_of_formats[z->instr];
   return z->q->no_register == NULL ? skip : skip | z->q->no_register[z->instr];
}

/* Return which bytes of U the member's wanted bytes are made of. */
static inline uint8_t used_bytes(const Using* z, const Use* u)
{
   return z->m->bytes == ALL_BYTES ? u->mask
          : bytes_of_use(z->code, z->instr, z->m->bytes, u);
}

/* Want the registers of a real member of which nothing is weak, as distances,
   but for those of SKIP. */
static bool want_nearest(const Using* z, uint32_t skip)
{
   const Use*     u = &ELEM(z->code->w->uses, Use, z->plan->uses);
   LiveRegisters* l = live_registers(z->live, z->spot->thread);

   for (const Use* end = u + z->plan->n_uses; l != NULL && u < end; u++)
      if (u->port != DCFG_WET_GENERAL || !(skip >> u->reg & 1)) {
         uint8_t mask = used_bytes(z, u);
         if (mask != 0
             && !live_want_near(z->live, l, spot_granule(z->spot, u->granule),
                                mask, z->m->name))
            return false;
      } else if (u->new && !z->f->kind->cut(z->f, &(Want){ .port = u->port })) {
         return false;
      }
   return l != NULL;
}

static bool want_registers(const Using* z)
{
   const Plan* plan = z->plan;
   const Use*  u = &ELEM(z->code->w->uses, Use, plan->uses);
   LiveRegisters* l = live_registers(z->live, z->spot->thread);
   bool        real = z->m->real, follow = z->m->weakly;
   uint32_t    skip = skipped_registers(z);
   Want        want, weak;

   if (z->live->nearest && real && !follow)
      return want_nearest(z, skip);
   want = want_of(z);
   for (const Use* end = u + plan->n_uses; l != NULL && u < end; u++) {
      unsigned g = spot_granule(z->spot, u->granule);
      want.at   = u->new ? 0 : want.at + 8;
      want.port = u->port;
      want.reg  = u->reg;
      want.mask = used_bytes(z, u);
      bool address = u->port == DCFG_WET_GENERAL && (skip >> u->reg & 1);
      if (real && address) {
         if (u->new && !z->f->kind->cut(z->f, &want))
            return false;
         continue;
      }
      if (want.mask == 0)
         continue;
      if (real
          && !live_says(z->live, l->heads[g], want.node, want.mask, want.thread)
          && !live_want_register(z->live, l, g, want))
         return false;
      if (!follow || address || !may_lead(z, u, real))
         continue;
      weak      = want;
      weak.weak = true;
      weak.node = z->m->weak_name;
      if (!live_want_register(z->live, l, g, weak))
         return false;
   }
   return l != NULL;
}

/* Want those of the SIZE bytes at ADDR that the member's wanted bytes are made
   of. */
static bool want_operand(const Using* z, uint64_t addr, unsigned size, Want want)
{
   uint64_t bytes;

   if (z->m->bytes == ALL_BYTES)
      return live_want_memory(z->live, addr, size, want);
   bytes = bytes_of_memory(z->code, z->instr, z->m->bytes, size);
   for (unsigned n; bytes != 0; ) {
      unsigned first = (unsigned)__builtin_ctzll(bytes);
      uint64_t rest = ~(bytes >> first);
      n       = rest == 0 ? 64 : (unsigned)__builtin_ctzll(rest);
      want.at = first;
      if (!live_want_memory(z->live, addr + first, n, want))
         return false;
      bytes = first + n >= 64 ? 0 : bytes >> (first + n) << (first + n);
   }
   return true;
}

static bool want_operands(const Using* z)
{
   const Plan*      plan = z->plan;
   const WetAccess* a = z->accesses;
   const Array*     reads = z->spot->reads;
   Want             want;

   if (plan->n_accesses == 0 && plan->kind != InsnSyscall)
      return true;
   want      = want_of(z);
   want.port = DCFG_WET_MEMORY;
   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)) {
         uint64_t addr = slice_code_address(z->code, z->spot, j);
         want.reg = (uint8_t)j;
         if (addr != 0 && !want_operand(z, addr, a[j].size, want))
            return false;
      }
   want.reg = (uint8_t)plan->n_accesses;
   for (size_t i = reads->n; plan->kind == InsnSyscall && i-- > 0; ) {
      DcfgSliceReading r = ELEM(*reads, DcfgSliceReading, i);
      if (!live_want_memory(z->live, r.addr, r.size, want))
         return false;
   }
   return true;
}

static bool want_control(const Using* z)
{
   bool follows = follows_control(z->f->callbacks, z->instr);
   bool passed = z->q->places != NULL && z->q->copies[z->instr]
                 && !z->m->starts
                 && (z->q->no_control_of == NULL
                     || !z->q->no_control_of[z->instr]);
   Want want;

   if (!passed && follows
       && joins_says(z->joins, z->live, z->spot->act, z->instr, z->m->name,
                     z->spot->thread))
      return true;
   want      = want_of(z);
   want.port = DCFG_WET_CONTROL;
   want.mask = 0xFF;
   if (passed)
      return z->f->kind->cut(z->f, &want);
   if (!follows) {
      want.weak = z->q->results && !z->q->no_control;
      want.at   = want.weak;
      if (!want.weak)
         return z->f->kind->cut(z->f, &want);
      if (!z->f->kind->cut(z->f, &want))
         return false;
   }
   return joins_ask(z->joins, z->live, z->spot->act, z->instr, &want);
}

/* Want the memory of the instance as a part of the criterion, or as several. */
static bool want_parts(const Using* z, Want want)
{
   uint64_t instance = slice_code_instance(z->code, z->spot, z->instr);
   const DcfgSlicePart* end = z->code->parts + z->q->n_parts;

   for (const DcfgSlicePart* p = slice_code_part(z->code, z->instr, instance);
        p < end && p->instr == z->instr && p->instance == instance; p++)
      if (!live_want_memory(z->live, p->place, p->size, want))
         return false;
   return true;
}

/* Want the part of a criterion that is asked for, in place of all that it
   uses. */
static bool want_part(const Using* z)
{
   const DcfgSliceQuery* q = z->q;
   unsigned vector = z->code->w->machine->vector_size;
   LiveRegisters* l = live_registers(z->live, z->spot->thread);
   Want  want = want_of(z);

   want.mask = 0xFF;
   if (l == NULL)
      return false;
   switch (q->of) {
      case DCFG_SLICE_REGISTER:
         want.port = q->place < 32 ? DCFG_WET_GENERAL : DCFG_WET_VECTOR;
         want.reg  = (uint8_t)(q->place % 32);
         if (q->place < 32)
            return live_want_register(z->live, l, (unsigned)q->place, want);
         for (unsigned k = 0; k < vector; k++, want.at += 8)
            if (!live_want_register(z->live, l,
                                    G_VECTOR + want.reg * vector + k, want))
               return false;
         return true;
      case DCFG_SLICE_FLAGS:
         want.port = DCFG_WET_FLAGS;
         for (unsigned k = 0; k < 3; k++, want.at += 8)
            if (!live_want_register(z->live, l, G_FLAGS + k, want))
               return false;
         return true;
      case DCFG_SLICE_X87:
         want.port = DCFG_WET_X87;
         for (unsigned k = G_X87; k < G_STACK; k++, want.at += 8)
            if (!live_want_register(z->live, l, k, want))
               return false;
         return true;
      case DCFG_SLICE_FRAME: {
         uint64_t place = act_of(z->acts, z->spot->act)->is.place;
         z->f->result->frame = place == UINT64_MAX || place == 0 ? 0
                            : place + q->place
                              + (z->code->w->machine->links
                                 ? 0 : z->code->w->machine->address_size);
         want.port = DCFG_WET_MEMORY;
         return z->f->result->frame == 0
                || live_want_memory(z->live, z->f->result->frame, q->size,
                                    want);
      }
      default:
         want.port = DCFG_WET_MEMORY;
         if (q->n_parts > 0)
            return want_parts(z, want);
         return live_want_memory(z->live, q->place, q->size, want);
   }
}

bool uses_want(Found* f, const Acts* acts, const Spot* spot, const Member* m,
               Live* l, BranchJoins* b)
{
   const Using z = { f, acts, spot, m, l, b, f->code, f->code->q,
                     plan_of(f->code, spot->instr),
                     accesses_of(f->code, spot->instr), spot->instr };

   if (m->real && m->cut) {
      found_end(f, z.plan->n_ports);
      return true;
   }
   if (m->real && !want_control(&z))
      return false;
   if (m->real && m->limited)
      return want_part(&z);
   return want_registers(&z) && (!m->real || want_operands(&z));
}

enum { STATE_LOOKING, STATE_RUNNING, STATE_FOUND };

typedef
   struct {
      SliceCode*   code;
      const DcfgSliceQuery* q;
      Acts*        acts;
      Live*        live;
      BranchJoins* joins;
      Found*       found;
      int          state;       // search for the criterion
      uint64_t     end;         // .order of the last instance of the execution
                                // asked for; no matter otherwise
      uint32_t     run_act;     // activation of the execution
      uint32_t     run_thread;
      LineBack     line;
      const StepPlace* where;   // place of the present record
      Spot         spot;        // the present instance
      Member       member;
      Meeting      meeting;     // points to the members above
      Taker        taker;       // gives wants that are met to .meeting
      const UnseenWrite* unseen;        // the chunk's, by time
      size_t       n_unseen;    // those that are still to be met
      bool         took;        // an unseen write made something wanted
   }
   BackWalk;

/*--- The criterion                                        ---*/

/* Forget all that was found. */
static bool forget_all(BackWalk* z)
{
   found_forget(z->found);
   if (!live_forget(z->live) || !joins_forget(z->joins, z->live))
      return false;
   if (z->found->kind->forget != NULL)
      z->found->kind->forget(z->found);
   return true;
}

static inline uint64_t instance_of_work(const BackWalk* z)
{
   return slice_code_instance(z->code, &z->spot, z->spot.instr);
}

/* Return whether the present instance has the number asked for; of a run,
   whether it is the last one of the execution with that number. */
static bool is_numbered(const BackWalk* z)
{
   return z->q->run ? z->spot.order + z->spot.place == z->end
                    : z->q->instance == instance_of_work(z);
}

/* Return whether the present instance is a criterion. */
static bool is_criterion(BackWalk* z)
{
   const DcfgSliceQuery* q = z->q;

   if (z->state == STATE_FOUND)
      return false;
   if (z->state == STATE_RUNNING) {
      if (z->spot.act != z->run_act || z->spot.thread != z->run_thread)
         return false;
      if (executions_began(z->code, &z->line, z->spot.instr))
         z->state = STATE_FOUND;
      return z->state == STATE_RUNNING && !z->line.between;
   }
   if (!q->instrs[z->spot.instr]
       || (q->instance < DCFG_SLICE_EVERY && !is_numbered(z))
       || (q->n_parts > 0
           && !slice_code_is_part(z->code, z->spot.instr, instance_of_work(z))))
      return false;
   if (q->instance != DCFG_SLICE_EVERY) {
      z->state      = q->run ? STATE_RUNNING : STATE_FOUND;
      z->run_act    = z->spot.act;
      z->run_thread = z->spot.thread;
      z->line       = (LineBack){ z->spot.instr, false };
   }
   return true;
}

static bool add_criterion(BackWalk* z)
{
   /* The first instance of a run is the one whose part is asked for. */
   if (z->q->of != DCFG_SLICE_ALL && z->q->run && z->found->criteria.n > 0) {
      z->member.id = DCFG_NONE;
      if (!forget_all(z))
         return false;
   }
   return meet_criterion(&z->meeting);
}

/*--- Instances                                            ---*/

/* Return whether the instance is an iteration that a count of 0 prevented.  The
   way says so, because slots are not always read.  A stop has completed all its
   instances. */
static bool is_no_iteration(const BackWalk* z, const Plan* plan)
{
   uint32_t way = z->spot.step->way;

   return plan->kind == InsnRep && way != DCFG_NONE
          && z->code->w->ways[way].n_slots <= z->spot.at->slot;
}

/* Return whether one of the granules DEFS, a bit for each, is wanted of L. */
static inline bool defines_wanted(const LiveRegisters* l, const uint64_t* defs)
{
   return l != NULL
          && ((l->granules[0] & defs[0]) | (l->granules[1] & defs[1])) != 0;
}

/* Take the SIZE bytes at ADDR, which the instance stored. */
static bool take_stored(BackWalk* z, uint64_t addr, unsigned size)
{
   z->meeting.before = 0;
   if (z->meeting.bytes == ALL_BYTES)
      return live_take_memory(z->live, addr, size, &z->taker);
   for (unsigned n, at = 0; at < size; at += n) {
      n = 8 - (unsigned)((addr + at) % 8);
      if (n > size - at)
         n = size - at;
      /* Hits count from the begin of their 8 bytes. */
      z->meeting.before = at - (unsigned)((addr + at) % 8);
      if (!live_take_memory(z->live, addr + at, n, &z->taker))
         return false;
   }
   return true;
}

static bool take_definitions(BackWalk* z)
{
   const Spot*      at = &z->spot;
   const Plan*      plan = plan_of(z->code, at->instr);
   const Def*       d = &ELEM(z->code->w->defs, Def, plan->defs);
   const WetAccess* a = accesses_of(z->code, at->instr);
   LiveRegisters*   r = z->live->threads[at->thread].now;

   if (is_no_iteration(z, plan))
      return true;
   z->meeting.bytes = bytes_wanted(z->code, at, z->live);
   if (!defines_wanted(r, z->code->infos[at->instr].defs))
      d = NULL;
   for (uint32_t i = 0; d != NULL && i < plan->n_defs; i++) {
      z->meeting.before = bytes_before(z->code, d[i].granule);
      if (!live_take_register(z->live, r, spot_granule(at, d[i].granule),
                              d[i].mask, &z->taker))
         return false;
   }
   for (uint32_t j = 0; j < plan->n_accesses && z->live->memory.n > 0; j++)
      if (a[j].what & AccessStore) {
         uint64_t addr = slice_code_address(z->code, at, j);
         if (addr != 0 && !take_stored(z, addr, a[j].size))
            return false;
      }
   return plan->kind != InsnSyscall
          || live_take_list(z->live, &z->live->threads[at->thread].written,
                            0xFF, &z->taker);
}

/* Give the call of ACT to the wants that wait for control in ACT, which has
   just begun. */
static bool answer_call(BackWalk* z, uint32_t act)
{
   bool called = act_of(z->acts, act)->is.call != DCFG_NONE;

   return joins_answer(z->joins, z->live, act, DCFG_NONE,
                       called ? &z->taker : NULL);
}

/*--- Unseen writes                                        ---*/

static bool give_unseen(void* arg, const Want* want, uint8_t mask)
{
   BackWalk*        z = arg;
   const SliceKind* kind = z->found->kind;

   z->took = true;
   return kind->unseen == NULL || kind->unseen(z->found, want, mask);
}

/* Meet the unseen writes that loads at ORDER and later tell, of which there are
   some.  Each stands right before its load. */
static bool meet_some_unseen(BackWalk* z, uint64_t order)
{
   const Taker to = { give_unseen, z, NULL };

   while (z->n_unseen > 0 && z->unseen[z->n_unseen - 1].time >= order) {
      const UnseenWrite* u = &z->unseen[--z->n_unseen];
      for (unsigned b = 0, n; b < 8; b += n) {
         for (n = 1; b + n < 8 && (u->mask >> (b + n) & 1)
                                  == (u->mask >> b & 1); n++)
            ;
         z->took = false;
         if (!(u->mask >> b & 1))
            continue;
         if (!live_take_memory(z->live, u->word * 8 + b, n, &to)
             || (z->took
                 && !found_unseen(z->found, (DcfgSliceUnseen){
                                               u->word * 8 + b, n, u->since,
                                               u->time })))
            return false;
      }
   }
   return true;
}

/* Do the same.  Most instances have none. */
static inline bool meet_unseen(BackWalk* z, uint64_t order)
{
   return z->n_unseen == 0 || z->unseen[z->n_unseen - 1].time < order
          || meet_some_unseen(z, order);
}

/*--- Superblocks                                          ---*/

/* Return how many instances behind ORDER the next one is from which an earlier slice
   goes on; UINT64_MAX: there is none. */
static inline uint64_t begins_behind(const BackWalk* z, uint64_t order)
{
   const Array* begins = &z->found->begins;

   return begins->n == 0 ? UINT64_MAX
          : ELEM(*begins, uint64_t, begins->n - 1) - order;
}

/* Visit the present instance. */
static bool visit(BackWalk* z)
{
   const Spot*      at = &z->spot;
   const SliceKind* kind = z->found->kind;
   bool             last = at->place + 1u == at->step->n_instrs;

   z->member.id      = DCFG_NONE;
   z->meeting.bytes  = ALL_BYTES;
   z->meeting.before = 0;
   if (last && z->where->made != 0 && joins_pending(z->joins, z->where->made)
       && !answer_call(z, z->where->made))
      return false;
   if (joins_pending(z->joins, at->act)
       && graph_is_branch(z->joins->graph, at->instr)
       && !joins_answer(z->joins, z->live, at->act, at->instr, &z->taker))
      return false;
   if (!take_definitions(z))
      return false;
   if (z->state != STATE_FOUND && is_criterion(z) && !add_criterion(z))
      return false;
   if (begins_behind(z, at->order + at->place) == 0 && !meet_begin(&z->meeting))
      return false;
   if (z->member.id == DCFG_NONE)
      return true;
   return meet_close(&z->meeting)
          && (kind->want == NULL || z->q->only_criteria || z->member.done
              || kind->want(z->found, z->acts, at, &z->member, z->live,
                            z->joins));
}

/* Return whether the instruction at AT may write memory that is wanted. */
static bool stores_wanted(const BackWalk* z, const InstrPlan* at)
{
   const Plan*      plan = &z->code->w->plans[at->instr];
   const WetAccess* a = &ELEM(z->code->w->accesses, WetAccess, plan->accesses);
   uint32_t         n;
   const uint64_t*  made = slots_of(z->spot.steps, z->spot.step, at, &n);

   if (z->live->memory.n == 0)
      return false;
   if (!at->plain || n != plan->n_accesses)
      return true;
   for (uint32_t j = 0; j < n; j++)
      if (a[j].what & AccessStore
          && memory_is_wanted(&z->live->memory, made[j], a[j].size))
         return true;
   return false;
}

/* Return whether instruction K of the record, at AT in activation ACT, needs more
   than being counted. */
static inline bool instr_matters(const BackWalk* z, const InstrPlan* at,
                                 uint32_t k, const LiveRegisters* l,
                                 uint32_t act)
{
   const InstrInfo* info = &z->code->infos[at->instr];

   return (info->criterion && z->state == STATE_LOOKING) || info->syscall
          || begins_behind(z, z->spot.order + k) == 0
          || defines_wanted(l, info->defs)
          || (info->branch && joins_pending(z->joins, act))
          || (info->stores && stores_wanted(z, at));
}

static bool visit_all(BackWalk* z)
{
   const SbInfo* sb = &z->code->sbs[z->spot.step->sb];
   const InstrPlan*  at = &z->code->w->places[sb->first];
   uint32_t      n = z->spot.step->n_instrs;
   uint8_t       tops[MAX_SB_INSTRS];

   z->spot.reads = &z->live->threads[z->spot.thread].reads;
   for (uint32_t k = 0, top = z->where->top; k < n && sb->x87; k++) {
      tops[k] = (uint8_t)top;
      top     = wet_move_top(top, &z->code->w->plans[at[k].instr], &at[k],
                             z->spot.step->n_slots,
                             z->spot.steps->addrs + z->spot.step->first);
   }
   for (uint32_t k = n; k-- > 0; ) {
      if (!meet_unseen(z, z->spot.order + k + 1))
         return false;
      /* The last instruction may be in another activation, and a run of
         criteria may end at any. */
      if (k + 1 < n && z->state != STATE_RUNNING
          && !instr_matters(z, &at[k], k, z->live->threads[z->spot.thread].now,
                            z->where->body))
         continue;
      z->spot.at    = &at[k];
      z->spot.place = k;
      z->spot.instr = at[k].instr;
      z->spot.act   = k + 1 == n ? z->where->last : z->where->body;
      z->spot.top   = sb->x87 ? tops[k] : z->where->top;
      if (!visit(z))
         return false;
   }
   return true;
}

/* Return whether the record may define a wanted byte, or must be visited for
   another reason. */
static inline bool matters(BackWalk* z, const SbInfo* sb)
{
   const WetStep*   r = z->spot.step;
   const StepPlace* p = z->where;
   const uint64_t*  addrs = z->spot.steps->addrs + r->first;

   if (defines_wanted(z->live->threads[r->thread].now, sb->defs)
       || begins_behind(z, z->spot.order) < r->n_instrs)
      return true;
   if (p->made != 0 && joins_pending(z->joins, p->made))
      return true;
   if (sb->branches && (joins_pending(z->joins, p->body)
                        || joins_pending(z->joins, p->last)))
      return true;
   if (z->state != STATE_FOUND
       && (z->state == STATE_LOOKING ? sb->criterion
           : p->body == z->run_act || p->last == z->run_act))
      return true;
   if (z->live->threads[r->thread].written != 0
       && slice_code_kind(z->code, r) == InsnSyscall)
      return true;
   if (z->live->memory.n == 0)
      return false;
   for (uint32_t i = 0; i < sb->n_stores; i++) {
      const StoreSlot* s = &ELEM(z->code->w->stores, StoreSlot,
                                 sb->stores + i);
      if (s->slot >= r->n_slots)
         break;
      if (memory_is_wanted(&z->live->memory, addrs[s->slot], s->size))
         return true;
   }
   return false;
}

/*--- Marks                                                ---*/

static bool visit_mark(BackWalk* z)
{
   const WetStep*  r = z->spot.step;
   const uint64_t* words = z->spot.steps->addrs + r->first;

   switch (r->mark) {
      case DCFG_WET_READ:
         return live_note_read(z->live, r->thread, words);
      case DCFG_WET_WRITTEN:
         return live_take_written(z->live, r->thread, words[0], words[1]);
      case DCFG_WET_FRESH:
         return live_take_memory(z->live, words[0], words[1], NULL);
      case DCFG_WET_MOVED:
         return live_move_memory(z->live, words[0], words[2], words[1]);
      case DCFG_WET_RETURN:
         return live_before_return(z->live, r->thread);
      case DCFG_WET_CREATED:
         return live_before_thread(z->live, r->thread, words);
      case DCFG_WET_CALLED:
         return joins_answer(z->joins, z->live, z->where->made, DCFG_NONE, NULL);
      case DCFG_WET_HANDLER:
         return joins_answer(z->joins, z->live, z->where->made, DCFG_NONE, NULL)
                && joins_answer(z->joins, z->live,
                                act_of(z->acts, z->where->made)->is.up,
                                DCFG_NONE, NULL)
                && live_before_handler(z->live, r->thread,
                                       ELEM(z->acts->returned, bool,
                                            z->where->body));
      default:
         return true;
   }
}

/*--- Chunks                                               ---*/

/* End the execution if the record began its activation. */
static void end_at_begin(BackWalk* z)
{
   if (z->state == STATE_RUNNING && z->where->made == z->run_act)
      z->state = STATE_FOUND;
}

static bool visit_step(BackWalk* z)
{
   const WetStep* r = z->spot.step;
   const SbInfo*  sb = &z->code->sbs[r->sb];

   if (r->sb == 0) {
      live_forget_reads(z->live, r->mark == DCFG_WET_READ ? r->thread
                                                          : DCFG_NONE);
      end_at_begin(z);
      return visit_mark(z);
   }
   live_forget_reads(z->live, r->thread);
   z->spot.order -= r->n_instrs;
   z->spot.thread = r->thread;
   if ((matters(z, sb) && !visit_all(z)) || !meet_unseen(z, z->spot.order))
      return false;
   /* Counts matter until the criterion is found, and to kinds that number
      nodes. */
   if (z->found->kind->numbers || z->state != STATE_FOUND)
      slice_code_unrun(z->code, sb, r->n_instrs);
   end_at_begin(z);
   live_forget_reads(z->live, DCFG_NONE);
   return true;
}

/* Return whether nothing is left to find. */
static bool is_done(const BackWalk* z)
{
   return z->state == STATE_FOUND && z->live->n_wanted == 0
          && z->found->begins.n == 0;
}

/* Steps between the prefetch of a step's slots and its visit. */
#define AHEAD 16

/* Visit all steps, from the last to the first.  A step that has no StepPlace
   leaves its thread where it is behind it. */
static bool visit_steps(BackWalk* z, const Passes* passes)
{
   const WetSteps* steps = passes->steps;
   StepPlace here = { 0 };
   uint32_t  thread = DCFG_NONE;        // thread of HERE
   size_t    told = z->acts->places.n;

   z->spot.steps = steps;
   z->unseen     = passes->unseen;
   z->n_unseen   = passes->n_unseen;
   for (uint32_t i = (uint32_t)steps->n_steps; i-- > 0; ) {
      const WetStep* r = &steps->steps[i];
      z->spot.step = r;
      z->where     = &here;
      wet_prefetch_slots(steps, i < AHEAD ? 0 : i - AHEAD);
      if (told > 0 && ELEM(z->acts->places, StepPlace, told - 1).step == i) {
         z->where = &ELEM(z->acts->places, StepPlace, --told);
         acts_step_back(z->acts, r->thread, z->where);
         thread = DCFG_NONE;
      } else if (r->thread != thread) {
         thread    = r->thread;
         here.body = here.last = z->acts->now[thread].at.act;
         here.top  = z->acts->now[thread].top;
      }
      if (!visit_step(z))
         return false;
      if (is_done(z))
         return true;
   }
   return true;
}

/* Begin a chunk: activations get the numbers that they have in it. */
static bool begin_chunk(BackWalk* z)
{
   const Array* renamed = &z->acts->renamed;

   for (size_t i = 0; i < renamed->n && z->state == STATE_RUNNING; i++)
      if (ELEM(*renamed, Renamed, i).then == z->run_act) {
         z->run_act = ELEM(*renamed, Renamed, i).now;
         break;
      }
   return joins_begin_chunk(z->joins, z->acts);
}

/* End the present chunk.  An activation that began in it is gone, and its
   number is free. */
static void end_chunk(BackWalk* z)
{
   const Array* made = &z->acts->tree.made;

   for (size_t i = 0; i < made->n && z->state == STATE_RUNNING; i++)
      if (ELEM(*made, uint32_t, i) == z->run_act)
         z->state = STATE_FOUND;
   acts_leave_chunk(z->acts);
}

/* Go to the latest chunk before *CHUNK that may matter.  A slice that wants
   much goes to the one before it.  Return false if there is none. */
static bool next_chunk(BackWalk* z, Passes* passes, Skip* skip, uint32_t* chunk)
{
   const SkipSearch search = { z->state == STATE_LOOKING
                                  || z->found->begins.n > 0,
                               z->state == STATE_RUNNING ? z->run_act : 0 };
   uint32_t before = *chunk;

   if (passes->all && z->live->n_wanted > 0)
      return (*chunk)-- > 0;
   if (!skip_back(skip, &search, chunk))
      return false;
   if (*chunk + 1 != before) {
      live_forget_reads(z->live, DCFG_NONE);
      slice_code_skip(z->code, *chunk);
      z->spot.order = passes->ix->chunks[*chunk].before
                      + passes->ix->chunks[*chunk].n_instrs;
   }
   return true;
}

/* Visit chunks from the end, until nothing is left to find. */
static bool visit_chunks(BackWalk* z, Passes* passes, Skip* skip)
{
   uint32_t c = (uint32_t)passes->chunks.n;

   while (!is_done(z) && next_chunk(z, passes, skip, &c)) {
      if (!passes_chunk(passes, z->acts, c) || !begin_chunk(z)
          || !visit_steps(z, passes))
         return false;
      end_chunk(z);
   }
   if (!is_done(z))
      c = 0;
   if (z->found->chunk < c)
      c = z->found->chunk;
   z->found->chunk = c;
   for (uint32_t t = 0; t < z->code->w->threads.n; t++) {
      z->found->result->thread_begins[t] = skip_thread_begin(skip, t, c);
      z->found->result->thread_ends[t]   = skip_thread_end(skip, t, c);
   }
   return skip->job->err.status == DCFG_OK;
}

bool slice_backward(Passes* passes, SliceCode* code, Acts* acts, Live* live,
                    BranchJoins* joins, const Executions* x, Found* found)
{
   BackWalk z = { .code = code, .q = code->q, .acts = acts, .live = live,
              .joins = joins, .found = found,
              .state = found->earlier == NULL ? STATE_LOOKING : STATE_FOUND,
              .end = x->end, .spot = { .order = passes->ix->n_instrs } };
   Skip skip = { .job = passes->job, .ix = passes->ix, .code = code,
                 .acts = acts, .live = live, .joins = joins, .end = x->end,
                 .begins = found->earlier == NULL ? NULL : &found->begins };
   bool ok;

   z.meeting = (Meeting){ .found = found, .spot = &z.spot,
                          .member = &z.member, .bytes = ALL_BYTES };
   z.taker   = (Taker){ meet_want, &z.meeting, meet_near };
   found->result->n_executed   = z.spot.order;
   found->result->n_executions = x->n;
   ok = skip_start(&skip) && visit_chunks(&z, passes, &skip);
   skip_free(&skip);
   passes_close(passes);
   return ok;
}
