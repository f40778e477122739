/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Options of the tool: tables, sizes, lists of globs. */

#ifndef __DCFG_OPTIONS_H
#define __DCFG_OPTIONS_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Say what is wrong with an option, as VG_(fmsg)() does, and end the tool. */
#define DCFG_FAIL(...)                                                  \
   do {                                                                 \
      VG_(fmsg)(__VA_ARGS__);                                           \
      VG_(exit)(1);                                                     \
   } while (0)

/* Option: a row of a table that defines parsing and --help.  HELP is one line
   without the default: --help takes the default from the variable.  If the
   variable has none, HELP ends with it, as in "[none]".  NULL: --help leaves
   the option out. */
typedef
   struct {
      const HChar* name;        // "--trace"
      const HChar* value;       // name of the value in --help
      const HChar* help;
      /* The variable or function that gets the value: one of these four is not
         NULL. */
      Bool*         yes;
      Int*          number;     // from LOW to HIGH
      const HChar** text;
      void        (*take)(const HChar* name, const HChar* value, Int what);
      Int           low, high;
      Int           what;       // passed to take()
      Bool          counts;     // NAME ends with a number from LOW to HIGH, which
                                // take() gets as WHAT
   }
   Option;

#define OPTION_BOOL(n, var, h)                                          \
   { .name = (n), .value = "no|yes", .help = (h), .yes = &(var) }
#define OPTION_INT(n, var, lo, hi, v, h)                                \
   { .name = (n), .value = (v), .help = (h), .number = &(var),          \
     .low = (lo), .high = (hi) }
#define OPTION_TEXT(n, var, v, h)                                       \
   { .name = (n), .value = (v), .help = (h), .text = &(var) }
#define OPTION_CALL(n, function, w, v, h)                               \
   { .name = (n), .value = (v), .help = (h), .take = (function), .what = (w) }
#define OPTION_COUNT(n, function, lo, hi, v, h)                         \
   { .name = (n), .value = (v), .help = (h), .take = (function),        \
     .counts = True, .low = (lo), .high = (hi) }

typedef
   struct {
      const Option* all;
      UInt          n;
   }
   Options;

#define OPTIONS(table) { (table), sizeof(table) / sizeof((table)[0]) }

/* Print a message that users can do without: with -q, it is not printed, and
   with --trace-children=yes it does not get into what a script reads.  Errors
   are VG_(umsg)'s. */
void DCFG_(remark)(const HChar* format, ...) PRINTF_CHECK(1, 2);

/* Read ARG if it is an option of TABLE; otherwise return False. */
Bool DCFG_(take_option)(const Options* table, const HChar* arg);

/* Print the help of all options of TABLE. */
void DCFG_(print_options)(const Options* table);

/* Read the size S: digits, then K, M, G or nothing.  *SIZE is in bytes.  Return
   False if S is not a size. */
Bool DCFG_(parse_size)(const HChar* s, ULong* size);

typedef
   struct {
      const HChar* option;     // the option that gave the glob
      HChar*       text;
      Bool         matched;    // something that was collected
   }
   Glob;

/* Globs: globs with commas between them, from one option or several.  All zeros
   is an empty list. */
typedef
   struct _Globs {
      Glob*          globs;
      UInt           n;
      struct _Globs* next;     // in the list of all that are not empty
   }
   Globs;

/* Append the globs of TEXT, the value of OPTION.  Return False if one of them
   is empty. */
Bool DCFG_(add_globs)(Globs* gs, const HChar* option, const HChar* text);

/* Return whether the glob matches A, or B if B is not NULL. */
Bool DCFG_(fits_glob)(const Glob* g, const HChar* a, const HChar* b);

/* Return whether the glob matches the path of a file or its last part. */
Bool DCFG_(fits_path)(const Glob* g, const HChar* path);

/* Return whether at least one of the globs matches the name, or the path of a
   file or its last part.  Set .matched in those that do. */
Bool DCFG_(globs_fit_name)(Globs* gs, const HChar* name);
Bool DCFG_(globs_fit_path)(Globs* gs, const HChar* path);

/* At the end of the run: warn about globs of all lists that matched nothing. */
void DCFG_(tell_unused_globs)(void);

#endif
