# Makes a timeline: reads what `dcfg xray --as=chrome` writes, and prints a graph that Graphviz draws.
#
#    dcfg xray --as=chrome LOG | jq -r -f docs/timeline.jq | neato -n2 -Tsvg >timeline.svg
#
# Each call is a box.  Time goes from left to right, depth from top to bottom, and threads stand one below the other.  A
# microsecond is an instruction of all threads together.  Calls that would be narrower than a line are left out.

# Sizes in points: the whole width, the height of a level, the width of a character.
def across: 1000;
def down: 16;
def letter: 6;

# The narrowest box.
def least: 1.5;

# The calls: thread, depth, from, to, name, cost.
def calls:
  reduce (.traceEvents[] | select(.ph == "B" or .ph == "E")) as $e ({open: {}, all: []};
    ($e.tid | tostring) as $t
    | if $e.ph == "B" then .open[$t] += [$e]
      else .open[$t][-1] as $b
        | .all += [{thread: $e.tid, depth: (.open[$t] | length), from: $b.ts, to: $e.ts, name: $b.name,
                    cost: $e.args.instructions}]
        | .open[$t] |= .[:-1]
      end)
  | .all;

def colours: ["#fbb4ae", "#b3cde3", "#ccebc5", "#decbe4", "#fed9a6", "#ffffcc", "#e5d8bd", "#fddaec"];

calls as $calls
| ($calls | map(.to) | max) as $last
| ($calls | group_by(.thread) | map({thread: .[0].thread, levels: (map(.depth) | max)})) as $threads
| "graph timeline {",
  "  node [shape=box, style=filled, fixedsize=true, fontname=\"Helvetica\", fontsize=9, penwidth=0.3, height=\(down / 72)];",
  (range($threads | length) as $i
   | $threads[$i] as $thread
      # $above: the levels of all threads before this one, and one free level after each.
   | ($threads[:$i] | map(.levels + 2) | add // 0) as $above
   | "  t\($i) [pos=\"-30,\(-($above + 1) * down)!\", label=\"thread \($thread.thread)\", width=0.8, style=\"\", penwidth=0];",
     ($calls[] | select(.thread == $thread.thread)
      | ((.to - .from) * across / $last) as $width
      | select($width >= least)
      | (($width / letter) | floor) as $room
      | (if (.name | length) <= $room then .name elif $room > 3 then .name[:$room - 2] + ".." else "" end) as $text
      | "  \"\(.thread).\(.depth).\(.from)\" ["
        + "pos=\"\(.from * across / $last + $width / 2),\(-($above + .depth) * down)!\", width=\($width / 72), "
        + "label=\($text | tojson), tooltip=\("\(.name): \(.cost) instructions" | tojson), "
        + "fillcolor=\"\(colours[(.name | explode | add) % 8])\"];")),
  "}"
