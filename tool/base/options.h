/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Options of the tool. */

#ifndef __DCFG_OPTIONS_H
#define __DCFG_OPTIONS_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Option: a row of a table that defines parsing and --help.  HELP is one line
   without the default: --help takes the default from the variable.  If the
   variable has none, HELP ends with it, as in "[none]". */
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

typedef
   struct {
      const Option* all;
      UInt          n;
   }
   Options;

#define OPTIONS(table) { (table), sizeof(table) / sizeof((table)[0]) }

/* Read ARG if it is an option of TABLE; otherwise return False. */
Bool DCFG_(take_option)(const Options* table, const HChar* arg);

/* Print the help of all options of TABLE. */
void DCFG_(print_options)(const Options* table);

#endif /* __DCFG_OPTIONS_H */
