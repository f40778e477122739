/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The code of images, from their files. */

#ifndef DCFG_CMD_CODE_H
#define DCFG_CMD_CODE_H

#include "cmd/base/names.h"
#include "cmd/machine/machines.h"

/* Code as it is in files now; the DCFG itself has none. */
typedef struct Code Code;

/* Paths of images are looked for below ROOT, if that is not NULL.  AT&T
   syntax or Intel's. */
Code* code_new(const Program* g, const char* root, bool att);
void  code_free(Code* c);

/* Likewise, and nothing is said if code cannot be had. */
Code* code_quiet(const Program* g, const char* root);

/* Was a file another build than its image?  Its code is not had then, and that
   has been said. */
bool code_was_other(const Code* c);

/* Where the image's file has what was at ADDR in the program's run: the
   address that objdump shows.  False if the file cannot be read. */
bool code_file_addr(Code* c, uint32_t image, uint64_t addr,
                    uint64_t* file_addr);

/* The image's file, for what else is in it, and its path; NULL if it cannot be
   read.  For reading only. */
struct Elf* code_elf(Code* c, uint32_t image);
const char* code_path(Code* c, uint32_t image);

/* The function for which the code at ADDR, in the program's run, is a stub of a
   procedure linkage table; NULL if it is none. */
const char* code_stub(Code* c, uint32_t image, uint64_t addr);

/* Call TELL for each instruction of a block.  False, and nothing is told, if
   its code is not to be had; why is said on stderr, once for an image. */
bool code_block(Code* c, uint32_t node, void (*tell)(void*, const Instr*),
                void* arg);

/* The same for SIZE bytes at ADDR, in the program's run, executed or not; says
   nothing. */
bool code_range(Code* c, uint32_t image, uint64_t addr, uint64_t size,
                void (*tell)(void*, const Instr*), void* arg);

/* Where the N instructions begin that SIZE bytes at ADDR are for Valgrind, which
   takes the preamble of a client request and what follows it for one; relative
   to ADDR.  False if there is no code, or not that much of it. */
bool code_starts(Code* c, uint32_t image, uint64_t addr, uint32_t size,
                 uint32_t n, uint32_t* starts);

#endif /* DCFG_CMD_CODE_H */
