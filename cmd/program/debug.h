/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of a trace's images. */

#ifndef DCFG_CMD_DEBUG_H
#define DCFG_CMD_DEBUG_H

#include "cmd/machine/processor.h"

#include "lib/dcfg_wet.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

typedef struct DebugImages DebugImages;

/* DebugImage: the file of an image, at its address in the run, with its debug
   information. */
typedef
   struct {
      Dwfl*        dwfl;
      Dwfl_Module* module;
      uint64_t     low, high;   // addresses of the run
      struct UnitCode* code;    // by .low, made when needed
      size_t       n_code;
      struct Units*   units;    // made by variable_place.c when needed
      struct Statics* statics;  // made by variable_place.c when needed
      struct Stubs*   stubs;    // made by code_words.c when needed
   }
   DebugImage;

/* Return the images of W, unopened.  Files are looked for below ROOT first,
   unless it is NULL. */
DebugImages* debug_images_new(DcfgWet* w, const char* root);
void         debug_images_free(DebugImages* d, void (*forget)(DebugImage* m));

/* Return the image of instruction INSTR, opened once.  Return NULL if its file
   cannot be read or is another build.  Then *WHY is a sentence that says so,
   unless WHY is NULL; it lives as long as D. */
DebugImage* debug_image(DebugImages* d, uint32_t instr, const char** why);

/* Return the image that had ADDR at time T, as image_at() does, or NULL. */
DebugImage* debug_image_at(DebugImages* d, uint64_t addr, uint64_t t);

/* Return the number of images; return image number K, or NULL if its file
   cannot be used. */
uint32_t    debug_images_n(const DebugImages* d);
DebugImage* debug_image_numbered(DebugImages* d, uint32_t k);

/* Return whether image K is mapped at time T; return its name. */
bool        debug_image_is_there(DebugImages* d, uint32_t k, uint64_t t);
const char* debug_image_name(DebugImages* d, uint32_t k);

/* Return the unit of the image with the code at ADDR, and in *BIAS the run's
   address minus the file's; NULL if there is none. */
Dwarf_Die* debug_unit(DebugImage* m, uint64_t addr, Dwarf_Addr* bias);

/* Find the rule for the call frame address just before the code at ADDR, an
   address of the run, in image M: *OFFSET + the value of register *REG.  Return
   false if M has none, or one of another form. */
bool frame_rule(const DebugImage* m, const Processor* p, uint64_t addr,
                unsigned* reg, int64_t* offset);

/* FunctionStarts: where the functions of a trace's images begin.  Stripped files
   have that, too, for exceptions. */
typedef struct FunctionStarts FunctionStarts;

/* Prepare for W.  Files are looked for below ROOT first, unless that is
   NULL. */
FunctionStarts* function_starts_new(DcfgWet* w, const char* root);
void            function_starts_free(FunctionStarts* s);

/* Return the place of the function of INSTR, counted from the place of its
   image; that of INSTR itself, if nothing tells. */
uint64_t function_start(FunctionStarts* s, uint32_t instr);

#endif /* DCFG_CMD_DEBUG_H */
