/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The places of variables. */

#ifndef DCFG_CMD_VARIABLE_PLACE_H
#define DCFG_CMD_VARIABLE_PLACE_H

/* Private to the room program/. */
#include "cmd/machine/processor.h"
#include "cmd/program/debug.h"

typedef
   enum {
      PLACE_NOWHERE,
      PLACE_REGISTER,           // .reg, numbered by register_of_dwarf()
      PLACE_FRAME,              // .offset from the call frame address
      PLACE_BASED,              // .offset from the value of .reg
      PLACE_FIXED               // .offset is the address
   }
   PlaceForm;

/* VariablePlace: where a part of a variable is. */
typedef
   struct {
      PlaceForm kind;
      unsigned  reg;
      int64_t   offset;
      uint64_t  part, size;     // these bytes of the variable; .size 0: all
                                // others
   }
   VariablePlace;

#define MOST_PLACES 8
#define MOST_SCOPES 48

/* Site: an address in the code, with the scopes around it. */
typedef
   struct {
      DebugImage*      image;
      const Processor* processor;
      Dwarf_Addr       bias;    // the run's address minus the file's
      Dwarf_Addr       pc;      // address of the file
      Dwarf_Die        unit;
      Dwarf_Die        scopes[MOST_SCOPES];     // the outermost first; inlined
                                                // functions are in their
                                                // callers
      int              n_scopes;
      Dwarf_Attribute  frame_base;
      bool             has_frame_base;
      bool             has_cfa; // the call frame address is the value of
                                // .cfa_reg
      unsigned         cfa_reg; // plus .cfa_offset
      int64_t          cfa_offset;
   }
   Site;

/* Sites: the sites of a trace. */
typedef struct Sites Sites;

Sites* sites_new(DcfgWet* w, const char* root);
void   sites_free(Sites* t);

/* Return the site of the code at ADDR, of instruction INSTR or behind it; valid
   until the next call.  Return NULL if no debug information has it. */
const Site* site_at(Sites* t, uint32_t instr, uint64_t addr);

/* Store the scopes around the code at ADDR, of instruction INSTR or behind it,
   in *S, without the frame's rule.  Return false if no debug information has
   the code. */
bool site_scopes(Sites* t, uint32_t instr, uint64_t addr, Site* s);

/* Return the image of INSTR; NULL if its file cannot be used, and site_why()
   says why. */
DebugImage* site_image(Sites* t, uint32_t instr);
const char* site_why(Sites* t, uint32_t instr);

/* Return the image that had ADDR at time TIME, or NULL. */
DebugImage* site_image_at(Sites* t, uint64_t addr, uint64_t time);

/* Return the number of images; return image number K, or NULL if its file
   cannot be used. */
uint32_t    site_images(const Sites* t);
DebugImage* site_image_numbered(Sites* t, uint32_t k);

/* Return whether image K is mapped at time TIME; return its name. */
bool        site_has_image(Sites* t, uint32_t k, uint64_t time);
const char* site_image_name(Sites* t, uint32_t k);

/* Store the places of VARIABLE at S in PLACES, and return their number.  If it
   is 0, *WHY gets the reason, half a sentence, unless WHY is NULL. */
unsigned site_places(const Site* s, Dwarf_Die* variable,
                     VariablePlace places[MOST_PLACES], const char** why);

/* Return P; if it is based on the register of the call frame address, return it
   as a place in the frame. */
VariablePlace site_settled(const Site* s, VariablePlace p);

/* Call TELL for the variables of the scopes of S, the innermost first, until it
   returns true.  Return whether it did. */
typedef bool (*TellVariable)(void* arg, Dwarf_Die* variable);
bool site_variables(const Site* s, TellVariable tell, void* arg);

/* As site_variables(), for the variables of M with a fixed address.  OWN: those
   of the unit of S; else those of the other units. */
bool image_statics(DebugImage* m, const Site* s, bool own, TellVariable tell,
                   void* arg);

/* Get the address in the run of VARIABLE, one that image_statics() told of. */
bool static_address(DebugImage* m, Dwarf_Die* variable, uint64_t* addr);

/* Find the variable of M with a fixed address that has the byte at ADDR in the
   run.  *OFFSET: that byte's in the variable. */
bool static_at(DebugImage* m, uint64_t addr, Dwarf_Die* variable,
               int64_t* offset);

#endif /* DCFG_CMD_VARIABLE_PLACE_H */
