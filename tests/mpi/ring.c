/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.c: an MPI program whose ranks work unevenly: rank r walks r + 1 times as far as rank 0, hands a token on in a
 * ring, and adds up what all have found. Compiled with mpicc by mpi.py.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 5000, ROUNDS = 8 };

static __attribute__((noinline)) double work(double *data, int length)
{
    double sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < length; i++)
            sum += data[i] += round;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, token = 1;
    double sum, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *data = calloc((size_t)LENGTH * (size_t)(rank + 1), sizeof *data);
    if (data == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    sum = work(data, LENGTH * (rank + 1));
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token += rank;
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("token %d, sum %.0f, %d ranks\n", token, all, size);
    free(data);
    return MPI_Finalize();
}
