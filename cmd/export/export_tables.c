/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export --tables: tables of many runs for data bases. */

/* Owns: the tables and their columns, a table's text and its compression, how
   many instructions each source line executed.  Handed: files by cmd_export.c.

   Each task of a job writes a file of its own for each table.  So two tasks
   never write the same file, and a repeated task replaces its own files.

   The text is RFC 4180's CSV, but with newlines alone.  Equal rows give equal
   bytes: the compressed file has neither a name nor a time. */

#include "cmd/export/export.h"

#include "cmd/base/table.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/program/functions.h"

#include <errno.h>
#include <sys/stat.h>

/*--- Compressed CSV                                       ---*/

/* Csv: a table that is being written.  The file gets its name together with the
   other results. */
typedef
   struct {
      FILE* file;
      FILE* packed;
   }
   Csv;

#define GZIP_LEVEL 4

/* Begin a table at PATH.  COLUMNS: the first line, "a,b". */
static Csv* csv_open(const char* path, const char* columns)
{
   Csv* t = zalloc(1, sizeof(*t));

   t->file = open_result_as(path, RESULT_AS_IT_IS);
   t->packed = gzip_open(t->file, GZIP_LEVEL, NULL);
   fputs(columns, t->packed);
   return t;
}

static void csv_close(Csv* t)
{
   putc('\n', t->packed);
   fclose(t->packed);
   finish_result(t->file);
   free(t);
}

/* Start a row with PREFIX: fields that are already quoted where needed. */
static void csv_row(Csv* t, const char* prefix)
{
   fprintf(t->packed, "\n%s", prefix);
}

/* Add a field to the row. */
static void csv_text(Csv* t, const char* s)
{
   char* quoted = csv_quoted(s);

   fprintf(t->packed, ",%s", quoted != NULL ? quoted : s);
   free(quoted);
}

static void csv_number(Csv* t, uint64_t n)
{
   char  text[MAX_DIGITS + 1] = ",";
   char* end = put_decimal(text + 1, n);

   fwrite(text, 1, (size_t)(end - text), t->packed);
}

/*--- Instructions of source lines                         ---*/

/* Source rows and blocks both divide the code, and both say how many
   instructions they have.  A segment is the intersection of a row and a block.
   A row or block in which one segment is unknown gives that segment's number.
   A segment ends a row or a block, so one pass from the left finds the numbers
   one after another.  A second pass, from the right, is for stretches behind
   code without a line. */

/* LineSum: instructions that were executed for a line of a file. */
typedef
   struct {
      uint32_t file;            // index, or DCFG_NONE for code without a line
      uint32_t line;
      uint64_t instrs;
   }
   LineSum;

#define NO_ROW  UINT32_MAX
#define UNKNOWN UINT64_MAX

typedef
   struct {
      uint32_t row, block;      // row: NO_ROW for code without a line
      uint64_t n;               // instructions, or UNKNOWN
   }
   Segment;

typedef
   struct {
      const DcfgProcess* p;
      const DcfgImage*   im;
      Segment*           all;
      size_t             n, room;
      uint64_t*          row_left;      // by row: instructions not yet in a
                                        // segment
      uint64_t*          block_left;    // by block: likewise
   }
   Segments;

/*--- Segments of code                                     ---*/

static void add_segment(Segments* s, uint64_t from, uint64_t to, uint32_t row,
                        uint32_t block)
{
   if (from >= to)
      return;
   GROW(s->all, s->n, s->room);
   s->all[s->n++] = (Segment){ row, block, UNKNOWN };
}

/* Divide a block into segments.  *ROW: the first row that may overlap it. */
static void cut_block(Segments* s, uint32_t block, uint32_t* row)
{
   const DcfgNode*   b = &s->p->nodes[s->im->first_node + block];
   const DcfgSource* rows = s->p->sources + s->im->first_source;
   uint64_t          at = b->addr, end = b->addr + b->size;
   uint32_t          k;

   while (*row < s->im->n_sources && rows[*row].addr + rows[*row].size <= at)
      ++*row;
   for (k = *row; k < s->im->n_sources && rows[k].addr < end; k++) {
      uint64_t row_end = rows[k].addr + rows[k].size;
      if (row_end <= at)
         continue;
      if (rows[k].addr > at) {
         add_segment(s, at, rows[k].addr, NO_ROW, block);
         at = rows[k].addr;
      }
      add_segment(s, at, row_end < end ? row_end : end, k, block);
      at = row_end < end ? row_end : end;
   }
   add_segment(s, at, end, NO_ROW, block);
}

/*--- Instructions of segments                             ---*/

/* Set segment I to N instructions, and take them from its row and its block. */
static void settle(Segments* s, size_t i, uint64_t n)
{
   Segment* g = &s->all[i];

   g->n = n;
   if (g->row != NO_ROW)
      s->row_left[g->row] -= n < s->row_left[g->row] ? n
                             : s->row_left[g->row];
   s->block_left[g->block] -= n < s->block_left[g->block] ? n
                              : s->block_left[g->block];
}

/* Find the numbers of segments that are the only unknown ones of their row or
   block.  n_row and n_block count the unknown segments. */
static void solve(Segments* s)
{
   uint32_t* n_row = zalloc(s->im->n_sources, sizeof(*n_row));
   uint32_t* n_block = zalloc(s->im->n_nodes, sizeof(*n_block));

   for (size_t i = 0; i < s->n; i++) {
      n_block[s->all[i].block]++;
      if (s->all[i].row != NO_ROW)
         n_row[s->all[i].row]++;
   }
   for (int pass = 0; pass < 2; pass++)
      for (size_t k = 0; k < s->n; k++) {
         size_t         i = pass == 0 ? k : s->n - 1 - k;
         const Segment* g = &s->all[i];
         uint64_t       n = UNKNOWN;
         if (g->n != UNKNOWN)
            continue;
         if (n_block[g->block] == 1)
            n = s->block_left[g->block];
         else if (g->row != NO_ROW && n_row[g->row] == 1)
            n = s->row_left[g->row];
         if (n == UNKNOWN)
            continue;
         settle(s, i, n);
         n_block[g->block]--;
         if (g->row != NO_ROW)
            n_row[g->row]--;
      }
   FREE_ALL(n_row, n_block);
}

/*--- Sums of lines                                        ---*/

COMPARE(by_line, LineSum, UP(file) ?: UP(line))

static void add_sum(LineSum** sums, uint32_t* n, size_t* room, uint32_t file,
                    uint32_t line, uint64_t instrs)
{
   if (instrs == 0)
      return;
   GROW(*sums, *n, *room);
   (*sums)[(*n)++] = (LineSum){ file, line, instrs };
}

static uint32_t unite_sums(LineSum* sums, uint32_t n)
{
   uint32_t to = 0;

   SORT(sums, n, by_line);
   for (uint32_t i = 0; i < n; i++)
      if (to > 0 && by_line(&sums[to - 1], &sums[i]) == 0)
         add_count(&sums[to - 1].instrs, sums[i].instrs);
      else
         sums[to++] = sums[i];
   return to;
}

/* Return the lines of IMAGE, by file and line, to be freed; *N is their number.
   Instructions of code without a line count for file DCFG_NONE.  So do those
   that rows leave ambiguous between lines; *UNKNOWN grows by them. */
static LineSum* line_sums(const Program* program, uint32_t image, uint32_t* n,
                          uint64_t* unknown)
{
   const DcfgImage*  im = &program->p->images[image];
   const DcfgSource* rows = program->p->sources + im->first_source;
   Segments          s = { .p = program->p, .im = im };
   LineSum*          sums = NULL;
   size_t            room = 0;
   uint32_t          row = 0;

   s.row_left = zalloc(im->n_sources, sizeof(*s.row_left));
   s.block_left = zalloc(im->n_nodes, sizeof(*s.block_left));
   for (uint32_t i = 0; i < im->n_sources; i++)
      s.row_left[i] = rows[i].n_instrs;
   for (uint32_t i = 0; i < im->n_nodes; i++) {
      s.block_left[i] = program->p->nodes[im->first_node + i].n_instrs;
      cut_block(&s, i, &row);
   }
   solve(&s);
   *n = 0;
   for (size_t i = 0; i < s.n; i++) {
      const Segment* e = &s.all[i];
      uint64_t       count = dcfg_node_executions(program->p,
                                                  im->first_node + e->block,
                                                  DCFG_ALL_THREADS);
      if (e->n == UNKNOWN)
         continue;
      add_sum(&sums, n, &room, e->row == NO_ROW ? DCFG_NONE : rows[e->row].file,
              e->row == NO_ROW ? 0 : rows[e->row].line, e->n * count);
   }
   for (uint32_t i = 0; i < im->n_nodes; i++) {
      uint64_t rest = s.block_left[i]
                      * dcfg_node_executions(program->p, im->first_node + i,
                                             DCFG_ALL_THREADS);
      *unknown += rest;
      add_sum(&sums, n, &room, DCFG_NONE, 0, rest);
   }
   *n = unite_sums(sums, *n);
   FREE_ALL(s.all, s.row_left, s.block_left);
   return sums;
}

/*--- The tables                                           ---*/

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
      Csv**               tables;
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

/*--- Rows of images                                       ---*/

/* Return the key by which other runs have the same image: its build id, or its
   path if it has none. */
static const char* image_key(const Program* program, uint32_t image)
{
   const char* id = program->p->images[image].build_id;

   return id != NULL ? id : image_path(program, image);
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
static void put_node(const RunRows* r, Csv* t, uint32_t node)
{
   const DcfgNode* n = &r->p->nodes[node];

   if (n->kind == DCFG_NODE_BLOCK) {
      csv_text(t, r->images[n->image]);
      csv_number(t, n->addr - r->p->images[n->image].load_addr);
      return;
   }
   csv_text(t, "");
   fputs(n->kind == DCFG_NODE_START ? ",-1"
         : n->kind == DCFG_NODE_END ? ",-2" : ",-3", t->packed);
}

/*--- Rows of functions                                    ---*/

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
   Csv*         t = r->tables[FUNCTIONS];

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

/*--- Rows of blocks, edges, loops, lines                  ---*/

static void put_block_rows(const RunRows* r)
{
   Csv* t = r->tables[BLOCKS];

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
   Csv* t = r->tables[EDGES];

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
   Csv* t = r->tables[LOOPS];

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
   Csv* t = r->tables[LINES];

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
   char*  name = text_copy(text_clean(text_base(path)));
   size_t n = plain_length(name);
   char*  field;

   name[n] = 0;
   field = csv_quoted(name);
   if (field == NULL)
      return name;
   free(name);
   return field;
}

static void put_process(Csv** tables, const char* path, const Dcfg* d,
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
   FREE_ALL(r.function, r.addrs, prefix, name);
   text_forget();
}

/* Write the rows of one file.  Return false if the file was left out. */
static bool put_file(const TablesJob* job, Csv** tables, const char* path)
{
   DcfgError   err;
   Dcfg*       d = read_dcfg(path, plain_options(), &err);

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

/*--- Shards                                               ---*/

static uint64_t stem_hash(const char* name, size_t length)
{
   uint64_t h = text_hash(name, length);

   return h ^ h >> 32;
}

/* Keep the names that belong to SHARD, "I/N", by their stems; die if it is
   none. */
static void keep_shard(FileNames* names, const char* shard)
{
   const char* end;
   uint64_t    i, n;
   uint32_t    kept = 0;

   if (!take_number(shard, 10, &i, &end) || *end != '/'
       || !is_number(end + 1, 10, &n) || i >= n)
      die("--shard=I/N needs a number from 0 to N - 1, and how many shards "
          "there are, not `%s'", shard);
   for (uint32_t k = 0; k < names->n; k++) {
      if (strcmp(names->all[k], "-") == 0)
         die("--shard needs names of files; the standard input has none");
      if (stem_hash(names->all[k], names->stems[k]) % n != i)
         continue;
      names->stems[kept] = names->stems[k];
      names->all[kept++] = names->all[k];
   }
   names->n = kept;
}

/*--- All tables                                           ---*/

int export_tables(const TablesJob* job, FileNames* files)
{
   Csv* tables[N_TABLES];
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
