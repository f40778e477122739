/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of many runs. */

/* Owns: the tables of dcfg export --tables and their columns.  Handed: files
   by cmd_export.c.

   Each task of a job writes a file of its own for each table.  So two tasks
   never write the same file, and a repeated task replaces its own files. */

#include "cmd/export/export_tables.h"

#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/export/gzip_csv.h"
#include "cmd/export/line_sums.h"
#include "cmd/shared/functions.h"
#include "cmd/base/csv.h"
#include "cmd/base/sums.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef enum { RUNS, IMAGES, FUNCTIONS, BLOCKS, EDGES, LOOPS, LINES,
               N_TABLES } TableNumber;

static const struct {
   const char* name;
   const char* columns;
} layout[N_TABLES] = {
   { "runs", "run,process,threads,instructions" },
   { "images", "run,process,image,path,load_addr,size,instructions" },
   { "functions", "run,process,image,addr,name,size,instructions,blocks,calls" },
   { "blocks", "run,process,image,addr,size,instrs,executions,function_addr" },
   { "edges", "run,process,image,addr,to_image,to_addr,type,traversals" },
   { "loops", "run,process,image,addr,function_addr,blocks,entries,iterations,"
     "instructions" },
   { "lines", "run,process,image,file,line,instructions" }
};

/* RunRows: a process whose rows are written. */
typedef
   struct {
      GzipCsv**          tables;
      Program            g;
      const DcfgProcess* p;
      const char*        prefix;        // first two fields, "run,process", of
                                        // each row
      const char**       images;        // by image: its key as a field
      Functions*         functions;
      uint32_t*          function;      // by block: its number; a stub has one
                                        // of its own
      uint64_t*          addrs;         // by function: its address in its image
      uint32_t           n_functions;
      uint64_t           unknown;       // instructions for which no line is
                                        // known
   }
   RunRows;

/*--- Images                                               ---*/

/* Return the key by which other runs have the same image: its build id, or its
   path if it has none. */
static const char* image_key(const Program* g, uint32_t image)
{
   const char* id = g->p->images[image].build_id;

   return id != NULL ? id : image_path(g, image);
}

static void put_image_rows(RunRows* r)
{
   for (uint32_t i = 0; i < r->p->n_images; i++) {
      const DcfgImage* im = &r->p->images[i];
      uint64_t         instrs = 0;
      for (uint32_t k = 0; k < im->n_nodes; k++)
         add_count(&instrs, dcfg_node_instrs(r->p, im->first_node + k,
                                             DCFG_ALL_THREADS));
      csv_row(r->tables[IMAGES], r->prefix);
      csv_text(r->tables[IMAGES], r->images[i]);
      csv_text(r->tables[IMAGES], image_path(&r->g, i));
      csv_number(r->tables[IMAGES], im->load_addr);
      csv_number(r->tables[IMAGES], im->size);
      csv_number(r->tables[IMAGES], instrs);
   }
}

/* Write the image and the address of a node as two fields.  A special node has
   no image, and a negative number for the address. */
static void put_node(const RunRows* r, GzipCsv* t, uint32_t node)
{
   const DcfgNode* n = &r->p->nodes[node];

   if (n->kind == DCFG_NODE_BLOCK) {
      csv_text(t, r->images[n->image]);
      csv_number(t, n->addr - r->p->images[n->image].load_addr);
      return;
   }
   csv_text(t, "");
   csv_signed(t, n->kind == DCFG_NODE_START ? -1
              : n->kind == DCFG_NODE_END ? -2 : -3);
}

/*--- Functions                                            ---*/

/* Number the functions.  The source has no function for a linkage table's stub:
   each stub is one of its own here, so that no instruction is missing. */
static void find_functions(RunRows* r)
{
   const DcfgProcess* p = r->p;
   const Functions*   f = r->functions = functions_new(&r->g);

   r->function = zalloc(p->n_blocks, sizeof(*r->function));
   r->addrs = zalloc((size_t)f->n + p->n_blocks, sizeof(*r->addrs));
   r->n_functions = f->n;
   for (uint32_t i = 0; i < p->n_blocks; i++)
      r->function[i] = f->of[i] != NO_FUNCTION ? f->of[i] : r->n_functions++;
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      const DcfgImage* im = &p->images[p->nodes[i].image];
      uint32_t         n = r->function[i];
      uint32_t         first = n < f->n ? f->nodes[n] : i;
      uint32_t         symbol = n < f->n ? dcfg_symbol_of(p, first)
                                : DCFG_NONE;
      r->addrs[n] = (symbol != DCFG_NONE ? p->symbols[symbol].addr
                     : p->nodes[first].addr) - im->load_addr;
   }
}

typedef
   struct {
      uint64_t instrs, blocks, calls, size;
      uint32_t node;            // a block of the function
   }
   Sum;

static void put_function(const RunRows* r, uint32_t number, const Sum* s)
{
   const Functions* f = r->functions;
   GzipCsv*         t = r->tables[FUNCTIONS];

   csv_row(t, r->prefix);
   csv_text(t, r->images[r->p->nodes[s->node].image]);
   csv_number(t, r->addrs[number]);
   csv_text(t, number < f->n ? function_name(f, number)
            : node_name(&r->g, s->node));
   csv_number(t, s->size);
   csv_number(t, s->instrs);
   csv_number(t, s->blocks);
   csv_number(t, s->calls);
   text_forget();
}

static void put_function_rows(const RunRows* r)
{
   const DcfgProcess* p = r->p;
   Sum*               sums = zalloc(r->n_functions, sizeof(*sums));

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      uint32_t number = r->function[i];
      Sum*     s = &sums[number];
      uint32_t symbol = number < r->functions->n
                        ? dcfg_symbol_of(p, r->functions->nodes[number])
                        : DCFG_NONE;
      s->node = s->blocks == 0 ? i : s->node;
      s->blocks++;
      add_count(&s->instrs, dcfg_node_instrs(p, i, DCFG_ALL_THREADS));
      s->size = symbol != DCFG_NONE ? p->symbols[symbol].size
                : s->size + p->nodes[i].size;
   }
   for (uint32_t i = 0; i < p->n_routines; i++)
      add_count(&sums[r->function[p->routines[i].entry]].calls,
                dcfg_routine_calls(p, i, DCFG_ALL_THREADS));
   for (uint32_t i = 0; i < r->n_functions; i++)
      if (sums[i].instrs > 0)
         put_function(r, i, &sums[i]);
   free(sums);
}

/*--- Blocks, edges, loops, lines                          ---*/

static void put_block_rows(const RunRows* r)
{
   GzipCsv* t = r->tables[BLOCKS];

   for (uint32_t i = 0; i < r->p->n_blocks; i++) {
      uint64_t count = dcfg_node_executions(r->p, i, DCFG_ALL_THREADS);
      if (count == 0)
         continue;
      csv_row(t, r->prefix);
      put_node(r, t, i);
      csv_number(t, r->p->nodes[i].size);
      csv_number(t, r->p->nodes[i].n_instrs);
      csv_number(t, count);
      csv_number(t, r->addrs[r->function[i]]);
   }
}

static void put_edge_rows(const RunRows* r)
{
   GzipCsv* t = r->tables[EDGES];

   for (uint32_t i = 0; i < r->p->n_edges; i++) {
      const DcfgEdge* e = &r->p->edges[i];
      if (e->count == 0 || e->source >= r->p->n_nodes
          || e->target >= r->p->n_nodes)
         continue;
      csv_row(t, r->prefix);
      put_node(r, t, e->source);
      put_node(r, t, e->target);
      csv_text(t, e->type == DCFG_EDGE_OTHER ? "OTHER"
               : dcfg_edge_type_text(e->type));
      csv_number(t, e->count);
   }
}

static void put_loop_rows(const RunRows* r)
{
   GzipCsv* t = r->tables[LOOPS];

   for (uint32_t i = 0; i < r->p->n_loops; i++) {
      const DcfgLoop* l = &r->p->loops[i];
      uint64_t        n = dcfg_loop_iterations(r->p, i, DCFG_ALL_THREADS);
      if (n == 0 || l->head >= r->p->n_blocks)
         continue;
      csv_row(t, r->prefix);
      put_node(r, t, l->head);
      csv_number(t, r->addrs[r->function[l->head]]);
      csv_number(t, l->n_nodes);
      csv_number(t, dcfg_loop_entries(r->p, i, DCFG_ALL_THREADS));
      csv_number(t, n);
      csv_number(t, dcfg_loop_instrs(r->p, i, DCFG_ALL_THREADS));
   }
}

static void put_line_rows(RunRows* r)
{
   GzipCsv* t = r->tables[LINES];

   for (uint32_t i = 0; i < r->p->n_images; i++) {
      uint32_t n;
      LineSum* sums = line_sums(&r->g, i, &n, &r->unknown);
      for (uint32_t k = 0; k < n; k++) {
         csv_row(t, r->prefix);
         csv_text(t, r->images[i]);
         csv_text(t, sums[k].file < r->g.d->n_files
                  ? text_clean(r->g.d->files[sums[k].file].name) : "");
         csv_number(t, sums[k].line);
         csv_number(t, sums[k].instrs);
         text_forget();
      }
      free(sums);
   }
}

/*--- Files                                                ---*/

/* Return the run's name: "rank.17" for "/tmp/rank.17.json.gz". */
static char* run_name(const char* path)
{
   const char* slash = strrchr(path, '/');
   char*       name = text_copy(text_clean(slash == NULL ? path : slash + 1));
   size_t      n = plain_length(name);
   char*       field;

   name[n] = 0;
   field = csv_quoted(name);
   if (field == NULL)
      return name;
   free(name);
   return field;
}

static void put_process(GzipCsv** tables, const char* path, const Dcfg* d,
                        uint32_t process)
{
   const DcfgProcess* p = dcfg_process(d, process);
   char*              name = run_name(path);
   char*              prefix = text_copy(text_format("%s,%" PRIu64, name,
                                                     p->id));
   RunRows                r = { .tables = tables, .g = { d, p, false }, .p = p,
                            .prefix = prefix };

   r.images = zalloc(p->n_images, sizeof(*r.images));
   for (uint32_t i = 0; i < p->n_images; i++)
      r.images[i] = text_copy(image_key(&r.g, i));
   csv_row(tables[RUNS], prefix);
   csv_number(tables[RUNS], p->n_threads);
   csv_number(tables[RUNS], p->instr_count);
   find_functions(&r);
   put_image_rows(&r);
   put_function_rows(&r);
   put_block_rows(&r);
   put_edge_rows(&r);
   put_loop_rows(&r);
   put_line_rows(&r);
   if (r.unknown > 0)
      complain("%s: the table `lines' leaves out %s instructions: the "
               "recording does not tell which of two lines they belong to",
               path,
               text_count(r.unknown));
   for (uint32_t i = 0; i < p->n_images; i++)
      free((char*)r.images[i]);
   free(r.images);
   functions_free(r.functions);
   free(r.function);
   free(r.addrs);
   free(prefix);
   free(name);
   text_forget();
}

/* Write the rows of one file.  Return false if the file was left out. */
static bool put_file(const TablesJob* job, GzipCsv** tables, const char* path)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   Dcfg*       d = dcfg_load(path, &options, &err);

   if (d == NULL && !job->keep_going)
      die("%s", unreadable(&err, KIND_GRAPH));
   if (d == NULL) {
      complain("left out: %s", unreadable(&err, KIND_GRAPH));
      return false;
   }
   warn_of_full(path, d);
   for (uint32_t i = 0; i < d->n_processes; i++)
      put_process(tables, path, d, i);
   dcfg_free(d);
   return true;
}

/* Make directory PATH and its parents. */
static void make_directories(char* path)
{
   for (char* slash = path + 1; ; slash++) {
      char c = *slash;
      if (c != '/' && c != 0)
         continue;
      *slash = 0;
      if (mkdir(path, 0777) != 0 && errno != EEXIST)
         die("%s: %s", path, strerror(errno));
      *slash = c;
      if (c == 0)
         return;
   }
}

/* Return the path of the file for table NUMBER, and make its directories. */
static char* table_path(const TablesJob* job, TableNumber number)
{
   unsigned i = 0, n = 1;
   char*    dir = text_copy(text_format("%s/%s/job=%s", job->dir,
                                        layout[number].name, job->job));
   char*    path;

   make_directories(dir);
   if (job->shard != NULL)
      sscanf(job->shard, "%u/%u", &i, &n);
   path = text_copy(text_format("%s/%u-of-%u.csv.gz", dir, i, n));
   free(dir);
   return path;
}

int export_tables(const TablesJob* job, FileNames* files)
{
   GzipCsv* tables[N_TABLES];
   char*    paths[N_TABLES];
   uint32_t n = 0;

   if (job->job[0] == 0 || strspn(job->job, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789._+-")
                           != strlen(job->job))
      die("--job=NAME is the name of a directory, of letters, digits, `.', "
          "`_', `+' and `-', not `%s'", job->job);
   if (job->shard != NULL) {
      find_stems(files, is_part_of_run);
      keep_shard(files, job->shard);
   }
   for (int i = 0; i < N_TABLES; i++) {
      paths[i] = table_path(job, i);
      tables[i] = csv_open(paths[i], layout[i].columns);
   }
   for (uint32_t i = 0; i < files->n; i++)
      n += put_file(job, tables, files->all[i]);
   for (int i = 0; i < N_TABLES; i++) {
      csv_close(tables[i]);
      free(paths[i]);
   }
   if (n < files->n)
      complain("%s of %s files; %s left out", text_count(n),
               text_count(files->n), text_count(files->n - n));
   if (n == 0 && files->n > 0)
      die("no file is left");
   close_results();
   return n < files->n ? STATUS_SOME : STATUS_OK;
}
