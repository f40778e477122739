/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sets of places of code. */

/* Owns: sets of addresses of images.  Handed: places by, and taken by:
   tool/run/lines.c and tool/wet/closure.c.

   A page with any member has a bit for each of its bytes.  Large programs have
   millions of members, on some thousands of pages. */

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"

#include "tool/run/code_set.h"

/* CodePage: the members on a page. */
#define CODE_PAGE 4096u
typedef
   struct _CodePage {
      struct _CodePage* hash_next;
      UWord hash_key;
      UWord number;             // address / CODE_PAGE
      UInt  image;
      ULong bits[CODE_PAGE / 64];
   }
   CodePage;

struct _CodeSet {
   VgHashTable* pages;          // CodePage
   CodePage*    last;           // the page of the last question, or NULL
};

CodeSet* DCFG_(new_code_set)(void)
{
   CodeSet* s = VG_(malloc)("dcfg.code.set", sizeof(CodeSet));

   s->pages = VG_(HT_construct)("dcfg.code.set.pages");
   s->last  = NULL;
   return s;
}

void DCFG_(delete_code_set)(CodeSet* s)
{
   VG_(HT_destruct)(s->pages, VG_(free));
   VG_(free)(s);
}

static Word differs(const void* va, const void* vb)
{
   const CodePage* a = va;
   const CodePage* b = vb;

   return a->number != b->number || a->image != b->image;
}

/* Say that P is the page of address A of IMAGE.  Thousands of images, one after
   the other, may have code on one page. */
static void name_page(CodePage* p, UInt image, Addr a)
{
   p->number   = a / CODE_PAGE;
   p->image    = image;
   p->hash_key = p->number + (UWord)image * 0x9E3779B1u;
}

/* Return the page of address A of IMAGE, or NULL. */
static CodePage* find_page(CodeSet* s, UInt image, Addr a)
{
   CodePage key;

   name_page(&key, image, a);
   if (s->last == NULL || differs(s->last, &key))
      s->last = VG_(HT_gen_lookup)(s->pages, &key, differs);
   return s->last;
}

static UInt word_of(Addr a)
{
   return a % CODE_PAGE / 64;
}

static ULong bit_of(Addr a)
{
   return 1ULL << a % 64;
}

Bool DCFG_(has_place)(CodeSet* s, UInt image, Addr a)
{
   const CodePage* p = find_page(s, image, a);

   return p != NULL && (p->bits[word_of(a)] & bit_of(a)) != 0;
}

Bool DCFG_(add_place)(CodeSet* s, UInt image, Addr a)
{
   CodePage* p = find_page(s, image, a);

   if (p == NULL) {
      p = VG_(calloc)("dcfg.code.set.page", 1, sizeof(CodePage));
      name_page(p, image, a);
      VG_(HT_add_node)(s->pages, p);
      s->last = p;
   }
   if (p->bits[word_of(a)] & bit_of(a))
      return False;
   p->bits[word_of(a)] |= bit_of(a);
   return True;
}
