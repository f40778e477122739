/* Generates functions, tells perf their names, and calls them.  Each has another number of nops: alpha 1, beta 2, gamma 3,
   delta 4, omega 5.  gamma replaces alpha; beta moves, and delta comes in its place; omega is told to nobody.

   The words of the command line: "map" writes a line of /tmp/perf-PID.map before the function is first called, "late" all
   lines at the end.  "dump" writes the records of a jitdump, jit-PID.dump in this directory, at the end; with "lines" it has source lines, with
   "elf" at addresses as in perf's ELF file.  "bad" adds lines
   and records that are none.  With "old" whatever map is there stays.  With "fork" a child makes calls, too. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int (*function)(void);

static unsigned char *code;
static FILE *map, *dump;
static int late, bad, lines, elf;

static uint64_t now(void)
{
   struct timespec t;
   clock_gettime(CLOCK_MONOTONIC, &t);
   return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void begin_dump(void)
{
   uint32_t head[6] = { 0x4A695444, 1, 40, 62, 0, getpid() };
   uint64_t rest[2] = { now(), 0 };
   char path[64];
   sprintf(path, "jit-%d.dump", getpid());
   dump = fopen(path, "w+");
   setvbuf(dump, NULL, _IOFBF, 1 << 20);
   mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
   fwrite(head, sizeof(head), 1, dump);
   fwrite(rest, sizeof(rest), 1, dump);
}

static void begin_map(void)
{
   char path[64];
   sprintf(path, "/tmp/perf-%d.map", getpid());
   map = fopen(path, "w");
   if (late)
      setvbuf(map, NULL, _IOFBF, 1 << 20);
   else
      setvbuf(map, NULL, _IOLBF, 0);
}

static void record(uint32_t kind, uint32_t size, const void *body, uint32_t n)
{
   uint32_t head[2] = { kind, size };
   uint64_t time = now();
   fwrite(head, sizeof(head), 1, dump);
   fwrite(&time, sizeof(time), 1, dump);
   fwrite(body, n, 1, dump);
}

/* The first code of function number N has line 100 N of gen.lang, the last six bytes have the next line. */
static void tell_lines(uint64_t at, uint64_t size)
{
   static int n;
   uint64_t first = at + (elf ? 0x40 : 0), second = first + size - 6, two = 2, all = ~0ull >> 8;
   uint32_t line[2] = { 100 * ++n, 0 }, next[2] = { 100 * n + 1, 0 };
   char body[256], *to = body;

   if (bad && n == 1) {
      memcpy(body, &at, 8), memcpy(body + 8, &all, 8);
      record(2, 16 + 16, body, 16);
   }
   memcpy(to, &at, 8), memcpy(to + 8, &two, 8), to += 16;
   memcpy(to, &first, 8), memcpy(to + 8, line, 8), strcpy(to + 16, "gen.lang"), to += 16 + 9;
   memcpy(to, &second, 8), memcpy(to + 8, next, 8), strcpy(to + 16, "\xff"), to += 16 + 2;
   record(2, 16 + (to - body), body, to - body);
}

static void tell(const char *name, uint64_t at, uint64_t size)
{
   if (map && bad)
      fprintf(map, "nonsense\n%llx\n%llx ffffffffffffffffff much\n\nffffffffffffff00 ffffffffffffffff end\n",
              (unsigned long long)at, (unsigned long long)at);
   if (map)
      fprintf(map, "%s%llx %llx %s\n", late ? "0x" : "", (unsigned long long)at, (unsigned long long)size, name);
   if (dump) {
      char body[256] = { 0 };
      uint64_t numbers[5] = { getpid(), at, at, size, 1 };
      uint32_t n = 40 + strlen(name) + 1 + size;
      if (lines)
         tell_lines(at, size);
      memcpy(body, numbers, 40);
      strcpy(body + 40, name);
      record(0, 16 + n, body, n);
      record(4, 16 + 8, body, 8);             /* a kind that says nothing of names */
   }
}

/* Emit the function with N nops at slot K. */
static void emit(int k, int n)
{
   unsigned char *p = code + 64 * k;
   memset(p, 0x90, n);
   memcpy(p + n, "\xb8\x01\0\0\0\xc3", 6);    /* mov $1, %eax; ret */
}

static int call(int k, int times)
{
   int sum = 0;
   while (times-- > 0)
      sum += ((function)(code + 64 * k))();
   return sum;
}

int main(int argc, char **argv)
{
   int child = 0, k, sum = 0;

   code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   for (k = 1; k < argc; k++)
      late |= !strcmp(argv[k], "late"), bad |= !strcmp(argv[k], "bad"), child |= !strcmp(argv[k], "fork"),
         elf |= !strcmp(argv[k], "elf"), lines |= elf || !strcmp(argv[k], "lines");
   for (k = 1; k < argc; k++) {
      if (!strcmp(argv[k], "map") || late)
         begin_map();
      if (!strcmp(argv[k], "dump"))
         begin_dump();
   }
   emit(0, 1), tell("alpha", (uintptr_t)code, 7);
   emit(1, 2), tell("beta (of two)", (uintptr_t)code + 64, 8);
   emit(6, 5);
   sum += call(0, 4) + call(1, 9) + call(6, 2);
   emit(0, 3), tell("gamma", (uintptr_t)code, 9);
   sum += call(0, 1);
   emit(2, 2);
   if (dump) {
      uint64_t a = (uintptr_t)code, moved[6] = { getpid(), a + 128, a + 64, a + 128, 8, 1 };
      record(1, 16 + 48, moved, 48);
   }
   if (map)
      fprintf(map, "%llx 8 beta (of two)\n", (unsigned long long)(uintptr_t)code + 128);
   sum += call(2, 6);
   emit(1, 4), tell("delta", (uintptr_t)code + 64, 10);
   sum += call(1, 3);
   if (child) {
      if (fork() == 0) {
         sum = call(1, 20);
         _exit(sum != 20);
      }
      wait(NULL);
   }
   if (dump && bad)
      record(0, 0xfffffff0u, "hostile", 7);
   if (dump)
      fclose(dump);
   if (map)
      fclose(map);
   printf("%d\n", sum);
   return 0;
}
