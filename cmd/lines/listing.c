/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How does code that was executed look, with counts? */

/* Owns: the layout of blocks with their instructions.  Handed: a process, and
   its code.

   A DCFG has no code: cmd/program/code.c reads it from the images' files.  A
   heading comes before a block of another routine than the last one's.  Source
   lines come between the instructions when the line changes, with the functions
   that they were inlined into. */

#include "cmd/lines/listing.h"

#include "cmd/base/terminal.h"

/*--- Source lines                                         ---*/

static void print_comment(const char* text)
{
   printf("%42s%s\n", "; ", text_cut(text_clean(text),
                                     terminal_room(stdout, 42)));
}

/* Show the line of an instruction, its function, and the functions that it was
   inlined into, if they differ from those before; then the line's text. */
static void show_chain(CodeListing* l, uint64_t addr)
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
   other = line != l->line || l->source.path == NULL
           || strcmp(path, l->source.path) != 0;
   if (!other && scope == l->scope)
      return;
   l->line  = line;
   l->scope = scope;
   print_comment(text);
   text = other ? source_reader_code(&l->source, path, line) : "";
   if (text[0] != 0)
      print_comment(text_format("   %s", text));
}

/* Show an instruction's source line, if it differs from the one before. */
static void show_source(CodeListing* l, uint64_t addr)
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
   text = source_reader_code(&l->source, path, s->line);
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
static const char* both_addrs(CodeListing* l, uint64_t addr)
{
   uint64_t at;

   if (!code_file_addr(l->code, l->p->nodes[l->node].image, addr, &at))
      return text_format("%10" PRIx64 "  %8s", addr, "");
   return text_format("%10" PRIx64 "  %8" PRIx64, addr, at);
}

/* Return the name of the stub at ADDR in the present block's image; NULL if
   there is none. */
static const char* stub_name(CodeListing* l, uint64_t addr)
{
   uint32_t    image = l->p->nodes[l->node].image;
   const char* stub = dcfg_symbol_at(l->p, image, addr) != DCFG_NONE ? NULL
                      : code_stub(l->code, image, addr);

   return stub == NULL ? NULL
          : text_format("%s@plt", text_brief(symbol_name(&l->g, stub)));
}

/* Return the name of a block, in the form of targets. */
static const char* block_name(CodeListing* l, uint32_t node)
{
   const DcfgNode* nodes = l->p->nodes;
   const char*     stub = NULL;

   if (node < l->p->n_blocks && nodes[node].image == nodes[l->node].image)
      stub = stub_name(l, nodes[node].addr);
   return stub != NULL ? stub : text_brief(node_name(&l->g, node));
}

/* Return the name of a direct jump's or call's target. */
static const char* target_of(CodeListing* l, uint64_t addr)
{
   const char* stub = stub_name(l, addr);

   return stub != NULL ? stub
          : text_brief(target_name(&l->g, l->p->nodes[l->node].image, addr));
}

#define COUNTS_AT 24             // columns before an instruction's addresses
#define TEXT_AT   46             // columns before its text, without bytes
#define MOST_BYTES 10            // shown of an instruction

/* Return the bytes of I, in hexadecimal, and blanks to the text. */
static const char* bytes_text(const Instr* i)
{
   const char* text = "";

   for (uint32_t k = 0; k < MOST_BYTES; k++)
      text = k < i->size ? text_format("%s%02x", text, i->bytes[k])
             : text_format("%s  ", text);
   return text_format("%s%s  ", text, i->size > MOST_BYTES ? "+" : " ");
}

const char* listing_instr(CodeListing* l, const Instr* i, size_t used)
{
   const char* text = text_format("%s  %s%s", both_addrs(l, i->addr),
                                  l->bytes ? bytes_text(i) : "", i->text);

   return !i->direct ? text
          : text_format("%s <%s>", text, fit(target_of(l, i->target),
                                             used + text_width(text) + 3));
}

static void show_instr(void* arg, const Instr* i)
{
   CodeListing* l = arg;

   show_source(l, i->addr);
   printf("%14s  %6s  %s\n", text_count(l->executions), "",
          listing_instr(l, i, COUNTS_AT));
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

static void show_ways(CodeListing* l)
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

static void show_routine(CodeListing* l, uint32_t routine)
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

void listing_block(CodeListing* l, uint32_t node)
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

void listing_close(CodeListing* l)
{
   source_reader_close(&l->source);
}
