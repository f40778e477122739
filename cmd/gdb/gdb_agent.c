/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Evaluates the bytecode that gdb makes of a breakpoint's condition. */

/* Owns: evaluating agent expressions ("Debugging with GDB", appendix "The
   GDB Agent Expression Mechanism").  Handed: bytecode, and an AgentView,
   which reads registers and memory.

   The bytecode comes from the client, who may be hostile: the depth of the
   stack, the offsets and the number of steps are checked. */

#include "cmd/gdb/gdb_agent.h"

#define STACK_SIZE 64
#define MOST_STEPS 10000u

enum {
   OP_ADD = 0x02, OP_SUB, OP_MUL, OP_DIV_SIGNED, OP_DIV_UNSIGNED,
   OP_REM_SIGNED, OP_REM_UNSIGNED, OP_LSH, OP_RSH_SIGNED, OP_RSH_UNSIGNED,
   OP_TRACE, OP_TRACE_QUICK, OP_LOG_NOT, OP_BIT_AND, OP_BIT_OR, OP_BIT_XOR,
   OP_BIT_NOT, OP_EQUAL, OP_LESS_SIGNED, OP_LESS_UNSIGNED, OP_EXT, OP_REF8,
   OP_REF16, OP_REF32, OP_REF64,
   OP_IF_GOTO = 0x20, OP_GOTO, OP_CONST8, OP_CONST16, OP_CONST32, OP_CONST64,
   OP_REG, OP_END, OP_DUP, OP_POP, OP_ZERO_EXT, OP_SWAP,
   OP_PICK = 0x32, OP_ROT
};

typedef
   struct {
      const uint8_t*   code;
      size_t           n, at;
      const AgentView* view;
      uint64_t         stack[STACK_SIZE];
      unsigned         top;     // elements
   }
   Agent;

static bool push(Agent* a, uint64_t value)
{
   if (a->top == STACK_SIZE)
      return false;
   a->stack[a->top++] = value;
   return true;
}

/* Read a big-endian number of SIZE bytes at .at, and go behind it.  Return
   false if the code ends before. */
static bool take(Agent* a, unsigned size, uint64_t* value)
{
   *value = 0;
   if (a->n - a->at < size)
      return false;
   while (size-- > 0)
      *value = *value << 8 | a->code[a->at++];
   return true;
}

/* Return the lowest BITS bits of VALUE, extended to 64 bits. */
static uint64_t extended(uint64_t value, uint64_t bits, bool is_signed)
{
   uint64_t sign;

   if (bits == 0 || bits >= 64)
      return value;
   sign  = UINT64_C(1) << (bits - 1);
   value &= 2 * sign - 1;
   return is_signed ? (value ^ sign) - sign : value;
}

static bool divide(unsigned op, uint64_t a, uint64_t b, uint64_t* r)
{
   if (b == 0)
      return false;
   switch (op) {
      case OP_DIV_UNSIGNED:
         *r = a / b;
         break;
      case OP_REM_UNSIGNED:
         *r = a % b;
         break;
      case OP_DIV_SIGNED:
         *r = b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
         break;
      default:
         *r = b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
         break;
   }
   return true;
}

static bool binary(Agent* a, unsigned op)
{
   uint64_t x, y, r = 0;

   if (a->top < 2)
      return false;
   y = a->stack[--a->top];
   x = a->stack[--a->top];
   switch (op) {
      case OP_ADD: r = x + y; break;
      case OP_SUB: r = x - y; break;
      case OP_MUL: r = x * y; break;
      case OP_LSH: r = y < 64 ? x << y : 0; break;
      case OP_RSH_UNSIGNED: r = y < 64 ? x >> y : 0; break;
      case OP_RSH_SIGNED:
         r = (uint64_t)((int64_t)x >> (y < 64 ? y : 63));
         break;
      case OP_BIT_AND: r = x & y; break;
      case OP_BIT_OR:  r = x | y; break;
      case OP_BIT_XOR: r = x ^ y; break;
      case OP_EQUAL: r = x == y; break;
      case OP_LESS_SIGNED: r = (int64_t)x < (int64_t)y; break;
      case OP_LESS_UNSIGNED: r = x < y; break;
      default:
         if (!divide(op, x, y, &r))
            return false;
         break;
   }
   return push(a, r);
}

static bool unary(Agent* a, unsigned op)
{
   uint64_t* top;
   uint64_t  bits;

   if (a->top == 0)
      return false;
   top = &a->stack[a->top - 1];
   switch (op) {
      case OP_LOG_NOT: *top = *top == 0; return true;
      case OP_BIT_NOT: *top = ~*top; return true;
      case OP_EXT: case OP_ZERO_EXT:
         if (!take(a, 1, &bits))
            return false;
         *top = extended(*top, bits, op == OP_EXT);
         return true;
      default:
         return a->view->read_memory(a->view->arg, *top, 1u << (op - OP_REF8),
                                     top);
   }
}

static bool jump(Agent* a, bool conditional)
{
   uint64_t to;

   if (!take(a, 2, &to) || (conditional && a->top == 0) || to >= a->n)
      return false;
   if (!conditional || a->stack[--a->top] != 0)
      a->at = (size_t)to;
   return true;
}

/* Execute OP, which copies, drops or permutes elements of the stack. */
static bool reorder(Agent* a, unsigned op)
{
   uint64_t* s = a->stack + a->top;
   uint64_t  n, x;

   switch (op) {
      case OP_DUP:
         return a->top > 0 && push(a, s[-1]);
      case OP_POP:
         return a->top > 0 && a->top-- > 0;
      case OP_SWAP:
         if (a->top < 2)
            return false;
         x     = s[-1];
         s[-1] = s[-2];
         s[-2] = x;
         return true;
      case OP_PICK:
         return take(a, 1, &n) && n < a->top
                && push(a, a->stack[a->top - 1 - n]);
      default:
         /* a b c becomes c a b. */
         if (a->top < 3)
            return false;
         x     = s[-1];
         s[-1] = s[-2];
         s[-2] = s[-3];
         s[-3] = x;
         return true;
   }
}

/* Execute OP, whose opcode has been read.  Return false if that fails. */
static bool step(Agent* a, unsigned op)
{
   uint64_t value;

   switch (op) {
      case OP_LOG_NOT: case OP_BIT_NOT: case OP_EXT: case OP_ZERO_EXT:
      case OP_REF8: case OP_REF16: case OP_REF32: case OP_REF64:
         return unary(a, op);
      case OP_IF_GOTO: case OP_GOTO:
         return jump(a, op == OP_IF_GOTO);
      case OP_CONST8: case OP_CONST16: case OP_CONST32: case OP_CONST64:
         return take(a, 1u << (op - OP_CONST8), &value) && push(a, value);
      case OP_REG:
         return take(a, 2, &value)
                && a->view->read_register(a->view->arg, (unsigned)value,
                                          &value)
                && push(a, value);
      case OP_DUP: case OP_POP: case OP_SWAP: case OP_PICK: case OP_ROT:
         return reorder(a, op);
      case OP_TRACE: case OP_TRACE_QUICK:
         return false;
      default:
         return op >= OP_ADD && op <= OP_LESS_UNSIGNED && binary(a, op);
   }
}

bool agent_evaluate(const uint8_t* code, size_t n, const AgentView* v,
                    uint64_t* value)
{
   Agent a = { .code = code, .n = n, .view = v };

   for (unsigned steps = 0; steps < MOST_STEPS && a.at < n; steps++) {
      unsigned op = code[a.at++];
      if (op == OP_END) {
         if (a.top == 0)
            return false;
         *value = a.stack[a.top - 1];
         return true;
      }
      if (!step(&a, op))
         return false;
   }
   return false;
}
