/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the options that exclude code, and the answer for each instruction.
   Handed: addresses of code in translation, unmappings.

   An image is named as in tool/run/image.c.  The excluded functions of an
   object are looked for once, by all names of its symbols, and kept as ranges
   of addresses. */

#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "format/order.h"
#include "tool/dcfg_output.h"
#include "tool/run/exclude.h"
#include "tool/run/image.h"

/* In a list of images: the program itself, whatever the name of its file is. */
#define MAIN_IMAGE "main"

static const HChar exclude_images[]    = "--exclude-images";
static const HChar exclude_functions[] = "--exclude-functions";
static const HChar only_images[]       = "--only-images";

static Globs images, functions, only;

/* Range: a function that is excluded because of this glob. */
typedef
   struct {
      Addr start, end;       // .end is exclusive
      UInt glob;
   }
   Range;

/* Object: the excluded functions of an object. */
typedef
   struct {
      const DebugInfo* di;
      Addr    text, end;
      XArray* ranges;        // Range, by .start; two ranges are equal or
                             // disjoint
   }
   Object;

static XArray* objects;      // Object: the objects that were searched

/*--- Options                                              ---*/

enum { ExcludedImages, ExcludedFunctions, OnlyImages };

static void add_list(const HChar* option, const HChar* text, Int what)
{
   Globs* const lists[] = { &images, &functions, &only };

   if (DCFG_(add_globs)(lists[what], option, text))
      return;
   DCFG_FAIL("%s=%s: a name in the list is empty\n", option, text);
}

static const Option options[] = {
   OPTION_CALL(exclude_images, add_list, ExcludedImages, "<glob>,...",
               "leave out code in such objects [none]"),
   OPTION_CALL(exclude_functions, add_list, ExcludedFunctions, "<glob>,...",
               "leave out functions with such names [none]"),
   OPTION_CALL(only_images, add_list, OnlyImages, "<glob>,...",
               "leave out code in all other objects; main is the program "
               "itself [all]")
};

const Options DCFG_(exclude_options) = OPTIONS(options);

Bool DCFG_(excludes_code)(void)
{
   return images.n + functions.n + only.n > 0;
}

/*--- Images                                               ---*/

/* Return the path of the file with the program's first instruction. */
static const HChar* path_of_program(void)
{
   const NSegment* seg = VG_(am_find_nsegment)(DCFG_(program_entry)());

   return seg == NULL ? NULL : DCFG_(file_of)(seg);
}

static Bool fits_image(const Glob* g, const HChar* path)
{
   const HChar* program;

   if (DCFG_(fits_path)(g, path))
      return True;
   if (!VG_STREQ(g->text, MAIN_IMAGE))
      return False;
   program = path_of_program();
   return program != NULL && VG_STREQ(program, path);
}

static Bool any_fits_image(Globs* gs, const HChar* path)
{
   Bool any = False;

   for (UInt i = 0; i < gs->n; i++)
      if (fits_image(&gs->globs[i], path))
         any = gs->globs[i].matched = True;
   return any;
}

/* Return whether the image of A is excluded.  Names are those of
   tool/run/image.c. */
static Bool is_image_excluded(Addr a)
{
   const NSegment* seg  = VG_(am_find_nsegment)(a);
   const HChar*    path = seg == NULL ? "[unknown]"
                                      : DCFG_(file_of)(seg);

   if (path == NULL)
      path = "[anon]";
   return any_fits_image(&images, path)
          || (only.n > 0 && !any_fits_image(&only, path));
}

/*--- Functions                                            ---*/

static void add_ranges(void* arg, Addr start, UInt size, const HChar* name)
{
   Object*      o = arg;
   const HChar* demangled;

   VG_(demangle)(True, False, name, &demangled);
   for (UInt i = 0; i < functions.n; i++) {
      Range r = { start, start + size, i };
      if (DCFG_(fits_glob)(&functions.globs[i], name, demangled))
         VG_(addToXA)(o->ranges, &r);
   }
}

COMPARE(cmp_ranges, Range, UP(start))

static Object* new_object(const DebugInfo* di)
{
   Object o;

   o.di     = di;
   o.text   = VG_(DebugInfo_get_text_avma)(di);
   o.end    = o.text + VG_(DebugInfo_get_text_size)(di);
   o.ranges = DCFG_NEW_ARRAY("dcfg.exclude.ranges", Range);
   DCFG_(each_symbol)(di, add_ranges, &o);
   VG_(setCmpFnXA)(o.ranges, cmp_ranges);
   VG_(sortXA)(o.ranges);
   return VG_(indexXA)(objects, VG_(addToXA)(objects, &o));
}

static Object* object_of(const DebugInfo* di)
{
   for (Word i = 0; i < VG_(sizeXA)(objects); i++) {
      Object* o = VG_(indexXA)(objects, i);
      if (o->di == di)
         return o;
   }
   return new_object(di);
}

static Bool is_function_excluded(Addr a)
{
   const DebugInfo* di  = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), a);
   const Object*    o   = di == NULL ? NULL : object_of(di);
   Word             lo  = 0;
   Bool             any = False;

   BISECT(lo, o == NULL ? 0 : VG_(sizeXA)(o->ranges), mid,
          ((const Range*)VG_(indexXA)(o->ranges, mid))->start <= a);
   while (lo-- > 0) {
      const Range* r = VG_(indexXA)(o->ranges, lo);
      if (a >= r->end)
         break;
      any = functions.globs[r->glob].matched = True;
   }
   return any;
}

/* Forget objects whose debug information is about to go. */
static void forget_objects(Addr a, SizeT len)
{
   for (Word i = VG_(sizeXA)(objects); i-- > 0; ) {
      const Object* o = VG_(indexXA)(objects, i);
      if (o->text >= a + len || a >= o->end)
         continue;
      VG_(deleteXA)(o->ranges);
      VG_(removeIndexXA)(objects, i);
   }
}

/* --- The answer for an instruction                        --- */

static const Watcher watcher = { .unmapped = forget_objects };

void DCFG_(start_excluding)(void)
{
   if (functions.n == 0)
      return;
   objects = DCFG_NEW_ARRAY("dcfg.exclude.objects", Object);
   DCFG_(watch)(&watcher);
}

Bool DCFG_(is_excluded)(Addr a)
{
   return is_image_excluded(a) || (functions.n > 0 && is_function_excluded(a));
}

UInt DCFG_(inner_border)(const IRSB* in)
{
   Bool first = False;
   UInt k     = 0;

   if (functions.n == 0)
      return 0;            // a superblock is in one image only
   for (Int i = 0; i < in->stmts_used; i++) {
      if (in->stmts[i]->tag != Ist_IMark)
         continue;
      Bool now = DCFG_(is_excluded)(in->stmts[i]->Ist.IMark.addr);
      if (k == 0)
         first = now;
      else if (now != first)
         return k;
      k++;
   }
   return 0;
}
