
/*--------------------------------------------------------------------*/
/*--- Stubs of procedure linkage tables.                   stubs.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: which function a stub stands for.  Handed: an ELF file.  Taken by:
   code.c.

   Neither a DCFG nor the file has symbols for stubs.  Their names are made up
   from the file's relocations, as objdump does. */

#include "stubs.h"

#include "cmd.h"

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
   Slot*  slots;                // in order of address
   size_t n, room;
};

static int by_addr(const void* a, const void* b)
{
   const Slot* x = a;
   const Slot* y = b;

   return x->addr < y->addr ? -1 : x->addr > y->addr;
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
   for (int i = 0; gelf_getrela(data, i, &r) != NULL; i++) {
      GElf_Sym    symbol;
      const char* name;
      if (GELF_R_TYPE(r.r_info) != R_X86_64_JUMP_SLOT
          && GELF_R_TYPE(r.r_info) != R_X86_64_GLOB_DAT)
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

Stubs* stubs_new(Elf* elf)
{
   Stubs*   s = zalloc(1, sizeof(*s));
   Elf_Scn* section = NULL;

   while ((section = elf_nextscn(elf, section)) != NULL) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) != NULL
          && header.sh_type == SHT_RELA)
         add_slots(s, elf, section, &header);
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

/* A stub is "jmp *slot(%rip)", perhaps with the prefix bnd, perhaps behind an
   endbr64. */
const char* stubs_name(const Stubs* s, const uint8_t* code, size_t size,
                       uint64_t addr)
{
   static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
   size_t               at = 0;
   Slot                 key;
   const Slot*          slot;
   int32_t              offset;

   if (size >= 4 && memcmp(code, endbr64, 4) == 0)
      at = 4;
   if (size > at && code[at] == 0xf2)
      at++;
   if (size < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
      return NULL;
   memcpy(&offset, code + at + 2, 4);
   key.addr = addr + at + 6 + (uint64_t)(int64_t)offset;
   slot = s->n == 0 ? NULL
          : bsearch(&key, s->slots, s->n, sizeof(key), by_addr);
   return slot == NULL ? NULL : slot->name;
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
