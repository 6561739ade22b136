// SPDX-License-Identifier: GPL-2.0-or-later
// mixed.js: code that a just-in-time compiler makes fast, throws away and makes anew; workers, promises, JSON.
'use strict';
const crypto = require('crypto');
const { Worker, isMainThread, parentPort } = require('worker_threads');

function add(a, b) {
    return a + b;
}

function primes(n) {
    const sieve = new Uint8Array(n);
    let count = 0;
    for (let i = 2; i < n; i++) {
        if (!sieve[i]) {
            count++;
            for (let j = i * 2; j < n; j += i)
                sieve[j] = 1;
        }
    }
    return count;
}

if (!isMainThread) {
    parentPort.postMessage(primes(200000));
} else {
    let sum = 0;
    for (let i = 0; i < 300000; i++)
        sum = add(sum, i);
    const text = add('a', 1) + add([1], {}) + add(1.5, 2n ? 3 : 4);
    class Node {
        constructor(v) { this.v = v; this.next = null; }
    }
    let list = null;
    for (let i = 0; i < 100000; i++) {
        const node = new Node(i % 3 ? i : String(i));
        node.next = list;
        list = i % 1000 ? node : null;
    }
    let length = 0;
    for (let at = list; at; at = at.next)
        length++;
    const digest = crypto.createHash('sha256').update(JSON.stringify({ sum, text, length })).digest('hex');
    const worker = new Worker(__filename);
    worker.on('message', (count) => console.log(sum, text, length, digest, primes(100000), count));
}
