/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg trace. */

/* Owns: the subcommand trace, which follows a thread's edges.  Handed: a
   command line. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/table.h"
#include "cmd/trace/trace_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N_EDGES 4096

#define ADDRESS_OF_FORM(name) &trace_form_##name,
static const TraceForm* const forms[] = { TRACE_FORMS(ADDRESS_OF_FORM) };

#define CHOICE_OF_FORM(name) &trace_form_##name.choice,
static const OptionChoice* const choices[] = { TRACE_FORMS(CHOICE_OF_FORM) NULL };

/*--- All edges                                            ---*/

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
   if (err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_TRACE));
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
   DcfgOptions options;
   DcfgError   err;
   DcfgTrace*  t;
   Dcfg*       d;

   n_files = parse_args(&trace_command, OPTS(opts), argc, argv, files, 0, 2);
   form = forms[choice("as", as, choices)];
   if (n_files == 1)
      one_is_missing(&trace_command, files[0]);
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
      die("%s", unreadable(&err, KIND_TRACE));
   dcfg_trace_select(t, s.p->id, only);
   dcfg_trace_count_with(t, s.p);
   if (from != UINT64_MAX && !dcfg_trace_skip(t, from, s.p, &err)) {
      if (err.status != DCFG_OK)
         die("%s", unreadable(&err, KIND_TRACE));
      die("%s: instruction %" PRIu64 " of the thread is not in the trace",
          files[1], from);
   }
   if (s.csv)
      puts(form->csv_header);
   if (most > 0)
      show_edges(&s, form, t, files[1], only != DCFG_ALL_THREADS, most);
   dcfg_trace_close(t);
   for (uint32_t i = 0; i < s.p->n_nodes; i++) {
      free((char*)s.names[i]);
      free((char*)s.sources[i]);
   }
   free(s.names);
   free(s.sources);
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
