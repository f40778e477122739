"""A client of gdb's remote protocol, for tests and the bench."""
import re
import subprocess

TIMEOUT = 600                           # seconds


class Closed(Exception):
    """The server has gone."""


def checked(data):
    return b"$" + data + b"#%02x" % (sum(data) & 255)


class Remote:
    """A connection to a server on its stdin and stdout, without acknowledgements unless ACKS."""

    def __init__(self, argv, acks=False, **more):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.acks = True
        if not acks:
            assert self.ask("QStartNoAckMode") == "OK"
            self.acks = False

    def send(self, text):
        try:
            self.process.stdin.write(checked(text if isinstance(text, bytes) else text.encode()))
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Closed

    def byte(self):
        b = self.process.stdout.read(1)
        if not b:
            raise Closed
        return b

    def receive(self):
        while True:
            b = self.byte()
            if b == b"$":
                break
            assert b in b"+-", b
        data, plain = bytearray(), bytearray()
        while True:
            b = self.byte()
            if b == b"#":
                break
            data += b
            if b == b"}":
                b = self.byte()
                data += b
                plain.append(b[0] ^ 0x20)
            elif b == b"*":
                b = self.byte()
                data += b
                plain += plain[-1:] * (b[0] - 29)
            else:
                plain += b
        assert int(self.byte() + self.byte(), 16) == sum(data) & 255
        if self.acks:
            self.process.stdin.write(b"+")
            self.process.stdin.flush()
        return plain.decode("latin-1")

    def ask(self, text):
        self.send(text)
        return self.receive()

    def monitor(self, text):
        answer = self.ask("qRcmd," + text.encode().hex())
        return "" if answer == "OK" else bytes.fromhex(answer).decode()

    def memory(self, addr, size):
        """The bytes that are known from ADDR on."""
        answer = self.ask("m%x,%x" % (addr, size))
        return b"" if answer.startswith("E") and len(answer) == 3 else bytes.fromhex(answer)

    def rows(self):
        """(name, bits) of each register, in the order of packet g."""
        text, at = "", 0
        while True:
            answer = self.ask("qXfer:features:read:target.xml:%x,1000" % at)
            text += answer[1:]
            at = len(text)
            if answer[0] == "l":
                return [(m[0], int(m[1])) for m in re.findall(r'<reg name="(\w+)" bitsize="(\d+)"', text)]

    def registers(self, rows):
        """By name, the digits of each register."""
        g, found, at = self.ask("g"), {}, 0
        for name, bits in rows:
            found[name] = g[at:at + bits // 4]
            at += bits // 4
        return found

    def close(self):
        try:
            self.send("k")
        except Closed:
            pass
        self.process.stdin.close()
        err = self.process.stderr.read().decode(errors="replace")
        self.process.stdout.close()
        return self.process.wait(TIMEOUT), err


def number(digits):
    """A register's digits as a number; None: not known."""
    return None if "x" in digits else int.from_bytes(bytes.fromhex(digits), "little")


def symbols(prog):
    """By name, the address of each symbol of a program."""
    out = subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode()
    return {line.split()[2]: int(line.split()[0], 16) for line in out.splitlines() if len(line.split()) == 3}
