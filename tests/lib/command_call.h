/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The command dcfg as a function. */

#ifndef COMMAND_CALL_H
#define COMMAND_CALL_H

/* Included before everything else in each file of cmd/ that is compiled for
   tests in one process: the command must not end the process, nor close its
   output. */

#include <stdio.h>
#include <stdlib.h>

int            command_main(int argc, char** argv);
_Noreturn void command_exit(int status);
int            command_close(FILE* f);

#define main      command_main
#define exit(n)   command_exit(n)
#define fclose(f) command_close(f)

/* Run "dcfg ARGV[1]...", and return its exit status.  *ENDED: it returned, and
   did not call exit(), which leaves its memory to the end of the process. */
int command_call(int argc, char** argv, int* ended);

#endif /* COMMAND_CALL_H */
