! SPDX-License-Identifier: GPL-2.0-or-later
! Cells are of a derived type with ten numbers, and the loop needs two. REPAIRED: an array for these two.
program cells
  implicit none
  type cell
#ifndef REPAIRED
    double precision :: rest(8)
#endif
    double precision :: energy, density
  end type
  type other
    double precision :: rest(8)
  end type
  character(len=20) :: text
  type(cell), allocatable :: all(:)
  type(other), allocatable :: others(:)
  integer :: factor, n, round
  double precision :: total

  factor = 1
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) factor
  end if
  n = 12000 * factor
  call make_cells()
  total = 0
  do round = 1, 40
    total = total + weigh()
  end do
  print '(f0.0)', total

contains

  subroutine make_cells()
    integer :: i
    allocate (all(n), others(n))
    do i = 1, n
#ifdef REPAIRED
      others(i)%rest(1) = i
#else
      all(i)%rest(1) = i
#endif
      all(i)%energy = mod(i, 50)
      all(i)%density = mod(i, 3)
    end do
  end subroutine

  double precision function weigh()
    integer :: i
    weigh = 0
    do i = 1, n
      weigh = weigh + all(i)%energy * all(i)%density ! problem
    end do
    all(n / 2)%energy = all(n / 2)%energy + 1
  end function
end program
