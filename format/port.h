/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The base that the pure rooms stand on. */

/* The pure rooms (arch/, graph/, trace/) and the parts of base/ that they need
   are plain C over plain structs.  They are compiled twice: into the tool,
   which has no libc, and with -DDCFG_HOST into the unit tests.  This header is
   the whole difference between the two. */

#ifndef __DCFG_PORT_H
#define __DCFG_PORT_H

#include "format/order.h"

#if defined(DCFG_HOST)

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef signed char        Char;
typedef unsigned char      UChar;
typedef unsigned short     UShort;
typedef int                Int;
typedef unsigned int       UInt;
typedef long long          Long;
typedef unsigned long long ULong;
typedef size_t             SizeT;
typedef size_t             Addr;
typedef size_t             UWord;
typedef char               HChar;
typedef unsigned char      Bool;
#define True  ((Bool)1)
#define False ((Bool)0)
#define DCFG_(str) vgDcfg_##str

static inline void* dcfg_alloc(const HChar* cc, SizeT n)
{
   void* p = malloc(n ? n : 1);
   (void)cc;
   if (!p) abort();
   return p;
}
static inline void* dcfg_realloc(const HChar* cc, void* p, SizeT n)
{
   void* q = realloc(p, n ? n : 1);
   (void)cc;
   if (!q) abort();
   return q;
}
#define dcfg_free(p)          free(p)
#define dcfg_assert(x)        assert(x)
#define dcfg_memset(p, c, n)  memset(p, c, n)
#define dcfg_memcpy(d, s, n)  memcpy(d, s, n)
#define dcfg_memmove(d, s, n) memmove(d, s, n)
#define dcfg_memcmp(a, b, n)  memcmp(a, b, n)
#define dcfg_strlen(s)        strlen(s)
#define dcfg_strncmp(a, b, n) strncmp(a, b, n)
#define dcfg_strcmp(a, b)     strcmp(a, b)

#else

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define DCFG_(str) VGAPPEND(vgDcfg_, str)

#define dcfg_alloc(cc, n)       VG_(malloc)(cc, n)
#define dcfg_realloc(cc, p, n)  VG_(realloc)(cc, p, n)
#define dcfg_free(p)            VG_(free)(p)
#define dcfg_assert(x)          tl_assert(x)
#define dcfg_memset(p, c, n)    VG_(memset)(p, c, n)
#define dcfg_memcpy(d, s, n)    VG_(memcpy)(d, s, n)
#define dcfg_memmove(d, s, n)   VG_(memmove)(d, s, n)
#define dcfg_memcmp(a, b, n)    VG_(memcmp)(a, b, n)
#define dcfg_strlen(s)          VG_(strlen)(s)
#define dcfg_strncmp(a, b, n)   VG_(strncmp)(a, b, n)
#define dcfg_strcmp(a, b)       VG_(strcmp)(a, b)

#endif

/* Allocate N elements of TYPE, with all bits zero. */
#define DCFG_CALLOC(cc, type, n) \
   ((type*)dcfg_memset(dcfg_alloc(cc, (SizeT)(n) * sizeof(type)), 0, \
                       (SizeT)(n) * sizeof(type)))

/* Free each of these pointers. */
#define DCFG_FREE_ALL(...) FREE_EACH(dcfg_free, __VA_ARGS__)

#endif /* __DCFG_PORT_H */
