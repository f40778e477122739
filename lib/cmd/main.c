
/*--------------------------------------------------------------------*/
/*--- dcfg: reads DCFGs and DCFG-traces.                    main.c ---*/
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

/* Owns: the list of subcommands, general help, what all of them need of the
   C library.  Handed: the command line.  Taken by: a subcommand.

   The parts of the command, in order; each knows only those before it:
      cmd.h, main.c         command lines, errors, memory
      text.c                numbers, names, places
      table.c               tables as text, CSV and JSON
      rules.c               counting and printing violations
      check_blocks.c, check_flow.c, flowgraph.c, check_routines.c,
      check_trace.c, check.c
                            dcfg check
      report.c              dcfg report
      match.c, diff.c       dcfg diff
      trace.c               dcfg trace
      code.c, disasm.c      dcfg disasm
      dot_routine.c, dot_calls.c, dot.c
                            dcfg dot */

#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifndef DCFG_RELEASE
#  define DCFG_RELEASE "1.0"
#endif

static const Command* const commands[] = {
   &report_command, &check_command, &disasm_command, &dot_command,
   &trace_command, &diff_command
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

const char* command_name;

/*------------------------------------------------------------*/
/*--- Errors, memory, files                                ---*/
/*------------------------------------------------------------*/

static void say(const char* format, va_list args)
{
   fflush(stdout);
   fprintf(stderr, "dcfg%s%s: ", command_name != NULL ? " " : "",
           command_name != NULL ? command_name : "");
   vfprintf(stderr, format, args);
   fputc('\n', stderr);
}

void complain(const char* format, ...)
{
   va_list args;

   va_start(args, format);
   say(format, args);
   va_end(args);
}

void die(const char* format, ...)
{
   va_list args;

   va_start(args, format);
   say(format, args);
   va_end(args);
   exit(STATUS_BAD);
}

void* need(void* p)
{
   if (p == NULL)
      die("out of memory");
   return p;
}

void* zalloc(size_t n, size_t size)
{
   return need(calloc(n == 0 ? 1 : n, size));
}

char* text_copy(const char* s)
{
   return need(strdup(s));
}

Dcfg* load_dcfg(const char* path)
{
   DcfgError err;
   Dcfg*     d = dcfg_load(path, NULL, &err);
   char      text[DCFG_ERROR_TEXT_SIZE];

   if (d == NULL)
      die("%s", dcfg_error_text(&err, text));
   return d;
}

uint32_t need_thread(const Dcfg* d, uint64_t thread)
{
   uint32_t most = 0;

   if (thread == UINT64_MAX)
      return DCFG_ALL_THREADS;
   for (uint32_t i = 0; i < d->n_processes; i++)
      if (dcfg_process(d, i)->n_threads > most)
         most = dcfg_process(d, i)->n_threads;
   if (thread >= most)
      die("there is no thread %" PRIu64 ": the file has %" PRIu32
          ", counted from 0", thread, most);
   return (uint32_t)thread;
}

void close_output(FILE* f, const char* path)
{
   bool bad = ferror(f) != 0;

   if (fclose(f) != 0 || bad)
      die("%s: %s", path, errno != 0 ? strerror(errno) : "write error");
}

/*------------------------------------------------------------*/
/*--- Command lines                                        ---*/
/*------------------------------------------------------------*/

static _Noreturn void help(const Command* c)
{
   printf("usage: dcfg %s [OPTION...] %s\n\n%s", c->name, c->args, c->help);
   close_output(stdout, "standard output");
   exit(STATUS_OK);
}

static uint64_t number_value(const Opt* opt, const char* value)
{
   char*    end;
   uint64_t n;

   errno = 0;
   n = strtoull(value, &end, opt->kind == OPT_ADDR ? 0 : 10);
   if (value[0] < '0' || value[0] > '9' || *end != 0 || errno != 0)
      die("--%s needs a number, not `%s'", opt->name, value);
   return n;
}

/* The option that ARG, without its dashes, is; its value, if it is there,
   goes to *VALUE. */
static const Opt* find_option(const Opt* opts, size_t n, const char* arg,
                              const char** value)
{
   size_t len = strcspn(arg, "=");

   *value = arg[len] == '=' ? arg + len + 1 : NULL;
   for (size_t i = 0; i < n; i++)
      if (strncmp(opts[i].name, arg, len) == 0 && opts[i].name[len] == 0)
         return &opts[i];
   return NULL;
}

static void set_option(const Opt* opt, const char* value)
{
   if (opt->kind == OPT_FLAG)
      *(bool*)opt->to = true;
   else if (opt->kind == OPT_TEXT)
      *(const char**)opt->to = value;
   else
      *(uint64_t*)opt->to = number_value(opt, value);
}

int parse_args(const Command* c, const Opt* opts, size_t n_opts, int argc,
               char** argv, const char** args, int min, int max)
{
   int  n = 0;
   bool only_files = false;

   for (int i = 1; i < argc; i++) {
      const char* value;
      const Opt*  opt;
      if (only_files || argv[i][0] != '-' || argv[i][1] == 0) {
         if (n == max)
            die("`%s' is one file too many; usage: dcfg %s %s", argv[i],
                c->name, c->args);
         args[n++] = argv[i];
         continue;
      }
      if (strcmp(argv[i], "--") == 0) {
         only_files = true;
         continue;
      }
      if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
         help(c);
      opt = argv[i][1] == '-' ? find_option(opts, n_opts, argv[i] + 2, &value)
            : NULL;
      if (opt == NULL)
         die("there is no option %s; see dcfg %s --help", argv[i], c->name);
      if (opt->kind == OPT_FLAG && value != NULL)
         die("--%s takes no value", opt->name);
      if (opt->kind != OPT_FLAG && value == NULL) {
         if (++i == argc)
            die("--%s needs a value; see dcfg %s --help", opt->name, c->name);
         value = argv[i];
      }
      set_option(opt, value);
   }
   if (n < min)
      die("a file is missing; usage: dcfg %s %s", c->name, c->args);
   return n;
}

static void general_help(void)
{
   puts("usage: dcfg COMMAND [OPTION...] FILE...\n"
        "\n"
        "A DCFG is a program's control-flow graph as it was executed: basic "
        "blocks, the\n"
        "edges between them with a count for each thread, routines and "
        "loops.  Programs\n"
        "that write one are Valgrind (valgrind --tool=dcfg PROGRAM) and "
        "Intel's SDE and\n"
        "PinPlay.  A DCFG-trace is the order in which the edges were taken "
        "(--trace=yes).\n"
        "dcfg reads both.\n"
        "\n"
        "commands:");
   for (size_t i = 0; i < N_COMMANDS; i++)
      printf("  %-7s %-15s %s\n", commands[i]->name, commands[i]->args,
             commands[i]->summary);
   puts("\n"
        "dcfg COMMAND --help tells more about one.  To begin with:\n"
        "\n"
        "  valgrind --tool=dcfg --dcfg-out-file=out.json ./prog\n"
        "  dcfg report out.json                         where the time goes\n"
        "  dcfg disasm --routine=main out.json          its code, counted\n"
        "  dcfg dot --routine=main --svg=main.svg out.json\n"
        "\n"
        "Files may be compressed (gzip, bzip2, xz, zstd), whatever they are "
        "called; - is\n"
        "the standard input.  The exit status is 0; 1 if check found "
        "violations or diff\n"
        "differences; 2 for a file that cannot be read, or wrong use.");
}

int main(int argc, char** argv)
{
   const char* name = argc > 1 ? argv[1] : "";

   signal(SIGPIPE, SIG_DFL);
   if (strcmp(name, "help") == 0 && argc > 2) {
      name = argv[2];
      argv[2] = (char*)"--help";
      argv++;
      argc = 2;
   } else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0
              || strcmp(name, "help") == 0) {
      general_help();
      close_output(stdout, "standard output");
      return STATUS_OK;
   } else if (strcmp(name, "--version") == 0) {
      printf("dcfg %s, for DCFG format %d.%02d\n", DCFG_RELEASE,
             DCFG_VERSION_MAJOR, DCFG_VERSION_MINOR);
      close_output(stdout, "standard output");
      return STATUS_OK;
   } else {
      argv++;
      argc--;
   }
   for (size_t i = 0; i < N_COMMANDS; i++)
      if (strcmp(commands[i]->name, name) == 0) {
         int status;
         command_name = name;
         status = commands[i]->run(argc, argv);
         close_output(stdout, "standard output");
         return status;
      }
   if (name[0] == 0)
      die("a command is missing; dcfg --help lists them");
   die("there is no command `%s'; dcfg --help lists them", name);
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
