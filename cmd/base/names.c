/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the names of images, blocks and routines, and the search for what a
   user names; which images belong to the program, and the line about the
   others.  Handed: a process, or an image's path. */

#include "cmd/base/names.h"

#include <fnmatch.h>

/*--- Places                                               ---*/

const char* image_file(const Program* g, uint32_t image)
{
   uint32_t file;

   if (image >= g->p->n_images)
      return "?";
   file = g->p->images[image].file;
   return file < g->d->n_files ? g->d->files[file].name : "?";
}

const char* image_path(const Program* g, uint32_t image)
{
   return text_clean(image_file(g, image));
}

const char* image_name(const Program* g, uint32_t image)
{
   return text_base(image_path(g, image));
}

const char* symbol_name(const Program* g, const char* symbol)
{
   return text_clean(g->mangled ? symbol : text_demangle(symbol));
}

/* Return the name of the function at ADDR, as node_name() does. */
static const char* addr_name(const Program* g, uint32_t image, uint64_t addr)
{
   uint32_t    s = dcfg_symbol_at(g->p, image, addr);
   uint64_t    from;
   const char* name;

   if (s != DCFG_NONE) {
      name = symbol_name(g, g->p->symbols[s].name);
      from = g->p->symbols[s].addr;
   } else if (image < g->p->n_images) {
      name = image_name(g, image);
      from = g->p->images[image].load_addr;
      if (addr == from)
         return text_format("%s+0x0", name);
   } else {
      return text_format("0x%" PRIx64, addr);
   }
   return addr == from ? name
          : text_format("%s+0x%" PRIx64, name, addr - from);
}

/* A block that jumps to many places is not a stub: to find it out for many
   blocks would take too long. */
#define MAX_STUB_EDGES 64

bool is_small_stub(const DcfgProcess* p, uint32_t node)
{
   const DcfgNode* n = &p->nodes[node];
   uint32_t        edges;

   dcfg_out_edges(p, node, &edges);
   /* A stub of arm64 has four instructions of four bytes; the head of its table
      has one more, and with "bti" each has one more. */
   return edges <= MAX_STUB_EDGES
          && (n->n_instrs <= 4
              || (n->n_instrs <= 6 && n->size == 4 * n->n_instrs
                  && n->last_offset == n->size - 4));
}

uint32_t stub_target(const DcfgProcess* p, uint32_t node)
{
   uint32_t        n, found = DCFG_NONE;
   const uint32_t* out = dcfg_out_edges(p, node, &n);
   uint64_t        most = 0;

   if (!is_small_stub(p, node) || dcfg_symbol_of(p, node) != DCFG_NONE)
      return DCFG_NONE;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      uint32_t        s;
      if (e->type != DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH
          || e->target >= p->n_blocks || e->count <= most)
         continue;
      s = dcfg_symbol_of(p, e->target);
      if (s != DCFG_NONE && p->symbols[s].addr == p->nodes[e->target].addr) {
         found = s;
         most = e->count;
      }
   }
   return found;
}

static const char* block_name(const Program* g, uint32_t node)
{
   const DcfgNode* n = &g->p->nodes[node];
   uint32_t        stub = stub_target(g->p, node);

   return stub != DCFG_NONE
          ? text_format("%s@plt", symbol_name(g, g->p->symbols[stub].name))
          : addr_name(g, n->image, n->addr);
}

const char* node_name(const Program* g, uint32_t node)
{
   if (node >= g->p->n_nodes)
      return "?";
   switch (g->p->nodes[node].kind) {
      case DCFG_NODE_BLOCK:
         return block_name(g, node);
      case DCFG_NODE_START:
         return "START";
      case DCFG_NODE_END:
         return "END";
      default:
         return "UNKNOWN";
   }
}

const char* routine_name(const Program* g, uint32_t routine)
{
   return routine < g->p->n_routines
          ? node_name(g, g->p->routines[routine].entry) : "";
}

const char* node_symbol(const Program* g, uint32_t node)
{
   uint32_t s = node < g->p->n_blocks ? dcfg_symbol_of(g->p, node) : DCFG_NONE;

   return s == DCFG_NONE ? NULL : g->p->symbols[s].name;
}

const char* routine_symbol(const Program* g, uint32_t routine)
{
   return routine < g->p->n_routines
          ? node_symbol(g, g->p->routines[routine].entry) : NULL;
}

/* Code of other images, or of an earlier generation of this one, may have been
   at the same address. */
uint32_t image_node_at(const DcfgProcess* p, uint32_t image, uint64_t addr)
{
   uint32_t  few[16];
   uint32_t* nodes = few;
   uint32_t  n = dcfg_nodes_at(p, addr, few, 16);
   uint32_t  found = DCFG_NONE;

   if (n > 16) {
      nodes = zalloc(n, sizeof(*nodes));
      dcfg_nodes_at(p, addr, nodes, n);
   }
   for (uint32_t i = 0; i < n && found == DCFG_NONE; i++)
      if (p->nodes[nodes[i]].image == image)
         found = nodes[i];
   if (nodes != few)
      free(nodes);
   return found;
}

const char* target_name(const Program* g, uint32_t image, uint64_t addr)
{
   const DcfgImage* im = &g->p->images[image];
   uint32_t         node = image_node_at(g->p, image, addr);

   if (node != DCFG_NONE && g->p->nodes[node].addr == addr)
      return node_name(g, node);
   if (addr - im->load_addr >= im->size)
      image = dcfg_image_at(g->p, addr);
   return addr_name(g, image, addr);
}

const char* source_place(const Program* g, uint32_t image, uint64_t addr)
{
   uint32_t          i = dcfg_source_at(g->p, image, addr);
   const DcfgSource* s;

   if (i == DCFG_NONE)
      return "";
   s = &g->p->sources[i];
   return text_format("%s:%" PRIu32, s->file < g->d->n_files
                      ? text_base(text_clean(g->d->files[s->file].name)) : "?",
                      s->line);
}

const char* node_source(const Program* g, uint32_t node)
{
   if (node >= g->p->n_blocks)
      return "";
   return source_place(g, g->p->nodes[node].image, g->p->nodes[node].addr);
}

bool glob_fits(const char* glob, const char* text)
{
   return strpbrk(glob, "*?[") != NULL && fnmatch(glob, text, 0) == 0;
}

PathFit image_fit(const Program* g, uint32_t image, const char* pattern)
{
   return path_fit(image_file(g, image), pattern, image_file(g, 0));
}

PathFit path_fit(const char* path, const char* pattern, const char* program)
{
   const char* name = text_base(path);

   if (strcmp(path, pattern) == 0 || strcmp(name, pattern) == 0
       || (strcmp(pattern, "main") == 0 && program != NULL
           && strcmp(path, program) == 0))
      return FIT_ALL;
   if (glob_fits(pattern, path) || glob_fits(pattern, name))
      return FIT_GLOB;
   return strstr(strchr(pattern, '/') != NULL ? path : name, pattern) != NULL
          ? FIT_PART : FIT_NOT;
}

/* --- Names by the user                                    --- */

/* Return whether a user's NAME means FULL: it is equal, or ends before its
   parameters or its last template arguments. */
static bool is_name(const char* full, const char* name)
{
   size_t n = strlen(name);

   if (strncmp(full, name, n) != 0)
      return false;
   return full[n] == 0 || full[n] == '(' || full[n] == '<' || full[n] == '@'
          || strcmp(full + n, " const") == 0;
}

/* Return whether NAME is a table's short form of FULL. */
static bool is_shown(const char* full, const char* name)
{
   return strstr(name, "..") != NULL
          && strcmp(text_shorten(full, text_width(name)), name) == 0;
}

/* Return FULL without its template arguments. */
static const char* without_arguments(const char* full)
{
   char* plain = text_format("%s", full);
   char* to = plain;

   for (const char* c = full; *c != 0; )
      if (*c == '<')
         c = text_behind_bracket(c);
      else
         *to++ = *c++;
   *to = 0;
   return plain;
}

/* Return whether NAME ends with SYMBOL's hash, as in tables. */
static bool ends_with_hash(const char* symbol, const char* name)
{
   const char* at = strstr(name, " [h");
   const char* hash = at == NULL ? NULL : rust_hash(symbol);

   return hash != NULL && strcmp(at, text_format(" [%s]", hash)) == 0
          && symbol_is(symbol, text_format("%.*s", (int)(at - name), name));
}

bool symbol_is(const char* symbol, const char* name)
{
   const char* full = text_demangle(symbol);
   const char* brief = text_brief(full);

   return is_name(symbol, name) || is_name(full, name) || is_name(brief, name)
          || is_name(without_arguments(brief), name)
          || is_shown(brief, name) || is_shown(full, name)
          || ends_with_hash(symbol, name);
}

/* Return whether NAME means a symbol at the routine's first byte. */
static bool routine_is(const Program* g, uint32_t routine, const char* name)
{
   const DcfgProcess* p = g->p;
   uint32_t           entry = p->routines[routine].entry;
   uint64_t           addr;
   uint32_t           s, first;

   if (entry >= p->n_blocks)
      return false;
   addr = p->nodes[entry].addr;
   s = dcfg_symbol_of(p, entry);
   if (s == DCFG_NONE || p->symbols[s].addr != addr)
      return strcmp(node_name(g, entry), name) == 0;
   first = p->images[p->nodes[entry].image].first_symbol;
   while (s > first && p->symbols[s - 1].addr == addr)
      s--;
   for (; s < p->n_symbols && p->symbols[s].addr == addr; s++)
      if (symbol_is(p->symbols[s].name, name))
         return true;
   return false;
}

uint32_t find_routines(const Program* g, const char* what, uint32_t* found,
                       uint32_t max)
{
   const DcfgProcess* p = g->p;
   uint32_t           n = 0;
   uint64_t           number;
   bool               is_id = what[0] == '#';

   if (is_number(what + is_id, 0, &number)) {
      uint32_t node = is_id ? dcfg_node_by_id(p, (uint32_t)number)
                            : dcfg_node_at(p, number);
      if (node != DCFG_NONE && p->nodes[node].routine != DCFG_NONE) {
         found[0] = p->nodes[node].routine;
         return 1;
      }
      return 0;
   }
   for (uint32_t i = 0; i < p->n_routines; i++)
      if (routine_is(g, i, what)) {
         if (n < max)
            found[n] = i;
         n++;
      }
   return n;
}

void offer_function(Nearest* n, const char* name)
{
   size_t      length = strcspn(name, "<(");
   const char* last = name;

   nearest_offer(n, name);
   for (const char* c = name; (c = strstr(c, "::")) != NULL
                              && c < name + length; c += 2)
      last = c + 2;
   nearest_offer_as(n, text_format("%.*s", (int)(name + length - last), last),
                    name);
}

/* Return "; did you mean ...", or why a function can be in no table. */
static const char* nearest_or_why(const Program* g, Nearest* n)
{
   const char* near = nearest_text(n);

   if (near[0] == 0 && g->p->n_images > 0 && g->p->images[0].n_symbols == 0) {
      const char* file = text_base(text_clean(image_file(g, 0)));
      return text_format("; %s has no symbols: its routines are called "
                         "%s+0xOFFSET", file, file);
   }
   return text_format("%s", near[0] != 0 ? near : "; it did not run, or it was "
                      "inlined: dcfg report --inline lists such functions");
}

const char* nearest_routines(const Program* g, const char* what)
{
   Nearest n = nearest_to(what);

   for (uint32_t i = 0; i < g->p->n_routines; i++)
      offer_function(&n, text_brief(routine_name(g, i)));
   return nearest_or_why(g, &n);
}

const char* nearest_functions(const Program* g, const char* what)
{
   Nearest n = nearest_to(what);

   for (uint32_t i = 0; i < g->p->n_symbols; i++)
      offer_function(&n, text_brief(symbol_name(g, g->p->symbols[i].name)));
   return nearest_or_why(g, &n);
}

void offer_image(Nearest* n, const char* path)
{
   const char* name = text_base(path);

   nearest_offer(n, path);
   nearest_offer(n, name);
   nearest_offer_as(n, text_format("%.*s", (int)strcspn(name, "."), name),
                    name);
}

const char* no_source_lines(const char* path)
{
   return text_format("; %s has no source lines: install its debug information, "
                      "or compile it with -g", text_base(text_clean(path)));
}

const char* nearest_images(const Program* g, const char* pattern)
{
   Nearest n = nearest_to(pattern);

   for (uint32_t i = 0; i < g->p->n_images; i++)
      offer_image(&n, image_path(g, i));
   return text_format("%s", nearest_text(&n));
}

uint32_t the_routine(const Program* g, const char* what)
{
   uint32_t found[64];
   uint32_t n = find_routines(g, what, found, 64), best = 0;

   if (n == 0)
      die("there is no routine `%s'; dcfg report --routines --top=0 lists all%s",
          what, nearest_routines(g, what));
   for (uint32_t i = 1; i < n && i < 64; i++)
      if (dcfg_routine_instrs(g->p, found[i], DCFG_ALL_THREADS)
          > dcfg_routine_instrs(g->p, found[best], DCFG_ALL_THREADS))
         best = i;
   if (n > 1)
      complain("%" PRIu32 " routines are called `%s'; this is the one at 0x%"
               PRIx64, n, what,
               g->p->nodes[g->p->routines[found[best]].entry].addr);
   return found[best];
}

const DcfgProcess* main_process(const Dcfg* d)
{
   const DcfgProcess* best = dcfg_process(d, 0);

   for (uint32_t i = 1; i < d->n_processes; i++)
      if (dcfg_process(d, i)->instr_count > best->instr_count)
         best = dcfg_process(d, i);
   if (best == NULL)
      die("there is no process in the file");
   return best;
}

const char* program_name(const Program* g)
{
   return image_path(g, 0);
}

/* Return whether both paths are in one folder. */
static bool is_beside(const char* path, const char* other)
{
   size_t n = (size_t)(text_base(path) - path);

   return (size_t)(text_base(other) - other) == n
          && strncmp(path, other, n) == 0;
}

bool is_of_program(const char* image, const char* program, const char* own)
{
   return image == NULL || image[0] != '/' || program == NULL
          || is_beside(image, program)
          || (own != NULL && path_fit(image, own, NULL) >= FIT_GLOB);
}

bool is_own_image(const Program* g, uint32_t image)
{
   return is_of_program(image_file(g, image), image_file(g, 0), NULL);
}

/* Return whether NAME is that of the C library or the dynamic linker. */
static bool is_base_library(const char* name)
{
   static const char* const all[] = { "libc.", "libc-", "ld-", "ld.so" };

   for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
      if (begins(name, all[i]))
         return true;
   return false;
}

uint32_t main_library(const Program* g, uint32_t thread)
{
   const DcfgProcess* p = g->p;
   uint64_t*          instrs = zalloc(p->n_images + (size_t)1, sizeof(*instrs));
   uint32_t           found = DCFG_NONE;

   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (p->nodes[i].image < p->n_images)
         add_count(&instrs[p->nodes[i].image], dcfg_node_instrs(p, i, thread));
   for (uint32_t i = 0; i < p->n_images; i++)
      if (instrs[i] > dcfg_process_instrs(p, thread) / 2 && !is_own_image(g, i)
          && !is_base_library(image_name(g, i)))
         found = i;
   free(instrs);
   return found;
}

const char* rest_text(const Program* g, uint32_t thread)
{
   const DcfgProcess* p = g->p;
   uint64_t           instrs = 0;
   uint32_t           routines = 0, images = 0;
   bool*              seen = zalloc(p->n_images, sizeof(*seen));

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      uint32_t image = p->nodes[i].image;
      uint64_t n = dcfg_node_instrs(p, i, thread);
      if (n == 0 || image >= p->n_images || is_own_image(g, image))
         continue;
      add_count(&instrs, n);
      images += !seen[image];
      seen[image] = true;
   }
   for (uint32_t i = 0; i < p->n_routines; i++) {
      uint32_t entry = p->routines[i].entry;
      uint32_t image = entry < p->n_blocks ? p->nodes[entry].image : p->n_images;
      routines += image < p->n_images && seen[image]
                  && dcfg_routine_instrs(p, i, thread) > 0;
   }
   free(seen);
   if (images == 0)
      return NULL;
   return text_format("+ %s routine%s in %s librar%s: %s of instructions; "
                      "--all", text_count(routines), routines == 1 ? "" : "s",
                      text_count(images), images == 1 ? "y" : "ies",
                      text_share(instrs, dcfg_process_instrs(p, thread)));
}

/*--- Runs                                                 ---*/

const char* run_command(const DcfgProcess* p)
{
   const char* first;

   if (p->n_recorded == 0 || p->runs[0].command_line[0] == 0)
      return NULL;
   first = text_clean(p->runs[0].command_line);
   return p->n_runs < 2 ? first
          : text_format("%s (and %s more run%s)", first,
                        text_count(p->n_runs - 1), p->n_runs == 2 ? "" : "s");
}

/* Return START, an ISO 8601 time, with a space for its T, and UTC for its Z. */
static const char* readable_start(const char* start)
{
   size_t n = strlen(start);

   return n == 20 && start[10] == 'T' && start[19] == 'Z'
          ? text_format("%.10s %.8s UTC", start, start + 11) : start;
}

const char* run_surroundings(const DcfgRun* r)
{
   if (r == NULL)
      return NULL;
   return text_format("%s in %s, valgrind-dcfg %s%s%s",
                      text_clean(readable_start(r->start)),
                      text_clean(r->working_dir), text_clean(r->tool_version),
                      r->processor[0] == 0 ? "" : " on ",
                      text_clean(r->processor));
}
