/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The flags of x86 and amd64 behind instructions that compare texts. */

/* Owns: how PCMPISTRI, PCMPISTRM, PCMPESTRI and PCMPESTRM set flags.
   Handed: instances and what was before them.

   They compare each element of one text with those of another one, which makes a
   bit for each element of the second text.  C says whether there is a bit, O is
   the first one, S and Z say whether the first text and the second one end within
   the register. */

#include "cmd/state/x86_flags.h"

/* Elements: the elements of a register.  The first .n of them belong to a text. */
typedef
   struct {
      unsigned n;
      int32_t  at[16];
   }
   Elements;

/* The parts of the instruction's last operand. */
enum { WORDS = 1, SIGNED = 2, ENDS_NEGATED = 0x20, NEGATED = 0x10 };

static unsigned n_elements(unsigned how)
{
   return how & WORDS ? 8 : 16;
}

/* Set T to the elements of operand K.  Its length is in general register LENGTH;
   or the first 0 ends it, if EXPLICIT is false.  Return false if it is not
   known. */
static bool take_text(const StateView* v, const cs_x86_op* op, unsigned how,
                      bool is_explicit, unsigned length, Elements* t)
{
   const DcfgCursorAccess* a = state_access(v, DCFG_CURSOR_LOAD);
   unsigned   size = how & WORDS ? 2 : 1, end = n_elements(how);
   uint64_t   number;
   int64_t    n;
   StateValue r;

   if (op->type == X86_OP_MEM ? a == NULL : op->reg < X86_REG_XMM0
                                            || op->reg > X86_REG_XMM15)
      return false;
   r = op->type == X86_OP_MEM ? v->memory(v->arg, a->addr, 16)
       : v->vector(v->arg, op->reg - X86_REG_XMM0);
   t->n = end;
   for (unsigned k = end; k-- > 0; ) {
      if (!state_number_in(&r, k * size, size, &number))
         return false;
      t->at[k] = !(how & SIGNED) ? (int32_t)number
                 : size == 1 ? (int8_t)number : (int16_t)number;
      if (number == 0 && !is_explicit)
         t->n = k;
   }
   if (!is_explicit)
      return true;
   r = v->general(v->arg, length);
   if (!state_number_in(&r, 0, 4, &number))
      return false;
   n    = (int32_t)number;
   n    = n < 0 ? -n : n;
   t->n = n < (int64_t)end ? (unsigned)n : end;
   return true;
}

/* Return whether text A, or an element of it, meets element J of text B. */
static bool meets(const Elements* a, const Elements* b, unsigned j, unsigned how)
{
   bool any = false;

   switch (how >> 2 & 3) {
      case 0:                              // equal to any element
         for (unsigned i = 0; i < a->n; i++)
            any |= a->at[i] == b->at[j];
         return any && j < b->n;
      case 1:                              // in any range
         for (unsigned i = 0; i + 1 < a->n; i += 2)
            any |= a->at[i] <= b->at[j] && b->at[j] <= a->at[i + 1];
         return any && j < b->n;
      case 2:                              // equal to the same element
         return j < a->n && j < b->n ? a->at[j] == b->at[j]
                : j >= a->n && j >= b->n;
      default:                             // A begins here
         /* Valgrind compares with what stands behind the end of B, too. */
         for (unsigned i = 0; i < a->n && i + j < n_elements(how); i++)
            if (a->at[i] != b->at[i + j])
               return false;
         return j <= b->n;
   }
}

bool x86_text_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   const cs_x86* x = &i->detail->x86;
   unsigned      how = (unsigned)x->operands[2].imm & 0xFF;
   bool          is_explicit
      = i->id == X86_INS_PCMPESTRI || i->id == X86_INS_PCMPESTRM
        || i->id == X86_INS_VPCMPESTRI || i->id == X86_INS_VPCMPESTRM;
   uint32_t      found = 0;
   Elements          a, b;

   if (x->op_count != 3
       || !take_text(v, &x->operands[0], how, is_explicit, RAX, &a)
       || !take_text(v, &x->operands[1], how, is_explicit, RDX, &b))
      return false;
   for (unsigned j = 0; j < n_elements(how); j++) {
      bool met = meets(&a, &b, j, how);
      if ((how & NEGATED) && (!(how & ENDS_NEGATED) || j < b.n))
         met = !met;
      found |= (uint32_t)met << j;
   }
   *bits = (found != 0 ? BIT_C : 0) | (found & 1 ? BIT_O : 0)
           | (a.n < n_elements(how) ? BIT_S : 0)
           | (b.n < n_elements(how) ? BIT_Z : 0);
   return true;
}
