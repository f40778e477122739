/* Asks its surroundings for everything that differs from run to run: clocks, random numbers, files, directories, sockets,
   pipes, ids, mappings.  Prints a number made of all of it.  argv[1] is a file that it reads. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if !defined(__aarch64__)
#  include <x86intrin.h>
#endif

static uint64_t hash = 14695981039346656037u;

static void mix(const void* p, size_t n)
{
   for (const unsigned char* c = p; n > 0; n--)
      hash = (hash ^ *c++) * 1099511628211u;
}

static void mix_number(long n)
{
   mix(&n, sizeof(n));
}

static void counters(void)
{
#if defined(__aarch64__)
   long ticks, rate;
   __asm__ volatile("mrs %0, cntvct_el0; mrs %1, cntfrq_el0" : "=r"(ticks), "=r"(rate));
   mix_number(ticks);
   mix_number(rate);
#else
   mix_number((long)__rdtsc());
#endif
#if defined(HAS_RDTSCP)         // VEX decodes it in 64-bit code, on processors that have it
   unsigned aux;
   mix_number((long)__rdtscp(&aux));
#endif
}

static void clocks(void)
{
   struct timespec t;
   struct timeval  v;
   struct tms      m;

   for (int i = 0; i < 50; i++)
      counters();
   for (int c = 0; c < 8; c++)
      if (clock_gettime(c, &t) == 0)
         mix(&t, sizeof(t));
   gettimeofday(&v, NULL);
   mix(&v, sizeof(v));
   mix_number(time(NULL));
   mix_number(times(&m));
   mix_number((long)clock());
   t = (struct timespec){ 0, 1000000 };
   nanosleep(&t, NULL);
}

static void identities(void)
{
   struct utsname u;
   struct rusage  r;
   struct rlimit  l;
   struct sysinfo s;
   char           text[4096];
   unsigned char  bytes[64];

   memset(text, 0, sizeof(text));
   mix_number(getpid() + getppid() + getuid());
   getrandom(bytes, sizeof(bytes), 0);
   mix_number(process_vm_writev(getpid(), &(struct iovec){ bytes, 8 }, 1, &(struct iovec){ text, 8 }, 1, 0));
   mix(text, 8);
   mix(bytes, sizeof(bytes));
   uname(&u);
   mix(&u, sizeof(u));
   getrusage(RUSAGE_SELF, &r);
   mix(&r, sizeof(r));
   getrlimit(RLIMIT_NOFILE, &l);
   mix(&l, sizeof(l));
   sysinfo(&s);
   mix_number((long)s.freeram);
   if (getcwd(text, sizeof(text)) != NULL)
      mix(text, strlen(text));
   mix_number(readlink("/proc/self/exe", text, sizeof(text)));
   prctl(PR_GET_NAME, bytes);
   mix(bytes, strlen((char*)bytes));
   mix(getenv("WORLD") == NULL ? "none" : getenv("WORLD"), 4);
   mix_number((long)text & 0xfff000);
   mix_number((long)malloc(100));
}

static void files(const char* name)
{
   struct stat    st;
   struct statfs  fs;
   struct dirent* e;
   char           a[1000], b[1000];
   struct iovec   parts[2] = { { a, sizeof(a) }, { b, sizeof(b) } };
   int            fd = open(name, O_RDONLY);
   DIR*           d  = opendir(".");

   memset(a, 0, sizeof(a));
   memset(b, 0, sizeof(b));
   mix_number(fd);
   mix_number(fstat(fd, &st));
   mix(&st, sizeof(st));
   mix_number(statfs(name, &fs));
   mix(&fs, sizeof(fs));
   mix_number(readv(fd, parts, 2));
   mix_number(pread(fd, a, 100, 3));
   mix_number(lseek(fd, 0, SEEK_END));
   mix(a, sizeof(a));
   mix(b, sizeof(b));
   char* m = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
   char* s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   mix(m, st.st_size < 4096 ? (size_t)st.st_size : 4096);
   strcpy(s, "shared");
   mix(s, 6);
   m = mremap(s, 4096, 65536, MREMAP_MAYMOVE);
   mix(m, 6);
   mix_number((long)m);
   munmap(m, 65536);
   while (d != NULL && (e = readdir(d)) != NULL)
      mix(e->d_name, strlen(e->d_name));
   closedir(d);
   close(fd);
   fd = open("written", O_CREAT | O_RDWR | O_TRUNC, 0600);
   for (int i = 0; i < 20; i++)
      mix_number(write(fd, a, 50));
   mix_number(sendfile(fd, open(name, O_RDONLY), NULL, 10));
   mix_number(ftruncate(fd, 30));
   close(fd);
   mix_number(rename("written", "moved") + unlink("moved"));
   mix_number(access("nowhere", F_OK));
   mix_number(statx(AT_FDCWD, name, 0, STATX_ALL, (struct statx*)(void*)a));
   mix(a, sizeof(struct statx));
}

static void channels(void)
{
   int                p[2], s[2], n;
   char               text[100], control[100];
   struct pollfd      polled;
   struct epoll_event ev = { EPOLLIN, { .u64 = 77 } }, got;
   struct timeval     wait = { 0, 1000 };
   struct iovec       part = { text, sizeof(text) };
   struct msghdr      m    = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = 100 };
   struct sockaddr_un name;
   socklen_t          len = sizeof(name);
   fd_set             set;
   int                e = epoll_create1(0), v = eventfd(3, 0);
   uint64_t           count;

   memset(text, 0, sizeof(text));
   n = pipe(p) + socketpair(AF_UNIX, SOCK_STREAM, 0, s);
   mix_number(n + p[0] + s[1]);
   if (fork() == 0) {
      n = write(p[1], "pipe", 4) + write(s[1], "socket", 6);
      _exit(n);
   }
   mix_number(wait4(-1, &n, 0, NULL));
   mix_number(n);
   polled = (struct pollfd){ p[0], POLLIN, 0 };
   mix_number(poll(&polled, 1, 1000));
   mix_number(polled.revents);
   epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev);
   mix_number(epoll_wait(e, &got, 1, 1000));
   mix(&got, sizeof(got));
   FD_ZERO(&set);
   FD_SET(p[0], &set);
   mix_number(select(p[0] + 1, &set, NULL, NULL, &wait));
   /* Valgrind's own masks: their addresses are in registers of the next call's arguments. */
   sigset_t       none;
   const struct timespec soon = { 0, 1000 };
   sigemptyset(&none);
   mix_number(ppoll(NULL, 0, &soon, &none));
   mix_number(sigprocmask(SIG_BLOCK, &none, NULL));
   mix_number(pselect(0, NULL, NULL, NULL, &soon, &none));
   mix_number(sigprocmask(SIG_BLOCK, &none, NULL));
   mix(&set, 8);
   mix(&wait, sizeof(wait));
   mix_number(ioctl(p[0], FIONREAD, &n));
   mix_number(n);
   mix_number(read(p[0], text, sizeof(text)));
   mix_number(recvmsg(s[0], &m, 0));
   mix_number(getsockname(s[0], (struct sockaddr*)&name, &len));
   mix_number(len);
   mix(text, sizeof(text));
   mix_number(read(v, &count, 8));
   mix_number((long)count);
   mix_number(fcntl(p[0], F_DUPFD, 50));
   mix_number(dup2(1, 60));
}

static void shared(void)
{
   int   id = shmget(IPC_PRIVATE, 8192, 0600 | IPC_CREAT);
   char* m  = shmat(id, NULL, 0);

   mix_number(id);
   shmctl(id, IPC_RMID, NULL);
   m[5000] = 5;
   mix(m, 8192);
   mix_number(shmdt(m));
}

/* Writes to a file that it has mapped: what it then reads in memory is what it wrote. */
static void mapped(void)
{
   char  name[] = "/tmp/dcfg-world-XXXXXX";
   int   fd = mkstemp(name);
   char  text[5000];
   char* seen;
   char* own;

   unlink(name);
   memset(text, 'x', sizeof(text));
   own = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);  /* longer than the file */
   mix_number(pwrite(fd, text, sizeof(text), 0));
   mix(own, sizeof(text));
   mix_number(ftruncate(fd, 8192));
   seen = mmap(NULL, 65536, PROT_READ, MAP_SHARED, fd, 0);
   own  = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
   mix_number(pwrite(fd, text, sizeof(text), 100));
   own[200] = (char)getpid();
   mix_number(write(fd, "begin", 5));
   mix(seen, 8192);
   mix(own, 8192);
   memset(text, 'y', sizeof(text));
   mix_number(pwrite(fd, text, sizeof(text), 8000));      /* beyond the end that it had */
   mix(seen, 8192 + 4096);
   mix_number(ftruncate(fd, 60000));
   mix(seen, 60000);
   mix_number(lseek(fd, 40000, SEEK_SET));
   mix_number(write(fd, "middle", 6));
   mix(seen, 60000);
   seen = mremap(seen, 65536, 131072, MREMAP_MAYMOVE);
   mix_number(pwrite(fd, "end", 3, 100000));
   mix(seen, 100003);
   mix_number(pwrite(fd, "behind", 6, 200000));           /* behind what is mapped */
   mix_number(ftruncate(fd, 300000));
   seen = mremap(seen, 131072, 400000, MREMAP_MAYMOVE);
   mix(seen, 300000);
}

static void* other(void* arg)
{
   mix_number(gettid());
   clocks();
   return NULL;
}

int main(int argc, char** argv)
{
   pthread_t t;

   clocks();
   identities();
   files(argv[1]);
   channels();
   shared();
   mapped();
   pthread_create(&t, NULL, other, NULL);
   pthread_join(t, NULL);
   printf("%016llx\n", (unsigned long long)hash);
   dprintf(60, "through a copy\n");
   return (int)(hash & 63);
}
