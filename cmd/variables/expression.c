/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Expressions of the source that name a place. */

/* Owns: C's syntax of expressions that name a place, and their meaning at an
   instruction.  Handed: expressions; values, by readers of the trace. */

#include "cmd/variables/expression.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/variables/register_word.h"

#include <ctype.h>
#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32              // nested brackets, at most

/* Term: a part of an expression, and its place. */
typedef
   struct {
      const char* begin;        // in the expression, up to .end
      const char* end;
      Dwarf_Die   type;
      unsigned    dimensions;   // indices so far into .type, an array
      uint8_t     bit_first, bit_size;
      uint64_t    bits;         // bytes of a bit-field
      bool        absolute;     // at address .offset; else .offset bytes into
                                // these:
      int64_t       offset;
      VariablePlace places[MOST_PLACES];
      unsigned      n_places;
   }
   Term;

typedef
   struct {
      Variables*          v;
      uint32_t            instr;
      const Site*         site; // or NULL
      DebugImage*         image;        // image whose variables are being
                                        // searched
      const char*         text;
      const char*         at;
      const ObjectReader* reader;
      uint64_t            address_size;
      unsigned            deep;
      uint32_t            gone; // an image that has the name, but is not
                                // mapped; or DCFG_NONE
      const char*         why;  // the error, or NULL
   }
   Parse;

static bool expression(Parse* p, Term* t);

/* Note the error WHY.  Return false. */
static bool wrong(Parse* p, const char* why)
{
   if (p->why == NULL)
      p->why = why;
   return false;
}

static const char* words(const Term* t)
{
   return text_format("%.*s", (int)(t->end - t->begin), t->begin);
}

/* Return T's text, in brackets if an operator behind it would bind closer. */
static const char* enclosed(const Term* t)
{
   return *t->begin == '*' ? text_format("(%s)", words(t)) : words(t);
}

/*--- Values                                               ---*/

static uint64_t term_size(const Term* t)
{
   Dwarf_Die type = t->type;
   uint64_t  strides[MOST_DIMENSIONS];

   if (t->bit_size > 0)
      return t->bits;
   if (t->dimensions > 0 && t->dimensions
       < type_dimensions(&type, strides))
      return strides[t->dimensions - 1];
   return type_size(&type);
}

/* Set *O to the object that T names. */
static bool locate(Parse* p, const Term* t, VariableObject* o)
{
   VariableObject       base;
   uint64_t             size = term_size(t), value;
   const VariablePlace* at = NULL;
   int64_t              offset = t->offset;

   if (size == 0)
      size = p->address_size;
   *o = (VariableObject){ .form = OBJECT_MEMORY, .size = size,
                          .place = (uint64_t)offset,
                          .type = { true, t->type, t->bit_first,
                                    t->bit_size } };
   if (t->absolute)
      return true;
   for (unsigned i = 0; i < t->n_places && at == NULL; i++)
      if (t->places[i].size == 0
          || (offset >= (int64_t)t->places[i].part
              && (uint64_t)offset - t->places[i].part + size
                 <= t->places[i].size))
         at = &t->places[i];
   if (at == NULL)
      return wrong(p, text_format("`%s' is in several places; one of its "
                                  "members, registers or memory can be asked "
                                  "for", words(t)));
   offset  -= (int64_t)at->part;
   o->place = (uint64_t)(at->offset + offset);
   if (at->kind == PLACE_FRAME) {
      o->form = OBJECT_FRAME;
   } else if (at->kind == PLACE_REGISTER) {
      o->form  = OBJECT_REGISTER;
      o->place = at->reg;
   } else if (at->kind == PLACE_BASED) {
      base = (VariableObject){ .form = OBJECT_REGISTER, .place = at->reg,
                               .size = p->address_size };
      if (!p->reader->value(p->reader->arg, &base, &value))
         return wrong(p, text_format("where `%s' was is not known: it was "
                                     "told from a register whose value the "
                                     "trace does not have", words(t)));
      o->place += value;
      if (p->address_size == 4)
         o->place = (uint32_t)o->place;
   }
   return true;
}

/* Read the number that T, a pointer or integer, holds. */
static bool value_of(Parse* p, const Term* t, uint64_t* value)
{
   VariableObject o;

   if (!locate(p, t, &o))
      return false;
   if (o.size > 8 || t->bit_size > 0
       || !p->reader->value(p->reader->arg, &o, value))
      return wrong(p, text_format("the value of `%s' there is not known, which "
                                  "says where the memory is; ask with "
                                  "--of=ADDRESS,SIZE", words(t)));
   return true;
}

/*--- Terms                                                ---*/

static bool is_null(Parse* p, const Term* t, uint64_t value)
{
   return value != 0 ? false
          : !wrong(p, text_format("`%s' is a null pointer there: --of='%s' "
                                  "says why", words(t), words(t)));
}

/* Make T element N of the array to which pointer T points. */
static bool follow(Parse* p, Term* t, int64_t n)
{
   Dwarf_Die bare = type_defined(&t->type), target;
   uint64_t  value;

   if (!is_pointer(&bare) && !is_reference(&bare))
      return wrong(p, text_format("`%s' is no pointer", words(t)));
   if (!type_target(&bare, &target))
      return wrong(p, text_format("`%s' is no pointer to data", words(t)));
   if (!value_of(p, t, &value) || is_null(p, t, value))
      return false;
   if (n != 0 && type_size(&target) == 0)
      return wrong(p, text_format("the size of what `%s' points at is not "
                                  "known", words(t)));
   t->type       = target;
   t->dimensions = 0;
   t->absolute   = true;
   t->offset     = (int64_t)(value + (uint64_t)n * type_size(&target));
   return true;
}

static bool element(Parse* p, Term* t, int64_t n)
{
   Dwarf_Die bare = type_defined(&t->type);
   uint64_t  strides[MOST_DIMENSIONS];
   unsigned  k;

   if (dwarf_tag(&bare) != DW_TAG_array_type)
      return follow(p, t, n);
   k = type_dimensions(&bare, strides);
   if (k == 0 || strides[t->dimensions] == 0)
      return wrong(p, text_format("the size of elements of `%s' is not known",
                                  words(t)));
   t->offset += n * (int64_t)strides[t->dimensions++];
   t->type    = bare;
   if (t->dimensions < k)
      return true;
   t->dimensions = 0;
   return type_of(&bare, &t->type);
}

static void offer(void* arg, const char* name)
{
   nearest_offer(arg, name);
}

static bool member(Parse* p, Term* t, const char* name, bool arrow)
{
   Dwarf_Die  bare = type_defined(&t->type);
   TypeMember part;
   Nearest    n;

   if (arrow && dwarf_tag(&bare) == DW_TAG_array_type && t->dimensions == 0) {
      if (!element(p, t, 0))
         return false;
   } else if (arrow && is_aggregate(&bare)) {
      return wrong(p, text_format("`%s' is no pointer: --of='%s.%s'",
                                  words(t), enclosed(t), name));
   } else if (arrow && !follow(p, t, 0)) {
      return false;
   } else if (!arrow && is_pointer(&bare)) {
      return wrong(p, text_format("`%s' is a pointer: --of='%s->%s'",
                                  words(t), enclosed(t), name));
   }
   bare = type_defined(&t->type);
   if (!is_aggregate(&bare))
      return wrong(p, text_format("`%s' is no struct, class or union",
                                  words(t)));
   if (!type_member(&bare, name, &part)) {
      n = nearest_to(name);
      type_members(&bare, offer, &n);
      return wrong(p, text_format("`%s' has no member `%s'%s", words(t), name,
                                  nearest_text(&n)));
   }
   t->offset   += part.offset;
   t->type      = part.type;
   t->bit_first = part.bit_first;
   t->bit_size  = part.bit_size;
   t->bits      = part.size;
   bare         = type_bare(&t->type);
   if (!is_reference(&bare))
      return true;
   t->end = p->at;
   return follow(p, t, 0);
}

/*--- Names                                                ---*/

typedef
   struct {
      const char* name;
      bool        found, without;       // a variable was found; one without a
                                        // location
      Dwarf_Die   variable;
      Nearest*    nearest;
   }
   Lookup;

static bool is_it(void* arg, Dwarf_Die* variable)
{
   Lookup*         l = arg;
   const char*     name = dwarf_diename(variable);
   Dwarf_Attribute location;

   if (name == NULL || strcmp(name, l->name) != 0)
      return false;
   if (!l->without)
      l->variable = *variable;
   l->without = true;
   if (dwarf_attr_integrate(variable, DW_AT_location, &location) == NULL
       && dwarf_tag(variable) != DW_TAG_formal_parameter)
      return false;
   l->variable = *variable;
   l->found    = true;
   return true;
}

static bool offer_it(void* arg, Dwarf_Die* variable)
{
   Lookup* l = arg;

   if (dwarf_diename(variable) != NULL)
      nearest_offer(l->nearest, dwarf_diename(variable));
   return false;
}

/* Call TELL for all variables visible at the site, those of inner scopes first;
   with EVERYWHERE, those of other images, too. */
static bool each_variable(Parse* p, bool everywhere, TellVariable tell,
                          void* arg)
{
   DebugImage* own = site_image(p->v->sites, p->instr);

   p->image = NULL;
   if (p->site != NULL && site_variables(p->site, tell, arg))
      return true;
   p->image = own;
   for (int unit = 1; unit >= 0; unit--)
      if (own != NULL && image_statics(own, p->site, unit, tell, arg))
         return true;
   for (uint32_t k = 0; everywhere && k < site_images(p->v->sites); k++) {
      DebugImage* m = p->image = site_image_numbered(p->v->sites, k);
      if (m == NULL || m == own || !image_statics(m, NULL, false, tell, arg))
         continue;
      if (site_has_image(p->v->sites, k, p->reader->time(p->reader->arg)))
         return true;
      p->gone = k;
   }
   return false;
}

static const char* unknown_name(Parse* p, const char* name)
{
   const DcfgWetInstr in = *dcfg_wet_instr(p->v->w, p->instr);
   const Processor*   processor = processor_numbered(in.machine);
   Nearest            n = nearest_to(name);
   Lookup             l = { .nearest = &n };

   if (site_image(p->v->sites, p->instr) == NULL)
      return text_format("where the variable `%s' was cannot be told: %s",
                         name, site_why(p->v->sites, p->instr));
   if (p->site == NULL)
      return text_format("%s has no debug information for 0x%" PRIx64
                         ", where `%s' could be found",
                         text_clean(in.image_name), in.addr, name);
   if (p->gone != DCFG_NONE)
      return text_format("`%s' is a variable of %s, which is not known to be "
                         "loaded then", name, site_image_name(p->v->sites, p->gone));
   each_variable(p, false, offer_it, &l);
   for (unsigned i = 0; i < MAX_GENERAL && processor->general[i] != NULL; i++)
      nearest_offer(&n, processor->general[i]);
   nearest_offer(&n, "flags");
   if (processor->x87)
      nearest_offer(&n, "x87");
   return text_format("`%s' is no register, no memory, and no variable that "
                      "0x%" PRIx64 " knows%s", name, in.addr, nearest_text(&n));
}

static bool variable_term(Parse* p, Dwarf_Die* variable, Term* t)
{
   const char* why = "no code knows it";
   uint64_t    addr;
   Dwarf_Die   bare;

   if (!type_of(variable, &t->type))
      return wrong(p, text_format("the type of `%s' is not known", words(t)));
   if (p->image != NULL && static_address(p->image, variable, &addr)) {
      t->absolute = true;
      t->offset   = (int64_t)addr;
   } else if (p->site != NULL) {
      t->n_places = site_places(p->site, variable, t->places, &why);
   }
   if (!t->absolute && t->n_places == 0)
      return wrong(p, text_format("the variable `%s' is in no place at 0x%"
                                  PRIx64 ": %s", words(t),
                                  dcfg_wet_instr(p->v->w, p->instr)->addr,
                                  why));
   bare = type_bare(&t->type);
   return !is_reference(&bare) || follow(p, t, 0);
}

/* Make T the variable NAME; in a class, NAME may be a member of `this'. */
static bool name_term(Parse* p, const char* name, Term* t)
{
   Lookup     l = { .name = name }, self = { .name = "this" };
   TypeMember part;
   Term       it = *t;
   Dwarf_Die  bare, target;

   if (each_variable(p, true, is_it, &l) || (l.without && !l.found))
      return variable_term(p, &l.variable, t);
   if (p->site != NULL && site_variables(p->site, is_it, &self)
       && type_of(&self.variable, &it.type)) {
      bare = type_bare(&it.type);
      p->image = NULL;
      if (type_target(&bare, &target) && type_member(&target, name, &part)
          && variable_term(p, &self.variable, &it)
          && member(p, &it, name, true)) {
         *t = it;
         return true;
      }
   }
   return wrong(p, unknown_name(p, name));
}

/*--- Syntax                                               ---*/

static bool is_letter(char c)
{
   return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_spaces(Parse* p)
{
   while (*p->at == ' ')
      p->at++;
}

/* If C is next, skip it and return true. */
static bool next_is(Parse* p, const char* c)
{
   size_t n = strlen(c);

   skip_spaces(p);
   if (strncmp(p->at, c, n) != 0)
      return false;
   p->at += n;
   return true;
}

static bool unexpected(Parse* p)
{
   if (*p->at == 0)
      return wrong(p, text_format("`%s' ends too early", p->text));
   return wrong(p, text_format("`%s' cannot go on with `%s': names, `.', "
                               "`->', `[N]' and `*' can", p->text, p->at));
}

/* Read the next name; NULL if none is next. */
static const char* next_name(Parse* p)
{
   const char* begin;

   skip_spaces(p);
   begin = p->at;
   if (isdigit((unsigned char)*begin))
      return NULL;
   while (is_letter(*p->at))
      p->at++;
   return p->at == begin ? NULL
          : text_format("%.*s", (int)(p->at - begin), begin);
}

static bool primary(Parse* p, Term* t)
{
   const char* name;

   skip_spaces(p);
   *t = (Term){ .begin = p->at };
   if (next_is(p, "(")) {
      const char* begin = t->begin;
      if (!expression(p, t) || !next_is(p, ")"))
         return unexpected(p);
      t->begin = begin;
      t->end   = p->at;
      return true;
   }
   name = next_name(p);
   if (name == NULL)
      return unexpected(p);
   t->end = p->at;
   return name_term(p, name, t);
}

/* Read the integer between brackets: a number, or an expression. */
static bool index_number(Parse* p, int64_t* n)
{
   VariableObject o;
   Dwarf_Die      bare;
   Term           t;
   char*          end;
   uint64_t       value;

   skip_spaces(p);
   *n = strtoll(p->at, &end, 0);
   if (end != p->at) {
      p->at = end;
   } else {
      if (!expression(p, &t))
         return false;
      bare = type_bare(&t.type);
      if (!is_integer(&bare))
         return wrong(p, text_format("`%s' is no integer", words(&t)));
      if (!value_of(p, &t, &value) || !locate(p, &t, &o))
         return false;
      *n = o.size == 4 ? (int32_t)value : o.size == 2 ? (int16_t)value
           : o.size == 1 ? (int8_t)value : (int64_t)value;
   }
   if (*n > INT32_MAX || *n < INT32_MIN)
      return wrong(p, text_format("%" PRId64 " is no index", *n));
   return next_is(p, "]") || unexpected(p);
}

static bool postfix(Parse* p, Term* t)
{
   if (!primary(p, t))
      return false;
   for (;;) {
      const char* name;
      int64_t     n;
      bool        arrow = next_is(p, "->");
      if (arrow || next_is(p, ".")) {
         name = next_name(p);
         if (name == NULL)
            return unexpected(p);
         if (!member(p, t, name, arrow))
            return false;
      } else if (next_is(p, "[")) {
         if (!index_number(p, &n) || !element(p, t, n))
            return false;
      } else {
         return true;
      }
      t->end = p->at;
   }
}

static bool expression(Parse* p, Term* t)
{
   const char* begin;
   bool        good;

   skip_spaces(p);
   begin = p->at;
   if (p->deep == DEEPEST)
      return wrong(p, text_format("`%s' has too many brackets", p->text));
   p->deep++;
   if (next_is(p, "*")) {
      good     = expression(p, t) && element(p, t, 0);
      t->begin = begin;
      t->end   = p->at;
   } else {
      good = postfix(p, t);
   }
   p->deep--;
   return good;
}

const char* expression_resolve(Variables* v, uint32_t instr,
                               const char* expression_text,
                               const ObjectReader* r, VariableObject* o)
{
   const DcfgWetInstr in = *dcfg_wet_instr(v->w, instr);
   Parse p = { .v = v, .instr = instr, .text = expression_text,
               .at = expression_text, .reader = r, .gone = DCFG_NONE,
               .site = site_at(v->sites, instr, in.addr),
               .address_size = in.address_size };
   Term  t;

   if (!expression(&p, &t))
      return p.why;
   skip_spaces(&p);
   if (*p.at != 0) {
      unexpected(&p);
      return p.why;
   }
   return locate(&p, &t, o) ? NULL : p.why;
}

/*--- Initial data                                         ---*/

bool variables_initial(Variables* v, uint64_t addr, uint64_t t, uint8_t* bytes,
                       size_t size)
{
   DebugImage* m = site_image_at(v->sites, addr, t);
   GElf_Addr   bias;
   Elf*        elf = m == NULL ? NULL : dwfl_module_getelf(m->module, &bias);
   size_t      n, length;
   const char* raw = elf == NULL ? NULL : elf_rawfile(elf, &length);

   if (raw == NULL || elf_getphdrnum(elf, &n) != 0)
      return false;
   for (size_t i = 0; i < n; i++) {
      GElf_Phdr h;
      uint64_t  at;
      if (gelf_getphdr(elf, (int)i, &h) == NULL || h.p_type != PT_LOAD
          || h.p_offset > length || h.p_filesz > length - h.p_offset)
         continue;
      at = addr - bias - h.p_vaddr;
      if (at >= h.p_memsz || size > h.p_memsz - at)
         continue;
      for (size_t k = 0; k < size; k++)
         bytes[k] = at + k < h.p_filesz ? (uint8_t)raw[h.p_offset + at + k] : 0;
      return true;
   }
   return false;
}
