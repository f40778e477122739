
/*--------------------------------------------------------------------*/
/*--- Numbers of system calls.                   syscall_names.h ---*/
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

#ifndef DCFG_CMD_SYSCALL_NAMES_H
#define DCFG_CMD_SYSCALL_NAMES_H

#include <stdint.h>

/* The number of the system call that NAME means, by name or number, of programs
   of the processor that libseccomp calls SECCOMP; or UINT32_MAX. */
uint32_t syscall_number(const char* name, uint32_t seccomp);

/* At most so many registers are read by system call NUMBER: of those with
   fewer than three, 3; of one that is not known, SYSCALL_ARGUMENTS. */
#define SYSCALL_ARGUMENTS 6
unsigned syscall_arguments(uint32_t number, uint32_t seccomp);

#endif /* DCFG_CMD_SYSCALL_NAMES_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
