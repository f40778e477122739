/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The command dcfg as a function. */

#include "command_call.h"

#undef main
#undef exit
#undef fclose

#include <setjmp.h>

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"

static jmp_buf leave;

void command_exit(int status)
{
   longjmp(leave, status + 1);
}

int command_close(FILE* f)
{
   return f == stdout ? fflush(f) : fclose(f);
}

int command_call(int argc, char** argv, int* ended)
{
   int jumped = setjmp(leave), status = jumped - 1;

   *ended = jumped == 0;
   if (jumped == 0)
      status = command_main(argc, argv);
   fflush(stdout);
   clearerr(stdout);
   /* Start as a new process would. */
   text_forget();
   command_name = NULL;
   max_memory = 0;
   max_disk = 0;
   return status;
}
