/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of a trace's images. */

#ifndef DCFG_CMD_DEBUG_IMAGE_H
#define DCFG_CMD_DEBUG_IMAGE_H

/* Private to the room variables/. */

#include "lib/dcfg_wet.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

typedef struct DebugImages DebugImages;

/* DebugImage: the file of an image, where the run had it, with its debug
   information. */
typedef
   struct {
      Dwfl*        dwfl;
      Dwfl_Module* module;
      uint64_t     low, high;   // addresses of the run
      struct UnitCode* code;    // by .low, made when needed
      size_t       n_code;
      struct Units*   units;    // variable_place.c makes them when needed
      struct Statics* statics;  // likewise
      struct Stubs*   stubs;    // code_words.c makes them when needed
   }
   DebugImage;

/* Files are looked for below ROOT first, unless that is NULL. */
DebugImages* debug_images_new(DcfgWet* w, const char* root);
void         debug_images_free(DebugImages* d, void (*forget)(DebugImage* m));

/* The image of instruction INSTR, opened once.  NULL if its file cannot be read
   or is another build; *WHY, unless WHY is NULL, is then a sentence that says
   so, and lives as long as D. */
DebugImage* debug_image(DebugImages* d, uint32_t instr, const char** why);

/* The image that had ADDR in the run, or NULL. */
DebugImage* debug_image_at(DebugImages* d, uint64_t addr);

/* Image number K, or NULL if its file cannot be used. */
uint32_t    debug_images_n(const DebugImages* d);
DebugImage* debug_image_numbered(DebugImages* d, uint32_t k);

/* The unit of the image that has the code at ADDR, and what is added to the
   file's addresses to have those of the run; NULL: there is none. */
Dwarf_Die* debug_unit(DebugImage* m, uint64_t addr, Dwarf_Addr* bias);

#endif /* DCFG_CMD_DEBUG_IMAGE_H */
