/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: words of memory as a chunk leaves them. */

#ifndef DCFG_LIB_INDEX_WORDS_H
#define DCFG_LIB_INDEX_WORDS_H

#include "lib/index/index_file.h"
#include "lib/index/index_image.h"

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

/* WordCoder: what coding needs.  Written by index_words.c alone. */
typedef struct WordCoder WordCoder;
WordCoder* words_coder(Job* job);
void       words_coder_free(WordCoder* c);

/* Set TO to the code of the words of M that the present chunk wrote, in at most
   MOST bytes.  If all are too many, leave out whole pages that were written;
   then all words. */
bool words_put(WordCoder* c, const MemoryImage* m, uint64_t most, Array* to,
               WordsHead* head);

/* WordCache: decoded blocks.  Written by index_words.c alone. */
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

#endif /* DCFG_LIB_INDEX_WORDS_H */
