/* A tail call: a jump onto another function's symbol makes a routine of it, and its return goes to the caller of
   the caller.  The jump inside f makes none. */
#include "edge.h"
FUNC(_start)
        call    f
        EXIT
END(_start)
FUNC(f)
        jmp     .Linside
.Linside:
        jmp     g
END(f)
FUNC(g)
        ret
END(g)
