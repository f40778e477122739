/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions, as Callgrind names them. */

#ifndef __DCFG_FUNCTION_H
#define __DCFG_FUNCTION_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "base/port.h"

/* Names are from base/intern.h: compare pointers. */
typedef
   struct {
      const HChar* object;     // the path of its ELF object, or ???
      const HChar* file;       // with its directory, or ???
      const HChar* name;       // demangled, or an address
      UInt         line;       // where it starts, or of what ran first of it;
                               // 0: not known
   }
   Function;

/* For trees of functions: in the order of their three names' pointers. */
Word DCFG_(cmp_functions)(const void* a, const void* b);

/* An address that control may be transferred to, and what debug
   information said of it when that was first asked. */
typedef
   struct _Place {
      struct _Place* hash_next;   // VgHashNode
      UWord          hash_key;    // the address
      UInt           function;    // its number
      UInt           line;        // in the function's file; 0: not known
      const HChar*   object;
      UChar          section;     // VgSectKind
      Bool           is_entry;    // a function starts here
      Bool           is_skipped;  // in a stub of a linkage table, or
      Bool           is_excluded; // left out
      Bool           heads_table; // a linkage table starts here
      PtrdiffT       bias;        // address as run less address as linked
   }
   Place;

/* The place at address A: of code that runs there, or (landing) of what
   runs when A is jumped to, which Valgrind may redirect.  Never freed. */
const Place* DCFG_(place_at)(Addr a);
const Place* DCFG_(landing_place)(Addr a);

/* Would Callgrind make a call of a jump from FROM to TO? */
Bool DCFG_(is_call_like)(const Place* from, const Place* to);

/* What was known of these addresses no longer holds. */
void DCFG_(forget_places)(Addr a, SizeT len);

/* Functions by number, 1 .. n_functions. */
UInt            DCFG_(n_functions)(void);
const Function* DCFG_(function)(UInt no);

#endif /* __DCFG_FUNCTION_H */
