/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The load addresses of ELF files. */

/* Owns: the address of an ELF file's first byte, and whether it is fixed.
   Handed: a path. */

#include "cmd/program/link_base.h"

#include "cmd/base/cmd.h"

#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

/* Open the ELF file PATH; NULL: it cannot be read.  The caller closes *FD, if
   that is not -1. */
static Elf* open_elf(const char* path, int* fd)
{
   *fd = open_regular(path);
   if (*fd < 0)
      return NULL;
   elf_version(EV_CURRENT);
   return elf_begin(*fd, ELF_C_READ_MMAP, NULL);
}

static void close_elf(Elf* elf, int fd)
{
   elf_end(elf);
   if (fd >= 0)
      close(fd);
}

uint64_t link_base(const char* path)
{
   int      fd;
   Elf*     elf = open_elf(path, &fd);
   size_t   n = 0;
   uint64_t base = 0;

   if (elf == NULL || elf_getphdrnum(elf, &n) != 0)
      n = 0;
   for (size_t i = 0; i < n; i++) {
      GElf_Phdr h;
      if (gelf_getphdr(elf, (int)i, &h) == NULL || h.p_type != PT_LOAD)
         continue;
      base = h.p_vaddr - h.p_offset;
      break;
   }
   close_elf(elf, fd);
   return base;
}

FileType file_type(const char* path)
{
   int       fd;
   Elf*      elf = open_elf(path, &fd);
   GElf_Ehdr h;
   FileType  type = FILE_UNKNOWN;

   if (elf != NULL && gelf_getehdr(elf, &h) != NULL)
      type = h.e_type == ET_DYN ? FILE_MOVES : FILE_STAYS;
   close_elf(elf, fd);
   return type;
}
