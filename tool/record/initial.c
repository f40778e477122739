/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The initial state of a recorded run. */

/* Owns: registers, stack and signals of the first thread at the start.  Handed:
   the core's initial image.

   The stack has the arguments, the environment and the auxiliary vector.  The
   core maps the program, its dynamic linker, heap and stack at the same
   addresses in each run; a replay checks that.  On 32-bit systems it lets memory
   end where the kernel has put its own stack, at random: here, the same address
   below is given.

   A program inherits which signals are ignored or blocked, such as SIGINT behind
   nohup or a shell's &. */

#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/record/log.h"
#include "tool/record/recorded.h"

/* The largest initial stack that a log may have. */
#define MOST_STACK (8u << 20)

static UChar* first_state;    // a replay's guest state at the start

/* Signals: sets of signals, a bit for each from signal 1 on. */
typedef struct { ULong ignored, blocked; } Signals;

static Signals first_signals; // likewise

/* Return the program's signals.  NEW: these, from now on. */
static Signals signals_now(const Signals* new)
{
   Signals      now = { 0, 0 };
   vki_sigset_t blocked, wanted;

   for (Int i = 0; i < _VKI_NSIG; i++) {
      vki_sigaction_fromK_t act;
      vki_sigaction_toK_t   to;
      if (sr_isError(VG_(do_sys_sigaction)(i + 1, NULL, &act)))
         continue;
      now.ignored |= (ULong)(act.ksa_handler == VKI_SIG_IGN) << i;
      if (new == NULL || ((new->ignored ^ now.ignored) >> i & 1) == 0)
         continue;
      VG_(memset)(&to, 0, sizeof(to));
      to.ksa_handler = new->ignored >> i & 1 ? VKI_SIG_IGN : VKI_SIG_DFL;
      VG_(do_sys_sigaction)(i + 1, &to, NULL);
   }
   if (new != NULL)
      VG_(memcpy)(&wanted, &new->blocked, sizeof(wanted));
   VG_(do_sys_sigprocmask)(1, VKI_SIG_SETMASK, new == NULL ? NULL : &wanted,
                           &blocked);
   VG_(memcpy)(&now.blocked, &blocked, sizeof(blocked));
   return now;
}

/* The kernel puts a stack within 8 MiB from the end of memory. */
#define STACK_UNIT (16u << 20)

Addr DCFG_WRAP(VG_(am_startup))(Addr sp)
{
   return DCFG_REAL(VG_(am_startup))(sizeof(Addr) == 8 ? sp
                                     : sp & ~(Addr)(STACK_UNIT - 1));
}

void DCFG_(log_initial)(void)
{
   const UChar     event = EvBegin;
   Addr            sp    = VG_(get_SP)(1);
   const NSegment* s     = VG_(am_find_nsegment)(sp);
   Signals         signals = signals_now(NULL);

   DCFG_(log_bytes)(RecEvents, &event, 1);
   DCFG_(log_number)(DCFG_(guest).state_size);
   DCFG_(log_bytes)(RecEvents, DCFG_(guest_state)(1), DCFG_(guest).state_size);
   DCFG_(log_number)(sp);
   DCFG_(log_number)(s->end + 1 - sp);
   DCFG_(log_bytes)(RecEvents, (const void*)sp, s->end + 1 - sp);
   DCFG_(log_number)(VG_(brk_limit));
   DCFG_(log_number)(signals.ignored);
   DCFG_(log_number)(signals.blocked);
   DCFG_(log_start_maps)();
}

/* Find the auxiliary vector on the stack, from SP to END, behind the arguments and
   the environment.  The log is not believed: all three end, and so do their
   texts. */
static void find_vector(Addr sp, Addr end)
{
   UWord* at   = (UWord*)sp + 1;
   UWord* last = (UWord*)(end & ~(Addr)(sizeof(UWord) - 1)) - 1;
   Bool   good = ((UChar*)end)[-1] == 0;

   for (UInt i = 0; i < 2; i++) {
      for (; at < last && *at != 0; at++)
         good = good && *at >= sp && *at < end;
      at++;
   }
   VG_(client_auxv) = at;
   while (at < last && *at != 0)
      at += 2;
   if (at > last || !good)
      DCFG_(cannot_replay)("its stack is damaged");
}

/* Places: what the auxiliary vector says of where the core has put the program. */
typedef struct { UWord values[5]; } Places;

static Bool has_moved;        // did the log's vector say otherwise?

/* Return the present places, after NEW has been set if it is not NULL. */
static Places places_now(const Places* new)
{
   const UWord keys[5] = { 3, 4, 5, 7, 9 };  // AT_PHDR, PHENT, PHNUM, BASE, ENTRY
   Places      p = { { 0 } };

   for (UWord* at = VG_(client_auxv); at[0] != 0; at += 2)
      for (UInt i = 0; i < 5; i++)
         if (at[0] == keys[i]) {
            has_moved |= new != NULL && at[1] != new->values[i];
            p.values[i] = at[1] = new == NULL ? at[1] : new->values[i];
         }
   return p;
}

/* Set the stack as it was. */
static void take_stack(void)
{
   Addr            now = (Addr)VG_(client_auxv);
   Addr            sp  = DCFG_(take_number)();
   ULong           n   = DCFG_(take_number)();
   const NSegment* s   = VG_(am_find_nsegment)(now);
   Addr            end = s->end + 1;
   Places          places = places_now(NULL);

   if (sp + n != end || n < 4 * sizeof(UWord) || n > MOST_STACK
       || sp % sizeof(UWord) != 0)
      DCFG_(cannot_replay)("the stack ends at %#lx, and ended at %#lx", end,
                           (Addr)(sp + n));
   if (sp < s->start)
      VG_(extend_stack)(1, sp);
   s = VG_(am_find_nsegment)(now);
   if (sp < s->start)
      DCFG_(cannot_replay)("the stack has no room for the program's arguments");
   VG_(memset)((void*)s->start, 0, sp - s->start);
   DCFG_(take_bytes)(RecEvents, (void*)sp, n);
   find_vector(sp, end);
   places_now(&places);
}

void DCFG_(take_initial)(void)
{
   ULong n;

   if (DCFG_(take_byte)() != EvBegin
       || (n = DCFG_(take_number)()) != DCFG_(guest).state_size)
      DCFG_(cannot_replay)("it does not begin with the initial state");
   first_state = VG_(malloc)("dcfg.record.state", n);
   DCFG_(take_bytes)(RecEvents, first_state, n);
   /* The core's own environment stands on the program's stack. */
   VG_(client_envp) = VG_(env_clone)(VG_(client_envp));
   take_stack();
   if (DCFG_(take_number)() != VG_(brk_limit))
      DCFG_(cannot_replay)("the program's memory is not where it was");
   first_signals.ignored = DCFG_(take_number)();
   first_signals.blocked = DCFG_(take_number)();
}

void DCFG_(set_first_registers)(void)
{
   DCFG_(check_start_maps)();
   if (has_moved)
      DCFG_(cannot_replay)("the program is not where it was");
   signals_now(&first_signals);
   DCFG_(set_guest_state)(1, first_state);
}
