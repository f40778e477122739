/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Comparison of an image with its file. */

/* Owns: comparing an image with its file.  Handed: a process and the code of
   its images. */

#include "cmd/program/same_file.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      const char* name;
      uint64_t    value;
   }
   Named;

typedef
   struct {
      Code*           code;
      const Program*  g;
      uint32_t        image;
      Sameness*       s;
      /* The present block, as its file has it: */
      uint32_t        n_instrs;
      uint64_t        last;     // address of its last instruction
      bool            unknown;  // is there code that the decoder cannot read?
      bool            request;  // is there a client request of Valgrind?
      bool            direct;
      uint64_t        target;
   }
   Comparison;

static void differs(Comparison* c, const char* format, uint64_t addr,
                    const char* what)
{
   if (c->s->difference[0] == 0)
      snprintf(c->s->difference, sizeof(c->s->difference), format, addr,
               what);
}

/*--- Blocks                                               ---*/

static void take_instr(void* arg, const Instr* i)
{
   Comparison* c = arg;

   c->n_instrs++;
   c->last = i->addr;
   c->unknown = c->unknown || strncmp(i->text, ".byte", 5) == 0;
   c->request = c->request || i->ends_request;
   c->direct = i->direct;
   c->target = i->target;
}

/* Check that a jump or call with its target in the code went there. */
static void compare_targets(Comparison* c, uint32_t node)
{
   const DcfgProcess* p = c->g->p;
   uint32_t           n;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      if (e->count == 0 || p->nodes[e->target].kind != DCFG_NODE_BLOCK
          || (e->type != DCFG_EDGE_DIRECT_CALL
              && e->type != DCFG_EDGE_DIRECT_CONDITIONAL_BRANCH
              && e->type != DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH))
         continue;
      c->s->targets++;
      if (!c->direct || p->nodes[e->target].addr != c->target)
         differs(c, "the jump or call at 0x%" PRIx64 " leads elsewhere%s",
                 c->last, "");
   }
}

static bool compare_block(Comparison* c, uint32_t node)
{
   const DcfgNode* b = &c->g->p->nodes[node];

   c->n_instrs = 0;
   c->last = b->addr;
   c->unknown = c->request = c->direct = false;
   if (!code_block(c->code, node, take_instr, c))
      return false;
   c->s->blocks++;
   if (c->unknown) {
      c->s->unknown++;
      return true;
   }
   if (!c->request && (c->n_instrs != b->n_instrs
                       || c->last - b->addr != b->last_offset)) {
      differs(c, "the block at 0x%" PRIx64 " has other instructions%s",
              b->addr, "");
      return true;
   }
   compare_targets(c, node);
   return true;
}

/*--- Symbols                                              ---*/

COMPARE(by_name, Named, strcmp(x->name, y->name))

/* Return all functions of the file, by name. */
static Named* file_symbols(Elf* elf, size_t* n)
{
   Named*   all = NULL;
   size_t   room = 0;
   Elf_Scn* scn = NULL;

   *n = 0;
   while ((scn = elf_nextscn(elf, scn)) != NULL) {
      GElf_Shdr h;
      Elf_Data* data;
      GElf_Sym  sym;
      if (gelf_getshdr(scn, &h) == NULL
          || (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM)
          || (data = elf_getdata(scn, NULL)) == NULL)
         continue;
      for (int i = 0; gelf_getsym(data, i, &sym) != NULL; i++) {
         const char* name = elf_strptr(elf, h.sh_link, sym.st_name);
         if (sym.st_shndx == SHN_UNDEF || name == NULL || name[0] == 0)
            continue;
         GROW(all, *n, room);
         all[(*n)++] = (Named){ name, sym.st_value };
      }
   }
   if (*n > 0)
      qsort(all, *n, sizeof(*all), by_name);
   return all;
}

static void compare_symbols(Comparison* c, Elf* elf)
{
   const DcfgImage* im = &c->g->p->images[c->image];
   size_t           n;
   Named*           all = file_symbols(elf, &n);

   for (uint32_t i = 0; i < im->n_symbols; i++) {
      const DcfgSymbol* s = &c->g->p->symbols[im->first_symbol + i];
      Named             key = { s->name, 0 };
      const Named*      first = n == 0 ? NULL
                                : bsearch(&key, all, n, sizeof(key), by_name);
      uint64_t          at;
      bool              here = false;
      if (first == NULL || !code_file_addr(c->code, c->image, s->addr, &at))
         continue;
      c->s->symbols++;
      while (first > all && by_name(first - 1, &key) == 0)
         first--;
      for (; first < all + n && by_name(first, &key) == 0; first++)
         here = here || first->value == at;
      if (!here)
         differs(c, "0x%" PRIx64 " is not %s", s->addr, text_clean(s->name));
   }
   free(all);
}

/*--- The file                                             ---*/

bool same_file(Code* code, const Program* g, uint32_t image, Sameness* s)
{
   const DcfgImage* im = &g->p->images[image];
   Comparison       c = { .code = code, .g = g, .image = image, .s = s };
   Elf*             elf = code_elf(code, image);

   memset(s, 0, sizeof(*s));
   if (elf == NULL)
      return false;
   find_build_id(elf, s->build_id);
   compare_symbols(&c, elf);
   for (uint32_t i = 0; i < im->n_nodes && s->difference[0] == 0; i++) {
      uint32_t node = im->first_node + i;
      if (dcfg_node_executions(g->p, node, DCFG_ALL_THREADS) > 0
          && !compare_block(&c, node))
         differs(&c, "there is no code at 0x%" PRIx64 "%s",
                 g->p->nodes[node].addr, "");
   }
   return true;
}
