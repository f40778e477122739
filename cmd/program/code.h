/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The code of images, from their files. */

#ifndef DCFG_CMD_CODE_H
#define DCFG_CMD_CODE_H

#include "cmd/base/names.h"
#include "cmd/machine/processor.h"
#include "cmd/program/elf_file.h"

/* Code: code as it is in files now; the DCFG itself has none. */
typedef struct Code Code;

/* Make a reader of code.  Images are looked for below ROOT, if that is not
   NULL. ATT: AT&T's syntax, not Intel's. */
Code* code_new(const Program* g, const char* root, bool att);
void  code_free(Code* c);

/* Likewise, without messages. */
Code* code_quiet(const Program* g, const char* root);

/* Return whether a file was another build than its image.  Its code is not used
   then, and a message has been printed. */
bool code_was_other(const Code* c);

/* Translate ADDR in the program's run to the file's own address, which objdump
   shows.  Return False if the file cannot be read. */
bool code_file_addr(Code* c, uint32_t image, uint64_t addr,
                    uint64_t* file_addr);

/* Return the image's file, for other contents, and its path; NULL if it cannot
   be read.  For reading only. */
struct Elf* code_elf(Code* c, uint32_t image);
const char* code_path(Code* c, uint32_t image);

/* Return why the image's file cannot be read, as a sentence; NULL if it can.  The
   sentence lasts as long as C. */
const char* code_missing(Code* c, uint32_t image);

/* Return the function whose stub in a procedure linkage table is the code at
   ADDR of the run; NULL if there is no stub. */
const char* code_stub(Code* c, uint32_t image, uint64_t addr);

/* Call TELL for each instruction of a block.  Return False, without calls, if
   the code is not available; the reason is printed once for an image. */
bool code_block(Code* c, uint32_t node, void (*tell)(void*, const Instr*),
                void* arg);

/* Likewise for SIZE bytes at ADDR of the run, executed or not, without
   messages. */
bool code_range(Code* c, uint32_t image, uint64_t addr, uint64_t size,
                void (*tell)(void*, const Instr*), void* arg);

/* Find the begins of the N instructions that SIZE bytes at ADDR are for
   Valgrind, relative to ADDR.  Valgrind takes the preamble of a client request
   and the next instruction for one.  Return False if there is no code, or less
   than SIZE. */
bool code_starts(Code* c, uint32_t image, uint64_t addr, uint32_t size,
                 uint32_t n, uint32_t* starts);

/* Sameness: the comparison of an image with its file.  A DCFG has no code, and
   often no build id, so blocks and symbols are compared. */
typedef
   struct {
      uint64_t blocks;          // executed blocks whose instructions were
                                // compared
      uint64_t unknown;         // among these, with unreadable code
      uint64_t targets;         // targets of direct jumps and calls
      uint64_t symbols;         // names that both have
      char     build_id[BUILD_ID_SIZE];  // the file's; "" if it has none
      char     difference[256]; // the first one; "" if there is none
   }
   Sameness;

/* Compare.  Return False, after a message, if the file cannot be read. */
bool compare_with_file(Code* c, const Program* g, uint32_t image, Sameness* s);

#endif /* DCFG_CMD_CODE_H */
