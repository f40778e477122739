/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Addresses of thread-local variables. */

/* Owns: the way from a thread and a module to the module's thread-local
   storage.  Handed: packets by gdb_query.c, registers and memory by
   cmd/state/.

   The C library numbers the modules that have such storage.  Each thread has a
   vector (DTV) with the address of its storage of each module (U. Drepper, ELF
   Handling For Thread-Local Storage, 2013).  A module's number is in glibc's
   link_map of the module, behind a copy of the ELF file's numbers, which are
   looked for: their place depends on the version. */

#include "cmd/gdb/gdb_session.h"

#include <elf.h>
#include <string.h>

#define MOST_MODULES 4096u
#define MOST_DYNAMIC 65536u     // bytes of a dynamic section that are searched
#define LINK_MAP     2048u      // bytes of a link_map that are searched

static unsigned word_size(const GdbSession* g)
{
   return g->s->word == 0x0F ? 4 : 8;
}

/* Set *NUMBER to the word in memory at ADDR.  Return false if it is not
   known. */
static bool read_word(const GdbSession* g, uint64_t addr, uint64_t* number)
{
   unsigned size = word_size(g);
   bool     known[8], all = true;

   *number = 0;
   if (!state_memory(g->s, g->time, addr, size, (uint8_t*)number, known))
      return false;
   for (unsigned i = 0; i < size; i++)
      all &= known[i];
   return all;
}

/* Set *MAP to the address of the program's link_map, the first of all.  Return
   false if there is none. */
static bool first_map(const GdbSession* g, uint64_t* map)
{
   const GdbModule* m = &g->images.modules[0];
   unsigned         size = word_size(g);
   uint64_t         tag, debug;

   for (uint64_t at = 0; at + 2 * size <= m->dynamic_size
                         && at < MOST_DYNAMIC; at += 2 * size)
      if (read_word(g, m->dynamic + at, &tag) && tag == DT_DEBUG)
         return read_word(g, m->dynamic + at + size, &debug) && debug != 0
                && read_word(g, debug + size, map) && *map != 0;
   return false;
}

/* *MAP is the address of the first link_map; set it to that of M's.  Return false
   if there is none. */
static bool find_map(const GdbSession* g, const GdbModule* m, uint64_t* map)
{
   unsigned size = word_size(g);
   uint64_t dynamic;

   for (unsigned n = 0; n < MOST_MODULES && *map != 0; n++) {
      if (!read_word(g, *map + 2 * size, &dynamic))
         return false;
      if (dynamic == m->dynamic)
         return true;
      if (!read_word(g, *map + 3 * size, map))
         return false;
   }
   return false;
}

/* Set *NUMBER to the number of M among the modules with thread-local storage.
   Return false if it is not known. */
static bool module_number(const GdbSession* g, const GdbModule* m,
                          uint64_t* number)
{
   const uint64_t alike[] = { m->image, m->image_size, m->size, m->align };
   unsigned       size = word_size(g);
   uint64_t       map, word;

   /* A static program has one module, and no link_map. */
   *number = 1;
   if (!first_map(g, &map))
      return m == &g->images.modules[0];
   if (!find_map(g, m, &map))
      return false;
   for (uint64_t at = 0; at < LINK_MAP; at += size) {
      unsigned k = 0;
      while (k < 4 && read_word(g, map + at + k * size, &word)
             && word == alike[k])
         k++;
      /* Two other words stand in between. */
      if (k == 4)
         return read_word(g, map + at + 6 * size, number) && *number != 0;
   }
   return false;
}

bool gdb_tls_address(const GdbSession* g, uint32_t thread, uint64_t offset,
                     uint64_t module, uint64_t* addr)
{
   const GdbModule* m;
   StateValue       base;
   unsigned         size = word_size(g);
   uint64_t         tcb, vector, storage, number;

   if (module % gdb_module_id(0) != 0 || module == 0
       || module / gdb_module_id(0) > g->images.n_modules)
      return false;
   m    = &g->images.modules[module / gdb_module_id(0) - 1];
   base = state_thread_base(g->s, thread, g->time);
   if (!m->storage || (base.known & g->s->word) != g->s->word)
      return false;
   memcpy(&tcb, base.bytes, sizeof(tcb));
   /* In the vector, an odd number or 0 means that the thread has no storage of
      the module yet. */
   if (!module_number(g, m, &number) || number > MOST_MODULES
       || !read_word(g, tcb + g->s->rules->dtv, &vector)
       || !read_word(g, vector + number * 2 * size, &storage)
       || storage == 0 || storage % 2 != 0)
      return false;
   *addr = storage + offset;
   return true;
}
