/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The places of variables. */

#ifndef DCFG_CMD_VARIABLE_PLACE_H
#define DCFG_CMD_VARIABLE_PLACE_H

/* Private to the room variables/. */

#include "cmd/machine/processor.h"
#include "cmd/variables/debug_image.h"

typedef
   enum {
      PLACE_NOWHERE,
      PLACE_REGISTER,           // .reg, as register_of_dwarf() has it
      PLACE_FRAME,              // .offset from the call frame address
      PLACE_BASED,              // .offset from what .reg holds
      PLACE_FIXED               // .offset is the address
   }
   PlaceForm;

/* Place: where a part of a variable is. */
typedef
   struct {
      PlaceForm kind;
      unsigned  reg;
      int64_t   offset;
      uint64_t  part, size;     // these bytes of it; .size 0: the rest
   }
   Place;

#define MOST_PLACES 8
#define MOST_SCOPES 48

/* Site: a place in the code, with the variables in its scope. */
typedef
   struct {
      DebugImage*      image;
      const Processor* processor;
      Dwarf_Addr       bias;    // run's address minus file's address
      Dwarf_Addr       pc;      // in the file's
      Dwarf_Die        unit;
      Dwarf_Die        scopes[MOST_SCOPES];     // the outermost first, as the
                                // code lies
      int              n_scopes;
      Dwarf_Attribute  frame_base;
      bool             has_frame_base;
      bool             has_cfa; // the call frame address is what .cfa_reg holds
      unsigned         cfa_reg; // and .cfa_offset
      int64_t          cfa_offset;
   }
   Site;

/* Sites: those of a trace that were asked for. */
typedef struct Sites Sites;

Sites* sites_new(DcfgWet* w, const char* root);
void   sites_free(Sites* t);

/* The site of the code at ADDR, of instruction INSTR or behind it, until the
   next call.  NULL if no debug information has it. */
const Site* site_at(Sites* t, uint32_t instr, uint64_t addr);

/* Put the scopes that have the code at ADDR, of instruction INSTR or behind it,
   to *S, but no rule for its frame.  False if no debug information has it. */
bool site_scopes(Sites* t, uint32_t instr, uint64_t addr, Site* s);

/* The image of INSTR; NULL if its file is not there: site_why() says why. */
DebugImage* site_image(Sites* t, uint32_t instr);
const char* site_why(Sites* t, uint32_t instr);

/* The image that had ADDR in the run, or NULL. */
DebugImage* site_image_at(Sites* t, uint64_t addr);

/* Image number K, or NULL if its file is not there; K is below the number of
   images. */
uint32_t    site_images(const Sites* t);
DebugImage* site_image_numbered(Sites* t, uint32_t k);

/* Return the number of places of VARIABLE at S, and write them to PLACES.  If
   it is 0, *WHY says why, in half a sentence, unless WHY is NULL. */
unsigned site_places(const Site* s, Dwarf_Die* variable,
                     Place places[MOST_PLACES], const char** why);

/* Is P, which is based on a register, a place in the frame? */
Place site_settled(const Site* s, Place p);

/* Call TELL for the variables of the scopes of S, the innermost first, until it
   returns true.  Returns that. */
typedef bool (*TellVariable)(void* arg, Dwarf_Die* variable);
bool site_variables(const Site* s, TellVariable tell, void* arg);

/* Likewise for variables of M's units that have a fixed address; OWN: of the
   unit of S, or of the others. */
bool image_statics(DebugImage* m, const Site* s, bool own, TellVariable tell,
                   void* arg);

/* The address in the run of VARIABLE, which image_statics() told of M. */
bool static_address(DebugImage* m, Dwarf_Die* variable, uint64_t* addr);

/* The variable of M that is fixed and has the byte at ADDR in the run; *OFFSET
   is that byte's. */
bool static_at(DebugImage* m, uint64_t addr, Dwarf_Die* variable,
               int64_t* offset);

#endif /* DCFG_CMD_VARIABLE_PLACE_H */
