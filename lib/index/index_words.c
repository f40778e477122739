/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Words of memory as a chunk leaves them. */

/* Owns: the code of words, and decoded blocks.  Handed: a MemoryImage by
   index_make.c, code by wet_index.c.

   A word is odd if one of its bytes is not BYTE_KNOWN.  Before a block is
   compressed, it begins with the number of its words and that of odd words, 2
   bytes each.  A varint for each word follows: how many words were left out
   before it.  Then come a bit for each word, set for odd ones; the 8 ByteIs of
   each odd word; and the values: first the lowest bytes of all words, then the
   next ones, and so on. */

#include "lib/index/index_words.h"
#include "lib/base/sort.h"
#include "lib/wet/wet_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* LEVEL: zstd compresses well at this level, at 200 MB/s. */
#define LEVEL 3

/* Bytes of the largest block: gaps of up to 10 bytes for each word. */
#define MOST_RAW (4 + WORDS_PER_BLOCK * (10 + 8 + 8) + WORDS_PER_BLOCK / 8)

/*--- Coding                                               ---*/

struct WordCoder {
   Job*       job;
   ZSTD_CCtx* context;
   Array      order;            // ImagePage*: touched pages, by number
   Array      blocks;           // WordBlock
   uint32_t   n;                // words of the present block
   uint64_t   words[WORDS_PER_BLOCK];
   uint8_t    is[WORDS_PER_BLOCK][8];
   uint8_t    bytes[WORDS_PER_BLOCK][8];
   uint8_t    raw[MOST_RAW];
};

WordCoder* words_coder(Job* job)
{
   WordCoder* c = job_calloc(job, 1, sizeof(*c));

   if (c == NULL)
      return NULL;
   c->job     = job;
   c->context = ZSTD_createCCtx();
   if (c->context != NULL)
      return c;
   words_coder_free(c);
   job_fail(job, DCFG_ERROR_MEMORY, "index", "there is no memory for it");
   return NULL;
}

void words_coder_free(WordCoder* c)
{
   if (c == NULL)
      return;
   ZSTD_freeCCtx(c->context);
   array_free(c->job, &c->order, sizeof(ImagePage*));
   array_free(c->job, &c->blocks, sizeof(WordBlock));
   job_free(c->job, c, sizeof(*c));
}

static bool all_known(const uint8_t* is)
{
   static const uint8_t known[8] = { BYTE_KNOWN, BYTE_KNOWN, BYTE_KNOWN,
                                     BYTE_KNOWN, BYTE_KNOWN, BYTE_KNOWN,
                                     BYTE_KNOWN, BYTE_KNOWN };

   return memcmp(is, known, sizeof(known)) == 0;
}

/* Set .raw to the present block.  Return its size. */
static size_t code_block(WordCoder* c)
{
   uint8_t* at = c->raw + 4;
   uint8_t* bits;
   uint32_t n_odd = 0;

   for (uint32_t i = 0; i < c->n; i++)
      write_varint(&at, i == 0 ? 0 : c->words[i] - c->words[i - 1] - 1);
   bits = at;
   at  += (c->n + 7) / 8;
   memset(bits, 0, (c->n + 7) / 8);
   for (uint32_t i = 0; i < c->n; i++) {
      if (all_known(c->is[i]))
         continue;
      bits[i / 8] |= (uint8_t)(1u << i % 8);
      memcpy(at, c->is[i], 8);
      at += 8;
      n_odd++;
   }
   for (unsigned b = 0; b < 8; b++)
      for (uint32_t i = 0; i < c->n; i++)
         *at++ = c->bytes[i][b];
   c->raw[0] = (uint8_t)c->n;
   c->raw[1] = (uint8_t)(c->n >> 8);
   c->raw[2] = (uint8_t)n_odd;
   c->raw[3] = (uint8_t)(n_odd >> 8);
   return (size_t)(at - c->raw);
}

static bool end_block(WordCoder* c, Array* to)
{
   size_t     size, most = ZSTD_COMPRESSBOUND(MOST_RAW), before = to->n;
   WordBlock* b;
   void*      room;

   if (c->n == 0)
      return true;
   b    = array_add(c->job, &c->blocks, sizeof(*b));
   room = b == NULL ? NULL : array_add_n(c->job, to, 1, most);
   if (room == NULL)
      return false;
   size = ZSTD_compressCCtx(c->context, room, most, c->raw, code_block(c),
                            LEVEL);
   if (ZSTD_isError(size))
      return job_fail(c->job, DCFG_ERROR_MEMORY, "index",
                      "there is no memory for it");
   array_cut(to, before + size);
   *b   = (WordBlock){ c->words[0], (uint32_t)before, (uint32_t)size };
   c->n = 0;
   return true;
}

static bool put_page(WordCoder* c, const ImagePage* p, Array* to)
{
   for (uint32_t k = 0; k < IMAGE_PAGE / 8; k++) {
      if (!(p->masks[k / 8] >> k % 8 & 1))
         continue;
      c->words[c->n] = p->number * (IMAGE_PAGE / 8) + k;
      memcpy(c->is[c->n], p->is + 8 * k, 8);
      for (unsigned b = 0; b < 8; b++)
         c->bytes[c->n][b] = p->is[8 * k + b] == BYTE_KNOWN
                             ? p->bytes[8 * k + b] : 0;
      if (++c->n == WORDS_PER_BLOCK && !end_block(c, to))
         return false;
   }
   return true;
}

/* Return whether the chunk wrote all words of P. */
static bool is_whole(const ImagePage* p)
{
   for (uint32_t k = 0; k < sizeof(p->masks); k++)
      if (p->masks[k] != 0xFF)
         return false;
   return true;
}

static uint64_t size_of(const WordCoder* c, const Array* to)
{
   return to->n + c->blocks.n * sizeof(WordBlock);
}

/* Set TO to the blocks of all touched pages; if SOME, of those that are not
   whole.  Stop when that gets more than MOST bytes. */
static bool put_pages(WordCoder* c, bool some, uint64_t most, Array* to)
{
   array_cut(to, 0);
   array_cut(&c->blocks, 0);
   c->n = 0;
   for (size_t i = 0; i < c->order.n && size_of(c, to) <= most; i++) {
      const ImagePage* p = ELEM(c->order, ImagePage*, i);
      if ((!some || !is_whole(p)) && !put_page(c, p, to))
         return false;
   }
   return end_block(c, to);
}

/* Put the table of blocks before their code. */
static bool put_table(WordCoder* c, Array* to)
{
   size_t   table = c->blocks.n * sizeof(WordBlock), size = to->n;
   uint8_t* all;

   if (table == 0)
      return true;
   if (array_add_n(c->job, to, 1, table) == NULL)
      return false;
   all = to->data;
   memmove(all + table, all, size);
   for (size_t i = 0; i < c->blocks.n; i++)
      ELEM(c->blocks, WordBlock, i).at += (uint32_t)table;
   memcpy(all, c->blocks.data, table);
   if (to->n % 8 == 0)
      return true;
   return array_add_n(c->job, to, 1, 8 - to->n % 8) != NULL;
}

typedef ImagePage* PageRef;
COMPARE(by_number, PageRef, ORDER((*x)->number, (*y)->number))

bool words_put(WordCoder* c, const MemoryImage* m, uint64_t most, Array* to,
               WordsHead* head)
{
   size_t n = m->full ? 0 : m->touched.n;

   array_cut(to, 0);
   array_cut(&c->blocks, 0);
   array_cut(&c->order, 0);
   *head = (WordsHead){ 0, 0 };
   if (n == 0)
      return true;
   if (array_add_n(c->job, &c->order, sizeof(ImagePage*), n) == NULL)
      return false;
   memcpy(c->order.data, m->touched.data, n * sizeof(ImagePage*));
   qsort(c->order.data, n, sizeof(ImagePage*), by_number);
   if (!put_pages(c, false, most, to)
       || (size_of(c, to) > most && !put_pages(c, true, most, to)))
      return false;
   if (size_of(c, to) > most) {
      array_cut(to, 0);
      return true;
   }
   if (!put_table(c, to))
      return false;
   *head = (WordsHead){ (uint32_t)c->blocks.n, (uint32_t)to->n };
   return true;
}

/*--- Decoding                                             ---*/

/* DecodedBlock: a block, decoded. */
typedef
   struct {
      bool     there;           // false: there is none
      uint32_t chunk, block;
      uint32_t n;
      uint64_t words[WORDS_PER_BLOCK];
      uint8_t  is[WORDS_PER_BLOCK][8];
      uint8_t  bytes[WORDS_PER_BLOCK][8];
   }
   DecodedBlock;

/* Blocks that are kept decoded.  A search for a byte goes through a block of each
   of many chunks. */
#define N_DECODED 512u

struct WordCache {
   ZSTD_DCtx*    context;
   DecodedBlock* blocks[N_DECODED];
   uint8_t       raw[MOST_RAW];
};

WordCache* words_cache(void)
{
   WordCache* c = calloc(1, sizeof(*c));

   if (c != NULL)
      c->context = ZSTD_createDCtx();
   if (c == NULL || c->context != NULL)
      return c;
   free(c);
   return NULL;
}

void words_cache_free(WordCache* c)
{
   if (c == NULL)
      return;
   ZSTD_freeDCtx(c->context);
   for (unsigned i = 0; i < N_DECODED; i++)
      free(c->blocks[i]);
   free(c);
}

/* Decode the SIZE bytes of .raw to TO; WORD is the first word.  Return false if
   they are wrong. */
static bool decode(const WordCache* c, size_t size, uint64_t word,
                   DecodedBlock* to)
{
   Bytes          b = { c->raw + 4, c->raw + size, false };
   uint32_t       n = 0, n_odd, odd = 0;
   const uint8_t* bits;
   const uint8_t* is;

   if (size < 4)
      return false;
   n     = c->raw[0] | (uint32_t)c->raw[1] << 8;
   n_odd = c->raw[2] | (uint32_t)c->raw[3] << 8;
   if (n == 0 || n > WORDS_PER_BLOCK || n_odd > n)
      return false;
   for (uint32_t i = 0; i < n; i++) {
      uint64_t gap = get_varint(&b);
      if (gap > (UINT64_MAX >> 3) - word)
         return false;
      to->words[i] = word + gap;
      word         = to->words[i] + 1;
   }
   if (b.failed
       || (size_t)(b.end - b.at) != (n + 7) / 8 + 8 * ((size_t)n + n_odd))
      return false;
   bits = b.at;
   is   = bits + (n + 7) / 8;
   for (uint32_t i = 0; i < n; i++) {
      memset(to->is[i], BYTE_KNOWN, 8);
      if (!(bits[i / 8] >> i % 8 & 1))
         continue;
      if (odd++ == n_odd)
         return false;
      memcpy(to->is[i], is, 8);
      is += 8;
      for (unsigned k = 0; k < 8; k++)
         if (to->is[i][k] >= N_BYTE_IS)
            return false;
   }
   for (unsigned k = 0; k < 8; k++)
      for (uint32_t i = 0; i < n; i++)
         to->bytes[i][k] = is[k * n + i];
   to->n = n;
   return odd == n_odd;
}

/* Return block number BLOCK of CHUNK, with CODE and the head B, decoded; NULL if
   it is wrong or memory is exhausted. */
static const DecodedBlock* block_of(WordCache* c, const uint8_t* code,
                                    const WordBlock* b, uint32_t chunk,
                                    uint32_t block)
{
   DecodedBlock** to = &c->blocks[(chunk + block * 31u) % N_DECODED];
   size_t         size;

   if (*to == NULL)
      *to = calloc(1, sizeof(**to));
   if (*to == NULL || ((*to)->there && (*to)->chunk == chunk
                       && (*to)->block == block))
      return *to;
   size = ZSTD_decompressDCtx(c->context, c->raw, sizeof(c->raw), code,
                              b->size);
   (*to)->there = !ZSTD_isError(size) && decode(c, size, b->word, *to);
   (*to)->chunk = chunk;
   (*to)->block = block;
   return (*to)->there ? *to : NULL;
}

uint32_t words_block(const WordBlock* table, uint32_t n, uint64_t word)
{
   uint32_t low = 0;

   BISECT(low, n, middle, table[middle].word <= word);
   return low == 0 ? n : low - 1;
}

bool words_find(WordCache* c, const WordBlock* b, const uint8_t* code,
                uint32_t chunk, uint32_t block, uint64_t word, IndexWord* to,
                bool* bad)
{
   const DecodedBlock* d = block_of(c, code, b, chunk, block);
   uint32_t            i = 0;

   if (d == NULL) {
      *bad = true;
      return false;
   }
   BISECT(i, d->n, middle, d->words[middle] < word);
   if (i == d->n || d->words[i] != word)
      return false;
   *to = (IndexWord){ d->bytes[i], d->is[i] };
   return true;
}
