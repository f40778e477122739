/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg disasm: prints the code that was executed, with counts. */

/* Owns: the subcommand disasm, and Intel's SDE's layout.  Handed: a command
   line; our layout by cmd/lines/listing.c. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/names.h"
#include "cmd/base/select.h"
#include "cmd/lines/listing.h"

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
static void sde_block(CodeListing* l, uint32_t node)
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

/*--- The whole listing                                    ---*/

static void list_block(CodeListing* l, uint32_t node, bool sde)
{
   if (!is_selected(l->selected, node))
      return;
   if (sde)
      sde_block(l, node);
   else
      listing_block(l, node);
   text_forget();
}

static void list_all(CodeListing* l, bool sde)
{
   for (uint32_t i = 0; i < l->p->n_blocks; i++)
      if (dcfg_node_executions(l->p, i, l->thread) > 0)
         list_block(l, i, sde);
}

static void list_routine(CodeListing* l, const char* what, bool sde)
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
   CodeListing     l = { .routine = DCFG_NONE - 1 };
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
      l.inlined = inlined_new(&l.g, root, false, false);
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
   listing_close(&l);
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
