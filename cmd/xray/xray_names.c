/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of functions in XRay logs. */

/* Owns: what functions in a log are called.  Handed: a map.  Taken by: the
   other parts of dcfg xray. */

#include "cmd/xray/xray_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Texts are made once: a log names few functions, each of them often. */
typedef
   struct {
      char* name;               // NULL: not made yet
      char* brief;
      char* source;
      bool  wanted;
   }
   Texts;

struct XrayNames {
   const DcfgXrayMap* map;
   bool               mangled;
   const Select*      only;
   const char*        program;  // the file that has main(); or NULL
   PathFit            best;     // of --image and any function's file
   Texts*             texts;    // by id, from 0
};

static void find_image(XrayNames* n)
{
   uint32_t all = n->map->n_functions;

   for (uint32_t i = 1; i <= all && n->program == NULL; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(n->map, i);
      if (f != NULL && strcmp(f->name, "main") == 0)
         n->program = f->image;
   }
   for (uint32_t i = 1; i <= all; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(n->map, i);
      PathFit fit = f == NULL ? FIT_NOT
                    : path_fit(f->image, n->only->image, n->program);
      if (fit > n->best)
         n->best = fit;
   }
}

XrayNames* xray_names_new(const DcfgXrayMap* map, bool mangled,
                          const Select* only)
{
   XrayNames* n = zalloc(1, sizeof(*n));

   *n = (XrayNames){ .map = map, .mangled = mangled, .only = only };
   if (map != NULL)
      n->texts = zalloc(map->n_functions, sizeof(*n->texts));
   if (map != NULL && only->image != NULL)
      find_image(n);
   return n;
}

void xray_names_free(XrayNames* n)
{
   for (uint32_t i = 0; n->map != NULL && i < n->map->n_functions; i++) {
      free(n->texts[i].name);
      free(n->texts[i].brief);
      free(n->texts[i].source);
   }
   free(n->texts);
   free(n);
}

static bool is_meant(const XrayNames* n, const DcfgXrayFunction* f)
{
   const Select* s = n->only;

   return (s->image == NULL
           || (n->best != FIT_NOT
               && path_fit(f->image, s->image, n->program) == n->best))
          && (s->function == NULL || function_is(f->name, s->function))
          && (s->source == NULL || line_matches(f->file, f->line, s->source));
}

/* NULL for a function that is not in the map. */
static const Texts* texts_of(const XrayNames* n, uint32_t function)
{
   const DcfgXrayFunction* f = dcfg_xray_function(n->map, function);
   Texts*                  t;

   if (f == NULL)
      return NULL;
   t = &n->texts[function - 1];
   if (t->name != NULL)
      return t;
   t->name = text_copy(f->name[0] == 0 ? text_format("#%" PRIu32, function)
                       : text_clean(n->mangled ? f->name
                                    : text_demangle(f->name)));
   t->wanted = is_meant(n, f);
   t->brief = text_copy(text_brief(t->name));
   t->source = text_copy(f->line == 0 ? "" : text_format("%s:%" PRIu32,
                         text_base(text_clean(f->file)), f->line));
   return t;
}

const char* xray_name(const XrayNames* n, uint32_t function)
{
   const Texts* t = texts_of(n, function);

   return t == NULL ? text_format("#%" PRIu32, function) : t->name;
}

const char* xray_brief(const XrayNames* n, uint32_t function)
{
   const Texts* t = texts_of(n, function);

   return t == NULL ? text_format("#%" PRIu32, function) : t->brief;
}

bool xray_is_wanted(const XrayNames* n, uint32_t function)
{
   const Texts* t = texts_of(n, function);

   return t == NULL
          ? n->only->image == NULL && n->only->function == NULL
            && n->only->source == NULL
          : t->wanted;
}

const char* xray_image(const XrayNames* n, uint32_t function)
{
   const DcfgXrayFunction* f = dcfg_xray_function(n->map, function);

   return f == NULL ? "" : text_base(text_clean(f->image));
}

const char* xray_source(const XrayNames* n, uint32_t function)
{
   const Texts* t = texts_of(n, function);

   return t == NULL ? "" : t->source;
}
