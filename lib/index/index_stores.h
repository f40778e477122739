/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The bytes that an instance stores, and loads. */

#ifndef DCFG_LIB_INDEX_STORES_H
#define DCFG_LIB_INDEX_STORES_H

#include "lib/wet/wet.h"

/* Bytes of the longest recorded value. */
#define MOST_VALUE 1024u

/* MemoryStore: .size bytes at .addr.  They begin at byte .begin of the
   instance's value. */
typedef
   struct {
      uint64_t addr;
      uint32_t size;
      uint32_t begin;
      bool     made;            // false: its condition was false
   }
   MemoryStore;

/* MemoryStores: the stores of an instance.  Where two overlap, the last one
   counts. */
typedef
   struct {
      const WetAccess* accesses;
      const uint64_t*  slots;
      uint32_t first, end;      // slots that may be stores
      uint32_t size;            // bytes of all; the stored bytes are known if the
                                // value has this size
      bool     downward;        // each is just below the one before
   }
   MemoryStores;

/* StoreAt: a place in MemoryStores, at first all 0. */
typedef
   struct {
      uint32_t n;               // slots so far
      uint32_t size;            // bytes of stores so far
   }
   StoreAt;

/* Set *TO to the stores of the instance with plan AT, in a record with the first
   N_SLOTS of the slots ACCESSES.  SLOTS has their contents.  Return false if there
   are none. */
bool stores_of(const WetAccess* accesses, const uint64_t* slots,
               uint32_t n_slots, const InstrPlan* at, MemoryStores* to);

/* Set *TO to the next store of S behind place AT; if BACK, the one before, from
   the last one on.  Return false if there is none. */
bool next_store(const MemoryStores* s, StoreAt* at, bool back,
                MemoryStore* to);

/* Return the slot of the only load of the instance with plan AT, in a record
   with the first N_SLOTS of the slots ACCESSES; SLOTS has their contents.
   Return UINT32_MAX if it made no load, or several, or one that also stores. */
uint32_t load_of(const WetAccess* accesses, const uint64_t* slots,
                 uint32_t n_slots, const InstrPlan* at);

/* Set TO, which has room for MOST_VALUE bytes, to the value of that instance.
   Return its size in bytes; 0: none was recorded. */
uint32_t value_of(const WetAccess* accesses, const uint64_t* slots,
                  uint32_t n_slots, const InstrPlan* at, uint8_t* to);

#endif /* DCFG_LIB_INDEX_STORES_H */
