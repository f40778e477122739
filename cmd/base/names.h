/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What things in a program are called. */

#ifndef DCFG_CMD_NAMES_H
#define DCFG_CMD_NAMES_H

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/nearest.h"

#include "lib/dcfg.h"

/* A process with the file it is from. */
typedef
   struct {
      const Dcfg*        d;
      const DcfgProcess* p;
      bool               mangled;       // leave names as they are
   }
   Program;

/* An image's file as the DCFG names it, to be opened or compared; "?" without
   one. */
const char* image_file(const Program* g, uint32_t image);

/* The same as it is shown. */
const char* image_path(const Program* g, uint32_t image);

/* "libc.so.6" */
const char* image_name(const Program* g, uint32_t image);

/* A symbol as it is shown: demangled, if names are not left as they are. */
const char* symbol_name(const Program* g, const char* symbol);

/* The function that holds a node: "name", "name+0x12"; without a symbol
   "libc.so.6+0x1234".  START and END are so called. */
const char* node_name(const Program* g, uint32_t node);

const char* routine_name(const Program* g, uint32_t routine);

/* The same for where code of IMAGE leads to, executed or not. */
const char* target_name(const Program* g, uint32_t image, uint64_t addr);

/* "file.c:12", or "" */
const char* source_place(const Program* g, uint32_t image, uint64_t addr);
const char* node_source(const Program* g, uint32_t node);

/* How well PATTERN, with * ? [ ] as in a shell, fits an image's path or name.
   Without any of these characters it may be a part of the name; "main" is all of
   that of PROGRAM, if that is not NULL.  The images that fit best are meant. */
typedef enum { FIT_NOT, FIT_PART, FIT_ALL } PathFit;

PathFit image_fit(const Program* g, uint32_t image, const char* pattern);
PathFit path_fit(const char* path, const char* pattern, const char* program);

/* Does somebody mean SYMBOL by NAME: as it is, or as in the source, where
   parameters and template arguments may be left out? */
bool symbol_is(const char* symbol, const char* name);

/* What somebody means by WHAT: a routine's name, as it is or demangled, with
   or without parameters; its address, hexadecimal; its entry's node id after
   '#'.  Fills FOUND, of MAX, and returns how many there are. */
uint32_t find_routines(const Program* g, const char* what, uint32_t* found,
                       uint32_t max);

/* Offer a function's NAME, also for its part behind the last "::" and before
   what is in brackets; the PATH of an
   image, also for its file's name, with and without what follows a dot. */
void offer_function(Nearest* n, const char* name);
void offer_image(Nearest* n, const char* path);

/* "; did you mean `a' or `b'?" for a name that no routine, function or image
   has; or "". */
const char* nearest_routines(const Program* g, const char* what);
const char* nearest_functions(const Program* g, const char* what);
const char* nearest_images(const Program* g, const char* pattern);

/* The one routine that is meant: that with most instructions, if there are
   several; dies without one. */
uint32_t the_routine(const Program* g, const char* what);

/* The file's process with most instructions. */
const DcfgProcess* main_process(const Dcfg* d);

/* The image whose code is the program's own: the first. */
const char* program_name(const Program* g);

#endif /* DCFG_CMD_NAMES_H */
