/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The command dcfg: what its parts share. */

#ifndef DCFG_CMD_H
#define DCFG_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses, of all subcommands. */
enum {
   STATUS_OK    = 0,
   STATUS_FOUND = 1,    // check: violations; diff: differences
   STATUS_BAD   = 2     // wrong use, or a file that cannot be read or written
};

/*--- Subcommands and their command lines                  ---*/

/* OptionChoice: a value that an option may have, or one of several options,
   often for a form of output. */
typedef
   struct {
      const char* name;
      const char* help;         // lines
      const char* value;        // of an option: "[=OUT]", or NULL
   }
   OptionChoice;

typedef
   struct {
      const char* name;
      const char* args;         // "FILE [TRACE]"
      const char* summary;      // for the list of all
      const char* help;         // what --help says after the usage line
      int       (*run)(int argc, char** argv);  // argv[0]: its name
      const OptionChoice* const* choices;     // that .help lists; or NULL
   }
   Command;

/* Stand in .help where the choices are listed: as values, as options. */
#define CHOICES_HERE "\f"
#define OPTIONS_HERE "\v"

typedef
   enum {
      OPT_FLAG,         // bool: --name
      OPT_COUNT,        // uint64_t: --name=N
      OPT_ADDR,         // uint64_t: --name=N, hexadecimal too
      OPT_TEXT,         // const char*: --name=TEXT
      OPT_COUNT_OR_NOT, // uint64_t: --name=N; NO_VALUE: --name
      OPT_TEXT_OR_NOT   // const char*: --name=TEXT; "": --name
   }
   OptKind;

#define NOT_GIVEN UINT64_MAX            // what a count may begin as
#define NO_VALUE  (UINT64_MAX - 1)

/* An option, and where its value goes.  "--name VALUE" is the same as
   "--name=VALUE", if there has to be one.  A name of one letter has one dash:
   "-n VALUE" or "-nVALUE". */
typedef
   struct {
      const char* name;
      OptKind     kind;
      void*       to;
   }
   Opt;

/* Read the command line of a subcommand: the options, and MIN to MAX
   arguments that are none, which go to ARGS.  Returns their number; does not
   return if something is wrong or help is asked for. */
int  parse_args(const Command* c, const Opt* opts, size_t n_opts, int argc,
                char** argv, const char** args, int min, int max);

/* Return the index of VALUE, which --OPTION has, among CHOICES, which end with
   NULL; does not return if it is none of them. */
size_t choice(const char* option, const char* value,
              const OptionChoice* const* choices);

/* "dcfg NAME: ..." on stderr, and the end with STATUS_BAD. */
_Noreturn void die(const char* format, ...)
               __attribute__((format(printf, 1, 2)));

/* The same without the end. */
void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* The subcommand in use, for die(). */
extern const char* command_name;

/* --memory, which all have: the most that a file may take, in bytes; 0: what
   the library finds right. */
extern uint64_t max_memory;

/* --disk, likewise: the most that is unpacked to TMPDIR. */
extern uint64_t max_disk;

/*--- Memory and output                                    ---*/

/* These do not return if there is no memory. */
void* need(void* p);
void* zalloc(size_t n, size_t size);
char* text_copy(const char* s);

/* Room for one more element in an array that doubles. */
#define GROW(array, used, room)                                      \
   do {                                                              \
      if ((used) == (room)) {                                        \
         (room) = (room) == 0 ? 64 : 2 * (room);                     \
         (array) = need(realloc((array), (room) * sizeof *(array))); \
      }                                                              \
   } while (0)

/* A descriptor to read a file that a recording names; -1 if that cannot be
   read, or is none: a pipe would block, and to open a device does something. */
int open_regular(const char* path);

/* Was everything written?  Dies if not. */
void close_output(FILE* f, const char* path);

#endif /* DCFG_CMD_H */
