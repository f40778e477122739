/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The names of files. */

#ifndef DCFG_CMD_FILE_LIST_H
#define DCFG_CMD_FILE_LIST_H

#include "cmd/base/cmd.h"

/* FileNames: names in the order in which they were given. */
typedef
   struct {
      const char** all;
      uint32_t     n, room;
      size_t*      stems;       // lengths; NULL before find_stems()
      char*        text;        // text of the list in .all
   }
   FileNames;

/* Add NAME. */
void add_file_name(FileNames* names, const char* name);

/* Add the names in the file LIST, one a line or, if NUL_ENDED, each before a NUL
   character; "-" is the standard input.  Dies if it cannot be read. */
void read_file_names(FileNames* names, const char* list, bool nul_ended);

/* Return the length of NAME without a suffix of compression and ".json". */
size_t plain_length(const char* name);

/* Find out which of NAMES belong together: parts of one run have one stem.  A
   number in front of ".json" is that of a part if the name without it is there,
   too, or if IS_PART says so of the first such file. */
void find_stems(FileNames* names, bool (*is_part)(const char* name));

/* Keep the names that belong to SHARD, "I/N", by their stems; dies if it is
   none. */
void keep_shard(FileNames* names, const char* shard);

/* Divide NAMES into at most N lists of about the same number of bytes, each with
   some; those of one stem come into one.  Returns how many there are, in
   LISTS. */
uint32_t divide_files(const FileNames* names, uint32_t n, FileNames* lists);

void free_file_names(FileNames* names);

#endif /* DCFG_CMD_FILE_LIST_H */
