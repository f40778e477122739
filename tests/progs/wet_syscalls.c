/* System calls and signals that write memory: each gets a buffer full of a pattern, and the program loads all bytes behind the call.  So a
   whole execution trace that lacks a result contradicts itself (wet_memory.py).  It prints, for results that have a fixed length
   and may be what was there before, "wrote NAME ADDRESS LENGTH MARK"; the trace must say that the kernel wrote them.

   A call that fails here, for want of rights or devices, is loaded all the same. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#endif

enum { ROOM = 512 };

static unsigned char   room[8][ROOM] __attribute__((aligned(64)));
static volatile long   seen;
static char           *dir;

/* Fill all buffers. */
static void fill(int with)
{
    for (int i = 0; i < 8; i++)
        memset(room[i], with, ROOM);
}

/* Load all bytes of all buffers. */
static void look(void)
{
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < ROOM; k += 4)
            seen += *(volatile unsigned *)(room[i] + k);
}

/* CALL with buffers full of a pattern, and look. */
#define TRY(call) do { fill(0x5a); (void)!(call); look(); } while (0)

/* Make a call with a result that no other call has, 1000000 and more.  Return it. */
static long mark(void)
{
    static long n = 1000000;

    prctl(PR_SET_TIMERSLACK, n++);
    return prctl(PR_GET_TIMERSLACK);
}

/* So, with buffers that have zeros, too; tell that LENGTH bytes at ADDRESS are results, and which mark is before the call. */
#define WRITES(name, address, length, call)                                                    \
    do {                                                                                       \
        long marked;                                                                           \
        TRY(call);                                                                             \
        fill(0);                                                                               \
        marked = mark();                                                                       \
        if ((call) >= 0) {                                                                     \
            mark();                                                                            \
            printf("wrote %s %lx %lu %ld\n", name, (unsigned long)(address), (unsigned long)(length), marked); \
        }                                                                                      \
        look();                                                                                \
    } while (0)

/* The C library of 32-bit programs converts these results; they are the kernel's in 64-bit programs only. */
#if defined(__LP64__)
#define WRITES_64(name, address, length, call) WRITES(name, address, length, call)
#else
#define WRITES_64(name, address, length, call) TRY(call)
#endif

static void *a(int i)
{
    return room[i];
}

/*--- What a call needs in its buffers before it                       ---*/

static long get_lock(int command, int fd)
{
    struct flock *l = a(0);

    l->l_type = F_WRLCK, l->l_whence = SEEK_SET, l->l_start = 0, l->l_len = 10, l->l_pid = 0;
    return fcntl(fd, command, l);
}

static long get_capabilities(unsigned version)
{
    unsigned *head = a(1);

    head[0] = version, head[1] = 0;
    return syscall(SYS_capget, head, a(0));
}

static long ask_device(int fd, unsigned long request)
{
    struct ifreq *r = a(0);

    memset(r->ifr_name, 0, sizeof(r->ifr_name));
    strcpy(r->ifr_name, "lo");
    return ioctl(fd, request, r);
}

static long list_devices(int fd, char *to)
{
    struct ifconf *c = a(0);

    c->ifc_len = to ? 100 : 0, c->ifc_buf = to;
    return ioctl(fd, SIOCGIFCONF, c);
}

static long limit(int what, rlim_t soft)
{
    struct rlimit r;

    getrlimit(what, &r);
    r.rlim_cur = r.rlim_max < soft ? r.rlim_max : soft;
    return setrlimit(what, &r);
}

/* A message comes, but there is no room to say from whom. */
static long receive_late(int to, int from)
{
    send(to, "some message", 12, 0);
    return recvfrom(from, a(0), 100, 0, (struct sockaddr *)8, a(1));
}

static long receive_message(int to, int from, int cut)
{
    struct msghdr *m = a(0);
    struct iovec  *v = a(1);

    send(to, "some message", 12, 0);
    memset(m, 0, sizeof(*m));
    v[0].iov_base = a(2), v[0].iov_len = cut, v[1].iov_base = a(3), v[1].iov_len = 5;
    m->msg_iov = v, m->msg_iovlen = 2, m->msg_name = a(4), m->msg_namelen = 100, m->msg_control = a(5), m->msg_controllen = 64;
    return recvmsg(from, m, 0);
}

static long copy_own(long number)
{
    static const char text[] = "copied within the process";
    struct iovec here[2] = { { (char *)text, 10 }, { (char *)text + 10, 15 } };
    struct iovec there[2] = { { a(0), 20 }, { a(1), 30 } };

    return number == SYS_process_vm_writev ? syscall(number, getpid(), here, 2, there, 2, 0) : syscall(number, getpid(), there, 2, here, 2, 0);
}

static long wait_for(int id_only)
{
    pid_t child = fork();

    if (child == 0)
        _exit(3);
    return id_only ? syscall(SYS_waitid, P_PID, child, a(0), WEXITED, a(1)) : syscall(SYS_wait4, child, a(0), 0, a(1));
}

/* A descriptor that is ready, and time that is left. */
static long wait_ready(int fd, int how)
{
    fd_set          *in = a(0), *out = a(1);
    struct timeval  *t = a(2);
    struct timespec *s = a(2);
    struct pollfd   *p = a(0);

    if (how == 2) {
        p->fd = fd, p->events = POLLIN;
        s->tv_sec = 100, s->tv_nsec = 3;
        return syscall(SYS_ppoll, p, 1, s, NULL, 8);
    }
    FD_ZERO(in);
    FD_ZERO(out);
    FD_SET(fd, in);
    t->tv_sec = 100, t->tv_usec = 3;
    return how == 1 ? syscall(SYS_pselect6, fd + 1, in, out, NULL, s, NULL) : select(fd + 1, in, out, NULL, t);
}

static long handle_of(const char *path, unsigned n)
{
    *(unsigned *)a(0) = n;
    return syscall(SYS_name_to_handle_at, AT_FDCWD, path, a(0), a(1), 0);
}

static long read_pieces(int fd, void *second)
{
    struct iovec v[2] = { { a(0), 7 }, { second, 7 } };

    lseek(fd, 0, SEEK_SET);
    return readv(fd, v, 2);
}

/* The kernel refuses a buffer behind the end of a mapped file; nobody may read there. */
static long read_past_end(int fd, int new)
{
    char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, new, 0);
    long  result = pread(fd, map + 4096, 10, 0);

    munmap(map, 8192);
    return result;
}

static long copy_offsets(int from, int to, int pipe_end)
{
    loff_t *in = a(0), *out = a(1);
    off_t  *start = a(2);

    *in = 1, *out = 0, *start = 2;
    syscall(SYS_copy_file_range, from, in, to, out, 3, 0);
    sendfile(to, from, start, 2);
    *in = 0;
    return splice(from, in, pipe_end, NULL, 4, 0);
}

static long semaphores(int id, int command)
{
    return syscall(SYS_semctl, id, 0, command, a(0));
}

static void nothing(int signal)
{
    (void)signal;
}

/* A sleep that a signal ends writes what is left, though it fails. */
static long sleep_short(int absolute)
{
    struct itimerval t = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
    struct timespec  long_time = { 1000, 0 };
    long             result;

    signal(SIGALRM, nothing);
    setitimer(ITIMER_REAL, &t, NULL);
    result = absolute ? syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &long_time, a(0)) : nanosleep(&long_time, a(0));
    setitimer(ITIMER_REAL, &none, NULL);
    return result;
}

/* A select() that a signal ends. */
static long select_short(void)
{
    struct itimerval t = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
    struct timeval  *left = a(0);
    long             result;

    left->tv_sec = 1000, left->tv_usec = 0;
    setitimer(ITIMER_REAL, &t, NULL);
    result = select(0, NULL, NULL, NULL, left);
    setitimer(ITIMER_REAL, &none, NULL);
    return result;
}

/*--- The calls                                                        ---*/

static void try_files(const char *self)
{
    int  fd = open(self, O_RDONLY), pipes[2], here = open(dir, O_RDONLY | O_DIRECTORY), new = open("new", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int  event = eventfd(5, 0), epoll = epoll_create1(0), watch = inotify_init1(IN_NONBLOCK), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct epoll_event e = { .events = EPOLLIN, .data.u64 = 0x1122334455667788 };

    (void)!pipe(pipes);
    (void)!write(pipes[1], "text in a pipe", 14);
    WRITES("F_GETLK", a(0), sizeof(struct flock), get_lock(F_GETLK, fd));
    WRITES_64("F_OFD_GETLK", a(0), sizeof(struct flock), get_lock(F_OFD_GETLK, fd));
    TRY(fcntl(fd, F_GETOWN_EX, a(0)));
    TRY(read(fd, a(0), 100));
    TRY(pread(fd, a(0) + 3, 61, 5));
    TRY(read_pieces(fd, a(1)));
    TRY(read_pieces(fd, (void *)8));
    TRY(read_past_end(fd, new));
    TRY(fstat(fd, a(0)));
    TRY(stat(self, a(0)));
    TRY(statfs(self, a(0)));
    TRY(fstatfs(fd, a(0)));
    TRY(syscall(SYS_statx, AT_FDCWD, self, 0, 0xfff, a(0)));
    TRY(readlink("/proc/self/exe", a(0), 100));
    TRY(syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/cwd", a(0), 9));
    TRY(syscall(SYS_getcwd, a(0), 400) + syscall(SYS_getcwd, a(1), 2));
    TRY(syscall(SYS_getdents64, here, a(0), 500));
    TRY(handle_of(self, 0));
    TRY(handle_of(self, 128));
    TRY(listxattr(self, a(0), 100) + getxattr(self, "user.none", a(1), 100));
    TRY(copy_offsets(fd, new, pipes[1]));
    TRY(ioctl(pipes[0], FIONREAD, a(0)));
    TRY(wait_ready(pipes[0], 0));
    TRY(wait_ready(pipes[0], 1));
    TRY(wait_ready(pipes[0], 2));
    epoll_ctl(epoll, EPOLL_CTL_ADD, event, &e);
    TRY(epoll_wait(epoll, a(0), 3, 0));
    TRY(epoll_pwait(epoll, a(0), 3, 0, NULL));
    TRY(read(event, a(0), 8));
    inotify_add_watch(watch, ".", IN_CREATE);
    close(open("another", O_RDWR | O_CREAT, 0600));
    TRY(read(watch, a(0), 200));
    TRY(timerfd_gettime(timer, a(0)));
    TRY(timerfd_settime(timer, 0, &(struct itimerspec){ { 0, 0 }, { 100, 0 } }, a(0)));
    TRY(vmsplice(pipes[1], &(struct iovec){ "more", 4 }, 1, 0));
    TRY(syscall(SYS_mincore, (long)&seen & -4096, 4096, a(0)));
}

static void try_process(void)
{
    stack_t *alternative = a(1);

    WRITES("capget", a(0), 24, get_capabilities(0x20080522));
    WRITES("capget of one", a(0), 12, get_capabilities(0x19980330));
    TRY(get_capabilities(1));
    WRITES("PR_GET_CHILD_SUBREAPER", a(0), 4, prctl(PR_GET_CHILD_SUBREAPER, a(0), 0, 0, 0));
    WRITES("PR_GET_TSC", a(0), 4, prctl(PR_GET_TSC, a(0), 0, 0, 0));
    TRY(prctl(40 /* PR_GET_TID_ADDRESS */, a(0), 0, 0, 0));
    TRY(prctl(PR_GET_PDEATHSIG, a(0), 0, 0, 0) + prctl(PR_GET_NAME, a(1), 0, 0, 0));
    TRY(prctl(0x41555856 /* PR_GET_AUXV */, a(0), 300, 0, 0));
    limit(RLIMIT_NOFILE, 20), limit(RLIMIT_DATA, 1 << 30), limit(RLIMIT_STACK, 1 << 20);
    for (int what = 0; what < 16; what++) {
        TRY(syscall(SYS_getrlimit, what, a(0)));
        TRY(syscall(SYS_prlimit64, 0, what, NULL, a(0)));
    }
    WRITES("process_vm_writev", a(0), 20, copy_own(SYS_process_vm_writev));
    TRY(copy_own(SYS_process_vm_readv));
    TRY(wait_for(0));
    TRY(wait_for(1));
    TRY(getrusage(RUSAGE_SELF, a(0)));
    TRY(syscall(SYS_sysinfo, a(0)) + uname(a(1)) + times(a(2)));
    TRY(getresuid(a(0), a(1), a(2)) + getresgid(a(3), a(4), a(5)) + getgroups(100, a(6)));
    TRY(syscall(SYS_sched_getaffinity, 0, ROOM, a(0)));
    TRY(syscall(SYS_sched_getparam, 0, a(0)) + syscall(SYS_sched_rr_get_interval, 0, a(1)));
    TRY((*(unsigned *)a(0) = 48, syscall(SYS_sched_getattr, 0, a(0), 48, 0)));
    TRY(syscall(SYS_get_robust_list, 0, a(0), a(1)));
    TRY(syscall(SYS_getcpu, a(0), a(1), NULL));
    TRY(syscall(SYS_getrandom, a(0), 40, 0));
    TRY(syscall(SYS_get_mempolicy, a(0), a(1), 1024, NULL, 0));
    TRY((alternative->ss_sp = a(2), alternative->ss_size = 65536, alternative->ss_flags = SS_DISABLE, sigaltstack(alternative, a(0))));
}

static void try_time_and_signals(void)
{
    sigset_t set, old;
    int      fd;

    TRY(clock_gettime(CLOCK_REALTIME, a(0)) + clock_getres(CLOCK_MONOTONIC, a(1)) + syscall(SYS_clock_gettime, CLOCK_MONOTONIC, a(2)));
    TRY(gettimeofday(a(0), a(1)) + time(a(2)));
    TRY(getitimer(ITIMER_REAL, a(0)) + setitimer(ITIMER_VIRTUAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, a(1)));
    TRY((*(unsigned *)a(0) = 0, syscall(SYS_adjtimex, a(0))));
    TRY(sleep_short(0));
    TRY(sleep_short(1));
    TRY(select_short());
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &old);
    TRY(sigprocmask(SIG_BLOCK, NULL, a(0)) + sigaction(SIGUSR1, NULL, a(1)));
    raise(SIGUSR1);
    TRY(sigpending(a(0)));
    TRY(sigtimedwait(&set, a(0), &(struct timespec){ 0, 0 }));
    raise(SIGUSR1);
    fd = signalfd(-1, &set, SFD_NONBLOCK);
    TRY(read(fd, a(0), 200));
    TRY(syscall(SYS_timer_create, CLOCK_MONOTONIC, &(struct sigevent){ .sigev_notify = SIGEV_NONE }, a(0)));
    TRY(syscall(SYS_timer_gettime, 0, a(0)));
}

static void try_sockets(void)
{
    /* All that ask: SIOCGIFNAME, -FLAGS, -ADDR, -DSTADDR, -BRDADDR, -NETMASK, -METRIC, -MEM, -MTU, -ENCAP, -HWADDR, -SLAVE,
       -INDEX, -PFLAGS, -COUNT, -TXQLEN, -MAP. */
    static const unsigned requests[] = { 0x8910, 0x8913, 0x8915, 0x8917, 0x8919, 0x891b, 0x891d, 0x891f, 0x8921, 0x8925, 0x8927, 0x8929,
                                         0x8933, 0x8935, 0x8938, 0x8942, 0x8970 };
    int                pair[2], other[2], fd = socket(AF_INET, SOCK_DGRAM, 0), server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };

    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    socketpair(AF_UNIX, SOCK_STREAM, 0, other);
    TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, a(0)));
    TRY(receive_late(pair[0], pair[1]));
    TRY((send(pair[0], "one more", 8, 0), *(int *)a(1) = 90, recvfrom(pair[1], a(0), 6, 0, a(2), a(1))));
    TRY(receive_message(pair[0], pair[1], 3));
    TRY(receive_message(other[0], other[1], 20));
    TRY((*(int *)a(1) = 100, getsockname(pair[0], a(0), a(1))) + (*(int *)a(3) = 100, getpeername(pair[0], a(2), a(3))));
    TRY((*(int *)a(1) = 50, getsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, a(0), a(1))));
    TRY((*(int *)a(1) = 50, getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, a(0), a(1))));
    unlink("socket");
    if (bind(server, (struct sockaddr *)&name, sizeof(name)) == 0 && listen(server, 1) == 0 && connect(client, (struct sockaddr *)&name, sizeof(name)) == 0)
        TRY((*(int *)a(1) = 100, accept(server, a(0), a(1))));
    for (unsigned i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        TRY(ask_device(fd, requests[i]));
    WRITES("SIOCGIFFLAGS", a(0), sizeof(struct ifreq), ask_device(fd, SIOCGIFFLAGS));
    WRITES("SIOCGIFADDR", a(0), sizeof(struct ifreq), ask_device(fd, SIOCGIFADDR));
    WRITES("SIOCGIFCONF", a(0), sizeof(struct ifconf), list_devices(fd, a(1)));
    TRY(list_devices(fd, NULL));
}

static void try_queues(void)
{
    int queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600), memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600), sems = semget(IPC_PRIVATE, 3, IPC_CREAT | 0600);

    if (queue >= 0) {
        WRITES_64("msgctl", a(0), sizeof(struct msqid_ds), msgctl(queue, IPC_STAT, a(0)));
        TRY(msgctl(0, MSG_STAT, a(0)) + msgctl(0, 13 /* MSG_STAT_ANY */, a(1)) + msgctl(0, MSG_INFO, a(2)) + msgctl(0, IPC_INFO, a(3)));
        *(long *)a(0) = 1;
        msgsnd(queue, a(0), 20, 0);
        TRY(msgrcv(queue, a(0), 100, 0, 0));
        msgctl(queue, IPC_RMID, NULL);
    }
    if (memory >= 0) {
        WRITES_64("shmctl", a(0), sizeof(struct shmid_ds), shmctl(memory, IPC_STAT, a(0)));
        TRY(shmctl(0, SHM_STAT, a(0)) + shmctl(0, 15 /* SHM_STAT_ANY */, a(1)) + shmctl(0, SHM_INFO, a(2)) + shmctl(0, IPC_INFO, a(3)));
        shmctl(memory, IPC_RMID, NULL);
    }
    if (sems >= 0) {
#if defined(SYS_semctl) && defined(__LP64__)
        WRITES_64("semctl", a(0), sizeof(struct semid_ds), semaphores(sems, IPC_STAT));
        TRY(semaphores(sems, GETALL));
        TRY(semaphores(0, SEM_STAT));
        TRY(semaphores(0, 20 /* SEM_STAT_ANY */));
        TRY(semaphores(0, SEM_INFO));
#endif
        semctl(sems, 0, IPC_RMID);
    }
}

static void try_terminals(void)
{
    int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);

    TRY(ioctl(fd, TCGETS, a(0)) + ioctl(fd, TIOCGWINSZ, a(1)) + ioctl(fd, TIOCGPTN, a(2)) + ioctl(fd, TIOCOUTQ, a(3)));
    TRY(ioctl(fd, 0x80045439 /* TIOCGPTLCK */, a(0)));
}

/*--- Signals                                                          ---*/

static volatile unsigned long dead_stack;

/* Fill the stack below, and note where it is. */
static __attribute__((noinline)) void fill_stack(void)
{
    volatile unsigned here[4000];

    for (int i = 0; i < 4000; i++)
        here[i] = 0x5a5a5a5a;
    dead_stack = (unsigned long)here;
}

static __attribute__((noinline)) void look_at_stack(void)
{
    for (int i = 0; i < 3900; i++)
        seen += ((volatile unsigned *)dead_stack)[i];
}

/* A signal's frame replaces what the program had below its stack pointer: all of it, with the core's own data. */
static void try_frames(int flags)
{
    struct sigaction action = { .sa_handler = nothing, .sa_flags = flags };

    sigaction(SIGUSR2, &action, NULL);
    fill_stack();
    raise(SIGUSR2);
    look_at_stack();
}

/*--- Threads                                                          ---*/

static int  gate;
static char near[64] __attribute__((aligned(64)));      // the argument of a call is its begin; others store behind that

static void *wait_at_gate(void *arg)
{
    *(struct sembuf *)near = (struct sembuf){ 0, -1, 0 };
    semop(gate, (struct sembuf *)near, 1);
    for (int i = 0; i < 64; i++)
        seen += ((volatile char *)near)[i];
    return arg;
}

/* Memory that another thread stores to during a call, and a futex: the kernel did not write it. */
static void try_threads(void)
{
    static int word;
    pthread_t  thread;

    word = 1;
    syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1);
    printf("stored %lx 4\n", (unsigned long)&word);

    gate = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    if (gate < 0 || semctl(gate, 0, SETVAL, 0) < 0)
        return;
    pthread_create(&thread, NULL, wait_at_gate, NULL);
    while (semctl(gate, 0, GETNCNT) == 0)
        sched_yield();
    memset(near + 8, 7, 56);
    semctl(gate, 0, SETVAL, 1);
    pthread_join(thread, NULL);
    semctl(gate, 0, IPC_RMID);
    printf("stored %lx 56\n", (unsigned long)(near + 8));
}

int main(int argc, char **argv)
{
    dir = argc > 1 ? argv[1] : ".";
    try_files(argv[0]);
    try_process();
    try_time_and_signals();
    try_sockets();
    try_queues();
    try_terminals();
    try_frames(0);
    try_frames(SA_SIGINFO);
    try_threads();
    return 0;
}
