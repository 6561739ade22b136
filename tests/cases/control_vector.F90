! SPDX-License-Identifier: GPL-2.0-or-later
! Control: a product of a matrix and a vector, by columns, as they lie in memory.
program control_vector
  implicit none
  character(len=20) :: text
  double precision, allocatable :: matrix(:, :), x(:), y(:)
  integer :: factor, n, i, j, round

  factor = 1
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) factor
  end if
  n = 300 * factor
  allocate (matrix(n, n), x(n), y(n))
  do j = 1, n
    do i = 1, n
      matrix(i, j) = mod(i + j, 10)
    end do
  end do
  x = 1
  do round = 1, 10
    y = 0
    do j = 1, n
      do i = 1, n
        y(i) = y(i) + matrix(i, j) * x(j)
      end do
    end do
    x = y / maxval(y)
  end do
  print '(f0.3)', sum(x)
end program
