/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values and types as C writes them. */

/* Owns: the texts of values and types.  Handed: types of DWARF, bytes. */

#include "cmd/program/variables.h"

#include "cmd/base/format.h"
#include "cmd/program/variable_type.h"

#include <ctype.h>
#include <dwarf.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_HEX 64          // bytes of a number without a type, at most

/*--- Values                                               ---*/

static const char* hex(const uint8_t* bytes, size_t k)
{
   char  text[2 + 2 * LONGEST_HEX + 1] = "0x";
   char* at = text + 2;

   if (k == 0 || k > LONGEST_HEX)
      return k == 0 ? "" : "{...}";
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
   return text_format("%s", text);
}

static const char* real(const uint8_t* bytes, size_t size)
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
   return hex(bytes, size);
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
   Dwarf_Die       child;
   Dwarf_Attribute attr;
   Dwarf_Word      value;
   uint64_t        mask = size >= 8 ? UINT64_MAX
                          : (UINT64_C(1) << 8 * size) - 1;

   if (dwarf_child(type, &child) != 0)
      return NULL;
   do
      if (dwarf_tag(&child) == DW_TAG_enumerator
          && dwarf_formudata(dwarf_attr(&child, DW_AT_const_value, &attr),
                             &value) == 0
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
   Dwarf_Attribute attr;
   Dwarf_Word      encoding = DW_ATE_unsigned;
   const char*     name = NULL;
   int64_t         s = (int64_t)n;

   if (bits < 64 && (n >> (bits - 1) & 1))
      s = (int64_t)(n | UINT64_MAX << bits);
   if (dwarf_tag(bare) == DW_TAG_enumeration_type) {
      name = enumerator(bare, n, (bits + 7) / 8);
      return name != NULL ? text_format("%s", name)
             : text_format("%" PRId64, s);
   }
   dwarf_formudata(dwarf_attr(bare, DW_AT_encoding, &attr), &encoding);
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
static const char* string(Dwarf_Die* bare, const uint8_t* bytes, size_t size)
{
   Dwarf_Die       element;
   Dwarf_Attribute attr;
   Dwarf_Word      encoding = 0;
   size_t          n = 0;

   if (dwarf_tag(bare) != DW_TAG_array_type || !type_of(bare, &element))
      return NULL;
   element = type_bare(&element);
   dwarf_formudata(dwarf_attr(&element, DW_AT_encoding, &attr), &encoding);
   if (type_size(&element) != 1 || (encoding != DW_ATE_signed_char
                                    && encoding != DW_ATE_unsigned_char))
      return NULL;
   while (n < size && bytes[n] != 0) {
      if (!isprint(bytes[n]) || bytes[n] == '"' || bytes[n] == '\\')
         return NULL;
      n++;
   }
   return text_format("\"%.*s\"", (int)n, (const char*)bytes);
}

const char* variables_value(const VariableType* type, const uint8_t* bytes,
                            size_t size)
{
   Dwarf_Die       bare;
   Dwarf_Attribute attr;
   Dwarf_Word      encoding = 0;
   const char*     text;
   uint64_t        whole, n = 0;

   if (!type->known || size == 0)
      return hex(bytes, size);
   bare  = type_bare((Dwarf_Die*)&type->die);
   whole = type_size(&bare);
   if (is_aggregate(&bare) || dwarf_tag(&bare) == DW_TAG_array_type) {
      text = whole == size ? string(&bare, bytes, size) : NULL;
      return text != NULL ? text : "{...}";
   }
   if (whole > size || (whole == 0 && !is_pointer(&bare)))
      return hex(bytes, size);
   if (whole != 0)
      size = whole;
   if (is_pointer(&bare) || is_reference(&bare)
       || dwarf_tag(&bare) == DW_TAG_ptr_to_member_type)
      return hex(bytes, size);
   dwarf_formudata(dwarf_attr(&bare, DW_AT_encoding, &attr), &encoding);
   if (encoding == DW_ATE_float)
      return real(bytes, size);
   if (encoding == DW_ATE_complex_float)
      return "{...}";
   if (size > 8)
      return hex(bytes, size);
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
