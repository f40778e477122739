/* Gives up rights that are needed to open, rename or write files, one after the other as the arguments say:

   chroot DIR    another root            uid N      another user, with no rights
   nofile        opening and renaming files is forbidden by a filter of system calls
   strict        all but what a process needs to end and to write to what is open
   limit N       files of no more than N bytes, for ever
   fork          the rest is for parent and child

   The status says whether that failed (1), there was a child of nobody's (2), or there was another descriptor (4). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define DENY   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define IF(n, what)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##n, 0, 1), what

static int filter(struct sock_filter *code, unsigned short n)
{
   struct sock_fprog f = { n, code };

   if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
      return -1;
   return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &f);
}

static int no_files(void)
{
   struct sock_filter code[] = {
      LOAD, IF(open, DENY), IF(openat, DENY), IF(creat, DENY), IF(rename, DENY), IF(renameat, DENY), IF(renameat2, DENY),
      IF(link, DENY), IF(linkat, DENY), IF(unlink, DENY), IF(unlinkat, DENY), IF(stat, DENY), IF(newfstatat, DENY),
      IF(execve, DENY), IF(clone, DENY), IF(fork, DENY), ALLOW
   };
   return filter(code, sizeof(code) / sizeof(code[0]));
}

static int strict(void)
{
   struct sock_filter code[] = {
      LOAD, IF(read, ALLOW), IF(write, ALLOW), IF(close, ALLOW), IF(mmap, ALLOW), IF(munmap, ALLOW), IF(mremap, ALLOW),
      IF(brk, ALLOW), IF(futex, ALLOW), IF(rt_sigaction, ALLOW), IF(rt_sigprocmask, ALLOW), IF(rt_sigreturn, ALLOW),
      IF(rt_sigtimedwait, ALLOW), IF(getpid, ALLOW), IF(gettid, ALLOW), IF(clock_gettime, ALLOW), IF(gettimeofday, ALLOW),
      IF(poll, ALLOW), IF(exit, ALLOW), IF(exit_group, ALLOW), IF(sched_yield, ALLOW), IF(tgkill, ALLOW), IF(wait4, ALLOW),
      IF(dup2, ALLOW), DENY
   };
   return filter(code, sizeof(code) / sizeof(code[0]));
}

static int limit(rlim_t n)
{
   struct rlimit r = { n, n };
   return setrlimit(RLIMIT_FSIZE, &r);
}

/* How many descriptors below 100 are open. */
static int descriptors(void)
{
   int n = 0;
   for (int fd = 0; fd < 100; fd++)
      n += dup2(fd, fd) == fd;
   return n;
}

int main(int argc, char **argv)
{
   int failed = 0, before = descriptors();
   pid_t child = 0;

   /* Orphans become children of this process. */
   prctl(PR_SET_CHILD_SUBREAPER, 1);
   for (int i = 1; i < argc; i++) {
      const char *way = argv[i];
      if (!strcmp(way, "chroot"))
         failed |= chroot(argv[++i]) != 0 || chdir("/") != 0;
      else if (!strcmp(way, "uid"))
         failed |= setuid(atoi(argv[++i])) != 0;
      else if (!strcmp(way, "nofile"))
         failed |= no_files() != 0;
      else if (!strcmp(way, "strict"))
         failed |= strict() != 0;
      else if (!strcmp(way, "limit"))
         failed |= limit(atol(argv[++i])) != 0;
      else if (!strcmp(way, "fork"))
         child = fork();
   }
   if (child > 0)
      waitpid(child, NULL, 0);
   if (waitpid(-1, NULL, 0) != -1 || errno != ECHILD)
      failed |= 2;
   return failed | (descriptors() != before) * 4;
}
