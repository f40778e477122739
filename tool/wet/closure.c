/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the static closure of executed code: what its direct conditional
   branches can reach.  Handed: superblocks by dcfg_bb.c, symbols by
   tool/run/image.c.  The code itself is in the program's memory;
   tool/wet/kernel.c tells of code that is about to be unmapped.

   Slices need it: an `if' that always went the same way matters only for the
   code that it did not run. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_vki.h"

#include "tool/base/core.h"
#include "tool/arch/guest.h"
#include "format/order.h"
#include "dcfg_bb.h"
#include "tool/run/image.h"
#include "tool/run/landing.h"
#include "tool/wet/closure.h"
#include "tool/wet/usage.h"
#include "tool/wet/slots.h"

/* Closed: a result for code that was about to be unmapped. */
typedef
   struct {
      Unexecuted u;
      UChar      code[MAX_INSTR_BYTES];
   }
   Closed;

static OSet*    closed;         // Closed, by image and address; NULL: none

static CodeSet* told;           // results that new_unexecuted_code() has
                                // returned; NULL: none

/* Page: the superblocks on a page, to find the code of a mapping quickly.  A
   superblock is on one page or two; its SlotList has the next one on each. */
typedef
   struct _Page {
      struct _Page* hash_next;
      UWord         number;     // address / VKI_PAGE_SIZE
      UInt          first;      // the first superblock; 0: none
      Bool          noted;      // in the present closure?
   }
   Page;

static VgHashTable* pages;      // Page; NULL: none yet
static UInt         n_in_pages; // number of superblocks in it

typedef
   struct {
      CodeSet*  seen;
      CodeSet*  told;           // not to be followed; or NULL
      XArray*   noted;          // Page*
      XArray*   found;          // Unexecuted
      XArray*   todo;           // Addr
      UInt      image;
      ImageInfo info;           // info of .image
      UInt      below;          // the symbols of .info below the last address
   }
   Closure;

static Word cmp_places(const void* key, const void* elem)
{
   const Unexecuted* x = key;
   const Unexecuted* y = elem;

   return UP(image) ?: UP(addr);
}

static Int cmp_unexecuted(const void* a, const void* b)
{
   return cmp_places(a, b);
}

/* Return the begin of the function of A in c->image, or ~0 if it is not known,
   as the library's wet_function_at() does. */
static Addr function_at(Closure* c, Addr a)
{
   const ImageSymbol* all = c->info.symbols;
   UInt low = c->below;

   /* Most addresses are near the last one. */
   if ((low > 0 && all[low - 1].addr > a)
       || (low < c->info.n_symbols && all[low].addr <= a)) {
      low = 0;
      BISECT(low, c->info.n_symbols, mid, all[mid].addr <= a);
      c->below = low;
   }
   for (UInt looked = 0; low-- > 0 && looked < 64; looked++)
      if (a - all[low].addr < all[low].size || a == all[low].addr)
         return all[low].addr;
   return ~(Addr)0;
}

/*--- Pages                                                ---*/

static UInt length_of(const Superblock* sb)
{
   return DCFG_(instr_addr)(sb, sb->n_instrs) - sb->addr;
}

static UWord page_of(Addr a)
{
   return a / VKI_PAGE_SIZE;
}

/* Return the link to the superblock behind SB on page NUMBER. */
static UInt* next_on(Superblock* sb, UWord number)
{
   return &DCFG_(slots_of)(sb)->next_on_page[number != page_of(sb->addr)];
}

static void add_to_page(UWord number, Superblock* sb)
{
   Page* p = VG_(HT_lookup)(pages, number);

   if (p == NULL) {
      p = VG_(calloc)("dcfg.closure.page", 1, sizeof(Page));
      p->number = number;
      VG_(HT_add_node)(pages, p);
   }
   *next_on(sb, number) = p->first;
   p->first             = sb->id;
}

static void update_pages(void)
{
   if (pages == NULL)
      pages = VG_(HT_construct)("dcfg.closure.pages");
   while (n_in_pages < DCFG_(n_superblocks)()) {
      Superblock* sb   = DCFG_(superblock)(++n_in_pages);
      UWord       last = page_of(sb->addr + length_of(sb) - 1);
      for (UWord n = page_of(sb->addr); n <= last; n++)
         add_to_page(n, sb);
   }
}

/* Return whether memory now has SB's code. */
static Bool is_there(Superblock* sb)
{
   UInt len = length_of(sb);

   return VG_(am_is_valid_for_client)(sb->addr, len, VKI_PROT_READ)
          && VG_(memcmp)((const void*)sb->addr, DCFG_(slots_of)(sb)->code,
                         len) == 0;
}

/* Return whether SB needs no look any more: it can never run again, and its
   code was followed when it was unmapped, or is no longer there. */
static Bool is_over(Superblock* sb)
{
   SlotList* list = DCFG_(slots_of)(sb);

   list->over = list->over
                || (DCFG_(image_is_over)(sb->image)
                    && !DCFG_(image_can_run)(sb->image)
                    && (list->at_exit == NULL || list->closed
                        || !is_there(sb)));
   return list->over;
}

/* Return page NUMBER, without such superblocks; NULL: no code ran there. */
static Page* page_at(UWord number)
{
   Page* p    = VG_(HT_lookup)(pages, number);
   UInt* link = p == NULL ? NULL : &p->first;

   while (link != NULL && *link != 0) {
      Superblock* sb = DCFG_(superblock)(*link);
      DCFG_(n_looks)++;
      if (is_over(sb))
         *link = *next_on(sb, number);
      else
         link = next_on(sb, number);
   }
   return p;
}

/* Add the executed code on page NUMBER to c->seen. */
static void note_page(Closure* c, UWord number)
{
   Page* p = VG_(HT_lookup)(pages, number);

   if (p == NULL || p->noted)
      return;
   p = page_at(number);
   p->noted = True;
   VG_(addToXA)(c->noted, &p);
   for (UInt id = p->first; id != 0; ) {
      Superblock* sb = DCFG_(superblock)(id);
      Addr        a  = sb->addr;
      for (UInt k = 0; DCFG_(slots_of)(sb)->at_exit != NULL
                       && k < sb->n_instrs; a += sb->lengths[k++])
         DCFG_(add_place)(c->seen, sb->image, a);
      id = *next_on(sb, number);
   }
}

/* Add A of c->image to c->seen.  Return False if it was executed or seen. */
static Bool note(Closure* c, Addr a)
{
   note_page(c, page_of(a));
   return DCFG_(add_place)(c->seen, c->image, a);
}

/*--- One instruction                                      ---*/

/* Decode the instruction at u->addr.  Return False if there is none. */
static Bool decode(Unexecuted* u)
{
   const UChar* code = (const UChar*)u->addr;
   UInt         n    = MAX_INSTR_BYTES;

   while (n > 0 && !VG_(am_is_valid_for_client)(u->addr, n, VKI_PROT_READ))
      n--;
   u->len = n == 0 ? 0 : DCFG_(length_of_instr)(code, n, u->addr);
   if (u->len > 0)
      u->kind = DCFG_(guest).classify(code, u->len);
   return u->len > 0;
}

/*--- The closure                                          ---*/

/* Follow control from FROM to TO, within the function and the mapping.  Code
   without symbols counts as one function. */
static void go_to(Closure* c, Addr from, Addr to)
{
   if (to - c->info.load < c->info.size
       && function_at(c, from) == function_at(c, to))
      VG_(addToXA)(c->todo, &to);
}

/* Follow the ways on from an instruction of KIND at A, with bytes CODE.  INSIDE
   a superblock, the next instruction was executed, too. */
static void go_on(Closure* c, Addr a, UInt kind, const UChar* code, UInt len,
                  Bool inside)
{
   if (kind == InsnCond || kind == InsnJump)
      go_to(c, a, DCFG_(guest).target(code, len, a));
   if (!inside && kind != InsnJump && kind != InsnIndirectJump
       && kind != InsnReturn)
      go_to(c, a, a + len);
}

static void follow(Closure* c)
{
   while (VG_(sizeXA)(c->todo) > 0) {
      Word       last = VG_(sizeXA)(c->todo) - 1;
      Unexecuted u = { .addr  = *(Addr*)VG_(indexXA)(c->todo, last),
                       .image = c->image };
      VG_(dropTailXA)(c->todo, 1);
      if (!note(c, u.addr)
          || (c->told != NULL && DCFG_(has_place)(c->told, u.image, u.addr))
          || !decode(&u))
         continue;
      VG_(addToXA)(c->found, &u);
      go_on(c, u.addr, u.kind, DCFG_(code_of)(&u), u.len, False);
   }
}

static Closure* new_closure(XArray* found)
{
   Closure* c = VG_(calloc)("dcfg.closure", 1, sizeof(Closure));

   update_pages();
   c->found = found;
   c->image = ~0u;
   c->seen  = DCFG_(new_code_set)();
   c->noted = DCFG_NEW_ARRAY("dcfg.closure.noted", Page*);
   c->todo  = DCFG_NEW_ARRAY("dcfg.closure.todo", Addr);
   return c;
}

static void delete_closure(Closure* c)
{
   for (Word i = 0; i < VG_(sizeXA)(c->noted); i++)
      (*(Page**)VG_(indexXA)(c->noted, i))->noted = False;
   DCFG_(delete_code_set)(c->seen);
   VG_(deleteXA)(c->noted);
   VG_(deleteXA)(c->todo);
   VG_(free)(c);
}

/* Follow SB's conditional branches to code that did not run. */
static void find_code(Closure* c, Superblock* sb)
{
   const SlotList* list = DCFG_(slots_of)(sb);
   UInt            at   = 0;

   if (list->at_exit == NULL || is_over(sb) || !is_there(sb))
      return;
   if (sb->image != c->image) {
      c->image = sb->image;
      DCFG_(image_info)(c->image, False, &c->info);
      c->below = 0;
   }
   for (UInt k = 0; k < sb->n_instrs; at += sb->lengths[k++]) {
      go_on(c, sb->addr + at, sb->kinds[k], list->code + at, sb->lengths[k],
            k + 1u < sb->n_instrs);
      follow(c);
   }
}

/* Follow, once, all superblocks on P between FROM and TO, which are about to be
   unmapped. */
static void find_code_of_page(Closure* c, const Page* p, Addr from, Addr to)
{
   for (UInt id = p->first; id != 0; ) {
      Superblock* sb = DCFG_(superblock)(id);
      if (sb->addr < to && sb->addr + length_of(sb) > from) {
         SlotList* list = DCFG_(slots_of)(sb);
         if (!list->followed && is_there(sb)) {
            find_code(c, sb);
            list->followed = True;
         }
         list->closed = True;
      }
      id = *next_on(sb, p->number);
   }
}

/* Follow all superblocks between FROM and TO likewise. */
static void find_code_between(Closure* c, Addr from, Addr to)
{
   UWord first = page_of(from), last = page_of(to - 1);

   if (last - first < VG_(HT_count_nodes)(pages)) {
      for (UWord no = first; no <= last; no++) {
         const Page* p = page_at(no);
         if (p != NULL)
            find_code_of_page(c, p, from, to);
      }
      return;
   }
   UInt   n;
   Page** all = (Page**)VG_(HT_to_array)(pages, &n);
   for (UInt i = 0; i < n; i++)
      if (all[i]->number >= first && all[i]->number <= last)
         find_code_of_page(c, page_at(all[i]->number), from, to);
   VG_(free)(all);
}

static XArray* new_list(void)
{
   return DCFG_NEW_ARRAY("dcfg.closure.found", Unexecuted);
}

/* Add FOUND, whose code is still there, to the results for code that goes. */
static void keep_closed(XArray* found)
{
   if (closed == NULL)
      closed = VG_(OSetGen_Create)(0, cmp_places, VG_(malloc),
                                   "dcfg.closure.closed", VG_(free));
   for (Word i = 0; i < VG_(sizeXA)(found); i++) {
      const Unexecuted* u = VG_(indexXA)(found, i);
      if (VG_(OSetGen_Contains)(closed, u))
         continue;
      Closed* new = VG_(OSetGen_AllocNode)(closed, sizeof(*new));
      new->u      = *u;
      new->u.gone = True;
      VG_(memcpy)(new->code, DCFG_(code_of)(u), u->len);
      VG_(OSetGen_Insert)(closed, new);
   }
}

const UChar* DCFG_(code_of)(const Unexecuted* u)
{
   const Closed* c = u->gone ? VG_(OSetGen_Lookup)(closed, u) : NULL;

   return c == NULL ? (const UChar*)u->addr : c->code;
}

void DCFG_(close_code)(Addr a, SizeT len)
{
   for (Addr p = a; p - a < len; ) {
      const NSegment* seg = VG_(am_find_nsegment)(p);
      if (seg == NULL)
         return;
      if (seg->hasX) {
         XArray*  found = new_list();
         Closure* c     = new_closure(found);
         find_code_between(c, a, a + len);
         delete_closure(c);
         keep_closed(found);
         VG_(deleteXA)(found);
         return;
      }
      p = seg->end + 1;
   }
}

/* Drop code that has been executed since, when it was mapped again. */
static void drop_executed(void)
{
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      Superblock* sb  = DCFG_(superblock)(id);
      Unexecuted  key = { .addr = sb->addr, .image = sb->image };
      for (UInt k = 0; DCFG_(slots_of)(sb)->at_exit != NULL
                       && k < sb->n_instrs; key.addr += sb->lengths[k++]) {
         Closed* gone = VG_(OSetGen_Remove)(closed, &key);
         if (gone != NULL)
            VG_(OSetGen_FreeNode)(closed, gone);
      }
   }
}

XArray* DCFG_(unexecuted_code)(void)
{
   XArray*     all = new_list();
   Closure*    c   = new_closure(all);
   Word        n   = 0;
   Closed*     gone;

   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      find_code(c, DCFG_(superblock)(id));
   delete_closure(c);
   if (closed != NULL) {
      drop_executed();
      VG_(OSetGen_ResetIter)(closed);
      while ((gone = VG_(OSetGen_Next)(closed)) != NULL)
         VG_(addToXA)(all, &gone->u);
   }
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

XArray* DCFG_(new_unexecuted_code)(UInt first)
{
   XArray*  found = new_list();
   Closure* c     = new_closure(found);

   if (told == NULL)
      told = DCFG_(new_code_set)();
   c->told = told;
   for (UInt id = first; id <= DCFG_(n_superblocks)(); id++)
      find_code(c, DCFG_(superblock)(id));
   delete_closure(c);
   for (Word i = 0; i < VG_(sizeXA)(found); i++) {
      const Unexecuted* u = VG_(indexXA)(found, i);
      DCFG_(add_place)(told, u->image, u->addr);
   }
   return found;
}

void DCFG_(forget_closed_code)(void)
{
   if (closed != NULL)
      VG_(OSetGen_Destroy)(closed);
   closed = NULL;
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      DCFG_(slots_of)(DCFG_(superblock)(id))->followed = False;
}
