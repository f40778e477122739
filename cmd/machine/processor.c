/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors, and questions about their instructions. */

/* Owns: the list of processors, the decoders, and questions about
   instructions: how they use registers, what they change, which system call
   they make.  Handed: rows by machine_NAME.c; files, whole execution traces,
   names. */

#include "cmd/machine/processor.h"

#include "cmd/base/cmd.h"

#include <capstone/capstone.h>
#include <gelf.h>
#include <linux/audit.h>
#include <seccomp.h>

#define POINTER(name) &machine_##name,

static const Processor* const processors[] = { PROCESSORS(POINTER) };

#define N_PROCESSORS (sizeof(processors) / sizeof(processors[0]))

const Processor* processor_of(DcfgWet* w)
{
   return dcfg_wet_instrs(w) == 0 ? processors[0]
          : processor_numbered(dcfg_wet_instr(w, 0)->machine);
}

const Processor* processor_numbered(uint32_t machine)
{
   for (size_t i = 0; i < N_PROCESSORS; i++)
      if (processors[i]->machine == machine)
         return processors[i];
   return processors[0];
}

const Processor* processor_of_file(Elf* elf, int* mode)
{
   GElf_Ehdr h;

   if (gelf_getehdr(elf, &h) == NULL)
      return NULL;
   for (size_t i = 0; i < N_PROCESSORS; i++) {
      const Processor* p = processors[i];
      if (p->machine != h.e_machine
          || (p->elf_class != 0 && p->elf_class != h.e_ident[EI_CLASS]))
         continue;
      *mode = p->mode;
      if (h.e_ident[EI_DATA] == ELFDATA2MSB)
         *mode |= (int)CS_MODE_BIG_ENDIAN;
      return p;
   }
   return NULL;
}

bool is_instr_size(uint32_t size)
{
   for (size_t i = 0; i < N_PROCESSORS; i++)
      if (size <= processors[i]->longest || size == processors[i]->request)
         return true;
   return false;
}

uint32_t longest_instr(void)
{
   uint32_t most = 0;

   for (size_t i = 0; i < N_PROCESSORS; i++)
      if (processors[i]->request > most)
         most = processors[i]->request;
   return most;
}

uint32_t constant_number(const DcfgWetInstr* in)
{
   return processor_numbered(in->machine)->constant_number(in);
}

bool makes_frame(const DcfgWetInstr* in)
{
   return processor_numbered(in->machine)->makes_frame(in);
}

bool is_atomic(const DcfgWetInstr* in)
{
   return processor_numbered(in->machine)->is_atomic(in);
}

uint32_t register_named(const Processor* p, const char* name)
{
   for (uint32_t i = 0; i < MAX_GENERAL && p->general[i] != NULL; i++)
      if (strcmp(name, p->general[i]) == 0)
         return i;
   return p->part_named(name);
}

uint32_t register_of_dwarf(const Processor* p, unsigned number)
{
   if (number < p->n_dwarf_general)
      return p->dwarf_general == NULL ? number : p->dwarf_general[number];
   return number >= p->dwarf_vector
          && number - p->dwarf_vector < p->n_dwarf_vector
          ? MAX_GENERAL + number - p->dwarf_vector : UINT32_MAX;
}

csh processor_decoder(const Processor* p)
{
   csh h;

   if (cs_open((cs_arch)p->arch, (cs_mode)p->mode, &h) != CS_ERR_OK)
      die("Capstone cannot decode this machine's code");
   cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
   return h;
}

/* Tell the library which values of W begin with loaded bytes: those of copies,
   and of copies that extend. */
static void say_loads(DcfgWet* w, const Roles* r)
{
   for (uint32_t k = 0; k < dcfg_wet_instrs(w); k++)
      r->loads[k] = r->copies[k] || r->widens[k];
   if (!dcfg_wet_tell_loads(w, r->loads))
      die("out of memory");
}

Roles roles_new(DcfgWet* w)
{
   uint32_t n = dcfg_wet_instrs(w);
   Roles    r = { zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(DcfgSliceBytes)),
                  zalloc(n + (size_t)1, 1), zalloc(n + (size_t)1, 1), n };
   const Processor* p = processor_of(w);
   csh              h = processor_decoder(p);

   p->find_roles(w, h, &r);
   for (uint32_t k = 0; k < n; k++)
      r.saves[k] &= p->kept;
   cs_close(&h);
   say_loads(w, &r);
   return r;
}

void tell_loads(DcfgWet* w)
{
   Roles r = roles_new(w);

   roles_free(&r);
}

void roles_free(Roles* r)
{
   FREE_ALL(r->addresses, r->targets, r->lengths, r->saves, r->lookups,
            r->copies, r->widens, r->loads, r->moved, r->calls);
   for (uint32_t k = 0; k < r->n; k++)
      free((void*)r->bytes[k].shuffle);
   FREE_ALL(r->bytes, r->floats, r->joins);
}

void instr_text(const DcfgWetInstr* in, char* text, size_t size)
{
   static csh     h;            // all instructions are of one program
   const uint8_t* code = in->code;
   size_t         left = in->size;
   uint64_t       addr = in->addr;
   cs_insn*       i;

   if (h == 0)
      h = processor_decoder(processor_numbered(in->machine));
   i = need(cs_malloc(h));
   if (cs_disasm_iter(h, &code, &left, &addr, i))
      snprintf(text, size, "%s%s%s", i->mnemonic, i->op_str[0] ? " " : "",
               i->op_str);
   else
      snprintf(text, size, "?");
   cs_free(i, 1);
}

bool instr_effect(const DcfgWetInstr* in, InstrEffect* e)
{
   static csh       h;          // a decoder of the last processor
   static cs_insn*  i;
   static const Processor* last;
   const Processor* p = processor_numbered(in->machine);
   const uint8_t*   code = in->code;
   size_t           left = in->size;
   uint64_t         addr = in->addr;

   if (p->tell_effect == NULL)
      return false;
   if (last != p) {
      if (last != NULL) {
         cs_free(i, 1);
         cs_close(&h);
      }
      h    = processor_decoder(p);
      i    = need(cs_malloc(h));
      last = p;
   }
   *e = (InstrEffect){ .to = NO_REGISTER, .from = NO_REGISTER };
   if (!cs_disasm_iter(h, &code, &left, &addr, i))
      return false;
   e->size = (uint8_t)i->size;
   for (uint8_t k = 0; k < i->detail->groups_count; k++) {
      e->call    |= i->detail->groups[k] == CS_GRP_CALL;
      e->returns |= i->detail->groups[k] == CS_GRP_RET;
      e->jumps   |= i->detail->groups[k] == CS_GRP_JUMP;
   }
   p->tell_effect(h, i, e);
   return true;
}

const MemoryOperand* accessed_operand(const DcfgWetInstr* in,
                                      const InstrEffect* e, uint32_t access)
{
   if (e->n_memory == 0 || (access == ACCESS_WRITTEN && !in->stores))
      return NULL;
   /* If there are two, as in MOVS, the first one is written. */
   if (e->n_memory == 2)
      return &e->memory[access == ACCESS_WRITTEN || access > 0 ? 0 : 1];
   /* PUSH and CALL write the stack, and POP reads it. */
   if (e->on_stack && (access == ACCESS_WRITTEN ? in->loads : access > 0))
      return NULL;
   return &e->memory[0];
}

/* System calls with more than three arguments, by the kernel's declarations. */
static const char* const of_4[] = {
   "accept4", "epoll_ctl", "epoll_wait", "faccessat2", "fadvise64",
   "fallocate", "fgetxattr", "fstatat64", "getxattr", "io_uring_register",
   "kexec_load", "landlock_add_rule", "lgetxattr", "mknodat", "mq_open",
   "msgsnd", "newfstatat", "openat", "openat2", "pidfd_send_signal",
   "pkey_mprotect", "pread64", "prlimit64", "ptrace", "pwrite64", "quotactl",
   "readlinkat", "reboot", "renameat", "request_key", "rseq", "rt_sigaction",
   "rt_sigprocmask", "rt_sigtimedwait", "rt_sigtimedwait_time64",
   "rt_tgsigqueueinfo", "clock_nanosleep", "clock_nanosleep_time64",
   "sched_getattr", "semctl", "semtimedop", "semtimedop_time64", "sendfile",
   "sendfile64", "sendmmsg", "socketpair", "sync_file_range", "tee",
   "timer_settime", "timer_settime64", "timerfd_settime", "timerfd_settime64",
   "utimensat", "utimensat_time64", "vmsplice", "wait4", "readahead"
};
static const char* const of_5[] = {
   "_llseek", "_newselect", "add_key", "clone", "fchownat", "fsconfig",
   "fsetxattr", "futex_waitv", "get_mempolicy", "getsockopt",
   "io_getevents", "kcmp", "keyctl", "linkat", "lsetxattr", "mount",
   "mount_setattr", "move_mount", "mq_timedreceive", "mq_timedreceive_time64",
   "mq_timedsend", "mq_timedsend_time64", "mremap", "name_to_handle_at",
   "execveat", "fanotify_mark", "perf_event_open", "ppoll", "ppoll_time64",
   "prctl", "preadv", "process_madvise", "pwritev", "recvmmsg",
   "recvmmsg_time64", "remap_file_pages", "renameat2", "select", "setsockopt",
   "setxattr", "statx", "waitid"
};
static const char* const of_6[] = {
   "copy_file_range", "epoll_pwait", "epoll_pwait2", "fadvise64_64", "futex",
   "futex_time64", "io_pgetevents", "io_pgetevents_time64", "io_uring_enter",
   "ipc", "mbind", "mmap", "mmap2", "move_pages", "preadv2",
   "process_vm_readv", "process_vm_writev", "pselect6", "pselect6_time64",
   "pwritev2", "recvfrom", "sendto", "splice"
};

char* syscall_name(uint32_t number, uint32_t seccomp)
{
   char* name = number > INT32_MAX ? NULL
                : seccomp_syscall_resolve_num_arch(seccomp, (int)number);

   if (name == NULL)
      name = strdup("?");
   if (name == NULL)
      abort();
   return name;
}

unsigned syscall_arguments(uint32_t number, uint32_t seccomp)
{
   bool     is_32bit = (seccomp & __AUDIT_ARCH_64BIT) == 0;
   char*    name;
   unsigned n;

   if (number > INT32_MAX)
      return SYSCALL_ARGUMENTS;
   name = seccomp_syscall_resolve_num_arch(seccomp, (int)number);
   if (name == NULL)
      return SYSCALL_ARGUMENTS;
   n = IS_AMONG(name, of_6) ? 6 : IS_AMONG(name, of_5) ? 5
       : IS_AMONG(name, of_4) ? 4 : 3;
   /* A file's offset takes two 32-bit registers. */
   if (is_32bit && n < 6
       && (strncmp(name, "pread64", 7) == 0 || strncmp(name, "pwrite64", 8) == 0
           || strcmp(name, "fadvise64") == 0))
      n = 5;
   if (is_32bit && (strcmp(name, "fallocate") == 0
                    || strcmp(name, "sync_file_range") == 0))
      n = 6;
   free(name);
   return n;
}

uint32_t syscall_number(const char* name, uint32_t seccomp)
{
   uint64_t n;
   int      known = seccomp_syscall_resolve_name_arch(seccomp, name);

   /* libseccomp gives negative numbers to system calls of other processors. */
   if (known >= 0)
      return (uint32_t)known;
   return is_number(name, 10, &n) && n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}
