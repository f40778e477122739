/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How the bytes of a file are read, whatever it is compressed with. */

/* Owns: opening files, decompression, and the temporary file with an unpacked
   copy.  Handed: a path, a descriptor, or bytes in memory.

   The first bytes of a file tell how it is compressed.  Several compressed
   streams one after the other are one text, as for the programs gzip, bzip2, xz
   and zstd.  The decompressors' memory is bounded by their formats; for xz and
   zstd, whose windows may be large, limits are set here.

   A whole execution trace is read in any order, which a compressed file does
   not allow.  So input_unpack() writes its contents to a file without a name,
   which goes away with its descriptor, however the program ends.

   Programs read text files that are not of the library's formats through
   DcfgText (dcfg.h). */

#define _GNU_SOURCE     // for F_SETPIPE_SZ, O_TMPFILE

#include "lib/base/input.h"

#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* xz -9 needs 65 MiB, zstd -19 8 MiB; zstd --ultra up to 128 MiB. */
#define MAX_XZ_MEMORY   (512ULL << 20)
#define MAX_ZSTD_WINDOW 27

typedef enum { PLAIN, GZIP, BZIP2, XZ, ZSTD } Coding;

struct Input {
   Job*           job;
   int            fd;           // -1: the buffer has everything
   bool           close_fd;
   bool           shared;       // others read it, too: read at .at
   uint64_t       at;
   uint64_t       file_size;    // 0: not known
   bool           at_end;       // nothing more can be read
   bool           patient;      // see input_be_patient()
   bool           was_short;    // the last read did not fill the buffer
   const uint8_t* memory;       // the bytes, if in memory
   size_t         size;
   const uint8_t* next;         // bytes read but not decoded
   size_t         left;
   Coding         coding;
   bool           in_stream;    // the decoder is inside a stream
   union {
      z_stream     gzip;
      bz_stream    bzip2;
      lzma_stream  xz;
      ZSTD_DCtx*   zstd;
   } u;
   uint8_t        buf[65536];
};

/*--- Opening and closing                                  ---*/

static bool broken(Input* in, const char* what)
{
   static const char* const names[] = { "", "gzip", "bzip2", "xz", "zstd" };

   return job_fail(in->job, DCFG_ERROR_COMPRESSION, NULL,
                   "the %s data is %s", names[in->coding], what);
}

/* --- Bytes before decompression                          --- */

/* A pipe delivers this much in a few milliseconds; the buffer has room for ten
   times as much. */
#define PIPE_SIZE (1 << 20)
#define PATIENCE  3000000       // nanoseconds

void input_be_patient(Input* in)
{
   struct stat st;

   if (in->fd < 0 || fstat(in->fd, &st) != 0 || !S_ISFIFO(st.st_mode))
      return;
   /* If the pipe has no room, waiting would make the writer wait, too. */
   in->patient = fcntl(in->fd, F_SETPIPE_SZ, PIPE_SIZE) >= PIPE_SIZE;
}

/* Wait: the buffer was not filled, so the pipe is empty. */
static void wait_for_more(void)
{
   struct timespec t = { 0, PATIENCE };

   nanosleep(&t, NULL);
}

/* Read more bytes into the buffer, behind those in it. */
static bool fill(Input* in)
{
   ssize_t n;

   if (in->at_end || in->left == sizeof(in->buf))
      return true;
   if (in->left > 0)
      memmove(in->buf, in->next, in->left);
   if (in->patient && in->was_short)
      wait_for_more();
   do
      n = in->shared ? pread(in->fd, in->buf + in->left,
                             sizeof(in->buf) - in->left, (off_t)in->at)
          : read(in->fd, in->buf + in->left, sizeof(in->buf) - in->left);
   while (n < 0 && errno == EINTR);
   if (n < 0)
      return job_fail(in->job, DCFG_ERROR_FILE, NULL, "cannot read: %s",
                      strerror(errno));
   in->next = in->buf;
   in->was_short = in->left + (size_t)n < sizeof(in->buf);
   in->left += (size_t)n;
   in->at   += (uint64_t)n;
   in->at_end = n == 0;
   job_read(in->job, (uint64_t)n, 0);
   job_progress(in->job, "reading", in->at, in->file_size);
   return true;
}

static bool starts_with(const Input* in, const char* magic, size_t n)
{
   return in->left >= n && memcmp(in->next, magic, n) == 0;
}

/* Choose and prepare the decoder by the first bytes. */
static bool choose_decoder(Input* in)
{
   bool ok = true;

   while (in->left < 6 && !in->at_end)
      if (!fill(in))
         return false;
   if (starts_with(in, "\x1f\x8b", 2)) {
      ok = inflateInit2(&in->u.gzip, 15 + 16) == Z_OK;
      in->coding = GZIP;
   } else if (starts_with(in, "BZh", 3)) {
      ok = BZ2_bzDecompressInit(&in->u.bzip2, 0, 0) == BZ_OK;
      in->coding = BZIP2;
   } else if (starts_with(in, "\xfd" "7zXZ\0", 6)) {
      ok = lzma_stream_decoder(&in->u.xz, MAX_XZ_MEMORY,
                               LZMA_CONCATENATED) == LZMA_OK;
      in->coding = XZ;
   } else if (starts_with(in, "\x28\xb5\x2f\xfd", 4)) {
      in->u.zstd = ZSTD_createDCtx();
      ok = in->u.zstd != NULL
           && !ZSTD_isError(ZSTD_DCtx_setParameter(in->u.zstd,
                               ZSTD_d_windowLogMax, MAX_ZSTD_WINDOW));
      in->coding = ZSTD;
   }
   in->in_stream = in->coding != PLAIN;
   if (!ok)
      return job_fail(in->job, DCFG_ERROR_MEMORY, NULL, "out of memory");
   return true;
}

static Input* new_input(Job* job)
{
   Input* in = job_calloc(job, 1, sizeof(*in));

   if (in != NULL) {
      in->job = job;
      in->fd = -1;
   }
   return in;
}

static Input* start(Input* in)
{
   if (choose_decoder(in))
      return in;
   input_close(in);
   return NULL;
}

Input* input_open(Job* job, const char* path)
{
   Input* in = path != NULL ? new_input(job) : NULL;

   if (path == NULL)
      job_fail(job, DCFG_ERROR_ARGUMENT, NULL, "no path");
   if (in == NULL)
      return NULL;
   if (strcmp(path, "-") == 0) {
      in->fd = STDIN_FILENO;
   } else {
      in->fd = open(path, O_RDONLY | O_CLOEXEC);
      in->close_fd = true;
   }
   if (in->fd < 0) {
      job_fail(job, DCFG_ERROR_FILE, NULL, "cannot open: %s",
               strerror(errno));
      in->close_fd = false;
      input_close(in);
      return NULL;
   }
   in->file_size = input_size(in);
   return start(in);
}

Input* input_open_file(Job* job, int fd)
{
   Input* in = new_input(job);

   if (in == NULL)
      return NULL;
   in->fd     = fd;
   in->shared = true;
   in->file_size = input_size(in);
   return start(in);
}

bool input_is_compressed(const Input* in)
{
   return in->coding != PLAIN;
}

Input* input_open_memory(Job* job, const void* data, size_t size)
{
   Input* in = new_input(job);

   if (in == NULL)
      return NULL;
   in->memory = in->next = data;
   in->size   = in->left = size;
   in->at_end = true;
   job_read(job, size, 0);
   return start(in);
}

uint64_t input_size(const Input* in)
{
   struct stat st;

   return in->fd < 0 ? in->size : fstat(in->fd, &st) == 0 ? (uint64_t)st.st_size
          : 0;
}

bool input_seek(Input* in, uint64_t offset)
{
   if (in->coding != PLAIN)
      return job_fail(in->job, DCFG_ERROR_FILE, NULL,
                      "it is compressed, and cannot be read in any order");
   if (in->memory != NULL) {
      size_t skip = offset < in->size ? (size_t)offset : in->size;
      in->next = in->memory + skip;
      in->left = in->size - skip;
      return true;
   }
   in->at = offset;
   if (!in->shared && lseek(in->fd, (off_t)offset, SEEK_SET) < 0)
      return job_fail(in->job, DCFG_ERROR_FILE, NULL,
                      "it cannot be read in any order: %s", strerror(errno));
   in->left   = 0;
   in->at_end = false;
   return true;
}

void input_close(Input* in)
{
   if (in == NULL)
      return;
   switch (in->coding) {
      case PLAIN: break;
      case GZIP:  inflateEnd(&in->u.gzip); break;
      case BZIP2: BZ2_bzDecompressEnd(&in->u.bzip2); break;
      case XZ:    lzma_end(&in->u.xz); break;
      case ZSTD:  ZSTD_freeDCtx(in->u.zstd); break;
   }
   if (in->close_fd)
      close(in->fd);
   job_free(in->job, in, sizeof(*in));
}

bool input_hand_over(Input* in, Job* job)
{
   if (!job_may_take(job, 0, sizeof(*in)))
      return false;
   job_take(in->job, sizeof(*in), 0);
   job_take(job, 0, sizeof(*in));
   in->job = job;
   return true;
}

/*--- Decoding                                             ---*/

/* Decode from in->next to BUF, until one of them is used up or a stream ends.
   *GOT becomes the number of decoded bytes. */

/* Return N, limited: libraries count in unsigned int. */
static unsigned int some(size_t n)
{
   return n > 1U << 30 ? 1U << 30 : (unsigned int)n;
}

static bool decode_gzip(Input* in, uint8_t* buf, size_t size, size_t* got)
{
   z_stream*    z = &in->u.gzip;
   unsigned int give = some(in->left), room = some(size);
   int          r;

   if (!in->in_stream && inflateReset(z) != Z_OK)
      return broken(in, "broken");
   in->in_stream = true;
   z->next_in = (Bytef*)(uintptr_t)in->next;
   z->avail_in = give;
   z->next_out = buf;
   z->avail_out = room;
   r = inflate(z, Z_NO_FLUSH);
   in->next += give - z->avail_in;
   in->left -= give - z->avail_in;
   *got = room - z->avail_out;
   if (r == Z_STREAM_END)
      in->in_stream = false;
   else if (r != Z_OK && r != Z_BUF_ERROR)
      return broken(in, "broken");
   return true;
}

static bool decode_bzip2(Input* in, uint8_t* buf, size_t size, size_t* got)
{
   bz_stream*   z = &in->u.bzip2;
   unsigned int give = some(in->left), room = some(size);
   int          r;

   if (!in->in_stream) {
      BZ2_bzDecompressEnd(z);
      memset(z, 0, sizeof(*z));
      if (BZ2_bzDecompressInit(z, 0, 0) != BZ_OK)
         return job_fail(in->job, DCFG_ERROR_MEMORY, NULL, "out of memory");
   }
   in->in_stream = true;
   z->next_in = (char*)(uintptr_t)in->next;
   z->avail_in = give;
   z->next_out = (char*)buf;
   z->avail_out = room;
   r = BZ2_bzDecompress(z);
   in->next += give - z->avail_in;
   in->left -= give - z->avail_in;
   *got = room - z->avail_out;
   if (r == BZ_STREAM_END)
      in->in_stream = false;
   else if (r != BZ_OK)
      return broken(in, "broken");
   return true;
}

static bool decode_xz(Input* in, uint8_t* buf, size_t size, size_t* got)
{
   lzma_stream* z = &in->u.xz;
   lzma_ret     r;

   z->next_in = in->next;
   z->avail_in = in->left;
   z->next_out = buf;
   z->avail_out = size;
   /* Only LZMA_FINISH tells that no other stream follows. */
   r = lzma_code(z, in->at_end ? LZMA_FINISH : LZMA_RUN);
   in->next += in->left - z->avail_in;
   in->left = z->avail_in;
   *got = size - z->avail_out;
   if (r == LZMA_STREAM_END)
      in->in_stream = false;
   else if (r == LZMA_MEMLIMIT_ERROR)
      return job_fail(in->job, DCFG_ERROR_LIMIT, NULL,
                      "decompressing this takes too much memory");
   else if (r != LZMA_OK && r != LZMA_BUF_ERROR)
      return broken(in, "broken");
   return true;
}

static bool decode_zstd(Input* in, uint8_t* buf, size_t size, size_t* got)
{
   ZSTD_inBuffer  from = { in->next, in->left, 0 };
   ZSTD_outBuffer to = { buf, size, 0 };
   size_t         r = ZSTD_decompressStream(in->u.zstd, &to, &from);

   in->next += from.pos;
   in->left -= from.pos;
   *got = to.pos;
   if (ZSTD_isError(r)) {
      if (ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge)
         return job_fail(in->job, DCFG_ERROR_LIMIT, NULL,
                         "decompressing this takes too much memory");
      return broken(in, "broken");
   }
   in->in_stream = r != 0;
   return true;
}

/* Find out whether another stream follows.  For gzip, zero bytes are skipped,
   as the program gzip does for tapes; anything else is an error. */
static bool another_stream(Input* in, bool* more)
{
   *more = false;
   if (in->coding == GZIP)
      while (in->left > 0 && *in->next == 0) {
         in->next++;
         in->left--;
         if (in->left == 0 && !fill(in))
            return false;
      }
   *more = in->left > 0;
   return true;
}

static bool copy_plain(Input* in, uint8_t* buf, size_t size, size_t* got)
{
   if (in->left == 0 && !fill(in))
      return false;
   if (in->left == 0)                   // there may be no bytes, and no address
      return true;
   *got = in->left < size ? in->left : size;
   memcpy(buf, in->next, *got);
   in->next += *got;
   in->left -= *got;
   return true;
}

static bool decode(Input* in, uint8_t* buf, size_t size, size_t* got)
{
   while (*got == 0) {
      bool   ok = false, was_at_end;
      size_t before;
      if (in->left == 0 && !fill(in))
         return false;
      if (!in->in_stream) {
         bool more;
         if (!another_stream(in, &more))
            return false;
         if (!more)
            return true;
      }
      was_at_end = in->at_end;
      before = in->left;
      switch (in->coding) {
         case PLAIN: break;
         case GZIP:  ok = decode_gzip(in, buf, size, got); break;
         case BZIP2: ok = decode_bzip2(in, buf, size, got); break;
         case XZ:    ok = decode_xz(in, buf, size, got); break;
         case ZSTD:  ok = decode_zstd(in, buf, size, got); break;
      }
      if (!ok)
         return false;
      if (*got == 0 && was_at_end && in->left == before && in->in_stream)
         return broken(in, "cut short");
   }
   return true;
}

bool input_read(Input* in, uint8_t* buf, size_t size, size_t* got)
{
   *got = 0;
   if (!(in->coding == PLAIN ? copy_plain : decode)(in, buf, size, got))
      return false;
   job_read(in->job, 0, *got);
   return true;
}

bool input_at_end(Input* in)
{
   uint8_t more;
   size_t  got;

   if (!input_read(in, &more, 1, &got))
      return false;
   return got == 0 || job_fail(in->job, DCFG_ERROR_FORMAT, NULL,
                               "it goes on behind its end: what follows is no "
                               "part of it");
}

/*--- Unpacked copies, for reading in any order            ---*/

static const char* temporary_directory(void)
{
   const char* dir = getenv("TMPDIR");

   return dir == NULL || dir[0] == 0 ? "/tmp" : dir;
}

static void cannot_unpack(Job* job)
{
   job_fail(job, DCFG_ERROR_FILE, NULL,
            "it is compressed, and cannot be unpacked in %s (TMPDIR names "
            "another place): %s", temporary_directory(), strerror(errno));
}

/* Create a file without a name.  Some file systems cannot: then remove the
   name. */
static int unnamed_file(Job* job)
{
   int   fd = open(temporary_directory(), O_TMPFILE | O_RDWR | O_CLOEXEC,
                   0600);
   char* path;

   if (fd >= 0)
      return fd;
   if (asprintf(&path, "%s/dcfg-XXXXXX", temporary_directory()) < 0) {
      job_fail(job, DCFG_ERROR_MEMORY, NULL, "out of memory");
      return -1;
   }
   fd = mkostemp(path, O_CLOEXEC);
   if (fd >= 0)
      unlink(path);
   else
      cannot_unpack(job);
   free(path);
   return fd;
}

static bool write_all(int fd, const uint8_t* buf, size_t n)
{
   while (n > 0) {
      ssize_t done = write(fd, buf, n);
      if (done < 0 && errno == EINTR)
         continue;
      if (done < 0)
         return false;
      buf += done;
      n   -= (size_t)done;
   }
   return true;
}

/* The disk space that a compressed file may take, as dcfg.h says. */
#define DISK_AT_FIRST (1ULL << 30)
#define DISK_PER_FILE 64

static uint64_t allowed_disk(const Job* job, const Input* in)
{
   uint64_t n = input_size(in);

   return job->options.max_disk > 0 ? job->options.max_disk
          : n > (UINT64_MAX - DISK_AT_FIRST) / DISK_PER_FILE ? UINT64_MAX
          : DISK_AT_FIRST + DISK_PER_FILE * n;
}

int input_unpack(Job* job, Input* in, uint64_t size)
{
   enum { SIZE = 1 << 18 };
   uint64_t left = size;
   uint8_t* buf;
   size_t   got;
   bool     ok;
   int      fd;

   if (size > allowed_disk(job, in)) {
      job_fail(job, DCFG_ERROR_LIMIT, NULL,
               "unpacked it needs %llu bytes of disk, more than the %llu that "
               "are allowed", (unsigned long long)size,
               (unsigned long long)allowed_disk(job, in));
      return -1;
   }
   buf = job_realloc(job, NULL, 0, SIZE);
   fd  = buf == NULL ? -1 : unnamed_file(job);
   ok  = fd >= 0;
   while (ok && left > 0) {
      ok = input_read(in, buf, left < SIZE ? left : SIZE, &got);
      if (ok && got == 0)
         break;
      if (ok && !(ok = write_all(fd, buf, got)))
         cannot_unpack(job);
      left -= ok ? got : 0;
   }
   ok = ok && input_at_end(in);
   job_free(job, buf, SIZE);
   if (ok)
      return fd;
   if (fd >= 0)
      close(fd);
   return -1;
}

/*--- Text files of any kind                               ---*/

struct DcfgText {
   Job    job;
   Input* in;
};

DcfgText* dcfg_text_open(const char* path, const DcfgOptions* options,
                         DcfgError* err)
{
   DcfgText* t = job_object(sizeof(*t), offsetof(DcfgText, job), path,
                            options, err);

   if (t == NULL)
      return NULL;
   t->in = input_open(&t->job, path);
   if (t->in == NULL) {
      job_tell(&t->job, err);
      free(t);
      return NULL;
   }
   return t;
}

size_t dcfg_text_read(DcfgText* t, void* buf, size_t size, DcfgError* err)
{
   size_t got = 0;

   if (!input_read(t->in, buf, size, &got))
      got = 0;
   job_tell(&t->job, err);
   return got;
}

void dcfg_text_close(DcfgText* t)
{
   if (t == NULL)
      return;
   input_close(t->in);
   free(t);
}

bool is_utf8(const char* str, size_t len)
{
   const unsigned char* s = (const unsigned char*)str;

   for (size_t i = 0; i < len; ) {
      unsigned n = s[i] < 0x80 ? 1 : s[i] < 0xC2 ? 0 : s[i] < 0xE0 ? 2
                 : s[i] < 0xF0 ? 3 : s[i] < 0xF5 ? 4 : 0;
      if (n == 0 || n > len - i)
         return false;
      for (unsigned k = 1; k < n; k++)
         if ((s[i + k] & 0xC0) != 0x80)
            return false;
      if ((s[i] == 0xE0 && s[i + 1] < 0xA0)
          || (s[i] == 0xED && s[i + 1] > 0x9F)
          || (s[i] == 0xF0 && s[i + 1] < 0x90)
          || (s[i] == 0xF4 && s[i + 1] > 0x8F))
         return false;
      i += n;
   }
   return true;
}
