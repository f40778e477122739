/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to uftrace/: the functions and objects of uftrace's directory. */

#ifndef __DCFG_UFTRACE_SYMBOLS_H
#define __DCFG_UFTRACE_SYMBOLS_H

#include "pub_tool_basics.h"
#include "format/put.h"

/* Return the address in records of a function, a number of tool/calls/active.h. */
ULong DCFG_(uftrace_address)(UInt id);

/* Return the number of objects. */
UInt DCFG_(n_uftrace_objects)(void);

/* Return the name of OBJECT's file of symbols, for VG_(free). */
HChar* DCFG_(uftrace_symbol_file)(UInt object);

/* Put the symbols of OBJECT. */
void DCFG_(put_uftrace_symbols)(Put* out, UInt object);

/* Put lines like those of /proc/PID/maps: the objects. */
void DCFG_(put_uftrace_map)(Put* out);

/* Put the program's path as it is in the map. */
void DCFG_(put_uftrace_program)(Put* out);

#endif /* __DCFG_UFTRACE_SYMBOLS_H */
