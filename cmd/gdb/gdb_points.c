/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Breakpoints and watchpoints: where they stop the program. */

/* Owns: the client's points, the evaluation of their conditions, and the search
   for the next point that stops the program.  Handed: packets by gdb_server.c;
   searches by the library.

   A breakpoint stops before its instruction; if that has a REP prefix, before
   the first iteration only.  A watchpoint for writing stops only if the
   memory's contents change.

   A condition is an agent expression, bytecode that gdb compiles ("Debugging
   with GDB", appendix "The GDB Agent Expression Mechanism").  The server
   evaluates it, so gdb need not be asked at each hit.  The bytecode comes from
   the client, who may be hostile: the depth of the stack, the offsets and the
   number of steps are checked. */

#include "cmd/gdb/gdb_session.h"

#include "cmd/base/cmd.h"

/*--- Agent expressions                                    ---*/

/* Asking: the program, and the thread and the time at which a condition reads its
   state. */
typedef
   struct {
      ProgramState* s;
      uint32_t      thread;
      uint64_t      time;
   }
   Asking;

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
      const Asking*    of;
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

/* Set *VALUE to register N of the target's description: its lowest 8 bytes, if it
   has more.  Return false if one of them is not known. */
static bool read_register(const Asking* a, unsigned n, uint64_t* value)
{
   StateValue v;
   unsigned   size;

   if (n >= a->s->rules->n_rows)
      return false;
   size = a->s->rules->rows[n].bits / 8;
   size = size > 8 ? 8 : size;
   v    = state_row(a->s, a->thread, a->time, &a->s->rules->rows[n]);
   if (~v.known & ((1u << size) - 1))
      return false;
   *value = 0;
   memcpy(value, v.bytes, size);
   return true;
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
         return state_memory_number(a->of->s, a->of->time, *top,
                                    1u << (op - OP_REF8), top);
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
                && read_register(a->of, (unsigned)value, &value)
                && push(a, value);
      case OP_DUP: case OP_POP: case OP_SWAP: case OP_PICK: case OP_ROT:
         return reorder(a, op);
      case OP_TRACE: case OP_TRACE_QUICK:
         return false;
      default:
         return op >= OP_ADD && op <= OP_LESS_UNSIGNED && binary(a, op);
   }
}

/* Evaluate the N bytes of CODE, and set *VALUE to the top of the stack at the
   end.  Return false if the code is malformed, takes too many steps, divides by
   zero, or reads a byte that is not known. */
static bool agent_evaluate(const uint8_t* code, size_t n, const Asking* of,
                           uint64_t* value)
{
   Agent a = { .code = code, .n = n, .of = of };

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

/*--- Points                                               ---*/

#define MOST_CONDITIONS 64
#define MOST_WATCHED    65536u

static void free_conditions(GdbPoint* p)
{
   for (size_t i = 0; i < p->n; i++)
      free(p->conditions[i].code);
   free(p->conditions);
   p->conditions = NULL;
   p->n = p->room = 0;
}

/* Read KIND,ADDRESS,SIZE at TEXT to *P, and set *REST to the text behind.
   Return false if the text is malformed or the size is too large. */
static bool read_point(const char* text, GdbPoint* p, const char** rest)
{
   uint64_t kind;

   *p    = (GdbPoint){ .n = 0 };
   *rest = text;
   if (!gdb_take_number(rest, &kind) || kind >= N_POINT_KINDS
       || !gdb_take(rest, ',') || !gdb_take_number(rest, &p->addr)
       || !gdb_take(rest, ',') || !gdb_take_number(rest, &p->size))
      return false;
   p->kind = (unsigned)kind;
   return kind <= POINT_HARDWARE
          || (p->size > 0 && p->size <= MOST_WATCHED
              && p->addr <= UINT64_MAX - p->size);
}

/* Append to P the conditions at TEXT: ";XLENGTH,CODE", any number of times.
   Return false if the text is malformed. */
static bool read_conditions(const char* text, GdbPoint* p)
{
   uint64_t n;

   while (gdb_take(&text, ';')) {
      GdbCondition c;
      if (*text == 'c' || *text == 'p')
         return true;           // commands, which this server ignores
      do {
         if (!gdb_take(&text, 'X') || !gdb_take_number(&text, &n)
             || !gdb_take(&text, ',') || n > strlen(text) / 2
             || p->n == MOST_CONDITIONS)
            return false;
         c = (GdbCondition){ zalloc(n + 1, 1), n };
         GROW(p->conditions, p->n, p->room);
         p->conditions[p->n++] = c;
         if (gdb_from_hex(text, 2 * n, c.code) < 0)
            return false;
         text += 2 * n;
      } while (*text == 'X');
   }
   return *text == 0;
}

static GdbPoint* find_point(GdbPoints* p, const GdbPoint* like)
{
   for (size_t i = 0; i < p->n; i++)
      if (p->points[i].kind == like->kind && p->points[i].addr == like->addr
          && p->points[i].size == like->size)
         return &p->points[i];
   return NULL;
}

bool points_insert(GdbPoints* p, const char* text)
{
   GdbPoint    new;
   GdbPoint*   there;
   const char* rest;

   if (!read_point(text, &new, &rest))
      return false;
   there = find_point(p, &new);
   if (!read_conditions(rest, &new)
       || (there == NULL && p->n == MOST_POINTS)) {
      free_conditions(&new);
      return false;
   }
   if (there != NULL) {
      free_conditions(there);
      *there = new;
      return true;
   }
   GROW(p->points, p->n, p->room);
   p->points[p->n++] = new;
   p->current       &= new.kind > POINT_HARDWARE;
   return true;
}

bool points_remove(GdbPoints* p, const char* text)
{
   GdbPoint    like;
   GdbPoint*   there;
   const char* rest;

   if (!read_point(text, &like, &rest))
      return false;
   there = find_point(p, &like);
   if (there == NULL)
      return true;
   free_conditions(there);
   *there      = p->points[--p->n];
   p->current &= like.kind > POINT_HARDWARE;
   return true;
}

void points_forget(GdbPoints* p, uint64_t low, uint64_t high)
{
   for (size_t i = p->n; i-- > 0; )
      if (p->points[i].kind <= POINT_HARDWARE && p->points[i].addr >= low
          && p->points[i].addr < high) {
         free_conditions(&p->points[i]);
         p->points[i] = p->points[--p->n];
         p->current   = false;
      }
}

bool points_has(const GdbPoints* p, uint64_t addr)
{
   for (size_t i = 0; i < p->n; i++)
      if (p->points[i].kind <= POINT_HARDWARE && p->points[i].addr == addr)
         return true;
   return false;
}

void points_free(GdbPoints* p, ProgramState* s)
{
   for (size_t i = 0; i < p->n; i++)
      free_conditions(&p->points[i]);
   free(p->points);
   dcfg_cursor_set_free(s->cursor, p->set);
   *p = (GdbPoints){ .n = 0 };
}

/* Bring .set up to date: all instructions at breakpoints.  Return false if
   memory is exhausted. */
static bool make_set(GdbPoints* p, ProgramState* s)
{
   uint32_t  n = dcfg_wet_instrs(s->w), k = 0;
   uint32_t* instrs;

   if (p->current)
      return true;
   instrs = zalloc(n + (size_t)1, sizeof(*instrs));
   for (uint32_t i = 0; i < n; i++) {
      uint64_t addr = s->addrs[i];
      for (size_t j = 0; j < p->n; j++)
         if (p->points[j].kind <= POINT_HARDWARE
             && p->points[j].addr == addr) {
            instrs[k++] = i;
            break;
         }
   }
   dcfg_cursor_set_free(s->cursor, p->set);
   p->set     = dcfg_cursor_set_new(s->cursor, instrs, k);
   p->current = p->set != NULL;
   free(instrs);
   return p->current;
}

/*--- Conditions of points                                 ---*/

/* Return whether P stops the program at time T.  If one of its conditions
   cannot be evaluated, it does: gdb then evaluates the condition itself and
   tells the user why that fails. */
static bool holds(const GdbPoint* p, ProgramState* s, uint64_t t)
{
   const DcfgCursorInstr* at = dcfg_cursor_instr(s->cursor, t);
   Asking                 a = { s, at == NULL ? 0 : at->thread, t };
   uint64_t               value;

   for (size_t i = 0; i < p->n; i++)
      if (!agent_evaluate(p->conditions[i].code, p->conditions[i].n, &a,
                          &value)
          || value != 0)
         return true;
   return p->n == 0;
}

/*--- Breakpoints                                          ---*/

/* Return a breakpoint at time T whose condition holds; NULL if there is
   none. */
static const GdbPoint* point_at(const GdbPoints* p, ProgramState* s, uint64_t t)
{
   const DcfgCursorInstr* at = dcfg_cursor_instr(s->cursor, t);
   uint64_t               addr = at == NULL ? 0 : s->addrs[at->instr];

   for (size_t i = 0; i < p->n && at != NULL; i++)
      if (p->points[i].kind <= POINT_HARDWARE && p->points[i].addr == addr
          && holds(&p->points[i], s, t))
         return &p->points[i];
   return NULL;
}

/* Return whether time T is an iteration of a REP instruction, and not its
   first. */
static bool is_repeated(ProgramState* s, uint64_t t)
{
   const DcfgCursorInstr* at = dcfg_cursor_instr(s->cursor, t);
   uint32_t               instr, thread;
   uint64_t               before;

   if (at == NULL || !at->rep)
      return false;
   instr  = at->instr;
   thread = at->thread;
   if (dcfg_cursor_find_thread(s->cursor, thread, t, true, &before)
       != DCFG_CURSOR_FOUND)
      return false;
   at = dcfg_cursor_instr(s->cursor, before);
   return at != NULL && at->instr == instr && at->n_accesses > 0;
}

static bool has_breakpoint(const GdbPoints* p)
{
   for (size_t i = 0; i < p->n; i++)
      if (p->points[i].kind <= POINT_HARDWARE)
         return true;
   return false;
}

DcfgCursorFound points_find_break(GdbPoints* p, ProgramState* s, uint64_t from,
                                  uint64_t end, bool back, GdbHit* hit)
{
   uint64_t t;

   if (!has_breakpoint(p))
      return DCFG_CURSOR_NONE;
   if (!make_set(p, s))
      return DCFG_CURSOR_FAILED;
   for (;;) {
      DcfgCursorFound found = dcfg_cursor_find_instr(s->cursor, p->set,
                                                     DCFG_NONE, from, back,
                                                     &t);
      if (found != DCFG_CURSOR_FOUND)
         return found;
      if (back ? t < end : t >= end)
         return DCFG_CURSOR_NONE;
      if (!is_repeated(s, t)) {
         *hit = (GdbHit){ t, point_at(p, s, t) };
         if (hit->point != NULL)
            return DCFG_CURSOR_FOUND;
      }
      if (state_is_stopped(s))
         return DCFG_CURSOR_STOPPED;
      from = back ? t : t + 1;
   }
}

/*--- Watchpoints                                          ---*/

/* Return whether the memory of P has other contents after time T than before,
   through the instruction or the kernel.  A byte that is known only before or
   only after counts as changed. */
static bool changes(ProgramState* s, const GdbPoint* p, uint64_t t)
{
   uint32_t size = (uint32_t)p->size;
   uint8_t* bytes = zalloc(size, 2);
   bool*    known = zalloc(size, 2 * sizeof(bool));
   bool     ok = state_memory(s, t, p->addr, size, bytes, known)
                 && state_memory(s, t + 1, p->addr, size, bytes + size,
                                 known + size);
   bool     changed = false;

   for (uint32_t i = 0; ok && i < size; i++)
      changed |= known[i] != known[size + i]
                 || (known[i] && bytes[i] != bytes[size + i]);
   FREE_ALL(bytes, known);
   return changed;
}

/* Find the first or last time that watchpoint P stops, as points_find_watch()
   does for all. */
static DcfgCursorFound find_one(const GdbPoint* p, ProgramState* s,
                                uint64_t from, uint64_t end, bool back,
                                uint64_t* t)
{
   uint32_t kind = p->kind == POINT_WRITE ? DCFG_CURSOR_STORE
                   : p->kind == POINT_READ ? DCFG_CURSOR_LOAD
                   : DCFG_CURSOR_LOAD | DCFG_CURSOR_STORE;

   for (;;) {
      DcfgCursorFound found = dcfg_cursor_find_access(s->cursor, p->addr,
                                                      p->size, kind, from,
                                                      back, t);
      if (found != DCFG_CURSOR_FOUND)
         return found;
      if (back ? *t < end : *t >= end)
         return DCFG_CURSOR_NONE;
      if (p->kind != POINT_WRITE || changes(s, p, *t))
         return DCFG_CURSOR_FOUND;
      if (state_is_stopped(s))
         return DCFG_CURSOR_STOPPED;
      from = back ? *t : *t + 1;
   }
}

DcfgCursorFound points_find_watch(GdbPoints* p, ProgramState* s, uint64_t from,
                                  uint64_t end, bool back, GdbHit* hit)
{
   DcfgCursorFound all = DCFG_CURSOR_NONE;
   uint64_t        t;

   for (size_t i = 0; i < p->n; i++) {
      DcfgCursorFound found;
      if (p->points[i].kind <= POINT_HARDWARE)
         continue;
      found = find_one(&p->points[i], s, from, end, back, &t);
      if (found == DCFG_CURSOR_STOPPED || found == DCFG_CURSOR_FAILED)
         return found;
      if (found != DCFG_CURSOR_FOUND)
         continue;
      /* Only a nearer hit of another watchpoint can replace this one. */
      *hit = (GdbHit){ t, &p->points[i] };
      all  = DCFG_CURSOR_FOUND;
      end  = back ? t + 1 : t;
   }
   return all;
}
