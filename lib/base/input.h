/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Input files, decompressed. */

#ifndef DCFG_INPUT_H
#define DCFG_INPUT_H

#include "lib/base/job.h"

typedef struct Input Input;

/* Open a file, or "-" for the standard input. */
Input* input_open(Job* job, const char* path);

/* Open bytes that stay in memory until the input is closed. */
Input* input_open_memory(Job* job, const void* data, size_t size);

/* Open the file of FD from its begin, whatever others read from FD.  FD stays
   open. */
Input* input_open_file(Job* job, int fd);

bool   input_is_compressed(const Input* in);

/* Return the size of the file or memory before decompression; 0 if not
   known. */
uint64_t input_size(const Input* in);

/* Read the next bytes of the text, at most SIZE, to BUF.  *GOT is how many; 0
   at the end.  Return False if that fails. */
bool   input_read(Input* in, uint8_t* buf, size_t size, size_t* got);

/* Return whether the end has been reached; False with an error if there is
   more. */
bool   input_at_end(Input* in);

/* Continue at OFFSET of a plain file or of memory. */
bool   input_seek(Input* in, uint64_t offset);

/* Read a pipe in large portions, and wait a little for them: a writer of single
   lines loses much time if each line wakes the reader. */
void   input_be_patient(Input* in);

void   input_close(Input* in);

/* Let IN work for JOB from now on.  Return false if JOB has no memory for it. */
bool   input_hand_over(Input* in, Job* job);

/* Write the SIZE bytes of IN, from its begin on, to a file without a name in
   the directory for temporary files.  Return its descriptor, which the caller
   closes; or -1 on failure, if IN has more bytes, or if they exceed the limit
   of disk space. */
int    input_unpack(Job* job, Input* in, uint64_t size);

/* Return whether S is UTF-8, judging bytes only (RFC 3629). */
bool   is_utf8(const char* s, size_t len);

#endif /* DCFG_INPUT_H */
