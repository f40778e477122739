/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Interned names: equal names are one string. */

/* Owns: names, each once.  Handed: names.

   A table with open addressing.  Its hash has a key that no file can foresee:
   each word is multiplied by half of it, and both halves of the product count. */

#include "cmd/base/interned.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

typedef
   struct {
      uint64_t hash;
      char*    name;            // NULL: free
   }
   Slot;

struct Interned {
   Slot*    slots;
   size_t   n, size;            // a power of 2
   uint64_t key[2];
};

#define FIRST_SIZE 1024

Interned* interned_new(void)
{
   Interned* names = zalloc(1, sizeof(*names));

   if (getrandom(names->key, sizeof(names->key), GRND_NONBLOCK) < 0)
      names->key[0] = (uintptr_t)names;
   names->size = FIRST_SIZE;
   names->slots = zalloc(names->size, sizeof(*names->slots));
   return names;
}

void interned_free(Interned* names)
{
   for (size_t i = 0; i < names->size; i++)
      free(names->slots[i].name);
   free(names->slots);
   free(names);
}

static uint64_t fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
   __extension__ typedef unsigned __int128 Wide;
   Wide product = (Wide)a * b;

   return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
   uint64_t h = a * b;

   return (h ^ h >> 32) * (b ^ a >> 32);
#endif
}

static uint64_t hash_name(const Interned* names, const char* name, size_t n)
{
   uint64_t h = n;

   for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
      uint64_t word = 0;
      memcpy(&word, name + i, n - i < sizeof(word) ? n - i : sizeof(word));
      h = fold(h ^ word ^ names->key[0], names->key[1] | 1);
   }
   return h;
}

/* Return the slot with the N characters of NAME, or the free one where it
   belongs. */
static Slot* find_slot(const Interned* names, uint64_t hash, const char* name,
                       size_t n)
{
   size_t i = hash & (names->size - 1);

   while (names->slots[i].name != NULL
          && (names->slots[i].hash != hash
              || strncmp(names->slots[i].name, name, n) != 0
              || names->slots[i].name[n] != 0))
      i = (i + 1) & (names->size - 1);
   return &names->slots[i];
}

static void double_size(Interned* names)
{
   Slot*  old = names->slots;
   size_t n = names->size;

   names->size *= 2;
   names->slots = zalloc(names->size, sizeof(*names->slots));
   for (size_t i = 0; i < n; i++)
      if (old[i].name != NULL)
         *find_slot(names, old[i].hash, old[i].name, strlen(old[i].name))
            = old[i];
   free(old);
}

const char* intern_part(Interned* names, const char* text, size_t n)
{
   uint64_t hash = hash_name(names, text, n);
   Slot*    slot = find_slot(names, hash, text, n);

   if (slot->name == NULL) {
      if (names->n++ >= names->size / 2) {
         double_size(names);
         slot = find_slot(names, hash, text, n);
      }
      *slot = (Slot){ hash, memcpy(zalloc(n + 1, 1), text, n) };
   }
   return slot->name;
}

const char* intern(Interned* names, const char* name)
{
   return intern_part(names, name, strlen(name));
}
