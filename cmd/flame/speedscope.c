/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls for speedscope. */

/* Owns: speedscope's format.  Handed: calls by call_walk.c and, with instances,
   inline_walk.c. */

#include "cmd/flame/flame_tree.h"

#include "format/release.h"
#include "cmd/base/table.h"
#include "cmd/calls/inline_walk.h"

#include <inttypes.h>
#include <stdlib.h>

typedef
   struct {
      const Functions* f;
      Inlined*         in;      // with --inline, or NULL: frames behind those
                                // of .f are functions of the source
      FILE*            out;
      uint32_t*        open;    // active functions
      uint32_t         n;
      bool             first_profile, first_event;
   }
   Speedscope;

static void put_event(Speedscope* w, char type, uint32_t function, uint64_t at)
{
   fprintf(w->out, "%s\n    {\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%"
           PRIu64 "}", w->first_event ? "" : ",", type, function, at);
   w->first_event = false;
}

/* The format has no unit for instructions, so a profile's name says it. */
static void begin(void* arg, uint32_t thread)
{
   Speedscope* w = arg;

   fprintf(w->out, "%s\n  {\"type\":\"evented\",\"name\":\"thread %" PRIu32
           ", instructions\",\"unit\":\"none\",\"startValue\":0,\"events\":[",
           w->first_profile ? "" : ",", thread);
   w->first_profile = false;
   w->first_event = true;
   w->n = 0;
}

static void enter(void* arg, uint32_t function, uint64_t at)
{
   Speedscope* w = arg;

   w->open[w->n++] = function;
   put_event(w, 'O', function, at);
}

static void enter_inlined(void* arg, uint32_t scope, uint64_t at)
{
   Speedscope* w = arg;

   enter(arg, w->f->n + inlined_function(w->in, scope), at);
}

static void leave(void* arg, uint64_t at)
{
   Speedscope* w = arg;

   put_event(w, 'C', w->open[--w->n], at);
}

static void end(void* arg, uint64_t at)
{
   Speedscope* w = arg;

   fprintf(w->out, "\n  ],\"endValue\":%" PRIu64 "}", at);
}

static void put_file(const Speedscope* w, const char* file, uint32_t line)
{
   fputs(",\"file\":", w->out);
   put_json_string(file, w->out);
   fprintf(w->out, ",\"line\":%" PRIu32, line);
}

/* Write the frames of inlined functions; those of .f stand before them. */
static void put_inlined(const Speedscope* w)
{
   for (uint32_t i = 0; i < inlined_functions(w->in); i++) {
      const InlinedFunction* f = inlined_function_info(w->in, i);
      fprintf(w->out, "%s\n  {\"name\":", i + w->f->n > 0 ? "," : "");
      put_json_string(text_format("%s" INLINED_SUFFIX, inlined_name(w->in, i)),
                      w->out);
      if (f->line != 0)
         put_file(w, f->file, f->line);
      fputc('}', w->out);
      text_forget();
   }
}

static void put_frames(const Speedscope* w)
{
   const Program* g = &w->f->g;

   for (uint32_t i = 0; i < w->f->n; i++) {
      const DcfgNode* n = &g->p->nodes[w->f->nodes[i]];
      uint32_t        s = dcfg_source_at(g->p, n->image, n->addr);
      fprintf(w->out, "%s\n  {\"name\":", i > 0 ? "," : "");
      put_json_string(function_name(w->f, i), w->out);
      if (s != DCFG_NONE && g->p->sources[s].file < g->d->n_files)
         put_file(w, g->d->files[g->p->sources[s].file].name,
                  g->p->sources[s].line);
      fputc('}', w->out);
      text_forget();
   }
   if (w->in != NULL)
      put_inlined(w);
}

/* Number all inlined functions, before their frames are written. */
static void find_inlined(Speedscope* w, InlineView* v)
{
   w->in = v->in;
   walk_inlined_prepare(w->f, v);
   for (uint32_t i = 0; i < inlined_scopes(v->in); i++) {
      inlined_function(v->in, i);
      text_forget();
   }
}

/* Write all calls in order, a profile for each thread.  The unit is
   instructions of the selected part.  See
   https://www.speedscope.app/file-format-schema.json. */
static void write_speedscope(const Traced* run, int n, FILE* out)
{
   const Functions* f = run->f;
   Speedscope     w = { .f = f, .out = out, .first_profile = true };
   CallWatcher watcher = { .begin = begin, .enter = enter, .leave = leave,
                           .end = end, .only = run->sel, .arg = &w };
   InlineWatcher inlined = { .begin = begin, .enter = enter,
                             .enter_inlined = enter_inlined, .leave = leave,
                             .end = end, .arg = &w };

   (void)n;
   if (run->inlined != NULL)
      find_inlined(&w, run->inlined);
   w.open = zalloc(MAX_DEPTH, sizeof(*w.open));
   fputs("{\"$schema\":\"https://www.speedscope.app/"
         "file-format-schema.json\",\n\"exporter\":\"dcfg " DCFG_RELEASE
         "\",\n\"name\":", out);
   put_json_string(program_name(&f->g), out);
   fputs(",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
   put_frames(&w);
   fputs("\n]},\n\"profiles\":[", out);
   if (run->inlined != NULL) {
      inlined.only = run->inlined->selected;
      walk_inlined(f, run->inlined, run->trace, selected_thread(run->sel),
                   &inlined);
   } else {
      walk_calls(f, run->trace, selected_thread(run->sel), &watcher);
   }
   fputs("\n]}\n", out);
   free(w.open);
}

const FlameForm flame_form_speedscope = {
   .choice = { "speedscope", "all calls in their order, for speedscope",
               "OUT" },
   .one_run = true, .no_log = true, .write = write_speedscope
};
