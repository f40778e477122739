
/*--------------------------------------------------------------------*/
/*--- The subcommands of dcfg.                          commands.h ---*/
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

#ifndef DCFG_CMD_COMMANDS_H
#define DCFG_CMD_COMMANDS_H

#include "cmd/base/cmd.h"

/* Each is defined in the file that is called after it, cmd_NAME.c. */
extern const Command check_command, report_command, dot_command,
                     disasm_command, trace_command, diff_command,
                     blocks_command, xray_command, merge_command,
                     flame_command, export_command, bbv_command,
                     regions_command, wet_command, slice_command, why_command;

#endif /* DCFG_CMD_COMMANDS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
