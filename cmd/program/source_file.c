/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of a source file. */

/* Owns: the lines of a source file.  Handed: a path. */

#include "cmd/program/source_file.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>
#include <string.h>

struct SourceFile {
   char*    text;
   size_t   size;
   size_t*  starts;             // begin of each line, and the end of the last
   uint32_t n_lines;
};

/* Largest size: the path is from a recording, and the file may be endless. */
#define MAX_SIZE ((size_t)64 << 20)

/* Return the contents of F; NULL if it cannot be read. */
static char* read_all(FILE* f, size_t* size)
{
   size_t room = 0;
   char*  text = NULL;

   *size = 0;
   do {
      room = room == 0 ? 1 << 16 : 2 * room;
      text = need(realloc(text, room));
      *size += fread(text + *size, 1, room - *size, f);
   } while (*size == room && room < MAX_SIZE);
   if (ferror(f)) {
      free(text);
      return NULL;
   }
   return text;
}

static void find_lines(SourceFile* f)
{
   size_t room = 0, n = 0;

   for (size_t at = 0; at < f->size; ) {
      const char* end = memchr(f->text + at, '\n', f->size - at);
      GROW(f->starts, n, room);
      f->starts[n++] = at;
      at = end == NULL ? f->size + 1 : (size_t)(end - f->text) + 1;
      if (n == UINT32_MAX)
         break;
   }
   GROW(f->starts, n, room);
   f->starts[n] = f->size == 0 || f->text[f->size - 1] == '\n' ? f->size
                  : f->size + 1;
   f->n_lines   = (uint32_t)n;
}

SourceFile* source_file_open(const char* path)
{
   int         fd = open_regular(path);
   FILE*       in;
   SourceFile* f;

   if (fd < 0)
      return NULL;
   in = need(fdopen(fd, "r"));
   f = zalloc(1, sizeof(*f));
   f->text = read_all(in, &f->size);
   fclose(in);
   if (f->text == NULL) {
      free(f);
      return NULL;
   }
   find_lines(f);
   return f;
}

void source_file_close(SourceFile* f)
{
   if (f == NULL)
      return;
   free(f->text);
   free(f->starts);
   free(f);
}

uint32_t source_file_lines(const SourceFile* f)
{
   return f->n_lines;
}

const char* source_file_line(const SourceFile* f, uint32_t n, size_t* length)
{
   if (n == 0 || n > f->n_lines)
      return NULL;
   *length = f->starts[n] - f->starts[n - 1] - 1;
   if (*length > 0 && f->text[f->starts[n - 1] + *length - 1] == '\r')
      --*length;
   return f->text + f->starts[n - 1];
}

const char* source_file_code(const SourceFile* f, uint32_t n, size_t* length)
{
   const char* line = f == NULL ? NULL : source_file_line(f, n, length);

   while (line != NULL && *length > 0 && (*line == ' ' || *line == '\t')) {
      line++;
      --*length;
   }
   return line;
}
