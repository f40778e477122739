I: 0
C: sum:dummy Command: /work/main/
S: 0x400005 1 /work/main/ 0x400000 + 0x5 # Unknown:0
S: 0x40100e 1 /work/main/ 0x400000 + 0x100e # Unknown:0
# Slice ending at 3
T:6:1 :7:1 :8:1 
S: 0x401005 1 /work/main/ 0x400000 + 0x1005 # Unknown:0
# Slice ending at 6
T:5:3 
Dynamic instruction count 6
SliceSize: 3
Block id: 4 0x400005:0x400006 static instructions: 0 block count: 1 block size: 1
Block id: 5 0x401005:0x40100c static instructions: 3 block count: 1 block size: 9
Block id: 6 0x40100e:0x40100e static instructions: 1 block count: 1 block size: 2
Block id: 7 0x401010:0x401010 static instructions: 1 block count: 1 block size: 2
Block id: 8 0x401012:0x401012 static instructions: 1 block count: 1 block size: 1
