/* Instructions of many kinds, so that the value that each computes can be looked at: see tests/tool/wet.t.  It has no
   library, and ends by itself. */

   .globl _start
   .data
buf: .fill 256,1,7
src: .ascii "the quick brown fox jumps over the lazy dog, twice or so."
   .balign 16
vec: .quad 0x1122334455667788, 0x99aabbccddeeff00
one: .double 1.5
sgl: .float 2.25
   .text
f: push %rbp
   mov %rsp,%rbp
   sub $32,%rsp
   mov %edi,-4(%rbp)
   mov -4(%rbp),%eax
   imul $7,%eax,%eax
   leave
   ret
_start:
   mov $0x1234567890abcdef,%rax
   mov %al,%bl
   mov %ah,%bh
   mov %ax,%cx
   mov %eax,%edx
   xor %r8d,%r8d
   sub %r9,%r9
   add $5,%r8
   adc %rax,%r9
   lea 8(%rax,%r8,4),%r10
   push %rax
   push $77
   pop %r11
   pop %r12
   mov $100,%edi
   call f
   mov $3,%ecx
   mul %rcx
   mul %ecx
   mov $9,%bl
   mul %bl
   mov $0,%edx
   mov $1000,%eax
   mov $7,%ecx
   div %ecx
   cqo
   idiv %rcx
   imul %rcx
   imul %rcx,%rax
   cqo
   cdqe
   cwde
   xchg %rax,%rcx
   xchg %rax,buf
   xadd %rax,%rcx
   lock xadd %rax,buf+8
   mov $5,%eax
   cmpxchg %rcx,%rdx
   lock cmpxchg %rcx,buf+16
   cmpxchg %rcx,buf+24
   lock incl buf+32
   notl buf+36
   bswap %rcx
   bsf %rcx,%rdx
   bt %rax,%rcx
   bts %rax,%rcx
   btr $3,%rcx
   btsl $3,buf
   shl $3,%rcx
   rol $5,%rcx
   shld $4,%rdx,%rcx
   sar %cl,%rdx
   cmp %rax,%rcx
   setb %al
   cmovb %rcx,%rdx
   cmova %rcx,%rdx
   cmovb %ecx,%edx
   movzbl src,%eax
   movsbq src+1,%rax
   movzwl src,%eax
   lea src(%rip),%rsi
   lea buf(%rip),%rdi
   mov $20,%ecx
   cld
   rep movsb
   lea src,%rsi
   lodsb
   lodsw
   lodsl
   lodsq
   stosq
   movsq
   mov $'o',%al
   mov $30,%ecx
   lea src,%rdi
   repne scasb
   lea src,%rsi
   lea src+3,%rdi
   movdqa vec,%xmm0
   movq %rax,%xmm1
   movd %eax,%xmm2
   movaps %xmm0,%xmm3
   paddb %xmm1,%xmm3
   pxor %xmm4,%xmm4
   pshufd $0x1b,%xmm0,%xmm5
   movups %xmm5,buf+64
   movq %xmm5,buf+80
   movss sgl,%xmm6
   movss %xmm6,%xmm7
   movsd one,%xmm8
   addsd %xmm8,%xmm8
   cvtsi2sd %rax,%xmm9
   cvttsd2si %xmm8,%rdx
   mulss %xmm6,%xmm6
   movmskpd %xmm0,%eax
   pmovmskb %xmm0,%eax
   pinsrw $2,%eax,%xmm0
   pextrw $2,%xmm0,%edx
   movhps vec,%xmm3
   movlps %xmm3,buf+96
   ucomisd %xmm8,%xmm9
   punpcklbw %xmm0,%xmm3
   mov $3,%ecx
2: dec %ecx
   jnz 2b
   movq vec,%mm0
   paddb %mm0,%mm0
   movq %mm0,buf+104
   emms
   movdqa vec,%xmm0
   movq %xmm0,%xmm1
   punpcklqdq %xmm1,%xmm0
   .rept 60                     # each sum has the one before it twice
   paddq %xmm0,%xmm0
   .endr
   movq %xmm0,%rax
   fld1
   fldl one
   faddp
   fstl buf+112
   fstpl buf+120
   fildl buf+4
   fistpl buf+128
   fnstsw %ax
   enter $16,$0
   leave
   mov $0,%eax
   cpuid
   mov %fs,%eax
   lahf
   sahf
   clc
   cmc
   stc
   std
   cld
   sbb %eax,%eax
   neg %ecx
   loop 3f
3: mov $60,%eax
   xor %edi,%edi
   lea buf,%rbx
   mov $60,%eax
   syscall
