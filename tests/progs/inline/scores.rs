use std::collections::HashMap;
fn score(x: u64) -> u64 { x.wrapping_mul(6364136223846793005).rotate_left(17) ^ (x >> 3) }
fn main() {
    let mut m: HashMap<u64, u64> = HashMap::new();
    let v: Vec<u64> = (0..2000).map(score).filter(|x| x % 3 != 0).collect();
    for x in &v { *m.entry(x % 97).or_insert(0) += x & 0xff; }
    let mut k: Vec<_> = m.into_iter().collect();
    k.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    println!("{:?}", &k[..3]);
}
