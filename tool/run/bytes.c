/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the bytes that superblocks were translated from.  Handed: addresses
   and the address space manager's data, by tool/run/image.c.

   An object that is unloaded and loaded again at the same place is the same if
   two conditions hold.  Each page with executed code is of the same file
   (device, inode, offset), and this code has not changed.  The file may also
   have been rewritten with new functions and the same executed ones.  So the
   file's first page, as far as known, must be the same, too: the header, and
   nearly always the build ID, which are never relocated.

   Kept bytes are those of translations that outlive their generation
   (tool/run/generation.c).  These translations have the bytes that are
   remembered here: others are discarded. */

#include "pub_tool_libcsetjmp.h"
#include "pub_tool_signals.h"

#include "tool/base/core.h"
#include "tool/run/bytes.h"

#define CODE_PAGE 4096u

/* Marks: a bit for each byte of a page. */
typedef
   union {
      UChar bytes[CODE_PAGE / 8];
      UWord words[CODE_PAGE / 8 / sizeof(UWord)];
   }
   Marks;
#define N_WORDS (CODE_PAGE / 8 / sizeof(UWord))

/* CodePage: a page of code, as far as it was executed. */
typedef
   struct _CodePage {
      struct _CodePage* hash_next;
      UWord             hash_key;               // address / CODE_PAGE
      Off64T            offset;                 // in the file, if it is of one
      UChar             code[CODE_PAGE];
      Marks             known, kept;
   }
   CodePage;

struct _Code {
   Bool         is_file;
   Bool         is_unchecked;   // some of it is not checked
   Bool         has_kept;       // some bytes are kept
   ULong        dev, ino;
   VgHashTable* pages;     // CodePage
   CodePage*    last;      // the last result of find_page(), or NULL
   CodePage*    head;      // first page of the file, as far as known; not in
                           // .pages
};

static Bool is_file(const NSegment* seg)
{
   return seg != NULL && (seg->kind == SkFileC || seg->kind == SkFileV);
}

static CodePage* new_page(UWord number)
{
   Addr            a   = number * CODE_PAGE;
   const NSegment* seg = VG_(am_find_nsegment)(a);
   CodePage*       p   = VG_(calloc)("dcfg.code.page", 1, sizeof(CodePage));

   p->hash_key = number;
   if (is_file(seg))
      p->offset = seg->offset + (a - seg->start);
   return p;
}

/*--- Bytes                                                ---*/

/* Return the page NUMBER, or NULL. */
static CodePage* find_page(Code* code, UWord number)
{
   if (code->last == NULL || code->last->hash_key != number)
      code->last = VG_(HT_lookup)(code->pages, number);
   return code->last;
}

static Bool is_known(const CodePage* p, UInt i)
{
   return (p->known.bytes[i / 8] & (1 << i % 8)) != 0;
}

Bool DCFG_(is_same_code)(Code* code, Addr a, SizeT len)
{
   const CodePage* p = NULL;

   for (Addr end = a + len; a < end; a++) {
      UInt i = a % CODE_PAGE;
      if (p == NULL || i == 0)
         p = find_page(code, a / CODE_PAGE);
      if (p != NULL && is_known(p, i) && p->code[i] != *(const UChar*)a)
         return False;
   }
   return True;
}

void DCFG_(remember_code)(Code* code, Addr a, SizeT len, Bool is_checked)
{
   CodePage* p = NULL;

   if (!is_checked)
      code->is_unchecked = True;
   for (Addr end = a + len; a < end; a++) {
      UInt i = a % CODE_PAGE;
      if (p == NULL || i == 0)
         p = find_page(code, a / CODE_PAGE);
      if (p == NULL) {
         p = new_page(a / CODE_PAGE);
         VG_(HT_add_node)(code->pages, p);
      }
      p->code[i]       = *(const UChar*)a;
      p->known.bytes[i / 8] |= 1 << i % 8;
   }
}

static Bool is_any_known(const CodePage* p)
{
   for (UInt i = 0; i < N_WORDS; i++)
      if (p->known.words[i] != 0)
         return True;
   return False;
}

Bool DCFG_(has_code)(const Code* code, Addr a, SizeT len)
{
   VG_(HT_ResetIter)(code->pages);
   for (CodePage* p; (p = VG_(HT_Next)(code->pages)) != NULL; )
      if (p->hash_key * CODE_PAGE < a + len
          && a < (p->hash_key + 1) * CODE_PAGE && is_any_known(p))
         return True;
   return False;
}

/*--- Kept code                                            ---*/

void DCFG_(keep_code)(Code* code)
{
   VG_(HT_ResetIter)(code->pages);
   for (CodePage* p; (p = VG_(HT_Next)(code->pages)) != NULL; )
      for (UInt i = 0; i < N_WORDS; i++) {
         p->kept.words[i] |= p->known.words[i];
         p->known.words[i] = 0;
      }
   code->has_kept = True;
}

Bool DCFG_(has_kept_code)(const Code* code)
{
   return code->has_kept;
}

Bool DCFG_(can_keep_code)(const Code* code)
{
   return !code->is_file && !code->is_unchecked;
}

/* Return whether the byte at A, which is on page P or, if that is NULL, on no
   page, is kept and has changed. */
static Bool has_changed(const CodePage* p, Addr a)
{
   UInt i = a % CODE_PAGE;

   return p != NULL && (p->kept.bytes[i / 8] & (1 << i % 8)) != 0
          && p->code[i] != *(const UChar*)a;
}

Bool DCFG_(is_same_kept_code)(Code* code, Addr a, SizeT len)
{
   for (Addr end = a + len; a < end && code->has_kept; a++)
      if (has_changed(find_page(code, a / CODE_PAGE), a))
         return False;
   return True;
}

void DCFG_(discard_changed)(Code* code, Addr a, SizeT len)
{
   for (Addr end = a + len; a < end && code->has_kept; a++) {
      Addr from = a;
      while (a < end && has_changed(find_page(code, a / CODE_PAGE), a))
         a++;
      if (a > from)
         VG_(discard_translations)(from, a - from, "dcfg: changed code");
   }
}

void DCFG_(know_kept_code)(Code* code, Addr a, SizeT len)
{
   for (Addr end = a + len; a < end; a++) {
      CodePage* p = find_page(code, a / CODE_PAGE);
      UInt      i = a % CODE_PAGE;
      if (p != NULL)
         p->known.bytes[i / 8] |= p->kept.bytes[i / 8] & (1 << i % 8);
   }
}

/*--- Mappings that come again                             ---*/

/* Pages behind the end of a file are mapped but cannot be read. */
static VG_MINIMAL_JMP_BUF(cannot_read);

static void on_fault(Int sig, Addr addr)
{
   vki_sigset_t mask;

   /* Unblock the signal that is being handled, because longjmp does not. */
   VG_(sigprocmask)(VKI_SIG_SETMASK, NULL, &mask);
   VG_(sigdelset)(&mask, sig);
   VG_(sigprocmask)(VKI_SIG_SETMASK, &mask, NULL);
   VG_MINIMAL_LONGJMP(cannot_read);
}

Bool DCFG_(try_to_read)(Bool (*do_it)(void* arg), void* arg)
{
   fault_catcher_t before = VG_(set_fault_catcher)(on_fault);
   volatile Bool   result = False;

   if (VG_MINIMAL_SETJMP(cannot_read) == 0)
      result = do_it(arg);
   VG_(set_fault_catcher)(before);
   return result;
}

static Bool take_page(void* arg)
{
   CodePage* p = arg;

   VG_(memcpy)(p->code, (const void*)(p->hash_key * CODE_PAGE),
               CODE_PAGE);
   VG_(memset)(&p->known, 0xFF, sizeof(p->known));
   return True;
}

static Bool is_same_page(void* arg)
{
   const CodePage* p   = arg;
   const UChar*    now = (const UChar*)(p->hash_key * CODE_PAGE);

   for (UInt i = 0; i < CODE_PAGE; i++)
      if (p->known.bytes[i / 8] == 0)
         i += 7;
      else if (is_known(p, i) && p->code[i] != now[i])
         return False;
   return True;
}

static Bool has_page_returned(const Code* code, CodePage* p)
{
   Addr            a   = p->hash_key * CODE_PAGE;
   const NSegment* seg = VG_(am_find_nsegment)(a);

   return is_file(seg) && seg->dev == code->dev && seg->ino == code->ino
          && seg->offset + (Off64T)(a - seg->start) == p->offset
          && (seg->hasR || seg->hasX) && DCFG_(try_to_read)(is_same_page, p);
}

Code* DCFG_(new_code)(Addr load, const NSegment* seg)
{
   Code* c = VG_(calloc)("dcfg.code", 1, sizeof(Code));

   c->pages   = VG_(HT_construct)("dcfg.code.pages");
   c->is_file = is_file(seg);
   if (!c->is_file)
      return c;
   c->dev  = seg->dev;
   c->ino  = seg->ino;
   c->head = new_page(load / CODE_PAGE);
   seg     = VG_(am_find_nsegment)(load);
   if (c->head->offset == 0 && !seg->hasW && has_page_returned(c, c->head))
      DCFG_(try_to_read)(take_page, c->head);
   return c;
}

void DCFG_(delete_code)(Code* code)
{
   VG_(HT_destruct)(code->pages, VG_(free));
   DCFG_FREE_ALL(code->head, code);
}

Bool DCFG_(may_return)(const Code* code)
{
   return code->is_file;
}

Bool DCFG_(has_returned)(const Code* code)
{
   if (!code->is_file || !has_page_returned(code, code->head))
      return False;
   VG_(HT_ResetIter)(code->pages);
   for (CodePage* p; (p = VG_(HT_Next)(code->pages)) != NULL; )
      if (!has_page_returned(code, p))
         return False;
   return True;
}
