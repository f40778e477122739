/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The load addresses of ELF files. */

#ifndef DCFG_CMD_LINK_BASE_H
#define DCFG_CMD_LINK_BASE_H

#include <stdint.h>

/* Return the address that the linker gave to the first byte of the ELF file
   PATH: 0 for libraries and most programs, and if the file cannot be read. */
uint64_t link_base(const char* path);

/* FileType: whether an ELF file can be loaded anywhere, as a
   position-independent program is. */
typedef enum { FILE_UNKNOWN, FILE_STAYS, FILE_MOVES } FileType;

/* Return the type of the ELF file PATH; FILE_UNKNOWN: it cannot be read. */
FileType file_type(const char* path);

#endif /* DCFG_CMD_LINK_BASE_H */
