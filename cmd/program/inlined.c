/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the scopes of all images of a process or of a whole execution trace,
   and the functions of the source that they belong to.  Handed: a process or
   a trace, and scopes by scopes.c. */

#include "cmd/program/inlined.h"

#include "cmd/base/keymap.h"
#include "cmd/program/elf_file.h"

#include <elfutils/libdwelf.h>

/* InlineImage: an image's scopes, numbered from .first on. */
typedef
   struct {
      bool      tried;
      Scopes*   s;              // NULL: none
      Dwfl*     dwfl;
      uint64_t  delta;          // the run's addresses minus the file's
      uint32_t  first;
      uint32_t* functions;      // by origin; NO_SOURCE_FUNCTION: not needed yet
   }
   InlineImage;

struct Inlined {
   Program          g;
   Code*            code;
   InlineImage*     images;
   uint32_t*        read;       // images with scopes, in order of .first
   uint32_t         n_read;
   uint32_t         n_scopes;
   bool             all;        // scopes of code that did not run, too
   bool             quiet;      // no messages
   uint32_t*        parents;    // by scope; NO_SCOPE for a function
   Interned*        texts;
   KeyMap*          identities; // keys: interned texts of functions
   KeyMap*          names;      // keys: interned texts of file and name
   uint32_t*        named;      // by number in .names: the function
   size_t           n_named, named_room;
   InlinedFunction* functions;
   uint32_t*        function_images;
   size_t           n_functions, function_room;
};

Inlined* inlined_new(const Program* g, const char* root, bool all, bool quiet)
{
   Inlined* in = zalloc(1, sizeof(*in));

   in->g          = *g;
   in->all        = all;
   in->quiet      = quiet;
   in->code       = code_quiet(g, root);
   in->images     = zalloc(g->p->n_images, sizeof(*in->images));
   in->read       = zalloc(g->p->n_images, sizeof(*in->read));
   in->texts      = interned_new();
   in->identities = keymap_new();
   in->names      = keymap_new();
   return in;
}

void inlined_free(Inlined* in)
{
   if (in == NULL)
      return;
   for (uint32_t i = 0; i < in->g.p->n_images; i++) {
      scopes_free(in->images[i].s);
      free(in->images[i].functions);
      if (in->images[i].dwfl != NULL)
         dwfl_end(in->images[i].dwfl);
   }
   code_free(in->code);
   FREE_ALL(in->images, in->read, in->parents);
   interned_free(in->texts);
   FREE_EACH(keymap_free, in->identities, in->names);
   FREE_ALL(in->named, in->functions, in->function_images, in);
}

Code* inlined_code(Inlined* in)
{
   return in->code;
}

/*--- Reading an image                                     ---*/

/* Return the blocks of an image, in addresses of the file. */
static CodeSpan* executed_spans(const Inlined* in, uint32_t image, size_t* n)
{
   const DcfgImage* im = &in->g.p->images[image];
   uint64_t         delta = in->images[image].delta;
   CodeSpan*        spans = zalloc(im->n_nodes + (size_t)1, sizeof(*spans));

   *n = 0;
   for (uint32_t i = 0; i < im->n_nodes; i++) {
      const DcfgNode* b = &in->g.p->nodes[im->first_node + i];
      uint64_t        low = b->addr - delta;
      if (b->kind == DCFG_NODE_BLOCK && low <= UINT64_MAX - b->size)
         spans[(*n)++] = (CodeSpan){ low, low + b->size };
   }
   *n = join_spans(spans, *n);
   return spans;
}

/* Tell the user why an image has no inlined functions; stay silent about an
   image that is no file. */
static void say(const Inlined* in, uint32_t image, const char* what)
{
   if (image_file(&in->g, image)[0] == '/' && !in->quiet)
      complain("%s; inlined functions in %s count for those around them", what,
               image_name(&in->g, image));
}

static void say_what_is_missing(const Inlined* in, uint32_t image,
                                Dwarf* dwarf, const Scopes* s)
{
   const char* alternate = NULL;
   const void* id;
   const char* name = image_path(&in->g, image);

   if (s->n_missing > 0)
      say(in, image, text_format("%s: %s .dwo file%s with its debug information "
                                 "%s missing, the first is %s", name,
                                 text_count(s->n_missing),
                                 s->n_missing == 1 ? "" : "s",
                                 s->n_missing == 1 ? "is" : "are",
                                 text_clean(s->missing)));
   if (dwelf_dwarf_gnu_debugaltlink(dwarf, &alternate, &id) > 0
       && dwarf_getalt(dwarf) == NULL && !in->quiet)
      complain("%s: there is no file %s, to which dwz moved names of functions; "
               "those are `?'", name, text_clean(alternate));
   if (s->n_broken > 0)
      say(in, image, text_format("%s: %s place%s in its debug information %s "
                                 "broken", name, text_count(s->n_broken),
                                 s->n_broken == 1 ? "" : "s",
                                 s->n_broken == 1 ? "is" : "are"));
}

/* Return why the file is not the one that ran; NULL if it is, or if the
   recording does not tell, as recordings of other tools. */
static const char* other_file(Inlined* in, uint32_t image)
{
   const DcfgImage* im = &in->g.p->images[image];
   Sameness         s;

   if (im->build_id != NULL || im->code_hash != NULL
       || !compare_with_file(in->code, &in->g, image, &s) || s.difference[0] == 0)
      return NULL;
   return not_executed(code_path(in->code, image),
                       text_format("there, %s", s.difference));
}

/* Read the scopes of IMAGE.  Return why that is not possible, or NULL. */
static const char* read_image(Inlined* in, uint32_t image)
{
   const DcfgImage* im = &in->g.p->images[image];
   InlineImage*     to = &in->images[image];
   Elf*             elf = code_elf(in->code, image);
   const char*      why = elf == NULL ? code_missing(in->code, image)
                          : other_file(in, image);
   Dwfl_Module*     module;
   Dwarf*           dwarf = NULL;
   Dwarf_Addr       bias;
   uint64_t         at = 0;
   size_t           n_spans;
   CodeSpan*        spans;

   if (why != NULL)
      return why;
   to->dwfl = debug_file_open(code_path(in->code, image), im->build_id, &module,
                              &why);
   if (to->dwfl == NULL)
      return text_format("%s: %s", image_path(&in->g, image), why);
   dwarf = dwfl_module_getdwarf(module, &bias);
   if (dwarf == NULL)
      return text_format("%s has no debug information: install it, or "
                         "compile the file with it", image_path(&in->g, image));
   code_file_addr(in->code, image, im->load_addr, &at);
   to->delta = im->load_addr - at;
   spans     = in->all ? code_segments(elf, &n_spans)
               : executed_spans(in, image, &n_spans);
   to->s     = scopes_read(dwarf, elf, spans, n_spans);
   free(spans);
   say_what_is_missing(in, image, dwarf, to->s);
   return NULL;
}

/* Return whether IMAGE is a library that Valgrind loads into each program: its
   user can do nothing about what it lacks. */
static bool is_of_valgrind(const Inlined* in, uint32_t image)
{
   static const char prefix[] = "vgpreload_";

   return strncmp(text_base(image_path(&in->g, image)), prefix,
                  sizeof(prefix) - 1) == 0;
}

/* Return the scopes of IMAGE; NULL if it has none. */
static InlineImage* the_image(Inlined* in, uint32_t image)
{
   InlineImage* to;
   const char*  why;

   if (image >= in->g.p->n_images)
      return NULL;
   to = &in->images[image];
   if (to->tried)
      return to->s != NULL ? to : NULL;
   to->tried = true;
   why = in->g.p->images[image].n_nodes == 0 ? NULL : read_image(in, image);
   if (why != NULL && !is_of_valgrind(in, image))
      say(in, image, why);
   if (to->s == NULL)
      return NULL;
   if (to->s->n > NO_SCOPE - in->n_scopes)
      die("too many inlined functions");
   to->first     = in->n_scopes;
   in->n_scopes += (uint32_t)to->s->n;
   in->parents   = need(realloc(in->parents, (in->n_scopes + (size_t)1)
                                             * sizeof(*in->parents)));
   for (uint32_t i = 0; i < to->s->n; i++) {
      uint32_t parent = to->s->scopes[i].parent;
      in->parents[to->first + i] = parent == NO_SCOPE ? NO_SCOPE
                                   : to->first + parent;
   }
   in->read[in->n_read++] = image;
   to->functions = zalloc(to->s->n_origins + 1, sizeof(*to->functions));
   memset(to->functions, 0xFF,
          (to->s->n_origins + 1) * sizeof(*to->functions));
   return to;
}

/*--- Scopes                                               ---*/

uint32_t inlined_at(Inlined* in, uint32_t image, uint64_t addr, uint64_t* end)
{
   const InlineImage* im = the_image(in, image);
   uint32_t           local;

   *end = UINT64_MAX;
   if (im == NULL)
      return NO_SCOPE;
   local = interval_at(&im->s->intervals, addr - im->delta, end);
   if (*end != UINT64_MAX)
      *end += im->delta;
   return local == NO_SCOPE ? NO_SCOPE : im->first + local;
}

bool inlined_is_read(const Inlined* in, uint32_t image)
{
   return image < in->g.p->n_images && in->images[image].tried;
}

void inlined_leave_out(Inlined* in, uint32_t image)
{
   in->images[image].tried = true;
}

uint32_t inlined_scopes(const Inlined* in)
{
   return in->n_scopes;
}

uint32_t inlined_image(const Inlined* in, uint32_t scope)
{
   uint32_t i = 0;

   BISECT(i, in->n_read, middle, in->images[in->read[middle]].first <= scope);
   /* Images without scopes have the .first of the next image. */
   return in->read[i - 1];
}

static const Scope* the_scope(const Inlined* in, uint32_t scope,
                              const InlineImage** im)
{
   *im = &in->images[inlined_image(in, scope)];
   return &(*im)->s->scopes[scope - (*im)->first];
}

uint32_t inlined_parent(const Inlined* in, uint32_t scope)
{
   return in->parents[scope];
}

uint32_t inlined_outer(const Inlined* in, uint32_t scope)
{
   while (in->parents[scope] != NO_SCOPE)
      scope = in->parents[scope];
   return scope;
}

uint32_t inlined_common(const Inlined* in, uint32_t x, uint32_t y)
{
   while (x != y) {
      if (x == NO_SCOPE || y == NO_SCOPE)
         return NO_SCOPE;
      /* A parent has a lower number than what was inlined into it. */
      if (x > y)
         x = inlined_parent(in, x);
      else
         y = inlined_parent(in, y);
   }
   return x;
}

uint64_t inlined_entry(const Inlined* in, uint32_t scope)
{
   const InlineImage* im;
   uint64_t           entry = the_scope(in, scope, &im)->entry;

   return entry == NO_ADDR ? NO_ADDR : entry + im->delta;
}

const char* inlined_call_file(const Inlined* in, uint32_t scope)
{
   const InlineImage* im;

   the_scope(in, scope, &im);
   return scope_call_file(im->s, scope - im->first);
}

uint32_t inlined_call_line(const Inlined* in, uint32_t scope)
{
   const InlineImage* im;

   return the_scope(in, scope, &im)->line;
}

static const char* place_text(const char* file, uint32_t line)
{
   const char* name = text_clean(text_base(file));

   return line == 0 && name[0] == '?' ? "?"
          : text_format("%s:%" PRIu32, name, line);
}

const char* inlined_site(const Inlined* in, uint32_t scope)
{
   return place_text(inlined_call_file(in, scope),
                     inlined_call_line(in, scope));
}

bool inlined_line(const Inlined* in, uint32_t image, uint64_t addr,
                  uint32_t scope, const char** file, uint32_t* line)
{
   const DcfgProcess* p = in->g.p;
   const InlineImage* im;
   uint32_t           i;

   if (scope != NO_SCOPE) {
      the_scope(in, scope, &im);
      return scope_line(im->s, scope - im->first, addr - im->delta, file,
                        line);
   }
   i = dcfg_source_at(p, image, addr);
   if (i == DCFG_NONE)
      return false;
   *file = p->sources[i].file < in->g.d->n_files
           ? in->g.d->files[p->sources[i].file].name : "?";
   *line = p->sources[i].line;
   return true;
}

/*--- Functions                                            ---*/

static uint32_t add_function(Inlined* in, uint32_t image, InlinedFunction f)
{
   if (in->n_functions == NO_SOURCE_FUNCTION)
      die("too many functions");
   if (in->n_functions == in->function_room)
      in->function_images = need(realloc(in->function_images,
                                         (2 * in->function_room + 64)
                                         * sizeof(*in->function_images)));
   GROW(in->functions, in->n_functions, in->function_room);
   in->function_images[in->n_functions] = image;
   in->functions[in->n_functions] = (InlinedFunction){
      intern(in->texts, f.name), intern(in->texts, f.file), f.line,
      f.is_artificial
   };
   return (uint32_t)in->n_functions++;
}

/* Return the number of the function NAME of IMAGE's file among names; *IS_NEW:
   it had none. */
static uint32_t name_number(Inlined* in, uint32_t image, const char* name,
                            bool* is_new)
{
   const char* key = intern(in->texts,
                            text_format("%s\n%s", image_file(&in->g, image),
                                        name));
   uint32_t    n = keymap_number(in->names, (uintptr_t)key);

   *is_new = n == in->n_named;
   if (*is_new) {
      GROW(in->named, in->n_named, in->named_room);
      in->named[in->n_named++] = NO_SOURCE_FUNCTION;
   }
   return n;
}

/* Return the number of a function that was read from IMAGE's file. */
static uint32_t function_number(Inlined* in, uint32_t image,
                                const InlinedFunction* f)
{
   const char* key = intern(in->texts,
                            text_format("%s\n%s\n%" PRIu32 "\n%s",
                                        image_file(&in->g, image), f->file,
                                        f->line, f->name));
   uint32_t    identity = keymap_number(in->identities, (uintptr_t)key);
   uint32_t    name;
   bool        is_new;

   if (identity < in->n_functions)
      return identity;
   add_function(in, image, *f);
   name = name_number(in, image, f->name, &is_new);
   if (is_new)
      in->named[name] = identity;
   return identity;
}

static uint32_t function_of_origin(Inlined* in, uint32_t image,
                                   uint32_t origin)
{
   uint32_t* number = &in->images[image].functions[origin];

   if (*number == NO_SOURCE_FUNCTION) {
      InlinedFunction f = scope_function(in->images[image].s, origin);
      *number = function_number(in, image, &f);
   }
   return *number;
}

uint32_t inlined_function(Inlined* in, uint32_t scope)
{
   const InlineImage* im;
   const Scope*       s = the_scope(in, scope, &im);

   return function_of_origin(in, (uint32_t)(im - in->images), s->origin);
}

void inlined_find_functions(Inlined* in)
{
   for (uint32_t i = 0; i < in->n_read; i++)
      for (uint32_t k = 0; k < in->images[in->read[i]].s->n_origins; k++) {
         function_of_origin(in, in->read[i], k);
         text_forget();
      }
}

uint32_t inlined_function_image(const Inlined* in, uint32_t function)
{
   return in->function_images[function];
}

uint32_t inlined_function_named(Inlined* in, uint32_t image,
                                const char* symbol)
{
   bool            is_new;
   uint32_t        n = name_number(in, image, symbol, &is_new);
   InlinedFunction f = { symbol, "", 0, false };

   if (in->named[n] == NO_SOURCE_FUNCTION) {
      keymap_number(in->identities,
                    (uintptr_t)intern(in->texts,
                                      text_format("%s\n\n%s",
                                                  image_file(&in->g, image),
                                                  symbol)));
      in->named[n] = add_function(in, image, f);
   }
   return in->named[n];
}

uint32_t inlined_functions(const Inlined* in)
{
   return (uint32_t)in->n_functions;
}

const InlinedFunction* inlined_function_info(const Inlined* in,
                                             uint32_t function)
{
   return &in->functions[function];
}

const char* inlined_name(const Inlined* in, uint32_t function)
{
   return symbol_name(&in->g, in->functions[function].name);
}

const char* inlined_source(const Inlined* in, uint32_t function)
{
   const InlinedFunction* f = &in->functions[function];

   return f->file[0] == 0 ? "" : place_text(f->file, f->line);
}

const char* inlined_scope_name(Inlined* in, uint32_t scope)
{
   uint64_t entry = inlined_entry(in, scope);
   uint32_t s = DCFG_NONE;

   if (inlined_parent(in, scope) == NO_SCOPE && entry != NO_ADDR)
      s = dcfg_symbol_at(in->g.p, inlined_image(in, scope), entry);
   return s != DCFG_NONE ? symbol_name(&in->g, in->g.p->symbols[s].name)
          : inlined_name(in, inlined_function(in, scope));
}

const char* inlined_around(Inlined* in, uint32_t scope)
{
   const char* text = "";
   uint32_t    parent;

   for (bool first = true; (parent = inlined_parent(in, scope)) != NO_SCOPE;
        scope = parent, first = false)
      text = text_format("%s%s%s%s%s", text, first ? "" : ", at ",
                         first ? "" : inlined_site(in, scope),
                         first ? "" : " ",
                         text_brief(inlined_scope_name(in, parent)));
   return text;
}

/* Return the name of the function that has the code at ADDR, from symbols
   alone. */
static const char* symbol_text(const Inlined* in, uint32_t image,
                               uint64_t addr)
{
   uint32_t s = dcfg_symbol_at(in->g.p, image, addr);

   return s == DCFG_NONE ? "?"
          : symbol_name(&in->g, in->g.p->symbols[s].name);
}

const char* inlined_chain_text(Inlined* in, uint32_t image, uint64_t addr,
                               uint32_t scope)
{
   const char* file = "?";
   uint32_t    line = 0;
   const char* text;

   inlined_line(in, image, addr, scope, &file, &line);
   text = text_format("%s %s", place_text(file, line),
                      text_brief(scope != NO_SCOPE
                                 ? inlined_scope_name(in, scope)
                                 : symbol_text(in, image, addr)));
   return scope == NO_SCOPE || inlined_parent(in, scope) == NO_SCOPE ? text
          : text_format("%s, at %s %s", text, inlined_site(in, scope),
                        inlined_around(in, scope));
}

/*--- Images of a trace                                    ---*/

struct InlinedTrace {
   TraceProgram* program;
   InlinedFrame* frames;
   uint32_t      n_frames, room;
};

InlinedTrace* inlined_trace_new(TraceProgram* p)
{
   InlinedTrace* t = zalloc(1, sizeof(*t));

   t->program = p;
   return t;
}

void inlined_trace_free(InlinedTrace* t)
{
   if (t == NULL)
      return;
   FREE_ALL(t->frames, t);
}

/* Return the executed code of image IMAGE, in addresses of the file. */
static CodeSpan* executed_code(DcfgWet* w, uint32_t image, uint64_t delta,
                               size_t* n)
{
   uint32_t  all = dcfg_wet_instrs(w);
   CodeSpan* spans = zalloc(all + (size_t)1, sizeof(*spans));

   *n = 0;
   for (uint32_t i = 0; i < all; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image == image)
         spans[(*n)++] = (CodeSpan){ in->addr - delta,
                                     in->addr - delta + in->size };
   }
   *n = join_spans(spans, *n);
   return spans;
}

/* Read the scopes of M, image IMAGE.  Return why that is not possible, or
   NULL. */
static const char* read_trace_image(const TraceProgram* p, uint32_t image,
                                    DebugImage* m)
{
   const DcfgWetInstr in = *dcfg_wet_instr(p->w, m->first);
   GElf_Addr          bias;
   Dwarf*             dwarf = dwfl_module_getdwarf(m->module, &m->inlined_bias);
   Elf*               elf = dwfl_module_getelf(m->module, &bias);
   size_t             n_spans;
   CodeSpan*          spans;

   if (dwarf == NULL || elf == NULL)
      return text_format("%s has no debug information",
                         text_clean(image_path_below(p->root, in.image_name)));
   spans      = executed_code(p->w, image, m->inlined_bias, &n_spans);
   m->inlined = scopes_read(dwarf, elf, spans, n_spans);
   free(spans);
   return NULL;
}

/* Return the image of IN with its scopes; NULL if it has none.  The user is told
   once. */
static DebugImage* trace_image(InlinedTrace* t, const DcfgWetInstr* in)
{
   TraceProgram* p = t->program;
   DebugImage*   m = &p->images[in->image];
   const char*   why = NULL;

   if (!m->inlined_read && in->image_name != NULL && in->image_name[0] == '/')
      why = debug_image_numbered(p, in->image) == NULL ? m->why
            : read_trace_image(p, in->image, m);
   m->inlined_read = true;
   if (why != NULL)
      complain("%s; inlined functions in it count for those around them", why);
   return m->inlined != NULL ? m : NULL;
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
   const DcfgWetInstr in = *dcfg_wet_instr(t->program->w, instr);
   DebugImage*        m = trace_image(t, &in);
   const char*        file = in.line != 0 ? in.source : "?";
   uint32_t           line = in.line, scope;
   uint64_t           end;

   t->n_frames = 0;
   if (m == NULL)
      return 0;
   scope = interval_at(&m->inlined->intervals, in.addr - m->inlined_bias, &end);
   if (scope == NO_SCOPE || m->inlined->scopes[scope].parent == NO_SCOPE)
      return 0;
   for (; scope != NO_SCOPE; scope = m->inlined->scopes[scope].parent) {
      const Scope* s = &m->inlined->scopes[scope];
      bool         outer = s->parent == NO_SCOPE;
      add_frame(t, outer && in.function != NULL ? in.function
                : scope_function(m->inlined, s->origin).name, file, line);
      if (!outer)
         file = scope_call_file(m->inlined, scope);
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
