/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pairs the images of two runs, and finds out which were rebuilt. */

/* Owns: the common numbers of images, and whether two images are one build.
   Handed: two processes.

   Images with equal paths are a pair.  The rest is paired by file name, then by
   file name up to ".so".  At last the two programs are a pair, whatever their
   names.  Two images are one build if their symbols have equal offsets. */

#include "cmd/builds/build_images.h"

#include "cmd/base/keymap.h"

#include <stdlib.h>
#include <string.h>

/* Name: the name of an image. */
typedef
   struct {
      const char* name;
      size_t      length;       // characters that are compared
      uint32_t    index, turn;  // the image; earlier images with this name
   }
   Name;

static int by_text(const Name* x, const Name* y)
{
   size_t n = x->length < y->length ? x->length : y->length;
   int    d = memcmp(x->name, y->name, n);

   return d != 0 ? d : x->length < y->length ? -1 : x->length > y->length;
}

COMPARE(by_name, Name, by_text(x, y) ?: UP(index))

/* Likeness: the part of two images' names that is compared. */
typedef enum { LIKE_PATH, LIKE_NAME, LIKE_SHORT_NAME } Likeness;

/* Return the length of NAME up to ".so", or of all. */
static size_t short_length(const char* name)
{
   const char* so = strstr(name, ".so");

   return so == NULL ? strlen(name) : (size_t)(so - name);
}

/* Return the images that have no number yet, sorted by name, to be freed.  *N
   is how many. */
static Name* names_of(const ImageSide* s, Likeness like, uint32_t* n)
{
   Name* names = zalloc(s->g->p->n_images, sizeof(*names));

   *n = 0;
   for (uint32_t i = 0; i < s->g->p->n_images; i++) {
      const char* name = like == LIKE_PATH ? image_path(s->g, i)
                         : image_name(s->g, i);
      if (s->image[i] == UINT32_MAX)
         names[(*n)++] = (Name){ name, like == LIKE_SHORT_NAME
                                 ? short_length(name) : strlen(name), i, 0 };
   }
   qsort(names, *n, sizeof(*names), by_name);
   for (uint32_t i = 1; i < *n; i++)
      if (by_text(&names[i], &names[i - 1]) == 0)
         names[i].turn = names[i - 1].turn + 1;
   return names;
}

static void pair_images(BuildImages* b, uint32_t x, uint32_t y)
{
   b->side[0].image[x] = b->side[1].image[y] = b->n_images++;
}

/* Pair images with the same name.  If a file was mapped several times in a run,
   the first such image and the other run's first are a pair, and so on. */
static void pair_by_name(BuildImages* b, Likeness like)
{
   uint32_t n, m, j = 0;
   Name*    x = names_of(&b->side[0], like, &n);
   Name*    y = names_of(&b->side[1], like, &m);

   for (uint32_t i = 0; i < m; i++) {
      int d = -1;
      while (j < n && ((d = by_text(&x[j], &y[i])) < 0
                       || (d == 0 && x[j].turn < y[i].turn)))
         j++;
      if (j < n && d == 0 && x[j].turn == y[i].turn)
         pair_images(b, x[j].index, y[i].index);
   }
   free(x);
   free(y);
}

static void number_images(BuildImages* b)
{
   for (int k = 0; k < 2; k++) {
      ImageSide* s = &b->side[k];
      s->image = zalloc(s->g->p->n_images, sizeof(*s->image));
      for (uint32_t i = 0; i < s->g->p->n_images; i++)
         s->image[i] = UINT32_MAX;
   }
   for (Likeness like = LIKE_PATH; like <= LIKE_SHORT_NAME; like++)
      pair_by_name(b, like);
   if (b->side[0].g->p->n_images > 0 && b->side[1].g->p->n_images > 0
       && b->side[0].image[0] == UINT32_MAX
       && b->side[1].image[0] == UINT32_MAX)
      pair_images(b, 0, 0);
   for (int k = 0; k < 2; k++)
      for (uint32_t i = 0; i < b->side[k].g->p->n_images; i++)
         if (b->side[k].image[i] == UINT32_MAX)
            b->side[k].image[i] = b->n_images++;
}

/* Return whether the image with more blocks has all blocks of the other one, at
   the same offsets. */
static bool same_blocks(const DcfgProcess* p, const DcfgImage* x,
                        const DcfgProcess* q, const DcfgImage* y)
{
   KeyMap*  blocks = keymap_new();
   uint32_t n = x->n_nodes < y->n_nodes ? x->n_nodes : y->n_nodes, same = 0;

   for (uint32_t i = x->first_node; i < x->first_node + x->n_nodes; i++)
      keymap_number(blocks, (p->nodes[i].addr - x->load_addr) << 16
                            | (p->nodes[i].n_instrs & 0xffff));
   for (uint32_t i = y->first_node; i < y->first_node + y->n_nodes; i++)
      same += keymap_find(blocks, (q->nodes[i].addr - y->load_addr) << 16
                                  | (q->nodes[i].n_instrs & 0xffff))
              != UINT32_MAX;
   keymap_free(blocks);
   return same >= n;
}

/* Compare build ids: 0 if they are equal, 1 if not, -1 if one is not known. */
static int compare_ids(const DcfgImage* x, const DcfgImage* y)
{
   const char* a = x->build_id != NULL ? x->build_id : x->code_hash;
   const char* b = y->build_id != NULL ? y->build_id : y->code_hash;

   return a == NULL || b == NULL ? -1 : strcmp(a, b) != 0;
}

/* Return whether the images are one build.  Symbols decide; if one was
   stripped, build ids and blocks do. */
static bool same_symbols(const DcfgProcess* p, const DcfgImage* x,
                         const DcfgProcess* q, const DcfgImage* y)
{
   if (x->n_symbols == 0 || y->n_symbols == 0)
      return compare_ids(x, y) != 1 || same_blocks(p, x, q, y);
   if (x->n_symbols != y->n_symbols)
      return compare_ids(x, y) == 0 && same_blocks(p, x, q, y);
   for (uint32_t i = 0; i < x->n_symbols; i++) {
      const DcfgSymbol* s = &p->symbols[x->first_symbol + i];
      const DcfgSymbol* t = &q->symbols[y->first_symbol + i];
      if (s->addr - x->load_addr != t->addr - y->load_addr
          || s->size != t->size || strcmp(s->name, t->name) != 0)
         return false;
   }
   return true;
}

/* Set .rebuilt, .stripped and .differ. */
static void find_rebuilt(BuildImages* b)
{
   const DcfgProcess* p = b->side[0].g->p;
   const DcfgProcess* q = b->side[1].g->p;
   uint32_t*          other = zalloc(b->n_images, sizeof(*other));

   b->rebuilt = zalloc(b->n_images, sizeof(*b->rebuilt));
   b->same = zalloc(b->n_images, sizeof(*b->same));
   b->stripped = zalloc(b->n_images, sizeof(*b->stripped));
   for (uint32_t i = 0; i < q->n_images; i++)
      other[b->side[1].image[i]] = i + 1;
   for (uint32_t i = 0; i < p->n_images; i++) {
      uint32_t number = b->side[0].image[i];
      if (other[number] == 0)
         continue;
      b->rebuilt[number] = !same_symbols(p, &p->images[i], q,
                                         &q->images[other[number] - 1]);
      b->same[number] = !b->rebuilt[number]
                        && compare_ids(&p->images[i],
                                       &q->images[other[number] - 1]) == 0;
      b->stripped[number] = b->rebuilt[number]
                            && (p->images[i].n_symbols == 0
                                || q->images[other[number] - 1].n_symbols == 0);
      b->differ = b->differ || b->rebuilt[number];
   }
   free(other);
}

BuildImages build_images_new(const Program* x, const Program* y)
{
   BuildImages b = { .side = { { x, NULL }, { y, NULL } } };

   number_images(&b);
   find_rebuilt(&b);
   return b;
}

void build_images_free(BuildImages* b)
{
   for (int k = 0; k < 2; k++)
      free(b->side[k].image);
   free(b->rebuilt);
   free(b->same);
   free(b->stripped);
}
