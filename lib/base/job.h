/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What all parts of libdcfg share. */

#ifndef DCFG_JOB_H
#define DCFG_JOB_H

#include "lib/dcfg.h"

/*--- A job: loading one file, or reading one trace        ---*/

/* What may be allocated for the whole of it, and its one error: the first
   that happens.  Everything that can fail returns false, or NULL, after
   job_fail() has been told why. */
typedef
   struct {
      DcfgOptions options;
      DcfgError   err;
      uint64_t    used;         // bytes allocated now
      uint64_t    max;
      uint64_t    most;         // that max grows to; 0: as for any file
      uint64_t    n_file, n_text;       // read so far; see job_read()
      uint64_t    offset;       // where in the text we are
   }
   Job;

void  job_start(Job* job, const char* file, const DcfgOptions* options);

/* A new object of SIZE bytes, with a started job JOB_AT bytes into it; NULL
   without memory, with *ERR set. */
void* job_object(size_t size, size_t job_at, const char* file,
                 const DcfgOptions* options, DcfgError* err);

/* More has been read: N_FILE bytes of the file, which were N_TEXT bytes of
   text.  Without a limit of the user's, the memory that may be used grows
   with them. */
void  job_read(Job* job, uint64_t n_file, uint64_t n_text);

/* Keep the error, if it is the first.  Always false.  PLACE may be NULL. */
bool  job_fail(Job* job, DcfgStatus status, const char* place,
               const char* format, ...)
      __attribute__((format(printf, 4, 5)));

/* Say where, for an error that does not know. */
void  job_place(Job* job, const char* place);

/* Who listens to problems hears of this one, and the result is true; if
   nobody does, it is an error if FATAL. */
bool  job_problem(Job* job, DcfgProblemKind kind, bool fatal,
                  const char* rule, const char* place,
                  const char* format, ...)
      __attribute__((format(printf, 6, 7)));

static inline bool job_listened(const Job* job)
{
   return job->options.problem != NULL;
}

/* Another one's error is the job's, if the job has none.  Always false. */
bool  job_adopt(Job* job, const DcfgError* err);

/* The job is at OFFSET of the text. */
static inline void job_at(Job* job, uint64_t offset)
{
   job->offset = offset;
}

/* Who listens to progress hears that DONE of ALL is done of what the job is
   DOING; see DcfgProgress. */
void  job_progress(const Job* job, const char* doing, uint64_t done,
                   uint64_t all);

/* From now on FROM's listener hears of the job's progress; of none if FROM is
   NULL. */
void  job_progress_as(Job* job, const Job* from);

/* Copy the job's error to the caller's, which may be NULL. */
void  job_tell(const Job* job, DcfgError* err);

/* An error without a job. */
void  set_error(DcfgError* err, DcfgStatus status, const char* file,
                const char* place, uint64_t offset, const char* format, ...)
      __attribute__((format(printf, 6, 7)));

/*--- Memory                                               ---*/

/* As realloc(), from OLD bytes to SIZE, within what the job may use.  NULL
   if that fails, and then P is as it was. */
void* job_realloc(Job* job, void* p, size_t old, size_t size);

/* N zeroed elements of SIZE bytes; never NULL for n == 0. */
void* job_calloc(Job* job, size_t n, size_t size);

/* Likewise N times DCFG_NONE: for indices that nothing is known of yet. */
uint32_t* job_nones(Job* job, size_t n);

void  job_free(Job* job, void* p, size_t size);

/* An array that grows.  It has at most UINT32_MAX - 1 elements, so that an
   index fits in 32 bits beside DCFG_NONE. */
typedef
   struct {
      void*  data;
      size_t n, cap;
   }
   Array;

/* Not by [i]: whoever takes element 0's address in an empty array, which has no
   data, would add to NULL. */
#define ELEM(array, Type, i) \
   (*(Type*)((uintptr_t)(array).data + (size_t)(i) * sizeof(Type)))

/* Ids or indices from FIRST on; an empty array has none. */
static inline uint32_t* part(const Array* a, uint32_t first)
{
   return a->data == NULL ? NULL : (uint32_t*)a->data + first;
}

/* Room for one more element of SIZE bytes, zeroed, or for COUNT. */
void* array_add(Job* job, Array* a, size_t size);
void* array_add_n(Job* job, Array* a, size_t size, size_t count);

/* The first N elements alone are left. */
static inline void array_cut(Array* a, size_t n)
{
   a->n = n;
}

/* The last element is none any more.  The result is its place, where it stands
   until another one is added. */
static inline size_t array_pop(Array* a)
{
   return --a->n;
}

/* Give back what is not used. */
void  array_trim(Job* job, Array* a, size_t size);

void  array_free(Job* job, Array* a, size_t size);

/* Strings that are all freed at once. */
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

/* A copy of the LEN bytes at S with a zero byte after them. */
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
