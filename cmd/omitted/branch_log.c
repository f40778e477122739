/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances of branches, and their activations. */

/* Owns: instances of branches, and their activations.  Handed: the graph of
   the code, a trace.

   One pass over the trace fills the log.  If the program's code ran rarely
   enough, the log has all of it, and later questions need no other pass.  An
   activation begins with the first instruction of its function, and ends
   with a return.  The first instruction of the function that accesses the
   stack shows the call frame address. */

#include "cmd/omitted/sides.h"

#include "cmd/base/cmd.h"
#include "cmd/base/operands.h"
#include "cmd/machine/processor.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ENTRIES     (1 << 16)      // the last ones of a node are kept
#define MOST_UNASKED     (1 << 20)      // entries of nodes that nobody needs
#define MOST_ACTIVATIONS (1 << 20)      // the last ones are kept
#define FARTHEST         16     // instructions before the stack is accessed

enum { ROLE_ENTRY = 1, ROLE_FRAME = 2, ROLE_RETURN = 4, ROLE_BRANCH = 8,
       ROLE_LOGGED = 16 };

/* Log: a ring of the last instances of a node. */
typedef
   struct {
      LogEntry* entries;
      size_t    n, room;        // .n also counts entries that are gone
   }
   Log;

typedef
   struct {
      uint32_t number, entry;   // serial number; begin of its function
      uint64_t frame;           // or 0
      uint64_t end;             // .order of its return, or UINT64_MAX
   }
   Activation;

/* LogThread: the active activations of a thread, and the branch that it
   executed last. */
typedef
   struct {
      uint32_t* active;
      size_t    n, room;
      uint32_t  branch;         // or NO_NODE
   }
   LogThread;

struct BranchLog {
   const StaticCode* c;
   uint8_t*    roles;           // by node
   int64_t*    frames;          // by node with ROLE_FRAME: distance of the
                                // frame from the address that it accesses
   Log*        logs;            // by node
   Activation* activations;     // a ring
   uint32_t    n_activations;
   LogThread*  threads;
   size_t      n_threads;
   uint64_t    word;
   bool        bounded;
};

/*--- Nodes that are logged                                ---*/

/* Return whether N, whose effect is E, stores to the stack and moves the
   stack pointer there. */
static bool is_push(const StaticCode* code, uint32_t n, const InstrEffect* e)
{
   const DcfgWetInstr* in;

   if (!e->on_stack || e->n_memory > 0 || e->call
       || code->nodes[n].instr == NO_NODE)
      return false;
   in = dcfg_wet_instr(code->w, code->nodes[n].instr);
   return in->stores && !in->loads;
}

/* Find the first instruction that shows the call frame address of the
   function at ENTRY, and give it ROLE_FRAME. */
static void find_frame(BranchLog* branches, uint32_t entry)
{
   const StaticCode* c = branches->c;
   uint32_t          n = entry;

   for (unsigned far = 0; far < FARTHEST; far++) {
      InstrEffect e;
      unsigned    reg;
      int64_t     offset;
      if (!code_effect(c, n, &e))
         return;
      if (is_push(c, n, &e)
          && code_frame(c->names, c->nodes[n].near, c->nodes[n].addr, &reg,
                        &offset)
          && reg == processor_of(c->w)->stack) {
         branches->frames[n]  = offset + (int64_t)branches->word;
         branches->roles[n]  |= ROLE_FRAME;
         return;
      }
      if (!e.on_stack && e.n_memory == 1
          && operand_in_frame(c, n, &e.memory[0], &offset)) {
         branches->frames[n]  = -offset;
         branches->roles[n]  |= ROLE_FRAME;
         return;
      }
      if (c->nodes[n].n != 1)
         return;
      n = code_successor(c, n, 0);
   }
}

/* Give roles to the entries, frames and returns of the functions with logged
   nodes. */
static void follow_functions(BranchLog* branches)
{
   const CodeNode* nodes = branches->c->nodes;
   uint32_t        n = branches->c->n;

   for (uint32_t i = 0; i < n; i++)
      if ((branches->roles[i] & ROLE_LOGGED) && nodes[i].entry != NO_NODE)
         branches->roles[nodes[i].entry] |= ROLE_ENTRY;
   for (uint32_t i = 0; i < n; i++) {
      if (branches->roles[i] & ROLE_ENTRY)
         find_frame(branches, i);
      if (nodes[i].returns && nodes[i].entry != NO_NODE
          && (branches->roles[nodes[i].entry] & ROLE_ENTRY))
         branches->roles[i] |= ROLE_RETURN;
   }
}

static void choose_branch(const StaticCode* code, uint8_t* roles, uint32_t b)
{
   roles[b] |= ROLE_BRANCH | ROLE_LOGGED;
   if (code->nodes[b].up != NO_NODE)
      roles[code->nodes[b].up] |= ROLE_LOGGED;
}

/* Return, by node, the roles that STORES need.  The caller frees the array. */
static uint8_t* needed_roles(const StaticCode* code, const Wants* wants,
                             const SideStores* stores)
{
   uint8_t* roles = zalloc(code->n + (size_t)1, 1);

   for (size_t i = 0; i < stores->n; i++) {
      const Want* w = &wants->all[stores->all[i].want];
      choose_branch(code, roles, stores->all[i].branch);
      if (!w->memory)
         roles[w->at] |= ROLE_LOGGED;
   }
   return roles;
}

/* Return how many entries a log of the nodes with a role in ROLES would
   have. */
static uint64_t count_entries(const StaticCode* code, const uint8_t* roles,
                              const uint64_t* executed)
{
   uint64_t sum = 0;

   for (uint32_t i = 0; i < code->n; i++)
      if (roles[i] != 0 && code->nodes[i].instr != NO_NODE)
         sum += executed[code->nodes[i].instr];
   return sum;
}

/* Log all nodes, or else all branches, if these have few entries. */
static void choose_more(BranchLog* branches, const uint64_t* executed)
{
   const StaticCode* c = branches->c;
   uint8_t*          roles = zalloc(c->n + (size_t)1, 1);
   bool              all = false;

   for (int tries = 0; tries < 2 && !all; tries++) {
      memset(roles, 0, c->n);
      for (uint32_t i = 0; i < c->n; i++) {
         if (code_is_branch(c, i))
            choose_branch(c, roles, i);
         if (tries == 0)
            roles[i] |= ROLE_LOGGED;
      }
      all = count_entries(c, roles, executed) <= MOST_UNASKED;
   }
   for (uint32_t i = 0; i < c->n && all; i++)
      branches->roles[i] |= roles[i];
   free(roles);
}

/* Return, by instruction, whether the pass reads it: it is a node with a
   role, or a successor of a logged branch.  The caller frees the array. */
static bool* choose_instrs(const BranchLog* branches)
{
   const StaticCode* c = branches->c;
   bool*             instrs = zalloc(dcfg_wet_instrs(c->w) + (size_t)1, 1);

   for (uint32_t n = 0; n < c->n; n++) {
      if (branches->roles[n] != 0 && c->nodes[n].instr != NO_NODE)
         instrs[c->nodes[n].instr] = true;
      for (uint32_t k = 0;
           (branches->roles[n] & ROLE_BRANCH) && k < c->nodes[n].n;
           k++) {
         uint32_t to = c->nodes[code_successor(c, n, k)].instr;
         if (to != NO_NODE)
            instrs[to] = true;
      }
   }
   return instrs;
}

/*--- Activations                                          ---*/

static Activation* activation(const BranchLog* branches, uint32_t number)
{
   Activation* a = &branches->activations[number % MOST_ACTIVATIONS];

   return number == NO_ACTIVATION || a->number != number ? NULL : a;
}

static void enter(BranchLog* branches, LogThread* t, uint32_t entry)
{
   uint32_t number = branches->n_activations++;

   branches->activations[number % MOST_ACTIVATIONS]
             = (Activation){ number, entry, 0, UINT64_MAX };
   GROW(t->active, t->n, t->room);
   t->active[t->n++] = number;
}

/* Set the frame of the innermost activation of T.  Activations below it on
   the stack have ended, as after an exception: remove them. */
static void take_frame(BranchLog* branches, LogThread* t, uint64_t frame)
{
   uint32_t    top;
   Activation* a;

   if (t->n == 0 || (a = activation(branches, t->active[t->n - 1])) == NULL)
      return;
   a->frame = frame;
   top = t->active[--t->n];
   while (t->n > 0) {
      const Activation* below = activation(branches, t->active[t->n - 1]);
      if (below != NULL && (below->frame == 0 || below->frame > frame))
         break;
      t->n--;
   }
   t->active[t->n++] = top;
}

/* Take a return, at ORDER, of the function at ENTRY: its return address was
   at ADDR.  End the activations that it leaves. */
static void leave(BranchLog* branches, LogThread* t, uint32_t entry,
                  uint64_t addr, uint64_t order)
{
   while (t->n > 0) {
      Activation* a = activation(branches, t->active[t->n - 1]);
      if (a != NULL && a->frame > addr + branches->word)
         return;
      t->n--;
      if (a != NULL) {
         a->end = order;
         if (a->entry == entry
             && (a->frame == addr + branches->word || a->frame == 0))
            return;
      }
   }
}

/* Return the innermost activation of the function at ENTRY, or
   NO_ACTIVATION. */
static uint32_t activation_of(const BranchLog* branches, const LogThread* t,
                              uint32_t entry)
{
   for (size_t i = t->n; i-- > 0; ) {
      const Activation* a = activation(branches, t->active[i]);
      if (a != NULL && a->entry == entry)
         return a->number;
   }
   return NO_ACTIVATION;
}

/*--- The pass                                             ---*/

static LogEntry* add_entry(BranchLog* branches, uint32_t node)
{
   Log* log = &branches->logs[node];

   if (log->n >= MOST_ENTRIES) {
      branches->bounded = true;
      return &log->entries[log->n++ % MOST_ENTRIES];
   }
   GROW(log->entries, log->n, log->room);
   return &log->entries[log->n++];
}

static LogEntry* last_entry(const BranchLog* branches, uint32_t node)
{
   const Log* log = &branches->logs[node];

   return &log->entries[(log->n - 1) % MOST_ENTRIES];
}

static bool leads_to(const StaticCode* code, uint32_t n, uint32_t to)
{
   for (uint32_t k = 0; k < code->nodes[n].n; k++)
      if (code_successor(code, n, k) == to)
         return true;
   return false;
}

static void take_event(BranchLog* branches, const DcfgWetEvent* e,
                       uint32_t node)
{
   LogThread*      t = &branches->threads[e->thread];
   uint8_t         role = branches->roles[node];
   const CodeNode* at = &branches->c->nodes[node];

   if (t->branch != NO_NODE && leads_to(branches->c, t->branch, node))
      last_entry(branches, t->branch)->taken = node;
   t->branch = NO_NODE;
   if (role & ROLE_ENTRY)
      enter(branches, t, node);
   if ((role & ROLE_FRAME) && e->n_accesses > 0 && e->accesses[0] != 0)
      take_frame(branches, t,
                 e->accesses[0] + (uint64_t)branches->frames[node]);
   if (role & ROLE_LOGGED)
      *add_entry(branches, node)
         = (LogEntry){ e->time, e->instance,
                       activation_of(branches, t, at->entry), NO_NODE };
   if (role & ROLE_BRANCH)
      t->branch = node;
   if ((role & ROLE_RETURN) && e->n_accesses > 0)
      leave(branches, t, at->entry, e->accesses[0], e->time);
}

static bool read_trace(BranchLog* branches, DcfgWet* wet, const bool* instrs)
{
   DcfgWetFilter filter = { .instrs = instrs, .thread = DCFG_NONE,
                            .to = UINT64_MAX };
   uint32_t*     nodes = zalloc(dcfg_wet_instrs(wet) + (size_t)1,
                                sizeof(*nodes));
   DcfgWetEvent  e;
   DcfgError     err;
   bool          ok = dcfg_wet_select(wet, &filter, &err);

   for (uint32_t i = 0; i < dcfg_wet_instrs(wet); i++)
      nodes[i] = instrs[i]
                 ? code_node_at(branches->c, dcfg_wet_instr(wet, i)->addr, i)
                 : NO_NODE;
   while (ok && dcfg_wet_next(wet, &e, &err))
      if (e.kind == DCFG_WET_INSTR && nodes[e.instr] != NO_NODE
          && e.thread < branches->n_threads)
         take_event(branches, &e, nodes[e.instr]);
   ok = ok && err.status == DCFG_OK;
   free(nodes);
   return ok;
}

bool branch_log_has(const BranchLog* branches, const Wants* wants,
                    const SideStores* stores)
{
   uint8_t* needed = needed_roles(branches->c, wants, stores);
   bool     has = true;

   for (uint32_t i = 0; i < branches->c->n && has; i++)
      has = (needed[i] & ~branches->roles[i]) == 0;
   free(needed);
   return has;
}

BranchLog* branch_log_new(const StaticCode* code, const char* file,
                          const Wants* wants, const SideStores* stores,
                          const uint64_t* executed)
{
   BranchLog*  l = zalloc(1, sizeof(*l));
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgWet*    w = dcfg_wet_open(file, &options, &err);
   bool*       instrs;
   bool        ok = false;

   l->c         = code;
   l->roles     = needed_roles(code, wants, stores);
   l->frames    = zalloc(code->n + (size_t)1, sizeof(*l->frames));
   l->logs      = zalloc(code->n + (size_t)1, sizeof(*l->logs));
   l->n_threads = dcfg_wet_threads(code->w);
   l->threads   = zalloc(l->n_threads + 1, sizeof(*l->threads));
   l->word      = dcfg_wet_instrs(code->w) == 0 ? 8
                  : dcfg_wet_instr(code->w, 0)->address_size;
   l->activations = zalloc(MOST_ACTIVATIONS, sizeof(*l->activations));
   for (size_t t = 0; t < l->n_threads; t++)
      l->threads[t].branch = NO_NODE;
   choose_more(l, executed);
   follow_functions(l);
   instrs = choose_instrs(l);
   if (w != NULL && dcfg_wet_instrs(w) == dcfg_wet_instrs(code->w))
      ok = read_trace(l, w, instrs);
   dcfg_wet_close(w);
   free(instrs);
   if (ok)
      return l;
   branch_log_free(l);
   return NULL;
}

void branch_log_free(BranchLog* branches)
{
   if (branches == NULL)
      return;
   for (uint32_t n = 0; n < branches->c->n; n++)
      free(branches->logs[n].entries);
   for (size_t t = 0; t < branches->n_threads; t++)
      free(branches->threads[t].active);
   free(branches->threads);
   free(branches->activations);
   free(branches->roles);
   free(branches->frames);
   free(branches->logs);
   free(branches);
}

/*--- Questions                                            ---*/

bool branch_log_is_bounded(const BranchLog* branches)
{
   return branches->bounded;
}

/* Return entry K of LOG, which must be kept. */
static const LogEntry* entry_at(const Log* log, size_t k)
{
   return &log->entries[k % MOST_ENTRIES];
}

static size_t first_kept(const Log* log)
{
   return log->n > MOST_ENTRIES ? log->n - MOST_ENTRIES : 0;
}

/* Return the number of the first kept entry of LOG at ORDER or behind it. */
static size_t entry_from(const Log* log, uint64_t order)
{
   size_t low = first_kept(log), high = log->n;

   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (entry_at(log, middle)->order < order)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

const LogEntry* branch_log_before(const BranchLog* branches, uint32_t node,
                                  uint64_t order)
{
   const Log* log = &branches->logs[node];
   size_t     k = entry_from(log, order);

   return k == first_kept(log) ? NULL : entry_at(log, k - 1);
}

const LogEntry* branch_log_previous(const BranchLog* branches, uint32_t node,
                                    const LogEntry* entry)
{
   return branch_log_before(branches, node, entry->order);
}

bool branch_log_is_over(const BranchLog* branches, uint32_t node,
                        const LogEntry* entry, uint64_t order)
{
   uint32_t          up = branches->c->nodes[node].up;
   const Activation* a = activation(branches, entry->activation);
   const Log*        log;

   if (a != NULL && a->end < order)
      return true;
   if (up == NO_NODE)
      return false;
   log = &branches->logs[up];
   for (size_t k = entry_from(log, entry->order + 1); k < log->n; k++) {
      const LogEntry* e = entry_at(log, k);
      if (e->order > order)
         return false;
      if (e->activation == entry->activation)
         return true;
   }
   return false;
}

uint64_t branch_log_frame(const BranchLog* branches, uint32_t number)
{
   const Activation* a = activation(branches, number);

   return a == NULL ? 0 : a->frame;
}
