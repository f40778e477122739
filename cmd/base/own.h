/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's own images, and libraries. */

#ifndef DCFG_CMD_OWN_H
#define DCFG_CMD_OWN_H

#include "cmd/base/names.h"

/* Return whether IMAGE belongs to PROGRAM: it is the program, a file beside it,
   or code without a file.  True if one is NULL, which means unknown.  Also true
   if the image's path or name matches OWN, a shell pattern or NULL. */
bool is_of_program(const char* image, const char* program, const char* own);

/* Return whether IMAGE is the program, a file beside it, or code without a
   file, which the program made itself. */
bool is_own_image(const Program* g, uint32_t image);

/* Return for example "+ 285 routines in 5 libraries: 69.2% of instructions;
   --all", for what THREAD (or all for DCFG_ALL_THREADS) executed in images that
   are not the program's own; NULL: nothing.  Valid until text_forget(). */
const char* rest_text(const Program* g, uint32_t thread);

#endif /* DCFG_CMD_OWN_H */
