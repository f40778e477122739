/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Texts of packets. */

#ifndef DCFG_CMD_GDB_TEXT_H
#define DCFG_CMD_GDB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* GdbText: bytes that grow.  All zero: none. */
typedef
   struct {
      char*  data;
      size_t n, room;
   }
   GdbText;

void gdb_text_free(GdbText* t);
void gdb_put_bytes(GdbText* t, const void* data, size_t n);
void gdb_put(GdbText* t, const char* format, ...)
     __attribute__((format(printf, 2, 3)));

/* Append N bytes as hexadecimal digits; as an XML attribute. */
void gdb_put_hex(GdbText* t, const uint8_t* bytes, size_t n);
void gdb_put_xml(GdbText* t, const char* s);

/* Take a hexadecimal number at *AT, of at most 16 digits, and go behind it.
   Return false if there is none. */
bool gdb_take_number(const char** at, uint64_t* number);

/* Take the character C at *AT. */
bool gdb_take(const char** at, char c);

/* Turn the N hexadecimal digits at S into bytes at TO, which has room for
   N / 2.  Return how many; -1 if these are no such digits. */
ssize_t gdb_from_hex(const char* s, size_t n, uint8_t* to);

#endif /* DCFG_CMD_GDB_TEXT_H */
