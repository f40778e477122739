        .globl _start
_start: mov $0x41, %ebx         # 2: kept
        mov $0x42, %r12d
        mov $0x43, %ebp
        mov $64, %edi           # 5: how much is wanted
        call malloc
        mov %bl, buffer(%rip)
        mov %r12b, buffer+1(%rip)
        mov %bpl, buffer+2(%rip)
        mov %al, buffer+3(%rip)
        mov $1, %eax
        mov $1, %edi
        lea buffer(%rip), %rsi
        mov $4, %edx
        syscall
        mov $60, %eax
        syscall
        .lcomm buffer, 4
