/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of a DCFG: the names in EDGE_TYPES, the digits in INSTR_SIZES, and
   CODE_HASH of an image. */

#ifndef DCFG_FORMAT_DCFG_TABLES_H
#define DCFG_FORMAT_DCFG_TABLES_H

/* The names of edge types.  The number of a type is its index here, and in the
   table EDGE_TYPES of a file. */
#define DCFG_EDGE_TYPE_NAMES \
   "ENTRY", "EXIT", \
   "CALL", "DIRECT_CALL", "INDIRECT_CALL", "RETURN", "CALL_BYPASS", \
   "BRANCH", "CONDITIONAL_BRANCH", "UNCONDITIONAL_BRANCH", \
   "DIRECT_BRANCH", "INDIRECT_BRANCH", \
   "DIRECT_CONDITIONAL_BRANCH", "INDIRECT_CONDITIONAL_BRANCH", \
   "DIRECT_UNCONDITIONAL_BRANCH", "INDIRECT_UNCONDITIONAL_BRANCH", \
   "REP", "FALL_THROUGH", \
   "SYSTEM_CALL", "SYSTEM_RETURN", "SYSTEM_CALL_BYPASS", \
   "CONTEXT_CHANGE", "CONTEXT_CHANGE_RETURN", "CONTEXT_CHANGE_BYPASS", \
   "EXCLUDED_CODE_BYPASS", "UNKNOWN"

/* INSTR_SIZES of an image: a digit of base 36 for each instruction, block after
   block.  A digit is the size in bytes; a block of unknown sizes has zeros. */
#define INSTR_SIZE_DIGITS "0123456789abcdefghijklmnopqrstuvwxyz"

/* Return the size that DIGIT stands for; 0 if it is unknown, or no digit. */
static inline unsigned int instr_size(char digit)
{
   return digit >= '0' && digit <= '9' ? (unsigned int)(digit - '0')
          : digit >= 'a' && digit <= 'z' ? (unsigned int)(digit - 'a') + 10 : 0;
}

/* Return whether DIGITS are the sizes of the N instructions of a block of SIZE
   bytes, of which the last begins at LAST. */
static inline int fits_instr_sizes(const char* digits, unsigned int n,
                                   unsigned int size, unsigned int last)
{
   unsigned long long at = 0;

   for (unsigned int i = 0; i < n; i++) {
      unsigned int length = instr_size(digits[i]);
      if (length == 0 || (i + 1 == n && at != last))
         return 0;
      at += length;
   }
   return at == size;
}

/* The hash of an image's code.  It stands for the build id where an image has
   none: 64-bit FNV-1a over the bytes of the executed segments, without ELF's
   headers. */
#define CODE_HASH_BEGIN 0xCBF29CE484222325ull

/* Return HASH with BYTE added. */
static inline unsigned long long add_to_code_hash(unsigned long long hash,
                                                  unsigned char byte)
{
   return (hash ^ byte) * 0x100000001B3ull;
}

#endif /* DCFG_FORMAT_DCFG_TABLES_H */
