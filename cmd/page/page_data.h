/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Data in a page. */

#ifndef DCFG_CMD_PAGE_DATA_H
#define DCFG_CMD_PAGE_DATA_H

/* Private to page/. */

#include <stdio.h>

/* Return a file; what is written to it goes to OUT as text: base64 of gzip.  To
   be closed with page_data_close(), which leaves OUT open. */
FILE* page_data_open(FILE* out);
void  page_data_close(FILE* data);

#endif /* DCFG_CMD_PAGE_DATA_H */
