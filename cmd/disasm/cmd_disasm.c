/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg disasm: prints the code that was executed, with counts. */

/* Owns: the subcommand disasm, its two layouts.  Handed: a command line.

   A DCFG has no code: cmd/machine/code.c reads it from the images' files.  A
   heading comes before a block of another routine than the last one's.  Source lines come between the instructions
   when the line changes, with the functions that they were inlined into.  The other
   layout is that of Intel's SDE. */

#include "cmd/machine/code.h"
#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/names.h"
#include "cmd/base/select.h"
#include "cmd/base/terminal.h"
#include "cmd/inline/inlined.h"
#include "cmd/machine/source_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      Code*              code;
      Selection*         selected;
      uint32_t           thread;
      bool               bytes;         // show bytes of instructions?
      /* The present block: */
      uint32_t           node;
      uint64_t           executions;
      uint32_t           line, file;    // last shown; DCFG_NONE: none
      Inlined*           inlined;       // NULL: without --inline
      uint32_t           scope;         // the scope shown last
      uint32_t           routine;       // whose heading was shown last
      uint64_t           total;         // instructions of that routine
      char*              open_path;     // path of .source; or NULL
      SourceFile*        source;        // NULL: it cannot be read
   }
   Listing;

/*--- SDE's layout                                         ---*/

static void sde_instr(void* arg, const Instr* i)
{
   char hex[64];

   (void)arg;
   for (uint32_t k = 0; k < i->size && 2 * k + 2 < sizeof(hex); k++)
      sprintf(hex + 2 * k, "%02x", i->bytes[k]);
   printf("XDIS %" PRIx64 ": %-8s %-20s %s\n", i->addr, i->isa, hex,
          i->text);
}

/* Print a block's head.  Readers take the block's name from FN; without a
   symbol it has none. */
static void sde_block(Listing* l, uint32_t node)
{
   const DcfgNode* n = &l->p->nodes[node];
   uint64_t        runs = dcfg_node_executions(l->p, node, l->thread);
   uint32_t        s = dcfg_symbol_of(l->p, node);

   printf("BLOCK: %" PRIu32 " PC: %" PRIx64 " ICOUNT: %" PRIu64
          " EXECUTIONS: %" PRIu64 " #BYTES: %" PRIu32, n->id, n->addr,
          dcfg_node_instrs(l->p, node, l->thread), runs, n->size);
   if (s != DCFG_NONE)
      printf(" FN: %s", l->g.mangled ? text_clean(l->p->symbols[s].name)
             : text_clean(text_demangle(l->p->symbols[s].name)));
   printf(" IMG: %s\n", image_path(&l->g, n->image));
   code_block(l->code, node, sde_instr, l);
   putchar('\n');
}

/*--- Source lines                                         ---*/

/* Open a source file; one is in memory at a time.  It may not exist here. */
static void open_source(Listing* l, const char* path)
{
   if (l->open_path != NULL && strcmp(l->open_path, path) == 0)
      return;
   source_file_close(l->source);
   free(l->open_path);
   l->open_path = text_copy(path);
   l->source = path[0] == '/' ? source_file_open(path) : NULL;
}

/* Return the text of a source line; "" if it cannot be read. */
static const char* text_of_line(Listing* l, const char* path, uint32_t line)
{
   const char* at = NULL;
   const char* text;
   size_t      length;

   open_source(l, path);
   if (l->source != NULL)
      at = source_file_line(l->source, line, &length);
   if (at == NULL)
      return "";
   text = text_format("%.*s", (int)length, at);
   return text + strspn(text, " \t");
}

static void print_comment(const char* text)
{
   printf("%42s%s\n", "; ", text_cut(text_clean(text),
                                     terminal_room(stdout, 42)));
}

/* Show the line of an instruction, its function, and the functions that it was
   inlined into, if they differ from those before; then the line's text. */
static void show_chain(Listing* l, uint64_t addr)
{
   uint32_t    image = l->p->nodes[l->node].image, line;
   uint64_t    end;
   uint32_t    scope = inlined_at(l->inlined, image, addr, &end);
   const char* path;
   const char* text;
   bool        other;

   if (!inlined_line(l->inlined, image, addr, scope, &path, &line))
      return;
   text  = inlined_chain_text(l->inlined, image, addr, scope);
   other = line != l->line || l->open_path == NULL
           || strcmp(path, l->open_path) != 0;
   if (!other && scope == l->scope)
      return;
   l->line  = line;
   l->scope = scope;
   print_comment(text);
   text = other ? text_of_line(l, path, line) : "";
   if (text[0] != 0)
      print_comment(text_format("   %s", text));
}

/* Show an instruction's source line, if it differs from the one before. */
static void show_source(Listing* l, uint64_t addr)
{
   uint32_t          i;
   const DcfgSource* s;
   const char*       path;
   const char*       text;

   if (l->inlined != NULL) {
      show_chain(l, addr);
      return;
   }
   i = dcfg_source_at(l->p, l->p->nodes[l->node].image, addr);
   if (i == DCFG_NONE)
      return;
   s = &l->p->sources[i];
   if (s->line == l->line && s->file == l->file)
      return;
   l->line = s->line;
   l->file = s->file;
   path = s->file < l->g.d->n_files ? l->g.d->files[s->file].name : "";
   text = text_of_line(l, path, s->line);
   print_comment(text_format("%s:%" PRIu32 "%s%s", path[0] != 0
                             ? text_base(path) : "?", s->line,
                             text[0] != 0 ? "  " : "", text));
}

/*--- Our layout                                           ---*/

/* Shorten a name to the room in a terminal's line behind USED columns. */
static const char* fit(const char* name, size_t used)
{
   return text_fit(name, terminal_room(stdout, used));
}

/* Return an address in the program's run and, if the file can be read, in the
   file. */
static const char* both_addrs(Listing* l, uint64_t addr)
{
   uint64_t at;

   if (!code_file_addr(l->code, l->p->nodes[l->node].image, addr, &at))
      return text_format("%10" PRIx64 "  %8s", addr, "");
   return text_format("%10" PRIx64 "  %8" PRIx64, addr, at);
}

/* Return the name of the stub at ADDR in the present block's image; NULL if
   there is none. */
static const char* stub_name(Listing* l, uint64_t addr)
{
   uint32_t    image = l->p->nodes[l->node].image;
   const char* stub = dcfg_symbol_at(l->p, image, addr) != DCFG_NONE ? NULL
                      : code_stub(l->code, image, addr);

   return stub == NULL ? NULL
          : text_format("%s@plt", text_brief(symbol_name(&l->g, stub)));
}

/* Return the name of a block, in the form of targets. */
static const char* block_name(Listing* l, uint32_t node)
{
   const DcfgNode* nodes = l->p->nodes;
   const char*     stub = NULL;

   if (node < l->p->n_blocks && nodes[node].image == nodes[l->node].image)
      stub = stub_name(l, nodes[node].addr);
   return stub != NULL ? stub : text_brief(node_name(&l->g, node));
}

/* Return the name of a direct jump's or call's target. */
static const char* target_of(Listing* l, uint64_t addr)
{
   const char* stub = stub_name(l, addr);

   return stub != NULL ? stub
          : text_brief(target_name(&l->g, l->p->nodes[l->node].image, addr));
}

#define TEXT_AT  46              // columns before an instruction
#define BYTES    23              // columns of its bytes

static void show_instr(void* arg, const Instr* i)
{
   Listing* l = arg;

   show_source(l, i->addr);
   printf("%14s  %6s  %s  ", text_count(l->executions), "",
          both_addrs(l, i->addr));
   if (l->bytes) {
      for (uint32_t k = 0; k < 10; k++)
         if (k < i->size)
            printf("%02x", i->bytes[k]);
         else
            printf("  ");
      printf("%s  ", i->size > 10 ? "+" : " ");
   }
   fputs(i->text, stdout);
   if (i->direct)
      printf(" <%s>", fit(target_of(l, i->target),
                          (l->bytes ? TEXT_AT + BYTES : TEXT_AT)
                          + text_width(i->text) + 3));
   putchar('\n');
}

static const char* way(DcfgEdgeType type)
{
   if (dcfg_is_call(type))
      return "call";
   switch (type) {
      case DCFG_EDGE_RETURN:                return "return to";
      case DCFG_EDGE_FALL_THROUGH:          return "falls through to";
      case DCFG_EDGE_REP:                   return "repeats";
      case DCFG_EDGE_SYSTEM_CALL_BYPASS:    return "system call, then";
      case DCFG_EDGE_CONTEXT_CHANGE:        return "signal:";
      case DCFG_EDGE_CONTEXT_CHANGE_RETURN: return "back from a signal to";
      case DCFG_EDGE_EXIT:                  return "end";
      default:                              return "jumps to";
   }
}

#define MAX_WAYS 6
#define WAY_AT   52             // columns before the name

static void show_ways(Listing* l)
{
   uint32_t        n, shown = 0, counted = 0;
   const uint32_t* out = dcfg_out_edges(l->p, l->node, &n);

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &l->p->edges[out[i]];
      uint64_t        count = dcfg_edge_count(l->p, out[i], l->thread);
      if (count == 0)
         continue;
      if (++counted > MAX_WAYS)
         continue;
      shown++;
      printf("%14s  %6s  %20s    -> %s %s\n", text_count(count),
             text_share(count, l->executions), "", way(e->type),
             e->type == DCFG_EDGE_EXIT ? ""
             : fit(block_name(l, e->target), WAY_AT + strlen(way(e->type))));
   }
   if (counted > shown)
      printf("%46s-> and to %s other places\n", "",
             text_count(counted - shown));
}

static void show_routine(Listing* l, uint32_t routine)
{
   const DcfgProcess* p = l->p;
   const char*        source;
   uint64_t           calls;

   l->routine = routine;
   l->line = l->file = DCFG_NONE;
   if (routine == DCFG_NONE) {
      l->total = 0;
      puts("\nin no routine");
      return;
   }
   l->total = dcfg_routine_instrs(p, routine, l->thread);
   calls = dcfg_routine_calls(p, routine, l->thread);
   source = node_source(&l->g, p->routines[routine].entry);
   printf("\n%s%s%s%s  (%s)\n",
          fit(text_shorten(routine_name(&l->g, routine), 100), 20),
          source[0] != 0 ? "  [" : "", source, source[0] != 0 ? "]" : "",
          image_name(&l->g, p->routines[routine].image));
   printf("%s instructions, %s of the process; %s call%s\n",
          text_count(l->total),
          text_share(l->total, dcfg_process_instrs(p, l->thread)),
          text_count(calls), calls == 1 ? "" : "s");
}

static void show_block(Listing* l, uint32_t node)
{
   const DcfgNode* n = &l->p->nodes[node];
   uint64_t        instrs = dcfg_node_instrs(l->p, node, l->thread);

   if (n->routine != l->routine)
      show_routine(l, n->routine);
   l->node = node;
   l->executions = dcfg_node_executions(l->p, node, l->thread);
   l->line = l->file = DCFG_NONE;
   l->scope = NO_SCOPE - 1;             // is none, so that it is shown
   printf("\n%14s  %6s  %s  block %" PRIu32 ", %s",
          text_count(l->executions), text_share(instrs, l->total),
          both_addrs(l, n->addr), n->id,
          fit(block_name(l, node), TEXT_AT + 12));
   if (n->loop != DCFG_NONE)
      printf("; %s of loop %" PRIu32 ", depth %" PRIu32,
             l->p->loops[n->loop].head == node ? "head" : "part",
             l->p->nodes[l->p->loops[n->loop].head].id,
             l->p->loops[n->loop].depth);
   putchar('\n');
   if (!code_block(l->code, node, show_instr, l)) {
      show_source(l, n->addr);
      printf("%46s%s instructions\n", "", text_count(n->n_instrs));
   }
   show_ways(l);
}

/*--- The whole listing                                    ---*/

static void list_block(Listing* l, uint32_t node, bool sde)
{
   if (!is_selected(l->selected, node))
      return;
   if (sde)
      sde_block(l, node);
   else
      show_block(l, node);
   text_forget();
}

static void list_all(Listing* l, bool sde)
{
   for (uint32_t i = 0; i < l->p->n_blocks; i++)
      if (dcfg_node_executions(l->p, i, l->thread) > 0)
         list_block(l, i, sde);
}

static void list_routine(Listing* l, const char* what, bool sde)
{
   uint32_t        n;
   uint32_t        routine = the_routine(&l->g, what);
   const uint32_t* nodes = dcfg_routine_nodes(l->p, routine, &n);

   for (uint32_t i = 0; i < n; i++)
      list_block(l, nodes[i], sde);
}

static int run(int argc, char** argv)
{
   const char* root = NULL;
   const char* routine;
   bool        sde = false, att = false, all = false, inlined = false;
   const char* rest;
   Select      what = SELECT_ALL;
   Listing     l = { .routine = DCFG_NONE - 1 };
   const Opt   opts[] = {
      SELECT_OPTIONS(&what), SELECT_EVERYTHING(&all),
      { "att", OPT_FLAG, &att, NULL, "AT&T syntax instead of Intel's" },
      { "bytes", OPT_FLAG, &l.bytes, NULL, "with the bytes of the code" },
      OPT_INLINE(&inlined, "with the functions that code was inlined from, and "
                 "where"),
      OPT_ROOT(&root),
      { "sde", OPT_FLAG, &sde, NULL,
        "list blocks as Intel's SDE does with -dcfg:write_bb, for programs "
        "that read its listings.  ICOUNT is the number of instructions "
        "executed in the block" },
      OPT_MANGLED(&l.g.mangled)
   };
   const char* file;
   Dcfg*       d;
   int         status;

   if (parse_args(&disasm_command, OPTS(opts), argc, argv, &file, 0, 1) == 0)
      default_files(&disasm_command, &file, false);
   d = load_dcfg(file);
   l.g.d = d;
   l.p = l.g.p = main_process(d);
   l.thread = need_thread(d, what.thread);
   l.code = code_new(&l.g, root, att);
   if (inlined)
      l.inlined = inlined_new(&l.g, root);
   /* If several routines have the name, one is chosen. */
   routine = what.routine;
   select_own(&what, all || sde);
   what.routine = NULL;
   l.selected = selection_new(&l.g, &what);
   if (!is_found(l.selected))
      exit(STATUS_BAD);
   if (n_selected(l.selected) == 0 && !is_everything(l.selected))
      die("the options select no code that ran: there is nothing to list");
   if (routine != NULL)
      list_routine(&l, routine, sde);
   else
      list_all(&l, sde);
   if (what.own && (rest = rest_text(&l.g, l.thread)) != NULL)
      printf("\n%s\n", rest);
   status = code_was_other(l.code) ? STATUS_BAD : STATUS_OK;
   selection_free(l.selected);
   code_free(l.code);
   inlined_free(l.inlined);
   source_file_close(l.source);
   free(l.open_path);
   dcfg_free(d);
   return status;
}

const Command disasm_command = {
   "disasm", "[FILE]", "the code that was executed, with counts",
   "Prints basic blocks with their instructions, counts and source lines.  A\n"
   "DCFG has no code: this command reads it from the images' files.  If a\n"
   "file is not the one that ran, its code is left out, and the exit status\n"
   "is 2.\n"
   "\n"
   "The first line of a block has its executions, its share of the routine's\n"
   "instructions, its address in the run and in the file (as objdump shows\n"
   "it), and its NODE_ID.  The last lines say where control went, and how\n"
   "often.\n",
   "",
   run
};
