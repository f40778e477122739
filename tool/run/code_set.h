/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sets of places of code. */

#ifndef __DCFG_CODE_SET_H
#define __DCFG_CODE_SET_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* CodeSet: a set of addresses of images. */
typedef struct _CodeSet CodeSet;

CodeSet* DCFG_(new_code_set)(void);
void     DCFG_(delete_code_set)(CodeSet* s);

/* Return whether S has address A of IMAGE. */
Bool DCFG_(has_place)(CodeSet* s, UInt image, Addr a);

/* Add address A of IMAGE.  Return False if S had it. */
Bool DCFG_(add_place)(CodeSet* s, UInt image, Addr a);

#endif /* __DCFG_CODE_SET_H */
