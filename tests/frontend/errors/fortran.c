      DO I = 1, N
        A(I) = 0
      END DO
