/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Words for code and branches that kept it from running. */

/* Owns: the words for such code.  Handed: addresses, debug information,
   source files.

   A condition is "true" or "false" only if the branch's line has one
   condition, and if no keyword between that line and the two sides jumps.
   Else the words name the line that the branch went to. */

#include "cmd/omitted/branch_words.h"

#include "cmd/base/format.h"
#include "cmd/machine/source_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const char* code_text(Variables* v, uint32_t near, uint64_t addr,
                      const char* source)
{
   const char* file;
   uint32_t    line = code_line(v, near, addr, &file);

   if (line == 0)
      return text_format("0x%" PRIx64, addr);
   if (source != NULL && strcmp(text_base(source), text_base(file)) == 0)
      return text_format("line %" PRIu32, line);
   return text_clean(text_format("%s:%" PRIu32, text_base(file), line));
}

/* Return whether TEXT, of SIZE bytes, has WORD. */
static bool has_word(const char* text, size_t size, const char* word)
{
   size_t n = strlen(word);

   for (size_t i = 0; i + n <= size; i++)
      if (memcmp(text + i, word, n) == 0
          && (!isalpha((unsigned char)word[0])
              || ((i == 0 || !isalnum((unsigned char)text[i - 1]))
                  && (i + n == size
                      || !isalnum((unsigned char)text[i + n])))))
         return true;
   return false;
}

/* Return whether a line from FIRST to LAST has one of WORDS, which end with
   NULL. */
static bool have_word(const SourceFile* f, uint32_t first, uint32_t last,
                      const char* const* words)
{
   for (uint32_t line = first; line <= last; line++) {
      size_t      size = 0;
      const char* text = source_file_line(f, line, &size);
      for (unsigned k = 0; text != NULL && words[k] != NULL; k++)
         if (has_word(text, size, words[k]))
            return true;
   }
   return false;
}

/* Return 1 if the condition in line BRANCH was true, 0 if it was false, -1
   if that is not known.  TAKEN and OTHER are the lines of its sides. */
static int value_of(const SourceFile* f, uint32_t branch, uint32_t taken,
                    uint32_t other)
{
   static const char* const jumps[] = { "break", "continue", "goto", "return",
                                        "throw", "case", "default", "&&", "||",
                                        "?", NULL };
   static const char* const conditions[] = { "if", "while", "for", NULL };
   static const char* const loops[] = { "for", "while", "do", NULL };
   static const char* const elses[] = { "else", NULL };
   uint32_t first = taken < other ? taken : other;

   if (first <= branch || taken == other
       || !have_word(f, branch, branch, conditions)
       || have_word(f, branch, first - 1, jumps))
      return -1;
   if (other < taken)
      return 0;
   return !have_word(f, branch, branch, loops)
          && have_word(f, taken, other, elses) ? 1 : -1;
}

const char* direction_text(Variables* v, uint32_t near, uint64_t addr,
                           uint64_t taken, uint64_t other)
{
   const char* source;
   const char* side;
   uint32_t    line = code_line(v, near, addr, &source);
   uint32_t    to = 0, from = 0;
   SourceFile* f = line == 0 ? NULL : source_file_open(source);
   int         value = -1;

   if (f != NULL) {
      bool here;
      to   = code_line(v, near, taken, &side);
      here = to != 0 && strcmp(side, source) == 0;
      from = code_line(v, near, other, &side);
      if (here && from != 0 && strcmp(side, source) == 0)
         value = value_of(f, line, to, from);
      source_file_close(f);
   }
   if (value >= 0)
      return value > 0 ? "was true" : "was false";
   return text_format("went to %s",
                      to == line ? text_format("0x%" PRIx64, taken)
                      : code_text(v, near, taken, source));
}
