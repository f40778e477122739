/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fuzz target: the command dcfg. */

/* The bytes before the first zero are a DCFG, and those behind it a trace.
   Both go through every subcommand.  libFuzzer calls it. */

#include "command_call.h"

#undef main
#undef exit
#undef fclose

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* "@0" and "@1" are the files. */
static const char* const lines[][6] = {
   { "check", "@0", "@1" },
   { "check", "--writer=other", "--limit=0", "@0" },
   { "report", "--routines", "--loops", "--blocks", "--edges", "@0" },
   { "report", "--json", "--images", "@0" },
   { "report", "@0" },
   { "annotate", "--asm", "@0", "main" },
   { "disasm", "@0" },
   { "disasm", "--sde", "--bytes", "@0" },
   { "dot", "--routine=main", "--code", "@0" },
   { "dot", "--callgraph", "@0" },
   { "trace", "--edges=2000", "@0", "@1" },
   { "trace", "--as=calls", "--thread=0", "--edges=2000", "@0", "@1" },
   { "diff", "--blocks", "--edges", "@0", "@0" },
   { "blocks", "-a", "@0", "@1" },
   { "blocks", "--paths", "@0" },
   { "xray", "@0", "@1" },
};

static int write_file(int fd, const void* data, size_t size)
{
   return fd < 0 || ftruncate(fd, 0) != 0
          || pwrite(fd, data, size, 0) != (ssize_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
   static int     fd[2];
   const uint8_t* zero = size == 0 ? NULL : memchr(data, 0, size);
   size_t         n = zero == NULL ? size : (size_t)(zero - data);
   char           paths[2][40];

   for (int i = 0; i < 2 && fd[1] == 0; i++)
      fd[i] = memfd_create("file", 0);
   if (write_file(fd[0], data, n)
       || write_file(fd[1], data + n + (n < size), size - n - (n < size)))
      abort();
   for (int i = 0; i < 2; i++)
      snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d", fd[i]);
   for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); k++) {
      char* args[8] = { (char*)"dcfg" };
      int   n_args = 1, ended;
      for (; n_args < 7 && lines[k][n_args - 1] != NULL; n_args++) {
         const char* arg = lines[k][n_args - 1];
         args[n_args] = arg[0] == '@' ? paths[arg[1] - '0'] : (char*)arg;
      }
      command_call(n_args, args, &ended);
   }
   return 0;
}
