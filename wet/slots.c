
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

UInt DCFG_(words_before)(const SlotList* list, UInt k)
{
   UInt n = 0;

   for (UInt i = 0; i < list->n_slots && list->slots[i].instr < k; i++)
      n += list->slots[i].from <= WhereStack;
   return n;
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

#if defined(VGA_amd64)

UInt DCFG_(skip_prefixes)(const UChar* code, UInt len)
{
   UInt i = 0;

   while (i < len && (code[i] == 0x66 || code[i] == 0xF2 || code[i] == 0xF3
                      || code[i] == 0xF0 || code[i] == 0x2E
                      || code[i] == 0x36 || code[i] == 0x3E
                      || code[i] == 0x26 || code[i] == 0x64
                      || code[i] == 0x65 || code[i] == 0x67))
      i++;
   if (i < len && (code[i] & 0xF0) == 0x40)
      i++;
   return i;
}

Bool DCFG_(has_false_memory)(const UChar* code, UInt len)
{
   UInt i = DCFG_(skip_prefixes)(code, len);

   return i + 2 < len && code[i] == 0x0F
          && (code[i + 1] & 0xE7) == 0xA3 && code[i + 2] >= 0xC0;
}

/* Is the byte at CODE a ModRM byte that names memory? */
static Bool names_memory(const UChar* code, UInt i, UInt len)
{
   return i < len && code[i] < 0xC0;
}

Bool DCFG_(may_read_memory)(const UChar* code, UInt len)
{
   UInt  i  = DCFG_(skip_prefixes)(code, len);
   UChar op = i < len ? code[i] : 0;
   UChar next = i + 1 < len ? code[i + 1] : 0;

   if (op == 0x0F) {
      if (next == 0x38 || next == 0x3A)
         return names_memory(code, i + 3, len);
      if (next == 0x05 || next == 0x0B || next == 0x0D         // no operand,
          || (next >= 0x18 && next <= 0x1F) || next == 0x31    // or a hint
          || (next >= 0x80 && next <= 0x8F) || next == 0xA2
          || (next >= 0xC8 && next <= 0xCF))
         return False;
      return names_memory(code, i + 2, len);
   }
   if (op == 0xC4 || op == 0xC5) {                             // VEX
      i += op == 0xC4 ? 3 : 2;
      return i < len && code[i] != 0x77 && names_memory(code, i + 1, len);
   }
   if (op < 0x40)
      return (op & 7) < 4 && names_memory(code, i + 1, len);
   switch (op) {
      case 0x8D:                                               // LEA
         return False;
      case 0x9D: case 0xA0: case 0xA1: case 0xC2: case 0xC3: case 0xC9:
         return True;                                          // POPF, MOV,
      case 0x63: case 0x69: case 0x6B:                         // RET, LEAVE
      case 0xC0: case 0xC1: case 0xC6: case 0xC7: case 0xF6: case 0xF7:
      case 0xFE: case 0xFF:
         return names_memory(code, i + 1, len);
      default:
         if (op >= 0x58 && op <= 0x5F)                         // POP
            return True;
         return ((op >= 0x80 && op <= 0x8F) || (op >= 0xD0 && op <= 0xDF))
                && names_memory(code, i + 1, len);
   }
}

#else

UInt DCFG_(skip_prefixes)(const UChar* code, UInt len)
{
   return 0;
}

Bool DCFG_(has_false_memory)(const UChar* code, UInt len)
{
   return False;
}

Bool DCFG_(may_read_memory)(const UChar* code, UInt len)
{
   return False;
}

#endif

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
