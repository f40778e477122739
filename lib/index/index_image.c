/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's memory while an index is made, and as each chunk leaves it. */

/* Owns: bytes that the trace has told so far, and the loads that contradict
   them.  How a record or a mark changes them; which registers and words a record
   may write.  The code of words, and decoded blocks.  Handed: steps by
   index_make.c, code by wet_index.c.

   A byte stays BYTE_KNOWN behind its chunk, so that a word of which a chunk
   wrote a part is told as a whole there.  If there are too many pages, all are
   dropped: a reader then looks into earlier chunks.

   What all records of a way of a superblock share is found once.

   A word is odd if one of its bytes is not BYTE_KNOWN.  Before a block of words
   is compressed, it begins with the number of its words and that of odd words, 2
   bytes each.  A varint for each word follows: how many words were left out
   before it.  Then come a bit for each word, set for odd ones; the 8 ByteIs of
   each odd word; and the values: first the lowest bytes of all words, then the
   next ones, and so on. */

#include "lib/index/index_image.h"
#include "lib/base/sort.h"
#include "format/numbers.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* The most pages of the image, about 16 KB each. */
#define MOST_PAGES 16384u

/* The most ranges.  If there are more, each new page may be changed. */
#define MOST_RANGES 4096u

static void drop(MemoryImage* m)
{
   for (size_t i = 0; i < m->pages.n; i++)
      job_free(m->job, ELEM(m->pages, ImagePage*, i), sizeof(ImagePage));
   map_free(m->job, &m->places);
   m->places  = (NumberMap){ 0 };
   m->dropped = true;
   array_cut(&m->pages, 0);
   array_cut(&m->touched, 0);
   memset(m->recent, 0, sizeof(m->recent));
}

void image_free(MemoryImage* m)
{
   if (m->job == NULL)
      return;
   drop(m);
   array_free(m->job, &m->pages, sizeof(ImagePage*));
   array_free(m->job, &m->touched, sizeof(ImagePage*));
   array_free(m->job, &m->ranges, sizeof(ImageRange));
   array_free(m->job, &m->unseen, sizeof(UnseenWrite));
}

/*--- Pages                                                ---*/

/* Return how much is known of the bytes of a new page. */
static ByteIs begin_of(const MemoryImage* m, uint64_t number)
{
   ByteIs is = m->dropped ? BYTE_LOOK : BYTE_NEVER;

   if (m->ranges.n == MOST_RANGES)
      return BYTE_ASK;
   for (size_t i = 0; i < m->ranges.n; i++) {
      const ImageRange* r = &ELEM(m->ranges, ImageRange, i);
      if (number < r->first || number > r->last)
         continue;
      if (r->chunk == m->chunk)
         return BYTE_ASK;
      is = BYTE_LOOK;
   }
   return is;
}

static ImagePage* make_page(MemoryImage* m, uint64_t number, uint32_t* place)
{
   ImagePage*  p = job_calloc(m->job, 1, sizeof(*p));
   ImagePage** to = p == NULL ? NULL : array_add(m->job, &m->pages,
                                                 sizeof(*to));

   if (to == NULL) {
      job_free(m->job, p, sizeof(*p));
      return NULL;
   }
   *to       = p;
   *place    = (uint32_t)m->pages.n;
   p->number = number;
   memset(p->is, begin_of(m, number), sizeof(p->is));
   p->asks   = p->is[0] == BYTE_ASK;
   return p;
}

static bool touch(MemoryImage* m, ImagePage* p)
{
   ImagePage** to;

   if (p->touched)
      return true;
   to = array_add(m->job, &m->touched, sizeof(*to));
   if (to != NULL)
      *to = p;
   p->touched = to != NULL;
   return p->touched;
}

/* Set *TO to page NUMBER; NULL if there is no room.  Return false if memory is
   exhausted. */
static bool page_of(MemoryImage* m, uint64_t number, ImagePage** to)
{
   ImagePage** recent = &m->recent[number % N_RECENT_IMAGES];
   uint32_t*   place;

   *to = NULL;
   if (m->full)
      return true;
   if (*recent == NULL || (*recent)->number != number) {
      place = map_add(m->job, &m->places, number + 1);
      if (place == NULL)
         return false;
      if (*place == 0 && m->pages.n == MOST_PAGES) {
         drop(m);
         m->full = true;
         return true;
      }
      *recent = *place != 0 ? ELEM(m->pages, ImagePage*, *place - 1)
                : make_page(m, number, place);
      if (*recent == NULL) {
         *place = 0;
         return false;
      }
   }
   *to = *recent;
   return true;
}

/*--- Writes                                               ---*/

/* Note that the trace told the N bytes of P from byte AT on for TIME. */
static void add_facts(ImagePage* p, uint32_t at, uint64_t n, uint64_t time)
{
   while (n > 0) {
      uint32_t k = 8 - at % 8 < n ? 8 - at % 8 : (uint32_t)n;
      facts_add(&p->facts[at / 8], (uint8_t)(((1u << k) - 1) << at % 8), time);
      at += k;
      n  -= k;
   }
}

bool image_write_any(MemoryImage* m, uint64_t addr, uint64_t size, ByteIs is,
                     const uint8_t* bytes, uint64_t time)
{
   if (size > UINT64_MAX - addr)
      size = UINT64_MAX - addr;
   while (size > 0) {
      uint32_t   at = (uint32_t)(addr % IMAGE_PAGE);
      uint64_t   n = IMAGE_PAGE - at < size ? IMAGE_PAGE - at : size;
      ImagePage* p;
      if (!page_of(m, addr / IMAGE_PAGE, &p))
         return false;
      if (p == NULL)
         return true;
      if (!touch(m, p))
         return false;
      memset(p->is + at, is, n);
      if (is == BYTE_KNOWN) {
         memcpy(p->bytes + at, bytes, n);
         bytes += n;
         add_facts(p, at, n, time);
      }
      p->asks |= is == BYTE_ASK;
      for (uint32_t i = at / 8; i <= (at + n - 1) / 8; i++)
         p->masks[i / 8] |= (uint8_t)(1u << i % 8);
      addr += n;
      size -= n;
   }
   return true;
}

/*--- Loads                                                ---*/

/* Add the unseen write of bytes MASK of word K of P, which a load before TIME
   found changed: one for each time since when they may be. */
static bool add_unseen(MemoryImage* m, const ImagePage* p, uint32_t k,
                       uint8_t mask, uint64_t time)
{
   const uint64_t* of = p->facts[k].of;
   uint64_t        since[3] = { of[0] >> 8, of[1] >> 8, 0 };
   uint8_t         parts[3] = { (uint8_t)of[0] & mask, (uint8_t)of[1] & mask,
                                mask & (uint8_t)~(of[0] | of[1]) };

   for (unsigned i = 0; i < 3; i++) {
      UnseenWrite* u = parts[i] == 0 ? NULL
                       : array_add(m->job, &m->unseen, sizeof(*u));
      if (parts[i] != 0 && u == NULL)
         return false;
      if (u != NULL)
         *u = (UnseenWrite){ .word = p->number * IMAGE_WORDS + k,
                             .since = since[i], .time = time - 1,
                             .mask = parts[i] };
   }
   return true;
}

/* Note that N BYTES of word K of P, from its byte AT on, were loaded. */
static bool load_word(MemoryImage* m, ImagePage* p, uint32_t k, uint32_t at,
                      uint32_t n, const uint8_t* bytes, uint64_t time,
                      bool* news)
{
   uint8_t* is = p->is + 8 * k + at;
   uint8_t* has = p->bytes + 8 * k + at;
   uint8_t  new = 0, unseen = 0;

   for (uint32_t i = 0; i < n; i++)
      if (is[i] != BYTE_KNOWN || has[i] != bytes[i]) {
         new    |= (uint8_t)(1u << (at + i));
         unseen |= (uint8_t)((is[i] == BYTE_KNOWN) << (at + i));
      }
   if (unseen != 0 && !add_unseen(m, p, k, unseen, time))
      return false;
   facts_add(&p->facts[k], (uint8_t)(((1u << n) - 1) << at), time);
   if (new == 0)
      return true;
   *news = true;
   memset(is, BYTE_KNOWN, n);
   memcpy(has, bytes, n);
   p->masks[k / 8] |= (uint8_t)(1u << k % 8);
   return touch(m, p);
}

bool image_load_any(MemoryImage* m, uint64_t addr, uint64_t size,
                    const uint8_t* bytes, uint64_t time, bool* news)
{
   if (size > UINT64_MAX - addr)
      size = UINT64_MAX - addr;
   while (size > 0) {
      uint32_t   at = (uint32_t)(addr % IMAGE_PAGE);
      uint32_t   n = 8 - at % 8 < size ? 8 - at % 8 : (uint32_t)size;
      ImagePage* p;
      if (!page_of(m, addr / IMAGE_PAGE, &p))
         return false;
      /* Without room, each load may be news. */
      *news |= p == NULL;
      if (p == NULL)
         return true;
      if (!load_word(m, p, at / 8, at % 8, n, bytes, time, news))
         return false;
      addr  += n;
      bytes += n;
      size  -= n;
   }
   return true;
}

/*--- Chunks                                               ---*/

/* Note that only the chunk itself tells of the bytes of P from address FIRST to
   LAST. */
static bool change_page(MemoryImage* m, ImagePage* p, uint64_t first,
                        uint64_t last)
{
   uint64_t begin = p->number * IMAGE_PAGE;
   uint64_t from = first > begin ? first - begin : 0;
   uint64_t to = last - begin < IMAGE_PAGE ? last - begin + 1 : IMAGE_PAGE;

   memset(p->is + from, BYTE_ASK, to - from);
   p->asks = true;
   return touch(m, p);
}

bool image_change(MemoryImage* m, uint64_t addr, uint64_t size)
{
   uint64_t    last, first_page = addr / IMAGE_PAGE, last_page;
   ImageRange* r;

   if (size == 0)
      return true;
   last      = size - 1 > UINT64_MAX - addr ? UINT64_MAX : addr + (size - 1);
   last_page = last / IMAGE_PAGE;
   if (last_page - first_page < m->pages.n) {
      for (uint64_t n = first_page; n <= last_page; n++) {
         size_t at = map_find(&m->places, n + 1);
         if (m->places.keys[at] != 0
             && !change_page(m, ELEM(m->pages, ImagePage*,
                                     m->places.values[at] - 1), addr, last))
            return false;
      }
   } else {
      for (size_t i = 0; i < m->pages.n; i++) {
         ImagePage* p = ELEM(m->pages, ImagePage*, i);
         if (p->number >= first_page && p->number <= last_page
             && !change_page(m, p, addr, last))
            return false;
      }
   }
   if (m->ranges.n == MOST_RANGES)
      return true;
   r = array_add(m->job, &m->ranges, sizeof(*r));
   if (r != NULL)
      *r = (ImageRange){ first_page, last_page, m->chunk };
   return r != NULL;
}

void image_end_chunk(MemoryImage* m)
{
   for (size_t i = 0; i < m->touched.n; i++) {
      ImagePage* p = ELEM(m->touched, ImagePage*, i);
      for (uint32_t k = 0; p->asks && k < IMAGE_PAGE; k++)
         p->is[k] = p->is[k] == BYTE_ASK ? BYTE_LOOK : p->is[k];
      memset(p->masks, 0, sizeof(p->masks));
      p->asks    = false;
      p->touched = false;
   }
   array_cut(&m->touched, 0);
   array_cut(&m->unseen, 0);
   m->full = false;
   m->chunk++;
}

/*--- Ways                                                 ---*/

static bool add_write(IndexWays* x, IndexWrite write)
{
   IndexWrite* w = array_add(x->job, &x->writes, sizeof(*w));

   if (w != NULL)
      *w = write;
   return w != NULL;
}

/* Add the load of instruction K of a superblock, at AT, if its value has the
   bytes.  The record has the first N_SLOTS of SLOTS. */
static bool add_load(IndexWays* x, uint32_t k, const InstrPlan* at,
                     const WetAccess* slots, uint32_t n_slots)
{
   uint32_t   value = wet_value_slot(at), n = 0, slot = 0;
   IndexWrite w = { .place = (uint16_t)k, .value = (uint16_t)value,
                    .load = true };

   if (x->w->loads == NULL || !x->w->loads[at->instr] || at->n_values == 0)
      return true;
   for (uint32_t j = at->slot;
        j < (uint32_t)at->slot + at->n_slots && j < n_slots; j++)
      if (slots[j].what & AccessLoad) {
         slot = j;
         n++;
      }
   if (n == 0)
      return true;
   w.slot = (uint16_t)slot;
   if (n == 1 && value < n_slots && slots[slot].size <= 8
       && slots[slot].size <= slots[value].size
       && !(slots[slot].what & (AccessGuarded | AccessStore)))
      w.size = slots[slot].size;
   return add_write(x, w);
}

/* Add the instructions that store or load, of N instructions of superblock SB,
   whose first N_SLOTS slots were filled. */
static bool add_writes(IndexWays* x, const WetSb* sb, uint32_t n,
                       uint32_t n_slots, IndexWay* to)
{
   const WetAccess* slots = &ELEM(x->w->accesses, WetAccess, sb->slots.first);

   to->writes = (uint32_t)x->writes.n;
   for (uint32_t k = 0; k < n; k++) {
      const InstrPlan* at = &x->w->places[sb->instrs.first + k];
      uint32_t         value = wet_value_slot(at), n_stores = 0, slot = 0;
      IndexWrite       w;
      for (uint32_t j = at->slot;
           j < (uint32_t)at->slot + at->n_slots && j < n_slots; j++)
         if (slots[j].what & AccessStore) {
            n_stores++;
            slot = j;
         }
      if (!add_load(x, k, at, slots, n_slots))
         return false;
      if (n_stores == 0)
         continue;
      w = (IndexWrite){ .place = (uint16_t)k, .slot = (uint16_t)slot,
                        .value = (uint16_t)value };
      if (n_stores == 1 && at->n_values == 1 && value < n_slots
          && slots[slot].size <= 8 && slots[value].size == slots[slot].size
          && !(slots[slot].what & AccessGuarded))
         w.size = slots[slot].size;
      if (!add_write(x, w))
         return false;
   }
   to->n_writes = (uint32_t)x->writes.n - to->writes;
   return true;
}

static bool describe_way(IndexWays* x, const WetSb* sb, uint32_t n,
                         uint32_t n_slots, IndexWay* to)
{
   for (uint32_t k = 0; k < n; k++)
      wet_add_defs(x->w, x->w->places[sb->instrs.first + k].instr, to->defs);
   to->place  = sb->instrs.first + n - 1;
   to->calls  = x->w->plans[x->w->places[to->place].instr].kind == InsnSyscall;
   to->stores = sb->stores.first;
   while (to->n_stores < sb->stores.n
          && ELEM(x->w->stores, StoreSlot, to->stores + to->n_stores).slot
             < n_slots)
      to->n_stores++;
   return add_writes(x, sb, n, n_slots, to);
}

bool ways_start(IndexWays* x, Job* job, const DcfgWet* w)
{
   *x = (IndexWays){ .job = job, .w = w };
   x->ways = job_calloc(x->job, w->n_ways + w->sbs.n, sizeof(IndexWay));
   if (x->ways == NULL)
      return false;
   for (size_t i = 0; i < w->n_ways; i++) {
      const WetSb* sb = &ELEM(w->sbs, WetSb, w->ways[i].sb);
      if (w->ways[i].sb != 0 && w->ways[i].n_instrs > 0
          && !describe_way(x, sb, w->ways[i].n_instrs, w->ways[i].n_slots,
                           &x->ways[i]))
         return false;
   }
   for (size_t id = 1; id < w->sbs.n; id++) {
      const WetSb* sb = &ELEM(w->sbs, WetSb, id);
      if (sb->instrs.n > 0
          && !describe_way(x, sb, sb->instrs.n, sb->slots.n,
                           &x->ways[w->n_ways + id]))
         return false;
   }
   return true;
}

void ways_free(IndexWays* x)
{
   if (x->job == NULL)
      return;
   job_free(x->job, x->ways, (x->w->n_ways + x->w->sbs.n) * sizeof(IndexWay));
   array_free(x->job, &x->writes, sizeof(IndexWrite));
}

/* Note write W of record R, whatever its accesses are, as way_write() does. */
static bool write_any(const IndexWays* x, const WetStep* r,
                      const uint64_t* addrs, uint64_t time, const IndexWrite* w,
                      MemoryImage* to, LineSet* news)
{
   const WetSb*     sb = &ELEM(x->w->sbs, WetSb, r->sb);
   const WetAccess* accesses = &ELEM(x->w->accesses, WetAccess,
                                     sb->slots.first);
   const InstrPlan* at = &x->w->places[sb->instrs.first + w->place];
   uint8_t          value[MOST_VALUE];
   uint32_t         size = value_of(accesses, addrs, r->n_slots, at, value);
   MemoryStores     s;
   MemoryStore      m;

   if (w->load) {
      uint32_t j = load_of(accesses, addrs, r->n_slots, at);
      bool     new = false;
      if (j == UINT32_MAX || size == 0)
         return true;
      if (size > accesses[j].size)
         size = accesses[j].size;
      return image_load_any(to, addrs[j], size, value, time, &new)
             && (!new || lines_add(news, addrs[j], size));
   }
   stores_of(accesses, addrs, r->n_slots, at, &s);
   for (StoreAt i = { 0, 0 }; next_store(&s, &i, false, &m); )
      if (m.made && !image_write_any(to, m.addr, m.size,
                                     size == s.size ? BYTE_KNOWN : BYTE_UNKNOWN,
                                     value + m.begin, time))
         return false;
   return true;
}

bool way_write(const IndexWays* x, const IndexWay* way, const WetStep* r,
               const uint64_t* addrs, uint64_t time, MemoryImage* to,
               LineSet* news)
{
   const IndexWrite* w = &ELEM(x->writes, IndexWrite, way->writes);

   for (const IndexWrite* end = w + way->n_writes;
        w < end && w->place < r->n_instrs; w++) {
      uint64_t at = time + w->place + 1;
      bool     new = false, ok;
      if (w->size == 0 || r->way == DCFG_NONE)
         ok = write_any(x, r, addrs, at, w, to, news);
      else if (w->load)
         ok = image_load(to, addrs[w->slot], w->size, addrs[w->value], at, &new)
              && (!new || lines_add(news, addrs[w->slot], w->size));
      else
         ok = image_store(to, addrs[w->slot], w->size, addrs[w->value], at);
      if (!ok)
         return false;
   }
   return true;
}

/* Marks that change more bytes than this are told by their chunk alone. */
#define LARGE (64u << 10)

bool mark_write(const WetSteps* steps, const WetStep* r, MarkWrite* to)
{
   const uint64_t* words = steps->addrs + r->first;

   *to = (MarkWrite){ .is = BYTE_ASK };
   switch (r->mark) {
      case DCFG_WET_WRITTEN: to->is = BYTE_UNKNOWN; break;
      case DCFG_WET_FRESH:   to->is = BYTE_FRESH; break;
      case DCFG_WET_MOVED:   break;
      case MarkMapped:       to->maps = true; break;
      case MarkContents:
         if (words[MARK_N_BYTES] < words[1])
            return false;
         to->is    = BYTE_KNOWN;
         to->bytes = steps->bytes + words[MARK_BYTES_AT];
         break;
      default:
         return false;
   }
   to->addr = words[0];
   to->size = words[1] > UINT64_MAX - words[0] ? UINT64_MAX - words[0]
              : words[1];
   return true;
}

bool mark_write_put(const MarkWrite* x, uint64_t time, MemoryImage* image)
{
   return x->maps || x->size > LARGE
          ? image_change(image, x->addr, x->size)
          : image_write_any(image, x->addr, x->size, x->is, x->bytes, time);
}

bool unseen_may_be(const DcfgWet* w)
{
   return w->loads != NULL
          && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* LEVEL: zstd compresses well at this level, at 200 MB/s. */
#define LEVEL 3

/* Bytes of the largest block: gaps of up to 10 bytes for each word. */
#define MOST_RAW (4 + WORDS_PER_BLOCK * (10 + 8 + 8) + WORDS_PER_BLOCK / 8)

/*--- Words, coded                                         ---*/

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
   ByteReader     b = { c->raw + 4, c->raw + size, false };
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
