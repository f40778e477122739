/* Two stacks, switched by hand: a return on one leads to behind a call that was made on the other. */
#include "life.h"
FUNC(_start)
        leaq    top(%rip), %rbx
        leaq    other(%rip), %rax
        movq    %rax, (%rbx)
        movl    $3, %r12d
.Lagain:
        call    switch
        subl    $1, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(switch)
        xchgq   %rsp, %rbx
        ret
END(switch)
FUNC(other)
        nop
        call    switch
        nop
        nop
        call    switch
        jmp     other
END(other)
        .data
        .skip   1024
top:    .quad   0
