"""A slow model of inlined functions: a DCFG's instructions by instance, and entries of each instance.

    inline_model.py DCFG ELF

The model reads debug information with pyelftools and code with Capstone. It follows docs/report.md. Each instruction
belongs to the deepest instance whose ranges have its address; among equally deep ones it belongs to the last.
Some instances name the instruction of their entry, and are entered as often as that is executed. Other instances are
entered by each flow from an instruction outside of their ranges to one inside.

The output has a line for each instance that was executed. Its columns are separated by tabs: function, line of the call,
outer function, instructions, instructions with inner instances, entries.
"""
import bisect
import collections
import os

import capstone
from elftools.construct import Array, ULInt8
from elftools.dwarf.descriptions import describe_form_class
from elftools.elf.elffile import ELFFile

import dcfg_model

BEHIND = ("CALL_BYPASS", "SYSTEM_CALL_BYPASS")
CALLS = ("CALL", "DIRECT_CALL", "INDIRECT_CALL")
INDIRECT = ("BRANCH", "INDIRECT_BRANCH", "UNCONDITIONAL_BRANCH", "INDIRECT_UNCONDITIONAL_BRANCH")


class Scope:
    """A function with code, or an instance."""
    def __init__(self, die, parent, ranges, unit):
        self.die, self.parent, self.ranges, self.unit = die, parent, sorted(ranges), unit
        self.depth = parent.depth + 1 if parent else 0
        self.low = self.ranges[0][0] if ranges else 0
        self.high = max(high for _, high in ranges) if ranges else 0
        self.instrs = self.inclusive = self.entries = 0

    def has(self, addr):
        return any(low <= addr < high for low, high in self.ranges)

    @property
    def outer(self):
        return self.parent.outer if self.parent else self


class Debug:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.elf = ELFFile(self.file)
        self.dwarf = self.elf.get_dwarf_info()
        self.lists = self.dwarf.range_lists()
        self.segments = [(s["p_vaddr"], s["p_vaddr"] + s["p_memsz"]) for s in self.elf.iter_segments()
                         if s["p_type"] == "PT_LOAD" and s["p_flags"] & 1]
        first = next(s for s in self.elf.iter_segments() if s["p_type"] == "PT_LOAD")
        self.base = first["p_vaddr"] - first["p_offset"]
        self.scopes, self.files = [], {}
        for cu in self.dwarf.iter_CUs():
            # DW_FORM_data16 is the form of sums of files, by clang; pyelftools before 0.30 lacks it.
            cu.structs.Dwarf_dw_form.setdefault("DW_FORM_data16", Array(16, ULInt8("")))
            top = cu.get_top_DIE()
            if top.tag == "DW_TAG_compile_unit":
                self.walk(cu, top, None)

    def bytes_at(self, addr, size):
        for s in self.elf.iter_segments():
            if s["p_type"] == "PT_LOAD" and s["p_vaddr"] <= addr < s["p_vaddr"] + s["p_filesz"]:
                self.file.seek(s["p_offset"] + addr - s["p_vaddr"])
                return self.file.read(size)
        return b""

    def ranges(self, cu, die):
        a = die.attributes
        if "DW_AT_low_pc" in a and "DW_AT_high_pc" in a:
            low, high = a["DW_AT_low_pc"].value, a["DW_AT_high_pc"].value
            found = [(low, high if describe_form_class(a["DW_AT_high_pc"].form) == "address" else low + high)]
        elif "DW_AT_ranges" in a:
            top = cu.get_top_DIE().attributes
            base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
            rows = self.lists.get_range_list_at_offset(a["DW_AT_ranges"].value, cu=cu) \
                if cu["version"] >= 5 else self.lists.get_range_list_at_offset(a["DW_AT_ranges"].value)
            found = []
            for r in rows:
                if hasattr(r, "base_address"):
                    base = r.base_address
                else:
                    start = 0 if getattr(r, "is_absolute", False) else base
                    found.append((start + r.begin_offset, start + r.end_offset))
        else:
            found = []
        return [(low, high) for low, high in found if low < high and any(x <= low and high <= y for x, y in self.segments)]

    def walk(self, cu, die, scope):
        for child in die.iter_children():
            inner = scope
            if child.tag == "DW_TAG_subprogram":
                ranges = self.ranges(cu, child)
                inner = Scope(child, None, ranges, cu) if ranges else None
            elif child.tag == "DW_TAG_inlined_subroutine":
                if scope is None:
                    continue
                inner = Scope(child, scope, self.ranges(cu, child), cu)
            elif child.tag in ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_namespace", "DW_TAG_union_type",
                               "DW_TAG_enumeration_type"):
                inner = None
            elif child.tag not in ("DW_TAG_lexical_block", "DW_TAG_try_block", "DW_TAG_catch_block"):
                continue
            if inner is not scope and inner is not None:
                self.scopes.append(inner)
            self.walk(cu, child, inner)

    def attribute(self, die, name):
        """The attribute's value here or in what the DIE is an instance or definition of, with the DIE that has it."""
        while name not in die.attributes:
            at = next((a for a in ("DW_AT_abstract_origin", "DW_AT_specification") if a in die.attributes), None)
            if at is None:
                return None, None
            die = die.get_DIE_from_attribute(at)
        return die.attributes[name].value, die

    def name(self, scope):
        die = scope.die
        if "DW_AT_abstract_origin" in die.attributes:
            die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
        value = self.attribute(die, "DW_AT_linkage_name")[0] or self.attribute(die, "DW_AT_name")[0] or b"?"
        return value.decode()

    def declared(self, scope):
        """File and line of the declaration, of a lambda's function those of its type."""
        die = scope.die
        if "DW_AT_abstract_origin" in die.attributes:
            die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
        line, of = self.attribute(die, "DW_AT_decl_line")
        if line is None:
            of = die.get_parent()
            line = of.attributes["DW_AT_decl_line"].value if "DW_AT_decl_line" in of.attributes else 0
        file = self.attribute(of, "DW_AT_decl_file")[0]
        return self.file_name(of.cu, file), line

    def file_name(self, cu, number):
        if number is None:
            return "?"
        if cu not in self.files:
            self.files[cu] = self.dwarf.line_program_for_CU(cu)["file_entry"]
        index = number if cu["version"] >= 5 else number - 1
        return os.path.basename(self.files[cu][index].name.decode()) if 0 <= index < len(self.files[cu]) else "?"

    def site(self, scope):
        a = scope.die.attributes
        file = a["DW_AT_call_file"].value if "DW_AT_call_file" in a else None
        return f"{self.file_name(scope.unit, file)}:{a['DW_AT_call_line'].value if 'DW_AT_call_line' in a else 0}"


class Model:
    """The instances of the image that is ELF, with their counts."""
    def __init__(self, path, elf):
        p = dcfg_model.load(path, lambda *_: None)[0]
        self.debug = Debug(elf)
        here = os.path.realpath(elf)
        md = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self.blocks, self.insns = {}, {}        # keys: nodes of the image
        for n, b in p.blocks.items():
            if os.path.realpath(b.image.name) == here:
                addr = b.start - b.image.load + self.debug.base
                self.blocks[n] = b
                self.insns[n] = [i.address for i in md.disasm(self.debug.bytes_at(addr, b.size), addr)]
        self.executed = collections.Counter()
        for n, b in self.blocks.items():
            for a in self.insns[n]:
                self.executed[a] += b.count
        self.count_instrs()
        self.count_entries(p.edges)

    def count_instrs(self):
        innermost, addrs = {}, sorted(self.executed)
        for s in sorted(self.debug.scopes, key=lambda s: s.depth):      # the last of equally deep ones stays
            for low, high in s.ranges:
                for a in addrs[bisect.bisect_left(addrs, low):bisect.bisect_left(addrs, high)]:
                    innermost[a] = s
        for a, s in innermost.items():
            s.instrs += self.executed[a]
        for s in sorted(self.debug.scopes, key=lambda s: -s.depth):
            s.inclusive += s.instrs
            if s.parent:
                s.parent.inclusive += s.inclusive

    def flows(self, edges):
        """(instruction, next instruction, how often); None stands for one that is outside of everything."""
        insns = self.insns
        behind = {e.dst for e in edges if e.type in BEHIND}
        front = {insns[n][0] + b.size: insns[n][-1] for n, b in self.blocks.items()}
        beginnings = {self.entry_of(s) for s in self.debug.scopes if s.parent is None}
        symbols = {}
        for n in self.blocks:
            symbols[n] = next((s for s in self.debug.scopes if s.parent is None and s.has(insns[n][0])), None)
        for n, b in self.blocks.items():
            for a, to in zip(insns[n], insns[n][1:]):
                yield a, to, b.count
        for e in edges:
            if e.dst not in self.blocks or e.type in ("CALL_BYPASS", "CONTEXT_CHANGE_BYPASS", "CONTEXT_CHANGE_RETURN"):
                continue
            to = insns[e.dst][0]
            at = insns[e.src][-1] if e.src in self.blocks else None
            starts = to in beginnings
            if e.type in ("ENTRY", "CONTEXT_CHANGE") and not starts:
                continue
            if e.type in ("ENTRY", "CONTEXT_CHANGE", "RETURN") + CALLS and starts:
                at = None
            elif e.type in ("SYSTEM_CALL_BYPASS", "SYSTEM_RETURN"):
                at = front.get(to)
            elif e.type == "RETURN" or (e.type in INDIRECT and not starts and symbols.get(e.src) is not symbols[e.dst]):
                if e.dst not in behind:
                    continue
                at = front.get(to)
            yield at, to, e.total

    def count_entries(self, edges):
        waiting = []
        for s in self.debug.scopes:
            if s.parent is None or self.is_part(s):
                continue
            entry = self.entry_pc(s)
            if entry is not None:
                s.entries = self.executed[entry]
            else:
                waiting.append(s)
        for at, to, count in self.flows(edges):
            for s in waiting:
                if s.low <= to < s.high and s.has(to) and (at is None or not s.has(at)):
                    s.entries += count

    def entry_of(self, s):
        if "DW_AT_entry_pc" in s.die.attributes:
            return s.die.attributes["DW_AT_entry_pc"].value
        return s.die.attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in s.die.attributes else s.ranges[0][0]

    def entry_pc(self, s):
        a = s.die.attributes.get("DW_AT_entry_pc")
        if a is None:
            return None
        if describe_form_class(a.form) == "address":
            return a.value
        return a.value + (s.die.attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in s.die.attributes else s.ranges[0][0])

    def is_part(self, s):
        """Is S a part of the function that it is in, which the compiler had split off?"""
        debug = self.debug
        line = s.die.attributes["DW_AT_call_line"].value if "DW_AT_call_line" in s.die.attributes else 0
        me = (debug.name(s), debug.declared(s))
        return me == (debug.name(s.parent), debug.declared(s.parent)) and line == me[1][1] != 0


def main(args):
    m = Model(*args)
    rows = [(m.debug.name(s), m.debug.site(s), m.debug.name(s.outer), s.instrs, s.inclusive, s.entries)
            for s in m.debug.scopes if s.parent and (s.inclusive or s.entries)]
    for r in sorted(rows):
        print(*r, sep="\t")
