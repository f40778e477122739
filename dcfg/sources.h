
/*--------------------------------------------------------------------*/
/*--- Images and source lines of a DCFG.            dcfg/sources.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Private to dcfg/. */

#ifndef __DCFG_SOURCES_H
#define __DCFG_SOURCES_H

#include "pub_tool_basics.h"
#include "pub_tool_xarray.h"
#include "dcfg_json.h"
#include "run/gather.h"

/* Fill in IMAGES, of P, and return the names of all files, const HChar*,
   which are for the caller to delete, as .source of each image is. */
XArray* DCFG_(find_sources)(const Gathered* p, JsonImage* images,
                            Bool with_source);

#endif /* __DCFG_SOURCES_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
