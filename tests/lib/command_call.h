
/*--------------------------------------------------------------------*/
/*--- The command dcfg as a function.               command_call.h ---*/
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

#ifndef COMMAND_CALL_H
#define COMMAND_CALL_H

/* Included before everything else in each file of cmd/ that is compiled for
   tests in one process: the command must not end it, nor close its output. */

#include <stdio.h>
#include <stdlib.h>

int            command_main(int argc, char** argv);
_Noreturn void command_exit(int status);
int            command_close(FILE* f);

#define main      command_main
#define exit(n)   command_exit(n)
#define fclose(f) command_close(f)

/* "dcfg ARGV[1]..."; its exit status.  *ENDED says whether it ended by itself
   and not by exit(), which leaves its memory to the end of the process. */
int command_call(int argc, char** argv, int* ended);

#endif /* COMMAND_CALL_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
