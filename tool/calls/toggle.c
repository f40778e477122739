/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the options that name functions at which collecting a thread starts or
   stops, or a new part of the run begins.  Handed: functions by
   tool/calls/stack.c; the parts are made by dcfg_main.c.

   The meaning is Callgrind's.  A function is entered, by a call or a jump that
   counts as one, when it is not active in its thread.  It is left when no
   activation of it remains. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_seqmatch.h"
#include "pub_tool_xarray.h"

#include "tool/base/core.h"
#include "tool/calls/function.h"
#include "tool/calls/toggle.h"

/* Effects of a function, as bits. */
enum {
   Toggles     = 1,
   DumpsBefore = 2,
   DumpsAfter  = 4,
   Zeroes      = 8,
   IsKnown     = 16      // the others have been found out
};

typedef
   struct {
      const HChar* option;
      const HChar* glob;
      UChar        what;
      Bool         seen;     // was a function of it entered?
   }
   Rule;

Bool DCFG_(heeds_functions);
Bool DCFG_(collects_at_start) = True;
Int  DCFG_(dump_every);

static XArray*          rules;      // Rule
static UChar*           known;      // for each function its effects
static UInt             n_known;
static XArray*          late;       // UInt: functions that dump when the run
                                    // ends
static const PartMaker* parts;

/*--- Options                                              ---*/

static void add_rule(const HChar* option, const HChar* glob, Int what)
{
   Rule r = { option, glob, what, False };

   if (glob[0] == 0)
      DCFG_FAIL("%s= names no function: give a name or a pattern, such as "
                "work*\n", option);
   if (rules == NULL)
      rules = DCFG_NEW_ARRAY("dcfg.toggle", Rule);
   VG_(addToXA)(rules, &r);
   if (what == Toggles)
      DCFG_(collects_at_start) = False;
}

static const Option options[] = {
   OPTION_CALL("--toggle-collect", add_rule, Toggles, "<function>",
               "switch collection of a thread on or off when it enters "
               "<function>, and back when it leaves [none]"),
   OPTION_BOOL("--collect-atstart", DCFG_(collects_at_start),
               "collect from the start of threads and signal handlers; "
               "--toggle-collect sets no"),
   OPTION_CALL("--dump-before", add_rule, DumpsBefore, "<function>",
               "write a part when <function> is entered [none]"),
   OPTION_CALL("--dump-after", add_rule, DumpsAfter, "<function>",
               "write a part when <function> is left [none]"),
   OPTION_CALL("--zero-before", add_rule, Zeroes, "<function>",
               "when <function> is entered, forget what ran before [none]"),
   OPTION_INT("--dump-every-bb", DCFG_(dump_every), 0, 0x7FFFFFFF, "<number>",
              "profile: write a part each time when so many superblocks have "
              "run, or a few more")
};

const Options DCFG_(toggle_options) = OPTIONS(options);

Bool DCFG_(start_toggles)(const PartMaker* pm)
{
   parts                  = pm;
   DCFG_(heeds_functions) = rules != NULL;
   return DCFG_(heeds_functions);
}

/*--- Functions                                            ---*/

static UChar find_out(UInt f)
{
   const HChar* name = DCFG_(function)(f)->name;
   UChar        what = IsKnown;

   for (Word i = 0; i < VG_(sizeXA)(rules); i++) {
      Rule* r = VG_(indexXA)(rules, i);
      if (VG_(string_match)(r->glob, name)) {
         what   |= r->what;
         r->seen = True;
      }
   }
   return what;
}

static UChar what_does(UInt f)
{
   if (f >= n_known) {
      UInt n = f + 256;
      known  = VG_(realloc)("dcfg.toggle.known", known, n);
      VG_(memset)(known + n_known, 0, n - n_known);
      n_known = n;
   }
   if (known[f] == 0)
      known[f] = find_out(f);
   return known[f];
}

Bool DCFG_(is_heeded)(UInt f)
{
   return what_does(f) != IsKnown;
}

static void dump(const HChar* option, UInt f)
{
   const HChar* name   = DCFG_(function)(f)->name;
   HChar*       reason = VG_(malloc)("dcfg.toggle.reason",
                                     VG_(strlen)(option)
                                     + VG_(strlen)(name) + 2);

   VG_(sprintf)(reason, "%s=%s", option, name);
   parts->dump(reason);
   VG_(free)(reason);
}

Bool DCFG_(heed_entry)(UInt f)
{
   UChar what = what_does(f);

   if (what & DumpsBefore)
      dump("--dump-before", f);
   else if (what & Zeroes)
      parts->zero();
   return (what & Toggles) != 0;
}

Bool DCFG_(heed_exit)(UInt f, Bool at_end)
{
   UChar what = what_does(f);

   if ((what & DumpsAfter) && at_end) {
      if (late == NULL)
         late = DCFG_NEW_ARRAY("dcfg.toggle.late", UInt);
      VG_(addToXA)(late, &f);
   } else if (what & DumpsAfter) {
      dump("--dump-after", f);
   }
   return (what & Toggles) != 0;
}

void DCFG_(end_toggles)(void)
{
   for (Word i = 0; late != NULL && i < VG_(sizeXA)(late); i++)
      dump("--dump-after", *(UInt*)VG_(indexXA)(late, i));
}

void DCFG_(tell_unused_toggles)(void)
{
   for (Word i = 0; rules != NULL && i < VG_(sizeXA)(rules); i++) {
      const Rule* r = VG_(indexXA)(rules, i);
      if (!r->seen)
         DCFG_(remark)("dcfg: warning: %s=%s: the program entered no function of "
                       "that name\n",
                       r->option, r->glob);
   }
}
