/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the options that say when to collect, the values of --start and
   --stop, and the begins and ends of regions.  Handed: code in translation by
   tool/run/instrument.c, requests by dcfg_main.c.

   While nothing is collected, code is translated without additions, except at
   the places where a region begins or ends.  At each change, all translations
   are discarded.  tool/run/event.c has the effects of a gap on a thread.

   A region place is an instruction.  A superblock that begins with one begins
   with a call of place_reached(), which counts.  If collecting is to change,
   the superblock is left at once, for its own beginning, and the change is
   made when the thread has left generated code.  If a place is inside a
   superblock, the superblock is translated again with fewer instructions.  It
   cannot simply be cut: VEX has already removed stores to guest state that the
   rest overwrites. */

#include "pub_tool_seqmatch.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/run/event.h"
#include "tool/run/exclude.h"
#include "tool/run/image.h"
#include "tool/run/ir.h"
#include "tool/run/region.h"

/*--- Places and numbers of instructions                   ---*/

/* Trigger: a place, a number of instructions, or in a replay a distance from the
   end, at which to begin or to end. */
typedef
   struct {
      const HChar* option;    // --start or --stop
      const HChar* text;      // the option's value
      HChar*       name;      // glob of a function, or with .offset of an
                              // image; NULL: an address
      Bool         in_image;
      Bool         by_instrs; // is .wanted a number of instructions?
      Bool         by_end;    // or of superblocks before the run's end?
      Addr         offset;    // in the image, or the address
      ULong        wanted;    // the number of the time that counts, from 1
      ULong        reached;   // times so far
      ULong        total;     // times predicted for the whole run; 0: none
   }
   Trigger;

/* Report that P cannot be used because of WHY, and end the tool. */
static void bad_place(const Trigger* p, const HChar* why)
{
   DCFG_FAIL("%s=%s: %s\n", p->option, p->text, why);
}

/* Return the number at DIGITS and set *END behind it.  End the run with a
   message if it is not positive. */
static ULong positive(const Trigger* p, const HChar* digits, HChar** end)
{
   Long n = VG_(strtoll10)(digits, end);

   if (n <= 0)
      bad_place(p, "the count must be 1 or more");
   return n;
}

/* If NAME ends with :N or :N/TOTAL, cut that off and set the numbers in P.  The
   colons of a C++ name do not count. */
static void take_count(Trigger* p, HChar* name)
{
   HChar* colon = VG_(strrchr)(name, ':');
   HChar* end;

   if (colon == NULL || (colon > name && colon[-1] == ':')
       || (colon[1] != '-' && !VG_(isdigit)(colon[1])))
      return;
   VG_(strtoll10)(colon + 1, &end);
   if (*end != 0 && (*end != '/' || !VG_(isdigit)(end[1])))
      return;
   p->wanted = positive(p, colon + 1, &end);
   if (*end == '/') {
      p->total = positive(p, end + 1, &end);
      if (*end != 0 || p->total < p->wanted)
         bad_place(p, "the number behind / must be at least the count");
   }
   *colon = 0;
}

/* Read TEXT, the value of OPTION; both last as long as the trigger.  An error
   is reported and ends the tool. */
static Trigger parse_place(const HChar* option, const HChar* text)
{
   const HChar* by   = "instructions:";
   const HChar* from = "end-";
   Trigger        p    = { option, text, NULL, False, False, False, 0, 1, 0, 0 };
   HChar*       name = VG_(strdup)("dcfg.region.name", text);
   HChar       *plus, *end;

   if (VG_(strncmp)(text, by, VG_(strlen)(by)) == 0) {
      const HChar* number = text + VG_(strlen)(by);
      p.wanted    = VG_(strtoll10)(number, &end);
      p.by_instrs = True;
      if (*end != 0 || !VG_(isdigit)(number[0]))
         bad_place(&p, "instructions: needs a number");
      return p;
   }
   if (VG_(strncmp)(text, from, VG_(strlen)(from)) == 0
       && VG_(isdigit)(text[VG_(strlen)(from)])) {
      p.wanted = positive(&p, text + VG_(strlen)(from), &end);
      p.by_end = True;
      if (*end != 0)
         bad_place(&p, "end- needs a number of superblocks");
      return p;
   }

   take_count(&p, name);
   if (name[0] == 0)
      bad_place(&p, "a place is a function, IMAGE+0xOFFSET, "
                           "0xADDRESS, instructions:N or end-N");
   plus = VG_(strrchr)(name, '+');
   if (VG_(strncmp)(name, "0x", 2) == 0) {
      p.offset = VG_(strtoull16)(name, &end);
      if (*end != 0 || name[2] == 0)
         bad_place(&p, "an address is 0x and hexadecimal digits");
      VG_(free)(name);
   } else if (plus != NULL && VG_(strncmp)(plus, "+0x", 3) == 0) {
      p.offset = VG_(strtoull16)(plus + 1, &end);
      if (*end != 0 || plus[3] == 0 || plus == name)
         bad_place(&p, "an offset is IMAGE+0x and hexadecimal digits");
      *plus      = 0;
      p.in_image = True;
      p.name     = name;
   } else {
      p.name = name;
   }
   return p;
}

/* Return whether A is in a mapped file whose path, or name without directory,
   matches GLOB. */
static Bool is_in_image(const HChar* glob, Addr a)
{
   const NSegment* seg  = VG_(am_find_nsegment)(a);
   const HChar*    path = seg == NULL ? NULL : DCFG_(file_of)(seg);
   const HChar*    name = path == NULL ? NULL : VG_(strrchr)(path, '/');

   return path != NULL
          && (VG_(string_match)(glob, path)
              || (name != NULL && VG_(string_match)(glob, name + 1)));
}

/* Return whether the instruction at A is the place of P. */
static Bool is_at_place(const Trigger* p, Addr a)
{
   const HChar* name;

   if (p->text == NULL || p->by_instrs || p->by_end)
      return False;
   if (p->name == NULL)
      return p->offset == a;
   if (p->in_image)
      return is_in_image(p->name, a)
             && a - DCFG_(load_address)(a) == p->offset;
   return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), a, &name)
          && VG_(string_match)(p->name, name);
}

/* Warn if P was not reached, or another number of times than predicted. */
static void tell_missed_place(const Trigger* p)
{
   const HChar* s = p->reached == 1 ? "" : "s";

   if (p->text == NULL)
      return;
   if (p->reached == 0)
      DCFG_(remark)("dcfg: warning: %s=%s was never reached\n", p->option,
                    p->text);
   else if (p->total > 0 && p->reached != p->total)
      DCFG_(remark)("dcfg: warning: %s=%s was reached %'llu time%s, not %'llu: "
                    "this is not the run that was predicted\n", p->option,
                    p->text, p->reached, s, p->total);
   else if (p->reached < p->wanted)
      DCFG_(remark)("dcfg: warning: %s=%s was reached %'llu time%s only\n",
                    p->option, p->text, p->reached, s);
}

typedef
   struct {
      Trigger start, stop;      // .text is NULL if there is none
   }
   Region;

static Bool    instr_atstart = True;
static XArray* regions;       // Region
static Word    now;           // number of the open region, or the next one
static Bool    is_open;
static ULong   n_ran;         // instructions, while a trigger counts them
static ULong   run_length;    // superblocks of the run; 0: not known

/* The superblock that runs will begin once more.  NULL: superblocks may be cut. */
static void (*begins_again)(void);

/* Why generated code was left. */
static enum { Nothing, Cut, Change } pending;
static Addr cut_entry;

/* Passed: a place that was counted when the superblock was left, for each
   thread.  It is not counted again when the superblock begins anew. */
typedef
   struct {
      Addr addr, sp;
   }
   Passed;
static Passed* passed;

/*--- Options                                              ---*/

static Region* region(Word i)
{
   return VG_(indexXA)(regions, i);
}

static Word n_regions(void)
{
   return regions == NULL ? 0 : VG_(sizeXA)(regions);
}

static void add_start(const HChar* text)
{
   Region r;

   VG_(memset)(&r, 0, sizeof(r));
   r.start = parse_place("--start", text);
   if (regions == NULL)
      regions = DCFG_NEW_ARRAY("dcfg.region", Region);
   if (n_regions() > 0 && region(n_regions() - 1)->stop.text == NULL)
      bad_place(&r.start, "the --start before it needs a --stop");
   VG_(addToXA)(regions, &r);
}

static void add_stop(const HChar* text)
{
   Trigger p = parse_place("--stop", text);

   if (n_regions() == 0 || region(n_regions() - 1)->stop.text != NULL)
      bad_place(&p, "a --stop needs a --start before it");
   const Trigger* start = &region(n_regions() - 1)->start;
   if (p.by_instrs && start->by_instrs && p.wanted <= start->wanted)
      bad_place(&p, "the number must be greater than that of the "
                           "--start before it");
   if (p.by_end && start->by_end && p.wanted >= start->wanted)
      bad_place(&p, "the number must be less than that of the --start before "
                    "it");
   region(n_regions() - 1)->stop = p;
}

static void add_place(const HChar* option, const HChar* text, Int is_stop)
{
   if (is_stop)
      add_stop(text);
   else
      add_start(text);
}

static const Option options[] = {
   OPTION_CALL("--start", add_place, False, "<place>",
               "begin to collect at <place> [none]"),
   OPTION_CALL("--stop", add_place, True, "<place>",
               "end there; --start and --stop can be repeated in pairs. A "
               "<place> is <function>, <image>+0x<offset>, 0x<address>, one of "
               "these with :<n> for the n-th time, or instructions:<n>, or in a "
               "replay end-<n>, n superblocks before the end; with "
               ":<n>/<total> the end of the run says if the place was reached "
               "another number of times than <total> [none]"),
   OPTION_BOOL("--instr-atstart", instr_atstart,
               "collect from the start; no: when the program or vgdb asks for "
               "it")
};

const Options DCFG_(region_options) = OPTIONS(options);

/*--- Changes                                              ---*/

Bool DCFG_(collect)(Bool on)
{
   if (DCFG_(is_collecting)() == on)
      return False;
   DCFG_(set_collecting)(on);
   vex_control.iropt_register_updates_default
      = VG_(clo_vex_control).iropt_register_updates_default;
   VG_(discard_translations)(0x1000, ~(ULong)0xfff,
                             "dcfg: begin or end of a region");
   return True;
}

/* Make the pending change.  No thread is in generated code. */
static void do_pending(void)
{
   if (pending == Change) {
      is_open = !is_open;
      if (!is_open)
         now++;
      DCFG_(collect)(is_open);
   } else if (pending == Cut) {
      VG_(discard_translations)(cut_entry, 1, "dcfg: cut at a place");
   }
   pending = Nothing;
}

/* Refuse P if it is counted from an end that nobody knows. */
static void check_end(const Trigger* p)
{
   if (p->by_end && run_length == 0)
      bad_place(p, "where the run ends is known in the replay of a complete "
                   "recording only");
}

/* Return whether the first region begins with the run, which is not longer. */
static Bool begins_open(void)
{
   Trigger* p = n_regions() == 0 ? NULL : &region(0)->start;

   if (p == NULL || !p->by_end || p->wanted < run_length)
      return False;
   p->reached = p->wanted;
   return True;
}

void DCFG_(set_run_length)(ULong superblocks)
{
   run_length = superblocks;
}

void DCFG_(keep_superblocks)(void (*again)(void))
{
   begins_again = again;
}

void DCFG_(start_regions)(void)
{
   for (Word i = 0; i < n_regions(); i++) {
      check_end(&region(i)->start);
      check_end(&region(i)->stop);
   }
   passed = VG_(calloc)("dcfg.region.passed", VG_N_THREADS, sizeof(Passed));
   is_open = begins_open();
   if (!is_open && (n_regions() > 0 || !instr_atstart))
      DCFG_(set_collecting)(False);
   DCFG_(when_code_is_left)(do_pending);
}

/*--- Places                                               ---*/

/* Return whether P, of region number I, is still counted: until its region is
   over, or to the end if that has to say how often it was reached. */
static Bool is_counted(Word i, const Trigger* p)
{
   return i >= now || p->total > 0;
}

/* Return whether A is the place of P, of region number I, and counts. */
static Bool counts_at(Word i, const Trigger* p, Addr a)
{
   return is_counted(i, p) && is_at_place(p, a);
}

/* Return whether A is a place that is still counted. */
static Bool is_place(Addr a)
{
   for (Word i = 0; i < n_regions(); i++)
      if (counts_at(i, &region(i)->start, a)
          || counts_at(i, &region(i)->stop, a))
         return True;
   return False;
}

/* Return whether there are places that are still counted. */
static Bool has_places(void)
{
   for (Word i = 0; i < n_regions(); i++)
      if (is_counted(i, &region(i)->start) || is_counted(i, &region(i)->stop))
         return True;
   return False;
}

/* Count P, of region number I, if A is its place.  Return whether this is the
   time that counts. */
static Bool is_time(Word i, Trigger* p, Addr a)
{
   return counts_at(i, p, a) && ++p->reached == p->wanted;
}

/* Count the places at A, an instruction that a thread is about to run.  Return
   1 if the thread must leave generated code first. */
static UWord place_reached(Addr a)
{
   ThreadId tid = VG_(get_running_tid)();
   Passed*  was = &passed[tid];
   Addr     sp  = VG_(get_SP)(tid);
   Bool     change = False;

   if (was->addr == a && was->sp == sp) {
      was->addr = 0;
      return 0;
   }
   for (Word i = 0; i < n_regions(); i++) {
      Region* r = region(i);
      if (is_time(i, &r->start, a)) {
         if (i == now && !is_open)
            change = True;
         else
            DCFG_(remark)("dcfg: warning: --start=%s is reached before "
                          "--stop=%s\n", r->start.text, region(now)->stop.text
                          ? region(now)->stop.text : "");
      }
      if (is_time(i, &r->stop, a)) {
         if (i == now && is_open)
            change = True;
         else
            DCFG_(remark)("dcfg: warning: --stop=%s is reached before "
                          "--start=%s\n", r->stop.text, r->start.text);
      }
   }
   if (!change)
      return 0;
   pending   = Change;
   was->addr = a;
   was->sp   = sp;
   if (begins_again != NULL)
      begins_again();
   return 1;
}

/* Return the number of IN's first instruction that is a place, other than its
   first instruction; or 0. */
static UInt inner_place(const IRSB* in)
{
   UInt k = 0;

   for (Int i = 0; i < in->stmts_used; i++)
      if (in->stmts[i]->tag == Ist_IMark
          && k++ > 0 && is_place(in->stmts[i]->Ist.IMark.addr))
         return k - 1;
   return 0;
}

/* Return the lower of two numbers, where 0 means none. */
static UInt first_of(UInt a, UInt b)
{
   return a == 0 || (b != 0 && b < a) ? b : a;
}

static IRConst* address(IRType word_ty, Addr a)
{
   return word_ty == Ity_I64 ? IRConst_U64(a) : IRConst_U32(a);
}

/* Have the superblock at ENTRY translated again. */
static void cut(Addr entry)
{
   pending   = Cut;
   cut_entry = entry;
}

IRSB* DCFG_(cut_before_place)(IRSB* in, Addr entry,
                              const VexGuestLayout* layout, IRType word_ty)
{
   UInt k = first_of(has_places() ? inner_place(in) : 0,
                     DCFG_(is_collecting)() ? DCFG_(inner_border)(in) : 0);

   if (begins_again != NULL)
      return NULL;
   /* The limit of the last cut applies no more. */
   DCFG_(limit_superblocks)(k);
   if (k == 0)
      return NULL;
   IRSB* out = emptyIRSB();
   out->next     = IRExpr_Const(address(word_ty, entry));
   out->jumpkind = Ijk_Yield;
   out->offsIP   = layout->offset_IP;
   addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
      0, "dcfg_cut", VG_(fnptr_to_fnentry)(&cut),
      mkIRExprVec_1(IRExpr_Const(address(word_ty, entry))))));
   return out;
}

/* Return the address of the instruction of IN that is a place: the first one, or
   any one if superblocks are not cut.  0: there is none. */
static Addr place_of(const IRSB* in)
{
   for (Int i = 0; i < in->stmts_used; i++) {
      if (in->stmts[i]->tag != Ist_IMark)
         continue;
      if (is_place(in->stmts[i]->Ist.IMark.addr))
         return in->stmts[i]->Ist.IMark.addr;
      if (begins_again == NULL)
         return 0;
   }
   return 0;
}

/* Return the next trigger, or NULL. */
static Trigger* next_trigger(void)
{
   Trigger* p = now == n_regions() ? NULL
              : is_open ? &region(now)->stop : &region(now)->start;
   return p != NULL && p->text != NULL ? p : NULL;
}

/* Return the next trigger if it counts instructions, else NULL. */
static Trigger* limit(void)
{
   Trigger* p = next_trigger();

   return p != NULL && p->by_instrs ? p : NULL;
}

ULong DCFG_(next_change)(void)
{
   const Trigger* p = next_trigger();

   return p == NULL || !p->by_end ? ~0ULL
          : p->wanted < run_length ? run_length - p->wanted : 0;
}

Bool DCFG_(counts_from_end)(void)
{
   for (Word i = 0; i < n_regions(); i++)
      if (!region(i)->start.by_end
          || (region(i)->stop.text != NULL && !region(i)->stop.by_end))
         return False;
   return n_regions() > 0;
}

void DCFG_(make_change)(void)
{
   Trigger* p = next_trigger();

   p->reached = p->wanted;
   pending    = Change;
   do_pending();
}

/* Return whether a trigger from here on counts instructions. */
static Bool has_limits(void)
{
   for (Word i = now; i < n_regions(); i++)
      if (region(i)->stop.by_instrs
          || (region(i)->start.by_instrs && !(i == now && is_open)))
         return True;
   return False;
}

static void limit_reached(void)
{
   Trigger* p = limit();

   p->reached = p->wanted;
   pending    = Change;
   if (begins_again != NULL)
      begins_again();
   DCFG_(remark)("dcfg: %s=%s: reached after %'llu instructions\n", p->option,
                 p->text, n_ran);
}

static IRExpr* tmp(IRSB* out, IRType ty, IRExpr* e)
{
   IRTemp t = newIRTemp(out->tyenv, ty);
   addStmtToIRSB(out, IRStmt_WrTmp(t, e));
   return IRExpr_RdTmp(t);
}

static IRExpr* ran_at(IRType word_ty)
{
   return IRExpr_Const(address(word_ty, (Addr)&n_ran));
}

/* Return whether RAN, an I64 that never reaches 2^63, is at least WANTED.
   32-bit hosts cannot compare I64s, but can test the sign of a difference. */
static IRExpr* is_at_least(IRSB* out, IRExpr* ran, ULong wanted,
                           IRType word_ty)
{
   const ULong never = ~0ULL >> 1;
   IRExpr* n = IRExpr_Const(IRConst_U64(wanted < never ? wanted : never));

   if (word_ty == Ity_I64)
      return tmp(out, Ity_I1, IRExpr_Binop(Iop_CmpLE64U, n, ran));
   IRExpr* more = tmp(out, Ity_I64, IRExpr_Binop(Iop_Sub64, ran, n));
   IRExpr* high = tmp(out, Ity_I32, IRExpr_Unop(Iop_64HIto32, more));
   return tmp(out, Ity_I1,
              IRExpr_Binop(Iop_CmpLE32S, IRExpr_Const(IRConst_U32(0)),
                           high));
}

/* Leave OUT at its beginning if the number of instructions has been reached. */
static void add_limit(IRSB* out, Addr entry, const VexGuestLayout* layout,
                      IRType word_ty)
{
   const Trigger* p = limit();

   if (p == NULL)
      return;
   IRExpr*  ran   = tmp(out, Ity_I64,
                        IRExpr_Load(HOST_ENDNESS, Ity_I64,
                                    ran_at(word_ty)));
   IRExpr*  leave = is_at_least(out, ran, p->wanted, word_ty);
   IRDirty* call = unsafeIRDirty_0_N(0, "dcfg_limit_reached",
                                     VG_(fnptr_to_fnentry)(&limit_reached),
                                     mkIRExprVec_0());
   call->guard = leave;
   addStmtToIRSB(out, IRStmt_Dirty(call));
   addStmtToIRSB(out, IRStmt_Exit(leave, Ijk_Yield, address(word_ty, entry),
                                  layout->offset_IP));
}

static void count_instrs(IRSB* out, UInt* n, IRType word_ty)
{
   if (*n == 0)
      return;
   IRExpr* ran = tmp(out, Ity_I64,
                     IRExpr_Load(HOST_ENDNESS, Ity_I64, ran_at(word_ty)));
   IRExpr* sum = tmp(out, Ity_I64,
                     IRExpr_Binop(Iop_Add64, ran,
                                  IRExpr_Const(IRConst_U64(*n))));
   addStmtToIRSB(out, IRStmt_Store(HOST_ENDNESS, ran_at(word_ty), sum));
   *n = 0;
}

/* Return OUT with code that counts its instructions: before each exit, those
   that began since the exit before. */
static IRSB* with_limit(const IRSB* out, Addr entry,
                        const VexGuestLayout* layout, IRType word_ty)
{
   IRSB* res = deepCopyIRSBExceptStmts(out);
   UInt  n   = 0;

   add_limit(res, entry, layout, word_ty);
   for (Int i = 0; i < out->stmts_used; i++) {
      if (out->stmts[i]->tag == Ist_IMark)
         n++;
      else if (out->stmts[i]->tag == Ist_Exit)
         count_instrs(res, &n, word_ty);
      addStmtToIRSB(res, out->stmts[i]);
   }
   count_instrs(res, &n, word_ty);
   return res;
}

IRSB* DCFG_(watch_places)(IRSB* in, IRSB* out, Addr entry,
                          const VexGuestLayout* layout, IRType word_ty)
{
   Addr a = has_places() ? place_of(in) : 0;

   if (has_limits())
      out = with_limit(out, entry, layout, word_ty);
   if (a == 0)
      return out;
   IRSB*    res     = deepCopyIRSBExceptStmts(out);
   IRTemp   reached = newIRTemp(res->tyenv, word_ty);
   IRTemp   leave   = newIRTemp(res->tyenv, Ity_I1);
   IRDirty* call    = unsafeIRDirty_1_N(
      reached, 0, "dcfg_place_reached",
      VG_(fnptr_to_fnentry)(&place_reached),
      mkIRExprVec_1(IRExpr_Const(address(word_ty, a))));
   call->nFxState = 1;
   VG_(memset)(&call->fxState, 0, sizeof(call->fxState));
   call->fxState[0].fx     = Ifx_Read;
   call->fxState[0].offset = layout->offset_SP;
   call->fxState[0].size   = layout->sizeof_SP;
   addStmtToIRSB(res, IRStmt_Dirty(call));
   addStmtToIRSB(res, IRStmt_WrTmp(leave, IRExpr_Binop(
      word_ty == Ity_I64 ? Iop_CmpNE64 : Iop_CmpNE32,
      IRExpr_RdTmp(reached), IRExpr_Const(address(word_ty, 0)))));
   addStmtToIRSB(res, IRStmt_Exit(IRExpr_RdTmp(leave), Ijk_Yield,
                                  address(word_ty, entry),
                                  layout->offset_IP));
   for (Int i = 0; i < out->stmts_used; i++)
      addStmtToIRSB(res, out->stmts[i]);
   return res;
}

/* --- Messages                                             --- */

void DCFG_(forget_totals)(void)
{
   for (Word i = 0; i < n_regions(); i++)
      region(i)->start.total = region(i)->stop.total = 0;
}

void DCFG_(tell_missed_places)(void)
{
   for (Word i = 0; i < n_regions(); i++) {
      if (is_counted(i, &region(i)->start))
         tell_missed_place(&region(i)->start);
      if (is_counted(i, &region(i)->stop))
         tell_missed_place(&region(i)->stop);
   }
}

const HChar* DCFG_(collecting_text)(void)
{
   return DCFG_(is_collecting)() ? "collecting"
          : now < n_regions() ? "not collecting, before a region"
          : "not collecting";
}
