// SPDX-License-Identifier: GPL-2.0-or-later
// Records of 96 bytes, of which a loop needs the price. With the configuration `repaired`: prices in a vector.

#[derive(Clone)]
#[repr(C)]
struct Rest {
    text: [u64; 11],
}

#[derive(Clone)]
#[repr(C)]
struct Record {
    price: u64,
    #[cfg(not(repaired))]
    rest: Rest,
}

#[inline(never)]
fn make_records(n: usize) -> (Vec<Record>, Vec<Rest>) {
    let rest = Rest { text: [7; 11] };
    let mut records = Vec::with_capacity(n);
    let mut others = Vec::new();
    for i in 0..n {
        #[cfg(not(repaired))]
        records.push(Record { price: i as u64 % 100, rest: rest.clone() });
        #[cfg(repaired)]
        records.push(Record { price: i as u64 % 100 });
        #[cfg(repaired)]
        others.push(rest.clone());
    }
    others.truncate(n);
    (records, others)
}

#[inline(never)]
fn raise(records: &mut [Record]) -> u64 {
    let mut sum = 0;
    for record in records {
        record.price += 1; // problem
        sum += record.price; // problem
    }
    sum
}

fn main() {
    let scale: usize = std::env::args().nth(1).map_or(1, |text| text.parse().unwrap());
    let (mut records, _others) = make_records(8000 * scale);
    let mut sum = 0;
    for _ in 0..30 {
        sum += raise(&mut records);
    }
    println!("{}", sum);
}
