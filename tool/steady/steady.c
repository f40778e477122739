/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: which answers are false, and what the user reads about them. Handed:
   the program's system calls, threads and code, by dcfg_main.c,
   tool/run/event.c and tool/run/instrument.c.

   A program's counts differ from run to run because it asks its surroundings
   for something that differs. Each question has a file of this room:
   - What time is it? clock.c, with deadlines.
   - What is random, how many processors and how much memory are there?
     answers.c.
   - Who runs next? turn.c. Instructions that ask the machine are the
     processor's: DCFG_(guest).answer. What the kernel put on the stack at the
     start is answered here. */

#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/steady/answers.h"
#include "tool/steady/clock.h"
#include "tool/steady/steady.h"
#include "tool/steady/turn.h"

static UInt             about;         // bits of answers.h
static const Processor* shown;         // the processor, or NULL: the host's
static ULong            n_vectors;     // AT_RANDOM
static ULong            n_ticks;       // RDTSC
static FalseAnswers     in_code;

/*--- Options                                              ---*/

typedef struct { const HChar* name; UInt about; } Word_;

static const Word_ words[] = {
   { "random", AboutRandom }, { "time", AboutTime }, { "sched", AboutSched },
   { "cpus", AboutCpus }, { "mem", AboutMem }
};
#define N_WORDS (sizeof(words) / sizeof(words[0]))
#define ALL     (AboutRandom | AboutTime | AboutSched | AboutCpus | AboutMem)

static void bad_value(const HChar* name, const HChar* value, const HChar* wants)
{
   HChar arg[VG_(strlen)(name) + VG_(strlen)(value) + 2];

   VG_(sprintf)(arg, "%s=%s", name, value);
   VG_(fmsg_bad_option)(arg, "%s takes %s\n", name, wants);
}

static UInt bit_of_word(const HChar* word)
{
   for (UInt i = 0; i < N_WORDS; i++)
      if (VG_STREQ(word, words[i].name))
         return words[i].about;
   return 0;
}

static void take_deterministic(const HChar* name, const HChar* value, Int what)
{
   HChar  list[VG_(strlen)(value) + 1];
   HChar* rest;
   UInt   bits = 0;
   Bool   good = value[0] != 0;

   VG_(strcpy)(list, value);
   if (VG_STREQ(value, "yes") || VG_STREQ(value, "no")) {
      about = VG_STREQ(value, "yes") ? ALL : 0;
      return;
   }
   for (const HChar* w = VG_(strtok_r)(list, ",", &rest); w != NULL;
        w = VG_(strtok_r)(NULL, ",", &rest)) {
      good  = good && bit_of_word(w) != 0;
      bits |= bit_of_word(w);
   }
   if (!good)
      bad_value(name, value,
                "no, yes, or words of random,time,sched,cpus,mem");
   about = bits;
}

static void take_cpu(const HChar* name, const HChar* value, Int what)
{
   const Guest* g = &DCFG_(guest);

   shown = NULL;
   if (VG_STREQ(value, "host"))
      return;
   for (UInt i = 0; i < g->n_processors; i++)
      if (VG_STREQ(value, g->processors[i].name))
         shown = &g->processors[i];
   if (shown == NULL)
      bad_value(name, value, g->n_processors > 0
                             ? "host, x86-64-v2 or x86-64-v3"
                             : "only host for programs of this processor");
}

static const Option options[] = {
   OPTION_CALL("--deterministic", take_deterministic, 0, "no|yes|LIST",
               "give the program the same answers in each run, of: "
               "random,time,sched,cpus,mem [no]"),
   OPTION_CALL("--cpu", take_cpu, 0, "host|x86-64-v2|x86-64-v3",
               "the processor that the program sees [host]")
};

const Options DCFG_(steady_options) = OPTIONS(options);

/*--- The start                                            ---*/

static ULong count_ticks(void)
{
   n_ticks++;
   return DCFG_(look_at_clock)() * 3;
}

static ULong count_random(void)
{
   DCFG_(answered).instructions++;
   return DCFG_(next_random)();
}

/* Answer what the kernel put on the stack for the dynamic linker and libc. */
static void answer_vector(void)
{
   const UWord AT_IGNORE = 1, AT_RANDOM = 25;

   for (UWord* p = VG_(client_auxv); p != NULL && p[0] != 0; p += 2) {
      if (p[0] == AT_RANDOM && (about & AboutRandom)) {
         DCFG_(fill_random)((void*)p[1], 16);
         n_vectors++;
      }
      /* The core hides an entry, and leaves its value: an address that the kernel
         has chosen by chance. */
      if (p[0] == AT_IGNORE && (about & AboutRandom))
         p[1] = 0;
      for (const AuxAnswer* a = DCFG_(guest).aux_answers;
           shown != NULL && a->key != 0; a++)
         if (a->key == p[0])
            p[1] = a->value;
   }
}

static void refuse_processor(void)
{
   VexArch     arch;
   VexArchInfo host;

   VG_(machine_get_VexArchInfo)(&arch, &host);
   if (shown == NULL || DCFG_(guest).can_be(shown->level, host.hwcaps))
      return;
   VG_(fmsg)("--cpu=%s: this machine's processor cannot run such code under "
             "Valgrind%s\n", shown->name,
             shown->level > 2 ? "; use --cpu=x86-64-v2" : "");
   VG_(exit)(1);
}

void DCFG_(start_steady)(void (*filled)(Addr a, SizeT len))
{
   DCFG_(tell_filled) = filled;
   if (about == 0 && shown == NULL)
      return;
   if (DCFG_(guest).aux_answers == NULL) {
      VG_(fmsg)("--deterministic: not for programs of this processor\n");
      VG_(exit)(1);
   }
   refuse_processor();
   if (about & AboutSched) {
      const HChar* why = DCFG_(start_turns)((about & AboutTime) != 0);
      if (why != NULL) {
         VG_(fmsg)("--deterministic: sched needs to see what threads do, but "
                   "%s, or leave out sched: "
                   "--deterministic=random,time,cpus,mem\n", why);
         VG_(exit)(1);
      }
   }
   in_code.ticks  = about & AboutTime ? count_ticks : NULL;
   in_code.random = about & AboutRandom ? count_random : NULL;
   in_code.level  = shown == NULL ? 0 : shown->level;
   answer_vector();
}

void DCFG_(answer_with)(ULong (*ticks)(void), ULong (*random)(void),
                        ULong (*other)(ULong (*ask)(void)))
{
   in_code.ticks  = ticks;
   in_code.random = random;
   in_code.other  = other;
}

void DCFG_(answer_in_code)(IRSB* sb)
{
   if (in_code.ticks == NULL && in_code.random == NULL && in_code.level == 0)
      return;
   for (Int i = 0; i < sb->stmts_used; i++)
      if (sb->stmts[i]->tag == Ist_Dirty)
         DCFG_(guest).answer(sb->stmts[i]->Ist.Dirty.details, &in_code);
}

/*--- System calls                                         ---*/

void DCFG_(begin_call)(ThreadId tid, UInt sysno, const UWord* args)
{
   Wait w = { .sysno = sysno };

   if (about & AboutTime)
      w = DCFG_(begin_wait)(tid, sysno, args, DCFG_(has_turns)());
   DCFG_(turn_calls)(tid, sysno, w);
}

/* Return how many threads more than R the futex call of ARGS may wake. */
static UInt may_wake(const UWord* args, UInt r)
{
   switch (args[1] & 0x7F) {
      case 1: case 3: case 4: case 5: case 10:   // WAKE, REQUEUE, CMP_REQUEUE,
         return (UInt)args[2] > r ? (UInt)args[2] - r : 0;  // WAKE_OP, BITSET
      default:
         return 0;
   }
}

static SysRes wake_by_futex(UInt sysno, const UWord* args, SysRes res)
{
   if (!DCFG_(is_futex)(sysno) || sr_isError(res))
      return res;
   UInt n = may_wake(args, sr_Res(res));
   if (n > 0)
      n = DCFG_(wake_early)(args[0], n);
   return n == 0 ? res : VG_(mk_SysRes_Success)(sr_Res(res) + n);
}

Bool DCFG_(may_overwrite)(UInt sysno)
{
   return DCFG_(answers_memory)(about, sysno)
          || ((about & AboutTime) && DCFG_(is_look)(sysno));
}

static UWord word_of(SysRes res)
{
   return sr_isError(res) ? -(UWord)sr_Err(res) : sr_Res(res);
}

Bool DCFG_(end_call)(ThreadId tid, UInt sysno, const UWord* args, SysRes* res)
{
   UWord before    = word_of(*res), word;
   Bool  timed_out = False, early;

   if (about == 0)
      return True;
   if (about & AboutTime)
      *res = DCFG_(end_wait)(tid, sysno, args, *res, &timed_out);
   early = DCFG_(turn_called)(tid, timed_out);
   if (timed_out && !early)
      DCFG_(advance_clock)(DCFG_(deadline_of)(tid));
   *res = wake_by_futex(sysno, args, *res);
   *res = DCFG_(answer_call)(about, sysno, args, *res);
   word = word_of(*res);
   if (word != before)
      VG_(set_shadow_regs_area)(tid, 0, DCFG_(guest).layout->general,
                                sizeof(word), (const UChar*)&word);
   return !early;
}

/*--- What the user reads                                  ---*/

ULong DCFG_(time_of_program)(void)
{
   return DCFG_(since_boot)((about & AboutTime) != 0);
}

const HChar* DCFG_(steady_words)(void)
{
   static HChar text[64];

   text[0] = 0;
   for (UInt i = 0; i < N_WORDS; i++)
      if (about & words[i].about) {
         VG_(strcat)(text, text[0] == 0 ? "" : ",");
         VG_(strcat)(text, words[i].name);
      }
   return about == 0 ? "no" : text;
}

const HChar* DCFG_(shown_processor)(void)
{
   return shown == NULL ? "host" : shown->name;
}

void DCFG_(tell_steady)(void)
{
   const Answered* a = &DCFG_(answered);
   const struct { const HChar* what; ULong n; } all[] = {
      { "AT_RANDOM", n_vectors }, { "getrandom", a->getrandom },
      { "random files", a->device }, { "rdrand", a->instructions },
      { "clocks", a->looks - n_ticks }, { "rdtsc", n_ticks },
      { "turns", a->turns }, { "processors", a->cpus },
      { "memory", a->mem }
   };
   HChar line[512];
   Int   n = 0;

   if (about == 0 && shown == NULL)
      return;
   for (UInt i = 0; i < sizeof(all) / sizeof(all[0]); i++)
      if (all[i].n > 0)
         n += VG_(sprintf)(line + n, "%s %'llu, ", all[i].what, all[i].n);
   VG_(sprintf)(line + n, "processor %s", DCFG_(shown_processor)());
   DCFG_(remark)("dcfg: deterministic: %s; counts are not those of a free "
                 "run\n", line);
}
