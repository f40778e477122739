"""Threads, subprocesses of several kinds, and a pool; for the python that runs under the tool."""
import os
import queue
import subprocess
import sys
import threading

results = queue.Queue()


def worker(k):
    total = sum(i * i % 7 for i in range(300 * k))
    out = subprocess.run(["/bin/echo", str(total)], stdout=subprocess.PIPE).stdout
    results.put(int(out))


threads = [threading.Thread(target=worker, args=(k,)) for k in range(1, 4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
pid = os.fork()
if pid == 0:
    os._exit(len({i % 11 for i in range(500)}))
status = os.waitpid(pid, 0)[1]
p = subprocess.Popen(["/bin/sh", "-c", "cat; exit 3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
text, _ = p.communicate(b"through a pipe\n")
killed = subprocess.Popen(["/bin/sleep", "60"])
killed.terminate()
killed.wait()
print(results.qsize(), os.WEXITSTATUS(status), p.returncode, text.decode().strip(), killed.returncode)
sys.exit(0)
