/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The hash of an image's code.  It stands for the build id where an image has
   none: 64-bit FNV-1a over the bytes of the executed segments, without ELF's
   headers. */

#ifndef DCFG_FORMAT_CODE_HASH_H
#define DCFG_FORMAT_CODE_HASH_H

#define CODE_HASH_BEGIN 0xCBF29CE484222325ull

/* Return HASH with BYTE added. */
static inline unsigned long long add_to_code_hash(unsigned long long hash,
                                                  unsigned char byte)
{
   return (hash ^ byte) * 0x100000001B3ull;
}

#endif /* DCFG_FORMAT_CODE_HASH_H */
