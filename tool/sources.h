/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images and source lines of a DCFG. */

/* Private to output_dcfg.c. */

#ifndef __DCFG_SOURCES_H
#define __DCFG_SOURCES_H

#include "pub_tool_basics.h"
#include "pub_tool_xarray.h"
#include "dcfg_json.h"
#include "tool/run/gather.h"

/* Fill IMAGES for P, and return the names of all files, const HChar*.  The
   caller deletes the list, and each image's .source. */
XArray* DCFG_(find_sources)(const Gathered* p, JsonImage* images,
                            Bool with_source);

#endif /* __DCFG_SOURCES_H */
