/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of images, blocks and routines. */

#ifndef DCFG_CMD_NAMES_H
#define DCFG_CMD_NAMES_H

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"

#include "lib/dcfg.h"

/* Program: a process with its file. */
typedef
   struct {
      const Dcfg*        d;
      const DcfgProcess* p;
      bool               mangled;       // do not demangle names
   }
   Program;

/* Return the path of an image's file as the DCFG has it, to be opened or
   compared; "?" if there is none. */
const char* image_file(const Program* g, uint32_t image);

/* Return the path for people. */
const char* image_path(const Program* g, uint32_t image);

/* Return for example "libc.so.6". */
const char* image_name(const Program* g, uint32_t image);

/* Return a symbol for people: demangled, unless .mangled. */
const char* symbol_name(const Program* g, const char* symbol);

/* Return the function of a node: "name", "name+0x12"; without a symbol
   "libc.so.6+0x1234"; for special nodes START and END.  Return a routine's
   name. */
const char* node_name(const Program* g, uint32_t node);

const char* routine_name(const Program* g, uint32_t routine);

/* Return IMAGE's block that has the byte at ADDR, as dcfg_node_at() prefers it;
   DCFG_NONE if there is none.  Other images may have had code there at other
   times. */
uint32_t image_node_at(const DcfgProcess* p, uint32_t image, uint64_t addr);

/* Return the symbol of a node or a routine; NULL if it has none. */
const char* node_symbol(const Program* g, uint32_t node);
const char* routine_symbol(const Program* g, uint32_t routine);

/* Return whether NODE is as small as a stub of a linkage table. */
bool is_small_stub(const DcfgProcess* p, uint32_t node);

/* Return the symbol of the function that a stub jumps to most often, or
   DCFG_NONE.  A stub is a block without a symbol that jumps to a function;
   people call it by that function's name. */
uint32_t stub_target(const DcfgProcess* p, uint32_t node);

/* Return the name of the target of code in IMAGE, executed or not. */
const char* target_name(const Program* g, uint32_t image, uint64_t addr);

/* Return for example "file.c:12", or "". */
const char* source_place(const Program* g, uint32_t image, uint64_t addr);
const char* node_source(const Program* g, uint32_t node);

/* PathFit: how well a pattern matches a path or its last part.  The paths that
   match best are meant: names may have brackets, too, as [anon] has. */
typedef
   enum {
      FIT_NOT,
      FIT_PART,                 // is a part of the name
      FIT_GLOB,                 // matches with * ? [ ] as in a shell
      FIT_ALL                   // is equal
   }
   PathFit;

/* Return how well PATTERN matches an image's path.  "main" is the name of
   PROGRAM, if that is not NULL. */
PathFit image_fit(const Program* g, uint32_t image, const char* pattern);
PathFit path_fit(const char* path, const char* pattern, const char* program);

/* Return whether GLOB has one of * ? [, and matches TEXT as in a shell. */
bool glob_fits(const char* glob, const char* text);

/* Return whether a user's NAME means SYMBOL: as it is, or as in the source,
   where parameters and template arguments may be left out. */
bool symbol_is(const char* symbol, const char* name);

/* Find the routines that a user means by WHAT: a routine's name, mangled or
   not, with or without parameters; its address in hexadecimal; its entry's node
   id after '#'.  Write at most MAX to FOUND.  Return how many there are. */
uint32_t find_routines(const Program* g, const char* what, uint32_t* found,
                       uint32_t max);

/* Offer names for "did you mean": a function's NAME, also its part behind the
   last "::" and before brackets; the PATH of an image, also its file's name,
   with and without the part behind a dot. */
void offer_function(Nearest* n, const char* name);
void offer_image(Nearest* n, const char* path);

/* Return "; did you mean `a' or `b'?" for a name that no routine, function or
   image has; or "". */
const char* nearest_routines(const Program* g, const char* what);
const char* nearest_functions(const Program* g, const char* what);
const char* nearest_images(const Program* g, const char* pattern);

/* Return the rest of a message about a source that is not there: the program in
   the file at PATH has no source lines. */
const char* no_source_lines(const char* path);

/* Return the routine that WHAT means, the one with most instructions if there
   are several.  Exit if there is none. */
uint32_t the_routine(const Program* g, const char* what);

/* Return the file's process with most instructions. */
const DcfgProcess* main_process(const Dcfg* d);

/* Return the path of the program: the first image. */
const char* program_name(const Program* g);

/* Return whether IMAGE belongs to PROGRAM: it is the program, a file beside it,
   or code without a file.  True if one is NULL, which means unknown.  Also true
   if the image's path or name matches OWN, a shell pattern or NULL. */
bool is_of_program(const char* image, const char* program, const char* own);

/* Return whether IMAGE is the program, a file beside it, or code without a
   file, which the program made itself. */
bool is_own_image(const Program* g, uint32_t image);

/* Return the library that executed more than half of THREAD's instructions (or of
   all, for DCFG_ALL_THREADS): the program is a front for it.  DCFG_NONE: there is
   none; the C library and the dynamic linker do not count. */
uint32_t main_library(const Program* g, uint32_t thread);

/* Return for example "+ 285 routines in 5 libraries: 69.2% of instructions;
   --all", for what THREAD (or all for DCFG_ALL_THREADS) executed in images that
   are not the program's own; NULL: nothing.  Valid until text_forget(). */
const char* rest_text(const Program* g, uint32_t thread);

/* Return the command line that is recorded of process P, for people: of a sum
   that of the first run, and how many more there are.  NULL: none is
   recorded. */
const char* run_command(const DcfgProcess* p);

/* Return the rest of what is recorded of run R, on one line: start, working
   directory, tool and processor.  Return NULL for NULL, as the .runs of a
   process are if nothing is recorded. */
const char* run_surroundings(const DcfgRun* r);

#endif /* DCFG_CMD_NAMES_H */
