/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The command dcfg: what its parts share. */

#ifndef DCFG_CMD_H
#define DCFG_CMD_H

#include "base/order.h"

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
      const char* help;
      const char* value;        // of an option: see Opt; or NULL
   }
   OptionChoice;

typedef
   struct {
      const char* name;
      const char* args;         // "FILE [TRACE]"
      const char* summary;      // for the list of all
      const char* about;        // what --help says before the options
      const char* more;         // and behind them, from a newline on; or ""
      int       (*run)(int argc, char** argv);  // argv[0]: its name
   }
   Command;

typedef
   enum {
      OPT_FLAG,         // bool: --name
      OPT_COUNT,        // uint64_t: --name=N
      OPT_TEXT,         // const char*: --name=TEXT
      OPT_COUNT_OR_NOT, // uint64_t: --name=N; NO_VALUE: --name
      OPT_TEXT_OR_NOT,  // const char*: --name=TEXT; "": --name
      OPT_VALUES        // see OPT_CHOICES
   }
   OptKind;

#define NOT_GIVEN UINT64_MAX            // what a count may begin as
#define NO_VALUE  (UINT64_MAX - 1)

/* Opt: an option, where its value goes, and what --help says of it.
   "--name VALUE" is the same as "--name=VALUE", if there has to be one.  A name
   of one letter has one dash: "-n VALUE" or "-nVALUE".  An option whose value has
   two forms may have two rows.

   The completion reads the names of values: DIR is a directory; FILE, IN, OUT
   and PREFIX are files; WHAT is a routine, NAME a function, PATTERN an image;
   "a|b" lists all. */
typedef
   struct {
      const char* name;
      OptKind     kind;
      void*       to;
      const char* value;        // its name; NULL: there is none
      const char* help;         // in one line; NULL: that of the next row
   }
   Opt;

/* Rows that are no options: a remark on those before, and the values of the one
   before, an array of const OptionChoice* that ends with NULL. */
#define OPT_REMARK(text)     { "", OPT_FLAG, NULL, NULL, text }
#define OPT_CHOICES(choices) { "", OPT_VALUES, (void*)(choices), NULL, "" }

/* A table of options, and how many rows it has. */
#define OPTS(table) (table), sizeof(table) / sizeof((table)[0])

/* Rows that several commands have. */
#define OPT_CSV_JSON(csv, json, help)                                     \
   { "csv", OPT_FLAG, csv, NULL, NULL }, { "json", OPT_FLAG, json, NULL, help }
#define OPT_LIMIT(to)                                                     \
   { "limit", OPT_COUNT, to, "N",                                         \
     "print at most N lines for a rule; 0: all [20]" }
#define OPT_MANGLED(to)                                                   \
   { "mangled", OPT_FLAG, to, NULL,                                       \
     "names of C++ and Rust as the linker sees them" }
#define OPT_ROOT(to)                                                      \
   { "root", OPT_TEXT, to, "DIR", "look for images below DIR" }
#define OPT_TOP(to)                                                       \
   { "top", OPT_COUNT, to, "N", "N rows in a section; 0: all [10]" }
#define OPT_WIDE(to)                                                      \
   { "wide", OPT_FLAG, to, NULL, "long names in full" }

/* Read the command line of a subcommand: the options, and MIN to MAX
   arguments that are none, which go to ARGS.  Returns their number; does not
   return if something is wrong, if help is asked for, or with --options, which
   lists OPTS for the completion and the tests: one a line, "--name=VALUE". */
int  parse_args(const Command* c, const Opt* opts, size_t n_opts, int argc,
                char** argv, const char** args, int min, int max);

/* Return the index of VALUE, which --OPTION has, among CHOICES, which end with
   NULL; does not return if it is none of them. */
size_t choice(const char* option, const char* value,
              const OptionChoice* const* choices);

/* Print what --help says of options that all commands have. */
void common_help(void);

/* "dcfg NAME: ..." on stderr, and the end with STATUS_BAD. */
_Noreturn void die(const char* format, ...)
               __attribute__((format(printf, 1, 2)));

/* The same without the end. */
void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Print to standard error what to type next; lines end with newlines. */
void say_next(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* The command talks with its user, which no pager may come between. */
void use_no_pager(void);

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
