        .globl _start
_start: lea table(%rip), %rax   # 2
        test %ebx, %ebx
        cmovne (%rax), %rax     # 4: stays as it was
        mov %rax, buffer(%rip)
        lea table(%rip), %rcx   # 6
        test %rcx, (%rcx)
        setz buffer(%rip)
        mov $1, %edi
        mov $1, %eax
        lea buffer(%rip), %rsi
        mov $8, %edx
        syscall
        mov $60, %eax
        syscall
        .data
table:  .quad 1
buffer: .quad 1
