/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instrumentation: the code that counts. */

#ifndef __DCFG_INSTRUMENT_H
#define __DCFG_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Set VEX's options that counting relies on. */
void DCFG_(set_vex_control)(void);

IRSB* DCFG_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                        const VexGuestLayout* layout,
                        const VexGuestExtents* vge,
                        const VexArchInfo* archinfo_host,
                        IRType gWordTy, IRType hWordTy);

#endif /* __DCFG_INSTRUMENT_H */
