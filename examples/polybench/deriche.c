/* Deriche's recursive edge filter over rows and then over columns of a w by h image (PolyBench deriche, whose
   coefficients are kept). Forward and backward runs of a block of eight lines follow each other in a strip. */
#include <math.h>

#pragma loadstone default(w = 70, h = 60)
#pragma loadstone assume(w >= 2 && h >= 2)
void deriche(int w, int h, float alpha, float img_in[w][h], float img_out[w][h], float y1[w][h], float y2[w][h])
{
  float k, a1, a2, a3, a4, b1, b2;

#pragma loadstone tile schedule(S0: 0, 0, 0, 0; S1: 0, 0, 0, 0; S2: 0, 0, 0, 0; S3: 0, 0, 0, 0; S4: 0, 0, 0, 0; \
  S5: 0, 0, 0, 0; S6: 0, 0, 0, 0; S7: 1, i, 0, 0; S8: 1, i, 0, 1; S9: 1, i, 0, j; \
  S10: 1, i, 1, 0; S11: 1, i, 1, 1; S12: 1, i, 1, h - 1 - j; S13: 1, i, 1, h - 1 - j; \
  S14: 2, j, 0, 0; S15: 2, j, 0, 1; S16: 2, j, 0, i; \
  S17: 2, j, 1, 0; S18: 2, j, 1, 1; S19: 2, j, 1, w - 1 - i; S20: 2, j, 1, w + 1 - i) size(1, 8, 1, 8) strip(2)
#pragma scop
  k = (1.0f - expf(-alpha)) * (1.0f - expf(-alpha)) / (1.0f + 2.0f * alpha * expf(-alpha) - expf(2.0f * alpha));
  a1 = k;
  a2 = k * expf(-alpha) * (alpha - 1.0f);
  a3 = k * expf(-alpha) * (alpha + 1.0f);
  a4 = -k * expf(-2.0f * alpha);
  b1 = powf(2.0f, -alpha);
  b2 = -expf(-2.0f * alpha);

  for (int i = 0; i < w; i++) {
    y1[i][0] = a1 * img_in[i][0];
    y1[i][1] = a1 * img_in[i][1] + a2 * img_in[i][0] + b1 * y1[i][0];
    for (int j = 2; j < h; j++)
      y1[i][j] = a1 * img_in[i][j] + a2 * img_in[i][j-1] + b1 * y1[i][j-1] + b2 * y1[i][j-2];
  }
  for (int i = 0; i < w; i++) {
    y2[i][h-1] = 0.0f;
    y2[i][h-2] = a3 * img_in[i][h-1];
    for (int j = h - 3; j >= 0; j--)
      y2[i][j] = a3 * img_in[i][j+1] + a4 * img_in[i][j+2] + b1 * y2[i][j+1] + b2 * y2[i][j+2];
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      img_out[i][j] = y1[i][j] + y2[i][j];

  for (int j = 0; j < h; j++) {
    y1[0][j] = a1 * img_out[0][j];
    y1[1][j] = a1 * img_out[1][j] + a2 * img_out[0][j] + b1 * y1[0][j];
    for (int i = 2; i < w; i++)
      y1[i][j] = a1 * img_out[i][j] + a2 * img_out[i-1][j] + b1 * y1[i-1][j] + b2 * y1[i-2][j];
  }
  for (int j = 0; j < h; j++) {
    y2[w-1][j] = 0.0f;
    y2[w-2][j] = a3 * img_out[w-1][j];
    for (int i = w - 3; i >= 0; i--)
      y2[i][j] = a3 * img_out[i+1][j] + a4 * img_out[i+2][j] + b1 * y2[i+1][j] + b2 * y2[i+2][j];
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      img_out[i][j] = y1[i][j] + y2[i][j];
#pragma endscop
}
