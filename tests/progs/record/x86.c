/* System calls that only x86 has: both forms of mmap(), with offsets; older calls for signals, time, files and
   directories; those that stand for many; segments of threads.  argv[1] is a file that it reads.  Prints a number made of
   all results. */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static uint32_t hash = 2166136261u;

static void mix(const void* p, size_t n)
{
   for (const unsigned char* c = p; n > 0; n--)
      hash = (hash ^ *c++) * 16777619u;
}

static void mix_number(long n)
{
   mix(&n, sizeof(n));
}

static void maps(int fd)
{
   unsigned long old[] = { 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, (unsigned long)fd, 4096 };
   char*         a = (char*)syscall(SYS_mmap, old);
   char*         b = (char*)syscall(SYS_mmap2, 0, 4096, PROT_READ, MAP_PRIVATE, fd, 2);

   mix_number((long)a);
   mix_number((long)b);
   mix(a, 4096);
   mix(b, 100);
   a[5] = 'x';
   mix(a, 10);
   munmap(a, 8192);
   munmap(b, 4096);
}

static void files(int fd)
{
   char           text[2000];
   uint64_t       at = 0;
   struct timeval wait = { 0, 2000 };
   fd_set         set;

   memset(text, 0, sizeof(text));
   mix_number(syscall(SYS__llseek, fd, 0, 5000, &at, SEEK_SET));
   mix(&at, sizeof(at));
   mix_number(syscall(SYS_read, fd, text, 100));
   mix(text, 100);
   mix_number(syscall(SYS_stat64, "/", text));
   mix(text, 96);
   mix_number(syscall(SYS_getdents, open(".", O_RDONLY), text, sizeof(text)));
   mix(text, sizeof(text));
   FD_ZERO(&set);
   FD_SET(fd, &set);
   mix_number(syscall(SYS__newselect, fd + 1, &set, NULL, NULL, &wait));
   mix(&wait, sizeof(wait));
   mix_number(syscall(SYS_fcntl64, 1, F_DUPFD, 70));
   mix_number(syscall(SYS_time, NULL));
}

/* socketcall() and ipc(). */
static void many(void)
{
   int           s[2];
   char          text[20] = "0123456789";
   unsigned long pair[] = { AF_UNIX, SOCK_STREAM, 0, (unsigned long)s };

   mix_number(syscall(SYS_socketcall, 8, pair));
   unsigned long send[] = { (unsigned long)s[0], (unsigned long)text, 10, 0 };
   mix_number(syscall(SYS_socketcall, 9, send));
   unsigned long receive[] = { (unsigned long)s[1], (unsigned long)(text + 4), 10, 0 };
   mix_number(syscall(SYS_socketcall, 10, receive));
   mix(text, sizeof(text));
   int id = (int)syscall(SYS_ipc, 23, 0, 8192, 0600 | 01000);
   mix_number(id);
   char* at = NULL;
   mix_number(syscall(SYS_ipc, 21, id, 0, &at, 0));
   mix_number((long)at);
   at[8000] = 7;
   mix(at, 8192);
   syscall(SYS_ipc, 24, id, 0, 0, 0);
   mix_number(syscall(SYS_ipc, 22, 0, 0, 0, at));
}

static void on_signal(int s)
{
   mix_number(s);
}

static void segments(void)
{
   static int       words[2] = { 11, 22 };
   struct user_desc d = { .entry_number = -1u, .base_addr = (unsigned)words, .limit = 0xfffff, .seg_32bit = 1,
                          .limit_in_pages = 1, .useable = 1 };
   int              found;

   mix_number(syscall(SYS_set_thread_area, &d));
   mix_number(d.entry_number);
   __asm__ volatile("mov %1, %%fs; mov %%fs:4, %0" : "=r"(found) : "r"(d.entry_number * 8 + 3));
   mix_number(found);
   mix_number(syscall(SYS_get_thread_area, &d));
   mix_number(d.base_addr == (unsigned)words);
}

int main(int argc, char** argv)
{
   struct { void (*handler)(int); unsigned long mask, flags; void (*restorer)(void); } action = { on_signal, 0, 0, NULL };
   unsigned long block = 1u << (SIGUSR2 - 1), old;
   int           fd = open(argv[1], O_RDONLY);

   maps(fd);
   files(fd);
   many();
   segments();
   mix_number(syscall(SYS_sigaction, SIGUSR2, &action, NULL));
   mix_number(syscall(SYS_sigprocmask, SIG_BLOCK, &block, &old));
   kill(getpid(), SIGUSR2);
   mix_number((long)old);
   mix_number(syscall(SYS_sigprocmask, SIG_SETMASK, &old, NULL));
   dprintf(70, "%08x\n", hash);
   return (int)(hash & 63);
}
