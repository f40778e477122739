/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Why a line never ran, and the words for branches that kept code from running. */

/* Owns: the way back from code that never ran to what was executed, and the
   words for it.  Handed: a whole execution trace, debug information, source
   files.

   The way goes from the line to predecessors that never ran.  From the begin of
   a function it goes to direct calls of the function that never ran.  It ends
   at guards: executed instructions that did not go on that way.

   The words for a branch, here and for stores that did not run, tell what its
   condition was.  The condition is "true" or "false" only if the branch's line
   has one condition, and if no keyword between that line and the two sides
   jumps.  Else the words name the line that the branch went to. */

#include "cmd/program/code_graph.h"
#include "cmd/omitted/omitted.h"

#include "cmd/base/format.h"
#include "cmd/program/lines.h"

#include <ctype.h>

#define MOST_GUARDS 16

/* Back: by node, the nodes before it: its predecessors and, for the begin of
   a function, calls of the function. */
typedef
   struct {
      uint32_t* first;
      uint32_t* from;
   }
   Back;

/* SourceLine: the code of a line, and seeds of the graph. */
typedef
   struct {
      OwnCode*  own;
      uint64_t  line;
      uint32_t  near;
      CodeSeed* seeds;          // code of the line
      size_t    n, room;
   }
   SourceLine;

static void add_seed(void* arg, uint64_t addr)
{
   SourceLine* l = arg;

   GROW(l->own->seeds, l->own->n_seeds, l->own->room);
   l->own->seeds[l->own->n_seeds++] = (CodeSeed){ addr, l->near };
}

static void add_line(void* arg, uint64_t line, uint64_t addr, bool own)
{
   SourceLine* l = arg;

   if (line != l->line || !own)
      return;
   add_seed(arg, addr);
   GROW(l->seeds, l->n, l->room);
   l->seeds[l->n++] = (CodeSeed){ addr, l->near };
}

/* Find the code of the line of SOURCE in the program's images.  Add it to the
   seeds, and all functions of its image. */
static void find_line(SourceLine* l, TraceProgram* program, const char* source)
{
   size_t   n = l->own->n_seeds;
   uint32_t image = UINT32_MAX;

   for (size_t i = 0; i < n && l->n == 0; i++) {
      l->near = l->own->seeds[i].near;
      if (dcfg_wet_instr(program->w, l->near)->image == image)
         continue;
      image = dcfg_wet_instr(program->w, l->near)->image;
      if (debug_image_numbered(program, image) != NULL)
         code_of_source(&program->images[image], source, add_line, l);
      if (l->n > 0)
         code_functions(program, l->near, add_seed, l);
   }
}

/*--- The way back                                         ---*/

static Back go_back(const StaticCode* code)
{
   Back   b = { .first = zalloc(code->n + (size_t)2, sizeof(uint32_t)) };
   size_t n = 0;

   for (uint32_t i = 0; i < code->n; i++) {
      const CodeNode* at = &code->nodes[i];
      n += at->n + (at->callee != NO_NODE);
      for (uint32_t k = 0; k < at->n; k++)
         b.first[code_successor(code, i, k) + 1]++;
      if (at->callee != NO_NODE)
         b.first[at->callee + 1]++;
   }
   b.from = zalloc(n + 1, sizeof(*b.from));
   for (uint32_t i = 0; i < code->n; i++)
      b.first[i + 1] += b.first[i];
   for (uint32_t i = code->n; i-- > 0; ) {
      const CodeNode* at = &code->nodes[i];
      for (uint32_t k = 0; k < at->n; k++)
         b.from[--b.first[code_successor(code, i, k) + 1]] = i;
      if (at->callee != NO_NODE)
         b.from[--b.first[at->callee + 1]] = i;
   }
   /* Now first[n + 1] is the begin of node n, and first[n + 2] its end. */
   return b;
}

/* Return the guard at the executed node AT, which did not go on to OTHER.
   TO has, by node, the next node on the way to the line. */
static Guard guard_at(const StaticCode* code, const DcfgSliceTotal* totals,
                      uint32_t at, uint32_t other, const uint32_t* to)
{
   const CodeNode* n = &code->nodes[at];
   uint64_t        times = totals[n->instr].executed;
   unsigned        others = 0;
   Guard           g = { .times = times, .call = n->call };

   g.branch = (OmittedBranch){ .instr = n->instr, .instance = times - 1,
                               .addr = n->addr,
                               .other = code->nodes[other].addr };
   for (uint32_t k = 0; k < n->n; k++) {
      const CodeNode* next = &code->nodes[code_successor(code, at, k)];
      if (next->instr == NO_NODE)
         continue;
      g.branch.taken = next->addr;
      others++;
   }
   if (others != 1)
      g.branch.taken = 0;
   for (uint32_t i = other; to[i] != NO_NODE; i = to[i])
      if (code->nodes[i].callee == to[i]) {
         GROW(g.calls, g.n_calls, g.room);
         g.calls[g.n_calls++] = code->nodes[i].addr;
      }
   return g;
}

static void find_guards(Guards* g, const StaticCode* code,
                        const DcfgSliceTotal* totals, const SourceLine* l)
{
   Back      b = go_back(code);
   uint32_t* to = zalloc(code->n + (size_t)1, sizeof(*to));
   bool*     seen = zalloc(code->n + (size_t)1, sizeof(*seen));
   uint32_t* todo = zalloc(code->n + (size_t)1, sizeof(*todo));
   size_t    n = 0, room = 0;

   for (size_t i = 0; i < l->n; i++) {
      uint32_t at = code_node_at(code, l->seeds[i].addr, l->seeds[i].near);
      if (at == NO_NODE || seen[at] || code->nodes[at].instr != NO_NODE)
         continue;
      seen[at]  = true;
      to[at]    = NO_NODE;
      todo[n++] = at;
   }
   g->uncalled = true;
   for (size_t i = 0; i < n && g->n < MOST_GUARDS; i++) {
      uint32_t at = todo[i];
      uint32_t end = at + 1 == code->n ? b.first[code->n] : b.first[at + 2];
      for (uint32_t k = b.first[at + 1]; k < end; k++) {
         uint32_t from = b.from[k];
         g->uncalled &= code->nodes[from].callee != at
                        && code->nodes[from].instr == NO_NODE;
         if (seen[from])
            continue;
         seen[from] = true;
         if (code->nodes[from].instr == NO_NODE) {
            to[from]  = at;
            todo[n++] = from;
         } else if (code->nodes[from].callee != at) {
            GROW(g->all, g->n, room);
            g->all[g->n++] = guard_at(code, totals, from, at, to);
         }
      }
   }
   FREE_ALL(b.first, b.from, to, seen, todo);
}

Guards guards_find(TraceProgram* program, const DcfgSliceTotal* totals,
                   const char* source, uint64_t line)
{
   DcfgWet*    wet = program->w;
   Guards      g = { .program = program };
   OwnCode     own = own_code_find(wet, NULL, totals);
   SourceLine  l = { .own = &own, .line = line };
   StaticCode* c;

   find_line(&l, program, source);
   if (l.n > 0) {
      g.near = l.near;
      g.line = l.seeds[0].addr;
      c = code_graph_new(program, own.executed, own.seeds, own.n_seeds);
      find_guards(&g, c, totals, &l);
      code_graph_free(c);
   }
   free(l.seeds);
   own_code_free(&own);
   return g;
}

void guards_free(Guards* g)
{
   for (size_t i = 0; i < g->n; i++)
      free(g->all[i].calls);
   free(g->all);
}

/*--- Words                                                ---*/

const char* code_text(TraceProgram* v, uint32_t near, uint64_t addr,
                      const char* source)
{
   const char* file;
   uint32_t    line = code_line(v, near, addr, &file);

   if (line == 0)
      return text_format("0x%" PRIx64, addr);
   if (source != NULL && strcmp(text_base(source), text_base(file)) == 0)
      return text_format("line %" PRIu32, line);
   return text_clean(text_format("%s:%" PRIu32, text_base(file), line));
}

/* Return whether TEXT, of SIZE bytes, has WORD. */
static bool has_word(const char* text, size_t size, const char* word)
{
   size_t n = strlen(word);

   for (size_t i = 0; i + n <= size; i++)
      if (memcmp(text + i, word, n) == 0
          && (!isalpha((unsigned char)word[0])
              || ((i == 0 || !isalnum((unsigned char)text[i - 1]))
                  && (i + n == size
                      || !isalnum((unsigned char)text[i + n])))))
         return true;
   return false;
}

/* Return whether a line from FIRST to LAST has one of WORDS, which end with
   NULL. */
static bool have_word(const SourceFile* f, uint32_t first, uint32_t last,
                      const char* const* words)
{
   for (uint32_t line = first; line <= last; line++) {
      size_t      size = 0;
      const char* text = source_file_line(f, line, &size);
      for (unsigned k = 0; text != NULL && words[k] != NULL; k++)
         if (has_word(text, size, words[k]))
            return true;
   }
   return false;
}

/* Return 1 if the condition in line BRANCH was true, 0 if it was false, -1
   if that is not known.  TAKEN and OTHER are the lines of its sides. */
static int value_of(const SourceFile* f, uint32_t branch, uint32_t taken,
                    uint32_t other)
{
   static const char* const jumps[] = { "break", "continue", "goto", "return",
                                        "throw", "case", "default", "&&", "||",
                                        "?", NULL };
   static const char* const conditions[] = { "if", "while", "for", NULL };
   static const char* const loops[] = { "for", "while", "do", NULL };
   static const char* const elses[] = { "else", NULL };
   uint32_t first = taken < other ? taken : other;

   if (first <= branch || taken == other
       || !have_word(f, branch, branch, conditions)
       || have_word(f, branch, first - 1, jumps))
      return -1;
   if (other < taken)
      return 0;
   return !have_word(f, branch, branch, loops)
          && have_word(f, taken, other, elses) ? 1 : -1;
}

const char* direction_text(TraceProgram* v, uint32_t near, uint64_t addr,
                           uint64_t taken, uint64_t other)
{
   const char* source;
   const char* side;
   uint32_t    line = code_line(v, near, addr, &source);
   uint32_t    to = 0, from = 0;
   SourceFile* f = line == 0 ? NULL : source_file_open(source);
   int         value = -1;

   if (f != NULL) {
      bool here;
      to   = code_line(v, near, taken, &side);
      here = to != 0 && strcmp(side, source) == 0;
      from = code_line(v, near, other, &side);
      if (here && from != 0 && strcmp(side, source) == 0)
         value = value_of(f, line, to, from);
      source_file_close(f);
   }
   if (value >= 0)
      return value > 0 ? "was true" : "was false";
   return text_format("went to %s",
                      to == line ? text_format("0x%" PRIx64, taken)
                      : code_text(v, near, taken, source));
}
