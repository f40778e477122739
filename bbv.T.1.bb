I: 0
P: 1
C: sum:dummy Command: /bin/prog
S: 0x400200 1 /bin/prog 0x400000 + 0x200 # Unknown:0
# Slice ending at 10
T:12:1 :13:2 :14:1 :15:2 :16:2 :17:2 
Dynamic instruction count 10
SliceSize: 5
Block id: 12 0x400200:0x400200 static instructions: 1 block count: 1 block size: 4
Block id: 13 0x400204:0x400208 static instructions: 2 block count: 1 block size: 6
Block id: 14 0x40020a:0x40020a static instructions: 1 block count: 1 block size: 2
Block id: 15 0x7f0010:0x7f0011 static instructions: 2 block count: 1 block size: 3
Block id: 16 0x7f0020:0x7f0022 static instructions: 2 block count: 1 block size: 4
Block id: 17 0x7f0030:0x7f0032 static instructions: 2 block count: 1 block size: 3
