/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's names for places, values and code. */

/* Owns: the way from registers and addresses to variables; C's syntax of
   expressions that name a place, and their meaning at an instruction; lines,
   functions and frames of code that perhaps did not run.  Handed:
   instructions of a whole execution trace, sites, expressions.

   Debug information says which variable is in a register.  If it does not,
   as without optimization, the code here reads the instructions before,
   backward, as far as they are straight-line code.  These loaded the
   register from a variable, and computed with it. */

#include "cmd/program/variables.h"

#include "cmd/base/names.h"
#include "cmd/machine/processor.h"
#include "cmd/program/elf_file.h"

#include <ctype.h>
#include <dwarf.h>

typedef
   enum {
      WORD_UNKNOWN,
      WORD_VALUE,               // the value of the place that .phrase names
      WORD_ADDRESS              // the address of that place
   }
   WordKind;

/* Word: an expression for the number in a register.  An integer is .times *
   value + .offset.  An address, or a pointer's value, is that address + .offset
   + .step * .index. */
typedef
   struct {
      WordKind  kind;
      Phrase    phrase;
      Dwarf_Die type;           // type of the place
      int64_t   times, offset;
      bool      indexed;
      char      index[64];
      int64_t   step;           // bytes; 0: not known
   }
   Word;

#define FARTHEST 40             // instructions back, for one register
#define MOST_WORDS 48           // searches of words for one word, at most

enum { MARK_SEEN = 1, MARK_JOIN = 2 };

static Word word_before(TraceProgram* r, uint32_t instr, unsigned reg,
                        bool behind);
static Word operand_word(TraceProgram* r, uint32_t instr, const MemoryOperand* m);

/*--- Computing with words                                 ---*/

static const Word unknown = { .kind = WORD_UNKNOWN };

/* Return whether A is an address, or a pointer's value. */
static bool leads_on(const Word* a)
{
   Dwarf_Die type = a->type;
   Dwarf_Die bare;

   if (a->kind != WORD_VALUE)
      return a->kind == WORD_ADDRESS;
   bare = type_bare(&type);
   return is_pointer(&bare) || is_reference(&bare);
}

static bool is_plain_number(const Word* a)
{
   Dwarf_Die type = a->type;
   Dwarf_Die bare;

   if (a->kind != WORD_VALUE || a->indexed)
      return false;
   bare = type_bare(&type);
   return is_integer(&bare);
}

static Word word_times(Word a, int64_t n)
{
   if (n == 1)
      return a;
   if (!is_plain_number(&a) || n <= 0 || n > 1 << 20 || a.times > 1 << 20
       || a.offset > 1 << 30 || a.offset < -(1 << 30))
      return unknown;
   a.times  *= n;
   a.offset *= n;
   return a;
}

static Word word_plus(Word a, int64_t n)
{
   if (n > INT32_MAX || n < INT32_MIN || a.offset > INT64_MAX / 2
       || a.offset < INT64_MIN / 2)
      return unknown;
   a.offset += n;
   return a;
}

static Word word_sum(const Word* a, const Word* b)
{
   Word sum;

   if (!leads_on(a) && leads_on(b))
      return word_sum(b, a);
   if (leads_on(a) && leads_on(b))
      return unknown;
   sum = *a;
   if (leads_on(a)) {
      size_t length = strlen(b->phrase.text);
      bool   simple = is_plain_number(b) && !a->indexed
                      && length < sizeof(sum.index);
      sum.indexed = true;
      sum.step    = simple ? b->times : 0;
      memcpy(sum.index, simple ? b->phrase.text : "...",
             simple ? length + 1 : 4);
      return simple ? word_plus(sum, b->offset) : sum;
   }
   if (!is_plain_number(a) || !is_plain_number(b)
       || strcmp(a->phrase.text, b->phrase.text) != 0)
      return unknown;
   sum.times += b->times;
   return word_plus(sum, b->offset);
}

/* Name the SIZE bytes at address A; *OF gets their type.  Return false if the
   name is not known. */
static bool word_target(const Word* a, uint64_t size, Phrase* p, VariableType* of)
{
   Dwarf_Die   type = a->type;
   Dwarf_Die   bare;
   const char* index = a->indexed ? a->index : NULL;

   *p = a->phrase;
   if (!leads_on(a))
      return false;
   if (a->kind == WORD_ADDRESS)
      return index == NULL ? phrase_part(p, &type, a->offset, size, of)
             : phrase_element(p, &type, a->offset, index, a->step, size, of);
   bare = type_bare(&type);
   return phrase_target(p, &bare, a->offset, index, a->step, size, of);
}

/*--- Variables                                            ---*/

/* Search: for the variable at a place. */
typedef
   struct {
      const Site*   site;
      VariablePlace wanted;     // its .offset, or .reg
      Dwarf_Die     variable, type;
      int64_t       part;       // offset of the wanted bytes in the variable
      uint64_t      size;       // bytes of it at the place; 0: all
   }
   Search;

static bool is_at(const Search* f, const VariablePlace* p, uint64_t whole)
{
   uint64_t size = p->size != 0 ? p->size : whole;
   int64_t  at = f->wanted.offset - p->offset;

   if (p->kind != f->wanted.kind)
      return false;
   if (p->kind == PLACE_REGISTER)
      return p->reg == f->wanted.reg;
   return (p->kind != PLACE_BASED || p->reg == f->wanted.reg) && at >= 0
          && (uint64_t)at < size;
}

static bool try_variable(void* arg, Dwarf_Die* variable)
{
   Search*       f = arg;
   VariablePlace places[MOST_PLACES];
   unsigned      n = site_places(f->site, variable, places, NULL);

   if (n == 0 || dwarf_diename(variable) == NULL
       || !type_of(variable, &f->type))
      return false;
   for (unsigned i = 0; i < n; i++)
      if (is_at(f, &places[i], type_size(&f->type))) {
         f->variable = *variable;
         f->part     = (int64_t)places[i].part;
         f->size     = places[i].size;
         if (places[i].kind != PLACE_REGISTER)
            f->part += f->wanted.offset - places[i].offset;
         return true;
      }
   return false;
}

static bool search(Search* f)
{
   return site_variables(f->site, try_variable, f);
}

/* Return a variable's name; for a reference's own PLACE, "&" and the name. */
static Phrase name_of(Dwarf_Die* variable, bool place)
{
   Phrase    p = { .full = false };
   Dwarf_Die type, bare;

   phrase_add(&p, "%s", dwarf_diename(variable));
   if (place && type_of(variable, &type)) {
      bare = type_bare(&type);
      if (is_reference(&bare))
         phrase_prefix(&p, "&");
   }
   return p;
}

static Word address_of(Dwarf_Die* variable, Dwarf_Die* type, int64_t part)
{
   return (Word){ .kind = WORD_ADDRESS, .phrase = name_of(variable, true),
                  .type = *type, .times = 1, .offset = part };
}

/* Return the variable in register REG at S. */
static Word register_variable(const Site* s, unsigned reg)
{
   Search       f = { .site = s,
                      .wanted = { .kind = PLACE_REGISTER, .reg = reg } };
   VariableType of;
   Phrase       p;

   if (!search(&f))
      return unknown;
   p = name_of(&f.variable, false);
   if (f.size > 0) {
      if (!phrase_part(&p, &f.type, f.part, f.size, &of))
         return unknown;
      phrase_bytes(&p, &of, f.size);
      f.type = of.die;
   }
   return (Word){ .kind = WORD_VALUE, .phrase = p, .times = 1, .type = f.type };
}

/*--- Going back                                           ---*/

/* Return the number of the instruction at ADDR, from FIRST on; LAST + 1 if
   there is none up to LAST. */
static uint32_t instr_at(DcfgWet* w, uint32_t first, uint32_t last,
                         uint64_t addr)
{
   uint32_t low = first;

   BISECT(low, last + 1, middle, dcfg_wet_instr(w, middle)->addr < addr);
   return low <= last && dcfg_wet_instr(w, low)->addr == addr ? low : last + 1;
}

static bool same_function(DcfgWet* w, uint32_t a, uint32_t b)
{
   const DcfgWetInstr x = *dcfg_wet_instr(w, a);
   const DcfgWetInstr y = *dcfg_wet_instr(w, b);

   return x.image == y.image && x.function != NULL && y.function != NULL
          && strcmp(x.function, y.function) == 0;
}

/* Mark targets of jumps in the function of INSTR. */
static void find_joins(TraceProgram* r, uint32_t instr)
{
   uint32_t first = instr, last = instr, n = dcfg_wet_instrs(r->w);

   while (first > 0 && same_function(r->w, first - 1, instr))
      first--;
   while (last + 1 < n && same_function(r->w, last + 1, instr))
      last++;
   for (uint32_t i = first; i <= last; i++) {
      InstrEffect e;
      uint32_t    to;
      r->marks[i] |= MARK_SEEN;
      if (!instr_effect(dcfg_wet_instr(r->w, i), &e) || !e.direct)
         continue;
      to = instr_at(r->w, first, last, e.target);
      if (to <= last)
         r->marks[to] |= MARK_JOIN;
   }
}

/* Return whether control comes to INSTR only from the instruction before it.
   *E gets that one's effect. */
static bool comes_from_before(TraceProgram* r, uint32_t instr, InstrEffect* e)
{
   const DcfgWetInstr in = *dcfg_wet_instr(r->w, instr);
   DcfgWetInstr       before;

   if (instr == 0)
      return false;
   if (!(r->marks[instr] & MARK_SEEN))
      find_joins(r, instr);
   before = *dcfg_wet_instr(r->w, instr - 1);
   return !(r->marks[instr] & MARK_JOIN) && before.image == in.image
          && before.addr + before.size == in.addr
          && same_function(r->w, instr - 1, instr)
          && instr_effect(&before, e);
}

/* Return the word for the value that INSTR, with effect E, puts into register
   E->to. */
static Word word_made(TraceProgram* r, uint32_t instr, const InstrEffect* e)
{
   VariableType of;
   Word         a, b;

   switch (e->kind) {
      case EFFECT_COPY:
         return word_before(r, instr, e->from, false);
      case EFFECT_LOAD:
         a = operand_word(r, instr, &e->memory[0]);
         b = (Word){ .kind = WORD_VALUE, .times = 1 };
         if (e->n_memory != 1
             || !word_target(&a, e->memory[0].size, &b.phrase, &of)
             || of.bit_size > 0)
            return unknown;
         phrase_bytes(&b.phrase, &of, e->memory[0].size);
         /* A reference's own place is "&r", and the value in it leads to r. */
         if (b.phrase.text[0] == '&') {
            memmove(b.phrase.text, b.phrase.text + 1, strlen(b.phrase.text));
            b.phrase.prefixed = false;
         }
         b.type = of.die;
         return b;
      case EFFECT_ADDRESS:
         return e->n_memory == 1 ? operand_word(r, instr, &e->memory[0])
                : unknown;
      case EFFECT_ADD:
         a = word_before(r, instr, e->to, false);
         b = word_before(r, instr, e->from, false);
         return word_sum(&a, &b);
      case EFFECT_ADD_NUMBER:
         return word_plus(word_before(r, instr, e->to, false), e->number);
      case EFFECT_TIMES:
         return word_times(word_before(r, instr, e->from, false),
                           e->number);
      default:
         return unknown;
   }
}

static Word word_before(TraceProgram* r, uint32_t instr, unsigned reg,
                        bool behind)
{
   const DcfgWetInstr in = *dcfg_wet_instr(r->w, instr);
   const Processor*   p = processor_numbered(in.machine);
   Word               found = unknown;
   InstrEffect        e;
   const Site*        s;

   if (r->left == 0 || reg == NO_REGISTER)
      return unknown;
   r->left--;
   s = site_at(r, instr, in.addr + (behind ? in.size : 0));
   if (s == NULL)
      return unknown;
   found = register_variable(s, reg);
   if (found.kind != WORD_UNKNOWN || reg >= MAX_GENERAL || reg == p->stack)
      return found;
   if (behind && !instr_effect(&in, &e))
      return unknown;
   for (unsigned far = 0; far < FARTHEST; far++) {
      if (!behind && !comes_from_before(r, instr--, &e))
         return unknown;
      behind = false;
      /* A call keeps some registers. */
      if (e.flow && !e.falls
          && !(e.on_stack && e.direct && (p->kept >> reg & 1)))
         return unknown;
      if (e.written >> reg & 1)
         return e.to == reg ? word_made(r, instr, &e) : unknown;
   }
   return unknown;
}

/* Return the word for the value of register REG just before instruction INSTR,
   or just BEHIND it. */
static Word register_word(TraceProgram* r, uint32_t instr, unsigned reg, bool behind)
{
   r->left = MOST_WORDS;
   return word_before(r, instr, reg, behind);
}

/*--- Addresses                                            ---*/

/* Return the variable at M's address, without M's index. */
static Word variable_address(TraceProgram* r, uint32_t instr,
                             const MemoryOperand* m)
{
   Search        f;
   DebugImage*   image;
   Word          found = unknown;
   VariablePlace at = { .kind = PLACE_BASED, .reg = m->base,
                        .offset = m->disp };

   if (m->fixed || m->base == NO_REGISTER) {
      image = debug_image(r, instr);
      if (image != NULL
          && static_at(image, (uint64_t)m->disp, &f.variable, &f.part)
          && dwarf_diename(&f.variable) != NULL
          && type_of(&f.variable, &f.type))
         return address_of(&f.variable, &f.type, f.part);
      return unknown;
   }
   for (int behind = 0; behind < 2 && found.kind == WORD_UNKNOWN; behind++) {
      const DcfgWetInstr in = *dcfg_wet_instr(r->w, instr);
      f.site = site_at(r, instr, in.addr + (behind ? in.size : 0));
      if (f.site == NULL)
         return unknown;
      f.wanted = site_settled(f.site, at);
      if (search(&f))
         found = address_of(&f.variable, &f.type, f.part);
   }
   return found;
}

static Word operand_word(TraceProgram* r, uint32_t instr, const MemoryOperand* m)
{
   Word a, b;

   if (m->segment)
      return unknown;
   a = variable_address(r, instr, m);
   if (a.kind == WORD_UNKNOWN && !m->fixed && m->base != NO_REGISTER)
      a = word_plus(word_before(r, instr, m->base, false), m->disp);
   if (m->index != NO_REGISTER) {
      b = word_times(word_before(r, instr, m->index, false), m->scale);
      a = word_sum(&a, &b);
   }
   return a;
}

/* Return the word for the address of operand M of INSTR. */
static Word address_word(TraceProgram* r, uint32_t instr, const MemoryOperand* m)
{
   r->left = MOST_WORDS;
   return operand_word(r, instr, m);
}

const char* variables_name_register(TraceProgram* v, uint32_t instr, unsigned reg,
                                    bool behind, VariableType* type)
{
   Word         a = register_word(v, instr, reg, behind);
   Phrase       p;
   VariableType of;

   *type = (VariableType){ .known = false };
   if (a.kind == WORD_VALUE && a.offset == 0 && a.times == 1 && !a.indexed) {
      *type = (VariableType){ .known = true, .die = a.type };
      return text_format("%s", a.phrase.text);
   }
   if (a.kind == WORD_ADDRESS && word_target(&a, 1, &p, &of)) {
      phrase_prefix(&p, "&");
      return text_format("%s", p.text);
   }
   return NULL;
}

/* Name the variable with a fixed address that has the SIZE bytes at ADDR at time
   T. */
static bool static_phrase(TraceProgram* v, uint32_t instr, uint64_t addr,
                          uint64_t t, uint64_t size, Phrase* p,
                          VariableType* of)
{
   DebugImage* m = debug_image(v, instr);
   Dwarf_Die   variable, type;
   int64_t     offset;

   if (m == NULL || addr < m->low || addr >= m->high)
      m = debug_image_at(v, addr, t);
   if (m == NULL || !static_at(m, addr, &variable, &offset)
       || dwarf_diename(&variable) == NULL || !type_of(&variable, &type))
      return false;
   *p = (Phrase){ .full = false };
   phrase_add(p, "%s", dwarf_diename(&variable));
   return phrase_part(p, &type, offset, size, of);
}

const char* variables_name_memory(TraceProgram* v, uint32_t instr, uint32_t access,
                                  uint64_t addr, uint64_t t, VariableType* type)
{
   const DcfgWetInstr   in = *dcfg_wet_instr(v->w, instr);
   const MemoryOperand* m;
   InstrEffect          e;
   Word                 a;
   Phrase               p = { .full = false };
   bool                 found = false;

   *type = (VariableType){ .known = false };
   if (!instr_effect(&in, &e)
       || (m = accessed_operand(&in, &e, access)) == NULL)
      return NULL;
   a = address_word(v, instr, m);
   if (a.kind != WORD_UNKNOWN && !(a.kind == WORD_ADDRESS && a.indexed))
      found = word_target(&a, m->size, &p, type);
   if (!found && addr != 0)
      found = static_phrase(v, instr, addr, t, m->size, &p, type);
   if (!found && a.indexed)
      found = word_target(&a, m->size, &p, type);
   if (found)
      phrase_bytes(&p, type, m->size);
   if (!found || p.full) {
      type->known = false;
      return NULL;
   }
   return text_format("%s", p.text);
}

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
      TraceProgram*       v;
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

   if (t->bit_size > 0)
      return t->bits;
   return t->dimensions > 0
          ? type_dimensions(&type).strides[t->dimensions - 1] : type_size(&type);
}

/* Return whether the code at S is Go's, which moves its stacks. */
static bool has_moving_stacks(const Site* s)
{
   Dwarf_Die unit = s->unit;

   return dwarf_srclang(&unit) == DW_LANG_Go;
}

/* Set *O to the object that T names. */
static bool locate(Parse* p, const Term* t, VariableObject* o)
{
   VariableObject       base;
   uint64_t             size = term_size(t), value;
   const VariablePlace* at = NULL;
   int64_t              offset = t->offset;
   Dwarf_Die            type = t->type;

   if (t->dimensions > 0 && type_dimensions(&type).columns)
      return wrong(p, text_format("`%s' needs %u indices", words(t),
                                  type_dimensions(&type).n));
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
   if (at->kind == PLACE_FRAME && has_moving_stacks(p->site))
      return wrong(p, text_format("`%s' is on a stack that Go may have moved: "
                                  "`print &%s' of dcfg gdb tells its address, "
                                  "for --of=ADDRESS,SIZE", words(t), words(t)));
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

/* Make T its element *N, or the first one if N is NULL. */
static bool element(Parse* p, Term* t, const int64_t* n)
{
   Dwarf_Die  bare = type_defined(&t->type);
   unsigned   k = t->dimensions;
   Dimensions d;

   if (dwarf_tag(&bare) != DW_TAG_array_type)
      return follow(p, t, n == NULL ? 0 : *n);
   d = type_dimensions(&bare);
   if (d.n == 0 || d.strides[k] == 0)
      return wrong(p, text_format("the size of elements of `%s' is not known",
                                  words(t)));
   t->offset    += n == NULL ? 0 : (*n - d.low[k]) * (int64_t)d.strides[k];
   t->dimensions = k + 1;
   t->type       = bare;
   if (t->dimensions < d.n)
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
      if (!element(p, t, NULL))
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

/* Names: names of variables, as a list. */
typedef
   struct {
      Phrase   p;
      unsigned n;
   }
   Names;

#define MOST_NAMES 6            // names that a message lists

/* Add VARIABLE to ARG, Names, unless it is there. */
static bool list_it(void* arg, Dwarf_Die* variable)
{
   Names*      all = arg;
   const char* name = dwarf_diename(variable);
   const char* at = name == NULL ? NULL : strstr(all->p.text, name);
   size_t      size = name == NULL ? 0 : strlen(name);

   while (at != NULL && ((at > all->p.text && at[-1] != ' ')
                         || strchr(",", at[size]) == NULL))
      at = strstr(at + 1, name);
   if (name == NULL || at != NULL)
      return false;
   phrase_add(&all->p, "%s%s", all->n == 0 ? "" : ", ", name);
   return ++all->n >= MOST_NAMES;
}

/* Call TELL for all variables visible at the site, those of inner scopes first;
   with EVERYWHERE, those of other images, too. */
static bool each_variable(Parse* p, bool everywhere, TellVariable tell,
                          void* arg)
{
   DebugImage* own = debug_image(p->v, p->instr);

   p->image = NULL;
   if (p->site != NULL && site_variables(p->site, tell, arg))
      return true;
   p->image = own;
   for (int unit = 1; unit >= 0; unit--)
      if (own != NULL && image_statics(own, p->site, unit, tell, arg))
         return true;
   for (uint32_t k = 0; everywhere && k < p->v->n_images; k++) {
      DebugImage* m = p->image = debug_image_numbered(p->v, k);
      if (m == NULL || m == own || !image_statics(m, NULL, false, tell, arg))
         continue;
      if (image_is_mapped(p->v->times, m->first,
                          p->reader->time(p->reader->arg)))
         return true;
      p->gone = k;
   }
   return false;
}

/* Return the line of IN, as "price.c:21"; without one, its address. */
static const char* place_of(const DcfgWetInstr* in)
{
   return in->line == 0 ? text_format("0x%" PRIx64, in->addr)
          : text_clean(text_format("%s:%" PRIu32, text_base(in->source),
                                   in->line));
}

static const char* unknown_name(Parse* p, const char* name)
{
   const DcfgWetInstr in = *dcfg_wet_instr(p->v->w, p->instr);
   const Processor*   processor = processor_numbered(in.machine);
   Nearest            n = nearest_to(name);
   Lookup             l = { .nearest = &n };
   Names              known = { .n = 0 };
   const char*        near;

   if (debug_image(p->v, p->instr) == NULL)
      return text_format("where the variable `%s' was cannot be told: %s",
                         name, p->v->images[in.image].why);
   if (p->site == NULL)
      return text_format("%s has no debug information for 0x%" PRIx64
                         ", where `%s' could be found",
                         text_clean(in.image_name), in.addr, name);
   if (p->gone != DCFG_NONE)
      return text_format("`%s' is a variable of %s, which is not known to be "
                         "loaded then", name,
                         text_clean(dcfg_wet_instr(
                            p->v->w, p->v->images[p->gone].first)->image_name));
   each_variable(p, false, offer_it, &l);
   for (unsigned i = 0; i < MAX_GENERAL && processor->general[i] != NULL; i++)
      nearest_offer(&n, processor->general[i]);
   nearest_offer(&n, "flags");
   if (processor->x87)
      nearest_offer(&n, "x87");
   near = nearest_text(&n);
   if (near[0] == 0)
      each_variable(p, false, list_it, &known);
   return text_format("`%s' is no register, no memory, and no variable that %s "
                      "knows%s%s", name, place_of(&in), near,
                      known.n == 0 ? "" : text_format("; it knows %s%s",
                                                      known.p.text,
                                                      known.n == MOST_NAMES
                                                      ? ", ..." : ""));
}

static bool variable_term(Parse* p, Dwarf_Die* variable, Term* t)
{
   const char* why = "no code knows it";
   uint64_t    addr;
   Dwarf_Die   bare;
   const DcfgWetInstr in = *dcfg_wet_instr(p->v->w, p->instr);

   if (!type_of(variable, &t->type))
      return wrong(p, text_format("the type of `%s' is not known", words(t)));
   if (p->image != NULL && static_address(p->image, variable, &addr)) {
      t->absolute = true;
      t->offset   = (int64_t)addr;
   } else if (p->site != NULL) {
      t->n_places = site_places(p->site, variable, t->places, &why);
   }
   if (!t->absolute && t->n_places == 0)
      return wrong(p, text_format("the variable `%s' is in no place at %s: %s",
                                  words(t), place_of(&in), why));
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
         if (!index_number(p, &n) || !element(p, t, &n))
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
      good     = expression(p, t) && element(p, t, NULL);
      t->begin = begin;
      t->end   = p->at;
   } else {
      good = postfix(p, t);
   }
   p->deep--;
   return good;
}

const char* expression_resolve(TraceProgram* v, uint32_t instr,
                               const char* expression_text,
                               const ObjectReader* r, VariableObject* o)
{
   const DcfgWetInstr in = *dcfg_wet_instr(v->w, instr);
   Parse p = { .v = v, .instr = instr, .text = expression_text,
               .at = expression_text, .reader = r, .gone = DCFG_NONE,
               .site = site_at(v, instr, in.addr),
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

bool variables_initial(TraceProgram* v, uint64_t addr, uint64_t t, uint8_t* bytes,
                       size_t size)
{
   DebugImage* m = debug_image_at(v, addr, t);
   GElf_Addr   bias;
   Elf*        elf = m == NULL ? NULL : dwfl_module_getelf(m->module, &bias);
   size_t      length;
   const char* raw = elf == NULL ? NULL : elf_rawfile(elf, &length);
   GElf_Phdr   h;

   for (size_t i = 0; raw != NULL && next_header(elf, PT_LOAD, &i, &h); ) {
      uint64_t at = addr - bias - h.p_vaddr;
      if (h.p_offset > length || h.p_filesz > length - h.p_offset)
         continue;
      if (at >= h.p_memsz || size > h.p_memsz - at)
         continue;
      for (size_t k = 0; k < size; k++)
         bytes[k] = at + k < h.p_filesz ? (uint8_t)raw[h.p_offset + at + k] : 0;
      return true;
   }
   return false;
}

uint32_t code_line(TraceProgram* v, uint32_t instr, uint64_t addr,
                   const char** source)
{
   DebugImage* m = debug_image(v, instr);
   Dwarf_Addr  bias;
   Dwarf_Die*  unit = m == NULL ? NULL : debug_unit(m, addr, &bias);
   Dwarf_Line* at = unit == NULL ? NULL : dwarf_getsrc_die(unit, addr - bias);
   int         line = 0;

   *source = at == NULL || dwarf_lineno(at, &line) != 0 || line <= 0 ? NULL
             : dwarf_linesrc(at, NULL, NULL);
   return *source == NULL ? 0 : (uint32_t)line;
}

const char* code_function(TraceProgram* v, uint32_t instr, uint64_t addr,
                          uint64_t* begin)
{
   DebugImage* m = debug_image(v, instr);
   GElf_Sym    sym;
   GElf_Off    offset;
   const char* name = m == NULL ? NULL
                      : dwfl_module_addrinfo(m->module, addr, &offset, &sym,
                                             NULL, NULL, NULL);

   if (name == NULL || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
      return NULL;
   *begin = addr - offset;
   return name;
}

const char* code_called(TraceProgram* v, uint32_t instr, uint64_t addr,
                        const uint8_t* code, size_t size)
{
   DebugImage* m = debug_image(v, instr);
   GElf_Addr   bias;
   Elf*        elf = m == NULL ? NULL : dwfl_module_getelf(m->module, &bias);

   if (elf == NULL)
      return NULL;
   if (m->stubs == NULL)
      m->stubs = stubs_new(elf);
   return stubs_name(m->stubs, code, size, addr - bias);
}

bool code_frame(TraceProgram* v, uint32_t instr, uint64_t addr, unsigned* reg,
                int64_t* offset)
{
   DebugImage*      m = debug_image(v, instr);
   const Processor* p = processor_numbered(dcfg_wet_instr(v->w, instr)->machine);

   return m != NULL && frame_rule(m, p, addr, reg, offset);
}

bool code_variable(TraceProgram* v, uint64_t addr, uint64_t t, uint64_t* low,
                   uint64_t* high)
{
   DebugImage* m = debug_image_at(v, addr, t);
   Dwarf_Die   variable, type;
   int64_t     offset;

   if (m == NULL || !static_at(m, addr, &variable, &offset)
       || !type_of(&variable, &type))
      return false;
   *low  = addr - (uint64_t)offset;
   *high = *low + type_size(&type);
   return true;
}

void code_functions(TraceProgram* v, uint32_t instr,
                    void (*tell)(void* arg, uint64_t addr), void* arg)
{
   DebugImage* m = debug_image(v, instr);
   int         n = m == NULL ? 0 : dwfl_module_getsymtab(m->module);

   for (int i = 0; i < n; i++) {
      GElf_Sym  sym;
      GElf_Addr addr;
      if (dwfl_module_getsym_info(m->module, i, &sym, &addr, NULL, NULL, NULL)
             != NULL
          && GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size > 0)
         tell(arg, addr);
   }
}
