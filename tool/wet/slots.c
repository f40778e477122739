/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slots: the addresses and values that a superblock records. */

/* Owns: the definition of a memory access, the list of a superblock's slots,
   the ways in which a superblock is left, and the memory for rows.  Handed:
   VEX's statements; rows without room by tool/wet/tape.c.

   tool/wet/slots.h describes the tape as it is in memory.  A superblock gets as
   much memory for its rows as it has needed between two codings of the tape,
   within the size of the processor's cache. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "tool/arch/guest.h"
#include "tool/wet/slots.h"

/*--- Rows                                                 ---*/

/* Limits in words: for a superblock, for all. */
#define MAX_WORDS (1u << 15)
#define MAX_ROOM  (4u << 20)
#define FIRST_ROWS 8u

static ULong room;
static Rows* with_room;      // those that have memory

Bool DCFG_(grow_rows)(Rows* r)
{
   UInt used = r->next - r->begin;
   UInt old  = r->end - r->begin;
   UInt n    = old == 0 ? FIRST_ROWS * r->size : 2 * old;

   if ((old > 0 && n > MAX_WORDS) || room + n - old > MAX_ROOM)
      return False;
   if (old == 0) {
      r->other  = with_room;
      with_room = r;
   }
   room    += n - old;
   r->begin = VG_(realloc)("dcfg.wet.rows", r->begin, n * sizeof(ULong));
   r->next  = r->begin + used;
   r->end   = r->begin + n;
   return True;
}

ULong DCFG_(room_for_rows)(void)
{
   return room;
}

void DCFG_(empty_rows)(Bool give_back)
{
   for (Rows* r = with_room; r != NULL; r = r->other) {
      r->next = r->begin;
      if (!give_back)
         continue;
      VG_(free)(r->begin);
      r->next = r->end = r->begin = NULL;
   }
   if (give_back) {
      with_room = NULL;
      room      = 0;
   }
}

/*--- Lists and ways                                       ---*/

static SizeT fields;

SlotWay*        DCFG_(ways);
static UInt n_ways = TAPE_FIRST_WAY;
static UInt room_for_ways;

void DCFG_(claim_slot_lists)(void)
{
   fields = DCFG_(claim_fields)(sizeof(SlotList));
}

SlotList* DCFG_(slots_of)(Superblock* sb)
{
   return (SlotList*)((UChar*)sb + fields);
}

UInt DCFG_(new_ways)(UInt n)
{
   UInt first = n_ways;

   if (n_ways + n > room_for_ways) {
      room_for_ways = 2 * (n_ways + n);
      DCFG_(ways)   = VG_(realloc)("dcfg.wet.ways", DCFG_(ways),
                                   room_for_ways * sizeof(SlotWay));
   }
   VG_(memset)(DCFG_(ways) + first, 0, n * sizeof(SlotWay));
   n_ways += n;
   return first;
}

UInt DCFG_(n_ways)(void)
{
   return n_ways;
}

UInt DCFG_(words_before)(const SlotList* list, UInt k, UInt* n_segments)
{
   UInt n = 0, s = 0;

   for (UInt i = 0; i < list->n_slots && list->slots[i].instr < k; i++)
      n += DCFG_(has_word)(&list->slots[i]);
   while (s < list->n_segments && list->segment_ends[s] <= n)
      s++;
   *n_segments = s;
   return n;
}

UInt DCFG_(loads_before)(const SlotList* list, UInt k)
{
   UInt n = 0;

   for (UInt i = 0; i < list->n_slots && list->slots[i].instr < k; i++)
      n += list->slots[i].what == SLOT_LOAD;
   return n;
}

/*--- Accesses                                             ---*/

/* Find the access of D, which VEX calls at run time. */
static Bool access_of_helper(const IRDirty* d, Slot* access, IRExpr** addr,
                             IRExpr** guard)
{
   if (d->mFx == Ifx_None)
      return False;
   *addr        = d->mAddr;
   access->size = d->mSize;
   access->what = d->mFx == Ifx_Read ? AccessLoad
                  : d->mFx == Ifx_Write ? AccessStore
                  : AccessLoad | AccessStore;
   if (d->guard->tag != Iex_Const) {
      *guard        = d->guard;
      access->what |= AccessGuarded;
   }
   return True;
}

Bool DCFG_(access_of)(const IRSB* sb, const IRStmt* st, Slot* access,
                      IRExpr** addr, IRExpr** guard)
{
   const IRTypeEnv* env = sb->tyenv;
   IRType           ty, loaded;

   *guard = NULL;
   switch (st->tag) {
      case Ist_WrTmp: {
         const IRExpr* e = st->Ist.WrTmp.data;
         if (e->tag != Iex_Load)
            return False;
         ty           = e->Iex.Load.ty;
         *addr        = e->Iex.Load.addr;
         access->what = AccessLoad;
         break;
      }
      case Ist_Store:
         ty           = typeOfIRExpr(env, st->Ist.Store.data);
         *addr        = st->Ist.Store.addr;
         access->what = AccessStore;
         break;
      case Ist_LoadG:
         typeOfIRLoadGOp(st->Ist.LoadG.details->cvt, &ty, &loaded);
         ty           = loaded;
         *addr        = st->Ist.LoadG.details->addr;
         *guard       = st->Ist.LoadG.details->guard;
         access->what = AccessLoad | AccessGuarded;
         break;
      case Ist_StoreG:
         ty           = typeOfIRExpr(env, st->Ist.StoreG.details->data);
         *addr        = st->Ist.StoreG.details->addr;
         *guard       = st->Ist.StoreG.details->guard;
         access->what = AccessStore | AccessGuarded;
         break;
      case Ist_CAS: {
         const IRCAS* cas = st->Ist.CAS.details;
         ty           = typeOfIRExpr(env, cas->dataLo);
         *addr        = cas->addr;
         access->size = sizeofIRType(ty) * (cas->dataHi == NULL ? 1 : 2);
         access->what = AccessLoad | AccessStore;
         return True;
      }
      case Ist_LLSC: {
         const IRExpr* data = st->Ist.LLSC.storedata;
         ty           = data != NULL ? typeOfIRExpr(env, data)
                        : typeOfIRTemp(env, st->Ist.LLSC.result);
         *addr        = st->Ist.LLSC.addr;
         access->what = data != NULL ? AccessStore | AccessGuarded
                                     : AccessLoad;
         break;
      }
      case Ist_Dirty:
         return access_of_helper(st->Ist.Dirty.details, access, addr, guard);
      default:
         return False;
   }
   access->size = sizeofIRType(ty);
   return True;
}

/* Find the mask of a gather's element: VEX reads elements outside the mask at
   RSP, by choosing between two addresses. */
static void find_mask(const IRSB* sb, Slot* access, IRExpr** addr,
                      IRExpr** guard)
{
   for (Int i = sb->stmts_used; i-- > 0 && (*addr)->tag == Iex_RdTmp; ) {
      const IRStmt* st = sb->stmts[i];
      if (st->tag != Ist_WrTmp
          || st->Ist.WrTmp.tmp != (*addr)->Iex.RdTmp.tmp)
         continue;
      const IRExpr* e = st->Ist.WrTmp.data;
      if (e->tag == Iex_ITE) {
         *addr         = e->Iex.ITE.iftrue;
         *guard        = e->Iex.ITE.cond;
         access->what |= AccessGuarded;
      }
      return;
   }
}

Bool DCFG_(is_access)(const IRSB* sb, const UChar* code, UInt len,
                      Slot* access, IRExpr** addr, IRExpr** guard)
{
   UInt quirks = DCFG_(guest).quirks(code, len);

   if (quirks & QuirkFalseMemory)
      return False;
   if (quirks & QuirkGather)
      find_mask(sb, access, addr, guard);
   if (!(quirks & QuirkStoreExclusive))
      return True;
   access->what = (access->what & AccessStore) | AccessGuarded;
   return access->what & AccessStore;
}
