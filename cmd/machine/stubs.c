/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stubs of procedure linkage tables. */

/* Owns: which function a stub stands for.  Handed: an ELF file.  Taken by:
   code.c.

   Neither a DCFG nor the file has symbols for stubs.  Their names are made up
   from the file's relocations, as objdump does. */

#include "cmd/machine/stubs.h"

#include "cmd/base/cmd.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      uint64_t    addr;         // in the file's own addresses
      const char* name;         // the ELF file's
   }
   Slot;

struct Stubs {
   unsigned machine;            // EM_...
   uint64_t table;              // the global offset table, if a register has
                                // it in stubs
   Slot*    slots;              // in order of address
   size_t   n, room;
};

static int by_addr(const void* a, const void* b)
{
   const Slot* x = a;
   const Slot* y = b;

   return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_of_slot(const Stubs* s, uint64_t type)
{
   switch (s->machine) {
      case EM_X86_64:
         return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
      case EM_386:
         return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT;
      case EM_AARCH64:
         return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
      default:
         return false;
   }
}

/* Relocation number I, with an addend or without. */
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
   GElf_Ehdr file;

   s->machine = gelf_getehdr(elf, &file) == NULL ? EM_NONE : file.e_machine;
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

/* "jmp *slot(%rip)", perhaps with the prefix bnd, perhaps behind an endbr64;
   of 32 bits, "jmp *slot" or, with the table's address in a register, "jmp
   *slot(%ebx)", perhaps behind an endbr32. */
static bool x86_slot(const Stubs* s, const uint8_t* code, size_t size,
                     uint64_t addr, uint64_t* slot)
{
   bool          is_64 = s->machine == EM_X86_64;
   const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, is_64 ? 0xfa : 0xfb };
   size_t        at = 0;
   int32_t       offset;

   if (size >= 4 && memcmp(code, endbr, 4) == 0)
      at = 4;
   if (size > at && code[at] == 0xf2)
      at++;
   if (size < at + 6 || code[at] != 0xff
       || (code[at + 1] != 0x25 && (is_64 || code[at + 1] != 0xa3)))
      return false;
   memcpy(&offset, code + at + 2, 4);
   if (is_64)
      *slot = addr + at + 6 + (uint64_t)(int64_t)offset;
   else
      *slot = (uint32_t)((code[at + 1] == 0xa3 ? s->table : 0)
                         + (uint64_t)(int64_t)offset);
   return true;
}

static uint32_t instruction(const uint8_t* code)
{
   return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16
          | (uint32_t)code[3] << 24;
}

/* "adrp x16, page; ldr x17, [x16, #offset]", perhaps behind a "bti c"; then
   there is a branch to x17. */
static bool arm64_slot(const uint8_t* code, size_t size, uint64_t addr,
                       uint64_t* slot)
{
   uint32_t page, load;
   uint64_t pages;

   if (size >= 4 && instruction(code) == 0xd503245f) {
      code += 4;
      size -= 4;
      addr += 4;
   }
   if (size < 8)
      return false;
   page = instruction(code);
   load = instruction(code + 4);
   if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
      return false;
   pages = (page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3);
   if (pages >> 20 != 0)
      pages -= 1 << 21;
   *slot = (addr & ~(uint64_t)0xfff) + (pages << 12) + (load >> 10 & 0xfff) * 8;
   return true;
}

const char* stubs_name(const Stubs* s, const uint8_t* code, size_t size,
                       uint64_t addr)
{
   Slot        key;
   const Slot* slot;

   if (s->n == 0
       || !(s->machine == EM_AARCH64 ? arm64_slot(code, size, addr, &key.addr)
            : x86_slot(s, code, size, addr, &key.addr)))
      return NULL;
   slot = bsearch(&key, s->slots, s->n, sizeof(key), by_addr);
   return slot == NULL ? NULL : slot->name;
}
