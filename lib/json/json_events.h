/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Events of JSON in a file. */

#ifndef DCFG_JSON_EVENTS_H
#define DCFG_JSON_EVENTS_H

#include "lib/base/input.h"
#include "lib/json/walk.h"

typedef struct Parse Parse;

/* Start to parse IN, which is closed at the end.  The events go to a walk of
   TOP for ARG. */
Parse* parse_start(Job* job, Input* in, const Shape* top, void* arg);
void   parse_end(Parse* p);

Walk*  parse_walk(Parse* p);

/* Parse some more text.  Return False at an error. */
bool   parse_some(Parse* p);

/* Return whether everything has been parsed. */
bool   parse_finished(const Parse* p);

#endif /* DCFG_JSON_EVENTS_H */
