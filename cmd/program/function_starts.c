/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Beginnings of functions without names. */

/* Owns: reading the tables of functions for unwinding, .eh_frame_hdr (Linux
   Standard Base, 10.6.2).  Handed: a whole execution trace. */

#include "cmd/program/function_starts.h"

#include "cmd/base/cmd.h"
#include "cmd/program/wet_place.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
