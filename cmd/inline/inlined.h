/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Inlined functions of a process. */

#ifndef DCFG_CMD_INLINED_H
#define DCFG_CMD_INLINED_H

#include "cmd/inline/scope_names.h"
#include "cmd/machine/code.h"

/* Inlined: what debug information says of functions that were inlined in a
   process's images.  An image's is read when it is first asked for; if that
   cannot be done, that is said once.

   A scope is a function with code of its own, or an instance of an inlined one
   (DW_TAG_inlined_subroutine), in any image; a function is one of the source,
   which may have any number of both.  Both are numbers here. */
typedef struct Inlined Inlined;

#define NO_SOURCE_FUNCTION UINT32_MAX

/* Images' files are looked for below ROOT, if that is not NULL. */
Inlined*    inlined_new(const Program* g, const char* root);
void        inlined_free(Inlined* in);

/* The code of the images. */
Code*       inlined_code(Inlined* in);

/* The innermost scope with ADDR, of the run, in IMAGE, or NO_SCOPE; *END: up to
   there it is so. */
uint32_t    inlined_at(Inlined* in, uint32_t image, uint64_t addr,
                       uint64_t* end);

/* Has IMAGE been asked for? */
bool        inlined_is_read(const Inlined* in, uint32_t image);

/* Do not read IMAGE, unless that has been done: nobody wants its scopes. */
void        inlined_leave_out(Inlined* in, uint32_t image);

/*--- Scopes                                               ---*/

/* How many there are so far; more come as images are read. */
uint32_t    inlined_scopes(const Inlined* in);

/* The scope that SCOPE was inlined into; NO_SCOPE: it is a function. */
uint32_t    inlined_parent(const Inlined* in, uint32_t scope);

/* The function that has the scope's code. */
uint32_t    inlined_outer(const Inlined* in, uint32_t scope);

/* The nearest scope that two have in common, of which one may be it; or
   NO_SCOPE.  Both may be NO_SCOPE. */
uint32_t    inlined_common(const Inlined* in, uint32_t x, uint32_t y);

uint32_t    inlined_image(const Inlined* in, uint32_t scope);

/* Return where a function begins in the run, or an instance's DW_AT_entry_pc; or
   NO_ADDR. */
uint64_t    inlined_entry(const Inlined* in, uint32_t scope);

/* Return the path and the line of an instance's call; the line is 0 if nobody
   knows it. */
const char* inlined_call_file(const Inlined* in, uint32_t scope);
uint32_t    inlined_call_line(const Inlined* in, uint32_t scope);

/* The same as "t1.c:14". */
const char* inlined_site(const Inlined* in, uint32_t scope);

/* The line of the instruction at ADDR in IMAGE, of which SCOPE is the innermost
   scope, or NO_SCOPE; 0: it is of no line.  False if that is not known. */
bool        inlined_line(const Inlined* in, uint32_t image, uint64_t addr,
                         uint32_t scope, const char** file, uint32_t* line);

/*--- Functions                                            ---*/

/* The number of the function that SCOPE is a copy or instance of. */
uint32_t    inlined_function(Inlined* in, uint32_t scope);

/* The number of the function SYMBOL of IMAGE's file, of which no debug
   information is known: that of a function there which has that name, or a
   new one. */
uint32_t    inlined_function_named(Inlined* in, uint32_t image,
                                   const char* symbol);

uint32_t    inlined_functions(const Inlined* in);

/* Number all functions that were inlined somewhere in compilation units with code
   that ran; of some no code may be left. */
void        inlined_find_functions(Inlined* in);

/* An image that has FUNCTION. */
uint32_t    inlined_function_image(const Inlined* in, uint32_t function);

/* Return a function's name and declaration, which last as long as IN. */
const InlinedFunction* inlined_function_info(const Inlined* in,
                                             uint32_t function);

/* As people say it, and where it is declared, "" if that is not known; both
   last until text_forget(). */
const char* inlined_name(const Inlined* in, uint32_t function);
const char* inlined_source(const Inlined* in, uint32_t function);

/* The name of SCOPE's function; of a function with code of its own that of its
   symbol, which may be a part or a copy.  Lasts until text_forget(). */
const char* inlined_scope_name(Inlined* in, uint32_t scope);

/* "branchy, at t1.c:14 main": the functions around SCOPE's instance, each but
   the first with where in it the one before is called; "" of a function.  Lasts
   until text_forget(). */
const char* inlined_around(Inlined* in, uint32_t scope);

/* "t1.c:8 leaf, at t1.c:11 branchy, at t1.c:14 main": line and function of the
   instruction at ADDR in IMAGE, of which SCOPE is the innermost scope, or
   NO_SCOPE; and what is around.  "?" for what is not known.  Lasts until
   text_forget(). */
const char* inlined_chain_text(Inlined* in, uint32_t image, uint64_t addr,
                               uint32_t scope);

#endif /* DCFG_CMD_INLINED_H */
