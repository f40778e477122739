/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Profiles in Callgrind's format. */

#ifndef DCFG_CMD_CALLGRIND_FILE_H
#define DCFG_CMD_CALLGRIND_FILE_H

#include "cmd/base/cmd.h"
#include "cmd/base/keymap.h"

typedef enum { ROW_COST, ROW_CALL, ROW_JUMP } RowKind;

#define NO_ROW UINT32_MAX

/* ProfileRow: a line with costs, a call with the callee's costs, or a jump.
   Addresses are those of the object file.  The profile owns the names. */
typedef
   struct {
      RowKind     kind;
      uint64_t    addr;
      uint64_t    line;
      const char* file;
      size_t      costs;        // index in .costs of n_events numbers; a jump
                                // has none
      uint32_t    next;         // the function's next row, or NO_ROW
      /* Only calls and jumps have these; they describe the target: */
      const char* object;
      const char* to_file;
      const char* to;           // a call's function
      const char* count;        // as written: "17"; or "3/17": a conditional
                                // jump, taken 3 times
      uint64_t    to_addr, to_line;
   }
   ProfileRow;

typedef
   struct {
      const char* object;
      const char* file;
      const char* name;         // with the number of its context: "fib'2"
      uint32_t    first, last;  // rows, or NO_ROW
   }
   ProfileFunction;

/* ProfilePart: one part of a file. */
typedef
   struct {
      Interned*        texts;
      char*            head;    // lines before the first function, as they are
      char*            tail;    // lines after the last function
      const char*      path;
      uint32_t         n_events;
      uint32_t         instrs;  // index of the event Ir; n_events if there is
                                // none
      ProfileFunction* functions;
      size_t           n_functions, function_room;
      ProfileRow*      rows;
      size_t           n_rows, row_room;
      uint64_t*        costs;
      size_t           n_costs, cost_room;
   }
   ProfilePart;

typedef struct ProfileReader ProfileReader;

/* Open PATH, to be read part by part.  Die if it is no profile, or if it has
   no addresses of instructions and ADDRESSES asks for them. */
ProfileReader* profile_open(const char* path, bool addresses);

/* Return the next part, to be freed by profile_free(); NULL at the end. */
ProfilePart*       profile_next(ProfileReader* r);
void           profile_free(ProfilePart* p);
void           profile_close(ProfileReader* r);

/* Begin a function and return its number; add a row to a function. */
uint32_t       profile_function(ProfilePart* p, const char* object,
                                const char* file, const char* name);
void           profile_add(ProfilePart* p, uint32_t function, ProfileRow row);

/* Return a text that identifies a function: equal ones are one string. */
const char*    profile_key(const ProfilePart* p, const char* object,
                           const char* file, const char* name);

/* Make row I, now with the contents of ROW, the last one of FUNCTION.  The
   caller has unlinked it from its function. */
void           profile_move(ProfilePart* p, uint32_t function, uint32_t i,
                            ProfileRow row);

/* Return the index of a row's n_events costs, all 0. */
size_t         profile_costs(ProfilePart* p);

/* Write a part.  LINES: without addresses and jumps, as speedscope needs it. */
void           profile_write(const ProfilePart* p, FILE* out, bool lines);

#endif /* DCFG_CMD_CALLGRIND_FILE_H */
