/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stubs of procedure linkage tables. */

/* Owns: the function that a stub jumps to.  Handed: an ELF file.

   Neither a DCFG nor the file has symbols for stubs.  Their names are made from
   the file's relocations, as objdump makes them. */

#include "cmd/program/stubs.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"

#include <gelf.h>
#include <stdlib.h>

typedef
   struct {
      uint64_t    addr;         // address of the file
      const char* name;         // owned by the ELF file
   }
   Slot;

struct Stubs {
   const Processor* processor;
   uint64_t table;              // address of the global offset table, if stubs
                                // have it in a register
   Slot*    slots;              // sorted by address
   size_t   n, room;
};

COMPARE(by_addr, Slot, UP(addr))

static bool is_of_slot(const Stubs* s, uint64_t type)
{
   return type == s->processor->slot_types[0]
          || type == s->processor->slot_types[1];
}

/* Read relocation number I, with an addend or without. */
static bool get_relocation(Elf_Data* data, const GElf_Shdr* header, int i,
                           GElf_Rela* r)
{
   GElf_Rel without;

   if (header->sh_type == SHT_RELA)
      return gelf_getrela(data, i, r) != NULL;
   if (gelf_getrel(data, i, &without) == NULL)
      return false;
   *r = (GElf_Rela){ without.r_offset, without.r_info, 0 };
   return true;
}

static void add_slots(Stubs* s, Elf* elf, Elf_Scn* section,
                      const GElf_Shdr* header)
{
   Elf_Data* data = elf_getdata(section, NULL);
   Elf_Scn*  symbols = elf_getscn(elf, header->sh_link);
   Elf_Data* symbol_data = symbols == NULL ? NULL
                           : elf_getdata(symbols, NULL);
   GElf_Shdr symbol_header;
   GElf_Rela r;

   if (data == NULL || symbol_data == NULL
       || gelf_getshdr(symbols, &symbol_header) == NULL)
      return;
   for (int i = 0; get_relocation(data, header, i, &r); i++) {
      GElf_Sym    symbol;
      const char* name;
      if (!is_of_slot(s, GELF_R_TYPE(r.r_info)))
         continue;
      if (gelf_getsym(symbol_data, (int)GELF_R_SYM(r.r_info), &symbol) == NULL)
         continue;
      name = elf_strptr(elf, symbol_header.sh_link, symbol.st_name);
      if (name == NULL || name[0] == 0)
         continue;
      GROW(s->slots, s->n, s->room);
      s->slots[s->n++] = (Slot){ r.r_offset, name };
   }
}

static void find_table(Stubs* s, Elf_Scn* section)
{
   Elf_Data* data = elf_getdata(section, NULL);
   GElf_Dyn  d;

   for (int i = 0; data != NULL && gelf_getdyn(data, i, &d) != NULL; i++)
      if (d.d_tag == DT_PLTGOT)
         s->table = d.d_un.d_ptr;
}

Stubs* stubs_new(Elf* elf)
{
   Stubs*    s = zalloc(1, sizeof(*s));
   Elf_Scn*  section = NULL;
   int       mode;

   s->processor = processor_of_file(elf, &mode);
   if (s->processor == NULL || s->processor->find_slot == NULL)
      return s;
   while ((section = elf_nextscn(elf, section)) != NULL) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == NULL)
         continue;
      if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL)
         add_slots(s, elf, section, &header);
      else if (header.sh_type == SHT_DYNAMIC)
         find_table(s, section);
   }
   if (s->n > 0)
      qsort(s->slots, s->n, sizeof(*s->slots), by_addr);
   return s;
}

void stubs_free(Stubs* s)
{
   if (s == NULL)
      return;
   free(s->slots);
   free(s);
}

const char* stubs_name(const Stubs* s, const uint8_t* code, size_t size,
                       uint64_t addr)
{
   Slot        key;
   const Slot* slot;

   if (s->n == 0
       || !s->processor->find_slot(code, size, addr, s->table, &key.addr))
      return NULL;
   slot = bsearch(&key, s->slots, s->n, sizeof(key), by_addr);
   return slot == NULL ? NULL : slot->name;
}
