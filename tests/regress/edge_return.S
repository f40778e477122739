/* Returns that do not go to a call's return site: one used as a jump, and one whose callee moved its return
   address.  No bypass exists, so what they reach is a routine of its own. */
#include "edge.h"
FUNC(_start)
        leaq    .Lthere(%rip), %rax
        pushq   %rax
        ret
        ud2
.Lthere:
        call    skip
        ud2
        EXIT
END(_start)
FUNC(skip)
        addq    $2, (%rsp)
        ret
END(skip)
