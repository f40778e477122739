/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fields of CSV. */

/* Owns: how a text becomes a field, for all commands that write CSV.
   Handed: texts, of users' programs.

   The quotes are RFC 4180's.  The remedy against formulas is that of OWASP, "CSV
   Injection": a spreadsheet shows a field that begins with ' as text.  A text
   that begins with ' gets one more, so that readers can always remove one. */

#include "cmd/base/csv.h"

#include "cmd/base/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return whether S is a number with a sign, perhaps a percentage. */
static bool is_signed_number(const char* s)
{
   size_t n = strspn(s + 1, "0123456789");

   if ((*s != '+' && *s != '-') || n == 0)
      return false;
   s += 1 + n;
   if (*s == '.' && (n = strspn(s + 1, "0123456789")) > 0)
      s += 1 + n;
   return s[*s == '%'] == 0;
}

/* Return whether a spreadsheet could take S for a formula.  Some know the wide
   forms of these characters, too. */
static bool needs_guard(const char* s)
{
   static const char* const wide[] = {
      "\uff1d", "\uff0b", "\uff0d", "\uff20"
   };

   for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
      if (strncmp(s, wide[i], strlen(wide[i])) == 0)
         return true;
   return *s != 0 && strchr("=+-@'\t\r\n", *s) != NULL && !is_signed_number(s);
}

char* csv_quoted(const char* s)
{
   bool  guard = needs_guard(s);
   char* quoted;
   char* to;

   if (!guard && strpbrk(s, ",;\"\t\r\n") == NULL)
      return NULL;
   quoted = to = zalloc(2 * strlen(s) + 4, 1);
   *to++ = '"';
   if (guard)
      *to++ = '\'';
   for (; *s != 0; s++) {
      if (*s == '"')
         *to++ = '"';
      *to++ = *s;
   }
   *to = '"';
   return quoted;
}

void print_csv_string(const char* s)
{
   char* quoted = csv_quoted(s);

   fputs(quoted != NULL ? quoted : s, stdout);
   free(quoted);
}
