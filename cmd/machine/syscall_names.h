/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of system calls. */

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
