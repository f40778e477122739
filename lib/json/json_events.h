/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   JSON from a file, event after event. */

#ifndef DCFG_JSON_EVENTS_H
#define DCFG_JSON_EVENTS_H

#include "lib/base/input.h"
#include "lib/json/walk.h"

typedef struct Parse Parse;

/* Reads IN, which it closes at its end, with the events going to a walk of
   TOP for ARG. */
Parse* parse_start(Job* job, Input* in, const Shape* top, void* arg);
void   parse_end(Parse* p);

Walk*  parse_walk(Parse* p);

/* Go on with some more text.  False at an error. */
bool   parse_some(Parse* p);

/* Has all been read? */
bool   parse_finished(const Parse* p);

#endif /* DCFG_JSON_EVENTS_H */
