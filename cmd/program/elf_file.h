/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   ELF files: build, debug information, first address, stubs. */

#ifndef DCFG_CMD_ELF_FILE_H
#define DCFG_CMD_ELF_FILE_H

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set *H to the next program header of TYPE, from number *I on, which becomes the
   one behind.  Return false if there is none; there is none of NULL. */
bool next_header(Elf* elf, uint32_t type, size_t* i, GElf_Phdr* h);

/* Size of a build id in hexadecimal; longer ones are cut, as in recordings. */
#define BUILD_ID_SIZE 129

/* Find the build id of ELF, with or without sections; "" if it has none. */
void find_build_id(Elf* elf, char id[BUILD_ID_SIZE]);

/* Return how ELF differs from the image of a recording with BUILD_ID or
   CODE_HASH, of which one may be NULL; NULL if it does not differ, or nothing
   is known.  ELF is the image's file, or debug information, as it is now. */
const char* build_difference(Elf* elf, const char* build_id,
                             const char* code_hash);

/* Return how MODULE's debug information, which may be in a file of its own,
   differs from the image with BUILD_ID: a whole sentence; NULL if nothing
   differs. */
const char* debug_difference(Dwfl_Module* module, const char* build_id);

/* Return the message about the file at PATH with its DIFFERENCE, the same for
   all commands. */
const char* not_executed(const char* path, const char* difference);

/* Open the ELF file at PATH with its debug information, which may be in a file
   of its own.  NULL if that cannot be done, or if the debug information is of
   another build than BUILD_ID (NULL: any is right); *WHY, unless WHY is NULL,
   then says so and lasts until text_forget().  Else end it with dwfl_end(). */
Dwfl* debug_file_open(const char* path, const char* build_id,
                      Dwfl_Module** module, const char** why);

/* Open the ELF file at PATH likewise, without a look at its debug information:
   debug_difference() is left to the caller.  Addresses are those of the file, or
   with *LOAD those of a run that had the file there. */
Dwfl* debug_file_begin(const char* path, const uint64_t* load,
                       Dwfl_Module** module, const char** why);

/* Return the unit that has all entries of UNIT: with -gsplit-dwarf that of its .dwo
   file.  Without such a file it is UNIT. */
Dwarf_Die whole_unit(const Dwarf_Die* unit);

/* Return the file in which DIE is declared, or NULL.  dwarf_decl_file() of some
   versions of libdw ends the program unless the unit's list of files was read. */
const char* declaring_file(Dwarf_Die* die);

/* Return the address that the linker gave to the first byte of the ELF file
   PATH: 0 for libraries and most programs, and if the file cannot be read. */
uint64_t link_base(const char* path);

/* FileType: whether an ELF file can be loaded anywhere, as a
   position-independent program is. */
typedef enum { FILE_UNKNOWN, FILE_STAYS, FILE_MOVES } FileType;

/* Return the type of the ELF file PATH; FILE_UNKNOWN: it cannot be read. */
FileType file_type(const char* path);

/* Stubs: a stub jumps to the address in a slot of the global offset table; the
   slot's relocation tells the function. */
typedef struct Stubs Stubs;

/* Find the stubs of an ELF file for x86-64, x86 or arm64; other files have
   none. */
Stubs* stubs_new(Elf* elf);
void   stubs_free(Stubs* s);

/* Return the function whose stub is the SIZE bytes of CODE, at ADDR in the
   file; NULL if it is no stub. */
const char* stubs_name(const Stubs* s, const uint8_t* code, size_t size,
                       uint64_t addr);

/* The most bytes of a stub. */
#define LONGEST_STUB 12

#endif /* DCFG_CMD_ELF_FILE_H */
