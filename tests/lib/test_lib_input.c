/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of files and decompression. */

/* The same text in any compression, from a file, a pipe or memory.  A text that
   is cut off is reported. */

#include "lib_common.h"

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

typedef enum { PLAIN, GZIP, BZIP2, XZ, ZSTD, N_CODINGS } Coding;

/* A text longer than any buffer: the sample with many spaces. */
static char*  text;
static size_t text_len;

static void make_text(void)
{
   size_t space = 300000;

   text_len = strlen(sample) + space;
   text = malloc(text_len + 1);
   text[0] = '{';
   memset(text + 1, ' ', space);
   strcpy(text + 1 + space, sample + 1);
}

static void free_text(void)
{
   free(text);
}

/* Return DATA in one stream; the length goes to *LEN.  The lowest levels: to unpack them takes little memory. */
static uint8_t* compressed(Coding coding, const char* data, size_t size,
                           size_t* len)
{
   size_t   room = size + size / 2 + 1000;
   uint8_t* out = malloc(room);

   *len = room;
   switch (coding) {
      case GZIP: {
         z_stream z;
         memset(&z, 0, sizeof(z));
         ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
         z.next_in = (Bytef*)(uintptr_t)data;
         z.avail_in = (uInt)size;
         z.next_out = out;
         z.avail_out = (uInt)room;
         ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
         *len = room - z.avail_out;
         deflateEnd(&z);
         break;
      }
      case BZIP2: {
         unsigned n = (unsigned)room;
         ck_assert_int_eq(BZ2_bzBuffToBuffCompress((char*)out, &n,
                             (char*)(uintptr_t)data, (unsigned)size, 1, 0,
                             0), BZ_OK);
         *len = n;
         break;
      }
      case XZ:
         *len = 0;
         ck_assert_int_eq(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL,
                             (const uint8_t*)data, size, out, len, room),
                          LZMA_OK);
         break;
      case ZSTD:
         *len = ZSTD_compress(out, room, data, size, 3);
         ck_assert(!ZSTD_isError(*len));
         break;
      default:
         memcpy(out, data, size);
         *len = size;
   }
   return out;
}

static void check_loaded(Dcfg* d, const DcfgError* err)
{
   char said[DCFG_ERROR_TEXT_SIZE];

   ck_assert_msg(d != NULL, "%s", dcfg_error_text(err, said));
   ck_assert_uint_eq(d->json_size, text_len);
   ck_assert_uint_eq(dcfg_process(d, 0)->n_edges, 9);
   dcfg_free(d);
}

static char* write_file(const uint8_t* data, size_t len)
{
   static char path[] = "/tmp/dcfg-test-XXXXXX";
   int         fd;

   strcpy(path + strlen(path) - 6, "XXXXXX");
   fd = mkstemp(path);
   ck_assert_int_ge(fd, 0);
   ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
   close(fd);
   return path;
}

START_TEST(whole)
{
   size_t    len;
   uint8_t*  data = compressed((Coding)_i, text, text_len, &len);
   DcfgError err;
   char*     path;

   check_loaded(dcfg_load_memory(data, len, "test", NULL, &err), &err);
   path = write_file(data, len);
   check_loaded(dcfg_load(path, NULL, &err), &err);
   unlink(path);
   free(data);
}
END_TEST

/* A pipe that gives a few bytes at a time. */
START_TEST(from_pipe)
{
   size_t    len;
   uint8_t*  data = compressed((Coding)_i, text, text_len, &len);
   DcfgError err;
   int       ends[2], old = dup(0), status;
   pid_t     child;

   ck_assert_int_eq(pipe(ends), 0);
   child = fork();
   if (child == 0) {
      close(ends[0]);
      for (size_t i = 0; i < len; ) {
         size_t n = i < 20 ? 1 : len - i < 1000 ? len - i : 1000;
         if (write(ends[1], data + i, n) != (ssize_t)n)
            _exit(1);
         if (i < 20)                    // so that these bytes are read alone
            nanosleep(&(struct timespec){ 0, 3000000 }, NULL);
         i += n;
      }
      _exit(0);
   }
   close(ends[1]);
   dup2(ends[0], 0);
   close(ends[0]);
   check_loaded(dcfg_load("-", NULL, &err), &err);
   dup2(old, 0);
   close(old);
   ck_assert_int_eq(waitpid(child, &status, 0), child);
   ck_assert_int_eq(status, 0);
   free(data);
}
END_TEST

/* Several streams in a row are one text. */
START_TEST(concatenated)
{
   size_t    a, b, c, half = text_len / 2;
   uint8_t*  first = compressed((Coding)_i, text, half, &a);
   uint8_t*  second = compressed((Coding)_i, text + half, text_len - half,
                                 &b);
   uint8_t*  nothing = compressed((Coding)_i, "", 0, &c);
   uint8_t*  both = malloc(a + b + c);
   DcfgError err;

   memcpy(both, first, a);
   memcpy(both + a, nothing, c);
   memcpy(both + a + c, second, b);
   check_loaded(dcfg_load_memory(both, a + b + c, "test", NULL, &err), &err);
   free(first);
   free(second);
   free(nothing);
   free(both);
}
END_TEST

/* Zero bytes behind gzip's data are no data; other bytes are. */
START_TEST(padded)
{
   size_t    len;
   uint8_t*  data = compressed(GZIP, text, text_len, &len);
   uint8_t*  more = calloc(1, len + 100);
   DcfgError err;

   memcpy(more, data, len);
   check_loaded(dcfg_load_memory(more, len + 100, "test", NULL, &err), &err);
   more[len + 50] = 'x';
   ck_assert_ptr_null(dcfg_load_memory(more, len + 100, "test", NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_COMPRESSION);
   must_say(&err, "gzip|broken");
   free(data);
   free(more);
}
END_TEST

START_TEST(cut_short)
{
   static const char* const names[] = { "", "gzip", "bzip2", "xz", "zstd" };
   size_t    len;
   uint8_t*  data = compressed((Coding)_i, sample, strlen(sample), &len);
   DcfgError err;

   for (size_t n = 0; n < len; n++) {
      uint8_t* part = malloc(n + 1);
      memcpy(part, data, n);
      ck_assert_ptr_null(dcfg_load_memory(part, n, "test", NULL, &err));
      if (n >= 6) {
         ck_assert_int_eq(err.status, DCFG_ERROR_COMPRESSION);
         must_say(&err, names[_i]);
         must_say(&err, "cut short");
      }
      free(part);
   }
   free(data);
}
END_TEST

/* Any byte changed: a loaded file or an error, without harm.  Broken data is
   found, because these formats have checksums. */
START_TEST(changed)
{
   size_t    len, seen = 0;
   uint8_t*  data = compressed((Coding)_i, sample, strlen(sample), &len);
   DcfgError err;

   for (size_t n = 0; n < len; n++) {
      Dcfg* d;
      data[n] ^= 0x55;
      d = dcfg_load_memory(data, len, "test", NULL, &err);
      seen += d == NULL;
      dcfg_free(d);
      data[n] ^= 0x55;
   }
   /* zstd's library writes a checksum only if asked to. */
   ck_assert_uint_ge(seen, _i == ZSTD ? len / 2 : len - 20);
   free(data);
}
END_TEST

/* A small file with a large text needs as much memory as the text. */
START_TEST(bomb)
{
   size_t      n = 8 << 20, len;
   char*       much = malloc(n);
   uint8_t*    data;
   DcfgOptions options = { .max_memory = 4 << 20 };
   DcfgError   err;
   int         k = sprintf(much, "{\"FILE_NAMES\":[[\"FILE_NAME_ID\","
                           "\"FILE_NAME\"]");

   while ((size_t)k < n - 20)
      k += sprintf(much + k, ",[1,\"\"]");
   data = compressed((Coding)_i, much, (size_t)k, &len);
   ck_assert_uint_lt(len, _i == GZIP ? 200000 : 50000);
   ck_assert_ptr_null(dcfg_load_memory(data, len, "test", &options, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_LIMIT);
   free(data);
   free(much);
}
END_TEST

START_TEST(no_file)
{
   DcfgError err;

   ck_assert_ptr_null(dcfg_load("/nonexistent/dcfg.json", NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_FILE);
   must_say(&err, "/nonexistent/dcfg.json|cannot open: No such file");
   ck_assert_ptr_null(dcfg_load("/tmp", NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_FILE);
   must_say(&err, "/tmp: cannot read: Is a directory");
   ck_assert_ptr_null(dcfg_load("/dev/null", NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_JSON);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: files");

   TCase* c = add_case(s, padded, no_file);
   tcase_add_checked_fixture(c, make_text, free_text);
   tcase_add_loop_test(c, whole, PLAIN, N_CODINGS);
   tcase_add_loop_test(c, from_pipe, PLAIN, N_CODINGS);
   tcase_add_loop_test(c, concatenated, PLAIN, N_CODINGS);
   tcase_add_loop_test(c, cut_short, GZIP, N_CODINGS);
   tcase_add_loop_test(c, changed, GZIP, N_CODINGS);
   tcase_add_loop_test(c, bomb, GZIP, N_CODINGS);
   return run_suite(s);
}
