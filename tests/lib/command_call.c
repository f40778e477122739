
/*--------------------------------------------------------------------*/
/*--- The command dcfg as a function.               command_call.c ---*/
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
   /* As at the beginning of a process. */
   text_forget();
   command_name = NULL;
   max_memory = 0;
   max_disk = 0;
   return status;
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
