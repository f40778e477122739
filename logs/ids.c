/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of functions in logs. */

/* Owns: the numbers of functions in logs, and the choice of functions. Handed:
   functions by logs/active.c, those of an earlier map by xray/elf_map.c.  Taken
   by: logs/active.c, xray/elf_map.c, uftrace/uftrace_symbols.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_xarray.h"

#include "base/globs.h"
#include "logs/ids.h"

typedef
   enum {
      NotAsked,
      IsWanted,
      IsNotWanted
   }
   Choice;

/* Known: a function of calls/function.h. */
typedef
   struct {
      UInt  id;          // 0: none yet
      UChar choice;      // Choice
   }
   Known;

/* Reserved: a function of an earlier map. */
typedef
   struct {
      Function f;
      UInt     id;
   }
   Reserved;

static Known*       known;       // by number, from 0
static UInt         n_known;
static XArray*      named;       // Function, by id from 1
static OSet*        reserved;    // Reserved; sorted by pointers of names
static Globs        wanted_names;
static Globs        wanted_objects;

/* --- The choice                                           --- */

Bool DCFG_(choose_functions)(const HChar* option, const HChar* names)
{
   return names == NULL || DCFG_(add_globs)(&wanted_names, option, names);
}

Bool DCFG_(choose_objects)(const HChar* option, const HChar* names)
{
   return names == NULL || DCFG_(add_globs)(&wanted_objects, option, names);
}

static Bool choose(const Function* f)
{
   Bool name   = wanted_names.n == 0
                 || DCFG_(globs_fit_name)(&wanted_names, f->name);
   Bool object = wanted_objects.n == 0
                 || DCFG_(globs_fit_path)(&wanted_objects, f->object);

   return name && object;
}

static Known* known_function(UInt function)
{
   if (function >= n_known) {
      UInt n = 2 * function + 256;
      known  = VG_(realloc)("dcfg.ids.known", known, n * sizeof(Known));
      VG_(memset)(known + n_known, 0, (n - n_known) * sizeof(Known));
      n_known = n;
   }
   return &known[function];
}

Bool DCFG_(is_function_wanted)(UInt function)
{
   Known* k;

   if (wanted_names.n == 0 && wanted_objects.n == 0)
      return True;
   k = known_function(function);
   if (k->choice == NotAsked)
      k->choice = choose(DCFG_(function)(function)) ? IsWanted : IsNotWanted;
   return k->choice == IsWanted;
}

/*--- Numbers                                              ---*/

static UInt add_named(const Function* f)
{
   if (named == NULL)
      named = VG_(newXA)(VG_(malloc), "dcfg.ids.named", VG_(free),
                         sizeof(Function));
   VG_(addToXA)(named, f);
   return VG_(sizeXA)(named);
}

void DCFG_(reserve_id)(const Function* f)
{
   if (reserved == NULL)
      reserved = VG_(OSetGen_Create)(0, DCFG_(cmp_functions), VG_(malloc),
                                     "dcfg.ids.reserved", VG_(free));
   UInt id = add_named(f);
   if (VG_(OSetGen_Contains)(reserved, f))
      return;
   Reserved* r = VG_(OSetGen_AllocNode)(reserved, sizeof(*r));
   r->f  = *f;
   r->id = id;
   VG_(OSetGen_Insert)(reserved, r);
}

static UInt new_id(UInt function)
{
   const Function* f = DCFG_(function)(function);
   const Reserved* r = reserved == NULL ? NULL
                                        : VG_(OSetGen_Lookup)(reserved, f);

   if (r == NULL)
      return add_named(f);
   *(Function*)VG_(indexXA)(named, r->id - 1) = *f;
   return r->id;
}

UInt DCFG_(id_of_function)(UInt function)
{
   Known* k;

   if (function < n_known && known[function].id != 0)
      return known[function].id;
   k     = known_function(function);
   k->id = new_id(function);
   return k->id;
}

UInt DCFG_(n_ids)(void)
{
   return named == NULL ? 0 : VG_(sizeXA)(named);
}

const Function* DCFG_(named)(UInt id)
{
   return VG_(indexXA)(named, id - 1);
}
