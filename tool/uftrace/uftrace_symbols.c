/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The functions and objects of uftrace's directory. */

/* Owns: addresses of functions in records, and the files that give them
   names.  Handed: functions by tool/calls/active.h.

   uftrace looks addresses up in a session's map of objects, and in a file of
   symbols for each object.  They need not be those of the program.  Here object
   number N has OBJECT_SIZE bytes from (N + 1) * OBJECT_SIZE on, and functions
   have FUNCTION_SIZE bytes there, in the order in which they are first logged.

   uftrace changes its stack at functions with certain names: an entry of exec
   empties it, and an entry of longjmp cuts it to what it was at the last entry
   of setjmp, in any thread.  But the records say exactly which calls end there.
   For each of these names, in a fixed order, uftrace notes where a symbol with
   the name begins and ends.  Of several that begin at one place, it keeps the
   first.  So an empty symbol stands before each such function, with the first
   of the names: uftrace keeps that, and no address is in it. */

#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_xarray.h"

#include "tool/calls/active.h"
#include "tool/uftrace/uftrace_symbols.h"

#define OBJECT_SIZE   (1ULL << 28)
#define FUNCTION_SIZE 16u

typedef
   struct {
      const HChar* path;
      HChar*       plain;         // the path in all files for uftrace
      UInt         n_functions;
   }
   Object;

/* Symbol: a function of the program.  Several ids may be one: Callgrind tells
   functions apart by source files, too. */
typedef
   struct {
      const HChar* object;
      const HChar* name;
      Addr         start;
      UInt         id;            // the first
      ULong        address;
   }
   Symbol;

static XArray* objects;           // Object
static XArray* addresses;         // ULong, by id from 1; 0: none yet
static XArray* in_order;          // Symbol*, by .address
static OSet*   symbols;           // Symbol

/*--- Names                                                ---*/

/* The first of the names at which uftrace 0.13 to 0.19 changes its stack. */
#define FIRST_NAME "execl"

static Bool is_heeded(const HChar* name)
{
   static const HChar* const names[] = {
      FIRST_NAME, "execlp", "execle", "execv", "execve", "execvp", "execvpe",
      "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp",
      "longjmp", "siglongjmp", "__longjmp_chk",
      "fork", "vfork", "daemon", "posix.fork"
   };

   for (UInt i = 0; i < sizeof(names) / sizeof(names[0]); i++)
      if (VG_STREQ(name, names[i]))
         return True;
   return False;
}

static HChar* replace(HChar* s, HChar from, HChar to)
{
   for (HChar* c = s; *c != 0; c++)
      if (*c == from)
         *c = to;
   return s;
}

/* Return a copy of PATH without spaces and quotes: uftrace knows neither quotes
   nor escapes. */
static HChar* plain_path(const HChar* path)
{
   HChar* res = DCFG_(make_plain)(VG_(strdup)("dcfg.uftrace.path", path));

   return replace(replace(res, ' ', '_'), '"', '_');
}

static const HChar* base_name(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash == NULL ? path : slash + 1;
}

static Object* object_no(UInt no)
{
   return VG_(indexXA)(objects, no);
}

/* Return the path of object NO, for VG_(free).  The last part names the file of
   symbols, so the second of two equal ones gets a number. */
static HChar* path_of_object(UInt no)
{
   const HChar* plain = object_no(no)->plain;
   UInt         equal = 1;
   HChar*       res   = VG_(malloc)("dcfg.uftrace.object",
                                    VG_(strlen)(plain) + 16);

   for (UInt i = 0; i < no; i++)
      equal += VG_STREQ(base_name(object_no(i)->plain), base_name(plain));
   if (equal == 1)
      VG_(strcpy)(res, plain);
   else
      VG_(sprintf)(res, "%s~%u", plain, equal);
   return res;
}

/*--- Addresses                                            ---*/

static Word cmp_symbols(const void* va, const void* vb)
{
   const Symbol* a = va;
   const Symbol* b = vb;

   return a->object != b->object ? (a->object < b->object ? -1 : 1)
          : a->name != b->name   ? (a->name < b->name ? -1 : 1)
          : a->start != b->start ? (a->start < b->start ? -1 : 1)
          : 0;
}

static void init(void)
{
   addresses = VG_(newXA)(VG_(malloc), "dcfg.uftrace.addresses", VG_(free),
                          sizeof(ULong));
   objects   = VG_(newXA)(VG_(malloc), "dcfg.uftrace.objects", VG_(free),
                          sizeof(Object));
   in_order  = VG_(newXA)(VG_(malloc), "dcfg.uftrace.order", VG_(free),
                          sizeof(Symbol*));
   symbols   = VG_(OSetGen_Create)(0, cmp_symbols, VG_(malloc),
                                   "dcfg.uftrace.symbols", VG_(free));
}

static UInt number_of_object(const HChar* path)
{
   Object new = { path, NULL, 0 };

   for (Word i = VG_(sizeXA)(objects) - 1; i >= 0; i--)
      if (object_no(i)->path == path)
         return i;
   new.plain = plain_path(path);
   VG_(addToXA)(objects, &new);
   return VG_(sizeXA)(objects) - 1;
}

static Symbol* add_symbol(const Symbol* new)
{
   UInt    no = number_of_object(new->object);
   Symbol* s  = VG_(OSetGen_AllocNode)(symbols, sizeof(*s));

   *s         = *new;
   s->address = (no + 1) * OBJECT_SIZE
                + object_no(no)->n_functions++ * FUNCTION_SIZE;
   VG_(OSetGen_Insert)(symbols, s);
   VG_(addToXA)(in_order, &s);
   return s;
}

ULong DCFG_(uftrace_address)(UInt id)
{
   static const ULong none = 0;
   ULong*             place;

   if (addresses == NULL)
      init();
   while (VG_(sizeXA)(addresses) < id)
      VG_(addToXA)(addresses, &none);
   place = VG_(indexXA)(addresses, id - 1);
   if (*place == 0) {
      const Function* f   = DCFG_(named)(id);
      Symbol          new = { f->object, f->own, f->start, id, 0 };
      const Symbol*   s   = VG_(OSetGen_Lookup)(symbols, &new);
      *place = (s != NULL ? s : add_symbol(&new))->address;
   }
   return *place;
}

/*--- Files                                                ---*/

UInt DCFG_(n_uftrace_objects)(void)
{
   return objects == NULL ? 0 : VG_(sizeXA)(objects);
}

HChar* DCFG_(uftrace_symbol_file)(UInt object)
{
   HChar*       path = path_of_object(object);
   const HChar* name = base_name(path);
   HChar*       res  = VG_(malloc)("dcfg.uftrace.file",
                                   VG_(strlen)(name) + sizeof(".sym"));

   VG_(sprintf)(res, "%s.sym", name);
   VG_(free)(path);
   return res;
}

static void put_hex(Put* out, ULong n, UInt digits)
{
   while (digits-- > 0)
      DCFG_(put_char)(out, "0123456789abcdef"[n >> 4 * digits & 15]);
}

static void put_path(Put* out, UInt object)
{
   HChar* path = path_of_object(object);

   DCFG_(put_text)(out, path);
   VG_(free)(path);
}

/* Return whether another function of the object has the name of S. */
static Bool has_namesake(const Symbol* s)
{
   const Symbol first = { s->object, s->name, 0, 0, 0 };

   VG_(OSetGen_ResetIterAt)(symbols, &first);
   for (UInt i = 0; i < 2; i++) {
      const Symbol* other = VG_(OSetGen_Next)(symbols);
      if (other == NULL || other->object != s->object
          || other->name != s->name)
         return False;
      if (other != s)
         return True;
   }
   return False;
}

/* Put TEXT without hidden characters.  A semicolon separates names in uftrace's
   folded stacks. */
static void put_plain(Put* out, const HChar* text)
{
   HChar* plain = DCFG_(make_plain)(VG_(strdup)("dcfg.uftrace.name", text));

   DCFG_(put_text)(out, replace(plain, ';', ':'));
   VG_(free)(plain);
}

/* Put the name of S.  uftrace adds up functions with one name, so those of one
   object get the places where they begin. */
static void put_name(Put* out, const Symbol* s)
{
   const Function* f = DCFG_(named)(s->id);

   put_plain(out, s->name);
   if (!has_namesake(s))
      return;
   DCFG_(put_text)(out, " (");
   if (f->line > 0) {
      put_plain(out, base_name(f->file));
      DCFG_(put_char)(out, ':');
      DCFG_(put_number)(out, f->line);
   } else {
      DCFG_(put_text)(out, "0x");
      put_hex(out, s->start, 8);
   }
   DCFG_(put_char)(out, ')');
}

/* Put a symbol's line up to its name, and TEXT. */
static void put_symbol_start(Put* out, ULong at, HChar type,
                             const HChar* text)
{
   put_hex(out, at, 16);
   DCFG_(put_char)(out, ' ');
   DCFG_(put_char)(out, type);
   DCFG_(put_char)(out, ' ');
   DCFG_(put_text)(out, text);
}

void DCFG_(put_uftrace_symbols)(Put* out, UInt object)
{
   ULong start = (object + 1) * OBJECT_SIZE;
   UInt  n     = object_no(object)->n_functions;

   DCFG_(put_text)(out, "# symbols: ");
   DCFG_(put_number)(out, n);
   DCFG_(put_text)(out, "\n# path name: ");
   put_path(out, object);
   DCFG_(put_char)(out, '\n');
   for (Word i = 0; i < VG_(sizeXA)(in_order); i++) {
      const Symbol* s = *(Symbol**)VG_(indexXA)(in_order, i);
      if (s->address < start || s->address >= start + OBJECT_SIZE)
         continue;
      if (is_heeded(s->name))
         put_symbol_start(out, s->address - start, 't', FIRST_NAME "\n");
      put_symbol_start(out, s->address - start, 'T', "");
      put_name(out, s);
      DCFG_(put_char)(out, '\n');
   }
   put_symbol_start(out, n * FUNCTION_SIZE, 'T', "__sym_end\n");
}

void DCFG_(put_uftrace_map)(Put* out)
{
   for (UInt i = 0; i < DCFG_(n_uftrace_objects)(); i++) {
      put_hex(out, (i + 1) * OBJECT_SIZE, 12);
      DCFG_(put_char)(out, '-');
      put_hex(out, (i + 2) * OBJECT_SIZE, 12);
      DCFG_(put_text)(out, " r-xp 00000000 00:00 0                    ");
      put_path(out, i);
      DCFG_(put_char)(out, '\n');
   }
   /* uftrace finds the kernel's addresses by the place of the stack. */
   DCFG_(put_text)(out, "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0"
                        "                          [stack]\n");
}

void DCFG_(put_uftrace_program)(Put* out)
{
   HChar*       own  = plain_path(VG_(args_the_exename));
   const HChar* name = own;

   for (UInt i = 0; i < DCFG_(n_uftrace_objects)() && name == own; i++) {
      const HChar* path = object_no(i)->plain;
      if (VG_STREQ(base_name(path), base_name(own)))
         name = path;
   }
   DCFG_(put_text)(out, name);
   VG_(free)(own);
}
