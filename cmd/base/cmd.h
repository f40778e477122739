/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Shared by all subcommands: command lines, errors, memory; and the headers of
   the C library that nearly all of them take. */

#ifndef DCFG_CMD_H
#define DCFG_CMD_H

#include "format/order.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define MOST_NEAREST 3

/* Nearest: the candidates that are most similar to an unknown word. */
typedef
   struct {
      const char* word;
      size_t      n;
      struct { char name[256]; size_t distance; } found[MOST_NEAREST];
      char        text[1024];
   }
   Nearest;

Nearest nearest_to(const char* word);

/* Keep a copy of CANDIDATE if it is near enough, and not too long. */
void nearest_offer(Nearest* n, const char* candidate);

/* Keep SHOWN if CANDIDATE, another name for it, is near enough. */
void nearest_offer_as(Nearest* n, const char* candidate, const char* shown);

/* Return "; did you mean `a' or `b'?", or "" if nothing is near enough.  Valid
   as long as N. */
const char* nearest_text(Nearest* n);

/* Exit statuses of all subcommands. */
enum {
   STATUS_OK    = 0,
   STATUS_FOUND = 1,    // check: violations; diff: differences
   STATUS_BAD   = 2,    // wrong usage, or an error of reading or writing a file
   STATUS_SOME  = 3     // a result without the files that cannot be read
};

/*--- Subcommands and their command lines                  ---*/

/* OptionChoice: a value of an option, or one of several options, often for a
   form of output. */
typedef
   struct {
      const char* name;
      const char* help;
      const char* value;        // name of its value: see Opt; or NULL
   }
   OptionChoice;

typedef
   struct {
      const char* name;
      const char* args;         // for example "FILE [TRACE]"
      const char* summary;      // for the list of all subcommands
      const char* about;        // text of --help before the options
      const char* more;         // and behind them, beginning with a newline; or
                                // ""
      int       (*run)(int argc, char** argv);  // argv[0] is the name
   }
   Command;

typedef
   enum {
      OPT_FLAG,         // bool: --name
      OPT_COUNT,        // uint64_t: --name=N
      OPT_TEXT,         // const char*: --name=TEXT
      OPT_TEXTS,        // TextList: --name=TEXT, any number of times
      OPT_COUNT_OR_NOT, // uint64_t: --name=N; NO_VALUE: --name
      OPT_TEXT_OR_NOT,  // const char*: --name=TEXT; "": --name
      OPT_VALUES        // see OPT_CHOICES
   }
   OptKind;

/* TextList: the values of an option that can be repeated. */
typedef
   struct {
      const char** texts;
      size_t       n, room;
   }
   TextList;

/* Add TEXT to LIST. */
void add_text(TextList* list, const char* text);

#define NOT_GIVEN UINT64_MAX            // initial value of a count
#define NO_VALUE  (UINT64_MAX - 1)

/* Opt: an option, the variable for its value, and its help.  "--name VALUE" is
   the same as "--name=VALUE", if a value is required.  A name of one letter has
   one dash: "-n VALUE" or "-nVALUE".  An option whose value has two forms may
   have two rows.

   The completion uses the names of values: DIR is a directory; FILE, IN, OUT
   and PREFIX are files; WHAT is a routine, NAME a function, PATTERN an image;
   "a|b" lists all values. */
typedef
   struct {
      const char* name;
      OptKind     kind;
      void*       to;
      const char* value;        // name of the value; NULL: none
      const char* help;         // one line; NULL: that of the next row
   }
   Opt;

/* Rows that are not options: a remark on the options before; and the values of
   the option before, an array of const OptionChoice* that ends with NULL. */
#define OPT_REMARK(text)     { "", OPT_FLAG, NULL, NULL, text }
#define OPT_CHOICES(choices) { "", OPT_VALUES, (void*)(choices), NULL, "" }

/* A table of options, and its number of rows. */
#define OPTS(table) (table), sizeof(table) / sizeof((table)[0])

/* Rows that several commands share. */
#define OPT_CSV_JSON(csv, json, help)                                     \
   { "csv", OPT_FLAG, csv, NULL, NULL }, { "json", OPT_FLAG, json, NULL, help }
#define OPT_INLINE(to, help) { "inline", OPT_FLAG, to, NULL, help }
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

/* Read the command line of a subcommand: options, and MIN to MAX other
   arguments, which go to ARGS.  Return their number.  Does not return after an
   error, after help, or with --options, which lists OPTS for the completion and
   the tests: one on a line, as "--name=VALUE". */
int  parse_args(const Command* c, const Opt* opts, size_t n_opts, int argc,
                char** argv, const char** args, int min, int max);

/* Return the index of VALUE, given to --OPTION, in CHOICES, which end with
   NULL. Does not return if VALUE is not there. */
size_t choice(const char* option, const char* value,
              const OptionChoice* const* choices);

/* Read the number in front of S, which begins with a digit, and set *END behind
   it.  BASE: as strtoull() has it.  Return false if there is none, or it does
   not fit. */
bool take_number(const char* s, int base, uint64_t* n, const char** end);

/* Read S as take_number() does; it must be a number and nothing else. */
bool is_number(const char* s, int base, uint64_t* n);

/* Read S, "LOW-HIGH" or "LOW"; both are decimal.  Return false if it is neither. */
bool is_range(const char* s, uint64_t* low, uint64_t* high);

/* Return VALUE, given to --OPTION, which needs a percentage.  Does not return if
   it is none. */
double percentage(const char* option, const char* value);

/* Print the help of options that all commands have. */
void common_help(void);

/* Print "dcfg NAME: ..." to stderr, and exit with STATUS_BAD. */
_Noreturn void die(const char* format, ...)
               __attribute__((format(printf, 1, 2)));

/* Print "dcfg NAME: ..." to stderr. */
void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Wait until the child PID has ended.  Return its status, as waitpid() sets it; -1
   if there is no such child, or PID is negative. */
int wait_for(pid_t pid);

/* Do not start a pager: the command talks with its user. */
void use_no_pager(void);

/* The name of the subcommand, for messages. */
extern const char* command_name;

/* --memory: the most memory for a file, in bytes; 0: the library's default. */
extern uint64_t max_memory;

/* --disk: the most disk space in TMPDIR for unpacked files, in bytes; 0:
   likewise. */
extern uint64_t max_disk;

/*--- Memory and output                                    ---*/

static inline bool begins(const char* s, const char* with)
{
   return strncmp(s, with, strlen(with)) == 0;
}

/* Return the rest of S behind WITH; NULL if S does not begin with it. */
static inline const char* rest_behind(const char* s, const char* with)
{
   return begins(s, with) ? s + strlen(with) : NULL;
}

/* Return whether NAME is one of the N names ALL; IS_AMONG() is for arrays. */
#define IS_AMONG(name, all) is_among(name, all, sizeof(all) / sizeof((all)[0]))
bool is_among(const char* name, const char* const* all, size_t n);

/* Return P; return N zeroed elements; return a copy.  They exit if there is no
   memory. */
void* need(void* p);
void* zalloc(size_t n, size_t size);
char* text_copy(const char* s);

/* Free each of these pointers. */
#define FREE_ALL(...) FREE_EACH(free, __VA_ARGS__)

/* Make room for one more element in an array, whose size doubles. */
#define GROW(array, used, room)                                      \
   do {                                                              \
      if ((used) == (room)) {                                        \
         (room) = (room) == 0 ? 64 : 2 * (room);                     \
         (array) = need(realloc((array), (room) * sizeof *(array))); \
      }                                                              \
   } while (0)

/* ByteList: bytes that are added one after the other; at first all zero.  The
   caller frees .bytes. */
typedef
   struct {
      uint8_t* bytes;
      size_t   n, room;
   }
   ByteList;

void bytes_add(ByteList* l, const void* bytes, size_t n);

/* Give back the room that an array does not use. */
#define SHRINK(array, used, room)                                    \
   do {                                                              \
      (room) = (used);                                               \
      if ((used) > 0)                                                \
         (array) = need(realloc((array), (used) * sizeof *(array))); \
   } while (0)

/* Open a file that a recording names, for reading.  Return -1 if it cannot be
   read or is not regular: a pipe would block, and opening a device may have
   effects. */
int open_regular(const char* path);

/* Exit, for the file at PATH, or with NULL the standard output, could not be
   written.  stdout_error() says why, or else errno. */
_Noreturn void write_failed(const char* path);

/* Exit with an error if not everything was written. */
void close_output(FILE* f, const char* path);

/*--- Sums of counts                                       ---*/

/* Add N to *SUM.  Return false if it does not fit: then *SUM is UINT64_MAX, as
   in the library's sums.  load_dcfg() warns of files with such sums. */
static inline bool add_count(uint64_t* sum, uint64_t n)
{
   bool fits = !__builtin_add_overflow(*sum, n, sum);

   if (!fits)
      *sum = UINT64_MAX;
   return fits;
}

/* Return A + B, likewise; return A * B, likewise. */
static inline uint64_t capped_sum(uint64_t a, uint64_t b)
{
   add_count(&a, b);
   return a;
}

static inline uint64_t capped_product(uint64_t a, uint64_t b)
{
   return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

#endif /* DCFG_CMD_H */
