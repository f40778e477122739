/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Options of the tool. */

/* Owns: how an option is read, and how --help shows it.  Handed: tables of
   options, by dcfg_main.c.  Taken by: dcfg_main.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"

#include "tool/base/options.h"

#define HELP_AT    30        // the column of an option's help
#define HELP_WIDTH 79

/* Give VALUE to option O, which is written in ARG.  The messages are those of
   Valgrind's VG_*_CLO macros, which accept literal names only. */
static Bool set(const Option* o, const HChar* arg, const HChar* value)
{
   if (o->take != NULL)
      o->take(o->name, value, o->what);
   else if (o->text != NULL)
      *o->text = value;
   else if (o->yes != NULL) {
      *o->yes = VG_STREQ(value, "yes");
      if (!*o->yes && !VG_STREQ(value, "no")) {
         VG_(fmsg_bad_option)(arg, "Invalid boolean value '%s' (should be "
                                   "'yes' or 'no')\n", value);
         return False;
      }
   } else {
      HChar* end;
      Long   n = VG_(strtoll10)(value, &end);
      *o->number = n;
      if (*end != 0 || *o->number != n) {
         VG_(fmsg_bad_option)(arg, "Invalid integer value '%s'\n", value);
         return False;
      }
      if (n < o->low || n > o->high) {
         VG_(fmsg_bad_option)(arg, "'%s' argument must be between %d and %d\n",
                              o->name, o->low, o->high);
         return False;
      }
   }
   return True;
}

Bool DCFG_(take_option)(const Options* table, const HChar* arg)
{
   for (UInt i = 0; i < table->n; i++) {
      const Option* o   = &table->all[i];
      SizeT         len = VG_(strlen)(o->name);
      if (VG_(check_clom)(cloP, arg, o->name,
                          VG_STREQN(len, arg, o->name) && arg[len] == '='))
         return set(o, arg, arg + len + 1);
   }
   return False;
}

/* Print TEXT from column HELP_AT on, with line breaks; TEXT is changed.  The
   cursor is at column FROM. */
static void print_wrapped(UInt from, HChar* text)
{
   const UInt room = HELP_WIDTH - HELP_AT;

   if (from >= HELP_AT) {
      VG_(printf)("\n");
      from = 0;
   }
   for (Bool more = True; more; from = 0) {
      UInt n = VG_(strlen)(text);
      while (n > room || (text[n] != ' ' && text[n] != 0))
         n--;
      more    = text[n] != 0;
      text[n] = 0;
      VG_(printf)("%*s%s\n", (Int)(HELP_AT - from), "", text);
      text += n + 1;
   }
}

void DCFG_(print_options)(const Options* table)
{
   for (const Option* o = table->all; o < table->all + table->n; o++) {
      HChar line[512];
      if (o->yes != NULL)
         VG_(snprintf)(line, sizeof(line), "%s [%s]", o->help,
                       *o->yes ? "yes" : "no");
      else if (o->number != NULL)
         VG_(snprintf)(line, sizeof(line), "%s [%d]", o->help, *o->number);
      else if (o->text != NULL && *o->text != NULL)
         VG_(snprintf)(line, sizeof(line), "%s [%s]", o->help, *o->text);
      else
         VG_(snprintf)(line, sizeof(line), "%s", o->help);
      print_wrapped(VG_(printf)("    %s=%s", o->name, o->value), line);
   }
}
