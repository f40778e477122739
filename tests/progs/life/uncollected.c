/* Code runs while its thread is not collected, which counts nowhere.  Then code
   near it changes, and then this code: is that noticed where it has run, and
   only there?
   Usage: uncollected returns|faults */

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <valgrind/dcfg.h>

typedef int (*Function)(void);

enum { RETURNS = 64, FAULTS = 128, RET = 0xc3 };

static unsigned char* page;

/* Go on behind the load, which has two bytes. */
static void skip(int signal, siginfo_t* info, void* context)
{
   (void)signal;
   (void)info;
   ((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static int call(int at)
{
   return ((Function)(page + at))();
}

/* Write code that returns VALUE. */
static void write_return(int at, unsigned char value)
{
   unsigned char code[] = { 0xb8, value, 0, 0, 0, RET };

   memcpy(page + at, code, sizeof(code));
}

/* Write code that returns VALUE, but loads from address 0 before. */
static void write_fault(int at, unsigned char value)
{
   unsigned char code[] = { 0xb8, value, 0, 0, 0, 0x31, 0xc9, 0x8b, 0x09, RET };

   memcpy(page + at, code, sizeof(code));
}

int main(int argc, char** argv)
{
   struct sigaction on_fault = { .sa_sigaction = skip, .sa_flags = SA_SIGINFO };
   int              sum = 0;

   if (argc != 2)
      return 2;
   sigaction(SIGSEGV, &on_fault, NULL);
   page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (page == MAP_FAILED)
      return 2;
   write_return(0, 1);
   write_fault(FAULTS, 2);
   sum += call(0);
   if (strcmp(argv[1], "returns") == 0) {
      DCFG_TOGGLE;
      write_return(RETURNS, 2);
      sum += call(RETURNS);
      DCFG_TOGGLE;
      write_return(0, 3);               /* the second generation */
      sum += call(0);
      write_return(0, 4);               /* the third; RETURNS ran in the first */
      sum += call(0);
      write_return(RETURNS, 5);
      sum += call(RETURNS);
   } else {
      sum += call(FAULTS);
      write_return(0, 3);               /* the second generation */
      sum += call(0);
      DCFG_TOGGLE;
      sum += call(FAULTS);
      DCFG_TOGGLE;
      write_fault(FAULTS, 7);           /* the third: FAULTS ran in the second */
      sum += call(FAULTS);
      sum += call(0);
   }
   printf("%d\n", sum);
   return 0;
}
