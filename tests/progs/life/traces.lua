-- Loops that LuaJIT compiles, with side exits, calls, and traces thrown away and compiled anew (jit.flush).
local jit = require("jit")
jit.opt.start("hotloop=5", "hotexit=3")
local function collatz(n)
   local steps = 0
   while n ~= 1 do
      if n % 2 == 0 then n = n / 2 else n = 3 * n + 1 end
      steps = steps + 1
   end
   return steps
end
local total = 0
for round = 1, 6 do
   for n = 1, 150 do total = total + collatz(n) end
   local t = {}
   for i = 1, 300 do t[i] = (i * 7919) % 1009 end
   table.sort(t, function(a, b) return a < b end)
   for i = 1, 300 do total = total + t[i] * (i % 3) end
   local s = {}
   for w in ("the quick brown fox jumps"):gmatch("%a+") do s[#s + 1] = w:upper() .. #w end
   total = total + #table.concat(s)
   if round % 2 == 0 then jit.flush() end
end
print(total)
