/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Bytes of a file, decompressed. */

#ifndef DCFG_INPUT_H
#define DCFG_INPUT_H

#include "lib/base/job.h"

typedef struct Input Input;

/* A file, or "-" for the standard input. */
Input* input_open(Job* job, const char* path);

/* Bytes that stay where they are until the input is closed. */
Input* input_open_memory(Job* job, const void* data, size_t size);

/* What FD has, from the begin, wherever others read it.  FD stays open. */
Input* input_open_file(Job* job, int fd);

bool   input_is_compressed(const Input* in);

/* Bytes of the file, or of the memory, as it is stored; 0 if that is not known. */
uint64_t input_size(const Input* in);

/* The next bytes of the text, at most SIZE, to BUF; how many to *GOT, 0 at
   the end.  False if they cannot be had. */
bool   input_read(Input* in, uint8_t* buf, size_t size, size_t* got);

/* Was that all?  False with an error if it goes on. */
bool   input_at_end(Input* in);

/* The next bytes are those from OFFSET on: of a plain file, or memory. */
bool   input_seek(Input* in, uint64_t offset);

/* Read a pipe in large portions, and wait a little for them to come: who
   writes a line at a time loses much if each wakes us. */
void   input_be_patient(Input* in);

void   input_close(Input* in);

#endif /* DCFG_INPUT_H */
