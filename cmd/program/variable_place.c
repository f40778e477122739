/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The places of variables. */

/* Owns: scopes, locations of variables, rules of call frames.  Handed: code
   addresses, debug information of images.

   A place in the frame is an offset from the call frame address, which the
   library knows from the trace.  If that address is a register and a number by
   its rule, a place based on the same register is in the frame, too. */
#include "cmd/program/variable_place.h"

#include "cmd/base/cmd.h"
#include "cmd/base/keymap.h"
#include "cmd/program/debug.h"
#include "cmd/program/types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/*--- Functions                                            ---*/

/* Function: a function's code, in addresses of the file. */
typedef
   struct {
      uint64_t  low, high;
      Dwarf_Die die;
   }
   Function;

/* Units: the functions of the units asked for so far. */
typedef
   struct Units {
      KeyMap* numbers;          // by offset of the unit
      struct {
         Function* all;         // by .low
         size_t    n, room;
      }*      units;
      size_t  n, room;
   }
   Units;

COMPARE(by_low_address, Function, UP(low))

static void add_function(Units* u, size_t unit, Dwarf_Die* die)
{
   Dwarf_Addr base, low, high;
   ptrdiff_t  at = 0;

   while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
      GROW(u->units[unit].all, u->units[unit].n, u->units[unit].room);
      u->units[unit].all[u->units[unit].n++] = (Function){ low, high, *die };
   }
}

static void add_functions(Units* u, size_t unit, Dwarf_Die* scope)
{
   Dwarf_Die child;

   if (dwarf_child(scope, &child) != 0)
      return;
   do
      switch (dwarf_tag(&child)) {
         case DW_TAG_subprogram:
            add_function(u, unit, &child);
            break;
         case DW_TAG_namespace:
         case DW_TAG_structure_type:
         case DW_TAG_class_type:
            add_functions(u, unit, &child);
            break;
         default:
            break;
      }
   while (dwarf_siblingof(&child, &child) == 0);
}

/* Return the function of UNIT with the code at PC, an address of the file, or
   NULL. */
static const Function* function_at(DebugImage* m, Dwarf_Die* unit,
                                   Dwarf_Addr pc)
{
   Units*    u = m->units;
   uint32_t  k;
   size_t    low = 0, high;

   if (u == NULL) {
      u = m->units = zalloc(1, sizeof(*u));
      u->numbers   = keymap_new();
   }
   k = keymap_number(u->numbers, dwarf_dieoffset(unit));
   if (k == u->n) {
      GROW(u->units, u->n, u->room);
      memset(&u->units[u->n++], 0, sizeof(*u->units));
      add_functions(u, k, unit);
      if (u->units[k].n > 0)
         qsort(u->units[k].all, u->units[k].n, sizeof(Function),
               by_low_address);
   }
   high = u->units[k].n;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (u->units[k].all[middle].low <= pc)
         low = middle + 1;
      else
         high = middle;
   }
   return low > 0 && pc < u->units[k].all[low - 1].high
          ? &u->units[k].all[low - 1] : NULL;
}

/*--- Sites                                                ---*/

/* N_KEPT: sites in the cache.  The same address is often asked for again
   soon. */
#define N_KEPT 16

struct Sites {
   DcfgWet*     w;
   DebugImages* images;
   unsigned     last;
   struct {
      bool     used, good;
      uint32_t image;
      uint64_t addr;
      Site     site;
   }
   kept[N_KEPT];
};

/* Append the scopes inside S's innermost one that have S's code. */
static void descend(Site* s)
{
   Dwarf_Die child;

   if (s->n_scopes == MOST_SCOPES
       || dwarf_child(&s->scopes[s->n_scopes - 1], &child) != 0)
      return;
   do {
      int tag = dwarf_tag(&child);
      if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine
           || tag == DW_TAG_subprogram || tag == DW_TAG_try_block
           || tag == DW_TAG_catch_block)
          && dwarf_haspc(&child, s->pc) > 0) {
         s->scopes[s->n_scopes++] = child;
         descend(s);
         return;
      }
   } while (dwarf_siblingof(&child, &child) == 0);
}

/* Find the scopes around the code at S->pc.  Around an inlined function are its
   caller's scopes. */
static void find_scopes(Site* s)
{
   const Function* f = function_at(s->image, &s->unit, s->pc);

   if (f == NULL)
      return;
   s->scopes[0]      = f->die;
   s->n_scopes       = 1;
   s->has_frame_base = dwarf_attr_integrate(&s->scopes[0], DW_AT_frame_base,
                                            &s->frame_base) != NULL;
   descend(s);
}

bool site_scopes(Sites* t, uint32_t instr, uint64_t addr, Site* s)
{
   Dwarf_Addr bias;
   Dwarf_Die* unit;

   *s = (Site){ .image = debug_image(t->images, instr, NULL),
                .processor = processor_of(t->w) };
   unit = s->image == NULL ? NULL : debug_unit(s->image, addr, &bias);
   if (unit == NULL)
      return false;
   s->unit = *unit;
   s->bias = bias;
   s->pc   = addr - bias;
   find_scopes(s);
   return true;
}

static bool site_find(Sites* t, uint32_t instr, uint64_t addr, Site* s)
{
   if (!site_scopes(t, instr, addr, s))
      return false;
   s->has_cfa = frame_rule(s->image, s->processor, addr, &s->cfa_reg,
                           &s->cfa_offset);
   return true;
}

const Site* site_at(Sites* t, uint32_t instr, uint64_t addr)
{
   uint32_t image = dcfg_wet_instr(t->w, instr)->image;
   unsigned k;

   for (k = 0; k < N_KEPT; k++)
      if (t->kept[k].used && t->kept[k].addr == addr
          && t->kept[k].image == image)
         break;
   if (k == N_KEPT) {
      k = t->last++ % N_KEPT;
      t->kept[k].used  = true;
      t->kept[k].addr  = addr;
      t->kept[k].image = image;
      t->kept[k].good  = site_find(t, instr, addr, &t->kept[k].site);
   }
   return t->kept[k].good ? &t->kept[k].site : NULL;
}

DebugImage* site_image(Sites* t, uint32_t instr)
{
   return debug_image(t->images, instr, NULL);
}

const char* site_why(Sites* t, uint32_t instr)
{
   const char* why = NULL;

   debug_image(t->images, instr, &why);
   return why;
}

DebugImage* site_image_at(Sites* t, uint64_t addr, uint64_t time)
{
   return debug_image_at(t->images, addr, time);
}

uint32_t site_images(const Sites* t)
{
   return debug_images_n(t->images);
}

DebugImage* site_image_numbered(Sites* t, uint32_t k)
{
   return debug_image_numbered(t->images, k);
}

bool site_has_image(Sites* t, uint32_t k, uint64_t time)
{
   return debug_image_is_there(t->images, k, time);
}

const char* site_image_name(Sites* t, uint32_t k)
{
   return debug_image_name(t->images, k);
}

/*--- Places                                               ---*/

VariablePlace site_settled(const Site* s, VariablePlace p)
{
   if (p.kind == PLACE_BASED && s->has_cfa && p.reg == s->cfa_reg) {
      p.kind    = PLACE_FRAME;
      p.offset -= s->cfa_offset;
   }
   return p;
}

/* Return the place at OFFSET from the function's frame base. */
static VariablePlace in_frame(const Site* s, int64_t offset)
{
   VariablePlace   p = { .kind = PLACE_NOWHERE };
   Dwarf_Attribute base = s->frame_base;
   Dwarf_Op*       op;
   size_t          n;
   unsigned        reg;

   if (!s->has_frame_base
       || dwarf_getlocation_addr(&base, s->pc, &op, &n, 1) != 1 || n != 1)
      return p;
   p.offset = offset;
   if (op[0].atom == DW_OP_call_frame_cfa) {
      p.kind = PLACE_FRAME;
      return p;
   }
   if (op[0].atom >= DW_OP_reg0 && op[0].atom <= DW_OP_reg31) {
      reg = op[0].atom - DW_OP_reg0;
   } else if (op[0].atom >= DW_OP_breg0 && op[0].atom <= DW_OP_breg31) {
      reg       = op[0].atom - DW_OP_breg0;
      p.offset += (int64_t)op[0].number;
   } else {
      return p;
   }
   p.kind = PLACE_BASED;
   p.reg  = register_of_dwarf(s->processor, reg);
   return site_settled(s, p);
}

/* Get the address that OP of ATTR has, as such or as an index of a table. */
static bool fixed_address(Dwarf_Attribute* attr, const Dwarf_Op* op,
                          uint64_t* addr)
{
   Dwarf_Attribute in_table;
   Dwarf_Addr      a = op->number;

   if (op->atom != DW_OP_addr
       && ((op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index)
           || dwarf_getlocation_attr(attr, op, &in_table) != 0
           || dwarf_formaddr(&in_table, &a) != 0))
      return false;
   *addr = a;
   return true;
}

/* Return the place that a location of one operation gives. */
static VariablePlace place_of(const Site* s, Dwarf_Attribute* attr,
                              const Dwarf_Op* op)
{
   VariablePlace p = { .kind = PLACE_NOWHERE };
   uint64_t addr;

   if (op->atom == DW_OP_fbreg)
      return in_frame(s, (int64_t)op->number);
   if ((op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
       || op->atom == DW_OP_regx) {
      p.reg  = register_of_dwarf(s->processor, op->atom == DW_OP_regx
                                 ? (unsigned)op->number
                                 : op->atom - (unsigned)DW_OP_reg0);
      p.kind = p.reg == UINT32_MAX ? PLACE_NOWHERE : PLACE_REGISTER;
   } else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
      p.reg    = register_of_dwarf(s->processor,
                                 op->atom - (unsigned)DW_OP_breg0);
      p.offset = (int64_t)op->number;
      p.kind   = p.reg == UINT32_MAX ? PLACE_NOWHERE : PLACE_BASED;
      p        = site_settled(s, p);
   } else if (fixed_address(attr, op, &addr)) {
      p.kind   = PLACE_FIXED;
      p.offset = (int64_t)(addr + s->bias);
   } else if (op->atom == DW_OP_call_frame_cfa) {
      p.kind = PLACE_FRAME;
   }
   return p;
}

/* Return why operations OP give no place. */
static const char* no_place(const Dwarf_Op* op, size_t n)
{
   for (size_t i = 0; i < n; i++)
      if (op[i].atom == DW_OP_stack_value
          || op[i].atom == DW_OP_implicit_value
          || op[i].atom == DW_OP_implicit_pointer
          || op[i].atom == DW_OP_GNU_implicit_pointer
          || op[i].atom == DW_OP_GNU_entry_value
          || op[i].atom == DW_OP_entry_value)
         return "the compiler left a formula for its value, and no place that "
                "holds it";
   return "its location is computed";
}

unsigned site_places(const Site* s, Dwarf_Die* variable,
                     VariablePlace places[MOST_PLACES], const char** why)
{
   Dwarf_Attribute attr;
   Dwarf_Op*       op;
   size_t          n;
   uint64_t        part = 0;
   unsigned        k = 0;
   const char*     said = NULL;

   if (dwarf_attr_integrate(variable, DW_AT_location, &attr) == NULL)
      said = dwarf_hasattr_integrate(variable, DW_AT_const_value)
             ? "it is a constant" : "the compiler has left none";
   else if (dwarf_getlocation_addr(&attr, s->pc, &op, &n, 1) != 1 || n == 0)
      said = "there it has no value any more, or not yet";
   for (size_t i = 0; said == NULL && i < n && k < MOST_PLACES; ) {
      bool          piece = op[i].atom == DW_OP_piece;
      VariablePlace p = piece ? (VariablePlace){ .kind = PLACE_NOWHERE }
                        : place_of(s, &attr, &op[i]);
      i += !piece;
      if (i < n && op[i].atom != DW_OP_piece) {
         said = no_place(op, n);
         k    = 0;
         break;
      }
      p.part = part;
      if (i < n) {
         p.size = op[i++].number;
         part  += p.size;
      }
      if (p.kind != PLACE_NOWHERE)
         places[k++] = p;
      else if (n == 1)
         said = no_place(op, n);
   }
   if (k == 0 && why != NULL)
      *why = said != NULL ? said : "the compiler has left none";
   return k;
}

/*--- Variables                                            ---*/

static bool is_variable(Dwarf_Die* die)
{
   int tag = dwarf_tag(die);

   return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

bool site_variables(const Site* s, TellVariable tell, void* arg)
{
   for (int i = s->n_scopes; i-- > 0; ) {
      Dwarf_Die scope = s->scopes[i], child;
      if (dwarf_child(&scope, &child) != 0)
         continue;
      do
         if (is_variable(&child) && tell(arg, &child))
            return true;
      while (dwarf_siblingof(&child, &child) == 0);
   }
   return false;
}

/*--- Fixed ones                                           ---*/

typedef
   struct {
      uint64_t  low, size;      // addresses of the file
      Dwarf_Die variable;
   }
   Static;

typedef
   struct Statics {
      Static*  all;
      size_t   n, room;
      uint64_t bias;
   }
   Statics;

COMPARE(by_address, Static, UP(low))

/* Get the address in the file of VARIABLE, if its location is an address
   alone. */
static bool address_in_file(Dwarf_Die* variable, uint64_t* addr)
{
   Dwarf_Attribute attr;
   Dwarf_Op*       op;
   size_t          n;

   return dwarf_attr_integrate(variable, DW_AT_location, &attr) != NULL
          && dwarf_whatform(&attr) != DW_FORM_sec_offset
          && dwarf_whatform(&attr) != DW_FORM_loclistx
          && dwarf_getlocation(&attr, &op, &n) == 0 && n == 1
          && fixed_address(&attr, op, addr);
}

static void add_static(Statics* t, Dwarf_Die* die)
{
   uint64_t  low;
   Dwarf_Die type;

   if (!address_in_file(die, &low))
      return;
   GROW(t->all, t->n, t->room);
   t->all[t->n] = (Static){ .low = low, .size = 1, .variable = *die };
   if (type_of(die, &type)) {
      Dwarf_Die whole = type_defined(&type);
      if (type_size(&whole) > 0)
         t->all[t->n].size = type_size(&whole);
   }
   t->n++;
}

/* Add the variables of a scope, and of the scopes in it. */
static void add_statics(Statics* t, Dwarf_Die* scope)
{
   Dwarf_Die child;

   if (dwarf_child(scope, &child) != 0)
      return;
   do
      switch (dwarf_tag(&child)) {
         case DW_TAG_variable:
            add_static(t, &child);
            break;
         case DW_TAG_subprogram:
         case DW_TAG_lexical_block:
         case DW_TAG_namespace:
            add_statics(t, &child);
            break;
         default:
            break;
      }
   while (dwarf_siblingof(&child, &child) == 0);
}

static Statics* statics_of(DebugImage* m)
{
   Dwarf_Die* unit = NULL;
   Dwarf_Addr bias;

   if (m->statics != NULL)
      return m->statics;
   m->statics = zalloc(1, sizeof(*m->statics));
   while ((unit = dwfl_module_nextcu(m->module, unit, &bias)) != NULL) {
      m->statics->bias = bias;
      add_statics(m->statics, unit);
   }
   if (m->statics->n > 0)
      qsort(m->statics->all, m->statics->n, sizeof(Static), by_address);
   return m->statics;
}

bool image_statics(DebugImage* m, const Site* s, bool own, TellVariable tell,
                   void* arg)
{
   Statics* t = statics_of(m);

   for (size_t i = 0; i < t->n; i++)
      if ((s != NULL && t->all[i].variable.cu == s->unit.cu) == own
          && tell(arg, &t->all[i].variable))
         return true;
   return false;
}

bool static_address(DebugImage* m, Dwarf_Die* variable, uint64_t* addr)
{
   if (!address_in_file(variable, addr))
      return false;
   *addr += statics_of(m)->bias;
   return true;
}

bool static_at(DebugImage* m, uint64_t addr, Dwarf_Die* variable,
               int64_t* offset)
{
   Statics* t = statics_of(m);
   uint64_t at = addr - t->bias;
   size_t   low = 0, high = t->n;

   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (t->all[middle].low <= at)
         low = middle + 1;
      else
         high = middle;
   }
   for (; low-- > 0; ) {
      if (at - t->all[low].low < t->all[low].size) {
         *variable = t->all[low].variable;
         *offset   = (int64_t)(at - t->all[low].low);
         return true;
      }
      if (t->all[low].low != at)
         break;
   }
   return false;
}

/*--- Beginning and end                                    ---*/

static void forget_image(DebugImage* m)
{
   if (m->statics != NULL)
      free(m->statics->all);
   free(m->statics);
   if (m->units == NULL)
      return;
   for (size_t i = 0; i < m->units->n; i++)
      free(m->units->units[i].all);
   keymap_free(m->units->numbers);
   free(m->units->units);
   free(m->units);
}

Sites* sites_new(DcfgWet* w, const char* root)
{
   Sites* t = zalloc(1, sizeof(*t));

   t->w      = w;
   t->images = debug_images_new(w, root);
   return t;
}

void sites_free(Sites* t)
{
   debug_images_free(t->images, forget_image);
   free(t);
}
