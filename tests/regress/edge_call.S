/* Direct and indirect calls and their returns.  Each call that came back has an uncounted CALL_BYPASS to its
   return site; the last one does not come back and has none. */
#include "edge.h"
FUNC(_start)
        call    f
        call    f
        leaq    g(%rip), %rbx
        movl    $2, %ebp
.Lagain:
        call    *%rbx
        leaq    f(%rip), %rbx
        subl    $1, %ebp
        jnz     .Lagain
        call    leave
        ud2
END(_start)
FUNC(f)
        nop
        ret
END(f)
FUNC(g)
        ret
END(g)
FUNC(leave)
        EXIT
END(leave)
