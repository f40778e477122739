/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: the program's memory while an index is made. */

#ifndef DCFG_LIB_INDEX_IMAGE_H
#define DCFG_LIB_INDEX_IMAGE_H

#include "lib/base/hash.h"
#include "lib/index/index_lines.h"
#include "lib/index/index_stores.h"
#include "lib/index/index_unseen.h"
#include "lib/wet/wet_chunks.h"

#include <string.h>

/* ByteIs: how much is known of a byte of memory at the end of a chunk. */
typedef
   enum {
      BYTE_LOOK,                // this chunk did not write it
      BYTE_KNOWN,               // its value
      BYTE_UNKNOWN,             // written, but the trace lacks the value
      BYTE_FRESH,               // the memory is new
      BYTE_ASK,                 // only the chunk itself tells
      BYTE_NEVER,               // nobody in the trace has written it
      N_BYTE_IS
   }
   ByteIs;

#define IMAGE_PAGE 4096u
#define IMAGE_WORDS (IMAGE_PAGE / 8)
#define N_RECENT_IMAGES 256u

/* WordFacts: when the trace last told bytes of a word: a store, a load, or
   contents that the kernel wrote.  Each of the two has a bit for each byte that
   was told for a time, and above that the time.  The first is the latest.  All
   other bytes were told at some time before. */
typedef struct { uint64_t of[2]; } WordFacts;

/* ImagePage: 4 KB of memory. */
typedef
   struct {
      uint64_t number;
      uint8_t  masks[IMAGE_PAGE / 64];  // by line: words that this chunk wrote
      uint8_t  is[IMAGE_PAGE];          // ByteIs
      uint8_t  bytes[IMAGE_PAGE];
      WordFacts facts[IMAGE_WORDS];
      bool     touched;         // the page is in .touched of the image
      bool     asks;            // some byte is BYTE_ASK
   }
   ImagePage;

/* ImageRange: memory that the kernel changed. */
typedef
   struct {
      uint64_t first, last;     // pages
      uint32_t chunk;
   }
   ImageRange;

/* MemoryImage: bytes that the program wrote, chunk after chunk.  Written by
   index_image.c alone. */
typedef
   struct {
      Job*       job;
      NumberMap  places;        // keys: page + 1; values: index in .pages, + 1
      Array      pages;         // ImagePage*
      Array      touched;       // ImagePage*: changed by this chunk
      Array      ranges;        // ImageRange
      uint32_t   chunk;         // the present one's number
      bool       dropped;       // earlier bytes were dropped
      bool       full;          // there is no room for this chunk's bytes
      Array      unseen;        // UnseenWrite: of this chunk
      ImagePage* recent[N_RECENT_IMAGES];
   }
   MemoryImage;

void image_free(MemoryImage* m);

/* Note that the SIZE bytes at ADDR are IS from TIME on; BYTES has their values
   if they are BYTE_KNOWN. */
bool image_write_any(MemoryImage* m, uint64_t addr, uint64_t size, ByteIs is,
                     const uint8_t* bytes, uint64_t time);

/* Note that the trace told the bytes MASK of a word for TIME.  Of three times,
   the two earlier ones become the earlier of them. */
static inline void facts_add(WordFacts* f, uint8_t mask, uint64_t time)
{
   uint64_t left = f->of[0] & 0xFF & ~(uint64_t)mask;

   f->of[1] &= ~(uint64_t)mask;
   if (left != 0)
      f->of[1] = ((f->of[1] & 0xFF) == 0 ? f->of[0] & ~UINT64_C(0xFF)
                                         : f->of[1]) | left;
   f->of[0] = time << 8 | mask;
}

/* Return page NUMBER if it was asked for lately; NULL if not. */
static inline ImagePage* image_recent(const MemoryImage* m, uint64_t number)
{
   ImagePage* p = m->recent[number % N_RECENT_IMAGES];

   return p != NULL && p->number == number ? p : NULL;
}

/* Eight ByteIs that are BYTE_KNOWN. */
#define ALL_KNOWN (BYTE_KNOWN * UINT64_C(0x0101010101010101))

/* Store the lowest SIZE bytes of VALUE, at most 8, at ADDR, from TIME on. */
static inline bool image_store(MemoryImage* m, uint64_t addr, uint32_t size,
                               uint64_t value, uint64_t time)
{
   ImagePage* p = image_recent(m, addr / IMAGE_PAGE);
   uint32_t   at = (uint32_t)(addr % IMAGE_PAGE), word = at >> 3;
   unsigned   shift = 8 * (at & 7);
   uint64_t   bytes, is, mask = ~UINT64_C(0) >> (64 - 8 * size) << shift;

   if (p == NULL || !p->touched || (at & 7) + size > 8)
      return image_write_any(m, addr, size, BYTE_KNOWN, (uint8_t*)&value,
                             time);
   memcpy(&bytes, p->bytes + 8 * word, 8);
   memcpy(&is, p->is + 8 * word, 8);
   bytes = (bytes & ~mask) | (value << shift & mask);
   is    = (is & ~mask) | (ALL_KNOWN & mask);
   memcpy(p->bytes + 8 * word, &bytes, 8);
   memcpy(p->is + 8 * word, &is, 8);
   p->masks[word >> 3] |= (uint8_t)(1u << (word & 7));
   facts_add(&p->facts[word], (uint8_t)(((1u << size) - 1) << (at & 7)), time);
   return true;
}

/* Note that the instruction before TIME loaded the SIZE BYTES at ADDR.  Set
   *NEWS if the image did not have all of them; if it had others, that is an
   unseen write. */
bool image_load_any(MemoryImage* m, uint64_t addr, uint64_t size,
                    const uint8_t* bytes, uint64_t time, bool* news);

/* Do the same for the lowest SIZE bytes of VALUE, at most 8. */
static inline bool image_load(MemoryImage* m, uint64_t addr, uint32_t size,
                              uint64_t value, uint64_t time, bool* news)
{
   ImagePage* p = image_recent(m, addr / IMAGE_PAGE);
   uint32_t   at = (uint32_t)(addr % IMAGE_PAGE), shift = 8 * (at & 7);
   uint64_t   bytes, is, mask = ~UINT64_C(0) >> (64 - 8 * size) << shift;

   if (p != NULL && (at & 7) + size <= 8) {
      memcpy(&bytes, p->bytes + (at & ~7u), 8);
      memcpy(&is, p->is + (at & ~7u), 8);
      if ((((bytes ^ value << shift)
            | (is ^ ALL_KNOWN)) & mask) == 0) {
         facts_add(&p->facts[at >> 3],
                   (uint8_t)(((1u << size) - 1) << (at & 7)), time);
         return true;
      }
   }
   return image_load_any(m, addr, size, (uint8_t*)&value, time, news);
}

/* Note that the kernel changed the SIZE bytes at ADDR, which may be all memory,
   in a manner that only the chunk itself tells. */
bool image_change(MemoryImage* m, uint64_t addr, uint64_t size);

/* End the present chunk. */
void image_end_chunk(MemoryImage* m);

/* IndexWrite: an instruction of a superblock that stores, or a load whose bytes
   its value has: its index there.  If it stores or loads one value of .size
   bytes, which has one slot, .size is not 0. */
typedef
   struct {
      uint16_t place;
      uint16_t slot, value;     // the slots of the address and the value
      uint16_t size;
      bool     load;
   }
   IndexWrite;

/* IndexWay: the data that all records of a way share. */
typedef
   struct {
      uint64_t defs[2];
      uint64_t turn;            // the last turn that has these granules
      uint32_t writes;          // the first one's index in .writes
      uint32_t n_writes;
      uint32_t stores;          // the first one's index in .stores of the trace
      uint32_t n_stores;
      uint32_t place;           // the last instruction's index in .sb_instrs
      bool     calls;           // the last instruction is a system call
   }
   IndexWay;

/* IndexWays: written by index_image.c alone. */
typedef
   struct {
      Job*           job;
      const DcfgWet* w;
      IndexWay*      ways;      // the trace's ways, then one for the stops of
                                // each superblock
      Array          writes;    // IndexWrite
   }
   IndexWays;

/* Describe the ways of W. */
bool ways_start(IndexWays* x, Job* job, const DcfgWet* w);
void ways_free(IndexWays* x);

/* Return the way of record R, an execution of a superblock. */
static inline IndexWay* way_of(const IndexWays* x, const WetStep* r)
{
   return &x->ways[r->way != DCFG_NONE ? r->way : x->w->n_ways + r->sb];
}

/* Return whether WAY is met for the first time in turn NUMBER. */
static inline bool way_turns(IndexWay* way, uint64_t number)
{
   bool first = way->turn != number;

   way->turn = number;
   return first;
}

/* Note in TO the values that record R, which went WAY, stored and loaded; ADDRS
   has the record's slots, and its first instruction has TIME.  Add to NEWS the
   loads that told something new. */
bool way_write(const IndexWays* x, const IndexWay* way, const WetStep* r,
               const uint64_t* addrs, uint64_t time, MemoryImage* to,
               LineSet* news);

/* MarkWrite: memory that a mark changes. */
typedef
   struct {
      uint64_t       addr, size;
      ByteIs         is;        // BYTE_ASK: only the mark itself tells
      const uint8_t* bytes;     // if .is is BYTE_KNOWN
      bool           maps;      // the mark maps or unmaps it
   }
   MarkWrite;

/* Set *TO to the memory that mark R of STEPS changes.  Return false if it
   changes none. */
bool mark_write(const WetSteps* steps, const WetStep* r, MarkWrite* to);

/* Note the change in IMAGE, at TIME. */
bool mark_write_put(const MarkWrite* x, uint64_t time, MemoryImage* image);

/* Return whether loads of W may tell unseen writes. */
bool unseen_may_be(const DcfgWet* w);

/*--- Words of memory as a chunk leaves them               ---*/

/* WordsHead: the head of a chunk's words: a table of WordBlock, and then the
   blocks. */
typedef
   struct {
      uint32_t n_blocks;        // for a binary search; 0: the chunk has no words
      uint32_t size;            // bytes, with the table
   }
   WordsHead;

/* WordBlock: words that are compressed together, at most WORDS_PER_BLOCK. */
#define WORDS_PER_BLOCK 1024u
typedef
   struct {
      uint64_t word;            // number of the first one: address / 8
      uint32_t at;              // begin of its code, in the chunk's
      uint32_t size;            // bytes of its code
   }
   WordBlock;

/* WordCoder: what coding needs.  Written by index_image.c alone. */
typedef struct WordCoder WordCoder;
WordCoder* words_coder(Job* job);
void       words_coder_free(WordCoder* c);

/* Set TO to the code of the words of M that the present chunk wrote, in at most
   MOST bytes.  If all are too many, leave out whole pages that were written;
   then all words. */
bool words_put(WordCoder* c, const MemoryImage* m, uint64_t most, Array* to,
               WordsHead* head);

/* WordCache: decoded blocks.  Written by index_image.c alone. */
typedef struct WordCache WordCache;
WordCache* words_cache(void);           // NULL if memory is exhausted
void       words_cache_free(WordCache* c);

/* IndexWord: a word of memory: each byte's value, and its ByteIs. */
typedef
   struct {
      const uint8_t* bytes;
      const uint8_t* is;
   }
   IndexWord;

/* Return the number of the block that may have word number WORD, of the N
   blocks in TABLE; N if none may. */
uint32_t words_block(const WordBlock* table, uint32_t n, uint64_t word);

/* Set *TO to word number WORD as chunk CHUNK left it; it is valid until the next
   call.  B is block BLOCK of the chunk, and CODE its code.  Return false if the
   block does not have the word; set *BAD if the block is wrong. */
bool words_find(WordCache* c, const WordBlock* b, const uint8_t* code,
                uint32_t chunk, uint32_t block, uint64_t word, IndexWord* to,
                bool* bad);

#endif /* DCFG_LIB_INDEX_IMAGE_H */
