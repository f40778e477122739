/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading .bb files. */

/* Owns: reading PinPlay's .bb files and SimPoint's files.  Handed: their paths.
   Taken by: cmd_regions.c. */

#include "cmd/simpoint/bb_file.h"

#include "cmd/base/textfile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Read a number; *END is the text behind it.  Return false if there is none. */
static bool take_number(const char* s, int base, uint64_t* n, const char** end)
{
   char* after;

   if (!isxdigit((unsigned char)*s))
      return false;
   errno = 0;
   *n = strtoull(s, &after, base);
   *end = after;
   return after != s && errno == 0;
}

/* Read "S: 0xPC COUNT IMAGE 0xLOW + 0xOFFSET # FILE:LINE", or "M: 0xPC
   COUNT". */
static bool take_marker(const char* s, Marker* m)
{
   bool        symbolic = s[0] == 'S';
   const char* end;
   size_t      length;
   uint64_t    low;

   *m = (Marker){ 0 };
   s += 2;
   s += strspn(s, " ");
   if (!take_number(s, 16, &m->pc, &end) || *end != ' '
       || !take_number(end + 1, 10, &m->count, &end) || m->count == 0)
      return false;
   if (!symbolic)
      return *end == ' ' || *end == 0;
   s = end + strspn(end, " ");
   length = strcspn(s, " ");
   if (length == 0 || s[length] != ' '
       || !take_number(s + length + 1, 16, &low, &end)
       || strncmp(end, " + ", 3) != 0
       || !take_number(end + 3, 16, &m->offset, &end))
      return false;
   m->image = need(strndup(s, length));
   return true;
}

/* Exit if the memory exceeds --memory. */
static void need_within_limit(const BbFile* b)
{
   uint64_t used = b->room * sizeof(*b->slices)
                   + b->share_room * sizeof(*b->shares);

   if (max_memory != 0 && used > max_memory)
      die("the vectors need more than %" PRIu64 " MiB of memory, which is what "
          "--memory allows", max_memory >> 20);
}

/* Read "T:BLOCK:N :BLOCK:N ...". */
static bool take_vector(BbFile* b, Slice* slice, const char* s)
{
   slice->first = b->n_shares;
   slice->instrs = 0;
   for (s++; *s != 0; s += strspn(s, " ")) {
      uint64_t    block, n;
      const char* end;
      if (*s == ' ')
         continue;
      if (*s != ':' || !take_number(s + 1, 10, &block, &end) || *end != ':'
          || block > UINT32_MAX || !take_number(end + 1, 10, &n, &end)
          || n > UINT64_MAX - slice->instrs)
         return false;
      GROW(b->shares, b->n_shares, b->share_room);
      need_within_limit(b);
      b->shares[b->n_shares++] = (BlockShare){ (uint32_t)block, n };
      slice->instrs += n;
      s = end;
   }
   slice->n = b->n_shares - slice->first;
   return true;
}

BbFile* bb_read(const char* path)
{
   BbFile*  b = zalloc(1, sizeof(*b));
   FILE*    f = open_text(path, KIND_VECTORS);
   char*    line = NULL;
   size_t   room = 0;
   uint64_t number = 0;
   ssize_t  length;
   Marker   marker = { 0 };

   while ((length = getline(&line, &room, f)) >= 0) {
      number++;
      if (length > 0 && line[length - 1] == '\n')
         line[length - 1] = 0;
      if (strncmp(line, "S:", 2) == 0 || strncmp(line, "M:", 2) == 0) {
         free(marker.image);
         if (!take_marker(line, &marker))
            die("%s: line %" PRIu64 ": no marker of a slice", path, number);
      } else if (strncmp(line, "# Counts since ", 15) == 0) {
         die("%s: counts do not begin with the program: take a trace that does, "
             "without --start", path);
      } else if (line[0] == 'T') {
         GROW(b->slices, b->n_slices, b->room);
         if (!take_vector(b, &b->slices[b->n_slices], line))
            die("%s: line %" PRIu64 ": no vector", path, number);
         b->slices[b->n_slices++].marker = marker;
         marker = (Marker){ 0 };
      }
   }
   if (ferror(f))
      die("%s: %s", path, strerror(errno));
   free(marker.image);
   free(line);
   fclose(f);
   if (b->n_slices == 0)
      die("%s: there is no vector in it", path);
   return b;
}

void bb_free(BbFile* b)
{
   for (size_t i = 0; i < b->n_slices; i++)
      free(b->slices[i].marker.image);
   free(b->slices);
   free(b->shares);
   free(b);
}

bool pair_read(FILE* f, const char* path, double* number, uint64_t* cluster,
               uint64_t* line)
{
   char        text[128];
   char*       after;
   const char* end;

   if (fgets(text, sizeof(text), f) == NULL) {
      if (ferror(f))
         die("%s: %s", path, strerror(errno));
      return false;
   }
   ++*line;
   text[strcspn(text, "\r\n")] = 0;
   *number = strtod(text, &after);
   if (after == text || *after != ' ' || !isfinite(*number) || *number < 0
       || !take_number(after + 1, 10, cluster, &end)
       || end[strspn(end, " ")] != 0)
      die("%s: line %" PRIu64 ": not a number and a cluster, as SimPoint "
          "writes them", path, *line);
   return true;
}
