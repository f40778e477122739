/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Requests of a program to the tool. */

/* Requests to valgrind-dcfg.  This file is installed as <valgrind/dcfg.h>, for
   programs that are run under the tool.  Without Valgrind, a request costs a
   few instructions, and nothing if NVALGRIND is defined.  The requests of
   <valgrind/callgrind.h> have the same meaning. */

#ifndef __VALGRIND_DCFG_H
#define __VALGRIND_DCFG_H

#include "valgrind.h"

typedef
   enum {
      VG_USERREQ__DCFG_START = VG_USERREQ_TOOL_BASE('D','G'),
      VG_USERREQ__DCFG_STOP,
      VG_USERREQ__DCFG_ZERO,
      VG_USERREQ__DCFG_DUMP,
      VG_USERREQ__DCFG_MARK,
      VG_USERREQ__DCFG_TOGGLE
   }
   Vg_DcfgClientRequest;

/* Collect all threads from here on; or stop collecting. */
#define DCFG_START                                                     \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_START, 0, 0, 0, 0, 0)
#define DCFG_STOP                                                      \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_STOP, 0, 0, 0, 0, 0)

/* Collect this thread from here on if it is not collected, or stop if it is.
   Threads and signal handlers begin as --collect-atstart says. */
#define DCFG_TOGGLE                                                    \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_TOGGLE, 0, 0, 0, 0, 0)

/* Forget all that ran so far. */
#define DCFG_ZERO                                                      \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_ZERO, 0, 0, 0, 0, 0)

/* Write all that ran so far as a part of its own, and forget it.  A profile has
   NAME as the reason of the dump. */
#define DCFG_DUMP(name)                                                \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_DUMP, (name),      \
                                   0, 0, 0, 0)

/* Put the mark TEXT here: a custom event in an XRay log, nothing in other
   recordings. */
#define DCFG_MARK(text)                                                \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_MARK, (text),      \
                                   0, 0, 0, 0)

#endif /* __VALGRIND_DCFG_H */
