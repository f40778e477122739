I: 0
P: 0
C: sum:dummy Command: /bin/prog
S: 0x400100 1 /bin/prog 0x400000 + 0x100 # prog.c:10
# Slice ending at 7
T:4:2 :5:1 :15:2 :17:2 
S: 0x40010a 1 /bin/prog 0x400000 + 0x10a # prog.c:11
# Slice ending at 13
T:6:2 :7:4 
S: 0x400110 3 /bin/prog 0x400000 + 0x110 # prog.c:12
# Slice ending at 19
T:6:2 :7:2 :8:2 
S: 0x400110 4 /bin/prog 0x400000 + 0x110 # prog.c:12
# Slice ending at 27
T:7:6 :8:2 
S: 0x40010a 3 /bin/prog 0x400000 + 0x10a # prog.c:11
# Slice ending at 37
T:6:2 :9:4 :10:2 :11:2 
Dynamic instruction count 37
SliceSize: 5
Block id: 4 0x400100:0x400103 static instructions: 2 block count: 1 block size: 8
Block id: 5 0x400108:0x400108 static instructions: 1 block count: 1 block size: 2
Block id: 6 0x40010a:0x40010e static instructions: 2 block count: 3 block size: 6
Block id: 7 0x400110:0x400112 static instructions: 2 block count: 6 block size: 4
Block id: 8 0x400114:0x400117 static instructions: 2 block count: 2 block size: 5
Block id: 9 0x400120:0x400120 static instructions: 1 block count: 4 block size: 2
Block id: 10 0x400122:0x400127 static instructions: 2 block count: 1 block size: 7
Block id: 11 0x400129:0x40012a static instructions: 2 block count: 1 block size: 3
Block id: 15 0x7f0010:0x7f0011 static instructions: 2 block count: 1 block size: 3
Block id: 17 0x7f0030:0x7f0032 static instructions: 2 block count: 1 block size: 3
