// SPDX-License-Identifier: GPL-2.0-or-later
// tree.rs: a map, threads, a panic that is caught.
use std::collections::BTreeMap;
use std::thread;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let workers: Vec<_> = (0..4u64)
        .map(|t| {
            thread::spawn(move || {
                let mut map = BTreeMap::new();
                for i in 0..20000u64 {
                    *map.entry((i * 7919 + t) % 1009).or_insert(0u64) += i;
                }
                map.iter().fold(0u64, |sum, (k, v)| sum.wrapping_mul(31).wrapping_add(k ^ v))
            })
        })
        .collect();
    let sums: Vec<u64> = workers.into_iter().map(|w| w.join().unwrap()).collect();
    let caught = std::panic::catch_unwind(|| {
        let empty: Vec<u32> = Vec::new();
        empty[sums_len()]
    });
    println!("{:?} {}", sums, caught.is_err());
}

fn sums_len() -> usize {
    std::env::args().count()
}
