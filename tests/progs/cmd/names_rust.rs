// See cmd/names.t.
mod a_room_with_a_long_name_for_shapes {
    pub trait Area { fn area_of_this_shape(&self, n: u64) -> u64; }
    pub struct RoundShape(pub u64);
    pub struct OtherShape(pub u64);
    impl Area for RoundShape {
        #[inline(never)]
        fn area_of_this_shape(&self, n: u64) -> u64 { let mut s = 0; for i in 0..n { s ^= self.0 + i * i; } s }
    }
    impl Area for OtherShape {
        #[inline(never)]
        fn area_of_this_shape(&self, n: u64) -> u64 { let mut s = 1; for i in 0..n { s += self.0 ^ (i * 3); } s }
    }
}
use a_room_with_a_long_name_for_shapes::*;
#[inline(never)]
fn largest<T: PartialOrd + Copy>(v: &[T]) -> T { let mut m = v[0]; for &x in v { if x > m { m = x; } } m }
#[inline(never)]
fn apply<F: Fn(u64) -> u64>(f: F, n: u64) -> u64 { let mut s = 0; for i in 0..n { s ^= f(i) + s / 3; } s }
fn main() {
    let n = std::env::args().count() as u64;
    let v: Vec<u32> = (0..500).map(|x| x * 7 % 13 + n as u32).collect();
    let w: Vec<f64> = (0..800).map(|x| x as f64 * n as f64).collect();
    println!("{} {} {} {} {} {}", largest(&v), largest(&w), RoundShape(n).area_of_this_shape(900), OtherShape(n).area_of_this_shape(700),
             apply(|x| x * 3 / (n + 1), 400), apply(|x| (x ^ n) % 7, 600));
}
