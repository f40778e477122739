/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The command dcfg with sanitizers. */

/* Owns: the command as a program of its own.  Handed: the objects of
   command_server.c, in which main(), exit() and fclose() have other names. */

#include "command_call.h"

#undef main
#undef exit
#undef fclose

/* GCC has no header that declares it; LLVM has. */
void __lsan_do_leak_check(void);

/* The sanitizer calls this, and adds the options of ASAN_OPTIONS. */
const char* __asan_default_options(void);

const char* __asan_default_options(void)
{
   return "detect_stack_use_after_return=1:abort_on_error=1:"
          "leak_check_at_exit=0";
}

/* End the process in the middle of its work.  Memory in use then is no leak. */
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
