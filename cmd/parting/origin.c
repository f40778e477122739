/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Words for the origin of a difference of two runs. */

/* Owns: what the memory with which a program begins is, and what a system call
   did.  Handed: addresses that nobody wrote, system calls, in both runs.

   The kernel puts a new program's arguments and environment at the end of
   its stack: the number of arguments, pointers to them, pointers to the
   environment, the auxiliary vector, then the texts.  The auxiliary vector
   tells where its 16 random bytes are. */

#include "cmd/parting/causes.h"

#include <elf.h>

/*--- The memory with which a program begins               ---*/

/* BeginKind: the parts of that memory. */
typedef
   enum {
      BEGIN_OTHER, BEGIN_COUNT, BEGIN_ARGUMENTS, BEGIN_ENVIRONMENT,
      BEGIN_AUX, BEGIN_ARGUMENT, BEGIN_VARIABLE, BEGIN_RANDOM, BEGIN_NAME,
      BEGIN_IMAGE
   }
   BeginKind;

/* Begin: what a byte is.  .n: number of the argument, variable, or entry. */
typedef
   struct {
      BeginKind   kind;
      uint32_t    n;
      uint64_t    offset;       // in the part
      const char* name;         // BEGIN_IMAGE: the file
   }
   Begin;

/* BeginStack: the parsed stack of a side. */
typedef
   struct {
      bool        there;
      unsigned    word;         // bytes of an address
      uint64_t    count;        // address of the number of arguments
      uint64_t    n_arguments, n_variables;
      uint64_t    arguments, variables, aux;    // addresses of the pointers
      uint64_t    random;       // address of the random bytes, or 0
   }
   BeginStack;

/* Copy SIZE bytes at ADDR as they were when the program began; false: they
   are not known. */
static bool begin_bytes(const DcfgWetState* s, uint64_t addr, void* to,
                        size_t size)
{
   for (uint32_t k = 0; k < s->n_contents; k++) {
      const DcfgWetContents* c = &s->contents[k];
      if (addr - c->addr < c->size && size <= c->size - (addr - c->addr)) {
         memcpy(to, c->bytes + (addr - c->addr), size);
         return true;
      }
   }
   return false;
}

/* Return the text at ADDR, or NULL. */
static const char* begin_text(const DcfgWetState* s, uint64_t addr)
{
   for (uint32_t k = 0; k < s->n_contents; k++) {
      const DcfgWetContents* c = &s->contents[k];
      uint64_t               left = c->size - (addr - c->addr);
      if (addr - c->addr < c->size
          && memchr(c->bytes + (addr - c->addr), 0, left) != NULL)
         return (const char*)c->bytes + (addr - c->addr);
   }
   return NULL;
}

/* Return the address at ADDR; 0 also if it is not known. */
static uint64_t begin_word(const DcfgWetState* s, const BeginStack* k, uint64_t addr)
{
   uint64_t word = 0;

   return begin_bytes(s, addr, &word, k->word) ? word : 0;
}

static BeginStack parse_stack(Causes* c, int k)
{
   DcfgWet*            w = c->r->side[k].w;
   const DcfgWetState* s = dcfg_wet_state(w);
   const Processor*    p = processor_of(w);
   BeginStack               t = { .word = dcfg_wet_instr(w, 0)->address_size };

   if (!s->known || !s->at_start || s->n_threads == 0)
      return t;
   for (uint32_t i = 0; i < s->threads[0].n_registers; i++) {
      const DcfgWetRegister* r = &s->threads[0].registers[i];
      if (r->kind == DCFG_WET_REG_GENERAL && r->reg == p->stack)
         memcpy(&t.count, r->bytes, r->size < 8 ? r->size : 8);
   }
   t.n_arguments = begin_word(s, &t, t.count);
   if (t.count == 0 || t.n_arguments > 1000000)
      return t;
   t.arguments = t.count + t.word;
   t.variables = t.arguments + (t.n_arguments + 1) * t.word;
   while (begin_word(s, &t, t.variables + t.n_variables * t.word) != 0)
      t.n_variables++;
   t.aux   = t.variables + (t.n_variables + 1) * t.word;
   t.there = true;
   for (uint32_t i = 0; i < s->n_aux; i++)
      if (s->aux[i].type == AT_RANDOM)
         t.random = s->aux[i].value;
   return t;
}

static const char* argument_text(Causes* c, int k, const BeginStack* s, uint64_t n)
{
   const DcfgWetState* w = dcfg_wet_state(c->r->side[k].w);

   return n >= s->n_arguments ? NULL
          : begin_text(w, begin_word(w, s, s->arguments + n * s->word));
}

static const char* variable_text(Causes* c, int k, const BeginStack* s, uint64_t n)
{
   const DcfgWetState* w = dcfg_wet_state(c->r->side[k].w);

   return n >= s->n_variables ? NULL
          : begin_text(w, begin_word(w, s, s->variables + n * s->word));
}

/* Set *B to what the byte at ADDR of side K is among texts.  Return false if
   it is none of them. */
static bool find_text(Causes* c, int k, const BeginStack* s, uint64_t addr, Begin* b)
{
   const DcfgWetState* w = dcfg_wet_state(c->r->side[k].w);
   uint64_t            all = s->n_arguments + s->n_variables;

   for (uint64_t i = 0; i < all; i++) {
      bool        argument = i < s->n_arguments;
      uint64_t    n = argument ? i : i - s->n_arguments;
      uint64_t    at = begin_word(w, s, (argument ? s->arguments : s->variables)
                                        + n * s->word);
      const char* text = begin_text(w, at);
      if (text == NULL || addr - at > strlen(text))
         continue;
      *b = (Begin){ argument ? BEGIN_ARGUMENT : BEGIN_VARIABLE, (uint32_t)n,
                    addr - at, NULL };
      return true;
   }
   return false;
}

static Begin find_begin(Causes* c, int k, const BeginStack* s, uint64_t addr,
                        uint64_t t)
{
   const DcfgWetState* w = dcfg_wet_state(c->r->side[k].w);
   Begin               b = { .kind = BEGIN_OTHER };
   const ImagePart*    part;

   if (s->there) {
      if (s->random != 0 && addr - s->random < 16)
         return (Begin){ BEGIN_RANDOM, 0, addr - s->random, NULL };
      if (addr - s->count < s->word)
         return (Begin){ BEGIN_COUNT, 0, addr - s->count, NULL };
      if (addr - s->arguments < (s->n_arguments + 1) * s->word)
         return (Begin){ BEGIN_ARGUMENTS, (uint32_t)((addr - s->arguments)
                                                     / s->word), 0, NULL };
      if (addr - s->variables < (s->n_variables + 1) * s->word)
         return (Begin){ BEGIN_ENVIRONMENT, (uint32_t)((addr - s->variables)
                                                       / s->word), 0, NULL };
      if (addr - s->aux < (w->n_aux + 1) * 2 * s->word)
         return (Begin){ BEGIN_AUX, (uint32_t)((addr - s->aux)
                                               / (2 * s->word)), 0, NULL };
      if (find_text(c, k, s, addr, &b))
         return b;
      for (uint32_t i = 0; i < w->n_contents; i++)
         if (addr - w->contents[i].addr < w->contents[i].size)
            return (Begin){ BEGIN_NAME, 0, 0, NULL };
   }
   part = image_part(&c->state[k]->images, addr, t);
   if (part != NULL)
      return (Begin){ BEGIN_IMAGE, 0, addr - part->addr, dcfg_wet_instr(
                         c->r->side[k].w, part->image)->image_name };
   return b;
}

/*--- Arguments and environment                            ---*/

/* Return the name in the variable TEXT, "NAME=value". */
static const char* name_of(const char* text)
{
   return text_clean(text_format("%.*s", (int)strcspn(text, "="), text));
}

/* Return variable TEXT's partner in the environment of side K: the one with its
   name; NULL: there is none. */
static const char* same_variable(Causes* c, int k, const BeginStack* s,
                                 const char* text)
{
   size_t n = strcspn(text, "=");

   for (uint64_t i = 0; i < s->n_variables; i++) {
      const char* other = variable_text(c, k, s, i);
      if (other != NULL && strncmp(other, text, n) == 0
          && strcspn(other, "=") == n)
         return other;
   }
   return NULL;
}

/* Return the first variable that only one side has, or that has another
   value, from number FROM of each on; NULL: there is none. */
static const char* differing_variable(Causes* c, const BeginStack s[2], uint64_t from)
{
   for (uint64_t i = from; i < s[0].n_variables || i < s[1].n_variables; i++)
      for (int k = 0; k < 2; k++) {
         const char* text = variable_text(c, k, &s[k], i);
         const char* other = text == NULL ? NULL
                             : same_variable(c, 1 - k, &s[1 - k], text);
         if (text != NULL && (other == NULL || strcmp(text, other) != 0))
            return text;
      }
   return from > 0 ? differing_variable(c, s, 0) : NULL;
}

/* Return what stands in front of a text in messages: the side that alone has
   it. */
static const char* only_in(Causes* c, const BeginStack s[2], const char* text)
{
   const char* in[2];

   for (int k = 0; k < 2; k++)
      in[k] = same_variable(c, k, &s[k], text);
   return in[0] == NULL ? "only B has it" : in[1] == NULL ? "only A has it"
          : NULL;
}

static CauseOrigin variable_origin(Causes* c, const BeginStack s[2], const Begin b[2])
{
   uint64_t    from = b[0].n < b[1].n ? b[0].n : b[1].n;
   const char* text = NULL;

   if (b[0].kind == BEGIN_VARIABLE && b[1].kind == BEGIN_VARIABLE) {
      const char* x = variable_text(c, 0, &s[0], b[0].n);
      const char* y = variable_text(c, 1, &s[1], b[1].n);
      size_t      n = strcspn(x, "=");
      if (n == strcspn(y, "=") && strncmp(x, y, n) == 0 && strcmp(x, y) != 0)
         text = x;
   }
   if (text == NULL)
      text = differing_variable(c, s, from);
   if (text == NULL)
      return (CauseOrigin){ WEAK, "the stack's address", NULL };
   return (CauseOrigin){ STRONG, text_format("variable %s", name_of(text)),
                    only_in(c, s, text) };
}

static CauseOrigin argument_origin(Causes* c, const BeginStack s[2], const Begin b[2])
{
   uint64_t n = b[0].n < b[1].n ? b[0].n : b[1].n;

   for (uint64_t i = 0; i < s[0].n_arguments || i < s[1].n_arguments; i++) {
      const char* x = argument_text(c, 0, &s[0], i);
      const char* y = argument_text(c, 1, &s[1], i);
      bool        same = x != NULL && y != NULL && strcmp(x, y) == 0;
      if (same || (b[0].kind == BEGIN_ARGUMENT && b[1].kind == BEGIN_ARGUMENT
                   && b[0].n == b[1].n && i < n))
         continue;
      return (CauseOrigin){ STRONG, text_format("argument %" PRIu64, i),
                       x == NULL ? "only B has it"
                       : y == NULL ? "only A has it" : NULL };
   }
   return (CauseOrigin){ WEAK, "the stack's address", NULL };
}

/* Return what entry N of the auxiliary vector tells. */
static CauseOrigin aux_origin(Causes* c, uint32_t n)
{
   const DcfgWetState* w = dcfg_wet_state(c->r->side[0].w);
   uint64_t            type = n < w->n_aux ? w->aux[n].type : AT_NULL;

   switch (type) {
      case AT_PHDR: case AT_BASE: case AT_ENTRY: case AT_SYSINFO_EHDR:
         return (CauseOrigin){ WEAK, "a mapping's address", "the auxiliary vector" };
      case AT_RANDOM: case AT_EXECFN: case AT_PLATFORM:
         return (CauseOrigin){ WEAK, "the stack's address", "the auxiliary vector" };
      case AT_HWCAP: case AT_HWCAP2:
         return (CauseOrigin){ STRONG, "cpuid", "the auxiliary vector's AT_HWCAP" };
      default:
         return (CauseOrigin){ UNKNOWN, "unknown", text_format(
            "entry %" PRIu64 " of the auxiliary vector", type) };
   }
}

/*--- Initial memory                                       ---*/

/* Return the file that is mapped at ADDR of side K at time T, and in *OFFSET
   the byte's place in it; NULL: none is. */
static const char* mapped_file(Causes* c, int k, uint64_t addr, uint64_t t,
                               uint64_t* offset)
{
   const DcfgCursorMapping* m = dcfg_cursor_mapped(c->state[k]->cursor, addr, t,
                                                   NULL);

   if (m == NULL || !m->mapping.from_file || m->mapping.file == NULL
       || m->mapping.file[0] == 0)
      return NULL;
   *offset = m->mapping.offset + (addr - m->mapping.addr);
   return m->mapping.file;
}

static bool is_text_kind(BeginKind k, BeginKind texts, BeginKind pointers)
{
   return k == texts || k == pointers;
}

CauseOrigin initial_origin(Causes* c, const uint64_t addr[2], const uint64_t t[2])
{
   CauseOrigin      none = { UNKNOWN, NULL, NULL };
   BeginStack       s[2];
   Begin       b[2];
   const char* file[2];
   uint64_t    offset[2];

   for (int k = 0; k < 2; k++) {
      s[k]    = parse_stack(c, k);
      b[k]    = find_begin(c, k, &s[k], addr[k], t[k]);
      file[k] = mapped_file(c, k, addr[k], t[k], &offset[k]);
   }
   if (b[0].kind == BEGIN_RANDOM && b[1].kind == BEGIN_RANDOM)
      return b[0].offset == b[1].offset
             ? (CauseOrigin){ STRONG, "AT_RANDOM", NULL } : none;
   if (is_text_kind(b[0].kind, BEGIN_VARIABLE, BEGIN_ENVIRONMENT)
       || is_text_kind(b[1].kind, BEGIN_VARIABLE, BEGIN_ENVIRONMENT))
      return variable_origin(c, s, b);
   if (b[0].kind == BEGIN_COUNT
       || is_text_kind(b[0].kind, BEGIN_ARGUMENT, BEGIN_ARGUMENTS)
       || is_text_kind(b[1].kind, BEGIN_ARGUMENT, BEGIN_ARGUMENTS))
      return argument_origin(c, s, b);
   if (b[0].kind == BEGIN_AUX && b[1].kind == BEGIN_AUX && b[0].n == b[1].n)
      return aux_origin(c, b[0].n);
   if (b[0].kind == BEGIN_NAME && b[1].kind == BEGIN_NAME)
      return (CauseOrigin){ STRONG, "argument 0", "the program's name" };
   if (b[0].kind == BEGIN_IMAGE && b[1].kind == BEGIN_IMAGE
       && b[0].offset == b[1].offset && b[0].name != NULL && b[1].name != NULL
       && strcmp(text_base(b[0].name), text_base(b[1].name)) == 0)
      return (CauseOrigin){ STRONG, "the code", text_format(
         "data of %s", text_base(b[0].name)) };
   if (file[0] != NULL && file[1] != NULL && b[0].kind == BEGIN_OTHER
       && offset[0] == offset[1]
       && strcmp(text_base(file[0]), text_base(file[1])) == 0)
      return (CauseOrigin){ STRONG, text_format("system call mmap %s",
                                           text_clean(file[0])), NULL };
   return none;
}

/*--- System calls                                         ---*/

/* PathCall: a system call that names a file; which argument does. */
typedef
   struct {
      const char* name;
      uint8_t     path;
   }
   PathCall;

static const PathCall path_calls[] = {
   { "open", 0 }, { "openat", 1 }, { "openat2", 1 }, { "creat", 0 },
   { "stat", 0 }, { "lstat", 0 }, { "newfstatat", 1 }, { "fstatat64", 1 },
   { "stat64", 0 }, { "lstat64", 0 }, { "statx", 1 }, { "access", 0 },
   { "faccessat", 1 }, { "faccessat2", 1 }, { "readlink", 0 },
   { "readlinkat", 1 }, { "execve", 0 }, { "mkdir", 0 }, { "mkdirat", 1 },
   { "unlink", 0 }, { "unlinkat", 1 }, { "rmdir", 0 }, { "chdir", 0 },
   { "statfs", 0 }, { "truncate", 0 }, { "getxattr", 0 }, { "lgetxattr", 0 }
};

/* System calls that only return addresses. */
static const char* const address_calls[] = { "mmap", "mmap2", "brk", "mremap",
                                             "shmat" };
/* Those whose first argument is no file. */
static const char* const other_calls[] = {
   "getrandom", "clock_gettime", "clock_getres", "clock_nanosleep", "futex",
   "nanosleep", "time", "gettimeofday", "times", "getrusage", "sysinfo", "uname",
   "getcwd", "rt_sigaction", "rt_sigprocmask", "kill", "tgkill", "wait4",
   "waitid", "getpriority", "sched_getaffinity", "prlimit64", "getrlimit",
   "select", "pselect6", "poll", "ppoll", "socket", "pipe", "pipe2", "clone",
   "clone3", "set_tid_address", "prctl", "arch_prctl", "alarm", "getitimer",
   "mprotect", "munmap", "madvise", "getcpu", "getgroups", "munlock", "mincore",
   "sched_yield", "sched_getparam", "timer_gettime", "exit_group", "exit",
   "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid"
};

/* Set *VALUE to general register REG before instance I of side K. */
static bool register_number(Causes* c, int k, const RunInstance* i, unsigned reg,
                            uint64_t* value)
{
   StateValue v = state_general(c->state[k], i->thread, i->t, reg);

   return state_number_in(&v, 0, i->in.address_size == 4 ? 4 : 8, value);
}

/* Return the name of system call I. */
static const char* call_name(Causes* c, int k, const RunInstance* i)
{
   const Processor* p = c->state[k]->processor;
   uint64_t         number;
   char*            name;
   const char*      text;

   if (!register_number(c, k, i, p->call_number, &number))
      return "?";
   name = syscall_name((uint32_t)number, p->seccomp);
   text = text_format("%s", name);
   free(name);
   return text;
}

/* Return the text at ADDR at time T; NULL: it is not known. */
static const char* memory_text(Causes* c, int k, uint64_t addr, uint64_t t)
{
   uint8_t bytes[256];
   bool    known[256];

   if (!state_memory(c->state[k], t, addr, sizeof(bytes), bytes, known))
      return NULL;
   for (size_t i = 0; i < sizeof(bytes) && known[i]; i++)
      if (bytes[i] == 0)
         return text_format("%s", (char*)bytes);
   return NULL;
}

/* Return the argument of call NAME that names a file; -1: none does. */
static int path_argument(const char* name)
{
   for (size_t i = 0; i < sizeof(path_calls) / sizeof(path_calls[0]); i++)
      if (strcmp(path_calls[i].name, name) == 0)
         return path_calls[i].path;
   return -1;
}

/* Return the path that call I, NAME, of side K has; *ADDR gets its address. */
static const char* call_path(Causes* c, int k, const RunInstance* i,
                             const char* name, uint64_t* addr)
{
   const Processor* p = c->state[k]->processor;
   int              a = path_argument(name);

   return a < 0 || !register_number(c, k, i, p->arguments[a], addr) ? NULL
          : memory_text(c, k, *addr, i->t);
}

/* Return what call I, NAME, which returned a descriptor, opened; NULL:
   nothing. */
static const char* opened_by(Causes* c, const RunInstance* i, const char* name)
{
   uint64_t addr;

   if (strncmp(name, "open", 4) == 0 || strcmp(name, "creat") == 0)
      return call_path(c, 0, i, name, &addr);
   return strncmp(name, "socket", 6) == 0 || strncmp(name, "accept", 6) == 0
          ? "a socket"
          : strncmp(name, "pipe", 4) == 0 ? "a pipe"
          : strncmp(name, "memfd", 5) == 0 ? "memory" : NULL;
}

/* The most system calls that are searched for the one that opened a file. */
#define MOST_CALLS 5000

/* Return what descriptor FD of the first run is at time T; NULL: it is not
   known. */
static const char* descriptor_text(Causes* c, uint64_t fd, uint64_t t)
{
   static const char* const standard[] = { "the standard input",
                                           "the standard output",
                                           "the standard error" };
   DcfgCursor* r = c->state[0]->cursor;

   for (unsigned n = 0; n < MOST_CALLS; n++) {
      RunInstance    i;
      uint64_t    result;
      const char* what;
      if (dcfg_cursor_find_instr(r, c->syscalls[0], DCFG_NONE, t, true, &t)
          != DCFG_CURSOR_FOUND)
         break;
      if (dcfg_cursor_result(r, t, &result) != DCFG_CURSOR_FOUND
          || result != fd || !instance_at(c, 0, t, &i))
         continue;
      what = opened_by(c, &i, call_name(c, 0, &i));
      if (what != NULL)
         return what;
   }
   return fd < 3 ? standard[fd] : NULL;
}

/* Find arguments of call O that differ, though they are no addresses. */
static void find_arguments(Causes* c, const RunInstance i[2], CallOrigin* o)
{
   const Processor* p = c->state[0]->processor;
   uint64_t         number, v[2];
   unsigned         n = 0;

   if (register_number(c, 0, &i[0], p->call_number, &number))
      n = syscall_arguments((uint32_t)number, p->seccomp);
   for (unsigned a = 0; a < n && a < 6; a++)
      if (register_number(c, 0, &i[0], p->arguments[a], &v[0])
          && register_number(c, 1, &i[1], p->arguments[a], &v[1])
          && v[0] != v[1] && v[0] < 65536 && v[1] < 65536)
         o->arguments |= 1u << a;
}

/* Compare the paths of call O, NAME, in both runs; return the first one. */
static const char* compare_paths(Causes* c, const RunInstance i[2],
                                 const char* name, CallOrigin* o)
{
   const char* path[2];
   size_t      n = 0;

   for (int k = 0; k < 2; k++)
      path[k] = call_path(c, k, &i[k], name, &o->path[k]);
   if (path[0] == NULL || path[1] == NULL)
      return path[0];
   while (path[0][n] != 0 && path[0][n] == path[1][n])
      n++;
   o->follow   = path[0][n] != path[1][n];
   o->path[0] += n;
   o->path[1] += n;
   return path[0];
}

CallOrigin call_origin(Causes* c, const RunInstance i[2], bool by_result)
{
   CallOrigin  o = { .origin = { STRONG, NULL, NULL } };
   const char* name = call_name(c, 0, &i[0]);
   const char* path = compare_paths(c, i, name, &o);
   uint64_t    fd;

   find_arguments(c, i, &o);
   if (by_result && IS_AMONG(name, address_calls)) {
      o.origin = (CauseOrigin){ WEAK, "a mapping's address", text_format(
                              "%s returned it", name) };
      return o;
   }
   if (path == NULL && !IS_AMONG(name, other_calls)
       && register_number(c, 0, &i[0], c->state[0]->processor->arguments[
             strncmp(name, "mmap", 4) == 0 ? 4 : 0], &fd) && fd < 65536)
      path = descriptor_text(c, fd, i[0].t);
   o.origin.words = path == NULL ? text_format("system call %s", name)
                    : text_format("system call %s %s", name, text_clean(path));
   return o;
}
