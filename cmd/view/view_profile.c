/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reads inclusive costs for a page from a Callgrind profile or an XRay log. */

/* Owns: the inclusive costs of functions.  Handed: profiles by
   callgrind_file.c, logs by log_stacks.c. */

#include "cmd/view/view_profile.h"

#include "cmd/shared/callgrind_file.h"
#include "cmd/shared/log_stacks.h"
#include "cmd/base/sums.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

/* ProfileCall: one function calls another. */
typedef
   struct {
      uint32_t from, to;
   }
   ProfileCall;

/* ProfileSums: the functions in all parts of a profile, by object and name. */
typedef
   struct {
      Interned*    texts;
      KeyMap*      numbers;
      uint64_t*    all;         // by number: inclusive instructions
      size_t       n, room;
      ProfileCall* calls;
      size_t       n_calls, calls_room;
      char*        command;
   }
   ProfileSums;

/* Return the number of function NAME in OBJECT, a new one if needed. */
static uint32_t number_of(ProfileSums* r, const char* object, const char* name)
{
   const char* key = intern(r->texts, text_format("%s\n%s", object, name));
   uint32_t    k = keymap_number(r->numbers, (uintptr_t)key);

   if (k == r->n) {
      GROW(r->all, r->n, r->room);
      r->all[r->n++] = 0;
   }
   text_forget();
   return k;
}

static void add_function(ProfileSums* r, const ProfilePart* p,
                         const ProfileFunction* f)
{
   uint32_t k = number_of(r, f->object, f->name);

   for (uint32_t i = f->first; i != NO_ROW; i = p->rows[i].next) {
      const ProfileRow* row = &p->rows[i];
      uint64_t          cost;
      if (row->kind == ROW_JUMP)
         continue;
      cost      = p->costs[row->costs + p->instrs];
      add_count(&r->all[k], cost);
      if (row->kind == ROW_CALL) {
         uint32_t to = number_of(r, row->object, row->to);
         GROW(r->calls, r->n_calls, r->calls_room);
         r->calls[r->n_calls++] = (ProfileCall){ k, to };
      }
   }
}

/* Return the command line in the head of a part, to be freed, or NULL. */
static char* command_in(const char* head)
{
   const char* at = head == NULL ? NULL : strstr(head, "\ncmd:");

   if (at == NULL)
      return NULL;
   at += strlen("\ncmd:");
   at += strspn(at, " ");
   return text_copy(text_format("%.*s", (int)strcspn(at, "\n"), at));
}

static void read_profile(ProfileSums* r, const char* path)
{
   ProfileReader* in = profile_open(path, false);
   ProfilePart*   p;

   while ((p = profile_next(in)) != NULL) {
      if (r->command == NULL)
         r->command = command_in(p->head);
      if (p->instrs == p->n_events)
         die("%s has no event Ir, which counts instructions",
             text_clean(path));
      for (size_t i = 0; i < p->n_functions; i++)
         add_function(r, p, &p->functions[i]);
      profile_free(p);
   }
   profile_close(in);
}

/*--- Functions that call themselves                       ---*/

/* Remove from LEFT, again and again, functions that call none in LEFT; if
   REVERSED, functions that none in LEFT calls. */
static void drop_ends(const ProfileSums* r, bool* left, bool reversed)
{
   size_t*   degree = zalloc(r->n + 1, sizeof(*degree));
   bool      more = true;

   while (more) {
      more = false;
      memset(degree, 0, r->n * sizeof(*degree));
      for (size_t i = 0; i < r->n_calls; i++) {
         const ProfileCall* c = &r->calls[i];
         if (left[c->from] && left[c->to])
            degree[reversed ? c->to : c->from]++;
      }
      for (size_t i = 0; i < r->n; i++)
         if (left[i] && degree[i] == 0) {
            left[i] = false;
            more = true;
         }
   }
   free(degree);
}

/* Return by number whether a function may call itself, directly or not.  That
   is true of some others, too: those on a path between two such functions.  The
   caller frees the array. */
static bool* may_recur(const ProfileSums* r)
{
   bool* left = zalloc(r->n + 1, sizeof(*left));

   memset(left, 1, r->n);
   drop_ends(r, left, false);
   drop_ends(r, left, true);
   return left;
}

/*--- The whole                                            ---*/

/* Return by function of V the cost of the function in R with the same image and
   symbol, to be freed.  The cost is 0 if there is none, if several functions of
   V are like that, or if UNKNOWN is true for it.  UNKNOWN may be NULL. */
static uint64_t* costs_by_function(const RunView* v, ProfileSums* r,
                                   const bool* unknown)
{
   size_t    n_read = r->n;
   uint32_t* of = zalloc(v->f->n + (size_t)1, sizeof(*of));
   uint32_t* users = zalloc(n_read + 1, sizeof(*users));
   uint64_t* costs = zalloc(v->f->n + (size_t)1, sizeof(*costs));

   for (uint32_t i = 0; i < v->f->n; i++) {
      uint32_t symbol = function_symbol(v->f, i);
      uint32_t image = v->p->nodes[v->f->nodes[i]].image;
      of[i] = symbol == DCFG_NONE ? NOBODY
              : number_of(r, image_file(&v->g, image),
                          v->p->symbols[symbol].name);
      if (of[i] < n_read)
         users[of[i]]++;
   }
   for (uint32_t i = 0; i < v->f->n; i++)
      if (of[i] < n_read && users[of[i]] == 1
          && (unknown == NULL || !unknown[of[i]]))
         costs[i] = r->all[of[i]];
   free(of);
   free(users);
   return costs;
}

static ProfileSums sums_new(void)
{
   return (ProfileSums){ .texts = interned_new(), .numbers = keymap_new() };
}

static void free_sums(ProfileSums* r)
{
   interned_free(r->texts);
   keymap_free(r->numbers);
   free(r->all);
   free(r->calls);
}

uint64_t* inclusive_of_profile(const RunView* v, char** command)
{
   ProfileSums r = sums_new();
   bool*       recurs;
   uint64_t*   costs;

   read_profile(&r, v->profile);
   recurs   = may_recur(&r);
   costs    = costs_by_function(v, &r, recurs);
   *command = r.command;
   free(recurs);
   free_sums(&r);
   return costs;
}

static XrayWatcher keep_map(void* arg, DcfgXrayMap* map)
{
   *(DcfgXrayMap**)arg = map;
   return (XrayWatcher){ .enter = NULL };
}

uint64_t* inclusive_of_log(const RunView* v)
{
   ProfileSums  r = sums_new();
   DcfgXrayMap* map;
   XrayRun*     run = log_walk(v->log, NULL, keep_map, &map);
   uint64_t*    costs;

   for (size_t i = 0; i < run->n_pairs; i++) {
      const XrayFigures*      x = &run->pairs[i];
      const DcfgXrayFunction* f = dcfg_xray_function(map, x->function);
      uint32_t                k;
      if (f == NULL)
         continue;
      k = number_of(&r, f->image, f->name);
      add_count(&r.all[k], x->inclusive);
   }
   costs = costs_by_function(v, &r, NULL);
   xray_run_free(run);
   dcfg_xray_map_free(map);
   free_sums(&r);
   return costs;
}
