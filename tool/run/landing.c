/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the code that runs when an address is jumped to, with its versions.
   Handed: superblocks by tool/run/instrument.c. */

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_poolalloc.h"

#include "tool/run/landing.h"

/* Version: code that ran when an address was jumped to; or that will run, in an
   image that is not known yet. */
#define AWAITED_IMAGE 0xFFFFFFFEu
#define PASSED_IMAGE  0xFFFFFFFDu   // no jump ran it: see pass_landing()
typedef
   struct {
      Addr addr;
      UInt image;
   }
   Version;

/* Landing: the code that runs when an address is jumped to, and all code that
   ran there before. */
typedef
   struct _Landing {
      struct _Landing* hash_next;
      UWord            hash_key;        // the address
      Version          first;           // version 0
      Version*         later;           // version V is .later[V - 1]
      UInt             n_versions;
      UInt             room;            // the size of .later
      UInt             now;             // the present version
      UInt             left_out;        // how many versions are excluded code
   }
   Landing;

/* Elements of a pool.  Each allocation of its own would cost 32 bytes. */
#define PER_POOL 250

static VgHashTable* landings[2];       // [1]: past redirections
static PoolAlloc*   landing_pool;
static Bool         is_plain = True;   // see lands_plainly()
ULong               DCFG_(n_looks);

/* The last result of landing() of each kind, as callers often ask about the
   same address again. */
static struct {
   Addr     addr;
   Landing* found;
} last_landing[2];

/* Return the landing of ADDR or NULL. */
static Landing* landing(Addr addr, Bool unredirected)
{
   if (landing_pool == NULL)
      return NULL;
   if (last_landing[unredirected].addr != addr) {
      last_landing[unredirected].addr  = addr;
      last_landing[unredirected].found
         = VG_(HT_lookup)(landings[unredirected], addr);
   }
   return last_landing[unredirected].found;
}

static void init(void)
{
   landings[0]  = VG_(HT_construct)("dcfg.landings");
   landings[1]  = VG_(HT_construct)("dcfg.landings");
   landing_pool = VG_(newPA)(sizeof(Landing), PER_POOL, VG_(malloc),
                             "dcfg.landing", VG_(free));
}

static Landing* add_landing(Addr addr, Bool unredirected)
{
   if (landing_pool == NULL)
      init();
   Landing* l = VG_(allocEltPA)(landing_pool);
   VG_(memset)(l, 0, sizeof(Landing));
   l->hash_key = addr;
   VG_(HT_add_node)(landings[unredirected], l);
   last_landing[unredirected].addr  = addr;
   last_landing[unredirected].found = l;
   return l;
}

static Version* version(Landing* l, UInt v)
{
   return v == 0 ? &l->first : &l->later[v - 1];
}

Target DCFG_(target_now)(Addr addr, Bool unredirected)
{
   const Landing* l = landing(addr, unredirected);
   Target         t = { addr, l == NULL ? 0 : l->now, unredirected };
   return t;
}

Bool DCFG_(has_versions)(Addr addr, Bool unredirected)
{
   const Landing* l = landing(addr, unredirected);
   return l != NULL && l->n_versions > 1;
}

Bool DCFG_(landing)(Target t, Addr* addr, UInt* image)
{
   Landing* l = landing(t.addr, t.unredirected);

   if (l != NULL && t.version == DCFG_PRESENT)
      t.version = l->now;
   if (l == NULL || t.version >= l->n_versions)
      return False;
   const Version* v = version(l, t.version);
   if (v->image == DCFG_NO_IMAGE || v->image == AWAITED_IMAGE
       || v->image == PASSED_IMAGE)
      return False;
   *addr  = v->addr;
   *image = v->image;
   return True;
}

Bool DCFG_(lands_plainly)(void)
{
   return is_plain;
}

static Bool lands_at(const Version* v, const Superblock* sb)
{
   return v->addr == sb->addr
          && (v->image == sb->image || v->image == AWAITED_IMAGE);
}

Target DCFG_(target_of)(const Superblock* sb)
{
   for (Int unredirected = 0; unredirected < 2; unredirected++)
      if (sb->versions[unredirected] != DCFG_NO_VERSION) {
         Target t = { sb->entry, sb->versions[unredirected], unredirected };
         return t;
      }
   return DCFG_(target_now)(sb->entry, False);
}

Bool DCFG_(lands_elsewhere)(const Superblock* sb, Bool unredirected)
{
   Landing* l = landing(sb->entry, unredirected);
   return l != NULL && !lands_at(version(l, l->now), sb);
}

Bool DCFG_(is_replaced)(const Superblock* sb)
{
   for (Int unredirected = 0; unredirected < 2; unredirected++)
      if (sb->versions[unredirected] != DCFG_NO_VERSION
          && !DCFG_(lands_elsewhere)(sb, unredirected))
         return False;
   return True;
}

/* Return the number of L's version that runs SB, or DCFG_NO_VERSION.  A
   superblock with the same code knows its version: code that changes all the
   time has a million versions, too many to search.  Excluded code has no
   superblocks and is searched for, but does not change. */
static UInt find_version(Landing* l, const Superblock* sb, Bool unredirected)
{
   if (sb->image == DCFG_NO_IMAGE) {
      for (UInt v = l->left_out == 0 ? 0 : l->n_versions; v-- > 0; ) {
         DCFG_(n_looks)++;
         if (lands_at(version(l, v), sb))
            return v;
      }
      return DCFG_NO_VERSION;
   }
   const Superblock* same = DCFG_(landed_superblock)(sb, unredirected);
   return same == NULL ? DCFG_NO_VERSION : same->versions[unredirected];
}

static UInt add_version(Landing* l, Addr addr, UInt image)
{
   UInt n = l->n_versions++;

   if (n > l->room) {
      l->room  = 2 * n;
      l->later = VG_(realloc)("dcfg.bb.versions", l->later,
                              l->room * sizeof(Version));
   }
   *version(l, n) = (Version){ addr, image };
   is_plain       = is_plain && n == 0 && image < PASSED_IMAGE;
   l->left_out   += image == DCFG_NO_IMAGE;
   return n;
}

void DCFG_(land_here)(Superblock* sb, Bool unredirected)
{
   Landing* l = landing(sb->entry, unredirected);

   if (l == NULL)
      l = add_landing(sb->entry, unredirected);
   if (l->n_versions == 0) {
      l->now = add_version(l, sb->addr, sb->image);
   } else if (!lands_at(version(l, l->now), sb)) {
      l->now = find_version(l, sb, unredirected);
      if (l->now == DCFG_NO_VERSION)
         l->now = add_version(l, sb->addr, sb->image);
   }
   version(l, l->now)->image = sb->image;
   sb->versions[unredirected] = l->now;
}

Bool DCFG_(has_landed)(Addr addr, Bool unredirected)
{
   Landing* l = landing(addr, unredirected);

   return l != NULL && l->n_versions > 0
          && version(l, l->now)->image != AWAITED_IMAGE;
}

void DCFG_(pass_landing)(Addr addr, Bool unredirected)
{
   Landing* l = landing(addr, unredirected);

   if (l == NULL)
      l = add_landing(addr, unredirected);
   if (l->n_versions == 0)
      l->now = add_version(l, addr, PASSED_IMAGE);
   version(l, l->now)->image = PASSED_IMAGE;
   is_plain = False;
}

Bool DCFG_(await_landing)(Superblock* sb, Bool unredirected, Bool has_run)
{
   Landing* l = landing(sb->entry, unredirected);

   if (!lands_at(version(l, l->now), sb))
      return False;
   Bool is_new = has_run && version(l, l->now)->image != AWAITED_IMAGE;
   if (is_new)
      l->now = add_version(l, sb->addr, AWAITED_IMAGE);
   version(l, l->now)->image  = AWAITED_IMAGE;
   is_plain                   = False;
   sb->versions[unredirected] = l->now;
   return is_new;
}

void DCFG_(landed_here)(Superblock* sb, Bool unredirected)
{
   Landing* l = landing(sb->entry, unredirected);
   UInt*    v = &sb->versions[unredirected];

   /* Another superblock with the same entry may have run in between. */
   if (!lands_at(version(l, *v), sb))
      *v = lands_at(version(l, l->now), sb)
           ? l->now : add_version(l, sb->addr, sb->image);
   version(l, *v)->image = sb->image;
}
