// SPDX-License-Identifier: GPL-2.0-or-later
// Values are gathered by indices in no order. With the configuration `repaired`: the indices are sorted, once.

#[inline(never)]
fn make_values(n: usize) -> Vec<u64> {
    (0..n as u64).map(|i| i % 1000).collect()
}

#[inline(never)]
fn make_indices(n: usize) -> Vec<u32> {
    let mut state = 1u32;
    let mut indices = Vec::with_capacity(2 * n);
    for _ in 0..2 * n {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        indices.push(state % n as u32);
    }
    if cfg!(repaired) {
        indices.sort_unstable();
    }
    indices
}

#[inline(never)]
fn gather(values: &mut [u64], indices: &[u32]) -> u64 {
    let mut sum = 0;
    for index in indices {
        sum += values[*index as usize]; // problem
    }
    values[0] += 1;
    sum
}

fn main() {
    let scale: usize = std::env::args().nth(1).map_or(1, |text| text.parse().unwrap());
    let n = 40000 * scale;
    let mut values = make_values(n);
    let indices = make_indices(n);
    let mut sum = 0;
    for _ in 0..30 {
        sum += gather(&mut values, &indices);
    }
    println!("{}", sum);
}
