/* Shared by the freestanding programs with signals.  A handler is entered with the address of `restore' on its stack,
   as libc's are, and returns there; it finds the saved context in %rdx. */
#include "edge.h"
#define SIGILL      4
#define SIGTRAP     5
#define SIGBUS      7
#define SIGFPE      8
#define SIGUSR1     10
#define SIGSEGV     11
#define SIGUSR2     12
#define SIGALRM     14
#define SA_SIGINFO  4
#define SA_RESTORER 0x04000000
#define SA_ONSTACK  0x08000000
#define SA_RESTART  0x10000000
#define SA_NODEFER  0x40000000
#define SAVED_RCX   152(%rdx)
#define SAVED_RIP   168(%rdx)
/* HANDLE: sets a signal's handler, in six instructions.  GETPID: puts the process id into %ebp, in three.  RAISE: sends a
   signal to that process, in four.  PROTECT: sets access to the page at %rbx, in five; it changes %rdx. */
#define HANDLE(sig, action)  movl $13, %eax; movl $sig, %edi; leaq action(%rip), %rsi; xorl %edx, %edx; \
                             movl $8, %r10d; syscall
#define GETPID               movl $39, %eax; syscall; movl %eax, %ebp
#define RAISE(sig)           movl $62, %eax; movl %ebp, %edi; movl $sig, %esi; syscall
#define PROTECT(prot)        movl $10, %eax; movq %rbx, %rdi; movl $4096, %esi; movl $prot, %edx; syscall
#define RESTORE              FUNC(restore) movl $15, %eax; syscall; END(restore)
#define ACTION(name, handler, flags) \
                             .data; .balign 8; name: .quad handler, SA_RESTORER | (flags), restore, 0
#define PAGE(name)           .data; .balign 4096; name: .skip 4096
