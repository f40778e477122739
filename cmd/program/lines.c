/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the text of a source file; the source lines of an instruction: its
   own, and the calls of inlined functions around it; lines without code.
   Handed: a path; a whole execution trace and sites.

   The trace has the line of each instruction; debug information has the
   inlined functions.  A path of debug information is replaced by the trace's
   path of the same file.

   An optimizing compiler writes a row where a statement would begin, even if
   the code of the next statement begins there, too.  If all rows of a line
   are such ones, the code of other lines does the line's work: the line is
   merged. */

#include "cmd/program/lines.h"

#include "cmd/base/format.h"
#include "cmd/base/keymap.h"
#include "cmd/program/elf_file.h"
#include "cmd/program/recording.h"

#include <dwarf.h>
#include <sys/stat.h>

/* MergedLine: a statement that the compiler merged with others, and the address
   where it would begin. */
typedef
   struct {
      uint64_t    pc;           // address of the file
      const char* path;         // valid while the image is open
      uint32_t    line;
   }
   MergedLine;

/* MergedLines: the merged lines of the units asked for so far. */
typedef struct MergedLines MergedLines;

struct SourceFile {
   char*    text;
   size_t   size;
   size_t*  starts;             // begin of each line, and the end of the last
   uint32_t n_lines;
};

/* Largest size: the path is from a recording, and the file may be endless. */
#define MAX_SIZE ((size_t)64 << 20)

/* Return the contents of F; NULL if it cannot be read. */
static char* read_all(FILE* f, size_t* size)
{
   size_t room = 0;
   char*  text = NULL;

   *size = 0;
   do {
      room = room == 0 ? 1 << 16 : 2 * room;
      text = need(realloc(text, room));
      *size += fread(text + *size, 1, room - *size, f);
   } while (*size == room && room < MAX_SIZE);
   if (ferror(f)) {
      free(text);
      return NULL;
   }
   return text;
}

static void find_lines(SourceFile* f)
{
   size_t room = 0, n = 0;

   for (size_t at = 0; at < f->size; ) {
      const char* end = memchr(f->text + at, '\n', f->size - at);
      GROW(f->starts, n, room);
      f->starts[n++] = at;
      at = end == NULL ? f->size + 1 : (size_t)(end - f->text) + 1;
      if (n == UINT32_MAX)
         break;
   }
   GROW(f->starts, n, room);
   f->starts[n] = f->size == 0 || f->text[f->size - 1] == '\n' ? f->size
                  : f->size + 1;
   f->n_lines   = (uint32_t)n;
}

SourceFile* source_file_open(const char* path)
{
   int         fd = open_regular(path);
   FILE*       in;
   SourceFile* f;

   if (fd < 0)
      return NULL;
   in = need(fdopen(fd, "r"));
   f = zalloc(1, sizeof(*f));
   f->text = read_all(in, &f->size);
   fclose(in);
   if (f->text == NULL) {
      free(f);
      return NULL;
   }
   find_lines(f);
   return f;
}

void source_file_close(SourceFile* f)
{
   if (f == NULL)
      return;
   FREE_ALL(f->text, f->starts, f);
}

uint32_t source_file_lines(const SourceFile* f)
{
   return f->n_lines;
}

const char* source_file_line(const SourceFile* f, uint32_t n, size_t* length)
{
   if (n == 0 || n > f->n_lines)
      return NULL;
   *length = f->starts[n] - f->starts[n - 1] - 1;
   if (*length > 0 && f->text[f->starts[n - 1] + *length - 1] == '\r')
      --*length;
   return f->text + f->starts[n - 1];
}

const char* source_file_code(const SourceFile* f, uint32_t n, size_t* length)
{
   const char* line = f == NULL ? NULL : source_file_line(f, n, length);

   while (line != NULL && *length > 0 && (*line == ' ' || *line == '\t')) {
      line++;
      --*length;
   }
   return line;
}

const char* source_text(const char* path, uint32_t n)
{
   SourceFile* f = n == 0 ? NULL : source_file_open(path);
   size_t      length = 0;
   const char* line = source_file_code(f, n, &length);
   const char* text = line == NULL ? "" : text_clean_line(line, length);

   source_file_close(f);
   return text;
}

void source_reader_close(SourceReader* r)
{
   source_file_close(r->file);
   free(r->path);
   r->file = NULL;
   r->path = NULL;
}

char* source_reader_code(SourceReader* r, const char* path, uint32_t n)
{
   size_t      length = 0;
   const char* line;

   if (r->path == NULL || strcmp(r->path, path) != 0) {
      source_reader_close(r);
      r->path = text_copy(path);
      r->file = path[0] == '/' || r->relative ? source_file_open(path) : NULL;
   }
   line = source_file_code(r->file, n, &length);
   return text_format("%.*s", (int)length, line != NULL ? line : "");
}

typedef
   struct {
      MergedLine* lines;        // by .pc
      size_t      n;
   }
   Unit;

struct MergedLines {
   KeyMap* numbers;             // a number for each unit
   Unit*   units;
   size_t  n, room;
};

static MergedLines* merged_lines_new(void)
{
   MergedLines* m = zalloc(1, sizeof(*m));

   m->numbers = keymap_new();
   return m;
}

static void merged_lines_free(MergedLines* m)
{
   for (size_t i = 0; i < m->n; i++)
      free(m->units[i].lines);
   free(m->units);
   keymap_free(m->numbers);
   free(m);
}

COMPARE(by_line, MergedLine,
        ORDER((uintptr_t)x->path, (uintptr_t)y->path) ?: UP(line))
COMPARE(by_pc, MergedLine, UP(pc) ?: by_line(x, y))

/* Divide the rows that begin a statement into those with code, and those
   without. */
static void read_rows(Dwarf_Lines* table, size_t n, MergedLine* with,
                      size_t* n_with, MergedLine* without, size_t* n_without)
{
   for (size_t i = 0; i + 1 < n; i++) {
      Dwarf_Line* at = dwarf_onesrcline(table, i);
      MergedLine  row = { .path = dwarf_linesrc(at, NULL, NULL) };
      Dwarf_Addr  next;
      int         line;
      bool        end, begins;
      if (row.path == NULL || dwarf_lineno(at, &line) != 0 || line <= 0
          || dwarf_lineendsequence(at, &end) != 0 || end
          || dwarf_linebeginstatement(at, &begins) != 0
          || dwarf_lineaddr(at, &row.pc) != 0
          || dwarf_lineaddr(dwarf_onesrcline(table, i + 1), &next) != 0)
         continue;
      row.line = (uint32_t)line;
      if (next != row.pc)
         with[(*n_with)++] = row;
      else if (begins && !is_of_system(row.path))
         without[(*n_without)++] = row;
   }
}

static void read_unit(Unit* u, Dwarf_Die* unit)
{
   Dwarf_Lines* table;
   size_t       n, n_with = 0, n_without = 0;
   MergedLine*  with;

   if (dwarf_getsrclines(unit, &table, &n) != 0)
      return;
   with     = zalloc(n + 1, sizeof(*with));
   u->lines = zalloc(n + 1, sizeof(*u->lines));
   read_rows(table, n, with, &n_with, u->lines, &n_without);
   qsort(with, n_with, sizeof(*with), by_line);
   for (size_t i = 0; i < n_without; i++)
      if (bsearch(&u->lines[i], with, n_with, sizeof(*with), by_line) == NULL)
         u->lines[u->n++] = u->lines[i];
   qsort(u->lines, u->n, sizeof(*u->lines), by_pc);
   n_without = u->n;
   u->n      = 0;
   for (size_t i = 0; i < n_without; i++)
      if (i == 0 || by_pc(&u->lines[i - 1], &u->lines[i]) != 0)
         u->lines[u->n++] = u->lines[i];
   free(with);
}

/* Return the number of merged lines at S's address, without those in headers of
   the distribution.  *LINES gets them, until the next call. */
static size_t merged_lines_at(MergedLines* m, const Site* s, const MergedLine** lines)
{
   Dwarf_Die unit = s->unit;
   uint32_t  k = keymap_number(m->numbers, (uint64_t)(uintptr_t)unit.addr);
   size_t    low = 0, n = 0;

   if (k == m->n) {
      GROW(m->units, m->n, m->room);
      m->units[m->n] = (Unit){ .n = 0 };
      read_unit(&m->units[m->n++], &unit);
   }
   BISECT(low, m->units[k].n, middle, m->units[k].lines[middle].pc < s->pc);
   *lines = m->units[k].lines + low;
   while (low + n < m->units[k].n && (*lines)[n].pc == s->pc)
      n++;
   return n;
}

/* Merged lines at one address, at most. */
#define MOST_MERGED 8

struct CodeLines {
   DcfgWet*     w;
   TraceProgram* program;
   const char** sources;        // paths of the trace, each once
   size_t       n_sources, sources_room;
   KeyMap*      numbers;        // by path of debug information: number in
                                // .paths
   const char** paths;          // by number: the trace's path
   size_t       n_paths, paths_room;
   MergedLines* merged;
   CodeLine     lines[MOST_SCOPES + 1 + MOST_MERGED];   // the last answer
   CodeLine*    innermost;      // by instruction, made when needed
   CodeLine*    told;           // likewise: .innermost, or what the trace has
   bool*        known;          // by instruction: .innermost is made
};

static void add_source(CodeLines* c, const char* source)
{
   for (size_t i = c->n_sources; i-- > 0; )
      if (strcmp(c->sources[i], source) == 0)
         return;
   GROW(c->sources, c->n_sources, c->sources_room);
   c->sources[c->n_sources++] = source;
}

CodeLines* code_lines_new(TraceProgram* p)
{
   CodeLines*  c = zalloc(1, sizeof(*c));
   const char* last = NULL;

   c->w       = p->w;
   c->program = p;
   c->numbers = keymap_new();
   c->merged  = merged_lines_new();
   /* Sources of libraries stand behind: the end of a path may fit both. */
   for (int system = 0; system < 2; system++)
      for (uint32_t i = 0; i < dcfg_wet_instrs(p->w); i++) {
         const char* source = dcfg_wet_instr(p->w, i)->source;
         if (source != NULL && source != last
             && is_of_system(source) == system)
            add_source(c, source);
         last = source;
      }
   return c;
}

void code_lines_free(CodeLines* c)
{
   if (c == NULL)
      return;
   keymap_free(c->numbers);
   merged_lines_free(c->merged);
   FREE_ALL(c->sources, c->innermost, c->told, c->known, c->paths, c);
}

/*--- Paths                                                ---*/

/* Is PATH the end of WHOLE, from a directory's name on? */
static bool is_end_of(const char* whole, const char* path)
{
   size_t n = strlen(whole), k = strlen(path);

   return path[0] != '/' && n > k && whole[n - k - 1] == '/'
          && strcmp(whole + n - k, path) == 0;
}

bool is_same_source(const char* a, const char* b)
{
   struct stat x, y;

   return strcmp(text_base(a), text_base(b)) == 0
          && (strcmp(a, b) == 0 || is_end_of(a, b) || is_end_of(b, a)
              || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev
                  && x.st_ino == y.st_ino));
}

/* Return the trace's path of the same file as PATH. */
static const char* source_of(CodeLines* c, const char* path)
{
   uint32_t k = keymap_number(c->numbers, (uint64_t)(uintptr_t)path);

   if (k < c->n_paths)
      return c->paths[k];
   GROW(c->paths, c->n_paths, c->paths_room);
   c->paths[c->n_paths++] = path;
   for (size_t i = 0; i < c->n_sources; i++)
      if (is_same_source(c->sources[i], path)) {
         c->paths[k] = c->sources[i];
         break;
      }
   return c->paths[k];
}

/*--- Scopes                                               ---*/

/* Return the linkage name of SCOPE, or its name in the source, or NULL. */
static const char* name_of(Dwarf_Die* scope)
{
   static const unsigned names[] = { DW_AT_linkage_name,
                                     DW_AT_MIPS_linkage_name };
   Dwarf_Attribute attr;

   for (unsigned i = 0; i < 2; i++)
      if (dwarf_attr_integrate(scope, names[i], &attr) != NULL
          && dwarf_formstring(&attr) != NULL)
         return dwarf_formstring(&attr);
   return dwarf_diename(scope);
}

static bool number_of(Dwarf_Die* die, unsigned name, Dwarf_Word* number)
{
   Dwarf_Attribute attr;

   return dwarf_attr(die, name, &attr) != NULL
          && dwarf_formudata(&attr, number) == 0;
}

/* Return the line that calls the inlined function SCOPE; line 0 if it is not
   known. */
static CodeLine call_of(CodeLines* c, Dwarf_Die* scope)
{
   Dwarf_Word   file, line;
   Dwarf_Files* files;
   size_t       n;
   Dwarf_Die    unit;
   const char*  path;

   if (!number_of(scope, DW_AT_call_line, &line) || line > UINT32_MAX
       || !number_of(scope, DW_AT_call_file, &file)
       || dwarf_diecu(scope, &unit, NULL, NULL) == NULL
       || dwarf_getsrcfiles(&unit, &files, &n) != 0
       || (path = dwarf_filesrc(files, file, NULL, NULL)) == NULL)
      return (CodeLine){ .line = 0 };
   return (CodeLine){ .source = source_of(c, path), .line = (uint32_t)line };
}

/* Add L, a line of FUNCTION, unless it is in a header of the distribution. */
static unsigned add(CodeLines* c, unsigned n, CodeLine l, const char* function)
{
   l.function = function;
   if (l.line == 0 || l.source == NULL || is_of_system(l.source))
      return n;
   c->lines[n] = l;
   return n + 1;
}

/* Return whether L is the declaration of a function around S, which executes
   nothing. */
static bool is_head(CodeLines* c, const Site* s, const CodeLine* l)
{
   for (int k = 0; k < s->n_scopes; k++) {
      Dwarf_Die   scope = s->scopes[k];
      const char* path;
      int         line;
      if ((dwarf_tag(&scope) == DW_TAG_subprogram
           || dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
          && dwarf_decl_line(&scope, &line) == 0 && (uint32_t)line == l->line
          && (path = declaring_file(&scope)) != NULL
          && source_of(c, path) == l->source)
         return true;
   }
   return false;
}

static unsigned add_merged(CodeLines* c, unsigned n, const Site* s)
{
   const MergedLine* lines;
   size_t            all = merged_lines_at(c->merged, s, &lines);

   for (size_t i = 0; i < all && n < MOST_SCOPES + 1 + MOST_MERGED; i++) {
      CodeLine l = { .source = source_of(c, lines[i].path),
                     .line = lines[i].line, .merged = true };
      if (!is_head(c, s, &l))
         c->lines[n++] = l;
   }
   return n;
}

unsigned code_lines(CodeLines* c, uint32_t instr, const CodeLine** lines)
{
   const DcfgWetInstr in = *dcfg_wet_instr(c->w, instr);
   Site               s;
   CodeLine           l = { .source = in.source, .line = in.line };
   unsigned           n = 0;

   *lines = c->lines;
   if (in.line == 0)
      return 0;
   if (!site_scopes(c->program, instr, in.addr, &s))
      return add(c, n, l, in.function);
   for (int k = s.n_scopes; k-- > 1; )
      if (dwarf_tag(&s.scopes[k]) == DW_TAG_inlined_subroutine) {
         n = add(c, n, l, name_of(&s.scopes[k]));
         l = call_of(c, &s.scopes[k]);
      }
   n = add(c, n, l, in.function);
   return n == 0 ? 0 : add_merged(c, n, &s);
}

static void find_line(CodeLines* c, uint32_t instr)
{
   uint32_t            n = dcfg_wet_instrs(c->w);
   const CodeLine*     lines;
   const DcfgWetInstr* in;

   if (c->known == NULL) {
      c->known     = zalloc(n + (size_t)1, sizeof(*c->known));
      c->innermost = zalloc(n + (size_t)1, sizeof(*c->innermost));
      c->told      = zalloc(n + (size_t)1, sizeof(*c->told));
   }
   if (c->known[instr])
      return;
   c->known[instr] = true;
   if (code_lines(c, instr, &lines) > 0)
      c->innermost[instr] = lines[0];
   in = dcfg_wet_instr(c->w, instr);
   c->told[instr] = c->innermost[instr].line != 0 ? c->innermost[instr]
                    : (CodeLine){ .source = in->source, .line = in->line,
                                  .function = in->function };
}

CodeLine innermost_line(CodeLines* c, uint32_t instr)
{
   find_line(c, instr);
   return c->innermost[instr];
}

CodeLine told_line(CodeLines* c, uint32_t instr)
{
   find_line(c, instr);
   return c->told[instr];
}
