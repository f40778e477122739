/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Branches of source lines. */

/* Owns: conditional branches of the machine code, the lines that they belong
   to, and how often they went each way.  Handed: a file's lines by
   debug_lines.c.

   The two ways of a branch are, for gcov, in the order of the blocks that they
   lead to.  A branch belongs to the last line of which its block has code, be it
   before the branch's own.
   Without optimisation the machine code has the blocks in gcov's order, so
   their addresses tell both.

   It is not so for a line that is odd: the machine code has other branches there
   than gcov.  Odd are a switch, a comparison of floating-point numbers, and a
   call that may throw an exception, which is a branch for gcov.  Nor is it so for
   optimised code, where each build has other branches. */

#include "cmd/lines/coverage.h"

#include "format/dcfg_tables.h"

/* A bit of the numbers of blocks for one branch. */
#define FIRST_OWN_BLOCK 0x80000000

/* Scan: what was seen of the code so far. */
typedef
   struct {
      Coverage*        c;
      const DebugLine* row;     // the present one
      const DebugFunction* fn;
      uint64_t         copy;
      KeyMap*          targets; // keys: where jumps lead to
      uint64_t*        last_jump;       // by number in .targets: the last
                                        // unconditional jump there, or 0
      size_t           n_targets, target_room;
      uint32_t         top_file, top;   // the last line of the block so far
      uint64_t         jump;    // key of the line of the jump before, or 0
      unsigned         n_since; // instructions since then
      uint32_t         column;  // the column of that jump
      char             last[256];       // the instruction before
      char             compared[256];   // the one before the last branch
      uint64_t         pending; // the address behind the branch before
      const DebugLine* pending_row;
      bool             catches; // the function has a handler of exceptions
      uint64_t*        calling; // keys of lines with calls, in the function
      size_t           n_calling, room;
   }
   Scan;

/* Return the key of the line that a branch here belongs to. */
static uint64_t key_at(const Scan* s)
{
   return line_key(s->c->files[s->top_file], s->top);
}

/*--- Instructions                                         ---*/

static bool is_call(const Instr* i)
{
   return begins(i->text, "call") || begins(i->text, "bl ")
          || begins(i->text, "blr ");
}

static bool is_indirect_jump(const Instr* i)
{
   return begins(i->text, "jmp") || begins(i->text, "br ")
          || begins(i->text, "notrack jmp");
}

/* Return whether two comparisons are of one variable with two numbers, as in a
   switch. */
static bool same_variable(const char* a, const char* b)
{
   const char* x = strchr(a, ',');
   const char* y = strchr(b, ',');

   return begins(a, "cmp") && begins(b, "cmp") && x != NULL && y != NULL
          && strchr(a, '$') != NULL && strchr(b, '$') != NULL
          && strcmp(x, y) == 0;
}

/* Return whether the compiler made several branches of one in the source, and
   this is one of them.  Such a branch uses the flags of the branch before, or a
   value in a register, or it compares the same variable at the same place. */
static bool is_odd(const Scan* s, const Instr* i)
{
   const char* memory = strpbrk(s->last, "([");

   if (begins(i->text, "jp ") || begins(i->text, "jnp ")
       || begins(s->last, "fcmp"))
      return true;
   if (s->jump != key_at(s))
      return false;
   return s->n_since == 0 || (s->n_since == 1 && memory == NULL)
          || (s->column == s->row->column
              && same_variable(s->compared, s->last));
}

/* Return the function that I calls; "" if it is not known, or no call. */
static const char* callee(const Coverage* coverage, const Instr* i)
{
   return !is_call(i) || !i->direct ? ""
          : code_stub(coverage->of.code, coverage->image, i->target)
            ?: target_name(&coverage->of.g, coverage->image, i->target);
}

/* Learn where the branch before goes on. */
static void go_on(Scan* s, const Instr* i, uint64_t base)
{
   Coverage* c = s->c;
   Branch*   b = &c->branches[c->n_branches - 1];

   /* The check of the stack is in no source, nor is the one of a function with
      any number of arguments whether some are floating-point numbers. */
   if (begins(callee(c, i), "__stack_chk_fail")
       || (begins(s->compared, "test") && begins(i->text, "movaps %xmm0")))
      c->n_branches--;
   else if (i->direct && !i->conditional && s->row == s->pending_row)
      b->falls_to = i->target + base;
   text_forget();
}

static void take_call(Scan* s, const Instr* i)
{
   Coverage*   c = s->c;
   const char* name;

   GROW(s->calling, s->n_calling, s->room);
   s->calling[s->n_calling++] = key_at(s);
   name = callee(c, i);
   s->catches = s->catches || begins(name, "_Unwind_Resume")
                || begins(name, "__cxa_begin_catch");
   text_forget();
}

/* Return the number of a block for the branch at AT in FN alone: the function's
   name and the place in it make the number.  So the branch has the same block in
   each program with that code, wherever it is. */
static uint32_t block_of(const DebugFunction* fn, uint64_t at)
{
   uint64_t    hash = CODE_HASH_BEGIN;
   uint64_t    place = fn == NULL ? at : at - fn->addr;
   const char* name = fn == NULL ? "" : fn->name;

   for (; *name != 0; name++)
      hash = add_to_code_hash(hash, (unsigned char)*name);
   for (; place != 0; place >>= 8)
      hash = add_to_code_hash(hash, (unsigned char)place);
   return (uint32_t)(hash ^ hash >> 32) | FIRST_OWN_BLOCK;
}

static void take_branch(Scan* s, const Instr* i, uint64_t base)
{
   Coverage* c = s->c;
   uint64_t  at = i->addr + base;

   if (is_odd(s, i))
      keymap_number(c->odd, key_at(s));
   GROW(c->branches, c->n_branches, c->branch_room);
   c->branches[c->n_branches++]
      = (Branch){ .file = c->files[s->top_file], .line = s->top,
                  .copy = s->copy, .addr = at, .to = i->target + base,
                  .falls_to = at + i->size,
                  .is_optimised = s->fn == NULL || s->fn->is_optimised,
                  .block = block_of(s->fn, at) };
   s->pending = at + i->size;
   s->pending_row = s->row;
   snprintf(s->compared, sizeof(s->compared), "%s", s->last);
}

/* Find the last line of the block that the instruction at ADDR is in. */
static void find_top(Scan* s, uint64_t addr)
{
   if (s->top == 0 || s->top < s->row->line || s->top_file != s->row->file
       || s->fn == NULL || s->fn->is_optimised
       || keymap_find(s->targets, addr) != UINT32_MAX) {
      s->top_file = s->row->file;
      s->top = s->row->line;
   }
}

static void take_target(void* arg, const Instr* i)
{
   Scan*    s = arg;
   uint32_t n;

   if (!i->direct || is_call(i))
      return;
   n = keymap_number(s->targets, i->target + s->c->base);
   if (n == s->n_targets) {
      GROW(s->last_jump, s->n_targets, s->target_room);
      s->last_jump[s->n_targets++] = 0;
   }
   if (!i->conditional && i->addr + s->c->base > s->last_jump[n])
      s->last_jump[n] = i->addr + s->c->base;
}

static void take_instr(void* arg, const Instr* i)
{
   Scan*    s = arg;
   uint64_t base = s->c->base;

   if (s->pending == i->addr + base)
      go_on(s, i, base);
   s->pending = 0;
   find_top(s, i->addr + base);
   if (is_call(i)) {
      take_call(s, i);
      s->jump = 0;
      s->top = 0;
   } else if (i->conditional || i->direct || is_indirect_jump(i)) {
      if (i->conditional)
         take_branch(s, i, base);
      else if (!i->direct)
         keymap_number(s->c->odd, key_at(s));
      s->jump = key_at(s);
      s->column = s->row->column;
      s->n_since = 0;
      s->last[0] = 0;
      s->top = 0;
      return;
   }
   s->n_since++;
   snprintf(s->last, sizeof(s->last), "%s", i->text);
}

/*--- Finding                                              ---*/

/* In a function that handles exceptions, calls are branches for gcov. */
static void end_function(Scan* s)
{
   for (size_t i = 0; s->catches && i < s->n_calling; i++)
      keymap_number(s->c->odd, s->calling[i]);
   s->n_calling = 0;
   s->catches = false;
   s->jump = 0;
   s->top = 0;
}

/* Call TAKE for each instruction of the present row. */
static void scan_row(Scan* s, void (*take)(void*, const Instr*))
{
   code_range(s->c->of.code, s->c->image, s->row->addr - s->c->base,
              s->row->end - s->row->addr, take, s);
}

static void take_nop(void* arg, const Instr* i)
{
   bool** found = arg;

   if (*found != NULL)
      **found = begins(i->text, "nop");
   *found = NULL;
}

/* Set B's .jumps_first.  The compiler moves a part that only leaves, as "if (x)
   break;" has it, behind the rest; a NOP keeps the line of that part.  A jump
   back is the way that stays in a loop, unless the loop's end, which jumps there
   as well, comes later, on another line: then the jump leads to that end. */
static void find_order(const Scan* s, Branch* b)
{
   const Coverage*  c = s->c;
   uint32_t         target = keymap_find(s->targets, b->to);
   const DebugLine* end = target == UINT32_MAX || b->is_optimised ? NULL
                          : debug_line_at(c->d, s->last_jump[target]);
   const DebugLine* to = debug_line_at(c->d, b->to);
   const DebugLine* next = debug_line_at(c->d, b->falls_to);
   bool             is_nop = false;
   bool*            found = &is_nop;

   if (b->to < b->falls_to)
      b->jumps_first = end == NULL || s->last_jump[target] <= b->addr
                       || end->line == b->line;
   else
      b->jumps_first = to != NULL && next != NULL && to->addr == b->to
                       && c->files[to->file] == b->file && to->line >= b->line
                       && (to->file != next->file ? to->line == b->line
                           : to->line < next->line || next->line < b->line)
                       && code_range(c->of.code, c->image, b->to - c->base,
                                     to->end - b->to, take_nop, &found)
                       && is_nop;
}

COMPARE(branch_place, Branch, UP(addr))

void cover_find_branches(Coverage* coverage)
{
   Scan s = { .c = coverage, .targets = keymap_new() };

   coverage->first_branch = coverage->n_branches;
   for (size_t i = 0; i < coverage->d->n_lines; i++) {
      s.row = &coverage->d->lines[i];
      scan_row(&s, take_target);
   }
   for (size_t i = 0; i < coverage->d->n_lines; i++) {
      const DebugFunction* fn = debug_function_at(coverage->d,
                                                  coverage->d->lines[i].addr);
      s.row = &coverage->d->lines[i];
      if (s.row->line == 0)
         continue;
      if (fn != s.fn) {
         end_function(&s);
         s.fn = fn;
      }
      s.copy = (uint64_t)coverage->unit << 32
               | (fn == NULL
                  ? UINT32_MAX : (uint32_t)(fn - coverage->d->functions));
      scan_row(&s, take_instr);
   }
   end_function(&s);
   for (size_t i = coverage->first_branch; i < coverage->n_branches; i++)
      find_order(&s, &coverage->branches[i]);
   keymap_free(s.targets);
   FREE_ALL(s.last_jump, s.calling);
   SORT(coverage->branches + coverage->first_branch,
        coverage->n_branches - coverage->first_branch, branch_place);
}

void cover_count_branch(Coverage* coverage, uint32_t node)
{
   const DcfgProcess* p = coverage->of.p;
   const DcfgNode*    at = &p->nodes[node];
   Branch             key = { 0 };
   Branch*            b;
   uint32_t           n;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);

   if (coverage->n_branches == coverage->first_branch
       || !code_file_addr(coverage->of.code, at->image,
                          at->addr + at->last_offset, &key.addr)
       || dcfg_node_executions(p, node, coverage->of.thread) == 0)
      return;
   b = bsearch(&key, coverage->branches + coverage->first_branch,
               coverage->n_branches - coverage->first_branch, sizeof(key),
               branch_place);
   if (b == NULL)
      return;
   b->executed = true;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      uint64_t        count = dcfg_edge_count(p, out[i], coverage->of.thread);
      if (e->type == DCFG_EDGE_FALL_THROUGH)
         add_count(&b->not_taken, count);
      else if (dcfg_is_local(e->type) && !dcfg_is_bypass(e->type))
         add_count(&b->taken, count);
   }
}

/*--- Order                                                ---*/

COMPARE(branch_order, Branch, UP(file) ?: UP(line) ?: UP(copy) ?: UP(addr))

void cover_sort_branches(Coverage* coverage)
{
   SORT(coverage->branches, coverage->n_branches, branch_order);
}
