! SPDX-License-Identifier: GPL-2.0-or-later
! columns_fortran.f90 with the two loops of row_sums exchanged, nothing else: the image is read in the order in which it
! lies in memory. See README.md.
program columns_fortran_fixed
    implicit none
    integer, parameter :: height = 1500, width = 2000
    real, allocatable :: image(:, :)
    double precision :: sums(height)
    integer :: x, y

    allocate (image(height, width))
    do x = 1, width
        do y = 1, height
            image(y, x) = real(mod(x * 7 + y * 3, 256))
        end do
    end do
    call row_sums(image, sums)
    print '(3f10.0)', sums(1), sums(height / 2), sums(height)

contains

    subroutine row_sums(image, sums)
        real, intent(in) :: image(:, :)
        double precision, intent(out) :: sums(:)
        integer :: i, j

        sums = 0
        do j = 1, size(image, 2)
            do i = 1, size(image, 1)
                sums(i) = sums(i) + image(i, j)
            end do
        end do
    end subroutine row_sums
end program columns_fortran_fixed
