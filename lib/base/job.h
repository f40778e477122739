/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The job: memory and errors of one task of libdcfg. */

#ifndef DCFG_JOB_H
#define DCFG_JOB_H

#include "lib/dcfg.h"

/* --- Job: loading one file, or reading one trace          --- */

/* Job: the memory that one task may allocate, and its first error.  Every
   function that can fail returns false or NULL after calling job_fail(). */
typedef
   struct {
      DcfgOptions options;
      DcfgError   err;
      uint64_t    used;         // allocated bytes
      uint64_t    max;
      uint64_t    most;         // limit of .max; 0: as for any file
      uint64_t    n_file, n_text;       // bytes read so far; see job_read()
      uint64_t    offset;       // present offset in the text
   }
   Job;

void  job_start(Job* job, const char* file, const DcfgOptions* options);

/* Allocate an object of SIZE bytes that has a started Job at offset JOB_AT.
   Return NULL with *ERR set if there is no memory. */
void* job_object(size_t size, size_t job_at, const char* file,
                 const DcfgOptions* options, DcfgError* err);

/* Note that N_FILE more bytes of the file have been read, which are N_TEXT
   bytes of text.  Unless the user has set a limit, the allowed memory grows. */
void  job_read(Job* job, uint64_t n_file, uint64_t n_text);

/* Keep the error, if it is the first.  Return false.  PLACE may be NULL. */
bool  job_fail(Job* job, DcfgStatus status, const char* place,
               const char* format, ...)
      __attribute__((format(printf, 4, 5)));

/* Set the place of an error without one. */
void  job_place(Job* job, const char* place);

/* If the user listens to problems, report this one and return true.  Otherwise
   it is an error if FATAL. */
bool  job_problem(Job* job, DcfgProblemKind kind, bool fatal,
                  const char* rule, const char* place,
                  const char* format, ...)
      __attribute__((format(printf, 6, 7)));

static inline bool job_listened(const Job* job)
{
   return job->options.problem != NULL;
}

/* Take over another job's error, if this job has none.  Return false. */
bool  job_adopt(Job* job, const DcfgError* err);

/* Set the present offset in the text. */
static inline void job_at(Job* job, uint64_t offset)
{
   job->offset = offset;
}

/* Report to the user's listener that DONE of ALL is done of what the job is
   DOING; see DcfgProgress. */
void  job_progress(const Job* job, const char* doing, uint64_t done,
                   uint64_t all);

/* Report progress to FROM's listener from now on; NULL: to nobody. */
void  job_progress_as(Job* job, const Job* from);

/* Copy the job's error to the caller's, which may be NULL. */
void  job_tell(const Job* job, DcfgError* err);

/* Set an error without a job. */
void  set_error(DcfgError* err, DcfgStatus status, const char* file,
                const char* place, uint64_t offset, const char* format, ...)
      __attribute__((format(printf, 6, 7)));

/*--- Memory                                               ---*/

/* Return whether the job's limit allows that OLD bytes become SIZE; else
   fail. */
bool job_may_take(Job* job, size_t old, size_t size);

/* Count SIZE bytes as allocated, in place of OLD. */
void job_take(Job* job, size_t old, size_t size);

/* Change the size of P from OLD to SIZE bytes, as realloc(), within the job's
   limit.  Return NULL if that fails; then P is unchanged. */
void* job_realloc(Job* job, void* p, size_t old, size_t size);

/* Allocate N zeroed elements of SIZE bytes.  Never NULL for n == 0. */
void* job_calloc(Job* job, size_t n, size_t size);

/* Allocate N elements DCFG_NONE: indices that are not known yet. */
uint32_t* job_nones(Job* job, size_t n);

void  job_free(Job* job, void* p, size_t size);

/* Array: an array that grows.  It has at most UINT32_MAX - 1 elements, so that
   an index fits in 32 bits and differs from DCFG_NONE. */
typedef
   struct {
      void*  data;
      size_t n, cap;
   }
   Array;

/* Element I.  Not by [i]: the address of element 0 in an empty array would add
   to NULL. */
#define ELEM(array, Type, i) \
   (*(Type*)((uintptr_t)(array).data + (size_t)(i) * sizeof(Type)))

/* Return the address of the ids or indices from FIRST on; NULL for an empty
   array. */
static inline uint32_t* part(const Array* array, uint32_t first)
{
   return array->data == NULL ? NULL : (uint32_t*)array->data + first;
}

/* Append one zeroed element of SIZE bytes, or COUNT of them.  Return the
   first. */
void* array_add(Job* job, Array* array, size_t size);
void* array_add_n(Job* job, Array* array, size_t size, size_t count);

/* Make room for COUNT more elements of SIZE bytes, which are not set. */
bool array_reserve(Job* job, Array* array, size_t size, size_t count);

/* Keep only the first N elements. */
static inline void array_cut(Array* array, size_t n)
{
   array->n = n;
}

/* Remove the last element.  Return its index; it is there until another one is
   added. */
static inline size_t array_pop(Array* array)
{
   return --array->n;
}

/* Free unused memory; free all. */
void  array_trim(Job* job, Array* array, size_t size);

void  array_free(Job* job, Array* array, size_t size);

/* Arena: strings that are freed together. */
typedef
   struct ArenaBlock {
      struct ArenaBlock* next;
      size_t             size;
      char               text[];
   }
   ArenaBlock;

typedef
   struct {
      ArenaBlock* blocks;
      char*       at;
      size_t      left;
   }
   Arena;

/* Return a copy of the LEN bytes at S with a zero byte behind them. */
const char* arena_string(Job* job, Arena* arena, const char* s, size_t len);

void  arena_free(Job* job, Arena* arena);

/*--- Arithmetic                                           ---*/

static inline uint64_t add_capped(uint64_t a, uint64_t b)
{
   return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t mul_capped(uint64_t a, uint64_t b)
{
   uint64_t r;

   return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

#endif /* DCFG_JOB_H */
