/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What is the program's own, and what is a library's. */

#ifndef DCFG_CMD_OWN_H
#define DCFG_CMD_OWN_H

#include "cmd/base/names.h"

/* Is IMAGE of PROGRAM: it itself, a file beside it, or code without a file?
   Both may be NULL, if they are not known: then it is.  So is an image whose
   path or name is as OWN, a shell pattern or NULL, says. */
bool is_of_program(const char* image, const char* program, const char* own);

/* Is IMAGE the program, in a file beside it, or code without a file, which
   the program made itself? */
bool is_own_image(const Program* g, uint32_t image);

/* "+ 285 routines in 5 libraries: 69.2% of instructions; --all", of what THREAD
   executed (DCFG_ALL_THREADS: all did) in images that are not the program's own;
   NULL: nothing.  Lasts until text_forget(). */
const char* rest_text(const Program* g, uint32_t thread);

#endif /* DCFG_CMD_OWN_H */
