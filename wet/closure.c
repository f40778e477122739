
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

/* Code that is gone by now. */
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

/* Adds what there is from branches between FROM and TO. */
static void find_code(XArray* found, Addr from, Addr to)
{
   Closure c = { .found = found, .image = ~0u };

   c.seen = VG_(OSetGen_Create)(0, cmp_places, VG_(malloc), "dcfg.closure",
                                VG_(free));
   c.todo = VG_(newXA)(VG_(malloc), "dcfg.closure.todo", VG_(free),
                       sizeof(Addr));
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      Superblock* sb = DCFG_(superblock)(id);
      Addr        a  = sb->addr;
      c.image = sb->image;
      for (UInt k = 0; DCFG_(slots_of)(sb)->at_exit != NULL
                       && k < sb->n_instrs; a += sb->lengths[k++])
         note(&c, a);
   }
   c.image = ~0u;
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      Superblock*     sb   = DCFG_(superblock)(id);
      const SlotList* list = DCFG_(slots_of)(sb);
      UInt            len  = length_of(sb), at = 0;
      if (list->at_exit == NULL || sb->addr >= to || sb->addr + len <= from
          || !is_there(sb, list, len))
         continue;
      if (sb->image != c.image) {
         c.image = sb->image;
         DCFG_(image_info)(c.image, False, &c.info);
      }
      for (UInt k = 0; k < sb->n_instrs; at += sb->lengths[k++]) {
         go_on(&c, sb->addr + at, sb->kinds[k], list->code + at,
               sb->lengths[k]);
         follow(&c);
      }
   }
   VG_(OSetGen_Destroy)(c.seen);
   VG_(deleteXA)(c.todo);
}

static XArray* new_list(void)
{
   return VG_(newXA)(VG_(malloc), "dcfg.closure.found", VG_(free),
                     sizeof(Unexecuted));
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
         find_code(closed, a, a + len);
         return;
      }
      p = seg->end + 1;
   }
}

XArray* DCFG_(unexecuted_code)(void)
{
   XArray* all = new_list();
   Word    n   = 0;

   find_code(all, 0, ~(Addr)0);
   for (Word i = 0; closed != NULL && i < VG_(sizeXA)(closed); i++)
      VG_(addToXA)(all, VG_(indexXA)(closed, i));
   VG_(setCmpFnXA)(all, cmp_unexecuted);
   VG_(sortXA)(all);
   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      const Unexecuted* u = VG_(indexXA)(all, i);
      if (n == 0 || cmp_unexecuted(u, VG_(indexXA)(all, n - 1)) != 0)
         *(Unexecuted*)VG_(indexXA)(all, n++) = *u;
   }
   VG_(dropTailXA)(all, VG_(sizeXA)(all) - n);
   return all;
}

void DCFG_(forget_closed_code)(void)
{
   if (closed != NULL)
      VG_(deleteXA)(closed);
   closed = NULL;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
