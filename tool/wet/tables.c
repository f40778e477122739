/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of code in a WET file, and states of the process. */

/* Owns: the sections of a file before the tape; the form of a process's state;
   and the journal, the rows in the spool file that are needed to read the tape of
   a killed process.  docs/dev/wet-file.md describes them, and the bytes of
   registers and mappings, which marks have, too.  Handed: superblocks by
   dcfg_bb.c, images by tool/run/image.c, uses and definitions by
   tool/wet/usage.c, the tape by tool/wet/tape.c, guest states and mappings by the
   core.

   The file's tables are made when the program has ended, and sorted.  The
   journal grows while it runs: when a chunk has ended, rows are written for
   what is new since the last chunk, and then the chunk.  So everything in the
   spool file can be read. */

#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"
#include "dcfg_bb.h"
#include "format/order.h"
#include "format/spool_file.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/files/stream.h"
#include "tool/run/gather.h"
#include "tool/run/image.h"
#include "tool/run/this_run.h"
#include "tool/run/thread.h"
#include "tool/wet/closure.h"
#include "tool/wet/coding.h"
#include "tool/wet/slots.h"
#include "tool/wet/tables.h"
#include "tool/wet/usage.h"
#include <elf.h>

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
   const HChar* name = DCFG_(file_of)(s);
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
   DCFG_FREE_ALL(how.bytes, all);
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
   DCFG_(add_varint)(b, DCFG_(this_pid)());
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
      DCFG_(add_varint)(b, DCFG_(this_thread)(tid));
      DCFG_(add_varint)(b, pieces.used);
      DCFG_(add_bytes)(b, pieces.bytes, pieces.used);
      DCFG_FREE_ALL(pieces.bytes, r);
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

/* Known: an instruction of some superblock. */
typedef
   struct {
      Addr         addr;
      UInt         image;
      UChar        len;
      UChar        kind;
      const UChar* code;
   }
   Known;

static void add_text(Bytes* b, const HChar* s)
{
   UInt n = VG_(strlen)(s);

   DCFG_(add_varint)(b, n);
   DCFG_(add_bytes)(b, s, n);
}

void DCFG_(put_section)(Put* out, UInt section, ULong length)
{
   UChar head[9];

   head[0] = section;
   for (UInt i = 0; i < 8; i++)
      head[1 + i] = length >> 8 * i;
   DCFG_(put_bytes)(out, head, sizeof(head));
}

/* Put the bytes of B as a section, and free their memory: the largest section
   has tens of MB. */
static void put_bytes_as(Put* out, UInt section, Bytes* b)
{
   DCFG_(put_section)(out, section, b->used);
   DCFG_(put_bytes)(out, b->bytes, b->used);
   VG_(free)(b->bytes);
   VG_(memset)(b, 0, sizeof(*b));
}

/*--- Images                                               ---*/

/* Add the part of an image's row from name to symbols. */
static void add_symbols(Bytes* b, const ImageInfo* info)
{
   Addr last = 0;

   add_text(b, info->name);
   DCFG_(add_varint)(b, info->load);
   DCFG_(add_varint)(b, info->size);
   DCFG_(add_varint)(b, info->n_symbols);
   for (UInt i = 0; i < info->n_symbols; i++) {
      DCFG_(add_varint)(b, info->symbols[i].addr - last);
      DCFG_(add_varint)(b, info->symbols[i].size);
      add_text(b, info->symbols[i].name);
      last = info->symbols[i].addr;
   }
}

static void add_image(Bytes* b, UInt no)
{
   ImageInfo info;
   Addr      last = 0;

   DCFG_(image_info)(no, True, &info);
   add_symbols(b, &info);
   DCFG_(add_varint)(b, info.n_lines);
   for (UInt i = 0; i < info.n_lines; i++) {
      DCFG_(add_varint)(b, info.lines[i].addr - last);
      DCFG_(add_varint)(b, info.lines[i].file);
      DCFG_(add_varint)(b, info.lines[i].line);
      last = info.lines[i].addr;
   }
}

/* Add the build ids of all images. */
static void add_build_ids(Bytes* b)
{
   for (UInt i = 0; i < DCFG_(n_images)(); i++) {
      ImageInfo info;
      DCFG_(image_info)(i, False, &info);
      add_text(b, info.build_id == NULL ? "" : info.build_id);
   }
}

static void put_images(Put* out, Bytes* b)
{
   Bytes images = { NULL, 0, 0 };

   /* Images first: source files get their numbers when lines are asked for. */
   DCFG_(add_varint)(&images, DCFG_(n_images)());
   for (UInt i = 0; i < DCFG_(n_images)(); i++)
      add_image(&images, i);
   add_build_ids(&images);
   DCFG_(add_varint)(b, DCFG_(n_source_files)());
   for (UInt i = 0; i < DCFG_(n_source_files)(); i++)
      add_text(b, DCFG_(source_file_name)(i));
   put_bytes_as(out, SectionSources, b);
   put_bytes_as(out, SectionImages, &images);
}

/*--- Instructions                                         ---*/

COMPARE(cmp_known, Known, UP(image) ?: UP(addr))

/* Return all instructions of superblocks that were translated with the tape,
   sorted, without duplicates. */
static XArray* find_instrs(void)
{
   XArray* all = DCFG_NEW_ARRAY("dcfg.wet.instrs", Known);
   Word    n   = 0;

   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      n += DCFG_(superblock)(id)->n_instrs;
   VG_(hintSizeXA)(all, n);
   n = 0;
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      Superblock*     sb   = DCFG_(superblock)(id);
      const SlotList* list = DCFG_(slots_of)(sb);
      Addr            a    = sb->addr;
      for (UInt k = 0; list->at_exit != NULL && k < sb->n_instrs; k++) {
         Known i = { a, sb->image, sb->lengths[k], sb->kinds[k],
                     list->code + (a - sb->addr) };
         VG_(addToXA)(all, &i);
         a += sb->lengths[k];
      }
   }
   VG_(setCmpFnXA)(all, cmp_known);
   VG_(sortXA)(all);
   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      const Known* k = VG_(indexXA)(all, i);
      if (n == 0 || cmp_known(k, VG_(indexXA)(all, n - 1)) != 0)
         *(Known*)VG_(indexXA)(all, n++) = *k;
   }
   VG_(dropTailXA)(all, VG_(sizeXA)(all) - n);
   return all;
}

static void add_instr(Bytes* b, const Known* k, const Known* before)
{
   DCFG_(add_varint)(b, k->image - (before == NULL ? 0 : before->image));
   DCFG_(add_varint)(b, before == NULL || before->image != k->image
                        ? k->addr : k->addr - before->addr);
   DCFG_(add_varint)(b, k->len);
   DCFG_(add_bytes)(b, k->code, k->len);
   DCFG_(add_varint)(b, k->kind);
   DCFG_(add_usage_of)(b, k->code, k->len, k->addr);
}

static void put_instrs(Put* out, Bytes* b, XArray* instrs)
{
   DCFG_(add_varint)(b, VG_(sizeXA)(instrs));
   for (Word i = 0; i < VG_(sizeXA)(instrs); i++)
      add_instr(b, VG_(indexXA)(instrs, i),
                i == 0 ? NULL : VG_(indexXA)(instrs, i - 1));
   put_bytes_as(out, SectionInstrs, b);
}

/* Put instructions that did not run, in the form of other instructions. */
static void put_unexecuted(Put* out, Bytes* b)
{
   XArray*           all    = DCFG_(unexecuted_code)();
   const Unexecuted* before = NULL;

   DCFG_(add_varint)(b, VG_(sizeXA)(all));
   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      const Unexecuted* u = VG_(indexXA)(all, i);
      DCFG_(add_varint)(b, u->image - (before == NULL ? 0 : before->image));
      DCFG_(add_varint)(b, before == NULL || before->image != u->image
                           ? u->addr : u->addr - before->addr);
      DCFG_(add_varint)(b, u->len);
      DCFG_(add_bytes)(b, DCFG_(code_of)(u), u->len);
      DCFG_(add_varint)(b, u->kind);
      before = u;
   }
   VG_(deleteXA)(all);
   put_bytes_as(out, SectionUnexecuted, b);
}

/*--- Superblocks                                          ---*/

/* Return the index of the instruction at A of IMAGE.  Try the one
   behind index BEFORE first. */
static Word place_of(XArray* instrs, UInt image, Addr a, Word before)
{
   Known key = { a, image, 0, 0, NULL };
   Word  first, last;

   if (before + 1 < VG_(sizeXA)(instrs)
       && cmp_known(&key, VG_(indexXA)(instrs, before + 1)) == 0)
      return before + 1;
   if (!VG_(lookupXA)(instrs, &key, &first, &last))
      return -1;
   return first;
}

/* Return the number in the file for S: an address, or a distance in 64 bits. */
static ULong number_of(const Slot* s)
{
   return s->from < WhereSlot ? s->addr : (ULong)(Long)(Word)s->addr;
}

/* Add the exits and slots of SB. */
static void add_slots(Bytes* b, Superblock* sb)
{
   const SlotList* list = DCFG_(slots_of)(sb);

   DCFG_(add_varint)(b, sb->n_exits);
   for (UInt x = 0; x < sb->n_exits; x++) {
      DCFG_(add_varint)(b, sb->exits[x].instr);
      DCFG_(add_varint)(b, list->at_exit[x]);
   }
   DCFG_(add_varint)(b, list->n_slots);
   for (UInt s = 0; s < list->n_slots; s++) {
      DCFG_(add_varint)(b, list->slots[s].instr);
      DCFG_(add_varint)(b, list->slots[s].what);
      DCFG_(add_varint)(b, list->slots[s].size);
      DCFG_(add_varint)(b, list->slots[s].from);
      if (list->slots[s].from != WhereTape)
         DCFG_(add_varint)(b, DCFG_(zigzag)(number_of(&list->slots[s])));
   }
}

static void add_superblock(Bytes* b, XArray* instrs, UInt id)
{
   Superblock*     sb   = DCFG_(superblock)(id);
   const SlotList* list = DCFG_(slots_of)(sb);
   UInt            n    = list->at_exit == NULL ? 0 : sb->n_instrs;
   Addr            a    = sb->addr;
   Word            at   = -1;

   DCFG_(add_varint)(b, n);
   if (n == 0)
      return;
   for (UInt k = 0; k < n; a += sb->lengths[k++]) {
      at = place_of(instrs, sb->image, a, at);
      DCFG_(add_varint)(b, at);
   }
   add_slots(b, sb);
}

static void put_superblocks(Put* out, Bytes* b, XArray* instrs)
{
   DCFG_(add_varint)(b, DCFG_(n_superblocks)());
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      add_superblock(b, instrs, id);
   put_bytes_as(out, SectionSuperblocks, b);
}

/*--- Threads, and executions before the tape              ---*/

/* Put the threads.  Return the number of instructions of all. */
static ULong put_threads(Put* out, const Graph* g)
{
   ULong n = 0;

   DCFG_(put_section)(out, SectionThreads, 8 * (ULong)g->n_threads);
   for (UInt t = 0; t < g->n_threads; t++) {
      UChar bytes[8];
      for (UInt i = 0; i < 8; i++)
         bytes[i] = g->thread_instrs[t] >> 8 * i;
      DCFG_(put_bytes)(out, bytes, 8);
      n += g->thread_instrs[t];
   }
   return n;
}

/* Put how often each instruction was executed, if not the whole tape is KEPT:
   the first execution in the file is not the first of all. */
static void put_before(Put* out, Bytes* b, XArray* instrs, const Gathered* g,
                       Bool kept, Bool ended)
{
   DCFG_(add_varint)(b, kept ? 0 : VG_(sizeXA)(instrs));
   for (Word i = 0; !kept && i < VG_(sizeXA)(instrs); i++) {
      const Known* k  = VG_(indexXA)(instrs, i);
      UInt         at = DCFG_(find_instr)(g, k->image, k->addr);
      DCFG_(add_varint)(b, at == DCFG_NO_INSTR ? 0
                           : g->graph->blocks[g->graph->node_of[at]
                                              - NodeFirstBlock].count);
   }
   if (ended)
      DCFG_(add_varint)(b, WET_ENDED_EARLY);
   put_bytes_as(out, SectionBefore, b);
}

/* Put what a graph has as RUN. */
static void put_run(Put* out, Bytes* b)
{
   JsonRun r = DCFG_(this_run)();

   DCFG_(add_varint)(b, r.pid);
   DCFG_(add_varint)(b, r.parent);
   add_text(b, r.command_line);
   add_text(b, r.working_dir);
   add_text(b, r.start);
   add_text(b, r.tool_version);
   add_text(b, r.processor);
   put_bytes_as(out, SectionRun, b);
}

ULong DCFG_(put_tables)(Put* out, const struct _Gathered* g, Bool dropped,
                        Bool ended)
{
   XArray* instrs = find_instrs();
   Bytes   b      = { NULL, 0, 0 };
   ULong   n;

   put_run(out, &b);
   put_images(out, &b);
   put_instrs(out, &b, instrs);
   put_unexecuted(out, &b);
   put_superblocks(out, &b, instrs);
   n = put_threads(out, g->graph);
   put_before(out, &b, instrs, g, !dropped, ended);
   VG_(deleteXA)(instrs);
   return n;
}

/*--- The journal                                          ---*/

static const HChar* journal_opt;       // NULL: there is no journal
static const HChar* journal_format;
static Stream*      rows;              // NULL: none yet
static UInt         n_images, n_sbs;   // images and superblocks that have rows
static XArray*      sources;           // const HChar*, interned: files that
                                       // have rows

void DCFG_(keep_journal)(const HChar* opt, const HChar* format)
{
   journal_opt    = opt;
   journal_format = format;
}

void DCFG_(end_journal)(Bool parents)
{
   if (rows != NULL)
      DCFG_(delete_stream)(rows);
   rows        = NULL;
   journal_opt = NULL;
   if (!parents)
      DCFG_(unname_spool)();
}

static void add_images(Bytes* b)
{
   for (; n_images < DCFG_(n_images)(); n_images++) {
      ImageInfo info;
      DCFG_(image_info)(n_images, False, &info);
      DCFG_(add_varint)(b, RowImage);
      add_symbols(b, &info);
      add_text(b, info.build_id == NULL ? "" : info.build_id);
   }
}

/* Return the number of source file NAME, from 1, and give it a row. */
static UInt source_number(Bytes* b, const HChar* name)
{
   Word n = VG_(sizeXA)(sources);

   for (Word i = n; i-- > 0; )
      if (*(const HChar**)VG_(indexXA)(sources, i) == name)
         return i + 1;
   VG_(addToXA)(sources, &name);
   DCFG_(add_varint)(b, RowSource);
   add_text(b, name);
   return n + 1;
}

/* Add SB's row to TO, and rows of its source files to B. */
static void add_superblock_row(Bytes* b, Bytes* to, Superblock* sb)
{
   const SlotList* list = DCFG_(slots_of)(sb);
   UInt            n    = list->at_exit == NULL ? 0 : sb->n_instrs;
   const UChar*    code = list->code;
   Addr            a    = sb->addr;

   DCFG_(add_varint)(to, RowSuperblock);
   DCFG_(add_varint)(to, n);
   if (n == 0)
      return;
   DCFG_(add_varint)(to, sb->image);
   DCFG_(add_varint)(to, a);
   for (UInt k = 0; k < n; k++) {
      const HChar *file, *dir;
      UInt  line = 0, source = 0;
      if (VG_(get_filename_linenum)(VG_(current_DiEpoch)(), a, &file, &dir,
                                    &line))
         source = source_number(b, DCFG_(source_path)(dir, file));
      DCFG_(add_varint)(to, sb->lengths[k]);
      DCFG_(add_bytes)(to, code, sb->lengths[k]);
      DCFG_(add_varint)(to, sb->kinds[k]);
      DCFG_(add_varint)(to, source);
      DCFG_(add_varint)(to, line);
      DCFG_(add_usage_of)(to, code, sb->lengths[k], a);
      code += sb->lengths[k];
      a    += sb->lengths[k];
   }
   add_slots(to, sb);
}

static void add_unexecuted(Bytes* b, UInt first)
{
   XArray* found = DCFG_(new_unexecuted_code)(first);

   for (Word i = 0; i < VG_(sizeXA)(found); i++) {
      const Unexecuted* u = VG_(indexXA)(found, i);
      DCFG_(add_varint)(b, RowUnexecuted);
      DCFG_(add_varint)(b, u->image);
      DCFG_(add_varint)(b, u->addr);
      DCFG_(add_varint)(b, u->len);
      DCFG_(add_bytes)(b, DCFG_(code_of)(u), u->len);
      DCFG_(add_varint)(b, u->kind);
   }
   VG_(deleteXA)(found);
}

/* Begin the journal, with the state of the process. */
static Bool begin(const Bytes* state)
{
   UChar head[2] = { WET_VERSION, DCFG_(guest).machine };
   Bytes b       = { NULL, 0, 0 };

   if (!DCFG_(name_spool)(journal_opt, journal_format)) {
      journal_opt = NULL;
      return False;
   }
   rows    = DCFG_(new_stream)();
   sources = DCFG_NEW_ARRAY("dcfg.journal.sources", const HChar*);
   DCFG_(keep_begin)(rows);
   DCFG_(append_to_stream)(rows, head, sizeof(head));
   DCFG_(add_varint)(&b, RowState);
   DCFG_(add_varint)(&b, state->used);
   DCFG_(add_bytes)(&b, state->bytes, state->used);
   DCFG_(append_to_stream)(rows, b.bytes, b.used);
   VG_(free)(b.bytes);
   return True;
}

void DCFG_(save_tape)(Stream* tape, UInt n_threads, const Bytes* state)
{
   Bytes b = { NULL, 0, 0 }, sbs = { NULL, 0, 0 };
   UInt  first = n_sbs + 1;

   if (journal_opt == NULL || DCFG_(stream_length)(tape) == 0
       || (rows == NULL && !begin(state)))
      return;
   add_images(&b);
   while (n_sbs < DCFG_(n_superblocks)())
      add_superblock_row(&b, &sbs, DCFG_(superblock)(++n_sbs));
   if (sbs.used > 0) {
      DCFG_(add_bytes)(&b, sbs.bytes, sbs.used);
      add_unexecuted(&b, first);
   }
   DCFG_(add_varint)(&b, RowTape);
   DCFG_(add_varint)(&b, n_threads);
   DCFG_(add_varint)(&b, DCFG_(stream_length)(tape));
   DCFG_(append_to_stream)(rows, b.bytes, b.used);
   if (!DCFG_(save_stream)(rows, JournalRows)
       || !DCFG_(save_stream)(tape, JournalTape))
      DCFG_(end_journal)(False);
   DCFG_FREE_ALL(b.bytes, sbs.bytes);
}
