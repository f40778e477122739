/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reads the turns of threads, which --trace-turns=yes writes. */

/* Owns: the parser of the file of turns.  Handed: its path. */

#include "cmd/simpoint/turns.h"

#include "cmd/base/textfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct Turns {
   const char* path;
   FILE*       f;
   uint64_t    offset;
   bool        begun, ended;
};

/* Return the next character that is no white space; EOF at the end. */
static int next_char(Turns* t)
{
   int c;

   do {
      c = getc(t->f);
      t->offset++;
   } while (c == ' ' || c == '\n' || c == '\t' || c == '\r');
   return c;
}

static _Noreturn void broken_file(const Turns* t, const char* wanted)
{
   if (ferror(t->f))
      die("%s: %s", t->path, strerror(errno));
   die("%s: byte %" PRIu64 ": %s is missing; what --trace-turns=yes writes is "
       "an array of [thread, instructions, edges]", t->path, t->offset - 1,
       wanted);
}

static void need_char(Turns* t, int c)
{
   const char wanted[] = { '`', (char)c, '\'', 0 };

   if (next_char(t) != c)
      broken_file(t, wanted);
}

/* Read a number and the character behind it, which must be END. */
static uint64_t need_number(Turns* t, int end)
{
   const char wanted[] = { '`', (char)end, '\'', 0 };
   uint64_t   n = 0;
   int        c = next_char(t);

   if (c < '0' || c > '9')
      broken_file(t, "a number");
   for (; c >= '0' && c <= '9'; t->offset++, c = getc(t->f)) {
      if (n > (UINT64_MAX - (uint64_t)(c - '0')) / 10)
         broken_file(t, "a number below 2^64");
      n = 10 * n + (uint64_t)(c - '0');
   }
   ungetc(c, t->f);
   t->offset--;
   if (next_char(t) != end)
      broken_file(t, wanted);
   return n;
}

Turns* turns_open(const char* path)
{
   Turns* t = zalloc(1, sizeof(*t));

   t->path = path;
   t->f = open_text(path, KIND_TURNS);
   need_char(t, '[');
   return t;
}

void turns_close(Turns* t)
{
   fclose(t->f);
   free(t);
}

bool turns_next(Turns* t, Turn* turn)
{
   uint64_t thread;
   int      c;

   if (t->ended)
      return false;
   c = next_char(t);
   if (c == ']') {
      t->ended = true;
      if (next_char(t) != EOF)
         broken_file(t, "the end");
      return false;
   }
   if (t->begun) {
      if (c != ',')
         broken_file(t, "`,' or `]'");
      c = next_char(t);
   }
   if (c != '[')
      broken_file(t, "`['");
   t->begun = true;
   thread = need_number(t, ',');
   if (thread >= DCFG_NONE)
      broken_file(t, "the number of a thread");
   turn->thread = (uint32_t)thread;
   turn->instrs = need_number(t, ',');
   turn->edges = need_number(t, ']');
   return true;
}
