/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The record of the order of execution: how it is coded, written and read. */

/* Owns: the record of the order in which each thread executed, and the rule of
   what each instruction records.  Handed: superblocks by
   tool/run/instrument.c, bits and targets by the code generated here, events
   by tool/run/position.c.

   As in a processor's own trace, only facts that the code does not tell are
   recorded.  A conditional branch records one bit (1: taken), and so does a
   REP instruction (1: again).  An indirect branch records its target.  Other
   instructions record nothing.  A direct jump or call backwards is an
   exception: it records one bit, although the bit tells nothing.  So
   something is recorded in every cycle, and the number of bits and targets,
   together with an instruction, identifies a moment of the thread's life.
   Events use this to say when they happened: signals, faults, changing code.

   What is recorded depends on the instruction alone, not on its superblock or
   block.  So the record can be read against the final graph, even if VEX
   translated code again or blocks were split later.  tool/trace/replay.c does
   that, with the readers of bits and targets that stand here.

   Generated code shifts bits into a word below a leading 1, and calls a helper
   when the 1 has come to the top.  Targets go to a buffer.  When the buffer is
   full, they become numbers, which are smaller and make replay faster.  A
   predictor hashes the last targets to a history, and expects the target that
   followed this history the last time.  Writer and reader make the same
   predictions, so the record only has the number of right predictions in a row,
   and the targets between.

   At roughly equal distances the recorder leaves a checkpoint: the places in
   all streams, and the predictor.  A reader can begin there without the data
   before it. */

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "tool/base/core.h"
#include "tool/run/ir.h"
#include "tool/run/thread.h"
#include "tool/trace/record.h"

/*--- What an instruction records                          ---*/

Bool DCFG_(bit_of_way)(InsnKind kind, Addr addr, UInt len, Addr target)
{
   switch (kind) {
      case InsnCond: return target != addr + len;
      case InsnRep:  return target == addr;
      default:       return True;
   }
}

/* Something must be recorded in every cycle.  Otherwise the record would not
   tell how often a thread went round before a signal came. */
InsnRecord DCFG_(recorded)(const Superblock* sb, UInt k)
{
   Bool is_last = k + 1u == sb->n_instrs;

   switch (sb->kinds[k]) {
      case InsnCond: case InsnRep:
         return RecordBit;
      case InsnIndirectJump: case InsnIndirectCall: case InsnReturn:
         return RecordTarget;
      case InsnJump: case InsnCall:
         return is_last && sb->end == EndDirect
                && sb->next <= DCFG_(instr_addr)(sb, k)
                ? RecordBit : RecordNothing;
      default:
         return is_last && sb->end == EndIndirect ? RecordTarget
                                                  : RecordNothing;
   }
}

/*--- Threads and their recorders                          ---*/

/* Slots in each thread's array, from first_record_slot on. */
enum {
   SlotBits,           // recorded bits, below a leading 1
   SlotTargets,        // address for the next target
   SlotTargetsEnd,     // end of the buffer of targets
   SlotRecorder,       // the thread's Recorder
   N_RECORD_SLOTS
};

/* Return the number of bits below WORD's leading 1. */
static inline UInt bits_in_word(ULong word)
{
   UInt n = 0;

   while (word >> n > 1)
      n++;
   return n;
}

/* Return the history after HISTORY and target NUMBER. */
static inline UInt next_history(UInt history, UInt number)
{
   return ((history << 2) ^ (number * 0x9E3779B1u >> 20)) % DCFG_N_PREDICTIONS;
}

/* Units of the stream: a count of right predictions plus RIGHT_PREDICTIONS; or
   a number; or LONG_TARGET and the lower and upper half of a number. */
#define RIGHT_PREDICTIONS 0x8000
#define LONG_TARGET       0x7FFF

#define N_TARGETS 2048u        // targets in a thread's buffer

/* The number of checkpoints at which every second one is dropped. */
#define MAX_CHECKPOINTS  64u
#define CHECKPOINT_WORDS 4096u   // words between two, at the begin

/* TargetPredictor: the Predictor of a thread that runs.  It has the targets, and
   so most of them need no number. */
typedef
   struct {
      UInt   history;
      UShort next[DCFG_N_PREDICTIONS];          // for each history, if its
                                                // prediction is right
      Addr   predictions[DCFG_N_PREDICTIONS];   // 0: none
   }
   TargetPredictor;

struct _Recorder {
   CellArray* cells;           // NULL when finished
   Bool       keep;
   struct _Recorder* idle;     // a recorder whose data are dropped, or NULL
   Stream*    words;
   Stream*    targets;
   Stream*    events;
   Addr*      buffer;          // targets without numbers so far
   ULong      n_numbered;      // targets in the stream
   TargetPredictor* predictor; // made at the first use
   ULong      last_word;       // when finished
   UInt       n_landings;      // when it was created
   Checkpoint* checkpoints[MAX_CHECKPOINTS];
   UInt       n_checkpoints;
   UInt       checkpoint_words; // words between two checkpoints
   /* The last diversion.  Later it will be known whether it led anywhere. */
   Bool        has_divert;
   RecordEvent divert;
};

/* Number: a target and its number. */
typedef
   struct _Number {
      struct _Number* hash_next;
      UWord           hash_key;     // the address
      UInt            number;
   }
   Number;

/* A cache of targets by address. */
#define N_RECENT 4096u
typedef
   struct {
      Addr target;
      UInt number;
   }
   Recent;

static CellNo       first_record_slot;
static UInt         states;         // number of the watcher
static XArray*      chosen;         // UInt: threads to trace; NULL: all
static XArray*      landings;       // Target: landings that changed, in order
static VgHashTable* by_target;      // Number
static XArray*      by_number;      // Addr
static Recent*      recent;

/* Read the list of threads S.  Return False if S is not a list of numbers. */
static Bool choose_threads(const HChar* s)
{
   chosen = DCFG_NEW_ARRAY("dcfg.record.chosen", UInt);
   for (;;) {
      HChar* end;
      Long   n = VG_(strtoll10)(s, &end);
      UInt   index = n;
      if (*s < '0' || *s > '9' || n > 0x7FFFFFFF)
         return False;
      VG_(addToXA)(chosen, &index);
      if (*end == 0)
         return True;
      if (*end != ',')
         return False;
      s = end + 1;
   }
}

Bool DCFG_(turn_on_records)(const HChar* threads, UInt watcher)
{
   first_record_slot = DCFG_(claim_slots)(N_RECORD_SLOTS);
   states    = watcher;
   landings  = DCFG_NEW_ARRAY("dcfg.record.landings", Target);
   by_target = VG_(HT_construct)("dcfg.record.targets");
   by_number = DCFG_NEW_ARRAY("dcfg.record.numbers", Addr);
   recent    = VG_(calloc)("dcfg.record.recent", N_RECENT, sizeof(Recent));
   return VG_(strcmp)(threads, "all") == 0 || choose_threads(threads);
}

Bool DCFG_(chooses_from)(UInt n)
{
   for (Word i = 0; chosen != NULL && i < VG_(sizeXA)(chosen); i++)
      if (*(UInt*)VG_(indexXA)(chosen, i) >= n)
         return True;
   return False;
}

Bool DCFG_(is_traced)(UInt index)
{
   if (chosen == NULL)
      return True;
   for (Word i = 0; i < VG_(sizeXA)(chosen); i++)
      if (*(UInt*)VG_(indexXA)(chosen, i) == index)
         return True;
   return False;
}

/*--- Targets                                              ---*/

/* Make R the number of TARGET. */
static void find_number(Recent* r, Addr target)
{
   Number* n = VG_(HT_lookup)(by_target, target);

   if (n == NULL) {
      n = VG_(malloc)("dcfg.record.number", sizeof(Number));
      n->hash_key = target;
      n->number   = VG_(addToXA)(by_number, &target);
      VG_(HT_add_node)(by_target, n);
   }
   r->target = target;
   r->number = n->number;
}

static inline UInt number_of(Addr target)
{
   Recent* r = &recent[(target ^ target >> 12) % N_RECENT];

   if (r->target != target || target == 0)
      find_number(r, target);
   return r->number;
}

UInt DCFG_(n_target_numbers)(void)
{
   return VG_(sizeXA)(by_number);
}

Addr DCFG_(target_of_number)(UInt number)
{
   return *(Addr*)VG_(indexXA)(by_number, number);
}

static UWord* slot(ULong* base, UInt no)
{
   return (UWord*)(base + first_record_slot + no);
}

static ULong* bits(ULong* base)
{
   return base + first_record_slot + SlotBits;
}

static Addr* next_target(const Recorder* recorder)
{
   return (Addr*)*slot(DCFG_(cell_base)(recorder->cells), SlotTargets);
}

/* Turn the N targets in BUFFER into units, with the predictions of G.  Return
   the number of units. */
static UInt put_units(UShort* units, const Addr* buffer, UInt n,
                      TargetPredictor* g)
{
   UInt used = 0, n_right = 0, history = g->history;

   for (UInt i = 0; i < n; i++) {
      if (g->predictions[history] == buffer[i] && buffer[i] != 0) {
         n_right++;
         history = g->next[history];
         continue;
      }
      UInt number = number_of(buffer[i]);
      g->predictions[history] = buffer[i];
      history = g->next[history] = next_history(history, number);
      if (n_right > 0)
         units[used++] = RIGHT_PREDICTIONS + n_right;
      n_right = 0;
      if (number >= LONG_TARGET) {
         units[used++] = LONG_TARGET;
         units[used++] = number & 0xFFFF;
         units[used++] = number >> 16;
      } else {
         units[used++] = number;
      }
   }
   if (n_right > 0)
      units[used++] = RIGHT_PREDICTIONS + n_right;
   g->history = history;
   return used;
}

/* Make TO what a reader knows of G. */
static void copy_predictor(Predictor* to, const TargetPredictor* g)
{
   to->history = g->history;
   for (UInt i = 0; i < DCFG_N_PREDICTIONS; i++)
      to->predictions[i] = g->predictions[i] == 0
                           ? 0 : number_of(g->predictions[i]);
}

/* Turn the targets in the buffer into numbers, and empty it. */
static void number_targets(Recorder* recorder)
{
   UShort units[3 * N_TARGETS + 1];
   UInt   n = next_target(recorder) - recorder->buffer;

   if (n > 0 && recorder->keep) {
      if (recorder->predictor == NULL)
         recorder->predictor = VG_(calloc)("dcfg.record.predictor", 1,
                                           sizeof(TargetPredictor));
      DCFG_(append_to_stream)(recorder->targets, units,
                              put_units(units, recorder->buffer, n,
                                        recorder->predictor)
                              * sizeof(UShort));
   }
   recorder->n_numbered += n;
   *slot(DCFG_(cell_base)(recorder->cells), SlotTargets)
      = (UWord)recorder->buffer;
}

/*--- Recorders                                            ---*/

static void* new_recorder(CellArray* ca, UInt index)
{
   Recorder* r = VG_(calloc)("dcfg.record", 1, sizeof(Recorder));
   ULong* base = DCFG_(cell_base)(ca);

   r->cells      = ca;
   r->keep       = DCFG_(is_traced)(index);
   r->words      = DCFG_(new_stream)();
   r->targets    = DCFG_(new_stream)();
   r->events     = DCFG_(new_stream)();
   r->buffer     = VG_(malloc)("dcfg.record.buffer",
                               N_TARGETS * sizeof(Addr));
   r->n_landings = VG_(sizeXA)(landings);
   r->checkpoint_words = CHECKPOINT_WORDS;
   *bits(base) = 1;
   *slot(base, SlotTargets)    = (UWord)r->buffer;
   *slot(base, SlotTargetsEnd) = (UWord)(r->buffer + N_TARGETS);
   *slot(base, SlotRecorder)   = (UWord)r;
   return r;
}

static void delete_recorder(void* s)
{
   Recorder* r = s;

   if (r->idle != NULL)
      delete_recorder(r->idle);
   DCFG_(delete_stream)(r->words);
   DCFG_(delete_stream)(r->targets);
   DCFG_(delete_stream)(r->events);
   for (UInt i = 0; i < r->n_checkpoints; i++)
      VG_(free)(r->checkpoints[i]);
   DCFG_FREE_ALL(r->buffer, r->predictor, r);
}

static void* restart_recorder(void* r, CellArray* ca, UInt index,
                              Restart why)
{
   delete_recorder(r);
   return new_recorder(ca, index);
}

static void have_idle_recorder(void* s, CellArray* ca)
{
   Recorder* r = s;

   r->idle       = new_recorder(ca, 0);
   r->idle->keep = False;
}

/*--- Places                                               ---*/

static ULong last_word(const Recorder* recorder)
{
   return recorder->cells != NULL ? *bits(DCFG_(cell_base)(recorder->cells))
                                  : recorder->last_word;
}

static ULong n_words(const Recorder* recorder)
{
   return DCFG_(stream_length)(recorder->words) / sizeof(ULong);
}

/* Return the place where RECORDER's record ends now. */
static RecordPlace record_place(const Recorder* recorder)
{
   Bool        live  = recorder->cells != NULL;
   RecordPlace place;

   place.bits    = n_words(recorder) * DCFG_WORD_BITS
                   + bits_in_word(last_word(recorder));
   place.targets = recorder->n_numbered
                   + (live ? next_target(recorder) - recorder->buffer : 0);
   return place;
}

/*--- Events                                               ---*/

static Bool is_diverted(const Recorder* recorder)
{
   return (DCFG_(cell_base)(recorder->cells)[CellMark] & DCFG_MARK_DIVERTED)
          != 0;
}

static void add_event(Recorder* recorder, const RecordEvent* e)
{
   if (recorder->keep)
      DCFG_(append_to_stream)(recorder->events, e, sizeof(RecordEvent));
}

/* If the thread has run since it was diverted, add the diversion to the
   events. */
static void settle_divert(Recorder* recorder)
{
   if (recorder->has_divert && !is_diverted(recorder)) {
      add_event(recorder, &recorder->divert);
      recorder->has_divert = False;
   }
}

static RecordEvent new_event(const Recorder* recorder, EventKind kind,
                             Position from, Target to)
{
   RecordEvent e;

   VG_(memset)(&e, 0, sizeof(e));
   e.place = record_place(recorder);
   e.kind  = kind;
   e.from  = from;
   e.to    = to;
   return e;
}

static void record_divert(void* s, Position from, Target to)
{
   Recorder* r = s;

   settle_divert(r);
   if (r->has_divert) {
      r->divert.to = to;
   } else {
      r->divert     = new_event(r, EventDivert, from, to);
      r->has_divert = True;
   }
}

static void record_redirect(void* s, Target to)
{
   ((Recorder*)s)->divert.to = to;
}

static void record_landing(Target t)
{
   VG_(addToXA)(landings, &t);
}

static void record_landing_for(void* s, Position from, Target t)
{
   Recorder*   r = s;
   RecordEvent e = new_event(r, EventLanding, from, t);

   settle_divert(r);
   add_event(r, &e);
}

/*--- The end of a record                                  ---*/

static void finish_recorder(void* s)
{
   Recorder* r = s;

   settle_divert(r);
   number_targets(r);
   r->last_word = last_word(r);
   r->cells     = NULL;
   DCFG_(trim_stream)(r->words);
   DCFG_(trim_stream)(r->targets);
   DCFG_(trim_stream)(r->events);
   if (r->idle != NULL)
      delete_recorder(r->idle);
   r->idle = NULL;
   DCFG_FREE_ALL(r->buffer, r->predictor);
   r->buffer  = NULL;
   r->predictor = NULL;
}

void DCFG_(recording)(Recorder* recorder, Recording* rec)
{
   if (recorder->cells != NULL) {
      settle_divert(recorder);
      number_targets(recorder);
   }
   rec->words      = recorder->words;
   rec->last_word  = last_word(recorder);
   rec->targets    = recorder->targets;
   rec->events     = recorder->events;
   rec->end        = record_place(recorder);
   rec->n_landings = recorder->n_landings;
   rec->n_checkpoints = recorder->n_checkpoints;
   rec->checkpoints   = recorder->checkpoints;
}

Recorder* DCFG_(recorder_of_thread)(UInt thread)
{
   return DCFG_(thread_state)(thread, states);
}

UInt DCFG_(n_landings)(void)
{
   return VG_(sizeXA)(landings);
}

Target DCFG_(changed_landing)(UInt i)
{
   return *(Target*)VG_(indexXA)(landings, i);
}

/*--- Reading bits and targets                             ---*/

/* Load the next word of bits, or the rest in the last word, into .ahead, which
   is empty.  Leave it empty at the end. */
void DCFG_(load_ahead)(RecordReader* reader)
{
   ULong last = reader->rec->last_word;

   if (reader->next_word == reader->n_words) {
      UInt got = DCFG_(read_stream)(reader->rec->words, reader->words_at,
                                    reader->words, sizeof(reader->words));
      reader->words_at += got;
      reader->n_words   = got / sizeof(ULong);
      reader->next_word = 0;
   }
   if (reader->next_word < reader->n_words) {
      reader->ahead   = reader->words[reader->next_word++] << 1;
      reader->n_ahead = DCFG_WORD_BITS;
   } else if (!reader->last_word_read && last > 1) {
      reader->n_ahead = bits_in_word(last);
      reader->ahead   = last << (64 - reader->n_ahead);
      reader->last_word_read = True;
   }
   reader->bits_loaded += reader->n_ahead;
}

/* Load the next bits.  Those in .bits have been read, or are passed over. */
void DCFG_(load_bits)(RecordReader* reader)
{
   if (reader->n_ahead == 0)
      DCFG_(load_ahead)(reader);
   reader->bits    = reader->ahead;
   reader->n_bits  = reader->n_ahead;
   reader->n_ahead = 0;
   if (reader->n_bits == 0) {
      reader->failed = True;
      reader->bits   = 0;
      reader->n_bits = DCFG_WORD_BITS;
      reader->bits_loaded += DCFG_WORD_BITS;
   }
}

static UInt read_unit(RecordReader* reader)
{
   if (reader->next_unit == reader->n_units) {
      UInt got = DCFG_(read_stream)(reader->rec->targets, reader->units_at,
                                    reader->units, sizeof(reader->units));
      reader->units_at += got;
      reader->n_units   = got / sizeof(UShort);
      reader->next_unit = 0;
      if (reader->n_units == 0) {
         reader->failed = True;
         return 0;
      }
   }
   return reader->units[reader->next_unit++];
}

/* Make NUMBER the prediction after HISTORY. */
static void set_prediction(RecordReader* reader, UInt history, UInt number)
{
   reader->predictor.predictions[history] = number;
   reader->next_history[history]    = next_history(history, number);
}

/* Load the next right predictions; or one that was wrong, which is
   corrected. */
void DCFG_(load_targets)(RecordReader* reader)
{
   UInt n = read_unit(reader);

   reader->n_right = n > RIGHT_PREDICTIONS ? n - RIGHT_PREDICTIONS : 1;
   reader->targets_loaded += reader->n_right;
   if (n > RIGHT_PREDICTIONS)
      return;
   if (n == LONG_TARGET) {
      n  = read_unit(reader);
      n |= read_unit(reader) << 16;
   }
   set_prediction(reader, reader->predictor.history, n);
}

static void start_predictor(RecordReader* reader, const Predictor* g)
{
   reader->predictor.history = g != NULL ? g->history : 0;
   for (UInt i = 0; i < DCFG_N_PREDICTIONS; i++)
      set_prediction(reader, i, g != NULL ? g->predictions[i] : 0);
}

void DCFG_(read_from_start)(RecordReader* reader, const Recording* rec)
{
   VG_(memset)(reader, 0, offsetof(RecordReader, predictor));
   reader->rec = rec;
   start_predictor(reader, NULL);
}

void DCFG_(read_from)(RecordReader* reader, const Recording* rec,
                      const Checkpoint* l)
{
   DCFG_(read_from_start)(reader, rec);
   reader->words_at       = l->words_at;
   reader->bits_loaded    = l->place.bits;
   reader->units_at       = l->targets_at;
   reader->targets_loaded = l->place.targets;
   start_predictor(reader, &l->predictor);
}

/*--- Helpers of generated code                            ---*/

static Recorder* recorder_of(ULong* base)
{
   return (Recorder*)*slot(base, SlotRecorder);
}

/* Return whether superblock SB records one bit, in its last instruction, and
   nothing else. */
static Bool records_last_bit(const Superblock* sb)
{
   for (UInt k = 0; k + 1 < sb->n_instrs; k++)
      if (DCFG_(recorded)(sb, k) != RecordNothing)
         return False;
   return sb->kinds[sb->n_instrs - 1] == InsnCond;
}

static void add_checkpoint(Recorder* recorder, const Superblock* sb, Bool bit)
{
   Checkpoint* l = VG_(calloc)("dcfg.record.checkpoint", 1, sizeof(Checkpoint));

   number_targets(recorder);
   settle_divert(recorder);
   l->sb         = sb->id;
   l->bit        = bit;
   l->place      = record_place(recorder);
   l->words_at   = DCFG_(stream_length)(recorder->words);
   l->targets_at = DCFG_(stream_length)(recorder->targets);
   l->events_at  = DCFG_(stream_length)(recorder->events);
   if (recorder->predictor != NULL)
      copy_predictor(&l->predictor, recorder->predictor);
   recorder->checkpoints[recorder->n_checkpoints++] = l;
   if (recorder->n_checkpoints < MAX_CHECKPOINTS)
      return;
   for (UInt i = 0; i < MAX_CHECKPOINTS; i++)
      if (i % 2 == 0)
         VG_(free)(recorder->checkpoints[i]);
      else
         recorder->checkpoints[i / 2] = recorder->checkpoints[i];
   recorder->n_checkpoints     = MAX_CHECKPOINTS / 2;
   recorder->checkpoint_words *= 2;
}

/* Called by generated code, with the base of the thread's cell array: the word
   of bits is full; the buffer of targets is full; exit number EXIT of
   superblock ID is taken. */
static void record_word(ULong* base)
{
   Recorder* r    = recorder_of(base);
   ULong     word = *bits(base);

   *bits(base) = 1;
   if (!r->keep)
      return;
   DCFG_(append_to_stream)(r->words, &word, sizeof(ULong));
   if (n_words(r) >= (r->n_checkpoints + 1) * (ULong)r->checkpoint_words) {
      const Superblock* sb
         = DCFG_(superblock)(DCFG_MARK_ID((UWord)base[CellMark]));
      if (records_last_bit(sb))
         add_checkpoint(r, sb, word & 1);
   }
}

static void record_targets(ULong* base)
{
   number_targets(recorder_of(base));
}

static void record_exit(ULong* base, UWord id, UWord exit)
{
   Recorder*         r  = recorder_of(base);
   const Superblock* sb = DCFG_(superblock)(id);
   const SbExit*     x  = &sb->exits[exit];
   Position          at = { id, x->instr + 1, { x->target, 0, False } };
   RecordEvent       e  = new_event(r, EventExit, at, at.target);

   settle_divert(r);
   add_event(r, &e);
}

/*--- Generated code                                       ---*/

/* Has the present instruction recorded a bit? */
static Bool bit_recorded;

static IRExpr* record_slot(Work* work, UInt slot)
{
   return cell_addr(work, first_record_slot + slot);
}

/* Store WORD as SlotBits; call the helper if it is full. */
static void put_bits(Work* work, IRExpr* bits)
{
   store(work, record_slot(work, SlotBits), bits);
   call_if(work, is_negative(work, bits), "dcfg_record_word", &record_word,
           mkIRExprVec_1(base(work)));
}

/* Return SlotBits shifted up by one, or only if GUARD.  The shift is a sum,
   because 32-bit hosts take ten instructions to shift an I64. */
static IRExpr* shifted_bits(Work* work, IRExpr* guard)
{
   IRExpr* bits = load(work, Ity_I64, record_slot(work, SlotBits));
   IRExpr* more = bits;

   if (guard != NULL)
      more = assign(work, Ity_I64,
                    IRExpr_ITE(guard, bits, IRExpr_Const(IRConst_U64(0))));
   return sum(work, bits, more);
}

/* Return the bit for the way from instruction K to TARGET. */
static Bool bit_of(const Work* work, UInt k, Addr target)
{
   return DCFG_(bit_of_way)(work->sb->kinds[k], work->addrs[k],
                            work->lengths[k], target);
}

/* Record BIT. */
static void record_bit(Work* work, Bool bit)
{
   IRExpr* bits = shifted_bits(work, NULL);
   put_bits(work, bit ? sum(work, bits, IRExpr_Const(IRConst_U64(1))) : bits);
   bit_recorded = True;
}

/* Record the direction of the conditional branch K, whose only exit leads to
   TARGET. */
static void record_branch(Work* work, UInt k, Addr target, IRExpr* guard)
{
   IRExpr* taken = bit_to_I64(work, guard);
   IRExpr* bits  = shifted_bits(work, NULL);

   if (!bit_of(work, k, target)) {
      bits = sum(work, bits, IRExpr_Const(IRConst_U64(1)));
      put_bits(work,
               assign(work, Ity_I64, IRExpr_Binop(Iop_Sub64, bits, taken)));
   } else {
      put_bits(work, sum(work, bits, taken));
   }
   bit_recorded = True;
}

/* Record the bit of K's exit to TARGET if it is taken. */
static void record_if_taken(Work* work, UInt k, Addr target, IRExpr* guard)
{
   IRExpr* bits = shifted_bits(work, guard);

   if (bit_of(work, k, target))
      bits = sum(work, bits, bit_to_I64(work, guard));
   put_bits(work, bits);
}

static void record_target(Work* work, IRExpr* target)
{
   IRExpr* place = load(work, work->word_ty, record_slot(work, SlotTargets));
   IRExpr* next  = add_words(work, place, word(work, sizeof(Addr)));
   IRExpr* end   = load(work, work->word_ty, record_slot(work, SlotTargetsEnd));

   store(work, place, target);
   store(work, record_slot(work, SlotTargets), next);
   call_if(work, assign(work, Ity_I1, IRExpr_Binop(work->word_ty == Ity_I64
                                                   ? Iop_CmpEQ64 : Iop_CmpEQ32,
                                                   next, end)),
           "dcfg_record_targets", &record_targets,
           mkIRExprVec_1(base(work)));
}

static UInt n_exits_of(const Superblock* sb, UInt k)
{
   UInt n = 0;

   for (UInt i = 0; i < sb->n_exits; i++)
      n += sb->exits[i].instr == k;
   return n;
}

static void begin(Work* work)
{
   bit_recorded = False;
}

static void add_exit(Work* work, UInt x, const IRStmt* st)
{
   const SbExit* e     = &work->sb->exits[x];
   UInt          k     = e->instr;
   IRExpr*       guard = st->Ist.Exit.guard;

   if (DCFG_(recorded)(work->sb, k) != RecordBit)
      call_if(work, guard, "dcfg_record_exit", &record_exit,
              mkIRExprVec_3(base(work), word(work, work->sb->id),
                            word(work, x)));
   else if (work->sb->kinds[k] == InsnCond && n_exits_of(work->sb, k) == 1)
      record_branch(work, k, e->target, guard);
   else
      record_if_taken(work, k, e->target, guard);
}

/* End instruction K, which took no exit.  NEXT is the target of the
   superblock's end, if K is its last instruction. */
static void end_of_instr(Work* work, UInt k, IRExpr* next)
{
   Bool is_last = k + 1u == work->sb->n_instrs;

   switch (DCFG_(recorded)(work->sb, k)) {
      case RecordNothing:
         break;
      case RecordBit:
         if (!bit_recorded)
            record_bit(work, bit_of(work, k, is_last ? work->sb->next
                                                     : work->addrs[k + 1]));
         break;
      case RecordTarget:
         record_target(work, next);
         break;
   }
   bit_recorded = False;
}

static void begin_instr(Work* work, UInt k)
{
   end_of_instr(work, k - 1, NULL);
}

static void end(Work* work, const IRSB* in)
{
   if (work->now + 1u == work->sb->n_instrs)
      end_of_instr(work, work->now, in->next);
}

const Watcher DCFG_(recording_watcher) = {
   .begin       = begin,
   .instruction = begin_instr,
   .exit        = add_exit,
   .end         = end,
   .needs_cleanup = True,
   .thread_new  = new_recorder,
   .thread_free = delete_recorder,
   .restart     = restart_recorder,
   .thread_end  = finish_recorder,
   .idle_cells  = have_idle_recorder,
   .divert      = record_divert,
   .redirect    = record_redirect,
   .landing     = record_landing,
   .landing_for = record_landing_for
};
