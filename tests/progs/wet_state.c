/* A process that prints what a whole execution trace should say of it: the auxiliary vector, threads, a signal, a file's
   contents, and at the end its mappings. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

static char buffer[64];
static char lines[1 << 16];

static void *run(void *arg)
{
    printf("thread %ld\n", syscall(SYS_gettid));
    return arg;
}

static void handle(int signal)
{
    buffer[0] = (char)signal;
}

static char *map(size_t pages)
{
    return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv)
{
    static const unsigned types[] = { 3, 4, 5, 6, 7, 9, 11, 12, 13, 14, 15, 17, 23, 25, 31 };
    pthread_t thread;
    char     *first, *second, *third, *break_before = sbrk(0);
    int       file = open(argv[argc - 1], O_RDONLY);
    ssize_t   n = read(file, buffer, sizeof(buffer));

    printf("read %p %zd\n", (void *)buffer, n);
    printf("pid %d\n", (int)getpid());
    printf("handler %p\n", (void *)handle);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        printf("aux %u %lx\n", types[i], getauxval(types[i]));
    signal(SIGUSR2, handle);
    raise(SIGUSR2);
    run(NULL);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    }
    first = map(8), second = map(8), third = map(8);
    memset(first, 1, 8 * PAGE);
    memset(second, 2, 8 * PAGE);
    memset(third, 3, 8 * PAGE);
    munmap(first + PAGE, PAGE);
    mprotect(second + 2 * PAGE, PAGE, PROT_READ);
    mprotect(second + 4 * PAGE, PAGE, PROT_NONE);
    third = mremap(third, 8 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
    madvise(third, PAGE, MADV_DONTNEED);
    printf("%d %d %d\n", third[0], third[PAGE], third[60 * PAGE]);
    if (mmap(first, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED || sbrk(3 * PAGE) != break_before)
        puts("the break has moved");
    printf("%d\n", first[0]);
    fflush(stdout);
    file = open("/proc/self/maps", O_RDONLY);
    while ((n = read(file, lines, sizeof(lines))) > 0)
        if (write(1, lines, n) != n)
            return 1;
    exit(7);
}
