// SPDX-License-Identifier: GPL-2.0-or-later
//
// loops.rs: loops over ranges and iterators; a comment with a name marks where each begins.
mod shop {
    #[inline(never)]
    pub fn total(items: &[f64]) -> f64 {
        let mut sum = 0.0;
        for item in items { // range
            sum += item;
        }
        sum
    }
}

fn main() {
    let mut items = vec![0.0; 150];
    let mut i = 0;
    while i < items.len() { // while
        items[i] = i as f64
            * 0.5;
        i += 1;
    }
    let mut sum = 0.0;
    for _ in 0..8 * std::env::args().count() { // calls
        sum += shop::total(&items);
    }
    println!("{:.1}", sum);
}
