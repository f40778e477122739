/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the records of all superblocks, and the targets of indirect branches.
   Handed: descriptions by tool/run/instrument.c, targets by tool/run/branch.c.

   Records live as long as the process: counts outlast translations. */

#include "pub_tool_poolalloc.h"

#include "dcfg_bb.h"
#include "tool/base/core.h"

/* Source: a superblock that can lead to an address. */
typedef
   struct _Source {
      struct _Source* next;
      struct _Goal*   goal;
      UInt            sb;
   }
   Source;

typedef
   struct _Goal {
      struct _Goal* hash_next;
      UWord         hash_key;           // the address
      Source*       sources;
   }
   Goal;

/* Left: superblocks of an image that cannot run at present.  They lead nowhere
   until it can run again. */
typedef
   struct _Left {
      struct _Left* hash_next;
      UWord         hash_key;           // the image
      Source*       sources;
   }
   Left;

/* Elements of a pool.  Each allocation of its own would cost 32 bytes. */
#define PER_POOL 250

/* Ends: the first and the last superblock of an image, or 0. */
typedef
   struct {
      UInt first, last;
   }
   Ends;

/* So many bytes for records are allocated at a time. */
#define RECORDS_SIZE 65536

static XArray*      by_id;              // Superblock*; [0] is NULL
static Superblock** records;            // the elements of .by_id
static XArray*      by_image;           // Ends
static VgHashTable* by_entry;
static VgHashTable* pairs;
static PoolAlloc*   pair_pool;
static Pair*        newest_pair;
static VgHashTable* goals;              // NULL until the first question
static UInt         n_in_goals;         // how many superblocks .goals has
static Pair*        newest_in_goals;    // the newest pair that .goals has
static VgHashTable* left;               // made with .goals
static PoolAlloc*   source_pool;        // likewise
static SizeT        parts_end = sizeof(Superblock);   // the end of the fields
                                                      // of outputs

static void init(void)
{
   Superblock* none = NULL;
   by_id        = DCFG_NEW_ARRAY("dcfg.bb.id", Superblock*);
   by_image     = DCFG_NEW_ARRAY("dcfg.bb.image", Ends);
   by_entry     = VG_(HT_construct)("dcfg.bb.entry");
   pairs        = VG_(HT_construct)("dcfg.bb.pairs");
   pair_pool    = VG_(newPA)(sizeof(Pair), PER_POOL, VG_(malloc),
                             "dcfg.bb.pair", VG_(free));
   VG_(addToXA)(by_id, &none);
   records = VG_(indexXA)(by_id, 0);
}

static UWord hash(Addr a, UInt n)
{
   return a ^ ((UWord)n * 0x9E3779B1u);
}

/*--- Superblocks                                          ---*/

/* Return 0 if A and B are the same code, entered at the same place. */
static Word cmp_superblocks(const void* va, const void* vb)
{
   const Superblock* a = va;
   const Superblock* b = vb;

   if (a->entry != b->entry || a->addr != b->addr || a->image != b->image
       || a->n_instrs != b->n_instrs || a->n_exits != b->n_exits
       || a->end != b->end || a->unredirected != b->unredirected
       || a->next != b->next
       || VG_(memcmp)(a->lengths, b->lengths, a->n_instrs) != 0
       || VG_(memcmp)(a->kinds, b->kinds, a->n_instrs) != 0)
      return 1;
   for (UInt i = 0; i < a->n_exits; i++)
      if (a->exits[i].target != b->exits[i].target
          || a->exits[i].instr != b->exits[i].instr
          || a->exits[i].counting != b->exits[i].counting)
         return 1;
   return 0;
}

/* Make SB the last one of its image. */
static void append_to_image(Superblock* sb)
{
   const Ends none = { 0, 0 };

   while (VG_(sizeXA)(by_image) <= sb->image)
      VG_(addToXA)(by_image, &none);
   Ends* ends = VG_(indexXA)(by_image, sb->image);
   if (ends->first == 0)
      ends->first = sb->id;
   else
      DCFG_(superblock)(ends->last)->next_of_image = sb->id;
   ends->last        = sb->id;
   sb->next_of_image = 0;
}

SizeT DCFG_(claim_fields)(SizeT n)
{
   tl_assert(by_id == NULL);
   parts_end = VG_ROUNDUP(parts_end, sizeof(ULong)) + n;
   return parts_end - n;
}

/* Return memory for a record, which is never freed.  The core takes long for a small
   piece of memory when it has few small ones, as in a short run. */
static UChar* room_for_record(SizeT n)
{
   static UChar* at;
   static SizeT  room;

   n = VG_ROUNDUP(n, 16);
   if (n > room) {
      room = n > RECORDS_SIZE ? n : RECORDS_SIZE;
      at   = VG_(malloc)("dcfg.bb.sb", room);
   }
   at   += n;
   room -= n;
   return at - n;
}

/* Make a record of DESC, with new counters. */
static Superblock* new_record(const Superblock* desc, Bool need_started)
{
   /* One allocation has the record, the outputs' fields, the branch, the exits,
      the lengths and kinds. */
   SizeT  branch    = VG_ROUNDUP(parts_end, sizeof(ULong));
   SizeT  start     = branch
                      + (desc->end == EndIndirect ? sizeof(Branch) : 0);
   SizeT  exits_szB = desc->n_exits * sizeof(SbExit);
   UChar* record    = room_for_record(start + exits_szB + 2 * desc->n_instrs);
   Superblock* sb   = (Superblock*)record;
   *sb         = *desc;
   VG_(memset)(sb + 1, 0, start - sizeof(Superblock));
   sb->exits   = (SbExit*)(record + start);
   sb->lengths = record + start + exits_szB;
   sb->kinds   = sb->lengths + desc->n_instrs;
   VG_(memcpy)(sb->exits, desc->exits, exits_szB);
   VG_(memcpy)(sb->lengths, desc->lengths, desc->n_instrs);
   VG_(memcpy)(sb->kinds, desc->kinds, desc->n_instrs);
   sb->id       = VG_(sizeXA)(by_id);
   sb->diverted = False;

   /* The counters of a superblock are neighbours, so that they share a cache
      line. */
   CellNo cell = 0;
   UInt   n    = sb->n_exits + (need_started ? 1 : 0);
   if (n > 0)
      cell = DCFG_(new_counters)(n);
   sb->started = need_started ? cell++ : 0;
   for (UInt i = 0; i < sb->n_exits; i++)
      sb->exits[i].cell = cell++;
   sb->branch = NULL;
   if (sb->end == EndIndirect)
      sb->branch = (Branch*)(record + branch);
   VG_(addToXA)(by_id, &sb);
   records = VG_(indexXA)(by_id, 0);
   return sb;
}

Superblock* DCFG_(register_superblock)(const Superblock* desc,
                                       Bool need_started)
{
   if (by_id == NULL)
      init();

   Superblock key = *desc;
   /* The hash key includes the image: code that changes has hundreds of images
      with the same entries. */
   key.hash_key   = hash(key.entry, key.image);
   Superblock* sb = VG_(HT_gen_lookup)(by_entry, &key, cmp_superblocks);
   if (sb != NULL)
      return sb;

   sb = new_record(&key, need_started);
   sb->versions[0] = sb->versions[1] = DCFG_NO_VERSION;
   if (sb->end == EndIndirect)
      sb->branch->site = DCFG_(new_slots)(N_SITE_SLOTS);
   VG_(HT_add_node)(by_entry, sb);
   append_to_image(sb);
   return sb;
}

static Word is_other(const void* a, const void* b)
{
   return a != b;
}

void DCFG_(expect_pasts)(UInt image)
{
   for (UInt id = DCFG_(next_of_image)(image, 0); id != 0;
        id = DCFG_(next_of_image)(image, id))
      DCFG_(superblock)(id)->past = DCFG_PAST_IF_NEEDED;
}

UInt DCFG_(empty_image)(UInt image)
{
   UInt first = DCFG_(next_of_image)(image, 0);

   for (UInt id = first; id != 0; id = DCFG_(superblock)(id)->next_of_image) {
      Superblock* sb = DCFG_(superblock)(id);
      VG_(HT_gen_remove)(by_entry, sb, is_other);
      sb->image = DCFG_NO_IMAGE;
      sb->past  = 0;
   }
   if (first != 0)
      *(Ends*)VG_(indexXA)(by_image, image) = (Ends){ 0, 0 };
   return first;
}

void DCFG_(join_image)(Superblock* sb, UInt image)
{
   sb->image    = image;
   sb->hash_key = hash(sb->entry, image);
   VG_(HT_add_node)(by_entry, sb);
   append_to_image(sb);
}

/* Return 0 if superblock B runs the same code for A's entry as A, and a jump of
   A's kind (redirected or not) has led there. */
static Word cmp_landing(const void* va, const void* vb)
{
   const Superblock* a            = va;
   const Superblock* b            = vb;
   Bool              unredirected = a->versions[0] == DCFG_NO_VERSION;

   return a->entry != b->entry || a->addr != b->addr || a->image != b->image
          || b->versions[unredirected] == DCFG_NO_VERSION;
}

const Superblock* DCFG_(landed_superblock)(const Superblock* sb,
                                           Bool unredirected)
{
   Superblock key = *sb;

   if (by_id == NULL)
      return NULL;
   key.hash_key    = hash(sb->entry, sb->image);
   key.versions[0] = unredirected ? DCFG_NO_VERSION : 0;
   return VG_(HT_gen_lookup)(by_entry, &key, cmp_landing);
}

UInt DCFG_(n_superblocks)(void)
{
   return by_id == NULL ? 0 : VG_(sizeXA)(by_id) - 1;
}

Superblock* DCFG_(superblock)(UInt id)
{
   return records[id];
}

UInt DCFG_(next_of_image)(UInt image, UInt after)
{
   if (after != 0)
      return DCFG_(superblock)(after)->next_of_image;
   return by_image == NULL || image >= VG_(sizeXA)(by_image)
          ? 0 : ((const Ends*)VG_(indexXA)(by_image, image))->first;
}

Bool DCFG_(any_counter)(const Superblock* sb,
                        Bool (*is_it)(void* arg, CellNo no), void* arg)
{
   if (sb->started != 0 && is_it(arg, sb->started))
      return True;
   for (UInt i = 0; i < sb->n_exits; i++)
      if (is_it(arg, sb->exits[i].cell))
         return True;
   if (sb->end == EndIndirect)
      for (const Pair* p = sb->branch->first_pair; p != NULL; p = p->next)
         if (is_it(arg, p->cell))
            return True;
   return False;
}

Addr DCFG_(instr_addr)(const Superblock* sb, UInt k)
{
   Addr a = sb->addr;

   for (UInt i = 0; i < k; i++)
      a += sb->lengths[i];
   return a;
}

UInt DCFG_(inner_instr)(const Superblock* sb, Addr a)
{
   Addr at = sb->addr;

   for (UInt k = 1; k < sb->n_instrs; k++) {
      at += sb->lengths[k - 1];
      if (at == a)
         return k;
   }
   return 0;
}

/*--- Targets                                              ---*/

static Word cmp_pairs(const void* va, const void* vb)
{
   const Pair* a = va;
   const Pair* b = vb;
   return a->sb != b->sb || a->target != b->target;
}

#define FEW_PAIRS 4

Pair* DCFG_(find_pair)(const Superblock* sb, Addr target)
{
   Pair key;
   /* Most branches have one or two. */
   if (sb->branch->n_pairs <= FEW_PAIRS) {
      Pair* p = sb->branch->first_pair;
      while (p != NULL && p->target != target)
         p = p->next;
      return p;
   }
   key.sb       = sb->id;
   key.target   = target;
   key.hash_key = hash(target, sb->id);
   return VG_(HT_gen_lookup)(pairs, &key, cmp_pairs);
}

Pair* DCFG_(pair)(Superblock* sb, Addr target)
{
   Pair* p = DCFG_(find_pair)(sb, target);
   if (p == NULL) {
      p = VG_(allocEltPA)(pair_pool);
      p->hash_key = hash(target, sb->id);
      p->sb       = sb->id;
      p->target   = target;
      p->cell = DCFG_(new_counters)(1);
      p->next = sb->branch->first_pair;
      sb->branch->first_pair = p;
      p->older    = newest_pair;
      newest_pair = p;
      sb->branch->n_pairs++;
      VG_(HT_add_node)(pairs, p);
   }
   return p;
}

Superblock* DCFG_(new_past)(Superblock* sb)
{
   Superblock* past = new_record(sb, sb->started != 0);

   past->past = 0;
   sb->past   = past->id;
   if (sb->end != EndIndirect)
      return past;
   past->branch->first_pair = sb->branch->first_pair;
   past->branch->n_pairs    = sb->branch->n_pairs;
   sb->branch->first_pair   = NULL;
   sb->branch->n_pairs      = 0;
   for (Pair* p = past->branch->first_pair; p != NULL; p = p->next) {
      VG_(HT_gen_remove)(pairs, p, cmp_pairs);
      p->sb       = past->id;
      p->hash_key = hash(p->target, p->sb);
      VG_(HT_add_node)(pairs, p);
   }
   return past;
}

static void add_source(Addr target, UInt sb)
{
   Goal* g = VG_(HT_lookup)(goals, target);

   if (g == NULL) {
      g = VG_(calloc)("dcfg.bb.goal", 1, sizeof(Goal));
      g->hash_key = target;
      VG_(HT_add_node)(goals, g);
   }
   if (g->sources != NULL && g->sources->sb == sb)
      return;
   Source* s  = VG_(allocEltPA)(source_pool);
   s->goal    = g;
   s->sb      = sb;
   s->next    = g->sources;
   g->sources = s;
}

static void update_goals(void)
{
   if (goals == NULL) {
      goals = VG_(HT_construct)("dcfg.bb.goals");
      left  = VG_(HT_construct)("dcfg.bb.left");
      source_pool = VG_(newPA)(sizeof(Source), PER_POOL, VG_(malloc),
                               "dcfg.bb.source", VG_(free));
   }
   while (n_in_goals < DCFG_(n_superblocks)()) {
      const Superblock* sb = DCFG_(superblock)(++n_in_goals);
      for (UInt i = 0; i < sb->n_exits; i++)
         add_source(sb->exits[i].target, sb->id);
      if (sb->end == EndDirect)
         add_source(sb->next, sb->id);
      else
         for (const Pair* p = sb->branch->first_pair; p != NULL; p = p->next)
            add_source(p->target, sb->id);
   }
   for (const Pair* p = newest_pair; p != newest_in_goals; p = p->older)
      add_source(p->target, p->sb);
   newest_in_goals = newest_pair;
}

static void leave_out(Source* s)
{
   UInt  image = DCFG_(superblock)(s->sb)->image;
   Left* l     = VG_(HT_lookup)(left, image);

   if (l == NULL) {
      l = VG_(calloc)("dcfg.bb.left", 1, sizeof(Left));
      l->hash_key = image;
      VG_(HT_add_node)(left, l);
   }
   s->next    = l->sources;
   l->sources = s;
}

void DCFG_(each_leading_to)(Addr target,
                            Leading (*do_it)(void* arg,
                                             const Superblock* sb),
                            void* arg)
{
   update_goals();
   Goal*    g    = VG_(HT_lookup)(goals, target);
   Source** link = g == NULL ? NULL : &g->sources;

   while (link != NULL && *link != NULL) {
      Source* s       = *link;
      Leading leading = do_it(arg, DCFG_(superblock)(s->sb));
      if (leading == LeadsStill) {
         link = &s->next;
         continue;
      }
      *link = s->next;
      if (leading == LeadsIfBack)
         leave_out(s);
      else
         VG_(freeEltPA)(source_pool, s);
   }
}

void DCFG_(lead_again)(UInt image)
{
   Left* l = left == NULL ? NULL : VG_(HT_remove)(left, image);

   if (l == NULL)
      return;
   for (Source *s = l->sources, *next; s != NULL; s = next) {
      next             = s->next;
      s->next          = s->goal->sources;
      s->goal->sources = s;
   }
   VG_(free)(l);
}
