/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Walk over the tables and objects of a file. */

#ifndef DCFG_WALK_H
#define DCFG_WALK_H

#include "lib/json/fields.h"

void walk_start(Walk* w, Job* job, const Shape* top, void* arg);
void walk_end(Walk* w);

/* The parser's events.  Each returns False to stop. */
bool walk_number(Walk* w, const char* s, size_t len);
bool walk_string(Walk* w, const char* s, size_t len);
bool walk_key(Walk* w, const char* s, size_t len);
bool walk_other(Walk* w, const char* what);     // true, false, null
bool walk_open(Walk* w, bool object);
bool walk_close(Walk* w);

#endif /* DCFG_WALK_H */
