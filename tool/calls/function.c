/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the functions of a Callgrind profile, and the function of an address.
   Handed: addresses by tool/calls/follow.c and tool/calls/stack.c, unmappings
   by tool/run/image.c.

   A profile can be compared with Callgrind's only if it has the same
   functions.  A function is identified by its object, the source file of its
   first instruction, and its name.  Valgrind calls the functions that lead to main
   "(below main)"; in a run without a profile their own names tell them apart.
   Without a name, the address is used.  A stub of a linkage table is skipped: its cost is the caller's, and the
   function that it jumps to counts as called by that caller.  So is a function of
   --fn-skip or --obj-skip.  Excluded code (tool/run/exclude.h) is skipped, too,
   and costs nothing.

   Code that the program has generated has the names that the program tells, see
   tool/jit/generated.c.  If it tells them late, functions get their names when
   they are written.

   Debug information is asked once for each place, some of it later, while the object is mapped,
   and again when an object has been mapped there anew.  If the answer is the
   same, the place is the same. */

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_oset.h"
#include "pub_tool_poolalloc.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

#include "tool/base/core.h"
#include "tool/jit/generated.h"
#include "tool/run/image.h"
#include "tool/calls/function.h"
#include "tool/run/exclude.h"

Bool DCFG_(keeps_callgrind_names);
Bool DCFG_(parts_equal_names);

static OSet*        by_name;      // NumberedFunction
static XArray*      functions;    // Function, by number from 1
static VgHashTable* places;       // Place
static VgHashTable* unmapped;     // Place: those that are unmapped now
static PoolAlloc*   place_pool;   // the memory of places
static OSet*        place_pages;  // pages with places
static UWord        last_page;    // one of them, or 0

/* A cache of places by address, and of landings by the target of a jump. */
#define N_RECENT 4096u
static const Place* recent[N_RECENT];
typedef
   struct {
      Addr         target;
      const Place* place;
   }
   Landing;
static Landing recent_landings[N_RECENT];

typedef
   struct {
      Function f;
      UInt     number;
   }
   NumberedFunction;

/*--- Functions that are skipped                           ---*/

static Globs        skipped_functions, skipped_objects;
static const HChar* skip_given;

static void skip(const HChar* option, const HChar* value, Int objects)
{
   skip_given = option;
   if (!DCFG_(add_globs)(objects ? &skipped_objects : &skipped_functions,
                         option, value)) {
      VG_(fmsg)("%s=%s has an empty pattern: give a name or a pattern, such as "
                "work*\n", option, value);
      VG_(exit)(1);
   }
}

static const Option skip_options[] = {
   OPTION_CALL("--fn-skip", skip, False, "<functions>",
               "profile: count <functions> as a part of their callers [none]"),
   OPTION_CALL("--obj-skip", skip, True, "<objects>",
               "profile: likewise functions of <objects> [none]")
};

const Options DCFG_(skip_options) = OPTIONS(skip_options);

const HChar* DCFG_(skip_option_given)(void)
{
   return skip_given;
}

static Bool skips_function(const Function* f)
{
   Bool named = DCFG_(globs_fit_name)(&skipped_functions, f->name);

   return DCFG_(globs_fit_path)(&skipped_objects, f->object) || named;
}

/*--- Functions                                            ---*/

static Word cmp_pointers(const void* a, const void* b)
{
   return a < b ? -1 : a > b ? 1 : 0;
}

Word DCFG_(cmp_functions)(const void* va, const void* vb)
{
   const Function* a = va;
   const Function* b = vb;
   Word            r;

   if ((r = cmp_pointers(a->name, b->name)) != 0)
      return r;
   if ((r = cmp_pointers(a->file, b->file)) != 0)
      return r;
   return cmp_pointers(a->object, b->object);
}

/* Compare by what identifies a function in this run. */
static Word cmp_identities(const void* a, const void* b)
{
   Word r = DCFG_(cmp_functions)(a, b);

   if (r == 0)
      r = (Word)((const Function*)a)->late - (Word)((const Function*)b)->late;
   if (r != 0 || DCFG_(keeps_callgrind_names))
      return r;
   r = cmp_pointers(((const Function*)a)->own, ((const Function*)b)->own);
   return r != 0 || !DCFG_(parts_equal_names)
          ? r : cmp_pointers((void*)((const Function*)a)->start,
                             (void*)((const Function*)b)->start);
}

static void init(void)
{
   by_name     = VG_(OSetGen_Create)(0, cmp_identities, VG_(malloc),
                                     "dcfg.function", VG_(free));
   functions   = DCFG_NEW_ARRAY("dcfg.function", Function);
   places      = VG_(HT_construct)("dcfg.function.places");
   unmapped    = VG_(HT_construct)("dcfg.function.unmapped");
   place_pool  = VG_(newPA)(sizeof(Place), 1000, VG_(malloc),
                            "dcfg.function.place", VG_(free));
   place_pages = VG_(OSetWord_Create)(VG_(malloc), "dcfg.function.pages",
                                      VG_(free));
}

/* Return the source file of A, and set *LINE if it is known. */
static const HChar* file_at(DiEpoch ep, Addr a, UInt* line)
{
   const HChar *file, *dir;

   return VG_(get_filename_linenum)(ep, a, &file, &dir, line)
          ? DCFG_(source_path)(dir, file) : DCFG_(name)("???");
}

/* Return the number of function NEW. */
static UInt number_of(const Function* new)
{
   NumberedFunction  key = { *new, 0 };
   NumberedFunction* f   = VG_(OSetGen_Lookup)(by_name, &key);

   if (f == NULL) {
      VG_(addToXA)(functions, &key.f);
      f         = VG_(OSetGen_AllocNode)(by_name, sizeof(*f));
      *f        = key;
      f->number = VG_(sizeXA)(functions);
      VG_(OSetGen_Insert)(by_name, f);
   }
   return f->number;
}

/* Set F's names to those of the function with address A.  Return False if it
   has none. */
static Bool find_names(DiEpoch ep, Addr a, Function* f)
{
   const Bool   show = VG_(clo_show_below_main);
   const HChar* name;

   if (!VG_(get_fnname)(ep, a, &name))
      return False;
   f->name = DCFG_(name)(name);
   VG_(clo_show_below_main) = True;
   VG_(get_fnname)(ep, a, &name);
   VG_(clo_show_below_main) = show;
   f->own = DCFG_(name)(name);
   return True;
}

/*--- Places                                               ---*/

static const HChar* section_suffix(VgSectKind kind)
{
   switch (kind) {
      case Vg_SectData: return " [Data]";
      case Vg_SectBSS:  return " [BSS]";
      case Vg_SectGOT:  return " [GOT]";
      case Vg_SectPLT:  return " [PLT]";
      default:          return "";
   }
}

/* Return whether A is the start of a linkage table of any object.
   VG_(find_DebugInfo) may not find an address in a table. */
static Bool is_start_of_table(Addr a)
{
   const DebugInfo* di = NULL;

   while ((di = VG_(next_DebugInfo)(di)) != NULL)
      if (VG_(DebugInfo_get_plt_avma)(di) == a)
         return True;
   return False;
}

static Word cmp_places(const void* va, const void* vb)
{
   const Place* a = va;
   const Place* b = vb;
   return a->hash_key != b->hash_key || a->function != b->function
          || a->line != b->line || a->object != b->object
          || a->section != b->section || a->is_entry != b->is_entry
          || a->is_skipped != b->is_skipped
          || a->is_excluded != b->is_excluded
          || a->heads_table != b->heads_table || a->bias != b->bias;
}

static void note_line(const Place* p)
{
   Function* f = VG_(indexXA)(functions, p->function - 1);

   if (p->is_entry || f->line == 0)
      f->line = p->line;
}

/* Set P's function and line. */
void DCFG_(name_function)(Function* f)
{
   const Generated* g = !f->unnamed ? NULL
                        : f->question == 0 ? DCFG_(last_generated)(f->at)
                        : DCFG_(generated)(f->question);

   if (g == NULL)
      return;
   f->name = f->own = DCFG_(name)(g->name);
   f->unnamed = False;
}

static void find_function(Place* p, PtrdiffT offset)
{
   DiEpoch  ep = VG_(current_DiEpoch)();
   Addr     a  = p->hash_key;
   Function f  = { .object = p->object, .start = a - offset - p->bias,
                   .at = a - offset, .unnamed = p->is_generated,
                   .question = p->question };
   HChar    address[40];

   DCFG_(name_function)(&f);
   if (f.unnamed && DCFG_(is_named_late)())
      f.late = f.question;
   if (f.name == NULL && !find_names(ep, a, &f)) {
      VG_(sprintf)(address, sizeof(Addr) == 4 ? "%#08lx%s" : "%#016lx%s",
                   (UWord)(a - p->bias), section_suffix(p->section));
      f.name = f.own = DCFG_(name)(address);
   }
   f.file      = file_at(ep, a, &p->line);
   p->function = number_of(&f);
   note_line(p);
}

/* Set *OFFSET of A in its function.  QUESTION is about A, or 0.  Return whether A
   is the function's start. */
static Bool is_start(Addr a, UInt question, PtrdiffT* offset)
{
   const Generated* g = question == 0 ? NULL : DCFG_(generated)(question);

   if (g == NULL)
      return VG_(get_inst_offset_in_function)(VG_(current_DiEpoch)(), a, offset)
             && *offset == 0;
   *offset = a - g->start;
   return *offset == 0;
}

void DCFG_(find_function)(const Place* p)
{
   PtrdiffT offset = 0;

   is_start(p->hash_key, p->question, &offset);
   find_function((Place*)(Addr)p, offset);
}

/* Return whether functions of places are found later, if they are asked for:
   most places are inside functions, and the numbers of functions are no
   matter. */
static Bool finds_later(void)
{
   return DCFG_(parts_equal_names) && !DCFG_(keeps_callgrind_names);
}

/* Return whether the symbol of A is of a part that the compiler has moved out of a
   function: jumps go there and come back.  In a profile it is a function, as for
   Callgrind. */
static Bool is_moved_part(DiEpoch ep, Addr a)
{
   const HChar* name;
   SizeT        n;

   if (DCFG_(keeps_callgrind_names) || !VG_(get_fnname_raw)(ep, a, &name))
      return False;
   n = VG_(strlen)(name);
   return n > 5 && VG_(strcmp)(name + n - 5, ".cold") == 0;
}

/* Note that PAGE has a place. */
static void note_page(UWord page)
{
   if (page == last_page)
      return;
   last_page = page;
   if (!VG_(OSetWord_Contains)(place_pages, page))
      VG_(OSetWord_Insert)(place_pages, page);
}

static const Place* new_place(Addr a)
{
   DiEpoch    ep = VG_(current_DiEpoch)();
   DebugInfo* di = VG_(find_DebugInfo)(ep, a);
   Place*     p  = VG_(allocEltPA)(place_pool);
   PtrdiffT   offset = 0;

   VG_(memset)(p, 0, sizeof(*p));
   p->hash_key = a;
   p->object   = DCFG_(name)(di ? VG_(DebugInfo_get_filename)(di) : "???");
   p->section  = VG_(DebugInfo_sect_kind)(NULL, a);
   p->bias     = di ? VG_(DebugInfo_get_text_bias)(di) : 0;
   p->is_generated = di == NULL && p->section == Vg_SectUnknown;
   p->question     = p->is_generated ? DCFG_(ask_generated)(a, 0, False) : 0;
   p->is_entry = is_start(a, p->question, &offset) && !is_moved_part(ep, a);
   p->is_excluded = DCFG_(excludes_code)() && DCFG_(is_excluded)(a);
   p->is_skipped  = p->section == Vg_SectPLT || p->is_excluded;
   p->heads_table = p->section == Vg_SectPLT && is_start_of_table(a);
   /* A place that was unmapped is compared by its function. */
   const Bool any_unmapped = VG_(HT_count_nodes)(unmapped) > 0;
   if (!finds_later() || (any_unmapped && VG_(HT_lookup)(unmapped, a) != NULL))
      find_function(p, offset);
   if (DCFG_(keeps_callgrind_names) && !p->is_skipped)
      p->is_skipped = skips_function(DCFG_(function)(p->function));
   Place* old = any_unmapped ? VG_(HT_gen_remove)(unmapped, p, cmp_places) : NULL;
   if (old != NULL) {
      VG_(freeEltPA)(place_pool, p);
      p = old;
   }
   VG_(HT_add_node)(places, p);
   note_page(VG_PGROUNDDN(a));
   return p;
}

const Place* DCFG_(place_at)(Addr a)
{
   const Place** place = &recent[a % N_RECENT];

   if (*place != NULL && (*place)->hash_key == a)
      return *place;
   if (places == NULL)
      init();
   *place = VG_(HT_lookup)(places, a);
   if (*place == NULL)
      *place = new_place(a);
   return *place;
}

const Place* DCFG_(landing_place)(Addr a)
{
   Landing* l = &recent_landings[a % N_RECENT];

   if (l->place == NULL || l->target != a) {
      l->target = a;
      l->place  = DCFG_(place_at)(VG_(redir_do_lookup)(a, NULL));
   }
   return l->place;
}

Bool DCFG_(is_call_like)(const Place* from, const Place* to)
{
   return to->is_entry || from->section != to->section
          || from->object != to->object;
}

/* Return whether any of these pages may have a place.  May say yes if none
   has. */
static Bool may_have_places(Addr a, SizeT len)
{
   if (len / VKI_PAGE_SIZE > VG_(OSetWord_Size)(place_pages))
      return True;
   for (Addr page = VG_PGROUNDDN(a); page < a + len; page += VKI_PAGE_SIZE)
      if (VG_(OSetWord_Contains)(place_pages, page))
         return True;
   return False;
}

/* P is no place any more; NULL: it was none. */
static void forget_place(void* p)
{
   if (p != NULL)
      VG_(HT_add_node)(unmapped, p);
}

Bool DCFG_(forget_places)(Addr a, SizeT len)
{
   UInt         n;
   VgHashNode** all;

   if (places == NULL)
      return False;
   /* A new object may redirect functions of others. */
   VG_(memset)(recent_landings, 0, sizeof(recent_landings));
   if (!may_have_places(a, len))
      return False;
   if (len < VG_(HT_count_nodes)(places)) {
      for (Addr place = a; place < a + len; place++)
         forget_place(VG_(HT_remove)(places, place));
      VG_(memset)(recent, 0, sizeof(recent));
      return True;
   }
   all = VG_(HT_to_array)(places, &n);
   for (UInt i = 0; i < n; i++) {
      Addr place = all[i]->key;
      if (place < a || place - a >= len)
         continue;
      forget_place(VG_(HT_remove)(places, place));
      UWord page = VG_PGROUNDDN(place);
      if (page >= a && page - a + VKI_PAGE_SIZE <= len)
         VG_(OSetWord_Remove)(place_pages, page);
   }
   last_page = 0;
   VG_(free)(all);
   VG_(memset)(recent, 0, sizeof(recent));
   return True;
}

UInt DCFG_(n_functions)(void)
{
   return functions == NULL ? 0 : VG_(sizeXA)(functions);
}

const Function* DCFG_(function)(UInt no)
{
   Function* f = VG_(indexXA)(functions, no - 1);

   DCFG_(name_function)(f);
   return f;
}
