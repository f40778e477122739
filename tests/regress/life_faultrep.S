/* A REP instruction that faults at its third element of five, and one that faults at its first of two.  Completed
   executions count, failed attempts do not.  Valgrind decrements the counter before the access, and does not restore it
   for the handler.  So the repaired instruction continues with one element less.  It has 5 and 2 executions, with the
   last test of the counter; a processor makes 6 and 3. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGSEGV, action)
        leaq    page(%rip), %rbx
        PROTECT(0)
        leaq    -2(%rbx), %rdi
        movl    $5, %ecx
        rep stosb
        PROTECT(0)
        movq    %rbx, %rdi
        movl    $2, %ecx
        rep stosb
        EXIT
END(_start)
FUNC(handler)
        PROTECT(3)
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
        .data
        .skip   16
PAGE(page)
