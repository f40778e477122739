/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The code of a graph's images, from files that are those that ran. */

/* Owns: reading and decoding machine code, and comparing an image with its
   file.  Handed: a process, whose images are named after ELF files.

   libelf reads the ELF file, and Capstone decodes instructions. */

#include "cmd/program/code.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Segment: a part of a file that is mapped unchanged. */
typedef
   struct {
      uint64_t       addr, size;        // addresses of the file
      const uint8_t* bytes;
   }
   Segment;

typedef
   struct {
      bool     tried, good;
      bool     warned;          // has a message said that the code is not the
                                // same?
      char*    why;             // why there is no code; or NULL
      int      fd;
      char*    path;            // the path that was tried
      Elf*     elf;
      csh      cs;
      const Processor* processor;
      Segment* segments;
      size_t   n_segments;
      uint64_t base;            // the file's address of the byte at LOAD_ADDR
      Stubs*   stubs;           // made at the first use; or NULL
   }
   ImageCode;

struct Code {
   const Program* g;
   const char*    root;
   bool           att, quiet;
   bool           other;        // was a file of another build?
   ImageCode*     images;
};

Code* code_new(const Program* g, const char* root, bool att)
{
   Code* c = zalloc(1, sizeof(*c));

   elf_version(EV_CURRENT);
   c->g = g;
   c->root = root;
   c->att = att;
   c->images = zalloc(g->p->n_images, sizeof(*c->images));
   return c;
}

Code* code_quiet(const Program* g, const char* root)
{
   Code* c = code_new(g, root, false);

   c->quiet = true;
   return c;
}

void code_free(Code* c)
{
   for (uint32_t i = 0; i < c->g->p->n_images; i++) {
      ImageCode* im = &c->images[i];
      if (!im->tried)
         continue;
      if (im->good)
         cs_close(&im->cs);
      if (im->elf != NULL)
         elf_end(im->elf);
      if (im->fd >= 0)
         close(im->fd);
      FREE_ALL(im->path, im->why, im->segments);
      stubs_free(im->stubs);
   }
   FREE_ALL(c->images, c);
}

/*--- ELF files                                            ---*/

/* Find the loadable segments, and the address of the file's begin, which is at
   LOAD_ADDR. */
static bool find_segments(ImageCode* im)
{
   size_t    n, size;
   uint8_t*  bytes = (uint8_t*)elf_rawfile(im->elf, &size);
   bool      first = true;
   GElf_Phdr h;

   if (bytes == NULL || elf_getphdrnum(im->elf, &n) != 0)
      return false;
   im->segments = zalloc(n, sizeof(*im->segments));
   for (size_t i = 0; next_header(im->elf, PT_LOAD, &i, &h); ) {
      if (h.p_offset > size || h.p_filesz > size - h.p_offset)
         continue;
      if (first)
         im->base = h.p_vaddr - h.p_offset;
      first = false;
      im->segments[im->n_segments++]
         = (Segment){ h.p_vaddr, h.p_filesz, bytes + h.p_offset };
   }
   return !first;
}

static bool open_decoder(const Code* c, ImageCode* im)
{
   int mode;

   im->processor = processor_of_file(im->elf, &mode);
   if (im->processor == NULL
       || cs_open((cs_arch)im->processor->arch, (cs_mode)mode, &im->cs)
          != CS_ERR_OK)
      return false;
   if (c->att && im->processor->att)
      cs_option(im->cs, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
   cs_option(im->cs, CS_OPT_DETAIL, CS_OPT_ON);
   return true;
}

/* Note why an image has no code, and say so. */
static void no_code(const Code* c, ImageCode* im, const char* why)
{
   im->why = text_copy(why);
   if (!c->quiet)
      complain("%s", why);
}

/* Return whether the opened file is another build than IMAGE. */
static bool is_other(Code* c, uint32_t image)
{
   const DcfgImage* im = &c->g->p->images[image];
   const char*      how = build_difference(c->images[image].elf, im->build_id,
                                           im->code_hash);

   if (how == NULL)
      return false;
   no_code(c, &c->images[image], not_executed(c->images[image].path, how));
   c->other = true;
   return true;
}

static void open_image(Code* c, uint32_t image)
{
   ImageCode*  im = &c->images[image];
   const char* path = image_file(c->g, image);
   const char* file = c->root == NULL ? path
                      : text_format("%s/%s", c->root, path);
   struct stat st;

   im->tried = true;
   im->fd = -1;
   im->path = text_copy(file);
   /* [vdso], [anon]: there is no file. */
   if (path[0] == '[') {
      no_code(c, im, text_format("%s has no file with its code", path));
      return;
   }
   im->fd = open(file, O_RDONLY | O_NONBLOCK);
   if (im->fd < 0 || fstat(im->fd, &st) != 0) {
      no_code(c, im, text_format("%s: %s", file, strerror(errno)));
      return;
   }
   if (S_ISREG(st.st_mode))
      im->elf = elf_begin(im->fd, ELF_C_READ_MMAP, NULL);
   if (im->elf == NULL || elf_kind(im->elf) != ELF_K_ELF)
      no_code(c, im, text_format("%s is not an ELF file", file));
   else if (!find_segments(im))
      no_code(c, im, text_format("%s: nothing in it can be loaded", file));
   else if (is_other(c, image))
      return;
   else if (!open_decoder(c, im))
      no_code(c, im, text_format("%s: code for another kind of processor",
                                 file));
   else
      im->good = true;
}

/* Return an image's file, opened at the first use; NULL if it has no code.
   IMAGE may not exist: in a broken DCFG, a routine may have a special node. */
static ImageCode* image_code(Code* c, uint32_t image)
{
   ImageCode* im;

   if (image >= c->g->p->n_images)
      return NULL;
   im = &c->images[image];
   if (!im->tried)
      open_image(c, image);
   return im->good ? im : NULL;
}

bool code_was_other(const Code* c)
{
   return c->other;
}

bool code_file_addr(Code* c, uint32_t image, uint64_t addr,
                    uint64_t* file_addr)
{
   const ImageCode* im = image_code(c, image);

   if (im != NULL)
      *file_addr = addr - c->g->p->images[image].load_addr + im->base;
   return im != NULL;
}

Elf* code_elf(Code* c, uint32_t image)
{
   const ImageCode* im = image_code(c, image);

   return im != NULL ? im->elf : NULL;
}

const char* code_missing(Code* c, uint32_t image)
{
   image_code(c, image);
   return image < c->g->p->n_images ? c->images[image].why : NULL;
}

const char* code_path(Code* c, uint32_t image)
{
   const ImageCode* im = image_code(c, image);

   return im != NULL ? im->path : NULL;
}

/* Return the code from ADDR on, of a block with SIZE bytes; or NULL. */
static const uint8_t* find_bytes(Code* c, const ImageCode* im,
                                 uint32_t image, uint64_t addr, uint64_t size)
{
   uint64_t at;

   if (!code_file_addr(c, image, addr, &at))
      return NULL;
   for (size_t i = 0; i < im->n_segments; i++) {
      const Segment* s = &im->segments[i];
      if (at >= s->addr && at - s->addr < s->size
          && size <= s->size - (at - s->addr))
         return s->bytes + (at - s->addr);
   }
   return NULL;
}

const char* code_stub(Code* c, uint32_t image, uint64_t addr)
{
   ImageCode*     im = image_code(c, image);
   size_t         size = LONGEST_STUB;
   const uint8_t* bytes = NULL;
   uint64_t       at;

   if (im == NULL)
      return NULL;
   while (size > 0
          && (bytes = find_bytes(c, im, image, addr, size)) == NULL)
      size--;
   if (bytes == NULL)
      return NULL;
   if (im->stubs == NULL)
      im->stubs = stubs_new(im->elf);
   if (!code_file_addr(c, image, addr, &at))
      return NULL;
   return stubs_name(im->stubs, bytes, size, at);
}

/*--- Instructions                                         ---*/

static void tell_instr(const Processor* p, const cs_insn* i,
                       const uint8_t* bytes,
                       void (*tell)(void*, const Instr*), void* arg)
{
   Instr out = { .addr = i->address, .size = i->size, .bytes = bytes,
                 .isa = "BASE" };

   snprintf(out.text, sizeof(out.text), "%s%s%.200s", i->mnemonic,
            i->op_str[0] != 0 ? " " : "", i->op_str);
   if (p->tell != NULL)
      p->tell(i, &out);
   tell(arg, &out);
}

/* Report bytes that the decoder does not know as one instruction, up to the
   block's end. */
static void tell_bytes(uint64_t addr, const uint8_t* bytes, uint32_t size,
                       void (*tell)(void*, const Instr*), void* arg)
{
   Instr  out = { .addr = addr, .size = size, .bytes = bytes, .isa = "BASE" };
   size_t n = (size_t)snprintf(out.text, sizeof(out.text), ".byte");

   for (uint32_t i = 0; i < size && n < sizeof(out.text) - 8; i++)
      n += (size_t)snprintf(out.text + n, sizeof(out.text) - n, "%s0x%02x",
                            i == 0 ? " " : ", ", bytes[i]);
   tell(arg, &out);
}

/* Report each instruction in SIZE BYTES.  *LEFT is the number of bytes that the
   decoder does not know.  Return the number of known instructions. */
static uint32_t tell_all(const ImageCode* im, uint64_t addr,
                         const uint8_t* bytes, size_t size, size_t* left,
                         void (*tell)(void*, const Instr*), void* arg)
{
   const uint8_t* at = bytes;
   uint32_t       n = 0;
   cs_insn*       i = need(cs_malloc(im->cs));

   *left = size;
   while (*left > 0) {
      const uint8_t* from = at;
      if (!cs_disasm_iter(im->cs, &at, left, &addr, i))
         break;
      tell_instr(im->processor, i, from, tell, arg);
      n++;
   }
   if (*left > 0)
      tell_bytes(addr, at, (uint32_t)*left, tell, arg);
   cs_free(i, 1);
   return n;
}

bool code_range(Code* c, uint32_t image, uint64_t addr, uint64_t size,
                void (*tell)(void*, const Instr*), void* arg)
{
   const ImageCode* im = image_code(c, image);
   const uint8_t*   bytes = im == NULL ? NULL
                            : find_bytes(c, im, image, addr, size);
   size_t           left;

   if (bytes == NULL)
      return false;
   tell_all(im, addr, bytes, size, &left, tell, arg);
   return true;
}

bool code_block(Code* c, uint32_t node, void (*tell)(void*, const Instr*),
                void* arg)
{
   const DcfgNode* b = &c->g->p->nodes[node];
   ImageCode*      im;
   const uint8_t*  bytes;
   size_t          left;
   uint32_t        n;

   if (b->kind != DCFG_NODE_BLOCK)
      return false;
   im = image_code(c, b->image);
   if (im == NULL)
      return false;
   bytes = find_bytes(c, im, b->image, b->addr, b->size);
   if (bytes == NULL) {
      if (!im->warned)
         complain("%s does not have the code that was executed",
                  image_path(c->g, b->image));
      im->warned = true;
      return false;
   }
   n = tell_all(im, b->addr, bytes, b->size, &left, tell, arg);
   /* Valgrind takes a client request for one instruction, of at most 5 here. */
   if (left == 0 && (n < b->n_instrs || n > 5 * b->n_instrs)
       && !im->warned) {
      complain("%s: block %" PRIu32 " had %" PRIu32 " instructions, its code "
               "has %" PRIu32 " now: is it the file that was executed?",
               image_path(c->g, b->image), b->id, b->n_instrs, n);
      im->warned = true;
   }
   return true;
}

bool code_starts(Code* c, uint32_t image, uint64_t addr, uint32_t size,
                 uint32_t n, uint32_t* starts)
{
   ImageCode*     im = image_code(c, image);
   const uint8_t* at = im == NULL ? NULL
                       : find_bytes(c, im, image, addr, size);
   const uint8_t* bytes = at;
   size_t         left = size;
   uint32_t       k = 0;
   cs_insn*       i;

   if (at == NULL)
      return false;
   i = need(cs_malloc(im->cs));
   while (left > 0 && k <= n) {
      const uint8_t* from = at;
      size_t         n_before = im->processor->preamble == NULL ? 0
                                : im->processor->preamble(at, left);
      at += n_before;
      left -= n_before;
      if (!cs_disasm_iter(im->cs, &at, &left, &addr, i))
         break;
      if (k < n)
         starts[k] = (uint32_t)(from - bytes);
      k++;
   }
   cs_free(i, 1);
   return left == 0 && k == n;
}

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
   SORT(all, *n, by_name);
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

bool compare_with_file(Code* code, const Program* g, uint32_t image, Sameness* s)
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
