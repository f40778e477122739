# Made by dcfg slice --gdb.  Stops at the instances of a slice, in their order:
#
#    gdb -x THIS --args PROGRAM ARGUMENTS
#    (gdb) continue
#
# The program has to do what it did when it was recorded.  Each stop is just
# before the instruction, so the value that is told is there after stepi.
python
import gdb
import re

def text(b):
    return b.decode("utf-8", "surrogateescape")

# Files, and how many stops there are.
@HEAD@

class Point:
    """An instruction: where its file has it, and its instances in the slice, as
    (instance, which stop, distance, value)."""
    def __init__(self, image, offset, place, code, instances):
        self.image, self.offset, self.place, self.code = image, offset, place, code
        self.instances, self.at, self.breakpoint, self.before = instances, 0, None, 0

    def tell(self):
        instance, stop, distance, value = self.instances[self.at]
        self.at += 1
        print("slice: %d of %d, 0x%x#%d %s, distance %d%s: %s" % (stop, STOPS, self.offset, instance, self.place, distance,
                                                                ", computes 0x" + value if value else "", self.code))
        if stop != Point.next:
            print("slice: %d was expected: the program does not do what it did when it was recorded" % Point.next)
        Point.next = stop + 1
        self.prepare()

    def had(self):
        """How many instances there have been."""
        return self.before + self.breakpoint.hit_count

    def prepare(self):
        if self.at == len(self.instances):
            self.breakpoint.enabled = False
        else:
            self.breakpoint.ignore_count = self.instances[self.at][0] - self.had()

    def stopped(self):
        """Here; who goes step by step also comes to instances that are not in the slice."""
        if self.at < len(self.instances) and self.instances[self.at][0] == self.had() - 1:
            self.tell()

    def put(self, addr):
        gdb.execute("break *0x%x" % addr, to_string=True)
        self.breakpoint = gdb.breakpoints()[-1]
        Point.by_number[self.breakpoint.number] = self
        if gdb.selected_frame().pc() == addr:
            # gdb does not stop again at the place where the program stands.
            self.before = 1
            self.stopped()
        if self.at == 0:
            self.prepare()

Point.next = 1
Point.by_number = {}
POINTS = [Point(*p) for p in [
@DATA@]]
placed = set()

def put_points(event=None):
    """In the files that are mapped by now."""
    maps = gdb.execute("info proc mappings", to_string=True)
    for start, end, offset, path in re.findall(r"(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+(0x[0-9a-f]+)"
                                               r"(?:\s+[-rwxps]+)?\s+(/.*)", maps):
        start, end, offset = (int(x, 16) for x in (start, end, offset))
        # gdb 16 fills the last column with spaces.
        path = path if path in IMAGES else path.rstrip(" ")
        if path not in IMAGES:
            continue
        for p in POINTS:
            if IMAGES[p.image] == path and p not in placed and offset <= p.offset < offset + end - start:
                placed.add(p)
                p.put(start + p.offset - offset)

def on_stop(event):
    if isinstance(event, gdb.BreakpointEvent):
        for b in event.breakpoints:
            if b.number in Point.by_number:
                Point.by_number[b.number].stopped()

def on_exit(event):
    if Point.next <= STOPS:
        print("slice: the program ended before stop %d of %d; gdb found %d of %d instructions in its files"
              % (Point.next, STOPS, len(placed), len(POINTS)))

gdb.execute("starti", to_string=True)
put_points()
gdb.events.new_objfile.connect(put_points)
gdb.events.stop.connect(on_stop)
gdb.events.exited.connect(on_exit)
end
