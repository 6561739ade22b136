// SPDX-License-Identifier: GPL-2.0-or-later
// Names of Rust: a generic function, a closure, a trait's method.
use std::collections::HashMap;

pub trait Shape {
    fn area(&self) -> u64;
}

struct Square {
    side: u64,
}

impl Shape for Square {
    #[inline(never)]
    fn area(&self) -> u64 {
        self.side * self.side
    }
}

mod inner {
    #[inline(never)]
    pub fn total<T: super::Shape>(shapes: &[T]) -> u64 {
        shapes.iter().map(|s| s.area()).sum()
    }
}

fn main() {
    let shapes: Vec<Square> = (0..100).map(|side| Square { side }).collect();
    let mut seen: HashMap<String, u64> = HashMap::new();
    seen.insert("total".to_string(), inner::total(&shapes));
    println!("{}", seen["total"]);
}
