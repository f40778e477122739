/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   arm64. */

/* Owns: everything that the command knows of arm64.  Handed: its code.

   All instructions that access memory are in one group of the encoding.  The
   base is in bits 9 to 5, and the stored register in bits 4 to 0.  The places
   of an index, the second register of a pair and others depend on the form. */

#include "cmd/machine/arm64_words.h"
#include "cmd/machine/machines.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <seccomp.h>
#include <string.h>

/*--- Code                                                 ---*/

/* Match "adrp x16, page; ldr x17, [x16, #offset]", perhaps behind a "bti c"; a
   branch to x17 follows. */
static bool find_slot(const uint8_t* code, size_t size, uint64_t addr,
                      uint64_t table, uint64_t* slot)
{
   uint32_t page, load;
   uint64_t pages;

   (void)table;
   if (size >= 4 && number_at(code) == 0xd503245f) {
      code += 4;
      size -= 4;
      addr += 4;
   }
   if (size < 8)
      return false;
   page = number_at(code);
   load = number_at(code + 4);
   if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
      return false;
   pages = (page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3);
   if (pages >> 20 != 0)
      pages -= 1 << 21;
   *slot = (addr & ~(uint64_t)0xfff) + (pages << 12) + (load >> 10 & 0xfff) * 8;
   return true;
}

/* B and BL have 26 bits for the distance in instructions; TBZ and TBNZ 14;
   B.cond, CBZ and CBNZ 19. */
static void tell(const cs_insn* i, Instr* out)
{
   uint32_t word = i->size != 4 ? 0 : number_at(out->bytes);
   bool     far = (word & 0x7C000000) == 0x14000000;
   bool     near = (word & 0x7E000000) == 0x36000000;
   unsigned n = far ? 26 : near ? 14 : 19;
   uint64_t on = word >> (far ? 0 : 5) & ((UINT32_C(1) << n) - 1);
   uint64_t sign = UINT64_C(1) << (n - 1);

   out->conditional = near || (word & 0x7E000000) == 0x34000000
                      || (word & 0xFF000000) == 0x54000000;
   out->direct = far || out->conditional;
   out->target = out->addr + 4 * ((on ^ sign) - sign);
}

/* Match exclusive loads and stores, and CAS, but not LDAR and the like; LDADD,
   SWP and others. */
static bool changes_at_once(const DcfgWetInstr* in)
{
   return ((word_of(in) & 0x3F000000) == 0x08000000
           && (word_of(in) & 0x00A00000) != 0x00800000)
          || (word_of(in) & 0x3F200C00) == 0x38200000;
}

static uint32_t constant_number(const DcfgWetInstr* in)
{
   return (word_of(in) & 0x7FE00000) == 0x52800000        // MOVZ
          ? word_of(in) >> 5 & 0xFFFF : UINT32_MAX;
}

static bool makes_frame(const DcfgWetInstr* in)
{
   return (word_of(in) & 0xFF8003FF) == 0x910003FD;       // ADD X29, SP, #N
}

static uint32_t part_named(const char* name)
{
   if (strcmp(name, "lr") == 0 || strcmp(name, "fp") == 0)
      return name[0] == 'l' ? 30 : 29;
   if (name[0] == 'w')
      return number_below(name + 1, 31);
   return name[0] == 0 || strchr("bhsdqv", name[0]) == NULL ? UINT32_MAX
          : vector_named(number_below(name + 1, 32));
}

/*--- Roles                                                ---*/

/* Return the register in bits 4 + LOW to LOW, as a bit; 31 is none. */
static uint32_t reg(uint32_t word, unsigned low)
{
   return UINT32_C(1) << bits(word, low + 4, low) & ~(UINT32_C(1) << 31);
}

/* Return whether the instruction stores registers. */
static bool stores(uint32_t word)
{
   if (is_atomic_word(word) || is_swap(word))
      return true;
   if (bits(word, 29, 28) == ONE && bits(word, 26, 26) == 0)
      return bits(word, 23, 22) == 0;
   return bits(word, 22, 22) == 0;
}

static bool has_index(uint32_t word)
{
   return bits(word, 29, 28) == ONE && bits(word, 24, 24) == 0
          && bits(word, 21, 21) == 1 && bits(word, 11, 10) == 2;
}

/* Return the general registers whose values the instruction uses. */
static uint32_t values_of(uint32_t word)
{
   uint32_t all = 0;

   if (bits(word, 26, 26) == 1 || !stores(word))
      return 0;
   if (is_atomic_word(word))
      return reg(word, 16);
   all = reg(word, 0);
   if (is_swap(word)) {
      all |= reg(word, 16);
      if (bits(word, 23, 23) == 0)               // and the registers after them
         all |= reg(word, 0) << 1 | reg(word, 16) << 1;
   } else if (bits(word, 29, 28) == PAIR
              || (bits(word, 29, 28) == OTHERS && bits(word, 21, 21) == 1)) {
      all |= reg(word, 10);
   }
   return all;
}

static uint32_t addresses_of(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in), all;

   if (!gets_at_memory(word))
      return 0;
   all = UINT32_C(1) << bits(word, 9, 5);
   if (has_index(word))
      all |= reg(word, 16);
   return all & ~values_of(word);
}

static uint32_t targets_of(const DcfgWetInstr* in)
{
   return stores(word_of(in)) ? addresses_of(in) : 0;
}

static uint32_t saves_of(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in), base = bits(word, 9, 5);

   if (!gets_at_memory(word) || is_atomic_word(word) || is_swap(word)
       || (base != 31 && base != 29))
      return 0;
   /* STP and STR of 64 bits. */
   return (bits(word, 29, 28) == PAIR && bits(word, 31, 30) == 2)
          || (bits(word, 29, 28) == ONE && bits(word, 31, 30) == 3)
          ? values_of(word) : 0;
}

static bool is_lookup(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   return gets_at_memory(word) && bits(word, 29, 28) == ONE && !is_atomic_word(word)
          && bits(word, 26, 26) == 0 && !stores(word)
          && bits(word, 31, 30) < 3 && bits(word, 9, 5) != 31;
}

static bool is_copy(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   if (gets_at_memory(word)) {
      if (bits(word, 29, 28) != ONE || is_atomic_word(word))
         return false;
      /* Not those that extend a number. */
      return bits(word, 26, 26) == 1 || bits(word, 23, 22) == 0
             || (bits(word, 23, 22) == 1 && bits(word, 31, 30) >= 2);
   }
   return (word & 0x7FE0FFE0) == 0x2A0003E0      // MOV of registers
          || (word & 0x7FFFFC00) == 0x11000000   // MOV to or from SP
          || ((word & 0xBFE0FC00) == 0x0EA01C00  // MOV of vector registers
              && bits(word, 20, 16) == bits(word, 9, 5))
          || (word & 0xFF3FFC00) == 0x1E204000   // FMOV
          || (word & 0x7F36FC00) == 0x1E260000;
}

/* Match LDRSB and the like; UXTB, UXTH, SXTB, SXTH and SXTW. */
static bool widens(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   if (gets_at_memory(word))
      return bits(word, 29, 28) == ONE && !is_atomic_word(word) && !is_copy(in);
   return (word & 0x7FFFFC00) == 0x53001C00 || (word & 0x7FFFFC00) == 0x53003C00
          || (word & 0x7FBFFC00) == 0x13001C00
          || (word & 0x7FBFFC00) == 0x13003C00
          || (word & 0xFFFFFC00) == 0x93407C00;
}

/* Return the base of pre-indexed and post-indexed forms. */
static uint32_t moved_of(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   return gets_at_memory(word) && bits(word, 29, 28) == ONE
          && bits(word, 24, 24) == 0 && bits(word, 21, 21) == 0
          && bits(word, 10, 10) == 1
          ? UINT32_C(1) << bits(word, 9, 5) : 0;
}

/*--- Lengths                                              ---*/

/* Distance in bytes in which the use of a computed address is looked for. */
#define REACH 512

/* Return whether the instruction writes general register R; False in doubt. */
static bool writes(uint32_t word, unsigned r)
{
   if (gets_at_memory(word))
      return bits(word, 26, 26) == 0 && !stores(word) && bits(word, 4, 0) == r;
   return (bits(word, 28, 26) == 4 || bits(word, 27, 25) == 5)
          && bits(word, 4, 0) == r;
}

/* Return whether the instruction accesses bytes at a negative distance from
   register R, which does not change. */
static bool counts_back(uint32_t word, unsigned r)
{
   if (!gets_at_memory(word) || bits(word, 9, 5) != r)
      return false;
   if (bits(word, 29, 28) == ONE)       // LDUR and STUR
      return bits(word, 24, 24) == 0 && bits(word, 21, 20) == 1
             && bits(word, 11, 10) == 0;
   return bits(word, 29, 28) == PAIR && bits(word, 24, 23) == 2
          && bits(word, 21, 21) == 1;
}

static bool is_index(uint32_t word, unsigned r)
{
   return gets_at_memory(word) && has_index(word) && bits(word, 20, 16) == r;
}

/* Return whether register R, which instruction K computes, is used in the way
   USE before it is written again. */
static bool is_used(DcfgWet* w, uint32_t k, unsigned r,
                    bool (*use)(uint32_t word, unsigned r))
{
   uint32_t n = dcfg_wet_instrs(w);
   uint64_t addr = dcfg_wet_instr(w, k)->addr;

   for (uint32_t i = k + 1; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      uint32_t            word = word_of(in);
      if (in->addr - addr > REACH)
         return false;
      if (use(word, r))
         return true;
      if (writes(word, r))
         return false;
   }
   return false;
}

/* Find registers that are lengths.  The end of an object is its begin plus its
   length, and bytes before the end are accessed from there.  Or an index is the
   length minus a number. */
static void find_lengths(DcfgWet* w, uint32_t* lengths)
{
   uint32_t n = dcfg_wet_instrs(w), length = 0;
   uint64_t end = 0;

   for (uint32_t k = 0; k < n; k++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, k);
      uint64_t            addr = in->addr;
      uint32_t            word = word_of(in);
      if ((word & 0xFFE0FC00) == 0x8B000000             // ADD X, X, X
          && is_used(w, k, bits(word, 4, 0), counts_back)) {
         length     = reg(word, 16);
         end        = addr + REACH;
         lengths[k] = length;
      } else if ((word & 0xFF800000) == 0xD1000000      // SUB X, X, number
                 && is_used(w, k, bits(word, 4, 0), is_index)) {
         lengths[k] = reg(word, 5);
      } else if ((word & 0xFFC0FC00) == 0xD340FC00      // half of that length
                 && addr < end && reg(word, 5) == length) {
         lengths[k] = length;
      }
   }
}

/* BL, BLR. */
static bool is_call(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   return (word & 0xFC000000) == 0x94000000
          || (word & 0xFFFFFC1F) == 0xD63F0000;
}

static void find_roles(DcfgWet* w, csh h, Roles* r)
{
   uint32_t n = dcfg_wet_instrs(w);

   (void)h;
   for (uint32_t k = 0; k < n; k++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, k);
      r->addresses[k] = addresses_of(in);
      r->targets[k]   = targets_of(in);
      r->saves[k]     = saves_of(in);
      r->lookups[k]   = is_lookup(in);
      r->copies[k]    = is_copy(in);
      r->widens[k]    = widens(in);
      r->moved[k]     = moved_of(in);
      r->calls[k]     = is_call(in);
   }
   find_lengths(w, r->lengths);
}

const Processor machine_arm64 = {
   .machine         = EM_AARCH64,
   .arch            = CS_ARCH_ARM64,
   .longest         = 4,
   .request         = 20,
   .tell            = tell,
   .slot_types      = { R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT },
   .find_slot       = find_slot,
   .general         = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
                        "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
                        "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24",
                        "x25", "x26", "x27", "x28", "x29", "x30", "sp" },
   .champsim        = { 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77,
                        78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91,
                        92, 93, 94, 6 },
   .vector          = "v",
   .sp              = "SP",
   .stack           = 31,
   .frame           = 29,
   .call_number     = 8,
   .arguments       = { 0, 1, 2, 3, 4, 5 },
   .kept            = 0x3FF80000,
   .seccomp         = SCMP_ARCH_AARCH64,
   .n_dwarf_general = 32,
   .dwarf_vector    = 64,
   .n_dwarf_vector  = 32,
   .constant_number = constant_number,
   .makes_frame     = makes_frame,
   .is_atomic       = changes_at_once,
   .part_named      = part_named,
   .find_roles      = find_roles
};
