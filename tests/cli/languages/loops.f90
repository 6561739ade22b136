! SPDX-License-Identifier: GPL-2.0-or-later
!
! loops.f90: nested loops in a module; a comment with a name marks where each begins.
module shop
  implicit none
contains
  subroutine multiply(a, b, c, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(inout) :: c(n, n)
    integer :: i, k
    do i = 1, n ! outer
      do k = 1, n ! inner
        c(k, i) = c(k, i) & ! first of several
          + a(k, i) &

          * b(i, k) ! last of several
      end do
    end do
  end subroutine multiply
end module shop

program loops
  use shop
  implicit none
  real(8) :: a(30, 30), b(30, 30), c(30, 30)
  integer :: step
  a = 1
  b = 2
  c = 0
  repeat: do step = 1, 6 ! steps
    call multiply(a, b, c, 30)
  end do repeat
  print '(f0.1)', c(3, 4)
end program loops
