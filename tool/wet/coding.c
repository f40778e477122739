/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The coder of the tape: blocks, columns, chunks. */

/* Owns: the code of the tape, which docs/dev/wet-file.md describes byte by
   byte; and the stream of its chunks.  Handed: by tool/wet/tape.c, headers,
   marks and rows, as tool/wet/slots.h describes them.

   The tape is coded each time its memory is full.  The coded tape is a sequence
   of chunks, and a chunk is a sequence of blocks.  A chunk begins without
   predictions, so that it can be read without the chunks before it.  A ring
   keeps the last chunks.

   A block has at most WET_BLOCK_WORDS words of rows.  Each of its two halves
   predicts the next number and writes only what was predicted wrongly:

   - Control: the headers and marks of the block, in their order.  A history is a
     hash of the last ways in which superblocks were left.  For each history,
     the coder knows the way that followed it last, and the one before that.
     Control has the number of right first guesses, then a bit: was the second
     guess right, or does a symbol follow that names the way or mark?  Loads that
     the mirror foretold wrongly stand before their way, and are guessed, too.
   - Columns: the rows, superblock by superblock.  A column has the numbers that
     one place of the superblock put on the tape, execution by execution.  An
     exit may leave the last words of a row out.  So the words between two exits,
     a segment, are coded together, for the rows that completed it.

   A column predicts each difference of two neighbouring numbers: by the step
   that most of the column's differences have, or by the difference in the
   column before.  For each column of a block, counting shows which is better.
   So nothing is decided number by number, except for wrong predictions.  The
   share of wrong predictions decides whether errors are put for all rows, for
   those of a mask, or with their places.
   Two more forms exist.  Zeros at the low end of all errors may be left out.
   Or the column becomes a table of its values and an index for each row: loads
   from arrays often yield few different values in an order that no step
   predicts.

   A chunk has three parts that are each read in sequence: control, and for
   columns bits (predictions, masks, indexes) and numbers (errors). */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "dcfg_bb.h"
#include "format/port.h"
#include "format/wet_history.h"
#include "format/wet_records.h"
#include "format/wet_sections.h"
#include "tool/base/core.h"
#include "tool/wet/coding.h"
#include "tool/wet/mirror.h"
#include "tool/wet/slots.h"

/*--- Bits                                                 ---*/

/* BitPen: the place of the next bits, the lowest first. */
typedef
   struct {
      UChar* at;             // has room for 8 bytes more than are used
      ULong  word;           // bits that are not there yet
      UInt   n;
   }
   BitPen;

/* Put the N lowest bits of BITS, N at most 64; the others are 0. */
static inline void put_bits(BitPen* p, ULong bits, UInt n)
{
   p->word |= bits << p->n;
   if (p->n + n >= 64) {
      /* Aligned: only whole words have been put. */
      *(ULong*)(void*)p->at = p->word;
      p->at  += 8;
      p->word = p->n == 0 ? 0 : bits >> (64 - p->n);
      p->n   -= 64;
   }
   p->n += n;
}

/* Fill up the last byte of P. */
static void flush_bits(BitPen* p)
{
   for (; p->n > 0; p->n -= p->n < 8 ? p->n : 8) {
      *p->at++ = p->word;
      p->word >>= 8;
   }
   p->word = 0;
}

/*--- Tables of a column's numbers                         ---*/

/* The hash table has twice as many places as there are values at most. */
#define HASH_BITS 11

static struct {
   ULong  values[WET_TABLE_VALUES];
   UShort heads[1u << HASH_BITS];           // 1 more than an index, or 0
   UShort rows[WET_BLOCK_WORDS];            // the index of each row's value
} table;

/* Return where VALUE is in the hash table, or belongs. */
static inline UShort* head_of(ULong value)
{
   UInt h = value * 0x9E3779B97F4A7C15ull >> (64 - HASH_BITS);

   while (table.heads[h] != 0 && table.values[table.heads[h] - 1] != value)
      h = (h + 1) % (1u << HASH_BITS);
   return &table.heads[h];
}

/* Number the different values of a column: the first one is LAST plus D[0],
   each next one is the one before plus its difference in D, up to N rows.
   Return how many there are.  0: more than MOST. */
static UInt make_table(ULong last, const ULong* d, UInt n, UInt most)
{
   UInt m = 0;

   VG_(memset)(table.heads, 0, sizeof(table.heads));
   most = most < WET_TABLE_VALUES ? most : WET_TABLE_VALUES;
   for (UInt i = 0; i < n; i++) {
      last += d[i];
      UShort* head = head_of(last);
      if (*head == 0) {
         if (m == most)
            return 0;
         table.values[m] = last;
         *head           = ++m;
      }
      table.rows[i] = *head - 1;
   }
   return m;
}

/* Return the size in bytes of the table that was made, of M values for N rows,
   when it is put. */
static SizeT size_of_table(UInt m, UInt n)
{
   UChar bytes[DCFG_MAX_QUICK + 8];
   ULong last = 0;
   SizeT size = 2;

   for (UInt i = 0; i < m; i++) {
      size += DCFG_(put_quick)(bytes, DCFG_(zigzag)(table.values[i] - last))
              - bytes;
      last  = table.values[i];
   }
   return size + (SizeT)n * wet_index_bits(m) / 8;
}

/* Put that table: its values to TO, the end of which is returned, and the index
   of each row to BITS. */
static UChar* put_table(BitPen* bits, UChar* to, UInt m, UInt n)
{
   UInt  width = wet_index_bits(m);
   ULong last = 0;

   to = DCFG_(put_quick)(to, m);
   for (UInt i = 0; i < m; i++) {
      to   = DCFG_(put_quick)(to, DCFG_(zigzag)(table.values[i] - last));
      last = table.values[i];
   }
   for (UInt i = 0; i < n; i++)
      put_bits(bits, table.rows[i], width);
   return to;
}

/*--- Columns                                              ---*/

/* Column: the last number, and the step that most differences have. */
typedef
   struct {
      ULong last, step;
   }
   Column;

/* The differences of two columns, and the rows of wrong predictions: of the
   best way to predict so far, and of one that is tried. */
static ULong differences[2][WET_BLOCK_WORDS];
static UInt  wrong_rows[2][WET_BLOCK_WORDS];

#define INLINE static inline __attribute__((always_inline))

/* Return the error of row I, with difference D: from STEP, or from the column
   before. */
INLINE ULong error_of(const ULong* d, const ULong* e, ULong step, UInt i)
{
   return d[i] - (e == NULL ? step : e[i]);
}

/* Set WRONG to the rows of wrong predictions, without a branch.  Return how
   many there are. */
INLINE UInt find_wrong(UInt* wrong, const ULong* d, const ULong* e, ULong step,
                       UInt n)
{
   UInt count = 0;

   for (UInt i = 0; i < n; i++) {
      wrong[count] = i;
      count       += error_of(d, e, step, i) != 0;
   }
   return count;
}

/* The rows of a long column that are looked at first. */
#define N_SAMPLES 32u

/* Return whether fewer than N_WRONG of the N predictions may be wrong, judged
   by samples. */
static Bool is_hopeful(const ULong* d, const ULong* e, ULong step, UInt n,
                       UInt n_wrong)
{
   UInt count = 0;

   if (n <= 2 * N_SAMPLES)
      return True;
   for (UInt k = 0; k < N_SAMPLES; k++)
      count += error_of(d, e, step, n / N_SAMPLES * k) != 0;
   return count < N_SAMPLES - 2 && count / 2 * (n / N_SAMPLES) < n_wrong;
}

/* Return the difference that more than half of the rows have, if there is
   one. */
static ULong majority(const ULong* d, UInt n)
{
   UInt  apart = n <= 2 * N_SAMPLES ? 1 : n / N_SAMPLES;
   ULong it    = d[0];
   UInt  votes = 0;

   for (UInt i = 0; i < n; i += apart) {
      it    = votes == 0 ? d[i] : it;
      votes = d[i] == it ? votes + 1 : votes - 1;
   }
   return it;
}

/* Return the number for an error without its SHIFT low bits, which are 0. */
INLINE ULong shifted(ULong error, UInt shift)
{
   return DCFG_(zigzag)((Long)error >> shift);
}

/* Put a bit for each of N rows: 0 for the N_WRONG rows of WRONG. */
static void put_mask(BitPen* bits, const UInt* wrong, UInt n_wrong, UInt n)
{
   UInt k = 0;

   for (UInt first = 0; first < n; first += 64) {
      UInt  some = n - first < 64 ? n - first : 64;
      ULong mask = ~0ULL >> (64 - some);
      for (; k < n_wrong && wrong[k] < first + some; k++)
         mask ^= 1ULL << (wrong[k] - first);
      put_bits(bits, mask, some);
   }
}

/* Put the errors of the N_WRONG rows of WRONG. */
INLINE UChar* put_wrong(UChar* to, const ULong* d, const ULong* e, ULong step,
                        const UInt* wrong, UInt n_wrong, UInt shift)
{
   for (UInt k = 0; k < n_wrong; k++)
      to = DCFG_(put_quick)(to, shifted(error_of(d, e, step, wrong[k]), shift));
   return to;
}

/* Put the index and the error of each wrong prediction. */
INLINE UChar* put_placed(UChar* to, const ULong* d, const ULong* e, ULong step,
                         const UInt* wrong, UInt n_wrong)
{
   UInt last = 0;

   for (UInt i = 0; i < n_wrong; i++) {
      ULong error = error_of(d, e, step, wrong[i]);
      to   = DCFG_(put_varint)(to, wrong[i] - last + 1);
      to   = DCFG_(put_quick)(to, DCFG_(zigzag)(error));
      last = wrong[i];
   }
   *to++ = 0;
   return to;
}

INLINE UChar* put_all(UChar* to, const ULong* d, const ULong* e, ULong step,
                      UInt n, UInt shift)
{
   for (UInt i = 0; i < n; i++)
      to = DCFG_(put_quick)(to, shifted(error_of(d, e, step, i), shift));
   return to;
}

/* Put errors in FORM, without their SHIFT low bits, which are 0. */
INLINE UChar* put_off(BitPen* bits, UChar* to, UInt form, const ULong* d,
                      const ULong* e, ULong step, UInt n, const UInt* wrong,
                      UInt n_wrong, UInt shift)
{
   switch (form) {
      case FormMask:
         put_mask(bits, wrong, n_wrong, n);
         return put_wrong(to, d, e, step, wrong, n_wrong, shift);
      case FormPlaces:
         return put_placed(to, d, e, step, wrong, n_wrong);
      case FormNone:
         return put_all(to, d, e, step, n, shift);
      default:
         return to;
   }
}

/* The fewest low bits that are worth to be left out. */
#define MIN_SHIFT 8u

/* Return how many low bits of all errors are 0. */
static UInt common_shift(const ULong* d, ULong step, UInt n)
{
   ULong any = 0;

   for (UInt i = 0; i < n; i++)
      any |= d[i] - step;
   return any == 0 ? 0 : __builtin_ctzll(any);
}

/* The fewest rows for which a table is tried, and the share of its values. */
#define MIN_TABLE_ROWS 128u
#define ROWS_A_VALUE   8u

/* Return the size in bytes of the errors when they are put in FORM, FormMask or
   FormNone, without SHIFT bits, judged by samples. */
static SizeT size_of_errors(UInt form, const ULong* d, const ULong* e,
                            ULong step, UInt n, UInt shift)
{
   UInt  apart = n / N_SAMPLES;
   SizeT size  = 0;

   for (UInt i = 0; i < n; i += apart) {
      UChar bytes[DCFG_MAX_QUICK + 8];
      ULong o = error_of(d, e, step, i);
      if (form == FormNone || o != 0)
         size += DCFG_(put_quick)(bytes, shifted(o, shift)) - bytes;
   }
   return size * apart + (form == FormMask ? n / 8 : 0);
}

/* Make a table of N values from LAST on, with differences D.  Return the number
   of different ones if it has less than SIZE bytes, else 0. */
static UInt small_table(ULong last, const ULong* d, UInt n, SizeT size)
{
   UInt m;

   if (size < n)
      return 0;
   m = make_table(last, d, n, n / ROWS_A_VALUE);
   return m > 0 && size_of_table(m, n) < size ? m : 0;
}

/* Prediction: how a column's differences are predicted in a block. */
typedef
   struct {
      UInt        by;        // By...
      ULong       step;
      const UInt* wrong;     // the rows of wrong predictions
      UInt        n_wrong;
   }
   Prediction;

/* Return the best prediction of the differences D of N rows.  N_WRONG of them,
   wrong_rows[0], are not the COLUMN's step.  E are the differences of the
   column before, or NULL. */
INLINE Prediction predict(const Column* column, const ULong* d, const ULong* e,
                          UInt n, UInt n_wrong)
{
   Prediction p = { BySame, column->step, wrong_rows[0], n_wrong };
   UInt*      other_wrong = wrong_rows[1];

   /* If most predictions are right, try nothing else. */
   if (n_wrong > n / 2) {
      ULong other = majority(d, n);
      if (is_hopeful(d, NULL, other, n, n_wrong)) {
         UInt count = find_wrong(other_wrong, d, NULL, other, n);
         if (count + 1 < n_wrong) {
            p = (Prediction){ ByNew, other, other_wrong, count };
            other_wrong = wrong_rows[0];
         }
      }
   }
   if (p.n_wrong > n / 8 && e != NULL && is_hopeful(d, e, 0, n, p.n_wrong)) {
      UInt count = find_wrong(other_wrong, d, e, 0, n);
      if (count < p.n_wrong)
         p = (Prediction){ ByNeighbour, 0, other_wrong, count };
   }
   return p;
}

/* Put COLUMN with differences D of N rows, the first one from LAST; N_WRONG of
   them, wrong_rows[0], are not its step.  E are the differences of the column
   before, or NULL. */
static UChar* put_column(BitPen* bits, UChar* to, Column* column, ULong last,
                         const ULong* d, const ULong* e, UInt n, UInt n_wrong)
{
   Prediction  p     = predict(column, d, e, n, n_wrong);
   UInt        by    = p.by, shift = 0;
   const ULong step  = p.step;
   const UInt* wrong = p.wrong;

   n_wrong = p.n_wrong;
   UInt form = n_wrong == 0 ? FormAll
               : n_wrong > n - n / 8 ? FormNone
               : n_wrong < n / 8 ? FormPlaces : FormMask;
   if (by != ByNeighbour)
      e = NULL;
   if (by == BySame && (form == FormMask || form == FormNone))
      shift = common_shift(d, step, n);
   if (shift >= MIN_SHIFT)
      by = ByShifted;
   else
      shift = 0;
   if ((form == FormMask || form == FormNone) && n >= MIN_TABLE_ROWS) {
      UInt m = small_table(last, d, n,
                           size_of_errors(form, d, e, step, n, shift));
      if (m > 0) {
         put_bits(bits, 1 | ByShifted << 1 | FormAll << 3, 5);
         return put_table(bits, to, m, n);
      }
   }
   put_bits(bits, 1 | by << 1 | form << 3, 5);
   if (by == ByShifted)
      to = DCFG_(put_quick)(to, shift);
   if (by == ByNew) {
      to = DCFG_(put_quick)(to, DCFG_(zigzag)(step));
      column->step = step;
   }
   /* put_off() is inlined, each time for other constants. */
   if (e != NULL)
      return put_off(bits, to, form, d, e, 0, n, wrong, n_wrong, 0);
   if (shift == 0)
      return put_off(bits, to, form, d, NULL, step, n, wrong, n_wrong, 0);
   return put_off(bits, to, form, d, NULL, step, n, wrong, n_wrong, shift);
}

/* Set D to the differences of N numbers of COLUMN from AT on, SIZE words apart;
   the column gets the last number.  Return how many differences are not its
   step; wrong_rows[0] has their rows. */
INLINE UInt gather_differences(Column* column, ULong* d, const ULong* at,
                               UInt size, UInt n)
{
   ULong last = column->last, step = column->step;
   UInt* wrong = wrong_rows[0];
   UInt  n_wrong = 0;

   for (UInt i = 0; i < n; i++, at += size) {
      ULong now = *at;
      d[i]           = now - last;
      wrong[n_wrong] = i;
      n_wrong       += d[i] != step;
      last           = now;
   }
   column->last = last;
   return n_wrong;
}

/* Put the first N_COLUMNS numbers of N rows, column by column: predictions to
   BITS, errors to NUMBERS.  The first row is at ROWS; each is SIZE words behind
   the one before.  There are at most WET_BLOCK_WORDS numbers.  NUMBERS has room
   for DCFG_MAX_QUICK bytes for each number, for one more row, and twice for
   each column.  Return the end in NUMBERS. */
static UChar* put_columns(BitPen* bits, UChar* numbers, Column* columns,
                          UInt n_columns, const ULong* rows, UInt size,
                          UInt n)
{
   for (UInt c = 0; c < n_columns; c++) {
      Column*      column = &columns[c];
      ULong*       d      = differences[c % 2];
      const ULong* e      = differences[(c + 1) % 2];
      ULong        first  = column->last;
      UInt         n_wrong = gather_differences(column, d, rows + c, size, n);

      if (n_wrong == 0)
         put_bits(bits, 0, 1);
      else
         numbers = put_column(bits, numbers, column, first, d,
                              c > 0 ? e : NULL, n, n_wrong);
   }
   return numbers;
}

/*--- The stream of chunks                                 ---*/

/* The sizes at which a chunk ends: bytes, and the part of all kept chunks. */
#define CHUNK_BYTES (4u << 20)
#define CHUNK_SHARE 8

struct _Chunks {
   Stream* stream;
   ULong   n_kept;           // the stream's last bytes, which are kept
   UInt    chunk_bytes;      // size of a chunk
   XArray* begins;           // ULong: begins of these chunks in the stream
};

Chunks* DCFG_(new_chunks)(void)
{
   Chunks* c = VG_(malloc)("dcfg.chunks", sizeof(Chunks));

   c->stream = DCFG_(new_stream)();
   DCFG_(keep_begin)(c->stream);
   c->begins = DCFG_NEW_ARRAY("dcfg.chunks.begins", ULong);
   c->n_kept      = ~(ULong)0;
   c->chunk_bytes = CHUNK_BYTES;
   return c;
}

void DCFG_(keep_chunks)(Chunks* c, ULong size)
{
   c->n_kept      = size;
   c->chunk_bytes = size / CHUNK_SHARE < CHUNK_BYTES ? size / CHUNK_SHARE
                                                     : CHUNK_BYTES;
}

UInt DCFG_(chunk_bytes)(const Chunks* c)
{
   return c->chunk_bytes;
}

static Stream* stream_of_chunks(const Chunks* c)
{
   return c->stream;
}

ULong DCFG_(first_chunk)(const Chunks* c)
{
   return VG_(sizeXA)(c->begins) == 0 ? 0
          : *(ULong*)VG_(indexXA)(c->begins, 0);
}

ULong DCFG_(next_chunk)(const Chunks* c)
{
   return DCFG_(stream_length)(c->stream);
}

void DCFG_(drop_chunks)(Chunks* c, ULong n)
{
   ULong length = DCFG_(stream_length)(c->stream);

   while (VG_(sizeXA)(c->begins) > 1
          && length - DCFG_(first_chunk)(c) > n) {
      VG_(removeIndexXA)(c->begins, 0);
      DCFG_(drop_from_stream)(c->stream, DCFG_(first_chunk)(c));
   }
}

ULong DCFG_(whole_chunks)(const Chunks* c, ULong from, ULong n)
{
   ULong length = DCFG_(stream_length)(c->stream), end = from;

   for (;;) {
      UChar head[WET_CHUNK_HEAD];
      ULong next = end + sizeof(head);
      if (DCFG_(read_stream)(c->stream, end, head, sizeof(head))
          < sizeof(head))
         return end - from;
      for (UInt i = 4; i < 16; i++)
         next += (ULong)head[i] << 8 * (i % 4);
      if (next > length || next - from > n)
         return end - from;
      end = next;
   }
}

static void append_number(Stream* s, UInt n)
{
   UChar bytes[4];

   for (UInt i = 0; i < sizeof(bytes); i++)
      bytes[i] = n >> 8 * i;
   DCFG_(append_to_stream)(s, bytes, sizeof(bytes));
}

/* Append a chunk of N_RECORDS records with these parts, which the mirror
   follows. */
static void append_chunk(Chunks* c, UInt n_records,
                         const UChar* const* parts, const UInt* sizes)
{
   ULong begin = DCFG_(stream_length)(c->stream);

   VG_(addToXA)(c->begins, &begin);
   append_number(c->stream, n_records);
   for (UInt i = 0; i < N_CHUNK_PARTS; i++)
      append_number(c->stream, sizes[i]);
   append_number(c->stream, wet_mirror_sum(DCFG_(mirror)));
   for (UInt i = 0; i < N_CHUNK_PARTS; i++)
      DCFG_(append_to_stream)(c->stream, parts[i], sizes[i]);
   DCFG_(drop_chunks)(c, c->n_kept);
}

/* Forget all chunks. */
static void forget_chunks(Chunks* c)
{
   DCFG_(delete_stream)(c->stream);
   c->stream = DCFG_(new_stream)();
   DCFG_(keep_begin)(c->stream);
   VG_(dropTailXA)(c->begins, VG_(sizeXA)(c->begins));
}

/*--- The coder                                            ---*/

/* The number of records at which a chunk ends: a quarter of those before it,
   within limits.  If a file has no room for the whole record, whole chunks are
   left out.  So a short record has several, too. */
#define CHUNK_RECORDS     (1u << 20)
#define MIN_CHUNK_RECORDS (1u << 14)
#define CHUNK_PART        4

/* The most words in a block, and in a row. */
#define BLOCK_WORDS   WET_BLOCK_WORDS
#define MAX_ROW       DCFG_TAPE_SLACK

/* SbCoder: the state of a superblock.  The data for coding its rows are
   together, because most superblocks have few rows in a block. */
typedef
   struct {
      Rows*     rows;
      Bool      divided;     // can rows have different numbers of words?
      UInt      chunk;       // the last chunk that it was in
      UInt      tape;        // the last tape that it was in
      UInt      n_rows;      // its rows there, and how many of these are coded
      UInt      n_done;
      UInt      n_words;
      const SlotList* list;
      Column    columns[];   // .n_words of them
   }
   SbCoder;

/* Segment: the words of a superblock between two exits. */
typedef
   struct {
      SbCoder* coding;
      UInt    id, number;    // the superblock, and the segment's number in it
   }
   Segment;

/* Tally: a superblock's executions in this block: rows, and the largest number
   of completed segments. */
typedef
   struct {
      SbCoder* coding;        // NULL: not met yet
      UInt    n_rows;
      UChar   n_segments;
   }
   Tally;

typedef
   struct {
      UChar* begin;
      SizeT  room;
   }
   ChunkPart;

/* KNOWN_WAY: the hash of a way and, above it, the number of its words.  TO_NOTE:
   the next record of the way has to be noted. */
#define KNOWN_WAY(way)   ((way)->hash | (UInt)(way)->n_words << 16)
#define KNOWN_WORDS(x)   ((x) >> 16)
#define TO_NOTE          0x80000000u

struct _Coder {
   Chunks*  chunks;
   ULong    n_records;       // records in all chunks
   UInt     n_here;          // records in this chunk

   /* The parts of this chunk: */
   ChunkPart control, bits, numbers;
   UChar*   control_end;     // place of the next bytes
   UChar*   numbers_end;
   BitPen   pen;
   UInt     history;
   ULong    thread;          // the running thread
   UInt     chunk, tape;     // numbers of the present ones
   const UChar* extra;       // the bytes of the next mark that has some
   const Missed *missed, *missed_end;   // the next missed loads
   Tally*   tallies;         // for each superblock
   UInt     n_tallies;
   UInt*    known;           // for each way: KNOWN_WAY, or TO_NOTE: so it is
   UInt     n_known;         // behind the block for these ways:
   UInt     noted_ways[BLOCK_WORDS];
   UInt     n_noted_ways;
   /* The ways that followed each history last, and before that; 0: none.
      Superblocks with large numbers are not predicted. */
   UInt     first_guess[N_HISTORIES], second_guess[N_HISTORIES];
   /* The present block: */
   UInt     n_words, n_missed;
   Segment  segments[BLOCK_WORDS];      // in the order of their first rows
   UInt     n_segments;
   ULong    gathered[BLOCK_WORDS];      // rows of one segment, without gaps
};

/* How many segments ahead to fetch into the processor's cache. */
#define PREFETCH 4

/*--- Superblocks                                          ---*/

static SbCoder* new_sb_coder(SlotList* list)
{
   SbCoder* k = VG_(malloc)("dcfg.coding.sb",
                           sizeof(SbCoder) + list->n_words * sizeof(Column));

   k->rows    = &list->rows;
   k->divided = list->rows.size > list->n_words;
   k->chunk   = k->tape = k->n_rows = k->n_done = 0;
   k->n_words = list->n_words;
   k->list    = list;
   return k;
}

/* Note that superblock ID has rows in this block that complete N segments, more
   than before.  When it is met first, all its rows of the tape are there, and
   new ones may overwrite them once the tape is coded. */
static void add_segments(Coder* c, UInt id, UInt n)
{
   Tally*   t = &c->tallies[id];
   SbCoder* k = t->coding;

   if (k == NULL)
      k = t->coding = new_sb_coder(DCFG_(slots_of)(DCFG_(superblock)(id)));
   if (k->chunk != c->chunk)
      for (UInt i = 0; i < k->n_words; i++)
         k->columns[i].last = k->columns[i].step = 0;
   k->chunk = c->chunk;
   if (k->tape != c->tape) {
      k->tape   = c->tape;
      k->n_rows = (UInt)(k->rows->next - k->rows->begin) / k->rows->size;
      k->n_done = 0;
      k->rows->next = k->rows->begin;
   }
   while (t->n_segments < n) {
      Segment s = { k, id, t->n_segments++ };
      c->segments[c->n_segments++] = s;
   }
}

/* Make room for all superblocks and ways that exist now. */
static void have_tallies(Coder* c)
{
   UInt n = c->n_tallies;

   if (n <= DCFG_(n_superblocks)()) {
      c->n_tallies = 2 * DCFG_(n_superblocks)() + 1024;
      c->tallies   = VG_(realloc)("dcfg.coding.tallies", c->tallies,
                                  c->n_tallies * sizeof(Tally));
      VG_(memset)(c->tallies + n, 0, (c->n_tallies - n) * sizeof(Tally));
   }
   if (c->n_known <= DCFG_(n_ways)()) {
      n          = c->n_known;
      c->n_known = 2 * DCFG_(n_ways)() + 1024;
      c->known   = VG_(realloc)("dcfg.coding.known", c->known,
                                c->n_known * sizeof(UInt));
      for (; n < c->n_known; n++)
         c->known[n] = TO_NOTE;
   }
}

/*--- Control                                              ---*/

/* ControlPen: state that changes with each record. */
typedef
   struct {
      UChar* control;
      UInt   n_right;        // right predictions since the last wrong one
      UInt   history;
   }
   ControlPen;

/* Write the number of right predictions, and whether the next header is the
   other predicted one or another. */
static inline void put_right(ControlPen* p, Bool other)
{
   p->control = DCFG_(put_varint)(p->control, (ULong)p->n_right << 1 | other);
   p->n_right = 0;
}

/* Put the symbol of WAY.  Return the end, as those below. */
static inline UChar* put_way(UChar* to, const SlotWay* way)
{
   Bool exited = way->exit != HOW_END;

   to = DCFG_(put_varint)(to, SymbolFirst + ((ULong)way->sb << 1 | exited));
   return exited ? DCFG_(put_varint)(to, way->exit) : to;
}

/* Put MARK, its WORDS, and the bytes at *EXTRA if it has some, which are passed
   over. */
static inline UChar* put_mark(UChar* to, UInt mark, const ULong* words,
                                      const UChar** extra)
{
   UInt n = wet_words_of_mark(mark);

   to = DCFG_(put_varint)(to, SymbolMark);
   to = DCFG_(put_varint)(to, mark);
   for (UInt i = 0; i < n; i++)
      to = DCFG_(put_varint)(to, words[i]);
   if (wet_has_bytes(mark)) {
      VG_(memcpy)(to, *extra, words[n - 1]);
      to     += words[n - 1];
      *extra += words[n - 1];
   }
   return to;
}

/* A guess of a missed load is this and the load's number. */
#define MISSED_LOAD 0x80000000u

/* Return whether NUMBER, a way or missed load, is one of the two guesses for
   CONTEXT.  If not, a symbol has to follow.  It is the first guess from now
   on, unless KEEP. */
INLINE Bool is_foretold(Coder* c, ControlPen* p, UInt context, UInt number,
                        Bool keep)
{
   Bool found = True;

   if (LIKELY(number == c->first_guess[context])) {
      p->n_right++;
      return True;
   }
   found = number == c->second_guess[context];
   put_right(p, found);
   if (!keep) {
      c->second_guess[context] = c->first_guess[context];
      c->first_guess[context]  = number;
   }
   return found;
}

/* Code way NUMBER, which is WAY, in CONTEXT: the history, and missed loads. */
INLINE void code_way_behind(Coder* c, ControlPen* p, UInt context, UInt number,
                            const SlotWay* way)
{
   p->history = wet_next_history(p->history, way->hash);
   if (!is_foretold(c, p, context, number, way->sb > MAX_FORETOLD))
      p->control = put_way(p->control, way);
}

/* Code way NUMBER, which is WAY. */
INLINE void code_way(Coder* c, ControlPen* p, UInt number, const SlotWay* way)
{
   code_way_behind(c, p, p->history, number, way);
}

/* Write the running thread at the begin of a chunk, unless the first of WORDS
   does. */
static void put_running_thread(Coder* c, ControlPen* p, const ULong* words)
{
   if (c->n_here > 0 || words[0] == MarkThread)
      return;
   put_right(p, False);
   p->control = put_mark(p->control, MarkThread, &c->thread, NULL);
   c->n_here++;
}

/*--- Records                                              ---*/

/* Note a row of superblock ID that has completed N segments, 1 or more.  If
   rows differ in this, the row's last word, which is otherwise unused, says so,
   and rows are counted.  Else the first row is enough.  Return whether it is. */
static Bool add_row(Coder* c, UInt id, UInt n)
{
   Tally* t = &c->tallies[id];

   if (n > t->n_segments)
      add_segments(c, id, n);
   const SbCoder* k = t->coding;
   if (k->divided) {
      const Rows* r = k->rows;
      t->n_rows++;
      r->begin[(SizeT)(k->n_done + t->n_rows) * r->size - 1] = n;
   }
   return !k->divided;
}

/* Note the row of a record of way NUMBER. */
static void add_row_of_way(Coder* c, UInt number)
{
   const SlotWay* way = &DCFG_(ways)[number];

   if (way->n_segments == 0) {
      c->known[number] = KNOWN_WAY(way);
   } else if (add_row(c, way->sb, way->n_segments)) {
      c->known[number] = KNOWN_WAY(way);
      c->noted_ways[c->n_noted_ways++] = number;
   }
}

/* Code the record at WORDS, of a superblock that was left inside.  Return the
   record's words. */
static UInt code_stopped(Coder* c, ControlPen* p, const ULong* words)
{
   UInt            id   = words[1], n_done = words[2];
   const SlotList* list = DCFG_(slots_of)(DCFG_(superblock)(id));
   UInt            n_segments, begin, n;

   n     = DCFG_(words_before)(list, n_done, &n_segments);
   begin = DCFG_(segment_begin)(list, n_segments);
   put_right(p, False);
   p->control = DCFG_(put_varint)(p->control, SymbolStop);
   p->control = DCFG_(put_varint)(p->control, id);
   p->control = DCFG_(put_varint)(p->control, n_done);
   p->history = wet_next_history(p->history,
                                 wet_history_hash(id, HOW_STOPPED_AT(n_done)));
   for (UInt i = 0; i < n - begin; i++)
      p->control = DCFG_(put_varint)(p->control, words[3 + i]);
   if (n_segments > 0)
      add_row(c, id, n_segments);
   c->n_words += begin;
   return 3 + n - begin;
}

/* Code the next missed load.  CONTEXT tells what was before it.  Return the
   context behind it. */
static UInt code_load(Coder* c, ControlPen* p, UInt context)
{
   const Missed* m = c->missed++;
   UInt          number = MISSED_LOAD | m->load;

   if (!is_foretold(c, p, context, number, False)) {
      p->control = DCFG_(put_varint)(p->control, SymbolLoad);
      p->control = DCFG_(put_varint)(p->control, m->load);
   }
   c->numbers_end = DCFG_(put_quick)(c->numbers_end, DCFG_(zigzag)(m->error));
   c->n_missed++;
   return context ^ wet_load_hash(m->load);
}

/* Code the record at WORDS, of a superblock that missed loads.  Return the
   record's words. */
static UInt code_missing(Coder* c, ControlPen* p, const ULong* words)
{
   UInt context = p->history, n_missed = c->n_missed;

   while (c->missed < c->missed_end && c->missed->header == words)
      context = code_load(c, p, context);
   c->n_here    += c->n_missed - n_missed;
   c->n_records += c->n_missed - n_missed;
   if (words[0] == TapeStopped)
      return code_stopped(c, p, words);
   code_way_behind(c, p, context, words[0], &DCFG_(ways)[words[0]]);
   if (c->known[words[0]] == TO_NOTE)
      add_row_of_way(c, words[0]);
   c->n_words += DCFG_(ways)[words[0]].n_words;
   return 1;
}

static UInt code_mark(Coder* c, ControlPen* p, const ULong* words)
{
   UInt mark = words[0];

   if (mark == MarkThread)
      c->thread = words[1];
   put_right(p, False);
   p->control = put_mark(p->control, mark, &words[1], &c->extra);
   return 1 + wet_words_of_mark(mark);
}

/* Gather the N_WORDS words from FIRST on of those of N rows that have completed
   segment S.  The rows begin at ROW and have SIZE words.  Return how many. */
static UInt gather_rows(Coder* c, UInt s, const ULong* row, UInt size,
                        UInt first, UInt n_words, UInt n)
{
   UInt n_gathered = 0;

   for (; n > 0; n--, row += size)
      if (row[size - 1] > s) {
         for (UInt i = 0; i < n_words; i++)
            c->gathered[n_gathered * n_words + i] = row[first + i];
         n_gathered++;
      }
   return n_gathered;
}

/* Code the words of S, which not all of the N rows have. */
static void code_divided(Coder* c, const Segment* s, const ULong* rows, UInt n)
{
   SbCoder* k       = s->coding;
   UInt    first   = DCFG_(segment_begin)(k->list, s->number);
   UInt    n_words = k->list->segment_ends[s->number] - first;

   n = gather_rows(c, s->number, rows, k->rows->size, first, n_words, n);
   c->numbers_end = put_columns(&c->pen, c->numbers_end,
                                       k->columns + first, n_words,
                                       c->gathered, n_words, n);
}

/* Count the rows of superblocks of which all rows have the same words: in WORDS
   up to END, which are a block, or if IS_LAST those that are left. */
static void count_rows(Coder* c, const ULong* words, const ULong* end,
                       Bool is_last)
{
   for (UInt i = 0; is_last && i < c->n_segments; i++) {
      const SbCoder* k = c->segments[i].coding;
      if (!k->divided)
         c->tallies[c->segments[i].id].n_rows = k->n_rows - k->n_done;
   }
   while (!is_last && words < end) {
      UInt sb, n_segments = 0, n = 1;
      if (words[0] < TapeStopped) {
         words += 1 + wet_words_of_mark(words[0]);
         continue;
      }
      if (words[0] == TapeStopped) {
         const SlotList* list = DCFG_(slots_of)(DCFG_(superblock)(words[1]));
         sb = words[1];
         n  = DCFG_(words_before)(list, words[2], &n_segments);
         n  = 3 + n - DCFG_(segment_begin)(list, n_segments);
      } else {
         sb         = DCFG_(ways)[words[0]].sb;
         n_segments = DCFG_(ways)[words[0]].n_segments;
      }
      c->tallies[sb].n_rows += n_segments > 0
                               && !c->tallies[sb].coding->divided;
      words += n;
   }
}

/* Code the words of all rows. */
static void code_columns(Coder* c)
{
   for (UInt i = 0; i < c->n_segments; i++) {
      const Segment* s    = &c->segments[i];
      SbCoder*        k    = s->coding;
      UInt           n    = c->tallies[s->id].n_rows;
      const ULong*   rows = k->rows->begin + (SizeT)k->n_done * k->rows->size;
      if (i + 2 * PREFETCH < c->n_segments) {
         __builtin_prefetch(c->segments[i + 2 * PREFETCH].coding->rows);
         const SbCoder* next = c->segments[i + PREFETCH].coding;
         __builtin_prefetch(next->columns);
         __builtin_prefetch(next->rows->begin);
      }
      if (k->divided)
         code_divided(c, s, rows, n);
      else
         c->numbers_end = put_columns(&c->pen, c->numbers_end,
                                             k->columns, k->n_words, rows,
                                             k->n_words, n);
   }
}

/* Forget the rows, after their block. */
static void forget_rows(Coder* c)
{
   for (UInt i = 0; i < c->n_segments; i++) {
      UInt   id = c->segments[i].id;
      Tally* t  = &c->tallies[id];
      c->segments[i].coding->n_done += t->n_rows;
      t->n_rows     = 0;
      t->n_segments = 0;
   }
   for (UInt i = 0; i < c->n_noted_ways; i++)
      c->known[c->noted_ways[i]] = TO_NOTE;
   c->n_segments = c->n_words = c->n_missed = c->n_noted_ways = 0;
}

/* Code the ways at WORDS, up to N words, to a mark, to a way with missed loads, or
   until the block is full.  Return how many. */
static UInt code_ways(Coder* c, ControlPen* pen, const ULong* words, UInt n)
{
   const UInt* known   = c->known;
   UInt        n_words = c->n_words, i = 0;
   ControlPen  p       = *pen;

   if (c->missed < c->missed_end && c->missed->header - words < n)
      n = c->missed->header - words;
   for (; i < n && n_words <= BLOCK_WORDS - MAX_ROW; i++) {
      UInt number = words[i], way = known[number];
      if (LIKELY(number == c->first_guess[p.history])
          && LIKELY(way != TO_NOTE)) {
         p.n_right++;
         p.history = wet_next_history(p.history, way);
      } else {
         if (number <= TapeStopped)
            break;
         code_way(c, &p, number, &DCFG_(ways)[number]);
         if (way == TO_NOTE)
            add_row_of_way(c, number);
         way = KNOWN_WAY(&DCFG_(ways)[number]);
      }
      n_words += KNOWN_WORDS(way);
   }
   c->n_words = n_words;
   *pen       = p;
   return i;
}

/* Code a block: as many of the N WORDS as belong to it; more can be read.
   Return how many. */
static UInt code_block(Coder* c, const ULong* words, UInt n)
{
   ControlPen  p = { c->control_end, 0, c->history };
   UInt n_records = 0, at = 0;

   put_running_thread(c, &p, words);
   while (at < n) {
      if (words[at] < TapeStopped) {
         at += code_mark(c, &p, &words[at]);
         n_records++;
         continue;
      }
      if (c->n_words > BLOCK_WORDS - MAX_ROW
          || c->n_missed > BLOCK_WORDS / 2 - MAX_ROW)
         break;
      if (c->missed < c->missed_end && c->missed->header == &words[at]) {
         at += code_missing(c, &p, &words[at]);
         n_records++;
      } else if (words[at] == TapeStopped) {
         at += code_stopped(c, &p, &words[at]);
         n_records++;
      } else {
         UInt n_ways = code_ways(c, &p, &words[at], n - at);
         at        += n_ways;
         n_records += n_ways;
      }
   }
   put_right(&p, False);
   c->control_end = DCFG_(put_varint)(p.control, SymbolEnd);
   c->history     = p.history;
   c->n_here     += n_records;
   c->n_records  += n_records;
   count_rows(c, words, words + at, at >= n);
   code_columns(c);
   return at;
}

/*--- Ends of chunks                                       ---*/

/* Begin a chunk without predictions. */
static void start_chunk(Coder* c)
{
   c->chunk++;
   VG_(memset)(c->first_guess, 0, sizeof(c->first_guess));
   VG_(memset)(c->second_guess, 0, sizeof(c->second_guess));
   VG_(memset)(&c->pen, 0, sizeof(c->pen));
   c->pen.at      = c->bits.begin;
   c->control_end = c->control.begin;
   c->numbers_end = c->numbers.begin;
   c->history     = 0;
   c->n_here      = 0;
}

Stream* DCFG_(end_chunk)(Coder* c)
{
   const UChar* parts[N_CHUNK_PARTS] = { c->control.begin, c->bits.begin,
                                         c->numbers.begin };
   UInt         sizes[N_CHUNK_PARTS];

   if (c->n_here == 0)
      return stream_of_chunks(c->chunks);
   flush_bits(&c->pen);
   sizes[0] = c->control_end - c->control.begin;
   sizes[1] = c->pen.at - c->bits.begin;
   sizes[2] = c->numbers_end - c->numbers.begin;
   append_chunk(c->chunks, c->n_here, parts, sizes);
   start_chunk(c);
   return stream_of_chunks(c->chunks);
}

/* Make room for N bytes at END in P.  Return the new END. */
static UChar* have_room(ChunkPart* p, UChar* end, SizeT n)
{
   SizeT used = end - p->begin;

   if (used + n > p->room) {
      p->room  = 2 * (used + n);
      p->begin = VG_(realloc)("dcfg.coding.part", p->begin, p->room);
   }
   return p->begin + used;
}

/* Make room for a block with N words on the tape, and N_EXTRA bytes. */
static void have_room_for_block(Coder* c, UInt n, SizeT n_extra)
{
   SizeT n_missed = c->missed_end - c->missed;

   c->control_end = have_room(&c->control, c->control_end,
                              5 * DCFG_MAX_VARINT * ((SizeT)n + 1) + n_extra
                              + 3 * DCFG_MAX_VARINT * n_missed);
   c->pen.at      = have_room(&c->bits, c->pen.at,
                              2 * (BLOCK_WORDS + 8));
   c->numbers_end = have_room(&c->numbers, c->numbers_end,
                              2 * DCFG_MAX_VARINT * (BLOCK_WORDS + 1 + n_missed));
}

/* Return whether the chunk has as many records as it may. */
static Bool has_records(const Coder* c)
{
   ULong most = (c->n_records - c->n_here) / CHUNK_PART;

   most = most < MIN_CHUNK_RECORDS ? MIN_CHUNK_RECORDS : most;
   return c->n_here >= (most > CHUNK_RECORDS ? CHUNK_RECORDS : most);
}

ULong DCFG_(code_blocks)(Coder* c, const ULong* words, const ULong* end,
                         const Bytes* extra)
{
   const UChar* extra_end = extra->bytes + extra->used;
   ULong        n_words   = 0;

   have_tallies(c);
   c->tape++;
   c->extra = extra->bytes;
   c->missed = DCFG_(missed_loads)(&c->missed_end);
   while (words < end) {
      have_room_for_block(c, end - words, extra_end - c->extra);
      words   += code_block(c, words, end - words);
      n_words += c->n_words;
      forget_rows(c);
   }
   tl_assert(c->missed == c->missed_end);
   DCFG_(forget_missed)();
   if (has_records(c)
       || (c->control_end - c->control.begin) + (c->pen.at - c->bits.begin)
          + (c->numbers_end - c->numbers.begin)
          >= DCFG_(chunk_bytes)(c->chunks))
      DCFG_(end_chunk)(c);
   return n_words;
}

/*--- Coders for others                                    ---*/

Coder* DCFG_(new_coder)(Chunks* chunks)
{
   Coder* c = VG_(calloc)("dcfg.coding", 1, sizeof(Coder));

   c->chunks = chunks;
   start_chunk(c);
   return c;
}

Bool DCFG_(begins_chunk)(const Coder* c)
{
   return c->n_here == 0;
}

ULong DCFG_(n_coded_records)(const Coder* c)
{
   return c->n_records;
}

void DCFG_(restart_coder)(Coder* c)
{
   forget_chunks(c->chunks);
   c->n_records = 0;
   c->thread    = 0;
   start_chunk(c);
}
