/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Commands that come next. */

/* Owns: printed commands, for users to copy.  Handed: names of files and
   programs. */

#include "cmd/export/export.h"

#include <ctype.h>
#include <glob.h>
#include <string.h>

/* Return TEXT and SUFFIX quoted as one word for a shell. */
const char* shell_word(const char* text, const char* suffix)
{
   bool        plain = text[0] != 0;
   const char* quoted = "";

   for (const char* s = text; *s != 0; s++)
      plain = plain && (isalnum((unsigned char)*s)
                        || strchr("_-./+,:@%=", *s) != NULL);
   if (plain)
      return text_format("%s%s", text, suffix);
   if (text_clean(text) != text) {
      /* Write a name with hidden characters as bash's $'...', with octal
         numbers. */
      for (const char* s = text; *s != 0; s++)
         quoted = text_format(strchr("'\\", *s) != NULL || *s < ' ' || *s > '~'
                              ? "%s\\%03o" : "%s%c", quoted,
                              (unsigned char)*s);
      return text_format("$'%s%s'", quoted, suffix);
   }
   for (const char* s = text; *s != 0; s++)
      quoted = *s == '\'' ? text_format("%s'\\''", quoted)
               : text_format("%s%c", quoted, *s);
   return text_format("'%s%s'", quoted, suffix);
}

/* Return the path of a program of LLVM, the newest version's; its name alone if
   it is not installed.  Debian has a directory for each version.  Links with a
   version, such as perf2bolt-19, do not work: the program acts by the name
   under which it is called. */
const char* llvm_program(const char* name)
{
   glob_t      found;
   const char* best = name;
   int         newest = 0, version;

   if (glob(text_format("/usr/lib/llvm-*/bin/%s", name), 0, NULL, &found)
       != 0)
      return name;
   for (size_t i = 0; i < found.gl_pathc; i++)
      if (sscanf(found.gl_pathv[i], "/usr/lib/llvm-%d", &version) == 1
          && version > newest) {
         newest = version;
         best = text_format("%s", found.gl_pathv[i]);
      }
   globfree(&found);
   return best;
}
