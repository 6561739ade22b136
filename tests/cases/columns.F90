! SPDX-License-Identifier: GPL-2.0-or-later
! A field is scaled row by row, although columns lie in memory. REPAIRED: column by column.
program columns
  implicit none
  character(len=20) :: text
  double precision, allocatable :: field(:, :)
  integer :: factor, n, round

  factor = 1
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) factor
  end if
  n = 260 * factor
  call make_field()
  do round = 1, 10
    call scale_field(field, n)
  end do
  print '(f0.0)', sum(field)

contains

  subroutine make_field()
    integer :: i, j
    allocate (field(n, n))
    do j = 1, n
      do i = 1, n
        field(i, j) = mod(i + j, 100)
      end do
    end do
  end subroutine

  subroutine scale_field(field, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: field(n, n)
    integer :: i, j
#ifdef REPAIRED
    do j = 1, n
      do i = 1, n
#else
    do i = 1, n
      do j = 1, n
#endif
        field(i, j) = field(i, j) * 2 + i ! problem
      end do
    end do
  end subroutine
end program
