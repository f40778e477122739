/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the code and the sources of a page. */

/* Owns: the instructions of the hottest routines, the text of their source
   files, and the hottest lines.  Handed: images' files, sources; counts of lines
   by the room lines/. */

#include "cmd/view/view.h"

#include "cmd/lines/coverage.h"
#include "cmd/program/lines.h"

#define MOST_SOURCE (4u << 20)  // bytes of all sources
#define AROUND      12          // lines around one that was executed
#define MOST_LINES  200         // hottest lines in the page
#define LITTLE      0.01        // the program's share of instructions: its
                                // libraries matter, too

/* CodeRow: an instruction.  .text and .chain are numbers of texts, .file is one
   of a source file, from 1. */
typedef
   struct {
      uint32_t text, size, file, line, chain;
      bool     branches;        // conditionally
   }
   CodeRow;

/* CodeRows: all instructions of the page. */
typedef
   struct {
      const RunView* v;
      CodeRow*    rows;
      size_t      n, room;
      uint32_t    image;        // image of the present block
      bool*       wanted;       // by file: it has code of the page
      Coverage*   coverage;
      const char** paths;       // by file: where its text is
   }
   CodeRows;

/*--- Code                                                 ---*/

/* Return the text on the functions that the instruction at ADDR was inlined
   into, "leaf, at t1.c:11 branchy"; 0: it was not inlined. */
static uint32_t chain_of(const CodeRows* c, uint64_t addr)
{
   const RunView* v = c->v;
   Inlined*       in = v->inlined == NULL ? NULL : v->inlined->in;
   uint64_t       end;
   uint32_t       scope = in == NULL ? NO_SCOPE
                          : inlined_at(in, c->image, addr, &end);

   if (scope == NO_SCOPE || inlined_parent(in, scope) == NO_SCOPE)
      return 0;
   return page_text(v->texts, text_format("%s, at %s %s",
                                          inlined_scope_name(in, scope),
                                          inlined_site(in, scope),
                                          inlined_around(in, scope)));
}

static void add_instr(void* arg, const Instr* i)
{
   CodeRows*   c = arg;
   const RunView* v = c->v;
   uint32_t    s = dcfg_source_at(v->p, c->image, i->addr);
   CodeRow     row = { .size = i->size, .branches = i->conditional };

   row.text = page_text(v->texts, i->direct
                        ? text_format("%s <%s>", i->text,
                                      text_brief(target_name(&v->g, c->image,
                                                             i->target)))
                        : i->text);
   row.chain = chain_of(c, i->addr);
   if (s != DCFG_NONE && v->p->sources[s].file < v->g.d->n_files) {
      row.file = v->p->sources[s].file + 1;
      row.line = v->p->sources[s].line;
      c->wanted[row.file - 1] = true;
   }
   GROW(c->rows, c->n, c->room);
   c->rows[c->n++] = row;
}

/* Write the columns of instructions, and by block the number of them; 0 if its
   code is in no file. */
static void put_code(CodeRows* c)
{
   static const char* const columns[] = { "iText", "iSize", "iFile", "iLine",
                                           "iChain" };
   const RunView*           v = c->v;
   uint32_t                 end = v->first[v->n_hot];

   page_column(v->out, "bCode");
   for (uint32_t i = 0; i < end; i++) {
      size_t before = c->n;
      c->image = v->p->nodes[v->blocks[i]].image;
      if (!code_block(v->code, v->blocks[i], add_instr, c))
         c->n = before;
      page_between(v->out, i == 0);
      page_number(v->out, c->n - before);
      text_forget();
   }
   putc(']', v->out);
   for (unsigned k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
      if (k == 4 && v->inlined == NULL)
         break;
      page_column(v->out, columns[k]);
      for (size_t i = 0; i < c->n; i++) {
         const uint32_t numbers[] = { c->rows[i].text, c->rows[i].size,
                                      c->rows[i].file, c->rows[i].line,
                                      c->rows[i].chain };
         page_between(v->out, i == 0);
         page_number(v->out, numbers[k]);
      }
      putc(']', v->out);
   }
}

/* Write by instruction: 1 if it is a conditional branch. */
static void put_branches(const CodeRows* c, const RunView* view)
{
   page_column(view->out, "iBranch");
   for (size_t i = 0; i < c->n; i++) {
      page_between(view->out, i == 0);
      putc(c->rows[i].branches ? '1' : '0', view->out);
   }
   putc(']', view->out);
}

/*--- Sources                                              ---*/

/* Write the lines of F, which has N lines, for which NEAR is true.  Return the
   number of their bytes. */
static size_t put_lines(FILE* out, const SourceFile* f, const bool* near,
                        uint32_t n)
{
   size_t bytes = 0;
   bool   first = true;

   fputs("\"text\":[", out);
   for (uint32_t from = 1, to; from <= n; from = to + 1) {
      to = from;
      if (!near[from])
         continue;
      while (to < n && near[to + 1])
         to++;
      page_between(out, first);
      first = false;
      fprintf(out, "[%" PRIu32 ",[", from);
      for (uint32_t i = from; i <= to; i++) {
         size_t      length;
         const char* line = source_file_line(f, i, &length);
         page_between(out, i == from);
         page_string(out, line, line == NULL ? 0 : length);
         bytes += length;
      }
      fputs("]]", out);
   }
   putc(']', out);
   return bytes;
}

/* Return by line, from 1, whether it is near a line of FILE with code, to be
   freed.  N is the number of lines. */
static bool* near_lines(const CodeRows* c, uint32_t file, uint32_t n)
{
   bool* near = zalloc(n + (size_t)2, sizeof(*near));

   for (size_t i = 0; i < c->n; i++) {
      uint32_t line = c->rows[i].line;
      uint32_t from = line > AROUND ? line - AROUND : 1;
      if (c->rows[i].file != file + 1 || line == 0 || line > n || near[0])
         continue;
      for (uint32_t k = from; k <= n && k <= line + AROUND; k++)
         near[k] = true;
   }
   return near;
}

/* Write the sources.  After MOST_SOURCE bytes, files have only their names. */
static void put_sources(const CodeRows* c)
{
   const RunView* v = c->v;
   size_t      left = MOST_SOURCE;

   page_column(v->out, "sources");
   for (uint32_t i = 0; i < v->g.d->n_files; i++) {
      const char* path = c->paths[i];
      SourceFile* f = c->wanted[i] && path[0] == '/' && left > 0
                      ? source_file_open(path) : NULL;
      page_between(v->out, i == 0);
      page_member(v->out, "{\"name\":", c->wanted[i] ? text_clean(path) : "");
      putc(',', v->out);
      if (f == NULL) {
         fputs("\"text\":[]", v->out);
      } else {
         uint32_t n = source_file_lines(f);
         bool*    near = near_lines(c, i, n);
         size_t   bytes = put_lines(v->out, f, near, n);
         left = bytes < left ? left - bytes : 0;
         free(near);
         source_file_close(f);
      }
      putc('}', v->out);
      text_forget();
   }
   putc(']', v->out);
}

/*--- The hottest lines                                    ---*/

typedef enum { H_FILE, H_LINE, H_INSTRS, H_TIMES, H_TEXT, H_COLUMNS } HotColumn;

/* Write the hottest lines. */
static void put_hot_lines(CodeRows* c)
{
   static const char* const columns[H_COLUMNS] = {
      "hFile", "hLine", "hInstrs", "hTimes", "hText"
   };
   FILE*        out = c->v->out;
   SourceReader source = { .path = NULL };
   size_t       n;
   RanLine*     lines = cover_ran_lines(c->coverage, &n);

   for (HotColumn h = 0; h < H_COLUMNS; h++) {
      page_column(out, columns[h]);
      for (size_t i = 0; i < n && i < MOST_LINES; i++) {
         const RanLine* l = &lines[i];
         const char*    path = cover_path(c->coverage,
                                          (uint32_t)(l->key >> 32));
         page_between(out, i == 0);
         if (h == H_FILE)
            page_number(out, page_text(c->v->texts, text_clean(path)));
         else if (h == H_LINE)
            page_number(out, (uint32_t)l->key);
         else if (h == H_INSTRS)
            view_count(out, l->instrs);
         else if (h == H_TEXT)
            page_number(out, page_text(c->v->texts, source_reader_code(
                           &source, path, (uint32_t)l->key)));
         else if (l->counted)
            view_count(out, l->times);
         else
            fputs("-1", out);
      }
      putc(']', out);
      text_forget();
   }
   source_reader_close(&source);
   free(lines);
}

/*--- The whole                                            ---*/

/* Find lines' counts, and where the text of each file is. */
static void find_lines(CodeRows* c, const bool* chosen)
{
   const RunView* v = c->v;
   CoverageOf     of = { .g = v->g, .p = v->p, .chosen = chosen,
                         .code = v->code, .thread = DCFG_ALL_THREADS,
                         .root = v->root, .quiet = true };
   uint32_t       n = v->g.d->n_files;
   uint32_t*      numbers = zalloc(n + (size_t)1, sizeof(*numbers));

   c->coverage = coverage_new(&of);
   c->paths    = zalloc(n + (size_t)1, sizeof(*c->paths));
   for (uint32_t i = 0; i < n; i++)
      numbers[i] = cover_graph_file(c->coverage, i);
   for (uint32_t i = 0; i < n; i++)
      c->paths[i] = cover_path(c->coverage, numbers[i]);
   free(numbers);
}

/* Choose the images whose lines are counted: the program, or all if it executed
   little itself. */
static void choose_images(const RunView* view, bool* chosen)
{
   const DcfgProcess* p = view->p;
   double             own = 0;

   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (is_own_image(&view->g, p->nodes[i].image))
         own += (double)dcfg_node_instrs(p, i, DCFG_ALL_THREADS);
   own /= (double)dcfg_process_instrs(p, DCFG_ALL_THREADS);
   for (uint32_t i = 0; i < p->n_images; i++)
      chosen[i] = own < LITTLE || is_own_image(&view->g, i);
}

void view_code(const RunView* view)
{
   CodeRows c = { .v = view, .wanted = zalloc(view->g.d->n_files + (size_t)1,
                                              sizeof(bool)) };
   bool*    chosen = zalloc(view->p->n_images, sizeof(*chosen));

   choose_images(view, chosen);
   find_lines(&c, chosen);
   put_code(&c);
   put_branches(&c, view);
   put_sources(&c);
   put_hot_lines(&c);
   coverage_free(c.coverage);
   FREE_ALL(c.paths, chosen, c.rows, c.wanted);
}
