/* One level of the row-column 2-D inverse wavelet transform with the 9/7 filters (Devos, Figure 3.22).
   a holds the subbands LL HL / LH HH, r by c each; the result x is the image or the LL of the next level.
   Low and high samples are interleaved, mirrored at both ends and filtered; the filters are scaled by 2^14.
   A strip runs both passes for eight rows of the result, so that b and h never leave it. */
#define H0 18270
#define H1 9687
#define H2 (-943)
#define H3 (-1495)
#define G0 9879
#define G1 (-4372)
#define G2 (-1282)
#define G3 276
#define G4 438
#define ROUND 8192
#define SHIFT 14

#pragma loadstone default(r = 36, c = 44)
#pragma loadstone assume(r >= 2 && c >= 2)
void idwt97(int r, int c, int a[2 * r][2 * c], int x[2 * r][2 * c])
{
  int v[2 * r + 7][2 * c];
  int b[2 * r][2 * c];
  int h[2 * r][2 * c + 7];

#pragma loadstone tile schedule(V_low: 2*i, 0, j; V_high: 2*i + 1, 0, j; V_front: k, 0, j; V_back: 2*r - 1 + k, 0, j; \
  V_even: 2*i + 4, 0, j; V_odd: 2*i + 5, 0, j; \
  H_low: i + 4, 1, 2*j; H_high: i + 4, 1, 2*j + 1; H_front: i + 4, 1, k; H_back: i + 4, 1, 2*c - 1 + k; \
  H_even: i + 4, 1, 2*j + 4; H_odd: i + 4, 1, 2*j + 5) size(8, 1, 16) strip(2)
#pragma scop
  /* Vertical: v[3 + y] is sample y of a column, -3 <= y <= 2r + 3. */
  for (int j = 0; j < 2 * c; j++) {
    for (int i = 0; i < r; i++) {
V_low:
      v[2*i+3][j] = a[i][j];
V_high:
      v[2*i+4][j] = a[r+i][j];
    }
    for (int k = 1; k <= 3; k++)
V_front:
      v[3-k][j] = v[3+k][j];
    for (int k = 1; k <= 4; k++)
V_back:
      v[2*r+2+k][j] = v[2*r+2-k][j];
    for (int i = 0; i < r; i++) {
V_even:
      b[2*i][j] = (H0 * v[2*i+3][j] + H2 * (v[2*i+1][j] + v[2*i+5][j])
                   + G1 * (v[2*i+2][j] + v[2*i+4][j]) + G3 * (v[2*i][j] + v[2*i+6][j]) + ROUND) >> SHIFT;
V_odd:
      b[2*i+1][j] = (H1 * (v[2*i+3][j] + v[2*i+5][j]) + H3 * (v[2*i+1][j] + v[2*i+7][j])
                     + G0 * v[2*i+4][j] + G2 * (v[2*i+2][j] + v[2*i+6][j])
                     + G4 * (v[2*i][j] + v[2*i+8][j]) + ROUND) >> SHIFT;
    }
  }

  /* Horizontal: the same along the rows. */
  for (int i = 0; i < 2 * r; i++) {
    for (int j = 0; j < c; j++) {
H_low:
      h[i][2*j+3] = b[i][j];
H_high:
      h[i][2*j+4] = b[i][c+j];
    }
    for (int k = 1; k <= 3; k++)
H_front:
      h[i][3-k] = h[i][3+k];
    for (int k = 1; k <= 4; k++)
H_back:
      h[i][2*c+2+k] = h[i][2*c+2-k];
    for (int j = 0; j < c; j++) {
H_even:
      x[i][2*j] = (H0 * h[i][2*j+3] + H2 * (h[i][2*j+1] + h[i][2*j+5])
                   + G1 * (h[i][2*j+2] + h[i][2*j+4]) + G3 * (h[i][2*j] + h[i][2*j+6]) + ROUND) >> SHIFT;
H_odd:
      x[i][2*j+1] = (H1 * (h[i][2*j+3] + h[i][2*j+5]) + H3 * (h[i][2*j+1] + h[i][2*j+7])
                     + G0 * h[i][2*j+4] + G2 * (h[i][2*j+2] + h[i][2*j+6])
                     + G4 * (h[i][2*j] + h[i][2*j+8]) + ROUND) >> SHIFT;
    }
  }
#pragma endscop
}
