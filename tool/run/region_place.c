/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Region places: the instructions at which a region begins or ends. */

/* Owns: the values of --start and --stop, and the test whether an address is
   at such a place.  Handed: values of options, addresses.  Taken by:
   region.c. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_seqmatch.h"

#include "tool/base/core.h"
#include "tool/run/image.h"
#include "tool/run/region_place.h"

void DCFG_(bad_place)(const Trigger* p, const HChar* why)
{
   VG_(fmsg)("%s=%s: %s\n", p->option, p->text, why);
   VG_(exit)(1);
}

/* Return the number at DIGITS and set *END behind it.  End the run with a
   message if it is not positive. */
static ULong positive(const Trigger* p, const HChar* digits, HChar** end)
{
   Long n = VG_(strtoll10)(digits, end);

   if (n <= 0)
      DCFG_(bad_place)(p, "the count must be 1 or more");
   return n;
}

/* If NAME ends with :N or :N/TOTAL, cut that off and set the numbers in P.  The
   colons of a C++ name do not count. */
static void take_count(Trigger* p, HChar* name)
{
   HChar* colon = VG_(strrchr)(name, ':');
   HChar* end;

   if (colon == NULL || (colon > name && colon[-1] == ':')
       || (colon[1] != '-' && !VG_(isdigit)(colon[1])))
      return;
   VG_(strtoll10)(colon + 1, &end);
   if (*end != 0 && (*end != '/' || !VG_(isdigit)(end[1])))
      return;
   p->wanted = positive(p, colon + 1, &end);
   if (*end == '/') {
      p->total = positive(p, end + 1, &end);
      if (*end != 0 || p->total < p->wanted)
         DCFG_(bad_place)(p, "the number behind / must be at least the count");
   }
   *colon = 0;
}

Trigger DCFG_(parse_place)(const HChar* option, const HChar* text)
{
   const HChar* by   = "instructions:";
   Trigger        p    = { option, text, NULL, False, False, 0, 1, 0, 0 };
   HChar*       name = VG_(strdup)("dcfg.region.name", text);
   HChar       *plus, *end;

   if (VG_(strncmp)(text, by, VG_(strlen)(by)) == 0) {
      const HChar* number = text + VG_(strlen)(by);
      p.wanted    = VG_(strtoll10)(number, &end);
      p.by_instrs = True;
      if (*end != 0 || !VG_(isdigit)(number[0]))
         DCFG_(bad_place)(&p, "instructions: needs a number");
      return p;
   }

   take_count(&p, name);
   if (name[0] == 0)
      DCFG_(bad_place)(&p, "a place is a function, IMAGE+0xOFFSET, "
                           "0xADDRESS or instructions:N");
   plus = VG_(strrchr)(name, '+');
   if (VG_(strncmp)(name, "0x", 2) == 0) {
      p.offset = VG_(strtoull16)(name, &end);
      if (*end != 0 || name[2] == 0)
         DCFG_(bad_place)(&p, "an address is 0x and hexadecimal digits");
      VG_(free)(name);
   } else if (plus != NULL && VG_(strncmp)(plus, "+0x", 3) == 0) {
      p.offset = VG_(strtoull16)(plus + 1, &end);
      if (*end != 0 || plus[3] == 0 || plus == name)
         DCFG_(bad_place)(&p, "an offset is IMAGE+0x and hexadecimal digits");
      *plus      = 0;
      p.in_image = True;
      p.name     = name;
   } else {
      p.name = name;
   }
   return p;
}

/* Return whether A is in a mapped file whose path, or name without directory,
   matches GLOB. */
static Bool is_in_image(const HChar* glob, Addr a)
{
   const NSegment* seg  = VG_(am_find_nsegment)(a);
   const HChar*    path = seg == NULL ? NULL : VG_(am_get_filename)(seg);
   const HChar*    name = path == NULL ? NULL : VG_(strrchr)(path, '/');

   return path != NULL
          && (VG_(string_match)(glob, path)
              || (name != NULL && VG_(string_match)(glob, name + 1)));
}

Bool DCFG_(is_at_place)(const Trigger* p, Addr a)
{
   const HChar* name;

   if (p->text == NULL || p->by_instrs)
      return False;
   if (p->name == NULL)
      return p->offset == a;
   if (p->in_image)
      return is_in_image(p->name, a)
             && a - DCFG_(load_address)(a) == p->offset;
   return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), a, &name)
          && VG_(string_match)(p->name, name);
}

void DCFG_(tell_missed_place)(const Trigger* p)
{
   const HChar* s = p->reached == 1 ? "" : "s";

   if (p->text == NULL)
      return;
   if (p->reached == 0)
      VG_(umsg)("dcfg: warning: %s=%s was never reached\n", p->option,
                p->text);
   else if (p->total > 0 && p->reached != p->total)
      VG_(umsg)("dcfg: warning: %s=%s was reached %'llu time%s, not %'llu: "
                "this is not the run that was predicted\n", p->option,
                p->text, p->reached, s, p->total);
   else if (p->reached < p->wanted)
      VG_(umsg)("dcfg: warning: %s=%s was reached %'llu time%s only\n",
                p->option, p->text, p->reached, s);
}
