/* The function that nothing has called calls itself, as what static 32-bit programs begin with does: the call that returns
   is not known to be active, and ends with the next jump.  Another call may come before that.  Repeated instructions with two
   ways out begin again by one of them, until a count is 0 or something is found. */
        .globl  _start
        .type   _start, @function
_start: call    .Lagain
        nop
        push    $0
        call    other
        nop
        jmp     .Lon
.Lon:   nop
#ifdef __x86_64__
        mov     $60, %eax
        xor     %edi, %edi
        syscall
#else
        mov     $1, %eax
        xor     %ebx, %ebx
        int     $0x80
#endif
.Lagain:
        nop
        ret
        .size   _start, . - _start
        .type   other, @function
other:  mov     $text, %edi
        mov     $text, %esi
        mov     $0x6261, %eax
        mov     $9, %ecx
        repne scasw
        call    .Lsame
        ret
.Lsame: mov     $4, %ecx
        mov     $text, %edi
        repe cmpsb
        mov     $5, %ecx
        repne scasb
        ret
        .size   other, . - other
        .data                           /* or Valgrind reads no symbols */
text:   .ascii  "..cd..abefghijklmn"
        .section .note.GNU-stack, "", @progbits
