/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Inlined functions of a whole execution trace. */

/* Owns: the scopes of a trace's images.  Handed: a whole execution trace,
   and scopes by scopes.c. */

#include "cmd/program/inlined_trace.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/code_spans.h"
#include "cmd/program/scope_names.h"
#include "cmd/program/debug_file.h"
#include "cmd/program/wet_place.h"

#include <inttypes.h>
#include <stdlib.h>

/* TraceImage: an image's scopes, or NULL. */
typedef
   struct {
      bool     tried;
      Scopes*  s;
      Dwfl*    dwfl;
      uint64_t delta;           // the run's addresses minus the file's
   }
   TraceImage;

struct InlinedTrace {
   DcfgWet*      w;
   const char*   root;
   TraceImage*   images;
   uint32_t      n_images;
   InlinedFrame* frames;
   uint32_t      n_frames, room;
};

InlinedTrace* inlined_trace_new(DcfgWet* w, const char* root)
{
   InlinedTrace* t = zalloc(1, sizeof(*t));
   uint32_t      n = dcfg_wet_instrs(w);

   t->w        = w;
   t->root     = root;
   t->n_images = n == 0 ? 0 : dcfg_wet_instr(w, n - 1)->image + 1;
   t->images   = zalloc(t->n_images + (size_t)1, sizeof(*t->images));
   return t;
}

void inlined_trace_free(InlinedTrace* t)
{
   if (t == NULL)
      return;
   for (uint32_t i = 0; i < t->n_images; i++) {
      scopes_free(t->images[i].s);
      if (t->images[i].dwfl != NULL)
         dwfl_end(t->images[i].dwfl);
   }
   free(t->images);
   free(t->frames);
   free(t);
}

/*--- Reading an image                                     ---*/

/* Return the executed code of the image of INSTR, in addresses of the file. */
static CodeSpan* executed_code(const InlinedTrace* t, uint32_t instr,
                               uint64_t delta, size_t* n)
{
   uint32_t  image = dcfg_wet_instr(t->w, instr)->image;
   uint32_t  all = dcfg_wet_instrs(t->w);
   CodeSpan* spans = zalloc(all + (size_t)1, sizeof(*spans));

   *n = 0;
   for (uint32_t i = 0; i < all; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(t->w, i);
      if (in->image == image)
         spans[(*n)++] = (CodeSpan){ in->addr - delta,
                                     in->addr - delta + in->size };
   }
   *n = join_spans(spans, *n);
   return spans;
}

/* Read the scopes of the image of INSTR.  Return why that is not possible, or
   NULL. */
static const char* read_trace_image(InlinedTrace* t, uint32_t instr,
                                    TraceImage* im)
{
   const DcfgWetInstr in = *dcfg_wet_instr(t->w, instr);
   Dwfl_Module*       module;
   Dwarf*             dwarf;
   Dwarf_Addr         bias;
   GElf_Addr          main_bias;
   Elf*               elf;
   const char*        path = image_path_below(t->root, in.image_name);
   const char*        why;
   size_t             n_spans, n_segments, most;
   CodeSpan*          spans;
   CodeSpan*          segments;

   why = image_is_there(t->w, instr, t->root);
   if (why != NULL)
      return why;
   im->dwfl = debug_file_open(path, &in.image_load, in.image_build_id, &module,
                              &why);
   if (im->dwfl == NULL)
      return text_format("%s: %s", text_clean(path), why);
   dwarf = dwfl_module_getdwarf(module, &bias);
   elf   = dwfl_module_getelf(module, &main_bias);
   if (dwarf == NULL || elf == NULL)
      return text_format("%s has no debug information", text_clean(path));
   im->delta = bias;
   spans     = executed_code(t, instr, bias, &n_spans);
   segments  = code_segments(elf, &n_segments);
   elf_rawfile(dwarf_getelf(dwarf), &most);
   im->s     = scopes_read(dwarf, spans, n_spans, segments, n_segments, most);
   free(spans);
   free(segments);
   return NULL;
}

static TraceImage* trace_image(InlinedTrace* t, uint32_t instr)
{
   const DcfgWetInstr in = *dcfg_wet_instr(t->w, instr);
   TraceImage*        im = &t->images[in.image];
   const char*        why;

   if (im->tried)
      return im->s != NULL ? im : NULL;
   im->tried = true;
   why = in.image_name == NULL || in.image_name[0] != '/' ? NULL
         : read_trace_image(t, instr, im);
   if (why != NULL)
      complain("%s; inlined functions in it count for those around them", why);
   return im->s != NULL ? im : NULL;
}

/*--- Frames                                               ---*/

static void add_frame(InlinedTrace* t, const char* name, const char* file,
                      uint32_t line)
{
   GROW(t->frames, t->n_frames, t->room);
   t->frames[t->n_frames++] = (InlinedFrame){
      text_brief(text_clean(text_demangle(name))), file, line
   };
}

uint32_t inlined_trace_frames(InlinedTrace* t, uint32_t instr,
                              const InlinedFrame** frames)
{
   const DcfgWetInstr in = *dcfg_wet_instr(t->w, instr);
   TraceImage*        im = trace_image(t, instr);
   const char*        file = in.line != 0 ? in.source : "?";
   uint32_t           line = in.line, scope;
   uint64_t           end;

   t->n_frames = 0;
   if (im == NULL)
      return 0;
   scope = interval_at(&im->s->intervals, in.addr - im->delta, &end);
   if (scope == NO_SCOPE || im->s->scopes[scope].parent == NO_SCOPE)
      return 0;
   for (; scope != NO_SCOPE; scope = im->s->scopes[scope].parent) {
      const Scope* s = &im->s->scopes[scope];
      bool         outer = s->parent == NO_SCOPE;
      add_frame(t, outer && in.function != NULL ? in.function
                : scope_function(im->s, s->origin).name, file, line);
      if (!outer)
         file = scope_call_file(im->s, scope);
      line = s->line;
   }
   *frames = t->frames;
   return t->n_frames;
}

const char* inlined_trace_text(InlinedTrace* t, uint32_t instr)
{
   const InlinedFrame* f;
   uint32_t            n = inlined_trace_frames(t, instr, &f);
   const char*         text = n == 0 ? "" : f[0].function;

   for (uint32_t i = 1; i < n; i++)
      text = text_format("%s, at %s:%" PRIu32 " %s", text,
                         text_clean(text_base(f[i].file)), f[i].line,
                         f[i].function);
   return text;
}
