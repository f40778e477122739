/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Recordings for replays: which run, and what a replay needs. */

/* Owns: loading the header, the images and the end of a recording.  Handed:
   bytes by input.c.

   docs/dev/rec-file.md describes the file.  Blocks of events and values are
   skipped.  Behind the header a file may be cut anywhere, as the process may
   have been killed: the first block that is not whole ends the reading. */

#include "lib/dcfg_rec.h"

#include "format/numbers.h"
#include "format/rec_file.h"
#include "format/spool_file.h"
#include "lib/base/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      DcfgRec  shown;           // first, so that the user's pointer is this one
      Job      job;
      Input*   in;
      uint64_t at;              // bytes read or skipped
      Arena    texts;
      Array    images;          // DcfgRecImage
      uint8_t* buf;             // the text that is read
      size_t   room;
   }
   Rec;

/* Pair: a line KEY=VALUE of a text. */
typedef
   struct {
      const char* key;
      size_t      key_size;
      const char* value;
   }
   Pair;

/*--- Bytes                                                ---*/

/* Read SIZE bytes to TO.  *GOT is how many there were. */
static bool read_bytes(Rec* r, uint8_t* to, size_t size, size_t* got)
{
   size_t n = 1;

   for (*got = 0; *got < size && n > 0; *got += n)
      if (!input_read(r->in, to + *got, size - *got, &n))
         return false;
   r->at += *got;
   job_at(&r->job, r->at);
   return true;
}

/* Skip SIZE bytes.  *WHOLE: there were as many. */
static bool skip_bytes(Rec* r, size_t size, bool* whole)
{
   uint64_t all = input_size(r->in);

   if (all > 0 && !input_is_compressed(r->in)) {
      *whole = size <= all - r->at;
      r->at += size;
      return !*whole || input_seek(r->in, r->at);
   }
   *whole = true;
   while (*whole && size > 0) {
      uint8_t part[4096];
      size_t  n = size < sizeof(part) ? size : sizeof(part), got;
      if (!read_bytes(r, part, n, &got))
         return false;
      *whole = got == n;
      size  -= got;
   }
   return true;
}

/* Read a text of SIZE bytes to the buffer.  *GOT is how many there were.  The
   buffer grows with what is there, whatever SIZE says. */
static bool read_text(Rec* r, size_t size, size_t* got)
{
   *got = 0;
   while (*got < size) {
      size_t n = size - *got < 65536 ? size - *got : 65536, some;
      if (r->room < *got + n) {
         size_t   more = 2 * (*got + n);
         uint8_t* buf = job_realloc(&r->job, r->buf, r->room, more);
         if (buf == NULL)
            return false;
         r->buf  = buf;
         r->room = more;
      }
      if (!read_bytes(r, r->buf + *got, n, &some))
         return false;
      *got += some;
      if (some < n)
         break;
   }
   return true;
}

/*--- Texts                                                ---*/

/* Set P to the next pair of the SIZE bytes of the buffer, from *AT on.  Return
   false if there is none. */
static bool next_pair(const Rec* r, size_t size, size_t* at, Pair* p)
{
   while (*at < size) {
      const char* s = (const char*)r->buf + *at;
      const char* end = memchr(s, 0, size - *at);
      const char* equal;
      if (end == NULL)
         return false;
      *at += (size_t)(end - s) + 1;
      equal = memchr(s, '=', (size_t)(end - s));
      if (equal == NULL)
         continue;
      *p = (Pair){ s, (size_t)(equal - s), equal + 1 };
      return true;
   }
   return false;
}

static bool is_key(const Pair* p, const char* key)
{
   return strlen(key) == p->key_size && memcmp(p->key, key, p->key_size) == 0;
}

static const char* keep(Rec* r, const char* s)
{
   return arena_string(&r->job, &r->texts, s, strlen(s));
}

/* Return the number in S, or 0 if that is none. */
static uint64_t number_of(const char* s)
{
   char*    end;
   uint64_t n;

   errno = 0;
   n = strtoull(s, &end, 10);
   return s[0] < '0' || s[0] > '9' || *end != 0 || errno != 0 ? 0 : n;
}

/* The process forked: from there on, it is its child.  PROCESS has the child's
   id, and when it began. */
static bool note_fork(Rec* r, const char* process)
{
   DcfgRun*    run   = &r->shown.run;
   const char* space = strchr(process, ' ');
   char        id[24];

   if (space == NULL || (size_t)(space - process) >= sizeof(id))
      return true;
   memcpy(id, process, (size_t)(space - process));
   id[space - process] = 0;
   run->parent  = run->process;
   run->process = number_of(id);
   run->start   = keep(r, space + 1);
   return run->start != NULL;
}

static bool read_header(Rec* r, size_t size)
{
   DcfgRec* to = &r->shown;
   const struct { const char* key; const char** to; } texts[] = {
      { "tool", &to->run.tool_version }, { "valgrind", &to->valgrind },
      { "tool-build", &to->tool_build }, { "platform", &to->platform },
      { "program", &to->program }, { "program-build", &to->program_build },
      { "command", &to->run.command_line },
      { "directory", &to->run.working_dir }, { "start", &to->run.start },
      { "processor", &to->run.processor },
      { "conditions", &to->run.conditions },
      { "deterministic", &to->run.deterministic }
   };
   size_t at = 0;
   Pair   p;

   for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
      *texts[i].to = "";
   while (next_pair(r, size, &at, &p)) {
      for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
         if (is_key(&p, texts[i].key)
             && (*texts[i].to = keep(r, p.value)) == NULL)
            return false;
      if (is_key(&p, "pid"))
         to->run.process = number_of(p.value);
      if (is_key(&p, "parent"))
         to->run.parent = number_of(p.value);
      if (is_key(&p, "fork") && !note_fork(r, p.value))
         return false;
   }
   return true;
}

static bool read_image(Rec* r, size_t size)
{
   DcfgRecImage* image = array_add(&r->job, &r->images, sizeof(*image));
   size_t        at = 0;
   Pair          p;

   if (image == NULL)
      return false;
   image->path = image->build = "";
   while (next_pair(r, size, &at, &p)) {
      if (is_key(&p, "path") && (image->path = keep(r, p.value)) == NULL)
         return false;
      if (is_key(&p, "build") && (image->build = keep(r, p.value)) == NULL)
         return false;
   }
   return true;
}

static void read_end(Rec* r, size_t size)
{
   static const char* const names[] = {
      [DCFG_REC_EXIT] = "exit", [DCFG_REC_SIGNAL] = "signal",
      [DCFG_REC_EXEC] = "exec"
   };
   DcfgRec* to = &r->shown;
   size_t   at = 0;
   Pair     p;

   while (next_pair(r, size, &at, &p)) {
      for (unsigned i = DCFG_REC_EXIT; i <= DCFG_REC_EXEC; i++)
         if (is_key(&p, "end") && strcmp(p.value, names[i]) == 0)
            to->end = (DcfgRecEnd)i;
      if (is_key(&p, "status"))
         to->status = (uint32_t)number_of(p.value);
      if (is_key(&p, "superblocks"))
         to->superblocks = number_of(p.value);
      if (is_key(&p, "threads"))
         to->threads = (uint32_t)number_of(p.value);
   }
}

/*--- The file                                             ---*/

static bool read_head(Rec* r)
{
   static const uint8_t magic[] = REC_MAGIC;
   uint8_t  head[REC_HEAD_SIZE];
   size_t   got;
   uint32_t size;

   if (!read_bytes(r, head, sizeof(head), &got))
      return false;
   if (got < sizeof(magic) || memcmp(head, magic, sizeof(magic)) != 0)
      return job_fail(&r->job, DCFG_ERROR_KIND, NULL,
                      "this is no recording for replays");
   if (got < sizeof(head))
      return job_fail(&r->job, DCFG_ERROR_FORMAT, NULL,
                      "the file ends before its header does");
   if (number_at(head + RecVersionAt) != REC_VERSION)
      return job_fail(&r->job, DCFG_ERROR_FORMAT, NULL,
                      "the recording has version %" PRIu32 ", and only version "
                      "%u can be read: take the dcfg of the tool that recorded "
                      "it", number_at(head + RecVersionAt), REC_VERSION);
   size = number_at(head + RecTextAt);
   if (size > REC_MAX_TEXT)
      return job_fail(&r->job, DCFG_ERROR_FORMAT, NULL,
                      "a header of %" PRIu32 " bytes cannot be", size);
   if (!read_text(r, size, &got))
      return false;
   if (got < size)
      return job_fail(&r->job, DCFG_ERROR_FORMAT, NULL,
                      "the file ends before its header does");
   if (spool_sum(r->buf, size) != number_at(head + RecSumAt))
      return job_fail(&r->job, DCFG_ERROR_FORMAT, NULL,
                      "the header is damaged: its check sum is wrong");
   return read_header(r, size);
}

/* Read the next block.  *MORE: it is whole, and not the end. */
static bool read_block(Rec* r, bool* more)
{
   static const uint8_t magic[] = REC_BLOCK_MAGIC;
   uint8_t  head[REC_BLOCK_HEAD];
   size_t   got;
   uint32_t kind, size;

   *more = false;
   if (!read_bytes(r, head, sizeof(head), &got))
      return false;
   if (got < sizeof(head) || memcmp(head, magic, sizeof(magic)) != 0)
      return true;
   kind = number_at(head + RecKindAt);
   size = number_at(head + RecStoredAt);
   if (kind == 0 || kind >= N_REC_KINDS || size > REC_MAX_BLOCK)
      return true;
   if (kind != RecImage && kind != RecEnd)
      return skip_bytes(r, size, more);
   if (!read_text(r, size, &got))
      return false;
   if (got < size || size != number_at(head + RecLengthAt)
       || spool_sum(r->buf, size) != number_at(head + RecBlockSumAt))
      return true;
   if (kind == RecEnd) {
      read_end(r, size);
      return true;
   }
   *more = true;
   return read_image(r, size);
}

static DcfgRec* load(Rec* r, Input* in, DcfgError* err)
{
   bool more = true;
   bool ok = in != NULL;

   r->in = in;
   ok = ok && read_head(r);
   while (ok && more)
      ok = read_block(r, &more);
   input_close(in);
   job_tell(&r->job, err);
   r->shown.images   = r->images.data;
   r->shown.n_images = (uint32_t)r->images.n;
   if (ok)
      return &r->shown;
   dcfg_rec_free(&r->shown);
   return NULL;
}

DcfgRec* dcfg_rec_load(const char* path, const DcfgOptions* options,
                       DcfgError* err)
{
   Rec* r = job_object(sizeof(*r), offsetof(Rec, job), path, options, err);

   return r == NULL ? NULL : load(r, input_open(&r->job, path), err);
}

DcfgRec* dcfg_rec_load_memory(const void* data, size_t size, const char* name,
                              const DcfgOptions* options, DcfgError* err)
{
   Rec* r = job_object(sizeof(*r), offsetof(Rec, job), name, options, err);

   return r == NULL ? NULL
          : load(r, input_open_memory(&r->job, data, size), err);
}

void dcfg_rec_free(DcfgRec* shown)
{
   Rec* r = (Rec*)shown;

   if (r == NULL)
      return;
   job_free(&r->job, r->buf, r->room);
   array_free(&r->job, &r->images, sizeof(DcfgRecImage));
   arena_free(&r->job, &r->texts);
   free(r);
}
