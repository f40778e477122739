/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The command dcfg, many times. */

/* Runs the command dcfg again and again, with sanitizers.  A client sends
   command lines to the standard input:

     u32 F, F times: u32 size, that many bytes       files, at most 3
     u32 R, R times: u32 A, A times: u32 size, bytes command lines

   and for each of these gets from the standard output

     u32 kind, u32 status, u32 size, that many bytes of standard error

   KIND is RETURNED or ENDED, with the exit status; KILLED, with the signal; or
   LEAKED.  An argument "@0", "@1" or "@2" is replaced by the path of a file.
   Numbers are in the machine's byte order.

   The command runs in a child process, many times in the same one; a child that
   dies is replaced.  A run is stopped (KILLED) when it takes more processor
   time or memory than the command without sanitizers may take. */

#include "command_call.h"

#undef main
#undef exit
#undef fclose

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RETURNED, ENDED, KILLED, LEAKED };

#define MAX_SECONDS 20
#define MAX_BYTES   1000000000
#define MAX_REQUEST (64u << 20)
#define MAX_ERROR   4096
#define MAX_FILES   3
#define MAX_ARGS    20
/* Runs in one child, at most: exit() leaves memory behind. */
#define MAX_RUNS    4000

/* GCC has no header that declares these; LLVM has
   sanitizer/allocator_interface.h. */
int    __sanitizer_install_malloc_and_free_hooks(
          void (*on_malloc)(const volatile void*, size_t),
          void (*on_free)(const volatile void*));
size_t __sanitizer_get_allocated_size(const volatile void* p);

/* The sanitizers call these. */
const char* __asan_default_options(void);
const char* __ubsan_default_options(void);

const char* __asan_default_options(void)
{
   return "detect_leaks=0:allocator_may_return_null=1:abort_on_error=1:"
          "max_allocation_size_mb=1000:quarantine_size_mb=4";
}

const char* __ubsan_default_options(void)
{
   return "abort_on_error=1:print_stacktrace=1";
}

/*--- Bytes from and to descriptors                        ---*/

static bool get(int fd, void* to, size_t n)
{
   while (n > 0) {
      ssize_t k = read(fd, to, n);
      if (k <= 0)
         return false;
      to = (char*)to + k;
      n -= (size_t)k;
   }
   return true;
}

static void put(int fd, const void* from, size_t n)
{
   while (n > 0) {
      ssize_t k = write(fd, from, n);
      if (k <= 0)
         _exit(3);
      from = (const char*)from + k;
      n -= (size_t)k;
   }
}

static uint32_t get_number(int fd)
{
   uint32_t n;

   if (!get(fd, &n, sizeof(n)))
      _exit(0);
   return n;
}

/*--- A request                                            ---*/

static int      file_fd[MAX_FILES], error_fd;
static char*    request;                // command lines, as they were sent
static uint32_t n_runs;

static void get_files(void)
{
   static char buffer[1 << 16];
   uint32_t    n = get_number(0);

   for (uint32_t i = 0; i < n && i < MAX_FILES; i++) {
      uint32_t left = get_number(0);
      if (ftruncate(file_fd[i], 0) != 0 || lseek(file_fd[i], 0, SEEK_SET) != 0)
         _exit(3);
      while (left > 0) {
         uint32_t part = left < sizeof(buffer) ? left : sizeof(buffer);
         if (!get(0, buffer, part))
            _exit(3);
         put(file_fd[i], buffer, part);
         left -= part;
      }
   }
}

/* Read the command lines to REQUEST, with a zero behind each argument. */
static void get_runs(void)
{
   char* to = request;

   n_runs = get_number(0);
   for (uint32_t r = 0; r < n_runs; r++) {
      uint32_t n_args = get_number(0);
      *to++ = (char)n_args;
      for (uint32_t i = 0; i < n_args && i < MAX_ARGS; i++) {
         uint32_t size = get_number(0);
         if (size + (size_t)(to - request) + 3 > MAX_REQUEST
             || !get(0, to, size))
            _exit(3);
         to[size] = 0;
         to += size + 1;
      }
   }
}

/*--- A run                                                ---*/

static size_t live;                     // allocated bytes

static void on_malloc(const volatile void* p, size_t size)
{
   (void)p;
   live += size;
   if (live > MAX_BYTES) {
      fprintf(stderr, "more than %d bytes of memory\n", MAX_BYTES);
      abort();
   }
}

static void on_free(const volatile void* p)
{
   if (p != NULL)
      live -= __sanitizer_get_allocated_size(p);
}

static int call(char** args, int n, int* ended)
{
   struct itimerval limit = { { 0, 0 }, { MAX_SECONDS, 0 } }, none = { 0 };
   int              status;

   setitimer(ITIMER_PROF, &limit, NULL);
   status = command_call(n, args, ended);
   setitimer(ITIMER_PROF, &none, NULL);
   return status;
}

/* Run the command line at *AT, and move *AT behind it.  Return KIND. */
static uint32_t one_run(char** at, uint32_t* status)
{
   char*  args[MAX_ARGS + 2] = { (char*)"dcfg" };
   char   paths[MAX_FILES][40];
   int    n = *(*at)++, ended;
   size_t before;

   for (int i = 0; i < MAX_FILES; i++)
      snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d", file_fd[i]);
   for (int i = 1; i <= n; i++) {
      args[i] = *at;
      *at += strlen(*at) + 1;
      if (args[i][0] == '@')
         args[i] = paths[(unsigned)(args[i][1] - '0') % MAX_FILES];
   }
   if (ftruncate(error_fd, 0) != 0 || lseek(error_fd, 0, SEEK_SET) != 0)
      _exit(3);
   before = live;
   *status = (uint32_t)call(args, n + 1, &ended);
   /* The first run may keep memory for the next ones.  A second one may not
      keep more. */
   for (int i = 0; i < 2 && ended && live > before; i++) {
      before = live;
      call(args, n + 1, &ended);
   }
   return !ended ? ENDED : live > before ? LEAKED : RETURNED;
}

static void put_answer(int to, const uint32_t* kind_and_status)
{
   static char text[MAX_ERROR];
   ssize_t     n = pread(error_fd, text, sizeof(text), 0);
   uint32_t    size = n < 0 ? 0 : (uint32_t)n;

   put(to, kind_and_status, 2 * sizeof(uint32_t));
   put(to, &size, sizeof(size));
   put(to, text, size);
}

static char* skip_run(char* at)
{
   for (int n = *at++; n > 0; n--)
      at += strlen(at) + 1;
   return at;
}

/* Do the child's work: run the command lines from FIRST on, and send the
   results. */
static void work(int to, uint32_t first)
{
   char* at = request;

   for (uint32_t i = 0; i < n_runs; i++) {
      uint32_t answer[2];
      if (i < first) {
         at = skip_run(at);
         continue;
      }
      answer[0] = one_run(&at, &answer[1]);
      put_answer(to, answer);
   }
}

/*--- Children                                             ---*/

static pid_t    child;
static int      to_child, from_child;
static uint32_t age;

static void start_child(void)
{
   int in[2], out[2], nothing = open("/dev/null", O_WRONLY);

   if (nothing < 0 || pipe(in) != 0 || pipe(out) != 0)
      _exit(3);
   child = fork();
   if (child == 0) {
      close(in[1]);
      close(out[0]);
      dup2(nothing, 1);
      dup2(error_fd, 2);
      __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
      for (;;) {
         n_runs = get_number(in[0]);
         work(out[1], get_number(in[0]));
      }
   }
   close(nothing);
   close(in[0]);
   close(out[1]);
   to_child = in[1];
   from_child = out[0];
   age = 0;
}

/* Wait for the child.  Return its signal or exit status. */
static uint32_t end_child(void)
{
   int status = 0;

   close(to_child);
   close(from_child);
   waitpid(child, &status, 0);
   return (uint32_t)(WIFSIGNALED(status) ? WTERMSIG(status)
                     : WEXITSTATUS(status));
}

static void order(uint32_t first)
{
   put(to_child, &n_runs, sizeof(n_runs));
   put(to_child, &first, sizeof(first));
}

/* Pass on the child's report of a run.  Return false if the child has died. */
static bool pass_answer(void)
{
   static char text[MAX_ERROR];
   uint32_t    got[3];

   if (!get(from_child, got, sizeof(got)) || got[2] > sizeof(text)
       || !get(from_child, text, got[2]))
      return false;
   put(1, got, sizeof(got));
   put(1, text, got[2]);
   return true;
}

int main(void)
{
   signal(SIGPIPE, SIG_IGN);
   for (int i = 0; i < MAX_FILES; i++)
      file_fd[i] = memfd_create("file", 0);
   error_fd = memfd_create("error", 0);
   request = mmap(NULL, MAX_REQUEST, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (request == MAP_FAILED)
      return 3;
   start_child();
   for (;;) {
      get_files();
      get_runs();
      if (age > MAX_RUNS) {
         end_child();
         start_child();
      }
      age += n_runs;
      for (uint32_t i = 0; i < n_runs; i++) {
         if (i == 0)
            order(0);
         if (!pass_answer()) {
            uint32_t killed[2] = { KILLED, end_child() };
            put_answer(1, killed);
            start_child();
            if (i + 1 < n_runs)
               order(i + 1);
         }
      }
   }
}
