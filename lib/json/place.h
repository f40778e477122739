/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Where in a file we are, in words. */

#ifndef DCFG_PLACE_H
#define DCFG_PLACE_H

#include "lib/json/fields.h"

/* Where we are, in PLACE, which is returned. */
#define PLACE_SIZE 400
const char* walk_place(const Walk* w, char* place);

/* Something is wrong here, which is an error if FATAL and nobody listens to
   problems.  False: stop. */
bool tell_rule(Walk* w, bool fatal, const char* rule, const char* what);

/* A value is here, called WHAT, of another type than the one that is
   needed. */
bool tell_type(Walk* w, const char* what);

/* Something is odd here: WHAT, and the LEN bytes of S behind it. */
void tell_surface(Walk* w, const char* rule, const char* what,
                  const char* s, size_t len);

#endif /* DCFG_PLACE_H */
