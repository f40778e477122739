/* Frame of the freestanding test programs.  Jump targets are .L labels, which leave no symbols.  So only FUNC makes functions
   for the tool: a jump to a function's symbol makes a routine, and a jump to a label does not. */
#define FUNC(name)  .text; .globl name; .type name, @function; name:
#define END(name)   .size name, . - name
#define EXIT        movl $231, %eax; xorl %edi, %edi; syscall
        .section .note.GNU-stack, "", @progbits
        /* Older Valgrinds read symbols only of objects that have a writable segment, too. */
        .data
        .quad   0
