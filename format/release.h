/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The number of the release.  configure.ac reads it from here. */

#ifndef __DCFG_RELEASE_H
#define __DCFG_RELEASE_H

#define DCFG_RELEASE "1.0.0"

#endif /* __DCFG_RELEASE_H */
