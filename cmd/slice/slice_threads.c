/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values that went from thread to thread. */

/* Owns: the column of threads, the nearest values that one thread wrote and
   another one read, and what orders the two.  Handed: a slice; for the order, its
   trace, read again.

   Values that the program's own code wrote and read come first.  Values that a
   library hands from thread to thread say less about the program.

   A read is ordered behind a write if the reader's thread may know of the write.
   The writer's thread knows of it.  A thread that knows releases each address that
   it unlocks, posts or writes atomically.  A thread that then acquires the address
   knows, too.  So do threads that a knowing thread creates.  The names of functions
   tell locks, semaphores, barriers and the like.  Elsewhere in the program, atomic
   instructions count, and accesses of atomic types.  The C library's own locks do
   not count, as those of malloc() and stdio: they order by chance.  But it waits
   for the program's locks in functions of other names, so their addresses count
   there, too. */

#include "cmd/base/format.h"
#include "cmd/base/keymap.h"
#include "cmd/base/operands.h"
#include "cmd/base/names.h"
#include "cmd/machine/processor.h"
#include "cmd/program/recording.h"
#include "cmd/program/debug.h"
#include "cmd/slice/slice_threads.h"
#include "cmd/slice/slice_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sync: a thing that orders threads. */
typedef
   enum {
      SYNC_NONE, SYNC_ATOMIC, SYNC_MUTEX, SYNC_CONDITION, SYNC_RWLOCK,
      SYNC_SPIN, SYNC_BARRIER, SYNC_SEMAPHORE, SYNC_ONCE, SYNC_CREATION,
      SYNC_JOIN,
      SYNC_CALL                 // a system call
   }
   Sync;

enum { ACQUIRES = 1, RELEASES = 2, BOTH = 3 };

/* SyncInstr: an instruction that may order threads.  .known: it does where the
   address is that of a known thing. */
typedef
   struct {
      uint8_t sync, does;
      bool    known;
   }
   SyncInstr;

/* Ordered: a crossing, and what lies between its write and its read. */
typedef
   struct {
      const DcfgSliceCrossing* crossing;
      Sync     sync;
      uint64_t addr;            // the thing's; or the new thread
      uint32_t through;         // thread that released it
      bool     writer_called, reader_called;    // made system calls
   }
   Ordered;

/* Released: an address that a knowing thread released. */
typedef
   struct {
      uint8_t  sync;
      uint32_t by;
   }
   Released;

/* Between: the search for what orders a crossing. */
typedef
   struct {
      Ordered*  o;
      bool      began;          // the write was met
      bool      joined;         // the reader's thread waited for an end
      bool      joining;        // the wait began before the write
      bool*     knows;          // by thread
      KeyMap*   addrs;          // addresses, by number:
      Released* released;
      size_t    n_released, room;
   }
   Between;

/* OrderSearch: all crossings, and things that are known so far. */
typedef
   struct {
      Between*   all;
      size_t     n;
      SyncInstr* instrs;
      KeyMap*    things;        // addresses, by number:
      uint8_t*   kinds;         // Sync
      size_t     n_kinds, kinds_room;
   }
   OrderSearch;

/* Return FUNCTION without leading underscores, and without "GI_", which the
   C library puts before its own name for it. */
static const char* plain_name(const char* function)
{
   while (*function == '_')
      function++;
   if (strncmp(function, "GI_", 3) == 0)
      for (function += 3; *function == '_'; )
         function++;
   return function;
}

/* Return what the function NAME does, by the begin of its name. */
static SyncInstr sync_of_function(const char* name)
{
   static const struct { const char* begin; SyncInstr is; } functions[] = {
      { "pthread_mutex_unlock", { SYNC_MUTEX, RELEASES, false } },
      { "pthread_mutex_",       { SYNC_MUTEX, ACQUIRES, false } },
      { "pthread_cond_",        { SYNC_CONDITION, BOTH, false } },
      { "condvar_",             { SYNC_CONDITION, BOTH, false } },
      { "pthread_rwlock_unlock", { SYNC_RWLOCK, RELEASES, false } },
      { "pthread_rwlock_",      { SYNC_RWLOCK, ACQUIRES, false } },
      { "pthread_spin_unlock",  { SYNC_SPIN, RELEASES, false } },
      /* Another name of the same code. */
      { "pthread_spin_init",    { SYNC_SPIN, RELEASES, false } },
      { "pthread_spin_",        { SYNC_SPIN, ACQUIRES, false } },
      { "pthread_barrier_",     { SYNC_BARRIER, BOTH, false } },
      { "sem_post",             { SYNC_SEMAPHORE, RELEASES, false } },
      { "new_sem_post",         { SYNC_SEMAPHORE, RELEASES, false } },
      { "sem_",                 { SYNC_SEMAPHORE, ACQUIRES, false } },
      { "new_sem_",             { SYNC_SEMAPHORE, ACQUIRES, false } },
      { "pthread_once",         { SYNC_ONCE, BOTH, false } },
      { "cxa_guard_",           { SYNC_ONCE, BOTH, false } },
      { "pthread_join",         { SYNC_JOIN, ACQUIRES, false } },
      { "pthread_timedjoin",    { SYNC_JOIN, ACQUIRES, false } },
      { "pthread_clockjoin",    { SYNC_JOIN, ACQUIRES, false } },
      { "pthread_tryjoin",      { SYNC_JOIN, ACQUIRES, false } },
      { "thrd_join",            { SYNC_JOIN, ACQUIRES, false } }
   };

   for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
      if (strncmp(name, functions[i].begin, strlen(functions[i].begin)) == 0)
         return functions[i].is;
   return (SyncInstr){ SYNC_NONE, 0, false };
}

/* Return whether IN is code of a header whose accesses are atomic. */
static bool is_of_atomics(const DcfgWetInstr* in)
{
   static const char* const names[] = { "atomic", "atomic_base.h", "atomic.rs" };
   const char* base = in->source == NULL ? "" : text_base(in->source);

   return IS_AMONG(base, names);
}

/* Return whether an access of instruction I, which is the program's own, has an
   atomic type of C.  The macros of <stdatomic.h> access it through pointers with
   such names. */
static bool is_atomic_access(const SliceView* v, uint32_t i, bool stores)
{
   VariableType type;
   const char*  name = variables_name_memory(v->found->program, i,
                                             stores ? VARIABLES_WRITTEN : 0, 0,
                                             0, &type);

   if (name == NULL || !type.known || strncmp(name, "*__atomic_", 10) == 0)
      return name != NULL && type.known;
   return type_is_atomic(type.die);
}

/* Return the part that instruction I, which is OWN or not, plays in the order of
   threads.  In functions of mutexes and conditions, atomic instructions alone
   access the things themselves. */
static SyncInstr sync_of(const SliceView* v, uint32_t i, bool own)
{
   const DcfgWetInstr* in = dcfg_wet_instr(v->w, i);
   bool                atomic = is_atomic(in);
   uint8_t             does = (uint8_t)((in->loads ? ACQUIRES : 0)
                                        | (in->stores ? RELEASES : 0));
   SyncInstr           is = in->function == NULL ? (SyncInstr){ SYNC_NONE, 0,
                                                                false }
                            : sync_of_function(plain_name(in->function));

   if (in->transfer == DCFG_WET_SYSCALL)
      return (SyncInstr){ SYNC_CALL, ACQUIRES, false };
   if (is.sync == SYNC_JOIN)
      return is;
   if (is.sync != SYNC_NONE && !own) {
      if (!atomic)
         is.does &= is.sync == SYNC_MUTEX || is.sync == SYNC_CONDITION ? 0 : does;
      return is.does == 0 ? (SyncInstr){ SYNC_NONE, 0, false } : is;
   }
   if (own && (atomic || (does != 0 && is_of_atomics(in))))
      return (SyncInstr){ SYNC_ATOMIC, atomic ? BOTH : does, false };
   if (own && in->line != 0 && does != 0
       && is_atomic_access(v, i, !in->loads))
      return (SyncInstr){ SYNC_ATOMIC, does, false };
   return (SyncInstr){ SYNC_NONE, atomic ? BOTH : 0, atomic };
}

/* Return whether IN is of PROGRAM, in which code has lines if it is LINED.  In a
   static program that has lines, code without is the C library's. */
static bool is_own(const SliceView* v, const DcfgWetInstr* in,
                   const char* program, bool lined)
{
   return (in->line != 0 || !lined)
          && is_of_program(in->image_name, program, v->own);
}

/* Return the parts of all instructions.  Set *NAMED to whether functions of
   threads have names.  The caller frees the array. */
static SyncInstr* find_sync(const SliceView* v, bool* named)
{
   uint32_t    n = dcfg_wet_instrs(v->w);
   SyncInstr*  all = zalloc(n + (size_t)1, sizeof(*all));
   bool        lined = false;
   const char* program = wet_program(v->w);

   for (uint32_t i = 0; i < n && !lined; i++)
      lined = is_own(v, dcfg_wet_instr(v->w, i), program, true);
   *named = false;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(v->w, i);
      all[i]  = sync_of(v, i, is_own(v, in, program, lined));
      *named |= in->function != NULL
                && strncmp(plain_name(in->function), "pthread_create", 14) == 0;
   }
   return all;
}

/*--- Between a write and a read                           ---*/

static void acquire(Between* b, const DcfgWetEvent* e, uint64_t addr)
{
   uint32_t k = keymap_find(b->addrs, addr);

   if (k == UINT32_MAX || b->released[k].by == e->thread)
      return;
   b->knows[e->thread] = true;
   if (e->thread != b->o->crossing->to)
      return;
   b->o->sync    = (Sync)b->released[k].sync;
   b->o->addr    = addr;
   b->o->through = b->released[k].by;
}

static void release(Between* b, const DcfgWetEvent* e, uint64_t addr, Sync sync)
{
   uint32_t k;

   if (!b->knows[e->thread])
      return;
   k = keymap_number(b->addrs, addr);
   if (k == b->n_released) {
      GROW(b->released, b->n_released, b->room);
      b->n_released++;
   }
   b->released[k] = (Released){ (uint8_t)sync, e->thread };
}

/* Take the access of ADDR by E, which IS. */
static void take_access(OrderSearch* z, const DcfgWetEvent* e, uint64_t addr,
                        SyncInstr is)
{
   uint32_t k = is.known ? keymap_find(z->things, addr)
                         : keymap_number(z->things, addr);

   if (k == UINT32_MAX)
      return;
   if (k == z->n_kinds) {
      GROW(z->kinds, z->n_kinds, z->kinds_room);
      z->kinds[z->n_kinds++] = is.sync;
   }
   /* A condition's functions access its mutex, too. */
   if (is.known || (is.sync == SYNC_CONDITION && z->kinds[k] == SYNC_MUTEX))
      is.sync = z->kinds[k];
   else
      z->kinds[k] = is.sync;
   for (size_t i = 0; i < z->n; i++) {
      Between* b = &z->all[i];
      if (!b->began)
         continue;
      if (is.does & ACQUIRES)
         acquire(b, e, addr);
      if (is.does & RELEASES)
         release(b, e, addr, (Sync)is.sync);
   }
}

/* Take E for crossing B alone: its write, its read, calls, threads. */
static void take_event(Between* b, const DcfgWetEvent* e)
{
   const DcfgSliceCrossing* c = b->o->crossing;

   if (e->kind == DCFG_WET_INSTR && e->time == c->written && e->thread == c->from)
      b->began = b->knows[c->from] = true;
   else if (e->kind == DCFG_WET_INSTR && e->time >= c->read)
      b->began = false;
   if (!b->began) {
      if (e->kind == DCFG_WET_RESULT && e->thread == c->to)
         b->joining = false;
      return;
   }
   /* The reader's call may have begun before the write. */
   if (e->kind == DCFG_WET_RESULT) {
      b->o->reader_called |= e->thread == c->to;
      b->joined           |= e->thread == c->to && b->joining;
   } else if (e->kind == DCFG_WET_CREATED && b->knows[e->thread]) {
      b->knows[e->addr] = true;
      if (e->addr == c->to) {
         b->o->sync = SYNC_CREATION;
         b->o->through = e->thread;
      }
   }
}

/* Note for B that a thread makes a system call, or waits for another's end. */
static void take_call(Between* b, const DcfgWetEvent* e, SyncInstr is)
{
   bool writer = e->thread == b->o->crossing->from;
   bool reader = e->thread == b->o->crossing->to;

   b->joining |= !b->began && reader && is.sync == SYNC_JOIN;
   if (!b->began)
      return;
   b->joined           |= reader && is.sync == SYNC_JOIN;
   b->o->writer_called |= writer && is.sync == SYNC_CALL;
}

/* Take E, an instruction that IS. */
static void take_instr(OrderSearch* z, const DcfgWetEvent* e, SyncInstr is)
{
   bool call = is.sync == SYNC_JOIN || is.sync == SYNC_CALL;

   for (size_t i = 0; i < z->n && call; i++)
      take_call(&z->all[i], e, is);
   for (uint32_t i = 0; i < e->n_accesses && !call; i++)
      if (e->accesses[i] != 0 && is.does != 0)
         take_access(z, e, e->accesses[i], is);
}

/* Go over the events up to the last read. */
static void go(const SliceView* v, OrderSearch* z)
{
   uint32_t       n = dcfg_wet_instrs(v->w);
   bool*          wanted = zalloc(n + (size_t)1, sizeof(bool));
   DcfgWetFilter  f = { wanted, DCFG_NONE, 0, 0 };
   DcfgWetEvents* events;
   DcfgWetEvent   e;
   DcfgError      err;

   for (uint32_t i = 0; i < n; i++)
      wanted[i] = z->instrs[i].does != 0;
   for (size_t i = 0; i < z->n; i++) {
      const DcfgSliceCrossing* c = z->all[i].o->crossing;
      wanted[c->writer] = wanted[c->reader] = true;
      if (c->read >= f.to)
         f.to = c->read + 1;
   }
   events = load_events(v->w, &f);
   while (dcfg_wet_next(events, &e, &err)) {
      for (size_t i = 0; i < z->n; i++)
         take_event(&z->all[i], &e);
      if (e.kind == DCFG_WET_INSTR)
         take_instr(z, &e, z->instrs[e.instr]);
   }
   need_file(err.status == DCFG_OK, &err, KIND_WET);
   dcfg_wet_events_free(events);
   free(wanted);
}

/* Find what orders each of the N crossings ALL; of several things, the one that
   the reader's thread acquired last.  Reads the trace once, up to the last read.
   Return false if this cannot be known. */
static bool find_order(const SliceView* v, Ordered* all, size_t n)
{
   bool   named = false;
   OrderSearch z = { .n = n };

   if (wet_begins_late(v->w))
      return false;
   z.instrs = find_sync(v, &named);
   z.all    = zalloc(n + 1, sizeof(*z.all));
   z.things = keymap_new();
   for (size_t i = 0; i < n; i++)
      z.all[i] = (Between){ .o = &all[i], .addrs = keymap_new(),
                            .knows = zalloc(dcfg_wet_threads(v->w) + (size_t)1,
                                            sizeof(bool)) };
   if (named)
      go(v, &z);
   for (size_t i = 0; i < n; i++) {
      const DcfgSliceCrossing* c = all[i].crossing;
      if (all[i].sync == SYNC_NONE && z.all[i].joined
          && v->s->thread_ends[c->from] < c->read)
         all[i].sync = SYNC_JOIN;
      keymap_free(z.all[i].addrs);
      FREE_ALL(z.all[i].knows, z.all[i].released);
   }
   keymap_free(z.things);
   FREE_ALL(z.kinds, z.all, z.instrs);
   return named;
}

static bool next_instance(DcfgWetEvents* events, DcfgWetEvent* e)
{
   DcfgError err;

   while (dcfg_wet_next(events, e, &err))
      if (e->kind == DCFG_WET_INSTR)
         return true;
   need_file(err.status == DCFG_OK, &err, KIND_WET);
   return false;
}

/* Return the function that THREAD executed first, among instructions that
   OWN marks; NULL if there is none, or if it has no name. */
static const char* first_function(const SliceView* v, const bool* own,
                           uint32_t thread)
{
   const DcfgWetFilter f = { own, thread, 0, UINT64_MAX };
   DcfgWetEvents* events = load_events(v->w, &f);
   DcfgWetEvent   e;
   const char*    function = NULL;

   if (next_instance(events, &e))
      function = dcfg_wet_instr(v->w, e.instr)->function;
   dcfg_wet_events_free(events);
   return function;
}

#define MOST_CROSSINGS 5
#define FUNCTION_WIDTH 48       // columns of a thread's function

/*--- The column                                           ---*/

bool slice_has_threads(const SliceView* v)
{
   uint64_t all = 0;

   for (uint32_t i = 0; i < dcfg_wet_instrs(v->w); i++)
      all |= v->s->totals[i].threads;
   return (all & (all - 1)) != 0;
}

void slice_put_threads_head(FILE* out)
{
   fprintf(out, "%*s", THREADS_WIDTH, "thread");
}

/* Write THREADS as "1", "0,2" or "0-3".  Of many threads, write the first
   ones and how many more there are. */
void slice_put_threads(FILE* out, uint64_t threads)
{
   unsigned    n = (unsigned)__builtin_popcountll(threads);
   unsigned    first = (unsigned)__builtin_ctzll(threads | UINT64_C(1) << 63);
   unsigned    last = 63 - (unsigned)__builtin_clzll(threads | 1);
   const char* text = "";

   if (n > 2 && last - first + 1 == n && last < 63)
      text = text_format("%u-%u", first, last);
   else
      for (unsigned t = first, told = 0; t <= last; t++) {
         if (!(threads >> t & 1))
            continue;
         if (n > 3 && told == 2) {
            text = text_format("%s+%u", text, n - told);
            break;
         }
         text = text_format(t == 63 ? "%s%s63.." : "%s%s%u", text,
                            told++ == 0 ? "" : ",", t);
      }
   fprintf(out, "%*s", THREADS_WIDTH, text);
}

/*--- Crossings                                            ---*/

/* Shown: the nearest crossing between two places. */
typedef
   struct {
      const DcfgSliceCrossing* c;
      const char* writer;       // place of the writer, in words
      const char* reader;
      bool        library;      // one of the places is a library's
   }
   Shown;

/* Return, by instruction, whether it is the program's own.  The caller frees
   the array. */
static bool* find_own(const SliceView* v)
{
   const char* program = wet_program(v->w);
   uint32_t    n = dcfg_wet_instrs(v->w);
   bool*       own = zalloc(n + (size_t)1, sizeof(*own));

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(v->w, i);
      own[i] = is_of_program(in->image_name, program, v->own)
               && !is_of_system(in->source);
   }
   return own;
}

/* If any code in OWN has source lines, remove code that has none: start-up
   code, stubs and the like. */
static void keep_lines(const SliceView* v, bool* own)
{
   uint32_t n = dcfg_wet_instrs(v->w);
   bool     lines = false;

   for (uint32_t i = 0; i < n; i++)
      lines |= own[i] && dcfg_wet_instr(v->w, i)->line != 0;
   for (uint32_t i = 0; i < n && lines; i++)
      own[i] &= dcfg_wet_instr(v->w, i)->line != 0;
}

static const char* place_of(const SliceView* v, uint32_t instr)
{
   const DcfgWetInstr in = *dcfg_wet_instr(v->w, instr);
   const char*        place = slice_place(&in);

   return place[0] != 0 ? place : text_format("0x%" PRIx64, in.addr);
}

/* Return the crossings that are shown, each pair of places and threads once,
   and set *N to their number.  The program's come first.  Among these, a
   pair of places comes with its nearest threads first, and later with
   others.  The caller frees the array. */
static Shown* find_shown(const SliceView* v, const bool* own, size_t* n)
{
   Shown* all = zalloc(v->s->n_crossings + (size_t)1, sizeof(*all));

   *n = 0;
   for (int pass = 0; pass < 4; pass++)
      for (uint32_t i = 0; i < v->s->n_crossings; i++) {
         const DcfgSliceCrossing* c = &v->s->crossings[i];
         Shown  row = { c, place_of(v, c->writer), place_of(v, c->reader),
                        !own[c->writer] || !own[c->reader] };
         size_t k = 0;
         if (row.library != (pass >= 2))
            continue;
         while (k < *n && (strcmp(all[k].writer, row.writer) != 0
                           || strcmp(all[k].reader, row.reader) != 0
                           || (pass % 2 == 1 && (all[k].c->from != c->from
                                                 || all[k].c->to != c->to))))
            k++;
         if (k == *n)
            all[(*n)++] = row;
      }
   return all;
}

/* Return THREAD with the function of OWN that it began with, as "1
   (worker)". */
static const char* thread_text(const SliceView* v, const bool* own,
                               uint32_t thread)
{
   const char* name = NULL;

   for (uint32_t i = 0; i < dcfg_wet_instrs(v->w) && thread == 0; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(v->w, i);
      if (own[i] && in->function != NULL && strcmp(in->function, "main") == 0)
         name = in->function;
   }
   if (thread > 0)
      name = first_function(v, own, thread);
   return name == NULL ? text_format("%" PRIu32, thread)
          : text_format("%" PRIu32 " (%s)", thread,
                        text_shorten(text_clean(text_brief(text_demangle(name))),
                                     FUNCTION_WIDTH));
}

const char* slice_thread(const SliceView* v, uint32_t thread)
{
   bool*       own = find_own(v);
   const char* text;

   keep_lines(v, own);
   text = thread_text(v, own, thread);
   free(own);
   return text;
}

/* Return what orders O, or that nothing does. */
static const char* order_text(const SliceView* v, const Ordered* o)
{
   static const char* const words[] = {
      [SYNC_ATOMIC] = "atomic accesses of", [SYNC_MUTEX] = "mutex",
      [SYNC_CONDITION] = "condition variable", [SYNC_RWLOCK] = "read-write lock",
      [SYNC_SPIN] = "spin lock", [SYNC_BARRIER] = "barrier",
      [SYNC_SEMAPHORE] = "semaphore", [SYNC_ONCE] = "the one initialization by"
   };
   const DcfgSliceCrossing* c = o->crossing;
   const char*              name;

   if (o->sync == SYNC_CREATION)
      return text_format("ordered by the creation of thread %" PRIu32, c->to);
   if (o->sync == SYNC_JOIN)
      return "ordered by a join";
   if (o->sync == SYNC_NONE)
      return text_format("unordered: no lock, atomic access or join lies between"
                         "%s", o->writer_called && o->reader_called
                         ? "; both threads made system calls, which may order "
                           "them" : "");
   name = variable_at(v->found->program, o->addr, c->read);
   name = name == NULL ? text_format("0x%" PRIx64, o->addr)
          : text_format("%.*s", (int)strcspn(name, "+"), name);
   return text_format("ordered by %s %s%s", words[o->sync], name,
                      o->through == c->from ? ""
                      : text_format(", through thread %" PRIu32, o->through));
}

/* Return what else the trace shows of the order, such as "; thread 1 began
   after the write". */
static const char* life_text(const DcfgSlice* s, const Ordered* o)
{
   const DcfgSliceCrossing* c = o->crossing;

   if (o->sync == SYNC_CREATION || o->sync == SYNC_JOIN)
      return "";
   if (s->thread_begins[c->to] > c->written)
      return text_format("; thread %" PRIu32 " began after the write", c->to);
   if (s->thread_ends[c->from] < c->read)
      return text_format("; the read came after thread %" PRIu32 "'s last "
                         "instruction", c->from);
   return "";
}

void slice_put_crossings(FILE* out, const SliceView* v)
{
   bool*         own = find_own(v);
   size_t        n, shown;
   Shown*        all;
   Ordered*      ordered;
   bool          known;

   keep_lines(v, own);
   all     = find_shown(v, own, &n);
   shown   = n < MOST_CROSSINGS ? n : MOST_CROSSINGS;
   while (shown > 0 && all[shown - 1].library && !all[0].library)
      shown--;
   ordered = zalloc(shown + 1, sizeof(*ordered));
   for (size_t i = 0; i < shown; i++)
      ordered[i].crossing = all[i].c;
   known = shown > 0 && find_order(v, ordered, shown);
   for (size_t i = 0; i < shown; i++) {
      const DcfgSliceCrossing* c = all[i].c;
      fprintf(out, "%s%s reads what %s wrote: written by thread %s, read by "
              "thread %s; %s%s\n", i == 0 ? "\n" : "", all[i].reader,
              all[i].writer, thread_text(v, own, c->from),
              thread_text(v, own, c->to),
              known ? order_text(v, &ordered[i])
              : "whether anything orders them is not known",
              life_text(v->s, &ordered[i]));
   }
   if (n > shown && shown > 0)
      fprintf(out, "%s more went from thread to thread\n",
              text_count(n - shown));
   FREE_ALL(ordered, all, own);
}
