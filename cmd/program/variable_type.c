/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Types of variables, and the parts that they have. */

/* Owns: the way from a type and an offset in it to members and indices.
   Handed: types of DWARF. */

#include "cmd/program/variable_type.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST         32      // nested members

/*--- Phrases                                              ---*/

void phrase_add(Phrase* p, const char* format, ...)
{
   size_t  n = strlen(p->text);
   va_list args;
   int     k;

   va_start(args, format);
   k = vsnprintf(p->text + n, sizeof(p->text) - n, format, args);
   va_end(args);
   p->full |= k < 0 || (size_t)k >= sizeof(p->text) - n;
}

void phrase_prefix(Phrase* p, const char* operator)
{
   Phrase old = *p;

   p->text[0] = 0;
   phrase_add(p, "%s%s", operator, old.text);
   p->prefixed = true;
}

/* Put brackets around P if an operator behind it would bind closer than one
   before it. */
static void phrase_enclose(Phrase* p)
{
   Phrase old = *p;

   if (!p->prefixed)
      return;
   p->text[0] = 0;
   phrase_add(p, "(%s)", old.text);
   p->prefixed = false;
}

/*--- Types                                                ---*/

bool type_of(Dwarf_Die* die, Dwarf_Die* to)
{
   Dwarf_Attribute attr;

   return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), to)
          != NULL;
}

Dwarf_Die type_bare(Dwarf_Die* type)
{
   Dwarf_Die bare;

   return dwarf_peel_type(type, &bare) == 0 ? bare : *type;
}

uint64_t type_size(Dwarf_Die* type)
{
   Dwarf_Die  bare = type_bare(type);
   Dwarf_Word size;

   return dwarf_aggregate_size(&bare, &size) == 0 ? size : 0;
}

bool is_pointer(Dwarf_Die* bare)
{
   return dwarf_tag(bare) == DW_TAG_pointer_type;
}

bool is_reference(Dwarf_Die* bare)
{
   int tag = dwarf_tag(bare);

   return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool is_aggregate(Dwarf_Die* bare)
{
   int tag = dwarf_tag(bare);

   return tag == DW_TAG_structure_type || tag == DW_TAG_class_type
          || tag == DW_TAG_union_type;
}

bool is_integer(Dwarf_Die* bare)
{
   Dwarf_Attribute attr;
   Dwarf_Word      encoding;

   return dwarf_tag(bare) == DW_TAG_enumeration_type
          || (dwarf_tag(bare) == DW_TAG_base_type
              && dwarf_formudata(dwarf_attr(bare, DW_AT_encoding, &attr),
                                 &encoding) == 0
              && encoding != DW_ATE_float
              && encoding != DW_ATE_complex_float);
}

/* Find the definition of WANTED below SCOPE, which has declarations. */
static bool find_definition(Dwarf_Die* scope, int tag, const char* wanted,
                            Dwarf_Die* to)
{
   Dwarf_Die child;

   if (dwarf_child(scope, &child) != 0)
      return false;
   do {
      const char* name = dwarf_diename(&child);
      if (dwarf_tag(&child) == tag && name != NULL
          && strcmp(name, wanted) == 0
          && !dwarf_hasattr(&child, DW_AT_declaration)) {
         *to = child;
         return true;
      }
      if (dwarf_tag(&child) == DW_TAG_namespace
          && find_definition(&child, tag, wanted, to))
         return true;
   } while (dwarf_siblingof(&child, &child) == 0);
   return false;
}

Dwarf_Die type_defined(Dwarf_Die* type)
{
   Dwarf_Die       bare = type_bare(type), to, unit;
   Dwarf_Attribute attr;
   Dwarf*          dwarf;
   Dwarf_Off       off = 0, next;
   size_t          header;

   if (!is_aggregate(&bare) || !dwarf_hasattr(&bare, DW_AT_declaration))
      return bare;
   if (dwarf_formref_die(dwarf_attr(&bare, DW_AT_signature, &attr), &to)
       != NULL)
      return to;
   dwarf = dwarf_cu_getdwarf(bare.cu);
   if (dwarf_diename(&bare) == NULL)
      return bare;
   while (dwarf_nextcu(dwarf, off, &next, &header, NULL, NULL, NULL) == 0) {
      if (dwarf_offdie(dwarf, off + header, &unit) != NULL
          && find_definition(&unit, dwarf_tag(&bare), dwarf_diename(&bare),
                             &to))
         return to;
      off = next;
   }
   return bare;
}

bool type_target(Dwarf_Die* bare, Dwarf_Die* to)
{
   Dwarf_Die direct;

   if ((!is_pointer(bare) && !is_reference(bare)) || !type_of(bare, &direct))
      return false;
   *to = type_defined(&direct);
   return dwarf_tag(to) != DW_TAG_subroutine_type;
}

/*--- Parts                                                ---*/

static bool number_of_attr(Dwarf_Die* die, unsigned name, Dwarf_Word* n)
{
   Dwarf_Attribute attr;

   return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), n) == 0;
}

/* Set P to the bytes that the member DIE has.  Return false if its place is not
   constant. */
static bool find_member(Dwarf_Die* die, TypeMember* p)
{
   Dwarf_Attribute attr;
   Dwarf_Word      n, bits, at = 0;

   *p = (TypeMember){ .die = *die };
   if (dwarf_hasattr(die, DW_AT_declaration)
       || dwarf_hasattr(die, DW_AT_external) || !type_of(die, &p->type))
      return false;
   /* gcc writes 200 as one byte without a sign: dwarf_formsdata() would return
      -56. */
   if (dwarf_attr(die, DW_AT_data_member_location, &attr) != NULL
       && dwarf_formudata(&attr, &at) != 0)
      return false;
   p->offset = (int64_t)at;
   p->size   = type_size(&p->type);
   if (!number_of_attr(die, DW_AT_bit_size, &bits))
      return true;
   if (number_of_attr(die, DW_AT_data_bit_offset, &n)) {
      p->offset    = (int64_t)(n / 8);
      p->bit_first = (uint8_t)(n % 8);
   } else if (number_of_attr(die, DW_AT_bit_offset, &n)) {
      /* DWARF 3 counts from the highest bit of the storage unit. */
      n = 8 * p->size - n - bits;
      p->offset   += (int64_t)(n / 8);
      p->bit_first = (uint8_t)(n % 8);
   } else {
      return false;
   }
   p->bit_size = (uint8_t)bits;
   p->size     = (p->bit_first + bits + 7) / 8;
   return true;
}

static bool has(const TypeMember* p, int64_t offset, uint64_t size)
{
   if (offset < p->offset)
      return false;
   /* The last member may be an array of any length: its size is 0. */
   return p->size == 0 || (uint64_t)(offset - p->offset) + size <= p->size;
}

bool type_member(Dwarf_Die* type, const char* name, TypeMember* member)
{
   Dwarf_Die whole = type_defined(type), child;

   if (!is_aggregate(&whole) || dwarf_child(&whole, &child) != 0)
      return false;
   do {
      int         tag = dwarf_tag(&child);
      const char* its = dwarf_diename(&child);
      TypeMember  outer;
      if ((tag != DW_TAG_member && tag != DW_TAG_inheritance)
          || !find_member(&child, &outer))
         continue;
      if (tag == DW_TAG_member && its != NULL) {
         if (strcmp(its, name) != 0)
            continue;
         *member = outer;
         return true;
      }
      if (type_member(&outer.type, name, member)) {
         member->offset += outer.offset;
         return true;
      }
   } while (dwarf_siblingof(&child, &child) == 0);
   return false;
}

void type_members(Dwarf_Die* type, void (*tell)(void* arg, const char* name),
                  void* arg)
{
   Dwarf_Die whole = type_defined(type), child, inner;

   if (!is_aggregate(&whole) || dwarf_child(&whole, &child) != 0)
      return;
   do {
      int         tag = dwarf_tag(&child);
      const char* name = dwarf_diename(&child);
      if (tag == DW_TAG_member && name != NULL)
         tell(arg, name);
      else if ((tag == DW_TAG_member || tag == DW_TAG_inheritance)
               && type_of(&child, &inner))
         type_members(&inner, tell, arg);
   } while (dwarf_siblingof(&child, &child) == 0);
}

/* Choose the member of AGGREGATE that has these bytes.  Of several, as in
   unions: one that covers no others, then the first.  A bit-field is chosen
   only if it is alone. */
static bool choose_member(Dwarf_Die* aggregate, int64_t offset, uint64_t size,
                          TypeMember* best)
{
   Dwarf_Die  child;
   TypeMember p;
   unsigned   fields = 0;
   bool       found = false;

   if (dwarf_child(aggregate, &child) != 0)
      return false;
   do {
      int tag = dwarf_tag(&child);
      if ((tag != DW_TAG_member && tag != DW_TAG_inheritance)
          || !find_member(&child, &p))
         continue;
      if (p.bit_size > 0) {
         if (p.offset < offset + (int64_t)size
             && offset < p.offset + (int64_t)p.size && fields++ == 0
             && !found) {
            *best = p;
            found = true;
         }
         continue;
      }
      if (has(&p, offset, size)
          && (!found || (best->size != size && p.size == size))) {
         *best = p;
         found = true;
      }
   } while (dwarf_siblingof(&child, &child) == 0);
   return found && (best->bit_size == 0 || fields == 1);
}

unsigned type_dimensions(Dwarf_Die* array, uint64_t strides[MOST_DIMENSIONS])
{
   uint64_t   counts[MOST_DIMENSIONS];
   uint64_t   stride;
   Dwarf_Die  child, element;
   Dwarf_Word n;
   unsigned   k = 0;

   if (!type_of(array, &element) || dwarf_child(array, &child) != 0)
      return 0;
   stride = type_size(&element);
   do {
      if (dwarf_tag(&child) != DW_TAG_subrange_type || k == MOST_DIMENSIONS)
         continue;
      counts[k++] = number_of_attr(&child, DW_AT_count, &n) ? n
                    : number_of_attr(&child, DW_AT_upper_bound, &n) ? n + 1
                    : 0;
   } while (dwarf_siblingof(&child, &child) == 0);
   for (unsigned i = k; i-- > 0; ) {
      strides[i] = stride;
      stride    *= counts[i];
   }
   return k;
}

/* Enter an element of *TYPE, an array; *OFFSET becomes the offset in it. */
static bool enter_array(Phrase* p, Dwarf_Die* type, int64_t* offset,
                        uint64_t size)
{
   uint64_t  strides[MOST_DIMENSIONS];
   Dwarf_Die element;
   unsigned  k;

   if (!type_of(type, &element) || *offset < 0)
      return false;
   k = type_dimensions(type, strides);
   if (k == 0 || strides[k - 1] == 0
       || (uint64_t)*offset % strides[k - 1] + size > strides[k - 1])
      return false;
   for (unsigned i = 0; i < k; i++)
      if (strides[i] == 0)
         return false;
   phrase_enclose(p);
   for (unsigned i = 0; i < k; i++) {
      phrase_add(p, "[%" PRIu64 "]", (uint64_t)*offset / strides[i]);
      *offset = (int64_t)((uint64_t)*offset % strides[i]);
   }
   *type = element;
   return true;
}

static bool enter_member(Phrase* p, Dwarf_Die* type, int64_t* offset,
                         uint64_t size, VariableType* of)
{
   TypeMember  m;
   const char* name;
   size_t      n = strlen(p->text);

   if (!choose_member(type, *offset, size, &m))
      return false;
   name = dwarf_diename(&m.die);
   if (dwarf_tag(&m.die) == DW_TAG_member && name != NULL) {
      /* A text that ends in "->" needs no dot. */
      if (n > 1 && p->text[n - 1] == '>' && p->text[n - 2] == '-') {
         phrase_add(p, "%s", name);
      } else {
         phrase_enclose(p);
         phrase_add(p, ".%s", name);
      }
   }
   *type          = m.type;
   *offset       -= m.offset;
   of->bit_first  = m.bit_first;
   of->bit_size   = m.bit_size;
   return true;
}

bool phrase_part(Phrase* p, Dwarf_Die* type, int64_t offset, uint64_t size,
                 VariableType* of)
{
   uint64_t whole = type_size(type);

   *of = (VariableType){ .known = true, .die = *type };
   if (offset < 0 || (whole > 0 && (uint64_t)offset + size > whole))
      return false;
   for (unsigned deep = 0; deep < DEEPEST; deep++) {
      Dwarf_Die bare = type_defined(&of->die);
      bool      entered = false;
      if (of->bit_size > 0)
         break;
      if (dwarf_tag(&bare) == DW_TAG_array_type)
         entered = enter_array(p, &bare, &offset, size);
      else if (is_aggregate(&bare))
         entered = enter_member(p, &bare, &offset, size, of);
      if (!entered)
         break;
      of->die = bare;
   }
   return !p->full;
}

/*--- Indices                                              ---*/

/* Return the quotient, rounded down; the remainder *REST is not negative. */
static int64_t divided(int64_t offset, int64_t by, int64_t* rest)
{
   *rest = (offset % by + by) % by;
   return (offset - *rest) / by;
}

static void add_index(Phrase* p, const char* index, int64_t step, int64_t more)
{
   phrase_enclose(p);
   if (step == 0)
      phrase_add(p, "[...]");
   else if (more == 0)
      phrase_add(p, "[%s]", index);
   else
      phrase_add(p, "[%s %c %" PRIu64 "]", index, more < 0 ? '-' : '+',
                 more < 0 ? -(uint64_t)more : (uint64_t)more);
}

/* Enter the element of *TYPE, an array, that INDEX chooses.  *OFFSET becomes
   the offset in it; *CHOSEN: INDEX is used up. */
static bool choose_element(Phrase* p, Dwarf_Die* type, int64_t* offset,
                           const char* index, int64_t step, bool* chosen)
{
   uint64_t  strides[MOST_DIMENSIONS];
   Dwarf_Die element;
   unsigned  k;

   if (!type_of(type, &element))
      return false;
   k = type_dimensions(type, strides);
   for (unsigned i = 0; i < k; i++)
      if (strides[i] == 0 || strides[i] > INT64_MAX)
         return false;
   if (k == 0)
      return false;
   for (unsigned i = 0; i < k; i++) {
      int64_t stride = (int64_t)strides[i];
      int64_t q = divided(*offset, stride, offset);
      if (!*chosen && (step == 0 || step == stride)) {
         add_index(p, index, step, q);
         *chosen = true;
      } else if (q >= 0 && (step < stride || *chosen)) {
         phrase_enclose(p);
         phrase_add(p, step == 0 ? "[...]" : "[%" PRId64 "]", q);
      } else {
         return false;
      }
   }
   *type = element;
   return true;
}

bool phrase_element(Phrase* p, Dwarf_Die* type, int64_t offset,
                    const char* index, int64_t step, uint64_t size,
                    VariableType* of)
{
   Dwarf_Die at = *type;
   bool      chosen = false;

   for (unsigned deep = 0; deep < DEEPEST && !chosen; deep++) {
      Dwarf_Die bare = type_defined(&at);
      if (dwarf_tag(&bare) == DW_TAG_array_type) {
         if (!choose_element(p, &bare, &offset, index, step, &chosen))
            return false;
      } else if (!is_aggregate(&bare)
                 || !enter_member(p, &bare, &offset, 1, of)) {
         return false;
      }
      at = bare;
   }
   return chosen && phrase_part(p, &at, offset, size, of);
}

bool phrase_target(Phrase* p, Dwarf_Die* bare, int64_t offset,
                   const char* index, int64_t step, uint64_t size,
                   VariableType* of)
{
   Dwarf_Die target;
   int64_t   whole, q;
   size_t    n;

   if (!type_target(bare, &target))
      return false;
   whole = (int64_t)type_size(&target);
   if (whole <= 0)
      return false;
   if (is_reference(bare))
      return index == NULL ? phrase_part(p, &target, offset, size, of)
             : phrase_element(p, &target, offset, index, step, size, of);
   if (index != NULL && step != whole && step != 0) {
      /* The index belongs to an array in the pointer's target. */
      phrase_enclose(p);
      phrase_add(p, "->");
      return is_aggregate(&target)
             && phrase_element(p, &target, offset, index, step, size, of);
   }
   q = divided(offset, whole, &offset);
   if (index != NULL) {
      add_index(p, index, step, q);
   } else if (q != 0) {
      phrase_enclose(p);
      phrase_add(p, "[%" PRId64 "]", q);
   } else if (!is_aggregate(&target)) {
      phrase_prefix(p, "*");
   } else {
      Phrase before = *p;
      phrase_enclose(p);
      phrase_add(p, "->");
      if (!phrase_part(p, &target, offset, size, of))
         return false;
      n = strlen(p->text);
      if (p->text[n - 1] == '>') {
         *p = before;
         phrase_prefix(p, "*");
      }
      return true;
   }
   return phrase_part(p, &target, offset, size, of);
}
