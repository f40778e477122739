/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   In which order did blocks begin: those of one thread, or of all threads? */

/* Owns: the order in which threads begin blocks, and the parser of the file of
   turns.  Handed: a trace, its DCFG and its turns.

   A trace has the edges of each thread, but not how threads alternated.  The file
   of turns, which --trace-turns=yes writes, has that: a JSON array of [thread,
   instructions, edges], an element for each stretch of time in which one thread
   ran alone.  Each thread's trace is opened by itself and read as far as its
   turns go.

   A turn counts edges, and its last edge may lead to a block that only begins in
   the thread's next turn.  So a block waits until an edge leaves it, or until the
   instructions of the turns so far show that it has begun. */

#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/simpoint/simpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

DcfgTrace* open_thread(const DcfgProcess* process, const char* path,
                       uint32_t thread)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open(path, &options, &err);

   if (t == NULL)
      die("%s", unreadable(&err, KIND_TRACE));
   dcfg_trace_select(t, process->id, thread);
   dcfg_trace_count_with(t, process);
   return t;
}

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
      s->t = open_thread(o->p, o->path, turn->thread);
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
