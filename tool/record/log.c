/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the file, and the bytes that are not in a block yet.  Handed: bytes and
   numbers of each kind, by the files of this room.  docs/dev/rec-file.md describes
   the file, and format/rec_read.c reads it.

   Events and values are two sequences of bytes.  Each has a buffer, and becomes
   a block when the buffer is full.  So a process that is killed loses what is in
   the buffers, and a reader sees whole blocks. */

#include "format/pack.h"
#include "format/spool_file.h"
#include "tool/base/buffer.h"
#include "tool/base/core.h"
#include "tool/files/interrupt.h"
#include "tool/record/log.h"

/* Bytes of a block, unpacked. */
#define ROOM (1u << 18)

static Int    fd = -1;
static UChar* packed;              // room for a block

static void put_32(UChar* to, UInt n)
{
   for (UInt i = 0; i < 4; i++)
      to[i] = n >> 8 * i;
}

/*--- Writing                                              ---*/

/* Buffer: what is not in a block yet. */
typedef
   struct {
      UChar* bytes;
      UInt   used;
      UInt   n_blocks;
   }
   Buffer;

static Buffer buffers[N_REC_KINDS];
static Int    error;               // errno of the first error, or 0
static ULong  size;                // bytes of the file
static ULong  first_block;         // the begin of the blocks

static void write_out(const void* bytes, SizeT n)
{
   if (error == 0)
      error = DCFG_(write_all)(fd, bytes, n);
   size += n;
}

/* Write a block of KIND: N bytes of CONTENTS, which are LENGTH unpacked. */
static void write_block(UInt kind, const UChar* contents, UInt n, UInt length)
{
   UChar head[REC_BLOCK_HEAD] = REC_BLOCK_MAGIC;

   put_32(head + RecKindAt, kind);
   put_32(head + RecNumberAt, buffers[kind].n_blocks++);
   put_32(head + RecStoredAt, n);
   put_32(head + RecLengthAt, length);
   put_32(head + RecBlockSumAt, spool_sum(contents, n));
   write_out(head, sizeof(head));
   write_out(contents, n);
}

/* Values come first: a log that is cut has all values up to its last event. */
static void flush(UInt kind)
{
   Buffer* b = &buffers[kind];
   UInt    n;

   if (kind == RecEvents)
      flush(RecValues);
   if (b->used == 0)
      return;
   n = DCFG_(pack)(b->bytes, b->used, packed);
   write_block(kind, n < b->used ? packed : b->bytes, n, b->used);
   b->used = 0;
}

void DCFG_(log_bytes)(UInt kind, const void* bytes, SizeT n)
{
   Buffer*      b    = &buffers[kind];
   const UChar* from = bytes;

   while (n > 0) {
      SizeT k = ROOM - b->used < n ? ROOM - b->used : n;
      VG_(memcpy)(b->bytes + b->used, from, k);
      b->used += k;
      from    += k;
      n       -= k;
      if (b->used == ROOM)
         flush(kind);
   }
}

void DCFG_(log_number)(ULong n)
{
   UChar bytes[DCFG_MAX_VARINT];

   DCFG_(log_bytes)(RecEvents, bytes, DCFG_(put_varint)(bytes, n) - bytes);
}

void DCFG_(log_signed)(Long n)
{
   DCFG_(log_number)(DCFG_(zigzag)(n));
}

void DCFG_(log_text)(UInt kind, const HChar* text, UInt n)
{
   write_block(kind, (const UChar*)text, n, n);
}

/* Create the file NAME, with MAGIC and the header's text of N bytes.  Return 0 or
   an errno. */
static Int create_file(const UChar* magic, const HChar* name, const HChar* text,
                       UInt n)
{
   UChar       head[REC_HEAD_SIZE];
   SysRes      sres;

   VG_(unlink)(name);
   sres = VG_(open)(name, VKI_O_CREAT | VKI_O_EXCL | VKI_O_RDWR, 0600);
   if (sr_isError(sres))
      return sr_Err(sres);
   fd    = VG_(safe_fd)(sr_Res(sres));
   size  = 0;
   error = 0;
   VG_(memset)(head, 0, sizeof(head));
   VG_(memcpy)(head, magic, REC_MAGIC_SIZE);
   put_32(head + RecVersionAt, REC_VERSION);
   put_32(head + RecTextAt, n);
   put_32(head + RecSumAt, spool_sum((const UChar*)text, n));
   write_out(head, sizeof(head));
   write_out(text, n);
   first_block = size;
   return error;
}

static const UChar record_magic[] = REC_MAGIC;

static void make_room(void)
{
   if (packed != NULL)
      return;
   packed = VG_(malloc)("dcfg.record.packed", ROOM);
   for (UInt k = RecEvents; k <= RecValues; k++)
      buffers[k].bytes = VG_(malloc)("dcfg.record.buffer", ROOM);
}

Int DCFG_(create_log)(const HChar* name, const HChar* text, UInt n)
{
   make_room();
   return create_file(record_magic, name, text, n);
}

Int DCFG_(create_checkpoint)(const HChar* name, const HChar* text, UInt n)
{
   const UChar magic[] = CHECKPOINT_MAGIC;

   make_room();
   buffers[RecEvents].n_blocks = buffers[RecEnd].n_blocks = 0;
   return create_file(magic, name, text, n);
}

/* Copy the bytes of file FROM that stand from AT to END. */
static void copy_blocks(Int from, ULong at, ULong end)
{
   UChar bytes[4096];

   for (UInt n; at < end && error == 0; at += n) {
      n = end - at < sizeof(bytes) ? end - at : sizeof(bytes);
      SysRes sres = VG_(pread)(from, bytes, n, at);
      if (sr_isError(sres) || sr_Res(sres) != n)
         error = sr_isError(sres) ? sr_Err(sres) : VKI_EIO;
      else
         write_out(bytes, n);
   }
}

Int DCFG_(move_log)(const HChar* name, const HChar* text, UInt n)
{
   Int   from = fd;
   ULong at = first_block, end = size;
   Int   failed = create_file(record_magic, name, text, n);

   if (failed == 0)
      copy_blocks(from, at, end);
   if (from != fd)
      VG_(close)(from);
   return failed != 0 ? failed : error;
}

void DCFG_(write_log)(void)
{
   flush(RecEvents);
}

void DCFG_(cut_log)(ULong to)
{
   DCFG_(truncate)(fd, to);
   VG_(lseek)(fd, to, VKI_SEEK_SET);
   buffers[RecEnd].n_blocks = 0;
   size = to;
}

void DCFG_(drop_log)(void)
{
   if (fd != -1)
      VG_(close)(fd);
   fd = -1;
   for (UInt k = RecEvents; k <= RecValues; k++)
      buffers[k].used = 0;
}

UInt DCFG_(logged_blocks)(void)
{
   return buffers[RecEvents].n_blocks;
}

Int DCFG_(log_error)(void)
{
   return error;
}

ULong DCFG_(log_size)(void)
{
   return size;
}

/*--- Reading                                              ---*/

static Bool read_file(Int from, ULong place, void* to, UInt n)
{
   SysRes sres = VG_(pread)(from, to, n, place);
   return !sr_isError(sres) && sr_Res(sres) == n;
}

static Int record_fd = -1;         // the record that is replayed
static Int checkpoint_fd = -1;     // and its checkpoint
static ULong record_size;

static Bool read_at(ULong place, void* to, UInt n)
{
   return read_file(record_fd, place, to, n);
}

static Bool read_other(ULong place, void* to, UInt n)
{
   return read_file(checkpoint_fd, place, to, n);
}

/* Open the regular file NAME as *TO, which has *N bytes.  Return NULL, or what
   is wrong. */
static const HChar* open_file(const HChar* name, Int* to, ULong* n)
{
   struct vg_stat st;
   SysRes         sres = VG_(open)(name, VKI_O_RDONLY, 0);

   if (sr_isError(sres))
      return DCFG_(error_text)(sr_Err(sres));
   *to = sr_Res(sres);
   if (VG_(fstat)(*to, &st) != 0 || !VKI_S_ISREG(st.mode))
      return "this is not a regular file";
   *n = st.size;
   return NULL;
}

const HChar* DCFG_(open_log)(const HChar* name, HChar** text, UInt* n)
{
   const HChar* wrong = open_file(name, &record_fd, &record_size);

   return wrong != NULL ? wrong
          : DCFG_(open_record)(read_at, record_size, text, n);
}

void DCFG_(keep_log_open)(void)
{
   record_fd = VG_(safe_fd)(record_fd);
}

ULong DCFG_(size_of_record)(void)
{
   return record_size;
}

const HChar* DCFG_(open_checkpoint_file)(const HChar* name, HChar** text, UInt* n)
{
   ULong        length;
   const HChar* wrong = open_file(name, &checkpoint_fd, &length);

   return wrong != NULL ? wrong
          : DCFG_(open_checkpoint)(read_other, length, text, n);
}

void DCFG_(close_checkpoint)(void)
{
   if (checkpoint_fd >= 0)
      VG_(close)(checkpoint_fd);
   checkpoint_fd = -1;
   DCFG_(read_record)();
}
