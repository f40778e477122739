/* The top of x87's stack where nothing of the record says it: behind a long loop, of which --wet-ring forgets the begin, and
   in a thread, which begins with that of its creator.  Each puts a number on the stack and finds it by the register's number.
   Prints both. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

unsigned char envs[28];
double        three = 3, main_number = 1234, thread_number = 5678, main_found, thread_found;
uint32_t      noise[1 << 16];

static void *find_thread(void *unused)
{
    asm volatile("thread_load: fldl thread_number\n   fldenv envs\n   thread_obs: fstl thread_found" ::: "memory");
    return unused;
}

static void __attribute__((noinline)) find_main(void)
{
    asm volatile("main_load: fldl main_number\n   fldenv envs\n   main_obs: fstpl main_found\n   ffree %%st(7)" ::: "memory");
}

int main(void)
{
    pthread_t t;
    uint32_t  x = 1;

    /* All registers are valid, the top is 4. */
    envs[0] = 0x7f, envs[1] = 0x03, envs[5] = 4 << 3;
    asm volatile("fninit\n   fldl three\n   fldl three\n   fldl three");
    for (int i = 0; i < 500000; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        noise[x >> 16]++;
    }
    find_main();
    pthread_create(&t, NULL, find_thread, NULL);
    pthread_join(t, NULL);
    asm volatile("fninit");
    printf("%g %g\n", main_found, thread_found);
    return 0;
}
