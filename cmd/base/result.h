/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files for results. */

#ifndef DCFG_CMD_RESULT_H
#define DCFG_CMD_RESULT_H

#include <stdbool.h>
#include <stdio.h>

/* A file for a result, which gets its name when all is complete; nothing is
   left of it if that does not happen.  A link goes on being one, and what is no
   regular file is written to.  If PATH ends in .gz, .bz2, .xz or .zst the text
   goes through that program.  NULL: the standard output.  Dies if that cannot
   be done, as all of these. */
FILE* open_result(const char* path);

/* F, which is not the standard output, is complete. */
void  finish_result(FILE* f);

/* All results are: they get their names. */
void  name_results(void);

/* Both, for all that are open. */
void  close_results(void);

/* The suffix of PATH that names a compressor, or the end of PATH. */
const char* compressed_suffix(const char* path);

#endif /* DCFG_CMD_RESULT_H */
