/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Adding code that records. */

/* Private to trace/. */

#ifndef __DCFG_IR_RECORD_H
#define __DCFG_IR_RECORD_H

#include "dcfg_output.h"

/* Records what threads do; its state of a thread is a Recorder. */
extern const Watcher DCFG_(recording_watcher);

#endif /* __DCFG_IR_RECORD_H */
