/* Asks its surroundings for what differs from run to run, and lets threads meet.

   usage: steady asks|waits|ends|turns|sleeps|deadlines|exits

   "asks" prints each answer.  "waits", "ends" and "turns" have threads: with deadlines that are met and missed, that end
   while others join them, and that take the same lock without system calls.  They print in which order what happened.
   "sleeps" and "deadlines" print what each call returned.  "exits" ends while threads run. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void put(const char *name, const void *bytes, size_t n)
{
    printf("%s ", name);
    for (size_t i = 0; i < n; i++)
        printf("%02x", ((const unsigned char *)bytes)[i]);
    putchar('\n');
}

static void put_file(const char *name, int max)
{
    char buf[100001];
    int  fd = open(name, O_RDONLY);
    int  n = fd < 0 ? -1 : (int)read(fd, buf, max);
    int  other = fd < 0 ? -1 : dup(fd);
    char rest[2][4] = { { 0 } };
    struct iovec parts[2] = { { rest[0], 3 }, { rest[1], 3 } };
    unsigned sum = 0;

    for (int i = 0; i < n; i++)
        sum = sum * 31 + (unsigned char)buf[i];
    if (other >= 0 && readv(other, parts, 2) < 0)
        puts("readv failed");
    printf("%s %d %08x ", name, n, sum);
    put("then", rest, sizeof rest);
    close(other);
    close(fd);
}

static int asks(void)
{
    unsigned char   bytes[16];
    struct timespec t;
    struct timeval  v;
    struct rusage   u;
    struct sysinfo  s;
    struct tms      m;
    cpu_set_t       set;
    unsigned        a, b, c, d;

    put("AT_RANDOM", (void *)getauxval(AT_RANDOM), 16);
    if (getrandom(bytes, 16, 0) != 16)
        return 1;
    put("getrandom", bytes, 16);
    put_file("/dev/urandom", 100000);
    put_file("/dev/random", 4);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 8; k++)
            if (clock_gettime(k, &t) == 0)
                printf("clock %d %lld.%09ld\n", k, (long long)t.tv_sec, t.tv_nsec);
        gettimeofday(&v, NULL);
        printf("time %lld %lld.%06ld\n", (long long)time(NULL), (long long)v.tv_sec, (long)v.tv_usec);
    }
    getrusage(RUSAGE_SELF, &u);
    printf("used %lld.%06ld %ld\n", (long long)u.ru_utime.tv_sec, (long)u.ru_utime.tv_usec, u.ru_maxrss);
    printf("times %lld", (long long)times(&m));
    printf(" %lld\n", (long long)m.tms_utime);
    sched_getaffinity(0, sizeof set, &set);
    printf("cpus %d, %ld, %ld, on %d\n", CPU_COUNT(&set), sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF),
           sched_getcpu());
    put_file("/proc/cpuinfo", 100000);
    put_file("/sys/devices/system/cpu/online", 100);
    sysinfo(&s);
    printf("memory %llu %llu\n", (unsigned long long)s.totalram * s.mem_unit, (unsigned long long)s.freeram * s.mem_unit);
    put_file("/proc/meminfo", 100000);
    asm volatile("rdtsc" : "=a"(a), "=d"(d));
    printf("rdtsc %08x%08x\n", d, a);
    for (unsigned leaf = 1; leaf <= 7; leaf += 6) {
        a = leaf, c = 0;
        asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        printf("cpuid %u %08x %08x %08x %08x\n", leaf, a, b, c, d);
        if (leaf == 1 && (c & 1u << 30)) {
            asm volatile("rdrand %0" : "=r"(a) : : "cc");
            printf("rdrand %08x\n", a);
        }
    }
    return 0;
}

/*--- Threads                                              ---*/

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  work = PTHREAD_COND_INITIALIZER;
static char            order[100000];
static volatile long   n_order, queue, done, n_missed, sum;

static void note(char c)
{
    if (n_order < (long)sizeof order - 1)
        order[n_order++] = c;
}

static struct timespec from_now(clockid_t clock, long nanoseconds)
{
    struct timespec t;

    clock_gettime(clock, &t);
    t.tv_nsec += nanoseconds;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void compute(long n)
{
    for (volatile long i = 0; i < n; i++)
        sum += i;
}

static void *worker(void *arg)
{
    long me = (long)arg;

    for (;;) {
        struct timespec t = from_now(CLOCK_REALTIME, 300000 * (me + 1));
        pthread_mutex_lock(&lock);
        while (!queue && !done)
            if (pthread_cond_timedwait(&work, &lock, &t) == ETIMEDOUT) {
                n_missed++;
                note('a' + me);
                break;
            }
        if (queue) {
            queue--;
            note('A' + me);
            pthread_mutex_unlock(&lock);
            compute(3000 * (me + 1));
        } else {
            pthread_mutex_unlock(&lock);
            if (done)
                return NULL;
        }
    }
}

static int waits(void)
{
    pthread_t t[6];

    for (long i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int k = 0; k < 30; k++) {
        pthread_mutex_lock(&lock);
        queue++;
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&lock);
        compute(k % 7 * 4000);
        if (k % 10 == 0)
            usleep(2000);
    }
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    printf("%s\n", order);
    return 0;
}

#define LOCKS 2000

static pthread_mutex_t robust[4][LOCKS];

/* Ends with many locks: the kernel has to give them up before it clears the thread's number. */
static void *ending(void *arg)
{
    pthread_mutexattr_t attr;

    note('a' + (long)arg);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&robust[(long)arg][i], &attr);
        pthread_mutex_lock(&robust[(long)arg][i]);
    }
    return NULL;
}

/* The kernel clears a thread's number some time after its last instruction: joining sees that, or waits. */
static int ends(void)
{
    pthread_t t[4];

    for (int k = 0; k < 20; k++) {
        int n = k % 4 + 1;
        for (long i = 0; i < n; i++)
            pthread_create(&t[i], NULL, ending, (void *)i);
        compute(k * 1000);
        for (int i = n; i-- > 0;) {
            pthread_join(t[i], NULL);
            note('A' + i);
        }
    }
    printf("%s\n", order);
    return 0;
}

static volatile int flag;
static pthread_barrier_t barrier;

/* Spins, mostly without system calls.  Then sleeps with a part of its time used up. */
static void *spinner(void *arg)
{
    int me = (int)(long)arg;

    pthread_barrier_wait(&barrier);
    for (int k = 0; k < 4; k++) {
        for (long n = 1; flag % 3 != me; n++)
            if (n % 100000 == 0)
                sched_yield();
        note('0' + me);
        compute(1000);
        flag++;
    }
    for (int k = 0; k < 5; k++) {
        compute(20000 * (me + 1));
        usleep(50);
        for (int i = 0; i < 6; i++) {
            compute(20000);
            note('a' + me);
        }
    }
    return NULL;
}

static int turns(void)
{
    pthread_t t[3];

    pthread_barrier_init(&barrier, NULL, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, spinner, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%s\n", order);
    return 0;
}

/*--- Time                                                 ---*/

static long long now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int sleeps(void)
{
    const struct timespec t = { 0, 20000000 };
    struct timespec       at = from_now(CLOCK_MONOTONIC, 20000000);
    struct timeval        v = { 0, 20000 };
    long long             before = now(CLOCK_MONOTONIC), start = before;
    int                   ends[2];

    if (pipe(ends) != 0)
        return 1;
    printf("nanosleep %d", nanosleep(&t, NULL));
    printf(" %d\n", now(CLOCK_MONOTONIC) - before >= 20000000);
    before = now(CLOCK_MONOTONIC);
    printf("poll %d", poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, 20));
    printf(" %d\n", now(CLOCK_MONOTONIC) - before >= 20000000);
    before = now(CLOCK_MONOTONIC);
    printf("select %d", select(0, NULL, NULL, NULL, &v));
    printf(" %d %ld\n", now(CLOCK_MONOTONIC) - before >= 20000000, (long)v.tv_usec);
    printf("deadline %d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
    for (long n = 0; now(CLOCK_MONOTONIC) - start < 70000000; n++)
        ;
    puts("spun");
    return 0;
}

static void *late(void *arg)
{
    usleep(1000);
    if (write((int)(long)arg, "x", 1) != 1)
        abort();
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    compute(100000);
    return NULL;
}

/* Threads whose deadlines are far away, and are met. */
static int deadlines(void)
{
    struct timespec t;
    pthread_t       p;
    int             ends[2];

    if (pipe(ends) != 0)
        return 1;
    pthread_create(&p, NULL, late, (void *)(long)ends[1]);
    printf("poll %d\n", poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, 100000));
    t = from_now(CLOCK_REALTIME, 900000000);
    t.tv_sec += 100;
    pthread_mutex_lock(&lock);
    while (!flag)
        if (pthread_cond_timedwait(&work, &lock, &t) != 0)
            puts("missed");
    pthread_mutex_unlock(&lock);
    printf("join %d\n", pthread_timedjoin_np(p, NULL, &t));
    printf("then %lld\n", (t.tv_sec * 1000000000LL + t.tv_nsec - now(CLOCK_REALTIME)) / 1000000000);
    t = from_now(CLOCK_REALTIME, 1000000);
    pthread_mutex_lock(&lock);
    printf("wait %s\n", strerror(pthread_cond_timedwait(&work, &lock, &t)));
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *forever(void *arg)
{
    for (;;)
        compute(1000);
    return arg;
}

static int exits(void)
{
    pthread_t t;

    for (int i = 0; i < 3; i++)
        pthread_create(&t, NULL, forever, NULL);
    compute(300000);
    puts("ends");
    fflush(stdout);
    _exit(3);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int       (*run)(void);
    } all[] = { { "asks", asks },     { "waits", waits },         { "ends", ends },   { "turns", turns },
                { "sleeps", sleeps }, { "deadlines", deadlines }, { "exits", exits } };

    for (unsigned i = 0; argc == 2 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            return all[i].run();
    fputs("usage: steady asks|waits|ends|turns|sleeps|deadlines|exits\n", stderr);
    return 2;
}
