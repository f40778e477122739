/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances of branches, and their activations. */

/* Owns: instances of branches, and their activations.  Handed: the graph of
   the code, a trace.

   One pass over the trace fills the log.  If the program's code ran rarely
   enough, the log has all of it, and later questions need no other pass.
   dcfg_calls.h has the rules of activations. */

#include "cmd/omitted/sides.h"

#include "lib/dcfg_calls.h"

#define MOST_ENTRIES     (1 << 16)      // the last ones of a node are kept
#define MOST_UNASKED     (1 << 20)      // entries of nodes that nobody needs
#define MOST_ACTIVATIONS (1 << 20)      // the last ones are kept

enum { ROLE_BRANCH = 1, ROLE_LOGGED = 2 };

/* Log: a ring of the last instances of a node. */
typedef
   struct {
      LogEntry* entries;
      size_t    n, room;        // .n also counts entries that are gone
   }
   Log;

typedef
   struct {
      uint32_t number;          // serial number
      uint64_t frame;           // or 0
      uint64_t end;             // .order behind its end, or UINT64_MAX
   }
   Activation;

struct BranchLog {
   const StaticCode* c;
   uint8_t*    roles;           // by node
   Log*        logs;            // by node
   Activation* activations;     // a ring
   DcfgCalls*  calls;
   uint64_t    now;             // .order of the present instance
   uint32_t*   latest;          // by thread: the branch that it executed last,
                                // or NO_NODE
   uint32_t    n_threads;
   bool        bounded;
};

/*--- Nodes that are logged                                ---*/

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
   role, a successor of a logged branch, or a transfer.  The caller frees the
   array. */
static bool* choose_instrs(const BranchLog* branches)
{
   const StaticCode* c = branches->c;
   bool*             instrs = zalloc(dcfg_wet_instrs(c->w) + (size_t)1, 1);

   dcfg_calls_need(c->w, instrs);
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

static void begin_call(void* arg, const DcfgCall* call)
{
   BranchLog* l = arg;

   l->activations[call->number % MOST_ACTIVATIONS]
      = (Activation){ (uint32_t)call->number, call->frame, UINT64_MAX };
}

static void end_call(void* arg, const DcfgCall* call)
{
   BranchLog*  l = arg;
   Activation* a = &l->activations[call->number % MOST_ACTIVATIONS];

   if (a->number == (uint32_t)call->number)
      a->end = l->now;
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

static void log_instance(BranchLog* branches, const DcfgWetEvent* e,
                         uint32_t node)
{
   const DcfgCall* in = dcfg_calls_top(branches->calls, e->thread);
   uint32_t*       branch = &branches->latest[e->thread];

   if (*branch != NO_NODE && leads_to(branches->c, *branch, node))
      last_entry(branches, *branch)->taken = node;
   *branch = NO_NODE;
   if (branches->roles[node] & ROLE_LOGGED)
      *add_entry(branches, node)
         = (LogEntry){ e->time, e->instance,
                       in == NULL ? NO_ACTIVATION : (uint32_t)in->number,
                       NO_NODE };
   if (branches->roles[node] & ROLE_BRANCH)
      *branch = node;
}

/* Take event E at NODE, or NO_NODE.  Return false if memory is short. */
static bool take_event(BranchLog* branches, const DcfgWetEvent* e,
                       uint32_t node)
{
   if (e->thread >= branches->n_threads)
      return true;
   if (!dcfg_calls_arrive(branches->calls, e))
      return false;
   if (e->kind == DCFG_WET_INSTR) {
      branches->now = e->time;
      if (node != NO_NODE)
         log_instance(branches, e, node);
   }
   return dcfg_calls_event(branches->calls, e);
}

static bool read_trace(BranchLog* branches, DcfgWet* wet, const bool* instrs)
{
   DcfgWetFilter filter = { .instrs = instrs, .thread = DCFG_NONE,
                            .to = UINT64_MAX };
   uint32_t*     nodes = zalloc(dcfg_wet_instrs(wet) + (size_t)1,
                                sizeof(*nodes));
   DcfgWetEvent   e;
   DcfgError      err;
   DcfgWetEvents* v = dcfg_wet_events_new(wet, &err);
   DcfgCallWatcher watcher = { .begin = begin_call, .end = end_call,
                               .arg = branches };
   bool           ok;

   branches->calls = v == NULL ? NULL : dcfg_calls_of_wet(wet, &watcher, &err);
   ok       = branches->calls != NULL && dcfg_wet_select(v, &filter, &err);

   for (uint32_t i = 0; i < dcfg_wet_instrs(wet); i++)
      nodes[i] = instrs[i]
                 ? code_node_at(branches->c, dcfg_wet_instr(wet, i)->addr, i)
                 : NO_NODE;
   while (ok && dcfg_wet_next(v, &e, &err))
      ok = take_event(branches, &e, e.kind == DCFG_WET_INSTR ? nodes[e.instr]
                                                             : NO_NODE);
   ok = ok && err.status == DCFG_OK;
   dcfg_calls_free(branches->calls);
   branches->calls = NULL;
   dcfg_wet_events_free(v);
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

BranchLog* branch_log_new(const StaticCode* code, const Wants* wants,
                          const SideStores* stores, const uint64_t* executed)
{
   BranchLog* l = zalloc(1, sizeof(*l));
   bool*      instrs;
   bool       ok;

   l->c         = code;
   l->roles     = needed_roles(code, wants, stores);
   l->logs      = zalloc(code->n + (size_t)1, sizeof(*l->logs));
   l->n_threads = dcfg_wet_threads(code->w);
   l->latest    = zalloc(l->n_threads + (size_t)1, sizeof(*l->latest));
   l->activations = zalloc(MOST_ACTIVATIONS, sizeof(*l->activations));
   for (size_t t = 0; t < l->n_threads; t++)
      l->latest[t] = NO_NODE;
   choose_more(l, executed);
   instrs = choose_instrs(l);
   ok     = read_trace(l, code->w, instrs);
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
   FREE_ALL(branches->latest, branches->activations, branches->roles,
            branches->logs, branches);
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
   size_t low = first_kept(log);

   BISECT(low, log->n, middle, entry_at(log, middle)->order < order);
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
