/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Inlined functions of a process, and of a whole execution trace. */

#ifndef DCFG_CMD_INLINED_H
#define DCFG_CMD_INLINED_H

#include "cmd/program/code.h"
#include "cmd/program/debug.h"
#include "cmd/program/scopes.h"

/* Inlined: what debug information says of functions inlined in a process's
   images.  An image's debug information is read when it is first needed.  If
   that fails, the user is told once.

   A scope is a function with code of its own, or an instance of an inlined one
   (DW_TAG_inlined_subroutine), in any image.  A function is one of the source,
   with any number of both.  Both are numbers here. */
typedef struct Inlined Inlined;

#define NO_SOURCE_FUNCTION UINT32_MAX

/* Make it for G.  Images' files are looked for below ROOT, if that is not NULL.
   ALL: number the scopes of code that did not run, too.  QUIET: do not say why an
   image cannot be read. */
Inlined*    inlined_new(const Program* g, const char* root, bool all,
                        bool quiet);
void        inlined_free(Inlined* in);

/* Return the code of the images. */
Code*       inlined_code(Inlined* in);

/* Return the innermost scope with ADDR, an address of the run, in IMAGE, or
   NO_SCOPE.  The answer is the same up to *END. */
uint32_t    inlined_at(Inlined* in, uint32_t image, uint64_t addr,
                       uint64_t* end);

/* Return whether IMAGE was read. */
bool        inlined_is_read(const Inlined* in, uint32_t image);

/* Do not read IMAGE: nobody needs its scopes.  No effect if it was read
   already. */
void        inlined_leave_out(Inlined* in, uint32_t image);

/*--- Scopes                                               ---*/

/* Return the number of scopes, of functions so far; it grows as images are
   read. */
uint32_t    inlined_scopes(const Inlined* in);

/* Return the scope that SCOPE was inlined into; NO_SCOPE for a function. */
uint32_t    inlined_parent(const Inlined* in, uint32_t scope);

/* Return the function, a scope, that has the scope's code. */
uint32_t    inlined_outer(const Inlined* in, uint32_t scope);

/* Return the nearest scope around both X and Y, which may be one of them; or
   NO_SCOPE.  Both may be NO_SCOPE. */
uint32_t    inlined_common(const Inlined* in, uint32_t x, uint32_t y);

uint32_t    inlined_image(const Inlined* in, uint32_t scope);

/* Return the address in the run where a function begins, or an instance's
   DW_AT_entry_pc; or NO_ADDR. */
uint64_t    inlined_entry(const Inlined* in, uint32_t scope);

/* Return the path and the line of an instance's call; line 0 if it is not
   known. */
const char* inlined_call_file(const Inlined* in, uint32_t scope);
uint32_t    inlined_call_line(const Inlined* in, uint32_t scope);

/* Return the same as "t1.c:14". */
const char* inlined_site(const Inlined* in, uint32_t scope);

/* Get the line of the instruction at ADDR in IMAGE; 0: it has none.  SCOPE: its
   innermost scope, or NO_SCOPE.  Return false if the line is not known. */
bool        inlined_line(const Inlined* in, uint32_t image, uint64_t addr,
                         uint32_t scope, const char** file, uint32_t* line);

/*--- Functions                                            ---*/

/* Return the number of the function that SCOPE is a copy or instance of. */
uint32_t    inlined_function(Inlined* in, uint32_t scope);

/* Return the number of the function SYMBOL of IMAGE's file, without debug
   information: the number of a function there with that name, or a new one. */
uint32_t    inlined_function_named(Inlined* in, uint32_t image,
                                   const char* symbol);

uint32_t    inlined_functions(const Inlined* in);

/* Number all functions that were inlined somewhere in compilation units with
   code that ran.  Some have no code. */
void        inlined_find_functions(Inlined* in);

/* Return an image that has FUNCTION. */
uint32_t    inlined_function_image(const Inlined* in, uint32_t function);

/* Return a function's name and declaration, valid as long as IN. */
const InlinedFunction* inlined_function_info(const Inlined* in,
                                             uint32_t function);

/* Return the demangled name; return the place of the declaration, or "".  Both
   are valid until text_forget(). */
const char* inlined_name(const Inlined* in, uint32_t function);
const char* inlined_source(const Inlined* in, uint32_t function);

/* Return the name of SCOPE's function; for a function with code of its own that
   of its symbol, which may be a part or a copy.  Valid until text_forget(). */
const char* inlined_scope_name(Inlined* in, uint32_t scope);

/* Return the functions around SCOPE's instance, "branchy, at t1.c:14 main":
   each but the first with the line that calls the one before.  "" for a
   function.  Valid until text_forget(). */
const char* inlined_around(Inlined* in, uint32_t scope);

/* Return "t1.c:8 leaf, at t1.c:11 branchy, at t1.c:14 main": line and function
   of the instruction at ADDR in IMAGE, and the functions around.  SCOPE: its
   innermost scope, or NO_SCOPE.  "?" for what is not known.  Valid until
   text_forget(). */
const char* inlined_chain_text(Inlined* in, uint32_t image, uint64_t addr,
                               uint32_t scope);

/* InlinedTrace: the functions that a trace's instructions were inlined into.
   An image's debug information is read when it is first needed.  If that fails,
   the user is told once. */
typedef struct InlinedTrace InlinedTrace;

/* Make it for P, which lasts until inlined_trace_free(). */
InlinedTrace* inlined_trace_new(TraceProgram* p);
void          inlined_trace_free(InlinedTrace* t);

/* InlinedFrame: a function, and a line in it: in the first frame the
   instruction's, in each other frame that of the call of the frame before. */
typedef
   struct {
      const char* function;
      const char* file;         // path, or "?"
      uint32_t    line;         // 0: not known
   }
   InlinedFrame;

/* Set *FRAMES to the functions of instruction INSTR, the innermost first, and
   return their number; 0 if its code was not inlined, or if that is not known.
   They are valid until the next call, their texts until text_forget(). */
uint32_t      inlined_trace_frames(InlinedTrace* t, uint32_t instr,
                                   const InlinedFrame** frames);

/* Return the same as "leaf, at t1.c:11 branchy, at t1.c:14 main", without the
   line of the instruction; "" without frames. */
const char*   inlined_trace_text(InlinedTrace* t, uint32_t instr);

#endif /* DCFG_CMD_INLINED_H */
