/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of a trace's images. */

#ifndef DCFG_CMD_DEBUG_H
#define DCFG_CMD_DEBUG_H

#include "cmd/machine/processor.h"
#include "cmd/program/mapping.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* DebugImage: an image's file, at its address in the run, with its debug
   information.  It is opened at the first question. */
typedef
   struct {
      Dwfl*            dwfl;    // NULL: not opened, or .why
      Dwfl_Module*     module;
      Dwarf_Addr       low, high;       // addresses of the run
      uint32_t         first;   // first instruction of the image
      bool             opened;  // or could not be
      bool             checked; // the debug information is the build's, or
                                // .dwfl was closed again
      char*            why;     // why the file cannot be used
      /* Made when needed: */
      struct UnitCode* code;    // by .low
      size_t           n_code;
      bool             starts_read;
      uint64_t*        starts;  // begins of functions
      size_t           n_starts;
      struct Units*    units;
      struct Statics*  statics;
      struct Stubs*    stubs;   // by variables.c
      bool             inlined_read;    // by inlined.c:
      struct Scopes*   inlined; // or NULL
      Dwarf_Addr       inlined_bias;
   }
   DebugImage;

/* TraceProgram: what the files of a trace's images say of the program, for all
   questions. */
typedef
   struct TraceProgram {
      DcfgWet*          w;
      const char*       root;   // searched first for images, or NULL
      ImageTimes*       times;
      DebugImage*       images; // by number
      uint32_t          n_images;
      struct KeptSites* kept;
      uint8_t*          marks;  // by instruction, for variables.c
      unsigned          left;   // words that variables.c may still search
   }
   TraceProgram;

/* Return the program of W, which stays open until program_free().  Files are
   looked for below ROOT first, unless it is NULL.  A file that is missing or of
   another build gives no names. */
TraceProgram* program_new(DcfgWet* w, const char* root);
void          program_free(TraceProgram* p);

/* Return the image of instruction INSTR, or image number K, opened once.  Return
   NULL if its file cannot be read or is another build: .why of it says so. */
DebugImage* debug_image(TraceProgram* p, uint32_t instr);
DebugImage* debug_image_numbered(TraceProgram* p, uint32_t k);

/* Return the image that had ADDR at time T, as image_at() does, or NULL. */
DebugImage* debug_image_at(TraceProgram* p, uint64_t addr, uint64_t t);

/* Return the unit of the image with the code at ADDR, and in *BIAS the run's
   address minus the file's; NULL if there is none. */
Dwarf_Die* debug_unit(DebugImage* m, uint64_t addr, Dwarf_Addr* bias);

/* Find the rule for the call frame address just before the code at ADDR, an
   address of the run, in image M: *OFFSET + the value of register *REG.  Return
   false if M has none, or one of another form. */
bool frame_rule(const DebugImage* m, const Processor* p, uint64_t addr,
                unsigned* reg, int64_t* offset);

/* Return the place of the function of INSTR, counted from the place of its
   image; that of INSTR itself, if nothing tells.  Stripped files have begins of
   functions, too, for exceptions. */
uint64_t function_start(TraceProgram* p, uint32_t instr);

/* Return the variable of the program's own images that has ADDR at time T, such as
   "total" or "pool+8"; NULL if no symbol has it.  The text lasts until
   text_forget(). */
const char* variable_at(TraceProgram* p, uint64_t addr, uint64_t t);

/* TellLine: LINE begins at ADDR of the run.  OWN: it has code there; else the
   compiler merged it with the line that has. */
typedef void (*TellLine)(void* arg, uint64_t line, uint64_t addr, bool own);

/* Call TELL for each place in image M where a line of SOURCE begins. */
void code_of_source(const DebugImage* m, const char* source, TellLine tell,
                    void* arg);

/* LineCode: whether a line has code in the program's own images.
   CODE_UNKNOWN: their debug information does not name the file.  CODE_MERGED:
   only other lines have the code where it begins.  For LINE of SOURCE,
   line_code() returns it, and with CODE_MERGED that address and an instruction of
   its image. */
typedef enum { CODE_UNKNOWN, CODE_NONE, CODE_MERGED, CODE_SOME } LineCode;
LineCode line_code(TraceProgram* p, const char* source, uint64_t line,
                   uint64_t* addr, uint32_t* near);

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

/* Return the site of the code at ADDR, of instruction INSTR or behind it; valid
   until the next call.  Return NULL if no debug information has it. */
const Site* site_at(TraceProgram* p, uint32_t instr, uint64_t addr);

/* Store the scopes around the code at ADDR, of instruction INSTR or behind it,
   in *S, without the frame's rule.  Return false if no debug information has
   the code. */
bool site_scopes(TraceProgram* p, uint32_t instr, uint64_t addr, Site* s);

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

#endif /* DCFG_CMD_DEBUG_H */
