/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances of branches, and their activations. */

/* Owns: instances of branches, and their activations.  Handed: the graph of
   the code, a trace.

   One pass over the trace fills the log.  If the program's code ran rarely
   enough, the log has all of it, and later questions need no other pass.
   dcfg_calls.h has the rules of activations. */

#include "cmd/omitted/sides.h"

#include "cmd/base/cmd.h"
#include "cmd/base/operands.h"

#include "lib/dcfg_calls.h"

#include <stdlib.h>
#include <string.h>

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

static void choose_branch(const StaticCode* c, uint8_t* roles, uint32_t b)
{
   roles[b] |= ROLE_BRANCH | ROLE_LOGGED;
   if (c->nodes[b].up != NO_NODE)
      roles[c->nodes[b].up] |= ROLE_LOGGED;
}

/* Return, by node, the roles that STORES need.  The caller frees the array. */
static uint8_t* needed_roles(const StaticCode* c, const Wants* wants,
                             const SideStores* stores)
{
   uint8_t* roles = zalloc(c->n + (size_t)1, 1);

   for (size_t i = 0; i < stores->n; i++) {
      const Want* w = &wants->all[stores->all[i].want];
      choose_branch(c, roles, stores->all[i].branch);
      if (!w->memory)
         roles[w->at] |= ROLE_LOGGED;
   }
   return roles;
}

/* Return how many entries a log of the nodes with a role in ROLES would
   have. */
static uint64_t count_entries(const StaticCode* c, const uint8_t* roles,
                              const uint64_t* executed)
{
   uint64_t sum = 0;

   for (uint32_t i = 0; i < c->n; i++)
      if (roles[i] != 0 && c->nodes[i].instr != NO_NODE)
         sum += executed[c->nodes[i].instr];
   return sum;
}

/* Log all nodes, or else all branches, if these have few entries. */
static void choose_more(BranchLog* l, const uint64_t* executed)
{
   const StaticCode* c = l->c;
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
      l->roles[i] |= roles[i];
   free(roles);
}

/* Return, by instruction, whether the pass reads it: it is a node with a
   role, a successor of a logged branch, or a transfer.  The caller frees the
   array. */
static bool* choose_instrs(const BranchLog* l)
{
   const StaticCode* c = l->c;
   bool*             instrs = zalloc(dcfg_wet_instrs(c->w) + (size_t)1, 1);

   dcfg_calls_need(c->w, instrs);
   for (uint32_t n = 0; n < c->n; n++) {
      if (l->roles[n] != 0 && c->nodes[n].instr != NO_NODE)
         instrs[c->nodes[n].instr] = true;
      for (uint32_t k = 0; (l->roles[n] & ROLE_BRANCH) && k < c->nodes[n].n;
           k++) {
         uint32_t to = c->nodes[code_successor(c, n, k)].instr;
         if (to != NO_NODE)
            instrs[to] = true;
      }
   }
   return instrs;
}

/*--- Activations                                          ---*/

static Activation* activation(const BranchLog* l, uint32_t number)
{
   Activation* a = &l->activations[number % MOST_ACTIVATIONS];

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

static LogEntry* add_entry(BranchLog* l, uint32_t node)
{
   Log* log = &l->logs[node];

   if (log->n >= MOST_ENTRIES) {
      l->bounded = true;
      return &log->entries[log->n++ % MOST_ENTRIES];
   }
   GROW(log->entries, log->n, log->room);
   return &log->entries[log->n++];
}

static LogEntry* last_entry(const BranchLog* l, uint32_t node)
{
   const Log* log = &l->logs[node];

   return &log->entries[(log->n - 1) % MOST_ENTRIES];
}

static bool leads_to(const StaticCode* c, uint32_t n, uint32_t to)
{
   for (uint32_t k = 0; k < c->nodes[n].n; k++)
      if (code_successor(c, n, k) == to)
         return true;
   return false;
}

static void log_instance(BranchLog* l, const DcfgWetEvent* e, uint32_t node)
{
   const DcfgCall* in = dcfg_calls_top(l->calls, e->thread);
   uint32_t*       branch = &l->latest[e->thread];

   if (*branch != NO_NODE && leads_to(l->c, *branch, node))
      last_entry(l, *branch)->taken = node;
   *branch = NO_NODE;
   if (l->roles[node] & ROLE_LOGGED)
      *add_entry(l, node)
         = (LogEntry){ e->time, e->instance,
                       in == NULL ? NO_ACTIVATION : (uint32_t)in->number,
                       NO_NODE };
   if (l->roles[node] & ROLE_BRANCH)
      *branch = node;
}

/* Take event E at NODE, or NO_NODE.  Return false if memory is short. */
static bool take_event(BranchLog* l, const DcfgWetEvent* e, uint32_t node)
{
   if (e->thread >= l->n_threads)
      return true;
   if (e->kind == DCFG_WET_INSTR) {
      l->now = e->time;
      if (node != NO_NODE)
         log_instance(l, e, node);
   }
   return dcfg_calls_event(l->calls, e);
}

static bool read_trace(BranchLog* l, DcfgWet* w, const bool* instrs)
{
   DcfgWetFilter filter = { .instrs = instrs, .thread = DCFG_NONE,
                            .to = UINT64_MAX };
   uint32_t*     nodes = zalloc(dcfg_wet_instrs(w) + (size_t)1,
                                sizeof(*nodes));
   DcfgWetEvent  e;
   DcfgError     err;
   DcfgCallWatcher watcher = { begin_call, end_call, l };
   bool          ok;

   l->calls = dcfg_calls_of_wet(w, &watcher, &err);
   ok       = l->calls != NULL && dcfg_wet_select(w, &filter, &err);

   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      nodes[i] = instrs[i] ? code_node_at(l->c, dcfg_wet_instr(w, i)->addr, i)
                 : NO_NODE;
   while (ok && dcfg_wet_next(w, &e, &err))
      ok = take_event(l, &e, e.kind == DCFG_WET_INSTR ? nodes[e.instr]
                                                      : NO_NODE);
   ok = ok && err.status == DCFG_OK;
   dcfg_calls_free(l->calls);
   l->calls = NULL;
   free(nodes);
   return ok;
}

bool branch_log_has(const BranchLog* l, const Wants* wants,
                    const SideStores* stores)
{
   uint8_t* needed = needed_roles(l->c, wants, stores);
   bool     has = true;

   for (uint32_t i = 0; i < l->c->n && has; i++)
      has = (needed[i] & ~l->roles[i]) == 0;
   free(needed);
   return has;
}

BranchLog* branch_log_new(const StaticCode* c, const char* file,
                          const Wants* wants, const SideStores* stores,
                          const uint64_t* executed)
{
   BranchLog*  l = zalloc(1, sizeof(*l));
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgWet*    w = dcfg_wet_open(file, &options, &err);
   bool*       instrs;
   bool        ok = false;

   l->c         = c;
   l->roles     = needed_roles(c, wants, stores);
   l->logs      = zalloc(c->n + (size_t)1, sizeof(*l->logs));
   l->n_threads = dcfg_wet_threads(c->w);
   l->latest    = zalloc(l->n_threads + (size_t)1, sizeof(*l->latest));
   l->activations = zalloc(MOST_ACTIVATIONS, sizeof(*l->activations));
   for (size_t t = 0; t < l->n_threads; t++)
      l->latest[t] = NO_NODE;
   choose_more(l, executed);
   instrs = choose_instrs(l);
   if (w != NULL && dcfg_wet_instrs(w) == dcfg_wet_instrs(c->w))
      ok = read_trace(l, w, instrs);
   dcfg_wet_close(w);
   free(instrs);
   if (ok)
      return l;
   branch_log_free(l);
   return NULL;
}

void branch_log_free(BranchLog* l)
{
   if (l == NULL)
      return;
   for (uint32_t n = 0; n < l->c->n; n++)
      free(l->logs[n].entries);
   free(l->latest);
   free(l->activations);
   free(l->roles);
   free(l->logs);
   free(l);
}

/*--- Questions                                            ---*/

bool branch_log_is_bounded(const BranchLog* l)
{
   return l->bounded;
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

const LogEntry* branch_log_before(const BranchLog* l, uint32_t node,
                                  uint64_t order)
{
   const Log* log = &l->logs[node];
   size_t     k = entry_from(log, order);

   return k == first_kept(log) ? NULL : entry_at(log, k - 1);
}

const LogEntry* branch_log_previous(const BranchLog* l, uint32_t node,
                                    const LogEntry* entry)
{
   return branch_log_before(l, node, entry->order);
}

bool branch_log_is_over(const BranchLog* l, uint32_t node,
                        const LogEntry* entry, uint64_t order)
{
   uint32_t          up = l->c->nodes[node].up;
   const Activation* a = activation(l, entry->activation);
   const Log*        log;

   if (a != NULL && a->end < order)
      return true;
   if (up == NO_NODE)
      return false;
   log = &l->logs[up];
   for (size_t k = entry_from(log, entry->order + 1); k < log->n; k++) {
      const LogEntry* e = entry_at(log, k);
      if (e->order > order)
         return false;
      if (e->activation == entry->activation)
         return true;
   }
   return false;
}

uint64_t branch_log_frame(const BranchLog* l, uint32_t number)
{
   const Activation* a = activation(l, number);

   return a == NULL ? 0 : a->frame;
}
