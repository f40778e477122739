/* Recursion: a call of the own entry leaves no routine, and the bypass carries the flow on. */
#include "edge.h"
FUNC(_start)
        movl    $3, %edi
        call    f
        EXIT
END(_start)
FUNC(f)
        subl    $1, %edi
        jz      .Lback
        call    f
        addl    $1, %eax
.Lback:
        ret
END(f)
