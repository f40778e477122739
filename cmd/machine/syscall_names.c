/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of system calls. */

/* Owns: the numbers of Linux's system calls for each processor, from
   libseccomp, and their numbers of arguments.  Handed: names, numbers. */

#include "cmd/machine/syscall_names.h"

#include <linux/audit.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

#define HAS(names, name) has(names, sizeof(names) / sizeof((names)[0]), name)

static bool has(const char* const* names, size_t n, const char* name)
{
   for (size_t i = 0; i < n; i++)
      if (strcmp(names[i], name) == 0)
         return true;
   return false;
}

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
   n = HAS(of_6, name) ? 6 : HAS(of_5, name) ? 5 : HAS(of_4, name) ? 4 : 3;
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
   char*         end;
   unsigned long n;
   int           known = seccomp_syscall_resolve_name_arch(seccomp, name);

   /* libseccomp gives negative numbers to system calls of other processors. */
   if (known >= 0)
      return (uint32_t)known;
   n = strtoul(name, &end, 10);
   return name[0] < '0' || name[0] > '9' || *end != 0 || n >= UINT32_MAX
          ? UINT32_MAX : (uint32_t)n;
}
