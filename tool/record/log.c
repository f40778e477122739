/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The log: the file of a record, written and read. */

/* Owns: the file, its blocks, and the bytes that are not in a block yet.  Handed:
   bytes and numbers of each kind, by the files of this room.
   docs/dev/rec-file.md describes the file.

   Events and values are two sequences of bytes.  Each has a buffer, and becomes
   a block when the buffer is full.  So a process that is killed loses what is in
   the buffers, and a reader sees whole blocks.

   The reader has a cursor for each of the two, which passes over blocks of other
   kinds.  It unpacks a block at a time.  It believes no number of the file: a
   block that is not right in all of them is where the log ends. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

#include "format/pack.h"
#include "format/spool_file.h"
#include "tool/base/buffer.h"
#include "tool/base/core.h"
#include "tool/files/interrupt.h"
#include "tool/record/log.h"

/* Bytes of a block, unpacked. */
#define ROOM (1u << 18)

static Int    fd = -1;
static UChar* packed;              // room for the largest block

static void put_32(UChar* to, UInt n)
{
   for (UInt i = 0; i < 4; i++)
      to[i] = n >> 8 * i;
}

static UInt get_32(const UChar* from)
{
   return from[0] | from[1] << 8 | from[2] << 16 | (UInt)from[3] << 24;
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

/* Create the file NAME, with the header's text of N bytes.  Return 0 or an
   errno. */
static Int create_file(const HChar* name, const HChar* text, UInt n)
{
   const UChar magic[8] = REC_MAGIC;
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
   VG_(memcpy)(head, magic, sizeof(magic));
   put_32(head + RecVersionAt, REC_VERSION);
   put_32(head + RecTextAt, n);
   put_32(head + RecSumAt, spool_sum((const UChar*)text, n));
   write_out(head, sizeof(head));
   write_out(text, n);
   first_block = size;
   return error;
}

Int DCFG_(create_log)(const HChar* name, const HChar* text, UInt n)
{
   packed = VG_(malloc)("dcfg.record.packed", ROOM);
   for (UInt k = RecEvents; k <= RecValues; k++)
      buffers[k].bytes = VG_(malloc)("dcfg.record.buffer", ROOM);
   return create_file(name, text, n);
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
   Int   failed = create_file(name, text, n);

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

Int DCFG_(log_error)(void)
{
   return error;
}

ULong DCFG_(log_size)(void)
{
   return size;
}

/*--- Reading                                              ---*/

/* Cursor: the place in the contents of a kind. */
typedef
   struct {
      UChar* bytes;                // the block, unpacked
      UInt   used, at;
      UInt   next;                 // the number of the next block
      ULong  place;                // in the file, where to look for that block
   }
   Cursor;

static Cursor       cursors[N_REC_KINDS];
static ULong        file_size;
static const HChar* why;           // the log ends: NULL, with its last block
void (*DCFG_(log_ended))(void);

static Bool read_at(ULong place, void* to, UInt n)
{
   SysRes sres = VG_(pread)(fd, to, n, place);
   return !sr_isError(sres) && sr_Res(sres) == n;
}

/* Read the block of HEAD at PLACE to C. */
static Bool read_block(Cursor* c, const UChar* head, ULong place)
{
   UInt   stored = get_32(head + RecStoredAt);
   UInt   length = get_32(head + RecLengthAt);
   UChar* to     = stored == length ? c->bytes : packed;

   why = "is damaged";
   if (stored > length || length > REC_MAX_BLOCK
       || get_32(head + RecNumberAt) != c->next)
      return False;
   if (!read_at(place + REC_BLOCK_HEAD, to, stored)) {
      why = "is cut";
      return False;
   }
   if (spool_sum(to, stored) != get_32(head + RecBlockSumAt)
       || (to == packed && !DCFG_(unpack)(packed, stored, c->bytes, length)))
      return False;
   why     = NULL;
   c->used = length;
   c->at   = 0;
   c->next++;
   return True;
}

/* Read the next block of KIND.  Return False if there is none. */
static Bool next_block(UInt kind)
{
   const UChar magic[4] = REC_BLOCK_MAGIC;
   Cursor*     c = &cursors[kind];
   UChar       head[REC_BLOCK_HEAD];

   while (c->place < file_size) {
      ULong place = c->place;
      why = "is cut";
      if (!read_at(place, head, sizeof(head)))
         return False;
      why = "is damaged";
      if (VG_(memcmp)(head, magic, sizeof(magic)) != 0
          || get_32(head + RecStoredAt) > REC_MAX_BLOCK)
         return False;
      if (get_32(head + RecKindAt) == kind) {
         if (!read_block(c, head, place))
            return False;
         c->place = place + REC_BLOCK_HEAD + get_32(head + RecStoredAt);
         if (c->used > 0)
            return True;
         continue;
      }
      c->place += REC_BLOCK_HEAD + get_32(head + RecStoredAt);
   }
   why = c->place == file_size ? NULL : "is cut";
   return False;
}

Bool DCFG_(has_logged)(UInt kind)
{
   return cursors[kind].at < cursors[kind].used || next_block(kind);
}

void DCFG_(take_bytes)(UInt kind, void* to, SizeT n)
{
   Cursor* c = &cursors[kind];
   UChar*  p = to;

   while (n > 0) {
      if (!DCFG_(has_logged)(kind))
         DCFG_(log_ended)();
      SizeT k = c->used - c->at < n ? c->used - c->at : n;
      VG_(memcpy)(p, c->bytes + c->at, k);
      p     += k;
      c->at += k;
      n     -= k;
   }
}

UChar DCFG_(take_byte)(void)
{
   Cursor* c = &cursors[RecEvents];
   UChar   b;

   if (c->at < c->used)
      return c->bytes[c->at++];
   DCFG_(take_bytes)(RecEvents, &b, 1);
   return b;
}

ULong DCFG_(take_number)(void)
{
   ULong n = 0;
   UChar b = 0x80;

   for (UInt shift = 0; (b & 0x80) && shift < 64; shift += 7) {
      b  = DCFG_(take_byte)();
      n |= (ULong)(b & 0x7F) << shift;
   }
   return n;
}

Long DCFG_(take_signed)(void)
{
   ULong n = DCFG_(take_number)();
   return (Long)(n >> 1 ^ -(n & 1));
}

const HChar* DCFG_(why_log_ends)(void)
{
   return why;
}

static Bool is_record(const UChar* head)
{
   const UChar magic[8] = REC_MAGIC;

   return VG_(memcmp)(head, magic, sizeof(magic)) == 0;
}

/* Read the header of the open file.  Return NULL, or what is wrong. */
static const HChar* read_header(HChar** text, UInt* n)
{
   UChar head[REC_HEAD_SIZE];

   if (!read_at(0, head, sizeof(head)) || !is_record(head))
      return "this is not a record, as --record=yes writes one";
   if (get_32(head + RecVersionAt) != REC_VERSION)
      return "this is a record of another version of valgrind-dcfg";
   *n = get_32(head + RecTextAt);
   if (*n > file_size - sizeof(head))
      return "this record is cut within its header: record again";
   *text = VG_(malloc)("dcfg.record.header", (SizeT)*n + 1);
   (*text)[*n] = 0;
   if (!read_at(sizeof(head), *text, *n)
       || spool_sum((const UChar*)*text, *n) != get_32(head + RecSumAt))
      return "the header of this record is damaged: record again";
   for (UInt k = RecEvents; k <= RecValues; k++)
      cursors[k].place = sizeof(head) + (ULong)*n;
   return NULL;
}

const HChar* DCFG_(open_log)(const HChar* name, HChar** text, UInt* n)
{
   struct vg_stat st;
   SysRes         sres = VG_(open)(name, VKI_O_RDONLY, 0);

   if (sr_isError(sres))
      return DCFG_(error_text)(sr_Err(sres));
   fd = sr_Res(sres);
   if (VG_(fstat)(fd, &st) != 0 || !VKI_S_ISREG(st.mode))
      return "this is not a regular file";
   file_size = st.size;
   return read_header(text, n);
}

/* Most bytes of the text at the end that are looked at. */
#define MOST_END 512

const HChar* DCFG_(value_in)(const HChar* text, UInt length,
                             const HChar* key, UInt n)
{
   SizeT len = VG_(strlen)(key);

   for (const HChar* s = text; s < text + length; s += VG_(strlen)(s) + 1)
      if (VG_(strncmp)(s, key, len) == 0 && s[len] == '=' && n-- == 0)
         return s + len + 1;
   return NULL;
}

ULong DCFG_(length_of_run)(void)
{
   const UChar magic[4] = REC_BLOCK_MAGIC;
   UChar       head[REC_BLOCK_HEAD];
   HChar       text[MOST_END + 1];
   const HChar* count;
   ULong       place = cursors[RecEvents].place;

   while (read_at(place, head, sizeof(head))
          && VG_(memcmp)(head, magic, sizeof(magic)) == 0) {
      UInt n = get_32(head + RecStoredAt);
      place += sizeof(head);
      if (get_32(head + RecKindAt) == RecEnd) {
         if (n > MOST_END || !read_at(place, text, n)
             || spool_sum((UChar*)text, n) != get_32(head + RecBlockSumAt))
            return 0;
         text[n] = 0;
         count = DCFG_(value_in)(text, n, "superblocks", 0);
         return count == NULL ? 0 : VG_(strtoull10)(count, NULL);
      }
      place += n;
   }
   return 0;
}

void DCFG_(start_reading)(void)
{
   fd     = VG_(safe_fd)(fd);
   packed = VG_(malloc)("dcfg.record.packed", REC_MAX_BLOCK);
   for (UInt k = RecEvents; k <= RecValues; k++)
      cursors[k].bytes = VG_(malloc)("dcfg.record.block", REC_MAX_BLOCK);
}
