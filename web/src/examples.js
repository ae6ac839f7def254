// Kernels to begin with.
import alignment from "../../examples/accumulators/alignment.c";
import conv2d from "../../examples/accumulators/conv2d.c";
import sobel from "../../examples/accumulators/sobel_clamp.c";
import fir from "../../examples/fir.c";
import jacobi1dSa from "../../examples/jacobi1d_sa.c";
import matmul from "../../examples/matmul.c";
import atax from "../../examples/polybench/atax.c";
import gemm from "../../examples/polybench/gemm.c";
import jacobi1d from "../../examples/polybench/jacobi-1d.c";
import lu from "../../examples/polybench/lu.c";
import mvt from "../../examples/polybench/mvt.c";
import syrk from "../../examples/polybench/syrk.c";
import trisolv from "../../examples/polybench/trisolv.c";
import twomm from "../../examples/polybench/2mm.c";
import polymul from "../../examples/polymul.c";
import suffixSums from "../../examples/suffix_sums.c";

export const EXAMPLES = [
  ["matmul", "matrix product", matmul],
  ["polymul", "polynomial product", polymul],
  ["fir", "FIR filter", fir],
  ["conv2d", "2-D convolution", conv2d],
  ["sobel", "Sobel edges, clamped", sobel],
  ["alignment", "sequence alignment", alignment],
  ["suffix_sums", "suffix sums", suffixSums],
  ["jacobi1d_sa", "Jacobi, single assignment", jacobi1dSa],
  ["jacobi-1d", "Jacobi, two arrays", jacobi1d],
  ["gemm", "PolyBench gemm", gemm],
  ["2mm", "PolyBench 2mm", twomm],
  ["atax", "PolyBench atax", atax],
  ["mvt", "PolyBench mvt", mvt],
  ["syrk", "PolyBench syrk", syrk],
  ["lu", "PolyBench lu", lu],
  ["trisolv", "PolyBench trisolv", trisolv],
];
