# Functions to read a DCFG with jq:  jq -L docs 'include "dcfg"; ...' FILE
# For the recipes in jq.md and as a start for your own.  Where nothing else is said the input is the whole file.

# Input: a table of the format.  Output: its rows, one by one, as objects.
def table: .[0] as $columns | .[1:][] | [$columns, .] | transpose | map({ (.[0]): .[1] }) | add;

# Input: a number, or a string like "0x4a0".  Output: the number.
def number:
  if type == "number" then .
  else ltrimstr("0x") | ascii_downcase | explode | reduce .[] as $c (0; . * 16 + $c - (if $c > 57 then 87 else 48 end))
  end;

# An object from F of every row of a table to G of it.  Input: the table.
def index(f; g): reduce .[1:][] as $row ({}; .[$row | f | tostring] = ($row | g));

# The data of the process.
def process: .PROCESSES | table | .PROCESS_DATA;

# Images, with the file's name without its directory as FILE.  For the rest see the format's IMAGE_DATA.
def images:
  (.FILE_NAMES | index(.[0]; .[1])) as $names
  | process.IMAGES | table | { LOAD_ADDR, SIZE } + .IMAGE_DATA
  | .FILE = ($names[.FILE_NAME_ID | tostring] | split("/") | last);

# Blocks, with FILE, and all instructions that were executed in it as INSTRS.
def blocks:
  images | .FILE as $file | .BASIC_BLOCKS | table | .FILE = $file | .INSTRS = .NUM_INSTRS * .COUNT;

# Edges, with the type's name as TYPE and the sum of all threads as COUNT.
def edges:
  (.EDGE_TYPES | index(.[0]; .[1])) as $types
  | process.EDGES | table | .TYPE = $types[.EDGE_TYPE_ID | tostring] | .COUNT = (.COUNT_PER_THREAD | add);

# Loops, with the image as IMAGE, the offset of the head as HEAD, and as ITERATIONS how often the head was executed.
def loops:
  images | . as $image | (.BASIC_BLOCKS | index(.[0]; .)) as $block
  | .ROUTINES | table | select(.LOOPS) | .LOOPS | table
  | $block[.LOOP_HEAD_NODE_ID | tostring] as $head
  | .IMAGE = $image | .HEAD = $head[1] | .ITERATIONS = $head[5];

# Routines, with the image as IMAGE, the offset of the entry as ENTRY, and as INSTRS all instructions that were executed
# in it, for each thread.
def routines:
  (reduce (process.EDGES[1:] | group_by(.[2])[]) as $edges
     ({}; .[$edges[0][2] | tostring] = ($edges | map(.[4]) | transpose | map(add)))) as $count
  | images | . as $image | (.BASIC_BLOCKS | index(.[0]; .)) as $block
  | .ROUTINES | table
  | .IMAGE = $image | .ENTRY = $block[.ENTRY_NODE_ID | tostring][1]
  | .INSTRS = (.NODES[1:] | map((.[0] | tostring) as $id | $count[$id] | map(. * $block[$id][3]))
               | transpose | map(add));

# places: an object that maps a node's id (as a string) to "file+offset".
def places:
  reduce (images | .FILE as $file | .BASIC_BLOCKS[1:][] | [.[0], $file + "+" + .[1]]) as $place
    ({ "1": "START", "2": "END" }; .[$place[0] | tostring] = $place[1]);

# Input: an image.  Output: the name of the symbol at OFFSET, or null.
def symbol(offset):
  (offset | number) as $o
  | first((.SYMBOLS // [])[1:][] | select((.[1] | number) as $a | $a <= $o and $o < $a + .[2]) | .[0]) // null;

# Input: an image.  Output: the number of the source line that the instruction at OFFSET is from, or null.
def line(offset):
  (offset | number) as $o
  | first((.SOURCE_DATA // [])[1:][] | select((.[2] | number) as $a | $a <= $o and $o < $a + .[3]) | .[1]) // null;

# The N greatest of an array, by F.
def top(n; f): sort_by(-f) | .[:n][];
