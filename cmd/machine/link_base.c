/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The address of a file's first byte. */

/* Owns: the address of an ELF file's first byte.  Handed: a path.  Taken by:
   log_names.c. */

#include "cmd/machine/link_base.h"

#include "cmd/base/cmd.h"

#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

uint64_t link_base(const char* path)
{
   int      fd = open_regular(path);
   Elf*     elf;
   size_t   n = 0;
   uint64_t base = 0;

   if (fd < 0)
      return 0;
   elf_version(EV_CURRENT);
   elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
   if (elf == NULL || elf_getphdrnum(elf, &n) != 0)
      n = 0;
   for (size_t i = 0; i < n; i++) {
      GElf_Phdr h;
      if (gelf_getphdr(elf, (int)i, &h) == NULL || h.p_type != PT_LOAD)
         continue;
      base = h.p_vaddr - h.p_offset;
      break;
   }
   elf_end(elf);
   close(fd);
   return base;
}
