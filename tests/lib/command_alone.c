
/*--------------------------------------------------------------------*/
/*--- The command dcfg with sanitizers.            command_alone.c ---*/
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

/* Owns: the command as a program of its own.  Handed: the objects that
   command_server.c has, in which main(), exit() and fclose() have other names.
   Taken by: ./dev test, in the place of dcfg. */

#include "command_call.h"

#undef main
#undef exit
#undef fclose

/* Declared here, for GCC has no header for it, as LLVM has. */
void __lsan_do_leak_check(void);

/* Found by the sanitizer, which adds those of ASAN_OPTIONS. */
const char* __asan_default_options(void);

const char* __asan_default_options(void)
{
   return "detect_stack_use_after_return=1:abort_on_error=1:"
          "leak_check_at_exit=0";
}

/* The process ends in the middle of what it does, and leaves its memory. */
void command_exit(int status)
{
   exit(status);
}

int command_close(FILE* f)
{
   return fclose(f);
}

int main(int argc, char** argv)
{
   int status = command_main(argc, argv);

   __lsan_do_leak_check();
   return status;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
