/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the place in the file, and its blocks that are unpacked.  Handed: the file,
   which anybody may have changed, by a function that reads bytes.

   docs/dev/rec-file.md describes the file.  There is a cursor for each of the two
   sequences of bytes, events and values, which passes over blocks of other kinds.
   It unpacks a block at a time.  It believes no number of the file: a block that is
   not right in all of them is where the log ends.

   A checkpoint is read in the same way, while the cursors of the record wait. */

#include "format/rec_read.h"

#include "format/pack.h"
#include "format/rec_file.h"
#include "format/spool_file.h"

static UInt get_32(const UChar* from)
{
   return from[0] | from[1] << 8 | from[2] << 16 | (UInt)from[3] << 24;
}

/* Cursor: the place in the contents of a kind. */
typedef
   struct {
      UChar* bytes;                // the block, unpacked
      UInt   used, at;
      UInt   next;                 // the number of the next block
      ULong  place;                // in the file, where to look for that block
      ULong  block;                // likewise, the present one
   }
   Cursor;

/* Source: a file that is read. */
typedef
   struct {
      Cursor  cursors[N_REC_KINDS];
      RecRead read_at;
      ULong   size;
   }
   Source;

static Source       record, checkpoint;
static Source*      source = &record;
static UChar*       packed;        // room for the largest block
static const HChar* why;           // the log ends: NULL, with its last block
void (*DCFG_(log_ended))(void);

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
   if (!source->read_at(place + REC_BLOCK_HEAD, to, stored)) {
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

/* Find the next block of KIND from *PLACE on, and read its head.  Return False if
   there is none. */
static Bool find_block(UInt kind, ULong* place, UChar* head)
{
   const UChar magic[4] = REC_BLOCK_MAGIC;

   while (*place < source->size) {
      why = "is cut";
      if (!source->read_at(*place, head, REC_BLOCK_HEAD))
         return False;
      why = "is damaged";
      if (dcfg_memcmp(head, magic, sizeof(magic)) != 0
          || get_32(head + RecStoredAt) > REC_MAX_BLOCK)
         return False;
      if (get_32(head + RecKindAt) == kind)
         return True;
      *place += REC_BLOCK_HEAD + get_32(head + RecStoredAt);
   }
   why = *place == source->size ? NULL : "is cut";
   return False;
}

/* Read the next block of KIND.  Return False if there is none. */
static Bool next_block(UInt kind)
{
   Cursor* c = &source->cursors[kind];
   UChar   head[REC_BLOCK_HEAD];

   while (find_block(kind, &c->place, head)) {
      if (!read_block(c, head, c->place))
         return False;
      c->block  = c->place;
      c->place += REC_BLOCK_HEAD + get_32(head + RecStoredAt);
      if (c->used > 0)
         return True;
   }
   return False;
}

Bool DCFG_(has_logged)(UInt kind)
{
   const Cursor* c = &source->cursors[kind];

   return c->at < c->used || next_block(kind);
}

void DCFG_(take_bytes)(UInt kind, void* to, SizeT n)
{
   Cursor* c = &source->cursors[kind];
   UChar*  p = to;

   while (n > 0) {
      if (!DCFG_(has_logged)(kind))
         DCFG_(log_ended)();
      SizeT k = c->used - c->at < n ? c->used - c->at : n;
      dcfg_memcpy(p, c->bytes + c->at, k);
      p     += k;
      c->at += k;
      n     -= k;
   }
}

void DCFG_(pass_block)(UInt kind)
{
   source->cursors[kind].at = source->cursors[kind].used;
}

UChar DCFG_(take_byte)(void)
{
   Cursor* c = &source->cursors[RecEvents];
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

/* Open SOURCE, which begins with MAGIC, as open_record() does. */
static const HChar* open_source(const UChar* magic, RecRead read, ULong size,
                                HChar** text, UInt* n)
{
   UChar head[REC_HEAD_SIZE];

   source->read_at = read;
   source->size    = size;
   if (!source->read_at(0, head, sizeof(head))
       || dcfg_memcmp(head, magic, REC_MAGIC_SIZE) != 0)
      return "this is not a record, as --record=yes writes one";
   if (get_32(head + RecVersionAt) != REC_VERSION)
      return "this is a record of another version of valgrind-dcfg";
   *n = get_32(head + RecTextAt);
   if (*n > REC_MAX_TEXT || *n > source->size - sizeof(head))
      return "this record is cut within its header: record again";
   *text = dcfg_alloc("dcfg.record.header", (SizeT)*n + 1);
   (*text)[*n] = 0;
   if (!source->read_at(sizeof(head), *text, *n)
       || spool_sum((const UChar*)*text, *n) != get_32(head + RecSumAt))
      return "the header of this record is damaged: record again";
   for (UInt k = RecEvents; k <= RecValues; k++)
      source->cursors[k] = (Cursor){ .bytes = source->cursors[k].bytes,
                                     .place = sizeof(head) + (ULong)*n };
   return NULL;
}

const HChar* DCFG_(open_record)(RecRead read, ULong size, HChar** text, UInt* n)
{
   const UChar magic[] = REC_MAGIC;

   return open_source(magic, read, size, text, n);
}

const HChar* DCFG_(open_checkpoint)(RecRead read, ULong size, HChar** text,
                                    UInt* n)
{
   const UChar magic[] = CHECKPOINT_MAGIC;

   source = &checkpoint;
   DCFG_(start_reading)();
   return open_source(magic, read, size, text, n);
}

void DCFG_(read_record)(void)
{
   source = &record;
}

void DCFG_(read_checkpoint)(void)
{
   source = &checkpoint;
}

RecPlace DCFG_(place_of)(UInt kind)
{
   const Cursor* c = &source->cursors[kind];

   return c->used == 0 ? (RecPlace){ c->place, c->next, 0 }
                       : (RecPlace){ c->block, c->next - 1, c->at };
}

void DCFG_(go_to)(UInt kind, RecPlace to)
{
   Cursor* c = &source->cursors[kind];

   if (c->used == 0 || c->block != to.block) {
      c->used  = c->at = 0;
      c->place = to.block;
      c->next  = to.number;
      if (to.at > 0 && !next_block(kind))
         DCFG_(log_ended)();
   }
   if (to.at > c->used)
      DCFG_(log_ended)();
   c->at = to.at;
}

/* Most bytes of the text at the end that are looked at: with a path. */
#define MOST_END 5000

const HChar* DCFG_(value_in)(const HChar* text, UInt length,
                             const HChar* key, UInt n)
{
   SizeT len = dcfg_strlen(key);

   for (const HChar* s = text; s < text + length; s += dcfg_strlen(s) + 1)
      if (dcfg_strncmp(s, key, len) == 0 && s[len] == '=' && n-- == 0)
         return s + len + 1;
   return NULL;
}

static ULong number_in(const HChar* text)
{
   ULong n = 0;

   for (; text != NULL && *text >= '0' && *text <= '9'; text++)
      n = 10 * n + (ULong)(*text - '0');
   return n;
}

ULong DCFG_(number_at_end)(const HChar* key)
{
   UChar head[REC_BLOCK_HEAD];
   HChar text[MOST_END + 1];
   ULong place = source->cursors[RecEvents].place;

   if (!find_block(RecEnd, &place, head))
      return 0;
   UInt n = get_32(head + RecStoredAt);
   if (n > MOST_END || !source->read_at(place + REC_BLOCK_HEAD, text, n)
       || spool_sum((UChar*)text, n) != get_32(head + RecBlockSumAt))
      return 0;
   text[n] = 0;
   return number_in(DCFG_(value_in)(text, n, key, 0));
}

void DCFG_(start_reading)(void)
{
   if (source->cursors[RecEvents].bytes != NULL)
      return;
   if (packed == NULL)
      packed = dcfg_alloc("dcfg.record.packed", REC_MAX_BLOCK);
   for (UInt k = RecEvents; k <= RecValues; k++)
      source->cursors[k].bytes = dcfg_alloc("dcfg.record.block", REC_MAX_BLOCK);
}
