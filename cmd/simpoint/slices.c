/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of a run: where one ends, its basic-block vector, and its file. */

/* Owns: the order in which threads begin blocks, and the file of turns; vectors
   and the ends of slices; PinPlay's .bb format, and SimPoint's files about it.
   Handed: a trace, its DCFG and its turns; paths to read.

   Order.  A trace has the edges of each thread, but not how threads alternated.
   The file of turns, which --trace-turns=yes writes, has that: a JSON array of
   [thread, instructions, edges], an element for each stretch of time in which one
   thread ran alone.  Each thread's trace is opened by itself and read as far as its
   turns go.  A turn counts edges, and its last edge may lead to a block that only
   begins in the thread's next turn.  So a block waits until an edge leaves it, or
   until the instructions of the turns so far show that it has begun.

   Vectors.  The vector of a slice has, for each block, the instructions that the
   slice executed there.  SimPoint clusters slices by their vectors.  All
   instructions of a block belong to the slice in which the block began.

   Slices of one thread, or of threads that are taken as one, end before the first
   block, or the first loop's head, that begins when the slice is long enough.  No
   slice begins at a REP instruction: see bb_repeats().

   LoopPoint cuts all threads together.  The method is that of A. Sabu, H. Patil,
   W. Heirman, T. E. Carlson, "LoopPoint", HPCA 2022.  It counts work in the
   program's loops, and skips the library of threads, where threads wait for a time
   that differs from run to run.  Filtered counts have the instructions of images
   that are not skipped; unfiltered counts have all.

   A concatenated vector has a thread's vector behind the other: ids of thread T
   are higher by T times the greatest id of a block in any vector.  The first vector
   is written before all blocks are known, so the greatest id comes from the
   DCFG.

   Files.  A .bb file is text.  Lines before the first slice name the program (C:)
   and, in a file of one thread, that thread (P:).  A slice has two lines.  The
   marker says where the slice begins: at which execution of the instruction at an
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

#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/simpoint/simpoint.h"
#include "lib/dcfg.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>

/*--- Writing                                              ---*/

/* Write the lines before the first slice.  THREAD is the thread of the vectors,
   or DCFG_ALL_THREADS. */
static void bb_put_header(FILE* out, const Program* program, uint32_t thread)
{
   fputs("I: 0\n", out);
   if (thread != DCFG_ALL_THREADS)
      fprintf(out, "P: %" PRIu32 "\n", thread);
   fprintf(out, "C: sum:dummy Command: %s\n", program_name(program));
}

/* Write a line that says that counts of executions begin with NODE, because the
   recording does not begin with the program. */
static void bb_put_since(FILE* out, const Program* program, uint32_t node)
{
   fprintf(out, "# Counts since 0x%" PRIx64 "\n", program->p->nodes[node].addr);
}

/* Write an S: line.  If the image's path has blanks or characters that must be
   replaced, no reader could find the file by it: write an M: line, without the
   image. */
static void bb_put_marker(FILE* out, const Program* program, uint32_t node,
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

/* Write one element of a vector: a block's id and its instructions. */
static void bb_put_share(FILE* out, uint64_t id, uint64_t instrs)
{
   fprintf(out, ":%" PRIu64 ":%" PRIu64 " ", id, instrs);
}

/* Write the lines behind the last slice: the number of instructions in all
   slices, the requested SIZE of a slice in instructions, and a row for each
   block that was executed.  EXECUTIONS has an element for each node. */
static void bb_put_table(FILE* out, const Program* program, uint64_t instrs,
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

   if (begins(s, "S:") || begins(s, "M:")) {
      free(l->marker.image);
      return take_marker(s, &l->marker) ? NULL : "marker of a slice";
   }
   if (begins(s, "# Unfiltered count "))
      return take_unfiltered(file, l, s) ? NULL : "number of instructions";
   if (s[0] == 'T')
      return take_slice(file, l, s) ? NULL : "vector";
   if (begins(s, "Block id: "))
      return take_block(file, s) ? NULL : "row of a block";
   if (begins(s, "P: "))
      return take_number(s + 3, 10, &file->thread, &end) ? NULL : "thread";
   if (begins(s, "C: ") && strstr(s, "Command: ") != NULL) {
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
      if (begins(line, "# Counts since "))
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
   SORT(b->blocks, b->n_blocks, by_pc);
   split_threads(b);
   return b;
}

void bb_free(BbFile* file)
{
   for (size_t i = 0; i < file->n_slices; i++)
      free(file->slices[i].marker.image);
   FREE_ALL(file->slices, file->shares, file->blocks, file->end.image,
            file->program, file);
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
   size_t low = 0;

   BISECT(low, file->n_blocks, middle, file->blocks[middle].pc < pc);
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

/*--- Turns                                                ---*/

/* Turn: what a thread runs without another thread in between. */
typedef
   struct {
      uint32_t thread;
      uint64_t instrs, edges;   // executed in this turn
   }
   Turn;

/* Turns: an open file of turns, a JSON array of [thread, instructions,
   edges]. */
typedef
   struct {
      const char* path;
      FILE*       f;
      uint64_t    offset;
      bool        begun, ended;
   }
   Turns;

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

/* Open the file at PATH, which must outlive the result.  Die after an error. */
static Turns* turns_open(const char* path)
{
   Turns* t = zalloc(1, sizeof(*t));

   t->path = path;
   t->f = open_text(path, KIND_TURNS);
   need_char(t, '[');
   return t;
}

static void turns_close(Turns* t)
{
   fclose(t->f);
   free(t);
}

/* Read the next turn to *TURN.  Return false at the end of the file.  Die if
   the file is malformed. */
static bool turns_next(Turns* t, Turn* turn)
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

/*--- Threads                                              ---*/

#define N_EDGES 4096

const DcfgEdge* need_edge(const DcfgProcess* process, uint32_t id)
{
   uint32_t edge = dcfg_edge_by_id(process, id);

   if (edge == DCFG_NONE)
      die("edge %" PRIu32 " is not in the DCFG: do the files belong "
          "together?", id);
   return &process->edges[edge];
}

/* Stream: the trace of one thread, as far as it has been read. */
typedef
   struct {
      DcfgTrace* t;
      uint32_t   ids[N_EDGES];
      size_t     next, n;
      uint64_t   instrs;        // instructions of blocks that have begun
      uint64_t   due;           // instructions of its turns so far
      uint32_t   waiting;       // the next block, which has not begun
   }
   Stream;

/* Order: the streams of all threads, and the function that gets their
   blocks. */
typedef
   struct {
      const DcfgProcess* p;
      const char*        path;          // the trace
      Stream**           streams;       // for each thread; NULL: not begun
      void             (*begin)(void* arg, uint32_t thread, uint32_t node);
      void*              arg;
   }
   Order;

/* Begin the waiting block. */
static void begin_block(const Order* o, Stream* s, uint32_t thread)
{
   if (s->waiting == DCFG_NONE)
      return;
   o->begin(o->arg, thread, s->waiting);
   s->instrs += o->p->nodes[s->waiting].n_instrs;
   s->waiting = DCFG_NONE;
}

static const DcfgEdge* next_edge(const Order* o, Stream* s, uint32_t thread)
{
   DcfgError err;

   if (s->next == s->n) {
      s->n = dcfg_trace_next(s->t, s->ids, N_EDGES, &err);
      s->next = 0;
      if (s->n == 0 && err.status != DCFG_OK)
         die("%s", unreadable(&err, KIND_TRACE));
      if (s->n == 0)
         die("thread %" PRIu32 " has more edges in its turns than in its "
             "trace: do the files belong together?", thread);
   }
   return need_edge(o->p, s->ids[s->next++]);
}

/* Begin the blocks of TURN.  The turn ends inside a block that it began, or
   before the target of its last edge: its number of instructions tells
   which. */
static void take_turn(const Order* o, const Turn* turn)
{
   Stream* s = o->streams[turn->thread];

   if (s == NULL) {
      s = o->streams[turn->thread] = zalloc(1, sizeof(*s));
      s->t = load_trace(o->p, o->path, turn->thread);
      s->waiting = DCFG_NONE;
   }
   s->due += turn->instrs;
   for (uint64_t i = 0; i < turn->edges; i++) {
      const DcfgEdge* e = next_edge(o, s, turn->thread);
      begin_block(o, s, turn->thread);
      if (o->p->nodes[e->target].kind == DCFG_NODE_BLOCK)
         s->waiting = e->target;
   }
   if (s->due > s->instrs)
      begin_block(o, s, turn->thread);
}

/* Close the stream of THREAD.  Die if its turns do not have all instructions
   that the thread has in the DCFG. */
static void close_stream(const Order* o, uint32_t thread, const char* turns)
{
   Stream*  s = o->streams[thread];
   uint64_t due = s == NULL ? 0 : s->due;
   uint64_t all = dcfg_process_instrs(o->p, thread);

   if (due != all)
      die("%s: thread %" PRIu32 " has %" PRIu64 " instructions, in the DCFG it "
          "has %" PRIu64 ": do the files belong together?", turns, thread, due,
          all);
   if (s != NULL)
      dcfg_trace_close(s->t);
   free(s);
}

uint64_t ordered_blocks(const DcfgProcess* process, const char* path,
                        const char* turns,
                        void (*begin)(void* arg, uint32_t thread,
                                      uint32_t node),
                        void* arg)
{
   Order    o = { process, path, zalloc(process->n_threads, sizeof(*o.streams)),
                 begin, arg };
   Turns*   t = turns_open(turns);
   Turn     turn;
   uint64_t n = 0;

   while (turns_next(t, &turn)) {
      n++;
      if (turn.thread >= process->n_threads)
         die("%s: there is no thread %" PRIu32, turns, turn.thread);
      take_turn(&o, &turn);
      text_forget();
   }
   turns_close(t);
   for (uint32_t i = 0; i < process->n_threads; i++)
      close_stream(&o, i, turns);
   free(o.streams);
   return n;
}

/*--- Vectors                                              ---*/

/* BlockVector: instructions that a slice executed in each block. */
typedef
   struct {
      uint64_t* instrs;         // for each node
      uint32_t* nodes;          // nodes whose number is not 0
      uint32_t  n_nodes;
   }
   BlockVector;

/* Make V empty, with room for the nodes of PROCESS. */
static void vector_open(BlockVector* v, const DcfgProcess* process)
{
   v->instrs  = zalloc(process->n_nodes, sizeof(*v->instrs));
   v->nodes   = zalloc(process->n_nodes, sizeof(*v->nodes));
   v->n_nodes = 0;
}

static void vector_close(BlockVector* v)
{
   FREE_ALL(v->instrs, v->nodes);
}

/* Add INSTRS instructions of NODE. */
static void vector_add(BlockVector* v, uint32_t node, uint32_t instrs)
{
   if (v->instrs[node] == 0 && instrs > 0)
      v->nodes[v->n_nodes++] = node;
   v->instrs[node] += instrs;
}

COMPARE(by_number, uint32_t, ORDER(*x, *y))

/* Sort the elements by node. */
static void vector_sort(BlockVector* v)
{
   SORT(v->nodes, v->n_nodes, by_number);
}

/* Write the elements, with block ids higher by ADD. */
static void vector_put(FILE* out, const BlockVector* v,
                       const DcfgProcess* process, uint64_t add)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      bb_put_share(out, process->nodes[v->nodes[i]].id + add,
                   v->instrs[v->nodes[i]]);
}

/* Set all numbers to 0. */
static void vector_clear(BlockVector* v)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      v->instrs[v->nodes[i]] = 0;
   v->n_nodes = 0;
}

/*--- Slices of one thread                                 ---*/

struct RunSlices {
   const Program*     g;
   const DcfgProcess* p;
   FILE*              out;
   uint64_t           size;
   const bool*        heads;
   bool               from_begin;
   uint64_t           n_slices;
   uint64_t           instrs;       // in the present slice
   uint64_t           all_instrs;
   BlockVector        vector;
   uint64_t*          executions;   // for each node
};

RunSlices* slices_new(const Program* program, FILE* out, uint64_t size,
                   const bool* heads, bool from_begin, uint32_t thread)
{
   RunSlices* s = zalloc(1, sizeof(*s));

   s->g = program;
   s->p = program->p;
   s->out = out;
   s->size = size;
   s->heads = heads;
   s->from_begin = from_begin;
   vector_open(&s->vector, s->p);
   s->executions = zalloc(s->p->n_nodes, sizeof(*s->executions));
   bb_put_header(out, program, thread);
   return s;
}

/* Write the vector of the present slice, and begin the next one. */
static void put_vector(RunSlices* s)
{
   vector_sort(&s->vector);
   fprintf(s->out, "# Slice ending at %" PRIu64 "\nT", s->all_instrs);
   vector_put(s->out, &s->vector, s->p, 0);
   putc('\n', s->out);
   vector_clear(&s->vector);
   s->n_slices++;
   s->instrs = 0;
}

void slices_block(RunSlices* s, uint32_t node)
{
   const DcfgNode* n = &s->p->nodes[node];

   if (n->kind != DCFG_NODE_BLOCK)
      return;
   if (s->instrs >= s->size && (s->heads == NULL || s->heads[node])
       && !bb_repeats(s->p, node))
      put_vector(s);
   if (s->all_instrs == 0 && !s->from_begin)
      bb_put_since(s->out, s->g, node);
   if (s->instrs == 0 && s->vector.n_nodes == 0)
      bb_put_marker(s->out, s->g, node, s->executions[node] + 1);
   vector_add(&s->vector, node, n->n_instrs);
   s->instrs += n->n_instrs;
   s->all_instrs += n->n_instrs;
   s->executions[node]++;
}

uint64_t slices_end(RunSlices* s)
{
   uint64_t n;

   if (s->vector.n_nodes > 0)
      put_vector(s);
   n = s->n_slices;
   bb_put_table(s->out, s->g, s->all_instrs, s->size, s->executions);
   vector_close(&s->vector);
   FREE_ALL(s->executions, s);
   return n;
}

/*--- LoopPoint's slices                                   ---*/

/* CountedWork: the instructions that a thread, or all threads, executed. */
typedef
   struct {
      BlockVector vector;       // closed until the thread does something
      uint64_t    filtered, unfiltered; // instructions since the start
   }
   CountedWork;

struct LoopSlices {
   const Program*     g;
   const DcfgProcess* p;
   const LoopRules*   rules;
   FILE*              global;
   FILE*              concatenated;
   FILE**             files;        // a file for each thread
   CountedWork*       threads;
   CountedWork        all;
   uint64_t           n_slices;
   uint64_t           instrs;       // filtered ones in the present slice
   uint64_t*          executions;   // for each node that is not skipped
   uint32_t           max_id;       // the greatest id of a block in a vector
   uint32_t           last;         // the last block in .own, or DCFG_NONE
};

LoopSlices* loop_slices_new(const Program* program, const LoopRules* rules,
                            FILE* global, FILE* concatenated, FILE** threads)
{
   LoopSlices* s = zalloc(1, sizeof(*s));

   s->g = program;
   s->p = program->p;
   s->rules = rules;
   s->global = global;
   s->concatenated = concatenated;
   s->files = threads;
   s->threads = zalloc(s->p->n_threads, sizeof(*s->threads));
   s->executions = zalloc(s->p->n_nodes, sizeof(*s->executions));
   s->last = DCFG_NONE;
   vector_open(&s->all.vector, s->p);
   for (uint32_t i = 0; i < s->p->n_blocks; i++)
      if (!rules->skipped[i] && s->p->nodes[i].id > s->max_id
          && dcfg_node_executions(s->p, i, DCFG_ALL_THREADS) > 0)
         s->max_id = s->p->nodes[i].id;
   fprintf(concatenated, "#make-balanced-concat-vectors.py num_threads %" PRIu32
           "\n", s->p->n_threads);
   bb_put_header(global, program, DCFG_ALL_THREADS);
   bb_put_header(concatenated, program, DCFG_ALL_THREADS);
   for (uint32_t t = 0; t < s->p->n_threads; t++)
      bb_put_header(threads[t], program, t);
   return s;
}

/* Write to OUT, one of the two global files, the end of the slice and its
   vector of all threads. */
static void put_global(LoopSlices* slices, FILE* out)
{
   fprintf(out, "# Slice ending at global %" PRIu64 "\n# Unfiltered count  %"
           PRIu64 "\nT", slices->all.filtered, slices->all.unfiltered);
   if (out != slices->concatenated)
      vector_put(out, &slices->all.vector, slices->p, 0);
   else
      for (uint32_t t = 0; t < slices->p->n_threads; t++)
         vector_put(out, &slices->threads[t].vector, slices->p,
                    (uint64_t)t * slices->max_id);
   putc('\n', out);
}

/* Write the present slice to all files, and begin the next one. */
static void put_slice(LoopSlices* slices)
{
   vector_sort(&slices->all.vector);
   for (uint32_t t = 0; t < slices->p->n_threads; t++) {
      CountedWork* v = &slices->threads[t];
      vector_sort(&v->vector);
      fprintf(slices->files[t], "# Slice ending at %" PRIu64 " global %" PRIu64
              "\n# Unfiltered count %" PRIu64 " global %" PRIu64 "\nT",
              v->filtered, slices->all.filtered, v->unfiltered,
              slices->all.unfiltered);
      vector_put(slices->files[t], &v->vector, slices->p, 0);
      fputs(v->vector.n_nodes == 0 ? " \n" : "\n", slices->files[t]);
   }
   put_global(slices, slices->global);
   put_global(slices, slices->concatenated);
   vector_clear(&slices->all.vector);
   for (uint32_t t = 0; t < slices->p->n_threads; t++)
      vector_clear(&slices->threads[t].vector);
   slices->n_slices++;
   slices->instrs = 0;
}

/* Write to both global files that a slice begins at execution COUNT of NODE. */
static void put_marker(LoopSlices* slices, uint32_t node, uint64_t count)
{
   need_one_field(image_path(slices->g, slices->p->nodes[node].image));
   bb_put_marker(slices->global, slices->g, node, count);
   bb_put_marker(slices->concatenated, slices->g, node, count);
}

/* Write the marker of the first slice, which begins at NODE. */
static void begin_first(LoopSlices* slices, uint32_t node)
{
   if (!slices->rules->from_begin) {
      bb_put_since(slices->global, slices->g, node);
      bb_put_since(slices->concatenated, slices->g, node);
   }
   put_marker(slices, node, 1);
}

/* Add INSTRS instructions of NODE to V. */
static void add(CountedWork* v, uint32_t node, uint32_t instrs)
{
   vector_add(&v->vector, node, instrs);
   v->filtered += instrs;
}

void loop_slices_block(LoopSlices* slices, uint32_t thread, uint32_t node)
{
   const DcfgNode* n = &slices->p->nodes[node];
   CountedWork*    v = &slices->threads[thread];

   if (v->vector.instrs == NULL)
      vector_open(&v->vector, slices->p);
   if (slices->all.unfiltered == 0)
      begin_first(slices, node);
   if (slices->rules->heads[node] && slices->instrs >= slices->rules->size) {
      put_slice(slices);
      put_marker(slices, node, slices->executions[node] + 1);
   }
   v->unfiltered += n->n_instrs;
   slices->all.unfiltered += n->n_instrs;
   if (slices->rules->skipped[node])
      return;
   add(v, node, n->n_instrs);
   add(&slices->all, node, n->n_instrs);
   slices->instrs += n->n_instrs;
   slices->executions[node]++;
   if (slices->rules->own[node])
      slices->last = node;
}

uint64_t loop_slices_end(LoopSlices* slices)
{
   uint64_t n;
   uint32_t max_id = 0;

   for (uint32_t i = 0; i < slices->p->n_blocks; i++)
      if (slices->executions[i] > 0 && slices->p->nodes[i].id > max_id)
         max_id = slices->p->nodes[i].id;
   if (slices->last == DCFG_NONE || max_id != slices->max_id)
      die("the trace has not the blocks of the DCFG: do the files belong "
          "together?");
   put_slice(slices);
   put_marker(slices, slices->last, slices->executions[slices->last]);
   n = slices->n_slices;
   bb_put_table(slices->global, slices->g, slices->all.filtered,
                slices->rules->size, slices->executions);
   bb_put_table(slices->concatenated, slices->g, slices->all.filtered,
                slices->rules->size, slices->executions);
   for (uint32_t t = 0; t < slices->p->n_threads; t++)
      vector_close(&slices->threads[t].vector);
   vector_close(&slices->all.vector);
   FREE_ALL(slices->threads, slices->executions, slices);
   return n;
}
