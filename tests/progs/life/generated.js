// Functions that become hot, are compiled, and are dropped, so that others take their places.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
let total = fib(20);
for (let r = 0; r < 8; r++) {
  const f = new Function('n', `let s = ${r}; function inner${r}(k) { return k % 7 + ${r}; } for (let i = 0; i < n; i++) s += inner${r}(i); return s;`);
  for (let k = 0; k < 6; k++)
    total += f(3000);
}
console.log(total);
