/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Errors, problems and the memory budget. */

/* Owns: the wording of an error, and all allocation: whatever a file says, its
   reader takes no more memory than its job may.  Handed: requests and errors,
   by all other files; the library's caller gets the error. */

#define _GNU_SOURCE

#include "lib/base/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The memory that a file may take: an amount at the start, and more as text is
   read, up to a limit.  No useful file reaches it.

   A byte of meaningful text becomes at most 20 bytes in memory.  That is the
   case of a process with nothing but its id, counts and an empty image, because
   special nodes and the maps of ids make it large.  Rows of edges, blocks and
   loops become 2 to 5 bytes for a byte of text, a trace's sequence 5.  The
   factor is larger only for things that the format allows but that mean
   nothing, such as a thousand special nodes in each of a thousand empty
   processes.

   A byte of a compressed file may be a million bytes of text.  For a graph, it
   is 10 or 20, because each edge has its own ids.  It is hundreds only for
   hundreds of threads that hardly do anything.  These files stay below the
   limit. */
#define MEMORY_AT_FIRST (256ULL << 20)
#define MEMORY_PER_TEXT 64
#define MEMORY_PER_FILE 640
#define MEMORY_AT_MOST  (16ULL << 30)

/*--- Errors                                               ---*/

/* Copy S, or its end if TO has no room for all. */
static void copy_end(char* to, size_t size, const char* s)
{
   size_t n = strlen(s);

   if (n < size)
      memcpy(to, s, n + 1);
   else
      snprintf(to, size, "...%s", s + n - (size - 4));
}

/* Replace control characters: text from the file must stay on one line. */
static void make_printable(char* s)
{
   for (; *s; s++)
      if ((unsigned char)*s < 0x20 || *s == 0x7F)
         *s = '?';
}

static void fill_error(DcfgError* err, DcfgStatus status, const char* place,
                       uint64_t offset, const char* format, va_list args)
{
   err->status = status;
   err->offset = offset;
   copy_end(err->place, sizeof(err->place), place ? place : "");
   vsnprintf(err->reason, sizeof(err->reason), format, args);
   make_printable(err->place);
   make_printable(err->reason);
}

void set_error(DcfgError* err, DcfgStatus status, const char* file,
               const char* place, uint64_t offset, const char* format, ...)
{
   va_list args;

   if (err == NULL)
      return;
   memset(err, 0, sizeof(*err));
   copy_end(err->file, sizeof(err->file), file ? file : "");
   va_start(args, format);
   fill_error(err, status, place, offset, format, args);
   va_end(args);
}

const char* dcfg_error_text(const DcfgError* err, char* text)
{
   if (err->status == DCFG_OK)
      snprintf(text, DCFG_ERROR_TEXT_SIZE, "no error");
   else if (err->offset > 0)
      snprintf(text, DCFG_ERROR_TEXT_SIZE, "%s: %s%s%s (byte %llu)",
               err->file, err->place, err->place[0] ? ": " : "",
               err->reason, (unsigned long long)err->offset);
   else
      snprintf(text, DCFG_ERROR_TEXT_SIZE, "%s: %s%s%s",
               err->file, err->place, err->place[0] ? ": " : "",
               err->reason);
   return text;
}

/*--- Jobs                                                 ---*/

void job_start(Job* job, const char* file, const DcfgOptions* options)
{
   memset(job, 0, sizeof(*job));
   if (options != NULL)
      job->options = *options;
   job->max = job->options.max_memory;
   job_read(job, 0, 0);
   copy_end(job->err.file, sizeof(job->err.file), file ? file : "");
}

void* job_object(size_t size, size_t job_at, const char* file,
                 const DcfgOptions* options, DcfgError* err)
{
   char* object = calloc(1, size);

   if (object == NULL)
      set_error(err, DCFG_ERROR_MEMORY, file, NULL, 0, "out of memory");
   else
      job_start((Job*)(object + job_at), file, options);
   return object;
}

void job_read(Job* job, uint64_t n_file, uint64_t n_text)
{
   uint64_t by_text, by_file, more;

   job->n_file += n_file;
   job->n_text += n_text;
   if (job->options.max_memory > 0)
      return;
   by_text = mul_capped(job->n_text, MEMORY_PER_TEXT);
   by_file = mul_capped(job->n_file, MEMORY_PER_FILE);
   more = by_text < by_file ? by_text : by_file;
   job->max = more < MEMORY_AT_MOST - MEMORY_AT_FIRST
              ? MEMORY_AT_FIRST + more : MEMORY_AT_MOST;
   if (job->most != 0 && job->max > job->most)
      job->max = job->most;
}

bool job_fail(Job* job, DcfgStatus status, const char* place,
              const char* format, ...)
{
   va_list args;

   if (job->err.status == DCFG_OK) {
      va_start(args, format);
      fill_error(&job->err, status, place, job->offset, format, args);
      va_end(args);
   }
   return false;
}

bool job_adopt(Job* job, const DcfgError* err)
{
   if (job->err.status == DCFG_OK)
      job->err = *err;
   return false;
}

void job_place(Job* job, const char* place)
{
   copy_end(job->err.place, sizeof(job->err.place), place);
}

bool job_problem(Job* job, DcfgProblemKind kind, bool fatal,
                 const char* rule, const char* place, const char* format, ...)
{
   va_list args;

   if (job_listened(job)) {
      DcfgError   text = { 0 };
      DcfgProblem problem = { kind, rule, text.place, text.reason,
                              job->offset };
      va_start(args, format);
      fill_error(&text, DCFG_ERROR_FORMAT, place, 0, format, args);
      va_end(args);
      job->options.problem(job->options.problem_arg, &problem);
      return true;
   }
   if (!fatal)
      return true;
   if (job->err.status == DCFG_OK) {
      va_start(args, format);
      fill_error(&job->err, DCFG_ERROR_FORMAT, place, job->offset, format,
                 args);
      va_end(args);
   }
   return false;
}

void job_progress(const Job* job, const char* doing, uint64_t done,
                  uint64_t all)
{
   DcfgProgress p = { job->err.file, doing, done, all };

   if (job->options.progress != NULL)
      job->options.progress(job->options.progress_arg, &p);
}

void job_progress_as(Job* job, const Job* from)
{
   job->options.progress     = from != NULL ? from->options.progress : NULL;
   job->options.progress_arg = from != NULL ? from->options.progress_arg
                               : NULL;
}

void job_tell(const Job* job, DcfgError* err)
{
   if (err != NULL)
      *err = job->err;
}

/*--- Memory                                               ---*/

bool job_may_take(Job* job, size_t old, size_t size)
{
   if (size <= old || size - old <= job->max - job->used)
      return true;
   return job_fail(job, DCFG_ERROR_LIMIT, NULL,
                   "needs more than the %llu bytes of memory that are "
                   "allowed%s", (unsigned long long)job->max,
                   job->options.max_memory > 0 ? ""
                   : " for what was read so far");
}

void job_take(Job* job, size_t old, size_t size)
{
   job->used += size;
   job->used -= old;
}

/* Let the kernel give the SIZE bytes at P in large pages, if they are many.  A fault
   for each small page takes a third of the time in which a chunk is decoded.  All
   pages of P are told, for realloc() moves pages only if all are of one kind. */
static void use_large_pages(void* p, size_t size)
{
   const uintptr_t page = 4096, many = 8u << 20;
   uintptr_t       begin = (uintptr_t)p / page * page;

   if (size >= many)
      madvise((void*)begin, ((uintptr_t)p + size + page - 1) / page * page - begin,
              MADV_HUGEPAGE);
}

void* job_realloc(Job* job, void* p, size_t old, size_t size)
{
   void* q;

   if (!job_may_take(job, old, size))
      return NULL;
   q = realloc(p, size > 0 ? size : 1);
   if (q == NULL) {
      job_fail(job, DCFG_ERROR_MEMORY, NULL, "out of memory");
      return NULL;
   }
   use_large_pages(q, size);
   job_take(job, old, size);
   return q;
}

void* job_calloc(Job* job, size_t n, size_t size)
{
   size_t bytes;
   void*  p;

   if (__builtin_mul_overflow(n, size, &bytes)) {
      job_fail(job, DCFG_ERROR_LIMIT, NULL, "too much to hold in memory");
      return NULL;
   }
   if (!job_may_take(job, 0, bytes))
      return NULL;
   /* Not memset(): pages that nobody writes take no memory. */
   p = calloc(1, bytes > 0 ? bytes : 1);
   if (p == NULL)
      job_fail(job, DCFG_ERROR_MEMORY, NULL, "out of memory");
   else
      job->used += bytes;
   return p;
}

uint32_t* job_nones(Job* job, size_t n)
{
   uint32_t* p = job_realloc(job, NULL, 0, n * sizeof(*p));

   if (p != NULL)
      memset(p, 0xff, n * sizeof(*p));
   return p;
}

void job_free(Job* job, void* p, size_t size)
{
   if (p != NULL) {
      job->used -= size;
      free(p);
   }
}

bool array_reserve(Job* job, Array* array, size_t size, size_t count)
{
   /* Grow by a half: large blocks grow in place or by remapping pages, and at
      most a third is unused. */
   size_t cap = array->cap + array->cap / 2 + 16;
   void*  data;

   if (count <= array->cap - array->n)
      return true;
   if (count > UINT32_MAX - 1 - array->n)
      return job_fail(job, DCFG_ERROR_LIMIT, NULL, "a table is too long");
   if (cap < array->n + count)
      cap = array->n + count;
   if (cap > UINT32_MAX - 1)
      cap = UINT32_MAX - 1;
   data = job_realloc(job, array->data, array->cap * size, cap * size);
   if (data == NULL)
      return false;
   array->data = data;
   array->cap  = cap;
   return true;
}

void* array_add_n(Job* job, Array* array, size_t size, size_t count)
{
   void* added;

   if (count == 0)
      return array->data;
   if (!array_reserve(job, array, size, count))
      return NULL;
   added = (char*)array->data + array->n * size;
   memset(added, 0, count * size);
   array->n += count;
   return added;
}

void* array_add(Job* job, Array* array, size_t size)
{
   return array_add_n(job, array, size, 1);
}

void array_trim(Job* job, Array* array, size_t size)
{
   if (array->data != NULL && array->n < array->cap) {
      void* data = job_realloc(job, array->data, array->cap * size,
                               array->n * size);
      if (data != NULL) {
         array->data = data;
         array->cap = array->n;
      }
   }
}

void array_free(Job* job, Array* array, size_t size)
{
   job_free(job, array->data, array->cap * size);
   memset(array, 0, sizeof(*array));
}

const char* arena_string(Job* job, Arena* arena, const char* s, size_t len)
{
   char* copy;

   if (len >= arena->left) {
      size_t      size = len < 65536 ? 65536 : len + 1;
      ArenaBlock* b;
      if (size > SIZE_MAX - sizeof(*b)) {
         job_fail(job, DCFG_ERROR_LIMIT, NULL, "a string is too long");
         return NULL;
      }
      b = job_realloc(job, NULL, 0, sizeof(*b) + size);
      if (b == NULL)
         return NULL;
      b->next = arena->blocks;
      b->size = size;
      arena->blocks = b;
      arena->at = b->text;
      arena->left = size;
   }
   copy = arena->at;
   if (len > 0)
      memcpy(copy, s, len);
   copy[len] = 0;
   arena->at += len + 1;
   arena->left -= len + 1;
   return copy;
}

void arena_free(Job* job, Arena* arena)
{
   while (arena->blocks != NULL) {
      ArenaBlock* b = arena->blocks;
      arena->blocks = b->next;
      job_free(job, b, sizeof(*b) + b->size);
   }
   memset(arena, 0, sizeof(*arena));
}
