/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of functions in XRay logs. */

/* Owns: the names of functions in a log.  Handed: a map. */

#include "cmd/calls/xray_walk.h"
#include "cmd/xray/xray_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Texts are made once: a log has few functions, each of them often. */
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
   const char*        program;  // file of main(); or NULL
   PathFit            best;     // best match of --image with a function's file
   PathFit            best_line;    // best match of --source with its line
   Texts*             texts;    // for each id, from 0
};

/* Find the best matches of --image and --source. */
static void find_best(XrayNames* names)
{
   const Select* s = names->only;
   uint32_t all = names->map->n_functions;

   for (uint32_t i = 1; i <= all && names->program == NULL; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(names->map, i);
      if (f != NULL && strcmp(f->name, "main") == 0)
         names->program = f->image;
   }
   for (uint32_t i = 1; i <= all; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(names->map, i);
      PathFit image = f == NULL || s->image == NULL ? FIT_NOT
                      : path_fit(f->image, s->image, names->program);
      PathFit line = f == NULL || s->source == NULL ? FIT_NOT
                     : line_fit(f->file, f->line, s->source);
      if (image > names->best)
         names->best = image;
      if (line > names->best_line)
         names->best_line = line;
   }
}

XrayNames* xray_names_new(const DcfgXrayMap* map, bool mangled,
                          const Select* only)
{
   XrayNames* n = zalloc(1, sizeof(*n));

   *n = (XrayNames){ .map = map, .mangled = mangled, .only = only };
   if (map != NULL)
      n->texts = zalloc(map->n_functions, sizeof(*n->texts));
   if (map != NULL)
      find_best(n);
   return n;
}

void xray_names_free(XrayNames* names)
{
   for (uint32_t i = 0; names->map != NULL && i < names->map->n_functions;
        i++) {
      free(names->texts[i].name);
      free(names->texts[i].brief);
      free(names->texts[i].source);
   }
   free(names->texts);
   free(names);
}

static bool is_meant(const XrayNames* names, const DcfgXrayFunction* f)
{
   const Select* s = names->only;

   return (s->image == NULL
           || (names->best != FIT_NOT
               && path_fit(f->image, s->image, names->program) == names->best))
          && (s->function == NULL || function_is(log_symbol(f), s->function))
          && (s->source == NULL
              || (names->best_line != FIT_NOT
                  && line_fit(f->file, f->line, s->source)
                  == names->best_line));
}

/* Return the texts of a function; NULL if it is not in the map. */
static const Texts* texts_of(const XrayNames* names, uint32_t function)
{
   const DcfgXrayFunction* f = dcfg_xray_function(names->map, function);
   Texts*                  t;

   if (f == NULL)
      return NULL;
   t = &names->texts[function - 1];
   if (t->name != NULL)
      return t;
   t->name = text_copy(f->name[0] == 0 ? text_format("#%" PRIu32, function)
                       : text_clean(names->mangled ? log_symbol(f)
                                    : text_demangle(log_symbol(f))));
   t->wanted = is_meant(names, f);
   t->brief = text_copy(text_brief(t->name));
   t->source = text_copy(f->line == 0 ? "" : text_format("%s:%" PRIu32,
                         text_base(text_clean(f->file)), f->line));
   return t;
}

/* Say which option selects no function. */
static void say_unknown(const XrayNames* n)
{
   const char* image = n->only->image;
   const char* name = n->only->function;
   const char* source = n->only->source;
   Nearest     images = nearest_to(image != NULL ? image : "");
   Nearest     names = nearest_to(name != NULL ? name : "");
   Nearest     files = nearest_to(source == NULL ? "" : text_base(
                                  text_format("%.*s", (int)strcspn(source, ":"),
                                              source)));
   bool        found = name == NULL;

   for (uint32_t i = 1; i <= n->map->n_functions; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(n->map, i);
      if (f == NULL)
         continue;
      offer_image(&images, text_clean(f->image));
      if (f->line != 0)
         nearest_offer(&files, text_base(text_clean(f->file)));
      if (found)
         continue;
      found = function_is(log_symbol(f), name);
      offer_function(&names, text_brief(text_clean(
                                 text_demangle(log_symbol(f)))));
   }
   if (image != NULL && n->best == FIT_NOT)
      complain("no image of the log matches `%s'%s", image,
               nearest_text(&images));
   if (!found)
      complain("no function of the log is called `%s'%s", name,
               nearest_text(&names));
   if (source != NULL && n->best_line == FIT_NOT)
      complain("no function of the log begins in the source `%s'%s", source,
               nearest_text(&files));
   if ((image == NULL || n->best != FIT_NOT) && found
       && (source == NULL || n->best_line != FIT_NOT))
      complain("no function of the log is in all places that the options "
               "name");
}

static bool has_wanted(const XrayNames* names)
{
   bool found = names->map == NULL
                || (names->only->image == NULL && names->only->function == NULL
                    && names->only->source == NULL);

   for (uint32_t i = 1; !found && i <= names->map->n_functions; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(names->map, i);
      found = f != NULL && is_meant(names, f);
      text_forget();
   }
   return found;
}

void xray_need_wanted(const XrayNames* const* names, int n)
{
   bool found[2] = { false, false };

   for (int i = 0; i < n; i++)
      found[i] = has_wanted(names[i]);
   for (int i = 0; i < n; i++)
      if (!found[i] && (found[1 - i] || i == n - 1))
         say_unknown(names[i]);
   if (!found[0] && !found[1])
      exit(STATUS_BAD);
}

const char* xray_name(const XrayNames* names, uint32_t function)
{
   const Texts* t = texts_of(names, function);

   return t == NULL ? text_format("#%" PRIu32, function) : t->name;
}

const char* xray_brief(const XrayNames* names, uint32_t function)
{
   const Texts* t = texts_of(names, function);

   return t == NULL ? text_format("#%" PRIu32, function) : t->brief;
}

bool xray_is_wanted(const XrayNames* names, uint32_t function)
{
   const Texts* t = texts_of(names, function);

   return t == NULL
          ? names->only->image == NULL && names->only->function == NULL
            && names->only->source == NULL
          : t->wanted;
}

const char* xray_image(const XrayNames* names, uint32_t function)
{
   const DcfgXrayFunction* f = dcfg_xray_function(names->map, function);

   return f == NULL ? "" : text_base(text_clean(f->image));
}

const char* xray_symbol(const XrayNames* names, uint32_t function)
{
   const DcfgXrayFunction* f = names->map == NULL ? NULL
                               : dcfg_xray_function(names->map, function);

   return f == NULL ? NULL : log_symbol(f);
}

const char* xray_source(const XrayNames* names, uint32_t function)
{
   const Texts* t = texts_of(names, function);

   return t == NULL ? "" : t->source;
}
