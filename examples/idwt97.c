/* One level of the 2-D inverse wavelet transform with the 9/7 filters, line by line (Devos, Figure 3.22 after RC2LB).
   a holds the subbands, LL beside HL and LH beside HH, r by c each; the result x is the image or the LL of the next
   level, so that a program runs the same accelerator once for each level, whose number it knows when it starts. Indices
   outside of a subband are mirrored; the filters are scaled by 2^14.
   Two rows of x are a tile and all rows one strip: lines of a and b stay on the chip until the last filter has read
   them, and each pixel is loaded and stored once. */
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
/* Low and high samples alternate; the index of a sample among n low or n high ones, mirrored at both ends. */
#define LOW(k, n) ((k) < 0 ? -(k) : (k) >= (n) ? 2 * (n) - 1 - (k) : (k))
#define HIGH(k, n) ((k) < 0 ? -1 - (k) : (k) >= (n) ? 2 * (n) - 2 - (k) : (k))

/* The two phases of the filters for low samples L(k) and high samples H(k). */
#define EVEN(L, H) ((H2 * (L(-1) + L(1)) + H0 * L(0) + G3 * (H(-2) + H(1)) + G1 * (H(-1) + H(0)) + ROUND) >> SHIFT)
#define ODD(L, H) ((H3 * (L(-1) + L(2)) + H1 * (L(0) + L(1)) \
  + G4 * (H(-2) + H(2)) + G2 * (H(-1) + H(1)) + G0 * H(0) + ROUND) >> SHIFT)

/* Vertical: sample i + k of column j. Horizontal: sample j + k of row i. */
#define V_LOW(k) a[0][LOW(i + (k), r)][j]
#define V_HIGH(k) a[1][HIGH(i + (k), r)][j]
#define H_LOW(k) b[i][LOW(j + (k), c)]
#define H_HIGH(k) b[i][c + HIGH(j + (k), c)]

#pragma loadstone default(r = 36, c = 44)
#pragma loadstone assume(r >= 3 && c >= 3)
void idwt97(int r, int c, int a[2][r][2 * c], int x[2 * r][2 * c])
{
  int b[2 * r][2 * c];

#pragma loadstone tile schedule(V_even: 2*i; V_odd: 2*i; H_even: i; H_odd: i) size(2)
#pragma scop
  for (int i = 0; i < r; i++)
    for (int j = 0; j < 2 * c; j++) {
V_even:
      b[2 * i][j] = EVEN(V_LOW, V_HIGH);
V_odd:
      b[2 * i + 1][j] = ODD(V_LOW, V_HIGH);
    }
  for (int i = 0; i < 2 * r; i++)
    for (int j = 0; j < c; j++) {
H_even:
      x[i][2 * j] = EVEN(H_LOW, H_HIGH);
H_odd:
      x[i][2 * j + 1] = ODD(H_LOW, H_HIGH);
    }
#pragma endscop
}
