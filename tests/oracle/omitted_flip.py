"""Run by gdb: sends branches the other way, and sees whether the stores run that dcfg slice says did not.

Environment: CLAIMS is a file of JSON:

    {"program", "frame", "claims": [{"branch", "instance", "taken", "other", "store", "memory", "size", "register"}]}

All addresses are those of the run.  "frame" is the value that the program's variable frame_of_main had in the run, so that
places on the stack can be compared.  ANSWERS is a file that gets a JSON list: for each claim "yes", or why not.

A claim is right if two things hold.  From the branch's other side, control comes to the store before it comes to the side that
was taken, to the branch again, or out of the function.  The store then writes a byte of the place.  A fault on the way decides
nothing: "fault".
"""
import json
import os
import re

import gdb

SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32}
MASK = 2 ** 64 - 1


def number(text):
    return int(gdb.parse_and_eval(text)) & MASK


def command(text):
    return gdb.execute(text, to_string=True)


def stored(frame):
    """The address and size of the first operand in memory of the instruction at $pc; (None, its text) if that is none."""
    line = command("x/2i $pc").splitlines()
    text = line[0].split(":", 1)[1].split("#")[0]
    following = int(re.search(r"0x([0-9a-f]+)", line[1]).group(1), 16)
    m = re.search(r"\s(\w+) PTR (?:[cdefgs]s:)?(\[[^\]]+\]|0x[0-9a-f]+)", text)
    if not m or "PTR" not in text.split(",")[0]:
        return None, text
    where = m.group(2).strip("[]").replace("rip", "0x%x" % following)
    where = re.sub(r"\b(r[a-z0-9]+|e[a-z]{2})\b", r"$\1", where)
    return number("(unsigned long)(%s)" % where.replace("$rip", "0x%x" % following)), SIZES[m.group(1)]


def judge(claim, frame):
    command("delete")
    command("tbreak *%s" % claim["branch"])
    if claim["instance"]:
        command("ignore %d %d" % (gdb.breakpoints()[-1].number, claim["instance"]))
    try:
        said = command("run")
    except gdb.error as e:
        return "the program does not start: %s" % e
    if not gdb.selected_inferior().pid:
        return "the branch did not run as often: " + said[-200:]
    if number("$pc") != int(claim["branch"], 16):
        return "stopped elsewhere"
    moved = number("*(unsigned long *)&frame_of_main") - frame
    top = number("$sp")
    command("set $pc = " + claim["other"])
    command("delete")
    stops = {int(claim[k], 16): k for k in ("branch", "taken", "store")}
    if number("$pc") not in stops or stops[number("$pc")] != "store":
        for addr in stops:
            command("break *0x%x" % addr)
        for _ in range(200):
            try:
                said = command("continue")
            except gdb.error as e:
                return "it ended: %s" % e
            if not gdb.selected_inferior().pid:
                return "it ended: " + said[-200:]
            if "SIGSEGV" in said or "SIGFPE" in said or "SIGBUS" in said:
                return "fault"
            at = number("$pc")
            if stops.get(at) == "store" and (number("$sp") == top or claim["called"]):
                break
            if number("$sp") >= top and at in stops:
                return "came to where it went: %s" % stops[at]
        else:
            return "too many stops"
    if claim["memory"] is None:
        return "yes"
    addr, size = stored(frame)
    if addr is None:
        return "no store: " + size
    place = int(claim["memory"], 16)
    # Places on the stack have moved; all others are where they were.
    for want in (place, (place + moved) & MASK):
        if addr < want + claim["size"] and want < addr + size:
            return "yes"
    return "stores to 0x%x, not to 0x%x or 0x%x" % (addr, place, (place + moved) & MASK)


def main():
    command("set confirm off")
    command("set pagination off")
    command("set disassembly-flavor intel")
    command("set startup-with-shell off")
    with open(os.environ["CLAIMS"]) as f:
        asked = json.load(f)
    command("file " + asked["program"])
    answers = [judge(claim, asked["frame"]) for claim in asked["claims"]]
    with open(os.environ["ANSWERS"], "w") as f:
        json.dump(answers, f)
    if gdb.selected_inferior().pid:
        command("kill")


main()
