/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The file of an index, as sections of bytes. */

/* Owns: the head of an index, its sections, and the checksum of each block.
   Handed: bytes by index_make.c, a descriptor by wet_index.c.

   The file is not mapped: the reader would get SIGBUS if somebody shortened the
   file meanwhile.  Blocks are read into anonymous memory, to which the kernel
   gives pages when they are first touched. */

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE                 // MAP_ANONYMOUS
#endif

#include "lib/index/index_file.h"
#include "lib/wet/wet_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define FILE_VERSION 5

static const uint8_t magic[8] = "\x89" "DCFGIDX";

/* Words of the head, which is the first block. */
enum {
   HEAD_VERSION = 1, HEAD_SIZE, HEAD_ID, HEAD_SUM_OF_SUMS = HEAD_ID + 4,
   HEAD_BEGINS, HEAD_SIZES = HEAD_BEGINS + INDEX_SECTIONS,
   HEAD_WORDS = HEAD_SIZES + INDEX_SECTIONS     // then their checksum
};

static uint32_t sum_of(const void* data, size_t size)
{
   return (uint32_t)crc32(crc32(0, NULL, 0), data, (uInt)size);
}

static void put_word(uint8_t* to, uint64_t word)
{
   for (unsigned i = 0; i < 8; i++)
      to[i] = (uint8_t)(word >> 8 * i);
}

/*--- Writing                                              ---*/

static bool write_at(IndexWriter* x, const void* data, size_t size,
                     uint64_t offset)
{
   const uint8_t* from = data;

   while (size > 0) {
      ssize_t n = pwrite(x->fd, from, size, (off_t)offset);
      if (n <= 0)
         return job_fail(x->job, DCFG_ERROR_FILE, "index",
                         "it cannot be written: %m");
      from   += n;
      size   -= (size_t)n;
      offset += (size_t)n;
   }
   return true;
}

/* End the present block, of SIZE bytes. */
static bool end_block(IndexWriter* x, size_t size)
{
   uint32_t* sum = array_add(x->job, &x->sums, sizeof(*sum));

   if (sum == NULL)
      return false;
   *sum = sum_of(x->block, size);
   return write_at(x, x->block, size, x->offset - size);
}

void index_write_start(IndexWriter* x, Job* job, int fd)
{
   *x = (IndexWriter){ .job = job, .fd = fd, .offset = INDEX_BLOCK };
}

bool index_write(IndexWriter* x, const void* data, size_t size)
{
   const uint8_t* from = data;

   while (size > 0) {
      size_t at = x->offset % INDEX_BLOCK;
      size_t n  = INDEX_BLOCK - at < size ? INDEX_BLOCK - at : size;
      memcpy(x->block + at, from, n);
      from      += n;
      size      -= n;
      x->offset += n;
      if (x->offset % INDEX_BLOCK == 0 && !end_block(x, INDEX_BLOCK))
         return false;
   }
   return true;
}

static bool end_section(IndexWriter* x)
{
   static const uint8_t zeros[8] = { 0 };

   for (unsigned i = 0; i < INDEX_SECTIONS; i++)
      if (x->begins[i] != 0 && x->sizes[i] == UINT64_MAX)
         x->sizes[i] = x->offset - x->begins[i];
   return x->offset % 8 == 0 || index_write(x, zeros, 8 - x->offset % 8);
}

bool index_write_section(IndexWriter* x, IndexSection section)
{
   if (!end_section(x))
      return false;
   x->begins[section] = x->offset;
   x->sizes[section]  = UINT64_MAX;
   return true;
}

bool index_write_end(IndexWriter* x, const IndexIdentity* id)
{
   uint8_t  head[INDEX_BLOCK] = { 0 };
   size_t   rest, n;
   uint64_t words[HEAD_WORDS] = {
      [HEAD_VERSION] = FILE_VERSION, [HEAD_ID] = id->size,
      [HEAD_ID + 1] = id->seconds, [HEAD_ID + 2] = id->nanoseconds,
      [HEAD_ID + 3] = id->hash
   };

   if (!end_section(x))
      return false;
   rest = x->offset % INDEX_BLOCK;
   if (rest != 0 && !end_block(x, rest))
      return false;
   n = x->sums.n * sizeof(uint32_t);
   words[HEAD_SIZE] = x->offset + n;
   words[HEAD_SUM_OF_SUMS] = sum_of(x->sums.data, n);
   memcpy(&words[HEAD_BEGINS], x->begins, sizeof(x->begins));
   memcpy(&words[HEAD_SIZES], x->sizes, sizeof(x->sizes));
   for (unsigned i = 1; i < HEAD_WORDS; i++)
      put_word(head + 8 * i, words[i]);
   memcpy(head, magic, sizeof(magic));
   put_word(head + 8 * HEAD_WORDS, sum_of(head, 8 * HEAD_WORDS));
   return write_at(x, x->sums.data, n, x->offset)
          && write_at(x, head, sizeof(head), 0);
}

void index_write_free(IndexWriter* x)
{
   array_free(x->job, &x->sums, sizeof(uint32_t));
}

/*--- Reading                                              ---*/

static bool read_at(int fd, void* to, uint64_t size, uint64_t offset)
{
   uint8_t* at = to;

   while (size > 0) {
      ssize_t n = pread(fd, at, size, (off_t)offset);
      if (n <= 0)
         return false;
      at     += n;
      size   -= (uint64_t)n;
      offset += (uint64_t)n;
   }
   return true;
}

/* Return whether the sections lie one behind the other, behind the head and
   before END. */
static bool has_order(const IndexFile* f, uint64_t end)
{
   for (unsigned i = 0; i < INDEX_SECTIONS; i++)
      if (f->begins[i] < INDEX_BLOCK || f->begins[i] % 8 != 0
          || f->begins[i] > end || f->sizes[i] > end - f->begins[i])
         return false;
   return true;
}

static const char* read_head(IndexFile* f)
{
   uint8_t     head[INDEX_BLOCK];
   struct stat st;
   uint64_t    words[HEAD_WORDS + 1], end;

   if (fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode)
       || !read_at(f->fd, head, sizeof(head), 0)
       || memcmp(head, magic, sizeof(magic)) != 0)
      return "it is no index";
   for (unsigned i = 0; i <= HEAD_WORDS; i++)
      words[i] = get_word(head + 8 * i);
   if (words[HEAD_VERSION] != FILE_VERSION)
      return "it is of another version";
   if (words[HEAD_WORDS] != sum_of(head, 8 * HEAD_WORDS))
      return "it is damaged";
   for (unsigned i = 8 * (HEAD_WORDS + 1); i < INDEX_BLOCK; i++)
      if (head[i] != 0)
         return "it is damaged";
   f->size = words[HEAD_SIZE];
   if (f->size != (uint64_t)st.st_size)
      return "it is cut";
   f->id = (IndexIdentity){ words[HEAD_ID], words[HEAD_ID + 1],
                            words[HEAD_ID + 2], words[HEAD_ID + 3] };
   memcpy(f->begins, &words[HEAD_BEGINS], sizeof(f->begins));
   memcpy(f->sizes, &words[HEAD_SIZES], sizeof(f->sizes));
   /* Checksums stand behind all blocks. */
   f->n_blocks = (f->size - INDEX_BLOCK) / (INDEX_BLOCK + sizeof(uint32_t));
   f->n_blocks += (f->size - INDEX_BLOCK) % (INDEX_BLOCK + sizeof(uint32_t))
                  != 0;
   end = f->size - f->n_blocks * sizeof(uint32_t);
   if (f->size < INDEX_BLOCK || end < INDEX_BLOCK || !has_order(f, end))
      return "it is damaged";
   f->sums  = calloc(f->n_blocks + 1, sizeof(*f->sums));
   f->known = calloc(f->n_blocks + 1, 1);
   if (f->sums == NULL || f->known == NULL)
      return "there is no memory for it";
   if (!read_at(f->fd, f->sums, f->n_blocks * sizeof(uint32_t), end)
       || sum_of(f->sums, f->n_blocks * sizeof(uint32_t))
          != words[HEAD_SUM_OF_SUMS])
      return "it is damaged";
   f->data = mmap(NULL, end, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (f->data == MAP_FAILED) {
      f->data = NULL;
      return "there is no memory for it";
   }
   f->size = end;
   return NULL;
}

bool index_file_open(IndexFile* f, int fd, const char** why)
{
   *f   = (IndexFile){ .fd = fd };
   *why = read_head(f);
   if (*why != NULL)
      index_file_close(f);
   return *why == NULL;
}

void index_file_close(IndexFile* f)
{
   if (f->data != NULL)
      munmap(f->data, f->size);
   free(f->sums);
   free(f->known);
   if (f->fd >= 0)
      close(f->fd);
   *f = (IndexFile){ .fd = -1 };
}

/* Read blocks FIRST to LAST, and check them.  The head's block has no checksum
   here. */
static bool read_blocks(IndexFile* f, uint64_t first, uint64_t last)
{
   uint64_t from = (first + 1) * INDEX_BLOCK;
   uint64_t end  = (last + 2) * INDEX_BLOCK;

   end = end < f->size ? end : f->size;
   if (!read_at(f->fd, f->data + from, end - from, from))
      return false;
   for (uint64_t i = first; i <= last; i++) {
      uint64_t at = (i + 1) * INDEX_BLOCK;
      size_t   n  = f->size - at < INDEX_BLOCK ? f->size - at : INDEX_BLOCK;
      if (sum_of(f->data + at, n) != f->sums[i])
         return false;
      f->known[i] = 1;
   }
   return true;
}

const uint8_t* index_bytes(IndexFile* f, IndexSection section, uint64_t at,
                           uint64_t size)
{
   uint64_t from = f->begins[section] + at, first, last;

   if (f->bad || at > f->sizes[section] || size > f->sizes[section] - at) {
      f->bad = true;
      return NULL;
   }
   if (size == 0)
      return (const uint8_t*)"";
   first = from / INDEX_BLOCK - 1;
   last  = (from + size - 1) / INDEX_BLOCK - 1;
   while (first <= last && f->known[first])
      first++;
   while (last > first && f->known[last])
      last--;
   if (first <= last && !f->known[first] && !read_blocks(f, first, last)) {
      f->bad = true;
      return NULL;
   }
   return f->data + from;
}

const void* index_elements(IndexFile* f, IndexSection section, size_t size,
                           size_t* n)
{
   *n = f->sizes[section] / size;
   if (f->sizes[section] % size != 0)
      f->bad = true;
   return index_bytes(f, section, 0, f->sizes[section]);
}
