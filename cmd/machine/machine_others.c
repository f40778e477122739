/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors for which only code is decoded. */

/* Owns: Capstone's names of processors that our tool does not run on, for
   graphs of other tools.  Handed: nothing. */

#include "cmd/machine/machines.h"

#include <capstone/capstone.h>
#include <elf.h>

const Processor machine_arm    = { .machine = EM_ARM, .arch = CS_ARCH_ARM };
const Processor machine_ppc64  = { .machine = EM_PPC64, .arch = CS_ARCH_PPC,
                                   .mode = CS_MODE_64 };
const Processor machine_ppc    = { .machine = EM_PPC, .arch = CS_ARCH_PPC,
                                   .mode = CS_MODE_32 };
const Processor machine_s390   = { .machine = EM_S390, .arch = CS_ARCH_SYSZ };
const Processor machine_mips64 = { .machine = EM_MIPS, .elf_class = ELFCLASS64,
                                   .arch = CS_ARCH_MIPS,
                                   .mode = CS_MODE_MIPS64 };
const Processor machine_mips   = { .machine = EM_MIPS, .arch = CS_ARCH_MIPS,
                                   .mode = CS_MODE_MIPS32 };
