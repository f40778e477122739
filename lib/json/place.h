/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Places in a file, as messages name them. */

#ifndef DCFG_PLACE_H
#define DCFG_PLACE_H

#include "lib/json/fields.h"

/* Write the walk's place to PLACE.  Return PLACE. */
#define PLACE_SIZE 400
const char* walk_place(const Walk* w, char* place);

/* Report a broken rule at the walk's place; an error if FATAL and nobody
   listens to problems.  Return False to stop. */
bool tell_rule(Walk* w, bool fatal, const char* rule, const char* what);

/* Report that the value WHAT has a wrong type. */
bool tell_type(Walk* w, const char* what);

/* Report something odd: WHAT, followed by the LEN bytes of S. */
void tell_surface(Walk* w, const char* rule, const char* what,
                  const char* s, size_t len);

#endif /* DCFG_PLACE_H */
