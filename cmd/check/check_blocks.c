/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Rules of names, images and blocks. */

/* Owns: rules that need no edges; how messages name blocks and edges.  Handed: a loaded file. */

#include "cmd/check/check.h"
#include "cmd/machine/processor.h"

/*--- Messages                                             ---*/

const char* node_label(const Check* c, uint32_t node)
{
   const DcfgNode* n;

   if (node >= c->p->n_nodes)
      return "?";
   n = &c->p->nodes[node];
   return n->kind == DCFG_NODE_BLOCK
          ? text_format("%" PRIu32 " (0x%" PRIx64 ")", n->id, n->addr)
          : node_name(&c->g, node);
}

const char* edge_label(const Check* c, uint32_t edge)
{
   const DcfgEdge* e = &c->p->edges[edge];

   return text_format("edge %" PRIu32 " %s -> %s %s", e->id,
                      node_label(c, e->source), node_label(c, e->target),
                      dcfg_edge_type_text(e->type));
}

/*--- The file                                             ---*/

COMPARE(by_text, char* const, strcmp(*x, *y))

/* Report each name of NAMES that is there twice. */
static void check_repeated(Rules* r, const char* rule, const char* table,
                           const char** names, size_t n)
{
   qsort(names, n, sizeof(*names), by_text);
   for (size_t i = 1; i < n; i++)
      if (strcmp(names[i - 1], names[i]) == 0)
         broken(r, rule, "%s: `%s' stands there twice", table,
                text_clean(names[i]));
}

static void check_files(Check* check)
{
   const Dcfg*  d = check->g.d;
   const char** names = zalloc(d->n_files, sizeof(*names));

   for (uint32_t i = 0; i < d->n_files; i++) {
      if (d->files[i].id != i + 1)
         broken(check->rules, "file-ids",
                "FILE_NAMES[%" PRIu32 "]: file %" PRIu32
                " where %" PRIu32 " is expected", i + 1, d->files[i].id,
                i + 1);
      names[i] = d->files[i].name;
   }
   check_repeated(check->rules, "file-repeated", "FILE_NAMES", names,
                  d->n_files);
   free(names);
}

static void check_edge_types(Check* check)
{
   const Dcfg*  d = check->g.d;
   const char** names = zalloc(d->n_edge_types, sizeof(*names));

   for (uint32_t i = 0; i < d->n_edge_types; i++) {
      names[i] = d->edge_types[i].name;
      if (d->edge_types[i].type == DCFG_EDGE_OTHER)
         broken(check->rules, "edge-type-name", "EDGE_TYPES[%" PRIu32
                "]: format 1.00 has no type `%s'", i + 1,
                text_clean(names[i]));
   }
   check_repeated(check->rules, "edge-type-name", "EDGE_TYPES", names,
                  d->n_edge_types);
   free(names);
}

void check_names(Check* check)
{
   const Dcfg* d = check->g.d;
   static const struct { uint32_t id; const char* name; } special[] = {
      { 1, "START" }, { 2, "END" }, { 3, "UNKNOWN" }
   };

   if (d->major_version != 1 || d->minor_version != 0)
      broken(check->rules, "version", "the file is of format %" PRIu32 ".%02"
             PRIu32 ", the rules are those of 1.00", d->major_version,
             d->minor_version);
   check_files(check);
   check_edge_types(check);
   if (d->n_special_nodes != 3)
      broken(check->rules, "special-nodes", "SPECIAL_NODES: %" PRIu32
             " rows where START, END and UNKNOWN are expected",
             d->n_special_nodes);
   for (uint32_t i = 0; i < d->n_special_nodes && i < 3; i++)
      if (d->special_nodes[i].id != special[i].id
          || strcmp(d->special_nodes[i].name, special[i].name) != 0)
         broken(check->rules, "special-nodes", "SPECIAL_NODES[%" PRIu32
                "]: %" PRIu32 " is %s where %" PRIu32 " is %s is expected",
                i + 1, d->special_nodes[i].id,
                text_clean(d->special_nodes[i].name), special[i].id,
                special[i].name);
   if (d->n_processes != 1 && check->one_run)
      broken(check->rules, "processes", "PROCESSES: %" PRIu32
             " processes, the tool writes one", d->n_processes);
}

/*--- Images and symbols                                   ---*/

static bool inside_image(const DcfgImage* im, uint64_t addr, uint64_t size)
{
   return addr >= im->load_addr && size <= im->size
          && addr - im->load_addr <= im->size - size;
}

static void check_symbols(Check* check, uint32_t image)
{
   const DcfgProcess* p = check->p;
   const DcfgImage*   im = &p->images[image];

   for (uint32_t i = 0; i < im->n_symbols; i++) {
      const DcfgSymbol* s = &p->symbols[im->first_symbol + i];
      if (s->name[0] == 0)
         broken(check->rules, "symbols", "image %" PRIu32
                ": a symbol without a name at 0x%" PRIx64, im->id, s->addr);
      if (!inside_image(im, s->addr, s->size))
         broken(check->rules, "symbols", "image %" PRIu32 ": %s at 0x%" PRIx64
                " with SIZE %" PRIu64 " is outside", im->id,
                text_clean(s->name), s->addr, s->size);
   }
}

static bool same_file(const Check* check, uint32_t a, uint32_t b)
{
   return check->p->images[a].file == check->p->images[b].file;
}

/* Span: an image's addresses.  Images may overlap if code was unloaded and
   other code took its place; nothing in the file tells when.  Overlaps are
   violations only for a program that unloads nothing, and not if both images
   have one name: then they are generations of one mapping. */
typedef
   struct {
      uint64_t from, to;
      uint32_t image;
   }
   Span;

COMPARE(by_from, Span, UP(from) ?: UP(image))

static void check_overlap(Check* check)
{
   const DcfgProcess* p = check->p;
   Span*              spans = zalloc(p->n_images, sizeof(*spans));
   uint32_t           n = 0;

   for (uint32_t i = 0; i < p->n_images; i++) {
      const DcfgImage* im = &p->images[i];
      if (im->size > 0 && im->size <= UINT64_MAX - im->load_addr)
         spans[n++] = (Span){ im->load_addr, im->load_addr + im->size, i };
   }
   qsort(spans, n, sizeof(*spans), by_from);
   for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = i + 1; j < n && spans[j].from < spans[i].to; j++)
         if (!same_file(check, spans[i].image, spans[j].image))
            broken(check->rules, "image-overlap", "image %" PRIu32 " (%s) and "
                   "image %" PRIu32 " (%s)", p->images[spans[i].image].id,
                   image_path(&check->g, spans[i].image),
                   p->images[spans[j].image].id,
                   image_path(&check->g, spans[j].image));
   free(spans);
}

COMPARE(by_id, uint32_t, ORDER(*x, *y))

static void check_image_ids(Check* check)
{
   const DcfgProcess* p = check->p;
   uint32_t*          ids = zalloc(p->n_images, sizeof(*ids));

   for (uint32_t i = 0; i < p->n_images; i++)
      ids[i] = p->images[i].id;
   qsort(ids, p->n_images, sizeof(*ids), by_id);
   for (uint32_t i = 1; i < p->n_images; i++)
      if (ids[i - 1] == ids[i])
         broken(check->rules, "duplicate-id", "IMAGES: image %" PRIu32
                " stands there twice", ids[i]);
   free(ids);
}

/*--- Blocks                                               ---*/

static bool good_shape(const DcfgNode* b)
{
   uint32_t tail;

   if (b->n_instrs < 1 || b->size < 1 || b->last_offset >= b->size
       || (b->n_instrs == 1) != (b->last_offset == 0))
      return false;
   tail = b->size - b->last_offset;
   return b->last_offset >= b->n_instrs - 1
          && b->last_offset <= (uint64_t)(b->n_instrs - 1) * longest_instr()
          && is_instr_size(tail);
}

/* Check blocks that share bytes.  Only instructions may overlap, so one of the
   two blocks must begin inside an instruction of the other.  Two violations can
   be seen without the code: a block that begins at the last instruction of
   another one, and two blocks that end in the same instruction. */
static void check_shared(Check* check, uint32_t a, uint32_t b)
{
   const DcfgNode* x = &check->p->nodes[a];
   const DcfgNode* y = &check->p->nodes[b];

   if (y->addr >= x->addr + x->size)
      return;
   if (x->addr == y->addr)
      return;                           // block-order reports this
   if (y->addr + y->size == x->addr + x->size && x->last_offset > 0
       && y->last_offset > 0
       && x->addr + x->last_offset == y->addr + y->last_offset)
      broken(check->rules, "block-overlap", "blocks %s and %s end in the same "
             "instruction", node_label(check, a), node_label(check, b));
   else if (y->addr == x->addr + x->last_offset)
      broken(check->rules, "block-overlap",
             "block %s is the last instruction of "
             "block %s", node_label(check, b), node_label(check, a));
}

static void check_blocks(Check* check, uint32_t image, uint32_t* want)
{
   const DcfgImage* im = &check->p->images[image];
   uint32_t         reach = DCFG_NONE;  // the block with the largest end so far

   for (uint32_t i = 0; i < im->n_nodes; i++) {
      uint32_t        node = im->first_node + i;
      const DcfgNode* b = &check->p->nodes[node];
      if (check->ours && b->id != *want)
         broken(check->rules, "block-ids", "block %s where %" PRIu32
                " is expected", node_label(check, node), *want);
      else if (b->id < 4)
         broken(check->rules, "block-ids", "block %s: ids below 4 are special "
                "nodes'", node_label(check, node));
      *want = b->id + 1;
      if (i > 0 && b->addr <= b[-1].addr)
         broken(check->rules, "block-order", "block %s follows 0x%" PRIx64,
                node_label(check, node), b[-1].addr);
      if (!inside_image(im, b->addr, b->size))
         broken(check->rules, "block-image", "block %s with SIZE %" PRIu32
                " is outside image %" PRIu32, node_label(check, node), b->size,
                im->id);
      if (!good_shape(b))
         broken(check->rules, "block-shape", "block %s: SIZE %" PRIu32
                ", NUM_INSTRS %" PRIu32 ", LAST_INSTR_OFFSET %" PRIu32,
                node_label(check, node), b->size, b->n_instrs, b->last_offset);
      else if (reach != DCFG_NONE)
         check_shared(check, reach, node);
      if (reach == DCFG_NONE || b->addr + b->size
          > check->p->nodes[reach].addr + check->p->nodes[reach].size)
         reach = node;
   }
}

/*--- Source lines                                         ---*/

COMPARE(by_addr, DcfgNode* const, ORDER((*x)->addr, (*y)->addr))

/* Check a source row: it is in executed code.  If it begins and ends with
   blocks, it has their instructions. */
static void check_row(Check* check, const DcfgImage* im, uint32_t row,
                      const DcfgNode** blocks, uint32_t n, bool overlapping)
{
   const DcfgSource* s = &check->p->sources[row];
   uint32_t          low = 0;
   uint64_t          at = s->addr, end = s->addr + s->size, instrs = 0;
   bool              whole;
   const char*       where = "";

   if (rules_open(check->rules, "source-shape")
       || rules_open(check->rules, "source-executed")
       || rules_open(check->rules, "source-instrs"))
      where = text_format("image %" PRIu32 ": line %" PRIu32 " at 0x%" PRIx64
                          ", SIZE %" PRIu64 ", NUM_INSTRS %" PRIu32, im->id,
                          s->line, s->addr, s->size, s->n_instrs);
   if (s->size < 1 || s->n_instrs < 1 || s->n_instrs > s->size
       || !inside_image(im, s->addr, s->size)) {
      broken(check->rules, "source-shape", "%s", where);
      return;
   }
   if (n == 0)
      return;
   /* LOW is the first block beyond ADDR. */
   BISECT(low, n, middle, blocks[middle]->addr <= s->addr);
   if (low > 0)
      low--;
   if (overlapping)
      while (low > 0 && blocks[low]->addr + blocks[low]->size <= s->addr)
         low--;
   whole = blocks[low]->addr == s->addr;
   for (; low < n && blocks[low]->addr < end; low++) {
      uint64_t to = blocks[low]->addr + blocks[low]->size;
      if (blocks[low]->addr > at)
         break;
      instrs += blocks[low]->n_instrs;
      if (to > at)
         at = to;
   }
   if (at < end)
      broken(check->rules, "source-executed", "%s: 0x%" PRIx64
             " was not executed", where, at);
   else if (whole && at == end && !overlapping && instrs != s->n_instrs)
      broken(check->rules, "source-instrs", "%s: its blocks have %" PRIu64
             " instructions", where, instrs);
}

static void check_sources(Check* check, uint32_t image)
{
   const DcfgProcess* p = check->p;
   const DcfgImage*   im = &p->images[image];
   const DcfgNode**   blocks;
   bool               overlapping = false;

   if (im->n_sources == 0)
      return;
   blocks = zalloc(im->n_nodes, sizeof(*blocks));
   for (uint32_t i = 0; i < im->n_nodes; i++)
      blocks[i] = &p->nodes[im->first_node + i];
   qsort(blocks, im->n_nodes, sizeof(*blocks), by_addr);
   for (uint32_t i = 1; i < im->n_nodes; i++)
      if (blocks[i]->addr < blocks[i - 1]->addr + blocks[i - 1]->size)
         overlapping = true;
   for (uint32_t i = 0; i < im->n_sources; i++) {
      const DcfgSource* s = &p->sources[im->first_source + i];
      if (i > 0 && !overlapping && s->addr < s[-1].addr + s[-1].size)
         broken(check->rules, "source-overlap",
                "image %" PRIu32 ": line %" PRIu32
                " at 0x%" PRIx64 " is inside line %" PRIu32 " at 0x%" PRIx64,
                im->id, s->line, s->addr, s[-1].line, s[-1].addr);
      check_row(check, im, im->first_source + i, blocks, im->n_nodes,
                overlapping);
      if (i % 1024 == 0)
         text_forget();
   }
   text_forget();
   free(blocks);
}

void check_images(Check* check)
{
   const DcfgProcess* p = check->p;
   uint32_t           want = 4;

   check_image_ids(check);
   for (uint32_t i = 0; i < p->n_images; i++) {
      const DcfgImage* im = &p->images[i];
      if (im->size == 0 || im->size > UINT64_MAX - im->load_addr)
         broken(check->rules, "image-range", "image %" PRIu32 " at 0x%" PRIx64
                " with SIZE %" PRIu64, im->id, im->load_addr, im->size);
      if (im->file == DCFG_NONE)
         broken(check->rules, "missing", "image %" PRIu32
                ": it has no FILE_NAME_ID", im->id);
      check_symbols(check, i);
      check_blocks(check, i, &want);
      check_sources(check, i);
   }
   if (check->disjoint)
      check_overlap(check);
}
