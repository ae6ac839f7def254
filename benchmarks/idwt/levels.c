/* The 2-D inverse wavelet transform with the 9/7 filters (Devos, Figure 3.22) as a kernel for accelerators: one to three
   levels, a number that is known when it starts. The image x has 8r rows and 8c columns. Level l filters the subbands
   LL, HL, LH and HH along columns into L and H, and these along rows. LL of a level is what the level before computed;
   LL of the first one that runs is an input: ll3, or in2 or in1 where there are fewer levels. Samples outside of a
   subband are mirrored; the filters are scaled by 2^14.

   The tiling is LB V, line-based through all levels: eight lines of the image with what leads to them in the other
   levels, all in one strip. `frames.py` has those of RC and LB. */
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

/* The two phases of the filters for low samples L(l, n, k) and high samples H(h, n, k). */
#define EVEN(L, H, l, h, n) ((H2 * (L(l, n, -1) + L(l, n, 1)) + H0 * L(l, n, 0) \
  + G3 * (H(h, n, -2) + H(h, n, 1)) + G1 * (H(h, n, -1) + H(h, n, 0)) + ROUND) >> SHIFT)
#define ODD(L, H, l, h, n) ((H3 * (L(l, n, -1) + L(l, n, 2)) + H1 * (L(l, n, 0) + L(l, n, 1)) \
  + G4 * (H(h, n, -2) + H(h, n, 2)) + G2 * (H(h, n, -1) + H(h, n, 1)) + G0 * H(h, n, 0) + ROUND) >> SHIFT)

/* Vertical: sample i + k of column j. Horizontal: sample j + k of row i. */
#define V_LOW(s, n, k) s[LOW(i + (k), n)][j]
#define V_HIGH(s, n, k) s[HIGH(i + (k), n)][j]
#define H_LOW(s, n, k) s[i][LOW(j + (k), n)]
#define H_HIGH(s, n, k) s[i][HIGH(j + (k), n)]

#pragma loadstone default(r = 3, c = 4, levels = 3)
#pragma loadstone assume(r >= 3 && c >= 3 && levels >= 1 && levels <= 3)
void idwt(int r, int c, int levels, const int ll3[r][c],
  const int hl3[r][c], const int lh3[r][c], const int hh3[r][c], const int in2[2 * r][2 * c],
  const int hl2[2 * r][2 * c], const int lh2[2 * r][2 * c], const int hh2[2 * r][2 * c], const int in1[4 * r][4 * c],
  const int hl1[4 * r][4 * c], const int lh1[4 * r][4 * c], const int hh1[4 * r][4 * c], int x[8 * r][8 * c])
{
  int ll2[2 * r][2 * c], ll1[4 * r][4 * c];
  int l3[2 * r][c], h3[2 * r][c], l2[4 * r][2 * c], h2[4 * r][2 * c], l1[8 * r][4 * c], h1[8 * r][4 * c];

#pragma loadstone tile schedule( \
  LL_even3: 8*i; LL_odd3: 8*i; HL_even3: 8*i; HL_odd3: 8*i; L_even3: 4*i; L_odd3: 4*i; first2: 4*i; \
  LL_even2: 4*i + 8; LL_odd2: 4*i + 8; HL_even2: 4*i + 8; HL_odd2: 4*i + 8; L_even2: 2*i + 8; L_odd2: 2*i + 8; \
  first1: 2*i + 8; \
  LL_even1: 2*i + 12; LL_odd1: 2*i + 12; HL_even1: 2*i + 12; HL_odd1: 2*i + 12; L_even1: i + 12; L_odd1: i + 12) \
  size(8)
#pragma scop
  /* Level 3, or what it would compute. */
  if (levels >= 3) {
    for (int i = 0; i < r; i++)
      for (int j = 0; j < c; j++) {
LL_even3:
        l3[2 * i][j] = EVEN(V_LOW, V_HIGH, ll3, lh3, r);
LL_odd3:
        l3[2 * i + 1][j] = ODD(V_LOW, V_HIGH, ll3, lh3, r);
HL_even3:
        h3[2 * i][j] = EVEN(V_LOW, V_HIGH, hl3, hh3, r);
HL_odd3:
        h3[2 * i + 1][j] = ODD(V_LOW, V_HIGH, hl3, hh3, r);
      }
    for (int i = 0; i < 2 * r; i++)
      for (int j = 0; j < c; j++) {
L_even3:
        ll2[i][2 * j] = EVEN(H_LOW, H_HIGH, l3, h3, c);
L_odd3:
        ll2[i][2 * j + 1] = ODD(H_LOW, H_HIGH, l3, h3, c);
      }
  }
  if (levels == 2)
    for (int i = 0; i < 2 * r; i++)
      for (int j = 0; j < 2 * c; j++)
first2:
        ll2[i][j] = in2[i][j];

  /* Level 2, or what it would compute. */
  if (levels >= 2) {
    for (int i = 0; i < 2 * r; i++)
      for (int j = 0; j < 2 * c; j++) {
LL_even2:
        l2[2 * i][j] = EVEN(V_LOW, V_HIGH, ll2, lh2, 2 * r);
LL_odd2:
        l2[2 * i + 1][j] = ODD(V_LOW, V_HIGH, ll2, lh2, 2 * r);
HL_even2:
        h2[2 * i][j] = EVEN(V_LOW, V_HIGH, hl2, hh2, 2 * r);
HL_odd2:
        h2[2 * i + 1][j] = ODD(V_LOW, V_HIGH, hl2, hh2, 2 * r);
      }
    for (int i = 0; i < 4 * r; i++)
      for (int j = 0; j < 2 * c; j++) {
L_even2:
        ll1[i][2 * j] = EVEN(H_LOW, H_HIGH, l2, h2, 2 * c);
L_odd2:
        ll1[i][2 * j + 1] = ODD(H_LOW, H_HIGH, l2, h2, 2 * c);
      }
  }
  if (levels == 1)
    for (int i = 0; i < 4 * r; i++)
      for (int j = 0; j < 4 * c; j++)
first1:
        ll1[i][j] = in1[i][j];

  /* Level 1 */
  for (int i = 0; i < 4 * r; i++)
    for (int j = 0; j < 4 * c; j++) {
LL_even1:
      l1[2 * i][j] = EVEN(V_LOW, V_HIGH, ll1, lh1, 4 * r);
LL_odd1:
      l1[2 * i + 1][j] = ODD(V_LOW, V_HIGH, ll1, lh1, 4 * r);
HL_even1:
      h1[2 * i][j] = EVEN(V_LOW, V_HIGH, hl1, hh1, 4 * r);
HL_odd1:
      h1[2 * i + 1][j] = ODD(V_LOW, V_HIGH, hl1, hh1, 4 * r);
    }
  for (int i = 0; i < 8 * r; i++)
    for (int j = 0; j < 4 * c; j++) {
L_even1:
      x[i][2 * j] = EVEN(H_LOW, H_HIGH, l1, h1, 4 * c);
L_odd1:
      x[i][2 * j + 1] = ODD(H_LOW, H_HIGH, l1, h1, 4 * c);
    }
#pragma endscop
}
