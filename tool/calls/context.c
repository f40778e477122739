/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the options of Callgrind that say what a function's context is; the
   numbers of contexts that depend on callers or on more levels of recursion.  Handed: functions and the callers of the one
   that runs by tool/calls/stack.c.

   A context is a function in an outermost or in an inner activation, and its
   number is DCFG_CONTEXT(function, inner).  With --separate-callers it is a
   function and its callers, as many as asked for; with --separate-recs it is one
   level of several.  Then the place of the function's number is taken by the
   number of a chain: function, callers, and half of the level.  The other half
   is the bit of DCFG_CONTEXT still.  So generated code does not know of it.

   A chain has each function once that calls itself directly.  It ends where a
   thread or a signal handler began. */

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#include "tool/base/core.h"
#include "tool/calls/calls.h"
#include "tool/calls/context.h"

/*--- Options                                              ---*/

#define MOST_CALLERS 1000
#define MOST_LEVELS  1000
#define USUAL_LEVELS 2

/* Rule: the number of callers or levels for functions that a glob fits. */
typedef
   struct {
      Globs globs;
      Bool  of_levels;
      Int   n;
   }
   Rule;

Bool DCFG_(divides_contexts);

static Int          callers;
static Int          levels = USUAL_LEVELS;
static XArray*      rules;             // Rule*
static const HChar* given;

const HChar* DCFG_(context_option_given)(void)
{
   return given;
}

static Int parse_number(const HChar* option, const HChar* value, Int most)
{
   HChar* end;
   Long   n = VG_(strtoll10)(value, &end);

   if (*value == 0 || *end != 0 || n < 0 || n > most) {
      VG_(fmsg)("%s=%s: give a number from 0 to %d\n", option, value, most);
      VG_(exit)(1);
   }
   return n;
}

static void set_callers(const HChar* option, const HChar* value, Int what)
{
   given   = option;
   /* Callgrind's word for contexts of its own choice has no effect there. */
   callers = VG_STREQ(value, "auto")
             ? 0 : parse_number(option, value, MOST_CALLERS);
   DCFG_(divides_contexts) |= callers > 0;
}

static void set_levels(const HChar* option, const HChar* value, Int what)
{
   given  = option;
   levels = parse_number(option, value, MOST_LEVELS);
   DCFG_(divides_contexts) |= levels != USUAL_LEVELS;
}

static void add_rule(const HChar* option, const HChar* value, Int n)
{
   given   = option;
   Rule* r = VG_(calloc)("dcfg.context.rule", 1, sizeof(*r));

   r->n         = n;
   r->of_levels = VG_STREQ(option, "--separate-recs");
   if (!DCFG_(add_globs)(&r->globs, option, value)) {
      VG_(fmsg)("%s%d=%s has an empty pattern: give a name or a pattern, such as "
                "work*\n", option, n, value);
      VG_(exit)(1);
   }
   if (rules == NULL)
      rules = DCFG_NEW_ARRAY("dcfg.context.rules", Rule*);
   VG_(addToXA)(rules, &r);
   DCFG_(divides_contexts) = True;
}

static const Option options[] = {
   OPTION_CALL("--separate-callers", set_callers, 0, "<n>",
               "profile: keep the costs of functions apart by <n> callers [0]"),
   OPTION_COUNT("--separate-callers", add_rule, 1, MOST_CALLERS, "<function>",
                "profile: likewise for <function> alone [none]"),
   OPTION_CALL("--separate-recs", set_levels, 0, "<n>",
               "profile: keep up to <n> levels of recursion apart [2]"),
   OPTION_COUNT("--separate-recs", add_rule, 1, MOST_LEVELS, "<function>",
                "profile: likewise for <function> alone [none]")
};

const Options DCFG_(context_options) = OPTIONS(options);

/*--- Functions                                            ---*/

/* Divided: how contexts of a function are divided.  Zeros: not found out
   yet. */
typedef
   struct {
      Bool   known;
      UShort callers;
      UShort levels;       // at least 1
   }
   Divided;

static Divided* divided;
static UInt     n_divided;

static Divided find_out(const HChar* name)
{
   Divided d = { True, callers, levels };

   for (Word i = 0; rules != NULL && i < VG_(sizeXA)(rules); i++) {
      Rule* r = *(Rule**)VG_(indexXA)(rules, i);
      if (!DCFG_(globs_fit_name)(&r->globs, name))
         continue;
      if (r->of_levels)
         d.levels = r->n;
      else
         d.callers = r->n;
   }
   if (d.levels == 0)
      d.levels = 1;
   return d;
}

static const Divided* divided_how(UInt f)
{
   if (f >= n_divided) {
      UInt n  = f + 256;
      divided = VG_(realloc)("dcfg.context.divided", divided,
                             n * sizeof(Divided));
      VG_(memset)(divided + n_divided, 0, (n - n_divided) * sizeof(Divided));
      n_divided = n;
   }
   if (!divided[f].known)
      divided[f] = find_out(DCFG_(function)(f)->name);
   return &divided[f];
}

static UInt most_callers(void)
{
   Int most = callers;

   for (Word i = 0; rules != NULL && i < VG_(sizeXA)(rules); i++) {
      const Rule* r = *(Rule**)VG_(indexXA)(rules, i);
      if (!r->of_levels && r->n > most)
         most = r->n;
   }
   return most;
}

/*--- Chains                                               ---*/

typedef
   struct _Chain {
      struct _Chain* hash_next;
      UWord          hash_key;
      UInt           number;       // from 1
      UInt           half_level;
      UInt           n;
      const UInt*    functions;    // behind it, if it is in the table
   }
   Chain;

static VgHashTable* table;         // Chain
static XArray*      chains;        // Chain*, by number from 1

static Word cmp_chains(const void* va, const void* vb)
{
   const Chain* a = va;
   const Chain* b = vb;

   return a->half_level != b->half_level || a->n != b->n
          || VG_(memcmp)(a->functions, b->functions, a->n * sizeof(UInt)) != 0;
}

static const Chain* new_chain(const Chain* like)
{
   const SizeT size = like->n * sizeof(UInt);
   Chain*      c    = VG_(malloc)("dcfg.context.chain", sizeof(*c) + size);

   *c           = *like;
   c->functions = (UInt*)(c + 1);
   VG_(memcpy)(c + 1, like->functions, size);
   VG_(addToXA)(chains, &c);
   c->number = VG_(sizeXA)(chains);
   VG_(HT_add_node)(table, c);
   return c;
}

/* Return the context of a function that is active LEVEL times.  FUNCTIONS has it
   and then its callers, N in all. */
static UInt context_of(const UInt* functions, UInt n, UInt level)
{
   const UInt most = divided_how(functions[0])->levels;
   Chain      key  = { .n = n, .functions = functions };

   level = level == 0 ? 0 : level > most ? most - 1 : level - 1;
   key.half_level = level / 2;
   key.hash_key   = level / 2;
   for (UInt i = 0; i < n; i++)
      key.hash_key = key.hash_key * 1000003 + functions[i];
   if (table == NULL) {
      table  = VG_(HT_construct)("dcfg.context.table");
      chains = DCFG_NEW_ARRAY("dcfg.context.chains", Chain*);
   }
   const Chain* c = VG_(HT_gen_lookup)(table, &key, cmp_chains);
   if (c == NULL)
      c = new_chain(&key);
   return DCFG_CONTEXT(c->number, level % 2);
}

UInt DCFG_(divided_context)(const CallStack* cs, UInt function, UInt bottom)
{
   static UInt* functions;
   const UInt   most = divided_how(function)->callers + 1u;
   UInt         n    = 1;

   if (functions == NULL)
      functions = VG_(malloc)("dcfg.context.callers",
                              (most_callers() + 1) * sizeof(UInt));
   functions[0] = function;
   for (UInt i = cs->n_frames; i > bottom && n < most; i--) {
      UInt caller = cs->frames[i - 1].function;
      if (caller == 0)
         break;
      if (caller != functions[n - 1])
         functions[n++] = caller;
   }
   return context_of(functions, n, cs->active[function]);
}

UInt DCFG_(context_of_base)(UInt function)
{
   return DCFG_(divides_contexts) ? context_of(&function, 1, 1)
                                  : DCFG_CONTEXT(function, 0);
}

ContextName DCFG_(context_name)(UInt context)
{
   static UInt  function;
   const UInt   number = DCFG_CONTEXT_CHAIN(context);
   const UInt   bit    = DCFG_CONTEXT_BIT(context);

   if (DCFG_(divides_contexts)) {
      const Chain* c = *(Chain**)VG_(indexXA)(chains, number - 1);
      return (ContextName){ c->functions, c->n, 2 * c->half_level + bit + 1 };
   }
   function = number;
   return (ContextName){ &function, 1, bit + 1 };
}

UInt DCFG_(end_of_contexts)(void)
{
   const UInt n = !DCFG_(divides_contexts) ? DCFG_(n_functions)()
                  : chains == NULL ? 0 : VG_(sizeXA)(chains);

   return DCFG_CONTEXT(n + 1, 0);
}
