/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of a trace's images. */

/* Owns: a session of libdwfl for each image, opened once, whether the files
   are the builds that were executed, and where functions and frames begin.
   Handed: a whole execution trace.

   libdwfl of elfutils gets each image's address in the run, so that all
   addresses are the run's.  Functions without names have an entry in the
   table for unwinding, .eh_frame_hdr (Linux Standard Base, 10.6.2). */
#include "cmd/program/debug.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/elf_file.h"
#include "cmd/program/mapping.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Slot: an image, whose file is opened when it is needed, and its debug
   information later: libraries may have much that nobody asks for. */
typedef
   struct {
      bool       opened;        // the file was opened, or could not be
      bool       checked;       // the debug information is the build's, or it was
                                // closed again
      DebugImage image;         // .module is NULL if it could not be opened
      char*      why;
      uint32_t   first;         // first instruction of the image
   }
   Slot;

struct DebugImages {
   DcfgWet*    w;
   const char* root;
   ImageTimes* times;
   Slot*       slots;           // by number of the image
   uint32_t    n;
};

DebugImages* debug_images_new(DcfgWet* w, const char* root)
{
   DebugImages* d = zalloc(1, sizeof(*d));
   uint32_t     n = dcfg_wet_instrs(w);

   d->w     = w;
   d->root  = root;
   d->times = image_times_new(w, NULL, root);
   d->n     = n == 0 ? 0 : dcfg_wet_instr(w, n - 1)->image + 1;
   d->slots = zalloc(d->n + (size_t)1, sizeof(*d->slots));
   for (uint32_t i = n; i-- > 0; )
      d->slots[dcfg_wet_instr(w, i)->image].first = i;
   return d;
}

void debug_images_free(DebugImages* d, void (*forget)(DebugImage* m))
{
   for (uint32_t i = 0; i < d->n; i++) {
      forget(&d->slots[i].image);
      free(d->slots[i].image.code);
      stubs_free(d->slots[i].image.stubs);
      if (d->slots[i].image.dwfl != NULL)
         dwfl_end(d->slots[i].image.dwfl);
      free(d->slots[i].why);
   }
   free(d->slots);
   image_times_free(d->times);
   free(d);
}

/* Open the file of the image, without its debug information.  Return why that
   cannot be done; NULL if it was. */
static const char* open_file(DebugImages* d, Slot* s)
{
   const DcfgWetInstr in = *dcfg_wet_instr(d->w, s->first);
   DebugImage*  m = &s->image;
   const char*  path;
   const char*  why;
   Dwarf_Addr   low, high;
   uint64_t     offset;

   if (in.image_name == NULL)
      return "the code is of no file";
   why = image_place(d->w, s->first, d->root, &offset);
   if (why != NULL)
      return why;
   path    = image_path_below(d->root, in.image_name);
   m->dwfl = debug_file_begin(path, &in.image_load, &m->module, &why);
   if (m->dwfl == NULL) {
      m->module = NULL;
      return text_format("%s: %s", text_clean(path), why);
   }
   dwfl_module_info(m->module, NULL, &low, &high, NULL, NULL, NULL, NULL);
   m->low  = low;
   m->high = high;
   return NULL;
}

/* Return the image with its range of addresses; NULL if there is no file. */
static DebugImage* open_slot(DebugImages* d, Slot* s)
{
   if (!s->opened) {
      const char* why = open_file(d, s);
      s->opened = true;
      s->why    = why == NULL ? NULL : text_copy(why);
   }
   return s->image.module == NULL ? NULL : &s->image;
}

static DebugImage* image_of_slot(DebugImages* d, Slot* s)
{
   DebugImage* m = open_slot(d, s);

   if (m != NULL && !s->checked) {
      const DcfgWetInstr in = *dcfg_wet_instr(d->w, s->first);
      const char* why = debug_difference(m->module, in.image_build_id);
      s->checked = true;
      if (why != NULL) {
         const char* path = image_path_below(d->root, in.image_name);
         s->why = text_copy(text_format("%s: %s", text_clean(path), why));
         dwfl_end(m->dwfl);
         m->dwfl   = NULL;
         m->module = NULL;
      }
   }
   return m == NULL || m->module == NULL ? NULL : m;
}

DebugImage* debug_image(DebugImages* d, uint32_t instr, const char** why)
{
   Slot*       s = &d->slots[dcfg_wet_instr(d->w, instr)->image];
   DebugImage* m = image_of_slot(d, s);

   if (m == NULL && why != NULL)
      *why = s->why;
   return m;
}

DebugImage* debug_image_at(DebugImages* d, uint64_t addr, uint64_t t)
{
   uint32_t first = image_at(d->times, addr, t);

   return first == DCFG_NONE ? NULL : debug_image(d, first, NULL);
}

uint32_t debug_images_n(const DebugImages* d)
{
   return d->n;
}

DebugImage* debug_image_numbered(DebugImages* d, uint32_t k)
{
   return image_of_slot(d, &d->slots[k]);
}

bool debug_image_is_there(DebugImages* d, uint32_t k, uint64_t t)
{
   return image_is_mapped(d->times, d->slots[k].first, t);
}

const char* debug_image_name(DebugImages* d, uint32_t k)
{
   const char* name = dcfg_wet_instr(d->w, d->slots[k].first)->image_name;

   return name == NULL ? "no file" : text_clean(name);
}

/*--- Units                                                ---*/

/* UnitCode: the code of a unit, in the run's addresses.  Some compilers write
   no table of these. */
typedef
   struct UnitCode {
      uint64_t   low, high;
      Dwarf_Die* unit;
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
         m->code[m->n_code++] = (UnitCode){ low + bias, high + bias, unit,
                                            bias };
      }
   if (m->code == NULL)
      GROW(m->code, m->n_code, room);
   qsort(m->code, m->n_code, sizeof(*m->code), by_code);
}

Dwarf_Die* debug_unit(DebugImage* m, uint64_t addr, Dwarf_Addr* bias)
{
   size_t low = 0, high;

   if (m->code == NULL)
      find_code(m);
   high = m->n_code;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (m->code[middle].low <= addr)
         low = middle + 1;
      else
         high = middle;
   }
   if (low == 0 || addr >= m->code[low - 1].high)
      return NULL;
   *bias = m->code[low - 1].bias;
   return m->code[low - 1].unit;
}

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

#define HEAD_SIZE  12           // with pointers of four bytes each
#define ENTRY_SIZE 8
/* Encodings: signed numbers of four bytes, from the instruction that has them
   or the table on; and unsigned ones. */
#define RELATIVE_4 0x1b
#define UNSIGNED_4 0x03
#define TABLE_4    0x3b

typedef
   struct {
      bool      read;
      uint64_t* starts;         // in order
      size_t    n;
   }
   ImageStarts;

struct FunctionStarts {
   DcfgWet*     w;
   const char*  root;
   ImageStarts* images;
   uint32_t     n;
};

FunctionStarts* function_starts_new(DcfgWet* w, const char* root)
{
   FunctionStarts* s = zalloc(1, sizeof(*s));

   s->w    = w;
   s->root = root;
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      if (dcfg_wet_instr(w, i)->image >= s->n)
         s->n = dcfg_wet_instr(w, i)->image + 1;
   s->images = zalloc(s->n + (size_t)1, sizeof(*s->images));
   return s;
}

void function_starts_free(FunctionStarts* s)
{
   for (uint32_t i = 0; s != NULL && i < s->n; i++)
      free(s->images[i].starts);
   if (s != NULL)
      free(s->images);
   free(s);
}

/*--- The table                                            ---*/

static int32_t number_at(const uint8_t* bytes)
{
   return (int32_t)((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8
                    | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
}

COMPARE(by_start, uint64_t, ORDER(*x, *y))

/* Read the table of SIZE BYTES, which is at ADDR; code begins at LOW. */
static void read_table(ImageStarts* s, const uint8_t* bytes, size_t size,
                       uint64_t addr, uint64_t low)
{
   size_t n;

   if (size < HEAD_SIZE || bytes[0] != 1 || bytes[1] != RELATIVE_4
       || bytes[2] != UNSIGNED_4 || bytes[3] != TABLE_4)
      return;
   n = (uint32_t)number_at(bytes + 8);
   if (n > (size - HEAD_SIZE) / ENTRY_SIZE)
      n = (size - HEAD_SIZE) / ENTRY_SIZE;
   s->starts = zalloc(n + 1, sizeof(*s->starts));
   for (size_t i = 0; i < n; i++)
      s->starts[s->n++] = addr - low
         + (uint64_t)(int64_t)number_at(bytes + HEAD_SIZE + ENTRY_SIZE * i);
   qsort(s->starts, s->n, sizeof(*s->starts), by_start);
}

static void read_elf(ImageStarts* s, Elf* elf)
{
   uint64_t  low = UINT64_MAX;
   GElf_Phdr table = { .p_filesz = 0 };
   size_t    n = 0;
   Elf_Data* data;

   if (elf_getphdrnum(elf, &n) != 0)
      return;
   for (size_t i = 0; i < n; i++) {
      GElf_Phdr p;
      if (gelf_getphdr(elf, (int)i, &p) == NULL)
         continue;
      if (p.p_type == PT_GNU_EH_FRAME)
         table = p;
      if (p.p_type == PT_LOAD) {
         uint64_t align = p.p_align > 1 ? p.p_align : 1;
         uint64_t at = p.p_vaddr - p.p_vaddr % align;
         low = at < low ? at : low;
      }
   }
   if (table.p_filesz == 0 || low == UINT64_MAX)
      return;
   data = elf_getdata_rawchunk(elf, (int64_t)table.p_offset,
                               (size_t)table.p_filesz, ELF_T_BYTE);
   if (data != NULL)
      read_table(s, data->d_buf, data->d_size, table.p_vaddr, low);
}

static void read_image(FunctionStarts* f, ImageStarts* s, uint32_t instr)
{
   const DcfgWetInstr in = *dcfg_wet_instr(f->w, instr);
   int  fd;
   Elf* elf;

   s->read = true;
   if (in.image_name == NULL || image_is_there(f->w, instr, f->root) != NULL)
      return;
   fd = open_regular(image_path_below(f->root, in.image_name));
   if (fd < 0)
      return;
   elf_version(EV_CURRENT);
   elf = elf_begin(fd, ELF_C_READ, NULL);
   if (elf != NULL)
      read_elf(s, elf);
   elf_end(elf);
   close(fd);
}

uint64_t function_start(FunctionStarts* f, uint32_t instr)
{
   const DcfgWetInstr in = *dcfg_wet_instr(f->w, instr);
   ImageStarts*       s = &f->images[in.image];
   uint64_t           at = in.addr - in.image_load;
   size_t             low = 0, high;

   if (!s->read)
      read_image(f, s, instr);
   high = s->n;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (s->starts[middle] <= at)
         low = middle + 1;
      else
         high = middle;
   }
   return low == 0 ? at : s->starts[low - 1];
}
