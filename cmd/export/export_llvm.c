/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export --bolt, --profgen, --mca: what LLVM's programs read. */

/* Owns: the input of BOLT and llvm-profgen, in place of branch records; the
   loops that llvm-mca gets, and the path through each; how all forms print the
   commands that users copy.  Handed: images whose files are what was executed;
   names of files and programs.

   A processor's branch record has the source and target of a taken branch; the
   code between two records ran straight.  The graph gives both: a taken edge
   with count N is N branches, and a block with count N is N stretches from its
   first instruction to its last.  Addresses are those of the ELF file.

   llvm-mca simulates a straight sequence of instructions, repeated.  The
   sequence of a loop follows the most frequent edge from block to block,
   beginning at the head.  It ends before the head or another block that it
   already has. */

#include "cmd/export/export.h"

#include "cmd/base/result.h"

#include <ctype.h>
#include <gelf.h>
#include <glob.h>

/*--- Commands that come next                              ---*/

/* Return TEXT and SUFFIX quoted as one word for a shell. */
const char* shell_word(const char* text, const char* suffix)
{
   bool        plain = text[0] != 0;
   const char* quoted = "";

   for (const char* s = text; *s != 0; s++)
      plain = plain && (isalnum((unsigned char)*s)
                        || strchr("_-./+,:@%=", *s) != NULL);
   if (plain)
      return text_format("%s%s", text, suffix);
   if (text_clean(text) != text) {
      /* Write a name with hidden characters as bash's $'...', with octal
         numbers. */
      for (const char* s = text; *s != 0; s++)
         quoted = text_format(strchr("'\\", *s) != NULL || *s < ' ' || *s > '~'
                              ? "%s\\%03o" : "%s%c", quoted,
                              (unsigned char)*s);
      return text_format("$'%s%s'", quoted, suffix);
   }
   for (const char* s = text; *s != 0; s++)
      quoted = *s == '\'' ? text_format("%s'\\''", quoted)
               : text_format("%s%c", quoted, *s);
   return text_format("'%s%s'", quoted, suffix);
}

/* Return the path of a program of LLVM, the newest version's; its name alone if
   it is not installed.  Debian has a directory for each version.  Links with a
   version, such as perf2bolt-19, do not work: the program acts by the name
   under which it is called. */
static const char* llvm_program(const char* name)
{
   glob_t      found;
   const char* best = name;
   int         newest = 0, version;

   if (glob(text_format("/usr/lib/llvm-*/bin/%s", name), 0, NULL, &found)
       != 0)
      return name;
   for (size_t i = 0; i < found.gl_pathc; i++)
      if (sscanf(found.gl_pathv[i], "/usr/lib/llvm-%d", &version) == 1
          && version > newest) {
         newest = version;
         best = text_format("%s", found.gl_pathv[i]);
      }
   globfree(&found);
   return best;
}

/* OUTSIDE: the address of code in another file or in none. */
/*--- Flows: what branch records would say                 ---*/

#define OUTSIDE UINT64_MAX

typedef
   struct {
      uint64_t from, to, count;
   }
   Flow;

typedef
   struct {
      Flow*  flows;
      size_t n, room;
   }
   Flows;

typedef
   struct {
      const Export* x;
      Flows         branches;   // from an instruction to its target
      Flows         falls;      // from an instruction to the next one
      Flows         blocks;     // from a block's first instruction to its last
      uint64_t      left_out[DCFG_EDGE_OTHER + 1];      // edges by type
   }
   Profile;

/*--- Flows: lists                                         ---*/

static void add(Flows* f, uint64_t from, uint64_t to, uint64_t count)
{
   if (count == 0)
      return;
   GROW(f->flows, f->n, f->room);
   f->flows[f->n++] = (Flow){ from, to, count };
}

COMPARE(by_address, Flow, UP(from) ?: UP(to))

/* Join flows with equal addresses.  Several images may be of one file, and
   several targets may be OUTSIDE. */
static void sum_up(Flows* f)
{
   size_t n = 0;

   if (f->n == 0)
      return;
   qsort(f->flows, f->n, sizeof(*f->flows), by_address);
   for (size_t i = 1; i < f->n; i++) {
      Flow* last = &f->flows[n];
      if (by_address(last, &f->flows[i]) != 0)
         f->flows[++n] = f->flows[i];
      else
         add_count(&last->count, f->flows[i].count);
   }
   f->n = n + 1;
}

/*--- Flows: from the graph                                ---*/

/* Return the address in the file of the byte at OFFSET in a block, or
   OUTSIDE. */
static uint64_t file_addr(const Export* export, uint32_t node, uint32_t offset)
{
   const DcfgNode* n = &export->p->nodes[node];
   uint64_t        at;

   if (n->kind != DCFG_NODE_BLOCK || n->image >= export->p->n_images
       || !export->chosen[n->image]
       || !code_file_addr(export->code, n->image, n->addr + offset, &at))
      return OUTSIDE;
   return at;
}

/* Return the address in the file of a block's last instruction, or OUTSIDE. */
static uint64_t end_addr(const Export* export, uint32_t node)
{
   return file_addr(export, node, export->p->nodes[node].last_offset);
}

/* Return how often straight code entered and left the block.  A block that
   repeats itself is one instruction: leave its repetitions out. */
static uint64_t passes(const Export* export, uint32_t node)
{
   uint64_t        n = dcfg_node_executions(export->p, node, export->thread);
   uint32_t        edge = dcfg_edge_between(export->p, node, node);
   uint64_t        again = 0;

   if (edge != DCFG_NONE && export->p->edges[edge].type == DCFG_EDGE_REP)
      again = dcfg_edge_count(export->p, edge, export->thread);
   return n > again ? n - again : 0;
}

static bool is_branch(DcfgEdgeType type)
{
   return type == DCFG_EDGE_RETURN || dcfg_is_call(type)
          || (dcfg_is_local(type) && !dcfg_is_bypass(type)
              && type != DCFG_EDGE_REP && type != DCFG_EDGE_FALL_THROUGH);
}

/* Return whether the edge's target follows its source in memory. */
static bool is_next(const DcfgProcess* process, const DcfgEdge* e)
{
   const DcfgNode* n = &process->nodes[e->source];

   return n->addr + n->size == process->nodes[e->target].addr;
}

/* Add the ways from a call to block NODE behind it: as many as returns to NODE.
   The graph has no count for them, and NODE may also be the target of jumps. */
static void take_returns(Profile* f, uint32_t node)
{
   const Export*   x = f->x;
   uint32_t        n, call = DCFG_NONE;
   const uint32_t* edges = dcfg_in_edges(x->p, node, &n);
   uint64_t        returns = 0;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &x->p->edges[edges[i]];
      if (e->type == DCFG_EDGE_RETURN)
         returns += dcfg_edge_count(x->p, edges[i], x->thread);
      else if (e->type == DCFG_EDGE_CALL_BYPASS && is_next(x->p, e))
         call = e->source;
   }
   if (call != DCFG_NONE && end_addr(x, call) != OUTSIDE)
      add(&f->falls, end_addr(x, call), file_addr(x, node, 0), returns);
}

static void take_edge(Profile* f, uint32_t edge)
{
   const Export*   x = f->x;
   const DcfgEdge* e = &x->p->edges[edge];
   uint64_t        from = end_addr(x, e->source);
   uint64_t        to = file_addr(x, e->target, 0);
   uint64_t        count = dcfg_edge_count(x->p, edge, x->thread);

   if (count == 0 || (from == OUTSIDE && to == OUTSIDE)
       || (!is_selected(x->selected, e->source)
           && !is_selected(x->selected, e->target)))
      return;
   if (is_branch(e->type)) {
      add(&f->branches, from, to, count);
   } else if (e->type == DCFG_EDGE_CONTEXT_CHANGE) {
      /* The kernel's call of a signal handler. */
      if (to != OUTSIDE)
         add(&f->branches, OUTSIDE, to, count);
   } else if (from != OUTSIDE && to != OUTSIDE
              && (e->type == DCFG_EDGE_FALL_THROUGH
                  || ((e->type == DCFG_EDGE_SYSTEM_CALL_BYPASS
                       || e->type == DCFG_EDGE_EXCLUDED_CODE_BYPASS)
                      && is_next(x->p, e)))) {
      add(&f->falls, from, to, count);
   } else if (e->type != DCFG_EDGE_ENTRY && e->type != DCFG_EDGE_EXIT
              && e->type != DCFG_EDGE_REP) {
      add_count(&f->left_out[e->type], count);
   }
}

/* Make the profile.  LEFT_OUT: blocks whose straight code is left out, or
   NULL. */
static Profile make_profile(const Export* export, const bool* left_out)
{
   Profile f = { .x = export };

   for (uint32_t i = 0; i < export->p->n_blocks; i++) {
      uint64_t from = file_addr(export, i, 0);
      if (from == OUTSIDE || !is_selected(export->selected, i))
         continue;
      if (left_out == NULL || !left_out[i])
         add(&f.blocks, from, end_addr(export, i), passes(export, i));
      take_returns(&f, i);
   }
   for (uint32_t i = 0; i < export->p->n_edges; i++)
      take_edge(&f, i);
   sum_up(&f.blocks);
   sum_up(&f.falls);
   sum_up(&f.branches);
   for (int i = 0; i <= DCFG_EDGE_OTHER; i++)
      if (f.left_out[i] > 0)
         complain("left out: %s of %s, which is no branch",
                  text_count(f.left_out[i]), dcfg_edge_type_text((DcfgEdgeType)i));
   return f;
}

static void free_profile(Profile* f)
{
   FREE_ALL(f->blocks.flows, f->falls.flows, f->branches.flows);
}

/*--- The file that a next command takes                   ---*/

/* Return an image of the chosen file. */
static uint32_t chosen_image(const Export* export)
{
   uint32_t i = 0;

   while (i < export->p->n_images && !export->chosen[i])
      i++;
   return i;
}

static const char* chosen_file(const Export* export)
{
   uint32_t i = chosen_image(export);

   return i < export->p->n_images ? code_path(export->code, i) : "";
}

/*--- BOLT                                                 ---*/

static void put_fall(FILE* out, const Flow* f)
{
   fprintf(out, "F %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", f->from, f->to,
           f->count);
}

static void put_place(FILE* out, uint64_t at)
{
   if (at == OUTSIDE)
      fputs(" X:0", out);
   else
      fprintf(out, " %" PRIx64, at);
}

/* Return whether ADDR is in a linkage table. */
static bool in_linkage_table(Elf* elf, uint64_t addr)
{
   Elf_Scn* scn = NULL;
   size_t   names;

   if (elf_getshdrstrndx(elf, &names) != 0)
      return false;
   while ((scn = elf_nextscn(elf, scn)) != NULL) {
      GElf_Shdr   h;
      const char* name;
      if (gelf_getshdr(scn, &h) == NULL || addr < h.sh_addr
          || addr - h.sh_addr >= h.sh_size
          || (h.sh_flags & SHF_EXECINSTR) == 0)
         continue;
      name = elf_strptr(elf, names, h.sh_name);
      return name != NULL && (strncmp(name, ".plt", 4) == 0
                              || strcmp(name, ".iplt") == 0);
   }
   return false;
}

/* Return, by block, whether it is a stub of a linkage table.  Stubs are no
   functions with blocks for BOLT: it would count their straight code as
   mismatches. */
static bool* find_stubs(const Export* export)
{
   bool* stubs = zalloc(export->p->n_blocks, sizeof(*stubs));

   for (uint32_t i = 0; i < export->p->n_blocks; i++) {
      uint64_t at = file_addr(export, i, 0);
      stubs[i] = at != OUTSIDE
                 && in_linkage_table(code_elf(export->code,
                                              export->p->nodes[i].image), at);
   }
   return stubs;
}

/* Linked: parts of the file that BOLT needs and the linker may have removed. */
typedef
   struct {
      bool symbols;
      bool relocations;         // those of code
   }
   Linked;

/* Find out which parts ELF has; none if ELF is NULL. */
static Linked find_linked(Elf* elf)
{
   Linked   l = { false, false };
   Elf_Scn* s = NULL;

   while (elf != NULL && (s = elf_nextscn(elf, s)) != NULL) {
      GElf_Shdr header;
      if (gelf_getshdr(s, &header) == NULL)
         continue;
      l.symbols = l.symbols || header.sh_type == SHT_SYMTAB;
      l.relocations = l.relocations
                      || ((header.sh_type == SHT_RELA
                           || header.sh_type == SHT_REL)
                          && (header.sh_flags & SHF_ALLOC) == 0);
   }
   return l;
}

/* Return whether the chosen file is a library. */
static bool is_library(const Export* export)
{
   return strcmp(image_file(&export->g, chosen_image(export)),
                 image_file(&export->g, 0)) != 0;
}

/* Print the commands that take the written file. */
static void say_bolt(const Export* export, const char* file)
{
   Linked l = find_linked(code_elf(export->code, chosen_image(export)));

   if (!l.symbols) {
      complain("%s is stripped: BOLT needs the symbols of a program, and what "
               "-Wl,-q leaves in it; record a build that has them", file);
      return;
   }
   if (!l.relocations)
      complain("%s was linked without -Wl,-q: BOLT needs that to move "
               "functions; record a build that was linked with it", file);
   say_next("next, with a %s that was linked with -Wl,-q and compiled, by gcc "
            "or clang,\nwith %s (else BOLT leaves some functions with a switch "
            "as they\nare), and by gcc with -fno-reorder-blocks-and-partition "
            "(else those with parts\nelsewhere):\n"
            "  %s -pa -p %s -o %s %s\n"
            "  %s %s -o %s -data=%s -reorder-blocks=ext-tsp "
            "-reorder-functions=cdsort -split-functions -split-all-cold "
            "-dyno-stats\n",
            is_library(export) ? "library" : "program",
            is_library(export) ? "-fno-jump-tables" : "-fno-pie -no-pie",
            llvm_program("perf2bolt"), shell_word(export->out_name, ""),
            shell_word(export->out_name, ".fdata"), shell_word(file, ""),
            llvm_program("llvm-bolt"), shell_word(file, ""), shell_word(file, ".bolt"),
            shell_word(export->out_name, ".fdata"));
}

static void write_bolt(const Export* export)
{
   bool*       stubs = find_stubs(export);
   Profile     f = make_profile(export, stubs);
   const char* file = chosen_file(export);

   free(stubs);
   for (size_t i = 0; i < f.blocks.n; i++)
      put_fall(export->out, &f.blocks.flows[i]);
   for (size_t i = 0; i < f.falls.n; i++)
      put_fall(export->out, &f.falls.flows[i]);
   for (size_t i = 0; i < f.branches.n; i++) {
      const Flow* b = &f.branches.flows[i];
      putc('B', export->out);
      put_place(export->out, b->from);
      put_place(export->out, b->to);
      fprintf(export->out, " %" PRIu64 " 0\n", b->count);
   }
   free_profile(&f);
   say_bolt(export, file);
}

/*--- llvm-profgen                                         ---*/

/* Return whether F is within the file: llvm-profgen knows no other flows. */
static bool inside(const Flow* f)
{
   return f->from != OUTSIDE && f->to != OUTSIDE;
}

static void write_profgen(const Export* export)
{
   Profile     f = make_profile(export, NULL);
   const char* file = chosen_file(export);
   size_t      n = 0;
   uint64_t    across = 0;

   fprintf(export->out, "%zu\n", f.blocks.n);
   for (size_t i = 0; i < f.blocks.n; i++) {
      const Flow* b = &f.blocks.flows[i];
      fprintf(export->out, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", b->from,
              b->to, b->count);
   }
   for (size_t i = 0; i < f.branches.n; i++)
      n += inside(&f.branches.flows[i]);
   fprintf(export->out, "%zu\n", n);
   for (size_t i = 0; i < f.branches.n; i++) {
      const Flow* b = &f.branches.flows[i];
      if (inside(b))
         fprintf(export->out, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", b->from,
                 b->to, b->count);
      else
         add_count(&across, b->count);
   }
   free_profile(&f);
   if (across > 0)
      complain("left out: %s branches to other files or from them; "
               "llvm-profgen reads the branches of one file",
               text_count(across));
   say_next("next, with a program that clang compiled with -g "
            "-fdebug-info-for-profiling:\n"
            "  %s --unsymbolized-profile=%s --use-offset=0 --binary=%s "
            "--output=%s\n"
            "  %s -fprofile-sample-use=%s ...\n"
            "(without --use-offset=0 llvm-profgen takes addresses for offsets "
            "and misplaces them all)\n",
            llvm_program("llvm-profgen"), shell_word(export->out_name, ""),
            shell_word(file, ""), shell_word(export->out_name, ".prof"),
            llvm_program("clang"), shell_word(export->out_name, ".prof"));
}

const ExportForm export_form_bolt = {
   .choice = { "bolt",
               "the pre-aggregated profile of LLVM's BOLT, for "
               "perf2bolt -pa", NULL },
   .one_file = true, .code = true, .parts = true, .text = true,
   .write = write_bolt
};

const ExportForm export_form_profgen = {
   .choice = { "profgen",
               "the unsymbolized profile of llvm-profgen, which turns it into "
               "a profile for clang -fprofile-sample-use", NULL },
   .one_file = true, .code = true, .parts = true, .text = true,
   .write = write_profgen
};

/*--- llvm-mca                                             ---*/

/* The number of loops that are exported if the user names none: the hottest. */
#define MAX_LOOPS 10

typedef
   struct {
      uint32_t loop;
      uint64_t instrs;
   }
   Hot;

COMPARE(by_instrs, Hot, DOWN(instrs) ?: UP(loop))

/* Return how often control continued along this edge.  Past a call: as often as
   the call was made. */
static uint64_t traversals(const Export* export, uint32_t edge)
{
   const DcfgEdge* e = &export->p->edges[edge];

   if (e->type == DCFG_EDGE_CALL_BYPASS)
      return dcfg_node_executions(export->p, e->source, export->thread);
   if (dcfg_is_local(e->type) && e->type != DCFG_EDGE_REP)
      return dcfg_edge_count(export->p, edge, export->thread);
   return 0;
}

/* Return the block of LOOP that most often follows NODE, and how often in
   *COUNT; DCFG_NONE if none does. */
static uint32_t next_block(const Export* export, uint32_t loop, uint32_t node,
                           uint64_t* count)
{
   uint32_t        n, best = DCFG_NONE;
   const uint32_t* out = dcfg_out_edges(export->p, node, &n);

   *count = 0;
   for (uint32_t i = 0; i < n; i++) {
      uint32_t to = export->p->edges[out[i]].target;
      if (dcfg_loop_contains(export->p, loop, to)
          && traversals(export, out[i]) > *count) {
         *count = traversals(export, out[i]);
         best = to;
      }
   }
   return best;
}

static void put_instr(void* arg, const Instr* i)
{
   fprintf(arg, "        %s\n", i->text);
}

/* Write the loop.  WAY gets the blocks of its path.  SEEN, by node, is all
   false before and after. */
static void put_loop(const Export* export, uint32_t loop, bool* seen,
                     uint32_t* way)
{
   const DcfgProcess* p = export->p;
   uint32_t           head = p->loops[loop].head, node = head, n = 0;
   uint64_t           iterations = dcfg_loop_iterations(p, loop,
                                                        export->thread);
   uint64_t           least = iterations, count;
   const char*        source = node_source(&export->g, head);

   fprintf(export->out, "# loop at 0x%" PRIx64 " in %s%s%s: %s iterations, %s "
           "instructions, %s of the process\n",
           p->nodes[head].addr, node_name(&export->g, head),
           source[0] != 0 ? ", " : "", source,
           text_count(iterations),
           text_count(dcfg_loop_instrs(p, loop, export->thread)),
           text_share(dcfg_loop_instrs(p, loop, export->thread),
                      dcfg_process_instrs(p, export->thread)));
   fprintf(export->out, "# LLVM-MCA-BEGIN %" PRIx64 "\n", p->nodes[head].addr);
   do {
      seen[node] = true;
      way[n++] = node;
      if (!code_block(export->code, node, put_instr, export->out))
         fputs("        nop\n", export->out);
      node = next_block(export, loop, node, &count);
      least = count < least ? count : least;
   } while (node != DCFG_NONE && !seen[node]);
   for (uint32_t i = 0; i < n; i++)
      seen[way[i]] = false;
   fprintf(export->out,
           "# LLVM-MCA-END\n# taken by at most %s iterations%s\n\n",
           text_count(least),
           node == head ? "" : "; it does not come back to the head");
   text_forget();
}

/* Return whether WHAT names the loop: by one of its N ROUTINES, or by the
   head's address. */
static bool is_meant(const Export* export, uint32_t loop, const char* what,
                     const uint32_t* routines, uint32_t n)
{
   uint32_t head = export->p->loops[loop].head;
   uint64_t number;

   if (what[0] == 0)
      return true;
   if (is_number(what + (what[0] == '#'), 0, &number) && head != DCFG_NONE
       && dcfg_loop_by_head(export->p, what[0] == '#'
                            ? dcfg_node_by_id(export->p, (uint32_t)number)
                            : dcfg_node_at(export->p, number)) != DCFG_NONE)
      return what[0] == '#' ? export->p->nodes[head].id == number
             : export->p->nodes[head].addr == number;
   for (uint32_t i = 0; i < n; i++)
      if (export->p->loops[loop].routine == routines[i])
         return true;
   return false;
}

static void write_mca(const Export* export)
{
   const DcfgProcess* p = export->p;
   Hot*               hot = zalloc(p->n_loops, sizeof(*hot));
   bool*              seen = zalloc(p->n_nodes, sizeof(*seen));
   uint32_t*          way = zalloc(p->n_nodes, sizeof(*way));
   uint32_t           routines[64], n_routines = 0, n = 0;

   if (export->what[0] != 0)
      n_routines = find_routines(&export->g, export->what, routines, 64);
   n_routines = n_routines > 64 ? 64 : n_routines;
   for (uint32_t i = 0; i < p->n_loops; i++) {
      uint32_t head = p->loops[i].head;
      if (head == DCFG_NONE || p->nodes[head].image >= p->n_images
          || !export->chosen[p->nodes[head].image]
          || !is_selected(export->selected, head)
          || dcfg_loop_iterations(p, i, export->thread) == 0
          || !is_meant(export, i, export->what, routines, n_routines))
         continue;
      hot[n++] = (Hot){ i, dcfg_loop_instrs(p, i, export->thread) };
   }
   if (n == 0)
      die("there is no such loop; dcfg report --loops --top=0 lists all");
   qsort(hot, n, sizeof(*hot), by_instrs);
   for (uint32_t i = 0; i < n && (export->what[0] != 0 || i < MAX_LOOPS); i++)
      put_loop(export, hot[i].loop, seen, way);
   FREE_ALL(hot, seen, way);
   say_next("next:\n  %s %s\n", llvm_program("llvm-mca"),
            shell_word(export->out_name, ""));
}

const ExportForm export_form_mca = {
   .choice = { "mca",
               "loops as assembly for llvm-mca, each on the path that was "
               "taken most: the hottest loops, those of a routine, or the one "
               "whose head has this address or #NODE_ID", "WHAT" },
   .code = true, .parts = true, .text = true,
   .write = write_mca
};
