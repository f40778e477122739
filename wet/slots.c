
/*--------------------------------------------------------------------*/
/*--- Which addresses a superblock records.          wet/slots.c ---*/
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

/* Owns: what a memory access is, and the list of those that a superblock
   makes.  Handed: VEX's statements.  Taken by: wet/ir_tape.c, which has each
   write its address, wet/squeeze.c, wet/tables.c, wet/usage.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

#include "wet/slots.h"

static SizeT part;

void DCFG_(claim_slot_lists)(void)
{
   part = DCFG_(claim_part)(sizeof(SlotList));
}

SlotList* DCFG_(slots_of)(Superblock* sb)
{
   return (SlotList*)((UChar*)sb + part);
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
      case Ist_Dirty: {
         const IRDirty* d = st->Ist.Dirty.details;
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
      default:
         return False;
   }
   access->size = sizeofIRType(ty);
   return True;
}

Bool DCFG_(has_false_memory)(const UChar* code, UInt len)
{
#if defined(VGA_amd64) || defined(VGA_x86)
   UInt i = 0;

   while (i < len && (code[i] == 0x66 || code[i] == 0xF2 || code[i] == 0xF3
                      || code[i] == 0xF0 || code[i] == 0x2E
                      || code[i] == 0x36 || code[i] == 0x3E
                      || code[i] == 0x26 || code[i] == 0x64
                      || code[i] == 0x65 || code[i] == 0x67))
      i++;
   if (sizeof(Addr) == 8 && i < len && (code[i] & 0xF0) == 0x40)
      i++;
   return i + 2 < len && code[i] == 0x0F
          && (code[i + 1] & 0xE7) == 0xA3 && code[i + 2] >= 0xC0;
#else
   return False;
#endif
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
