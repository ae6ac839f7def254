"""Hardware of kernels, described with `loadstone.rtl`."""
