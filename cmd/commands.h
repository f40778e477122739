/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The list of subcommands. */

#ifndef DCFG_CMD_COMMANDS_H
#define DCFG_CMD_COMMANDS_H

#include "cmd/base/cmd.h"

/* Each command is defined in a file of its name, cmd_NAME.c. */
extern const Command check_command, report_command, dot_command,
                     disasm_command, trace_command, diff_command,
                     blocks_command, xray_command, merge_command,
                     flame_command, export_command, bbv_command,
                     regions_command, wet_command, slice_command, why_command,
                     gdb_command, view_command, list_command,
                     annotate_command, first_command, gate_command,
                     replay_command, record_command;

#endif /* DCFG_CMD_COMMANDS_H */
