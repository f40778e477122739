# A thread that begins with the registers of the one that made it: general, vector, and the stack pointer's argument.
#if defined(__x86_64__)
# define CALL(n64, n32) mov $n64, %eax; syscall
# define VALUE %r12d
# define STACK %rsp
# define FLAGS %edi
# define ROOM %rsi
# define STATUS %edi
# define NR_CLONE 56
#else
# define CALL(n64, n32) mov $n32, %eax; int $0x80
# define VALUE %ebp
# define STACK %esp
# define FLAGS %ebx
# define ROOM %ecx
# define STATUS %ebx
# define NR_CLONE 120
#endif
.globl _start
_start:
        xor %edx, %edx
        mov $41, VALUE
general: inc VALUE
vector: movd VALUE, %xmm5
        mov $0x50f00, FLAGS
stack:  mov $room + 4096, ROOM
#if defined(__i386__)
        xor %esi, %esi
        xor %edi, %edi
#else
        xor %r10d, %r10d
        xor %r8d, %r8d
#endif
        mov $NR_CLONE, %eax
#if defined(__x86_64__)
result: syscall
#else
result: int $0x80
#endif
        test %eax, %eax
        jz born
        xor VALUE, VALUE
        pxor %xmm5, %xmm5
wait:   CALL(24, 158)
        cmpl $0, done
        jz wait
        xor STATUS, STATUS
        CALL(231, 252)
born:
at_result: mov %eax, out
at_general: mov VALUE, out
at_vector: movd %xmm5, out
at_stack: mov STACK, out
        movl $1, done
        CALL(60, 1)
.bss
out:    .zero 8
done:   .zero 8
room:   .zero 4096
.section .note.GNU-stack, "", @progbits
