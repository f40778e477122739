/* Code overwritten in place: a function of three nops called twice, one of one nop called three times, then the first
   again, once.  Each is a generation, with an image and counts of its own. */
#include "life.h"
FUNC(_start)
        movl    $9, %eax
        xorl    %edi, %edi
        movl    $4096, %esi
        movl    $7, %edx
        movl    $0x22, %r10d
        movl    $-1, %r8d
        xorl    %r9d, %r9d
        syscall
        movq    %rax, %rbx
        movl    $0xc3909090, (%rbx)
        movl    $2, %r12d
        call    repeat
        movl    $0xc3c3c390, (%rbx)
        movl    $3, %r12d
        call    repeat
        movl    $0xc3909090, (%rbx)
        movl    $1, %r12d
        call    repeat
        EXIT
END(_start)
FUNC(repeat)
        call    *%rbx
        subl    $1, %r12d
        jnz     repeat
        ret
END(repeat)
