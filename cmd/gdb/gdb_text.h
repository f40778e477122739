/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Putting packets together and taking them apart. */

#ifndef DCFG_CMD_GDB_TEXT_H
#define DCFG_CMD_GDB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* GdbText: a buffer that grows, with a zero byte behind its N bytes.  It is
   empty if all is zero; gdb_text_free() frees it. */
typedef
   struct {
      char*  data;
      size_t n, room;
   }
   GdbText;

/* Free the buffer and make T empty. */
void gdb_text_free(GdbText* t);

/* Append N bytes; append at most 1023 characters as printf() formats them. */
void gdb_put_bytes(GdbText* t, const void* data, size_t n);
void gdb_put(GdbText* t, const char* format, ...)
     __attribute__((format(printf, 2, 3)));

/* Append N bytes as hexadecimal digits; append S, escaped as XML demands it of
   an attribute. */
void gdb_put_hex(GdbText* t, const uint8_t* bytes, size_t n);
void gdb_put_xml(GdbText* t, const char* s);

/* Read a hexadecimal number of at most 64 bits at *AT, and move *AT behind it.
   Return false if there is none, or it is too large. */
bool gdb_take_number(const char** at, uint64_t* number);

/* Move *AT behind the character there if it is C.  Return whether it was. */
bool gdb_take(const char** at, char c);

/* Decode the N hexadecimal digits at S to TO, which has room for N / 2 bytes.
   Return the number of bytes; -1 if N is odd or a character is no digit. */
ssize_t gdb_from_hex(const char* s, size_t n, uint8_t* to);

#endif /* DCFG_CMD_GDB_TEXT_H */
