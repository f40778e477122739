/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sizes of instructions. */

/* Owns: the sizes of instructions in the blocks of a sum.  Handed: images by
   merge_unite.c, merge_parts.c and merge_write.c.

   A piece of a block lies within each block that has its bytes.  So the sizes
   of a piece are known, all or none, from each of these. */

#include "cmd/merge/merge.h"

#include "format/dcfg_tables.h"

#include <stdlib.h>
#include <string.h>

static size_t* find_firsts(const MergedBlock* blocks, uint32_t n)
{
   size_t* first = zalloc((size_t)n + 1, sizeof(*first));

   for (uint32_t i = 0; i < n; i++)
      first[i + 1] = first[i] + blocks[i].n_instrs;
   return first;
}

/* Free SIZES, and return NULL, if none is known. */
static char* keep_known(char* sizes)
{
   if (sizes[strspn(sizes, "0")] != 0)
      return sizes;
   free(sizes);
   return NULL;
}

/*--- Where instructions begin                             ---*/

KnownSizes known_sizes(const MergedImage* im)
{
   return (KnownSizes){ im, im->sizes == NULL ? NULL
                            : find_firsts(im->blocks, im->n_blocks) };
}

bool known_starts(const KnownSizes* k, uint64_t offset, uint32_t size,
                  uint32_t n, uint32_t* starts)
{
   const MergedImage* im = k->im;
   const MergedBlock* b;
   const char*        digits;
   uint32_t           low = 0;

   if (k->first == NULL)
      return false;
   BISECT(low, im->n_blocks, middle, im->blocks[middle].offset < offset);
   if (low == im->n_blocks)
      return false;
   b = &im->blocks[low];
   digits = im->sizes + k->first[low];
   if (b->offset != offset || b->size != size || b->n_instrs != n
       || digits[0] == '0')
      return false;
   for (uint32_t i = 0, at = 0; i < n; i++) {
      starts[i] = at;
      at += instr_size(digits[i]);
   }
   return true;
}

/*--- Blocks that are divided or joined                    ---*/

/* Copy the DIGITS of BLOCK to TO, if they are known.  Return false if they do
   not fit BLOCK, or differ from those in TO. */
static bool put_digits(const MergedBlock* block, const char* digits, char* to)
{
   if (digits[0] == '0')
      return true;
   if (!fits_instr_sizes(digits, block->n_instrs, block->size,
                         block->last_offset)
       || (to[0] != '0' && memcmp(to, digits, block->n_instrs) != 0))
      return false;
   memcpy(to, digits, block->n_instrs);
   return true;
}

/* Copy the sizes of IM's blocks to their pieces P. */
static bool put_pieces(const MergedImage* im, const Division* d,
                       const Pieces* p, const size_t* first, char* to,
                       uint64_t* where)
{
   const char* digits = im->sizes;
   uint32_t    cut = 0;

   for (uint32_t i = 0; digits != NULL && i < im->n_blocks; i++) {
      const char* end = digits + im->blocks[i].n_instrs;
      uint32_t    piece = p->first[i];
      while (true) {
         const MergedBlock* b = &d->blocks[piece];
         if (b->n_instrs > (size_t)(end - digits)
             || !put_digits(b, digits, to + first[piece])) {
            *where = b->offset;
            return false;
         }
         digits += b->n_instrs;
         if (cut == p->n_cuts || p->cuts[cut].block != i)
            break;
         piece = p->cuts[cut++].to;
      }
      digits = end;
   }
   return true;
}

bool divide_sizes(const MergedImage* a, const MergedImage* b,
                  const Division* d, char** sizes, uint64_t* where)
{
   size_t* first;
   bool    good;

   *sizes = NULL;
   if (a->sizes == NULL && b->sizes == NULL)
      return true;
   first = find_firsts(d->blocks, d->n);
   *sizes = zalloc(first[d->n] + 1, 1);
   memset(*sizes, '0', first[d->n]);
   good = put_pieces(a, d, &d->a, first, *sizes, where)
          && put_pieces(b, d, &d->b, first, *sizes, where);
   free(first);
   *sizes = keep_known(*sizes);
   return good;
}

char* join_sizes(const MergedImage* im, const uint32_t* root, uint32_t base)
{
   size_t*     next;
   size_t*     end;
   char*       sizes;
   const char* digits = im->sizes;

   if (digits == NULL)
      return NULL;
   next = zalloc((size_t)im->n_blocks + 1, sizeof(*next));
   end = zalloc((size_t)im->n_blocks + 1, sizeof(*end));
   for (uint32_t i = 0; i < im->n_blocks; i++)
      end[root[i] - base] += im->blocks[i].n_instrs;
   for (uint32_t i = 0; i < im->n_blocks; i++)
      next[i + 1] = next[i] + end[i];
   sizes = zalloc(next[im->n_blocks] + 1, 1);
   for (uint32_t i = 0; i < im->n_blocks; i++) {
      uint32_t n = im->blocks[i].n_instrs;
      memcpy(sizes + next[root[i] - base], digits, n);
      next[root[i] - base] += n;
      digits += n;
   }
   /* A block with a piece of unknown sizes has unknown sizes. */
   for (uint32_t i = 0; i < im->n_blocks; i++) {
      char* from = sizes + next[i] - end[i];
      if (memchr(from, '0', end[i]) != NULL)
         memset(from, '0', end[i]);
   }
   free(next);
   free(end);
   return keep_known(sizes);
}

/*--- The file's                                           ---*/

char* list_sizes(const Merged* m, const uint32_t* order)
{
   size_t n = 0, at = 0;
   bool   known = false;
   char*  sizes;

   for (uint32_t i = 0; i < m->n_images; i++) {
      known = known || m->images[i].sizes != NULL;
      for (uint32_t k = 0; k < m->images[i].n_blocks; k++)
         n += m->images[i].blocks[k].n_instrs;
   }
   if (!known)
      return NULL;
   sizes = zalloc(n + 1, 1);
   memset(sizes, '0', n);
   for (uint32_t i = 0; i < m->n_images; i++) {
      const MergedImage* im = &m->images[order[i]];
      size_t             length = 0;
      for (uint32_t k = 0; k < im->n_blocks; k++)
         length += im->blocks[k].n_instrs;
      if (im->sizes != NULL)
         memcpy(sizes + at, im->sizes, length);
      at += length;
   }
   return sizes;
}
