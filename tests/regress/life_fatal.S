/* A fault that nothing handles kills the process.  The file is complete, and the last block is what completed. */
#include "life.h"
FUNC(_start)
        movl    $3, %ecx
.Lagain:
        subl    $1, %ecx
        jnz     .Lagain
        nop
        addl    $1, (%rcx)
        nop
        EXIT
END(_start)
