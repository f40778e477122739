/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Map from keys to numbers. */

/* Owns: the numbers of keys.  Handed: keys.

   The map is a binary tree with a key in each node.  Bits of the mixed key
   decide, the highest first.  Mixing is a permutation, so two keys differ in
   some bit.  Unless somebody has chosen bad keys, the tree is as good as
   balanced. */

#include "cmd/base/keymap.h"

#include <stdlib.h>

typedef
   struct {
      uint64_t key;
      uint32_t child[2];
   }
   Node;

struct KeyMap {
   Node*  nodes;
   size_t n, room;
};

#define NONE UINT32_MAX

/* Mix KEY: an odd factor is a permutation, and its high bits depend on the
   whole key. */
static uint64_t mix(uint64_t key)
{
   return (key ^ key >> 32) * 0x9E3779B97F4A7C15;
}

KeyMap* keymap_new(void)
{
   return zalloc(1, sizeof(KeyMap));
}

void keymap_free(KeyMap* m)
{
   if (m != NULL)
      free(m->nodes);
   free(m);
}

/* Return the number of KEY, or NONE; then its place would be below *PARENT, on
   *SIDE. */
static uint32_t search(const KeyMap* m, uint64_t key, uint32_t* parent,
                       unsigned* side)
{
   uint64_t bits = mix(key);
   uint32_t i = m->n > 0 ? 0 : NONE;

   *parent = NONE;
   while (i != NONE && m->nodes[i].key != key) {
      *side = bits >> 63;
      bits <<= 1;
      *parent = i;
      i = m->nodes[i].child[*side];
   }
   return i;
}

uint32_t keymap_number(KeyMap* m, uint64_t key)
{
   uint32_t parent;
   unsigned side = 0;
   uint32_t i = search(m, key, &parent, &side);

   if (i != NONE)
      return i;
   if (m->n == NONE)
      die("too many different things");
   GROW(m->nodes, m->n, m->room);
   i = (uint32_t)m->n++;
   m->nodes[i] = (Node){ key, { NONE, NONE } };
   if (parent != NONE)
      m->nodes[parent].child[side] = i;
   return i;
}

uint32_t keymap_find(const KeyMap* m, uint64_t key)
{
   uint32_t parent;
   unsigned side;

   return search(m, key, &parent, &side);
}

uint32_t keymap_size(const KeyMap* m)
{
   return (uint32_t)m->n;
}

uint64_t keymap_key(const KeyMap* m, uint32_t number)
{
   return m->nodes[number].key;
}
