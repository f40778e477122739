/* Ways between excluded code and other code: calls back, longjmp out of the middle, signals, other threads (with an
   argument), functions that jump on.  The work of these threads does not depend on their order; libc's work around them
   may. */

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

static volatile int sum, compared;
static jmp_buf out;

KEEP static int by_value(const void *a, const void *b)
{
    compared++;
    return *(const int *)a - *(const int *)b;
}

/* Leaves qsort when it has had enough. */
KEEP static int impatient(const void *a, const void *b)
{
    if (++compared > 50)
        longjmp(out, 1);
    return by_value(a, b);
}

/* Sorts while another sort runs. */
KEEP static int nested(const void *a, const void *b)
{
    int few[3] = { *(const int *)a, *(const int *)b, 7 };
    qsort(few, 3, sizeof few[0], by_value);
    return few[0] - 7 + by_value(a, b);
}

KEEP static void handler(int sig)
{
    sum += sig;
    if (sig == SIGUSR1 && sum % 2 == 0)
        raise(SIGUSR2);
}

KEEP static void leaves(int sig)
{
    (void)sig;
    siglongjmp(out, 2);
}

KEEP void leaf(int n)
{
    sum += n;
}

KEEP void skipped(void (*f)(int), int n)
{
    for (int i = 0; i < n; i++)
        f(i);
    sum++;
}

/* Its last call is a jump where optimized. */
KEEP __attribute__((optimize("O2"))) void passes(void (*f)(int), int n)
{
    sum += 2;
    f(n);
}

KEEP int deep(int n)
{
    if (n == 0)
        longjmp(out, 3);
    skipped(leaf, 1);
    return deep(n - 1) + sum;
}

KEEP static void leaves_handler(void)
{
    if (!sigsetjmp(out, 1))
        raise(SIGUSR1);
}

KEEP static void leaves_recursion(int n)
{
    if (!setjmp(out))
        deep(n);
}

KEEP static void *work(void *arg)
{
    int v[20];
    for (int i = 0; i < 20; i++)
        v[i] = (i * 37 + (int)(long)arg) % 23;
    qsort(v, 20, sizeof v[0], by_value);
    sum += v[3];
    return (void *)(long)v[5];
}

static void *only_libc(void *arg)
{
    return arg;
}

KEEP static void at_end(void)
{
    sum++;
}

KEEP static void sorts(void)
{
    int v[40];
    for (int i = 0; i < 40; i++)
        v[i] = (i * 7919) % 101;
    qsort(v, 40, sizeof v[0], by_value);
    qsort(v, 10, sizeof v[0], nested);
    for (int i = 0; i < 40; i++)
        v[i] = (i * 7919) % 103;
    compared = 0;
    if (!setjmp(out))
        qsort(v, 40, sizeof v[0], impatient);
    int key = 7;
    sum += bsearch(&key, v, 40, sizeof v[0], by_value) != NULL;
}

KEEP static void threads(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_t t;
        void *result;
        pthread_create(&t, NULL, i == 2 ? only_libc : work, (void *)(long)i);
        pthread_join(t, &result);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    char text[200] = "";

    atexit(at_end);
    signal(SIGUSR1, handler);
    signal(SIGUSR2, handler);
    sorts();
    for (int i = 0; i < 5; i++) {
        raise(SIGUSR1);
        sprintf(text + strlen(text), "%d ", sum);
    }
    signal(SIGUSR1, leaves);
    for (int i = 0; i < 3; i++) {
        leaves_handler();
        leaves_recursion(i + 2);
    }
    skipped(leaf, 5);
    passes(leaf, 3);
    if (argc > 1)
        threads();
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        sorts();
        exit(0);
    }
    waitpid(child, NULL, 0);
    printf("%s%d\n", text, compared);
    return 0;
}
