/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The state of the process: registers, mappings, stacks. */

/* Owns: the form of a process's state in a file.  Handed: guest states and
   mappings by the core.

   docs/dev/wet-file.md describes section 10, and the bytes of registers and
   mappings, which marks have, too. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#include <elf.h>

#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/run/thread.h"
#include "tool/wet/process.h"
#include "tool/wet/tables.h"
#include "tool/wet/usage.h"

/*--- Registers                                            ---*/

/* Piece: a register's contents. */
typedef
   struct {
      UShort number;       // a location, or RegisterFirst and so on
      UChar  size;
      UChar  bytes[WET_MAX_REGISTER];
   }
   Piece;

#define MAX_PIECES (32 + 32 + 8 + MAX_OTHER_REGISTERS)

struct _GuestRegisters {
   UInt  n;
   Piece pieces[MAX_PIECES];
};

static void add_piece(GuestRegisters* r, UInt number, const void* bytes,
                      UInt size)
{
   Piece* p = &r->pieces[r->n++];

   tl_assert(r->n <= MAX_PIECES && size <= WET_MAX_REGISTER);
   p->number = number;
   p->size   = size;
   VG_(memcpy)(p->bytes, bytes, size);
}

/* Add registers of SIZE bytes, from offset FIRST to END in STATE. */
static void add_group(GuestRegisters* r, const UChar* state, UInt first,
                      UInt end, UInt size)
{
   for (UInt at = first; first != NO_OFFSET && at < end; at += size)
      add_piece(r, DCFG_(location_at)(at), state + at, size);
}

GuestRegisters* DCFG_(read_registers)(ThreadId tid)
{
   const GuestLayout* g = DCFG_(guest).layout;
   GuestRegisters*    r = VG_(malloc)("dcfg.process.registers", sizeof(*r));
   UChar*             state = VG_(malloc)("dcfg.process.state",
                                          DCFG_(guest).state_size);
   OtherRegister      others[MAX_OTHER_REGISTERS];
   UInt               n;

   r->n = 0;
   VG_(get_shadow_regs_area)(tid, state, 0, 0, DCFG_(guest).state_size);
   add_group(r, state, g->general, g->general_end, g->word);
   add_group(r, state, g->vectors, g->vectors_end, g->vector);
   add_group(r, state, g->FPREG, g->FPTAG, 8);
   n = DCFG_(guest).other_registers(state, others);
   for (UInt i = 0; i < n; i++) {
      UChar bytes[8];
      for (UInt k = 0; k < 8; k++)
         bytes[k] = others[i].value >> 8 * k;
      add_piece(r, others[i].number, bytes, others[i].size);
   }
   VG_(free)(state);
   return r;
}

static Bool is_same(const Piece* a, const Piece* b)
{
   return VG_(memcmp)(a->bytes, b->bytes, a->size) == 0;
}

static void put_piece(Bytes* b, const Piece* p)
{
   DCFG_(add_varint)(b, p->number);
   DCFG_(add_varint)(b, p->size);
   DCFG_(add_bytes)(b, p->bytes, p->size);
}

void DCFG_(add_registers)(Bytes* b, const GuestRegisters* now,
                          const GuestRegisters* before)
{
   for (UInt i = 0; i < now->n; i++)
      if (before == NULL || !is_same(&now->pieces[i], &before->pieces[i]))
         put_piece(b, &now->pieces[i]);
}

void DCFG_(add_register)(Bytes* b, ThreadId tid, Int offset, SizeT size)
{
   Piece p = { DCFG_(location_at)(offset), size };

   tl_assert(size <= WET_MAX_REGISTER);
   VG_(get_shadow_regs_area)(tid, p.bytes, 0, offset, size);
   put_piece(b, &p);
}

/*--- Mappings                                             ---*/

static Bool is_clients(const NSegment* s)
{
   return s->kind == SkAnonC || s->kind == SkFileC || s->kind == SkShmC;
}

/* Return how far the segment S may grow downward if it is the first thread's
   stack, else 0. */
static SizeT room_below(const NSegment* s)
{
   const NSegment* below;

   if (s->kind != SkAnonC || VG_(clstk_end) < s->start
       || VG_(clstk_end) > s->end || s->start == 0)
      return 0;
   below = VG_(am_find_nsegment)(s->start - 1);
   return below != NULL && below->kind == SkResvn && below->smode == SmUpper
          ? below->end - below->start + 1 : 0;
}

/* Add to B how the memory of S from A on is mapped, AS_NEW or not.  The file's
   name is left out if it is LAST, which becomes the name. */
static void add_mapping(Bytes* b, const NSegment* s, Addr a, Bool as_new,
                        const HChar** last)
{
   const HChar* name = VG_(am_get_filename)(s);
   SizeT        room = room_below(s);
   UInt         how  = MappedThere | (s->hasR ? MappedRead : 0)
                       | (s->hasW ? MappedWrite : 0)
                       | (s->hasX ? MappedExecute : 0)
                       | (s->kind == SkFileC ? MappedFile : 0)
                       | (s->kind == SkShmC ? MappedShared : 0)
                       | (room > 0 ? MappedStack : 0)
                       | (as_new ? MappedNew : 0);

   DCFG_(add_varint)(b, how);
   if (how & MappedStack)
      DCFG_(add_varint)(b, room);
   if (!(how & MappedFile))
      return;
   name = name == NULL ? "" : name;
   DCFG_(add_varint)(b, s->offset + (a - s->start));
   if (*last == NULL || !VG_STREQ(*last, name))
      DCFG_(add_bytes)(b, name, VG_(strlen)(name));
   *last = name;
}

void DCFG_(tell_mappings)(Addr a, SizeT len, MappingChange change,
                          TellMapping to)
{
   Bytes b = { NULL, 0, 0 };

   while (len > 0) {
      const NSegment* s    = VG_(am_find_nsegment)(a);
      const HChar*    last = NULL;
      SizeT           n    = s == NULL || s->end - a >= len - 1
                             ? len : s->end - a + 1;
      b.used = 0;
      if (s != NULL && is_clients(s) && change != MappingGone)
         add_mapping(&b, s, a, change == MappingNew, &last);
      else
         DCFG_(add_varint)(&b, 0);
      to(a, n, &b);
      a   += n;
      len -= n;
   }
   VG_(free)(b.bytes);
}

/* Add all mappings of the program. */
static void add_mappings(Bytes* b)
{
   const UInt   kinds = SkAnonC | SkFileC | SkShmC;
   Int          room  = 256, n;
   Addr*        all;
   Addr         at    = 0;
   Bytes        how   = { NULL, 0, 0 };
   const HChar* last  = NULL;

   all = VG_(malloc)("dcfg.process.mappings", room * sizeof(Addr));
   /* A negative result is minus the room that is needed. */
   while ((n = VG_(am_get_segment_starts)(kinds, all, room)) < 0) {
      room = -n;
      all  = VG_(realloc)("dcfg.process.mappings", all, room * sizeof(Addr));
   }
   DCFG_(add_varint)(b, n);
   for (Int i = 0; i < n; i++) {
      const NSegment* s = VG_(am_find_nsegment)(all[i]);
      how.used = 0;
      add_mapping(&how, s, s->start, False, &last);
      DCFG_(add_varint)(b, s->start - at);
      DCFG_(add_varint)(b, s->end - s->start + 1);
      DCFG_(add_varint)(b, how.used);
      DCFG_(add_bytes)(b, how.bytes, how.used);
      at = s->end + 1;
   }
   VG_(free)(how.bytes);
   VG_(free)(all);
}

/*--- The auxiliary vector                                 ---*/

/* AuxEntry: an entry of the vector, as the program finds it. */
typedef
   struct {
      UWord type, value;
   }
   AuxEntry;

static AuxEntry* auxv;
static UInt      n_auxv;

void DCFG_(keep_auxv)(void)
{
   const AuxEntry* from = (const AuxEntry*)VG_(client_auxv);

   if (from == NULL || auxv != NULL)
      return;
   while (from[n_auxv].type != AT_NULL)
      n_auxv++;
   auxv = VG_(malloc)("dcfg.process.auxv", (n_auxv + 1) * sizeof(*auxv));
   VG_(memcpy)(auxv, from, n_auxv * sizeof(*auxv));
}

static UWord aux_value(UWord type)
{
   for (UInt i = 0; i < n_auxv; i++)
      if (auxv[i].type == type)
         return auxv[i].value;
   return 0;
}

#if VG_WORDSIZE == 8
typedef Elf64_Phdr ProgramHeader;
#define FILE_HEADER sizeof(Elf64_Ehdr)
#else
typedef Elf32_Phdr ProgramHeader;
#define FILE_HEADER sizeof(Elf32_Ehdr)
#endif

/* Return the program's addresses in memory less those in its file: 0, unless
   the program is position-independent.  The program headers in memory tell. */
static Addr load_bias(void)
{
   const UWord          at = aux_value(AT_PHDR), n = aux_value(AT_PHNUM);
   const ProgramHeader* h  = (const ProgramHeader*)at;
   Addr                 bias = 0;

   if (at == 0 || n > 0xFFFF
       || !VG_(am_is_valid_for_client)(at, n * sizeof(*h), VKI_PROT_READ))
      return 0;
   for (UWord i = 0; i < n; i++) {
      if (h[i].p_type == PT_PHDR)
         return at - h[i].p_vaddr;
      if (h[i].p_type == PT_LOAD && h[i].p_offset == 0)
         bias = at - FILE_HEADER - h[i].p_vaddr;
   }
   return bias;
}

/*--- The process                                          ---*/

/* Set *TID, *SP and *MAX to those of the next live thread.  Return False if
   there is none. */
static Bool next_thread(ThreadId* tid, Addr* sp, Addr* max)
{
   while (VG_(thread_stack_next)(tid, sp, max))
      if (DCFG_(index_of_thread)(*tid) != DCFG_NO_THREAD)
         return True;
   return False;
}

/* Add the contents of the stack of a thread whose stack pointer is SP; MAX is
   its last byte, if that is known. */
static void add_stack(Bytes* b, Addr sp, Addr max, SizeT most)
{
   const NSegment* s     = VG_(am_find_nsegment)(sp);
   Addr            begin = sp - DCFG_(guest).redzone;
   SizeT           n;

   if (s == NULL || !is_clients(s) || !s->hasR) {
      DCFG_(add_varint)(b, 0);
      DCFG_(add_varint)(b, 0);
      return;
   }
   begin = begin < s->start ? s->start : begin;
   n     = (max >= sp && max < s->end ? max : s->end) - begin + 1;
   n     = n > most ? most : n;
   DCFG_(add_varint)(b, begin);
   DCFG_(add_varint)(b, n);
   DCFG_(add_bytes)(b, (const void*)begin, n);
}

UInt DCFG_(add_state)(Bytes* b, Bool at_start, SizeT most)
{
   UInt     n = 0, end = 0;
   ThreadId tid;
   Addr     sp, max;

   DCFG_(add_varint)(b, at_start);
   DCFG_(add_varint)(b, VG_(getpid)());
   DCFG_(add_varint)(b, load_bias());
   DCFG_(add_varint)(b, n_auxv);
   for (UInt i = 0; i < n_auxv; i++) {
      DCFG_(add_varint)(b, auxv[i].type);
      DCFG_(add_varint)(b, auxv[i].value);
   }
   add_mappings(b);
   VG_(thread_stack_reset_iter)(&tid);
   while (next_thread(&tid, &sp, &max))
      n++;
   DCFG_(add_varint)(b, n);
   VG_(thread_stack_reset_iter)(&tid);
   while (next_thread(&tid, &sp, &max)) {
      GuestRegisters* r       = DCFG_(read_registers)(tid);
      Bytes           pieces  = { NULL, 0, 0 };
      UInt            index   = DCFG_(index_of_thread)(tid);
      DCFG_(add_registers)(&pieces, r, NULL);
      DCFG_(add_varint)(b, index);
      DCFG_(add_varint)(b, DCFG_(kernels_number)(tid));
      DCFG_(add_varint)(b, pieces.used);
      DCFG_(add_bytes)(b, pieces.bytes, pieces.used);
      VG_(free)(pieces.bytes);
      VG_(free)(r);
      end = index >= end ? index + 1 : end;
   }
   DCFG_(add_varint)(b, n);
   VG_(thread_stack_reset_iter)(&tid);
   while (next_thread(&tid, &sp, &max))
      add_stack(b, sp, max, most);
   return end;
}

void DCFG_(put_state)(Put* out, const Bytes* state, const RunEnd* end)
{
   Bytes b = { NULL, 0, 0 };

   DCFG_(add_varint)(&b, end->kind);
   DCFG_(add_varint)(&b, (UInt)end->status);
   DCFG_(put_section)(out, SectionState, b.used + (ULong)state->used);
   DCFG_(put_bytes)(out, b.bytes, b.used);
   DCFG_(put_bytes)(out, state->bytes, state->used);
   VG_(free)(b.bytes);
}
