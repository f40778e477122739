/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading Lackey's text. */

#ifndef DCFG_LACKEY_H
#define DCFG_LACKEY_H

#include "lib/blocks/address_stream.h"
#include "lib/base/input.h"

/* Add all instructions of IN to S. */
bool lackey_read(Job* job, Input* in, AddressStream* s);

#endif /* DCFG_LACKEY_H */
