/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Profiles with inlined functions. */

/* Owns: moving a profile's rows from functions to the functions inlined into
   them, and the calls between these.  Handed: a profile by callgrind_file.c,
   and the graph of the run.

   Each function that "leaf" was inlined into has an inlined function of its
   own, "leaf in main".  One function for all of them would join unrelated
   functions in cycles.  An instance within another one of the same function is
   "leaf'2 in main".  A function's call of itself stays in the function, for the
   same reason.

   The rows of an instance that was not entered stay where they are: a call that
   was not made has no cost. */

#include "cmd/export/export.h"

#include "cmd/calls/callgrind_file.h"
#include "cmd/program/inline_view.h"

/* Use: an inlined instance in a function of the profile.  The profile has one
   function for each context. */
typedef
   struct {
      uint32_t function, scope;
      uint32_t to;              // the inlined function; NO_ROW until it is
                                // made, and if nothing entered the instance
      uint64_t first;           // lowest address
      uint64_t instrs;          // in the instance, with instances inside
      uint64_t entries;
      size_t   inclusive;       // index in .sums of the costs with calls
   }
   Use;

/* Made: an inlined function of the profile. */
typedef
   struct {
      uint32_t    number;       // in the profile
      uint32_t    line;         // line of the declaration
      const char* home;         // file of the function that it was inlined into
   }
   Made;

typedef
   struct {
      const Export* x;
      ProfilePart*      p;
      InlineView*   v;
      const char**  objects;    // by image: its path in the profile
      InlineSums*   whole;      // entries and instructions of the whole run
      uint64_t      n_other;    // rows for code that the graph does not have
      Use*          uses;
      size_t        n_uses, room;
      uint64_t*     sums;       // inclusive costs, n_events for each use
      KeyMap*       use_numbers;        // key: scope; number: use, counted from
                                        // .first_use
      size_t        first_use;  // first use of the present function
      KeyMap*       plain_paths;        // key: a path, simplified
      const char**  paths;      // by number in .plain_paths: as the profile has
                                // it
      size_t        n_paths, path_room;
      Interned*     names;      // owns the texts of .objects
      KeyMap*       made_keys;  // key: profile_key()
      Made*         made;       // by number in .made_keys
      size_t        n_made, made_room;
   }
   Rewriting;

/*--- Scopes of rows                                       ---*/

/* Return the scope of the code at ADDR in OBJECT's file.  *FOUND: the run
   executed that code. */
static uint32_t scope_of(Rewriting* r, const char* object, uint64_t addr,
                         bool* found)
{
   const DcfgProcess* p = r->x->p;

   *found = false;
   for (uint32_t i = 0; i < p->n_images; i++) {
      const DcfgImage* im = &p->images[i];
      uint64_t         at, end;
      uint32_t         node[16], n;
      if (strcmp(r->objects[i], object) != 0
          || !code_file_addr(inlined_code(r->v->in), i, im->load_addr, &at))
         continue;
      at = addr - at + im->load_addr;
      n  = dcfg_nodes_at(p, at, node, 16);
      for (uint32_t k = 0; k < n && k < 16; k++)
         if (p->nodes[node[k]].image == i) {
            *found = true;
            return inlined_at(r->v->in, i, at, &end);
         }
   }
   return NO_SCOPE;
}

/* Return the address in the image's file of ADDR, an address of the run. */
static uint64_t file_addr(const Rewriting* r, uint32_t scope, uint64_t addr)
{
   uint64_t at = addr;

   code_file_addr(inlined_code(r->v->in), inlined_image(r->v->in, scope), addr,
                  &at);
   return at;
}

/* Return the use of SCOPE, an instance, in the present function. */
static Use* use_of(Rewriting* r, uint32_t function, uint32_t scope)
{
   uint32_t n = keymap_number(r->use_numbers, scope);

   while (r->n_uses <= r->first_use + n) {
      GROW(r->uses, r->n_uses, r->room);
      r->uses[r->n_uses++] = (Use){ .function = function, .scope = scope,
                                    .to = NO_ROW, .first = UINT64_MAX };
   }
   return &r->uses[r->first_use + n];
}

static bool is_self_call(const ProfileFunction* f, const ProfileRow* row)
{
   return row->kind == ROW_CALL && row->to == f->name
          && row->to_file == f->file && row->object == f->object;
}

/* Find the uses that the rows of a function belong to.  *SCOPES gets the scope
   of each row, in order. */
static void find_uses(Rewriting* r, uint32_t function, uint32_t** scopes,
                      size_t* n, size_t* room)
{
   const ProfileFunction* f = &r->p->functions[function];
   bool                   found;

   for (uint32_t i = f->first; i != NO_ROW; i = r->p->rows[i].next) {
      const ProfileRow* row = &r->p->rows[i];
      uint32_t          scope = scope_of(r, f->object, row->addr, &found);
      /* A call that an earlier part began has an address of that part. */
      r->n_other += !found && f->object[0] == '/'
                    && !(row->kind == ROW_CALL && strcmp(row->count, "0") == 0);
      GROW(*scopes, *n, *room);
      (*scopes)[(*n)++] = scope;
      if (is_self_call(f, row))
         continue;
      for (uint32_t s = scope; s != NO_SCOPE
           && inlined_parent(r->v->in, s) != NO_SCOPE;
           s = inlined_parent(r->v->in, s)) {
         Use* u = use_of(r, function, s);
         if (row->addr < u->first)
            u->first = row->addr;
         if (row->kind == ROW_COST && r->p->instrs < r->p->n_events)
            u->instrs += r->p->costs[row->costs + r->p->instrs];
      }
   }
}

/*--- Entries                                              ---*/

/* Estimate how often the instance was entered in this context.  An instance
   with DW_AT_entry_pc is entered once for each execution of that instruction:
   add its costs to U->entries.  Return whether this is exact: the instruction
   exists, and it is no call, whose costs may exceed its executions. */
static bool find_entry_cost(Rewriting* r, Use* u)
{
   const ProfileFunction* f = &r->p->functions[u->function];
   uint64_t               entry = inlined_entry(r->v->in, u->scope);
   bool                   calls = false;

   if (entry == NO_ADDR || r->p->instrs == r->p->n_events)
      return false;
   entry = file_addr(r, u->scope, entry);
   for (uint32_t i = f->first; i != NO_ROW; i = r->p->rows[i].next) {
      const ProfileRow* row = &r->p->rows[i];
      if (row->addr != entry)
         continue;
      calls = calls || row->kind == ROW_CALL;
      if (row->kind == ROW_COST)
         u->entries += r->p->costs[row->costs + r->p->instrs];
   }
   return !calls;
}

COMPARE(by_scope, Use, UP(scope) ?: UP(function))

typedef
   struct {
      uint64_t rest;            // remainder of the division
      size_t   use;
   }
   Share;

COMPARE(by_rest, Share, DOWN(rest) ?: UP(use))

static uint64_t weight_of(const Use* u, bool by_entry)
{
   return by_entry ? u->entries : u->instrs;
}

__extension__ typedef unsigned __int128 Wide;

/* Return the entries of SCOPE in this part of the profile, which executed
   INSTRS instructions there: the same share of the whole run's entries. */
static uint64_t entries_of_part(const Rewriting* r, uint32_t scope,
                                uint64_t instrs)
{
   const ScopeSum* whole = &r->whole->scopes[scope];

   if (scope >= r->whole->n_scopes)
      return 0;
   if (instrs >= whole->inclusive)
      return whole->entries;
   return (uint64_t)(((Wide)whole->entries * instrs + whole->inclusive / 2)
                     / whole->inclusive);
}

/* Divide the entries of one scope in this part of the profile among its uses
   from FIRST to before END: in proportion to the costs of their entry
   instructions (BY_ENTRY), or of all their instructions.  Largest remainders
   are rounded up. */
static void divide_entries(Rewriting* r, size_t first, size_t end,
                           bool by_entry)
{
   uint64_t total, instrs = 0, all = 0, given = 0;
   Share*   shares = zalloc(end - first, sizeof(*shares));

   for (size_t i = first; i < end; i++) {
      all    += weight_of(&r->uses[i], by_entry);
      instrs += r->uses[i].instrs;
   }
   total = entries_of_part(r, r->uses[first].scope, instrs);
   for (size_t i = first; i < end; i++) {
      Wide part = (Wide)total * weight_of(&r->uses[i], by_entry);
      r->uses[i].entries = all == 0 ? 0 : (uint64_t)(part / all);
      given += r->uses[i].entries;
      shares[i - first] = (Share){ all == 0 ? 0 : (uint64_t)(part % all), i };
   }
   qsort(shares, end - first, sizeof(*shares), by_rest);
   for (size_t i = 0; all > 0 && i < end - first && given < total;
        i++, given++)
      r->uses[shares[i].use].entries++;
   free(shares);
}

static void find_entries(Rewriting* r)
{
   size_t end;

   SORT(r->uses, r->n_uses, by_scope);
   for (size_t i = 0; i < r->n_uses; i = end) {
      uint32_t scope = r->uses[i].scope;
      bool     exact = true, any = false;
      for (end = i; end < r->n_uses && r->uses[end].scope == scope; end++) {
         exact = find_entry_cost(r, &r->uses[end]) && exact;
         any   = any || r->uses[end].entries > 0;
      }
      if (!exact || is_part_of_parent(r->v->in, scope))
         divide_entries(r, i, end, any);
   }
}

/*--- Functions                                            ---*/

/* Return how many scopes are of SCOPE's function, from SCOPE outwards. */
static unsigned level_of(Inlined* in, uint32_t scope)
{
   uint32_t function = inlined_function(in, scope);
   unsigned level = 0;

   for (; inlined_parent(in, scope) != NO_SCOPE;
        scope = inlined_parent(in, scope))
      level += inlined_function(in, scope) == function;
   return level;
}

/* Return the file's name in the profile for PATH of debug information: the
   profile's own spelling if it has the file. */
static const char* file_name(Rewriting* r, const char* path)
{
   const char* name = intern(r->p->texts, path[0] == '?' ? "???"
                             : text_clean(path));
   uint32_t    n = keymap_find(r->plain_paths, (uintptr_t)name);

   return n == UINT32_MAX ? name : r->paths[n];
}

/* Note how the profile spells the paths of files. */
static void note_paths(Rewriting* r)
{
   for (uint32_t i = 0; i < r->p->n_rows; i++) {
      const char* path = r->p->rows[i].file;
      uint32_t    n;
      if (i > 0 && path == r->p->rows[i - 1].file)
         continue;
      n = keymap_number(r->plain_paths, (uintptr_t)intern(
                                           r->p->texts, text_plain_path(path)));
      if (n == r->n_paths) {
         GROW(r->paths, r->n_paths, r->path_room);
         r->paths[r->n_paths++] = path;
      }
      text_forget();
   }
}

static const char* name_in(Rewriting* r, uint32_t scope,
                           const ProfileFunction* f)
{
   Inlined*    in = r->v->in;
   unsigned    level = level_of(in, scope);
   const char* name = inlined_name(in, inlined_function(in, scope));

   return intern(r->p->texts,
                 level == 1 ? text_format("%s in %s", name, f->name)
                 : text_format("%s'%u in %s", name, level, f->name));
}

/* Insert the line into a name: "operator():36 in main" for "operator() in
   main". */
static const char* name_at(Rewriting* r, const char* name, uint32_t line)
{
   const char* in = strstr(name, " in ");

   return intern(r->p->texts, text_format("%.*s:%" PRIu32 "%s",
                                          (int)(in - name), name, line, in));
}

/* Return the number in .made of an inlined function, a new one if needed. */
static uint32_t number_made(Rewriting* r, const char* object, const char* file,
                            const char* name)
{
   return keymap_number(r->made_keys, (uintptr_t)profile_key(r->p, object, file,
                                                             name));
}

/* Give the use its inlined function.  Instances of the same function in the
   same function share it. */
static void make_function(Rewriting* r, Use* u)
{
   Inlined*               in = r->v->in;
   const InlinedFunction* is = inlined_function_info(in, inlined_function(
                                                            in, u->scope));
   const ProfileFunction  f = r->p->functions[u->function];
   const char*            name = name_in(r, u->scope, &f);
   const char*            file = file_name(r, is->file);
   uint32_t               k = number_made(r, f.object, file, name);

   /* Static functions of several files have the same name: inlined functions in
      all but the first get the file of that function. */
   if (k < r->n_made && r->made[k].home != f.file) {
      name = intern(r->p->texts, text_format("%s (%s)", name, f.file));
      k    = number_made(r, f.object, file, name);
   }
   /* Lambdas of one file have the same name: all but the first get their
      line. */
   if (k < r->n_made && r->made[k].line != is->line) {
      name = name_at(r, name, is->line);
      k    = number_made(r, f.object, file, name);
   }
   if (k == r->n_made) {
      GROW(r->made, r->n_made, r->made_room);
      r->made[r->n_made++] = (Made){
         profile_function(r->p, f.object, file, name), is->line, f.file
      };
   }
   u->to = r->made[k].number;
   text_forget();
}

static const Use* find_use(const Rewriting* r, uint32_t scope,
                           uint32_t function)
{
   Use key = { .scope = scope, .function = function };

   return r->n_uses == 0 ? NULL
          : bsearch(&key, r->uses, r->n_uses, sizeof(*r->uses), by_scope);
}

/* Return the function that now has the rows of SCOPE in FUNCTION: that of the
   innermost instance that was entered. */
static uint32_t function_of(const Rewriting* r, uint32_t scope,
                            uint32_t function)
{
   for (; scope != NO_SCOPE; scope = inlined_parent(r->v->in, scope)) {
      const Use* u = find_use(r, scope, function);
      if (u != NULL && u->to != NO_ROW)
         return u->to;
   }
   return function;
}

/*--- Rows                                                 ---*/

static void add_costs(const Rewriting* r, uint64_t* to, const uint64_t* from)
{
   for (uint32_t i = 0; i < r->p->n_events; i++)
      to[i] += from[i];
}

/* Move each row of FUNCTION to the function that it belongs to now.  SCOPES:
   the scope of each row, in order.  Return the number of rows. */
static size_t move_rows(Rewriting* r, uint32_t function, const uint32_t* scopes)
{
   ProfileFunction* f = &r->p->functions[function];
   uint32_t         i = f->first, next;
   size_t           n = 0;

   f->first = f->last = NO_ROW;
   for (; i != NO_ROW; i = next, n++) {
      ProfileRow row = r->p->rows[i];
      uint32_t   to = is_self_call(&r->p->functions[function], &row)
                      ? function : function_of(r, scopes[n], function);
      next = row.next;
      if (to != function && row.kind != ROW_JUMP)
         for (uint32_t s = scopes[n]; inlined_parent(r->v->in, s) != NO_SCOPE;
              s = inlined_parent(r->v->in, s))
            add_costs(r, r->sums + find_use(r, s, function)->inclusive,
                      r->p->costs + row.costs);
      profile_move(r->p, to, i, row);
   }
   return n;
}

/* Add the call of the use's function by the function that it was inlined
   into. */
static void add_call(Rewriting* r, const Use* u)
{
   Inlined*         in = r->v->in;
   uint32_t         parent = inlined_parent(in, u->scope);
   uint64_t         entry = inlined_entry(in, u->scope);
   const ProfileFunction* to = &r->p->functions[u->to];
   ProfileRow       row = {
      .kind = ROW_CALL, .addr = u->first,
      .line = inlined_call_line(in, u->scope), .object = to->object,
      .file = file_name(r, inlined_call_file(in, u->scope)),
      .to_file = to->file, .to = to->name,
      .count = intern(r->p->texts, text_format("%" PRIu64, u->entries)),
      .to_addr = entry == NO_ADDR ? u->first : file_addr(r, u->scope, entry),
      .to_line = inlined_function_info(in, inlined_function(in,
                                                            u->scope))->line,
      .costs = profile_costs(r->p)
   };

   memcpy(r->p->costs + row.costs, r->sums + u->inclusive,
          r->p->n_events * sizeof(*r->sums));
   profile_add(r->p, function_of(r, parent, u->function), row);
   text_forget();
}

/*--- The whole                                            ---*/

static void rewrite(Rewriting* r)
{
   uint32_t  n_functions = (uint32_t)r->p->n_functions;
   uint32_t* scopes = NULL;
   size_t    n_scopes = 0, room = 0, at = 0;

   r->made_keys = keymap_new();
   note_paths(r);
   for (uint32_t i = 0; i < n_functions; i++) {
      r->use_numbers = keymap_new();
      r->first_use   = r->n_uses;
      find_uses(r, i, &scopes, &n_scopes, &room);
      keymap_free(r->use_numbers);
   }
   find_entries(r);
   r->sums = zalloc(r->n_uses * r->p->n_events + 1, sizeof(*r->sums));
   for (size_t i = 0; i < r->n_uses; i++) {
      r->uses[i].inclusive = i * r->p->n_events;
      if (r->uses[i].entries > 0)
         make_function(r, &r->uses[i]);
   }
   for (uint32_t i = 0; i < n_functions; i++)
      at += move_rows(r, i, scopes + at);
   for (size_t i = 0; i < r->n_uses; i++)
      if (r->uses[i].to != NO_ROW)
         add_call(r, &r->uses[i]);
   keymap_free(r->made_keys);
   FREE_ALL(scopes, r->sums, r->uses, r->made);
   r->made   = NULL;
   r->n_made = r->made_room = 0;
   r->uses   = NULL;
   r->n_uses = r->room = 0;
}

/* Collect all that the rewriting needs of the run. */
static void prepare(Rewriting* r, const Selection* all)
{
   const DcfgProcess* p = r->x->p;
   Functions*         f = functions_new(&r->x->g);
   uint32_t           n;

   r->objects = zalloc(p->n_images, sizeof(*r->objects));
   for (uint32_t i = 0; i < p->n_images; i++)
      r->objects[i] = intern(r->names, image_path(&r->x->g, i));
   text_forget();
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (dcfg_node_executions(p, i, DCFG_ALL_THREADS) > 0)
         pieces_of(r->v->pieces, i, &n);
   r->whole = inline_sums_new(f, r->v, all, r->x->thread);
   functions_free(f);
}

static void write_callgrind(const Export* export)
{
   Rewriting      r = { .x = export };
   Select         all = SELECT_ALL;
   Selection*     sel = selection_new(&export->g, &all);
   ProfileReader* in;
   uint64_t       n_rows = 0;

   if (export->what[0] == 0)
      die("--callgrind=PROFILE needs the run's profile: record it with "
          "--callgrind=yes --dump-instr=yes");
   /* A file that is no profile ends the command before code is read. */
   in  = profile_open(export->what, true);
   r.p = profile_next(in);
   r.plain_paths = keymap_new();
   r.names       = interned_new();
   r.v = inline_view_new(&export->g, &all, sel, export->root);
   prepare(&r, sel);
   while (r.p != NULL) {
      n_rows += r.p->n_rows;
      rewrite(&r);
      profile_write(r.p, export->out, export->lines);
      profile_free(r.p);
      r.p = profile_next(in);
   }
   if (r.n_other > 0)
      complain("%s of %s lines of %s name code that the graph does not have: "
               "is the profile of the same run?", text_count(r.n_other),
               text_count(n_rows), text_clean(export->what));
   profile_close(in);
   inline_view_free(r.v);
   selection_free(sel);
   keymap_free(r.plain_paths);
   FREE_ALL(r.paths, r.objects);
   interned_free(r.names);
   inline_sums_free(r.whole);
}

const ExportForm export_form_callgrind = {
   .choice = { "callgrind", "the run's Callgrind profile (recorded with "
               "--dump-instr=yes), with inlined functions added",
               "PROFILE" },
   .text = true, .write = write_callgrind
};
