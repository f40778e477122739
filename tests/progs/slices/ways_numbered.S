        .globl _start
_start: mov $0x41, %ebx         # 2
        mov %bl, buffer(%rip)
        mov $1, %edi
        lea buffer(%rip), %rsi
        mov $1, %edx
        push $1
        call pushed
        pop %rax
        mov $39, %r9d
        call moved
        pushq $231
        mov $3, %edi            # 13
        call pushed
pushed: push 8(%rsp)
        pop %r8
        mov %r8, %rax
        syscall
        ret
moved:  mov %r9, %rax
        syscall
        ret
        .data                   # without data Valgrind reads no lines
buffer: .quad 1
