/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: how an option is read, and how --help shows it; the notation of a
   size; the form of lists of globs, matching, and the warning about globs that
   matched nothing.  Handed: tables of options, by dcfg_main.c; values of
   options. */

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_seqmatch.h"
#include "tool/base/options.h"

/*--- Tables of options                                    ---*/

#define HELP_AT    30        // the column of an option's help
#define HELP_WIDTH 79

/* Give VALUE to option O, which is written in ARG.  The messages are those of
   Valgrind's VG_*_CLO macros, which accept literal names only. */
static Bool set(const Option* o, const HChar* arg, const HChar* value,
                Int what)
{
   if (o->take != NULL)
      o->take(o->name, value, what);
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

/* Return where ARG has the = of option O, and set *WHAT for take(); NULL: it is
   another option. */
static const HChar* end_of_name(const Option* o, const HChar* arg, Int* what)
{
   const SizeT  len = VG_(strlen)(o->name);
   const HChar* end = arg + len;

   *what = o->what;
   if (!VG_STREQN(len, arg, o->name))
      return NULL;
   if (o->counts)
      for (*what = 0; *end >= '0' && *end <= '9' && *what <= o->high; end++)
         *what = 10 * *what + (*end - '0');
   return *end == '=' && (!o->counts || (*what >= o->low && *what <= o->high))
          ? end : NULL;
}

Bool DCFG_(take_option)(const Options* table, const HChar* arg)
{
   for (UInt i = 0; i < table->n; i++) {
      const Option* o = &table->all[i];
      Int           what;
      const HChar*  end = end_of_name(o, arg, &what);
      if (VG_(check_clom)(cloP, arg, o->name, end != NULL))
         return set(o, arg, end + 1, what);
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
      if (o->help == NULL)
         continue;
      if (o->yes != NULL)
         VG_(snprintf)(line, sizeof(line), "%s [%s]", o->help,
                       *o->yes ? "yes" : "no");
      else if (o->number != NULL)
         VG_(snprintf)(line, sizeof(line), "%s [%d]", o->help, *o->number);
      else if (o->text != NULL && *o->text != NULL)
         VG_(snprintf)(line, sizeof(line), "%s [%s]", o->help, *o->text);
      else
         VG_(snprintf)(line, sizeof(line), "%s", o->help);
      print_wrapped(VG_(printf)("    %s%s=%s", o->name, o->counts ? "<n>" : "",
                                o->value), line);
   }
}

/*--- Sizes                                                ---*/

Bool DCFG_(parse_size)(const HChar* s, ULong* size)
{
   UInt shift = 0;

   *size = 0;
   if (*s == 0)
      return False;
   for (; *s >= '0' && *s <= '9'; s++) {
      if (*size > ~(ULong)0 / 1000)
         return False;
      *size = *size * 10 + (*s - '0');
   }
   switch (*s) {
      case 'K': case 'k': shift = 10; s++; break;
      case 'M': case 'm': shift = 20; s++; break;
      case 'G': case 'g': shift = 30; s++; break;
      default:                             break;
   }
   if (*s != 0 || *size > (~(ULong)0 >> shift))
      return False;
   *size <<= shift;
   return True;
}

/*--- Lists of globs                                       ---*/

static Globs*  all;             // lists that are not empty, in the order of
static Globs** end_of_all = &all;   // options

/* Return the end of the first glob of LIST: a comma outside parentheses.  C++
   names have commas inside parentheses. */
static const HChar* end_of_glob(const HChar* list)
{
   Int depth = 0;

   for (; *list != 0; list++) {
      if (*list == '(')
         depth++;
      else if (*list == ')')
         depth--;
      else if (*list == ',' && depth <= 0)
         break;
   }
   return list;
}

Bool DCFG_(add_globs)(Globs* gs, const HChar* option, const HChar* text)
{
   if (gs->n == 0) {
      *end_of_all = gs;
      end_of_all  = &gs->next;
   }
   for (;;) {
      const HChar* end = end_of_glob(text);
      SizeT        len = end - text;
      if (len == 0)
         return False;
      gs->globs = VG_(realloc)("dcfg.globs", gs->globs,
                               (gs->n + 1) * sizeof(Glob));
      Glob* g    = &gs->globs[gs->n++];
      g->option  = option;
      g->matched = False;
      g->text    = VG_(calloc)("dcfg.globs", len + 1, 1);
      VG_(memcpy)(g->text, text, len);
      if (*end == 0)
         return True;
      text = end + 1;
   }
}

Bool DCFG_(fits_glob)(const Glob* g, const HChar* a, const HChar* b)
{
   return VG_(string_match)(g->text, a)
          || (b != NULL && VG_(string_match)(g->text, b));
}

static const HChar* last_part(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash == NULL ? NULL : slash + 1;
}

Bool DCFG_(fits_path)(const Glob* g, const HChar* path)
{
   return DCFG_(fits_glob)(g, path, last_part(path));
}

static Bool globs_fit(Globs* gs, const HChar* a, const HChar* b)
{
   Bool any = False;

   for (UInt i = 0; i < gs->n; i++)
      if (DCFG_(fits_glob)(&gs->globs[i], a, b))
         any = gs->globs[i].matched = True;
   return any;
}

Bool DCFG_(globs_fit_name)(Globs* gs, const HChar* name)
{
   return globs_fit(gs, name, NULL);
}

Bool DCFG_(globs_fit_path)(Globs* gs, const HChar* path)
{
   return globs_fit(gs, path, last_part(path));
}

void DCFG_(remark)(const HChar* format, ...)
{
   va_list args;

   if (VG_(clo_verbosity) == 0)
      return;
   va_start(args, format);
   VG_(vmessage)(Vg_UserMsg, format, args);
   va_end(args);
}

void DCFG_(tell_unused_globs)(void)
{
   for (const Globs* gs = all; gs != NULL; gs = gs->next)
      for (UInt i = 0; i < gs->n; i++)
         if (!gs->globs[i].matched)
            DCFG_(remark)("dcfg: warning: %s=%s matches no code that ran while "
                          "the tool collected: patterns match whole names, see "
                          "dcfg report --wide\n",
                          gs->globs[i].option, gs->globs[i].text);
}
