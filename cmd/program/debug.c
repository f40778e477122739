/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: a session of libdwfl for each image, opened once for all questions,
   and whether the files are the builds that were executed; units, scopes and
   frames of code, places of variables, begins of functions.  Handed: a whole
   execution trace, addresses of the run.

   libdwfl of elfutils gets each image's address in the run, so that all
   addresses are the run's.

   A place in the frame is an offset from the call frame address, which the
   library knows from the trace.  If that address is a register and a number
   by its rule, a place based on the same register is in the frame, too.

   Functions without names have an entry in the table for unwinding,
   .eh_frame_hdr (Linux Standard Base, 10.6.2). */

#include "cmd/program/debug.h"

#include "cmd/base/keymap.h"
#include "cmd/base/names.h"
#include "cmd/program/elf_file.h"
#include "cmd/program/recording.h"
#include "cmd/program/scopes.h"
#include "cmd/program/types.h"
#include "format/numbers.h"

#include <dwarf.h>

/*--- Images                                               ---*/

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

/* Static: a variable with a fixed address. */
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

TraceProgram* program_new(DcfgWet* w, const char* root)
{
   TraceProgram* p = zalloc(1, sizeof(*p));
   uint32_t      n = dcfg_wet_instrs(w);

   p->w        = w;
   p->root     = root;
   p->times    = image_times_new(w, NULL, root);
   p->marks    = zalloc(n + (size_t)1, 1);
   p->n_images = n == 0 ? 0 : dcfg_wet_instr(w, n - 1)->image + 1;
   p->images   = zalloc(p->n_images + (size_t)1, sizeof(*p->images));
   for (uint32_t i = 0; i < n; i = image_end(w, i))
      p->images[dcfg_wet_instr(w, i)->image].first = i;
   return p;
}

static void forget_image(DebugImage* m)
{
   if (m->statics != NULL)
      free(m->statics->all);
   free(m->statics);
   for (size_t i = 0; m->units != NULL && i < m->units->n; i++)
      free(m->units->units[i].all);
   if (m->units != NULL) {
      keymap_free(m->units->numbers);
      free(m->units->units);
   }
   FREE_ALL(m->units, m->code, m->starts);
   scopes_free(m->inlined);
   stubs_free(m->stubs);
   if (m->dwfl != NULL)
      dwfl_end(m->dwfl);
   free(m->why);
}

void program_free(TraceProgram* p)
{
   if (p == NULL)
      return;
   for (uint32_t i = 0; i < p->n_images; i++)
      forget_image(&p->images[i]);
   FREE_ALL(p->images, p->kept, p->marks);
   image_times_free(p->times);
   free(p);
}

/* Open the file of the image, without its debug information.  Return why that
   cannot be done; NULL if it was. */
static const char* open_file(const TraceProgram* p, DebugImage* m)
{
   const DcfgWetInstr in = *dcfg_wet_instr(p->w, m->first);
   const char*  path;
   const char*  why;
   uint64_t     offset;

   if (in.image_name == NULL)
      return "the code is of no file";
   why = image_place(p->w, m->first, p->root, &offset);
   if (why != NULL)
      return why;
   path    = image_path_below(p->root, in.image_name);
   m->dwfl = debug_file_begin(path, &in.image_load, &m->module, &why);
   if (m->dwfl == NULL)
      return text_format("%s: %s", text_clean(path), why);
   dwfl_module_info(m->module, NULL, &m->low, &m->high, NULL, NULL, NULL, NULL);
   return NULL;
}

/* Return whether M has its file, which is opened at the first question.  Its debug
   information comes later: libraries may have much that nobody asks for. */
static bool has_file(const TraceProgram* p, DebugImage* m)
{
   if (!m->opened) {
      const char* why = open_file(p, m);
      m->opened = true;
      m->why    = why == NULL ? NULL : text_copy(why);
   }
   return m->dwfl != NULL;
}

DebugImage* debug_image_numbered(TraceProgram* p, uint32_t k)
{
   DebugImage* m = &p->images[k];

   if (has_file(p, m) && !m->checked) {
      const DcfgWetInstr in = *dcfg_wet_instr(p->w, m->first);
      const char* why = debug_difference(m->module, in.image_build_id);
      m->checked = true;
      if (why != NULL) {
         const char* path = image_path_below(p->root, in.image_name);
         m->why = text_copy(text_format("%s: %s", text_clean(path), why));
         dwfl_end(m->dwfl);
         m->dwfl = NULL;
      }
   }
   return m->dwfl == NULL ? NULL : m;
}

DebugImage* debug_image(TraceProgram* p, uint32_t instr)
{
   return debug_image_numbered(p, dcfg_wet_instr(p->w, instr)->image);
}

DebugImage* debug_image_at(TraceProgram* p, uint64_t addr, uint64_t t)
{
   uint32_t first = image_at(p->times, addr, t);

   return first == DCFG_NONE ? NULL : debug_image(p, first);
}

/*--- Units                                                ---*/

/* UnitCode: the code of a unit, in the run's addresses.  Some compilers write
   no table of these. */
typedef
   struct UnitCode {
      uint64_t   low, high;
      Dwarf_Die  unit;          // whole_unit()
      Dwarf_Addr bias;
   }
   UnitCode;

COMPARE(by_code, UnitCode, UP(low))

static void find_code(DebugImage* m)
{
   Dwarf_Die* unit = NULL;
   Dwarf_Addr bias, base, low, high;
   size_t     room = 0;

   while ((unit = dwfl_module_nextcu(m->module, unit, &bias)) != NULL)
      for (ptrdiff_t at = 0;
           (at = dwarf_ranges(unit, at, &base, &low, &high)) > 0; ) {
         GROW(m->code, m->n_code, room);
         m->code[m->n_code++] = (UnitCode){ low + bias, high + bias,
                                            whole_unit(unit), bias };
      }
   if (m->code == NULL)
      GROW(m->code, m->n_code, room);
   qsort(m->code, m->n_code, sizeof(*m->code), by_code);
}

Dwarf_Die* debug_unit(DebugImage* m, uint64_t addr, Dwarf_Addr* bias)
{
   size_t low = 0;

   if (m->code == NULL)
      find_code(m);
   BISECT(low, m->n_code, middle, m->code[middle].low <= addr);
   if (low == 0 || addr >= m->code[low - 1].high)
      return NULL;
   *bias = m->code[low - 1].bias;
   return &m->code[low - 1].unit;
}

/*--- Frames                                               ---*/

static bool read_rule(Dwarf_CFI* cfi, const Processor* p, Dwarf_Addr pc,
                      unsigned* reg, int64_t* offset)
{
   Dwarf_Frame* frame;
   Dwarf_Op*    op;
   size_t       n;
   bool         found = false;

   if (cfi == NULL || dwarf_cfi_addrframe(cfi, pc, &frame) != 0)
      return false;
   if (dwarf_frame_cfa(frame, &op, &n) == 0 && n == 1) {
      bool any = op[0].atom == DW_OP_bregx;
      found   = any || (op[0].atom >= DW_OP_breg0
                        && op[0].atom <= DW_OP_breg31);
      *reg    = register_of_dwarf(p, any ? (unsigned)op[0].number
                                     : op[0].atom - (unsigned)DW_OP_breg0);
      *offset = (int64_t)(any ? op[0].number2 : op[0].number);
   }
   free(frame);
   return found;
}

bool frame_rule(const DebugImage* m, const Processor* p, uint64_t addr,
                unsigned* reg, int64_t* offset)
{
   Dwarf_Addr bias;
   Dwarf_CFI* cfi = dwfl_module_eh_cfi(m->module, &bias);

   if (read_rule(cfi, p, addr - bias, reg, offset))
      return true;
   cfi = dwfl_module_dwarf_cfi(m->module, &bias);
   return read_rule(cfi, p, addr - bias, reg, offset);
}

/*--- Begins of functions                                  ---*/

#define HEAD_SIZE  12           // with pointers of four bytes each
#define ENTRY_SIZE 8
/* Encodings: signed numbers of four bytes, from the instruction that has them
   or the table on; and unsigned ones. */
#define RELATIVE_4 0x1b
#define UNSIGNED_4 0x03
#define TABLE_4    0x3b

COMPARE(by_start, uint64_t, ORDER(*x, *y))

/* Read the table of SIZE BYTES, which is at ADDR; code begins at LOW. */
static void read_table(DebugImage* m, const uint8_t* bytes, size_t size,
                       uint64_t addr, uint64_t low)
{
   size_t n;

   if (size < HEAD_SIZE || bytes[0] != 1 || bytes[1] != RELATIVE_4
       || bytes[2] != UNSIGNED_4 || bytes[3] != TABLE_4)
      return;
   n = number_at(bytes + 8);
   if (n > (size - HEAD_SIZE) / ENTRY_SIZE)
      n = (size - HEAD_SIZE) / ENTRY_SIZE;
   m->starts = zalloc(n + 1, sizeof(*m->starts));
   for (size_t i = 0; i < n; i++)
      m->starts[m->n_starts++] = addr - low
         + (uint64_t)(int32_t)number_at(bytes + HEAD_SIZE + ENTRY_SIZE * i);
   qsort(m->starts, m->n_starts, sizeof(*m->starts), by_start);
}

static void read_starts(DebugImage* m)
{
   GElf_Addr bias;
   Elf*      elf = dwfl_module_getelf(m->module, &bias);
   uint64_t  low = UINT64_MAX;
   GElf_Phdr table = { .p_filesz = 0 }, p;
   Elf_Data* data;

   for (size_t i = 0; next_header(elf, PT_GNU_EH_FRAME, &i, &p); )
      table = p;
   for (size_t i = 0; next_header(elf, PT_LOAD, &i, &p); ) {
      uint64_t align = p.p_align > 1 ? p.p_align : 1;
      uint64_t at = p.p_vaddr - p.p_vaddr % align;
      low = at < low ? at : low;
   }
   if (table.p_filesz == 0 || low == UINT64_MAX)
      return;
   data = elf_getdata_rawchunk(elf, (int64_t)table.p_offset,
                               (size_t)table.p_filesz, ELF_T_BYTE);
   if (data != NULL)
      read_table(m, data->d_buf, data->d_size, table.p_vaddr, low);
}

uint64_t function_start(TraceProgram* p, uint32_t instr)
{
   const DcfgWetInstr in = *dcfg_wet_instr(p->w, instr);
   DebugImage*        m = &p->images[in.image];
   uint64_t           at = in.addr - in.image_load;
   size_t             i = 0;

   if (has_file(p, m) && !m->starts_read)
      read_starts(m);
   m->starts_read = true;
   BISECT(i, m->n_starts, middle, m->starts[middle] <= at);
   return i == 0 ? at : m->starts[i - 1];
}

/*--- Functions                                            ---*/

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
   size_t    low = 0;

   if (u == NULL) {
      u = m->units = zalloc(1, sizeof(*u));
      u->numbers   = keymap_new();
   }
   k = keymap_number(u->numbers, dwarf_dieoffset(unit));
   if (k == u->n) {
      GROW(u->units, u->n, u->room);
      memset(&u->units[u->n++], 0, sizeof(*u->units));
      add_functions(u, k, unit);
      SORT(u->units[k].all, u->units[k].n, by_low_address);
   }
   BISECT(low, u->units[k].n, middle, u->units[k].all[middle].low <= pc);
   return low > 0 && pc < u->units[k].all[low - 1].high
          ? &u->units[k].all[low - 1] : NULL;
}

/*--- Sites                                                ---*/

/* N_KEPT: sites in the cache.  The same address is often asked for again
   soon. */
#define N_KEPT 16

struct KeptSites {
   unsigned last;
   struct {
      bool     used, good;
      uint32_t image;
      uint64_t addr;
      Site     site;
   }
   all[N_KEPT];
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

/* Set *TO to attribute NAME of DIE, a location.  Return false if it has none.  Go
   writes it as a block, in DWARF 4, too, where libdw takes an expression only.  A
   short one has the same bytes. */
static bool location_attr(Dwarf_Die* die, unsigned name, Dwarf_Attribute* to)
{
   if (dwarf_attr_integrate(die, name, to) == NULL)
      return false;
   if (to->form == DW_FORM_block1 && *to->valp < 0x80)
      to->form = DW_FORM_exprloc;
   return true;
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
   s->has_frame_base = location_attr(&s->scopes[0], DW_AT_frame_base,
                                     &s->frame_base);
   descend(s);
}

bool site_scopes(TraceProgram* p, uint32_t instr, uint64_t addr, Site* s)
{
   Dwarf_Addr bias;
   Dwarf_Die* unit;

   *s = (Site){ .image = debug_image(p, instr),
                .processor = processor_of(p->w) };
   unit = s->image == NULL ? NULL : debug_unit(s->image, addr, &bias);
   if (unit == NULL)
      return false;
   s->unit = *unit;
   s->bias = bias;
   s->pc   = addr - bias;
   find_scopes(s);
   return true;
}

const Site* site_at(TraceProgram* p, uint32_t instr, uint64_t addr)
{
   uint32_t          image = dcfg_wet_instr(p->w, instr)->image;
   struct KeptSites* kept = p->kept;
   unsigned          k;

   if (kept == NULL)
      kept = p->kept = zalloc(1, sizeof(*kept));
   for (k = 0; k < N_KEPT; k++)
      if (kept->all[k].used && kept->all[k].addr == addr
          && kept->all[k].image == image)
         break;
   if (k == N_KEPT) {
      Site* s = &kept->all[k = kept->last++ % N_KEPT].site;
      kept->all[k].used  = true;
      kept->all[k].addr  = addr;
      kept->all[k].image = image;
      kept->all[k].good  = site_scopes(p, instr, addr, s);
      s->has_cfa = kept->all[k].good
                   && frame_rule(s->image, s->processor, addr, &s->cfa_reg,
                                 &s->cfa_offset);
   }
   return kept->all[k].good ? &kept->all[k].site : NULL;
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

   if (!location_attr(variable, DW_AT_location, &attr))
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

COMPARE(by_address, Static, UP(low))

/* Get the address in the file of VARIABLE, if its location is an address
   alone. */
static bool address_in_file(Dwarf_Die* variable, uint64_t* addr)
{
   Dwarf_Attribute attr;
   Dwarf_Op*       op;
   size_t          n;

   return location_attr(variable, DW_AT_location, &attr)
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
      Dwarf_Die whole = whole_unit(unit);
      m->statics->bias = bias;
      add_statics(m->statics, &whole);
   }
   SORT(m->statics->all, m->statics->n, by_address);
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
   size_t   low = 0;

   BISECT(low, t->n, middle, t->all[middle].low <= at);
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

/*--- Symbols and lines of the program's own images        ---*/

/* Return whether the file of M is the program's own. */
static bool is_own(const TraceProgram* p, const DebugImage* m)
{
   return is_of_program(dcfg_wet_instr(p->w, m->first)->image_name,
                        wet_program(p->w), NULL);
}

static const char* symbol_at(Dwfl_Module* module, uint64_t addr)
{
   GElf_Sym    sym;
   GElf_Off    offset;
   const char* name = dwfl_module_addrinfo(module, addr, &offset, &sym, NULL,
                                           NULL, NULL);

   if (name == NULL || GELF_ST_TYPE(sym.st_info) != STT_OBJECT
       || offset >= sym.st_size)
      return NULL;
   name = text_clean(text_demangle(name));
   return offset == 0 ? text_format("%s", name)
          : text_format("%s+%" PRIu64, name, offset);
}

const char* variable_at(TraceProgram* p, uint64_t addr, uint64_t t)
{
   DebugImage* m = debug_image_at(p, addr, t);

   return m == NULL || !is_own(p, m) ? NULL : symbol_at(m->module, addr);
}

/* Return whether row K of N of LINES has the line's name BASE.  If so, set *LINE
   and *ADDR, and *OWN: the next row has another address. */
static bool read_row(Dwarf_Lines* lines, size_t k, size_t n, const char* base,
                     int* line, Dwarf_Addr* addr, bool* own)
{
   Dwarf_Line* at = dwarf_onesrcline(lines, k);
   const char* name = dwarf_linesrc(at, NULL, NULL);
   Dwarf_Addr  next;
   bool        end;

   if (name == NULL || strcmp(text_base(name), base) != 0
       || dwarf_lineendsequence(at, &end) != 0 || end
       || dwarf_lineno(at, line) != 0 || dwarf_lineaddr(at, addr) != 0)
      return false;
   *own = k + 1 == n
          || dwarf_lineaddr(dwarf_onesrcline(lines, k + 1), &next) != 0
          || next != *addr;
   return true;
}

void code_of_source(const DebugImage* m, const char* source, TellLine tell,
                    void* arg)
{
   const char* base = text_base(source);
   Dwarf_Die*  unit = NULL;
   Dwarf_Addr  bias;

   while ((unit = dwfl_module_nextcu(m->module, unit, &bias)) != NULL) {
      Dwarf_Lines* lines;
      Dwarf_Addr   addr;
      size_t       n;
      int          line;
      bool         own;
      if (dwarf_getsrclines(unit, &lines, &n) != 0)
         continue;
      for (size_t i = 0; i < n; i++)
         if (read_row(lines, i, n, base, &line, &addr, &own))
            tell(arg, (uint64_t)line, addr + bias, own);
   }
}

/* AskedLine: a line, and whether it has code as far as is known. */
typedef
   struct {
      uint64_t line, addr;
      LineCode code;
   }
   AskedLine;

static void note_code(void* arg, uint64_t line, uint64_t addr, bool own)
{
   AskedLine*     a = arg;
   const LineCode code = line != a->line ? CODE_NONE
                         : own ? CODE_SOME : CODE_MERGED;

   if (code <= a->code)
      return;
   a->code = code;
   a->addr = addr;
}

LineCode line_code(TraceProgram* p, const char* source, uint64_t line,
                   uint64_t* addr, uint32_t* near)
{
   AskedLine a = { .line = line, .code = CODE_UNKNOWN };

   for (uint32_t k = 0; k < p->n_images && a.code != CODE_SOME; k++) {
      const LineCode before = a.code;
      if (is_own(p, &p->images[k]) && debug_image_numbered(p, k) != NULL)
         code_of_source(&p->images[k], source, note_code, &a);
      if (a.code != before)
         *near = p->images[k].first;
   }
   *addr = a.addr;
   return a.code;
}
