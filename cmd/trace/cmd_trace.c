/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg trace. */

/* Owns: the subcommand trace: a thread's way as edges, blocks or calls.
   Handed: a command line.  Taken by: commands.c. */

#include "cmd/commands.h"
#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/select.h"
#include "cmd/base/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N_EDGES 4096

typedef enum { AS_EDGES, AS_BLOCKS, AS_CALLS } View;

/* A routine that was called and has not returned. */
typedef
   struct {
      uint32_t routine;
      uint32_t back;            // node after which it returns; or DCFG_NONE
      uint64_t since;           // instruction
      bool     signal;
      bool     open;            // its first line has been printed
      bool     wanted;
   }
   Call;

typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      View               view;
      bool               csv;
      uint32_t           thread;
      uint64_t           position;      // before the edge's source
      const char**       names;         // by node; made when needed
      const char**       sources;
      Call*              calls;
      size_t             depth, room;
      Selection*         sel;
      bool*              routines;      // which are selected; NULL: all
   }
   Show;

static const char* name_of(Show* s, uint32_t node)
{
   if (s->names[node] == NULL)
      s->names[node] = text_copy(s->csv ? node_name(&s->g, node)
                                 : text_brief(node_name(&s->g, node)));
   return s->names[node];
}

static const char* source_of(Show* s, uint32_t node)
{
   if (s->sources[node] == NULL)
      s->sources[node] = text_copy(node_source(&s->g, node));
   return s->sources[node];
}

/*--- As edges and as blocks                               ---*/

static void show_edge(Show* s, const DcfgEdge* e)
{
   if (s->csv) {
      printf("%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%s,%" PRIu32 ",%" PRIu32
             ",", s->thread, s->position, e->id, dcfg_edge_type_text(e->type),
             s->p->nodes[e->source].id, s->p->nodes[e->target].id);
      print_csv_string(name_of(s, e->source));
      putchar(',');
      print_csv_string(name_of(s, e->target));
      putchar('\n');
      return;
   }
   printf("%14s  %8" PRIu32 "  %-27.27s  %s -> %s\n", text_count(s->position),
          e->id, dcfg_edge_type_text(e->type), name_of(s, e->source),
          name_of(s, e->target));
}

static void show_block(Show* s, const DcfgEdge* e)
{
   const DcfgNode* n = &s->p->nodes[e->target];
   const char*     source;
   uint64_t        position = s->position + s->p->nodes[e->source].n_instrs;

   if (n->kind != DCFG_NODE_BLOCK)
      return;
   source = source_of(s, e->target);
   if (s->csv) {
      printf("%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",0x%" PRIx64 ",%" PRIu32
             ",", s->thread, position, n->id, n->addr, n->n_instrs);
      print_csv_string(name_of(s, e->target));
      putchar(',');
      print_csv_string(source);
      putchar('\n');
      return;
   }
   printf("%14s  %8" PRIu32 "  %#14" PRIx64 "  %6" PRIu32 "  %s%s%s\n",
          text_count(position), n->id, n->addr, n->n_instrs,
          name_of(s, e->target), source[0] != 0 ? "  " : "", source);
}

/*--- As calls                                             ---*/

/* Deeper than this, only a number says how deep. */
#define MAX_INDENT 40

static void indent(size_t depth)
{
   if (depth > MAX_INDENT)
      printf("%*s[%zu] ", 2 * MAX_INDENT, "", depth);
   else
      printf("%*s", (int)(2 * depth), "");
}

static void csv_call(Show* s, const char* event, size_t depth,
                     uint64_t position, uint32_t node, uint64_t instrs)
{
   printf("%" PRIu32 ",%" PRIu64 ",%zu,%s,", s->thread, position, depth,
          event);
   if (node != DCFG_NONE)
      printf("%" PRIu32, s->p->nodes[node].id);
   putchar(',');
   if (node != DCFG_NONE)
      print_csv_string(name_of(s, node));
   putchar(',');
   if (instrs != UINT64_MAX)
      printf("%" PRIu64, instrs);
   putchar('\n');
}

static bool is_wanted_routine(const Show* s, uint32_t routine)
{
   return s->routines == NULL
          || (routine < s->p->n_routines && s->routines[routine]);
}

static uint32_t entry_of(const Show* s, uint32_t routine)
{
   return routine < s->p->n_routines ? s->p->routines[routine].entry
          : DCFG_NONE;
}

/* The line at which the innermost call begins, if it is not there yet. */
static void open_call(Show* s)
{
   Call*       c;
   const char* source;
   uint32_t    entry;

   if (s->depth == 0 || s->calls[s->depth - 1].open)
      return;
   c = &s->calls[s->depth - 1];
   c->open = true;
   if (s->csv || !c->wanted)
      return;
   entry = entry_of(s, c->routine);
   source = entry == DCFG_NONE ? "" : source_of(s, entry);
   printf("%14s  %12s  ", text_count(c->since), "");
   indent(s->depth - 1);
   printf("%s%s%s%s {\n", c->signal ? "[signal] " : "",
          entry == DCFG_NONE ? "?" : name_of(s, entry),
          source[0] != 0 ? "  " : "", source);
}

static void begin_call(Show* s, uint32_t node, uint32_t back, uint64_t since,
                       bool is_signal)
{
   uint32_t routine = s->p->nodes[node].routine;
   bool     wanted = is_wanted_routine(s, routine);

   /* Around what is not shown nothing opens. */
   if (wanted)
      open_call(s);
   GROW(s->calls, s->depth, s->room);
   s->calls[s->depth++] = (Call){ .routine = routine, .back = back,
                                  .since = since, .signal = is_signal,
                                  .wanted = wanted };
   if (s->csv && wanted)
      csv_call(s, is_signal ? "signal" : "call", s->depth - 1, since, node,
               UINT64_MAX);
}

static void end_call(Show* s, uint64_t now)
{
   Call*    c = &s->calls[s->depth - 1];
   uint32_t entry = entry_of(s, c->routine);

   if (!c->wanted) {
      s->depth--;
      return;
   }
   if (s->csv) {
      csv_call(s, "return", s->depth - 1, now, entry, now - c->since);
   } else {
      const char* source = entry == DCFG_NONE || c->open ? ""
                           : source_of(s, entry);
      printf("%14s  %12s  ", text_count(c->open ? now : c->since),
             text_count(now - c->since));
      indent(s->depth - 1);
      printf("%s%s%s%s%s\n", c->open ? "} " : "",
             c->signal && !c->open ? "[signal] " : "",
             entry == DCFG_NONE ? "?" : name_of(s, entry),
             source[0] != 0 ? "  " : "", source);
   }
   s->depth--;
}

/* The frame that a return to NODE ends; the number of frames if none. */
static size_t frame_of(const Show* s, uint32_t node, bool is_signal)
{
   const DcfgNode* to = &s->p->nodes[node];

   for (size_t i = s->depth; i-- > 0; ) {
      const Call*     c = &s->calls[i];
      const DcfgNode* from;
      if (c->signal != is_signal)
         continue;
      if (is_signal)
         return i;
      if (c->back == DCFG_NONE)
         continue;
      from = &s->p->nodes[c->back];
      if (from->addr + from->size == to->addr)
         return i;
   }
   return s->depth;
}

static void show_return(Show* s, uint32_t node, uint64_t now, bool is_signal)
{
   size_t frame = frame_of(s, node, is_signal);

   if (frame < s->depth) {
      while (s->depth > frame)
         end_call(s, now);
      return;
   }
   /* From a routine that was called before we began to look: what is around
      it we know only now. */
   if (s->depth > 1 || s->p->nodes[node].kind != DCFG_NODE_BLOCK)
      return;
   while (s->depth > 0)
      end_call(s, now);
   begin_call(s, node, DCFG_NONE, now, false);
}

static void show_call(Show* s, const DcfgEdge* e)
{
   const DcfgNode* n = &s->p->nodes[e->source];
   const DcfgNode* t = &s->p->nodes[e->target];
   uint64_t        now = s->position + n->n_instrs;

   if (e->type == DCFG_EDGE_EXIT) {
      while (s->depth > 0)
         end_call(s, now);
   } else if (dcfg_is_call(e->type) || e->type == DCFG_EDGE_ENTRY) {
      begin_call(s, e->target, e->type == DCFG_EDGE_ENTRY ? DCFG_NONE
                 : e->source, now, false);
   } else if (e->type == DCFG_EDGE_CONTEXT_CHANGE) {
      begin_call(s, e->target, DCFG_NONE, now, true);
   } else if (e->type == DCFG_EDGE_RETURN) {
      show_return(s, e->target, now, false);
   } else if (e->type == DCFG_EDGE_CONTEXT_CHANGE_RETURN) {
      show_return(s, e->target, now, true);
   } else if (n->routine != t->routine && s->depth > 0) {
      /* A tail call: the routine takes the other's place. */
      Call  again = s->calls[s->depth - 1];
      Call* c;
      end_call(s, now);
      s->calls[s->depth++] = again;
      c = &s->calls[s->depth - 1];
      c->routine = t->routine;
      c->since = now;
      c->open = false;
      c->wanted = is_wanted_routine(s, t->routine);
      if (s->csv && c->wanted)
         csv_call(s, "jump", s->depth - 1, now, e->target, UINT64_MAX);
   }
}

/*--- All edges                                            ---*/

static void show_header(const Show* s)
{
   if (s->csv)
      puts(s->view == AS_EDGES
           ? "thread,instruction,edge_id,type,from_node_id,to_node_id,from,to"
           : s->view == AS_BLOCKS
           ? "thread,instruction,node_id,address,instructions,name,source"
           : "thread,instruction,depth,event,node_id,name,instructions");
}

static void show_thread(Show* s, uint32_t thread)
{
   s->thread = thread;
   if (s->csv)
      return;
   printf("%sthread %" PRIu32 "\n", thread > 0 ? "\n" : "", thread);
   if (s->view == AS_EDGES)
      printf("%14s  %8s  %-27s  %s\n", "instruction", "edge", "type",
             "from -> to");
   else if (s->view == AS_BLOCKS)
      printf("%14s  %8s  %14s  %6s  %s\n", "instruction", "block", "address",
             "instrs", "name");
   else
      printf("%14s  %12s  %s\n", "instruction", "instructions", "routine");
}

/* In the middle of a run, the block where it begins is in a routine. */
static void begin_middle(Show* s, const DcfgEdge* e)
{
   if (s->view == AS_BLOCKS && e->type != DCFG_EDGE_ENTRY) {
      DcfgEdge     first = *e;
      const uint64_t at = s->position;
      first.target = e->source;
      s->position -= s->p->nodes[e->source].n_instrs;
      show_block(s, &first);
      s->position = at;
   }
   if (s->view == AS_CALLS && e->type != DCFG_EDGE_ENTRY)
      begin_call(s, e->source, DCFG_NONE, s->position, false);
}

static void end_thread(Show* s)
{
   /* What has not returned: its beginning is there, and no end. */
   if (s->view == AS_CALLS && !s->csv)
      open_call(s);
   s->depth = 0;
}

/* On stderr, if it is a terminal, and what we write does not go there. */
static void progress(const Show* s, uint64_t edges, bool end)
{
   static time_t begun, last;
   static int    visible = -1;
   time_t        now = time(NULL);
   uint64_t      all = dcfg_process_instrs(s->p, s->thread);

   if (visible < 0) {
      visible = isatty(2) && !isatty(1);
      begun = last = now;
   }
   if (visible == 0 || now - begun < 2)
      return;
   if (end)
      fprintf(stderr, "\r%60s\r", "");
   else if (now != last)
      fprintf(stderr, "\rthread %" PRIu32 ": %s, %s edges ", s->thread,
              text_share(s->position, all), text_count(edges));
   last = now;
}

/* Calls are found by all edges. */
static bool is_wanted(const Show* s, const DcfgEdge* e)
{
   return s->view == AS_CALLS || is_everything(s->sel)
          || is_selected(s->sel, e->target)
          || (s->view == AS_EDGES && is_selected(s->sel, e->source));
}

static void show_edges(Show* s, DcfgTrace* t, const char* path, bool one,
                       uint64_t most)
{
   static uint32_t ids[N_EDGES];
   DcfgError       err;
   uint64_t        begun = 0, shown = 0, all = 0, thread = UINT64_MAX;

   for (;;) {
      size_t n = dcfg_trace_next(t, ids, N_EDGES, &err);
      const DcfgChunkInfo* info = dcfg_trace_chunk_info(t);
      if (n == 0)
         break;
      if (info->thread != thread) {
         if (thread != UINT64_MAX)
            end_thread(s);
         thread = info->thread;
         begun = shown = 0;
         show_thread(s, info->thread);
      }
      /* Before the first edge of a chunk the position is not known yet. */
      s->position = dcfg_trace_position(t);
      for (size_t i = n; i-- > 0; ) {
         uint32_t edge = dcfg_edge_by_id(s->p, ids[i]);
         if (edge != DCFG_NONE)
            s->position -= s->p->nodes[s->p->edges[edge].source].n_instrs;
      }
      for (size_t i = 0; i < n && shown < most; i++) {
         uint32_t        edge = dcfg_edge_by_id(s->p, ids[i]);
         const DcfgEdge* e;
         if (edge == DCFG_NONE)
            die("edge %" PRIu32 " is not in the DCFG: do the files belong "
                "together?", ids[i]);
         e = &s->p->edges[edge];
         if (begun++ == 0)
            begin_middle(s, e);
         if (!is_wanted(s, e)) {
            s->position += s->p->nodes[e->source].n_instrs;
            continue;
         }
         shown++;
         if (s->view == AS_EDGES)
            show_edge(s, e);
         else if (s->view == AS_BLOCKS)
            show_block(s, e);
         else
            show_call(s, e);
         s->position += s->p->nodes[e->source].n_instrs;
         if ((i & 255) == 255)
            text_forget();
      }
      text_forget();
      all += n;
      progress(s, all, false);
      if (shown == most && s->p->n_threads == 1)
         break;
   }
   progress(s, all, true);
   if (thread != UINT64_MAX)
      end_thread(s);
   if (err.status != DCFG_OK)
      die("%s", unreadable(&err, true));
   if (thread == UINT64_MAX)
      die("%s has nothing of process %" PRIu64 "%s", path, s->p->id,
          one ? " and this thread" : "");
}

static void select_part(Show* s, const Select* what)
{
   s->sel = selection_new(&s->g, what);
   if (is_everything(s->sel))
      return;
   s->routines = zalloc(s->p->n_routines, sizeof(*s->routines));
   for (uint32_t i = 0; i < s->p->n_routines; i++)
      s->routines[i] = is_selected(s->sel, s->p->routines[i].entry);
}

static View view_named(const char* name)
{
   if (strcmp(name, "edges") == 0)
      return AS_EDGES;
   if (strcmp(name, "blocks") == 0)
      return AS_BLOCKS;
   if (strcmp(name, "calls") == 0)
      return AS_CALLS;
   die("--as is edges, blocks or calls, not `%s'", name);
}

static int run(int argc, char** argv)
{
   uint64_t    from = UINT64_MAX, most = UINT64_MAX;
   Select      what = SELECT_ALL;
   uint32_t    only;
   const char* as = "edges";
   Show        s = { 0 };
   const Opt   opts[] = {
      SELECT_OPTIONS(&what), { "from", OPT_COUNT, &from },
      { "edges", OPT_COUNT, &most }, { "as", OPT_TEXT, &as },
      { "csv", OPT_FLAG, &s.csv }, { "mangled", OPT_FLAG, &s.g.mangled }
   };
   const char* files[2];
   int         n_files;
   DcfgOptions options;
   DcfgError   err;
   DcfgTrace*  t;
   Dcfg*       d;

   n_files = parse_args(&trace_command, opts, sizeof(opts) / sizeof(opts[0]),
                        argc, argv, files, 0, 2);
   s.view = view_named(as);
   if (n_files == 1)
      die("a file is missing; usage: dcfg %s %s", trace_command.name,
          trace_command.args);
   if (n_files == 0)
      default_files(&trace_command, files, true);
   if (strcmp(files[0], "-") == 0 && strcmp(files[1], "-") == 0)
      die("only one of the files can be the standard input");
   d = load_dcfg(files[0]);
   s.g.d = d;
   s.p = s.g.p = main_process(d);
   only = need_thread(d, what.thread);
   select_part(&s, &what);
   if (only == DCFG_ALL_THREADS && from != UINT64_MAX && s.p->n_threads > 1)
      die("--from counts the instructions of one thread; --thread says of "
          "which");
   s.names = zalloc(s.p->n_nodes, sizeof(*s.names));
   s.sources = zalloc(s.p->n_nodes, sizeof(*s.sources));
   options = read_options(NULL, NULL);
   t = dcfg_trace_open(files[1], &options, &err);
   if (t == NULL)
      die("%s", unreadable(&err, true));
   dcfg_trace_select(t, s.p->id, only);
   dcfg_trace_count_with(t, s.p);
   if (from != UINT64_MAX && !dcfg_trace_skip(t, from, s.p, &err)) {
      if (err.status != DCFG_OK)
         die("%s", unreadable(&err, true));
      die("%s: instruction %" PRIu64 " of the thread is not in the trace",
          files[1], from);
   }
   show_header(&s);
   if (most > 0)
      show_edges(&s, t, files[1], only != DCFG_ALL_THREADS, most);
   dcfg_trace_close(t);
   for (uint32_t i = 0; i < s.p->n_nodes; i++) {
      free((char*)s.names[i]);
      free((char*)s.sources[i]);
   }
   free(s.names);
   free(s.sources);
   free(s.calls);
   free(s.routines);
   selection_free(s.sel);
   dcfg_free(d);
   return STATUS_OK;
}

const Command trace_command = {
   "trace", "[FILE TRACE]", "in which order it ran: edges, blocks or calls",
   "Prints what threads did, in order, from a DCFG-trace and the DCFG of the\n"
   "same run (FILE).  The first column is the number of instructions that the\n"
   "thread had executed before.\n"
   "\n"
   "options:\n"
   "  --as=edges|blocks|calls\n"
   "                     each edge; each block executed; each routine called,\n"
   "                     with the instructions until it returned, those of\n"
   "                     routines called by it included [edges]\n"
   "  --thread=N         only thread N, counted from 0 [all, one after the\n"
   "                     other]\n"
   "  --from=INSTR       begin with the block that has the thread's\n"
   "                     instruction INSTR; chunks before are not decoded\n"
   "  --edges=N          at most N edges of each thread\n"
   SELECT_HELP
   "                     (edges from or to such blocks; calls of routines that\n"
   "                     such blocks begin)\n"
   "  --csv              for programs\n"
   "  --mangled          names of C++ and Rust as the linker sees them\n"
   "\n"
   "examples:\n"
   "  dcfg trace --as=calls --thread=0 out.json trace.json | less\n"
   "  dcfg trace --from=1000000 --thread=0 --edges=20 out.json trace.json\n",
   run, NULL
};
