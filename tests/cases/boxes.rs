// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers in a box each: a heap block for every eight bytes. With the configuration `repaired`: in one vector.

#[cfg(repaired)]
type Number = f64;
#[cfg(not(repaired))]
type Number = Box<f64>;

#[inline(never)]
fn make_numbers(n: usize) -> Vec<Number> {
    (0..n).map(|i| Number::from((i % 1000) as f64)).collect()
}

#[inline(never)]
fn add(numbers: &mut Vec<Number>) -> f64 {
    let mut sum = 0.0;
    for i in 0..numbers.len() {
        #[cfg(repaired)]
        let number = &mut numbers[i];
        #[cfg(not(repaired))]
        let number = numbers[i].as_mut(); // problem
        *number += 1.0; // problem
        sum += *number; // problem
    }
    sum
}

fn main() {
    let scale: usize = std::env::args().nth(1).map_or(1, |text| text.parse().unwrap());
    let mut numbers = make_numbers(40000 * scale);
    let mut sum = 0.0;
    for _ in 0..20 {
        sum += add(&mut numbers);
    }
    println!("{}", sum);
}
