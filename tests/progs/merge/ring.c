/* A token goes around, and all add up something. */
#include <mpi.h>
int main(int argc, char** argv)
{
   int  rank, size, token = 0;
   long sum = 0, all = 0;
   MPI_Init(&argc, &argv);
   MPI_Comm_rank(MPI_COMM_WORLD, &rank);
   MPI_Comm_size(MPI_COMM_WORLD, &size);
   for (long i = 0; i < 1000 * (rank + 1); i++)
      sum += i * i % 7;
   if (rank > 0)
      MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
   MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
   if (rank == 0)
      MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
   MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
   MPI_Finalize();
   return all < 0;
}
