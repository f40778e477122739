#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int single;
static volatile unsigned long wide;
static volatile long sum;
static volatile int data = 0x11111111, kept = 0x22222222, zeros, zeros_kept;
static int poke(pid_t to, volatile void* at, int value) {
   struct iovec from = { &value, 4 }, where = { (void*)at, 4 };
   return process_vm_writev(to, &from, 1, &where, 1, 0) != 4;
}
int main(int argc, char** argv) {
   int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600), new = 0x0A0B0C0D, status = 0, many = atoi(argv[2]);
   if (ftruncate(fd, 8192) != 0) return 1;
   volatile int* page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   volatile int* twin = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
   volatile int* both = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   int memory = open("/proc/self/mem", O_RDWR);
   volatile int* fresh = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   pid_t self = getpid();
   printf("both %p twin %p file %p single %p wide %p bytes %p\n", both, page + 1024, page, &single, &wide, page + 8);

   *both = 0x01010101;                          // told both
   if (fork() == 0) { *both = 0x02020202; _exit(0); }
   wait(&status);
   int a = *both;                               // load both

   page[1024] = 0x03030303;                     // told twin
   twin[0] = 0x04040404;                        // alias twin
   int b = page[1024];                          // load twin

   page[0] = 0x05050505;                        // told file
   if (pwrite(fd, &new, 4, 0) != 4) return 2;   // call file
   int c = page[0];                             // load file

   single = 0x06060606;                         // told single
   if (pwrite(memory, &new, 4, (long)&single) != 4) return 3; // call single
   int d = single;                              // load single

   wide = 0x1111111111111111;                   // told wide
   if (fork() == 0) {
      struct iovec from = { (void*)&new, 2 }, to = { (char*)&wide + 3, 2 };
      _exit(process_vm_writev(self, &from, 1, &to, 1, 0) != 2);
   }
   wait(&status);
   unsigned long e = wide;                      // load wide

   int before = page[8];                        // told bytes
   if (pwrite(fd, &new, 1, 33) != 1) return 4;  // call bytes
   short f = ((volatile short*)page)[16];       // load bytes

   twin[6] = 0x07070707;                        // alias first
   int g = page[1030];                          // load first

   int poked = 0;
   if (fork() == 0) _exit(poke(self, &data, 0x08080808) | poke(self, &zeros, 0x09090909) | poke(self, fresh, 0x0A0A0A0A));
   wait(&poked);
   int h = data;                                // load data
   int j = zeros;                               // load zeros
   int k = *fresh;                              // load fresh
   int l = data;                                // load again
   int m = kept;                                // load kept
   int n = zeros_kept;                          // load zeros_kept
   int o = fresh[1];                            // load fresh_kept

   for (int i = 1; i <= many; i++) {
      twin[2] = i;
      sum += page[1026];
   }
   printf("%x %x %x %x %lx %d %x %d %x %ld %d %x\n", a, b, c, d, e, before, f, status, g, sum, poked,
          h + j + k + l + m + n + o);
   return 0;
}
