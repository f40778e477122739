/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Generated code that records a trace. */

/* Private to trace/. */

#ifndef __DCFG_IR_RECORD_H
#define __DCFG_IR_RECORD_H

#include "tool/dcfg_output.h"

/* The watcher that records threads; its state of a thread is a Recorder. */
extern const Watcher DCFG_(recording_watcher);

#endif /* __DCFG_IR_RECORD_H */
