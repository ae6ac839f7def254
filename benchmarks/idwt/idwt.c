/* Three levels of the row-column 2-D inverse wavelet transform with the 9/7 filters (Devos, Figure 3.22).
   The image x has 8r rows and 8c columns. a3, a2 and a1 hold the subbands LL HL / LH HH of a level; LL of a2 and a1 is
   computed from the level before. b3, b2 and b1 hold L H. The loop over the levels is unrolled, and no element is
   written twice. Indices outside of a subband are mirrored; the filters are scaled by 2^14. */
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

/* The two phases of the filters for low samples L(m, n, k) and high samples H(m, n, k). */
#define EVEN(L, H, m, n) ((H2 * (L(m, n, -1) + L(m, n, 1)) + H0 * L(m, n, 0) \
  + G3 * (H(m, n, -2) + H(m, n, 1)) + G1 * (H(m, n, -1) + H(m, n, 0)) + ROUND) >> SHIFT)
#define ODD(L, H, m, n) ((H3 * (L(m, n, -1) + L(m, n, 2)) + H1 * (L(m, n, 0) + L(m, n, 1)) \
  + G4 * (H(m, n, -2) + H(m, n, 2)) + G2 * (H(m, n, -1) + H(m, n, 1)) + G0 * H(m, n, 0) + ROUND) >> SHIFT)

/* Vertical: sample i + k of column j. Horizontal: sample j + k of row i. */
#define V_LOW(a, n, k) a[LOW(i + (k), n)][j]
#define V_HIGH(a, n, k) a[(n) + HIGH(i + (k), n)][j]
#define H_LOW(b, n, k) b[i][LOW(j + (k), n)]
#define H_HIGH(b, n, k) b[i][(n) + HIGH(j + (k), n)]

#pragma loadstone default(r = 9, c = 11)
#pragma loadstone assume(r >= 3 && c >= 3)
void idwt(int r, int c, const int a3[2 * r][2 * c], int a2[4 * r][4 * c], int a1[8 * r][8 * c], int x[8 * r][8 * c])
{
  int b3[2 * r][2 * c];
  int b2[4 * r][4 * c];
  int b1[8 * r][8 * c];

#pragma scop
  /* Level 3 */
  for (int j = 0; j < 2 * c; j++)
    for (int i = 0; i < r; i++) {
V_even3:
      b3[2 * i][j] = EVEN(V_LOW, V_HIGH, a3, r);
V_odd3:
      b3[2 * i + 1][j] = ODD(V_LOW, V_HIGH, a3, r);
    }
  for (int i = 0; i < 2 * r; i++)
    for (int j = 0; j < c; j++) {
H_even3:
      a2[i][2 * j] = EVEN(H_LOW, H_HIGH, b3, c);
H_odd3:
      a2[i][2 * j + 1] = ODD(H_LOW, H_HIGH, b3, c);
    }

  /* Level 2 */
  for (int j = 0; j < 4 * c; j++)
    for (int i = 0; i < 2 * r; i++) {
V_even2:
      b2[2 * i][j] = EVEN(V_LOW, V_HIGH, a2, 2 * r);
V_odd2:
      b2[2 * i + 1][j] = ODD(V_LOW, V_HIGH, a2, 2 * r);
    }
  for (int i = 0; i < 4 * r; i++)
    for (int j = 0; j < 2 * c; j++) {
H_even2:
      a1[i][2 * j] = EVEN(H_LOW, H_HIGH, b2, 2 * c);
H_odd2:
      a1[i][2 * j + 1] = ODD(H_LOW, H_HIGH, b2, 2 * c);
    }

  /* Level 1 */
  for (int j = 0; j < 8 * c; j++)
    for (int i = 0; i < 4 * r; i++) {
V_even1:
      b1[2 * i][j] = EVEN(V_LOW, V_HIGH, a1, 4 * r);
V_odd1:
      b1[2 * i + 1][j] = ODD(V_LOW, V_HIGH, a1, 4 * r);
    }
  for (int i = 0; i < 8 * r; i++)
    for (int j = 0; j < 4 * c; j++) {
H_even1:
      x[i][2 * j] = EVEN(H_LOW, H_HIGH, b1, 4 * c);
H_odd1:
      x[i][2 * j + 1] = ODD(H_LOW, H_HIGH, b1, 4 * c);
    }
#pragma endscop
}
