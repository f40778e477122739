/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Data in a page. */

#ifndef DCFG_CMD_PAGE_DATA_H
#define DCFG_CMD_PAGE_DATA_H

/* Private to page/. */

#include <stdio.h>

/* Return a file that writes to OUT all it gets: base64 of gzip.  Close it with
   page_data_close(), which leaves OUT open. */
FILE* page_data_open(FILE* out);
void  page_data_close(FILE* data);

#endif /* DCFG_CMD_PAGE_DATA_H */
