/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   VEX's IR of one instruction. */

/* Owns: how VEX lifts an instruction outside of a translation.  Handed:
   bytes. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"

#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/wet/lift.h"

/* VEX reads some bytes behind an instruction. */
#define MAX_CODE 64u

static Bool no_chasing(void* arg, Addr a)
{
   return False;
}

static UInt no_self_check(void* arg, VexRegisterUpdates* px,
                          const VexGuestExtents* extents)
{
   return 0;
}

void DCFG_(lift)(const UChar* code, UInt len, Addr addr,
                 void (*take)(void* arg, const IRSB* sb), void* arg)
{
   static const UChar no_code;
   UChar              padded[MAX_CODE];
   VexTranslateArgs   args;
   VexTranslateResult result;
   VexGuestExtents    extents;
   VexRegisterUpdates px;
   VexControl         control = vex_control;
   const IRSB*        sb;

   VG_(memset)(padded, 0x90, sizeof(padded));
   VG_(memcpy)(padded, code, len < MAX_CODE ? len : MAX_CODE);
   VG_(memset)(&args, 0, sizeof(args));
   VG_(machine_get_VexArchInfo)(&args.arch_guest, &args.archinfo_guest);
   args.arch_host     = args.arch_guest;
   args.archinfo_host = args.archinfo_guest;
   LibVEX_default_VexAbiInfo(&args.abiinfo_both);
   args.abiinfo_both.guest_stack_redzone_size = DCFG_(guest).redzone;
   args.abiinfo_both.guest_amd64_assume_fs_is_const = True;
   args.abiinfo_both.guest_amd64_assume_gs_is_const = True;
   args.guest_bytes      = padded;
   args.guest_bytes_addr = addr;
   args.chase_into_ok    = no_chasing;
   args.guest_extents    = &extents;
   args.needs_self_check = no_self_check;
   args.disp_cp_chain_me_to_slowEP = &no_code;
   args.disp_cp_chain_me_to_fastEP = &no_code;
   args.disp_cp_xindir             = &no_code;
   args.disp_cp_xassisted          = &no_code;

   vex_control.iropt_level     = 0;
   vex_control.guest_max_insns = 1;
   /* Without instrumentation, the front end does no more than this needs. */
   sb = LibVEX_FrontEnd(&args, &result, &px);
   vex_control = control;
   if (sb != NULL)
      take(arg, sb);
}
