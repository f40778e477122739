/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Words of the source for the values of registers. */

/* Owns: the way from registers and addresses to variables.  Handed:
   instructions of a whole execution trace, sites.

   Debug information says which variable is in a register.  If it does not, as
   without optimization, the code here reads the instructions before, backward,
   as far as they are straight-line code.  These loaded the register from a
   variable, and computed with it. */

#include "cmd/program/register_word.h"

#include "cmd/base/cmd.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#define FARTHEST 40             // instructions back, for one register
#define MOST_WORDS 48           // searches of words for one word, at most

enum { MARK_SEEN = 1, MARK_JOIN = 2 };

static Word word_before(WordReader* r, uint32_t instr, unsigned reg,
                        bool behind);
static Word operand_word(WordReader* r, uint32_t instr, const MemoryOperand* m);

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

static bool is_number(const Word* a)
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
   if (!is_number(&a) || n <= 0 || n > 1 << 20 || a.times > 1 << 20
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
      bool   simple = is_number(b) && !a->indexed
                      && length < sizeof(sum.index);
      sum.indexed = true;
      sum.step    = simple ? b->times : 0;
      memcpy(sum.index, simple ? b->phrase.text : "...",
             simple ? length + 1 : 4);
      return simple ? word_plus(sum, b->offset) : sum;
   }
   if (!is_number(a) || !is_number(b)
       || strcmp(a->phrase.text, b->phrase.text) != 0)
      return unknown;
   sum.times += b->times;
   return word_plus(sum, b->offset);
}

bool word_target(const Word* a, uint64_t size, Phrase* p, VariableType* of)
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
      uint64_t      size;
      bool          found;
      Dwarf_Die     variable, type;
      int64_t       part;       // offset of the wanted bytes in the variable
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
          && (uint64_t)at < size && f->size <= size - (uint64_t)at;
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
         if (places[i].kind != PLACE_REGISTER)
            f->part += f->wanted.offset - places[i].offset;
         f->found = true;
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

bool frame_phrase(const Site* s, int64_t offset, uint64_t size, Phrase* p,
                  VariableType* of)
{
   Search f = { .site = s, .size = size,
                .wanted = { .kind = PLACE_FRAME, .offset = offset } };

   if (!search(&f))
      return false;
   *p = name_of(&f.variable, true);
   return phrase_part(p, &f.type, f.part, size, of);
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
   if (f.part > 0 && !phrase_part(&p, &f.type, f.part, 1, &of))
      return unknown;
   return (Word){ .kind = WORD_VALUE, .phrase = p, .times = 1,
                  .type = f.part > 0 ? of.die : f.type };
}

/*--- Going back                                           ---*/

/* Return the number of the instruction at ADDR, from FIRST on; LAST + 1 if
   there is none up to LAST. */
static uint32_t instr_at(DcfgWet* w, uint32_t first, uint32_t last,
                         uint64_t addr)
{
   uint32_t low = first, high = last + 1;

   while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (dcfg_wet_instr(w, middle)->addr < addr)
         low = middle + 1;
      else
         high = middle;
   }
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
static void find_joins(WordReader* r, uint32_t instr)
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
static bool comes_from_before(WordReader* r, uint32_t instr, InstrEffect* e)
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
static Word word_made(WordReader* r, uint32_t instr, const InstrEffect* e)
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

static Word word_before(WordReader* r, uint32_t instr, unsigned reg,
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
   s = site_at(r->sites, instr, in.addr + (behind ? in.size : 0));
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

Word register_word(WordReader* r, uint32_t instr, unsigned reg, bool behind)
{
   r->left = MOST_WORDS;
   return word_before(r, instr, reg, behind);
}

/*--- Addresses                                            ---*/

/* Return the variable at M's address, without M's index. */
static Word variable_address(WordReader* r, uint32_t instr,
                             const MemoryOperand* m)
{
   Search        f = { .size = 0 };
   DebugImage*   image;
   Word          found = unknown;
   VariablePlace at = { .kind = PLACE_BASED, .reg = m->base,
                        .offset = m->disp };

   if (m->fixed || m->base == NO_REGISTER) {
      image = site_image(r->sites, instr);
      if (image != NULL
          && static_at(image, (uint64_t)m->disp, &f.variable, &f.part)
          && dwarf_diename(&f.variable) != NULL
          && type_of(&f.variable, &f.type))
         return address_of(&f.variable, &f.type, f.part);
      return unknown;
   }
   for (int behind = 0; behind < 2 && found.kind == WORD_UNKNOWN; behind++) {
      const DcfgWetInstr in = *dcfg_wet_instr(r->w, instr);
      f.site = site_at(r->sites, instr, in.addr + (behind ? in.size : 0));
      if (f.site == NULL)
         return unknown;
      f.wanted = site_settled(f.site, at);
      if (search(&f))
         found = address_of(&f.variable, &f.type, f.part);
   }
   return found;
}

static Word operand_word(WordReader* r, uint32_t instr, const MemoryOperand* m)
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

Word address_word(WordReader* r, uint32_t instr, const MemoryOperand* m)
{
   r->left = MOST_WORDS;
   return operand_word(r, instr, m);
}
