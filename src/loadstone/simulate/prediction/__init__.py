"""The cycles of accelerators without simulating them one by one."""
