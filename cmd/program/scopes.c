/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the walk over the trees of DIEs, the intervals of code with one
   innermost scope, names, files and lines in DIEs.  Handed: a file's DWARF,
   which libdw reads.

   A broken tree can do no harm: the walk only goes forward, to a limited
   depth. */

#include "cmd/program/scopes.h"

#include "cmd/base/format.h"
#include "cmd/program/elf_file.h"

#include <dwarf.h>

COMPARE(by_low, ScopeRange, UP(low))

/* Open: the ranges that have begun, in a heap, the innermost first. */
typedef
   struct {
      const ScopeRange** heap;
      size_t             n, room;
   }
   Open;

static bool is_inner(const ScopeRange* x, const ScopeRange* y)
{
   return x->depth != y->depth ? x->depth > y->depth : x->scope > y->scope;
}

static void open_range(Open* o, const ScopeRange* r)
{
   size_t i = o->n;

   GROW(o->heap, o->n, o->room);
   o->n++;
   for (; i > 0 && is_inner(r, o->heap[(i - 1) / 2]); i = (i - 1) / 2)
      o->heap[i] = o->heap[(i - 1) / 2];
   o->heap[i] = r;
}

static void close_innermost(Open* o)
{
   const ScopeRange* last = o->heap[--o->n];
   size_t            i = 0, k;

   for (; (k = 2 * i + 1) < o->n; i = k) {
      if (k + 1 < o->n && is_inner(o->heap[k + 1], o->heap[k]))
         k++;
      if (!is_inner(o->heap[k], last))
         break;
      o->heap[i] = o->heap[k];
   }
   o->heap[i] = last;
}

static void add(Intervals* v, uint64_t low, uint64_t high, const ScopeRange* r)
{
   ScopeRange* last = v->n > 0 ? &v->all[v->n - 1] : NULL;

   if (last != NULL && last->high == low && last->scope == r->scope) {
      last->high = high;
      return;
   }
   GROW(v->all, v->n, v->room);
   v->all[v->n++] = (ScopeRange){ low, high, r->scope, r->depth };
}

/* Add the interval, or intervals, from *FROM to TO. */
static void fill(Intervals* v, Open* o, uint64_t* from, uint64_t to)
{
   while (o->n > 0 && *from < to) {
      const ScopeRange* top = o->heap[0];
      uint64_t          end = top->high < to ? top->high : to;
      if (end > *from) {
         add(v, *from, end, top);
         *from = end;
      }
      if (top->high <= *from)
         close_innermost(o);
   }
   if (*from < to)
      *from = to;
}

/* Return the intervals of N RANGES, which get sorted. */
static Intervals intervals_new(ScopeRange* ranges, size_t n)
{
   Intervals v = { NULL, 0, 0 };
   Open      o = { NULL, 0, 0 };
   uint64_t  from = 0;

   SORT(ranges, n, by_low);
   for (size_t i = 0; i < n; i++) {
      fill(&v, &o, &from, ranges[i].low);
      open_range(&o, &ranges[i]);
   }
   fill(&v, &o, &from, UINT64_MAX);
   free(o.heap);
   SHRINK(v.all, v.n, v.room);
   return v;
}

static void intervals_free(Intervals* v)
{
   free(v->all);
   *v = (Intervals){ NULL, 0, 0 };
}

uint32_t interval_at(const Intervals* v, uint64_t addr, uint64_t* end)
{
   size_t i = 0;

   BISECT(i, v->n, middle, v->all[middle].high <= addr);
   *end = i == v->n ? UINT64_MAX
          : addr < v->all[i].low ? v->all[i].low : v->all[i].high;
   return i < v->n && addr >= v->all[i].low ? v->all[i].scope : NO_SCOPE;
}

COMPARE(by_span, CodeSpan, UP(low) ?: UP(high))

size_t join_spans(CodeSpan* spans, size_t n)
{
   size_t k = 0;

   SORT(spans, n, by_span);
   for (size_t i = 0; i < n; i++)
      if (k > 0 && spans[i].low <= spans[k - 1].high) {
         if (spans[i].high > spans[k - 1].high)
            spans[k - 1].high = spans[i].high;
      } else {
         spans[k++] = spans[i];
      }
   return k;
}

CodeSpan* code_segments(Elf* elf, size_t* n)
{
   size_t    room = 0;
   CodeSpan* segments = NULL;
   GElf_Phdr h;

   *n = 0;
   for (size_t i = 0; next_header(elf, PT_LOAD, &i, &h); )
      if ((h.p_flags & PF_X) && h.p_vaddr <= UINT64_MAX - h.p_memsz) {
         GROW(segments, *n, room);
         segments[(*n)++] = (CodeSpan){ h.p_vaddr, h.p_vaddr + h.p_memsz };
      }
   *n = join_spans(segments, *n);
   return segments;
}

/* The most levels of a tree of DIEs that are visited. */
#define MOST_LEVELS 1000

typedef
   struct {
      Scopes*         s;
      const CodeSpan* spans;
      const CodeSpan* segments;
      size_t          n_spans, n_segments;
      ScopeRange*     ranges;
      size_t          n_ranges, range_room;
      uint64_t        left;             // ranges that may still be read
      Dwarf_Off       reached;          // last DIE of the unit so far
   }
   Reader;

/*--- Ranges                                               ---*/

/* Return whether any of SPANS is between LOW and HIGH. */
static bool has_span(const Reader* r, uint64_t low, uint64_t high)
{
   size_t i = 0;

   BISECT(i, r->n_spans, middle, r->spans[middle].high <= low);
   return i < r->n_spans && r->spans[i].low < high;
}

/* Return whether LOW to HIGH is code.  Functions that the linker left out are
   not: they begin at 0, 1 or the last address. */
static bool is_code(const Reader* r, uint64_t low, uint64_t high)
{
   size_t i = 0;

   BISECT(i, r->n_segments, middle, r->segments[middle].high <= low);
   return i < r->n_segments && r->segments[i].low <= low
          && high <= r->segments[i].high;
}

/* Add those ranges of DIE, for SCOPE, that have wanted code.  *FIRST: the begin
   of the first range.  Return how many were added, or UINT64_MAX if DIE has no
   ranges. */
static uint64_t add_ranges(Reader* r, Dwarf_Die* die, uint32_t scope,
                           uint32_t depth, uint64_t* first)
{
   uint64_t   n = 0;
   Dwarf_Addr base, low, high;
   ptrdiff_t  at = 0;
   bool       any = false;

   *first = NO_ADDR;
   while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
      if (r->left == 0) {
         r->s->n_broken++;
         break;
      }
      r->left--;
      if (!any)
         *first = low;
      any = true;
      if (low > high && low != UINT64_MAX)
         r->s->n_broken++;
      if (low >= high || !is_code(r, low, high) || !has_span(r, low, high))
         continue;
      n++;
      if (scope == NO_SCOPE)
         continue;
      GROW(r->ranges, r->n_ranges, r->range_room);
      r->ranges[r->n_ranges++] = (ScopeRange){ low, high, scope, depth };
   }
   if (at < 0)
      r->s->n_broken++;
   return any || at < 0 ? n : UINT64_MAX;
}

/*--- Scopes                                               ---*/

static uint32_t origin_number(Scopes* s, const Dwarf_Die* die)
{
   uint32_t n = keymap_number(s->origin_numbers, (uintptr_t)die->addr);

   if (n == s->n_origins) {
      GROW(s->origins, s->n_origins, s->origin_room);
      s->origins[s->n_origins++] = *die;
   }
   return n;
}

/* Set ORIGIN to the DIE that DIE is an instance or copy of; to DIE itself if
   there is none. */
static void find_origin(Dwarf_Die* die, Dwarf_Die* origin)
{
   Dwarf_Attribute attr;

   if (dwarf_attr(die, DW_AT_abstract_origin, &attr) == NULL
       || dwarf_formref_die(&attr, origin) == NULL)
      *origin = *die;
}

/* Return the value of an attribute, a number; 0 if there is none. */
static uint32_t number_of(Dwarf_Die* die, unsigned name)
{
   Dwarf_Attribute attr;
   Dwarf_Word      value;

   return dwarf_attr(die, name, &attr) != NULL
          && dwarf_formudata(&attr, &value) == 0 && value <= UINT32_MAX
          ? (uint32_t)value : 0;
}

/* Return DW_AT_entry_pc: an address, or a distance from FIRST, the begin of
   DIE's code. */
static uint64_t entry_of(Dwarf_Die* die, uint64_t first)
{
   Dwarf_Attribute attr;
   Dwarf_Addr      addr;
   Dwarf_Word      distance;

   if (dwarf_attr(die, DW_AT_entry_pc, &attr) == NULL)
      return NO_ADDR;
   if (dwarf_formaddr(&attr, &addr) == 0)
      return addr;
   if (dwarf_formudata(&attr, &distance) != 0)
      return NO_ADDR;
   if (dwarf_lowpc(die, &addr) == 0)
      return addr + distance;
   return first == NO_ADDR ? NO_ADDR : first + distance;
}

/* Add a scope of the DIE OF, and return its number. */
static uint32_t add_scope(Reader* r, Dwarf_Die* of, uint32_t parent,
                          uint32_t depth)
{
   Scopes*   s = r->s;
   Dwarf_Die origin;

   if (s->n == NO_SCOPE)
      die("too many inlined functions");
   find_origin(of, &origin);
   GROW(s->scopes, s->n, s->room);
   s->scopes[s->n] = (Scope){ .parent = parent, .depth = depth,
                              .origin = origin_number(s, &origin),
                              .unit = (uint32_t)s->n_units - 1 };
   return (uint32_t)s->n++;
}

/* Return the scope of a function that has wanted code; NO_SCOPE for any other
   function. */
static uint32_t take_function(Reader* r, Dwarf_Die* die)
{
   uint64_t first;
   uint64_t n = add_ranges(r, die, NO_SCOPE, 0, &first);
   uint32_t scope;

   /* An inlined function counts even if it has no code of its own. */
   if (dwarf_hasattr(die, DW_AT_inline))
      origin_number(r->s, die);
   if (n == 0 || n == UINT64_MAX)
      return NO_SCOPE;
   scope = add_scope(r, die, NO_SCOPE, 0);
   add_ranges(r, die, scope, 0, &first);
   r->s->scopes[scope].file = origin_number(r->s, die);
   if (dwarf_entrypc(die, &r->s->scopes[scope].entry) != 0)
      r->s->scopes[scope].entry = first;
   return scope;
}

static uint32_t take_instance(Reader* r, Dwarf_Die* die, uint32_t parent)
{
   uint32_t depth = r->s->scopes[parent].depth + 1;
   uint32_t scope = add_scope(r, die, parent, depth);
   uint64_t first;

   add_ranges(r, die, scope, depth, &first);
   r->s->scopes[scope].entry = entry_of(die, first);
   r->s->scopes[scope].file = number_of(die, DW_AT_call_file);
   r->s->scopes[scope].line = number_of(die, DW_AT_call_line);
   return scope;
}

/* Note the type whose members OF has, if it is a type without a name, such as a
   lambda's: gcc writes the place of the declaration only there. */
static void take_closure(Scopes* s, Dwarf_Die* of)
{
   Dwarf_Die member;
   uint32_t  n;

   if (dwarf_diename(of) != NULL || dwarf_child(of, &member) != 0)
      return;
   do {
      if (dwarf_tag(&member) != DW_TAG_subprogram)
         continue;
      n = keymap_number(s->closure_members, (uintptr_t)member.addr);
      if (n < s->n_closures)
         return;
      GROW(s->closures, s->n_closures, s->closure_room);
      s->closures[s->n_closures++] = *of;
   } while (dwarf_siblingof(&member, &member) == 0);
}

/*--- Trees                                                ---*/

static void take_children(Reader* r, Dwarf_Die* parent, uint32_t scope,
                          unsigned level);

/* Take a DIE in SCOPE, a function or an instance, or in none. */
static void take_die(Reader* r, Dwarf_Die* die, uint32_t scope,
                     unsigned level)
{
   switch (dwarf_tag(die)) {
      case DW_TAG_subprogram:
         take_children(r, die, take_function(r, die), level);
         break;
      case DW_TAG_inlined_subroutine:
         if (scope != NO_SCOPE)
            take_children(r, die, take_instance(r, die, scope), level);
         break;
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
      case DW_TAG_with_stmt:
         take_children(r, die, scope, level);
         break;
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
         take_closure(r->s, die);
         take_children(r, die, NO_SCOPE, level);
         break;
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_union_type:
      case DW_TAG_interface_type:
      case DW_TAG_enumeration_type:
      case DW_TAG_variant_part:
      case DW_TAG_variant:
         take_children(r, die, NO_SCOPE, level);
         break;
      default:
         break;
   }
}

static void take_children(Reader* r, Dwarf_Die* parent, uint32_t scope,
                          unsigned level)
{
   Dwarf_Die child;
   int       more = dwarf_child(parent, &child);

   if (level == MOST_LEVELS) {
      r->s->n_broken++;
      return;
   }
   while (more == 0) {
      Dwarf_Off at = dwarf_dieoffset(&child);
      if (at <= r->reached)
         break;
      r->reached = at;
      take_die(r, &child, scope, level + 1);
      more = dwarf_siblingof(&child, &child);
   }
   if (more <= 0)
      r->s->n_broken++;
}

/*--- Units                                                ---*/

/* Note a .dwo file that is missing. */
static void miss(Scopes* s, Dwarf_Die* unit)
{
   Dwarf_Attribute attr;
   const char*     name = NULL;

   if (dwarf_attr(unit, DW_AT_dwo_name, &attr) != NULL
       || dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr) != NULL)
      name = dwarf_formstring(&attr);
   s->n_missing++;
   if (s->missing == NULL)
      s->missing = text_copy(name != NULL ? name : "?");
}

static void take_unit(Reader* r, Dwarf_Die* unit, uint8_t type)
{
   Scopes*   s = r->s;
   Dwarf_Die whole = whole_unit(unit);
   uint64_t  first;

   if (dwarf_tag(unit) != DW_TAG_compile_unit
       && dwarf_tag(unit) != DW_TAG_skeleton_unit)
      return;
   if (add_ranges(r, unit, NO_SCOPE, 0, &first) == 0)
      return;
   if (type == DW_UT_skeleton && whole.addr == unit->addr) {
      miss(s, unit);
      return;
   }
   GROW(s->units, s->n_units, s->unit_room);
   s->units[s->n_units++] = (ScopeUnit){ whole, *unit };
   r->reached = dwarf_dieoffset(&s->units[s->n_units - 1].die);
   take_children(r, &s->units[s->n_units - 1].die, NO_SCOPE, 0);
}

Scopes* scopes_read(Dwarf* dwarf, Elf* elf, const CodeSpan* spans,
                    size_t n_spans)
{
   Scopes*   s = zalloc(1, sizeof(*s));
   size_t    n_segments, most;
   CodeSpan* segments = code_segments(elf, &n_segments);
   Reader    r = { .s = s, .spans = spans, .n_spans = n_spans,
                   .segments = segments, .n_segments = n_segments };
   Dwarf_CU* cu = NULL;
   Dwarf_Die unit;
   uint8_t   type;
   int       more;

   /* A range takes at least two bytes of the file. */
   elf_rawfile(dwarf_getelf(dwarf), &most);
   r.left             = most;
   s->origin_numbers  = keymap_new();
   s->closure_members = keymap_new();
   while ((more = dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL)) == 0)
      take_unit(&r, &unit, type);
   s->n_broken += more < 0;
   SHRINK(s->scopes, s->n, s->room);
   SHRINK(r.ranges, r.n_ranges, r.range_room);
   s->intervals = intervals_new(r.ranges, r.n_ranges);
   FREE_ALL(r.ranges, segments);
   return s;
}

void scopes_free(Scopes* s)
{
   if (s == NULL)
      return;
   FREE_EACH(keymap_free, s->origin_numbers, s->closure_members);
   free(s->closures);
   intervals_free(&s->intervals);
   FREE_ALL(s->scopes, s->origins, s->units, s->missing, s);
}

static const char* text_of(Dwarf_Die* die, unsigned name)
{
   Dwarf_Attribute attr;

   return dwarf_attr_integrate(die, name, &attr) == NULL ? NULL
          : dwarf_formstring(&attr);
}

/* Return the path of file NUMBER of a unit; "?" if it is not known.  Before
   DWARF 5 there is no file 0; some versions of libdw do not check that. */
static const char* file_of_unit(Dwarf_Die* unit, uint64_t number)
{
   Dwarf_Half   version = 0;
   Dwarf_Die    die;
   Dwarf_Files* files;
   size_t       n;
   const char*  file = NULL;
   const char*  folder;

   if (dwarf_cu_die(unit->cu, &die, &version, NULL, NULL, NULL, NULL, NULL)
       != NULL && (number > 0 || version >= 5)
       && dwarf_getsrcfiles(&die, &files, &n) == 0 && number < n)
      file = dwarf_filesrc(files, number, NULL, NULL);
   if (file == NULL)
      return "?";
   if (file[0] != '/' && (folder = text_of(&die, DW_AT_comp_dir)) != NULL)
      file = text_format("%s/%s", folder, file);
   return text_plain_path(file);
}

/* Set F's file and line to those of DIE's declaration.  Return false if it has
   none. */
static bool find_declaration(Dwarf_Die* die, InlinedFunction* f)
{
   Dwarf_Attribute attr;
   Dwarf_Word      number;
   Dwarf_Die       unit;

   if (dwarf_attr_integrate(die, DW_AT_decl_line, &attr) == NULL
       || dwarf_formudata(&attr, &number) != 0 || number > UINT32_MAX)
      return false;
   f->line = (uint32_t)number;
   if (dwarf_attr_integrate(die, DW_AT_decl_file, &attr) == NULL
       || dwarf_formudata(&attr, &number) != 0)
      return true;
   unit    = (Dwarf_Die){ .cu = attr.cu };
   f->file = file_of_unit(&unit, number);
   return true;
}

/* Return the type of the lambda whose function DIE is; the type has the
   declaration.  Return NULL for any other function. */
static Dwarf_Die* closure_of(Scopes* s, Dwarf_Die* die)
{
   Dwarf_Attribute attr;
   Dwarf_Die       member = *die;
   uint32_t        n;

   if (dwarf_attr(die, DW_AT_specification, &attr) != NULL
       && dwarf_formref_die(&attr, &member) == NULL)
      return NULL;
   n = keymap_find(s->closure_members, (uintptr_t)member.addr);
   return n == UINT32_MAX ? NULL : &s->closures[n];
}

/* Return whether DIE is what a lambda executes.  gcc calls it artificial. */
static bool is_lambda(Scopes* s, Dwarf_Die* die)
{
   static const char operator[] = "operator()";
   const char*       name = dwarf_diename(die);

   return name != NULL && strncmp(name, operator, sizeof(operator) - 1) == 0
          && closure_of(s, die) != NULL;
}

InlinedFunction scope_function(Scopes* s, uint32_t origin)
{
   Dwarf_Die*      die = &s->origins[origin];
   const char*     name = text_of(die, DW_AT_linkage_name)
                          ?: text_of(die, DW_AT_MIPS_linkage_name)
                          ?: dwarf_diename(die);
   InlinedFunction f = { name != NULL ? name : "?", "?", 0, false };
   Dwarf_Die*      closure;
   Dwarf_Attribute attr;
   bool            flag;

   if (!find_declaration(die, &f) && (closure = closure_of(s, die)) != NULL)
      find_declaration(closure, &f);
   f.is_artificial = dwarf_attr_integrate(die, DW_AT_artificial, &attr) != NULL
                     && dwarf_formflag(&attr, &flag) == 0 && flag
                     && !is_lambda(s, die);
   return f;
}

bool scope_line(Scopes* s, uint32_t scope, uint64_t addr, const char** file,
                uint32_t* line)
{
   Dwarf_Line* at = dwarf_getsrc_die(
                       &s->units[s->scopes[scope].unit].lines, addr);
   int         number;

   if (at == NULL || dwarf_lineno(at, &number) != 0 || number < 0)
      return false;
   *file = dwarf_linesrc(at, NULL, NULL);
   *file = *file != NULL ? text_plain_path(*file) : "?";
   *line = (uint32_t)number;
   return true;
}

const char* scope_call_file(Scopes* s, uint32_t scope)
{
   return file_of_unit(&s->units[s->scopes[scope].unit].die,
                       s->scopes[scope].file);
}
