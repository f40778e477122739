/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg: the command that reads recordings. */

/* Owns: the list of subcommands, and general help.  Handed: the command
   line. */

#include "commands.h"

#include "format/release.h"
#include "cmd/base/terminal.h"
#include "cmd/base/cmd.h"
#include "cmd/slice/slice_guest.h"

#include "lib/dcfg.h"

#include <signal.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Tables of at least so many bytes go back to the system when they are freed.  The
   C library would keep them, and between them find no room for larger ones. */
#define LARGE_TABLE (4 << 20)

static const Command* const commands[] = {
   &list_command, &report_command, &annotate_command, &check_command,
   &disasm_command, &dot_command, &trace_command, &diff_command,
   &first_command,
   &gate_command,
   &blocks_command, &xray_command,
   &wet_command, &slice_command, &why_command, &gdb_command, &replay_command,
   &record_command,
   &merge_command,
   &flame_command, &view_command,
   &export_command, &bbv_command,
   &regions_command
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static _Noreturn void unknown_command(const char* name)
{
   Nearest n = nearest_to(name);

   for (size_t i = 0; i < N_COMMANDS; i++)
      nearest_offer(&n, commands[i]->name);
   die("there is no command `%s'; dcfg --help lists them%s", name,
       nearest_text(&n));
}

static void general_help(void)
{
   puts("usage: dcfg COMMAND [OPTION...] [FILE...]\n"
        "\n"
        "A DCFG is a program's control-flow graph as it was executed: basic\n"
        "blocks, the edges between them with a count for each thread,\n"
        "routines and loops.  Valgrind writes it (valgrind --tool=dcfg\n"
        "PROGRAM), and so do Intel's SDE and PinPlay.  A DCFG-trace\n"
        "(--trace=yes) is the order in which the edges were taken, an XRay\n"
        "log (--xray=yes) the order of calls.  A whole execution trace\n"
        "(--wet=yes) has each instance of each instruction.  dcfg reads all\n"
        "four.  A recording for replays (--record=yes) is a run that can be\n"
        "executed again, with any of these outputs.\n"
        "\n"
        "commands:");
   for (size_t i = 0; i < N_COMMANDS; i++)
      printf(strlen(commands[i]->args) <= 15 ? "  %-7s %-15s %s\n"
             : "  %-7s %s\n                          %s\n",
             commands[i]->name, commands[i]->args, commands[i]->summary);
   puts("\n"
        "dcfg COMMAND --help tells more about one.  Without a FILE, all but\n"
        "diff, first, gate, merge and regions read the newest one in the current\n"
        "directory, which dcfg list shows first, and say so: wet, slice, why\n"
        "and gdb a whole execution trace, xray a log, all others a DCFG, and\n"
        "trace, flame and bbv also its trace; replay a recording for replays,\n"
        "from which slice, why and gdb make their trace, too.  To begin with:\n"
        "\n"
        "  valgrind --tool=dcfg ./prog\n"
        "  dcfg report                                  where the time goes\n"
        "  dcfg disasm --routine=main                   its code, counted\n"
        "  dcfg dot --svg=hot.svg                       its hottest routine\n"
        "  dcfg view                                    all of that, in a browser\n"
        "\n"
        "Files may be compressed by gzip, bzip2, xz or zstd, whatever their\n"
        "names are.  - is the standard input; behind -o, it is the standard\n"
        "output.  The exit status is 0; 1 if check or xray found violations,\n"
        "diff or first differences, or gate growth; 2 if a file cannot be read or\n"
        "written, or an option is wrong; 3 if --keep-going left files out.");
   common_help();
}

int main(int argc, char** argv)
{
   const char* name = argc > 1 ? argv[1] : "";

#ifdef __GLIBC__
   mallopt(M_MMAP_THRESHOLD, LARGE_TABLE);
#endif
   page_offer(&slice_guest);
   signal(SIGPIPE, SIG_DFL);
   clean_stdout();
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
   } else if (strcmp(name, "--options") == 0) {
      for (size_t i = 0; i < N_COMMANDS; i++)
         puts(commands[i]->name);
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
   unknown_command(name);
}
