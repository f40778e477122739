/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a program can ask the tool. */

/* Installed as <valgrind/dcfg.h>, for programs that are run under this tool.
   What they ask for costs a few instructions where there is no Valgrind, and
   nothing if NVALGRIND is defined.  The requests of <valgrind/callgrind.h>
   mean the same. */

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

/* Collect from here on, in all threads, or not. */
#define DCFG_START                                                     \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_START, 0, 0, 0, 0, 0)
#define DCFG_STOP                                                      \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_STOP, 0, 0, 0, 0, 0)

/* Turn over whether this thread is collected from here on.  Signal handlers
   begin as threads do: see --collect-atstart. */
#define DCFG_TOGGLE                                                    \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_TOGGLE, 0, 0, 0, 0, 0)

/* Forget what ran so far. */
#define DCFG_ZERO                                                      \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_ZERO, 0, 0, 0, 0, 0)

/* Write what ran so far, as a part of its own that a profile calls NAME, and
   forget it. */
#define DCFG_DUMP(name)                                                \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_DUMP, (name),      \
                                   0, 0, 0, 0)

/* TEXT belongs here: a custom event in an XRay log, nothing elsewhere. */
#define DCFG_MARK(text)                                                \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DCFG_MARK, (text),      \
                                   0, 0, 0, 0)

#endif /* __VALGRIND_DCFG_H */
