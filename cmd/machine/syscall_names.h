/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of system calls. */

#ifndef DCFG_CMD_SYSCALL_NAMES_H
#define DCFG_CMD_SYSCALL_NAMES_H

#include <stdint.h>

/* Return the number of the system call NAME, a name or a number, on the
   processor that is SECCOMP for libseccomp; or UINT32_MAX. */
uint32_t syscall_number(const char* name, uint32_t seccomp);

/* Return the name of system call NUMBER, which the caller frees; "?" if it has
   none. */
char* syscall_name(uint32_t number, uint32_t seccomp);

/* Return the most registers that system call NUMBER reads: 3 for calls with
   fewer than three arguments; SYSCALL_ARGUMENTS for an unknown call. */
#define SYSCALL_ARGUMENTS 6
unsigned syscall_arguments(uint32_t number, uint32_t seccomp);

#endif /* DCFG_CMD_SYSCALL_NAMES_H */
