/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Types of variables: their parts, and their values as C writes them. */

/* Owns: the way from a type and an offset in it to members and indices, the
   texts of values and types. Handed: types of DWARF, bytes. */

#include "cmd/program/types.h"

#include "cmd/base/format.h"

#include <ctype.h>
#include <dwarf.h>
#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

bool type_is_atomic(Dwarf_Die type)
{
   for (unsigned deep = 0; deep < DEEPEST; deep++)
      switch (dwarf_tag(&type)) {
         case DW_TAG_atomic_type:
            return true;
         case DW_TAG_typedef: case DW_TAG_volatile_type: case DW_TAG_const_type:
            if (type_of(&type, &type))
               continue;
            return false;
         default:
            return false;
      }
   return false;
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

static bool number_of_attr(Dwarf_Die* die, unsigned name, Dwarf_Word* n)
{
   Dwarf_Attribute attr;

   return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), n) == 0;
}

bool is_integer(Dwarf_Die* bare)
{
   Dwarf_Word encoding;

   return dwarf_tag(bare) == DW_TAG_enumeration_type
          || (dwarf_tag(bare) == DW_TAG_base_type
              && number_of_attr(bare, DW_AT_encoding, &encoding)
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

/* Set *N to the bound NAME of SUBRANGE, which may be negative.  Return false if
   it is not constant. */
static bool bound_of(Dwarf_Die* subrange, unsigned name, int64_t* n)
{
   Dwarf_Attribute attr;
   Dwarf_Word      word;
   unsigned        form;

   if (dwarf_attr_integrate(subrange, name, &attr) == NULL)
      return false;
   form = dwarf_whatform(&attr);
   if (form == DW_FORM_sdata || form == DW_FORM_implicit_const)
      return dwarf_formsdata(&attr, n) == 0;
   if (dwarf_formudata(&attr, &word) != 0)
      return false;
   *n = (int64_t)word;
   return true;
}

/* Set *LOW to the first index of SUBRANGE, in a program of LANGUAGE, and *COUNT
   to the number of indices, 0 if it is not known.  Return false if *LOW is not
   known. */
static bool indices_of(Dwarf_Die* subrange, int language, int64_t* low,
                       uint64_t* count)
{
   Dwarf_Sword usual = 0;
   Dwarf_Word  n;
   int64_t     high;

   dwarf_default_lower_bound(language, &usual);
   *low = usual;
   if (dwarf_hasattr_integrate(subrange, DW_AT_lower_bound)
       && !bound_of(subrange, DW_AT_lower_bound, low))
      return false;
   *count = number_of_attr(subrange, DW_AT_count, &n) ? n
            : bound_of(subrange, DW_AT_upper_bound, &high)
            ? (uint64_t)high - (uint64_t)*low + 1 : 0;
   return true;
}

/* Return which dimension of D is number I from the outermost. */
static unsigned from_outermost(const Dimensions* d, unsigned i)
{
   return d->columns ? d->n - 1 - i : i;
}

Dimensions type_dimensions(Dwarf_Die* array)
{
   static const Dimensions none = { .n = 0 };
   Dimensions d = { .n = 0 };
   uint64_t   counts[MOST_DIMENSIONS], stride;
   Dwarf_Die  child, element, unit;
   Dwarf_Word ordering;
   int        language;

   if (!type_of(array, &element) || dwarf_child(array, &child) != 0
       || dwarf_hasattr(array, DW_AT_data_location)
       || dwarf_hasattr(array, DW_AT_byte_stride)
       || dwarf_hasattr(array, DW_AT_bit_stride)
       || dwarf_diecu(array, &unit, NULL, NULL) == NULL)
      return none;
   language  = dwarf_srclang(&unit);
   d.columns = number_of_attr(array, DW_AT_ordering, &ordering)
               ? ordering == DW_ORD_col_major
               : language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90
                 || language == DW_LANG_Fortran95
                 || language == DW_LANG_Fortran03
                 || language == DW_LANG_Fortran08;
   do {
      if (dwarf_tag(&child) != DW_TAG_subrange_type || d.n == MOST_DIMENSIONS)
         continue;
      if (!indices_of(&child, language, &d.low[d.n], &counts[d.n]))
         return none;
      d.n++;
   } while (dwarf_siblingof(&child, &child) == 0);
   stride = type_size(&element);
   for (unsigned i = d.n; i-- > 0; ) {
      const unsigned k = from_outermost(&d, i);
      d.strides[k] = stride;
      stride      *= counts[k];
   }
   return d;
}

/* Return the dimensions of ARRAY; none if a stride is not known or too large. */
static Dimensions sized_dimensions(Dwarf_Die* array)
{
   Dimensions d = type_dimensions(array);

   for (unsigned i = 0; i < d.n; i++)
      if (d.strides[i] == 0 || d.strides[i] > INT64_MAX)
         d.n = 0;
   return d;
}

/* Enter an element of *TYPE, an array; *OFFSET becomes the offset in it. */
static bool enter_array(Phrase* p, Dwarf_Die* type, int64_t* offset,
                        uint64_t size)
{
   const Dimensions d = sized_dimensions(type);
   int64_t          at[MOST_DIMENSIONS];
   uint64_t         one;
   Dwarf_Die        element;

   if (d.n == 0 || !type_of(type, &element) || *offset < 0)
      return false;
   one = d.strides[from_outermost(&d, d.n - 1)];
   if ((uint64_t)*offset % one + size > one)
      return false;
   phrase_enclose(p);
   for (unsigned i = 0; i < d.n; i++) {
      const unsigned k = from_outermost(&d, i);
      at[k]   = d.low[k] + *offset / (int64_t)d.strides[k];
      *offset = *offset % (int64_t)d.strides[k];
   }
   for (unsigned k = 0; k < d.n; k++)
      phrase_add(p, "[%" PRId64 "]", at[k]);
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
   of->first = (uint64_t)offset;
   return !p->full;
}

void phrase_bytes(Phrase* p, const VariableType* of, uint64_t size)
{
   Dwarf_Die  bare = type_bare((Dwarf_Die*)&of->die);
   uint64_t   whole = type_size(&bare);
   Dwarf_Word encoding = 0;

   number_of_attr(&bare, DW_AT_encoding, &encoding);
   /* x87 stores 10 bytes of a long double. */
   if (of->bit_size > 0 || is_aggregate(&bare)
       || dwarf_tag(&bare) == DW_TAG_array_type || size >= whole
       || (encoding == DW_ATE_float && size == 10))
      return;
   phrase_enclose(p);
   phrase_add(p, " (bytes %" PRIu64 "-%" PRIu64 ")", of->first,
              of->first + size - 1);
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
   const Dimensions d = sized_dimensions(type);
   int64_t          at[MOST_DIMENSIONS];
   unsigned         by = d.n;           // the dimension of INDEX
   Dwarf_Die        element;

   if (d.n == 0 || !type_of(type, &element))
      return false;
   for (unsigned i = 0; i < d.n; i++) {
      const unsigned k = from_outermost(&d, i);
      const int64_t  stride = (int64_t)d.strides[k];
      int64_t        q = divided(*offset, stride, offset);
      at[k] = d.low[k] + q;
      if (by == d.n && (step == 0 || step == stride))
         by = k;
      else if (q < 0 || (step >= stride && by == d.n))
         return false;
   }
   for (unsigned k = 0; k < d.n; k++)
      if (k == by) {
         add_index(p, index, step, at[k]);
      } else {
         phrase_enclose(p);
         phrase_add(p, step == 0 ? "[...]" : "[%" PRId64 "]", at[k]);
      }
   *chosen = by < d.n;
   *type   = element;
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
   Dwarf_Die target, named;
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
   /* The access is atomic because of the type that the pointer names. */
   if (type_of(bare, &named) && type_is_atomic(named))
      target = named;
   return phrase_part(p, &target, offset, size, of);
}

#define LONGEST_HEX 64          // bytes of a number without a type, at most
#define MANY        "{...}"     // a value with many parts

/*--- Values                                               ---*/

const char* variables_hex(const uint8_t* bytes, size_t k, const char* longer)
{
   char  text[2 + 2 * LONGEST_HEX + 1] = "0x";
   char* at = text + 2;

   if (k == 0 || k > LONGEST_HEX)
      return k == 0 ? "" : longer;
   while (k > 1 && bytes[k - 1] == 0)
      k--;
   at += sprintf(at, "%x", bytes[--k]);
   while (k-- > 0)
      at += sprintf(at, "%02x", bytes[k]);
   return text_format("%s", text);
}

/* Return X with as few digits as read back as the same number. */
static const char* decimal(long double x, size_t size)
{
   char text[64];

   for (int digits = 1; digits <= LDBL_DECIMAL_DIG; digits++) {
      snprintf(text, sizeof(text), "%.*Lg", digits, x);
      if (size == sizeof(float) ? strtof(text, NULL) == (float)x
          : size == sizeof(double) ? strtod(text, NULL) == (double)x
          : strtold(text, NULL) == x)
         break;
   }
   /* 30, not 3e+01. */
   if (strchr(text, 'e') != NULL && x > -1e15L && x < 1e15L
       && x == (long double)(int64_t)x)
      snprintf(text, sizeof(text), "%" PRId64, (int64_t)x);
   return text_format("%s", text);
}

const char* variables_real(const uint8_t* bytes, size_t size)
{
   float       f;
   double      d;
   long double l = 0;

   if (size == sizeof(f)) {
      memcpy(&f, bytes, sizeof(f));
      return decimal((long double)f, size);
   }
   if (size == sizeof(d)) {
      memcpy(&d, bytes, sizeof(d));
      return decimal((long double)d, size);
   }
   /* A number of x87 has 10 bytes. */
   if (LDBL_MANT_DIG == 64 && size >= 10) {
      memcpy(&l, bytes, 10);
      return decimal(l, 10);
   }
   return variables_hex(bytes, size, MANY);
}

const char* variables_reals(const uint8_t* bytes, size_t size, size_t one)
{
   const char* text = "";

   for (size_t at = 0; at + one <= size; at += one)
      text = text_format("%s%s%s", text, at == 0 ? "{" : ", ",
                         variables_real(bytes + at, one));
   return text_format("%s}", text);
}

/* Return the character as C writes it, 'r' or '\n'; NULL for a small number
   that is no letter. */
static const char* letter(uint64_t n)
{
   static const char plain[] = "\n\t\r\a\b\f\v\\'", names[] = "ntrabfv\\'";
   const char*       at;

   if (n == 0)
      return "'\\0'";
   at = n > 0x7F ? NULL : strchr(plain, (int)n);
   if (at != NULL)
      return text_format("'\\%c'", names[at - plain]);
   return n < 0x7F && isprint((int)n) ? text_format("'%c'", (char)n) : NULL;
}

/* Return the enumerator with value N, or NULL. */
static const char* enumerator(Dwarf_Die* type, uint64_t n, size_t size)
{
   Dwarf_Die  child;
   Dwarf_Word value;
   uint64_t   mask = size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;

   if (dwarf_child(type, &child) != 0)
      return NULL;
   do
      if (dwarf_tag(&child) == DW_TAG_enumerator
          && number_of_attr(&child, DW_AT_const_value, &value)
          && (value & mask) == (n & mask))
         return dwarf_diename(&child);
   while (dwarf_siblingof(&child, &child) == 0);
   return NULL;
}

static bool is_signed(Dwarf_Word encoding)
{
   return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/* Return whether TYPE is int8_t or uint8_t: a number, though C's type is a
   character. */
static bool is_small_number(const Dwarf_Die* type)
{
   Dwarf_Die       at = *type;
   Dwarf_Attribute attr;

   while (dwarf_tag(&at) == DW_TAG_typedef
          || dwarf_tag(&at) == DW_TAG_const_type
          || dwarf_tag(&at) == DW_TAG_volatile_type) {
      const char* name = dwarf_diename(&at);
      if (name != NULL && dwarf_tag(&at) == DW_TAG_typedef
          && strstr(name, "int8") != NULL)
         return true;
      if (dwarf_formref_die(dwarf_attr(&at, DW_AT_type, &attr), &at) == NULL)
         break;
   }
   return false;
}

static const char* number(const VariableType* type, Dwarf_Die* bare,
                          uint64_t n, unsigned bits)
{
   Dwarf_Word  encoding = DW_ATE_unsigned;
   const char* name = NULL;
   int64_t     s = (int64_t)n;

   if (bits < 64 && (n >> (bits - 1) & 1))
      s = (int64_t)(n | UINT64_MAX << bits);
   if (dwarf_tag(bare) == DW_TAG_enumeration_type) {
      name = enumerator(bare, n, (bits + 7) / 8);
      return name != NULL ? text_format("%s", name)
             : text_format("%" PRId64, s);
   }
   number_of_attr(bare, DW_AT_encoding, &encoding);
   if (encoding == DW_ATE_boolean && n <= 1)
      return n == 1 ? "true" : "false";
   if ((encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char
        || encoding == DW_ATE_UTF) && !is_small_number(&type->die))
      name = letter(n);
   return name != NULL ? name
          : is_signed(encoding) ? text_format("%" PRId64, s)
          : text_format("%" PRIu64, n);
}

/* Return the text in an array of characters, up to the first 0; NULL if it has
   other bytes. */
static const char* string(const uint8_t* bytes, size_t size)
{
   size_t n = 0;

   while (n < size && bytes[n] != 0) {
      if (!isprint(bytes[n]) || bytes[n] == '"' || bytes[n] == '\\')
         return NULL;
      n++;
   }
   return text_format("\"%.*s\"", (int)n, (const char*)bytes);
}

/* Return the elements of BARE, an array of characters or of few floating-point
   numbers; NULL if it is none. */
static const char* elements(Dwarf_Die* bare, const uint8_t* bytes, size_t size)
{
   Dwarf_Die  element;
   Dwarf_Word encoding = 0;
   uint64_t   one;

   if (dwarf_tag(bare) != DW_TAG_array_type || !type_of(bare, &element))
      return NULL;
   element = type_bare(&element);
   number_of_attr(&element, DW_AT_encoding, &encoding);
   one = type_size(&element);
   if (one == 1 && (encoding == DW_ATE_signed_char
                    || encoding == DW_ATE_unsigned_char))
      return string(bytes, size);
   return encoding != DW_ATE_float || one == 0 || size > 8 * one ? NULL
          : variables_reals(bytes, size, one);
}

const char* variables_value(const VariableType* type, const uint8_t* bytes,
                            size_t size)
{
   Dwarf_Die   bare;
   Dwarf_Word  encoding = 0;
   const char* text;
   uint64_t    whole, n = 0;

   if (!type->known || size == 0)
      return variables_hex(bytes, size, MANY);
   bare  = type_bare((Dwarf_Die*)&type->die);
   whole = type_size(&bare);
   if (is_aggregate(&bare) || dwarf_tag(&bare) == DW_TAG_array_type) {
      text = whole == size ? elements(&bare, bytes, size) : NULL;
      return text != NULL ? text : MANY;
   }
   number_of_attr(&bare, DW_AT_encoding, &encoding);
   /* x87 stores 10 bytes of a long double. */
   if (encoding == DW_ATE_float && size == 10)
      return variables_real(bytes, size);
   if (whole > size || (whole == 0 && !is_pointer(&bare)))
      return variables_hex(bytes, size, MANY);
   if (whole != 0)
      size = whole;
   if (is_pointer(&bare) || is_reference(&bare)
       || dwarf_tag(&bare) == DW_TAG_ptr_to_member_type)
      return variables_hex(bytes, size, MANY);
   if (encoding == DW_ATE_float)
      return variables_real(bytes, size);
   if (encoding == DW_ATE_complex_float)
      return MANY;
   if (size > 8)
      return variables_hex(bytes, size, MANY);
   for (size_t i = size; i-- > 0; )
      n = n << 8 | bytes[i];
   if (type->bit_size == 0 || type->bit_size >= 64)
      return number(type, &bare, n, 8 * (unsigned)size);
   n = n >> type->bit_first & ((UINT64_C(1) << type->bit_size) - 1);
   return number(type, &bare, n, type->bit_size);
}

/*--- Names of types                                       ---*/

static void add_type(Phrase* p, Dwarf_Die* type, unsigned deep)
{
   Dwarf_Die   to;
   bool        has = type_of(type, &to);
   const char* name = dwarf_diename(type);
   const char* behind = NULL;

   switch (deep > 16 ? 0 : dwarf_tag(type)) {
      case DW_TAG_pointer_type:          behind = "*"; break;
      case DW_TAG_reference_type:        behind = "&"; break;
      case DW_TAG_rvalue_reference_type: behind = "&&"; break;
      case DW_TAG_array_type:            behind = "[]"; break;
      case DW_TAG_const_type:            phrase_add(p, "const "); break;
      case DW_TAG_volatile_type:         phrase_add(p, "volatile "); break;
      case DW_TAG_structure_type:        phrase_add(p, "struct "); break;
      case DW_TAG_union_type:            phrase_add(p, "union "); break;
      case DW_TAG_enumeration_type:      phrase_add(p, "enum "); break;
      default:                           break;
   }
   if (name != NULL)
      phrase_add(p, "%s", name);
   else if (has && deep <= 16)
      add_type(p, &to, deep + 1);
   else
      phrase_add(p, behind != NULL ? "void" : "...");
   if (behind != NULL)
      phrase_add(p, "%s%s", p->text[strlen(p->text) - 1] == '*' ? "" : " ",
                 behind);
}

const char* variables_type_name(const VariableType* type)
{
   Phrase    p = { .full = false };
   Dwarf_Die die = type->die;

   if (!type->known)
      return "";
   add_type(&p, &die, 0);
   return text_format("%s", p.text);
}
