/* Two routines jump to one piece of code behind both: it is dominated by neither and becomes a routine. */
/* Without a symbol there, only the division by dominators makes it one. */
#include "edge.h"
FUNC(_start)
        call    f
        call    g
        EXIT
END(_start)
FUNC(f)
        nop
        jmp     .Ltail
END(f)
FUNC(g)
        nop
        nop
        jmp     .Ltail
END(g)
        nop
.Ltail:
        nop
        ret
