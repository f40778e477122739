"""Classes, dictionaries, generators and exceptions: an event queue and a word index."""
import heapq
import sys


class Event:
    def __init__(self, time, name):
        self.time = time
        self.name = name

    def __lt__(self, other):
        return self.time < other.time


def simulate(n):
    queue = [Event(i * 7919 % 101, "e%d" % i) for i in range(50)]
    heapq.heapify(queue)
    seen = {}
    for i in range(n):
        event = heapq.heappop(queue)
        seen[event.name] = seen.get(event.name, 0) + 1
        heapq.heappush(queue, Event(event.time + (i * 31 + event.time) % 13 + 1, event.name))
    return max(seen.items(), key=lambda item: (item[1], item[0]))


def index(path):
    lines = {}
    with open(path) as text:
        for number, line in enumerate(text):
            for word in line.split():
                try:
                    lines[word].append(number)
                except KeyError:
                    lines[word] = [number]
    return sum(len(set(where)) for where in lines.values())


print(simulate(int(sys.argv[2])), index(sys.argv[1]))
