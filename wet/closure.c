
/*--------------------------------------------------------------------*/
/*--- Code that was not executed.                    wet/closure.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the static closure of executed code: what its direct conditional
   branches may lead to.  Handed: superblocks by dcfg_bb.c, symbols by
   run/image.c; the bytes are the program's memory.  Taken by: wet/tables.c;
   wet/tape.c tells of code that is about to be unmapped.

   An `if' that always went the same way decides something only if it is known
   what it did not do. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_vki.h"

#include "arch/guest.h"
#include "dcfg_bb.h"
#include "run/image.h"
#include "wet/closure.h"
#include "wet/lift.h"
#include "wet/slots.h"

/* What was found when code was about to go, some of it more than once. */
static XArray* closed;          // Unexecuted, or NULL

typedef
   struct {
      OSet*     seen;           // Unexecuted, by image and address
      XArray*   found;          // Unexecuted
      XArray*   todo;           // Addr
      UInt      image;
      ImageInfo info;           // its
   }
   Closure;

static Word cmp_places(const void* vkey, const void* velem)
{
   const Unexecuted* a = vkey;
   const Unexecuted* b = velem;

   if (a->image != b->image)
      return a->image < b->image ? -1 : 1;
   return a->addr < b->addr ? -1 : a->addr > b->addr ? 1 : 0;
}

static Int cmp_unexecuted(const void* a, const void* b)
{
   return cmp_places(a, b);
}

/* Notes it; returns False if it was known. */
static Bool note(Closure* c, Addr a)
{
   Unexecuted  key = { .addr = a, .image = c->image };
   Unexecuted* u;

   if (VG_(OSetGen_Contains)(c->seen, &key))
      return False;
   u  = VG_(OSetGen_AllocNode)(c->seen, sizeof(key));
   *u = key;
   VG_(OSetGen_Insert)(c->seen, u);
   return True;
}

/* Where the function begins that has A, of c->image; ~0: nobody knows.  As
   wet_function_at() of the library. */
static Addr function_at(const Closure* c, Addr a)
{
   const ImageSymbol* all = c->info.symbols;
   UInt low = 0, high = c->info.n_symbols;

   while (low < high) {
      UInt mid = low + (high - low) / 2;
      if (all[mid].addr <= a)
         low = mid + 1;
      else
         high = mid;
   }
   for (UInt looked = 0; low-- > 0 && looked < 64; looked++)
      if (a - all[low].addr < all[low].size || a == all[low].addr)
         return all[low].addr;
   return ~(Addr)0;
}

/*------------------------------------------------------------*/
/*--- One instruction                                      ---*/
/*------------------------------------------------------------*/

static void take_length(void* arg, const IRSB* sb)
{
   UInt* len = arg;

   if (sb->jumpkind == Ijk_NoDecode)
      return;
   for (Int i = 0; i < sb->stmts_used; i++)
      if (sb->stmts[i]->tag == Ist_IMark) {
         *len = sb->stmts[i]->Ist.IMark.len;
         return;
      }
}

/* The one at u->addr.  False if there is none. */
static Bool decode(Unexecuted* u)
{
   UInt n = sizeof(u->code), len = 0;

   while (n > 0 && !VG_(am_is_valid_for_client)(u->addr, n, VKI_PROT_READ))
      n--;
   if (n == 0)
      return False;
   VG_(memcpy)(u->code, (const void*)u->addr, n);
   DCFG_(lift)(u->code, n, u->addr, take_length, &len);
   if (len == 0 || len > n)
      return False;
   u->len  = len;
   u->kind = DCFG_(guest).classify(u->code, len);
   return True;
}

/*------------------------------------------------------------*/
/*--- The closure                                          ---*/
/*------------------------------------------------------------*/

static void go_to(Closure* c, Addr from, Addr to)
{
   if (function_at(c, from) == function_at(c, to))
      VG_(addToXA)(c->todo, &to);
}

/* On from an instruction of KIND at A, with CODE. */
static void go_on(Closure* c, Addr a, UInt kind, const UChar* code, UInt len)
{
   if (kind == InsnCond || kind == InsnJump)
      go_to(c, a, DCFG_(guest).target(code, len, a));
   if (kind != InsnJump && kind != InsnIndirectJump && kind != InsnReturn)
      go_to(c, a, a + len);
}

static void follow(Closure* c)
{
   while (VG_(sizeXA)(c->todo) > 0) {
      Word       last = VG_(sizeXA)(c->todo) - 1;
      Unexecuted u = { .addr  = *(Addr*)VG_(indexXA)(c->todo, last),
                       .image = c->image };
      VG_(dropTailXA)(c->todo, 1);
      if (!note(c, u.addr) || !decode(&u))
         continue;
      VG_(addToXA)(c->found, &u);
      go_on(c, u.addr, u.kind, u.code, u.len);
   }
}

/* Is SB's code what stands in memory now? */
static Bool is_there(const Superblock* sb, const SlotList* list, UInt len)
{
   return VG_(am_is_valid_for_client)(sb->addr, len, VKI_PROT_READ)
          && VG_(memcmp)((const void*)sb->addr, list->code, len) == 0;
}

static UInt length_of(const Superblock* sb)
{
   UInt n = 0;

   for (UInt k = 0; k < sb->n_instrs; k++)
      n += sb->lengths[k];
   return n;
}

/* C is to find code for FOUND. */
static void start(Closure* c, XArray* found)
{
   c->found = found;
   c->seen  = VG_(OSetGen_Create)(0, cmp_places, VG_(malloc), "dcfg.closure",
                                  VG_(free));
   c->todo  = VG_(newXA)(VG_(malloc), "dcfg.closure.todo", VG_(free),
                         sizeof(Addr));
}

static void end(Closure* c)
{
   VG_(OSetGen_Destroy)(c->seen);
   VG_(deleteXA)(c->todo);
   c->seen = NULL;
}

/* SB's instructions were executed. */
static void note_executed(Closure* c, const Superblock* sb)
{
   Addr a = sb->addr;

   c->image = sb->image;
   for (UInt k = 0; k < sb->n_instrs; a += sb->lengths[k++])
      note(c, a);
}

/* Find what SB's branches may lead to.  Of the image before, C has what there
   is to know. */
static void follow_superblock(Closure* c, const Superblock* sb,
                              const SlotList* list)
{
   UInt at = 0;

   if (sb->image != c->image) {
      c->image = sb->image;
      DCFG_(image_info)(c->image, False, &c->info);
   }
   for (UInt k = 0; k < sb->n_instrs; at += sb->lengths[k++]) {
      go_on(c, sb->addr + at, sb->kinds[k], list->code + at,
            sb->lengths[k]);
      follow(c);
   }
}

static XArray* new_list(void)
{
   return VG_(newXA)(VG_(malloc), "dcfg.closure.found", VG_(free),
                     sizeof(Unexecuted));
}

/*------------------------------------------------------------*/
/*--- Code that is about to go                             ---*/
/*------------------------------------------------------------*/

/* A superblock whose branches have not been followed. */
typedef
   struct {
      Addr addr;
      UInt id;
   }
   Open;

/* No superblock is longer. */
#define LONGEST 4096u

/* With more instructions than these .seen begins anew: some code is found
   twice then. */
#define MUCH_SEEN 100000u

static OSet*   open_code;       // Open, of the first n_indexed superblocks
static UInt    n_indexed;
static Closure closing;         // .seen: NULL or what is in CLOSED, and what
                                // was executed there

static Word cmp_open(const void* vkey, const void* velem)
{
   const Open* a = vkey;
   const Open* b = velem;

   if (a->addr != b->addr)
      return a->addr < b->addr ? -1 : 1;
   return a->id < b->id ? -1 : a->id > b->id ? 1 : 0;
}

static void index_superblocks(void)
{
   if (open_code == NULL)
      open_code = VG_(OSetGen_Create)(0, cmp_open, VG_(malloc),
                                      "dcfg.closure.open", VG_(free));
   while (n_indexed < DCFG_(n_superblocks)()) {
      Open* o = VG_(OSetGen_AllocNode)(open_code, sizeof(Open));
      o->id   = ++n_indexed;
      o->addr = DCFG_(superblock)(o->id)->addr;
      VG_(OSetGen_Insert)(open_code, o);
   }
}

/* The superblocks between FROM and TO that can be followed: Open, to be
   deleted. */
static XArray* followed_between(Addr from, Addr to)
{
   XArray* list = VG_(newXA)(VG_(malloc), "dcfg.closure.list", VG_(free),
                             sizeof(Open));
   Open    first = { from > LONGEST ? from - LONGEST : 0, 0 };
   Open*   o;

   VG_(OSetGen_ResetIterAt)(open_code, &first);
   while ((o = VG_(OSetGen_Next)(open_code)) != NULL && o->addr < to) {
      const Superblock* sb  = DCFG_(superblock)(o->id);
      const SlotList*   slots = DCFG_(slots_of)(DCFG_(superblock)(o->id));
      UInt              len = length_of(sb);
      if (slots->at_exit != NULL && sb->addr + len > from
          && is_there(sb, slots, len))
         VG_(addToXA)(list, o);
   }
   return list;
}

static void close_between(Addr from, Addr to)
{
   XArray* list;

   index_superblocks();
   list = followed_between(from, to);
   if (closing.seen != NULL && VG_(OSetGen_Size)(closing.seen) > MUCH_SEEN)
      end(&closing);
   if (closing.seen == NULL)
      start(&closing, closed);
   for (Word i = 0; i < VG_(sizeXA)(list); i++)
      note_executed(&closing,
                    DCFG_(superblock)(((Open*)VG_(indexXA)(list, i))->id));
   closing.image = ~0u;
   for (Word i = 0; i < VG_(sizeXA)(list); i++) {
      const Open* o  = VG_(indexXA)(list, i);
      Superblock* sb = DCFG_(superblock)(o->id);
      follow_superblock(&closing, sb, DCFG_(slots_of)(sb));
      VG_(OSetGen_FreeNode)(open_code, VG_(OSetGen_Remove)(open_code, o));
   }
   VG_(deleteXA)(list);
}

void DCFG_(close_code)(Addr a, SizeT len)
{
   for (Addr p = a; p - a < len; ) {
      const NSegment* seg = VG_(am_find_nsegment)(p);
      if (seg == NULL)
         return;
      if (seg->hasX) {
         if (closed == NULL)
            closed = new_list();
         close_between(a, a + len);
         return;
      }
      p = seg->end + 1;
   }
}

void DCFG_(forget_closed_code)(void)
{
   if (closing.seen != NULL)
      end(&closing);
   if (open_code != NULL)
      VG_(OSetGen_Destroy)(open_code);
   if (closed != NULL)
      VG_(deleteXA)(closed);
   open_code = NULL;
   n_indexed = 0;
   closed    = NULL;
}

/*------------------------------------------------------------*/
/*--- All of it                                            ---*/
/*------------------------------------------------------------*/

/* What is in CLOSED may have been executed since. */
XArray* DCFG_(unexecuted_code)(void)
{
   XArray* all = new_list();
   Closure c;

   start(&c, all);
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      Superblock* sb = DCFG_(superblock)(id);
      if (DCFG_(slots_of)(sb)->at_exit != NULL)
         note_executed(&c, sb);
   }
   c.image = ~0u;
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      Superblock*     sb   = DCFG_(superblock)(id);
      const SlotList* list = DCFG_(slots_of)(sb);
      if (list->at_exit != NULL && is_there(sb, list, length_of(sb)))
         follow_superblock(&c, sb, list);
   }
   for (Word i = 0; closed != NULL && i < VG_(sizeXA)(closed); i++) {
      const Unexecuted* u = VG_(indexXA)(closed, i);
      c.image = u->image;
      if (note(&c, u->addr))
         VG_(addToXA)(all, u);
   }
   end(&c);
   VG_(setCmpFnXA)(all, cmp_unexecuted);
   VG_(sortXA)(all);
   return all;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
