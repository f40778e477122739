/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the meaning of the options that select a part of a program.  Handed:
   a process, and the command line. */

#include "cmd/base/select.h"

struct Selection {
   const DcfgProcess* p;
   bool               everything;
   bool               found;            // has each option matched something,
                                        // --function aside?
   bool               no_function;      // has --function matched nothing?
   bool               several;          // do several options select places?
   char               of[32];           // "process 7", for messages; "": none
   uint32_t           thread;
   uint32_t           n;
   bool*              nodes;            // for each node; NULL: everything
   bool*              images;           // for each image, by --image
};

/*--- Each option                                          ---*/

/* Each function removes from the selection what its option does not allow. */

/* Drop the blocks of the images that are not selected. */
static void drop_images(Selection* sel)
{
   for (uint32_t i = 0; i < sel->p->n_images; i++)
      if (!sel->images[i])
         memset(sel->nodes + sel->p->images[i].first_node, false,
                sel->p->images[i].n_nodes);
}

static void by_image(Selection* sel, const Program* g, const char* pattern)
{
   PathFit best = FIT_NOT;

   for (uint32_t i = 0; i < g->p->n_images; i++)
      if (image_fit(g, i, pattern) > best)
         best = image_fit(g, i, pattern);
   for (uint32_t i = 0; i < g->p->n_images; i++)
      sel->images[i] = best != FIT_NOT && image_fit(g, i, pattern) == best;
   drop_images(sel);
   sel->found = sel->found && best != FIT_NOT;
   if (best == FIT_NOT && sel->of[0] != 0)
      complain("no image of %s matches `%s'%s", sel->of, pattern,
               nearest_images(g, pattern));
}

static void by_routine(Selection* sel, const Program* g, const char* what)
{
   uint32_t* found = zalloc(g->p->n_routines, sizeof(*found));
   bool*     wanted = zalloc(g->p->n_routines, sizeof(*wanted));
   uint32_t  n = find_routines(g, what, found, g->p->n_routines);

   sel->found = sel->found && n > 0;
   if (n == 0 && sel->of[0] != 0)
      complain("there is no routine `%s' in %s%s", what, sel->of,
               nearest_routines(g, what));
   for (uint32_t i = 0; i < n; i++)
      wanted[found[i]] = true;
   for (uint32_t i = 0; i < g->p->n_blocks; i++) {
      uint32_t r = g->p->nodes[i].routine;
      sel->nodes[i] = sel->nodes[i] && r < g->p->n_routines && wanted[r];
   }
   FREE_ALL(found, wanted);
}

bool function_is(const char* symbol, const char* what)
{
   return symbol_is(symbol, what) || glob_fits(what, symbol)
          || glob_fits(what, text_demangle(symbol));
}

/* Return whether WHAT means a symbol with the address of symbol S. */
static bool function_matches(const DcfgProcess* p, const DcfgImage* im,
                             uint32_t s, const char* what)
{
   uint64_t addr = p->symbols[s].addr;
   uint32_t end = im->first_symbol + im->n_symbols;

   while (s > im->first_symbol && p->symbols[s - 1].addr == addr)
      s--;
   for (; s < end && p->symbols[s].addr == addr; s++)
      if (function_is(p->symbols[s].name, what))
         return true;
   return false;
}

/* Select by function.  An image's blocks are sorted by address, so those of a
   function are mostly neighbours. */
static void by_function(Selection* sel, const Program* g, const char* what)
{
   const DcfgProcess* p = g->p;
   uint32_t           last = DCFG_NONE;
   bool               is = false, any = false;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      uint32_t s = dcfg_symbol_of(p, i);
      if (s != last) {
         is = s != DCFG_NONE && function_matches(
                 p, &p->images[p->nodes[i].image], s, what);
         last = s;
         text_forget();
      }
      any = any || is;
      sel->nodes[i] = sel->nodes[i] && is;
   }
   sel->no_function = !any;
   if (!any && sel->of[0] != 0)
      complain("no function of %s is called `%s'%s", sel->of, what,
               nearest_functions(g, what));
}

/* Lines: the parts of FILE:LINE-LINE. */
typedef
   struct {
      char*    file;
      uint32_t first, last;
   }
   Lines;

static Lines read_lines(const char* what)
{
   Lines       l = { text_copy(what), 0, UINT32_MAX };
   char*       colon = strrchr(l.file, ':');
   uint64_t    first, last;

   if (colon == NULL || colon[1] == 0
       || strspn(colon + 1, "0123456789-") != strlen(colon + 1))
      return l;
   *colon++ = 0;
   if (!is_range(colon, &first, &last) || last > UINT32_MAX)
      die("--source needs FILE, FILE:LINE or FILE:LINE-LINE, not `%s'", what);
   l.first = (uint32_t)first;
   l.last = (uint32_t)last;
   return l;
}

/* Return how well FILE matches the path; whole parts of its end are equal. */
static PathFit file_fit(const char* path, const char* file)
{
   return text_ends_path(path, file, strlen(file)) ? FIT_ALL
          : glob_fits(file, path) || glob_fits(file, text_base(path))
          ? FIT_GLOB : FIT_NOT;
}

/* Mark the image's blocks that share bytes with a row of these lines.  Rows and
   blocks are sorted; REACH, for each block, is the largest end up to it. */
static void mark_lines(const DcfgProcess* p, const DcfgImage* im,
                       const bool* files, uint32_t n_files, const Lines* l,
                       uint64_t* reach, bool* mark)
{
   uint32_t low = 0;

   for (uint32_t i = 0; i < im->n_nodes; i++) {
      const DcfgNode* b = &p->nodes[im->first_node + i];
      reach[i] = b->addr + b->size;
      if (i > 0 && reach[i - 1] > reach[i])
         reach[i] = reach[i - 1];
   }
   for (uint32_t k = 0; k < im->n_sources; k++) {
      const DcfgSource* s = &p->sources[im->first_source + k];
      while (low < im->n_nodes && reach[low] <= s->addr)
         low++;
      if (s->file >= n_files || !files[s->file] || s->line < l->first
          || s->line > l->last)
         continue;
      for (uint32_t i = low; i < im->n_nodes; i++) {
         const DcfgNode* b = &p->nodes[im->first_node + i];
         if (b->addr >= s->addr && b->addr - s->addr >= s->size)
            break;
         if (b->addr + b->size > s->addr)
            mark[im->first_node + i] = true;
      }
   }
}

/* Return "; did you mean ...?" with the source whose name is nearest to FILE;
   if none is near, a hint if the program has no source lines, or "". */
static const char* nearest_files(const Program* g, const char* file)
{
   const DcfgProcess* p = g->p;
   Nearest            n = nearest_to(text_base(file));
   bool*              sources = zalloc(g->d->n_files, sizeof(bool));

   for (uint32_t i = 0; i < p->n_sources; i++)
      if (p->sources[i].file < g->d->n_files)
         sources[p->sources[i].file] = true;
   for (uint32_t i = 0; i < g->d->n_files; i++)
      if (sources[i])
         nearest_offer(&n, text_base(text_clean(g->d->files[i].name)));
   free(sources);
   if (n.n == 0 && p->n_images > 0 && p->images[0].n_sources == 0)
      return no_source_lines(image_file(g, 0));
   return text_format("%s", nearest_text(&n));
}

static void by_source(Selection* sel, const Program* g, const char* what)
{
   const DcfgProcess* p = g->p;
   Lines              l = read_lines(what);
   bool*              files = zalloc(g->d->n_files, sizeof(bool));
   bool*              mark = zalloc(p->n_blocks, sizeof(bool));
   uint64_t*          reach = zalloc(p->n_blocks, sizeof(*reach));
   PathFit            best = FIT_GLOB;
   bool               any = false;

   for (uint32_t i = 0; i < g->d->n_files && best < FIT_ALL; i++)
      if (file_fit(g->d->files[i].name, l.file) == FIT_ALL)
         best = FIT_ALL;
   for (uint32_t i = 0; i < g->d->n_files; i++)
      files[i] = file_fit(g->d->files[i].name, l.file) == best;
   for (uint32_t i = 0; i < p->n_images; i++)
      mark_lines(p, &p->images[i], files, g->d->n_files, &l, reach, mark);
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      any = any || mark[i];
      sel->nodes[i] = sel->nodes[i] && mark[i];
   }
   sel->found = sel->found && any;
   if (!any && sel->of[0] != 0)
      complain("no block of %s is from the source `%s'%s", sel->of, what,
               nearest_files(g, l.file));
   FREE_ALL(l.file, files, mark, reach);
}

PathFit line_fit(const char* file, uint32_t line, const char* what)
{
   Lines   l = read_lines(what);
   PathFit fit = line < l.first || line > l.last ? FIT_NOT
                 : file_fit(file, l.file);

   free(l.file);
   return fit;
}

static void by_own(Selection* sel, const Program* g)
{
   for (uint32_t i = 0; i < g->p->n_images; i++)
      sel->images[i] = is_own_image(g, i);
   drop_images(sel);
}

/* --- All options                                          --- */

/* Return how many options name a place. */
static int places_named(const Select* s)
{
   return (s->image != NULL) + (s->routine != NULL) + (s->function != NULL)
          + (s->source != NULL);
}

bool names_place(const Select* s)
{
   return places_named(s) > 0;
}

void select_own(Select* s, bool all)
{
   s->own = !all && !names_place(s);
}

/* Make a selection.  OF is what does not have what S names, for messages; "":
   there is no message. */
static Selection* new_selection(const Program* g, const Select* s,
                                const char* of)
{
   Selection* sel = zalloc(1, sizeof(*sel));

   sel->p = g->p;
   snprintf(sel->of, sizeof(sel->of), "%s", of);
   sel->found = true;
   sel->several = places_named(s) > 1;
   sel->everything = !s->own && !names_place(s);
   sel->thread = s->thread == NOT_GIVEN ? DCFG_ALL_THREADS
                 : (uint32_t)s->thread;
   sel->n = g->p->n_blocks;
   if (sel->everything)
      return sel;
   sel->nodes = zalloc(g->p->n_blocks, sizeof(bool));
   sel->images = zalloc(g->p->n_images, sizeof(bool));
   memset(sel->nodes, true, g->p->n_blocks);
   memset(sel->images, true, g->p->n_images);
   if (s->own)
      by_own(sel, g);
   if (s->image != NULL)
      by_image(sel, g, s->image);
   if (s->routine != NULL)
      by_routine(sel, g, s->routine);
   if (s->function != NULL)
      by_function(sel, g, s->function);
   if (s->source != NULL)
      by_source(sel, g, s->source);
   sel->n = 0;
   for (uint32_t i = 0; i < g->p->n_blocks; i++)
      sel->n += sel->nodes[i];
   if (sel->found && !sel->no_function && !is_found(sel) && sel->of[0] != 0)
      complain("no code of %s is in all places that the options name", sel->of);
   return sel;
}

static const char* process_of(const Program* g)
{
   return text_format("process %" PRIu64, g->p->id);
}

Selection* selection_new(const Program* g, const Select* s)
{
   /* The function may be inlined: piece_select.h. */
   bool quiet = s->quiet || (s->inlined && s->function != NULL);

   return new_selection(g, s, quiet ? "" : process_of(g));
}

void say_unfound(const Program* g, const Select* s)
{
   selection_free(new_selection(g, s, process_of(g)));
}

void need_found(const Program* g, Selection* const* sel, int n,
                const Select* s)
{
   int found = 0;

   for (int i = 0; i < n; i++)
      found += is_found(sel[i]);
   for (int i = 0; i < n && found > 0; i++)
      if (!is_found(sel[i]))
         say_unfound(&g[i], s);
   if (found > 0)
      return;
   selection_free(new_selection(&g[n - 1], s, n > 1 ? "either run"
                                : process_of(&g[0])));
   exit(STATUS_BAD);
}

void selection_free(Selection* sel)
{
   FREE_ALL(sel->nodes, sel->images, sel);
}

bool is_everything(const Selection* sel)
{
   return sel->everything;
}

bool is_found(const Selection* sel)
{
   return sel->found && !sel->no_function && (!sel->several || sel->n > 0);
}

void select_node(Selection* sel, uint32_t node)
{
   sel->no_function = false;
   if (sel->everything || sel->nodes[node])
      return;
   sel->nodes[node] = true;
   sel->n++;
}

uint32_t selected_thread(const Selection* sel)
{
   return sel->thread;
}

uint32_t n_selected(const Selection* sel)
{
   return sel->n;
}

bool is_selected(const Selection* sel, uint32_t node)
{
   return node < sel->p->n_blocks && (sel->everything || sel->nodes[node]);
}

bool image_selected(const Selection* sel, uint32_t image)
{
   const DcfgImage* im = &sel->p->images[image];

   if (sel->everything || im->n_nodes == 0)
      return sel->everything || sel->images[image];
   for (uint32_t i = 0; i < im->n_nodes; i++)
      if (sel->nodes[im->first_node + i])
         return true;
   return false;
}

bool routine_selected(const Selection* sel, uint32_t routine)
{
   uint32_t        n;
   const uint32_t* nodes = dcfg_routine_nodes(sel->p, routine, &n);

   for (uint32_t i = 0; i < n; i++)
      if (is_selected(sel, nodes[i]))
         return true;
   return false;
}
