/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Profiles in Callgrind's format. */

#ifndef DCFG_CMD_CALLGRIND_FILE_H
#define DCFG_CMD_CALLGRIND_FILE_H

#include "cmd/base/cmd.h"
#include "cmd/base/interned.h"

typedef enum { ROW_COST, ROW_CALL, ROW_JUMP } RowKind;

#define NO_ROW UINT32_MAX

/* ProfileRow: a line with costs, a call with them, or a jump.  Names are the
   profile's; addresses the object file's. */
typedef
   struct {
      RowKind     kind;
      uint64_t    addr;
      uint64_t    line;
      const char* file;
      size_t      costs;        // place in .costs of the profile, n_events of
                                // them; not of a jump
      uint32_t    next;         // the function's next row; or NO_ROW
      /* Calls and jumps have, too: */
      const char* object;       // the target's
      const char* to_file;
      const char* to;           // the function; NULL: a jump within one
      const char* count;        // as written: "17", or "3/17" of a jump that is
                                // not always taken
      uint64_t    to_addr, to_line;
   }
   ProfileRow;

typedef
   struct {
      const char* object;
      const char* file;
      const char* name;         // with its context: "fib'2"
      uint32_t    first, last;  // rows; or NO_ROW
   }
   ProfileFunction;

/* ProfilePart: one part of a file. */
typedef
   struct {
      Interned*        texts;
      char*            head;    // lines before the first function, as they are
      char*            tail;    // and behind the last
      const char*      path;
      uint32_t         n_events;
      uint32_t         instrs;  // the event Ir; or n_events
      ProfileFunction* functions;
      size_t           n_functions, function_room;
      ProfileRow*      rows;
      size_t           n_rows, row_room;
      uint64_t*        costs;
      size_t           n_costs, cost_room;
   }
   ProfilePart;

typedef struct ProfileReader ProfileReader;

/* Read PATH part by part; dies if it is no profile, or one without addresses of
   instructions. */
ProfileReader* profile_open(const char* path);

/* The next part, which is to be freed; NULL: there is none. */
ProfilePart*       profile_next(ProfileReader* r);
void           profile_free(ProfilePart* p);
void           profile_close(ProfileReader* r);

/* Begin a function, and add a row to it. */
uint32_t       profile_function(ProfilePart* p, const char* object,
                                const char* file, const char* name);
void           profile_add(ProfilePart* p, uint32_t function, ProfileRow row);

/* Make ROW, which was row I of another function, the last one of FUNCTION. */
void           profile_move(ProfilePart* p, uint32_t function, uint32_t i,
                            ProfileRow row);

/* Room for costs of a row, all 0. */
size_t         profile_costs(ProfilePart* p);

void           profile_write(const ProfilePart* p, FILE* out);

#endif /* DCFG_CMD_CALLGRIND_FILE_H */
