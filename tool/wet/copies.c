/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: copies of memory from before a call, and the comparison behind it.
   Handed: places, by tool/wet/syscalls.c and the core.

   Neither the core nor tool/wet/syscalls.c knows all that the kernel writes. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_vki.h"

#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/wet/copies.h"

/* Bytes of one copy, and of all copies, at most. */
#define MOST_OF_ONE (64u << 10)
#define MOST_OF_ALL (1u << 20)

/* Copy: the head of a copy.  Its bytes follow, filled up to whole heads. */
typedef
   struct {
      Addr  a;
      UWord n;
      UWord offered;
   }
   Copy;

static UInt size_of(const Copy* c)
{
   return sizeof(Copy) + VG_ROUNDUP(c->n, sizeof(ULong));
}

static const UChar* bytes_of(const Copy* c)
{
   return (const UChar*)(c + 1);
}

/* Return the end of the memory in S that can be read.  Who reads a mapped file
   behind the page with its end gets SIGBUS. */
static Addr readable_end(const NSegment* s)
{
   const HChar*   name = DCFG_(file_of)(s);
   struct vg_stat st;
   ULong          n;

   if (s->kind != SkFileC)
      return s->end + 1;
   if (name == NULL || sr_isError(VG_(stat)(name, &st)) || st.dev != s->dev
       || st.ino != s->ino || (ULong)st.size <= (ULong)s->offset)
      return s->start;
   n = VG_PGROUNDUP(st.size - s->offset);
   return n > s->end - s->start ? s->end + 1 : s->start + n;
}

/* Return how many of the N bytes at A can be read, and written by a call: those
   in the mapping there. */
static SizeT readable(Addr a, SizeT n)
{
   const NSegment* s = VG_(am_find_nsegment)(a);
   Addr            end;

   if (s == NULL || !s->hasR || !s->hasW
       || (s->kind != SkAnonC && s->kind != SkFileC && s->kind != SkShmC))
      return 0;
   end = readable_end(s);
   return end <= a ? 0 : n < end - a ? n : end - a;
}

void DCFG_(copy_memory)(Bytes* copies, Addr a, SizeT len, Bool offered)
{
   SizeT left = len < MOST_OF_ONE ? len : MOST_OF_ONE;

   while (a >= VKI_PAGE_SIZE && left > 0 && copies->used < MOST_OF_ALL) {
      Copy  c = { a, readable(a, left), offered };
      Copy* here;
      if (c.n == 0)
         return;
      here  = (Copy*)DCFG_(add_room)(copies, size_of(&c));
      *here = c;
      VG_(memcpy)(here + 1, (const void*)a, c.n);
      a    += c.n;
      left -= c.n;
   }
}

void DCFG_(renew_copies)(Bytes* copies, Addr a, SizeT len)
{
   Copy* c;

   for (UInt at = 0; at < copies->used; at += size_of(c)) {
      c = (Copy*)(copies->bytes + at);
      Addr begin = a > c->a ? a : c->a;
      Addr end   = a + len < c->a + c->n ? a + len : c->a + c->n;
      if (begin < end && readable(begin, end - begin) == end - begin)
         VG_(memcpy)((UChar*)(c + 1) + (begin - c->a), (const void*)begin,
                     end - begin);
   }
}

/* Return the offset in C of the first byte from I on that has changed (WANTED),
   or of the first aligned word of four bytes that has not. */
static UWord next(const Copy* c, UWord i, Bool wanted)
{
   const UChar* now = (const UChar*)c->a;
   const UChar* was = bytes_of(c);

   while (i < c->n) {
      UWord end = VG_ROUNDDN(c->a + i, 4) + 4 - c->a;
      end = end < c->n ? end : c->n;
      if ((VG_(memcmp)(now + i, was + i, end - i) != 0) == wanted)
         break;
      i = end;
   }
   return i;
}

void DCFG_(tell_changes)(const Bytes* copies, Bool alone, TellMemory to,
                         void* arg)
{
   const Copy* c;

   for (UInt at = 0; at < copies->used; at += size_of(c)) {
      c = (const Copy*)(copies->bytes + at);
      if (!(c->offered || alone) || readable(c->a, c->n) < c->n)
         continue;
      for (UWord i = next(c, 0, True), end; i < c->n; i = next(c, end, True)) {
         end = next(c, i, False);
         to(arg, c->a + i, end - i);
      }
   }
}
