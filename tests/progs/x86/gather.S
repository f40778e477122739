/* A gather whose mask takes elements 0 and 2 of four, each of which was written by an instruction of its own; where the stack
   pointer stands there is something as well.  (Linux, without libc) */
   .text
   .globl _start
_start:
   push $77
   mov $1, %eax
element_0: mov %eax, table
   mov %eax, table+4
element_2: mov %eax, table+8
   mov %eax, table+12
   vmovdqu index, %xmm1
   vmovdqu mask, %xmm2
   vpxor %xmm0, %xmm0, %xmm0
gather: vpgatherdd %xmm2, table(,%xmm1,4), %xmm0
   vmovdqu %xmm0, result
   xor %edi, %edi
   mov $60, %eax
   syscall

   .data
   .balign 16
index:  .long 0, 1, 2, 3
mask:   .long -1, 0, -1, 0
table:  .long 9, 9, 9, 9
result: .long 0, 0, 0, 0
