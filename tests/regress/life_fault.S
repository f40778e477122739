/* A fault in the middle of a superblock, twice, repaired and the instruction executed again.  It counts once for each
   time it completed, and a block ends before it. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGSEGV, action)
        leaq    page(%rip), %rbx
        movl    $2, %r12d
.Lagain:
        PROTECT(0)
        nop
        nop
        addl    $1, (%rbx)
        nop
        subl    $1, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(handler)
        PROTECT(3)
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
PAGE(page)
