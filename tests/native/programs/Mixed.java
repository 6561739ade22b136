// SPDX-License-Identifier: GPL-2.0-or-later
// Mixed.java: hot loops that are compiled while they run, collections, exceptions, null checks by faults, threads.
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Mixed {
    interface Shape { double area(); }

    static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    public static void main(String[] args) throws Exception {
        Map<Integer, List<String>> map = new TreeMap<>();
        for (int i = 0; i < 50000; i++)
            map.computeIfAbsent(i * 31 % 101, k -> new ArrayList<>()).add("v" + i);
        int caught = 0;
        Shape[] shapes = new Shape[100];
        for (int i = 0; i < 100; i++) {
            final int side = i;
            shapes[i] = i % 3 == 0 ? null : () -> side * side;
        }
        double sum = 0;
        for (int round = 0; round < 200; round++)
            for (Shape s : shapes) {
                try {
                    sum += s.area();
                } catch (NullPointerException e) {
                    caught++;
                }
            }
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Long>> futures = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            final int n = 20 + i % 3;
            futures.add(pool.submit(() -> fib(n)));
        }
        long total = 0;
        for (Future<Long> f : futures)
            total += f.get();
        pool.shutdown();
        String text = IntStream.range(0, 2000).mapToObj(Integer::toString).collect(Collectors.joining(","));
        System.out.println(map.size() + " " + sum + " " + caught + " " + total + " " + text.hashCode());
    }
}
