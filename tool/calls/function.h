/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions, by Callgrind's rules. */

#ifndef __DCFG_FUNCTION_H
#define __DCFG_FUNCTION_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "format/port.h"
#include "tool/base/options.h"

/* Function: its names are from tool/run/image.h, so pointers can be
   compared. */
typedef
   struct {
      const HChar* object;     // path of its ELF object, or ???
      const HChar* file;       // source file with directory, or ???
      const HChar* name;       // demangled, or an address
      const HChar* own;        // .name; of code below main, which has one name
                               // in a profile, the one in debug information
      Addr         start;      // address of its symbol, as linked
      Addr         at;         // the address in the run when it was seen first
      UInt         line;       // line of its start, or of its first executed
                               // code; 0: not known
      Bool         unnamed;    // is it generated code without a name yet?
      UInt         question;   // about it, of tool/jit/generated.h; or 0
      UInt         late;       // .question, if its name comes late
   }
   Function;

/* Compare functions by the pointers of .object, .file and .name, for trees. */
Word DCFG_(cmp_functions)(const void* a, const void* b);

/* Are functions with one .name one function, although .own differs?  Set before
   the first place is asked for. */
extern Bool DCFG_(keeps_callgrind_names);

/* Are functions with equal names and other symbols several functions, if
   Callgrind's names are not kept?  Likewise. */
extern Bool DCFG_(parts_equal_names);

/* The options of functions that are skipped, and the one of them that was given
   last, or NULL. */
extern const Options DCFG_(skip_options);
const HChar* DCFG_(skip_option_given)(void);

/* Place: an address that control may go to, and its debug information at the
   time of the first question. */
typedef
   struct _Place {
      struct _Place* hash_next;   // VgHashNode
      UWord          hash_key;    // the address
      UInt           function;    // the function's number; 0: nobody asked
      UInt           line;        // in the function's file; 0: not known
      UInt           question;    // about it, of tool/jit/generated.h; or 0
      const HChar*   object;
      UChar          section;     // VgSectKind
      Bool           is_entry;    // is it the start of a function?
      Bool           is_skipped;  // in a stub of a linkage table, in a function
                                  // that an option skips, or
      Bool           is_excluded; // in excluded code
      Bool           is_generated; // is it in no object?
      Bool           heads_table; // the start of a linkage table?
      PtrdiffT       bias;        // address as run less address as linked
   }
   Place;

/* Return the place of the code at A; or, landing_place(), of the code that runs
   when A is jumped to, which Valgrind may redirect.  Never freed. */
const Place* DCFG_(place_at)(Addr a);
const Place* DCFG_(landing_place)(Addr a);

/* Give F the name that the program has told of its code, if it has. */
void DCFG_(name_function)(Function* f);

/* Set .function and .line of P, which is mapped. */
void DCFG_(find_function)(const Place* p);

/* Return P, whose function is known. */
static inline const Place* DCFG_(with_function)(const Place* p)
{
   if (p->function == 0)
      DCFG_(find_function)(p);
   return p;
}

/* Return whether Callgrind takes a jump from FROM to TO for a call. */
Bool DCFG_(is_call_like)(const Place* from, const Place* to);

/* Forget the places at these addresses.  Return whether there may have been
   any. */
Bool DCFG_(forget_places)(Addr a, SizeT len);

/* Return functions by number, 1 .. n_functions. */
UInt            DCFG_(n_functions)(void);
const Function* DCFG_(function)(UInt no);

#endif /* __DCFG_FUNCTION_H */
