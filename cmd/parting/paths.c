/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The partings of two threads. */

/* Owns: the transfers of a thread of two runs, in order; the first ones that
   differ; how both go the same way again.  Handed: two recordings, and which of
   their places are the same.

   Compared are transfers of control, never blocks: two recordings divide one
   loop into blocks differently.  Up to the parting, both threads came to the
   same target.  From there they run straight on, until one of them leaves.  So
   of the two transfers that differ, the nearer one is the branch: the other
   side passed it and went on.

   Behind a parting, both go the same way again where twelve transfers are
   equal. Of all such pairs of places, the one with the fewest transfers
   before it counts. */

#include "cmd/parting/parting.h"

#include "cmd/base/keymap.h"
#include "cmd/base/operands.h"

#define N_EDGES 4096            // edges of a trace read at a time
#define WINDOW  12              // equal transfers that join two paths again
#define AHEAD   20000           // transfers that are searched for them

/* Path: a thread of a side, as transfers.  .all has some that were read, of
   which those from .at on are the next ones. */
typedef
   struct {
      const RunSide* s;
      uint32_t     thread;
      DcfgWetPath* wet;
      DcfgTrace*   trace;
      uint8_t*     straight;    // by way: STRAIGHT, CROOKED, or 0
      size_t       n_straight;
      uint32_t     last;        // the last place; NO_PLACE: there is none yet
      uint64_t     instrs;      // instructions of the thread so far
      uint64_t     generated;
      uint64_t     time;        // the trace's time behind the last piece
      ThreadTurn**       turns;
      size_t*      n_turns;
      size_t*      turns_room;
      Transfer*    all;
      size_t       at, n, room;
      bool         ended;
   }
   Path;

enum { STRAIGHT = 1, CROOKED = 2 };

/*--- Transfers                                            ---*/

static void add_transfer(Path* p, uint32_t from, uint32_t to, uint64_t at)
{
   /* Within code that is not followed, nothing is. */
   if (from != NO_PLACE && p->s->to[to] >= OPAQUE_KEYS
       && p->s->from[from] == p->s->to[to])
      return;
   GROW(p->all, p->n, p->room);
   p->all[p->n++] = (Transfer){ from, to, at };
}

/* Return whether PLACE follows BEFORE in the code. */
static inline bool follows(const RunSide* s, uint32_t before, uint32_t place)
{
   return s->end[before] == s->begin[place];
}

/* Return the state of way W, which the piece has; made if it is not known. */
static uint8_t way_state(Path* p, const DcfgWetPiece* piece)
{
   uint8_t state = STRAIGHT;

   if (piece->way < p->n_straight && p->straight[piece->way] != 0)
      return p->straight[piece->way];
   for (uint32_t k = 1; k < piece->n && state == STRAIGHT; k++)
      if (!follows(p->s, piece->instrs[k - 1], piece->instrs[k]))
         state = CROOKED;
   if (piece->way == DCFG_NONE)
      return state;
   if (piece->way >= p->n_straight) {
      size_t more = 2 * ((size_t)piece->way + 512);
      p->straight = need(realloc(p->straight, more));
      memset(p->straight + p->n_straight, 0, more - p->n_straight);
      p->n_straight = more;
   }
   return p->straight[piece->way] = state;
}

/* Add the transfers of PIECE, and the one before it. */
static void take_piece(Path* p, const DcfgWetPiece* piece)
{
   const RunSide* s = p->s;

   if (*p->n_turns == 0 || p->time != piece->time) {
      GROW(*p->turns, *p->n_turns, *p->turns_room);
      (*p->turns)[(*p->n_turns)++] = (ThreadTurn){ p->instrs, piece->time };
   }
   p->time = piece->time + piece->n;
   if (p->last == NO_PLACE || !follows(s, p->last, piece->instrs[0]))
      add_transfer(p, p->last, piece->instrs[0], p->instrs);
   if (way_state(p, piece) == CROOKED)
      for (uint32_t k = 1; k < piece->n; k++)
         if (!follows(s, piece->instrs[k - 1], piece->instrs[k]))
            add_transfer(p, piece->instrs[k - 1], piece->instrs[k],
                         p->instrs + k);
   if (s->to[piece->instrs[0]] == KEY_GENERATED)
      p->generated += piece->n;
   p->instrs += piece->n;
   p->last    = piece->instrs[piece->n - 1];
}

/* Read more transfers of a whole execution trace.  Return false at its end. */
static bool read_wet(Path* p)
{
   const DcfgWetPiece* pieces;
   DcfgError           err;
   size_t              n = dcfg_wet_path_next(p->wet, &pieces, &err);

   if (n == 0 && err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_WET));
   for (size_t i = 0; i < n; i++)
      take_piece(p, &pieces[i]);
   return n > 0;
}

/* Add the transfer of edge E, if it is one, and count the block before it. */
static void take_edge(Path* p, const DcfgEdge* e)
{
   const RunSide*  s = p->s;
   const DcfgNode* source = &s->g.p->nodes[e->source];
   const DcfgNode* target = &s->g.p->nodes[e->target];
   bool            from = source->kind == DCFG_NODE_BLOCK;

   if (from) {
      p->instrs += source->n_instrs;
      if (s->to[e->source] == KEY_GENERATED)
         p->generated += source->n_instrs;
   }
   if (target->kind != DCFG_NODE_BLOCK
       || (from && follows(s, e->source, e->target)))
      return;
   add_transfer(p, from ? e->source : NO_PLACE, e->target, p->instrs);
}

/* Read transfers of P from its DCFG-trace.  Return false at the end. */
static bool read_trace(Path* p)
{
   static uint32_t    ids[N_EDGES];
   const DcfgProcess* g = p->s->g.p;
   DcfgError          err;
   size_t             n = dcfg_trace_next(p->trace, ids, N_EDGES, &err);

   if (n == 0 && err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_TRACE));
   if (n == 0 && p->instrs == 0 && p->thread < g->n_threads
       && dcfg_process_instrs(g, p->thread) > 0)
      refuse_other_run(p->s->trace, g->id, false);
   for (size_t i = 0; i < n; i++) {
      uint32_t e = dcfg_edge_by_id(g, ids[i]);
      if (e == DCFG_NONE)
         die("%s: there is no edge %" PRIu32 " in %s: is it of another run?",
             p->s->trace, ids[i], p->s->file);
      take_edge(p, &g->edges[e]);
   }
   return n > 0;
}

/* Read until transfer N from .at on is there.  Return false if there is
   none. */
static bool path_has(Path* p, size_t n)
{
   if (p->n - p->at > n)
      return true;
   if (p->at > 0) {
      memmove(p->all, p->all + p->at, (p->n - p->at) * sizeof(*p->all));
      p->n -= p->at;
      p->at = 0;
   }
   while (p->n <= n && !p->ended)
      p->ended = !(p->wet != NULL ? read_wet(p) : read_trace(p));
   return p->n > n;
}

static Path path_new(RunSide* s, PartThread* t, int k)
{
   Path      p = { .s = s, .thread = t->thread, .last = NO_PLACE,
                   .turns = &t->turns[k], .n_turns = &t->n_turns[k],
                   .turns_room = &t->turns_room[k] };
   DcfgError err;

   if (s->w != NULL) {
      p.wet = dcfg_wet_path_new(s->w, t->thread, &err);
      need_file(p.wet != NULL, &err, KIND_WET);
      return p;
   }
   p.trace = load_trace(s->g.p, s->trace, t->thread);
   return p;
}

static void path_free(Path* p)
{
   dcfg_wet_path_free(p->wet);
   dcfg_trace_close(p->trace);
   FREE_ALL(p->straight, p->all);
}

/*--- Comparing                                            ---*/

/* Two: the paths of a thread in both runs.  .before: instructions up to the
   target of the last equal transfer. */
typedef
   struct {
      Path     p[2];
      uint64_t before[2];
      uint32_t target[2];       // the target
      uint64_t after;           // the key that both shall come to; 0: none
   }
   Two;

static inline uint64_t source_key(const RunSide* s, const Transfer* t)
{
   return t->from == NO_PLACE ? KEY_START : s->from[t->from];
}

static inline bool same_transfer(const Two* two, const Transfer* a,
                                 const Transfer* b)
{
   return two->p[0].s->to[a->to] == two->p[1].s->to[b->to]
          && source_key(two->p[0].s, a) == source_key(two->p[1].s, b);
}

/* Note that the next N transfers of both are equal. */
static void pass(Two* two, size_t n)
{
   if (n == 0)
      return;
   for (int k = 0; k < 2; k++) {
      Path* p = &two->p[k];
      p->at += n;
      two->before[k] = p->all[p->at - 1].at;
      two->target[k] = p->all[p->at - 1].to;
   }
}

/* Pass the transfers that are equal; with STOP, up to the one that comes to
   .after.  Return whether it stopped there. */
static bool pass_equal(Two* two, bool stop)
{
   Path* a = &two->p[0];
   Path* b = &two->p[1];

   for (;;) {
      size_t n, i = 0;
      bool   ha = path_has(a, 0), hb = path_has(b, 0);
      if (!ha || !hb)
         return false;
      n = a->n - a->at < b->n - b->at ? a->n - a->at : b->n - b->at;
      while (i < n && same_transfer(two, &a->all[a->at + i],
                                    &b->all[b->at + i])) {
         i++;
         if (stop && a->s->to[a->all[a->at + i - 1].to] == two->after) {
            pass(two, i);
            return true;
         }
      }
      pass(two, i);
      if (i < n)
         return false;
   }
}

/* Pass the transfers of side K up to the one that comes to .after.  Return
   whether there is one. */
static bool pass_to_after(Two* two, int k)
{
   Path* p = &two->p[k];

   while (path_has(p, 0)) {
      const Transfer* t = &p->all[p->at++];
      if (p->s->to[t->to] == two->after) {
         two->before[k] = t->at;
         two->target[k] = t->to;
         return true;
      }
   }
   return false;
}

/*--- A parting                                            ---*/

/* Return how far the next transfer of side K is behind the last equal target;
   UINT64_MAX: it is not in the code behind it, or there is none. */
static uint64_t distance(Two* two, int k)
{
   const Path* p = &two->p[k];
   uint64_t    last, from;

   if (!path_has(&two->p[k], 0))
      return UINT64_MAX;
   last = two->target[k] == NO_PLACE ? NO_PLACE : p->s->begin[two->target[k]];
   from = p->all[p->at].from == NO_PLACE ? UINT64_MAX
          : p->s->last[p->all[p->at].from];
   return two->target[k] == NO_PLACE || from == UINT64_MAX || from < last
          ? UINT64_MAX : from - last;
}

/* Set side K of PART to its next transfer. */
static void set_branch(const Two* two, Parting* part, int k)
{
   const Path*     p = &two->p[k];
   const Transfer* t = &p->all[p->at];

   part->side[k] = (PartSide){ .branch = t->from, .to = t->to,
                               .at = t->at > 0 ? t->at - 1 : 0 };
}

/* Set the branch and the target of the side K that passed the branch: the
   place with the key of the other side's, and what follows it.  If its build
   has no such place, they are those of its own next transfer. */
static void set_passed(Two* two, Parting* part, int k)
{
   const RunSide* s = two->p[k].s;
   const RunSide* o = two->p[1 - k].s;
   PartSide*      side = &part->side[k];
   uint32_t       branch = part->side[1 - k].branch;
   uint64_t       key = branch == NO_PLACE ? KEY_START : o->from[branch];

   side->branch = NO_PLACE;
   for (uint32_t i = 0; i < s->n && key < OPAQUE_KEYS; i++)
      if (s->from[i] == key) {
         side->branch = i;
         break;
      }
   if (side->branch == NO_PLACE && path_has(&two->p[k], 0)) {
      part->other_code = true;
      set_branch(two, part, k);
      return;
   }
   side->to = side->branch == NO_PLACE ? NO_PLACE
              : run_place_at(s, s->end[side->branch], side->branch);
   side->at = two->before[k] + part->side[1 - k].at - two->before[1 - k];
}

/* Return the parting at the next transfers, which differ. */
static Parting find_part(Two* two)
{
   Parting     part = { .kind = PART_BRANCH };
   bool     there[2] = { path_has(&two->p[0], 0), path_has(&two->p[1], 0) };
   uint64_t far[2];

   for (int k = 0; k < 2; k++)
      far[k] = distance(two, k);
   if (!there[0] || !there[1]) {
      int k = there[0] ? 1 : 0;         // the side that ends
      const Path* p = &two->p[k];
      uint64_t    left = p->instrs - two->before[k];
      /* A side that ends with the other's branch, or before it. */
      part.ended = k;
      part.kind  = PART_END;
      set_branch(two, &part, 1 - k);
      if (two->p[1 - k].all[two->p[1 - k].at].at - two->before[1 - k] < left)
         part.kind = PART_BRANCH;
      if (part.kind == PART_BRANCH) {
         set_passed(two, &part, k);
         return part;
      }
      part.side[k] = (PartSide){ .branch = p->last, .to = NO_PLACE,
                                 .at = p->instrs > 0 ? p->instrs - 1 : 0 };
      return part;
   }
   if (far[0] == far[1]) {
      set_branch(two, &part, 0);
      set_branch(two, &part, 1);
      return part;
   }
   int k = far[0] < far[1] ? 0 : 1;
   set_branch(two, &part, k);
   set_passed(two, &part, 1 - k);
   return part;
}

/*--- Behind a parting                                     ---*/

/* Return a hash of the keys of WINDOW transfers from AT on. */
static uint64_t window_hash(const Path* p, size_t at)
{
   uint64_t h = 0;

   for (size_t i = at; i < at + WINDOW; i++) {
      h = (h ^ p->s->to[p->all[i].to]) * UINT64_C(0x9E3779B97F4A7C15);
      h = (h ^ (h >> 29) ^ source_key(p->s, &p->all[i]))
          * UINT64_C(0xBF58476D1CE4E5B9);
      h ^= h >> 32;
   }
   return h;
}

/* Set SKIP to how many transfers each side takes alone until both go the same
   way.  Return false if they do not soon. */
static bool find_again(Two* two, size_t skip[2])
{
   KeyMap*   hashes = keymap_new();
   uint32_t* first = zalloc(AHEAD, sizeof(*first));     // by number of a hash
   size_t    n[2], best = SIZE_MAX;

   for (int k = 0; k < 2; k++) {
      Path* p = &two->p[k];
      path_has(p, AHEAD + WINDOW);
      n[k] = p->n - p->at < WINDOW ? 0 : p->n - p->at - WINDOW + 1;
      if (n[k] > AHEAD)
         n[k] = AHEAD;
   }
   for (size_t i = 0; i < n[1]; i++) {
      uint32_t known = keymap_size(hashes);
      uint32_t h = keymap_number(hashes, window_hash(&two->p[1],
                                                     two->p[1].at + i));
      if (h == known)
         first[h] = (uint32_t)i;
   }
   for (size_t i = 0; i < n[0] && i < best; i++) {
      uint32_t h = keymap_find(hashes, window_hash(&two->p[0],
                                                   two->p[0].at + i));
      if (h != UINT32_MAX && i + first[h] < best) {
         best    = i + first[h];
         skip[0] = i;
         skip[1] = first[h];
      }
   }
   keymap_free(hashes);
   free(first);
   return best != SIZE_MAX;
}

static bool has_branch(const PartSide* s, uint32_t place)
{
   for (size_t i = 0; i < s->n_branches; i++)
      if (s->branches[i] == place)
         return true;
   return false;
}

/* The most branches in a gap that are named. */
#define MOST_BRANCHES 32

/* Note the branches that side K takes in its next N transfers. */
static void note_branches(const Two* two, Parting* part, int k, size_t n)
{
   const Path* p = &two->p[k];
   PartSide*   s = &part->side[k];

   for (size_t i = 0; i < n && s->n_branches < MOST_BRANCHES; i++) {
      uint32_t place = p->all[p->at + i].from;
      if (place == NO_PLACE || place == s->branch
          || p->s->from[place] >= OPAQUE_KEYS || has_branch(s, place))
         continue;
      GROW(s->branches, s->n_branches, s->room);
      s->branches[s->n_branches++] = place;
   }
}

/* Leave out branches that both sides take. */
static void leave_common(const Two* two, Parting* part)
{
   const RunSide* a = two->p[0].s;
   const RunSide* b = two->p[1].s;
   PartSide*      x = &part->side[0];
   PartSide*      y = &part->side[1];
   size_t         kept = 0;

   for (size_t i = 0; i < x->n_branches; i++) {
      size_t k = 0;
      while (k < y->n_branches
             && a->from[x->branches[i]] != b->from[y->branches[k]])
         k++;
      if (k == y->n_branches)
         x->branches[kept++] = x->branches[i];
      else
         memmove(y->branches + k, y->branches + k + 1,
                 (--y->n_branches - k) * sizeof(*y->branches));
   }
   x->n_branches = kept;
}

/* Go to where both go the same way again.  Return false if they do not. */
static bool join_again(Two* two, Parting* part)
{
   size_t skip[2];

   if (!find_again(two, skip))
      return false;
   for (int k = 0; k < 2; k++) {
      Path* p = &two->p[k];
      note_branches(two, part, k, skip[k]);
      part->side[k].gap = p->all[p->at + skip[k]].at - part->side[k].at - 1;
      p->at += skip[k];
   }
   leave_common(two, part);
   part->rejoins = true;
   return true;
}

/* Note that both go the same way from the next transfer on. */
static void note_join(Two* two, PartThread* t)
{
   GROW(t->joins, t->n_joins, t->joins_room);
   t->joins[t->n_joins++] = (Join){ { two->p[0].all[two->p[0].at].at,
                                      two->p[1].all[two->p[1].at].at } };
   pass(two, 1);
}

/*--- A thread                                             ---*/

/* Return whether both sides are at their ends. */
static bool both_ended(Two* two)
{
   return !path_has(&two->p[0], 0) && !path_has(&two->p[1], 0);
}

/* Return whether both sides, at their ends, ran equally far behind the last
   equal transfer. */
static bool same_end(const Two* two)
{
   return two->p[0].instrs - two->before[0]
          == two->p[1].instrs - two->before[1];
}

/* Return the parting of sides that both are at their ends, one of them
   earlier. */
static Parting find_end(const Two* two)
{
   Parting part = { .kind = PART_END };

   part.ended = two->p[0].instrs - two->before[0]
                < two->p[1].instrs - two->before[1] ? 0 : 1;
   for (int k = 0; k < 2; k++)
      part.side[k] = (PartSide){ .branch = two->p[part.ended].last,
                                 .to = NO_PLACE,
                                 .at = two->p[part.ended].instrs - 1 };
   part.side[1 - part.ended].branch
      = run_place(two->p[1 - part.ended].s,
                  two->p[part.ended].s->to[two->p[part.ended].last]);
   return part;
}

/* Begin behind .after, if both come there.  Return whether the paths are to be
   compared from here on; else T has the parting before. */
static bool begin_after(Two* two, PartThread* t)
{
   Parting part;
   bool there[2];

   if (two->after == 0 || pass_equal(two, true)) {
      t->reached = two->after != 0;
   } else if (both_ended(two) && same_end(two)) {
      return false;
   } else {
      part = both_ended(two) ? find_end(two) : find_part(two);
      for (int k = 0; k < 2; k++)
         there[k] = pass_to_after(two, k);
      if (!there[0] || !there[1]) {
         t->missed = !there[0] && !there[1] ? 0 : there[0] ? 2 : 1;
         GROW(t->parts, t->n_parts, t->room);
         t->parts[t->n_parts++] = part;
         return false;
      }
      t->reached = t->skipped = true;
      t->earlier = part;
   }
   for (int k = 0; k < 2 && t->reached; k++)
      t->base[k] = two->before[k];
   GROW(t->joins, t->n_joins, t->joins_room);
   t->joins[t->n_joins++] = (Join){ { t->base[0], t->base[1] } };
   return true;
}

PartThread* part_thread(Runs* r, uint32_t thread, uint64_t after, uint64_t n)
{
   PartThread* t = zalloc(1, sizeof(*t));
   Two         two = { .after = after, .target = { NO_PLACE, NO_PLACE } };
   bool        more;

   t->thread = thread;
   for (int k = 0; k < 2; k++) {
      t->there[k] = thread < r->side[k].n_threads;
      if (t->there[k])
         two.p[k] = path_new(&r->side[k], t, k);
   }
   if (!t->there[0] || !t->there[1]) {
      path_free(&two.p[0]);
      path_free(&two.p[1]);
      return t;
   }
   more = begin_after(&two, t);
   while (more && t->n_parts < n) {
      pass_equal(&two, false);
      if (both_ended(&two) && same_end(&two))
         break;
      GROW(t->parts, t->n_parts, t->room);
      t->parts[t->n_parts++] = both_ended(&two) ? find_end(&two)
                                                : find_part(&two);
      more = !both_ended(&two) && n > 1
             && join_again(&two, &t->parts[t->n_parts - 1]);
      if (more)
         note_join(&two, t);
   }
   for (int k = 0; k < 2; k++) {
      t->instrs[k]    = two.p[k].instrs;
      t->generated[k] = two.p[k].generated;
      path_free(&two.p[k]);
   }
   return t;
}

static void part_free(Parting* p)
{
   FREE_ALL(p->side[0].branches, p->side[1].branches);
}

void part_thread_free(PartThread* t)
{
   if (t == NULL)
      return;
   for (size_t i = 0; i < t->n_parts; i++)
      part_free(&t->parts[i]);
   part_free(&t->earlier);
   FREE_ALL(t->parts, t->joins, t->turns[0], t->turns[1], t);
}
