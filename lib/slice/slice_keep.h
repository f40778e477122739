/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of which the instances are kept. */

#ifndef DCFG_LIB_SLICE_KEEP_H
#define DCFG_LIB_SLICE_KEEP_H

#include "lib/slice/slice_kind.h"

/* Functions for kinds that keep instances as well, but want other things or end
   differently. */
bool keep_start(Found* f, Live* l);
void keep_free(Found* f);
void keep_forget(Found* f);
bool keep_add(Found* f, const Spot* spot, Member* m);
User keep_user(const Found* f, const Want* want);
bool keep_meet(Found* f, const Member* m, const Want* want, uint32_t at,
               bool result);
bool keep_close(Found* f, const Spot* spot, Member* m);

/* Turn nodes and edges into the result. */
bool keep_assemble(Found* f);

#endif /* DCFG_LIB_SLICE_KEEP_H */
