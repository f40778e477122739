/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors. */

/* Owns: the list of processors, and questions about them.  Handed: rows by
   machine_NAME.c; files, whole execution traces and code of their
   instructions, names of registers. */

#include "cmd/machine/processor.h"

#include <capstone/capstone.h>
#include <gelf.h>
#include <string.h>

#define POINTER(name) &machine_##name,

static const Processor* const processors[] = { PROCESSORS(POINTER) };

#define N_PROCESSORS (sizeof(processors) / sizeof(processors[0]))

const Processor* processor_of(DcfgWet* w)
{
   return dcfg_wet_instrs(w) == 0 ? processors[0]
          : processor_numbered(dcfg_wet_instr(w, 0)->machine);
}

const Processor* processor_numbered(uint32_t machine)
{
   for (size_t i = 0; i < N_PROCESSORS; i++)
      if (processors[i]->machine == machine)
         return processors[i];
   return processors[0];
}

const Processor* processor_of_file(Elf* elf, int* mode)
{
   GElf_Ehdr h;

   if (gelf_getehdr(elf, &h) == NULL)
      return NULL;
   for (size_t i = 0; i < N_PROCESSORS; i++) {
      const Processor* p = processors[i];
      if (p->machine != h.e_machine
          || (p->elf_class != 0 && p->elf_class != h.e_ident[EI_CLASS]))
         continue;
      *mode = p->mode;
      if (h.e_ident[EI_DATA] == ELFDATA2MSB)
         *mode |= (int)CS_MODE_BIG_ENDIAN;
      return p;
   }
   return NULL;
}

bool is_instr_size(uint32_t size)
{
   for (size_t i = 0; i < N_PROCESSORS; i++)
      if (size <= processors[i]->longest || size == processors[i]->request)
         return true;
   return false;
}

uint32_t longest_instr(void)
{
   uint32_t most = 0;

   for (size_t i = 0; i < N_PROCESSORS; i++)
      if (processors[i]->request > most)
         most = processors[i]->request;
   return most;
}

uint32_t constant_number(const DcfgWetInstr* in)
{
   return processor_numbered(in->machine)->constant_number(in);
}

bool makes_frame(const DcfgWetInstr* in)
{
   return processor_numbered(in->machine)->makes_frame(in);
}

bool is_atomic(const DcfgWetInstr* in)
{
   return processor_numbered(in->machine)->is_atomic(in);
}

uint32_t register_named(const Processor* p, const char* name)
{
   for (uint32_t i = 0; i < MAX_GENERAL && p->general[i] != NULL; i++)
      if (strcmp(name, p->general[i]) == 0)
         return i;
   return p->part_named(name);
}

uint32_t register_of_dwarf(const Processor* p, unsigned number)
{
   if (number < p->n_dwarf_general)
      return p->dwarf_general == NULL ? number : p->dwarf_general[number];
   return number >= p->dwarf_vector
          && number - p->dwarf_vector < p->n_dwarf_vector
          ? MAX_GENERAL + number - p->dwarf_vector : UINT32_MAX;
}
