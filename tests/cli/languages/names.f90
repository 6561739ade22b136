! SPDX-License-Identifier: GPL-2.0-or-later
! Names of Fortran: a module's procedures, one inside another, an operator.
module shapes
  implicit none
contains
  function total(sides) result(sum_of)
    integer, intent(in) :: sides(:)
    integer :: sum_of, i
    sum_of = 0
    do i = 1, size(sides)
      sum_of = sum_of + area(sides(i))
    end do
  contains
    function area(side) result(square)
      integer, intent(in) :: side
      integer :: square
      square = side * side
    end function area
  end function total
end module shapes

program names
  use shapes
  implicit none
  integer :: sides(100), i
  sides = [(i, i = 1, 100)]
  print *, total(sides)
end program names
