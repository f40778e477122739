/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of files. */

#ifndef DCFG_CMD_DEBUG_FILE_H
#define DCFG_CMD_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

/* Open the ELF file at PATH.  Its debug information, which may be in a file of
   its own, is not looked at: debug_difference() is left to the caller.
   Otherwise as debug_file_open(). */
Dwfl* debug_file_begin(const char* path, const uint64_t* load,
                       Dwfl_Module** module, const char** why);

/* Open the ELF file at PATH with its debug information, which may be in a file
   of its own.  Addresses are those of the file, or with *LOAD those of a run
   that had the file there.  NULL if that cannot be done, or if the debug
   information is of another build than BUILD_ID (NULL: any is right); *WHY,
   unless WHY is NULL, then says so and lasts until text_forget().  Else end it
   with dwfl_end(). */
Dwfl* debug_file_open(const char* path, const uint64_t* load,
                      const char* build_id, Dwfl_Module** module,
                      const char** why);

#endif /* DCFG_CMD_DEBUG_FILE_H */
