/* A call of the next instruction: the counted DIRECT_CALL joins the pair, so there is no bypass; what it
   calls is an entry of its own.  The same again where the called place then returns to itself. */
#include "edge.h"
FUNC(_start)
        call    .Lnext
.Lnext:
        popq    %rax
        call    .Ltwice
.Ltwice:
        addl    $1, %ecx
        cmpl    $2, %ecx
        je      .Ldone
        ret
.Ldone:
        EXIT
END(_start)
