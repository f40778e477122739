"""A slow model of slices, from the dependences that wet_model.py finds.

A slice with everything has all that can be reached from its begin.  A slice with producers only leaves out control and
addresses.  Addresses are base and index registers of memory operands, and the stack pointer of a push or pop, unless
the instruction also uses the register's value.
"""
from collections import defaultdict

from capstone import x86 as x86_const

import wet_model

STACK = ("push", "pop", "call", "ret", "pushfq", "popfq")


class Model:
    def __init__(self, program, run):
        self.program = program
        # {instance: its dependences by port}
        self.on = defaultdict(dict)
        for addr, ports in wet_model.model(program, run).items():
            for port, rows in ports.items():
                for instance, found in rows.items():
                    self.on[addr, instance][port] = found
        self.addresses = {}

    def address_ports(self, addr):
        """Return the ports that are no producers: control, and addresses."""
        if addr not in self.addresses:
            i = self.program.instruction(addr)
            code = next(self.program.md.disasm(self.code(addr), addr, 1))
            name = code.mnemonic.split()[-1]
            used, values = set(), set()
            for o in code.operands:
                if o.type == x86_const.X86_OP_MEM and name not in ("lea", "nop"):
                    used |= {code.reg_name(r) for r in (o.mem.base, o.mem.index) if r}
                elif o.type == x86_const.X86_OP_REG and o.access & 1:
                    values.add(code.reg_name(o.reg))
            if name in STACK:
                used.add("rsp")
            if name == "leave":
                used.add("rbp")
            number = {wet_model.PLACES[r][1] for r in used if r in wet_model.PLACES}
            number -= {wet_model.PLACES[r][1] for r in values if wet_model.PLACES.get(r, "?")[0] == "r"}
            # As in the model, control is 0, then come i.ports in order.
            self.addresses[addr] = {0} | {k for k, (kind, places) in enumerate(i.ports, 1)
                                          if kind == "general" and places[0][1] in number}
        return self.addresses[addr]

    def code(self, addr):
        for at, data in self.program.parts:
            if at <= addr < at + len(data):
                return data[addr - at:addr - at + 16]
        return b""

    def producers(self, node, data):
        skip = self.address_ports(node[0]) if data else ()
        return {d for port, found in self.on[node].items() if port not in skip for d in found}

    def check(self, start, nodes, data):
        """Return what is wrong with NODES as the slice from START, as lines; none: it is right."""
        bad = ["%x#%d is not executed" % n for n in nodes if n not in self.on]
        reached, todo = set(start), list(start)
        while todo:
            for d in self.producers(todo.pop(), data):
                if d not in nodes:
                    bad.append("%x#%d is missing" % d)
                elif d not in reached:
                    reached.add(d)
                    todo.append(d)
        return bad + ["%x#%d does not belong to it" % n for n in nodes - reached]
