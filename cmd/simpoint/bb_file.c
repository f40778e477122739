/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reads PinPlay's .bb files, and the files that SimPoint writes about them. */

/* Owns: reading PinPlay's .bb files and SimPoint's files.  Handed: their
   paths. */

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

/* Die if B needs more memory than --memory allows. */
static void need_within_limit(const BbFile* b)
{
   uint64_t used = b->room * sizeof(*b->slices)
                   + b->share_room * sizeof(*b->shares)
                   + b->block_room * sizeof(*b->blocks);

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

/* Read "Block id: ID 0xPC:0xLAST static instructions: N block count: N ...". */
static bool take_block(BbFile* b, const char* s)
{
   BbBlock     row;
   uint64_t    id, n, last;
   const char* end;

   s += strlen("Block id: ");
   if (!take_number(s, 10, &id, &end) || id > UINT32_MAX || *end != ' '
       || !take_number(end + 1, 16, &row.pc, &end) || *end != ':'
       || !take_number(end + 1, 16, &last, &end)
       || strncmp(end, " static instructions: ", 22) != 0
       || !take_number(end + 22, 10, &n, &end) || n == 0 || n > UINT32_MAX
       || strncmp(end, " block count: ", 14) != 0
       || !take_number(end + 14, 10, &row.executions, &end))
      return false;
   row.id = (uint32_t)id;
   row.n_instrs = (uint32_t)n;
   GROW(b->blocks, b->n_blocks, b->block_room);
   need_within_limit(b);
   b->blocks[b->n_blocks++] = row;
   return true;
}

static bool has_prefix(const char* s, const char* prefix)
{
   return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Lines: the values of the lines since the last vector, which are about the
   next one. */
typedef
   struct {
      Marker   marker;          // the next slice's
      uint64_t unfiltered;      // instructions since the start
      uint64_t before;          // likewise, before the slice
   }
   Lines;

/* Read "# Unfiltered count  N", or " N global N". */
static bool take_unfiltered(BbFile* b, Lines* l, const char* s)
{
   const char* number = strrchr(s, ' ') + 1;
   const char* end;

   b->has_unfiltered = true;
   return take_number(number, 10, &l->unfiltered, &end) && *end == 0
          && l->unfiltered >= l->before;
}

static bool take_slice(BbFile* b, Lines* l, const char* s)
{
   Slice* slice;

   GROW(b->slices, b->n_slices, b->room);
   slice = &b->slices[b->n_slices];
   if (!take_vector(b, slice, s))
      return false;
   slice->unfiltered = b->has_unfiltered ? l->unfiltered - l->before
                       : slice->instrs;
   slice->marker = l->marker;
   b->n_slices++;
   l->before = l->unfiltered;
   l->marker = (Marker){ 0 };
   return true;
}

/* Read a line.  Return NULL, or if it is malformed, the name of the thing that
   should be there. */
static const char* take_line(BbFile* b, Lines* l, const char* s)
{
   const char* end;

   if (has_prefix(s, "S:") || has_prefix(s, "M:")) {
      free(l->marker.image);
      return take_marker(s, &l->marker) ? NULL : "marker of a slice";
   }
   if (has_prefix(s, "# Unfiltered count "))
      return take_unfiltered(b, l, s) ? NULL : "number of instructions";
   if (s[0] == 'T')
      return take_slice(b, l, s) ? NULL : "vector";
   if (has_prefix(s, "Block id: "))
      return take_block(b, s) ? NULL : "row of a block";
   if (has_prefix(s, "P: "))
      return take_number(s + 3, 10, &b->thread, &end) ? NULL : "thread";
   if (has_prefix(s, "C: ") && strstr(s, "Command: ") != NULL) {
      free(b->program);
      b->program = text_copy(strstr(s, "Command: ") + strlen("Command: "));
   }
   return NULL;
}

COMPARE(by_pc, BbBlock, UP(pc) ?: UP(id))

/* Give the blocks of concatenated vectors their ids again.  In these vectors
   the ids of thread T are higher by T times the greatest id. */
static void split_threads(BbFile* b)
{
   uint32_t max_id = 0;

   for (size_t i = 0; i < b->n_blocks; i++)
      max_id = b->blocks[i].id > max_id ? b->blocks[i].id : max_id;
   for (size_t i = 0; i < b->n_shares && max_id > 0; i++)
      if (b->shares[i].block > max_id)
         b->shares[i].block = (b->shares[i].block - 1) % max_id + 1;
}

BbFile* bb_read(const char* path)
{
   BbFile*  b = zalloc(1, sizeof(*b));
   FILE*    f = open_text(path, KIND_VECTORS);
   char*    line = NULL;
   size_t   room = 0;
   uint64_t number = 0;
   ssize_t  length;
   Lines    l = { 0 };

   b->thread = NOT_GIVEN;
   while ((length = getline(&line, &room, f)) >= 0) {
      const char* missing;
      number++;
      if (length > 0 && line[length - 1] == '\n')
         line[length - 1] = 0;
      if (has_prefix(line, "# Counts since "))
         die("%s: counts do not begin with the program: take a trace that does, "
             "without --start", path);
      missing = take_line(b, &l, line);
      if (missing != NULL)
         die("%s: line %" PRIu64 ": no %s", path, number, missing);
   }
   if (ferror(f))
      die("%s: %s", path, strerror(errno));
   free(line);
   fclose(f);
   if (b->n_slices == 0)
      die("%s: there is no vector in it", path);
   b->end = l.marker;
   if (b->n_blocks > 0)
      qsort(b->blocks, b->n_blocks, sizeof(*b->blocks), by_pc);
   split_threads(b);
   return b;
}

void bb_free(BbFile* b)
{
   for (size_t i = 0; i < b->n_slices; i++)
      free(b->slices[i].marker.image);
   free(b->slices);
   free(b->shares);
   free(b->blocks);
   free(b->end.image);
   free(b->program);
   free(b);
}

const Marker* need_marker(const BbFile* b, size_t slice)
{
   const Marker* m = slice < b->n_slices ? &b->slices[slice].marker : &b->end;

   if (m->count == 0 && slice == b->n_slices)
      die("slice %zu is the last, and no line S: behind it says where it ends: "
          "dcfg bbv --looppoint writes one", slice - 1);
   if (m->count == 0)
      die("slice %zu has no line S: or M: that says where it begins: what dcfg "
          "bbv writes has them", slice);
   return m;
}

const BbBlock* block_at(const BbFile* b, uint64_t pc)
{
   size_t low = 0, high = b->n_blocks;

   while (low < high) {
      size_t mid = low + (high - low) / 2;
      if (b->blocks[mid].pc < pc)
         low = mid + 1;
      else
         high = mid;
   }
   return low < b->n_blocks && b->blocks[low].pc == pc ? &b->blocks[low] : NULL;
}

uint64_t executions_in(const BbFile* b, const BbBlock* block, size_t first,
                       size_t n)
{
   uint64_t instrs = 0;

   for (size_t i = first; i < first + n; i++)
      for (size_t k = 0; k < b->slices[i].n; k++) {
         const BlockShare* s = &b->shares[b->slices[i].first + k];
         if (s->block == block->id)
            instrs += s->instrs;
      }
   return instrs / block->n_instrs;
}

/* Read a line of SimPoint into TEXT, of SIZE bytes, without its end, and count
   it in *LINE.  Return false at the end of the file.  Die if it cannot be
   read. */
static bool read_short_line(FILE* f, const char* path, char* text, int size,
                            uint64_t* line)
{
   if (fgets(text, size, f) == NULL) {
      if (ferror(f))
         die("%s: %s", path, strerror(errno));
      return false;
   }
   ++*line;
   text[strcspn(text, "\r\n")] = 0;
   return true;
}

bool pair_read(FILE* f, const char* path, double* number, uint64_t* cluster,
               uint64_t* line)
{
   char        text[128];
   char*       after;
   const char* end;

   if (!read_short_line(f, path, text, sizeof(text), line))
      return false;
   *number = strtod(text, &after);
   if (after == text || *after != ' ' || !isfinite(*number) || *number < 0
       || !take_number(after + 1, 10, cluster, &end)
       || end[strspn(end, " ")] != 0)
      die("%s: line %" PRIu64 ": not a number and a cluster, as SimPoint "
          "writes them", path, *line);
   return true;
}

bool label_read(FILE* f, const char* path, uint64_t* cluster, uint64_t* line)
{
   char        text[128];
   const char* end;

   if (!read_short_line(f, path, text, sizeof(text), line))
      return false;
   if (!take_number(text, 10, cluster, &end) || (*end != ' ' && *end != 0))
      die("%s: line %" PRIu64 ": not a cluster and a distance, as SimPoint's "
          "-saveLabels writes them", path, *line);
   return true;
}
