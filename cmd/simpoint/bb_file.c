/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   PinPlay's .bb files: how slices and their vectors are written and read. */

/* Owns: the lines of PinPlay's .bb format, and of the files that SimPoint writes
   about it.  Handed: slices to write; paths to read.

   A .bb file is text.  Lines before the first slice name the program (C:) and,
   in a file of one thread, that thread (P:).  A slice has two lines.  The marker
   says where the slice begins: at which execution of the instruction at an
   address.  A marker S: has the image, M: has none.  The vector (T:) has the
   instructions that the slice executed in each block.  Comments between them
   count instructions; unfiltered counts have those of skipped images, too.
   Behind the last slice there are a marker for its end, if the slices are
   LoopPoint's, and a row for each block ("Block id:").

   "# Counts since" is our own comment: the recording does not begin with the
   program.  Such a file can be clustered, but its markers are not the program's,
   so reading it for regions fails.

   SimPoint's files have a line for each chosen slice, "NUMBER CLUSTER", where the
   number is a slice or its weight; -saveLabels writes the cluster of each
   slice. */

#include "cmd/base/operands.h"
#include "cmd/simpoint/simpoint.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*--- Writing                                              ---*/

void bb_put_header(FILE* out, const Program* program, uint32_t thread)
{
   fputs("I: 0\n", out);
   if (thread != DCFG_ALL_THREADS)
      fprintf(out, "P: %" PRIu32 "\n", thread);
   fprintf(out, "C: sum:dummy Command: %s\n", program_name(program));
}

void bb_put_since(FILE* out, const Program* program, uint32_t node)
{
   fprintf(out, "# Counts since 0x%" PRIx64 "\n", program->p->nodes[node].addr);
}

/* Write an S: line.  If the image's path has blanks or characters that must be
   replaced, no reader could find the file by it: write an M: line, without the
   image. */
void bb_put_marker(FILE* out, const Program* program, uint32_t node,
                   uint64_t count)
{
   const DcfgNode* n = &program->p->nodes[node];
   const char*     path = image_path(program, n->image);
   const char*     source = node_source(program, node);
   uint64_t        low = n->image < program->p->n_images
                         ? program->p->images[n->image].load_addr : 0;

   if (path[0] != '/' || strchr(path, ' ') != NULL
       || strcmp(path, image_file(program, n->image)) != 0) {
      fprintf(out, "M: 0x%" PRIx64 " %" PRIu64 " no_image 0\n", n->addr, count);
      return;
   }
   fprintf(out, "S: 0x%" PRIx64 " %" PRIu64 " %s 0x%" PRIx64 " + 0x%" PRIx64
           " # %s\n", n->addr, count, path, low, n->addr - low,
           source[0] != 0 ? source : "Unknown:0");
}

void need_one_field(const char* path)
{
   if (path[strcspn(path, " ,\t\"|")] != 0)
      die("%s: fields of these files end at blanks and commas, so a path must "
          "not have one: record a copy of the program elsewhere", path);
}

void bb_put_share(FILE* out, uint64_t id, uint64_t instrs)
{
   fprintf(out, ":%" PRIu64 ":%" PRIu64 " ", id, instrs);
}

void bb_put_table(FILE* out, const Program* program, uint64_t instrs,
                  uint64_t size, const uint64_t* executions)
{
   fprintf(out, "Dynamic instruction count %" PRIu64 "\nSliceSize: %" PRIu64
           "\n", instrs, size);
   for (uint32_t i = 0; i < program->p->n_blocks; i++) {
      const DcfgNode* b = &program->p->nodes[i];
      if (executions[i] > 0)
         fprintf(out, "Block id: %" PRIu32 " 0x%" PRIx64 ":0x%" PRIx64
                 " static instructions: %" PRIu32 " block count: %" PRIu64
                 " block size: %" PRIu32 "\n", b->id, b->addr,
                 b->addr + b->last_offset, b->n_instrs, executions[i],
                 b->size);
   }
}

bool bb_repeats(const DcfgProcess* process, uint32_t node)
{
   uint32_t edge = dcfg_edge_between(process, node, node);

   return edge != DCFG_NONE && process->edges[edge].type == DCFG_EDGE_REP;
}

/*--- Reading lines of a .bb file                          ---*/

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

/* Die if FILE needs more memory than --memory allows. */
static void need_within_limit(const BbFile* file)
{
   uint64_t used = file->room * sizeof(*file->slices)
                   + file->share_room * sizeof(*file->shares)
                   + file->block_room * sizeof(*file->blocks);

   if (max_memory != 0 && used > max_memory)
      die("the vectors need more than %" PRIu64 " MiB of memory, which is what "
          "--memory allows", max_memory >> 20);
}

/* Read "T:BLOCK:N :BLOCK:N ...". */
static bool take_vector(BbFile* file, Slice* slice, const char* s)
{
   slice->first = file->n_shares;
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
      GROW(file->shares, file->n_shares, file->share_room);
      need_within_limit(file);
      file->shares[file->n_shares++] = (BlockShare){ (uint32_t)block, n };
      slice->instrs += n;
      s = end;
   }
   slice->n = file->n_shares - slice->first;
   return true;
}

/* Read "Block id: ID 0xPC:0xLAST static instructions: N block count: N ...". */
static bool take_block(BbFile* file, const char* s)
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
   GROW(file->blocks, file->n_blocks, file->block_room);
   need_within_limit(file);
   file->blocks[file->n_blocks++] = row;
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
static bool take_unfiltered(BbFile* file, Lines* l, const char* s)
{
   const char* number = strrchr(s, ' ') + 1;
   const char* end;

   file->has_unfiltered = true;
   return take_number(number, 10, &l->unfiltered, &end) && *end == 0
          && l->unfiltered >= l->before;
}

static bool take_slice(BbFile* file, Lines* l, const char* s)
{
   Slice* slice;

   GROW(file->slices, file->n_slices, file->room);
   slice = &file->slices[file->n_slices];
   if (!take_vector(file, slice, s))
      return false;
   slice->unfiltered = file->has_unfiltered ? l->unfiltered - l->before
                       : slice->instrs;
   slice->marker = l->marker;
   file->n_slices++;
   l->before = l->unfiltered;
   l->marker = (Marker){ 0 };
   return true;
}

/* Read a line.  Return NULL, or if it is malformed, the name of the thing that
   should be there. */
static const char* take_line(BbFile* file, Lines* l, const char* s)
{
   const char* end;

   if (has_prefix(s, "S:") || has_prefix(s, "M:")) {
      free(l->marker.image);
      return take_marker(s, &l->marker) ? NULL : "marker of a slice";
   }
   if (has_prefix(s, "# Unfiltered count "))
      return take_unfiltered(file, l, s) ? NULL : "number of instructions";
   if (s[0] == 'T')
      return take_slice(file, l, s) ? NULL : "vector";
   if (has_prefix(s, "Block id: "))
      return take_block(file, s) ? NULL : "row of a block";
   if (has_prefix(s, "P: "))
      return take_number(s + 3, 10, &file->thread, &end) ? NULL : "thread";
   if (has_prefix(s, "C: ") && strstr(s, "Command: ") != NULL) {
      free(file->program);
      file->program = text_copy(strstr(s, "Command: ") + strlen("Command: "));
   }
   return NULL;
}

/*--- Reading a whole .bb file                             ---*/

COMPARE(by_pc, BbBlock, UP(pc) ?: UP(id))

/* Give the blocks of concatenated vectors their ids again.  In these vectors
   the ids of thread T are higher by T times the greatest id. */
static void split_threads(BbFile* file)
{
   uint32_t max_id = 0;

   for (size_t i = 0; i < file->n_blocks; i++)
      max_id = file->blocks[i].id > max_id ? file->blocks[i].id : max_id;
   for (size_t i = 0; i < file->n_shares && max_id > 0; i++)
      if (file->shares[i].block > max_id)
         file->shares[i].block = (file->shares[i].block - 1) % max_id + 1;
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

void bb_free(BbFile* file)
{
   for (size_t i = 0; i < file->n_slices; i++)
      free(file->slices[i].marker.image);
   free(file->slices);
   free(file->shares);
   free(file->blocks);
   free(file->end.image);
   free(file->program);
   free(file);
}

const Marker* need_marker(const BbFile* file, size_t slice)
{
   const Marker* m = slice < file->n_slices
                     ? &file->slices[slice].marker : &file->end;

   if (m->count == 0 && slice == file->n_slices)
      die("slice %zu is the last, and no line S: behind it says where it ends: "
          "dcfg bbv --looppoint writes one", slice - 1);
   if (m->count == 0)
      die("slice %zu has no line S: or M: that says where it begins: what dcfg "
          "bbv writes has them", slice);
   return m;
}

const BbBlock* block_at(const BbFile* file, uint64_t pc)
{
   size_t low = 0, high = file->n_blocks;

   while (low < high) {
      size_t mid = low + (high - low) / 2;
      if (file->blocks[mid].pc < pc)
         low = mid + 1;
      else
         high = mid;
   }
   return low < file->n_blocks && file->blocks[low].pc == pc
          ? &file->blocks[low] : NULL;
}

uint64_t executions_in(const BbFile* file, const BbBlock* block, size_t first,
                       size_t n)
{
   uint64_t instrs = 0;

   for (size_t i = first; i < first + n; i++)
      for (size_t k = 0; k < file->slices[i].n; k++) {
         const BlockShare* s = &file->shares[file->slices[i].first + k];
         if (s->block == block->id)
            instrs += s->instrs;
      }
   return instrs / block->n_instrs;
}

/*--- SimPoint's files                                     ---*/

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
