/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How the chunks of a trace come from its file. */

/* Owns: the tables of a DCFG-trace (its specification, part 3).  Handed: rows
   by json.c.  cursor.c takes a chunk at a time, and so do users.

   The text goes through the parser a buffer at a time.  Chunks that end in
   the buffer wait in a queue.  So memory has the chunks of one buffer, or
   one longer chunk, and the table. */

#include "lib/trace/codes.h"
#include "lib/json/json.h"

#include <stdlib.h>
#include <string.h>

struct Chunks {
   Job*       job;
   Parse*     parse;
   Walk*      walk;
   Table*     table;            // the present process's
   uint32_t   process;          // its index
   DcfgChunk* first;            // the queue's begin
   DcfgChunk* last;
};

/*--- Chunks                                               ---*/

enum { C_PRECEDING, C_INSTRS, C_EDGES, C_FIRST, C_SEQUENCE };
enum { T_ID, T_DATA };
enum { P_ID, P_DICTIONARY, P_TABLE, P_THREADS };

static size_t chunk_size(const DcfgChunk* c)
{
   return sizeof(*c) + (size_t)c->info.size + 1;
}

static bool close_chunk(void* arg, const Frame* frame)
{
   Chunks*      t = arg;
   const Frame* thread = frame - 1;
   const Frame* process = frame - 2;
   size_t       len = length(frame, C_SEQUENCE);
   DcfgChunk*   c;
   char         place[PLACE_SIZE];

   if (!has(thread, T_ID))
      return true;                      // already reported
   if (number(frame, C_EDGES) > 0 && number(frame, C_FIRST) == 0)
      return job_problem(t->job, DCFG_PROBLEM_RULE, true, "number",
                         walk_place(t->walk, place),
                         "FIRST_EDGE_ID is out of range");
   c = job_realloc(t->job, NULL, 0, sizeof(*c) + len + 1);
   if (c == NULL)
      return false;
   memset(c, 0, sizeof(*c));
   c->info.process_id = number(process, P_ID);
   c->info.process = t->process;
   c->info.thread = (uint32_t)number(thread, T_ID);
   c->info.number = frame->row;
   c->info.preceding_instrs = number(frame, C_PRECEDING);
   c->info.instrs = number(frame, C_INSTRS);
   c->info.n_edges = number(frame, C_EDGES);
   c->info.first_edge = (uint32_t)number(frame, C_FIRST);
   c->info.size = len;
   c->info.offset = t->job->offset;
   memcpy(c->text, text(t->walk, frame, C_SEQUENCE), len + 1);
   c->table = t->table;
   table_keep(c->table);
   if (t->first == NULL)
      t->first = c;
   else
      t->last->next = c;
   t->last = c;
   return true;
}

static const Field chunk_fields[] = {
   { "PRECEDING_INSTR_COUNT", V_INT, F_NEEDED, BITS64, NULL },
   { "INSTR_COUNT", V_INT, F_NEEDED, BITS64, NULL },
   { "EDGE_COUNT", V_INT, F_NEEDED, BITS64, NULL },
   { "FIRST_EDGE_ID", V_INT, F_NEEDED, ID_0, NULL },
   { "EDGE_ID_SEQUENCE", V_STRING, F_NEEDED, 0, 0, NULL }
};
/*--- Tables                                               ---*/

/* Begin a thread.  Chunks need the table and the thread's number: to read in
   one pass, columns must be in the specification's order. */
static bool open_thread(void* arg, const Frame* frame)
{
   Chunks*      t = arg;
   const Frame* process = frame - 1;
   char         place[PLACE_SIZE];

   if (t->table->finished)
      return true;
   if (!has(process, P_ID))
      job_problem(t->job, DCFG_PROBLEM_RULE, false, "column-order",
                  walk_place(t->walk, place),
                  "PROCESS_ID must come before THREAD_DATA");
   return table_finish(t->job, t->table, walk_place(t->walk, place));
}

static bool open_chunk_row(void* arg, const Frame* frame)
{
   Chunks* t = arg;

   if (has(frame - 1, T_ID) || (frame - 1)->bad >> T_ID & 1)
      return true;
   return job_fail(t->job, DCFG_ERROR_FORMAT, NULL,
                   "THREAD_ID must come before TRACE_DATA");
}

static const Shape chunk_rows = { V_TABLE, false, 5, chunk_fields,
                                  open_chunk_row, close_chunk, NULL };

static const Field thread_fields[] = {
   { "THREAD_ID", V_INT, F_NEEDED, 0, UINT32_MAX - 1, NULL },
   { "TRACE_DATA", V_TABLE, F_MUST, 0, 0, &chunk_rows }
};
static const Shape threads = { V_TABLE, true, 2, thread_fields,
                               open_thread, NULL, NULL };

static bool in_time(Chunks* t, const char* what)
{
   return !t->table->finished
          || job_fail(t->job, DCFG_ERROR_FORMAT, NULL,
                      "%s must come before THREAD_DATA", what);
}

enum { R_EDGE, R_CODE, R_NEXT };

static bool close_transition(void* arg, const Frame* frame)
{
   Chunks*      t = arg;
   size_t          n = length(frame, R_NEXT);
   const uint64_t* nexts = list(t->walk, frame, R_NEXT);
   char            place[PLACE_SIZE];

   if (frame->bad != 0)                 // the id is not valid
      return true;
   return in_time(t, "TRANSITION_TABLE")
          && table_add_row(t->job, t->table, (uint32_t)number(frame, R_EDGE),
                           text(t->walk, frame, R_CODE), length(frame, R_CODE),
                           nexts, n, walk_place(t->walk, place));
}

static const Field transition_fields[] = {
   { "CURRENT_EDGE_ID", V_INT, F_NEEDED, ID, NULL },
   { "TRANSITION_CODE", V_STRING, F_NEEDED, 0, 0, NULL },
   { "NEXT_EDGE_IDS", V_INTS, F_NEEDED, ID, NULL }
};
static const Shape transitions = { V_TABLE, false, 3, transition_fields,
                                   NULL, close_transition, NULL };

static bool close_entry(void* arg, const Frame* frame)
{
   Chunks* t = arg;
   char       place[PLACE_SIZE];

   return in_time(t, "STRING_DICTIONARY")
          && table_add_entry(t->job, t->table, text(t->walk, frame, 0),
                             length(frame, 0), text(t->walk, frame, 1),
                             length(frame, 1), walk_place(t->walk, place));
}

static const Shape dictionary = { V_STRINGS, false, 0, NULL,
                                  NULL, close_entry, NULL };

/*--- Processes                                            ---*/

static void drop_table(Chunks* t)
{
   if (t->table != NULL) {
      table_disown(t->job, t->table);
      table_release(t->table);
      t->table = NULL;
   }
}

static bool open_process(void* arg, const Frame* frame)
{
   Chunks* t = arg;

   drop_table(t);
   t->process = (uint32_t)frame->row;
   t->table = table_new(t->job);
   return t->table != NULL;
}

static bool close_process(void* arg, const Frame* frame)
{
   (void)frame;
   drop_table(arg);
   return true;
}

static const Field process_fields[] = {
   { "PROCESS_ID", V_INT, F_MUST, BITS64, NULL },
   { "STRING_DICTIONARY", V_STRINGS, F_MUST, 0, 0, &dictionary },
   { "TRANSITION_TABLE", V_TABLE, F_MUST, 0, 0, &transitions },
   { "THREAD_DATA", V_TABLE, F_MUST, 0, 0, &threads }
};
static const Kin graph_processes = { "this is a DCFG, not a DCFG-trace",
                                     { "PROCESS_DATA" } };
static const Shape processes = { V_TABLE, true, 4, process_fields,
                                 open_process, close_process,
                                 &graph_processes };

static const Field top_fields[] = {
   { "MAJOR_VERSION", V_INT, F_NEEDED | F_VERSION, BITS32, NULL },
   { "MINOR_VERSION", V_INT, F_MUST, BITS32, NULL },
   { "PROCESSES", V_TABLE, F_NEEDED, 0, 0, &processes }
};
/* Keys of a DCFG that come before PROCESSES and show that the file is not a
   trace. */
static const Kin graph_top = { NULL, { "FILE_NAMES", "EDGE_TYPES",
                                       "SPECIAL_NODES" } };
static const Shape top = { V_OBJECT, true, 3, top_fields,
                           NULL, NULL, &graph_top };


/* --- Chunk by chunk                                       --- */

Chunks* chunks_start(Job* job, Input* in)
{
   Chunks* t = in == NULL ? NULL : job_calloc(job, 1, sizeof(*t));

   if (t == NULL) {
      input_close(in);
      return NULL;
   }
   t->job = job;
   t->parse = parse_start(job, in, &top, t);
   if (t->parse == NULL) {
      chunks_end(t);
      return NULL;
   }
   t->walk = parse_walk(t->parse);
   return t;
}

static DcfgChunk* take_first(Chunks* t)
{
   DcfgChunk* c = t->first;

   if (c != NULL) {
      t->first = c->next;
      c->next = NULL;
      job_take(t->job, chunk_size(c), 0);
   }
   return c;
}

DcfgChunk* chunks_next(Chunks* t)
{
   while (t->first == NULL && !parse_finished(t->parse)
          && t->job->err.status == DCFG_OK)
      if (!parse_some(t->parse))
         break;
   return take_first(t);
}

void chunks_end(Chunks* t)
{
   DcfgChunk* c;

   if (t == NULL)
      return;
   while ((c = take_first(t)) != NULL)
      dcfg_chunk_free(c);
   drop_table(t);
   parse_end(t->parse);
   job_free(t->job, t, sizeof(*t));
}

/*--- A chunk, for users                                   ---*/

void dcfg_chunk_free(DcfgChunk* c)
{
   if (c == NULL)
      return;
   table_release(c->table);
   free(c);
}

const DcfgChunkInfo* dcfg_chunk_info(const DcfgChunk* c)
{
   return &c->info;
}

const char* dcfg_chunk_text(const DcfgChunk* c)
{
   return c->text;
}
