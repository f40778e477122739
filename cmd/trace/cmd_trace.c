/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg trace: prints in which order a thread ran edges, blocks or calls. */

/* Owns: the subcommand trace, which follows each thread's edges; the forms of its
   lines; the active calls.  Handed: a command line.

   A trace has edges, and the DCFG of the same run says between which nodes each
   leads.  The sum of the instructions of the nodes so far is the place in the run.

   Calls are found by the types of edges.  A return ends the innermost call whose
   calling node ends where the return's target begins, and all calls within that.
   An edge to another routine that is no call is a tail call: the new routine
   replaces the old one.  A call's first line waits until something within it is
   printed, so a call without any has one line. */

#include "cmd/base/table.h"
#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/select.h"
#include "cmd/commands.h"

/*--- Forms                                                ---*/

/* Show: the options, and the present place in a thread's trace. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      bool               csv;
      uint32_t           thread;
      uint64_t           position;      // instructions before the edge's source
      const char**       names;         // for each node; made at the first use
      const char**       sources;
      Selection*         sel;
      bool*              routines;      // for each routine: is it selected?
                                        // NULL: all
      void*              own;           // state of the form, or NULL
   }
   Show;

/* TraceForm: a form of a trace. */
typedef
   struct {
      OptionChoice choice;              // for --as
      const char*  csv_header;
      const char*  header;              // above a thread's lines

      /* Return whether to show E although its target is not selected. NULL:
         no. */
      bool (*wants)(const Show* s, const DcfgEdge* e);

      /* E is the first edge of a thread when output begins in the middle of its
         run.  NULL: show nothing. */
      void (*begin)(Show* s, const DcfgEdge* e);

      void (*show)(Show* s, const DcfgEdge* e);

      /* The thread's last edge was shown.  NULL: nothing is left. */
      void (*end)(Show* s);

      /* Free .own.  NULL: there is none. */
      void (*forget)(Show* s);
   }
   TraceForm;

/*--- Names and sources of nodes, each made once           ---*/

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

/*--- Edges                                                ---*/

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

static bool wants_source(const Show* s, const DcfgEdge* e)
{
   return is_selected(s->sel, e->source);
}

static const TraceForm trace_form_edges = {
   .choice = { "edges", "each edge", NULL },
   .csv_header = "thread,instruction,edge_id,type,from_node_id,to_node_id,from,"
                 "to",
   .header = "   instruction      edge  type                         "
             "from -> to",
   .wants = wants_source, .show = show_edge
};

/*--- Blocks                                               ---*/

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

/* Show the first block, which is no edge's target. */
static void show_first_block(Show* s, const DcfgEdge* e)
{
   DcfgEdge       first = *e;
   const uint64_t at = s->position;

   first.target = e->source;
   s->position -= s->p->nodes[e->source].n_instrs;
   show_block(s, &first);
   s->position = at;
}

static const TraceForm trace_form_blocks = {
   .choice = { "blocks", "each block executed", NULL },
   .csv_header = "thread,instruction,node_id,address,instructions,name,source",
   .header = "   instruction     block         address  instrs  name",
   .begin = show_first_block, .show = show_block
};

/*--- Calls                                                ---*/

/* ActiveCall: a routine that was called and has not returned. */
typedef
   struct {
      uint32_t routine;
      uint32_t back;            // node behind which it returns; or DCFG_NONE
      uint64_t since;           // number of its first instruction
      bool     signal;
      bool     open;            // has its first line been printed?
      bool     wanted;
   }
   ActiveCall;

/* Calls: the active calls of a thread, the outermost first. */
typedef
   struct {
      ActiveCall* calls;
      size_t      depth, room;
   }
   Calls;

static Calls* calls_of(Show* s)
{
   if (s->own == NULL)
      s->own = zalloc(1, sizeof(Calls));
   return s->own;
}

/* The depth beyond which a number replaces the indentation. */
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

/* Print the innermost call's first line, if it has not been printed. */
static void open_call(Show* s)
{
   Calls*      k = calls_of(s);
   ActiveCall* c;
   const char* source;
   uint32_t    entry;

   if (k->depth == 0 || k->calls[k->depth - 1].open)
      return;
   c = &k->calls[k->depth - 1];
   c->open = true;
   if (s->csv || !c->wanted)
      return;
   entry = entry_of(s, c->routine);
   source = entry == DCFG_NONE ? "" : source_of(s, entry);
   printf("%14s  %12s  ", text_count(c->since), "");
   indent(k->depth - 1);
   printf("%s%s%s%s {\n", c->signal ? "[signal] " : "",
          entry == DCFG_NONE ? "?" : name_of(s, entry),
          source[0] != 0 ? "  " : "", source);
}

static void begin_call(Show* s, uint32_t node, uint32_t back, uint64_t since,
                       bool is_signal)
{
   Calls*   k = calls_of(s);
   uint32_t routine = s->p->nodes[node].routine;
   bool     wanted = is_wanted_routine(s, routine);

   /* Lines around a call that is not shown are not needed. */
   if (wanted)
      open_call(s);
   GROW(k->calls, k->depth, k->room);
   k->calls[k->depth++] = (ActiveCall){ .routine = routine,
                                        .back = back, .since = since,
                                        .signal = is_signal,
                                        .wanted = wanted };
   if (s->csv && wanted)
      csv_call(s, is_signal ? "signal" : "call", k->depth - 1, since, node,
               UINT64_MAX);
}

static void end_call(Show* s, uint64_t now)
{
   Calls*      k = calls_of(s);
   ActiveCall* c = &k->calls[k->depth - 1];
   uint32_t    entry = entry_of(s, c->routine);

   if (!c->wanted) {
      k->depth--;
      return;
   }
   if (s->csv) {
      csv_call(s, "return", k->depth - 1, now, entry, now - c->since);
   } else {
      const char* source = entry == DCFG_NONE || c->open ? ""
                           : source_of(s, entry);
      printf("%14s  %12s  ", text_count(c->open ? now : c->since),
             text_count(now - c->since));
      indent(k->depth - 1);
      printf("%s%s%s%s%s\n", c->open ? "} " : "",
             c->signal && !c->open ? "[signal] " : "",
             entry == DCFG_NONE ? "?" : name_of(s, entry),
             source[0] != 0 ? "  " : "", source);
   }
   k->depth--;
}

/* Return the index of the frame that a return to NODE ends; the number of
   frames if none. */
static size_t frame_of(Show* s, uint32_t node, bool is_signal)
{
   Calls*          k = calls_of(s);
   const DcfgNode* to = &s->p->nodes[node];

   for (size_t i = k->depth; i-- > 0; ) {
      const ActiveCall* c = &k->calls[i];
      const DcfgNode*   from;
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
   return k->depth;
}

static void show_return(Show* s, uint32_t node, uint64_t now, bool is_signal)
{
   Calls* k = calls_of(s);
   size_t frame = frame_of(s, node, is_signal);

   if (frame < k->depth) {
      while (k->depth > frame)
         end_call(s, now);
      return;
   }
   /* A return from a routine that was called before the begin of the output:
      only now are its callers known. */
   if (k->depth > 1 || s->p->nodes[node].kind != DCFG_NODE_BLOCK)
      return;
   while (k->depth > 0)
      end_call(s, now);
   begin_call(s, node, DCFG_NONE, now, false);
}

static void show_call(Show* s, const DcfgEdge* e)
{
   Calls*          k = calls_of(s);
   const DcfgNode* n = &s->p->nodes[e->source];
   const DcfgNode* t = &s->p->nodes[e->target];
   uint64_t        now = s->position + n->n_instrs;

   if (e->type == DCFG_EDGE_EXIT) {
      while (k->depth > 0)
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
   } else if (n->routine != t->routine && k->depth > 0) {
      /* A tail call: the new routine replaces the old one. */
      ActiveCall  again = k->calls[k->depth - 1];
      ActiveCall* c;
      end_call(s, now);
      k->calls[k->depth++] = again;
      c = &k->calls[k->depth - 1];
      c->routine = t->routine;
      c->since = now;
      c->open = false;
      c->wanted = is_wanted_routine(s, t->routine);
      if (s->csv && c->wanted)
         csv_call(s, "jump", k->depth - 1, now, e->target, UINT64_MAX);
   }
}

/* Return true: all edges are needed to find calls. */
static bool wants_all(const Show* s, const DcfgEdge* e)
{
   (void)s;
   (void)e;
   return true;
}

/* Begin with the routine of the first block. */
static void begin_thread_calls(Show* s, const DcfgEdge* e)
{
   begin_call(s, e->source, DCFG_NONE, s->position, false);
}

/* Calls that have not returned have only a first line. */
static void end_thread_calls(Show* s)
{
   if (!s->csv)
      open_call(s);
   calls_of(s)->depth = 0;
}

static void forget_calls(Show* s)
{
   if (s->own != NULL)
      free(((Calls*)s->own)->calls);
   free(s->own);
}

static const TraceForm trace_form_calls = {
   .choice = { "calls", "each routine called, with the instructions until it "
               "returned, those of routines called by it included", NULL },
   .csv_header = "thread,instruction,depth,event,node_id,name,instructions",
   .header = "   instruction  instructions  routine",
   .wants = wants_all, .begin = begin_thread_calls, .show = show_call,
   .end = end_thread_calls, .forget = forget_calls
};

/*--- The command                                          ---*/

/* All forms; the first is the default of --as. */
static const TraceForm* const forms[] = {
   &trace_form_edges, &trace_form_blocks, &trace_form_calls
};
static const OptionChoice* const choices[] = {
   &trace_form_edges.choice, &trace_form_blocks.choice,
   &trace_form_calls.choice, NULL
};

#define N_EDGES 4096            // read at a time

static void show_thread(Show* s, const TraceForm* form, uint32_t thread)
{
   s->thread = thread;
   if (!s->csv)
      printf("%sthread %" PRIu32 "\n%s\n", thread > 0 ? "\n" : "", thread,
             form->header);
}

static void end_thread(Show* s, const TraceForm* form)
{
   if (form->end != NULL)
      form->end(s);
}

static bool is_wanted(const Show* s, const TraceForm* form,
                      const DcfgEdge* e)
{
   return is_everything(s->sel) || is_selected(s->sel, e->target)
          || (form->wants != NULL && form->wants(s, e));
}

static void show_edges(Show* s, const TraceForm* form, DcfgTrace* t,
                       const char* path, bool one, uint64_t most)
{
   static uint32_t ids[N_EDGES];
   DcfgError       err;
   uint64_t        begun = 0, shown = 0, thread = UINT64_MAX;

   for (;;) {
      size_t n = dcfg_trace_next(t, ids, N_EDGES, &err);
      const DcfgChunkInfo* info = dcfg_trace_chunk_info(t);
      if (n == 0)
         break;
      if (info->thread != thread) {
         if (thread != UINT64_MAX)
            end_thread(s, form);
         thread = info->thread;
         begun = shown = 0;
         show_thread(s, form, info->thread);
      }
      /* The position is not known before the first edge of a chunk, so compute
         it backwards. */
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
         if (begun++ == 0 && e->type != DCFG_EDGE_ENTRY
             && form->begin != NULL)
            form->begin(s, e);
         if (!is_wanted(s, form, e)) {
            s->position += s->p->nodes[e->source].n_instrs;
            continue;
         }
         shown++;
         form->show(s, e);
         s->position += s->p->nodes[e->source].n_instrs;
         if ((i & 255) == 255)
            text_forget();
      }
      text_forget();
      if (shown == most && s->p->n_threads == 1)
         break;
   }
   if (thread != UINT64_MAX)
      end_thread(s, form);
   need_file(err.status == DCFG_OK, &err, KIND_TRACE);
   if (thread == UINT64_MAX)
      refuse_other_run(path, s->p->id, one);
}

static void select_part(Show* s, const Select* what)
{
   s->sel = selection_new(&s->g, what);
   if (!is_found(s->sel))
      exit(STATUS_BAD);
   if (is_everything(s->sel))
      return;
   s->routines = zalloc(s->p->n_routines, sizeof(*s->routines));
   for (uint32_t i = 0; i < s->p->n_routines; i++)
      s->routines[i] = is_selected(s->sel, s->p->routines[i].entry);
}

static int run(int argc, char** argv)
{
   uint64_t    from = UINT64_MAX, most = UINT64_MAX;
   Select      what = SELECT_ALL;
   uint32_t    only;
   const char* as = choices[0]->name;
   const TraceForm* form;
   Show        s = { 0 };
   const Opt   opts[] = {
      { "as", OPT_TEXT, &as, "FORM", "one of these [edges]" },
      OPT_CHOICES(choices),
      { "from", OPT_COUNT, &from, "INSTR",
        "begin with the block that has the thread's instruction INSTR; chunks "
        "before are not decoded" },
      { "edges", OPT_COUNT, &most, "N", "at most N edges of each thread" },
      { "thread", OPT_COUNT, &what.thread, "N",
        "only thread N, counted from 0 [all, one after the other]" },
      SELECT_PLACES(&what),
      OPT_REMARK("(edges from or to such blocks; calls of routines that such "
                 "blocks begin)"),
      { "csv", OPT_FLAG, &s.csv, NULL, "for programs" },
      OPT_MANGLED(&s.g.mangled)
   };
   const char* files[2];
   int         n_files;
   DcfgError   err;
   DcfgTrace*  t;
   Dcfg*       d;

   n_files = parse_args(&trace_command, OPTS(opts), argc, argv, files, 0, 2);
   form = forms[choice("as", as, choices)];
   if (n_files == 1)
      one_is_missing(&trace_command, files[0]);
   if (n_files == 0)
      default_files(&trace_command, files, true);
   only_one_input(files, 2);
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
   t = load_trace(s.p, files[1], only);
   if (from != UINT64_MAX && !dcfg_trace_skip(t, from, s.p, &err)) {
      need_file(err.status == DCFG_OK, &err, KIND_TRACE);
      die("%s: instruction %" PRIu64 " of the thread is not in the trace",
          files[1], from);
   }
   if (s.csv)
      puts(form->csv_header);
   if (most > 0)
      show_edges(&s, form, t, files[1], only != DCFG_ALL_THREADS, most);
   dcfg_trace_close(t);
   for (uint32_t i = 0; i < s.p->n_nodes; i++) {
      FREE_ALL(s.names[i], s.sources[i]);
   }
   FREE_ALL(s.names, s.sources);
   if (form->forget != NULL)
      form->forget(&s);
   free(s.routines);
   selection_free(s.sel);
   dcfg_free(d);
   return STATUS_OK;
}

const Command trace_command = {
   "trace", "[FILE TRACE]", "in which order it ran: edges, blocks or calls",
   "Prints what each thread did, in order, from a DCFG-trace and the DCFG of\n"
   "the same run (FILE).  The first column says how many instructions the\n"
   "thread had executed before.\n",
   "\n"
   "examples:\n"
   "  dcfg trace --as=calls --thread=0 out.json trace.json | less\n"
   "  dcfg trace --from=1000000 --thread=0 --edges=20 out.json trace.json\n",
   run
};
