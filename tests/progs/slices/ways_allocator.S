        .globl malloc
        .type malloc, @function
malloc: push %rbx
        push %rbp
        mov %rsp, %rbp
        sub $16, %rsp
        mov %r12, -8(%rbp)
        mov next(%rip), %rbx
        lea (%rbx,%rdi), %r12
        mov %r12, next(%rip)
        mov %rbx, %rax
        mov -8(%rbp), %r12
        leave
        pop %rbx
        ret
        .size malloc, . - malloc
        .data
next:   .quad next
